#include "ppgnn/simulate/devices.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "ppgnn/client/client.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/random/samplers.hpp"
#include "ppgnn/seeded/seeded_stream.hpp"
#include "ppgnn/wire/report_format.hpp"

namespace ppgnn::simulate {

namespace {

constexpr std::size_t kPeoplePerTask = 1024;

std::uint64_t entity_of(std::uint64_t run, std::size_t person) noexcept {
  return run << 32 | person;
}

// Calls make(person, row, bits) for everybody, each with the person's own stream; row_at(person, buffer) is what
// the person has.
template <class RowAt, class Make>
void for_each_device(const Devices& devices, const kernels::Threads& threads, const RowAt& row_at, const Make& make) {
  const std::size_t people = devices.features->rows();
  assert(devices.levels.size() == people);
  const std::vector<float> midpoints(devices.content == Content::nothing ? devices.features->cols() : 0,
                                     std::numeric_limits<float>::quiet_NaN());
  threads.for_each(kernels::tasks_of(people, kPeoplePerTask), [&](std::size_t task) {
    std::vector<float> buffer;
    for (std::size_t person = task * kPeoplePerTask; person < std::min(people, (task + 1) * kPeoplePerTask); ++person) {
      if (!devices.reporting.empty() && devices.reporting[person] == 0) continue;
      seeded::SeededStream bits(devices.seed, seeded::Purpose::perturb, entity_of(devices.run, person));
      make(person, devices.content == Content::nothing ? ldp::Row::dense(midpoints) : row_at(person, buffer), bits);
    }
  });
}

}  // namespace

Result<std::vector<ldp::ColumnGroup>> columns_of(const graph::FeatureSchema& schema) {
  std::vector<ldp::ColumnGroup> groups;
  const auto same = [&](std::size_t a, std::size_t b) {
    return schema.kinds[a] == schema.kinds[b] && schema.low[a] == schema.low[b] && schema.high[a] == schema.high[b] &&
           schema.absent[a] == schema.absent[b];
  };
  for (std::size_t column = 0; column < schema.size(); ++column) {
    if (!(schema.low[column] < schema.high[column])) {
      return Error{ErrorCode::invalid_argument,
                   "column " + std::to_string(column) + " has a range of one point: drop it"};
    }
    if (column > 0 && same(column - 1, column)) {
      ++groups.back().count;
      continue;
    }
    const bool binary = static_cast<graph::ColumnKind>(schema.kinds[column]) == graph::ColumnKind::binary;
    groups.push_back({"feature", 1, binary ? ldp::ColumnKind::binary : ldp::ColumnKind::number,
                      static_cast<double>(schema.low[column]), static_cast<double>(schema.high[column]),
                      static_cast<double>(schema.absent[column])});
  }
  if (groups.empty()) return Error{ErrorCode::invalid_argument, "features: there are no columns"};
  return groups;
}

ldp::Row row_of(const graph::Features& features, std::size_t node) {
  const auto columns = features.pattern().row(node);
  if (features.values().empty()) return ldp::Row::ones(columns);
  return ldp::Row::sparse(columns,
                          features.values().span().subspan(features.pattern().offsets()[node], columns.size()));
}

PlanRows::PlanRows(const graph::Features& features, const ldp::Plan& plan) : features_(&features), plan_(&plan) {
  assert(features.cols() == plan.schema().dim());
  for (std::uint32_t column = 0; column < plan.schema().dim() && !in_full_; ++column) {
    in_full_ = static_cast<double>(features.schema().absent[column]) != plan.schema().group_of(column).absent;
  }
}

ldp::Row PlanRows::row(std::size_t person, std::vector<float>& buffer) const {
  if (!in_full_) return row_of(*features_, person);
  const auto absent = features_->schema().absent.span();
  buffer.assign(absent.begin(), absent.end());
  const auto columns = features_->pattern().row(person);
  const std::size_t first = features_->pattern().offsets()[person];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    buffer[columns[i]] = features_->value(first + i);
  }
  return ldp::Row::dense(buffer);
}

std::vector<std::uint32_t> PlanRows::clamped_columns() const {
  std::vector<bool> clamped(features_->cols(), false);
  const auto check = [&](std::uint32_t column, float value) {
    const ldp::ColumnGroup& group = plan_->schema().group_of(column);
    // The plan's numbers may be finer than the data's.
    if (value < static_cast<float>(group.low) || value > static_cast<float>(group.high)) clamped[column] = true;
  };
  std::vector<std::size_t> listed(features_->cols(), 0);
  for (std::size_t person = 0; person < features_->rows(); ++person) {
    const auto columns = features_->pattern().row(person);
    const std::size_t first = features_->pattern().offsets()[person];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ++listed[columns[i]];
      check(columns[i], features_->value(first + i));
    }
  }
  std::vector<std::uint32_t> found;
  for (std::uint32_t column = 0; column < clamped.size(); ++column) {
    if (listed[column] < features_->rows()) check(column, features_->schema().absent[column]);
    if (clamped[column]) found.push_back(column);
  }
  return found;
}

std::vector<ldp::Level> choose_levels(LevelChoice choice, std::size_t people, std::size_t levels, std::uint64_t seed,
                                      std::uint64_t run) {
  std::vector<ldp::Level> chosen(people, ldp::Level{1});
  const auto last = static_cast<std::uint32_t>(levels);
  for (std::size_t person = 0; person < people; ++person) {
    seeded::SeededStream bits(seed, seeded::Purpose::level, entity_of(run, person));
    switch (choice) {
      case LevelChoice::uniform:
        chosen[person] = ldp::Level{static_cast<std::uint32_t>(random::below(levels, bits)) + 1};
        break;
      case LevelChoice::strict:
        break;
      case LevelChoice::relaxed:
        chosen[person] = ldp::Level{last};
        break;
      case LevelChoice::bimodal:
        chosen[person] = ldp::Level{random::below(2, bits) == 0 ? 1 : last};
        break;
    }
  }
  return chosen;
}

