#include "ppgnn/report/report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <utility>
#include <vector>

#include "ppgnn/core/version.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::report {

namespace {

constexpr const char* kStyle =
    ":root{color-scheme:light "
    "dark;--page:#fff;--clear:#fff0;--ink:#222;--line:#ccc;--faint:#eee;--code:#f5f5f5;--note:#"
    "fff3cd;--link:#08306b}"
    "@media(prefers-color-scheme:dark){:root{--page:#16181c;--clear:#16181c00;--ink:#ddd;--line:#555;--faint:#2c2f36;"
    "--code:#23262d;--note:#4a3d10;--link:#8ec5ff}}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:var(--ink);"
    "background:var(--page)}a{color:var(--link)}"
    "nav{position:sticky;top:0;z-index:1;background:var(--page);padding:.5em 0;border-bottom:1px solid var(--line)}"
    "h1,h2{line-height:1.2}h2{margin-top:2.5em;border-top:1px solid var(--line);padding-top:1em;scroll-margin-top:3em}"
    // A table takes the room it needs, beyond the text up to the window's width; what is wider still scrolls, with a
    // shadow at the side where there is more.
    ".wide{width:max-content;min-width:100%;max-width:calc(100vw - 3em);position:relative;left:50%;"
    "transform:translateX(-50%);overflow-x:auto;margin:1.5em 0;"
    "background:linear-gradient(90deg,var(--page) 3em,var(--clear) 6em) 0 0/6em 100% local no-repeat,"
    "linear-gradient(270deg,var(--page) 3em,var(--clear) 6em) 100% 0/6em 100% local no-repeat,"
    "linear-gradient(90deg,#0004,#0000) 0 0/1em 100% scroll no-repeat,"
    "linear-gradient(270deg,#0004,#0000) 100% 0/1em 100% scroll no-repeat}"
    "table{border-collapse:collapse;font-size:13px}"
    "caption{text-align:left;font-weight:600;padding-bottom:.5em}caption small{font-weight:400}"
    "th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid var(--faint);white-space:nowrap}"
    "th{white-space:normal}tbody th{font-weight:400;text-align:left;max-width:14em}thead th{border-bottom:1px solid "
    "#888}"
    ".w{text-align:left!important}td:last-child{white-space:normal;min-width:9em}@media "
    "print{.wide{max-width:100%;overflow:visible}}"
    "code,pre{font-size:13px;background:var(--code);padding:.1em .3em}pre{padding:1em;overflow-x:auto}"
    "svg{fill:none;color:#000;stroke:currentColor}svg>rect{stroke:none}svg>path[stroke]{stroke-width:1.5}"
    ".t{stroke:none;fill:#000;font:14px Helvetica,Arial,sans-serif}.m{text-anchor:middle}.e{text-anchor:end}"
    "figure{margin:1.5em 0}svg{background:#fff;width:40em;max-width:100%;height:auto}figcaption{font-size:13px}"
    "details summary{cursor:pointer;margin:1em 0}.quick{background:var(--note);padding:.5em 1em}";

// gnuplot's drawing without what says nothing: names of groups, default attributes, filters not used, hundredths
// of a pixel; what every group repeats is in kStyle. A report stays small.
std::string slim(std::string text) {
  static const std::array<std::pair<std::regex, const char*>, 16> shorter_forms{{
      {std::regex("[ \t\n]+"), " "},
      {std::regex("> <"), "><"},
      {std::regex("<(title|desc)>[^<]*</(title|desc)>"), ""},
      {std::regex("<filter .*?</filter>"), ""},
      {std::regex("<g id=\"[^\"]*\" ?>"), "<g>"},
      {std::regex(" stroke-linecap=\"butt\" stroke-linejoin=\"miter\""), ""},
      {std::regex("<g fill=\"none\" color=\"[^\"]*\" stroke=\"[^\"]*\" stroke-width=\"1.[05]0\">"), "<g>"},
      {std::regex("stroke=\"none\" fill=\"black\" font-family=\"Helvetica\" font-size=\"14.00\""), "class=\"t\""},
      {std::regex("<g (transform=[^>]*)><text>([^<]*)</text></g>"), "<text $1>$2</text>"},
      {std::regex("xlink:href"), "href"},
      {std::regex(" stroke='black'"), ""},
      {std::regex("rgb\\( *([0-9]+), *([0-9]+), *([0-9]+)\\)"), "rgb($1,$2,$3)"},
      {std::regex("([0-9]\\.[0-9])[0-9](?=[^<>]*>)"), "$1"},  // in tags only, not in labels
      {std::regex("([0-9])\\.0(?=[ ,)'\"][^<>]*>)"), "$1"},
      {std::regex("transform=\"translate\\(([0-9.]+),([0-9.]+)\\)\" class=\"t\" text-anchor=\"middle\""),
       "x=\"$1\" y=\"$2\" class=\"t m\""},
      {std::regex("transform=\"translate\\(([0-9.]+),([0-9.]+)\\)\" class=\"t\" text-anchor=\"end\""),
       "x=\"$1\" y=\"$2\" class=\"t e\""},
  }};
  for (const auto& [long_form, shorter] : shorter_forms) text = std::regex_replace(text, long_form, shorter);
  // Groups that say nothing go, with their ends.
  static const std::regex group_tag("<g>|<g [^>]*>|</g>");
  std::string out;
  std::vector<bool> kept;
  auto from = text.cbegin();
  for (std::sregex_iterator tag(text.cbegin(), text.cend(), group_tag), end; tag != end; ++tag) {
    out.append(from, (*tag)[0].first);
    from = (*tag)[0].second;
    const bool opens = (*tag)[0] != "</g>";
    if (opens) kept.push_back((*tag)[0] != "<g>");
    if (kept.empty() || kept.back()) out += (*tag)[0].str();
    if (!opens && !kept.empty()) kept.pop_back();
  }
  out.append(from, text.cend());
  return out;
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& folder) : folder_(folder) {}

