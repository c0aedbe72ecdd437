#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What a reader passed over, said so that nobody takes a part for the whole.
namespace ppgnn::graph {

/// A note for Dataset::notes: which of `names` were not read. The first three are named, the rest counted; letters that
/// a terminal or a JSON text could not take are replaced. `where` follows the names, `taken` says in brackets what is
/// read instead. There is at least one name.
[[nodiscard]] std::string unread_note(std::vector<std::string> names, std::string_view where, std::string_view taken);

/// Whether a file of that name is about the data and not part of it: README*, LICENSE* and *.md, in any case.
[[nodiscard]] bool is_document(std::string_view name);

}  // namespace ppgnn::graph
