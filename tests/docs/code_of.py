#!/usr/bin/env python3
"""The first indented block of a page below the line that begins so (a heading, mostly), for what
compiles or runs it: code_of.py PAGE BEGINNING FILE
"""

import pathlib
import sys


def block_below(beginning: str, lines: list[str]) -> tuple[int, list[str]]:
    """The block, and the number of its first line."""
    begin = next(i for i, line in enumerate(lines) if line.startswith(beginning))
    while not lines[begin].startswith("    "):
        begin += 1
    end = begin
    while lines[end].startswith("    ") or not lines[end]:
        end += 1
    return begin + 1, [line[4:] for line in lines[begin:end]]


page, beginning, file = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
number, code = block_below(beginning, page.read_text().splitlines())
if file.suffix == ".inc":  # compilers are to name the page
    code.insert(0, f'#line {number} "{page}"')
file.write_text("\n".join(code).rstrip() + "\n")