  Result<void> table(const Table& table, std::string& html) {
    const std::filesystem::path base = folder_ / "tables";
    std::error_code failed;
    if (table.rows.empty()) {  // nor may one from before stay
      for (const char* ending : {".csv", ".tex"}) std::filesystem::remove(base / (table.name + ending), failed);
      return {};
    }
    std::filesystem::create_directories(base, failed);
    if (failed) return Error{ErrorCode::io, base.string() + ": cannot be made: " + failed.message()};
    if (Result<void> done = io::write_text(base / (table.name + ".csv"), to_csv(table)); !done) return done;
    if (Result<void> done = io::write_text(base / (table.name + ".tex"), to_latex(table)); !done) return done;
    html += to_html(table);
    return {};
  }

  // For other programs only.
  Result<void> frame(const Table& table) {
    return io::write_text(folder_ / "tables" / (table.name + ".csv"), to_csv(table));
  }

  Result<void> figure(const Figure& figure, std::string& html) {
    const std::filesystem::path base = folder_ / "figures";
    if (Result<void> drawn = draw(figure, base); !drawn) return drawn;
    Result<std::string> svg = io::read_file(base / (figure.name + ".svg"));
    if (!svg) return svg.error();
    html += "<figure>" + slim(svg->substr(std::min(svg->size(), svg->find("<svg")))) + "<figcaption>" +
            escape_html(figure.title + ". " + figure.note) + "</figcaption></figure>\n";
    return {};
  }

 private:
  std::filesystem::path folder_;
};

std::string join(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : " ") + value;
  return text;
}

std::string where_of(const study::Match& match) {
  std::string text = "where";
  for (const auto& [factor, values] : match.values) {
    text.append(" ").append(factor).append(" = ").append(join(values)).append(";");
  }
  return text;
}

// Everything that decides what was run, quick changes included.
std::string configuration(const study::Declaration& declaration) {
  std::string text;
  for (const auto& [factor, values] : declaration.factors) text += factor + " = " + join(values) + '\n';
  text += "runs = " + std::to_string(declaration.runs) + '\n';
  for (const study::Rule& rule : declaration.rules) {
    text += where_of(rule.when);
    if (rule.skip) text += " left out";
    if (rule.runs) text += " runs = " + std::to_string(*rule.runs);
    for (const auto& [factor, value] : rule.set) text.append(" ").append(factor).append(" is ").append(value);
    text += '\n';
  }
  const study::Selection& select = declaration.select;
  if (select.grid.empty()) return text;
  text += "chosen by validation";
  if (!select.epsilon.empty()) text += ", at epsilon " + join(select.epsilon);
  if (select.dense_on) {
    text += ", for reports of every column on " + *select.dense_on + " but for the scale and the hops with it";
  }
  text += ", last round of " + std::to_string(select.runs) + (select.runs == 1 ? " run:\n" : " runs:\n");
  const auto list = [&](const study::Grid& grid) {
    for (const auto& [factor, values] : grid) text += "  " + factor + " in " + join(values) + '\n';
  };
  list(select.grid);
  for (const study::Selection::Rule& rule : select.rules) {
    text += where_of(rule.when) + '\n';
    list(rule.grid);
  }
  return text;
}

