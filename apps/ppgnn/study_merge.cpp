// ppgnn study merge: the shares of a study that several machines made, in one folder.
#include "study_merge.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "ppgnn/core/version.hpp"
#include "ppgnn/study/merge.hpp"

namespace ppgnn::app {

namespace {

using nlohmann::ordered_json;

struct MergeOptions {
  std::vector<std::string> folders;
  std::string output = "study-results";
  bool json = false;
};

Status merge_studies(const MergeOptions& options) {
  const std::vector<std::filesystem::path> folders(options.folders.begin(), options.folders.end());
  const auto merged = study::merge(folders, options.output);
  if (!merged) return fail(merged.error());
  ordered_json parts = ordered_json::array();
  std::size_t added = 0;
  for (const study::MergedFolder& one : *merged) {
    added += one.added;
    parts.push_back({{"folder", one.folder.string()},
                     {"added", one.added},
                     {"known", one.known},
                     {"damaged", one.damaged},
                     {"other_numerics", one.other}});
    if (one.damaged > 0) say(fmt::format("{}: {} damaged lines are left out", one.folder.string(), one.damaged));
    if (one.other > 0) {
      say(fmt::format("{}: {} records are of a version with other numerics and are left out", one.folder.string(),
                      one.other));
    }
  }
  if (options.json) {
    print_json({{"output", options.output}, {"added", added}, {"folders", parts}, {"version", version()}});
  } else {
    fmt::print("{}: {} records added from {} {}\nRead them: ppgnn study report --out {}\n", options.output, added,
               merged->size(), merged->size() == 1 ? "folder" : "folders", options.output);
  }
  return Status::success;
}

}  // namespace

void add_study_merge(CLI::App& study, Action& action) {
  CLI::App* merge = study.add_subcommand("merge", "Put the shares of several machines together");
  const auto options = std::make_shared<MergeOptions>();
  merge->add_option("folder", options->folders, "Folders that study run --share wrote")->required();
  merge->add_option("--out", options->output, "Folder of all results")->capture_default_str();
  merge->add_flag("--json", options->json, "Print one JSON object");
  merge->footer(
      "Lines are copied as they are. Merging again adds nothing.\n\n"
      "Examples:\n"
      "  ppgnn study run h --quick --data synthetic:social,nodes=300 --epsilon 1 --runs 1 --share 1/2 --out part-1\n"
      "  ppgnn study run h --quick --data synthetic:social,nodes=300 --epsilon 1 --runs 1 --share 2/2 --out part-2\n"
      "  ppgnn study merge part-1 part-2 --out all");
  merge->callback([options, &action] { action = [options] { return merge_studies(*options); }; });
}

}  // namespace ppgnn::app
