#include "ppgnn/study/declaration.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <set>

#include "ppgnn/core/names.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::study {

namespace {

bool is_name(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// Reads the parts of one file; the first problem is kept and everything after it reads as empty.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] const std::optional<Error>& error() const noexcept { return error_; }
  /// Names in the file that methods had before.
  [[nodiscard]] const std::set<const FormerName*>& former() const noexcept { return former_; }

  void fail(const toml::node& node, const std::string& message) {
    if (!error_) {
      error_ = io::at_line(file_, node.source().begin.line, message);
    }
  }

  // No key but these may be there.
  void only(const toml::table& table, std::initializer_list<std::string_view> known) {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      std::string names;
      for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
      fail(node, "unknown key '" + std::string(key.str()) + "'; known here: " + names);
    }
  }

  std::string text(const toml::table& table, std::string_view key, std::string fallback) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return fallback;
    if (const auto value = node->value_exact<std::string>()) return *value;
    fail(*node, std::string(key) + ": must be text");
    return fallback;
  }

  bool flag(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return false;
    if (const auto value = node->value_exact<bool>()) return *value;
    fail(*node, std::string(key) + ": must be true or false");
    return false;
  }

  std::optional<std::size_t> count(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value_exact<std::int64_t>(); value && *value >= 1 && *value <= 1000) {
      return static_cast<std::size_t>(*value);
    }
    fail(*node, std::string(key) + ": must be a whole number from 1 to 1000");
    return std::nullopt;
  }

  std::optional<double> number(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value<double>()) return *value;
    fail(*node, std::string(key) + ": must be a number");
    return std::nullopt;
  }

  // A value of a factor: text or number; a number has one spelling however it was written.
  std::string value(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) {
      const auto number = parse_number(*text);
      return number ? format_number(*number) : *text;
    }
    if (const auto number = node.value<double>()) return format_number(*number);
    fail(node, "must be text or a number");
    return {};
  }

  // One value or a list.
  std::vector<std::string> values(const toml::node& node) {
    std::vector<std::string> all;
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& element : *list) all.push_back(value(element));
      if (all.empty()) fail(node, "must not be empty");
    } else {
      all.push_back(value(node));
    }
    return all;
  }
  std::vector<std::string> values(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    return node == nullptr ? std::vector<std::string>() : values(*node);
  }

  // A value of this factor: one that it can have whatever the others are (nonpriv asks nothing of budgets together).
  void can_have(const std::string& factor, const toml::node& node, const std::string& value) {
    Setting setting{{"method", "nonpriv"}};
    setting[factor] = value;
    if (const auto spelled = canonical(setting); !spelled) fail(node, spelled.error().message);
  }

  // Methods go by the names of today.
  void rename(std::vector<std::string>& methods) {
    for (std::string& method : methods) {
      const FormerName* former = find_named(kFormerNames, method);
      if (former == nullptr) continue;
      former_.insert(former);
      method = former->now;
    }
  }

  // Factors in the order of kFactors.
  Grid grid(const toml::table& table) {
    for (const auto& [key, node] : table) {
      if (find_named(kFactors, key.str()) == nullptr) fail(node, "unknown factor '" + std::string(key.str()) + "'");
    }
    Grid grid;
    for (const Factor& factor : kFactors) {
      if (const toml::node* node = table.get(factor.name)) {
        auto& [name, all] = grid.emplace_back(std::string(factor.name), values(*node));
        const toml::array* list = node->as_array();
        if (factor.name == "method") rename(all);
        for (std::size_t i = 0; i < all.size(); ++i) can_have(name, list == nullptr ? *node : *list->get(i), all[i]);
      }
    }
    return grid;
  }
  Grid grid(const toml::table& table, std::string_view key) {
    const toml::table* inner = sub(table, key);
    return inner == nullptr ? Grid{} : grid(*inner);
  }
  Match match(const toml::table& table, std::string_view key) { return {grid(table, key)}; }

  // A name becomes part of a file's.
  std::string name(const toml::table& table, const std::string& fallback, std::set<std::string>& names) {
    std::string text = this->text(table, "name", fallback);
    if (!is_name(text)) fail(table, "name: may have letters, digits, - and _ only");
    if (text != fallback && !text.starts_with(fallback + "-")) text = fallback + "-" + text;
    if (text == fallback + "-privacy" || text == fallback + "-chosen" || !names.insert(text).second) {
      fail(table, "name: " + text + " is taken by another table or figure of this kind");
    }
    return text;
  }

  std::vector<std::string> factors(const toml::table& table, std::string_view key) {
    std::vector<std::string> names = values(table, key);
    for (const std::string& name : names) {
      if (find_named(kFactors, name) == nullptr) fail(*table.get(key), "unknown factor '" + name + "'");
    }
    return names;
  }

  const toml::table* sub(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return nullptr;
    if (const toml::table* inner = node->as_table()) return inner;
    fail(*node, std::string(key) + ": must be a table");
    return nullptr;
  }

  void each(const toml::table& table, std::string_view key, const std::function<void(const toml::table&)>& take) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) return fail(*node, std::string(key) + ": must be written as [[" + std::string(key) + "]]");
    for (const toml::node& element : *list) {
      if (const toml::table* inner = element.as_table()) {
        take(*inner);
      } else {
        fail(element, std::string(key) + ": must be tables");
      }
    }
  }

  void rules(const toml::table& table, std::vector<Rule>& out) {
    each(table, "rule", [&](const toml::table& entry) {
      only(entry, {"when", "skip", "runs", "set"});
      Rule rule{match(entry, "when"), flag(entry, "skip"), count(entry, "runs"), {}, false};
      for (const auto& [factor, chosen] : grid(entry, "set")) {
        if (chosen.size() != 1) fail(entry, "set: a factor can be set to one value only");
        rule.set[factor] = chosen.front();
      }
      out.push_back(std::move(rule));
    });
  }

  // A grid of values that validation can choose.
  Grid open_values(const toml::table& table) {
    std::vector<Factor> can(kFactors.begin(), kFactors.end());
    std::erase_if(can, [](const Factor& factor) { return !factor.chosen; });
    Grid open = grid(table, "grid");
    for (const auto& [factor, values] : open) {
      if (find_named(can, factor) != nullptr) continue;
      fail(table, factor + ": cannot be chosen by validation; only " + listed(can, " and ") + " can");
    }
    return open;
  }

  void selection(const toml::table& table, Selection& out) {
    const toml::table* select = sub(table, "select");
    if (select == nullptr) return;
    only(*select, {"grid", "rule", "epsilon", "dense_on", "runs"});
    out = {};
    out.grid = open_values(*select);
    each(*select, "rule", [&](const toml::table& entry) {
      only(entry, {"when", "grid"});
      out.rules.push_back({match(entry, "when"), open_values(entry)});
    });
    out.epsilon = values(*select, "epsilon");
    if (select->contains("dense_on")) out.dense_on = text(*select, "dense_on", "");
    out.runs = count(*select, "runs").value_or(1);
  }

 private:
  std::string file_;
  std::optional<Error> error_;
  std::set<const FormerName*> former_;
};

