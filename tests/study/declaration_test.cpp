#include "ppgnn/study/declaration.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/temporary_folder.hpp"

namespace ppgnn::study {
namespace {

TEST(Declaration, AGridHasALimit) {
  const auto list = [](const char* factor, int size, int parts) {
    std::string text = std::string(factor) + " = [";
    for (int i = 1; i <= size; ++i) text += std::to_string(static_cast<double>(i) / parts) + ",";
    return text + "]";
  };
  const auto expanded = [&](const std::string& more) {
    return expand(parse_declaration("id = \"x\"\n[factors]\nmethod = \"nonpriv\"\n" + more, "x.toml", false).value());
  };
  const std::string epochs = list("epochs", 400, 1) + '\n';
  const auto most = expanded(epochs + list("dropout", 250, 1000));
  ASSERT_TRUE(most) << most.error().message;
  EXPECT_EQ(most->size(), kMaxCombinations);
  const auto large = expanded(epochs + list("dropout", 251, 1000));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(large.error().message, "x: factors: more than 100000 combinations");
  // More than memory holds, and what only a rule adds up to.
  const std::string decays = '\n' + list("weight_decay", 900, 1000) + '\n' + list("learning_rate", 900, 1000);
  EXPECT_FALSE(expanded(epochs + list("dropout", 900, 1000) + decays));
  const auto offered =
      expanded("[select.grid]\n" + epochs + "[[select.rule]]\ngrid = { " + list("dropout", 251, 1000) + " }\n");
  ASSERT_FALSE(offered);
  EXPECT_EQ(offered.error().message, "x: select: more than 100000 combinations");
}

constexpr const char* kText = R"(
id = "mine"
title = "My study"
runs = 4
[factors]
data = ["synthetic:social"]
epsilon = [0.01, 1]
method = ["strict", "control", "nonpriv"]
[[rule]]
when = { method = "control", epsilon = 0.01 }
skip = true
[[rule]]
when = { method = "nonpriv" }
runs = 2
set = { epochs = 7 }
[select]
epsilon = [1]
[select.grid]
scale = [0.1, 1]
[quick]
runs = 1
[quick.factors]
epsilon = [1]
[[quick.rule]]
when = { method = "strict" }
set = { epochs = 3 }
)";

TEST(Declaration, ExpandsAllCombinationsAndRules) {
  const Declaration study = parse_declaration(kText, "mine.toml", false).value();
  const std::vector<Cell> cells = expand(study).value();
  ASSERT_EQ(cells.size(), 5u);
  for (const Cell& cell : cells) {
    const bool clean = cell.factors.at("method") == "nonpriv";
    EXPECT_EQ(cell.runs, clean ? 2u : 4u);
    EXPECT_EQ(cell.canonical.at("epochs"), clean ? "7" : "500");
  }
  EXPECT_EQ(study.select.grid.size(), 1u);
}

TEST(Declaration, QuickReplacesAndAdds) {
  const Declaration study = parse_declaration(kText, "mine.toml", true).value();
  EXPECT_TRUE(study.quick);
  const std::vector<Cell> cells = expand(study).value();
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].runs, 1u);
  EXPECT_EQ(cells[0].canonical.at("epochs"), "3");
}

TEST(Declaration, OverridesReplaceValuesAndRuns) {
  Declaration study = parse_declaration(kText, "mine.toml", false).value();
  study.select.dense_on = "cora";
  apply({{{"epsilon", {"2"}}, {"backbone", {"sage"}}}, 9}, study);
  EXPECT_TRUE(study.select.dense_on);
  const std::vector<Cell> cells = expand(study).value();
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].canonical.at("epsilon"), "2");
  EXPECT_EQ(cells[0].canonical.at("backbone"), "sage");
  EXPECT_EQ(cells[2].runs, 9u);
  apply({{{"data", {"mine"}}}, {}}, study);
  EXPECT_FALSE(study.select.dense_on);  // nobody asked for cora
}

