# The standard headers that most files include, and fmt: precompiled, they cost nothing again.
set(RONDO_COMMON_HEADERS
  <algorithm> <array> <atomic> <chrono> <cstddef> <cstdint> <cstring> <functional> <map> <memory>
  <mutex> <optional> <span> <string> <string_view> <thread> <unordered_map> <utility> <vector>
  <fmt/format.h>)

# rondo_layer: one folder of the house as a static library. Its public includes are the repository
# root (private headers stand beside their sources) and include/ (the door).
#   rondo_layer(NAME SOURCES a.cc ... [USES layer ...] [LINKS third-party ...])
# USES are the layers that the folder's headers include; LINKS stay private.
function(rondo_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY RONDO_LAYERS ${name})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${arg_USES} PRIVATE rondo_options rondo_fmt ${arg_LINKS})
  target_precompile_headers(${name} REUSE_FROM rondo_fmt)
endfunction()

# rondo_compile_quickly: for sources of this folder that are heavy with header-only libraries and
# whose own speed doesn't matter. A third less time to compile.
function(rondo_compile_quickly)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()

# rondo_word_by_word: for sources on the way of the shortest calls. Neighbouring words that have just
# been stored one by one aren't to be loaded as a vector: the processor can't forward that from its
# store buffer, and waits until it is empty, which may mean for a line of another core's.
function(rondo_word_by_word)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-tree-slp-vectorize)
endfunction()

# rondo_program: one program.
#   rondo_program(NAME SOURCES a.cc ... USES library ...)
function(rondo_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE rondo_options rondo_fmt ${arg_USES})
  target_precompile_headers(${name} REUSE_FROM rondo_fmt)
endfunction()

# rondo_test_environment: tells the sanitizers, in these tests, which findings aren't ours. (The
# second colon of `::` is part of the text that is appended.) AddressSanitizer of GCC 12 guesses from
# its address whether a library's thread-local memory was allocated by an old glibc, and now and then
# takes what comes before it for its size: LeakSanitizer then reads where there is nothing, and the
# process fails at its end ("Tracer caught signal 11"). So it doesn't look for such memory.
function(rondo_test_environment)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT_MODIFICATION
    "ASAN_OPTIONS=string_append::allocator_may_return_null=1"
    "ASAN_OPTIONS=string_append::intercept_tls_get_addr=0"
    "LSAN_OPTIONS=string_append::suppressions=${PROJECT_SOURCE_DIR}/tests/lsan_suppressions.txt"
    "LSAN_OPTIONS=string_append::print_suppressions=0"
    "TSAN_OPTIONS=string_append::allocator_may_return_null=1"
    "TSAN_OPTIONS=string_append::suppressions=${PROJECT_SOURCE_DIR}/tests/tsan_suppressions.txt")
endfunction()

# rondo_test_that_says: a program, or a target's, that ends with 0 and prints what the extended regular
# expression is found in.
#   rondo_test_that_says(NAME EXPECTED PROGRAM ARGUMENT...)
function(rondo_test_that_says name expected program)
  if(TARGET ${program})
    set(program ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name}
    COMMAND ${PROJECT_SOURCE_DIR}/tests/ends_well_and_says ${expected} ${program} ${ARGN})
  rondo_test_environment(${name})
endfunction()

# rondo_c_program: one program of tests in C99, as strict as it gets, in the build's folder `tests`.
#   rondo_c_program(NAME SOURCE ...)
function(rondo_c_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE rondo::rondo m)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Werror)
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  if(RONDO_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${RONDO_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${name} PRIVATE -fsanitize=${RONDO_SANITIZE})
  endif()
endfunction()

# rondo_test_program: one program of tests, in the build's folder `tests`; its sources name each other
# from the repository's root.
#   rondo_test_program(NAME SOURCES a.cc ... USES layer ...)
function(rondo_test_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE rondo_options rondo_fmt ${arg_USES} rondo_test_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests RONDO_IS_TEST ON)
  target_precompile_headers(${name} REUSE_FROM rondo_test_main)
endfunction()

# rondo_test: one test program, run by ctest case by case.
#   rondo_test(NAME SOURCES a_test.cc ... USES layer ... [LABELS l ...] [TIMEOUT seconds])
function(rondo_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;USES;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  rondo_test_program(${name} SOURCES ${arg_SOURCES} USES ${arg_USES})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
  rondo_test_environment(${name})
endfunction()
