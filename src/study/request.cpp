#include "ppgnn/study/request.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "ppgnn/core/text.hpp"
#include "ppgnn/io/files.hpp"

namespace ppgnn::study {

namespace {

using nlohmann::ordered_json;

constexpr const char* kWhole = "lastfm";

std::filesystem::path file_in(const std::filesystem::path& folder) {
  return folder / "studies.json";
}

void stand_in(Grid& grid) {
  for (auto& [factor, values] : grid) {
    if (factor == "data") std::replace(values.begin(), values.end(), std::string(kWhole), std::string(kLastfmSubset));
  }
}

// In what is run. What is printed elsewhere about the whole is not about the subset.
void stand_in(Declaration& declaration) {
  stand_in(declaration.factors);
  for (Rule& rule : declaration.rules) stand_in(rule.when.values);
  for (Selection::Rule& rule : declaration.select.rules) stand_in(rule.when.values);
  if (declaration.select.dense_on == kWhole) declaration.select.dense_on = kLastfmSubset;
}

}  // namespace

std::string command_of(const StudyRequest& request) {
  std::string text = "ppgnn study run " + request.study;
  if (request.quick) text += " --quick";
  for (const auto& [factor, values] : request.overrides.values) {
    text += " --" + factor + " ";
    for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + values[i];
  }
  if (request.overrides.runs) text += " --runs " + std::to_string(*request.overrides.runs);
  return text;
}

Result<PlannedStudy> plan_study(const StudyRequest& request) {
  Result<Declaration> declaration = request.text.empty()
                                        ? load_study(request.study, request.quick)
                                        : parse_declaration(request.text, request.study, request.quick);
  if (!declaration) return declaration.error();
  Overrides overrides = request.overrides;
  if (!request.whole_lastfm) {
    stand_in(*declaration);
    stand_in(overrides.values);
  }
  apply(overrides, *declaration);
  Result<std::vector<Cell>> cells = expand(*declaration);
  if (!cells) return cells.error();
  return PlannedStudy{std::move(declaration).value(), std::move(cells).value()};
}

Result<std::vector<PlannedStudy>> plan_studies(std::vector<StudyRequest>& requests, const graph::LoadOptions& options) {
  std::vector<PlannedStudy> studies;
  std::optional<bool> whole;
  for (StudyRequest& request : requests) {
    if (request.study.ends_with(".toml")) {
      Result<std::string> text = io::read_file(request.study);
      if (!text) return text.error();
      request.text = std::move(text).value();
    }
    Result<PlannedStudy> planned = plan_study(request);
    if (!planned) return planned.error();
    const bool named = std::any_of(planned->cells.begin(), planned->cells.end(),
                                   [](const Cell& cell) { return value_of(cell.canonical, "data") == kWhole; });
    if (named && !whole) {
      graph::LoadOptions without_features = options;
      without_features.missing_features = graph::MissingFeatures::accept;
      const Result<graph::Dataset> lastfm = graph::load(kWhole, without_features);
      if (!lastfm) return lastfm.error();
      whole = lastfm->features.cols() > 0;
    }
    if (named && !*whole) {
      request.whole_lastfm = false;
      planned = plan_study(request);
      if (!planned) return planned.error();
    }
    for (std::size_t i = 0; i < studies.size(); ++i) {
      if (studies[i].declaration.id != planned->declaration.id) continue;
      return Error{ErrorCode::invalid_argument, requests[i].study + " and " + request.study + " have the same id, " +
                                                    planned->declaration.id + ": their results would mix"};
    }
    studies.push_back(std::move(planned).value());
  }
  return studies;
}

bool same_runs(const StudyRequest& a, const StudyRequest& b) {
  return a.text == b.text && (!a.text.empty() || a.study == b.study) && a.quick == b.quick &&
         a.whole_lastfm == b.whole_lastfm && a.overrides.values == b.overrides.values &&
         a.overrides.runs == b.overrides.runs;
}

void replace_requests(std::vector<StudyRequest>& before, const std::vector<StudyRequest>& now) {
  const auto id_of = [](const StudyRequest& request) {
    const Result<PlannedStudy> planned = plan_study(request);
    return planned ? planned->declaration.id : request.study;
  };
  for (const StudyRequest& request : now) {
    std::erase_if(before, [&](const StudyRequest& other) { return id_of(other) == id_of(request); });
    before.push_back(request);
  }
}

Result<std::vector<StudyRequest>> read_requests(const std::filesystem::path& folder) {
  std::vector<StudyRequest> all;
  const std::filesystem::path path = file_in(folder);
  if (!std::filesystem::exists(path)) return all;
  const Result<std::string> text = io::read_file(path);
  if (!text) return text.error();
  const ordered_json json = ordered_json::parse(*text, nullptr, false);
  try {
    for (const ordered_json& entry : json.at("studies")) {
      StudyRequest request{from_utf8(entry.at("study").get<std::string>()),
                           entry.at("quick").get<bool>(),
                           entry.at("lastfm").get<bool>(),
                           {},
                           {}};
      for (const auto& [factor, values] : entry.at("values").items()) {
        auto& [name, all_values] =
            request.overrides.values.emplace_back(factor, values.get<std::vector<std::string>>());
        for (std::string& value : all_values) value = from_utf8(value);
      }
      if (entry.contains("text")) request.text = entry.at("text").get<std::string>();
      if (entry.contains("runs")) request.overrides.runs = entry.at("runs").get<std::size_t>();
      all.push_back(std::move(request));
    }
  } catch (const nlohmann::json::exception&) {
    return Error{ErrorCode::malformed, path.string() + ": not a list of studies"};
  }
  return all;
}

Result<void> write_requests(const std::filesystem::path& folder, const std::vector<StudyRequest>& requests) {
  ordered_json json{{"studies", ordered_json::array()}};
  for (const StudyRequest& request : requests) {
    ordered_json entry{{"study", to_utf8(request.study)},
                       {"quick", request.quick},
                       {"lastfm", request.whole_lastfm},
                       {"values", ordered_json::object()}};
    for (const auto& [factor, values] : request.overrides.values) {
      entry["values"][factor] = ordered_json::array();
      for (const std::string& value : values) entry["values"][factor].push_back(to_utf8(value));
    }
    if (!request.text.empty()) entry["text"] = request.text;
    if (request.overrides.runs) entry["runs"] = *request.overrides.runs;
    json["studies"].push_back(std::move(entry));
  }
  return io::write_text(file_in(folder), json.dump(1) + '\n');
}

}  // namespace ppgnn::study
