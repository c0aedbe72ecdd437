#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "ppgnn/ldp/mechanism.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "privacy/subset_mutants.hpp"

/// What a device does, in steps, so that a mutant can get one of them wrong.
namespace ppgnn::test {

/// The steps of a sign report, done right. A mutant replaces one step.
struct Steps {
  const ldp::Plan& plan;

  [[nodiscard]] const ldp::PlanTables& tables() const { return plan.tables(); }
  [[nodiscard]] const ldp::PlanLevel& at(std::uint32_t level) const { return plan.levels()[level - 1]; }
  [[nodiscard]] double lambda() const { return tables().gamma * at(1).budget; }

  template <class Bits>
  [[nodiscard]] std::int32_t reported(std::uint32_t level, Bits& bits) const {
    return tables().level_response->perturb(level, bits);
  }
  [[nodiscard]] std::uint32_t sampled(std::uint32_t level) const { return at(level).sampled; }
  [[nodiscard]] std::uint64_t entry(std::uint32_t level) const { return at(level).entry; }
  template <class Bits>
  void subset(const ldp::Row&, std::vector<std::uint32_t>& columns, Bits& bits) const {
    random::subset(plan.schema().dim(), columns, bits);
  }
  [[nodiscard]] double value(const ldp::Row& row, std::uint32_t column, const ldp::ColumnGroup& group) const {
    return row.value(column, group.absent);
  }
  [[nodiscard]] const ldp::ColumnGroup& group(std::uint32_t column) const { return plan.schema().group_of(column); }
  [[nodiscard]] std::int64_t feature(const ldp::ColumnGroup& group, double value) const {
    return ldp::Schema::quantise(group, value);
  }
  template <class Bits>
  [[nodiscard]] bool sign(std::int64_t feature, std::uint64_t entry, const ldp::Report&, Bits& bits) const {
    return random::sign(feature, entry, bits);
  }
  /// What the way through the payload makes of a report.
  void send(ldp::Report&) const {}
};

/// `perturb` for sign plans, put together from steps.
template <class Device, class Bits>
void perturb_with(const Device& device, std::uint32_t level, const ldp::Row& row, Bits& bits, ldp::Report& out) {
  out.reported_level.reset();
  if (device.tables().level_response) {
    out.reported_level = device.reported(level, bits);
  } else if (device.tables().secrecy == ldp::LevelSecrecy::public_level) {
    out.reported_level = static_cast<std::int32_t>(level);
  }
  out.columns.resize(device.sampled(level));
  out.signs.resize(out.columns.size());
  device.subset(row, out.columns, bits);
  for (std::size_t i = 0; i < out.columns.size(); ++i) {
    const ldp::ColumnGroup& group = device.group(out.columns[i]);
    const std::int64_t feature = device.feature(group, device.value(row, out.columns[i], group));
    out.signs[i] = device.sign(feature, device.entry(level), out, bits) ? 1 : -1;
  }
  device.send(out);
}

/// The steps of a category report, done right.
struct CategorySteps {
  const ldp::Plan& plan;

  [[nodiscard]] std::uint32_t own(const ldp::Row& row) const {
    return ldp::CategoryResponse::class_of(plan.schema(), row);
  }
  [[nodiscard]] std::uint64_t entry(std::uint32_t level, std::uint32_t) const { return plan.levels()[level - 1].entry; }
  template <class Bits>
  [[nodiscard]] std::uint32_t other(std::uint32_t category, Bits& bits) const {
    const auto drawn = static_cast<std::uint32_t>(random::below(plan.outcomes() - 1, bits));
    return drawn + (drawn >= category ? 1 : 0);
  }
};

template <class Device, class Bits>
void category_with(const Device& device, std::uint32_t level, const ldp::Row& row, Bits& bits, ldp::Report& out) {
  out.reported_level.reset();
  if (const auto& response = device.plan.tables().level_response) out.reported_level = response->perturb(level, bits);
  const std::uint32_t category = device.own(row);
  const std::uint64_t draw = bits.next() >> (64 - random::kThresholdBits);
  const std::uint32_t other = device.other(category, bits);
  out.outcomes.assign(1, draw < device.entry(level, category) ? category : other);
}

/// One report of a device made of steps, of any kind.
template <class Device, class Bits>
void report_of(const Device& device, ldp::Level level, const ldp::Row& row, Bits& bits, ldp::Report& out) {
  if constexpr (std::is_base_of_v<CategorySteps, Device>) {
    category_with(device, static_cast<std::uint32_t>(level), row, bits, out);
  } else if constexpr (std::is_base_of_v<SubsetSteps, Device>) {
    subset_with(device, static_cast<std::uint32_t>(level), row, bits, out);
  } else {
    perturb_with(device, static_cast<std::uint32_t>(level), row, bits, out);
  }
}

template <class Device>
Device make_device(const ldp::Plan& plan) {
  if constexpr (std::is_same_v<Device, Steps> || std::is_same_v<Device, CategorySteps> ||
                std::is_same_v<Device, SubsetSteps>) {
    return Device{plan};
  } else {
    return Device{{plan}};
  }
}

}  // namespace ppgnn::test
