#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "ppgnn/graph/dataset.hpp"

namespace ppgnn::test {

/// The folder of the published data sets, or nothing where there is none.
inline std::optional<std::filesystem::path> data_folder() {
  const char* folder = std::getenv("PPGNN_DATA");
  return folder == nullptr ? std::nullopt : std::optional<std::filesystem::path>(folder);
}

#define PPGNN_NEEDS_DATA() \
  if (!ppgnn::test::data_folder()) GTEST_SKIP() << "skipped: no data (PPGNN_DATA is not set)"

/// Four people in a line (0-1-2-3), two classes, one unknown; features of both kinds; names of their own.
inline graph::Dataset small_dataset() {
  using namespace graph;
  FeaturesBuilder builder;
  std::vector<FeaturesBuilder::Entry> rows[] = {{{0, 1.0F}, {2, 0.5F}}, {}, {{2, -1.0F}}, {{1, 1.0F}}};
  for (auto& row : rows) EXPECT_TRUE(builder.add_row(row));
  const std::string columns[] = {"sport", "music", "age"};
  const std::string names[] = {"zoe", "adam", "mia", "bob"};
  const std::string classes[] = {"no", "yes"};
  Dataset dataset;
  dataset.name = "small";
  dataset.graph = *build_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  dataset.features = *std::move(builder).finish(3, SchemaOrigin::declared, StringList(columns));
  dataset.labels = std::vector<std::int32_t>{0, 1, kUnknown, 1};
  dataset.class_names = StringList(classes);
  dataset.nodes = *NodeNames::make(StringList(names));
  return dataset;
}

/// Everything that a data set holds, for comparing two.
inline void expect_equal(const graph::Dataset& a, const graph::Dataset& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(to_hex(checksum(a)), to_hex(checksum(b)));
}

}  // namespace ppgnn::test
