# A path for the administrator: how many people are enrolled.
set(section "To add a path of the API")
set(names enrolled)
insert_after(include/ppgnn/collector/api.hpp "RouteRow{\"GET\", \"/v1/status\", Caller::administrator, 0, \"status\"},"
             "\n                                    RouteRow{\"GET\", \"/v1/enrolled\", Caller::administrator, 0, \"enrolled\"},")
insert_after(src/collector/api.cpp "if (row.name == \"status\") return reply(status());"
"
  if (row.name == \"enrolled\") {
    const Result<store::Counts> counts = store_.counts();
    if (!counts) return reply(problem_response(Problem::storage, {}));
    return reply(json_response(200, {{\"enrolled\", counts->enrolled}}));
  }")
# The statuses that every path of the administrator's has, as "/v1/status" describes them.
foreach(status IN ITEMS 400 401 413 415 429 431 503)
  list(APPEND statuses "\"${status}\": {\"description\": \"As above.\", \"content\": {\"application/problem+json\": {\"schema\": {\"$ref\": \"#/components/schemas/Problem\"}}}}")
endforeach()
list(JOIN statuses ", " statuses)
insert_after(src/collector/openapi.json "\"paths\": {"
"
  \"/v1/enrolled\": {\"get\": {\"operationId\": \"enrolled\", \"summary\": \"How many people are enrolled\", \"tags\": [\"operations\"], \"security\": [{\"administrator\": []}],
   \"responses\": {\"200\": {\"description\": \"Their number.\", \"content\": {\"application/json\": {\"schema\": {\"type\": \"object\", \"required\": [\"enrolled\"], \"properties\": {\"enrolled\": {\"type\": \"integer\"}}}}}}, ${statuses}}}},")
insert_after(tests/collector/openapi_test.cpp "expect(401, \"/v1/status\", \"GET\", request_text(\"GET\", \"/v1/status\"));"
"
  expect(200, \"/v1/enrolled\", \"GET\", request_text(\"GET\", \"/v1/enrolled\", admin));
  expect(401, \"/v1/enrolled\", \"GET\", request_text(\"GET\", \"/v1/enrolled\"));")
insert_after(tests/collector/openapi_test.cpp "expect(503, \"/v1/status\", \"GET\", request_text(\"GET\", \"/v1/status\", admin));"
             "\n  expect(503, \"/v1/enrolled\", \"GET\", request_text(\"GET\", \"/v1/enrolled\", admin));")
# A document that does not deny the path to the outside is found.
expect_refused(tests/collector/operations.cmake "/v1/enrolled")
insert_after(docs/operations.md "location = /v1/status { return 404; }" "\n    location = /v1/enrolled { return 404; }")
expect_passed(tests/collector/operations.cmake)

set(prepare "include(${PROJECT}/cmake/embed.cmake)
ppgnn_embed_text(\${CMAKE_BINARY_DIR}/openapi.cpp ${copy}/src/collector/openapi.json collector/openapi.hpp ppgnn::collector openapi_text)
list(APPEND sources \${CMAKE_BINARY_DIR}/openapi.cpp)")
set(sources src/collector/api.cpp)
set(tests tests/collector/openapi_test.cpp)
set(rooms collector tokens store admission client wire ldp io seeded random core)
set(packages SQLite::SQLite3 OpenSSL::SSL PkgConfig::libpq)
set(filter "OpenApi.*")
