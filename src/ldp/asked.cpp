#include "ppgnn/core/text.hpp"
#include "ppgnn/ldp/public_hash.hpp"
#include "ppgnn/ldp/question.hpp"

namespace ppgnn::ldp {

std::uint64_t salt_of(std::string_view campaign, std::string_view person) {
  return public_key(filled("ppgnn salt 1\n{}\n{}", {campaign, person}));
}

}  // namespace ppgnn::ldp
