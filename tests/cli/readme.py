#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
readme.py: what the README says can be done, can be done.

    readme.py TENURE SOURCE_ROOT BUILD_ROOT

Every block fenced as `sh` is run, in order, in one empty folder where `build` is the build folder and `tenure` is in
PATH. Commands that build or install are not run again: `make` is asked (-n) whether it knows their targets. A
`text` block is the output of the `sh` block before it, and must still have that form: each of its lines must be
printed, numbers and folders aside (caches are those of the machine). A README without commands or
output is an error: then this script has stopped finding them.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TENURE, ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
MACHINE = re.compile(r"[KMG]iB")  # sizes of caches, and whether they fit on one line
cases, failures = 0, []


def check(good, what):
    global cases
    cases += 1
    if not good:
        failures.append(what)


def form(line):
    """Without numbers, folders and the width of columns."""
    line = re.sub(r"~.*/|\S*[/~]", "", line.replace(ROOT, ""))  # ~: the rest of a long path
    return " ".join(re.sub(r"[\d,.]*\d", "#", line).split())


def forms(text):
    return [form(line) for line in text.splitlines() if line.strip() and not MACHINE.search(line)]


def make_targets(code):
    """[""] for plain make; None if the block is not about make."""
    words = re.sub(r"#.*", "", code)
    found = re.findall(r"\bmake\b[ ]*([\w-]*)", words)
    return found if re.match(r"\s*make\b", words) else None


def run(code, folder):
    environment = dict(os.environ, PATH=os.path.dirname(TENURE) + ":" + os.environ["PATH"], COLUMNS="100",
                       NO_COLOR="1", LC_ALL="C.UTF-8")
    done = subprocess.run(["sh", "-e", "-c", code], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"exit status {done.returncode}:\n{code}{done.stderr}")
    return done.stdout


def knows(target):
    done = subprocess.run(["make", "-n", "-C", ROOT] + ([target] if target else []), capture_output=True, text=True,
                          check=False)
    check(done.returncode == 0, f"make {target}: {done.stderr}")


def compare(expected, output):
    printed = forms(output)
    for line in forms(expected):
        check(line in printed, f"README shows, but tenure no longer prints: {line}")


def main():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        blocks = FENCE.findall(file.read())
    check(sum(kind == "sh" for kind, _ in blocks) > 5, "the README has commands")
    check(sum(kind == "text" for kind, _ in blocks) > 1, "the README has output")
    folder = tempfile.mkdtemp(prefix="tenure-readme-")
    os.symlink(BUILD, os.path.join(folder, "build"))
    output = ""
    try:
        for kind, code in blocks:
            check(kind in ("sh", "text"), f"a block that is neither sh nor text: {code}")
            targets = make_targets(code) if kind == "sh" else None
            if targets is not None:
                for target in targets:
                    knows(target)
            elif kind == "sh":
                output = run(code, folder)
            else:
                compare(code, output)
    finally:
        shutil.rmtree(folder)
    print("\n".join(failures))
    print(f"{cases - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
