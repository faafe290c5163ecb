#!/usr/bin/env python3
"""Checks that includes only go down: cmake/layers.txt says what each folder may include.

Prints one line per fault (file:line, the include, what is allowed) and exits with 1 if there is
any. Only the standard library of Python 3 is needed.
"""

import argparse
import pathlib
import re
import sys

SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".inc", ".c"}
# Tests look at everything by purpose; the rest holds no sources of ours.
EXEMPT = {"tests", "build", "cmake", "docs", "data", "scripts"}
DOOR = "include/rondo"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def read_layers(path):
    """{folder: set of other folders it may include}; exits where a line can't be right."""
    layers = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        folder, colon, allowed = text.partition(":")
        if not colon or folder.strip() in layers:
            sys.exit(f"{path}:{number}: expected one \"folder: folders\" line per folder: {text}")
        layers[folder.strip()] = set(allowed.split())
    for folder, allowed in layers.items():
        for name in sorted(allowed - layers.keys()):
            sys.exit(f"{path}: {folder} may include {name}, which has no line of its own")
    return layers


def folder_of(file, layers):
    """The longest listed folder that holds the file (a path relative to the root), or None."""
    for parent in file.parents:
        if parent.as_posix() in layers:
            return parent.as_posix()
    return None


def sources(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if relative.parts[0] in EXEMPT or relative.parts[0].startswith("."):
            continue
        if path.suffix in SUFFIXES and path.is_file():
            yield relative


def resolve(root, file, name):
    """The file of this tree that an include names, or None for the system's and others'."""
    for base in (root / file.parent, root, root / "include"):
        target = (base / name).resolve()
        if target.is_file() and target.is_relative_to(root):
            return target.relative_to(root)
    return None


def check_file(root, file, layers):
    folder = folder_of(file, layers)
    if folder is None:
        return [f"{file}:1: its folder is not listed in cmake/layers.txt"]
    allowed = layers[folder] | {folder, DOOR}
    faults = []
    for number, line in enumerate((root / file).read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        target = match and resolve(root, file, match.group(1))
        if not target:
            continue
        layer = folder_of(target, layers)
        if layer not in allowed:
            faults.append(
                f"{file}:{number}: {folder} includes {target} (of {layer or 'no listed folder'}), "
                f"but may include only: {' '.join(sorted(allowed))}")
    return faults


def cycle(layers):
    """A list of folders that may include each other in a ring, or nothing."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return None
        path.append(folder)
        found = next(filter(None, map(visit, sorted(layers[folder]))), None)
        path.pop()
        done.add(folder)
        return found

    return next(filter(None, map(visit, sorted(layers))), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    layers = read_layers(root / "cmake" / "layers.txt")
    ring = cycle(layers)
    faults = [f"cmake/layers.txt:1: a ring of folders: {' -> '.join(ring)}"] if ring else []
    count = 0
    for file in sources(root):
        faults += check_file(root, file, layers)
        count += 1
    print("\n".join(faults) or f"{count} files in {len(layers)} folders: every include goes down")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
