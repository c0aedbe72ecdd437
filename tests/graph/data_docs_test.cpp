// docs/data.md says what the readers do: its examples are read, and what the code lists must be on the page.
#include <gtest/gtest.h>

#include <sstream>

#include "ppgnn/core/number.hpp"
#include "ppgnn/graph/generator.hpp"
#include "ppgnn/graph/load.hpp"
#include "ppgnn/graph/statistics.hpp"
#include "support/arrays.hpp"
#include "support/pickles.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::graph {
namespace {

const std::string& page() {
  static const std::string text = test::content_of(PPGNN_SOURCE_DIR "/docs/data.md");
  return text;
}

bool says(const std::string& text) {
  return page().find(text) != std::string::npos;
}

// Writes every example, a line `folder/file` followed by a fenced block, below `folder`; returns how many there are.
std::size_t write_examples(const test::TemporaryFolder& folder) {
  std::istringstream lines(page());
  std::size_t written = 0;
  std::string file;
  for (std::string line; std::getline(lines, line);) {
    const bool is_name = line.size() > 2 && line.front() == '`' && line.find('`', 1) == line.size() - 1;
    if (is_name) file = line.substr(1, line.size() - 2);
    if (line != "```" || file.empty()) {
      if (!line.empty() && !is_name) file.clear();
      continue;
    }
    std::string content;
    while (std::getline(lines, line) && line != "```") content += line + '\n';
    test::write_content(folder / file, content);
    file.clear();
    ++written;
  }
  return written;
}

TEST(DataDocs, ExamplesAreRead) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(write_examples(folder), 6u);
  const auto club = load((folder / "club").string(), {});
  ASSERT_TRUE(club) << club.error().message;
  const Statistics plain = statistics(*club);
  EXPECT_EQ(plain.nodes, 3u);
  EXPECT_EQ(plain.edges, 2u);
  EXPECT_EQ(plain.self_loops, 1u);
  EXPECT_EQ(plain.classes, 2u);
  EXPECT_EQ(plain.features, 2u);
  EXPECT_EQ(plain.unlabelled, 1u);
  EXPECT_EQ(club->labels[*club->nodes.find("cai")], kUnknown);
  EXPECT_TRUE(club->notes.empty());

  const auto town = load((folder / "town").string(), {});
  ASSERT_TRUE(town) << town.error().message;
  const Statistics musae = statistics(*town);
  EXPECT_EQ(musae.nodes, 3u);
  EXPECT_EQ(musae.edges, 2u);
  EXPECT_EQ(musae.classes, 2u);
  EXPECT_EQ(musae.nonzeros, 3u);
  EXPECT_EQ(musae.unlabelled, 1u);
  EXPECT_TRUE(town->notes.empty());
}

TEST(DataDocs, EveryNameIsThere) {
  for (const PublishedDataset& dataset : published_datasets()) {
    EXPECT_TRUE(says("`" + std::string(dataset.name) + "`")) << dataset.name;
  }
  EXPECT_TRUE(says("`" + std::string(kSocialName) + "`"));
  EXPECT_TRUE(says("`*.ppgraph`"));
}

TEST(DataDocs, EveryKnobIsThereWithItsDefault) {
  const SocialOptions defaults;
  const auto number = [](auto value) { return format_number(static_cast<double>(value)); };
  const std::pair<const char*, std::string> knobs[] = {
      {"seed", number(defaults.seed)},           {"nodes", number(defaults.nodes)},
      {"classes", number(defaults.classes)},     {"communities", number(defaults.communities)},
      {"degree", number(defaults.degree)},       {"exponent", number(defaults.exponent)},
      {"local", number(defaults.local)},         {"homophily", number(defaults.homophily)},
      {"noise", number(defaults.noise)},         {"attributes", number(defaults.attributes)},
      {"interests", number(defaults.interests)}, {"signal", number(defaults.signal)},
      {"labelled", number(defaults.labelled)}};
  std::string names;
  for (const auto& [name, value] : knobs) {
    names += (names.empty() ? "" : ", ") + std::string(name);
    EXPECT_TRUE(says("\n| `" + std::string(name) + "` | " + value + " |")) << name;
  }
  EXPECT_EQ(names, social_knobs());
}

// Each form's note and the refusal list what is read: the page has the same words.
TEST(DataDocs, WhatIsSaidIsThere) {
  const test::TemporaryFolder folder;
  const auto note = [&](const std::string& name) {
    const auto dataset = load((folder / name).string(), {});
    if (!dataset) return dataset.error().message;
    return dataset->notes.empty() ? std::string("no note") : dataset->notes.front();
  };
  test::write_content(folder / "plain/edges.csv", "0,1\n");
  test::write_content(folder / "plain/label.csv", "");
  EXPECT_TRUE(says("\n    " + note("plain") + "\n")) << note("plain");

  test::write_content(folder / "columns/edges.csv", "0,0\n");
  test::write_content(folder / "columns/labels.csv", "node,class,age\n0,a,1\n");
  EXPECT_TRUE(says("\n    " + note("columns") + "\n")) << note("columns");

  test::write_content(folder / "musae/town_edges.csv", "0,0\n");
  test::write_content(folder / "musae/town_target.csv", "id,class\n0,a\n");
  test::write_content(folder / "musae/town.json", "{}");
  test::write_content(folder / "musae/old.csv", "");
  EXPECT_TRUE(says("\n    " + note("musae") + "\n")) << note("musae");

  const std::pair<const char*, std::string> parts[] = {{"allx", test::matrix_pickle(1, 1, {0, 1}, {0}, {1})},
                                                       {"ally", test::label_pickle(1, 2, {1, 0})},
                                                       {"tx", test::matrix_pickle(1, 1, {0, 0}, {}, {})},
                                                       {"ty", test::label_pickle(1, 2, {0, 1})},
                                                       {"graph", test::graph_pickle({{1}, {0}})},
                                                       {"test.index", "1\n"},
                                                       {"x", ""},
                                                       {"y", ""}};
  for (const auto& [part, bytes] : parts) {
    const std::string file = std::string("ind.NAME.") + part;
    EXPECT_TRUE(says(file)) << file;
    test::write_content(folder / ("planetoid/" + file), bytes);
  }
  test::write_content(folder / "planetoid/ind.old.x", "");
  EXPECT_TRUE(says("\n    " + note("planetoid") + "\n")) << note("planetoid");

  test::Members members;
  const std::pair<const char*, std::vector<double>> arrays[] = {
      {"adj_data", {1}},     {"adj_indices", {0}},    {"adj_indptr", {0, 1}}, {"adj_shape", {1, 1}}, {"attr_data", {1}},
      {"attr_indices", {0}}, {"attr_indptr", {0, 1}}, {"attr_shape", {1, 1}}, {"labels", {1}}};
  for (const auto& [array, values] : arrays) {
    EXPECT_TRUE(says("`" + std::string(array) + "`")) << array;
    members.emplace_back(std::string(array) + ".npy", test::npy_list<double>("<f8", values));
  }
  members.emplace_back("class_names.npy", "");
  test::write_content(folder / "a.npz", test::zip_archive(members, ZIP_CM_STORE));
  EXPECT_TRUE(says("\n    " + note("a.npz") + "\n")) << note("a.npz");

  std::filesystem::create_directory(folder / "empty");
  const std::string path = (folder / "empty").string();
  ASSERT_TRUE(note("empty").starts_with(path));
  EXPECT_TRUE(says("\n    FOLDER" + note("empty").substr(path.size()) + "\n")) << note("empty");
}

}  // namespace
}  // namespace ppgnn::graph
