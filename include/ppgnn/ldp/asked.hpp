#pragma once

#include <cstdint>
#include <string_view>

#include "ppgnn/ldp/question.hpp"

namespace ppgnn::ldp {

/// What is public about one person when a report is made: it depends on nothing private, and the server computes the
/// same.
struct Asked {
  std::uint64_t salt = 0;              ///< of the person: decides where words go and who wins ties
  const Question* question = nullptr;  ///< which classes an answer chooses from; of an answer's plan only
};

/// The salt of a person in a campaign, by the name that device and server both know the person by.
std::uint64_t salt_of(std::string_view campaign, std::string_view person);

}  // namespace ppgnn::ldp
