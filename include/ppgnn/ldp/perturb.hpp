#pragma once

#include <cassert>
#include <type_traits>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"
#include "ppgnn/ldp/row.hpp"
#include "ppgnn/random/bit_source.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace ppgnn::ldp {

template <class Bits>
std::int32_t LevelResponse::perturb(std::uint32_t level, Bits& bits) const noexcept {
  return static_cast<std::int32_t>(random::window_response(level - 1, levels, radius, weight, bits)) + 1;
}

/// Makes one person's report: the only place where private data meets randomness, on a device and in
/// a simulation alike.
///
/// Privacy  What `plan.certificate()` states. Where levels are protected, time, memory access and size do not depend on
///          the level; time may depend on the features.
/// Errors   Out of memory only, while `out` gets its size: std::bad_alloc, or the end of the process where there are no
///          exceptions; what is in `out` must then not be sent. The plan was validated when it was made, and any
///          feature value is accepted (NaN to the midpoint, out of range clamped). `level` must be one of the plan's,
///          and a plan that asks a question needs one in `asked`.
/// Cost     The mechanism's, no allocation once `out` has its size.
template <random::BitSource Bits>
void perturb(const Plan& plan, Level level, const Row& row, const Asked& asked, Bits& bits, Report& out) {
  assert(plan.has(level));
  const auto number = static_cast<std::uint32_t>(level);
  const PlanTables& tables = plan.tables();

  PlanLevel own{.sampled = 0};
  for (std::uint32_t i = 0; i < tables.levels.size(); ++i) {  // every entry is read, whatever the level
    const std::uint64_t mask = 0 - static_cast<std::uint64_t>(i + 1 == number);
    const auto half = static_cast<std::uint32_t>(mask);
    own.entry |= tables.levels[i].entry & mask;
    own.sampled |= tables.levels[i].sampled & half;
    own.outcomes |= tables.levels[i].outcomes & half;
    own.favoured |= tables.levels[i].favoured & half;
  }

  out.seeded = !std::is_same_v<Bits, random::SecureSource>;
  out.question = {};
  out.reported_level.reset();
  if (tables.level_response) {
    out.reported_level = tables.level_response->perturb(number, bits);
  } else if (tables.secrecy == LevelSecrecy::public_level) {
    out.reported_level = static_cast<std::int32_t>(number);
  }
  with_mechanism(tables.kind, [&](auto mechanism) {
    using Mechanism = decltype(mechanism);
    Mechanism::perturb(tables, Mechanism::shape(tables.schema, own), own.entry, asked, row, bits, out);
  });
}

/// The same of a plan that asks nothing of the person.
template <random::BitSource Bits>
void perturb(const Plan& plan, Level level, const Row& row, Bits& bits, Report& out) {
  perturb(plan, level, row, Asked{}, bits, out);
}

}  // namespace ppgnn::ldp
