#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
repeated.py: an option of `tenure record` that is given twice is what it was given last, whoever looks at it.

    repeated.py TENURE PROGRAM ENGINE

Every option of the help that is not a list is given with two values, in both orders. What is recorded then must be what
the last value alone records: meta data, totals, and how many rows each table has.
"""
import os
import re
import shutil
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
ENGINE = "--engine=" + sys.argv[3] if len(sys.argv) > 3 else ""
CACHES = ["--I1=16K,8,64", "--D1=16K,8,64", "--LL=1M,16,64"]
OPTION = re.compile(r"^      --([\w-]+)=(\S+)|^  -\w, --([\w-]+)=(\S+)")
VALUES = {"yes|no": ("yes", "no"), "no|mesi": ("no", "mesi"), "virtual|physical": ("virtual", "physical"),
          "none|stream|next-line|adjacent|stride|d1-stream|d1-next-line|d1-adjacent|d1-stride": ("none", "stream"),
          "auto|always|never": ("always", "never"),
          "N": ("3", "4000"), "MACHINE": ("amd-zen4", "arm-neoverse-n1"),
          "ENTRIES,ASSOC": ("16,4", "64,64,512,4"),
          "SIZE,ASSOC,LINE": ("32K,8,64", "64K,4,64"), "FUNCTION|N": ("walk_plain", "5000"), "MIB": ("64", "128"),
          "N[=FUNCTION]": ("2", "3"), "K": ("2", "3"), "NAME": ("one", "two")}
LISTS = {"FUNCTION", "FUNCTION[:N]", "REMAP", "MACHINE,..."}
ELSEWHERE = {"out", "engine"}  # below
NEEDS = {"warm": ["--start=10000"], "sample-seed": ["--sample=8"], "turn": ["--deterministic=yes"]}
ALIASES = {"simulate-wb": ("write-back", {}), "instr-at-start": ("instr-atstart", {}),
           "simulate-hwpref": ("prefetch", {"yes": "stream", "no": "none"})}
# Of each run; `started` is where it began, which depends on the engine's start.
OWN = {"pid", "import.raw", "started", "record.options"}


def options():
    """{name: two values}."""
    found = {}
    for line in run([TENURE, "record", "--help"])[1].splitlines():
        match = OPTION.match(line)
        if match:
            name, form = (match[1], match[2]) if match[1] else (match[3], match[4])
            if form not in LISTS and name not in ELSEWHERE:
                found[name] = VALUES[form]
    return found


def recorded(*words):
    """What a recording leaves: its end, meta data, totals, and rows of tables."""
    if os.path.exists("profile"):
        os.remove("profile")
    status, _, err = run([TENURE, "record", "-q", "-o", "profile", ENGINE, *CACHES, *words, PROGRAM])
    if not os.path.exists("profile"):
        return status, re.sub(r"\d+", "", err)
    with sqlite3.connect("file:profile?mode=ro", uri=True) as database:
        meta = {key: value for key, value in database.execute("SELECT key, value FROM meta") if key not in OWN}
        # Where intervals end is a matter of time.
        tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' "
                                                     "AND name NOT LIKE 't_interval%'")]
        rows = {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone() for name in tables}
        return status, bool(err), meta, database.execute("SELECT Ir, Dr, Dw FROM totals").fetchone(), rows


def main():
    folder = tempfile.mkdtemp(prefix="tenure-repeated.")
    os.chdir(folder)
    try:
        found = options()
        check("options in the help", len(found) > 30, True)
        for name, values in found.items():
            for first, last in (values, values[::-1]):
                alone = recorded(*NEEDS.get(name, []), f"--{name}={last}")
                check(f"--{name}={first} --{name}={last}", recorded(
                    *NEEDS.get(name, []), f"--{name}={first}", f"--{name}={last}"), alone)
                if name in ALIASES:
                    own, names = ALIASES[name]
                    check(f"--{own} and --{name}={last}", recorded(
                        f"--{own}={names.get(first, first)}", f"--{name}={last}"), alone)
        run([TENURE, "record", "-q", "-o", "first", "-o", "last", ENGINE, PROGRAM])
        check("-o", (os.path.exists("first"), os.path.exists("last")), (False, True))
        check("--engine", recorded("--engine=native", "--engine=valgrind", ENGINE), recorded())
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(finish())


if __name__ == "__main__":
    main()