void read_views(Reader& reader, const toml::table& table, Declaration& out) {
  std::set<std::string> table_names;
  std::set<std::string> figure_names;
  reader.each(table, "table", [&](const toml::table& entry) {
    reader.only(entry, {"name", "title", "metric", "rows", "columns", "where", "printed"});
    out.tables.push_back({reader.name(entry, out.id, table_names), reader.text(entry, "title", out.title),
                          reader.text(entry, "metric", "accuracy"), reader.factors(entry, "rows"),
                          reader.factors(entry, "columns"), reader.match(entry, "where"),
                          reader.flag(entry, "printed")});
    const std::vector<std::string>& rows = out.tables.back().rows;
    if (out.tables.back().printed && (rows.empty() || rows.back() != "scale")) {
      reader.fail(entry, "printed: the last of the rows must be scale, where printed figures are told from ours");
    }
  });
  reader.each(table, "figure", [&](const toml::table& entry) {
    reader.only(entry, {"name", "title", "metric", "x", "lines", "panels", "where"});
    const auto x = reader.factors(entry, "x");
    const auto lines = reader.factors(entry, "lines");
    if (x.size() != 1 || lines.size() != 1)
      return reader.fail(entry, "a figure needs one factor as x and one as lines");
    out.figures.push_back({reader.name(entry, out.id, figure_names), reader.text(entry, "title", out.title), x[0],
                           lines[0], reader.text(entry, "metric", "accuracy"), reader.factors(entry, "panels"),
                           reader.match(entry, "where")});
  });
  reader.each(table, "claim", [&](const toml::table& entry) {
    reader.only(entry, {"text", "metric", "where", "better", "worse", "margin", "near", "within", "above", "beside"});
    Claim claim{reader.text(entry, "text", ""), reader.text(entry, "metric", "accuracy"),
                reader.match(entry, "where"),   reader.match(entry, "better"),
                reader.match(entry, "worse"),   reader.number(entry, "margin").value_or(0),
                reader.number(entry, "near"),   reader.number(entry, "within").value_or(0),
                reader.number(entry, "above"),  reader.text(entry, "beside", "")};
    const int kinds = (claim.worse.values.empty() ? 0 : 1) + (claim.near ? 1 : 0) + (claim.above ? 1 : 0);
    if (kinds != 1) reader.fail(entry, "a claim needs one of worse, near and above");
    if (!claim.beside.empty() && !claim.worse.values.empty()) reader.fail(entry, "beside goes with near or above");
    for (const auto& [factor, values] : claim.worse.values) {
      const bool varied = std::any_of(out.factors.begin(), out.factors.end(),
                                      [&, name = factor](const auto& one) { return one.first == name; });
      if (!varied) reader.fail(entry, "worse: the study does not vary " + factor);
    }
    out.claims.push_back(std::move(claim));
  });
  // Lists of values in the order of the data sets named once.
  reader.each(table, "printed", [&](const toml::table& entry) {
    reader.only(entry, {"where", "data", "percent"});
    const Match where = reader.match(entry, "where");
    const auto names = reader.values(entry, "data");
    const auto values = reader.values(entry, "percent");
    if (names.size() != values.size()) return reader.fail(entry, "data and percent must have the same length");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::optional<double> number = parse_number(values[i]);
      if (!number) return reader.fail(entry, "percent: must be numbers");
      out.printed.push_back({where.with({{{"data", {names[i]}}}}), *number / 100});
    }
  });
}

