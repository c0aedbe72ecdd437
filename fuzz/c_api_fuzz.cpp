// Sequences of calls of the C interface: three clients of two plans on two ledgers that they share, whose storage fails now and then.
// Plans are whatever the input says, with the hash that they should have. Every buffer is as long as the call is told, to the byte.
//
// Whatever happens: a ledger hands out one report per campaign, to the recipient that it was made for or with the person's word, within
// limits, and only once it is stored; what fails says why.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parts.hpp"
#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/core/sha256.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

void must(bool good) {
  if (!good) std::abort();
}

// The rest of the input, read as numbers; zeros once it is used up.
class Program {
 public:
  explicit Program(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  std::uint8_t next() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  std::uint32_t below(std::uint32_t bound) { return next() % bound; }
  std::string_view text(std::size_t most) {
    const std::string_view taken = rest_.substr(0, std::min<std::size_t>(next(), most));
    rest_.remove_prefix(std::min(taken.size(), rest_.size()));
    return taken;
  }

 private:
  std::string_view rest_;
};

// A ledger's storage, and what it must keep.
struct Host {
  enum Fault : std::uint8_t { none = 0, lock = 1, load = 2, store = 4, counter = 8, raise = 16 };
  struct Kept {
    Bytes report;
    std::string recipient;
  };

  Bytes bytes;
  std::uint64_t count = 0;
  std::uint8_t faults = none;
  int locked = 0;
  int clients = 0;
  std::map<std::string, Kept> reports;  // by campaign, or plan
  double counted = 0;
  bool unnamed = false;

