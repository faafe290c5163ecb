// The program `rondo`.

#include "tools/rondo/command_line.h"

int main(int argc, char** argv) { return rondo::tool::run_command_line({argv, argv + argc}); }
