// Any bytes as a request to a collector, parsed as a connection parses them: no crash, and an answer to each that is a request.
#include <cstdlib>
#include <string>

#include "collector/http_message.hpp"
//
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>

#include "collector_target.hpp"

namespace {

using namespace ppgnn;
namespace http = boost::beast::http;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::CollectorTarget& target = fuzz::CollectorTarget::next();
  const std::string text = target.text(data, size);

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
  if (!fuzz::is_known_status(response.status) || (response.status >= 400 && response.body.empty())) std::abort();
  return 0;
}
