#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ppgnn/api/data.hpp"
#include "ppgnn/ldp/plan.hpp"

namespace ppgnn::remote {
class Collector;
}

namespace ppgnn::api {

/// What one person's device sent.
struct PersonReport {
  std::string person;
  std::vector<std::uint8_t> bytes;  ///< docs/formats/report.md
};

/// Everybody's report through the client that devices use, with the operating system's randomness: no two calls give the
/// same. Of a plan without campaign. `levels`: "uniform", "strict", "relaxed", "bimodal", or a file of node,level lines.
///
/// Errors  mismatch where the plan has other columns than the data; those of levels and client.
[[nodiscard]] Result<std::vector<PersonReport>> reports_of(const Data& data, const ldp::Plan& plan,
                                                           const std::string& levels = "uniform");

/// A collector, from a device's side: one connection, kept open. What cannot be reached or is busy is tried again for
/// `patience` seconds.
///
/// Errors   io where it cannot be reached; reported where it has another report of the person; mismatch for other
///          refusals, in the collector's words; malformed for answers that are none of a collector.
/// Threads  One.
/// Source   docs/operations.md
class Collector {
 public:
  /// `url`: https://HOST[:PORT], or http:// of this machine. `authorities`: a file of certificates to trust instead of
  /// the system's.
  [[nodiscard]] static Result<Collector> make(const std::string& url, const std::string& authorities = {},
                                              double patience = 30);

  /// What a collector says to one person's token.
  struct Standing {
    std::string person;
    std::string plan;  ///< its hash, in hexadecimal digits
    std::uint64_t round = 0;
    bool asked = false;
    bool reported = false;
    std::optional<std::uint32_t> level;  ///< as declared, where levels are public
    std::vector<std::uint8_t> question;  ///< empty: the plan asks none
  };
  /// The text of the plan.
  [[nodiscard]] Result<std::string> plan();
  [[nodiscard]] Result<Standing> standing(const std::string& token);
  /// Whether it was stored now; else it was there.
  [[nodiscard]] Result<bool> submit(const std::string& token, std::span<const std::uint8_t> report);

 private:
  explicit Collector(std::shared_ptr<remote::Collector> collector) : collector_(std::move(collector)) {}
  std::shared_ptr<remote::Collector> collector_;
};

}  // namespace ppgnn::api
