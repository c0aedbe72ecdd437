#include "ppgnn/report/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/given_study.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::report {
namespace {

using test::Given;

TEST(Table, ChosenValuesSayWhereTheyWereChosen) {
  EvaluatedStudy study;
  study.declaration.select.dense_on = "cora";
  const study::Setting chosen{{"hops", "16"}, {"scale", "1"}, {"dropout", "0.5"}};
  for (const std::vector<std::string>& carried :
       std::vector<std::vector<std::string>>{{}, {"dropout"}, {"dropout", "hops", "scale"}}) {
    EvaluatedCell cell;
    cell.chosen = chosen;
    cell.candidates = 8;
    cell.open = {"hops", "scale", "dropout"};
    cell.carried = carried;
    study.cells.push_back(cell);
  }
  const Table table = make_choice_table(study);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].back(), "hops=16 scale=1 dropout=0.5");
  EXPECT_EQ(table.rows[1].back(), "hops=16 scale=1; on Cora: dropout=0.5");
  EXPECT_EQ(table.rows[2].back(), "on Cora: hops=16 scale=1 dropout=0.5");
}

TEST(Table, CellsThatFailedAndTheLargestBudgetAreThere) {
  Given given("[[table]]\nrows = [\"method\"]\ncolumns = [\"epsilon\"]\n");
  const double failed = std::numeric_limits<double>::quiet_NaN();
  given.add("strict", "1", "common", {failed, failed});
  given.add("strict", "2", "common", {.5, .5, .5});
  given.spend(1, {16, 8, 8});
  given.add("strict", "2", "common", {.5}, "citeseer");
  given.spend(2, {4});
  given.add("strict", "2", "common", {.5}, "pubmed");
  given.spend(3, {20});
  const Table cells = make_cell_table({given.study()});
  ASSERT_EQ(cells.rows.size(), 4u);
  const auto at = [](const Table& table, std::size_t row, const std::string& column) {
    const auto found = std::find(table.head.begin(), table.head.end(), column);
    EXPECT_NE(found, table.head.end()) << column;
    return found == table.head.end() ? "" : table.rows[row][static_cast<std::size_t>(found - table.head.begin())];
  };
  EXPECT_EQ(at(cells, 0, "failed"), "2");
  EXPECT_EQ(at(cells, 0, "mean"), "");
  EXPECT_EQ(at(cells, 1, "privacy_max"), "16");
  EXPECT_EQ(at(cells, 3, "data"), "pubmed");  // a column per factor
  const Table runs = make_run_table({given.study()});
  ASSERT_EQ(runs.rows.size(), 7u);
  EXPECT_EQ(at(runs, 1, "run"), "1");
  EXPECT_EQ(at(runs, 3, "epsilon"), "2");
  EXPECT_EQ(at(runs, 3, "accuracy"), "0.5");
  EXPECT_EQ(at(runs, 3, "privacy_max"), "8");
  // One line for a method and a budget: what it comes to over the data sets.
  const Table privacy = make_privacy_table(given.study());
  ASSERT_EQ(privacy.rows.size(), 1u);
  EXPECT_EQ(privacy.rows[0][2], "2 to 10");  // half of the largest, on average
  EXPECT_EQ(privacy.rows[0][3], "4 to 20");
}

// Of the methods that keep features private, the best of every column and group; nobody's, where only one is there.
TEST(Table, TheBestPrivateMethodIsBold) {
  Given given("[[table]]\nname = \"t\"\nrows = [\"epsilon\", \"method\"]\ncolumns = [\"data\"]\n");
  given.add("strict", "1", "common", {.5, .5});
  given.add("lpgnn", "1", "common", {.6, .6});
  given.add("control", "1", "common", {.7, .7});
  given.add("nonpriv", "1", "common", {.9, .9});
  given.add("strict", "2", "common", {.8, .8});
  const EvaluatedStudy study = given.study();
  const Table table = make_table(study, study.declaration.tables.front());
  ASSERT_EQ(table.best.size(), 1u);
  const auto [row, column] = *table.best.begin();
  EXPECT_EQ(table.rows[row][1], "LPGNN (MB)");
  EXPECT_NE(to_html(table).find("<td><b>60.0"), std::string::npos) << to_html(table);
  EXPECT_NE(to_latex(table).find("\\textbf{60.0"), std::string::npos) << to_latex(table);
  EXPECT_EQ(to_csv(table).find("textbf"), std::string::npos);
}

