#include "ppgnn/server/question_files.hpp"

#include <string>
#include <string_view>

#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/csv.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/ldp/answer_response.hpp"

namespace ppgnn::server {

Result<void> write_questions(const std::filesystem::path& path, const graph::Dataset& dataset,
                             const ldp::Questions& questions) {
  std::string text = "node,question\n";
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    if (!questions[node]) continue;
    text += io::csv_field(dataset.nodes.name(node)) + ',' + to_hex(questions[node]->bytes()) + '\n';
  }
  return io::write_text(path, text);
}

Result<ldp::Questions> read_questions(const std::filesystem::path& path, const graph::Dataset& dataset,
                                      const ldp::Plan& plan) {
  if (!plan.tables().model) return Error{ErrorCode::invalid_argument, "questions: the plan asks none"};
  ldp::Questions questions(dataset.num_nodes());
  const auto take = [&](graph::NodeId node, std::string_view value) -> std::string {
    const auto bytes = from_hex(value);
    if (!bytes) return "question: not hexadecimal";
    Result<ldp::Question> question = ldp::question_of(plan.tables(), *bytes);
    if (!question) return question.error().message;
    questions[node] = std::move(question).value();
    return {};
  };
  if (Result<void> read = graph::read_node_lines(path, dataset.nodes, "question", take); !read) return read.error();
  return questions;
}

}  // namespace ppgnn::server
