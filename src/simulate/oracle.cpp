#include "ppgnn/simulate/oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "ppgnn/ldp/bucket_response.hpp"
#include "ppgnn/population/rows.hpp"
#include "ppgnn/simulate/softmax_regression.hpp"

namespace ppgnn::simulate {

namespace {

// Of squared weights, from simple to fitting: the first that is too small ends the search.
constexpr std::array kPenalties{100., 30., 10., 3., 1., .3, .1, .03, .01};

// What a device makes of its features, times the words of a report, so that weights are those of one word.
LabelledRows rows_of(const graph::Dataset& dataset, const ldp::Plan& plan, std::span<const std::uint32_t> people) {
  const population::PlanRows rows(dataset.features, plan);
  const ldp::Schema& schema = plan.schema();
  LabelledRows made;
  std::vector<float> buffer;
  for (const std::uint32_t person : people) {
    const ldp::Row row = rows.row(person, buffer);
    double total = 0;
    row.for_each(schema.dim(), [&](std::uint32_t column, double value) {
      total += static_cast<double>(std::abs(ldp::Schema::difference(schema.group_of(column), value)));
    });
    const double scale = plan.shape(0).favoured / std::max(1.0, total);
    row.for_each(schema.dim(), [&](std::uint32_t column, double value) {
      const std::int64_t step = ldp::Schema::difference(schema.group_of(column), value);
      if (step != 0) made.add(column, scale * static_cast<double>(step));
    });
    made.end_row(static_cast<std::uint32_t>(dataset.labels[person]));
  }
  return made;
}

// The favoured buckets of a person and the words they stand for.
struct FavouredWords {
  std::vector<std::uint32_t> buckets;
  std::vector<std::optional<std::uint32_t>> columns;  // nothing where a bucket fills up

  [[nodiscard]] std::optional<std::size_t> find(std::uint32_t bucket) const {
    const auto at = std::lower_bound(buckets.begin(), buckets.end(), bucket);
    if (at == buckets.end() || *at != bucket) return std::nullopt;
    return static_cast<std::size_t>(at - buckets.begin());
  }
};

FavouredWords favoured_words(const ldp::Plan& plan, const ldp::Shape& shape, const std::string& name,
                             const ldp::Row& row) {
  const ldp::Asked asked{ldp::salt_of(plan.tables().campaign->name, name), nullptr};
  const ldp::WordBuckets words(plan.tables(), shape, asked);
  FavouredWords found{std::vector<std::uint32_t>(shape.favoured), {}};
  ldp::BucketResponse::choose(plan.tables(), shape, asked, row, found.buckets);
  found.columns.resize(shape.favoured);
  std::vector<std::pair<std::int64_t, std::uint64_t>> heaviest(shape.favoured);
  row.for_each(shape.dim, [&](std::uint32_t column, double value) {
    const std::int64_t step = ldp::Schema::difference(plan.schema().group_of(column), value);
    if (step == 0) return;
    const std::optional<std::size_t> at = found.find(words.bucket(column, step > 0));
    if (!at) return;
    const std::pair weight(std::abs(step), words.rank(column, step > 0));
    if (found.columns[*at] && weight < heaviest[*at]) return;
    heaviest[*at] = weight;
    found.columns[*at] = column;
  });
  return found;
}

ldp::Shape shape_of(const ldp::Plan& plan, ldp::Level level) {
  return plan.shape(static_cast<std::uint32_t>(level) - 1);
}

Result<void> check_words(const ldp::Plan& plan) {
  if (plan.kind() == ldp::BucketResponse::kKind && !plan.schema().two_sided()) return {};
  return Error{ErrorCode::invalid_argument, "features: only words can be marked, not columns of both signs"};
}

}  // namespace

Result<teach::TaughtModel> clean_model(const graph::Dataset& dataset, const graph::Split& split,
                                       const ldp::Plan& teaching) {
  const std::size_t classes = dataset.num_classes();
  const std::size_t columns = dataset.features.cols();
  if (columns == 0) return Error{ErrorCode::invalid_argument, "features: there are no columns"};
  const LabelledRows rows = rows_of(dataset, teaching, split.train);
  const LabelledRows judges = rows_of(dataset, teaching, split.validation);
  SoftmaxModel model(columns, classes);
  SoftmaxModel best = model;
  double least = std::numeric_limits<double>::infinity();
  for (const double penalty : kPenalties) {
    fit_softmax(rows, penalty, model);
    const double loss = model.log_loss(judges);
    if (loss >= least) break;
    least = loss;
    best = model;
  }
  teach::TaughtModel taught{classes, best.weights, std::vector<double>(columns), best.biases};
  const auto people = static_cast<double>(rows.size());
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    taught.shares[rows.columns[i]] += std::abs(rows.values[i]) / people;
  }
  // Features alone are to speak: how usual a class is, the graph says already.
  std::vector<double> usual(classes, 1);
  for (const std::uint32_t label : rows.labels) ++usual[label];
  for (std::size_t c = 0; c < classes; ++c) {
    taught.biases[c] = (taught.biases[c] - std::log(usual[c])) / teaching.shape(0).favoured;
  }
  const double mean = std::accumulate(taught.biases.begin(), taught.biases.end(), 0.0) / static_cast<double>(classes);
  for (double& bias : taught.biases) bias -= mean;
  return taught;
}

