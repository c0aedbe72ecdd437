// Any bytes as a question of two models: refused, or a question whose own bytes they are.
#include <algorithm>
#include <cstdlib>

#include "ppgnn/ldp/question.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ppgnn;
  for (const std::uint32_t unit : {0U, 40U}) {
    ldp::QuestionModel model;
    model.classes = {"a", "b", "c", "d", "e"};
    model.unit = unit;
    const auto question = ldp::Question::parse(model, {data, size});
    if (question && !std::equal(question->bytes().begin(), question->bytes().end(), data, data + size)) std::abort();
  }
  return 0;
}
