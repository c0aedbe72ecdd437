#include "ppgnn/graph/load.hpp"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "graph/unread.hpp"
#include "ppgnn/core/names.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/matrix_market.hpp"
#include "ppgnn/graph/musae.hpp"
#include "ppgnn/graph/npz.hpp"
#include "ppgnn/graph/plain.hpp"
#include "ppgnn/graph/planetoid.hpp"
#include "ppgnn/graph/stored_graph.hpp"

namespace ppgnn::graph {

namespace fs = std::filesystem;

namespace {

using Name = std::optional<std::string>;

// A folder that a user names: what it is called, and the names in it.
class Folder {
 public:
  // `beside`: a name that is not there yet, or empty.
  explicit Folder(const fs::path& path, const std::string& beside = {}) : path_(path) {
    // Not by std::filesystem::directory_iterator: that of libstdc++ ends the process where memory does.
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
    while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder.get())) {
      std::string name = entry->d_name;
      if (name.starts_with('.')) continue;
      std::error_code ignored;
      // The mark keeps folders from being taken for files, and tells them apart in a note.
      if (fs::is_directory(path / name, ignored)) name += '/';
      names_.push_back(std::move(name));
    }
    if (!beside.empty() && !beside.starts_with('.')) names_.push_back(beside);
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::string called() const {
    std::error_code ignored;
    const fs::path whole = fs::absolute(path_, ignored).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  }

  // The first of the names that is here.
  [[nodiscard]] Name first_of(const std::vector<std::string>& wanted) const {
    const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const auto& name) { return has(name); });
    return found == wanted.end() ? Name() : Name(*found);
  }
  // The only name that fits, or nothing.
  template <class Fits>
  [[nodiscard]] Name only(const Fits& fits) const {
    const auto found = std::find_if(names_.begin(), names_.end(), fits);
    if (found == names_.end() || std::any_of(found + 1, names_.end(), fits)) return std::nullopt;
    return *found;
  }
  // Says in the data set's notes what none of its readers looked at.
  Result<Dataset> noting_all_but(const std::vector<Name>& read, Result<Dataset> dataset, std::string_view taken) const {
    std::vector<std::string> unread;
    std::copy_if(names_.begin(), names_.end(), std::back_inserter(unread), [&](const std::string& name) {
      return !is_document(name) && std::find(read.begin(), read.end(), Name(name)) == read.end();
    });
    if (dataset && !unread.empty()) dataset->notes.push_back(unread_note(std::move(unread), "", taken));
    return dataset;
  }

 private:
  [[nodiscard]] bool has(const std::string& name) const {
    return std::binary_search(names_.begin(), names_.end(), name);
  }

  fs::path path_;
  std::vector<std::string> names_;
};

// The plain form's files, by the first ending that is there.
struct PlainNames {
  Name edges, labels, features;

  explicit PlainNames(const Folder& folder)
      : edges(folder.first_of({"edges.csv", "edges.tsv", "edges.txt"})),
        labels(folder.first_of({"labels.csv", "labels.tsv", "labels.txt", "labels.npy"})),
        features(folder.first_of({"features.csv", "features.tsv", "features.txt", "features.npy"})) {}
};

Result<Dataset> load_plain(const Folder& folder, const PlainNames& names) {
  PlainPaths paths{folder.path() / *names.edges, {}, {}};
  if (names.labels) paths.labels = folder.path() / *names.labels;
  if (names.features) paths.features = folder.path() / *names.features;
  return folder.noting_all_but({names.edges, names.labels, names.features}, read_plain(paths, folder.called()),
                               "the plain form takes edges, labels and features");
}

// ind.NAME. of ind.NAME.graph.
std::string planetoid_start(const std::string& graph) {
  return graph.substr(0, graph.size() - std::string_view("graph").size());
}

std::vector<Name> planetoid_names(const std::string& graph) {
  std::vector<Name> known;
  // x and y repeat rows of allx and ally: nothing is lost with them.
  for (const char* part : {"allx", "ally", "tx", "ty", "graph", "test.index", "x", "y"}) {
    known.emplace_back(planetoid_start(graph) + part);
  }
  return known;
}

