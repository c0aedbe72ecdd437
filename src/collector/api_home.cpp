// What devices fetch that decide at home: the campaign's one model, for anybody, and a person's hint.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "collector/responses.hpp"
#include "collector/view.hpp"
#include "ppgnn/collector/api.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/core/text.hpp"

namespace ppgnn::collector {

Result<void> Api::load_published(View& view) {
  Result<std::optional<std::string>> model = store_.kept("model");
  if (!model) return model.error();
  if (!*model) return {};
  Result<std::optional<std::string>> lift = store_.kept("lift");
  if (!lift) return lift.error();
  const Result<std::optional<std::string>> withdrawn = store_.kept("withdrawn");
  if (!withdrawn) return withdrawn.error();
  view.published = std::make_shared<const View::Published>(
      View::Published{std::move(**model), std::move(lift).value().value_or(""), withdrawn->has_value()});
  return {};
}

Response Api::model() {
  const auto now = view();
  if (now->published == nullptr) return problem_response(Problem::not_found, "no model is published");
  const View::Published& published = *now->published;
  return {
      200, "text/plain; charset=utf-8", published.model, {{"ETag", '"' + std::string(published.hash()) + '"'}}, false};
}

Response Api::hint(const std::string& person) {
  const auto now = view();
  const std::string_view name = person;
  const auto standings = store_.standings({&name, 1});
  if (!standings) return problem_response(Problem::storage, {});
  if (!standings->front().enrolled) return problem_response(Problem::unauthorised, "not enrolled");
  if (standings->front().erased) return problem_response(Problem::erased, {});
  if (now->published == nullptr) return problem_response(Problem::not_found, "no model is published");
  Result<std::vector<std::uint8_t>> hint = store_.hint_of(name);
  if (!hint) return problem_response(Problem::storage, {});
  if (hint->empty()) *hint = {1, 0};  // docs/formats/hint.md: nothing of the person, who came later
  return json_response(200, {{"campaign", now->name},
                             {"person", to_utf8(person)},
                             {"round", now->rounds.size() - 1},
                             {"model", now->published->hash()},
                             {"hint", to_hex(*hint)},
                             {"withdrawn", now->published->withdrawn}});
}

}  // namespace ppgnn::collector
