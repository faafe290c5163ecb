# Writes the source that says which commit a tree is of:
#   cmake -D GIT=PROGRAM -D TREE=FOLDER -D TEMPLATE=commit.cc.in -D OUTPUT=commit.cc -P commit.cmake
# It runs in each build. A source that says so already stays as it is, and nothing is compiled again.
# A tree without git, or that was exported from it, builds, too.
set(commit "unknown (not built from a git checkout)")
if(GIT AND EXISTS ${TREE}/.git)
  execute_process(
    COMMAND ${GIT} --no-optional-locks describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${TREE}
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(commit "${described}")
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY ESCAPE_QUOTES)
