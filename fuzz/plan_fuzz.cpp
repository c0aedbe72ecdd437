// Any text, under a hash that fits it: refused, or a plan whose own text it is and whose certificate holds.
#include <cstdlib>
#include <string>

#include "ppgnn/ldp/plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ppgnn::ldp::Plan;
  const std::string body(reinterpret_cast<const char*>(data), size);
  static_cast<void>(Plan::parse(body));
  const std::string text = body + "sha256 " + ppgnn::to_hex(ppgnn::sha256(body)) + "\n";
  const auto plan = Plan::parse(text);
  if (plan && (plan->text() != text || !plan->certificate().holds())) std::abort();
  return 0;
}
