#include "ppgnn/report/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/given_study.hpp"
#include "support/temporary_folder.hpp"

namespace ppgnn::report {
namespace {

using test::Given;

TEST(Figure, TheControlAgainstBudgetsIsItsMean) {
  Given given("[[figure]]\nx = \"epsilon\"\nlines = \"method\"\nwhere = { scale = \"common\" }\n");
  given.add("ppgnn", "1", "common", {.7});
  given.spend(0, {4});
  given.add("ppgnn", "2", "common", {.8});
  given.spend(1, {8});
  given.add("control", "1", "common", {.5});
  given.spend(2, {0});
  given.add("control", "2", "common", {.6});
  given.spend(3, {0});
  const Figure figure = make_figure(given.study(), given.study().declaration.figures[0], Against::max);
  EXPECT_NE(figure.script.find("\n4 55 55 55\n8 55 55 55\n"), std::string::npos) << figure.script;
  EXPECT_NE(figure.script.find("\n4 70 70 70\n8 80 80 80\n"), std::string::npos) << figure.script;
}

// What changes the budgets can be drawn against them; what does not stays where it is.
TEST(Figure, AgainstBudgetsWhereTheyChange) {
  Given given("[[figure]]\nx = \"data\"\nlines = \"method\"\nwhere = { scale = \"common\" }\n");
  given.add("ppgnn", "1", "common", {.7});
  given.spend(0, {4});
  given.add("ppgnn", "1", "common", {.8}, "citeseer");
  given.spend(1, {4});
  const study::FigureView& view = given.study().declaration.figures[0];
  const Figure same = make_figure(given.study(), view, Against::max);
  EXPECT_EQ(same.script.find("largest budget spent"), std::string::npos);
  EXPECT_EQ(same.note.find("which spend nothing"), std::string::npos);
  given.add("ppgnn", "1", "common", {.9}, "pubmed");
  given.spend(2, {8});
  EXPECT_EQ(make_figure(given.study(), view, Against::max).note.find("which spend nothing"), std::string::npos);
  given.add("control", "1", "common", {.5});
  given.spend(3, {0});
  const Figure differs = make_figure(given.study(), view, Against::max);
  EXPECT_NE(differs.script.find("largest budget spent"), std::string::npos);
  EXPECT_NE(differs.note.find("which spend nothing"), std::string::npos);
  EXPECT_NE(differs.script.find("set xrange [3.8:8.2]"), std::string::npos) << differs.script;
}

// gnuplot's own legend drops what does not fit, and its error bars hide short intervals behind white discs.
TEST(Figure, EveryLineHasItsNameAndNothingHidesIntervals) {
  Given given("[[figure]]\nx = \"epsilon\"\nlines = \"data\"\n");
  std::vector<std::string> names;
  for (const char* letter : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"}) {
    names.push_back(std::string("people-") + letter);
    given.add("ppgnn", "1", "common", {.7, .701}, names.back());
  }
  given.add("ppgnn", "2", "common", {}, names.back());
  const Figure figure = make_figure(given.study(), given.study().declaration.figures[0], Against::epsilon);
  const test::TemporaryFolder folder;
  const Result<void> drawn = draw(figure, folder / "figures");
  ASSERT_TRUE(drawn) << drawn.error().message;
  const std::string svg = test::content_of(folder / "figures" / "x.svg");
  for (const std::string& name : names) EXPECT_NE(svg.find(name + "<"), std::string::npos) << name;
  EXPECT_EQ(svg.find(" color='#FFFFFF'"), std::string::npos);
}

// One block of data and one row of the legend a line; neighbouring lines are set apart, and the axis has room for both.
TEST(Figure, CurvesHaveALineEachWithIntervals) {
  const Figure figure = make_curves(
      "lift", "people", "points", {{"strict's", {{100, 1, .5, 1.5}, {1000, 2, 1, 3}}}, {"relaxed", {{100, 3, 2, 4}}}});
  for (const std::string part : {"set title 'lift'", "set xlabel 'people'", "set ylabel 'points'", "set logscale x",
                                 " 1 0.5 1.5\n", " 2 1 3\n", "$d1 << EOD", "'strict''s'", "'relaxed'"}) {
    EXPECT_NE(figure.script.find(part), std::string::npos) << part << '\n' << figure.script;
  }
  EXPECT_EQ(figure.script.find("$d2"), std::string::npos);
}

TEST(Figure, CurvesAreDrawnIntoOneFile) {
  const test::TemporaryFolder folder;
  const auto drawn = draw_svg(make_curves("lift", "people", "points", {{"all", {{1, 2, 1, 3}}}}), folder / "curve.svg");
  ASSERT_TRUE(drawn) << drawn.error().message;
  EXPECT_NE(test::content_of(folder / "curve.svg").find("</svg>"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "curve.svg.gnuplot"));
  EXPECT_FALSE(draw_svg(make_curves("", "", "", {}), folder / "curve.svg" / "curve.svg"));
}

}  // namespace
}  // namespace ppgnn::report
