#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/graph/node_names.hpp"
#include "ppgnn/io/named_bytes.hpp"
#include "ppgnn/ldp/plan.hpp"
#include "ppgnn/ldp/report.hpp"

namespace ppgnn::server {

/// Who has a role in a campaign: a file of the server's, whose digest the plan holds. docs/formats/people.md.
class PeopleList {
 public:
  /// Names in any order, each once. The nonce is the operating system's: two lists of the same people differ.
  [[nodiscard]] static Result<PeopleList> make(std::string campaign, ldp::Role role, std::vector<std::string> names);
  /// The same of people by their numbers.
  [[nodiscard]] static Result<PeopleList> make(std::string campaign, ldp::Role role, const graph::NodeNames& names,
                                               std::span<const graph::NodeId> people);
  /// How many people a list in canonical text has.
  [[nodiscard]] static std::size_t count(std::string_view text) noexcept;
  /// Reads the canonical text; anything else is refused.
  [[nodiscard]] static Result<PeopleList> parse(const io::NamedBytes& file);
  /// The list of a plan's people; refuses one with another campaign, role or digest.
  [[nodiscard]] static Result<PeopleList> read(const std::filesystem::path& path, const ldp::Plan& plan);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const Digest& digest() const noexcept { return digest_; }
  [[nodiscard]] const std::string& campaign() const noexcept { return campaign_; }
  [[nodiscard]] ldp::Role role() const noexcept { return role_; }
  /// Ascending.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] bool has(std::string_view name) const noexcept;

 private:
  [[nodiscard]] static Result<PeopleList> make(std::string campaign, ldp::Role role, std::vector<std::string> names,
                                               const std::string& nonce);

  std::string campaign_;
  ldp::Role role_ = ldp::Role::teach;
  std::vector<std::string> names_;
  std::string text_;
  Digest digest_{};
};

/// Who is to report: one a node, 1 for people on the list (everybody where there is none). Refuses people who already
/// occur in an earlier reports file of the campaign, of whatever plan, without naming them.
[[nodiscard]] Result<std::vector<std::uint8_t>> reporting(const PeopleList* list, const graph::NodeNames& names,
                                                          std::span<const std::filesystem::path> earlier);

/// One report a person and campaign: refuses lists of one campaign that have somebody in common, without naming them.
[[nodiscard]] Result<void> check_disjoint(std::span<const PeopleList> lists);

}  // namespace ppgnn::server
