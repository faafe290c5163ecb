#!/usr/bin/env python3
"""Every function of the C header is called by a test in C: every_function.py HEADER FOLDER"""

import pathlib
import re
import sys

header, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
functions = re.findall(r"RONDO_C_API\s[^;(]*?\b(rondo_\w+)\(", header.read_text())
tests = "\n".join(path.read_text() for path in folder.glob("*.c"))
missing = [name for name in functions if not re.search(rf"\b{name}\(", tests)]
if len(functions) < 30:
    sys.exit(f"{header}: only {len(functions)} functions found: has the macro another name?")
if missing:
    sys.exit(f"no test in C calls: {', '.join(missing)}")
print(f"{len(functions)} functions, each called")
