# Static libraries of what the shared ones are made of. All of it is linked into one object, whose
# own names are then made local: a program may have another version of fmt or Boost beside it, as
# with the shared library.

find_program(CMAKE_OBJCOPY objcopy REQUIRED)

# rondo_static_library: FILE (librondo.a), built with everything.
#   rondo_static_library(NAME FILE DEPENDS target ... LINKS objects and archives ...)
function(rondo_static_library name file)
  cmake_parse_arguments(arg "" "" "DEPENDS;LINKS" ${ARGN})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  set(archive ${RONDO_ARCHIVE_DIRECTORY}/${file})
  add_custom_command(OUTPUT ${archive}
    # Without its groups the object doesn't lose code to a program that has the same template.
    COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${object} ${arg_LINKS}
    # What exports.map lets out of the shared library.
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard
            --keep-global-symbol=rondo_* --keep-global-symbol=_ZN5rondo*
            --keep-global-symbol=_ZN[KRO]5rondo* --keep-global-symbol=_ZNK[RO]5rondo*
            --keep-global-symbol=_ZT[ISV]N5rondo* ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm ${object}
    DEPENDS ${arg_DEPENDS} ${name}
    COMMENT "Linking ${file}" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}_static ALL DEPENDS ${archive})
endfunction()
