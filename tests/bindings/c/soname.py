#!/usr/bin/env python3
"""The soname and RONDO_ABI_VERSION are raised together: where one of them is another than in the pair
that was looked at, a program would load a library that it wasn't made for, or none.

  soname.py LIBRARY HEADER PAIR        PAIR: a file with "ABI_VERSION SONAME"
"""

import pathlib
import re
import subprocess
import sys


def main(library, header, pair):
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True,
                             check=True).stdout
    soname = re.search(r"\(SONAME\).*\[(.*)\]", dynamic)
    version = re.search(r"^#define RONDO_ABI_VERSION (\d+)$",
                        pathlib.Path(header).read_text(), re.MULTILINE)
    now = f"{version.group(1) if version else 'none'} {soname.group(1) if soname else 'none'}"
    then = pathlib.Path(pair).read_text().strip()
    if now == then:
        return 0
    print(f"{library}: ABI version and soname are '{now}', in {pair} '{then}'. With another C "
          "interface both have to be others; then write the new pair there.")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
