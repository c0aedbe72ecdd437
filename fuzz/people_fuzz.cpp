// Any text as a list of people: refused, or a list whose own text it is.
#include <cstdlib>
#include <string>

#include "ppgnn/server/people_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto list = ppgnn::server::PeopleList::parse({"people", text});
  if (list && list->text() != text) std::abort();
  return 0;
}