Result<Dataset> load_planetoid(const Folder& folder, const std::string& graph) {
  const std::string start = planetoid_start(graph);
  const std::string name = start.substr(4, start.size() - 5);  // without "ind." and the last dot
  return folder.noting_all_but(planetoid_names(graph), read_planetoid(folder.path(), name),
                               "the Planetoid form takes " + start + '*');
}

// The MUSAE form's files: PREFIX_edges.csv and so on, or the same without a prefix.
struct MusaeNames {
  Name edges, target, features;
  std::string prefix;

  explicit MusaeNames(const Folder& folder) {
    const auto called = [&](const std::string& rest) {
      return folder.only([&](const std::string& name) { return name == rest || name.ends_with('_' + rest); });
    };
    edges = called("edges.csv");
    target = called("target.csv");
    if (!edges || !target) return;
    if (*edges != "edges.csv") prefix = edges->substr(0, edges->size() - std::string_view("_edges.csv").size());
    features = folder.first_of({prefix + "_features.json", prefix + ".json", "features.json"});
    if (!features) features = folder.only([](const std::string& name) { return name.ends_with(".json"); });
  }
};

Result<Dataset> load_musae(const Folder& folder, const MusaeNames& names, MissingFeatures missing) {
  MusaePaths paths{folder.path() / *names.edges, folder.path() / *names.target, std::nullopt};
  const std::string lacking = "features are missing: " + folder.path().string() + " has " + *names.edges + " and " +
                              *names.target + ", but no .json file, or several";
  if (names.features) {
    paths.features = folder.path() / *names.features;
  } else if (missing == MissingFeatures::refuse) {
    return Error{ErrorCode::invalid_argument, lacking};
  }
  auto read = read_musae(paths, names.prefix.empty() ? folder.called() : names.prefix);
  if (read && !names.features) read->notes.push_back(lacking);
  return folder.noting_all_but({names.edges, names.target, names.features}, std::move(read),
                               "the MUSAE form takes one each of *_edges.csv, *_target.csv and *.json");
}

// The form that a folder has, and its files.
struct Recognised {
  enum class Form { none, plain, planetoid, musae } form = Form::none;
  PlainNames plain;
  MusaeNames musae;
  Name planetoid;

  explicit Recognised(const Folder& folder) : plain(folder), musae(folder) {
    const bool is_musae = musae.edges && musae.target;
    // An edges.csv beside a target.csv is MUSAE's without a prefix, unless the plain form knows more of the files.
    const bool both = is_musae && musae.edges == plain.edges && !plain.labels && !plain.features;
    planetoid = folder.only([](const std::string& name) {
      return name.size() > std::string_view("ind..graph").size() && name.starts_with("ind.") &&
             name.ends_with(".graph");
    });
    form = plain.edges && !both ? Form::plain : planetoid && !both ? Form::planetoid : is_musae ? Form::musae : form;
  }

  [[nodiscard]] std::vector<Name> names() const {
    switch (form) {
      case Form::plain:
        return {plain.edges, plain.labels, plain.features};
      case Form::planetoid:
        return planetoid_names(*planetoid);
      case Form::musae:
        return {musae.edges, musae.target, musae.features};
      case Form::none:
        break;
    }
    return {};
  }
};

Result<Dataset> load_folder(const fs::path& path, MissingFeatures missing) {
  const Folder folder(path);
  const Recognised found(folder);
  if (found.form == Recognised::Form::plain) return load_plain(folder, found.plain);
  if (found.form == Recognised::Form::planetoid) return load_planetoid(folder, *found.planetoid);
  if (found.form == Recognised::Form::musae) return load_musae(folder, found.musae, missing);
  return Error{ErrorCode::invalid_argument,
               path.string() +
                   " holds no data set: expected edges.csv (plain), one ind.NAME.graph with its files (Planetoid), or "
                   "one each of *_edges.csv, *_target.csv and *.json (MUSAE)"};
}

