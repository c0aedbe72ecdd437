// After a report, a device's memory holds neither what was made from the features nor key material. A child makes the
// report and stops; this process reads the child's memory and looks for everything that must be gone. getrandom is played
// by the test, so that it knows the key: a definition here takes the place of the library's for this executable.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ppgnn/client/ledger.hpp"
#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/core/wipe.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/random/chacha20.hpp"
#include "support/plans.hpp"

namespace {

std::uint64_t seed = 1;   // of what this test makes up: features and keys
bool leave_some = false;  // the child keeps copies, which must be found

// SplitMix64's mixing: numbers that occur nowhere else.
std::uint64_t made_up(std::uint64_t what, std::uint64_t index) {
  std::uint64_t x = (seed << 40 | what << 32 | index) * 0x9e3779b97f4a7c15U + 0x7f4a7c159e3779b9U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

}  // namespace

extern "C" ssize_t getrandom(void* buffer, std::size_t size, unsigned) {
  for (std::size_t i = 0; i < size / 8; ++i) {
    const std::uint64_t word = made_up(1, i);
    std::memcpy(static_cast<char*>(buffer) + 8 * i, &word, 8);
  }
  return static_cast<ssize_t>(size);
}

namespace ppgnn::client {
namespace {

constexpr std::uint32_t kListed = 24;

// The caller's features, in pages of its own.
struct Features {
  std::array<std::uint32_t, kListed> columns;
  std::array<float, kListed> values;
};

void fill(Features& features, std::uint32_t dim, bool category) {
  std::uint32_t column = 0;
  for (std::uint32_t i = 0; i < kListed; ++i) {
    column += 1 + static_cast<std::uint32_t>(made_up(2, i) % (dim / kListed - 1));
    features.columns[i] = column;
    features.values[i] = static_cast<float>(made_up(3, i) >> 40) / static_cast<float>(1 << 24);
  }
  if (category) features.values[0] = 1234;
}

// Large enough that what is looked for stands nowhere else.
std::vector<ldp::PlanRequest> large_requests() {
  const std::vector<double> budgets{1, 2, 4};
  const std::uint32_t dim = 1'000'000;
  ldp::PlanRequest signs = test::number_request(budgets, dim);
  signs.shape.sampled = 500;
  signs.gamma = 0.5;
  ldp::PlanRequest buckets = test::bucket_request(budgets, dim, 65000, kListed);
  buckets.columns = signs.columns;
  ldp::PlanRequest answer = test::answer_request(budgets, 40000, 3);
  answer.columns = test::number_request(budgets, 40000).columns;
  return {signs, test::category_request(budgets, 60000), buckets, test::direction_request(budgets, dim, 1024, 500),
          answer};
}

// Words of eight bytes that must not be found, and what each is.
using Needles = std::map<std::uint64_t, std::string>;

std::uint64_t pair(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

Needles needles_of(const ldp::Plan& plan, std::int32_t form) {
  Needles needles;
  for (std::uint64_t i = 0; i < 4; ++i) needles[made_up(1, i)] = "the key";
  random::ChaChaInput input{};
  for (std::uint64_t i = 0; i < 4; ++i) {
    input[2 * i] = static_cast<std::uint32_t>(made_up(1, i));
    input[2 * i + 1] = static_cast<std::uint32_t>(made_up(1, i) >> 32);
  }
  for (int group = 0; group < 4; ++group, input[8] += 4) {
    std::array<std::uint32_t, 64> stream{};
    random::chacha20_four_blocks(input, stream);
    for (std::size_t i = 0; i < 64; i += 2) needles[pair(stream[i], stream[i + 1])] = "a word of the stream";
  }
  Features features{};
  const bool category = plan.schema().dim() == 1;
  fill(features, category ? 1'000'000 : plan.schema().dim(), category);
  for (std::uint32_t i = 0; i < kListed && !category; ++i) {
    if (i > 0) needles[pair(features.columns[i - 1], features.columns[i])] = "two columns";
    if (form == PPGNN_ONES) continue;
    const double value = static_cast<double>(features.values[i]);
    if (i > 0) {
      needles[pair(std::bit_cast<std::uint32_t>(features.values[i - 1]),
                   std::bit_cast<std::uint32_t>(features.values[i]))] = "two values";
    }
    needles[std::bit_cast<std::uint64_t>(value)] = "a value as double";
    const ldp::ColumnGroup& group = plan.schema().group_of(features.columns[i]);
    needles[static_cast<std::uint64_t>(ldp::Schema::quantise(group, value))] = "a quantised value";
  }
  if (category || !plan.tables().campaign || plan.tables().model) return needles;
  // Which outcomes the features favour.
  const ldp::Row row =
      form == PPGNN_ONES ? ldp::Row::ones(features.columns) : ldp::Row::sparse(features.columns, features.values);
  std::vector<std::uint32_t> favoured(plan.levels()[0].favoured);
  const ldp::Asked asked{ldp::salt_of("spring", "ana"), nullptr};
  with_mechanism(plan.kind(), [&](auto mechanism) {
    if constexpr (requires { decltype(mechanism)::choose(plan.tables(), plan.shape(0), asked, row, favoured); }) {
      decltype(mechanism)::choose(plan.tables(), plan.shape(0), asked, row, favoured);
    }
  });
  for (std::size_t i = 1; i < favoured.size(); ++i) {
    // Neighbours in small numbers may stand anywhere; a table of directions does not.
    if (favoured[i] > favoured[i - 1] + 1 && favoured[i] > 4096) {
      needles[pair(favoured[i - 1], favoured[i])] = "two favoured outcomes";
    }
  }
  // How far they point into each direction.
  for (std::uint32_t direction = 0; plan.kind() == ldp::ReportKind::directions && direction < 1024; ++direction) {
    std::int64_t score = 0;
    row.for_each(plan.schema().dim(), [&](std::uint32_t column, double value) {
      const std::uint64_t word = ldp::DirectionResponse::signs(plan.tables().codebook, column, direction / 64);
      const std::int64_t step = ldp::Schema::difference(plan.schema().group_of(column), value);
      score += (word >> direction % 64 & 1) != 0 ? step : -step;
    });
    // Of ones the sums are small and round: they stand anywhere.
    if (form == PPGNN_SPARSE) needles[static_cast<std::uint64_t>(score)] = "a score of a direction";
  }
  return needles;
}

// What is found in the writable memory of a process, and how much memory that was.
std::pair<std::map<std::string, int>, std::size_t> scan(pid_t pid, const Needles& needles) {
  std::map<std::string, int> found;
  std::size_t total = 0;
  const std::string process = "/proc/" + std::to_string(pid);
  const int memory = open((process + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_GE(memory, 0);
  std::ifstream maps(process + "/maps");
  std::vector<char> page(1 << 20);
  for (std::string line; std::getline(maps, line);) {
    unsigned long start = 0;
    unsigned long end = 0;
    char mode[5];
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &start, &end, mode) != 3 || mode[1] != 'w') continue;
    for (unsigned long at = start; at < end;) {
      const ssize_t got = pread(memory, page.data(), std::min(page.size(), end - at), static_cast<off_t>(at));
      if (got <= 0) break;
      total += static_cast<std::size_t>(got);
      for (ssize_t i = 0; i + 8 <= got; i += 4) {
        std::uint64_t word = 0;
        std::memcpy(&word, page.data() + i, 8);
        if (word == 0) continue;
        const auto needle = needles.find(word);
        if (needle == needles.end()) continue;
        const std::size_t name = line.find_first_of("/[");
        ++found[needle->second + " in " + (name == std::string::npos ? "a mapping" : line.substr(name))];
      }
      at += static_cast<unsigned long>(got);
    }
  }
  close(memory);
  return {found, total};
}

// The application: makes a report, wipes its own features, and waits to be read.
[[noreturn]] void make_report_and_wait(const ldp::Plan& plan, const test::Person& person, std::int32_t form,
                                       int ready) {
  const auto must = [](bool good) {
    if (!good) _exit(1);
  };
  void* pages = mmap(nullptr, sizeof(Features), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* features = static_cast<Features*>(pages);
  const bool category = plan.schema().dim() == 1;
  fill(*features, category ? 1'000'000 : plan.schema().dim(), category);
  ppgnn_client* client = nullptr;
  must(ppgnn_open(plan.text().data(), plan.text().size(), &client, nullptr, 0) == PPGNN_OK);
  ppgnn_set_person(client, "ana", 3);
  if (person.question) {
    must(ppgnn_set_question(client, person.question->bytes().data(), person.question->bytes().size()) == PPGNN_OK);
  }
  const ppgnn_limits limits{100, HUGE_VAL, UINT64_MAX, 0, 0};
  must(ppgnn_agree(client, &limits) == PPGNN_OK);
  const ppgnn_storage storage{.host = nullptr,
                              .load = [](void*, std::uint8_t*, std::size_t) -> std::int64_t { return 0; },
                              .store = [](void*, const std::uint8_t*, std::size_t) -> std::int32_t { return 0; },
                              .lock = nullptr,
                              .unlock = nullptr,
                              .counter = nullptr,
                              .raise = nullptr,
                              .reason = nullptr,
                              .release = nullptr};
  must(ppgnn_use_ledger(client, &storage) == PPGNN_OK);
  static std::array<std::uint8_t, 4096> bytes;
  std::size_t size = 0;
  const ppgnn_features given{form, 0, category ? nullptr : features->columns.data(), features->values.data(),
                             category ? 1 : kListed};
  must(ppgnn_report(client, 2, &given, 0, bytes.data(), bytes.size(), &size, nullptr) == PPGNN_OK);
  if (leave_some) {
    static Features copy;
    copy = *features;
    __asm__ volatile("" : : "r"(&copy) : "memory");
    static std::uint64_t key[4];
    getrandom(key, sizeof(key), 0);
    __asm__ volatile("" : : "r"(&key) : "memory");
  }
  munmap(pages, sizeof(Features));
  must(write(ready, "r", 1) == 1);
  for (;;) pause();
}

std::map<std::string, int> found_after(const ldp::Plan& plan, std::int32_t form) {
  const test::Person person(plan);
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) make_report_and_wait(plan, person, form, ends[1]);
  close(ends[1]);
  char ready = 0;
  EXPECT_EQ(read(ends[0], &ready, 1), 1) << "the child made no report";
  close(ends[0]);
  const auto [found, total] = scan(child, needles_of(plan, form));
  EXPECT_GT(total, 100000u);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return found;
}

TEST(MemoryImage, HoldsNeitherFeaturesNorKeysAfterAReport) {
  for (const ldp::PlanRequest& request : large_requests()) {
    const ldp::Plan plan = test::plan_of(request);
    for (const std::int32_t form : {PPGNN_SPARSE, PPGNN_ONES, PPGNN_DENSE}) {
      const bool category = plan.schema().dim() == 1;
      if (category != (form == PPGNN_DENSE)) continue;
      ++seed;  // what was looked for before stands in this process
      for (const auto& [what, count] : found_after(plan, form)) {
        ADD_FAILURE() << ldp::to_text(plan.kind()) << ": " << what << ", " << count << " times";
      }
    }
  }
}

TEST(MemoryImage, CopiesThatStayAreFound) {
  const ldp::Plan plan = test::plan_of(large_requests()[2]);
  ++seed;
  leave_some = true;
  int keys = 0;
  int columns = 0;
  int values = 0;
  for (const auto& [what, count] : found_after(plan, PPGNN_SPARSE)) {
    if (what.starts_with("the key")) keys += count;
    if (what.starts_with("two columns")) columns += count;
    if (what.starts_with("two values")) values += count;
  }
  leave_some = false;
  EXPECT_GE(keys, 4);
  EXPECT_GE(columns, 20);
  EXPECT_GE(values, 20);
}

// --- reports and ledgers ----------------------------------------------------------------------------------------------

// A ledger as its host keeps it, so that the only copy in the clear is the library's.
struct Masked {
  std::vector<std::uint8_t> bytes;
  static std::uint8_t mask(std::size_t at) { return static_cast<std::uint8_t>(made_up(6, at / 8) >> at % 8 * 8); }
};

std::uint8_t stored_byte(std::size_t at) {
  return static_cast<std::uint8_t>(made_up(5, at / 8) >> at % 8 * 8);
}
constexpr std::size_t kStored = 400;  // bytes of the report that the ledger has

Masked masked_ledger() {
  Masked masked;
  const ppgnn_storage storage{.host = &masked,
                              .load = [](void*, std::uint8_t*, std::size_t) -> std::int64_t { return 0; },
                              .store = [](void* host, const std::uint8_t* bytes, std::size_t size) -> std::int32_t {
                                auto& own = static_cast<Masked*>(host)->bytes;
                                own.resize(size);
                                for (std::size_t i = 0; i < size; ++i) {
                                  own[i] = static_cast<std::uint8_t>(bytes[i] ^ Masked::mask(i));
                                }
                                return 0;
                              },
                              .lock = nullptr,
                              .unlock = nullptr,
                              .counter = nullptr,
                              .raise = nullptr,
                              .reason = nullptr,
                              .release = nullptr};
  std::array<std::uint8_t, kStored> report;
  for (std::size_t i = 0; i < kStored; ++i) report[i] = stored_byte(i);
  Ledger ledger = Ledger::open(storage, 1000).value();
  const LedgerEntry entry{.campaign = "earlier", .counted = 1, .features = 1, .level = 1, .report = report};
  const Limits limits{.report = 1, .level_disclosed = true, .lifetime = 10, .reports = 10};
  std::array<std::uint8_t, kStored> out;
  EXPECT_EQ(ledger.begin(entry, limits, out).value(), 0u);
  EXPECT_TRUE(ledger.keep(entry).ok());
  wipe(report.data(), report.size());
  scrub_stack<4096>();
  return masked;
}

// The application: reports beside what the ledger has, hands the report out, and ends the client before it is read.
[[noreturn]] void report_close_and_wait(const ldp::Plan& plan, Masked& masked, bool close_it, int ready) {
  const auto must = [](bool good) {
    if (!good) _exit(1);
  };
  ppgnn_client* client = nullptr;
  must(ppgnn_open(plan.text().data(), plan.text().size(), &client, nullptr, 0) == PPGNN_OK);
  const ppgnn_limits limits{1000, HUGE_VAL, UINT64_MAX, 0, 0};
  must(ppgnn_agree(client, &limits) == PPGNN_OK);
  const ppgnn_storage storage{.host = &masked,
                              .load = [](void* host, std::uint8_t* bytes, std::size_t capacity) -> std::int64_t {
                                const auto& own = static_cast<Masked*>(host)->bytes;
                                for (std::size_t i = 0; i < own.size() && own.size() <= capacity; ++i) {
                                  bytes[i] = static_cast<std::uint8_t>(own[i] ^ Masked::mask(i));
                                }
                                return static_cast<std::int64_t>(own.size());
                              },
                              .store = [](void*, const std::uint8_t*, std::size_t) -> std::int32_t { return 0; },
                              .lock = nullptr,
                              .unlock = nullptr,
                              .counter = nullptr,
                              .raise = nullptr,
                              .reason = nullptr,
                              .release = nullptr};
  must(ppgnn_use_ledger(client, &storage) == PPGNN_OK);
  static std::array<std::uint8_t, 4096> bytes;
  std::size_t size = 0;
  const ppgnn_features nothing{PPGNN_ONES, 0, nullptr, nullptr, 0};
  must(ppgnn_report(client, 2, &nothing, 0, bytes.data(), bytes.size(), &size, nullptr) == PPGNN_OK);
  must(write(ready, bytes.data(), size) == static_cast<ssize_t>(size));
  wipe(bytes.data(), bytes.size());
  if (close_it) ppgnn_close(client);
  close(ready);
  for (;;) pause();
}

std::map<std::string, int> found_after_reporting(bool close_it) {
  ++seed;
  const ldp::Plan plan = test::plan_of(large_requests()[0]);
  Masked masked = masked_ledger();
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) report_close_and_wait(plan, masked, close_it, ends[1]);
  close(ends[1]);
  std::vector<std::uint8_t> sent(4096);
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0;) {
    got = read(ends[0], sent.data() + size, sent.size() - size);
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  close(ends[0]);
  EXPECT_GT(size, 1000u) << "the child made no report";
  // At every offset, since a ledger puts a report anywhere.
  Needles needles;
  for (std::size_t at = 0; at + 8 <= kStored; ++at) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i) word |= std::uint64_t{stored_byte(at + i)} << 8 * i;
    needles[word] = "the stored report";
  }
  for (std::size_t at = size / 2; at + 8 <= size; ++at) {  // beyond what plans say too
    std::uint64_t word = 0;
    std::memcpy(&word, sent.data() + at, 8);
    needles[word] = "the report that was sent";
  }
  auto found = scan(child, needles).first;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return found;
}

TEST(MemoryImage, HoldsNoReportAndNoLedgerOnceTheClientIsClosed) {
  for (const auto& [what, count] : found_after_reporting(true)) {
    // What has left the device may stay in the registers that the C library copies with, from where the dynamic linker puts
    // it on the stack.
    if (what == "the report that was sent in [stack]") continue;
    ADD_FAILURE() << what << ", " << count << " times";
  }
}

// Until then the ledger is there, and found.
TEST(MemoryImage, ALedgerThatIsOpenIsFound) {
  EXPECT_GE(found_after_reporting(false).size(), 2u);
}

}  // namespace
}  // namespace ppgnn::client
