// The API's description against the implementation: every path, status and schema, over HTTP.
#include "collector/openapi.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "collector/forwarding_store.hpp"
#include "collector/http.hpp"
#include "collector/support.hpp"
#include "ppgnn/collector/batch.hpp"
#include "support/cbor_batch.hpp"

namespace ppgnn::collector {
namespace {

using nlohmann::json;
using test::request_text;

// What is wrong with a value, by the part of JSON Schema that the description uses; anything else in a schema is an error.
std::string problem_with(const json& value, const json& schema, const json& root, const std::string& at = "$") {
  if (schema.contains("$ref")) {
    const std::string reference = schema["$ref"];
    return problem_with(value, root.at(json::json_pointer(reference.substr(1))), root, at);
  }
  static const std::set<std::string> known{"type",  "enum",        "required", "properties", "additionalProperties",
                                           "items", "description", "format",   "maxLength",  "minimum"};
  for (const auto& [key, ignored] : schema.items()) {
    if (!known.contains(key)) return at + ": the schema has " + key;
  }
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
    const bool fits = std::any_of(types.begin(), types.end(), [&](const json& type) {
      return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
             (type == "string" && value.is_string()) || (type == "integer" && value.is_number_integer()) ||
             (type == "number" && value.is_number()) || (type == "boolean" && value.is_boolean()) ||
             (type == "null" && value.is_null());
    });
    if (!fits) return at + ": another type";
  }
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
    return at + ": none of the values";
  }
  if (value.is_object()) {
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name)) return at + ": lacks " + name.get<std::string>();
    }
    const json properties = schema.value("properties", json::object());
    for (const auto& [name, part] : value.items()) {
      if (properties.contains(name)) {
        if (auto wrong = problem_with(part, properties[name], root, at + '.' + name); !wrong.empty()) return wrong;
      } else if (schema.contains("additionalProperties")) {
        const json& rest = schema["additionalProperties"];
        if (rest == false) return at + ": has " + name;
        if (auto wrong = problem_with(part, rest, root, at + '.' + name); !wrong.empty()) return wrong;
      }
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (const json& part : value) {
      if (auto wrong = problem_with(part, schema["items"], root, at + "[]"); !wrong.empty()) return wrong;
    }
  }
  return {};
}

// A store that can be told to fail as a full or unreadable disk does.
class FailingStore final : public test::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::atomic<bool> fails = false;

  Result<std::uint64_t> generation() override {
    return unless([&] { return ForwardingStore::generation(); });
  }
  Result<void> close(std::uint32_t number) override {
    return unless([&] { return ForwardingStore::close(number); });
  }
  Result<std::vector<store::Outcome>> put(std::span<const store::Submission> reports) override {
    return unless([&] { return ForwardingStore::put(reports); });
  }
  Result<std::optional<std::string>> erase(std::string_view name, std::optional<std::string_view> receipt) override {
    return unless([&] { return ForwardingStore::erase(name, receipt); });
  }
  Result<std::vector<store::Standing>> standings(std::span<const std::string_view> names) override {
    return unless([&] { return ForwardingStore::standings(names); });
  }
  Result<bool> reported(std::string_view name) override {
    return unless([&] { return ForwardingStore::reported(name); });
  }
  Result<store::Counts> counts() override {
    return unless([&] { return ForwardingStore::counts(); });
  }

 private:
  template <class Action>
  auto unless(Action&& action) -> decltype(action()) {
    if (fails) return Error{ErrorCode::io, "the disk is full"};
    return action();
  }
};

class OpenApi : public testing::Test {
 protected:
  OpenApi() : description_(json::parse(openapi_text())), store_(*campaign_.store) { restart(campaign_.options()); }

  void restart(ApiOptions options) {
    server_.reset();
    api_ = std::move(Api::make(store_, std::move(options))).value();
    server_ = std::make_unique<test::RunningServer>(*api_);
  }

