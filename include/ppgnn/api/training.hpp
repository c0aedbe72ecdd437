#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ppgnn/api/data.hpp"
#include "ppgnn/api/devices.hpp"

namespace ppgnn::server {
struct ServedModel;
}

namespace ppgnn::api {

struct TrainingOptions {
  std::string backbone = "gcn";  ///< or sage, gat
  std::size_t hops = 4;          ///< over which reports are averaged; 0: none
  std::string scale = "common";  ///< "common": chosen by validation; "raw"; or a root mean square
  std::size_t epochs = 500;      ///< the best by validation loss is kept
  double learning_rate = .01;
  double weight_decay = .001;
  double dropout = .5;
  std::size_t hidden = 16;                                    ///< a multiple of 4
  std::uint64_t seed = 0;                                     ///< of split and training
  std::size_t threads = 0;                                    ///< 0: one per core
  const std::atomic<bool>* stop = nullptr;                    ///< raised: the best model so far is kept
  std::function<void(double done, double total)> progress{};  ///< may be empty
};

/// A network trained on reports, with what it must be fed with.
class Model {
 public:
  /// Averages reports over the graph and trains on the labels of the data.
  ///
  /// Determinism  Same bits for any thread count on one instruction set.
  /// Errors       invalid_argument, naming the field; malformed for a report that is not admitted, without naming a person.
  [[nodiscard]] static Result<Model> train(const Data& data, const ldp::Plan& plan,
                                           const std::vector<PersonReport>& reports,
                                           const TrainingOptions& options = {});
  /// As docs/formats/sealed.md says.
  [[nodiscard]] static Result<Model> read(const std::string& path);
  [[nodiscard]] Result<void> write(const std::string& path) const;
  /// The bytes of such a file, and back.
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Result<Model> decode(const std::string& bytes);

  /// Everybody's class, also of people who came later and of people without a report.
  ///
  /// Errors  mismatch for reports of another plan, or a class that the model never heard of.
  [[nodiscard]] Result<std::vector<Prediction>> predict(const Data& data, const ldp::Plan& plan,
                                                        const std::vector<PersonReport>& reports) const;

  /// The same as probabilities of every class, person by person.
  [[nodiscard]] Result<std::vector<float>> probabilities(const Data& data, const ldp::Plan& plan,
                                                         const std::vector<PersonReport>& reports) const;
  /// Names of the classes.
  [[nodiscard]] const std::vector<std::string>& classes() const noexcept;

  /// Of the held-out people of its training; 0 for a model that was read.
  [[nodiscard]] double test_accuracy() const noexcept { return test_accuracy_; }

 private:
  Model(std::shared_ptr<const server::ServedModel> model, double test_accuracy)
      : model_(std::move(model)), test_accuracy_(test_accuracy) {}
  std::shared_ptr<const server::ServedModel> model_;
  double test_accuracy_ = 0;
};

}  // namespace ppgnn::api
