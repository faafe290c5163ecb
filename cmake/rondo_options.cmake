# Compiler settings shared by every target of the project.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(RONDO_ARCHIVE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(RONDO_CCACHE ccache)
if(RONDO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these, ccache keeps nothing that is compiled with a precompiled header.
  set(sloppiness pch_defines,time_macros,include_file_mtime,include_file_ctime)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=${sloppiness} ${RONDO_CCACHE})
endif()

add_library(rondo_options INTERFACE)
target_compile_options(rondo_options INTERFACE
  # For programs too, so that all share the precompiled headers.
  -fPIC
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  # Variables of templates of ours, not the process's: its Boost may be another.
  $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # g++ 12 warns of overlapping copies inside std::string's own operator+ (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${RONDO_WERROR}>:-Werror>)
if(RONDO_SANITIZE)
  # -O1 and line tables alone: half the time to compile. Without the checks for null, which fail
  # by themselves, a sixth less again. Without those of dynamic types (vptr), whose runtime opens a
  # pipe to see whether an object can be read, and takes each for invalid in a process that has no
  # descriptors left, as some tests are. With sanitizers g++ sees uninitialized values inside
  # std::regex (GCC bug 105562) and copies past the end inside std::string (105651 again, which
  # comes and goes with how much is inlined); the other builds keep those warnings.
  target_compile_options(rondo_options INTERFACE
    -fsanitize=${RONDO_SANITIZE} -fno-sanitize=null,vptr -fno-omit-frame-pointer
    -fno-sanitize-recover=all -O1 -g1
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  target_link_options(rondo_options INTERFACE -fsanitize=${RONDO_SANITIZE})
endif()
# What is tested is optimised, and looked at by every sanitizer; the tests' own sources are to be
# compiled soon: half the time, and a third with sanitizers.
set(rondo_is_test $<BOOL:$<TARGET_PROPERTY:RONDO_IS_TEST>>)
target_compile_options(rondo_options INTERFACE $<${rondo_is_test}:-Og>)
if(RONDO_SANITIZE)
  target_compile_options(rondo_options INTERFACE $<${rondo_is_test}:-fno-sanitize=undefined>)
endif()
