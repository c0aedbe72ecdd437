#include "ppgnn/graph/registry.hpp"

#include <algorithm>
#include <system_error>

#include "ppgnn/core/names.hpp"
#include "ppgnn/graph/musae.hpp"
#include "ppgnn/graph/planetoid.hpp"

namespace ppgnn::graph {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Error missing_file(const PublishedDataset& dataset, const PublishedFile& file, const fs::path& data_folder) {
  std::string how = file.repository.empty()
                        ? "it is not published; copy it there"
                        : "`ppgnn data get " + std::string(dataset.name) + "` fetches it from " + file.address();
  return {ErrorCode::io, std::string(dataset.name) + ": " + (data_folder / file.path).string() + " is missing: " + how};
}

Result<FileState> state_of(const PublishedFile& file, const fs::path& path) {
  if (!is_there(path)) return FileState::missing;
  const auto digest = file_digest(path, file.kind);
  if (!digest) return digest.error();
  if (*digest == file.digest) return FileState::published;
  if (file.copy_digest.empty()) return FileState::different;
  const auto copy = file_digest(path, DigestKind::sha256);
  if (!copy) return copy.error();
  return *copy == file.copy_digest ? FileState::known_copy : FileState::different;
}

// A table of data.
// NOLINTNEXTLINE(readability-function-size)
std::vector<PublishedDataset> make_registry() {
  return {
      {"cora",
       "Cora, citations between machine learning papers",
       Layout::planetoid,
       ColumnKind::binary,
       {{"planetoid/ind.cora.allx", "kimiyoung/planetoid", "data/ind.cora.allx", DigestKind::sha256,
         "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543", "", ""},
        {"planetoid/ind.cora.ally", "kimiyoung/planetoid", "data/ind.cora.ally", DigestKind::sha256,
         "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71", "", ""},
        {"planetoid/ind.cora.tx", "kimiyoung/planetoid", "data/ind.cora.tx", DigestKind::sha256,
         "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a", "", ""},
        {"planetoid/ind.cora.ty", "kimiyoung/planetoid", "data/ind.cora.ty", DigestKind::sha256,
         "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad", "", ""},
        {"planetoid/ind.cora.graph", "kimiyoung/planetoid", "data/ind.cora.graph", DigestKind::sha256,
         "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d", "", ""},
        {"planetoid/ind.cora.test.index", "kimiyoung/planetoid", "data/ind.cora.test.index", DigestKind::sha256,
         "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875", "", ""},
        {"planetoid/ind.cora.x", "kimiyoung/planetoid", "data/ind.cora.x", DigestKind::sha256,
         "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab", "", ""},
        {"planetoid/ind.cora.y", "kimiyoung/planetoid", "data/ind.cora.y", DigestKind::sha256,
         "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1", "", ""}},
       ""},
      {"citeseer",
       "CiteSeer, citations between computer science papers",
       Layout::planetoid,
       ColumnKind::binary,
       {{"planetoid/ind.citeseer.allx", "kimiyoung/planetoid", "data/ind.citeseer.allx", DigestKind::sha256,
         "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668", "", ""},
        {"planetoid/ind.citeseer.ally", "kimiyoung/planetoid", "data/ind.citeseer.ally", DigestKind::sha256,
         "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95", "", ""},
        {"planetoid/ind.citeseer.tx", "kimiyoung/planetoid", "data/ind.citeseer.tx", DigestKind::sha256,
         "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21", "", ""},
        {"planetoid/ind.citeseer.ty", "kimiyoung/planetoid", "data/ind.citeseer.ty", DigestKind::sha256,
         "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce", "", ""},
        {"planetoid/ind.citeseer.graph", "kimiyoung/planetoid", "data/ind.citeseer.graph", DigestKind::sha256,
         "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7", "", ""},
        {"planetoid/ind.citeseer.test.index", "kimiyoung/planetoid", "data/ind.citeseer.test.index", DigestKind::sha256,
         "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4", "", ""},
        {"planetoid/ind.citeseer.x", "kimiyoung/planetoid", "data/ind.citeseer.x", DigestKind::sha256,
         "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6", "", ""},
        {"planetoid/ind.citeseer.y", "kimiyoung/planetoid", "data/ind.citeseer.y", DigestKind::sha256,
         "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924", "", ""}},
       "15 nodes have no features and no label; Planetoid's own code reads them as class 0"},
      {"pubmed",
       "Pubmed, citations between papers on diabetes",
       Layout::planetoid,
       ColumnKind::number,
       {{"planetoid/ind.pubmed.allx", "kimiyoung/planetoid", "data/ind.pubmed.allx", DigestKind::git_blob,
         "3b86bccf08111c37c632a9dd8ab63db25ea76361", "a5f30987a0c8eb2bbf607bca6d866a2a7c25190e9307083ea748303f03ed9789",
         "rebuilt from a copy with 6 significant digits: same nonzeros, values not bit-exact"},
        {"planetoid/ind.pubmed.ally", "kimiyoung/planetoid", "data/ind.pubmed.ally", DigestKind::sha256,
         "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e", "", ""},
        {"planetoid/ind.pubmed.tx", "kimiyoung/planetoid", "data/ind.pubmed.tx", DigestKind::sha256,
         "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d", "", ""},
        {"planetoid/ind.pubmed.ty", "kimiyoung/planetoid", "data/ind.pubmed.ty", DigestKind::sha256,
         "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd", "", ""},
        {"planetoid/ind.pubmed.graph", "kimiyoung/planetoid", "data/ind.pubmed.graph", DigestKind::sha256,
         "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9", "", ""},
        {"planetoid/ind.pubmed.test.index", "kimiyoung/planetoid", "data/ind.pubmed.test.index", DigestKind::sha256,
         "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5", "", ""},
        {"planetoid/ind.pubmed.x", "kimiyoung/planetoid", "data/ind.pubmed.x", DigestKind::sha256,
         "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33", "", ""},
        {"planetoid/ind.pubmed.y", "kimiyoung/planetoid", "data/ind.pubmed.y", DigestKind::sha256,
         "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3", "", ""}},
       ""},
      {"lastfm",
       "LastFM Asia, friends; class: country",
       Layout::musae,
       ColumnKind::binary,
       {{"lastfm/lastfm_asia_edges.csv", "benedekrozemberczki/FEATHER",
         "new_node_level_dataset/edges/lastfm_asia_edges.csv", DigestKind::sha256,
         "548eacff61bff564ab5007831fa4a7a30e1a3956075ffd24e43310ed33555842", "", ""},
        {"lastfm/lastfm_asia_target.csv", "benedekrozemberczki/FEATHER",
         "new_node_level_dataset/target/lastfm_asia_target.csv", DigestKind::sha256,
         "91f19215f6eca8321feec038bd32900cf13fd4f7e041a9976cf202807c72ac16", "", ""},
        {"lastfm/lastfm_asia_features.json", "benedekrozemberczki/FEATHER",
         "new_node_level_dataset/features/lastfm_asia_features.json", DigestKind::git_blob,
         "e8606ab45b45f53ab763c6c57e9da0b6f7e5ab01", "", ""}},
       ""},
      {"facebook",
       "Facebook pages that like each other; class: kind of page",
       Layout::musae,
       ColumnKind::binary,
       {{"facebook/facebook_edges.csv", "benedekrozemberczki/MUSAE", "input/edges/facebook_edges.csv",
         DigestKind::sha256, "7c50d8f02a75cc0829577814a1fc14535164daa38d79c3612340c9e9cdbd4022", "", ""},
        {"facebook/facebook_target.csv", "benedekrozemberczki/MUSAE", "input/target/facebook_target.csv",
         DigestKind::sha256, "7bd96eafea3c2ca40f44bfa9e73642194696c21e38c7b29ed409c32ad14075cd", "", ""},
        {"facebook/facebook.json", "benedekrozemberczki/MUSAE", "input/features/facebook.json", DigestKind::sha256,
         "ea870537646a93642a0008d38aa9bfeff02018070ba97b1f3f469d9622626436", "", ""}},
       ""},
      {"wikipedia",
       "Wikipedia, links between articles on crocodiles; class: high or low traffic",
       Layout::musae,
       ColumnKind::binary,
       {{"wikipedia/musae_crocodile_edges.csv", "benedekrozemberczki/MUSAE", "input/edges/crocodile_edges.csv",
         DigestKind::sha256, "92f4fe840f5ef79f85364e3678bbc909d0c151e0ff8d8328854b602d998f2d22", "", ""},
        {"wikipedia/wiki_croco_target.csv", "benedekrozemberczki/FEATHER",
         "new_node_level_dataset/target/wiki_croco_target.csv", DigestKind::sha256,
         "19d61f7d5093b5bd1f3a0cb61fa6375a78f5d675a6f0e59bc38cd8350a00a958", "", ""},
        {"wikipedia/musae_crocodile_features.json", "benedekrozemberczki/MUSAE", "input/features/crocodile.json",
         DigestKind::sha256, "361952b2be1a8b8286f3ca78fc4037a3014bf7d7d7417d8a56266d80df3972da", "", ""},
        {"wikipedia/musae_crocodile_target.csv", "benedekrozemberczki/MUSAE", "input/target/crocodile_target.csv",
         DigestKind::sha256, "f83d79b3c6979639475d90fb5e2c969d2c21b64b068abc19e57f93c8fedfef1d", "", ""}},
       ""},
      {"lastfm-subset",
       "LastFM Asia, a small induced subgraph",
       Layout::musae,
       ColumnKind::binary,
       {{"lastfm/subset/lastfm_asia_edges.csv", "", "", DigestKind::sha256,
         "3e17a4b41f24f946e3b21093d959029a513c2eee4d43d3d4668a38a9fa2e1dbf", "", ""},
        {"lastfm/subset/lastfm_asia_target.csv", "", "", DigestKind::sha256,
         "2e5f55c645c92809157b1d94041fb1789428c0c36269a10bc2c0a300450b1201", "", ""},
        {"lastfm/subset/lastfm_asia_features.json", "", "", DigestKind::sha256,
         "c7b743abfe1e462e13b7c7425ba0e94cccf28d3533ac02bf2da71b4326ae0840", "", ""}},
       "its artists were chosen with knowledge of the labels: accuracy on it is not comparable with the paper"},
  };
}

}  // namespace

