#include "command.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ppgnn::app {

Status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return Status::usage;
    case ErrorCode::malformed:
    case ErrorCode::mismatch:
      return Status::bad_input;
    case ErrorCode::certificate:
      return Status::refuted;
    case ErrorCode::io:
      break;
  }
  return Status::unavailable;
}

Status fail(const Error& error) {
  fmt::print(stderr, "ppgnn: {}\n", error.message);
  return status_of(error.code);
}

void print_json(const nlohmann::ordered_json& object) {
  fmt::print("{}\n", object.dump(2));
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.good() && !file.eof()) return Error{ErrorCode::io, path + ": cannot be read: " + std::strerror(errno)};
  if (file.bad()) return Error{ErrorCode::io, path + ": cannot be read to its end"};
  return content;
}

}  // namespace ppgnn::app