// Files that are edges alone.
bool is_edge_list(std::string_view ending) {
  constexpr std::array<std::string_view, 6> kEndings{".csv", ".tsv", ".txt", ".edges", ".edgelist", ".el"};
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

// Files that other programs write, and what to do with them.
struct ForeignForm {
  std::string_view name, called, advice;
};
constexpr std::string_view kByNetworkx = "in Python, ppgnn.Graph.from_networkx takes what networkx reads of it";
constexpr std::array kForeignForms{
    ForeignForm{".graphml", "GraphML", kByNetworkx},
    ForeignForm{".gml", "GML", kByNetworkx},
    ForeignForm{".gexf", "GEXF", kByNetworkx},
    ForeignForm{".mat", "MATLAB",
                "in Python, ppgnn.Graph.from_scipy takes the matrix that scipy.io.loadmat reads of it"},
    ForeignForm{".pt", "PyTorch", "in Python, ppgnn.Graph.from_pyg takes what torch.load reads of it"},
    ForeignForm{".pkl", "pickle", "it may run programs when it is opened; write edges as CSV"},
};

std::vector<std::string> known_names() {
  std::vector<std::string> names = names_of(published_datasets());
  names.emplace_back(kSocialName);
  return names;
}

// What a user names, as it is written here; a path stays as it is.
std::string written(const std::string& name) {
  std::error_code ignored;
  const std::string known = meant(known_names(), name);
  return known.empty() || fs::exists(name, ignored) ? name : known;
}

Error unknown_data(const std::string& name) {
  std::string all;
  for (const std::string& one : known_names()) all += (all.empty() ? "" : ", ") + one;
  return Error{ErrorCode::invalid_argument,
               "'" + name + "' is neither a data set (" + all + ") nor a path" + did_you_mean(known_names(), name)};
}

// Files that others wrote.
Result<Dataset> load_foreign(const fs::path& path, const fs::file_status& status, const LoadOptions& options) {
  if (fs::is_directory(status)) return load_folder(path, options.missing_features);
  const std::string ending = path.extension().string();
  if (ending == ".npz") return read_npz(path);
  if (ending == ".mtx") return read_matrix_market(path);
  if (is_edge_list(ending)) return read_plain({path, {}, {}}, path.stem().string());
  const ForeignForm& foreign = *find_named(kForeignForms, ending);
  return Error{ErrorCode::invalid_argument, path.string() + ": a " + std::string(foreign.called) +
                                                " file, which is not read here; " + std::string(foreign.advice)};
}

// Stored graphs have an ending of their own, or any that no other form has.
bool is_stored(const fs::path& path, const fs::file_status& status) {
  const std::string ending = path.extension().string();
  return !fs::is_directory(status) && ending != ".npz" && ending != ".mtx" && !is_edge_list(ending) &&
         find_named(kForeignForms, ending) == nullptr;
}

}  // namespace

Result<Dataset> load(const std::string& given, const LoadOptions& options) {
  const std::string name = written(given);
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
  if (!fs::exists(status)) return unknown_data(name);
  if (is_stored(path, status)) return open_stored_graph(path);
  Result<Dataset> dataset = load_foreign(path, status, options);
  if (dataset) take_missing_labels(*dataset, options.missing_labels);
  return dataset;
}

std::vector<fs::path> files_of(const std::string& given, const LoadOptions& options, const std::string& beside) {
  const std::string name = written(given);
  std::vector<fs::path> files;
  if (const PublishedDataset* published = find_published(name)) {
    for (const PublishedFile& file : published->files) files.push_back(options.data_folder / file.path);
    return files;
  }
  if (name.starts_with(kSocialName)) return files;
  std::error_code ignored;
  if (!fs::is_directory(name, ignored)) return {fs::path(name)};
  for (const Name& file : Recognised(Folder(name, beside)).names()) {
    if (file) files.push_back(fs::path(name) / *file);
  }
  return files;
}

}  // namespace ppgnn::graph
