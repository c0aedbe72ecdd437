#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/study/experiment.hpp"

/// Studies as they were asked for; kept beside the results, so that report and comparison know. docs/formats/study.md.
namespace ppgnn::study {

struct StudyRequest {
  std::string study;  ///< an id or the path of a .toml file
  bool quick = false;
  bool whole_lastfm = true;  ///< whether LastFM's features were there; else its subset stands in
  Overrides overrides;
  std::string text = {};  ///< of a file, as it was when it was run: report and comparison do not need the file
};

/// The command that asks for it.
[[nodiscard]] std::string command_of(const StudyRequest& request);

/// The declared study with what was asked for beyond it.
///
/// Errors  Those of load_study and expand.
[[nodiscard]] Result<PlannedStudy> plan_study(const StudyRequest& request);

/// Plans all of them, with the files as they are now. Where one names LastFM and the features file of the whole is
/// missing, its subset stands in, here and in the request.
///
/// Errors  Those of plan_study; those of LastFM's other files; invalid_argument for two studies of one id.
[[nodiscard]] Result<std::vector<PlannedStudy>> plan_studies(std::vector<StudyRequest>& requests,
                                                             const graph::LoadOptions& options);

/// Whether two requests ask for the same runs; a file may lie at another path.
[[nodiscard]] bool same_runs(const StudyRequest& a, const StudyRequest& b);

/// Adds the studies of `now` to those of before; one of the same id is replaced.
void replace_requests(std::vector<StudyRequest>& before, const std::vector<StudyRequest>& now);

/// What was asked for in this folder so far; nothing where there is no such file.
///
/// Errors  malformed, naming the file.
[[nodiscard]] Result<std::vector<StudyRequest>> read_requests(const std::filesystem::path& folder);
[[nodiscard]] Result<void> write_requests(const std::filesystem::path& folder,
                                          const std::vector<StudyRequest>& requests);

}  // namespace ppgnn::study
