#include "ppgnn/kernels/instruction_set.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace ppgnn::kernels {

std::string instruction_set() {
  return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front());
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

OnlyInstructionSet::OnlyInstructionSet(const std::string& name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) hwy::SetSupportedTargetsForTest(target);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

OnlyInstructionSet::~OnlyInstructionSet() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace ppgnn::kernels
