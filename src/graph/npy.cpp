#include "graph/npy.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "graph/sparse_rows.hpp"
#include "ppgnn/core/number.hpp"
#include "ppgnn/core/sizes.hpp"

namespace ppgnn::graph {

namespace {

using Widen = std::vector<double> (*)(std::string_view);

// The element types that are read, by their numpy name without byte order.
const std::map<std::string, Widen, std::less<>>& readable_types() {
  static const std::map<std::string, Widen, std::less<>> types{
      {"b1", widen<std::uint8_t>},  {"u1", widen<std::uint8_t>},  {"i1", widen<std::int8_t>},
      {"u2", widen<std::uint16_t>}, {"i2", widen<std::int16_t>},  {"u4", widen<std::uint32_t>},
      {"i4", widen<std::int32_t>},  {"u8", widen<std::uint64_t>}, {"i8", widen<std::int64_t>},
      {"f4", widen<float>},         {"f8", widen<double>}};
  return types;
}

// The header is a Python dict of three known keys; this reads that text and nothing more of Python.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  bool take(std::string_view wanted) {
    const std::size_t start = text_.find_first_not_of(" \n");
    if (start == std::string_view::npos || !text_.substr(start).starts_with(wanted)) return false;
    text_.remove_prefix(start + wanted.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    if (!take("'")) return std::nullopt;
    const std::size_t end = text_.find('\'');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return word;
  }
  std::optional<std::vector<std::uint64_t>> sizes() {
    std::vector<std::uint64_t> found;
    if (!take("(")) return std::nullopt;
    while (!take(")")) {
      text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size()));
      const std::size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
      const auto size = parse_unsigned(text_.substr(0, digits));
      if (!size) return std::nullopt;
      text_.remove_prefix(digits);
      found.push_back(*size);
      if (!take(",")) return take(")") ? std::optional(found) : std::nullopt;
    }
    return found;
  }
  [[nodiscard]] bool at_end() const { return text_.find_first_not_of(" \n") == std::string_view::npos; }

 private:
  std::string_view text_;
};

struct ArrayHeader {
  std::optional<std::string_view> descr;
  std::optional<NpyOrder> order;
  std::optional<std::vector<std::uint64_t>> shape;
};

std::optional<ArrayHeader> parse_header(std::string_view text) {
  HeaderText header(text);
  ArrayHeader found;
  if (!header.take("{")) return std::nullopt;
  while (!header.take("}")) {
    const auto key = header.quoted();
    if (!key || !header.take(":")) return std::nullopt;
    if (*key == "descr") {
      found.descr = header.quoted();
    } else if (*key == "shape") {
      found.shape = header.sizes();
    } else if (*key == "fortran_order") {
      if (header.take("False")) {
        found.order = NpyOrder::row_major;
      } else if (header.take("True")) {
        found.order = NpyOrder::column_major;
      }
    } else {
      return std::nullopt;
    }
    if (!header.take(",") && !header.take("}")) return std::nullopt;
    if (header.at_end()) break;
  }
  return header.at_end() && found.descr && found.order && found.shape ? std::optional(found) : std::nullopt;
}

}  // namespace

std::vector<double> NpyArray::elements() const {
  return readable_types().find(type)->second(data);
}

Result<NpyArray> parse_npy(const io::NamedBytes& file) {
  const std::string_view bytes = file.bytes;
  if (!bytes.starts_with(kNpyMagic) || bytes.size() < 10) return io::at_byte(file.name, 0, "not a NumPy array file");
  const auto byte = [&](std::size_t at) { return std::size_t{static_cast<std::uint8_t>(bytes[at])}; };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return io::at_byte(file.name, 6, "version " + std::to_string(version) + " is not 1, 2 or 3");
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) return io::at_byte(file.name, bytes.size(), "the file ends within its header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) return io::at_byte(file.name, 8, "the header is longer than the file");
  const auto header = parse_header(bytes.substr(start, length));
  if (!header) return io::at_byte(file.name, start, "the header is not {descr, fortran_order, shape}");

  NpyArray array;
  array.type = header->descr->empty() ? "" : header->descr->substr(1);
  array.order = *header->order;
  array.shape = *header->shape;
  array.data = bytes.substr(start + length);
  const bool one_byte = array.type.ends_with('1');
  const bool order_fits = header->descr->starts_with('<') || (one_byte && header->descr->starts_with('|'));
  if (!order_fits || !readable_types().contains(array.type)) {
    return io::at_byte(file.name, start,
                       "element type '" + std::string(header->descr->substr(0, 20)) + "' is not read");
  }
  std::optional<std::size_t> size = static_cast<std::size_t>(array.type[1] - '0');
  for (const std::uint64_t extent : array.shape) {
    size = checked_product({*size, extent});
    if (!size || *size > array.data.size()) {
      return io::at_byte(file.name, start, "the shape needs more bytes than the file has");
    }
  }
  if (*size != array.data.size())
    return io::at_byte(file.name, start + length, "the shape and the number of bytes differ");
  return array;
}

}  // namespace ppgnn::graph
