#include "ppgnn/graph/pairs.hpp"

#include "ppgnn/graph/plain.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

Result<Dataset> parse_pairs(const io::NamedBytes& file, const std::string& name) {
  return parse_plain({file, {}, {}}, name);
}

Result<Dataset> read_pairs(const std::filesystem::path& path) {
  const auto bytes = io::read_file(path);
  if (!bytes) return bytes.error();
  return parse_pairs({path.string(), *bytes}, path.stem().string());
}

}  // namespace ppgnn::graph
