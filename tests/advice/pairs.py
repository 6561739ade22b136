#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
pairs.py: who throws out what whom has to load again, where that follows from the source.

    pairs.py TENURE SOURCE_ROOT BUILD_ROOT

examples/vectors has three loops, each of which walks through two thirds of what is far too large for D1, one after the
other. So what a loop loads again had been loaded, and mostly was thrown out, by the loop before it, and it is
itself the first to use what it has loaded. Under both engines;
misses of pairs are also those that are capacity or conflict misses, exactly.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

TENURE, ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
OPTIONS = ["--D1=32K,8,64", "--LL=32M,16,64", "--interdependence=yes"]
LOOPS = ["force_of[i][k] = -stiffness", "vel_of[i][k] += dt", "disp_of[i][k] += dt"]
passed, failed = 0, []


def check(good, what):
    global passed
    passed += bool(good)
    if not good:
        failed.append(what)


def lines():
    """The loops' lines, in the order of the program."""
    with open(os.path.join(ROOT, "examples/vectors/vectors.c"), encoding="utf-8") as file:
        text = file.read().splitlines()
    return [next(i for i, line in enumerate(text, 1) if part in line) for part in LOOPS]


def check_loops(db, engine):
    at = lines()
    for i, line in enumerate(at):
        rows = db.execute("SELECT sum(misses), sum(distance) / sum(timed), evictor_line, loader_line FROM pairs "
                          "WHERE cache = 'D1' AND line = ? AND timed GROUP BY 3, 4 ORDER BY 1 DESC", (line,)).fetchall()
        all_of_it = sum(row[0] for row in rows)
        before = [row for row in rows if set(row[2:]) <= set(at)]
        check(rows and rows[0][2:] == (at[i - 1], at[i - 1]), f"{engine}: line {line} depends on {rows[:3]}")
        check(sum(row[0] for row in before) > 0.9 * all_of_it, f"{engine}: line {line}: {rows}")
        # 60,000 nodes, three numbers each: a load, an addition or multiplication and a store for each.
        check(100000 < rows[0][1] < 10000000, f"{engine}: line {line} comes back after {rows[0][1]} accesses")


def check_sums(db, engine):
    for instruction, data, misses in db.execute("SELECT instruction_id, data_id, sum(misses) FROM pairs "
                                                "WHERE cache = 'D1' GROUP BY 1, 2").fetchall():
        wanted, = db.execute("SELECT ifnull(CapD1, 0) + ifnull(ConfD1, 0) FROM instruction_data "
                             "WHERE instruction_id = ? AND data_id IS ?",
                             (instruction, data)).fetchone()
        check(misses == wanted, f"{engine}: instruction {instruction}, data {data}: {misses}, not {wanted}")
    for cache, wanted in (("D1", "CapD1 + ConfD1"), ("L", "CapL + ConfL")):
        misses, = db.execute("SELECT ifnull(sum(misses), 0) FROM pairs WHERE cache = ?", (cache,)).fetchone()
        check(db.execute(f"SELECT {wanted} FROM totals").fetchone() == (misses,), f"{engine}: all misses of {cache}")
    timed = db.execute("SELECT sum(timed) FROM pairs").fetchone()
    check(timed[0] and db.execute("SELECT sum(misses) FROM pair_distances").fetchone() == timed, f"{engine}: distances")


def check_reuses(db, engine):
    for line in lines():
        own, others = db.execute("SELECT sum(lines * (line IS ?1)), sum(lines * (line IS NOT ?1)) FROM reuses "
                                 "WHERE cache = 'D1' AND loader_line = ?1", (line,)).fetchone()
        check(own > 1000000 and others < 0.01 * own, f"{engine}: line {line}: used next by {own}, {others}")
    for instruction, lines_used, misses in db.execute(
            "SELECT r.loader_id, sum(r.lines), ifnull(i.D1mr, 0) + ifnull(i.D1mw, 0) FROM reuses r JOIN instructions i "
            "ON i.id = r.loader_id WHERE r.cache = 'D1' GROUP BY 1").fetchall():
        check(lines_used <= 2 * misses, f"{engine}: instruction {instruction} has loaded {misses}, used {lines_used}")
    used, = db.execute("SELECT sum(lines) FROM reuses WHERE cache = 'D1'").fetchone()
    ended, = db.execute("SELECT EvD1 FROM totals").fetchone()
    check(0.95 * ended < used <= ended, f"{engine}: {used} lines of {ended} are used again")
    check(db.execute("SELECT sum(lines) FROM reuse_distances").fetchone() ==
          db.execute("SELECT sum(lines) FROM reuses").fetchone(), f"{engine}: distances of reuses")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for engine in ("native", "valgrind"):
            profile = os.path.join(folder, engine)
            done = subprocess.run([TENURE, "record", "-q", "--engine=" + engine, *OPTIONS, "-o", profile, "--",
                                   os.path.join(BUILD, "examples/vectors")], capture_output=True, text=True,
                                  timeout=250, check=False)
            if done.returncode == 125:
                print(engine + ": " + done.stderr.strip())
                continue
            db = sqlite3.connect(profile)
            check_loops(db, engine)
            check_sums(db, engine)
            check_reuses(db, engine)
            db.close()
    for what in failed:
        print("FAILED", what)
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 77 if passed == 0 else 0)


main()
