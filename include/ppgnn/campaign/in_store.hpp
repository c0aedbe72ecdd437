#pragma once

#include <memory>
#include <string>

#include "ppgnn/campaign/place.hpp"
#include "ppgnn/store/store.hpp"

namespace ppgnn::campaign {

/// A campaign in a store, where a collector puts its reports. Each step is one transaction.
class InStore : public Place {
 public:
  /// The store that somebody names. `allow_seeded`: also reports made from a seed, for research.
  ///
  /// Errors  Those of store::open.
  [[nodiscard]] static Result<InStore> open(const std::string& where, store::Opening opening,
                                            bool allow_seeded = false);

  [[nodiscard]] std::string where() const override { return store_->where(); }
  [[nodiscard]] bool repeatable() const override { return true; }
  [[nodiscard]] Result<State> load() override;
  /// Errors  mismatch for a round that is open, and for a report of somebody who is not in the data.
  [[nodiscard]] Result<Admitted> admit(const graph::Dataset& dataset) override;
  [[nodiscard]] Result<bool> publish(const graph::Dataset& dataset, Publication& round) override;
  [[nodiscard]] Result<bool> conclude(const graph::Dataset& dataset, const server::ClassTable& table) override;
  [[nodiscard]] Result<void> alone(const std::function<Result<void>()>& step) override { return store_->alone(step); }
  [[nodiscard]] Result<std::optional<std::string>> predictions() override { return store_->predictions(); }

  [[nodiscard]] Result<bool> publish_model(const graph::Dataset& dataset, const Decisions& decisions,
                                           const std::vector<ldp::Hint>& hints) override;
  [[nodiscard]] Result<void> withdraw() override { return store_->keep(kWithdrawnText, "withdrawn\n"); }

  /// Begins a campaign of one round, for everybody who is enrolled.
  ///
  /// Errors  mismatch for a plan that belongs to a campaign with roles.
  [[nodiscard]] Result<void> start_one_round(const std::string& name, const ldp::Plan& plan);

  [[nodiscard]] store::Store& store() noexcept { return *store_; }

 private:
  InStore(std::unique_ptr<store::Store> store, bool allow_seeded)
      : store_(std::move(store)), allow_seeded_(allow_seeded) {}
  /// What is there, with at least one round.
  [[nodiscard]] Result<store::Campaign> campaign();
  /// Nodes of people who were erased; nothing where the report of one of them was read.
  [[nodiscard]] Result<std::optional<std::vector<graph::NodeId>>> erased(const graph::Dataset& dataset);

  std::unique_ptr<store::Store> store_;
  bool allow_seeded_ = false;
  std::vector<std::uint8_t> reported_;  // one per node, 1 for people whose reports were read last
};

}  // namespace ppgnn::campaign
