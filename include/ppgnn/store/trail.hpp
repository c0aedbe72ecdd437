#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ppgnn/core/result.hpp"
#include "ppgnn/core/sha256.hpp"
#include "ppgnn/io/named_bytes.hpp"

/// What was done to a campaign, by whom and when. docs/formats/trail.md
namespace ppgnn::store {

/// One line of the trail. Each holds the hash of itself and of the one before it, so that none can be changed, left out or put in between
/// without all that follow.
struct Entry {
  std::uint64_t number = 0;  ///< from 1
  std::int64_t time = 0;     ///< seconds since 1970, by the clock of the process that did it
  std::string who;           ///< the name of a token or of a user; "participant" for people with their own token
  std::string what;          ///< names no person: an erasure is its receipt
  Digest hash{};
};

/// The entry after `last` (none: the first): numbered and chained. Tabs and line ends in `who` and `what` become blanks.
[[nodiscard]] Entry next_entry(const Entry* last, std::int64_t time, std::string_view who, std::string_view what);

/// All entries as text, one per line: number, time, who, what, hash, with tabs between them.
[[nodiscard]] std::string trail_text(const std::vector<Entry>& trail);

/// Errors  malformed, naming the line.
[[nodiscard]] Result<std::vector<Entry>> parse_trail(const io::NamedBytes& file);

/// The hash of the last entry, after all of them were found to follow from each other. `name`: where they are from, for messages.
///
/// Errors  malformed, naming the first entry that does not.
[[nodiscard]] Result<Digest> check_trail(const std::vector<Entry>& trail, const std::string& name);

}  // namespace ppgnn::store
