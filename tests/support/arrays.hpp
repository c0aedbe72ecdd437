#pragma once

#include <zip.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

/// Writes NumPy files as numpy does.
namespace ppgnn::test {

/// An array file with any header text and bytes.
inline std::string npy_file(const std::string& header, const std::string& data) {
  const auto size = header.size() + 1;
  return "\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(size & 255) + static_cast<char>(size >> 8) +
         header + "\n" + data;
}

inline std::string npy_header(const std::string& type, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values,
                const char* fortran = "False") {
  std::string data(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(data.data(), values.data(), data.size());
  return npy_file(npy_header(type, shape, fortran), data);
}

template <class T>
std::string npy_list(const std::string& type, const std::vector<T>& values) {
  return npy(type, "(" + std::to_string(values.size()) + ",)", values);
}

using Members = std::vector<std::pair<std::string, std::string>>;

/// A zip archive of the members, by libzip.
inline std::string zip_archive(const Members& members, zip_int32_t method) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  for (const auto& [name, bytes] : members) {
    zip_source_t* content = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), content, ZIP_FL_OVERWRITE);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0);
  }
  zip_close(archive);
  zip_stat_t status;
  zip_source_stat(target, &status);
  std::string bytes(status.size, '\0');
  zip_source_open(target);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  return bytes;
}

}  // namespace ppgnn::test
