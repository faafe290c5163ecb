#!/usr/bin/env python3
"""Every variable of Rondo's is among those that are known: every_variable.py ROOT

Those that docs/environment.md names, and those that sources outside of the tests read.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
FOLDERS = "core collectives transport nn library bindings tools bench examples".split()
KNOWN = root / "core" / "environment_names.cc"
PAGE = root / "docs" / "environment.md"

known = set(re.findall(r'"(RONDO_\w+)"', KNOWN.read_text()))
# A name that ends with a star stands for several.
documented = set(re.findall(r"\bRONDO_\w+\b(?!\*)", PAGE.read_text()))
read = {}
for folder in FOLDERS:
    for path in sorted((root / folder).rglob("*")):
        if path == KNOWN or path.suffix not in (".cc", ".c", ".h"):
            continue
        for name in re.findall(r'"(RONDO_\w*[A-Z0-9])["=]', path.read_text()):
            read.setdefault(name, path.relative_to(root))

if len(documented) < 30 or len(read) < 40:
    sys.exit(f"only {len(documented)} documented and {len(read)} read: have names another form?")
missing = [f"{PAGE.relative_to(root)} names {name}" for name in sorted(documented - known)]
missing += [f"{read[name]} reads {name}" for name in sorted(read.keys() - known)]
if missing:
    sys.exit(f"{KNOWN.relative_to(root)} doesn't have them: {'; '.join(missing)}")
print(f"{len(documented)} documented, {len(read)} read: all are among {len(known)} known")