// A row of what is printed stands above ours, for the method it is printed for, with the best of its own kind.
TEST(Table, PrintedFiguresStandAboveOurs) {
  Given given(
      "[[table]]\nname = \"t\"\nrows = [\"epsilon\", \"method\", \"scale\"]\ncolumns = [\"data\"]\nprinted = true\n"
      "[[printed]]\nwhere = { epsilon = 1, method = [\"paper\", \"strict\"] }\ndata = [\"cora\", \"lastfm\"]\npercent "
      "= "
      "[62.0, 66.4]\n[[printed]]\nwhere = { epsilon = 1, method = \"lpgnn\" }\ndata = [\"cora\"]\npercent = [55.1]\n");
  given.add("lpgnn", "1", "raw", {.4, .5});
  given.add("paper", "1", "raw", {.7, .8, .9});
  given.add("paper", "1", "common", {.8, .8});
  given.add("strict", "1", "raw", {.6});
  given.add("paper", "1", "raw", {.5, .5}, study::kLastfmSubset);
  const EvaluatedStudy study = given.study();
  const Table table = make_table(study, study.declaration.tables.front());
  ASSERT_EQ(table.rows.size(), 6u);
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"1", "LPGNN (MB)", "printed", "55.1", ""}));
  EXPECT_EQ(table.rows[3], (std::vector<std::string>{"1", "PPGNN paper (PPM)", "printed", "62.0", "66.4"}));
  EXPECT_TRUE(table.rows[5][3].starts_with("80.0 ± ")) << table.rows[5][3];
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"1", "PPGNN strict", "raw", "60.0 (1 run)", ""}));
  EXPECT_TRUE(table.best.contains({3, 3}) && table.best.contains({5, 3}));
  EXPECT_NE(table.note.find("not comparable"), std::string::npos) << table.note;
  const std::string latex = to_latex(table);
  EXPECT_NE(latex.find("\n &  & raw & \\textbf{80.0 $\\pm$ "), std::string::npos) << latex;
  const auto refused = study::parse_declaration(
      "id = \"x\"\n[factors]\nmethod = [\"strict\"]\n[[table]]\nrows = [\"method\"]\nprinted = true\n", "x", false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the last of the rows must be scale"), std::string::npos);
}

TEST(Table, EveryFormCarriesItsEscapes) {
  Table table;
  table.title = "A & B";
  table.note = "note";
  table.head = {"what", "p"};
  table.row_headers = 1;
  table.rows = {{"50% of \"a_b\", c", "<.001"}};
  EXPECT_EQ(to_latex(table).find("Quick"), std::string::npos);
  Table quick = table;
  quick.quick = true;  // also where the table is typeset
  EXPECT_NE(to_latex(quick).find("\\multicolumn{2}{l}{Quick: fewer"), std::string::npos) << to_latex(quick);
  EXPECT_EQ(to_csv(table), "what,p\n\"50% of \"\"a_b\"\", c\",<.001\n");
  EXPECT_NE(to_latex(table).find("50\\% of \"a\\_b\", c & $<$.001 \\\\"), std::string::npos) << to_latex(table);
  EXPECT_NE(to_html(table).find("A &amp; B"), std::string::npos);
  // In a frame that may be wider than the text, and scrolls.
  EXPECT_TRUE(to_html(table).starts_with("<div class=\"wide\" tabindex=\"0\"><table>"));
  EXPECT_TRUE(to_html(table).ends_with("</table></div>\n"));
  EXPECT_NE(to_html(table).find("<th>50% of &quot;a_b&quot;, c<td>&lt;.001\n"), std::string::npos);
  EXPECT_NE(to_plain(table).find("  50% of \"a_b\", c  <.001\n"), std::string::npos) << to_plain(table);
}

}  // namespace
}  // namespace ppgnn::report
