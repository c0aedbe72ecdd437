#include "ppgnn/graph/ties.hpp"

#include "ppgnn/graph/plain.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

Result<Dataset> parse_ties(const TiesFiles& files, const std::string& name) {
  return parse_plain({files.ties, files.members, {}}, name);
}

Result<Dataset> read_ties(const TiesPaths& paths, const std::string& name) {
  const auto ties = io::read_file(paths.ties);
  if (!ties) return ties.error();
  const auto members = io::read_file(paths.members);
  if (!members) return members.error();
  return parse_ties({{paths.ties.string(), *ties}, {paths.members.string(), *members}}, name);
}

}  // namespace ppgnn::graph
