# `cmake --install` and find_package(ppgnn): every room as ppgnn::<room>, the public headers, the command.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY PPGNN_ROOMS)
list(TRANSFORM rooms PREPEND ppgnn_ OUTPUT_VARIABLE room_targets)
install(TARGETS ${room_targets} EXPORT ppgnn-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ppgnn-targets NAMESPACE ppgnn:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ppgnn)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ppgnn-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ppgnn)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/ppgnn-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/ppgnn)
if(TARGET ppgnn_app)
  install(TARGETS ppgnn_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
