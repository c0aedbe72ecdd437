# ppgnn_embed_text(<output.cpp> <file> <header> <namespace> <function>): a text file as a function that returns it. In pieces,
# because a literal has at most 65,535 bytes.
function(ppgnn_embed_text output file header namespace function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "\n      R\"text(${piece})text\"")
    math(EXPR at "${at} + 8000")
  endwhile()
  get_filename_component(name "${file}" NAME)
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT [[
// Made from @name@.
#include "@header@"

namespace @namespace@ {

std::string_view @function@() noexcept {
  return @pieces@;
}

}  // namespace @namespace@
]])
endfunction()
