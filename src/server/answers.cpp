#include "ppgnn/server/answers.hpp"

#include <algorithm>

namespace ppgnn::server {

void Answers::add(const ldp::Questions& asked, std::span<const ldp::NodeReport> answers) {
  questions.resize(std::max(questions.size(), asked.size()));
  for (std::size_t person = 0; person < asked.size(); ++person) {
    if (asked[person]) questions[person] = asked[person];
  }
  reports.insert(reports.end(), answers.begin(), answers.end());
  // Sums depend on the order, and in which round somebody answered must not matter.
  std::sort(reports.begin(), reports.end(), [](const auto& one, const auto& other) { return one.node < other.node; });
}

}  // namespace ppgnn::server
