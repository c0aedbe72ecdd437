# ppgnn_room(<name> [DEVICE] SOURCES <files...> [SEES <rooms...>] [LINKS <libraries...>])
# One library target ppgnn::<name> per room. SEES becomes the link graph and is what tests/layering checks.

add_library(ppgnn_options INTERFACE)
target_compile_features(ppgnn_options INTERFACE cxx_std_20)
target_compile_options(ppgnn_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wunused -Wdouble-promotion -Wformat=2
  -Wimplicit-fallthrough -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlapping copies in std::string's operator+ where there are none (GCC PR 105651).
  target_compile_options(ppgnn_options INTERFACE -Wno-restrict)
endif()
if(PPGNN_WERROR)
  target_compile_options(ppgnn_options INTERFACE -Werror)
endif()
if(PPGNN_SANITIZE)
  target_compile_options(ppgnn_options INTERFACE -fsanitize=${PPGNN_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(ppgnn_options INTERFACE -fsanitize=${PPGNN_SANITIZE})
endif()

set_property(GLOBAL PROPERTY PPGNN_ROOMS "")
# Rooms are exported in two sets: `device` needs no other package, `server` does. src/CMakeLists.txt says where one ends.
set(PPGNN_ROOM_SETS device server)

function(ppgnn_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "DEVICE" "" "SOURCES;SEES;LINKS")
  set(target ppgnn_${name})
  add_library(${target} STATIC ${room_SOURCES})
  add_library(ppgnn::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(PPGNN_SANITIZE)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)  # what no test there needs is not built
  endif()
  if(NOT PPGNN_WASM)  # a module is one program, and smaller without
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ppgnn_options>)
  foreach(seen IN LISTS room_SEES)
    target_link_libraries(${target} PUBLIC ppgnn_${seen})
  endforeach()
  target_link_libraries(${target} PRIVATE ${room_LINKS})
  if(PPGNN_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(room_DEVICE)
    target_compile_options(${target} PRIVATE -fno-rtti)
    # No device room throws or catches; tests/layering and the device's own build, which has no exceptions at all, see to
    # that. On a server std::bad_alloc must pass through these rooms, and free what they hold.
    if(PPGNN_DEVICE_ONLY)
      target_compile_options(${target} PRIVATE -fno-exceptions)
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY PPGNN_ROOMS ${name})
  set_property(GLOBAL APPEND PROPERTY PPGNN_ROOMS_${ppgnn_room_set} ${name})
  list(JOIN room_SEES " " sees)
  set_property(GLOBAL PROPERTY PPGNN_ROOM_${name} "${name}: ${sees}")
endfunction()

# Writes "<room>: <rooms it sees directly>" lines for the layering test.
function(ppgnn_write_rooms file)
  get_property(names GLOBAL PROPERTY PPGNN_ROOMS)
  set(text "")
  foreach(name IN LISTS names)
    get_property(line GLOBAL PROPERTY PPGNN_ROOM_${name})
    string(APPEND text "${line}\n")
  endforeach()
  file(WRITE "${file}" "${text}")
endfunction()
