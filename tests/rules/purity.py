#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What compiled code may refer to.

    purity.py core ARCHIVE      core as the Valgrind tool compiles it: nothing undefined but the host's hooks and
                                memcpy, memmove, memset (libcoregrind has no memcmp); no writable global, since
                                two cores must not share anything
    purity.py profile ARCHIVE   the profile library: it neither prints nor ends the program

One case per object file.
"""
import re
import subprocess
import sys

import tree

MEMORY = {"memcpy", "memmove", "memset"}
HOOK = re.compile(r"tn_host_(alloc|alloc_sparse|free|write|yield|time|panic)$")
PRINTS = {"printf", "vprintf", "puts", "putchar", "perror", "stdout", "stderr", "__printf_chk", "__vprintf_chk",
          "err", "errx", "warn", "warnx", "error", "psignal"}
EXITS = {"exit", "_exit", "_Exit", "quick_exit", "abort", "raise", "kill"}


def symbols(archive):
    """{object: [(type letter, name)]}."""
    output = subprocess.run(["nm", "-P", "-A", archive], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in output.splitlines():
        place, name, letter = re.match(r"(.*?): (\S+) (\S)", line).groups()
        found.setdefault(re.search(r"([^/\[]*?)\]?$", place).group(1), []).append((letter, name))
    return found


def core_complaints(own, defined):
    for letter, name in own:
        if letter in "Uw" and name not in defined and name not in MEMORY and not HOOK.match(name):
            yield f"refers to {name}, which is neither core's nor the host's"
        if letter in "dDbBC":
            yield f"has a writable global, {name}"


def profile_complaints(own):
    for letter, name in own:
        if letter == "U" and name in PRINTS:
            yield f"prints ({name})"
        if letter == "U" and name in EXITS:
            yield f"ends the program ({name})"


def main():
    which, archive = sys.argv[1:]
    objects = symbols(archive)
    defined = {name for own in objects.values() for letter, name in own if letter not in "Uw"}
    cases = tree.Cases()
    for name, own in objects.items():
        complaints = core_complaints(own, defined) if which == "core" else profile_complaints(own)
        cases.case(name, sorted(set(complaints)))
    cases.finish()


main()
