#pragma once

#include <span>
#include <vector>

#include "ppgnn/calibrate/collect.hpp"
#include "ppgnn/server/question_files.hpp"

namespace ppgnn::server {

/// Answers of one round or of several, to questions of one model.
struct Answers {
  Questions questions;                         ///< one a person, nothing for who was not asked
  std::vector<calibrate::NodeReport> reports;  ///< by ascending node

  void add(const Questions& asked, std::span<const calibrate::NodeReport> answers);
};

}  // namespace ppgnn::server
