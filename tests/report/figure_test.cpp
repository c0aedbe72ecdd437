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
  given.add("strict", "1", "common", {.7});
  given.spend(0, {4});
  given.add("strict", "2", "common", {.8});
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
  given.add("strict", "1", "common", {.7});
  given.spend(0, {4});
  given.add("strict", "1", "common", {.8}, "citeseer");
  given.spend(1, {4});
  const study::FigureView& view = given.study().declaration.figures[0];
  const Figure same = make_figure(given.study(), view, Against::max);
  EXPECT_EQ(same.script.find("largest budget spent"), std::string::npos);
  EXPECT_EQ(same.note.find("which spend nothing"), std::string::npos);
  given.add("strict", "1", "common", {.9}, "pubmed");
  given.spend(2, {8});
  EXPECT_EQ(make_figure(given.study(), view, Against::max).note.find("which spend nothing"), std::string::npos);
  given.add("control", "1", "common", {.5});
  given.spend(3, {0});
  const Figure differs = make_figure(given.study(), view, Against::max);
  EXPECT_NE(differs.script.find("largest budget spent"), std::string::npos);
  EXPECT_NE(differs.note.find("which spend nothing"), std::string::npos);
  EXPECT_NE(differs.script.find("set xrange [3.8:8.2]"), std::string::npos) << differs.script;
}

// A figure of other values than were asked for shows what there is, and says of what.
TEST(Figure, ShowsWhatWasRun) {
  Given given("[[figure]]\nx = \"epsilon\"\nlines = \"method\"\nwhere = { scale = \"raw\", backbone = \"gat\" }\n");
  given.add("strict", "1", "common", {.7, .8, .9});
  given.add("strict", "2", "common", {.7});
  const Figure figure = make_figure(given.study(), given.study().declaration.figures[0], Against::epsilon);
  EXPECT_NE(figure.script.find("\n0 80 "), std::string::npos) << figure.script;
  EXPECT_EQ(figure.note, "Cora; 1 to 3 runs. Bands: 95% t intervals.");
}

// gnuplot's own legend drops what does not fit, and its error bars hide short intervals behind white discs.
TEST(Figure, EveryLineHasItsNameAndNothingHidesIntervals) {
  Given given("[[figure]]\nx = \"epsilon\"\nlines = \"data\"\n");
  std::vector<std::string> names;
  for (const char* letter : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"}) {
    names.push_back(std::string("people-") + letter);
    given.add("strict", "1", "common", {.7, .701}, names.back());
  }
  given.add("strict", "2", "common", {}, names.back());
  const Figure figure = make_figure(given.study(), given.study().declaration.figures[0], Against::epsilon);
  const test::TemporaryFolder folder;
  const Result<void> drawn = draw(figure, folder / "figures");
  ASSERT_TRUE(drawn) << drawn.error().message;
  const std::string svg = test::content_of(folder / "figures" / "x.svg");
  for (const std::string& name : names) EXPECT_NE(svg.find(name + "<"), std::string::npos) << name;
  EXPECT_EQ(svg.find(" color='#FFFFFF'"), std::string::npos);
}

}  // namespace
}  // namespace ppgnn::report