// A file that names methods as they were called before means the scale that went without saying then.
void keep_meaning(const std::set<const FormerName*>& former, Declaration& out) {
  const auto states_scale = [](const auto& entry) { return entry.first == "scale"; };
  if (std::any_of(out.factors.begin(), out.factors.end(), states_scale)) return;
  for (const FormerName* name : former) {
    if (method_named(name->now)->scale == name->scale) continue;
    Rule rule{{{{"method", {std::string(name->now)}}}}, false, {}, {{"scale", std::string(name->scale)}}, true};
    out.rules.insert(out.rules.begin(), std::move(rule));
  }
}

}  // namespace

Result<Declaration> parse_declaration(std::string_view text, const std::string& file, bool quick) {
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return io::at_line(file, error.source().begin.line, std::string(error.description()));
  }
  Reader reader(file);
  reader.only(root, {"id", "title", "about", "runs", "factors", "rule", "select", "table", "figure", "claim", "printed",
                     "quick"});
  Declaration out;
  out.id = reader.text(root, "id", "");
  out.title = reader.text(root, "title", out.id);
  out.about = reader.text(root, "about", "");
  out.quick = quick;
  out.runs = reader.count(root, "runs").value_or(10);
  out.factors = reader.grid(root, "factors");
  reader.rules(root, out.rules);
  reader.selection(root, out.select);
  read_views(reader, root, out);
  if (const toml::table* table = reader.sub(root, "quick")) {
    reader.only(*table, {"runs", "factors", "rule", "select"});
    Declaration shorter;
    shorter.runs = reader.count(*table, "runs").value_or(out.runs);
    shorter.factors = reader.grid(*table, "factors");
    reader.rules(*table, shorter.rules);
    shorter.select = out.select;
    reader.selection(*table, shorter.select);
    if (quick) {
      out.runs = shorter.runs;
      out.factors = Match{out.factors}.with({shorter.factors}).values;
      out.rules.insert(out.rules.end(), shorter.rules.begin(), shorter.rules.end());
      out.select = shorter.select;
    }
  }
  if (reader.error()) return *reader.error();
  keep_meaning(reader.former(), out);
  if (out.id.empty()) return Error{ErrorCode::malformed, file + ": there is no id"};
  if (!is_name(out.id)) {
    return Error{ErrorCode::malformed, file + ": id: may have letters, digits, - and _ only"};
  }
  if (out.factors.empty()) return Error{ErrorCode::malformed, file + ": there are no factors"};
  return out;
}

Result<Declaration> load_study(const std::string& id_or_path, bool quick) {
  for (const BuiltInStudy& study : built_in_studies()) {
    if (study.id == id_or_path) return parse_declaration(study.text, "study " + id_or_path, quick);
  }
  if (!id_or_path.ends_with(".toml")) {
    std::string ids;
    for (const BuiltInStudy& study : built_in_studies()) ids += (ids.empty() ? "" : ", ") + std::string(study.id);
    return Error{ErrorCode::invalid_argument,
                 "study: must be one of " + ids + ", or a .toml file, but is " + id_or_path};
  }
  const Result<std::string> text = io::read_file(id_or_path);
  if (!text) return text.error();
  return parse_declaration(*text, id_or_path, quick);
}

}  // namespace ppgnn::study
