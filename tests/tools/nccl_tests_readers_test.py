"""Reads `rondo bench` of every collective in the ways in which scripts for nccl-tests do.

    nccl_tests_readers_test.py RONDO [unittest's arguments]

The readers know nothing of Rondo: one takes words by their number, as awk does; one looks up the
columns' names in the head, some from the right; one has a regular expression for a whole line; one
for the lines above and below the table. Each raises where it finds what it wouldn't in nccl-tests'.
"""

import re
import subprocess
import sys
import unittest

RONDO = sys.argv[1]

# What nccl-tests says of each: redop (of its sendrecv "sum", though nothing is added up), root,
# whether it checks in place, and how many times the count is in the size with four ranks.
COLLECTIVES = {
    "all_reduce": ("sum", "-1", True, 1),
    "all_gather": ("none", "-1", True, 4),
    "reduce_scatter": ("sum", "-1", True, 4),
    "broadcast": ("none", "0", True, 1),
    "reduce": ("sum", "0", True, 1),
    "gather": ("none", "0", True, 4),
    "scatter": ("none", "0", True, 4),
    "all_to_all": ("none", "-1", False, 4),
    "send_receive": ("none", "-1", False, 1),
}
SIZES = [4096, 65536]


def words_by_number(output):
    """awk '!/^#/ && NF { print $1, $6, $7, $8, $9, $10, $11, $12, $13 }'."""
    rows = []
    for line in output.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        out, in_place = words[5:9], words[9:13]
        rows.append({"size": int(words[0]), "out": [float(word) for word in out[:3]], "wrong": out[3],
                     "in": [float(word) for word in in_place[:3]], "wrong_in": in_place[3]})
    return rows


def words_by_name(output):
    """Columns counted from the right where those on the left might be empty, as they once were."""
    lines = output.splitlines()
    first = max(i for i, line in enumerate(lines) if "out-of-place" in line) + 1
    last = max(i for i, line in enumerate(lines) if "Out of bounds values" in line)
    rows = []
    for line in lines[first:last]:
        words = re.sub(" +", " ", line.strip(" ")).split(" ")
        if "time" in words and "busbw" in words:
            names = words[1:]
            backwards = list(reversed(names))
        if not re.match(r"\d+", words[0]):
            continue
        out = [names.index(name) - len(names) for name in ("time", "algbw", "busbw")]
        in_place = [-1 - backwards.index(name) for name in ("time", "algbw", "busbw")]
        rows.append({"size": int(words[names.index("size")]),
                     "out": [float(words[i]) for i in out],
                     "in": [float(words[i]) for i in in_place]})
    return rows


NUMBER = r"\s+(\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
ROW = re.compile(r"^\s*(\d+)\s+(\d+)\s+(int8|uint8|int32|uint32|int64|uint64|half|bfloat16|float|double)"
                 r"\s+(sum|prod|max|min|avg|mulsum|none)\s+(-?\d+)"
                 + NUMBER * 3 + r"\s+(\d+|N/A)" + NUMBER * 3 + r"\s+(\d+|N/A)(?:\s|$)")


def words_by_pattern(output):
    rows = []
    for line in output.splitlines():
        match = ROW.match(line)
        if match is None:
            if line.strip() and not line.startswith("#"):
                raise ValueError(f"neither a row nor a comment: {line}")
            continue
        words = match.groups()
        rows.append({"size": int(words[0]), "count": int(words[1]), "type": words[2],
                     "redop": words[3], "root": words[4], "out": [float(word) for word in words[5:8]],
                     "in": [float(word) for word in words[9:12]], "wrong": words[8],
                     "wrong_in": words[12]})
    return rows


