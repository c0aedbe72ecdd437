# The declared studies (studies/*.toml) as text in the library, so that an installed ppgnn has them.
function(ppgnn_embed_studies output)
  set(entries "")
  foreach(id IN LISTS ARGN)
    set(file "${PROJECT_SOURCE_DIR}/studies/${id}.toml")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(APPEND entries "    {\"${id}\", R\"toml(${text})toml\"},\n")
  endforeach()
  list(LENGTH ARGN count)
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT [[
// Made from studies/*.toml.
#include <array>

#include "ppgnn/study/declaration.hpp"

namespace ppgnn::study {

std::span<const BuiltInStudy> built_in_studies() noexcept {
  static constexpr std::array<BuiltInStudy, @count@> kStudies{{
@entries@  }};
  return kStudies;
}

}  // namespace ppgnn::study
]])
endfunction()
