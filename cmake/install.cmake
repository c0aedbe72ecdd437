# `cmake --install` and find_package(ppgnn [COMPONENTS <rooms...>]): every room as ppgnn::<room>, the public headers, the
# commands. Components of the device set alone need no other package.
include(CMakePackageConfigHelpers)

# The headers that are installed, which later versions keep; every other one is internal. They include none but each other
# (tests/layering).
set(PPGNN_device_HEADERS
  audit/falsifier.hpp
  client/client.hpp client/features.hpp client/file_storage.hpp client/ledger.hpp client/limits.hpp client/ppgnn_client.h
  core/result.hpp core/sha256.hpp core/version.hpp
  ldp/certificate.hpp ldp/decide.hpp ldp/hint.hpp ldp/level_response.hpp ldp/plan.hpp ldp/plan_level.hpp ldp/planner.hpp
  ldp/published_model.hpp ldp/question.hpp ldp/report.hpp
  ldp/row.hpp ldp/schema.hpp ldp/words.hpp
  random/secure_source.hpp)
set(PPGNN_server_HEADERS
  api/attack.hpp api/campaign.hpp api/data.hpp api/devices.hpp api/fit.hpp api/forecast.hpp api/study.hpp api/training.hpp)

foreach(set IN LISTS PPGNN_ROOM_SETS)
  get_property(rooms GLOBAL PROPERTY PPGNN_ROOMS_${set})
  if(NOT rooms)
    continue()
  endif()
  set(ppgnn_${set}_rooms "${rooms}")
  list(TRANSFORM rooms PREPEND ppgnn_ OUTPUT_VARIABLE room_targets)
  install(TARGETS ${room_targets} EXPORT ppgnn-${set}-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ppgnn-${set}-targets NAMESPACE ppgnn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ppgnn)
  foreach(header IN LISTS PPGNN_${set}_HEADERS)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/include/ppgnn/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ppgnn/${folder})
  endforeach()
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ppgnn-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ppgnn)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ppgnn)
if(TARGET ppgnn_shared)
  install(TARGETS ppgnn_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET ppgnn_app)
  install(TARGETS ppgnn_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(help_files ${PROJECT_BINARY_DIR}/apps/ppgnn/help)
  install(DIRECTORY ${help_files}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${help_files}/ppgnn DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${help_files}/_ppgnn DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
if(TARGET ppgnn_serve)
  install(TARGETS ppgnn_serve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/apps/ppgnn/help/serve/ppgnn-serve.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
# The participant's page, where it was built (preset wasm).
install(FILES ${PROJECT_SOURCE_DIR}/build/wasm/web/package/participant.html DESTINATION ${CMAKE_INSTALL_DATADIR}/ppgnn OPTIONAL)