TEST(Declaration, WrongFilesNameLineAndKey) {
  const auto message = [](const std::string& text) {
    const Result<Declaration> made = parse_declaration(text, "f.toml", false);
    return made ? std::string("accepted") : made.error().message;
  };
  const std::string head = "id = \"x\"\n";
  EXPECT_TRUE(message("id = ").starts_with("f.toml:1: ")) << message("id = ");
  EXPECT_EQ(message(head + "colour = 1\n[factors]\nh = 1"),
            "f.toml:2: unknown key 'colour'; known here: id, title, about, runs, factors, rule, select, table, "
            "figure, claim, printed, quick");
  EXPECT_EQ(message(head + "[factors]\ncolour = 1"), "f.toml:3: unknown factor 'colour'");
  EXPECT_EQ(message(head + "runs = 0\n[factors]\nh = 1"), "f.toml:2: runs: must be a whole number from 1 to 1000");
  EXPECT_EQ(message(head + "[factors]\nh = []"), "f.toml:3: must not be empty");
  EXPECT_EQ(message(head + "[factors]\nh = [[1]]"), "f.toml:3: must be text or a number");
  EXPECT_EQ(message(head + "[factors]\nhops = [2,\n4,\n-1]"),
            "f.toml:5: hops: must be a whole number from 0 to 1000, but is -1");
  EXPECT_TRUE(message(head + "[factors]\nmethod = \"magic\"").starts_with("f.toml:3: method: must be one of nonpriv"));
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[rule]]\nset = { scale = 0 }"),
            "f.toml:5: scale: must be raw, common, or a number above 0 and at most 1e+06, but is 0");
  // Each of the two is a value of its factor; what they come to together is another matter.
  EXPECT_EQ(message(head + "[factors]\nh = 12\nepsilon = 0.01"), "accepted");
  EXPECT_EQ(message(head), "f.toml: there are no factors");
  EXPECT_EQ(message("[factors]\nh = 1"), "f.toml: there is no id");
  EXPECT_EQ(message("id = \"../x\"\n[factors]\nh = 1"), "f.toml: id: may have letters, digits, - and _ only");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[figure]]\nx = \"h\""),
            "f.toml:4: a figure needs one factor as x and one as lines");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[printed]]\ndata = [\"a\"]\npercent = [1, 2]"),
            "f.toml:4: data and percent must have the same length");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[rule]]\nskip = \"yes\""), "f.toml:5: skip: must be true or false");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[claim]]\nbetter = { h = 1 }"),
            "f.toml:4: a claim needs one of worse, near and above");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[claim]]\nbetter = { h = 1 }\nworse = { gamma = 0.5 }"),
            "f.toml:4: worse: the study does not vary gamma");
  EXPECT_EQ(message(head + "[factors]\nh = [1, 2]\n[[claim]]\nbetter = { h = 1 }\nworse = { h = 2 }\nbeside = \"auc\""),
            "f.toml:4: beside goes with near or above");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[table]]\nname = \"a/b\""),
            "f.toml:4: name: may have letters, digits, - and _ only");
  const std::string twice = "[[table]]\nrows = [\"h\"]\n";
  EXPECT_EQ(message(head + "[factors]\nh = 1\n" + twice + twice),
            "f.toml:6: name: x is taken by another table or figure of this kind");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[table]]\nname = \"privacy\""),
            "f.toml:4: name: x-privacy is taken by another table or figure of this kind");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[select]\n[select.grid]\ndata = [\"cora\"]"),
            "f.toml:4: data: cannot be chosen by validation; only gamma, m, operator, hops, scale, learning_rate, "
            "weight_decay, dropout and epochs can");
  EXPECT_EQ(message(head + "[factors]\nh = 1\n[[select.rule]]\nwhen = { h = 1 }\ngrid = { data = \"cora\" }"),
            "f.toml:4: data: cannot be chosen by validation; only gamma, m, operator, hops, scale, learning_rate, "
            "weight_decay, dropout and epochs can");
  EXPECT_EQ(message(head + "rule = 3\n[factors]\nh = 1"), "f.toml:2: rule: must be written as [[rule]]");
}

TEST(Declaration, ValuesThatDoNotGoTogetherAreRefusedWhenExpanded) {
  const Declaration study = parse_declaration("id = \"x\"\n[factors]\nh = 12\nepsilon = 1", "f", false).value();
  EXPECT_TRUE(expand(study).error().message.starts_with("x: ")) << expand(study).error().message;
  Declaration given = parse_declaration("id = \"x\"\n[factors]\nh = 2", "f", false).value();
  apply({{{"method", {"magic"}}}, {}}, given);
  EXPECT_TRUE(expand(given).error().message.starts_with("x: method: must be one of"));
}

