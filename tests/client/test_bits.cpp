#include "client/test_bits.h"

#include <cstdint>
#include <string>

#include "client/handle.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace {

// The words of the test, one by one. After the last: zeros, and `used` says that there were too few.
struct GivenWords {
  const std::uint64_t* words;
  std::size_t count;
  std::size_t used = 0;

  std::uint64_t next() noexcept {
    const std::size_t at = used++;
    return at < count ? words[at] : ~std::uint64_t{0};  // which no sampler draws again
  }
};

}  // namespace

int ppgnn_test_report(ppgnn_client* client, uint32_t level, const ppgnn_features* features, uint64_t round,
                      const uint64_t* words, size_t count, size_t* used, uint8_t* buffer, size_t capacity,
                      size_t* size) {
  using namespace ppgnn;
  const auto row = client::row_of(features);
  if (!row) return client->fail(PPGNN_INVALID_ARGUMENT, "features: they are missing, or their form is none");
  const std::string problem = client->client.problem_with(ldp::Level{level}, *row);
  if (!problem.empty()) return client->fail(PPGNN_INVALID_ARGUMENT, problem);
  GivenWords bits{words, count};
  ldp::Report report;
  report.round = round;
  ldp::perturb(client->client.plan(), ldp::Level{level}, *row, client->client.asked(), bits, report);
  *used = bits.used;
  if (bits.used > count) return client->fail(PPGNN_NOT_THERE, "words: there are too few");
  return client::put_bytes(wire::encode(client->client.plan(), report), buffer, capacity, size);
}
