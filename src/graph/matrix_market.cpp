#include "ppgnn/graph/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "ppgnn/core/number.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

namespace {

constexpr std::size_t kNodesWithoutEntries = std::size_t{1} << 20;  // that a size may promise in a short file

// The words of one line after the other.
class Lines {
 public:
  explicit Lines(const io::NamedBytes& file) : file_(file) {}

  // The next line that is neither empty nor a comment; false at the end.
  bool next() {
    while (at_ < file_.bytes.size()) {
      const std::size_t end = std::min(file_.bytes.find('\n', at_), file_.bytes.size());
      split(file_.bytes.substr(at_, end - at_));
      at_ = end + 1;
      ++line_;
      if (!words_.empty() && (line_ == 1 || !words_.front().starts_with('%'))) return true;
    }
    return false;
  }
  [[nodiscard]] const std::vector<std::string_view>& words() const noexcept { return words_; }
  [[nodiscard]] Error error(const std::string& what) const { return io::at_line(file_.name, line_, what); }

 private:
  void split(std::string_view line) {
    words_.clear();
    constexpr std::string_view kBlanks = " \t\r";
    for (std::size_t start = line.find_first_not_of(kBlanks); start != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, start), line.size());
      words_.push_back(line.substr(start, end - start));
      start = line.find_first_not_of(kBlanks, end);
    }
  }

  io::NamedBytes file_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::vector<std::string_view> words_;
};

bool is(std::string_view word, std::string_view wanted) {
  return std::equal(word.begin(), word.end(), wanted.begin(), wanted.end(), [](char one, char other) {
    return (one >= 'A' && one <= 'Z' ? static_cast<char>(one - 'A' + 'a') : one) == other;
  });
}

// How many numbers an entry has after its place; nothing for a field that is none.
std::optional<std::size_t> numbers_of(std::string_view field) {
  if (is(field, "pattern")) return 0;
  if (is(field, "real") || is(field, "integer")) return 1;
  if (is(field, "complex")) return 2;
  return std::nullopt;
}

Result<std::size_t> read_header(Lines& lines) {
  if (!lines.next() || !is(lines.words().front(), "%%matrixmarket") || lines.words().size() != 5) {
    return lines.error("not %%MatrixMarket matrix coordinate FIELD SYMMETRY");
  }
  const auto& words = lines.words();
  if (!is(words[1], "matrix") || !is(words[2], "coordinate")) {
    return lines.error("found '" + std::string(words[1].substr(0, 40)) + " " + std::string(words[2].substr(0, 40)) +
                       "': only a sparse matrix, 'matrix coordinate', is a graph");
  }
  const auto numbers = numbers_of(words[3]);
  if (!numbers) return lines.error("the field is none of real, integer, complex and pattern");
  return *numbers;
}

}  // namespace

Result<Dataset> parse_matrix_market(const io::NamedBytes& file, const std::string& name) {
  Lines lines(file);
  const Result<std::size_t> numbers = read_header(lines);
  if (!numbers) return numbers.error();
  std::array<std::uint64_t, 3> sizes{};
  if (!lines.next() || lines.words().size() != 3) return lines.error("not rows, columns and entries");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto size = parse_unsigned(lines.words()[i]);
    if (!size) return lines.error("not rows, columns and entries");
    sizes[i] = *size;
  }
  if (sizes[0] != sizes[1]) {
    return lines.error("the matrix has " + std::to_string(sizes[0]) + " rows but " + std::to_string(sizes[1]) +
                       " columns: who knows whom is square");
  }
  const std::size_t nodes = sizes[0];
  // An entry is at least "1 1\n".
  if (nodes > std::max(kNodesWithoutEntries, file.bytes.size()) || sizes[2] > file.bytes.size() / 3) {
    return lines.error("the sizes do not fit the file's length");
  }
  std::vector<Edge> edges;
  edges.reserve(sizes[2]);
  std::uint64_t entries = 0;
  for (; lines.next(); ++entries) {
    const auto& words = lines.words();
    if (words.size() != 2 + *numbers) return lines.error("not a row, a column and what the field needs");
    const auto row = parse_unsigned(words[0]);
    const auto column = parse_unsigned(words[1]);
    if (!row || !column || *row < 1 || *column < 1 || *row > nodes || *column > nodes) {
      return lines.error("an entry outside the matrix; rows and columns are counted from 1");
    }
    bool zero = *numbers > 0;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const auto value = parse_number(words[i]);
      if (!value) return lines.error("not a number");
      zero = zero && *value == 0;
    }
    if (!zero) edges.push_back({static_cast<NodeId>(*row - 1), static_cast<NodeId>(*column - 1)});
  }
  if (entries != sizes[2]) {
    return lines.error("there are " + std::to_string(entries) + " entries, " + std::to_string(sizes[2]) +
                       " were announced");
  }
  auto graph = build_graph(nodes, std::move(edges));
  if (!graph) return io::in_file(file.name, graph.error());
  return Dataset{
      name, std::move(*graph), no_features(nodes), std::vector<std::int32_t>(nodes, kUnknown), {}, NodeNames(nodes),
      {}};
}

Result<Dataset> read_matrix_market(const std::filesystem::path& path) {
  const auto bytes = io::read_file(path);
  if (!bytes) return bytes.error();
  return parse_matrix_market({path.string(), *bytes}, path.stem().string());
}

}  // namespace ppgnn::graph
