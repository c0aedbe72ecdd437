// Any text, under a hash that fits it: refused, or a plan whose own text it is, whose certificate holds, and of which a
// report can be made at every level and read back.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "ppgnn/ldp/perturb.hpp"
#include "ppgnn/wire/report_format.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ppgnn::ldp::Plan;
  const std::string body(reinterpret_cast<const char*>(data), size);
  static_cast<void>(Plan::parse(body));
  const std::string text = body + "sha256 " + ppgnn::to_hex(ppgnn::sha256(body)) + "\n";
  const auto plan = Plan::parse(text);
  if (!plan) return 0;
  if (plan->text() != text || !plan->certificate().holds()) std::abort();
  std::optional<ppgnn::ldp::Question> question;
  if (const auto& model = plan->tables().model) {
    std::vector<std::uint16_t> classes(model->classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<std::uint16_t>(i);
    question =
        ppgnn::ldp::Question::make(*model, classes, std::vector<std::int16_t>(model->fused() ? classes.size() : 0, 9))
            .value();
  }
  const std::uint32_t last = plan->schema().dim() - 1;
  ppgnn::random::SecureSource bits;
  for (std::uint32_t level = 1; level <= plan->levels().size(); ++level) {
    ppgnn::ldp::Report report;
    ppgnn::ldp::perturb(*plan, ppgnn::ldp::Level{level}, ppgnn::ldp::Row::ones({&last, 1}),
                        {7, question ? &*question : nullptr}, bits, report);
    const auto read = ppgnn::wire::decode(*plan, ppgnn::wire::encode(*plan, report));
    if (!read || *read != report) std::abort();
  }
  return 0;
}
