// Any bytes as a request to a collector, parsed as a connection parses them: no crash, and an answer to each that is a request. The words T0 .. T9 in a token's place stand for tokens of people, TA for the administrator's, and R0 .. R3 in a body
// for reports.
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>

#include "collector/http_message.hpp"
//
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>

#include "collector/support.hpp"

namespace {

using namespace ppgnn;
namespace http = boost::beast::http;

struct Target {
  test::SmallCampaign campaign{ldp::LevelSecrecy::protected_level, 10};
  std::vector<std::string> reports;

  Target() {
    reports = {test::text_of(test::report_of(campaign.teaching, "p0")),
               test::text_of(test::report_of(campaign.teaching, "p2")),
               test::text_of(test::report_of(campaign.answering, "p1", 1, campaign.question, 1)), "\x82\x62"};
    campaign.serve();
  }
};

void put_in(std::string& text, const std::string& word, const std::string& what) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + what.size())) {
    text.replace(at, word.size(), what);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Target target;
  static std::uint64_t count = 0;
  if (++count == 20'000) target.campaign.ask();  // the second round
  if (count % 256 == 0 && !target.campaign.api->refresh()) std::abort();
  std::string text(reinterpret_cast<const char*>(data), size);
  for (int i = 0; i < 10; ++i) put_in(text, "T" + std::to_string(i), target.campaign.token(i));
  put_in(text, "TA", test::kAdministrator);
  for (int i = 0; i < 4; ++i) put_in(text, "R" + std::to_string(i), target.reports[static_cast<std::size_t>(i)]);

  http::request_parser<http::string_body> parser;
  parser.header_limit(collector::kMostHeader);
  parser.body_limit(collector::kMostBatch);
  parser.eager(true);
  boost::beast::error_code code;
  std::size_t used = 0;
  while (!parser.is_done() && used < text.size() && !code) {
    const std::size_t taken = parser.put(boost::asio::buffer(text.data() + used, text.size() - used), code);
    if (taken == 0) break;
    used += taken;
  }
  if (code || !parser.is_done()) return 0;
  auto message = parser.release();
  if (collector::ambiguity(message) != nullptr) return 0;
  collector::Request request = collector::to_request(message, "here");
  request.body = std::move(message.body());
  const collector::Response response = target.campaign.ask(std::move(request));
  const bool known = response.status == 200 || response.status == 201 || response.status == 204 ||
                     (response.status >= 400 && response.status < 432) || response.status == 503;
  if (!known || (response.status >= 400 && response.body.empty())) std::abort();
  return 0;
}
