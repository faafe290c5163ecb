#!/usr/bin/env python3
"""What the C header promises of enumerators and sizes: every_enumerator.py HEADER TABLE

Each enumerator that a function takes, or reads in a struct that it is given, has a row in the table
of enumerators_test.c; each struct that a program makes begins with its size.
"""

import pathlib
import re
import sys

# Parts of other structs, which never grow.
FIXED = {"rondo_device", "rondo_place", "rondo_unique_id"}

header = re.sub(r"/\*.*?\*/", "", pathlib.Path(sys.argv[1]).read_text(), flags=re.DOTALL)
table = pathlib.Path(sys.argv[2]).read_text()
enumerations = set(re.findall(r"typedef enum (\w+)", header))
structs = dict(re.findall(r"typedef struct (\w+) \{([^{}]*)\} \1;", header))
functions = re.findall(r"RONDO_C_API\s+([^;()]*?)\b(rondo_\w+)\(([^()]*)\);", header)


def fields(struct: str) -> list[tuple[str, str]]:
    return re.findall(r"^\s*(\w+) (\w+);", structs[struct], flags=re.MULTILINE)


def enumerators(struct: str) -> set[str]:
    """Its own and those of the structs that lie in it, as messages name them."""
    own = {f"{struct}.{name}" for type, name in fields(struct) if type in enumerations}
    return own.union(*(enumerators(type) for type, _ in fields(struct) if type in structs))


wanted, made, handed_out = set(), set(), set()
for result, function, parameters in functions:
    handed_out |= {name for name in structs if re.search(rf"const {name}\*", result)}
    for parameter in parameters.split(","):
        found = re.fullmatch(r"\s*(const )?(\w+)(\**) ?(\w+)\s*", parameter)
        if found is None:
            continue
        const, type, stars, name = found.groups()
        if type in enumerations and not stars:
            wanted.add((function, name))
        if type not in structs or type in FIXED:
            continue
        if const and stars == "**":
            handed_out.add(type)
        else:
            made.add(type)
        if const and stars == "*":
            wanted |= {(function, what) for what in enumerators(type)}

# Of a status there is only a name to be had, "unknown" where it is none.
wanted.discard(("rondo_status_name", "status"))
missing = sorted(wanted - set(re.findall(r'\{"(\w+)", "([\w.]+)",', table)))
if len(wanted) < 25 or len(made) < 5:
    sys.exit(f"only {len(wanted)} enumerators and {len(made)} structs found: is the header another?")
if missing:
    sys.exit(f"no row for: {', '.join(' '.join(pair) for pair in missing)}")
for struct in sorted(made):
    if fields(struct)[0] != ("size_t", "size"):
        sys.exit(f"{struct} is made by programs and doesn't begin with its size")
    if f"#define {struct.upper()}_INIT" not in header:
        sys.exit(f"there is no {struct.upper()}_INIT")
print(f"{len(wanted)} enumerators are in the table; {', '.join(sorted(made))} begin with their sizes")
