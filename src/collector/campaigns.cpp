#include <string_view>

#include "ppgnn/collector/http_server.hpp"

namespace ppgnn::collector {

Api* campaign_for(Api& only, const std::map<std::string, Api*>& campaigns, std::string& target) {
  constexpr std::string_view kNamed = "/v1/campaigns/";
  if (target.starts_with(kNamed)) {
    const std::size_t end = target.find_first_of("/?", kNamed.size());
    const auto found = campaigns.find(target.substr(kNamed.size(), end - kNamed.size()));
    if (found == campaigns.end() || end == std::string::npos) return nullptr;
    std::string rest = target.substr(end);
    target = Api::route("GET", rest) != nullptr ? rest : "/v1" + rest;
    return found->second;
  }
  return campaigns.size() > 1 && target.starts_with("/v1/") ? nullptr : &only;
}

}  // namespace ppgnn::collector
