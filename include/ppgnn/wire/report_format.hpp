#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::wire {

/// A report's bytes: deterministic CBOR, docs/formats/report.md. Holds the format version, the plan's hash, the round,
/// the level field if the plan has one, and the payload; nothing else.
///
/// Privacy  The length depends on the plan, the round and the reported level only: payload entries have a fixed width.
std::vector<std::uint8_t> encode(const ldp::Plan& plan, const ldp::Report& report);

/// Reads a report of `plan`. Refuses whatever `encode` would not have written: other versions and plans, longer forms
/// of numbers, unknown or missing fields, levels, columns or classes out of range or order, bytes before the end
/// missing or after it left over. Errors name the field, never its content.
[[nodiscard]] Result<ldp::Report> decode(const ldp::Plan& plan, std::span<const std::uint8_t> bytes);

}  // namespace ppgnn::wire