Result<std::vector<ldp::Level>> read_levels(const std::filesystem::path& path, const graph::Dataset& dataset,
                                            std::size_t levels) {
  const Result<std::string> bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  return parse_levels({io::input_name(path), *bytes}, dataset, levels);
}

Result<std::vector<ldp::Level>> parse_levels(const io::NamedBytes& file, const graph::Dataset& dataset,
                                             std::size_t levels) {
  std::vector<ldp::Level> chosen(dataset.num_nodes(), ldp::Level{0});
  const auto take = [&](std::uint32_t node, std::string_view value) -> std::string {
    const auto level = parse_unsigned(value);
    if (!level || *level < 1 || *level > levels) return "level: must be between 1 and " + std::to_string(levels);
    chosen[node] = ldp::Level{static_cast<std::uint32_t>(*level)};
    return {};
  };
  if (Result<void> read = graph::parse_node_lines(file, dataset.nodes, "level", take); !read) return read.error();
  const auto missing = std::find(chosen.begin(), chosen.end(), ldp::Level{0});
  if (missing != chosen.end()) {
    const auto node = static_cast<graph::NodeId>(missing - chosen.begin());
    return Error{ErrorCode::malformed, file.name + ": no level for node '" + dataset.nodes.name(node) + "'"};
  }
  return chosen;
}

Result<std::vector<ldp::Level>> levels_for(const std::string& choice_or_file, const graph::Dataset& dataset,
                                           std::size_t levels, std::uint64_t seed, std::uint64_t run) {
  if (const auto* row = find_named(kLevelChoices, choice_or_file)) {
    return choose_levels(row->choice, dataset.num_nodes(), levels, seed, run);
  }
  return read_levels(choice_or_file, dataset, levels);
}

Asking::Asking(const ldp::Plan& plan, const graph::NodeNames& names, server::Questions questions)
    : questions_(std::move(questions)) {
  assert(!plan.tables().model || questions_.size() == names.size());
  const auto& campaign = plan.tables().campaign;
  salts_.reserve(names.size());
  for (graph::NodeId node = 0; node < names.size(); ++node) {
    salts_.push_back(campaign ? ldp::salt_of(campaign->name, names.name(node)) : 0);
  }
}

std::vector<ldp::Report> simulate_reports(const ldp::Plan& plan, const Devices& devices,
                                          const kernels::Threads& threads) {
  std::vector<ldp::Report> reports(devices.features->rows());
  const PlanRows rows(*devices.features, plan);
  for_each_device(
      devices, threads, [&](std::size_t person, std::vector<float>& buffer) { return rows.row(person, buffer); },
      [&](std::size_t person, const ldp::Row& row, seeded::SeededStream& bits) {
        if (devices.asking == nullptr) {
          ldp::perturb(plan, devices.levels[person], row, bits, reports[person]);
        } else if (devices.asking->is_asked(person)) {
          ldp::perturb(plan, devices.levels[person], row, devices.asking->asked(person), bits, reports[person]);
        }
      });
  return reports;
}

std::vector<server::EncodedReport> seeded_reports(const ldp::Plan& plan, const Devices& devices,
                                                  const kernels::Threads& threads) {
  std::vector<ldp::Report> made = simulate_reports(plan, devices, threads);
  std::vector<server::EncodedReport> reports;
  for (std::uint32_t person = 0; person < made.size(); ++person) {
    if (devices.asking != nullptr && !devices.asking->is_asked(person)) continue;
    if (!devices.reporting.empty() && devices.reporting[person] == 0) continue;
    made[person].round = devices.round;
    reports.push_back({person, wire::encode(plan, made[person])});
  }
  return reports;
}

Result<std::vector<server::EncodedReport>> device_reports(
    const ldp::Plan& plan, const PlanRows& rows, const graph::NodeNames& names, std::span<const ldp::Level> levels,
    const server::Questions& questions, std::span<const std::uint8_t> reporting, std::uint64_t round) {
  Result<client::Client> device = client::Client::make(plan.text());
  if (!device) return device.error();
  std::vector<server::EncodedReport> reports;
  std::vector<float> buffer;
  for (std::uint32_t person = 0; person < levels.size(); ++person) {
    if (!reporting.empty() && reporting[person] == 0) continue;
    device->set_person(names.name(person));
    if (!questions.empty()) {
      if (!questions[person]) continue;
      if (Result<void> set = device->set_question(questions[person]->bytes()); !set) return set.error();
    }
    auto bytes = device->report(levels[person], rows.row(person, buffer), round);
    if (!bytes) return bytes.error();
    reports.push_back({person, std::move(bytes).value()});
  }
  return reports;
}

std::vector<ldp_research::NoisyRow> simulate_rows(const ldp_research::FeatureMechanism& mechanism,
                                                  const Devices& devices, const kernels::Threads& threads) {
  std::vector<ldp_research::NoisyRow> rows(devices.features->rows());
  for_each_device(
      devices, threads, [&](std::size_t person, std::vector<float>&) { return row_of(*devices.features, person); },
      [&](std::size_t person, const ldp::Row& row, seeded::SeededStream& bits) {
        mechanism.perturb(devices.levels[person], row, bits, rows[person]);
        mechanism.estimate(rows[person]);
      });
  return rows;
}

}  // namespace ppgnn::simulate
