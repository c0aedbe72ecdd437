# Installs the build tree, then configures, builds and runs a program that knows only find_package(ppgnn COMPONENTS client).
# Every other package is hidden from it: a device needs none of them. Then the same from a device-only build of the sources.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
set(hidden "")
foreach(package IN ITEMS TBB hwy CURL PkgConfig tomlplusplus)
  list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

function(try name)
  set(prefix ${WORK}/${name})
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${prefix}/build -G Ninja -DCMAKE_PREFIX_PATH=${prefix}
      -DCMAKE_CXX_COMPILER=${COMPILER} ${hidden})
  run(${CMAKE_COMMAND} --build ${prefix}/build)
  run(${prefix}/build/consumer)
  run(${prefix}/bin/ppgnn --version)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/whole)
try(whole)

# Every room is there for those who ask for all.
file(WRITE ${WORK}/all/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(all LANGUAGES CXX)
find_package(ppgnn REQUIRED)
foreach(room IN ITEMS client audit server report)
  if(NOT TARGET ppgnn::\${room})
    message(FATAL_ERROR \"ppgnn::\${room} is missing\")
  endif()
endforeach()
find_package(ppgnn COMPONENTS smoke)
if(ppgnn_FOUND)
  message(FATAL_ERROR \"a room that does not exist was found\")
endif()
")
run(${CMAKE_COMMAND} -S ${WORK}/all -B ${WORK}/all/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/whole
    -DCMAKE_CXX_COMPILER=${COMPILER})

run(${CMAKE_COMMAND} -S ${PROJECT} -B ${WORK}/device_build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DPPGNN_DEVICE_ONLY=ON
    -DCMAKE_CXX_COMPILER=${COMPILER} ${hidden})
run(${CMAKE_COMMAND} --build ${WORK}/device_build)
run(${CMAKE_COMMAND} --install ${WORK}/device_build --prefix ${WORK}/device)
if(EXISTS ${WORK}/device/include/ppgnn/graph)
  message(FATAL_ERROR "a device-only install has headers of the server")
endif()
try(device)
file(WRITE ${WORK}/schema.csv "name,count,kind,low,high,absent\nword,20,binary,0,1,0\n")
run(${WORK}/device/bin/ppgnn plan --schema ${WORK}/schema.csv --epsilon 1 --out ${WORK}/plan.txt)
run(${WORK}/device/bin/ppgnn audit --plan ${WORK}/plan.txt)
execute_process(COMMAND ${WORK}/device/bin/ppgnn run RESULT_VARIABLE status ERROR_QUIET)
if(NOT status EQUAL 2)
  message(FATAL_ERROR "a device-only ppgnn has a command that needs a graph")
endif()
