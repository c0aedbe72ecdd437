#pragma once

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // before beast, whose headers lack it

#include "ppgnn/collector/api.hpp"

/// From a message of HTTP to what the API looks at.
namespace ppgnn::collector {

inline constexpr std::uint32_t kMostHeader = 16 * 1024;

inline std::string_view view(boost::beast::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// What HTTP leaves open and two servers may read differently; nullptr: nothing.
template <class Message>
const char* ambiguity(const Message& message) {
  namespace http = boost::beast::http;
  if (message.version() != 11 && message.version() != 10) return "version: expected HTTP/1.1";
  if (message.version() == 11 && message.count(http::field::host) != 1) return "host: expected once";
  for (const http::field name : {http::field::authorization, http::field::content_type, http::field::content_length,
                                 http::field::transfer_encoding, http::field::expect}) {
    if (message.count(name) > 1) return "a field of the header occurs twice";
  }
  const std::string_view length = view(message[http::field::content_length]);
  const std::string_view coding = view(message[http::field::transfer_encoding]);
  if (!length.empty() && !coding.empty()) return "two lengths";
  if (!coding.empty() && message.version() == 10) return "transfer-encoding: not in HTTP/1.0";
  if (length.find_first_not_of("0123456789") != std::string_view::npos) return "content-length: expected digits";
  if (!coding.empty() && !boost::beast::iequals(message[http::field::transfer_encoding], "chunked")) {
    return "transfer-encoding: expected chunked";
  }
  return nullptr;
}

/// The request in a message, without its content.
template <class Message>
Request to_request(const Message& message, std::string address) {
  namespace http = boost::beast::http;
  Request request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.authorization = view(message[http::field::authorization]);
  request.type = view(message[http::field::content_type]);
  request.address = std::move(address);
  return request;
}

}  // namespace ppgnn::collector
