"""Proves that tools/check_layers.py sees an upward include: a checker that can't fail proves nothing.

Usage: check_layers_test.py <folder of the tools>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(sys.argv.pop(1)).resolve()

LAYERS = """
include/rondo:   # the door
core:
upper:  core
tests_are_exempt:
"""
CLEAN = {
    "cmake/layers.txt": LAYERS,
    "include/rondo/types.h": "#pragma once\n",
    "core/status.h": '#include <string>\n#include "rondo/types.h"\n',
    "core/deep/inner.h": '#include "core/status.h"\n',
    "upper/call.h": '#include "core/status.h"\n#include "core/deep/inner.h"\n',
    "upper/call.cc": '#include "call.h"\n#include "third_party/header.h"\n',
    "tests/core/status_test.cc": '#include "core/status.h"\n#include "upper/call.h"\n',
}


class CheckLayers(unittest.TestCase):
    def check(self, changes):
        """Exit status and output over the clean tree with some files changed."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (CLEAN | changes).items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run(
                [sys.executable, "-B", TOOLS / "check_layers.py", "--root", folder],
                capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def fails_with(self, changes, *expected):
        status, output = self.check(changes)
        self.assertEqual(status, 1, output)
        for text in expected:
            self.assertIn(text, output)

    def test_clean_tree_passes(self):
        status, output = self.check({})
        self.assertEqual(status, 0, output)
        self.assertIn("5 files", output)

    def test_upward_include_names_line_and_what_is_allowed(self):
        self.fails_with({"core/bad.cc": '#include "core/status.h"\n  # include "upper/call.h"\n'},
                        "core/bad.cc:2: core includes upper/call.h", "only: core include/rondo")

    def test_upward_include_in_angle_brackets_is_seen(self):
        self.fails_with({"core/bad.h": "#include <upper/call.h>\n"}, "core/bad.h:1")

    def test_upward_include_by_relative_path_is_seen(self):
        self.fails_with({"core/deep/bad.h": '#include "../../upper/call.h"\n'},
                        "core/deep/bad.h:1", "upper/call.h")

    def test_door_knows_nothing_behind_it(self):
        self.fails_with({"include/rondo/bad.h": '#include "core/status.h"\n'},
                        "include/rondo/bad.h:1")

    def test_unlisted_folder_is_a_fault(self):
        self.fails_with({"misc/thing.cc": "\n"}, "misc/thing.cc:1", "not listed")

    def test_include_of_an_unlisted_folder_is_a_fault(self):
        self.fails_with({"misc/thing.h": "\n", "core/bad.cc": '#include "misc/thing.h"\n'},
                        "core/bad.cc:1", "no listed folder")

    def test_ring_in_the_list_is_a_fault(self):
        self.fails_with({"cmake/layers.txt": LAYERS.replace("core:", "core: upper")},
                        "core -> upper -> core")

    def test_unknown_or_double_name_in_the_list_is_a_fault(self):
        self.fails_with({"cmake/layers.txt": LAYERS + "more: nothing\n"}, "nothing")
        self.fails_with({"cmake/layers.txt": LAYERS + "core:\n"}, "one")


if __name__ == "__main__":
    unittest.main()
