#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every header compiles alone, and twice, without a warning.

    headers.py ROOT BUILD [--valgrind FLAGS...] -- COMPILER...

Headers of engine/valgrind are compiled with FLAGS, and left out when there are none. include/tenure.h must also
satisfy C89 and C++98, since it is copied into other people's programs; core's headers must satisfy a
freestanding compiler.
"""
import os
import subprocess
import sys
import tempfile

import tree

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Werror"]


def compile_alone(compiler, flags, root, build, name, suffix=".c"):
    """Complaints: the compiler's output, if there is any."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "alone" + suffix)
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'#include "{name}"\n#include "{name}"\nextern int tenure_not_empty;\n')
        command = [*compiler, *flags, *WARNINGS, "-fsyntax-only", f"-I{root}", f"-I{build}", source]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return [run.stderr.strip()] if run.returncode or run.stderr else []


def main():
    split = sys.argv.index("--")
    root, build, *rest = sys.argv[1:split]
    compiler = sys.argv[split + 1:]
    valgrind = rest[1:] if rest else None
    cases = tree.Cases()

    for name in tree.files(root):
        if not name.endswith(".h") or name.startswith(("examples/", "tests/guests/")):
            continue
        flags = ["-std=c11", "-D_GNU_SOURCE"]
        if name.startswith("engine/valgrind/"):
            if valgrind is None:
                continue
            flags = ["-std=gnu11", *valgrind]
        elif name.startswith(("core/", "engine/common/")):
            flags += ["-ffreestanding"]
        cases.case(name, compile_alone(compiler, flags, root, build, name))

    public = "include/tenure.h"
    for flags, suffix in ((["-std=c89", "-pedantic"], ".c"), (["-std=c11", "-DTENURE_NO_REQUESTS"], ".c")):
        cases.case(f"{public} {flags[0]}", compile_alone(compiler, flags, root, build, public, suffix))
    cxx = ["c++", "-std=c++98", "-pedantic"]
    try:
        subprocess.run(["c++", "--version"], capture_output=True, check=True)
        cases.case(f"{public} C++98", compile_alone(cxx, [], root, build, public, ".cpp"))
    except OSError:
        print("no C++ compiler: C++98 left out")
    cases.finish()


main()
