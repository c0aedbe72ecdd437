# The preset wasm, built: quickly where nothing changed.
foreach(arguments "--preset;wasm" "--build;--preset;wasm")
  execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} WORKING_DIRECTORY ${PROJECT} OUTPUT_VARIABLE log ERROR_VARIABLE log
                  RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${log}")
  endif()
endforeach()
