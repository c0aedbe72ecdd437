// A million reports through the C interface, of every kind, and not one allocation after the client is open.
#include "support/allocations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <new>
#include <vector>

#include "ppgnn/client/ppgnn_client.h"
#include "ppgnn/ldp/mechanism.hpp"
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

}  // namespace
}  // namespace ppgnn::client
