#include "ppgnn/teach/structure.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "ppgnn/server/training.hpp"
#include "teach/diffused_labels.hpp"
#include "teach/friends.hpp"

namespace ppgnn::teach {

namespace {

// What the second and third opinion are made by.
constexpr std::array kFriends{FriendsNetwork{"sage", 0}, FriendsNetwork{"gcn", 2}};

}  // namespace

train::TrainOptions StructureOptions::defaults() noexcept {
  train::TrainOptions training;
  training.network.hidden = 32;
  training.dropout = .2;
  training.epochs = 400;
  training.patience = 60;
  return training;
}

Result<Beliefs> structure_beliefs(const server::Problem& problem, const graph::Split& split,
                                  const StructureOptions& options, const train::Hooks& hooks) {
  const auto invalid = [](std::string message) { return Error{ErrorCode::invalid_argument, std::move(message)}; };
  if (split.train.empty() || split.validation.empty()) {
    return invalid("split: the training or the validation part is empty");
  }
  if (options.folds < 2) return invalid("folds: must be at least 2, but is " + std::to_string(options.folds));
  if (options.hops < 1 || options.hops > server::kMaxHops) {
    return invalid("hops: must be between 1 and " + std::to_string(server::kMaxHops) + ", but is " +
                   std::to_string(options.hops));
  }
  std::vector<Beliefs> opinions;
  Result<Beliefs> first = diffused_labels(problem, split, options, hooks);
  if (!first) return first.error();
  opinions.push_back(std::move(first).value());
  for (const FriendsNetwork& network : kFriends) {
    Result<Beliefs> next =
        friends_beliefs(problem, split, network, options.training.seed, options.training.threads, hooks);
    if (!next) return next.error();
    opinions.push_back(std::move(next).value());
  }
  std::vector<std::int32_t> labels(problem.labels().size());
  for (std::uint32_t person = 0; person < labels.size(); ++person) {
    labels[person] = problem.labels()[problem.order().to_new(person)];
  }
  std::vector<const Beliefs*> parts;
  parts.reserve(opinions.size());
  for (const Beliefs& opinion : opinions) parts.push_back(&opinion);
  const std::vector<double> equal(parts.size(), 1 / static_cast<double>(parts.size()));
  Beliefs beliefs = Pool::fit(parts, labels, split.validation, equal).apply(parts);
  // The networks over the graph learned from these: what they say of them is no evidence.
  for (const graph::NodeId person : split.train) {
    const auto own = opinions.front().of(person);
    std::copy(own.begin(), own.end(), beliefs.of(person).begin());
  }
  return beliefs;
}

}  // namespace ppgnn::teach
