# Third-party packages, as Debian 12 ships them. None of them shows in a public header.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Boost 1.81 REQUIRED)
# The same in every folder: without it Asio's functions return an error_code, with it nothing, and
# the linker keeps one copy of each for callers of both kinds.
target_compile_definitions(Boost::headers INTERFACE BOOST_ASIO_NO_DEPRECATED)
if(RONDO_SANITIZE MATCHES "thread")
  # ThreadSanitizer doesn't know fences, and g++ says so. Asio needs none where locks order its
  # handlers, as they do here; our own code is still to be warned.
  target_compile_definitions(Boost::headers INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(HWY REQUIRED libhwy)  # headers only
if(RONDO_BUILD_NN)
  find_package(dnnl REQUIRED)
  find_package(ZLIB REQUIRED)
endif()
if(RONDO_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
