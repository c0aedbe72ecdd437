// A million reports through the C interface, of every kind, and not one allocation after the client is open.
#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <new>
#include <span>
#include <vector>

#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/ldp/mechanism.hpp"
#include "support/ledger_images.hpp"
#include "support/plans.hpp"

namespace ppgnn::client {
namespace {

constexpr std::size_t kReports = 1'000'000;

// A ledger that is stored and never there again, so that every report is a fresh one.
struct Forgetful {
  std::array<std::uint8_t, 4096> bytes{};
  std::size_t stores = 0;
};

ppgnn_storage storage_of(Forgetful& host) {
  return {.host = &host,
          .load = [](void*, std::uint8_t*, std::size_t) -> std::int64_t { return 0; },
          .store = [](void* to, const std::uint8_t* bytes, std::size_t size) -> std::int32_t {
            auto& self = *static_cast<Forgetful*>(to);
            std::copy(bytes, bytes + size, self.bytes.begin());
            ++self.stores;
            return 0;
          },
          .lock = nullptr,
          .unlock = nullptr,
          .counter = nullptr,
          .raise = nullptr,
          .reason = nullptr,
          .release = nullptr};
}

TEST(Allocations, AMillionReportsMakeNone) {
  ASSERT_EQ(test::count_allocations([] { ::operator delete(::operator new(8)); }), 1u);  // it does count
  const ppgnn_limits limits{100, HUGE_VAL, UINT64_MAX, 0, 0};
  const std::uint32_t column = 0;
  const float value = 1;
  for (const ldp::ReportKind kind : ldp::kReportKinds) {
    const ldp::Plan plan = test::plan_of(test::request_of(kind, {1, 2}));
    const test::Person person(plan);
    Forgetful host;
    const ppgnn_storage storage = storage_of(host);
    ppgnn_client* client = nullptr;
    ASSERT_EQ(ppgnn_open(plan.text().data(), plan.text().size(), &client, nullptr, 0), PPGNN_OK);
    ppgnn_set_person(client, "ana", 3);
    if (person.question) {
      ppgnn_set_question(client, person.question->bytes().data(), person.question->bytes().size());
    }
    ASSERT_EQ(ppgnn_agree(client, &limits), PPGNN_OK);
    ASSERT_EQ(ppgnn_use_ledger(client, &storage), PPGNN_OK);
    std::vector<std::uint8_t> bytes(300);
    std::size_t failures = 0;
    const std::size_t count = kReports / ldp::kReportKinds.size();
    const auto start = std::chrono::steady_clock::now();
    const std::size_t allocations = test::count_allocations([&] {
      for (std::size_t i = 0; i < count; ++i) {
        const ppgnn_features features{static_cast<std::int32_t>(i % 3), 0, &column, &value, 1};
        std::size_t size = 0;
        std::int32_t fresh = 0;
        const int code = ppgnn_report(client, static_cast<std::uint32_t>(i % 2 + 1), &features, i << (i % 50),
                                      bytes.data(), bytes.size(), &size, &fresh);
        failures += static_cast<std::size_t>(code != PPGNN_OK || fresh != 1);
      }
    });
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(allocations, 0u) << ldp::to_text(kind);
    EXPECT_EQ(failures, 0u) << ldp::to_text(kind);
    EXPECT_EQ(host.stores, count);
    printf("%s: %.2f microseconds a report\n", std::string(ldp::to_text(kind)).c_str(),
           took.count() / static_cast<double>(count));
    ppgnn_close(client);
  }
}

// Whatever a device gives back to the heap was wiped: the ledger it read, the one it wrote, and the report.
TEST(Freed, NothingHoldsALedgerOrAReport) {
  test::MemoryStorage storage;
  storage.bytes = test::good_image();
  const std::uint8_t stored[] = {0xa4, 0x5b, 0xc6, 0x3d};  // the report of that ledger
  const auto leak = [&] {
    void* block = ::operator new(64);
    std::copy(std::begin(stored), std::end(stored), static_cast<std::uint8_t*>(block) + 7);
    __asm__ volatile("" : : "r"(block) : "memory");
    ::operator delete(block);
  };
  ASSERT_EQ(test::count_freed_with(stored, leak), 1u);  // it does look
  ldp::PlanRequest request = test::signs_request({1, 2}, 5000);
  request.shape.sampled = 50;
  const ldp::Plan plan = test::plan_of(request);
  const ppgnn_limits limits{100, HUGE_VAL, UINT64_MAX, 0, 0};
  const ppgnn_features nothing{PPGNN_ONES, 0, nullptr, nullptr, 0};
  ppgnn_client* client = nullptr;
  std::vector<std::uint8_t> bytes(1000);
  std::size_t size = 0;
  ASSERT_EQ(test::count_freed_with(stored,
                                   [&] {
                                     const ppgnn_storage callbacks = storage.callbacks();
                                     ppgnn_open(plan.text().data(), plan.text().size(), &client, nullptr, 0);
                                     ppgnn_agree(client, &limits);
                                     ppgnn_use_ledger(client, &callbacks);
                                   }),
            0u)
      << "what grew left its bytes behind";
  const ppgnn_storage forgetful{.host = nullptr,
                                .load = [](void*, std::uint8_t*, std::size_t) -> std::int64_t { return 0; },
                                .store = [](void*, const std::uint8_t*, std::size_t) -> std::int32_t { return 0; },
                                .lock = nullptr,
                                .unlock = nullptr,
                                .counter = nullptr,
                                .raise = nullptr,
                                .reason = nullptr,
                                .release = nullptr};
  EXPECT_EQ(test::count_freed_with(stored, [&] { ppgnn_use_ledger(client, &forgetful); }), 0u) << "a ledger that ends";
  ASSERT_EQ(ppgnn_report(client, 1, &nothing, 0, bytes.data(), bytes.size(), &size, nullptr), PPGNN_OK)
      << ppgnn_error(client);
  ASSERT_GT(size, 100u);
  EXPECT_EQ(test::count_freed_with(std::span(bytes).subspan(size - 50, 40), [&] { ppgnn_close(client); }), 0u)
      << "a client that ends";
}

}  // namespace
}  // namespace ppgnn::client
