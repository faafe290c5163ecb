# What is installed beside programs, libraries and headers, and the Debian packages of it all:
# `cpack --config build/release/CPackConfig.cmake`.

include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rondo)
# Below 1.0 another minor version may have other C++ interfaces.
write_basic_package_version_file(rondo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT rondo NAMESPACE rondo:: FILE rondo-targets.cmake DESTINATION ${config_folder}
  COMPONENT librondo-dev)
if(RONDO_BUILD_NN)
  install(EXPORT rondo_nn NAMESPACE rondo:: FILE rondo-nn-targets.cmake
    DESTINATION ${config_folder} COMPONENT librondo-nn-dev)
endif()

# rondo_install_configured: a file of cmake/ with the project's names filled in.
function(rondo_install_configured file folder component)
  configure_package_config_file(cmake/${file}.in ${file} INSTALL_DESTINATION ${config_folder}
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${folder} COMPONENT ${component})
endfunction()
rondo_install_configured(rondo-config.cmake ${config_folder} librondo-dev)
install(FILES ${PROJECT_BINARY_DIR}/rondo-config-version.cmake
  DESTINATION ${config_folder} COMPONENT librondo-dev)
set(pkg_config_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# By where they lie: all of it may be put anywhere.
file(RELATIVE_PATH prefix_from_pkg_config
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH include_from_pkg_config
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
rondo_install_configured(rondo.pc ${pkg_config_folder} librondo-dev)
if(RONDO_BUILD_STATIC)
  rondo_install_configured(rondo-static-targets.cmake ${config_folder} librondo-dev)
  rondo_install_configured(rondo-static.pc ${pkg_config_folder} librondo-dev)
endif()
if(RONDO_BUILD_NN)
  rondo_install_configured(rondo-nn.pc ${pkg_config_folder} librondo-nn-dev)
endif()

# A package for each component, by Debian's names.
set(components librondo0 librondo-dev rondo)
if(RONDO_BUILD_NN)
  list(APPEND components librondo-nn0 librondo-nn-dev)
endif()
set(CPACK_COMPONENTS_ALL ${components})
set(this "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RONDO_PACKAGE_DEPENDS "librondo0 ${this}")
set(CPACK_DEBIAN_LIBRONDO-NN0_PACKAGE_DEPENDS "librondo0 ${this}")
set(CPACK_DEBIAN_LIBRONDO-DEV_PACKAGE_DEPENDS "librondo0 ${this}")
set(CPACK_DEBIAN_LIBRONDO-NN-DEV_PACKAGE_DEPENDS "librondo-nn0 ${this}, librondo-dev ${this}")
# For `rondo bench compare` alone, which compiles its loops where it measures.
set(CPACK_DEBIAN_RONDO_PACKAGE_SUGGESTS "librondo-dev, g++")
# For librondo.a alone.
set(CPACK_DEBIAN_LIBRONDO-DEV_PACKAGE_SUGGESTS "libhwloc-dev")
set(CPACK_DEBIAN_LIBRONDO-NN-DEV_PACKAGE_SUGGESTS "libdnnl-dev, zlib1g-dev")
# Opened at run time, under launchers that speak PMIx.
set(CPACK_DEBIAN_LIBRONDO0_PACKAGE_RECOMMENDS "libpmix2")
foreach(component ${components})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${component})
  set(section libs)
  if(component MATCHES "-dev$")
    set(section libdevel)
  elseif(component STREQUAL "rondo")
    set(section utils)
  endif()
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${component}
    RENAME copyright COMPONENT ${component})
endforeach()
# The pages that help texts, man pages and headers name, by the same names from there.
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/rondo COMPONENT rondo)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/rondo COMPONENT rondo)
# What pages and headers name. Their CMake files are of Rondo's build.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/rondo COMPONENT rondo
  PATTERN CMakeLists.txt EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_NAME rondo)
set(CPACK_PACKAGE_CONTACT "the Rondo developers <rondo@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# What the libraries are linked against, by the package that has it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
