#include "ppgnn/plot/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "plot/script.hpp"
#include "ppgnn/core/number.hpp"

namespace ppgnn::plot {

namespace {

// Points of print.
constexpr double kWidth = 245;  // a column
constexpr double kLeft = 33;    // numbers and title of the y axis
constexpr double kRight = 6;
constexpr double kGap = 7;       // between panels
constexpr double kTitle = 3;     // between a panel and its title
constexpr double kBelow = 25;    // numbers and title of the x axis
constexpr double kRow = 10;      // of text
constexpr double kLetter = 3.3;  // a letter's width, on average
constexpr double kKey = 13;      // the piece of line beside a name
constexpr std::size_t kMostColumns = 3;

constexpr const char* kFrame =
    "unset key\nset border 3 lw .5\nset tics nomirror out scale .4\nset grid ytics lw .4 lc rgb '#dddddd'\n";

std::string number(double value) {
  return format_number(value);
}

double width_of(const std::string& text) {
  return kLetter * static_cast<double>(text.size());
}

// As in_quotes, with line breaks: gnuplot reads escapes between double quotes only.
std::string in_lines(const std::string& text) {
  std::string out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', from));
    out += (from == 0 ? "" : ".\"\\n\".") + in_quotes(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

std::string look_of(const Style& style, int dash) {
  return std::string(" lc rgb '") + style.colour + "' dt " + std::to_string(dash);
}

// Lines without marks get one where nothing is joined, another for each dash.
std::string mark_of(const Style& style) {
  return " pt " +
         std::to_string(style.mark > 0    ? style.mark
                        : style.dash == 1 ? 15
                                          : 13) +
         " ps S lc rgb '" + style.colour + "'";
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // With room for marks at both ends.
  [[nodiscard]] Range padded() const {
    if (!(high > low)) return high < low ? Range{0, 1} : Range{low - 1, high + 1};
    const double room = .04 * (high - low);
    return {low - room, high + room};
  }
};

// Writes panels of lines, one after the other, each at its place on the page.
class PanelWriter {
 public:
  explicit PanelWriter(const Panels& panels) : panels_(panels) {
    Range y;
    for (const Panel& panel : panels.panels) {
      for (const auto& line : panel.lines) {
        for (const Place& place : line) {
          for (const double value : {place.value, place.low, place.high}) y.take(value);
        }
      }
    }
    y_ = y.padded();
    const std::size_t count = std::max<std::size_t>(1, panels.panels.size());
    columns_ = std::min(kMostColumns, count);
    if (count == 4) columns_ = 2;
    rows_ = (count + columns_ - 1) / columns_;
    panel_height_ = columns_ == 1 ? 115 : columns_ == 2 ? 80 : 64;
    name_lines();
    panel_width_ = (kWidth - kLeft - right_ - kGap * static_cast<double>(columns_ - 1)) / static_cast<double>(columns_);
    std::size_t lines = 0;
    for (const Panel& panel : panels.panels) {
      titles_.push_back(broken(panel.title));
      lines =
          std::max(lines, static_cast<std::size_t>(std::count(titles_.back().begin(), titles_.back().end(), '\n')) + 1);
    }
    title_height_ = kTitle + (kRow - 1.5) * static_cast<double>(lines);
    double letters = 0;
    for (const std::string& name : panels.x.names) letters += width_of(name) + kLetter;
    turned_ = letters > panel_width_;
    top_ =
        (panels.heading.empty() ? 0 : kRow + 2) + (ends_.empty() ? kRow * static_cast<double>(legend_rows()) + 3 : 2);
    bottom_ = kBelow + (turned_ ? kRow : 0) + (panels.foot.empty() ? 0 : kRow);
    height_ = top_ + static_cast<double>(rows_) * (panel_height_ + title_height_) + bottom_;
  }

  Figure write() {
    script_ = std::string(kFrame) + "set multiplot\nset yrange [" + number(y_.low) + ":" + number(y_.high) + "]\n";
    script_ += x_range();
    page_texts();
    for (std::size_t at = 0; at < panels_.panels.size(); ++at) add_panel(at);
    if (panels_.panels.empty()) script_ += "unset border\nunset tics\nset yrange [0:1]\nplot NaN notitle\n";
    script_ += "unset multiplot\nunset label\nunset arrow\n";
    return {panels_.name, panels_.title, panels_.note, std::move(script_), kWidth, height_};
  }

 private:
  // Names stand at the ends of the lines where there is one panel and room; else in a legend above all panels.
  void name_lines() {
    double longest = 0;
    for (const Line& line : panels_.lines) longest = std::max(longest, width_of(line.name));
    const double step = (kRow - 1.5) / panel_height_;
    const std::size_t named = panels_.lines.size();
    if (panels_.panels.size() == 1 && panels_.joined && longest < .45 * kWidth && named > 0 &&
        step * static_cast<double>(named) < 1) {
      right_ = longest + kRight;
      set_ends(step);
    }
  }

  // Where each name stands, as a share of the panel's height: at its line's end, moved until none covers another.
  void set_ends(double step) {
    const Panel& panel = panels_.panels.front();
    std::vector<std::size_t> order;
    for (std::size_t line = 0; line < panel.lines.size(); ++line) {
      if (!panel.lines[line].empty()) order.push_back(line);
    }
    const auto wanted = [&](std::size_t line) {
      return (panel.lines[line].back().value - y_.low) / (y_.high - y_.low);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted(a) < wanted(b); });
    ends_.assign(panels_.lines.size(), -1);
    double least = 0;
    for (const std::size_t line : order) {
      ends_[line] = std::max(wanted(line), least);
      least = ends_[line] + step;
    }
    double most = 1;
    for (auto line = order.rbegin(); line != order.rend(); ++line) {
      ends_[*line] = std::min(ends_[*line], most);
      most = ends_[*line] - step;
    }
  }

  // Calls take(line, x, row) for the place of every name in the legend; returns how many rows it has.
  template <class Take>
  std::size_t place_names(const Take& take) const {
    double x = 2;
    std::size_t row = 0;
    for (std::size_t i = 0; i < panels_.lines.size(); ++i) {
      const double wide = kKey + 3 + width_of(panels_.lines[i].name);
      if (x > 2 && x + wide > kWidth) {
        x = 2;
        ++row;
      }
      take(i, x, row);
      x += wide + 8;
    }
    return panels_.lines.empty() ? 0 : row + 1;
  }
  [[nodiscard]] std::size_t legend_rows() const {
    return place_names([](std::size_t, double, std::size_t) {});
  }

  // A title on as many lines as it needs, broken after commas.
  [[nodiscard]] std::string broken(const std::string& title) const {
    std::string text;
    std::string line;
    for (std::size_t from = 0; from < title.size();) {
      const std::size_t comma = std::min(title.size(), title.find(", ", from));
      const std::string part = title.substr(from, comma - from);
      if (!line.empty() && width_of(line + ", " + part) > panel_width_) {
        text += line + ",\n";
        line.clear();
      }
      line += (line.empty() ? "" : ", ") + part;
      from = comma + 2;
    }
    return text + line;
  }

  [[nodiscard]] std::string at(double x, double y) const {  // from the left and the top
    return "screen " + number(x / kWidth) + ",screen " + number(1 - y / height_);
  }

  [[nodiscard]] std::string x_range() const {
    const Axis& x = panels_.x;
    if (!x.names.empty()) {
      return "set xrange [-.35:" + number(static_cast<double>(x.names.size()) - .65) + "]\n";
    }
    // With room at both ends; names at the lines' ends need none.
    const double room = x.logarithmic ? std::pow(x.most / x.least, .05) : .05 * (x.most - x.least);
    return std::string(x.logarithmic ? "set logscale x\n" : "") + "set xrange [" +
           number(x.logarithmic ? x.least / room : x.least - room) + ":" +
           number(x.logarithmic ? x.most * room : x.most + room) + "]\n";
  }

  // Heading, legend, titles of the axes, foot.
  void page_texts() {
    const double inner = kWidth - kLeft - right_;
    const auto text = [&](const std::string& words, double x, double y, const char* how) {
      if (!words.empty()) script_ += "set label " + in_quotes(words) + " at " + at(x, y) + " " + how + "\n";
    };
    text(panels_.heading, 2, kRow / 2 + 1, "left");
    const double middle = top_ + (height_ - top_ - bottom_) / 2;
    text(panels_.y_title, 5, middle, "center rotate");
    text(panels_.x.title, kLeft + inner / 2, height_ - bottom_ + (turned_ ? kRow : 0) + 18, "center");
    text(panels_.foot, 2, height_ - kRow / 2, "left");
    if (!ends_.empty()) return;
    const double first = top_ - kRow * static_cast<double>(legend_rows()) - 3;
    place_names([&](std::size_t i, double x, std::size_t row) {
      const Line& line = panels_.lines[i];
      const double y = first + kRow * (static_cast<double>(row) + .5);
      if (panels_.joined) {
        script_ += "set arrow from " + at(x, y) + " to " + at(x + kKey, y) + " nohead lw 1.5" +
                   look_of(line.style, line.style.dash) + "\n";
      }
      if (line.style.mark > 0 || !panels_.joined) {
        script_ += "set label '' at " + at(x + kKey / 2, y) + " point" + mark_of(line.style) + "\n";
      }
      text(line.name, x + kKey + 3, y, "left");
    });
  }

  void add_panel(std::size_t which) {
    const Panel& panel = panels_.panels[which];
    const std::size_t column = which % columns_;
    const double x = kLeft + static_cast<double>(column) * (panel_width_ + kGap);
    const double y = top_ + static_cast<double>(which / columns_) * (panel_height_ + title_height_) + title_height_;
    const auto margin = [&](const char* name, double place) {
      script_ += std::string("set ") + name + " at screen " + number(place) + "\n";
    };
    margin("lmargin", x / kWidth);
    margin("rmargin", (x + panel_width_) / kWidth);
    margin("tmargin", 1 - y / height_);
    margin("bmargin", 1 - (y + panel_height_) / height_);
    script_ += "set title " + in_lines(titles_[which]) + " offset 0,-.6\nset ytics offset .6,0\nset format y " +
               in_quotes(column == 0 ? "%g" : "") + "\n" + x_tics(which + columns_ >= panels_.panels.size());
    const std::string plots = plots_of(panel);
    script_ += plots.empty() ? "set label 'no runs' at graph .5,.5 center\nplot NaN notitle\n" : "plot " + plots + "\n";
    script_ += "unset label\nunset arrow\n";
  }

  // Marks on every panel, names on the lowest of each column.
  [[nodiscard]] std::string x_tics(bool named) const {
    const Axis& x = panels_.x;
    if (x.names.empty()) {
      return std::string("set xtics auto offset 0,.5\nset format x ") + in_quotes(named ? axis_format() : "") + "\n";
    }
    std::string script = "set xtics (";
    for (std::size_t i = 0; i < x.names.size(); ++i) {
      script += (i == 0 ? "" : ", ") + in_quotes(named ? x.names[i] : "") + " " + std::to_string(i);
    }
    return script + (turned_ ? ") rotate by 30 right offset .6,.3\n" : ") norotate offset 0,.5\n");
  }

  [[nodiscard]] std::string axis_format() const { return panels_.x.most >= 10000 ? "%.0s%c" : "%g"; }

  std::string plots_of(const Panel& panel) {
    std::string bands;
    std::string lines;
    const auto add = [](std::string& to, const std::string& part) { to += (to.empty() ? "" : ", ") + part; };
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
      const Style& style = panels_.lines[i].style;
      if (panel.lines[i].empty()) continue;
      const std::string block = "$d" + std::to_string(blocks_++);
      script_ += block + " << EOD\n";
      for (const Place& place : panel.lines[i]) {
        // Neighbouring marks stand side by side.
        const double aside =
            panels_.joined ? 0 : .5 * (static_cast<double>(i) + .5) / static_cast<double>(panel.lines.size()) - .25;
        script_ += number(place.x + aside) + " " + number(place.value) + " " + number(place.low) + " " +
                   number(place.high) + "\n";
      }
      script_ += "EOD\n";
      if (panels_.joined && panel.lines[i].size() > 1) {
        add(bands,
            block + " using 1:3:4 with filledcurves fs transparent solid .15 noborder lc rgb '" + style.colour + "'");
        add(lines, block + " using 1:2 with lines lw 1.5" + look_of(style, style.dash));
      } else {  // gnuplot's own error bars have white discs behind the marks that hide short intervals
        add(lines, block + " using 1:3:(0):($4-$3) with vectors nohead lw 1.2" + look_of(style, 1));
      }
      const bool marked = style.mark > 0 || !panels_.joined || panel.lines[i].size() == 1;
      if (marked) add(lines, block + " using 1:2 with points" + mark_of(style));
      if (!ends_.empty()) {
        script_ += "set label " + in_quotes(panels_.lines[i].name) + " at graph 1," + number(ends_[i]) +
                   " left offset .6,0 tc rgb '" + style.colour + "'\n";
      }
    }
    return bands + (bands.empty() || lines.empty() ? "" : ", ") + lines;
  }

  const Panels& panels_;
  Range y_;
  std::size_t columns_ = 1, rows_ = 1, blocks_ = 0;
  double panel_width_ = 0, panel_height_ = 0, title_height_ = 0, right_ = kRight, top_ = 0, bottom_ = 0, height_ = 0;
  bool turned_ = false;              // names of the x axis
  std::vector<std::string> titles_;  // broken into lines
  std::vector<double> ends_;         // none: there is a legend
  std::string script_;
};

}  // namespace

// gnuplot's single quotes: nothing inside is expanded or run.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  return out + "'";
}

