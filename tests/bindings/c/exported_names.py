#!/usr/bin/env python3
"""What a shared library exports, compared with a list: exported_names.py LIBRARY LIST [--update]

C's names have to be exactly those of the list: programs are linked against them. Of C++ there may
be only names of namespace rondo, and what the compiler makes for them.
"""

import pathlib
import re
import subprocess
import sys

library, listed = sys.argv[1], pathlib.Path(sys.argv[2])
symbols = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library],
                         check=True, capture_output=True, text=True).stdout
names = {line.split()[0].split("@")[0] for line in symbols.splitlines()}
names.discard("RONDO_1")  # the version of them all
# Sanitizers and the linker add some of their own.
names = {name for name in names if not re.match(r"__(asan|ubsan|tsan|odr|start|stop)_?", name)}
c_names = sorted(name for name in names if not name.startswith("_Z"))
strangers = sorted(name for name in names if name.startswith("_Z") and "5rondo" not in name)

if "--update" in sys.argv:
    listed.write_text("\n".join(c_names) + "\n")
expected = listed.read_text().split()
problems = [f"no longer exported: {name}" for name in expected if name not in c_names]
problems += [f"exported, but not in the list: {name}" for name in c_names if name not in expected]
problems += [f"of no namespace of ours: {name}" for name in strangers[:10]]
if problems:
    print("\n".join(problems))
    sys.exit("what is exported has changed. A name that is gone breaks programs (soname!); one that "
             f"is new and meant: {sys.argv[0]} LIBRARY LIST --update")
print(f"{len(c_names)} C names, as listed; {len(names) - len(c_names)} of C++")
