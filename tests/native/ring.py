#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
ring.py: the way of misses to their consumer in every interleaving (ring.pml), with Spin.

    ring.py ROOT CC...

The model holds, each mistake planted in it is found, and the C functions that it says to mirror exist.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, CC = sys.argv[1], sys.argv[2:]
MODEL = os.path.join(ROOT, "tests/native/ring.pml")
MIRRORED = ("core/access/queue.c", "core/access/queue.h", "engine/native/profile/nt_consumer.c", "core/core.c",
            "core/tenure_core.h")
# Helpers made, accesses of the first thread, entries of an access at most: all interleavings; where mistakes are found.
HOLDS = ((1, 1, 1), (2, 1, 1))
FOUND = ((1, 1, 1), (1, 3, 4))

passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    print(what + ("" if good else ": FAILED"), flush=True)


def search(work, fault, made, accesses, widest):
    """(mistakes found, how many states there are) of all interleavings."""
    subprocess.run(["spin", "-a", f"-DFAULT={fault}", f"-DMADE={made}", f"-DACCESSES={accesses}",
                    f"-DWIDEST={widest}", MODEL], cwd=work, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*CC, "-O2", "-w", "-DSAFETY", "-DHC4", "-DMEMLIM=6000", "-o", "pan", "pan.c"],
                   cwd=work, check=True)
    out = subprocess.run(["./pan", "-m100000"], cwd=work, check=False, stdout=subprocess.PIPE, text=True).stdout
    found, states = re.search(r"errors: (\d+)", out), re.search(r"(\S+) states, stored", out)
    if not found or "max search depth too small" in out or "out of memory" in out or "memory limit" in out:
        sys.exit(out)
    return int(found[1]), states[1]


def main():
    if not shutil.which("spin"):
        print("there is no spin (Debian package spin)")
        sys.exit(77)
    text = open(MODEL, encoding="utf-8").read()
    code = "".join(open(os.path.join(ROOT, name), encoding="utf-8").read() for name in MIRRORED)
    for name in sorted(set(re.findall(r"\w+", " ".join(re.findall(r"C: ([\w, ]+)", text))))):
        check(re.search(r"\b%s\(" % name, code) is not None, f"{name} exists")
    mistakes = dict(re.findall(r"^#define (\w+) (\d) +/\* mistake: ", text, re.M))
    check(len(mistakes) > 3, "there are mistakes")
    with tempfile.TemporaryDirectory() as work:
        for name, number in mistakes.items():
            check(any(search(work, number, *sizes)[0] for sizes in FOUND), f"{name} is found")
        for sizes in HOLDS:
            found, states = search(work, 0, *sizes)
            check(found == 0, "%d helpers, %d accesses of up to %d entries" % sizes + f": {states} states")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
