// A table as CSV, LaTeX, HTML and plain text.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/io/csv.hpp"
#include "ppgnn/report/table.hpp"

namespace ppgnn::report {

namespace {

constexpr const char* kQuick = "Quick: fewer runs and points than declared.";

std::string note_of(const Table& table) {
  return table.quick ? table.note + " " + kQuick : table.note;
}

// Numbers stand right, words left.
bool is_number(const std::string& text) {
  return text.empty() || text.find_first_of("0123456789+-.<[") == 0;
}

std::string escape_latex(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&' || c == '%' || c == '$' || c == '#' || c == '_' || c == '{' || c == '}') out += '\\';
    if (c == '\xc2' || c == '\xb1') {  // the two bytes of ±
      out += c == '\xb1' ? "$\\pm$" : "";
    } else if (c == '<' || c == '>') {
      out += std::string("$") + c + "$";
    } else if (c == '^' || c == '~') {
      out += std::string("\\") + c + "{}";
    } else if (c == '\\') {
      out += "\\textbackslash{}";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string to_csv(const Table& table) {
  std::string text;
  const auto line = [&](const std::vector<std::string>& fields, const char* quick) {
    for (std::size_t i = 0; i < fields.size(); ++i) text += (i == 0 ? "" : ",") + io::csv_field(fields[i]);
    text += table.quick ? std::string(",") + quick + "\n" : "\n";
  };
  line(table.head, "quick");
  for (const auto& row : table.plain.empty() ? table.rows : table.plain) line(row, "yes");
  return text;
}

std::string to_latex(const Table& table) {
  std::string text = "% " + table.title + ". " + note_of(table) + "\n\\begin{tabular}{";
  for (std::size_t i = 0; i < table.head.size(); ++i) text += i < table.row_headers ? 'l' : 'r';
  text += "}\n\\hline\n";
  const auto line = [&](const std::vector<std::string>& fields, std::optional<std::size_t> row) {
    bool repeated = row && *row > 0;  // what heads the row above too is said once
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool bold = row && table.best.contains({*row, i});
      repeated = repeated && i + 1 < table.row_headers && fields[i] == table.rows[*row - 1][i];
      const std::string field = repeated ? "" : escape_latex(fields[i]);
      text += (i == 0 ? "" : " & ") + (bold ? "\\textbf{" + field + "}" : field);
    }
    text += " \\\\\n";
  };
  line(table.head, {});
  text += "\\hline\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) line(table.rows[row], row);
  text += "\\hline\n";
  if (table.quick) {
    text += "\\multicolumn{" + std::to_string(table.head.size()) + "}{l}{" + escape_latex(kQuick) + "} \\\\\n";
  }
  return text + "\\end{tabular}\n";
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string to_html(const Table& table) {
  // In a frame of its own, which scrolls where even the whole window is too narrow; by keyboard too.
  std::string text = "<div class=\"wide\" tabindex=\"0\"><table><caption>" + escape_html(table.title) + "<br><small>" +
                     escape_html(note_of(table)) + "</small></caption>\n<thead><tr>";
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    const bool words = i < table.row_headers || (!table.rows.empty() && !is_number(table.rows.front()[i]));
    text += (words ? "<th class=w>" : "<th>") + escape_html(table.head[i]);
  }
  text += "<tbody>\n";
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    const std::vector<std::string>& row = table.rows[at];
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool bold = table.best.contains({at, i});
      text += i < table.row_headers ? "<th>" : is_number(row[i]) ? "<td>" : "<td class=w>";
      text += bold ? "<b>" + escape_html(row[i]) + "</b>" : escape_html(row[i]);
    }
    text += '\n';
  }
  return text + "</table></div>\n";  // HTML closes cells, rows and sections by itself
}

namespace {

// Characters of UTF-8.
std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string to_plain(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& head : table.head) widths.push_back(letters(head));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letters(row[i]));
  }
  std::string text = table.title + "\n" + note_of(table) + "\n\n";
  const auto line = [&](const std::vector<std::string>& fields) {
    std::string one;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      one += "  " + fields[i];
      if (i + 1 < fields.size()) one.append(widths[i] - letters(fields[i]), ' ');
    }
    text += one + '\n';
  };
  line(table.head);
  for (const auto& row : table.rows) line(row);
  return text;
}

}  // namespace ppgnn::report
