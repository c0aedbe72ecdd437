#include "ppgnn/graph/download.hpp"

#include <curl/curl.h>

#include <memory>
#include <optional>

#include "ppgnn/io/files.hpp"

namespace ppgnn::graph {

namespace {

// What libcurl's callbacks, which are C functions, need to know.
struct Transfer {
  const PublishedFile& file;
  const DownloadOptions& options;
  io::AtomicFile& target;
  std::uint64_t received = 0;
  std::optional<Error> error;
};

std::size_t receive(char* bytes, std::size_t, std::size_t count, void* context) {
  Transfer& transfer = *static_cast<Transfer*>(context);
  transfer.received += count;
  if (transfer.received > transfer.options.max_bytes) {
    transfer.error =
        Error{ErrorCode::mismatch, "it is longer than " + std::to_string(transfer.options.max_bytes) + " bytes"};
    return 0;
  }
  if (auto written = transfer.target.write({reinterpret_cast<const std::uint8_t*>(bytes), count}); !written) {
    transfer.error = written.error();
    return 0;
  }
  return count;
}

int report(void* context, curl_off_t total, curl_off_t received, curl_off_t, curl_off_t) {
  const Transfer& transfer = *static_cast<const Transfer*>(context);
  if (transfer.options.progress) {
    transfer.options.progress(
        {transfer.file.path, static_cast<std::uint64_t>(received), static_cast<std::uint64_t>(total)});
  }
  return 0;
}

Result<void> fetch(Transfer& transfer, const std::string& address) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  if (ready != CURLE_OK || curl == nullptr) return Error{ErrorCode::io, "libcurl cannot be started"};
  char reason[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, address.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, 20L);
  // A connection that brings less than 100 bytes a second for half a minute is given up.
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, 30L);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, static_cast<char*>(reason));
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, report);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, &transfer);
  const CURLcode status = curl_easy_perform(curl.get());
  if (transfer.error) return *transfer.error;
  if (status != CURLE_OK) return Error{ErrorCode::io, reason[0] != '\0' ? reason : curl_easy_strerror(status)};
  return {};
}

}  // namespace

Result<void> download(const PublishedFile& file, const std::filesystem::path& data_folder,
                      const DownloadOptions& options) {
  const std::filesystem::path destination = data_folder / file.path;
  if (file.repository.empty()) {
    return Error{ErrorCode::invalid_argument,
                 std::string(file.path) + " is not published; copy it to " + destination.string()};
  }
  const std::string address = file.address(options.publisher);
  const auto by_hand = [&](const Error& error) {
    return Error{error.code, "cannot fetch " + address + ": " + error.message +
                                 ". Without a network, put that file at " + destination.string() + " by hand"};
  };
  auto target = io::AtomicFile::create(destination);
  if (!target) return target.error();
  Transfer transfer{file, options, *target, 0, std::nullopt};
  if (const auto fetched = fetch(transfer, address); !fetched) return by_hand(fetched.error());
  const auto digest = file_digest(target->temporary(), file.kind);
  if (!digest) return digest.error();
  if (*digest != file.digest) {
    return by_hand({ErrorCode::mismatch,
                    "the bytes received have the digest " + *digest + ", published is " + std::string(file.digest)});
  }
  return target->commit();
}

}  // namespace ppgnn::graph
