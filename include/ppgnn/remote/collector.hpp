#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"

/// A collector, from a device's side.
namespace ppgnn::remote {

/// What a collector says to one person's token.
struct Question {
  std::string person;
  std::string plan;  ///< its hash, in hexadecimal digits
  std::uint64_t round = 0;
  bool asked = false;
  bool reported = false;
  std::optional<std::uint32_t> level;  ///< as declared, where levels are public
  std::vector<std::uint8_t> question;  ///< empty: the plan asks none
};

/// One connection to a collector, kept open. What cannot be reached, is busy or asks to wait is tried again, with the same bytes, for
/// up to `patience` seconds; other refusals are errors at once.
///
/// Errors   io where it cannot be reached; reported where it has another report of the person; mismatch for other refusals, in the
///          collector's words; malformed for answers that are none of a collector.
/// Threads  One.
class Collector {
 public:
  /// `url`: https://HOST[:PORT], or http:// of this machine: a token does not travel in the clear. `authorities`: a file of
  /// certificates to trust instead of the system's.
  [[nodiscard]] static Result<Collector> make(const std::string& url, const std::string& authorities = {},
                                              double patience = 30);
  Collector(Collector&&) noexcept;
  Collector& operator=(Collector&&) noexcept;
  ~Collector();

  [[nodiscard]] Result<std::string> plan();
  [[nodiscard]] Result<Question> question(std::string_view token);
  /// Whether it was stored now; else it was there.
  [[nodiscard]] Result<bool> report(std::string_view token, std::span<const std::uint8_t> bytes);

 private:
  struct State;
  explicit Collector(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A person's report on its way.
struct Report {
  std::string token;
  std::vector<std::uint8_t> bytes;
};

/// What became of many reports.
struct HandedIn {
  std::size_t stored = 0;
  std::size_t repeated = 0;
  std::size_t refused = 0;
};

/// Several connections at a time, each with `action` for its share of `count` items, in order; the first error ends it.
[[nodiscard]] Result<void> on_connections(
    const std::string& url, const std::string& authorities, std::size_t connections, std::size_t count,
    const std::function<Result<void>(Collector& collector, std::size_t item)>& action,
    const std::function<void(std::size_t done)>& progress, const std::atomic<bool>* stop = nullptr);

/// Hands in everybody's report.
[[nodiscard]] Result<HandedIn> hand_in(const std::string& url, const std::string& authorities, std::size_t connections,
                                       const std::vector<Report>& reports,
                                       const std::function<void(std::size_t done)>& progress,
                                       const std::atomic<bool>* stop = nullptr);

}  // namespace ppgnn::remote