def around_the_table(output):
    test = re.search(r"^# Collective test starting: (\S+)$", output, re.M)
    end = re.search(r"^# Collective test concluded: (\S+)$", output, re.M)
    settings = re.search(r"\bnThread (\d+) nGpus (\d+) minBytes (\d+) maxBytes (\d+) step: "
                         r"(\d+)\((factor|bytes)\) warmup iters: (\d+) iters: (\d+)", output)
    ranks = re.findall(r"^#\s+Rank\s+(\d+) Group\s+\d+ Pid\s+(\d+) on\s+(\S+) device\s+(\d+) "
                       r"\[[^\]]+\]\s+(\S.*)$", output, re.M)
    bad = re.search(r"Out of bounds values\s*: (\d+) (OK|FAILED)", output)
    mean = re.search(r"Avg bus bandwidth\s*: (\S+)", output)
    return {"test": test.group(1), "end": end.group(1), "settings": settings.groups(),
            "ranks": [int(rank[0]) for rank in ranks], "bad": bad.groups(),
            "mean": float(mean.group(1))}


def bench(collective, *arguments):
    command = [RONDO, "bench", collective, "--local", "4", "-b", "4K", "-e", "64K", "-f", "16",
               "-n", "5", "-w", "1", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


class Readers(unittest.TestCase):
    def test_every_collective_is_read_alike(self):
        for collective, (redop, root, checked_in_place, parts) in COLLECTIVES.items():
            with self.subTest(collective):
                output = bench(collective)
                rows = words_by_pattern(output)
                self.assertEqual([row["size"] for row in rows], SIZES)
                for row, by_number, by_name in zip(rows, words_by_number(output),
                                                   words_by_name(output), strict=True):
                    self.assertEqual(row["type"], "float")
                    self.assertEqual((row["redop"], row["root"]), (redop, root))
                    self.assertEqual(row["count"] * 4 * parts, row["size"])
                    self.assertEqual(row["wrong"], "0")
                    self.assertEqual(row["wrong_in"], "0" if checked_in_place else "N/A")
                    self.assertEqual(by_number, {key: row[key] for key in by_number})
                    self.assertEqual(by_name, {key: row[key] for key in by_name})

    def test_bandwidths_are_those_of_the_times(self):
        factors = {"all_reduce": 1.5, "all_gather": 0.75, "all_to_all": 0.75, "broadcast": 1}
        for collective, factor in factors.items():
            for row in words_by_pattern(bench(collective)):
                for time_us, algbw, busbw in (row["out"], row["in"]):
                    self.assertAlmostEqual(algbw, row["size"] / time_us / 1e3, delta=0.02 + algbw / 50)
                    self.assertAlmostEqual(busbw, algbw * factor, delta=0.02)

    def test_head_and_foot_say_what_was_measured(self):
        output = bench("reduce_scatter", "-g", "2")
        found = around_the_table(output)
        self.assertEqual((found["test"], found["end"]), ("reduce_scatter", "reduce_scatter"))
        self.assertEqual(found["settings"], ("1", "2", "4096", "65536", "16", "factor", "1", "5"))
        self.assertEqual(found["ranks"], list(range(8)))
        self.assertEqual(found["bad"], ("0", "OK"))
        busbw = [half[2] for row in words_by_pattern(output) for half in (row["out"], row["in"])]
        self.assertAlmostEqual(found["mean"], sum(busbw) / len(busbw), delta=0.01)

    def test_types_and_ops_have_nccl_tests_names(self):
        rows = words_by_pattern(bench("all_reduce", "-d", "all", "-o", "mulsum"))
        self.assertEqual([row["type"] for row in rows[::2]], ["half", "bfloat16", "float", "double"])
        self.assertEqual({row["redop"] for row in rows}, {"mulsum"})
        rows = words_by_pattern(bench("all_gather", "-d", "all"))
        self.assertEqual([row["type"] for row in rows[:12:2]],
                         ["int8", "uint8", "int32", "uint32", "int64", "uint64"])

    def test_optional_columns_stand_where_nccl_tests_has_them(self):
        output = bench("all_to_all", "-I", "1", "-S", "1")
        for line in output.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            words = line.split()
            self.assertEqual(len([float(word) for word in words[9:13] + words[17:21]]), 8)
            self.assertRegex(" ".join(words[21:23]), r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        # A timestamp is two words under one name, there as well: nobody counts from the right then.
        self.assertEqual(len(words_by_name(bench("all_to_all", "-I", "1"))), len(SIZES))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
