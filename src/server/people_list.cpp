#include "ppgnn/server/people_list.hpp"

#include <algorithm>
#include <array>

#include "ppgnn/graph/node_lines.hpp"
#include "ppgnn/io/files.hpp"
#include "ppgnn/random/secure_source.hpp"

namespace ppgnn::server {

namespace {

constexpr std::size_t kMostName = 1000;
constexpr std::size_t kNonceDigits = 64;

Error malformed(const std::string& what) {
  return {ErrorCode::malformed, "people: " + what};
}

// The next line without its end; nothing where there is none, or no line feed.
std::optional<std::string_view> take_line(std::string_view& rest) noexcept {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

// What follows `key` on the next line.
std::optional<std::string_view> take_field(std::string_view& rest, std::string_view key) noexcept {
  const auto line = take_line(rest);
  if (!line || !line->starts_with(key)) return std::nullopt;
  return line->substr(key.size());
}

}  // namespace

Result<PeopleList> PeopleList::make(std::string campaign, ldp::Role role, std::vector<std::string> names) {
  random::SecureSource source;
  std::array<std::uint8_t, kNonceDigits / 2> nonce{};
  for (std::size_t i = 0; i < nonce.size(); i += 8) {
    const std::uint64_t word = source.next();
    for (std::size_t byte = 0; byte < 8; ++byte) nonce[i + byte] = static_cast<std::uint8_t>(word >> (8 * byte));
  }
  return make(std::move(campaign), role, std::move(names), to_hex(nonce));
}

Result<PeopleList> PeopleList::make(std::string campaign, ldp::Role role, const graph::NodeNames& names,
                                    std::span<const graph::NodeId> people) {
  std::vector<std::string> named;
  named.reserve(people.size());
  for (const graph::NodeId person : people) named.push_back(names.name(person));
  return make(std::move(campaign), role, std::move(named));
}

std::size_t PeopleList::count(std::string_view text) noexcept {
  constexpr std::ptrdiff_t kLinesBeforeNames = 4;
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n') - kLinesBeforeNames);
}

Result<PeopleList> PeopleList::make(std::string campaign, ldp::Role role, std::vector<std::string> names,
                                    const std::string& nonce) {
  if (campaign.empty() || campaign.find('\n') != std::string::npos) return malformed("campaign: must be one line");
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return malformed("somebody occurs twice");
  PeopleList list;
  list.text_ = "ppgnn-people 1\ncampaign " + campaign + "\nrole ";
  list.text_ += to_text(role);
  list.text_ += "\nnonce " + nonce + "\n";
  for (const std::string& name : names) {
    if (name.empty() || name.size() > kMostName || name.find('\n') != std::string::npos) {
      return malformed("a name must have 1 to 1000 bytes and no line feed");
    }
    list.text_ += name + "\n";
  }
  list.campaign_ = std::move(campaign);
  list.role_ = role;
  list.names_ = std::move(names);
  list.digest_ = sha256(list.text_);
  return list;
}

Result<PeopleList> PeopleList::parse(const io::NamedBytes& file) {
  std::string_view rest = file.bytes;
  const auto refuse = [&](std::size_t line, const std::string& what) { return io::at_line(file.name, line, what); };
  if (take_line(rest) != "ppgnn-people 1") return refuse(1, "expected 'ppgnn-people 1'");
  const auto campaign = take_field(rest, "campaign ");
  if (!campaign) return refuse(2, "expected 'campaign'");
  const auto role_name = take_field(rest, "role ");
  const auto* role = std::find_if(ldp::kRoles.begin(), ldp::kRoles.end(),
                                  [&](ldp::Role one) { return role_name && to_text(one) == *role_name; });
  if (role == ldp::kRoles.end()) return refuse(3, "expected 'role' and teach, pilot or answer");
  const auto nonce = take_field(rest, "nonce ");
  if (!nonce || nonce->size() != kNonceDigits || !from_hex(*nonce)) return refuse(4, "expected 'nonce' and 64 digits");
  std::vector<std::string> names;
  while (!rest.empty()) {
    const auto name = take_line(rest);
    if (!name) return refuse(5 + names.size(), "cut off");
    names.emplace_back(*name);
  }
  Result<PeopleList> list = make(std::string(*campaign), *role, std::move(names), std::string(*nonce));
  if (!list) return io::in_file(file.name, list.error());
  if (list->text() != file.bytes) return io::in_file(file.name, malformed("the text is not in canonical form"));
  return list;
}

Result<PeopleList> PeopleList::read(const std::filesystem::path& path, const ldp::Plan& plan) {
  const Result<std::string> bytes = io::read_input(path);
  if (!bytes) return bytes.error();
  const std::string name = io::input_name(path);
  Result<PeopleList> list = parse({name, *bytes});
  if (!list) return list;
  const auto& campaign = plan.tables().campaign;
  if (!campaign || campaign->name != list->campaign() || campaign->role != list->role() ||
      campaign->people != list->digest()) {
    return io::in_file(name, {ErrorCode::mismatch, "people: not the list of this plan"});
  }
  return list;
}

bool PeopleList::has(std::string_view name) const noexcept {
  return std::binary_search(names_.begin(), names_.end(), name, std::less<>());
}

Result<std::vector<std::uint8_t>> reporting(const PeopleList* list, const graph::NodeNames& names,
                                            std::span<const std::filesystem::path> earlier) {
  std::vector<std::uint8_t> chosen(names.size(), 1);
  for (std::uint32_t node = 0; list != nullptr && node < names.size(); ++node) {
    chosen[node] = static_cast<std::uint8_t>(list->has(names.name(node)));
  }
  for (const std::filesystem::path& path : earlier) {
    const auto take = [&](graph::NodeId node, std::string_view) -> std::string {
      return chosen[node] == 0 ? "" : "already reported in this campaign, and would report again";
    };
    if (Result<void> read = graph::read_node_lines(path, names, "report", take, graph::Repeats::allow); !read) {
      return read.error();
    }
  }
  return chosen;
}

Result<void> check_disjoint(std::span<const PeopleList> lists) {
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (lists[i].campaign() != lists[j].campaign()) continue;
      for (const std::string& name : lists[i].names()) {
        if (!lists[j].has(name)) continue;
        return Error{ErrorCode::mismatch, "people: the lists of " + std::string(to_text(lists[j].role())) + " and " +
                                              std::string(to_text(lists[i].role())) + " have somebody in common"};
      }
    }
  }
  return {};
}

}  // namespace ppgnn::server
