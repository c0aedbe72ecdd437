# Libraries that more than one folder links; found once, here, so that their targets are visible everywhere. The rooms of a
# device need none of them.
if(PPGNN_DEVICE_ONLY)
  return()
endif()
find_package(TBB REQUIRED)
find_package(CURL REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
find_package(hwy REQUIRED)
find_package(tomlplusplus REQUIRED)
