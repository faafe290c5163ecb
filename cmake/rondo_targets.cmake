# rondo_layer: one folder of the house as a static library. Its public includes are the repository
# root (private headers stand beside their sources) and include/ (the door).
#   rondo_layer(NAME SOURCES a.cc ... [USES layer ...] [LINKS third-party ...])
# USES are the layers that the folder's headers include; LINKS stay private.
function(rondo_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${arg_USES} PRIVATE rondo_options ${arg_LINKS})
endfunction()

# rondo_test: one test program, run by ctest case by case.
#   rondo_test(NAME SOURCES a_test.cc ... USES layer ... [LABELS l ...] [TIMEOUT seconds])
function(rondo_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE rondo_options ${arg_USES} GTest::gmock_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <gmock/gmock.h>)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()
