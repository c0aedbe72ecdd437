#include "ppgnn/wire/report_format.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>

#include "wire/cbor.hpp"

namespace ppgnn::wire {

namespace {

using ldp::Plan;
using ldp::Report;
using ldp::ReportKind;

constexpr std::uint64_t kVersion = 1;

// Keys of the map, ascending as RFC 8949 section 4.2 orders them.
enum Key : std::uint64_t {
  version_key = 0,
  plan_key = 1,
  round_key = 2,
  level_key = 3,
  signs_key = 4,
  category_key = 5
};

// Bytes that hold every number up to `largest`.
std::size_t width_of(std::uint64_t largest) noexcept {
  return std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(largest)) + 7) / 8);
}

// A sign report's entry: column * 2, plus 1 for a plus.
std::size_t sign_width(const Plan& plan) noexcept {
  return width_of(std::uint64_t{plan.schema().dim()} * 2 - 1);
}

std::size_t category_width(const Plan& plan) noexcept {
  return width_of(plan.classes() - 1);
}

void append_big_endian(std::uint64_t value, std::size_t width, std::vector<std::uint8_t>& out) {
  for (std::size_t byte = width; byte-- > 0;) out.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
}

std::uint64_t read_big_endian(std::span<const std::uint8_t> bytes) noexcept {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

// The reported levels a plan allows; empty (first > last) where reports carry none.
struct LevelRange {
  std::int64_t first = 1;
  std::int64_t last = 0;
};

LevelRange reported_levels(const Plan& plan) noexcept {
  if (const auto& response = plan.tables().level_response) return {response->first(), response->last()};
  if (plan.tables().secrecy == ldp::LevelSecrecy::public_level)
    return {1, static_cast<std::int64_t>(plan.levels().size())};
  return {};
}

Error refuse(ErrorCode code, const std::string& what) {
  return {code, "report: " + what};
}
Error malformed(const std::string& what) {
  return refuse(ErrorCode::malformed, what);
}

Result<void> read_signs(const Plan& plan, std::span<const std::uint8_t> payload, Report& report) {
  // Where levels are public the sample size is the level's; otherwise it is the same for all.
  const bool is_public = plan.tables().secrecy == ldp::LevelSecrecy::public_level;
  const std::size_t level = is_public ? static_cast<std::size_t>(*report.reported_level) - 1 : 0;
  const std::size_t width = sign_width(plan);
  if (payload.size() != plan.levels()[level].sampled * width) return malformed("signs: wrong length");
  for (; !payload.empty(); payload = payload.subspan(width)) {
    const std::uint64_t entry = read_big_endian(payload.first(width));
    const std::uint64_t column = entry >> 1;
    if (column >= plan.schema().dim()) return malformed("signs: column out of range");
    if (!report.columns.empty() && column <= report.columns.back()) return malformed("signs: columns not ascending");
    report.columns.push_back(static_cast<std::uint32_t>(column));
    report.signs.push_back((entry & 1) != 0 ? 1 : -1);
  }
  return {};
}

Result<void> read_category(const Plan& plan, std::span<const std::uint8_t> payload, Report& report) {
  if (payload.size() != category_width(plan)) return malformed("category: wrong length");
  const std::uint64_t category = read_big_endian(payload);
  if (category >= plan.classes()) return malformed("category: out of range");
  report.category = static_cast<std::uint32_t>(category);
  return {};
}

}  // namespace

std::vector<std::uint8_t> encode(const Plan& plan, const Report& report) {
  assert(report.reported_level.has_value() == (reported_levels(plan).first <= reported_levels(plan).last));
  std::vector<std::uint8_t> payload;
  if (plan.kind() == ReportKind::signs) {
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      const std::uint64_t plus = report.signs[i] > 0 ? 1 : 0;
      append_big_endian(std::uint64_t{report.columns[i]} * 2 + plus, sign_width(plan), payload);
    }
  } else {
    append_big_endian(report.category, category_width(plan), payload);
  }

  CborWriter writer;
  writer.map(report.reported_level ? 5 : 4);
  writer.unsigned_integer(version_key);
  writer.unsigned_integer(kVersion);
  writer.unsigned_integer(plan_key);
  writer.bytes(plan.hash());
  writer.unsigned_integer(round_key);
  writer.unsigned_integer(report.round);
  if (report.reported_level) {
    writer.unsigned_integer(level_key);
    writer.integer(*report.reported_level);
  }
  writer.unsigned_integer(plan.kind() == ReportKind::signs ? signs_key : category_key);
  writer.bytes(payload);
  return std::move(writer).take();
}

Result<Report> decode(const Plan& plan, std::span<const std::uint8_t> bytes) {
  const LevelRange levels = reported_levels(plan);
  const bool has_level = levels.first <= levels.last;
  CborReader reader(bytes);
  Report report;

  if (reader.map() != (has_level ? 5 : 4)) return malformed("not a map with the fields of this plan");
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
    const auto level = reader.integer();
    if (!level || *level < levels.first || *level > levels.last) return malformed("level: not one the plan allows");
    report.reported_level = static_cast<std::int32_t>(*level);
  }
  const bool is_signs = plan.kind() == ReportKind::signs;
  if (reader.unsigned_integer() != (is_signs ? signs_key : category_key))
    return malformed("payload: not of the plan's kind");
  const auto payload = reader.bytes();
  if (!payload) return malformed("payload: not a byte string, or cut off");
  if (const auto read = is_signs ? read_signs(plan, *payload, report) : read_category(plan, *payload, report); !read) {
    return read.error();
  }
  if (!reader.at_end()) return malformed("bytes after the end");
  return report;
}

}  // namespace ppgnn::wire