Figure make_panels(const Panels& panels) {
  return PanelWriter(panels).write();
}

Figure make_curves(const std::string& title, const std::string& x_title, const std::string& y_title,
                   const std::vector<CurveLine>& lines) {
  Panels panels;
  panels.name = "curves";
  panels.title = panels.heading = title;
  panels.foot = "Bands: 95% intervals";
  Range x;
  panels.panels.emplace_back();
  for (const CurveLine& line : lines) {
    panels.lines.push_back({line.name, kStyles[panels.lines.size() % kStyles.size()]});
    panels.panels.front().lines.push_back(line.places);
    for (const Place& place : line.places) x.take(place.x);
  }
  const bool any = x.low <= x.high;
  panels.x = {x_title, {}, any ? x.low : 1, any ? std::max(x.high, 1.01 * x.low) : 10, true};
  panels.y_title = y_title;
  return make_panels(panels);
}

Figure make_bars(std::string name, const std::string& title, const std::string& x_title, const std::vector<Bar>& bars,
                 const std::string& note) {
  constexpr double kBarRow = 13;
  std::string data = "$d << EOD\n";
  std::string names;
  std::string values;
  Range x;
  double longest = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const std::string row = std::to_string(bars.size() - i);
    data += number(bar.value) + " " + row + " " + number(bar.low) + " " + number(bar.high) + "\n";
    names += (i == 0 ? "" : ", ") + in_quotes(bar.name) + " " + row;
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.1f", bar.value);
    values += "set label " + in_quotes(shown) + " at " + number(bar.high) + "," + row + " left offset .6,0\n";
    for (const double value : {bar.low, bar.high}) x.take(value);
    longest = std::max(longest, width_of(bar.name));
  }
  const Range padded = x.padded();
  const double room = .1 * (padded.high - padded.low);  // for the last value
  const double top = kRow + 4;
  const double bottom = kBelow + kRow;
  const double height = top + kBarRow * static_cast<double>(bars.size()) + bottom;
  const std::string rows = std::to_string(bars.size());
  const std::string first = bars.empty() ? "0" : number(bars.front().value);
  const auto text = [&](const std::string& words, double left, double from_top, const char* how) {
    return "set label " + in_quotes(words) + " at screen " + number(left / kWidth) + ",screen " +
           number(1 - from_top / height) + " " + how + "\n";
  };
  const double left = longest + 8;
  std::string script = "unset key\nset border 1 lw .5\nset tics nomirror out scale .4\nset lmargin at screen " +
                       number(left / kWidth) + "\nset rmargin at screen " + number(1 - kRight / kWidth) +
                       "\nset tmargin at screen " + number(1 - top / height) + "\nset bmargin at screen " +
                       number(bottom / height) + "\n";
  script += text(title, 2, kRow / 2 + 1, "left") +
            text(x_title, left + (kWidth - left) / 2, height - bottom + 18, "center") +
            text(note, 2, height - kRow / 2, "left");
  script +=
      "set xtics offset 0,.5\nset ytics (" + names + ") scale 0 offset .6,0\nset yrange [0.4:" + rows +
      ".6]\nset xrange [" + number(padded.low) + ":" + number(padded.high + room) + "]\nset arrow from " + first +
      ",0.4 to " + first + "," + rows + ".6 nohead dt 2 lc rgb '#525252'\n" + values + data + "EOD\n" +
      "plot $d using 3:2:($4-$3):(0) with vectors nohead lw 4 lc rgb '#56b4e9', $d using 1:2 with points pt 7 ps 1.2*S "
      "lc rgb '#0072b2'\nunset label\nunset arrow\n";
  return {std::move(name), title, note, std::move(script), kWidth, height};
}

}  // namespace ppgnn::plot
