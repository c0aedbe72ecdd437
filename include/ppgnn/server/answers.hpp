#pragma once

#include <span>
#include <vector>

#include "ppgnn/ldp/question.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::server {

/// Answers of one round or of several, to questions of one model.
struct Answers {
  ldp::Questions questions;              ///< one a person, nothing for who was not asked
  std::vector<ldp::NodeReport> reports;  ///< by ascending node

  void add(const ldp::Questions& asked, std::span<const ldp::NodeReport> answers);
};

}  // namespace ppgnn::server
