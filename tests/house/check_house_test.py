"""Proves that tools/check_house.py sees each fault it promises to see, and no more.

Usage: check_house_test.py <folder of the tools>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(TOOLS))
import house_report  # noqa: E402 (the folder comes from the command line)

CLEAN = {
    "core/a.h": "#pragma once\n// Sleep(ing) and rand() in a comment are fine; TO" "DO(perf): too.\n",
    "core/a.cc": 'const char* text = "sleep(1) rand() using namespace std";\n',
    "core/b.cc": "void f() { endpoint->abort(cause); sleep(); }\nStatus Waiter::sleep() {}\n",
    "tests/a_test.cc": "using namespace rondo;\nvoid f() { std::this_thread::sleep_for(ms); }\n",
    "tools/main.cc": 'int main() { std::printf("programs may print"); }\n',
    "docs/page.md": "See https://example.org/home/page and ${prefix}/home/x.\n",
}


class CheckHouse(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (CLEAN | changes).items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run(
                [sys.executable, "-B", TOOLS / "check_house.py", "--root", folder],
                capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def test_clean_tree_passes(self):
        status, output = self.check({})
        self.assertEqual(status, 0, output)

    def test_each_fault_is_seen_at_its_line(self):
        faults = {
            "rand": ("core/b.cc", "\nint x = std::rand();\n"),
            "sleep": ("transport/b.cc", "\nstd::this_thread::sleep_for(pause);\n"),
            "print": ("nn/b.cc", '\nstd::cout << "x";\n'),
            "exit": ("core/b.cc", "\nstd::abort();\n"),
            "using-namespace": ("tests/b.h", "#pragma once\nusing namespace rondo;\n"),
            "option-island": ("core/b.cc", "\n#ifdef RONDO_CUDA\n#endif\n"),
            "todo": ("core/b.cc", "\n// TO" "DO: later\n"),
            "machine-path": ("docs/b.md", "\nrun /ro" "ot/thing\n"),
        }
        for rule, (name, text) in faults.items():
            with self.subTest(rule=rule):
                status, output = self.check({name: text})
                self.assertEqual(status, 1, output)
                self.assertIn(f"{name}:2: {rule}:", output)

    def test_header_without_pragma_once_is_a_fault(self):
        status, output = self.check({"core/b.h": "int x;\n"})
        self.assertEqual(status, 1)
        self.assertIn("core/b.h:1: pragma-once", output)

    def test_untyped_or_urgent_notes_are_faults(self):
        for note in ("FIX" "ME", "TO" "DO(now): x", "TO" "DO(me): x"):
            status, output = self.check({"core/b.cc": f"// {note}\n"})
            self.assertEqual(status, 1, note)
            self.assertIn("core/b.cc:1: todo", output)

    def test_reason_on_the_line_or_above_lets_off(self):
        for text in ("usleep(1);  // house-allow(sleep): why\n",
                     "// house-allow(sleep): why\nusleep(1);\n"):
            self.assertEqual(self.check({"core/b.cc": text})[0], 0, text)
        self.assertEqual(self.check({"core/b.cc": "usleep(1);  // house-allow(rand): no\n"})[0], 1)


class Functions(unittest.TestCase):
    def test_lengths_are_those_of_whole_functions(self):
        source = "\n".join([
            "namespace a {", "class B {", " public:", "  B() : x_{1}, y_(2) {}", "  int f() const {",
            "    if (x_) {", "      return '{';", "    }", "    return 1'000;", "  }", "};",
            "// void commented() {", "int g(int a,", "      int b) {", "  auto h = [&](int c) {",
            "    return c;", "  };", "  return h(a + b);", "}", "int table[] = {f(1), f(2)};", "}"])
        self.assertEqual(house_report.functions(source), [(4, 1), (5, 6), (13, 7)])

    def test_report_names_the_longest_function(self):
        source = "void f() {\n" + "  x();\n" * 70 + "}\n"
        text = house_report.report({"core/long.cc": source})
        self.assertIn("72 lines: function at core/long.cc:1", text)
        self.assertIn("above 60 lines: 100.0 %", text)


if __name__ == "__main__":
    unittest.main()
