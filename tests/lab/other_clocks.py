#!/usr/bin/env python3
"""other_clocks.py SAID MERGED SECONDS: whether `rondo trace` has found that each host's clock is
SECONDS ahead of that of the host before, and has put all calls on the first one's."""

import collections
import json
import re
import sys


def offsets_said(said):
    """By rank: the offset and how exact it is said to be, in us."""
    rows = re.findall(r"^ +(\d+) .* ([-+][\d.]+) \+- ([\d.]+)$", said, re.MULTILINE)
    return {int(rank): (float(offset), float(within)) for rank, offset, within in rows}


def main(said_path, merged_path, seconds):
    offsets = offsets_said(open(said_path).read())
    assert sorted(offsets) == [1, 2], offsets
    for rank, (offset, within) in offsets.items():
        wrong = abs(offset + rank * float(seconds) * 1e6)
        # Both numbers are rounded to a tenth.
        assert wrong <= within + 0.2, f"rank {rank}: {wrong} us off, said to be within {within}"
        assert within < 5000, f"rank {rank}: +- {within} us tells nothing of calls of 1 ms"
    inexact = sum(within for _, within in offsets.values())

    calls = collections.defaultdict(list)
    for event in json.load(open(merged_path)):
        if event.get("cat") == "call" and event["name"] == "all_reduce":
            calls[event["args"]["sequence"]].append(event)
    assert len(calls) >= 60, len(calls)
    for sequence, of_ranks in calls.items():
        assert len({event["pid"] for event in of_ranks}) == 3, of_ranks
        last_begin = max(event["ts"] for event in of_ranks)
        first_end = min(event["ts"] + event["dur"] for event in of_ranks)
        assert last_begin <= first_end + inexact, f"call {sequence} ends before all have begun it"


if __name__ == "__main__":
    main(*sys.argv[1:])
