#pragma once

#include <string>
#include <vector>

namespace ppgnn::kernels {

/// The instruction set the kernels run on here ("AVX3", "AVX2", "SSE4", ...). Results record it: bits are the same for
/// any thread count on one instruction set, and agree between instruction sets to rounding only.
std::string instruction_set();

/// Every instruction set in this binary that this machine has, best first.
std::vector<std::string> instruction_sets();

/// Restricts the kernels to one of instruction_sets() until it is destroyed, for tests and benchmarks.
///
/// Threads  For the whole process; not while kernels run.
class OnlyInstructionSet {
 public:
  explicit OnlyInstructionSet(const std::string& name);
  ~OnlyInstructionSet();
  OnlyInstructionSet(const OnlyInstructionSet&) = delete;
  OnlyInstructionSet& operator=(const OnlyInstructionSet&) = delete;
};

}  // namespace ppgnn::kernels
