#!/usr/bin/env python3
"""What a library exports, compared with a list, or with what another library exports:
exported_names.py LIBRARY LIST [--update]
exported_names.py LIBRARY --as OTHER

C's names have to be exactly those of the list: programs are linked against them. Of C++ there may
be only names of namespace rondo, and what the compiler makes for them. And no name of an MPI is asked
for: the library runs where there is none, and beside any.
"""

import pathlib
import re
import subprocess
import sys


def exported_by(library: str) -> set[str]:
    which = "--extern-only" if library.endswith(".a") else "--dynamic"
    symbols = subprocess.run(["nm", which, "--defined-only", "--format=posix", library],
                             check=True, capture_output=True, text=True).stdout
    # An archive's members stand between the names, each with a colon at its end.
    lines = [line.split() for line in symbols.splitlines() if not line.endswith("]:")]
    names = {line[0].split("@")[0] for line in lines if line}
    names.discard("RONDO_1")  # the version of them all
    # Sanitizers and the linker add some of their own.
    return {name for name in names if not re.match(r"__(asan|ubsan|tsan|odr|start|stop)_?", name)}


def asked_for_of_mpi(library: str) -> list[str]:
    symbols = subprocess.run(["nm", "--dynamic", "--undefined-only", "--format=posix", library],
                             check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in symbols.splitlines() if line]
    return [name for name in names if re.match(r"P?MPI[XD]?_|ompi_|opal_|PMI|pmix_", name)]


def is_local(name: str) -> bool:
    """The type of something inside a function, which nobody outside can name."""
    return re.match(r"_ZT[ISV]Z", name) is not None


library, listed = sys.argv[1], sys.argv[2]
names = exported_by(library)
if listed == "--as":
    expected = {name for name in exported_by(sys.argv[3]) if not is_local(name)}
    compared, strangers = sorted(name for name in names if not is_local(name)), []
else:
    compared = sorted(name for name in names if not name.startswith("_Z"))
    strangers = sorted(name for name in names if name.startswith("_Z") and "5rondo" not in name)
    if "--update" in sys.argv:
        pathlib.Path(listed).write_text("\n".join(compared) + "\n")
    expected = set(pathlib.Path(listed).read_text().split())
problems = [f"no longer exported: {name}" for name in sorted(expected) if name not in names]
problems += [f"exported, but not in the list: {name}" for name in compared if name not in expected]
if not library.endswith(".a"):
    problems += [f"asked for, of an MPI: {name}" for name in asked_for_of_mpi(library)]
problems += [f"of no namespace of ours: {name}" for name in strangers[:10]]
if problems:
    print("\n".join(problems))
    sys.exit("what is exported has changed. A name that is gone breaks programs (soname!); one that "
             f"is new and meant: {sys.argv[0]} LIBRARY LIST --update")
print(f"{len(compared)} names, as listed; {len(names)} in all")