std::string contents_of(const std::vector<EvaluatedStudy>& studies) {
  std::string html = "<nav>";
  for (const EvaluatedStudy& study : studies) {
    html += "<a href=\"#" + study.declaration.id + "\">" + study.declaration.id + "</a> ";
  }
  return html + "<a href=\"#compare\">paper</a> <a href=\"#claims\">claims</a> <a href=\"#rerun\">rerun</a></nav>\n";
}

// What there is, and what came of the claims, before anything else.
std::string summary_of(const std::vector<EvaluatedStudy>& studies, const Findings& findings) {
  std::size_t there = 0;
  std::size_t wanted = 0;
  for (const EvaluatedStudy& study : studies) {
    there += study.runs_there();
    wanted += study.runs_wanted();
  }
  std::map<ClaimOutcome::Verdict, std::size_t> verdicts;
  for (const ClaimOutcome& claim : findings.claims) ++verdicts[claim.verdict];
  std::string html = "<p><b>Summary.</b> Studies: " + std::to_string(studies.size()) +
                     "; runs: " + std::to_string(there) + " of " + std::to_string(wanted) + ".";
  if (!verdicts.empty()) html += " Claims: " + std::to_string(findings.claims.size()) + " (";
  const char* between = "";
  for (const auto& [verdict, count] : verdicts) {
    html += between + std::to_string(count) + " " + escape_html(to_text(verdict));
    between = ", ";
  }
  html += (verdicts.empty() ? "" : ").") + std::string("</p>\n");
  Table table;
  table.title = "What there is";
  table.head = {"study", "about", "runs", "claims"};
  table.row_headers = 2;
  for (const EvaluatedStudy& study : studies) {
    std::map<ClaimOutcome::Verdict, std::size_t> here;
    for (const ClaimOutcome& claim : findings.claims) {
      if (claim.study == study.declaration.id) ++here[claim.verdict];
    }
    std::string said;
    for (const auto& [verdict, count] : here) {
      said += (said.empty() ? "" : ", ") + to_text(verdict) + (count > 1 ? " (" + std::to_string(count) + ")" : "");
    }
    table.rows.push_back({study.declaration.id, study.declaration.title,
                          std::to_string(study.runs_there()) + " of " + std::to_string(study.runs_wanted()),
                          said.empty() ? "none" : said});
  }
  return html + to_html(table);
}

Result<void> write_study(const EvaluatedStudy& study, Against against, Writer& writer, std::string& html) {
  const study::Declaration& declaration = study.declaration;
  html += "<h2 id=\"" + declaration.id + "\">" + escape_html(declaration.title) + "</h2>\n<p>" +
          escape_html(declaration.about) + "</p>\n";
  const std::size_t there = study.runs_there();
  const std::size_t wanted = study.runs_wanted();
  if (declaration.quick) {
    html +=
        "<p class=\"quick\">Quick: fewer runs and points than the full study; values are chosen on a smaller grid."
        "</p>\n";
  }
  if (const std::size_t bare = without_control(study); bare > 0) {
    html += "<p class=\"quick\">" + std::to_string(bare) +
            " settings have no control beside them: nothing says what the graph gives there without anybody's "
            "features.</p>\n";
  }
  if (there < wanted) {
    html += "<p class=\"quick\">" + std::to_string(there) + " of " + std::to_string(wanted) + " runs are there.</p>\n";
  }
  for (const study::TableView& view : declaration.tables) {
    if (Result<void> done = writer.table(make_table(study, view), html); !done) return done;
  }
  if (Result<void> done = writer.table(make_lift_table(study), html); !done) return done;
  for (const study::FigureView& view : declaration.figures) {
    if (Result<void> done = writer.figure(make_figure(study, view, against), html); !done) return done;
  }
  html += "<details><summary>Privacy spent, configuration, values chosen</summary>\n";
  if (Result<void> done = writer.table(make_privacy_table(study), html); !done) return done;
  html += "<pre>" + escape_html(configuration(declaration)) + "</pre>\n";
  if (Result<void> done = writer.table(make_choice_table(study), html); !done) return done;
  html += "</details>\n";
  return {};
}

}  // namespace

