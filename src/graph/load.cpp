#include "ppgnn/graph/load.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/musae.hpp"
#include "ppgnn/graph/npz.hpp"
#include "ppgnn/graph/plain.hpp"
#include "ppgnn/graph/planetoid.hpp"
#include "ppgnn/graph/store.hpp"

namespace ppgnn::graph {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> file_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The only name that starts with `prefix` and ends with one of the suffixes, or nothing.
std::optional<std::string> only(const std::vector<std::string>& names, std::string_view prefix,
                                std::initializer_list<std::string_view> suffixes) {
  std::optional<std::string> found;
  for (const std::string& name : names) {
    const bool fits = name.starts_with(prefix) && std::any_of(suffixes.begin(), suffixes.end(),
                                                              [&](auto suffix) { return name.ends_with(suffix); });
    if (!fits) continue;
    if (found) return std::nullopt;
    found = name;
  }
  return found;
}

Result<Dataset> load_folder(const fs::path& folder, MissingFeatures missing) {
  if (is_plain(folder)) return read_plain(folder);
  const std::vector<std::string> names = file_names(folder);
  if (const auto graph = only(names, "ind.", {".graph"})) {
    return read_planetoid(folder, graph->substr(4, graph->size() - 4 - std::string_view(".graph").size()));
  }
  const auto edges = only(names, "", {"_edges.csv"});
  const auto target = only(names, "", {"_target.csv"});
  const auto features = only(names, "", {".json"});
  if (edges && target && (features || missing == MissingFeatures::accept)) {
    MusaePaths paths{folder / *edges, folder / *target, std::nullopt};
    if (features) paths.features = folder / *features;
    auto read = read_musae(paths, edges->substr(0, edges->find("_edges.csv")));
    if (read && !features) read->notes.push_back("features are missing: " + folder.string() + " has no .json file");
    return read;
  }
  return Error{
      ErrorCode::invalid_argument,
      folder.string() +
          " holds no data set: expected edges.csv (plain), one ind.NAME.graph with its files (Planetoid), or one "
          "each of *_edges.csv, *_target.csv and *.json (MUSAE)"};
}

std::string known_names() {
  std::string names;
  for (const PublishedDataset& dataset : published_datasets()) names += std::string(dataset.name) + ", ";
  return names + std::string(kSocialName);
}

}  // namespace

Result<Dataset> load(const std::string& name, const LoadOptions& options) {
  if (const PublishedDataset* published = find_published(name)) {
    if (options.data_folder.empty()) {
      return Error{ErrorCode::invalid_argument, name + " needs a data folder: set PPGNN_DATA or pass --data-dir"};
    }
    return read_published(*published, options.data_folder, options.missing_features);
  }
  if (name.starts_with(kSocialName)) {
    const auto social = parse_social(name);
    if (!social) return social.error();
    return generate_social(*social);
  }
  const fs::path path = name;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) {
    return Error{ErrorCode::invalid_argument,
                 "'" + name + "' is neither a data set (" + known_names() + ") nor a path"};
  }
  if (fs::is_directory(status)) return load_folder(path, options.missing_features);
  return path.extension() == ".npz" ? read_npz(path) : open_store(path);
}

}  // namespace ppgnn::graph
