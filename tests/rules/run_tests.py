#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/run-tests adds up what tests say, and does not overlook a failure.

    run_tests.py ROOT

Each case makes a small meson project whose tests print what is given, runs tools/run-tests on it and looks at
the last line and the exit status.
"""
import os
import subprocess
import sys
import tempfile

import tree

CMOCKA = "[==========] Running 3 test(s).\\n[  PASSED  ] {} test(s).\\n"
CMOCKA_BAD = CMOCKA.format(2) + "[  FAILED  ] 1 test(s), listed below:\\n[  FAILED  ] it\\n"

# name: ([(what a test prints, how it ends)], last line, exit status)
CASES = {
    "counts are added": ([("5 passed, 0 failed", "exit 0"), ("2 passed, 0 failed", "exit 0")], "7 passed, 0 failed", 0),
    "only the last count": ([("9 passed, 9 failed\\n2 passed, 0 failed", "exit 0")], "2 passed, 0 failed", 0),
    "silent tests are one case": ([("", "exit 0"), ("", "exit 1")], "1 passed, 1 failed", 1),
    "counted failures": ([("5 passed, 3 failed", "exit 1")], "5 passed, 3 failed", 1),
    "counted, but good status": ([("5 passed, 3 failed", "exit 0")], "5 passed, 3 failed", 1),
    "bad status, none counted": ([("5 passed, 0 failed", "exit 1")], "5 passed, 1 failed", 1),
    "crash": ([("", "kill -SEGV $$"), ("1 passed, 0 failed", "exit 0")], "1 passed, 1 failed", 1),
    "cmocka": ([(CMOCKA.format(3), "exit 0"), (CMOCKA_BAD, "exit 1")], "5 passed, 1 failed", 1),
    "skipped": ([("no compiler", "exit 77"), ("1 passed, 0 failed", "exit 0")], "1 passed, 0 failed", 0),
    "nothing ran": ([("", "exit 77")], "0 passed, 0 failed", 1),
}


def run(root, tests):
    """(last line, exit status) of run-tests on a project with `tests`."""
    with tempfile.TemporaryDirectory() as folder:
        lines = ["project('sum')", "sh = find_program('sh')"]
        for number, (output, end) in enumerate(tests):
            with open(os.path.join(folder, f"{number}.sh"), "w", encoding="utf-8") as script:
                script.write(f"printf '{output}\\n'\n{end}\n")
            lines.append(f"test('{number}', sh, args: files('{number}.sh'))")
        with open(os.path.join(folder, "meson.build"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        build = os.path.join(folder, "build")
        subprocess.run(["meson", "setup", build, folder], capture_output=True, check=True)
        done = subprocess.run([os.path.join(root, "tools", "run-tests"), build],
                              capture_output=True, text=True, check=False)
        return done.stdout.rstrip().split("\n")[-1], done.returncode


def main():
    root = sys.argv[1]
    cases = tree.Cases()
    for name, (tests, line, status) in CASES.items():
        got = run(root, tests)
        cases.case(name, [] if got == (line, status) else [f"{got} instead of {(line, status)}"])
    cases.finish()


main()