TEST(Declaration, BuiltInStudiesAreThoseOfThePaper) {
  const Declaration table = load_study("table2", false).value();
  std::set<std::string> ids;
  for (const BuiltInStudy& study : built_in_studies()) {
    for (const bool quick : {false, true}) {
      const Result<Declaration> made = load_study(std::string(study.id), quick);
      ASSERT_TRUE(made) << made.error().message;
      EXPECT_EQ(made->id, study.id);
      EXPECT_FALSE(made->tables.empty() && made->figures.empty()) << study.id;
      const Result<std::vector<Cell>> cells = expand(*made);
      ASSERT_TRUE(cells) << cells.error().message;
      // No accuracy without the control and the non-private figure beside it.
      std::set<std::string> methods;
      for (const Cell& cell : *cells) methods.insert(cell.factors.at("method"));
      const bool campaigns = methods.contains("teach-public");
      EXPECT_TRUE(methods.contains("teach-control") || (!campaigns && methods.contains("control"))) << study.id;
      EXPECT_TRUE(methods.contains("nonpriv") || methods.contains("teach-clean") || methods.contains("clean"))
          << study.id;
      // In full, what can matter is chosen from the same values everywhere, but for what the study itself varies.
      const bool own_values = study.id == "readings" || study.id == "grid";  // the paper's, or none to choose
      if (quick || study.id == "attack" || campaigns || own_values) continue;
      for (const auto& [factor, values] : table.select.grid) {
        const auto named = [name = factor](const auto& one) { return one.first == name; };
        const Grid& grid = made->select.grid;
        const auto found = std::find_if(grid.begin(), grid.end(), named);
        const bool varied = factor != "scale" && std::any_of(made->factors.begin(), made->factors.end(), named);
        EXPECT_TRUE(varied || (found != grid.end() && found->second == values)) << study.id << ": " << factor;
      }
    }
    ids.emplace(study.id);
  }
  EXPECT_EQ(ids, (std::set<std::string>{"table2", "fig3", "teach", "ceiling", "poison", "backbones", "ppm-star",
                                        "attack", "robust", "h", "gamma", "m", "K", "flexprop", "readings", "grid"}));
  // Every figure of the paper's table meets a cell of ours.
  EXPECT_EQ(table.printed.size(), 90u);
  const std::vector<Cell> cells = expand(table).value();
  for (const PrintedValue& printed : table.printed) {
    EXPECT_TRUE(std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) { return printed.where(cell.factors); }));
  }
  EXPECT_TRUE(load_study("nothing", false).error().message.starts_with("study: must be one of table2, fig3"));
}

TEST(Declaration, AFileIsAStudyToo) {
  const test::TemporaryFolder folder;
  test::write_content(folder / "mine.toml", kText);
  EXPECT_EQ(load_study((folder / "mine.toml").string(), false)->id, "mine");
  EXPECT_EQ(load_study((folder / "none.toml").string(), false).error().code, ErrorCode::io);
}

// Files from before methods had the names of today mean what they meant, unless they or somebody else say otherwise.
TEST(Declaration, FormerNamesKeepTheirMeaning) {
  const std::string head = "id = \"x\"\n[factors]\nmethod = [\"ppgnn-paper\", \"ppgnn\"]\n";
  const std::string claim =
      "[[claim]]\ntext = \"t\"\nbetter = { method = \"ppgnn\" }\nworse = { method = \"ppgnn-paper\" }";
  Declaration former = parse_declaration(head + claim, "f", false).value();
  EXPECT_EQ(former.factors[0].second, (std::vector<std::string>{"paper", "strict"}));
  EXPECT_EQ(former.claims[0].worse.values[0].second, std::vector<std::string>{"paper"});
  EXPECT_EQ(expand(former)->front().canonical.at("scale"), "common");
  const Declaration stated = parse_declaration(head + "scale = \"raw\"\n", "f", false).value();
  EXPECT_EQ(expand(stated)->front().canonical.at("scale"), "raw");
  apply({{{"scale", {"raw"}}}, {}}, former);
  EXPECT_EQ(expand(former)->front().canonical.at("scale"), "raw");
  const Declaration today = parse_declaration("id = \"x\"\n[factors]\nmethod = \"paper\"\n", "f", false).value();
  EXPECT_EQ(expand(today)->front().canonical.at("scale"), "raw");
}

}  // namespace
}  // namespace ppgnn::study