  // Sends a request to a path of the description, and holds the answer to it.
  void expect(int status, const std::string& path, const std::string& method, const std::string& text) {
    SCOPED_TRACE(method + ' ' + path + ' ' + std::to_string(status));
    const auto answer = server_->exchange(text);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, status) << answer->body;
    std::string lower = method;
    for (char& sign : lower) sign = static_cast<char>(std::tolower(sign));
    const json& operation = description_["paths"][path][lower];
    const std::string number = std::to_string(answer->status);
    ASSERT_TRUE(operation["responses"].contains(number)) << number << " is not described";
    seen_.insert({path, lower, number});
    const json& content = operation["responses"][number]["content"];
    const std::string& whole = answer->headers.at("content-type");
    const std::string type = whole.substr(0, whole.find(';'));
    ASSERT_TRUE(content.contains(type)) << type;
    EXPECT_EQ(answer->headers.contains("retry-after"), status == 429 || status == 503);
    if (type.find("json") == std::string::npos) return;
    EXPECT_EQ(problem_with(json::parse(answer->body), content[type]["schema"], description_), "");
  }
  // The ways in which every path answers alike.
  void expect_common(const std::string& path, const std::string& method, const std::string& target) {
    const std::string start = method + ' ' + target + " HTTP/1.1\r\n";
    expect(400, path, method, start + "\r\n");
    expect(413, path, method, start + "Host: h\r\nContent-Length: 9000000\r\n\r\n");
    expect(415, path, method, start + "Host: h\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n");
    expect(431, path, method, start + "Host: h\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n");
  }

  json description_;
  test::SmallCampaign campaign_;
  FailingStore store_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<test::RunningServer> server_;
  std::set<std::tuple<std::string, std::string, std::string>> seen_;
};