std::string PublishedFile::address(std::string_view publisher) const {
  return std::string(publisher) + '/' + std::string(repository) + "/master/" + std::string(upstream);
}

std::span<const PublishedDataset> published_datasets() {
  static const std::vector<PublishedDataset> registry = make_registry();
  return registry;
}

const PublishedDataset* find_published(std::string_view name) {
  return find_named(published_datasets(), name);
}

Result<std::vector<FileCheck>> verify(const PublishedDataset& dataset, const fs::path& data_folder) {
  std::vector<FileCheck> checks;
  for (const PublishedFile& file : dataset.files) {
    const auto state = state_of(file, data_folder / file.path);
    if (!state) return state.error();
    checks.push_back({&file, *state});
  }
  return checks;
}

Result<Dataset> read_published(const PublishedDataset& dataset, const fs::path& data_folder, MissingFeatures missing) {
  // What the reader needs: six files of Planetoid's eight; edges, target and features of MUSAE.
  const std::size_t needed = dataset.layout == Layout::planetoid ? 6 : 3;
  constexpr std::size_t kMusaeFeatures = 2;
  std::vector<std::string> notes;
  if (!dataset.note.empty()) notes.emplace_back(dataset.note);
  bool has_features = true;
  for (std::size_t i = 0; i < needed; ++i) {
    if (is_there(data_folder / dataset.files[i].path)) continue;
    const Error error = missing_file(dataset, dataset.files[i], data_folder);
    const bool optional = dataset.layout == Layout::musae && i == kMusaeFeatures && missing == MissingFeatures::accept;
    if (!optional) return error;
    notes.push_back("features are missing: " + error.message);
    has_features = false;
  }
  const std::string name(dataset.name);
  const auto path = [&](std::size_t index) { return data_folder / dataset.files[index].path; };
  auto read =
      dataset.layout == Layout::planetoid
          ? read_planetoid(path(0).parent_path(), name)
          : read_musae({path(0), path(1), has_features ? std::optional(path(kMusaeFeatures)) : std::nullopt}, name);
  if (!read) return read;
  if (dataset.columns == ColumnKind::binary && has_features) {
    // The publisher says so: the schema is declared, whatever a reader that only saw values called it.
    auto declared = read->features.with_schema(FeatureSchema::binary(read->features.cols(), SchemaOrigin::declared));
    if (!declared) return Error{declared.error().code, name + ": " + declared.error().message};
    read->features = std::move(*declared);
  }
  read->notes.insert(read->notes.begin(), notes.begin(), notes.end());
  return read;
}

}  // namespace ppgnn::graph
