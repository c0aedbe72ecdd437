#include "ppgnn/plot/plot.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace ppgnn::plot {
namespace {

// One block of data, one band and one name a line.
TEST(Plot, CurvesHaveALineEachWithIntervals) {
  const Figure figure = make_curves(
      "lift", "people", "points", {{"strict's", {{100, 1, .5, 1.5}, {1000, 2, 1, 3}}}, {"relaxed", {{100, 3, 2, 4}}}});
  for (const std::string part :
       {"set label 'lift' at", "set label 'people' at", "set label 'points' at", "set logscale x", "100 1 0.5 1.5\n",
        "1000 2 1 3\n", "$d1 << EOD", "'strict''s'", "'relaxed'", "filledcurves"}) {
    EXPECT_NE(figure.script.find(part), std::string::npos) << part << '\n' << figure.script;
  }
  EXPECT_EQ(figure.script.find("$d2"), std::string::npos);
}

// All panels have one range, and the numbers of an axis stand once: left of each row, below each column.
TEST(Plot, PanelsShareTheirAxes) {
  Panels panels;
  panels.name = "shared";
  panels.x = {"epsilon", {"one", "two"}};
  panels.lines = {{"strict", kStyles[0]}, {"relaxed", kStyles[1]}};
  for (const char* title : {"first", "second", "a long title that is broken, after its comma", "fourth", "fifth"}) {
    panels.panels.push_back({title, {{{0, 20, 10, 30}, {1, 40, 35, 45}}, {}}});
  }
  panels.panels.back().lines[1] = {{1, 90, 85, 110}};
  const std::string script = make_panels(panels).script;
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = script.find(part); at != std::string::npos; at = script.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("set yrange [6:114]"), 1u) << script;
  EXPECT_EQ(count("set yrange"), 1u);
  EXPECT_EQ(count("set format y '%g'"), 2u);  // three columns, two rows
  EXPECT_EQ(count("'one' 0"), 3u);            // the last row, and the panel above the gap
  EXPECT_EQ(count("'strict'"), 1u);           // one legend
  EXPECT_EQ(count("'a long title that is broken,'.\"\\n\".'after its comma'"), 1u) << script;
  EXPECT_EQ(count("filledcurves"), 5u);  // one place alone has a bar
  EXPECT_EQ(count("with vectors nohead"), 1u);
}

// With one panel names stand at the ends of their lines, none over another.
TEST(Plot, NamesStandAtTheirLines) {
  Panels panels;
  panels.x = {"epsilon", {"one", "two"}};
  panels.lines = {{"lower", kStyles[0]}, {"upper", kStyles[1]}};
  panels.panels.push_back({"", {{{0, 50, 50, 50}, {1, 50, 50, 50}}, {{0, 0, 0, 0}, {1, 50.1, 50.1, 100}}}});
  const std::string script = make_panels(panels).script;
  const auto height = [&](const std::string& name) {
    const std::string before = "set label '" + name + "' at graph 1,";
    const std::size_t at = script.find(before);
    EXPECT_NE(at, std::string::npos) << script;
    return at == std::string::npos ? 0 : std::stod(script.substr(at + before.size()));
  };
  EXPECT_NEAR(height("lower"), .5, .01);
  EXPECT_GT(height("upper"), height("lower") + .06);
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
