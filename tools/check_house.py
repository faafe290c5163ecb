#!/usr/bin/env python3
"""Checks rules of the house that no compiler knows, and prints how long files and functions are.

Prints one line per fault (file:line, the rule) and exits with 1 if there is any. A line is let off
by a comment on it or above it: house-allow(rule): why. Only the standard library is needed.
"""

import argparse
import pathlib
import re
import sys

import house_report

CODE = {".h", ".cc", ".cu", ".cuh", ".inc", ".c"}
HEADERS = {".h", ".cuh"}
TEXT = CODE | {".py", ".cmake", ".txt", ".md", ".sh", ".json", ".yaml", ".yml", ".toml"}
SKIPPED = {"build", "data"}
LIBRARY = {"core", "collectives", "transport", "nn", "library", "bindings", "include"}

# (rule, pattern, what to do instead), looked for in code without comments and text.
BANNED = [
    ("rand", r"\bs?rand\s*\(", "use a seeded generator of <random>"),
]
BANNED_IN_LIBRARY = [
    ("sleep", r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\s*\(|\bsleep\s*\(\s*[^)\s]", "wait for an event, with a deadline"),
    ("print", r"\bstd::(?:cout|cerr|clog)\b|\b(?:f|v)?printf\s*\(|\bfmt::print\b",
     "use core/log.h: the library doesn't print"),
    ("exit", r"(?<![\w.>])(?:std::)?(?:abort|_?[eE]xit|terminate)\s*\(\s*(?:\d*|EXIT_\w+)\s*\)", "return a Status"),
]
BANNED_IN_HEADERS = [("using-namespace", r"\busing\s+namespace\b", "name what is used")]
# Highway compiles a file once per instruction set and needs guards of its own for it.
PER_TARGET = "HWY_TARGET_TOGGLE"
ISLAND = ("option-island", r"^\s*#\s*(?:el)?if.*\bRONDO_\w+",
          "optional parts are whole files chosen by CMake")
# Looked for everywhere, comments included.
BANNED_TEXT = [
    ("todo", r"\b(?:TO" r"DO\b(?!\((?:perf|soon|test)\):)|FIX" r"ME\b)",
     "give it a type, (perf), (soon) or (test), or do it"),
    ("machine-path", r"(?<![\w.$}])/(?:work|root|home)/", "no path of one machine"),
]


def find(rules, lines, raw):
    for rule, pattern, advice in rules:
        for number, line in enumerate(lines, 1):
            allowed = f"house-allow({rule})"
            above = raw[number - 2] if number > 1 else ""
            if re.search(pattern, line) and allowed not in raw[number - 1] and allowed not in above:
                yield number, rule, advice


def check_code(path, source):
    """Faults of one source file: (line, rule, advice)."""
    raw = source.split("\n")
    code = house_report.strip_comments_and_text(source).split("\n")
    rules = list(BANNED)
    if path.parts[0] in LIBRARY:
        rules += BANNED_IN_LIBRARY
    if PER_TARGET not in source:
        rules.append(ISLAND)
    if path.suffix in HEADERS:
        rules += BANNED_IN_HEADERS
        if PER_TARGET not in source and "#pragma once" not in raw:
            yield 1, "pragma-once", "begin the header with it"
    yield from find(rules, code, raw)


def check_text(source):
    raw = source.split("\n")
    yield from find(BANNED_TEXT, raw, raw)


def files(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if relative.parts[0] in SKIPPED or relative.parts[0].startswith("."):
            continue
        if path.suffix in TEXT and path.is_file():
            yield relative


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    faults, sources = [], {}
    for path in files(root):
        source = (root / path).read_text(errors="replace")
        found = list(check_text(source))
        if path.suffix in CODE:
            found += check_code(path, source)
            if path.parts[0] != "tests":
                sources[path] = source
        faults += [f"{path}:{number}: {rule}: {advice}" for number, rule, advice in sorted(found)]
    print(house_report.report(sources))
    print("\n".join(faults) or "every rule of the house is kept")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
