#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/campaign/place.hpp"
#include "ppgnn/server/report_files.hpp"

namespace ppgnn::campaign {

/// Where the files of a campaign are. docs/formats/campaign.md.
struct FolderFiles {
  std::filesystem::path folder;

  [[nodiscard]] std::filesystem::path split() const { return folder / "split.csv"; }
  [[nodiscard]] std::filesystem::path predictions() const { return folder / "predictions.csv"; }
  /// Of a kept text: kModelText and the others.
  [[nodiscard]] std::filesystem::path kept(std::string_view name) const {
    return folder / (std::string(name) + ".txt");
  }
  [[nodiscard]] std::filesystem::path hints() const { return folder / "hints.csv"; }
  [[nodiscard]] std::filesystem::path questions(ldp::Role role) const {
    return folder / (role == ldp::Role::pilot ? "pilot-questions.csv" : "questions.csv");
  }
  [[nodiscard]] std::filesystem::path plan(ldp::Role role) const { return named(role, ".plan"); }
  [[nodiscard]] std::filesystem::path people(ldp::Role role) const { return named(role, ".people"); }

 private:
  [[nodiscard]] std::filesystem::path named(ldp::Role role, const char* ending) const {
    return folder / (std::string(to_text(role)) + ending);
  }
};

/// Files outside the folder that people's reports come in.
struct FolderReports {
  std::vector<std::string> files;
  server::ReportChoice choice;
  std::vector<ldp::Level> levels;  ///< as declared, one per node, where levels are public; empty: not known
};

/// A campaign in a folder of files. Each step writes its plan last: where there is a plan, the rest of its round is there.
class Folder : public Place {
 public:
  explicit Folder(std::filesystem::path folder, FolderReports reports = {})
      : files_{std::move(folder)}, reports_(std::move(reports)) {}

  [[nodiscard]] std::string where() const override { return files_.folder.string(); }
  [[nodiscard]] bool repeatable() const override { return false; }  // two lists of the same people differ
  [[nodiscard]] Result<State> load() override;
  [[nodiscard]] Result<Admitted> admit(const graph::Dataset& dataset) override;
  [[nodiscard]] Result<bool> publish(const graph::Dataset& dataset, Publication& round) override;
  [[nodiscard]] Result<bool> conclude(const graph::Dataset& dataset, const server::ClassTable& table) override;
  [[nodiscard]] Result<std::optional<std::string>> predictions() override;
  [[nodiscard]] Result<bool> publish_model(const graph::Dataset& dataset, const Decisions& decisions,
                                           const std::vector<ldp::Hint>& hints) override;
  [[nodiscard]] Result<void> withdraw() override;

  /// How many levels people choose from, where they declare theirs.
  ///
  /// Errors  invalid_argument where levels are private.
  [[nodiscard]] Result<std::size_t> public_levels() const;
  [[nodiscard]] const FolderFiles& files() const noexcept { return files_; }

 private:
  FolderFiles files_;
  FolderReports reports_;
};

}  // namespace ppgnn::campaign
