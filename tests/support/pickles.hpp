#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

/// Writes the pickles that Planetoid files are made of, opcode by opcode, as Python 2 does.
namespace ppgnn::test {

inline std::string number(std::int64_t value) {
  std::string text = "J";
  for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(value >> shift);
  return text;
}

inline std::string short_text(const std::string& text) {
  return std::string("U") + static_cast<char>(text.size()) + text;
}

inline std::string long_text(const std::string& text) {
  return "T" + number(static_cast<std::int64_t>(text.size())).substr(1) + text;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// An ndarray; `shape` is the code that pushes its tuple.
inline std::string array(const std::string& type, const std::string& shape, const std::string& bytes) {
  return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK" + std::string(1, '\0') + "\x85" + short_text("b") +
         "\x87R(K\x01" + shape + "cnumpy\ndtype\n" + short_text(type) + "K" + std::string(1, '\0') +
         "K\x01\x87R(K\x03" + short_text("<") + "NNN" + number(-1) + number(-1) + "K" + std::string(1, '\0') +
         "tb\x89" + long_text(bytes) + "tb";
}

template <class T>
std::string list_array(const std::string& type, const std::vector<T>& values) {
  return array(type, number(static_cast<std::int64_t>(values.size())) + "\x85", raw(values));
}

inline std::string whole(const std::string& code) {
  return "\x80\x02" + code + ".";
}

/// A csr_matrix file.
inline std::string matrix_pickle(std::int64_t rows, std::int64_t cols, const std::vector<std::int32_t>& indptr,
                                 const std::vector<std::int32_t>& indices, const std::vector<float>& data) {
  return whole("cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + short_text("_shape") + number(rows) + number(cols) + "\x86" +
               short_text("indptr") + list_array("i4", indptr) + short_text("indices") + list_array("i4", indices) +
               short_text("data") + list_array("f4", data) + "ub");
}

/// A file of one-hot labels.
inline std::string label_pickle(std::int64_t rows, std::int64_t classes, const std::vector<std::int32_t>& cells) {
  return whole(array("i4", number(rows) + number(classes) + "\x86", raw(cells)));
}

/// A file of neighbours: node, list of neighbours.
inline std::string graph_pickle(const std::vector<std::vector<std::int64_t>>& neighbours) {
  std::string code = "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(";
  for (std::size_t node = 0; node < neighbours.size(); ++node) {
    code += number(static_cast<std::int64_t>(node)) + "](";
    for (const std::int64_t neighbour : neighbours[node]) code += number(neighbour);
    code += "e";
  }
  return whole(code + "u");
}

}  // namespace ppgnn::test
