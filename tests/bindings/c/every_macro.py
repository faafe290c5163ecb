#!/usr/bin/env python3
"""Every macro of the C header is compiled as C++: every_macro.py HEADER FILE"""

import pathlib
import re
import sys

# The header itself uses it, before each function.
OF_FUNCTIONS = {"RONDO_C_API"}

header, file = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
macros = set(re.findall(r"^#\s*define\s+(\w+)", header.read_text(), flags=re.MULTILINE))
used = set(re.findall(r"\w+", re.sub(r"//[^\n]*", "", file.read_text())))
missing = sorted(macros - OF_FUNCTIONS - used)
if len([name for name in macros if name.endswith("_INIT")]) < 7:
    sys.exit(f"{header}: only these macros found, has it another form: {', '.join(sorted(macros))}")
if missing:
    sys.exit(f"{file} doesn't use: {', '.join(missing)}")
print(f"{len(macros)} macros, each compiled as C++")
