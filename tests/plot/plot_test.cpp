#include "ppgnn/plot/plot.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace ppgnn::plot {
namespace {

// One block of data and one row of the legend a line; neighbouring lines are set apart, and the axis has room for both.
TEST(Plot, CurvesHaveALineEachWithIntervals) {
  const Figure figure = make_curves(
      "lift", "people", "points", {{"strict's", {{100, 1, .5, 1.5}, {1000, 2, 1, 3}}}, {"relaxed", {{100, 3, 2, 4}}}});
  for (const std::string part : {"set title 'lift'", "set xlabel 'people'", "set ylabel 'points'", "set logscale x",
                                 " 1 0.5 1.5\n", " 2 1 3\n", "$d1 << EOD", "'strict''s'", "'relaxed'"}) {
    EXPECT_NE(figure.script.find(part), std::string::npos) << part << '\n' << figure.script;
  }
  EXPECT_EQ(figure.script.find("$d2"), std::string::npos);
}

TEST(Plot, BarsAreDrawnWithTheirValues) {
  const test::TemporaryFolder folder;
  const Figure figure =
      make_bars("bars", "all ways", "percent", {{"alone", 70, 69, 71}, {"paper's", 65.25, 60, 70}}, "note");
  for (const std::string part : {"'alone' 2, 'paper''s' 1", "70 2 69 71\n", "set label '65.2'", "EOD\nplot "}) {
    EXPECT_NE(figure.script.find(part), std::string::npos) << part << '\n' << figure.script;
  }
  const auto drawn = draw(figure, folder / "out");
  ASSERT_TRUE(drawn) << drawn.error().message;
  const std::string svg = test::content_of(folder / "out" / "bars.svg");
  EXPECT_NE(svg.find("65.2"), std::string::npos);
  EXPECT_NE(svg.find("note"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "bars.pdf"));
}

TEST(Plot, CurvesAreDrawnIntoOneFile) {
  const test::TemporaryFolder folder;
  const auto drawn = draw_svg(make_curves("lift", "people", "points", {{"all", {{1, 2, 1, 3}}}}), folder / "curve.svg");
  ASSERT_TRUE(drawn) << drawn.error().message;
  EXPECT_NE(test::content_of(folder / "curve.svg").find("</svg>"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "curve.svg.gnuplot"));
  EXPECT_FALSE(draw_svg(make_curves("", "", "", {}), folder / "curve.svg" / "curve.svg"));
}

}  // namespace
}  // namespace ppgnn::plot
