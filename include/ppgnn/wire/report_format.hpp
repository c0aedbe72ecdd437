#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::wire {

/// What one person's device sent, and the person's number as a server counts people.
struct EncodedReport {
  std::uint32_t node = 0;
  std::vector<std::uint8_t> bytes;  ///< docs/formats/report.md
};

/// A report's bytes: deterministic CBOR, docs/formats/report.md. Holds the format version, the plan's hash, the round,
/// the level field if the plan has one, the payload, and the mark of a seeded report; nothing else.
///
/// Privacy  The length depends on the plan and the round only, and where levels are public on the level: payload entries
///          and a randomised level have a fixed width.
std::vector<std::uint8_t> encode(const ldp::Plan& plan, const ldp::Report& report);
/// The same, in place of what `out` holds; no allocation once `out` has its size.
void encode(const ldp::Plan& plan, const ldp::Report& report, std::vector<std::uint8_t>& out);

/// Reads a report of `plan`. Refuses whatever `encode` would not have written: other versions and plans, longer forms
/// of numbers, unknown or missing fields, levels, columns or classes out of range or order, bytes before the end
/// missing or after it left over. Errors name the field, never its content.
[[nodiscard]] Result<ldp::Report> decode(const ldp::Plan& plan, std::span<const std::uint8_t> bytes);

/// The hash of the plan that a report says it is of; nothing for bytes that do not begin like a report.
[[nodiscard]] std::optional<Digest> plan_of(std::span<const std::uint8_t> bytes) noexcept;

}  // namespace ppgnn::wire
