#!/usr/bin/env python3
"""Where the structs of a C header have what, as its compiler says, compared with a snapshot:
layouts.py COMPILER HEADER SNAPSHOT [--update]

Programs that are compiled hold these structs: what is in them stays where it is.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def field_of(declaration: str) -> str:
    """The name in `int32_t kind`, `char text[128]`, `int (*count)(int* count)`."""
    name = (re.search(r"\(\*(\w+)\)", declaration) or
            re.fullmatch(r"[\w\s*]*?(\w+)(?:\[\w+\])?", declaration.strip()))
    if name is None:
        sys.exit(f"can't read this field: {declaration}")
    return name[1]


def structs_of(header: str) -> dict[str, list[str]]:
    """The fields of each struct whose contents are in the header."""
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    found = re.findall(r"typedef struct (\w+) \{([^{}]*)\} \1;", code)
    if len(found) != len(re.findall(r"\b(?:struct|union)\b[^;()]*\{", code)):
        sys.exit("there are structs that aren't written as typedef struct name {...} name;")
    return {name: [field_of(field) for field in body.split(";") if field.strip()]
            for name, body in found}


def program_for(include: str, structs: dict[str, list[str]]) -> str:
    """In C, it prints the layouts."""
    lines = []
    for name, fields in structs.items():
        lines.append(f'printf("{name}: %zu bytes\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field}: %zu bytes at %zu\\n", sizeof((({name}*)0)->{field}), '
                  f'offsetof({name}, {field}));' for field in fields]
    return (f'#include <stdio.h>\n#include "{include}"\nint main(void) {{\n' +
            "\n".join(lines) + "\nreturn 0;\n}\n")


def layouts(compiler: str, header: pathlib.Path) -> str:
    source = program_for(f"rondo/{header.name}", structs_of(header.read_text()))
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "layouts")
        subprocess.run([compiler, "-std=c99", f"-I{header.parent.parent}", "-xc", "-",
                        "-o", program], input=source, text=True, check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def entries(text: str) -> dict[str, str]:
    return dict(line.split(": ") for line in text.splitlines())


compiler, header, snapshot = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
text = layouts(compiler, header)
if "--update" in sys.argv:
    snapshot.write_text(text)
is_now, was = entries(text), entries(snapshot.read_text())
problems = [f"{name}: was {was[name]}, is now {is_now.get(name, 'gone')}"
            for name in was if is_now.get(name) != was[name]]
problems += [f"{name}: {is_now[name]}, not in the snapshot" for name in is_now if name not in was]
if problems:
    print("\n".join(problems))
    sys.exit("layouts have changed. What has moved or is gone breaks programs that are compiled "
             "(RONDO_ABI_VERSION!). A struct is new, or one that has its size in it has grown at "
             f"its end, and it is meant: python3 {sys.argv[0]} {compiler} {header} {snapshot} --update")
print(f"{len(is_now)} structs and fields, where they were")