Findings find_all(const std::vector<EvaluatedStudy>& studies) {
  Findings findings;
  for (const EvaluatedStudy& study : studies) {
    for (Comparison& one : against_references(study)) findings.comparisons.push_back(std::move(one));
    for (PrintedComparison& one : against_print(study)) findings.printed.push_back(std::move(one));
  }
  std::vector<Comparison*> together;
  for (Comparison& one : findings.comparisons) together.push_back(&one);
  correct_together(together);
  findings.claims = judge_claims(studies);
  return findings;
}

Result<void> write_report(const std::vector<EvaluatedStudy>& studies, const std::filesystem::path& folder,
                          const ReportOptions& options) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::io, folder.string() + ": cannot be made: " + failed.message()};
  Writer writer(folder);
  const bool quick =
      std::any_of(studies.begin(), studies.end(), [](const EvaluatedStudy& one) { return one.declaration.quick; });
  const auto marked = [quick](Table table) {
    table.quick = quick;
    return table;
  };
  const Findings findings = find_all(studies);
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ppgnn study report</title><style>" +
      std::string(kStyle) +
      "</style></head><body>\n<h1>Personalised, locally private graph learning: study report</h1>\n" +
      contents_of(studies) + summary_of(studies, findings) +
      "<p><b>How to read it.</b> Accuracies are of held-out people, in percent, with 95% t intervals over "
      "runs, corrected for the overlap of their splits (fewer than three runs have none); "
      "every run draws its own split, levels and noise. The <b>control</b> is the graph alone, calibrated on the "
      "validation people: nobody reports anything. It "
      "shows what the graph and the labels give without anybody's features, so a private method is worth its lift over "
      "the control. It is the same in every table, at every budget and scale. "
      "<b>Raw</b> scale feeds unscaled noisy features to the network, as the paper does; <b>common</b> "
      "scale "
      "multiplies all of them by one number chosen by validation, which costs no privacy. Epsilon is the budget of the "
      "strictest person only; what people spend on average and at most stands with every study. The paper's protocol "
      "does not protect the level and is here for reproduction only.</p>\n";
  if (quick) {
    html += "<p class=\"quick\">This is a <b>quick</b> report: fewer runs and points than the full studies.</p>\n";
  }
  for (const std::string& note : options.notes) html += "<p class=\"quick\">" + escape_html(note) + "</p>\n";
  for (const EvaluatedStudy& study : studies) {
    if (Result<void> done = write_study(study, options.against, writer, html); !done) return done;
  }
  html += "<h2 id=\"compare\">The paper beside our measurements</h2>\n";
  if (Result<void> done = writer.table(marked(make_print_table(findings.printed)), html); !done) return done;
  html += "<h2 id=\"claims\">Claims</h2>\n";
  if (Result<void> done = writer.table(marked(make_claim_table(findings.claims)), html); !done) return done;
  html += "<details><summary>Paired comparisons</summary>\n";
  std::string csv_only;
  if (Result<void> done = writer.table(marked(make_comparison_table(findings.comparisons, false)), csv_only); !done)
    return done;
  for (const Table& frame : {make_cell_table(studies), make_run_table(studies)}) {
    if (Result<void> done = writer.frame(marked(frame)); !done) return done;
  }
  if (Result<void> done = writer.table(marked(make_comparison_table(findings.comparisons, true)), html); !done)
    return done;
  html += "</details>\n<h2 id=\"rerun\">How to make this again</h2>\n<pre>";
  for (const std::string& command : options.commands) html += escape_html(command) + "\n";
  std::set<std::string> makers;
  for (const EvaluatedStudy& study : studies) {
    for (const EvaluatedCell& cell : study.cells) {
      for (const study::Record* run : cell.runs) makers.insert(run->made_by);
    }
  }
  html += "</pre>\n<p>Runs by ppgnn ";
  for (const std::string& maker : makers) html += escape_html(maker) + "; ";
  html += "numerics " + std::to_string(study::kNumerics) + "; report by ppgnn " + escape_html(version()) +
          ". The same seeds give the same bits on one instruction set.</p>\n</body></html>\n";
  return io::write_text(folder / "report.html", html);
}

}  // namespace ppgnn::report
