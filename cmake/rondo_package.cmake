# What is installed beside programs, libraries and headers, and the Debian package of it all:
# `cpack --config build/release/CPackConfig.cmake`.

include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rondo)
install(EXPORT rondo NAMESPACE rondo:: FILE rondo-targets.cmake DESTINATION ${config_folder})
configure_package_config_file(cmake/rondo-config.cmake.in rondo-config.cmake
  INSTALL_DESTINATION ${config_folder})
# Below 1.0 another minor version may have other C++ interfaces.
write_basic_package_version_file(rondo-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/rondo.pc.in rondo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rondo-config.cmake
              ${PROJECT_BINARY_DIR}/rondo-config-version.cmake DESTINATION ${config_folder})
install(FILES ${PROJECT_BINARY_DIR}/rondo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rondo)
set(CPACK_PACKAGE_CONTACT "the Rondo developers <rondo@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
# What the libraries are linked against, by the package that has it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
