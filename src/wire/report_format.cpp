#include "ppgnn/wire/report_format.hpp"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/mechanism.hpp"
#include "wire/cbor.hpp"

namespace ppgnn::wire {

namespace {

using ldp::Plan;
using ldp::Report;

constexpr std::uint64_t kVersion = 1;

// Keys of the map, ascending as RFC 8949 section 4.2 orders them; the payload's is the report kind's own, between level
// and seeded.
enum Key : std::uint64_t { version_key = 0, plan_key = 1, round_key = 2, level_key = 3, seeded_key = 23 };

// The reported levels a plan allows; empty (first > last) where reports carry none.
struct LevelRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
};

// A randomised level takes as many bytes as any other: where one byte of CBOR does not hold them all, they are counted
// from the first in a byte string.
bool counted(const Plan& plan) noexcept {
  const auto& response = plan.tables().level_response;
  return response && (response->first() < -24 || response->last() > 23);
}

LevelRange reported_levels(const Plan& plan) noexcept {
  if (const auto& response = plan.tables().level_response) return {response->first(), response->last()};
  if (plan.tables().secrecy == ldp::LevelSecrecy::public_level)
    return {1, static_cast<std::int64_t>(plan.levels().size())};
  return {};
}

std::optional<std::int64_t> counted_level(CborReader& reader, std::int64_t first) noexcept {
  const auto above = reader.bytes();
  if (!above || above->size() != 1) return std::nullopt;
  return first + above->front();
}

Error refuse(ErrorCode code, const std::string& what) {
  return {code, filled("report: {}", {what})};
}
Error malformed(const std::string& what) {
  return refuse(ErrorCode::malformed, what);
}

// The shape of a report: where levels are public the sample size is the level's; otherwise it is the same for all.
ldp::Shape shape_of(const Plan& plan, const Report& report) noexcept {
  const bool is_public = plan.tables().secrecy == ldp::LevelSecrecy::public_level;
  return plan.shape(is_public ? static_cast<std::size_t>(*report.reported_level) - 1 : 0);
}

}  // namespace

std::vector<std::uint8_t> encode(const Plan& plan, const Report& report) {
  std::vector<std::uint8_t> bytes;
  encode(plan, report, bytes);
  return bytes;
}

void encode(const Plan& plan, const Report& report, std::vector<std::uint8_t>& out) {
  assert(report.reported_level.has_value() == (reported_levels(plan).first <= reported_levels(plan).last));
  out.clear();
  CborWriter writer(out);
  with_mechanism(plan.kind(), [&](auto mechanism) {
    using Mechanism = decltype(mechanism);
    static_assert(Mechanism::kWireKey > level_key && Mechanism::kWireKey < seeded_key);
    writer.map(4U + static_cast<unsigned>(report.reported_level.has_value()) + static_cast<unsigned>(report.seeded));
    writer.unsigned_integer(version_key);
    writer.unsigned_integer(kVersion);
    writer.unsigned_integer(plan_key);
    writer.bytes(plan.hash());
    writer.unsigned_integer(round_key);
    writer.unsigned_integer(report.round);
    if (report.reported_level) {
      writer.unsigned_integer(level_key);
      if (counted(plan)) {
        const auto above = static_cast<std::uint8_t>(*report.reported_level - reported_levels(plan).first);
        writer.bytes({&above, 1});
      } else {
        writer.integer(*report.reported_level);
      }
    }
    writer.unsigned_integer(Mechanism::kWireKey);
    const std::size_t payload = out.size();
    Mechanism::encode(report, shape_of(plan, report), out);
    writer.make_bytes(payload);
  });
  if (report.seeded) {
    writer.unsigned_integer(seeded_key);
    writer.unsigned_integer(1);
  }
}

Result<Report> decode(const Plan& plan, std::span<const std::uint8_t> bytes) {
  const LevelRange levels = reported_levels(plan);
  const bool has_level = levels.first <= levels.last;
  CborReader reader(bytes);
  Report report;

  const std::uint64_t fields = has_level ? 5 : 4;
  const auto pairs = reader.map();
  if (pairs != fields && pairs != fields + 1) return malformed("not a map with the fields of this plan");
  report.seeded = pairs == fields + 1;
  if (reader.unsigned_integer() != version_key) return malformed("version: missing");
  if (reader.unsigned_integer() != kVersion) return malformed("version: not 1");
  if (reader.unsigned_integer() != plan_key) return malformed("plan: missing");
  const auto hash = reader.bytes();
  if (!hash || hash->size() != plan.hash().size()) return malformed("plan: not a SHA-256");
  if (!std::equal(hash->begin(), hash->end(), plan.hash().begin()))
    return refuse(ErrorCode::mismatch, "plan: another plan's");
  if (reader.unsigned_integer() != round_key) return malformed("round: missing");
  const auto round = reader.unsigned_integer();
  if (!round) return malformed("round: not an unsigned integer in shortest form");
  report.round = *round;
  if (has_level) {
    if (reader.unsigned_integer() != level_key) return malformed("level: missing");
    const auto level = counted(plan) ? counted_level(reader, levels.first) : reader.integer();
    if (!level || *level < levels.first || *level > levels.last) return malformed("level: not one the plan allows");
    report.reported_level = static_cast<std::int32_t>(*level);
  }
  const std::string problem = with_mechanism(plan.kind(), [&](auto mechanism) -> std::string {
    using Mechanism = decltype(mechanism);
    if (reader.unsigned_integer() != Mechanism::kWireKey) return "payload: not of the plan's kind";
    const auto payload = reader.bytes();
    if (!payload) return "payload: not a byte string, or cut off";
    const std::string wrong = Mechanism::decode(*payload, shape_of(plan, report), report);
    return wrong.empty() ? wrong : filled("{}: {}", {Mechanism::kName, wrong});
  });
  if (!problem.empty()) return malformed(problem);
  if (report.seeded && (reader.unsigned_integer() != seeded_key || reader.unsigned_integer() != 1)) {
    return malformed("seeded: missing, or not 1");
  }
  if (!reader.at_end()) return malformed("bytes after the end");
  return report;
}

std::optional<Digest> plan_of(std::span<const std::uint8_t> bytes) noexcept {
  CborReader reader(bytes);
  Digest plan{};
  if (!reader.map() || reader.unsigned_integer() != version_key || reader.unsigned_integer() != kVersion) return {};
  if (reader.unsigned_integer() != plan_key) return {};
  const auto hash = reader.bytes();
  if (!hash || hash->size() != plan.size()) return {};
  std::copy(hash->begin(), hash->end(), plan.begin());
  return plan;
}

}  // namespace ppgnn::wire
