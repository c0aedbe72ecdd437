#include "ppgnn/ldp/asked.hpp"

#include <string>

#include "ppgnn/ldp/public_hash.hpp"

namespace ppgnn::ldp {

std::uint64_t salt_of(std::string_view campaign, std::string_view person) {
  return public_key("ppgnn salt 1\n" + std::string(campaign) + "\n" + std::string(person));
}

}  // namespace ppgnn::ldp
