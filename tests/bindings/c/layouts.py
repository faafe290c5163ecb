#!/usr/bin/env python3
"""Where the structs of a C header have what, what its enumerators are worth and what its functions
and callbacks take, as its compiler says, compared with a snapshot:
layouts.py COMPILER HEADER SNAPSHOT [--update]

Programs that are compiled hold these structs, numbers and calls: they stay as they are.
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


def without_comments(header: str) -> str:
    return re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)


def enumerators_of(header: str) -> list[str]:
    bodies = re.findall(r"\benum\b[^{};]*\{([^{}]*)\}", without_comments(header))
    return [entry.split("=")[0].strip() for body in bodies for entry in body.split(",")
            if entry.strip()]


def functions_of(header: str) -> list[str]:
    """Declarations of functions, and of callbacks as types or in structs, on a line each: names of parameters are
    no part of the binary form, but who swaps two of them should see it here."""
    code = without_comments(header)
    found = re.findall(r"^RONDO_C_API ([^;{}]*);", code, flags=re.MULTILINE)
    found += re.findall(r"^ *((?:typedef )?[^;{}\n(]*\(\*\w+\)\([^;{}]*\));", code,
                        flags=re.MULTILINE)
    return [" ".join(text.split()) for text in found]


def program_for(include: str, structs: dict[str, list[str]], enumerators: list[str]) -> str:
    """In C, it prints the layouts and numbers."""
    lines = [f'printf("{name}: %lld\\n", (long long){name});' for name in enumerators]
    for name, fields in structs.items():
        lines.append(f'printf("{name}: %zu bytes\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field}: %zu bytes at %zu\\n", sizeof((({name}*)0)->{field}), '
                  f'offsetof({name}, {field}));' for field in fields]
    return (f'#include <stdio.h>\n#include "{include}"\nint main(void) {{\n' +
            "\n".join(lines) + "\nreturn 0;\n}\n")


def layouts(compiler: str, header: pathlib.Path) -> str:
    code = header.read_text()
    source = program_for(f"rondo/{header.name}", structs_of(code), enumerators_of(code))
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "layouts")
        subprocess.run([compiler, "-std=c99", f"-I{header.parent.parent}", "-xc", "-",
                        "-o", program], input=source, text=True, check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return printed + "".join(f"{name_of(text)}: {text}\n" for text in functions_of(code))


def name_of(declaration: str) -> str:
    """rondo_rank() in `int rondo_rank(...)`, or in `typedef int (*rondo_rank)(...)`."""
    return re.search(r"(\w+)\)?\(", declaration.replace("(*", ""))[1] + "()"


def entries(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.splitlines())


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
    sys.exit("the binary form has changed. What has moved or is gone breaks compiled programs "
             "(RONDO_ABI_VERSION!). A struct is new, or one that has its size in it has grown at "
             f"its end, and it is meant: python3 {sys.argv[0]} {compiler} {header} {snapshot} --update")
print(f"{len(is_now)} structs, fields, enumerators and functions, as they were")