  static Host& of(void* host) { return *static_cast<Host*>(host); }
  [[nodiscard]] bool fails(Fault fault) const { return (faults & fault) != 0; }
};

ppgnn_storage storage_of(Host& host, bool counts) {
  ++host.clients;
  return {.host = &host,
          .load = [](void* own, std::uint8_t* to, std::size_t capacity) -> std::int64_t {
            Host& host = Host::of(own);
            must(host.locked == 1 && to != nullptr);
            if (host.fails(Host::load)) return -1;
            std::copy_n(host.bytes.begin(), std::min(capacity, host.bytes.size()), to);
            return static_cast<std::int64_t>(host.bytes.size());
          },
          .store = [](void* own, const std::uint8_t* from, std::size_t size) -> std::int32_t {
            Host& host = Host::of(own);
            must(host.locked == 1);
            if (host.fails(Host::store)) return 1;
            host.bytes.assign(from, from + size);
            return 0;
          },
          .lock = [](void* own) -> std::int32_t {
            Host& host = Host::of(own);
            if (host.fails(Host::lock)) return 1;
            must(++host.locked == 1);
            return 0;
          },
          .unlock = [](void* own) { must(--Host::of(own).locked == 0); },
          .counter = !counts ? nullptr : +[](void* own, std::uint64_t* value) -> std::int32_t {
            *value = Host::of(own).count;
            return Host::of(own).fails(Host::counter) ? 1 : 0;
          },
          .raise = !counts ? nullptr : +[](void* own, std::uint64_t value) -> std::int32_t {
            Host& host = Host::of(own);
            if (host.fails(Host::raise)) return 1;
            must(value > host.count);
            host.count = value;
            return 0;
          },
          .reason = [](void* own) -> const char* { return Host::of(own).faults == Host::lock ? nullptr : "a fault\n"; },
          .release = [](void* own) { --Host::of(own).clients; }};
}

struct Closing {
  void operator()(ppgnn_client* client) const { ppgnn_close(client); }
};
struct Person {
  std::unique_ptr<ppgnn_client, Closing> client;
  Host* host = nullptr;
  std::string recipient;
  std::uint32_t permitted = 0;
  ppgnn_limits limits{};
};

// A text or bytes as the header says: asked for its size, then taken in a buffer of just that, and refused in one that is a byte short.
template <class Char, class Call>
std::vector<Char> sized(ppgnn_client* client, std::size_t ending, const Call& call, int& code) {
  std::size_t size = 0;
  code = call(static_cast<Char*>(nullptr), std::size_t{0}, &size);
  if (code != PPGNN_TOO_SMALL) {
    must(code != PPGNN_OK || size + ending == 0);
    if (code != PPGNN_OK) must(ppgnn_error(client)[0] != '\0');
    return {};
  }
  const std::size_t needed = size + ending;
  const std::unique_ptr<Char[]> small(new Char[std::max<std::size_t>(needed, 1) - 1]);
  if (needed > 0) must(call(small.get(), needed - 1, &size) == PPGNN_TOO_SMALL && size + ending == needed);
  const std::unique_ptr<Char[]> exact(new Char[needed]);
  code = call(exact.get(), needed, &size);
  return code == PPGNN_OK ? std::vector<Char>(exact.get(), exact.get() + size) : std::vector<Char>();
}

std::string text_of(ppgnn_client* client, std::int32_t kind, std::uint32_t index = 0) {
  int code = 0;
  const auto text = sized<char>(
      client, 1,
      [&](char* to, std::size_t capacity, std::size_t* size) {
        return ppgnn_text(client, kind, index, to, capacity, size);
      },
      code);
  return {text.begin(), text.end()};
}

// What was handed out: one report per campaign, to one recipient or with a word.
void handed_out(Person& person, Bytes bytes, bool fresh) {
  ppgnn_client* client = person.client.get();
  Host& host = *person.host;
  const std::string campaign = text_of(client, PPGNN_TEXT_CAMPAIGN);
  const std::string key = campaign.empty() ? "plan " + text_of(client, PPGNN_TEXT_HASH) : campaign;
  must(!bytes.empty());
  const auto found = host.reports.find(key);
  if (found != host.reports.end()) {
    must(!fresh && found->second.report == bytes);
    must(found->second.recipient == person.recipient || (person.permitted & PPGNN_PERMIT_OTHER_RECIPIENT) != 0);
    return;
  }
  if (!fresh) return;  // stored before, when the counter could not be raised: it was not handed out then
  ppgnn_plan_facts facts;
  must(ppgnn_plan(client, &facts) == PPGNN_OK);
  must(!campaign.empty() || !host.unnamed || (person.permitted & PPGNN_PERMIT_UNNAMED_AGAIN) != 0);
  host.unnamed = host.unnamed || campaign.empty();
  host.counted += facts.largest_spend;
  must(facts.largest_spend <= person.limits.report && host.counted <= person.limits.lifetime * (1 + 1e-12));
  host.reports[key] = {std::move(bytes), person.recipient};
  must(host.reports.size() <= person.limits.reports);
}

void report(Person& person, Program& program) {
  ppgnn_client* client = person.client.get();
  std::size_t most = 0;
  must(ppgnn_report_size(client, &most) == PPGNN_OK);
  const std::uint32_t short_by = program.below(8) == 0 ? 1 : 0;
  const std::size_t capacity = most - std::min<std::size_t>(short_by, most);
  const std::unique_ptr<std::uint8_t[]> out(new std::uint8_t[capacity]);
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::uint32_t column = 0;
  for (std::uint32_t left = program.below(6); left > 0; --left) {
    columns.push_back(column += program.below(16));
    values.push_back(static_cast<float>(program.next()) / 100 - 1);
  }
  columns.shrink_to_fit();
  values.shrink_to_fit();
  const ppgnn_features features{static_cast<std::int32_t>(program.below(5)) - 1, 0, columns.data(), values.data(),
                                columns.size()};
  std::size_t size = 0;
  std::int32_t fresh = -1;
  const int code =
      ppgnn_report(client, program.below(5), &features, program.next(), out.get(), capacity, &size, &fresh);
  if (code == PPGNN_OK) {
    must(person.host != nullptr && size <= capacity && (fresh == 0 || fresh == 1));
    handed_out(person, {out.get(), out.get() + size}, fresh == 1);
  } else {
    must(ppgnn_error(client)[0] != '\0');
  }
}

void look(Person& person, Program& program) {
  ppgnn_client* client = person.client.get();
  const std::uint32_t level = program.below(5);
  int code = 0;
  text_of(client, static_cast<std::int32_t>(program.below(14)) - 1, program.next());
  sized<char>(
      client, 1,
      [&](char* to, std::size_t capacity, std::size_t* size) {
        return ppgnn_preview(client, level, to, capacity, size);
      },
      code);
  ppgnn_level_facts facts;
  if (ppgnn_level(client, level, &facts) == PPGNN_OK) {
    must(facts.percent >= 50 && facts.percent <= 100 && facts.spend >= 0 && facts.bytes > 0);
  }
  ppgnn_sums sums;
  if (person.host == nullptr || ppgnn_ledger_sums(client, &sums) != PPGNN_OK) return;
  must(sums.reports >= person.host->reports.size() && sums.state <= PPGNN_STATE_OTHER && sums.entries >= sums.reports);
  for (std::uint32_t i = 0; i < sums.entries; ++i) {
    ppgnn_entry entry;
    must(ppgnn_ledger_entry(client, i, &entry) == PPGNN_OK && std::memchr(entry.campaign, 0, 72) != nullptr);
    text_of(client, PPGNN_TEXT_RECIPIENT, i);
  }
  ppgnn_entry entry;
  must(ppgnn_ledger_entry(client, sums.entries, &entry) == PPGNN_NOT_THERE);
}

void read(Person& person, Program& program) {
  const std::string_view given = program.text(60);
  const std::unique_ptr<char[]> file(new char[given.size()]);
  std::copy(given.begin(), given.end(), file.get());
  const std::size_t most = (given.size() + 1) / 2;
  const std::unique_ptr<std::uint32_t[]> columns(new std::uint32_t[most]);
  const std::unique_ptr<float[]> values(new float[most]);
  std::size_t count = 0;
  const int code =
      ppgnn_read_features(person.client.get(), file.get(), given.size(), columns.get(), values.get(), most, &count);
  must(code != PPGNN_TOO_SMALL && (code != PPGNN_OK || count <= most));
}

// A call or two on one client.
void act(Person& person, std::array<Host, 2>& hosts, Program& program) {
  constexpr std::string_view kRecipients[] = {"https://a.example", "https://b.example", "", "a\nb"};
  ppgnn_client* client = person.client.get();
  switch (program.below(12)) {
    case 0: {
      const std::string_view name = program.text(4);
      static_cast<void>(ppgnn_set_person(client, name.data(), name.size()));
      return;
    }
    case 1: {
      const std::string_view bytes = program.text(40);
      const Bytes question(bytes.begin(), bytes.end());
      static_cast<void>(ppgnn_set_question(client, question.data(), question.size()));
      return;
    }
    case 2: {
      const std::string_view name = kRecipients[program.below(4)];
      if (ppgnn_set_recipient(client, name.data(), name.size()) == PPGNN_OK) person.recipient = name;
      must(name.size() > 3 || person.recipient != name || name.empty());
      return;
    }
    case 3: {
      const std::uint32_t wanted = program.below(5);
      if (ppgnn_permit(client, wanted) == PPGNN_OK) person.permitted = wanted;
      must(wanted < 4 || person.permitted != wanted);
      return;
    }
    case 4: {
      ppgnn_limits limits;
      ppgnn_default_limits(&limits);
      limits.report = program.below(20);
      limits.lifetime = program.below(3) == 0 ? HUGE_VAL : 5.0 * program.below(10);
      limits.reports = program.below(5);
      limits.level_disclosed = static_cast<std::int32_t>(program.below(2));
      person.limits = ppgnn_agree(client, &limits) == PPGNN_OK ? limits : ppgnn_limits{};
      return;
    }
    case 5: {
      Host& host = hosts[program.below(2)];
      const ppgnn_storage storage = storage_of(host, &host == hosts.data());  // one of them counts
      person.host = ppgnn_use_ledger(client, &storage) == PPGNN_OK ? &host : nullptr;
      return;
    }
    case 6:
      hosts[program.below(2)].faults = static_cast<std::uint8_t>(program.below(32));
      return;
    case 7:
      hosts[0].faults = hosts[1].faults = Host::none;
      return;
    case 8: {
      int code = 0;
      const Bytes again = sized<std::uint8_t>(
          client, 0,
          [&](std::uint8_t* to, std::size_t capacity, std::size_t* size) {
            return ppgnn_resend(client, to, capacity, size);
          },
          code);
      if (code == PPGNN_OK) handed_out(person, again, false);
      return;
    }
    case 9:
      static_cast<void>(ppgnn_not_asked(client));
      return;
    case 10:
      return program.below(2) == 0 ? look(person, program) : read(person, program);
    default:
      return report(person, program);
  }
}

// The plan with the hash that it should have.
std::string rehashed(std::string_view plan) {
  const std::string_view body = plan.substr(0, plan.rfind("sha256 "));
  return std::string(body) + "sha256 " + ppgnn::to_hex(ppgnn::sha256(body)) + "\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [first, second, text] = ppgnn::fuzz::parts<3>(data, size);
  const std::array<std::string, 2> plans{rehashed(first), rehashed(second)};
  std::array<Host, 2> hosts;
  {
    std::array<Person, 3> people;
    Program program(text);
    for (int steps = 0; steps < 200 && !program.at_end(); ++steps) {
      Person& person = people[program.below(3)];
      if (!person.client || program.below(24) == 0) {
        person = {};
        const std::string& plan = plans[program.below(2)];
        const std::unique_ptr<char[]> exact(new char[plan.size()]);
        std::copy(plan.begin(), plan.end(), exact.get());
        std::array<char, 16> error;
        ppgnn_client* client = nullptr;
        const int code = ppgnn_open(exact.get(), plan.size(), &client, error.data(), error.size());
        must((code == PPGNN_OK) == (client != nullptr) && std::memchr(error.data(), 0, error.size()) != nullptr);
        person.client.reset(client);
        if (!client) continue;
      }
      act(person, hosts, program);
      for (const Host& host : hosts) must(host.locked == 0);
    }
  }
  for (const Host& host : hosts) must(host.clients == 0);
  return 0;
}
