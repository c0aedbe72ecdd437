#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/plans.hpp"

/// tests/client/feature_cases.json: files of features with what is read from them, for the native client and the module.
namespace ppgnn::test {

inline nlohmann::json feature_cases(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

/// A plan of each schema in the cases.
inline std::map<std::string, ldp::Plan> feature_plans(const nlohmann::json& cases) {
  std::map<std::string, ldp::Plan> plans;
  for (const auto& [name, groups] : cases.at("schemas").items()) {
    ldp::PlanRequest request = signs_request({1, 2}, 1);
    request.columns.clear();
    for (const auto& group : groups) {
      request.columns.push_back({group[0], group[1],
                                 group[2] == "number" ? ldp::ColumnKind::number : ldp::ColumnKind::binary, group[3],
                                 group[4], group[5]});
    }
    plans.emplace(name, plan_of(request));
  }
  return plans;
}

}  // namespace ppgnn::test
