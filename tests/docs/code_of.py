#!/usr/bin/env python3
"""The first indented block below a heading of a page, for what compiles or runs it:
code_of.py PAGE HEADING FILE
"""

import pathlib
import sys


def block_below(heading: str, lines: list[str]) -> tuple[int, list[str]]:
    """The block, and the number of its first line."""
    begin = lines.index(heading)
    while not lines[begin].startswith("    "):
        begin += 1
    end = begin
    while lines[end].startswith("    ") or not lines[end]:
        end += 1
    return begin + 1, [line[4:] for line in lines[begin:end]]


page, heading, file = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
number, code = block_below(heading, page.read_text().splitlines())
if file.suffix == ".inc":  # compilers are to name the page
    code.insert(0, f'#line {number} "{page}"')
file.write_text("\n".join(code).rstrip() + "\n")