Result<std::vector<MarkedReport>> marked_reports(const graph::Dataset& dataset, const ldp::Plan& teaching,
                                                 std::span<const ldp::Level> levels,
                                                 std::span<const ldp::NodeReport> lessons) {
  if (Result<void> checked = check_words(teaching); !checked) return checked.error();
  const population::PlanRows rows(dataset.features, teaching);
  std::vector<MarkedReport> marked;
  std::vector<float> buffer;
  for (const auto& [person, report] : lessons) {
    const FavouredWords words = favoured_words(teaching, shape_of(teaching, levels[person]), dataset.nodes.name(person),
                                               rows.row(person, buffer));
    for (const std::uint32_t outcome : report.outcomes) {
      if (const auto at = words.find(outcome)) marked.push_back({person, words.columns[*at]});
    }
  }
  return marked;
}

Result<std::vector<MarkedReport>> all_reports(const graph::Dataset& dataset, const ldp::Plan& teaching,
                                              std::span<const ldp::Level> levels,
                                              std::span<const std::uint32_t> people) {
  if (Result<void> checked = check_words(teaching); !checked) return checked.error();
  const population::PlanRows rows(dataset.features, teaching);
  std::vector<MarkedReport> reports;
  std::vector<float> buffer;
  for (const std::uint32_t person : people) {
    const FavouredWords words = favoured_words(teaching, shape_of(teaching, levels[person]), dataset.nodes.name(person),
                                               rows.row(person, buffer));
    for (const auto& column : words.columns) reports.push_back({person, column});
  }
  return reports;
}

std::vector<double> true_rates(const graph::Dataset& dataset, const ldp::Plan& teaching,
                               std::span<const ldp::Level> levels) {
  const population::PlanRows rows(dataset.features, teaching);
  const std::size_t classes = dataset.num_classes();
  std::vector<double> rates(dataset.features.cols() * classes);
  std::vector<double> people(classes);
  std::vector<float> buffer;
  for (std::uint32_t person = 0; person < dataset.num_nodes(); ++person) {
    if (dataset.labels[person] < 0) continue;
    const auto label = static_cast<std::size_t>(dataset.labels[person]);
    const ldp::Shape shape = shape_of(teaching, levels[person]);
    ++people[label];
    for (const auto& column :
         favoured_words(teaching, shape, dataset.nodes.name(person), rows.row(person, buffer)).columns) {
      if (column) rates[*column * classes + label] += 1. / shape.favoured;
    }
  }
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t at = c; at < rates.size(); at += classes) rates[at] /= std::max(1., people[c]);
  }
  return rates;
}

}  // namespace ppgnn::simulate
