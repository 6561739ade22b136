#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording says of other sizes of caches is what recordings with these sizes count.

usage: curves.py TENURE PROGRAM...

Of each program, for L2 and the last level in both engines: totals, and each function, self and inclusive; of the last
level the cycle estimate as well.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

TENURE, PROGRAMS = os.path.abspath(sys.argv[1]), [os.path.abspath(path) for path in sys.argv[2:]]
USUAL = {"I1": "4K,4,64", "D1": "4K,4,64", "L2": "16K,8,64", "LL": "128K,16,64"}
SIZES = {"LL": ("LLm", 8, (1, 3, 8, 24, 64)), "L2": ("L2m", 2, (1, 3, 6, 12, 64))}
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(what)


def recorded(program, engine, caches, events, *options):
    """{function: values of the events}, totals as None."""
    shapes = ["--%s=%s" % item for item in caches.items()]
    shown = ",".join(event + suffix for event in events for suffix in ("", "_incl"))
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        subprocess.run([TENURE, "record", "-q", "--engine=" + engine, *shapes, *options, "-o", profile, program],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder, env={})
        out = subprocess.run([TENURE, "report", "--json", "--limit=1000000", "--sort=Ir", "--show=" + shown, profile],
                             check=True, stdout=subprocess.PIPE).stdout
    report = json.loads(out)
    names = shown.split(",")
    found = {}
    for row in report["functions"]:
        key = (row["function"], row["file"])
        found[key] = [a + (row[name] or 0) for a, name in zip(found.get(key, [0] * len(names)), names)]
    found[None] = [report["totals"][event] for event in events]
    return found


def compare(program, engine, cache, options):
    event, kilobytes, ways = SIZES[cache]
    events = [event, "CEst"] if cache == "LL" else [event]
    sizes = [("%dK" % (kilobytes * count)).replace("1024K", "1M") for count in ways]
    names = ["%s@%s" % (one, size) for size in sizes for one in events]
    curve = recorded(program, engine, USUAL, names, "--curves=yes", *options)
    for i, count in enumerate(ways):
        caches = {**USUAL, cache: "%dK,%d,64" % (kilobytes * count, count)}
        exact = recorded(program, engine, caches, events, *options)
        what = "%s, %s, %s" % (os.path.basename(program), engine, sizes[i])
        for function, values in exact.items():
            at = i * len(values)
            got = curve.get(function, [None] * 99)[at:at + len(values)]
            check(got == values, "%s, %s: %r, by itself %r" % (what, function, got, values))


def differ(program):
    """A difference has no curves; one whose counts cannot be is shown."""
    with tempfile.TemporaryDirectory() as folder:
        for name, size in ("one", "1M"), ("two", "2M"):
            subprocess.run([TENURE, "record", "-q", "--curves=yes", "--LL=%s,16,64" % size, "-o", name, program],
                           check=True, stdout=subprocess.DEVNULL, cwd=folder)
        subprocess.run([TENURE, "diff", "-o", "both", "one", "two"], check=True, capture_output=True, cwd=folder)
        told = subprocess.run([TENURE, "report", "--curves", "both"], capture_output=True, text=True, cwd=folder)
        check((told.returncode, told.stdout, told.stderr) ==
              (1, "", "tenure: --curves: a difference has none; `tenure diff --show=LLm@SIZE` compares one size\n"),
              "a difference: %r" % told)
        with sqlite3.connect(os.path.join(folder, "one")) as database: # larger caches miss more, which none does
            database.execute("UPDATE t_functions SET Dist1L = 1, Dist2L = 1 << 62, Dist64L = -(1 << 62)")
        told = subprocess.run([TENURE, "report", "--curves", "one"], capture_output=True, text=True, cwd=folder)
        check(told.returncode == 0 and "Functions that ask LL" in told.stdout, "what no recording has: %r" % told)


def weigh(program):
    """The estimate with another size has the weights that are asked for."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([TENURE, "record", "-q", "--curves=yes", "--LL=128K,16,64", "-o", "one", program], check=True,
                       stdout=subprocess.DEVNULL, cwd=folder)
        for weights, weight in ((), 100), (["--weights=Ir=3,LLm=500"], 500), (["--weights=Dr=7,LLm=0"], 0):
            told = subprocess.run([TENURE, "report", "--json", *weights, "one"], check=True, capture_output=True,
                                  cwd=folder)
            of = json.loads(told.stdout)["totals"]
            for size in "8K", "64K", "128K", "512K":
                wanted = of["CEst"] + weight * (of["LLm@" + size] - of["LLm"])
                check(of["CEst@" + size] == wanted, "%r: %s: %r" % (weights, size, of))


def main():
    differ(PROGRAMS[0])
    weigh(PROGRAMS[0])
    for number, program in enumerate(PROGRAMS):
        for engine in ("native", "valgrind"):
            for cache in SIZES:
                compare(program, engine, cache, ["--write-back=yes"] if number % 2 else [])
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