TEST_F(OpenApi, EveryPathStatusAndSchema) {
  const std::string& admin = test::kAdministrator;
  const std::string cbor = "application/cbor";
  const std::string batch = "/v1/reports/batch";
  const std::string close = "/v1/rounds/{round}/close";
  const std::string person = "/v1/people/{name}";
  const auto report = test::report_of(campaign_.teaching, "p0");
  const auto post = [&](int who, const std::vector<std::uint8_t>& bytes, const std::string& type = "application/cbor") {
    return request_text("POST", "/v1/reports", campaign_.token(who), type, test::text_of(bytes));
  };
  // Paths and methods, with a target that stands for each.
  std::vector<std::tuple<std::string, std::string, std::string>> all;
  for (const RouteRow& row : kRoutes) {
    std::string path(row.path);
    std::string target = path;
    if (const auto hole = path.find("{}"); hole != std::string::npos) {
      path.replace(hole, 2, row.name == "erase_person" ? "{name}" : "{round}");
      target.replace(hole, 2, row.name == "erase_person" ? "p18" : "0");
    }
    all.emplace_back(path, std::string(row.method), target);
  }
  for (const auto& [path, method, target] : all) expect_common(path, method, target);

  expect(200, "/", "GET", request_text("GET", "/"));
  expect(200, "/openapi.json", "GET", request_text("GET", "/openapi.json"));
  expect(200, "/healthz", "GET", request_text("GET", "/healthz"));
  expect(200, "/readyz", "GET", request_text("GET", "/readyz"));
  expect(200, "/metrics", "GET", request_text("GET", "/metrics", admin));
  expect(401, "/metrics", "GET", request_text("GET", "/metrics"));
  expect(200, "/v1/plan", "GET", request_text("GET", "/v1/plan"));
  expect(200, "/v1/plans/{round}", "GET", request_text("GET", "/v1/plans/0"));
  expect(404, "/v1/plans/{round}", "GET", request_text("GET", "/v1/plans/7"));
  expect(404, "/v1/model", "GET", request_text("GET", "/v1/model"));
  expect(404, "/v1/hint", "GET", request_text("GET", "/v1/hint", campaign_.token(0)));
  ASSERT_TRUE(store_.keep("lift", "pilots 3\nweight 1\nlift .1\nlow -1\nhigh 1\n"));
  ASSERT_TRUE(store_.keep("model", "a model\nsha256 " + std::string(64, '0') + "\n"));
  ASSERT_TRUE(api_->refresh());
  expect(200, "/v1/model", "GET", request_text("GET", "/v1/model"));
  expect(200, "/v1/hint", "GET", request_text("GET", "/v1/hint", campaign_.token(0)));
  expect(401, "/v1/hint", "GET", request_text("GET", "/v1/hint", "x.y"));
  expect(200, "/v1/question", "GET", request_text("GET", "/v1/question", campaign_.token(0)));
  expect(401, "/v1/question", "GET", request_text("GET", "/v1/question", "x.y"));

  expect(201, "/v1/reports", "POST", post(0, report));
  expect(200, "/v1/reports", "POST", post(0, report));
  auto other = report;
  while (other == report) other = test::report_of(campaign_.teaching, "p0");
  expect(409, "/v1/reports", "POST", post(0, other));
  expect(401, "/v1/reports", "POST", request_text("POST", "/v1/reports", "", cbor, "x"));
  expect(403, "/v1/reports", "POST", post(1, report));
  expect(413, "/v1/reports", "POST", post(0, std::vector<std::uint8_t>(9000)));
  expect(415, "/v1/reports", "POST", post(0, report, "text/plain"));
  expect(422, "/v1/reports", "POST", post(0, {1, 2, 3}));
  expect(200, batch, "POST",
         request_text("POST", batch, "", "application/cbor-seq",
                      test::cbor_batch({{campaign_.token(2), test::report_of(campaign_.teaching, "p2")},
                                        {campaign_.token(0), other},
                                        {campaign_.token(1), report},
                                        {"x", report},
                                        {campaign_.token(2), {1}}})));
  expect(400, batch, "POST", request_text("POST", batch, "", "application/cbor-seq", "x"));
  expect(413, batch, "POST", "POST " + batch + " HTTP/1.1\r\nHost: h\r\nContent-Length: 9000000\r\n\r\n");
  expect(415, batch, "POST", request_text("POST", batch, "", "text/plain", "x"));

  expect(200, "/v1/reports", "DELETE", request_text("DELETE", "/v1/reports", campaign_.token(2)));
  expect(401, "/v1/reports", "DELETE", request_text("DELETE", "/v1/reports"));
  expect(404, "/v1/reports", "DELETE", request_text("DELETE", "/v1/reports", campaign_.keys.token("spring", "nobody")));
  expect(200, person, "DELETE", request_text("DELETE", "/v1/people/p4", admin));
  expect(401, person, "DELETE", request_text("DELETE", "/v1/people/p4"));
  expect(404, person, "DELETE", request_text("DELETE", "/v1/people/nobody", admin));
  expect(410, "/v1/reports", "POST", post(2, test::report_of(campaign_.teaching, "p2")));
  expect(410, "/v1/question", "GET", request_text("GET", "/v1/question", campaign_.token(2)));
  expect(410, "/v1/hint", "GET", request_text("GET", "/v1/hint", campaign_.token(2)));
  expect(200, "/v1/status", "GET", request_text("GET", "/v1/status", admin));
  expect(401, "/v1/status", "GET", request_text("GET", "/v1/status"));

  store_.fails = true;
  expect(503, "/readyz", "GET", request_text("GET", "/readyz"));
  expect(503, "/v1/question", "GET", request_text("GET", "/v1/question", campaign_.token(0)));
  expect(503, "/v1/hint", "GET", request_text("GET", "/v1/hint", campaign_.token(0)));
  expect(503, "/v1/reports", "POST", post(6, report));
  expect(503, "/v1/reports", "DELETE", request_text("DELETE", "/v1/reports", campaign_.token(6)));
  expect(503, batch, "POST",
         request_text("POST", batch, "", "application/cbor-seq",
                      test::cbor_batch({{campaign_.token(8), test::report_of(campaign_.teaching, "p8")}})));
  expect(503, "/v1/status", "GET", request_text("GET", "/v1/status", admin));
  expect(503, close, "POST", request_text("POST", "/v1/rounds/0/close", admin));
  expect(503, person, "DELETE", request_text("DELETE", "/v1/people/p6", admin));
  store_.fails = false;

  expect(401, close, "POST", request_text("POST", "/v1/rounds/0/close"));
  expect(404, close, "POST", request_text("POST", "/v1/rounds/7/close", admin));
  expect(200, close, "POST", request_text("POST", "/v1/rounds/0/close", admin));
  expect(404, "/v1/plan", "GET", request_text("GET", "/v1/plan"));
  expect(404, "/v1/question", "GET", request_text("GET", "/v1/question", campaign_.token(0)));

  ApiOptions limited = campaign_.options();
  limited.page.clear();
  limited.address_a_second = .0001;
  limited.address_burst = 1;
  restart(std::move(limited));
  expect(404, "/", "GET", request_text("GET", "/"));  // and that was it for this address
  for (const auto& [path, method, target] : all) {
    if (!path.ends_with("z")) expect(429, path, method, request_text(method, target));
  }

  std::set<std::tuple<std::string, std::string, std::string>> described;
  for (const auto& [path, methods] : description_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      for (const auto& [status, response] : operation["responses"].items()) described.insert({path, method, status});
    }
  }
  EXPECT_EQ(seen_, described);
}

TEST_F(OpenApi, DescribesTheRoutesAndProblemsThereAre) {
  std::set<std::string> routes;
  std::set<std::string> described;
  for (const RouteRow& row : kRoutes) routes.insert(std::string(row.name));
  for (const auto& [path, methods] : description_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) described.insert(operation["operationId"]);
  }
  EXPECT_EQ(routes, described);
  std::set<std::string> types;
  for (const ProblemRow& row : kProblems) types.insert("urn:ppgnn:problem:" + std::string(row.name));
  const json listed = description_["components"]["schemas"]["Problem"]["properties"]["type"]["enum"];
  EXPECT_EQ(types, std::set<std::string>(listed.begin(), listed.end()));
}

}  // namespace
}  // namespace ppgnn::collector
