#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
languages.py: statements, loops, names and stacks of programs in C, C++, Fortran, Rust and Go.

    languages.py TENURE FOLDER

FOLDER has the programs. Each is compiled, recorded, and its loops compared with what they are known to do: a comment
with a name is on the line where a loop begins. A language without a compiler here is left out, but for C and C++.
In every profile the views agree with one another: sums of statements, of their accesses, of loops.
"""
import collections
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TENURE, FOLDER = (os.path.abspath(path) for path in sys.argv[1:3])
passed, failures = 0, []


def check(what, got, expected):
    global passed
    if got == expected:
        passed += 1
        return
    if isinstance(got, dict): # what differs
        both = [(key, got.get(key), expected.get(key)) for key in sorted(set(got) | set(expected), key=repr)]
        failures.append(f"{what}: {[triple for triple in both if triple[1] != triple[2]]}")
    else:
        failures.append(f"{what}: {got!r}, expected {expected!r}")


def run(*command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False,
                          env=dict(os.environ, NO_COLOR="1", **(env or {})))
    check(" ".join(command[:3]) + " ...: status, errors", (done.returncode, done.stderr), (0, ""))
    return done.stdout


def record(name, program):
    """The profile, and nothing of the program's output changed."""
    bare = run(program)
    check(name + ": output", run(TENURE, "record", "-q", "-o", name, program), bare)
    return sqlite3.connect(name)


# ------------------------------------------------------------------------------------------ what holds everywhere

def rows_of(db, sql):
    return dict(((*row[:-1],), row[-1]) for row in db.execute(sql))


def add_up(db):
    """Sums of the views, by the views that they are made of."""
    check("statements and instructions", rows_of(db, "SELECT id, Ir + ifnull(D1mr, 0) FROM statements"),
          rows_of(db, "SELECT statement_id, sum(Ir + ifnull(D1mr, 0)) FROM instructions WHERE statement_id IS NOT NULL "
                      "GROUP BY statement_id"))
    for event in ("Dr", "Dw", "D1mr", "D1mw", "EvD1", "UseD1"):
        check("accesses: " + event, rows_of(db, f"SELECT statement_id, sum({event}) FROM statement_accesses GROUP BY 1 "
                                                f"HAVING sum({event}) > 0"),
              rows_of(db, f"SELECT id, {event} FROM statements WHERE {event} > 0"))
    unknown = db.execute("SELECT count(*) FROM statement_accesses a JOIN statements s ON s.id = a.statement_id "
                         "WHERE type IS NULL AND object NOT LIKE '[%'")
    check("accesses have a type", unknown.fetchone(), (0,))
    check("data of statements", rows_of(db, "SELECT statement_id, data_id, EvD1 FROM statement_data"),
          rows_of(db, "SELECT i.statement_id, d.data_id, sum(d.EvD1) FROM instruction_data d JOIN instructions i ON "
                      "i.id = d.instruction_id WHERE i.statement_id IS NOT NULL GROUP BY 1, 2"))
    check("loops and instructions", rows_of(db, "SELECT id, Ir FROM loops"),
          {**{key: 0 for key in rows_of(db, "SELECT id, 0 FROM loops")},
           **rows_of(db, "SELECT loop_id, sum(Ir) FROM instructions WHERE loop_id IS NOT NULL GROUP BY 1")})
    check_nests(db)


def check_nests(db):
    """Inclusive costs: instructions of the loop and those in it, and what is called from them."""
    parent = dict(db.execute("SELECT id, parent FROM loops"))
    check("parents come first", [i for i, p in parent.items() if p is not None and p >= i], [])
    own = collections.Counter(dict(db.execute("SELECT id, Ir FROM loops")))
    for loop, cost in db.execute("SELECT i.loop_id, sum(a.Ir_incl) FROM arcs a JOIN instructions i ON i.id = a.site_id "
                                 "WHERE i.loop_id IS NOT NULL GROUP BY 1"):
        own[loop] += cost
    for loop in sorted(parent, reverse=True):
        if parent[loop] is not None:
            own[parent[loop]] += own[loop]
    exact = dict(db.execute("SELECT id, Ir_incl FROM loops WHERE estimate = 0"))
    check("inclusive costs of loops", exact, {loop: own[loop] for loop in exact})
    most = db.execute("SELECT count(*) FROM loops l JOIN functions f ON f.id = l.function_id WHERE "
                      "l.Ir_incl > f.Ir_incl").fetchone()
    check("no more than the function", most, (0,))
    check("iterations", db.execute("SELECT count(*) FROM loops WHERE entries >= iterations").fetchone(), (0,))


def check_merge(db, name):
    """A profile and itself: twice everything, and nothing more."""
    run(TENURE, "merge", "-q", "-o", name + ".twice", name, name)
    with sqlite3.connect(name + ".twice") as twice:
        for view, value in (("statements", "Ir"), ("statement_accesses", "Ir"), ("statement_data", "EvD1"),
                            ("loops", "Ir + 7 * iterations + 13 * Ir_incl"), ("loop_data", "EvD1_incl")):
            sums = [base.execute(f"SELECT count(*), sum({value}) FROM {view}").fetchone() for base in (db, twice)]
            check(f"{name}: {view} of a merge", sums[1], (sums[0][0], sums[0][1] and 2 * sums[0][1]))
    twice.close()


# ------------------------------------------------------------------------------------------ what programs do

class Source:
    def __init__(self, name):
        self.path = os.path.join(FOLDER, name)
        with open(self.path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()

    def line(self, mark):
        """The line with the comment `mark`."""
        found = [i for i, text in enumerate(self.lines, 1) if re.search(rf"(/\*|//|!) {mark}( \*/)?$", text)]
        assert len(found) == 1, (mark, found)
        return found[0]


def loops_of(db, source):
    """By line: (entries, iterations), the most for each line, where there are several."""
    found = {}
    for line, entries, iterations in db.execute("SELECT line, entries, iterations FROM loops WHERE file = ? "
                                                "ORDER BY iterations", (os.path.realpath(source.path),)):
        found[line] = (entries, iterations)
    return found


def check_loops(db, source, what, expected):
    found = loops_of(db, source)
    for mark, counts in expected.items():
        check(f"{what}: {mark}", found.get(source.line(mark)), counts)


def statement_of(db, source, mark):
    """First and last line, and what it loads and stores, for a line of it."""
    place = os.path.realpath(source.path), source.line(mark)
    lines = db.execute("SELECT DISTINCT first_line, line FROM statements "
                       "WHERE file = ? AND ? BETWEEN first_line AND line", place).fetchall()
    kinds = db.execute("SELECT DISTINCT type, access FROM statement_accesses "
                       "WHERE file = ? AND ? BETWEEN first_line AND line ORDER BY 1, 2", place).fetchall()
    return lines, kinds


def compiled(name, *command):
    program = os.path.abspath(name)
    run(*command, "-o", program)
    return program


def check_c():
    source = Source("loops.c")
    for level in ("-O0", "-O1", "-O2"):
        name = "c" + level
        db = record(name, compiled("prog" + level, os.environ.get("CC", "cc"), "-g", level, "-fno-tree-vectorize",
                                   source.path))
        plus = 1 if level == "-O0" else 0 # there the head is the test, at the end, which is made once more
        check_loops(db, source, name, {
            "outer": (5, 5 * (40 + plus)), "inner": (5 * 40, 5 * 40 * (40 + plus)), "fill": (1, 40 + plus),
            "calls": (1, 5 + plus), "inlined": (5, 5 * (40 + plus)), "do": (1, 30)})
        check(name + ": goto", [counts for line, counts in loops_of(db, source).items()
                                if 0 <= line - source.line("goto") <= 1], [(1, 17)])
        check(name + ": what was not repeated", [mark for mark in ("never", "once") if source.line(mark) in
                                                 loops_of(db, source)], [] if level != "-O0" else ["once"])
        lines, kinds = statement_of(db, source, "last of several")
        check(name + ": a statement", (lines, ("floating", "load") in kinds),
              ([(source.line("first of several"), source.line("last of several"))], True))
        depth = dict(db.execute("SELECT line, depth FROM loops WHERE file = ?", (os.path.realpath(source.path),)))
        check(name + ": depth", [depth.get(source.line(mark)) for mark in ("outer", "inner", "do")], [1, 2, 1])
        if level != "-O2": # it makes other code of them
            # Some compilers jump over the test that the head makes first.
            check(name + ": machine", loops_of(db, source).get(source.line("machine")) in ((1, 60), (1, 61)), True)
            estimates = db.execute("SELECT max(estimate) FROM loops WHERE function = 'below'")
            check(name + ": recursion is an estimate", estimates.fetchone(), (1,))
        add_up(db)
        if level == "-O1":
            check_merge(db, name)
            check_commands(name, source)
        db.close()


def check_shared():
    source = Source("shared.c")
    db = record("shared", compiled("progshared", os.environ.get("CC", "cc"), "-g", "-O2", "-fno-tree-vectorize",
                                   source.path))
    check_loops(db, source, "shared", {"columns": (3, 3 * 40), "rows": (3 * 40, 3 * 40 * 30),
                                       "around": (3 * 40 * 30, 3 * 40 * 30 * 9), "times": (1, 3),
                                       "on one line": (1, 40 * 30)})
    db.close()


def check_commands(name, source):
    text = run(TENURE, "report", "--statements", "--limit=3", name)
    place = f"loops.c:{source.line('first of several')}-{source.line('last of several')}"
    check("report --statements", place in text and "Their loads and stores" in text, True)
    text = run(TENURE, "report", "--loops", "--sort=Ir_incl", "--limit=9", "--show=Ir,Ir_incl", name)
    words = ("Loops by instructions executed (Ir_incl)", "nest", "trips", "walk")
    check("report --loops", [word for word in words if word not in text], [])
    db = sqlite3.connect(name)
    for inside, in db.execute("SELECT function FROM loops WHERE file LIKE '%loops.c' UNION"
                              " SELECT inlined FROM loops WHERE inlined IS NOT NULL").fetchall():
        got = json.loads(run(TENURE, "report", "--loops", "--in=" + inside, "--limit=1000", "--json", name))
        check("report --in=" + inside, sorted(row["id"] for row in got["loops"]), [row for row, in db.execute(
            "SELECT id FROM loops WHERE ? IN (function, inlined) ORDER BY id", (inside,))])
    db.close()
    text = run(TENURE, "annotate", "--statements", "--show=Ir", "--percentages=no", name, "loops.c")
    check("annotate --statements", [bool(re.search(margin, text)) for margin in (
        r"[0-9.] +\| +s \+= a.i", r"[0-9.] +[0-9]+\.[0-9]% +\* b.k", r"[0-9.] +\. +double s = 0")], [True] * 3)


def check_cpp():
    source = Source("loops.cpp")
    db = record("cpp", compiled("cppprog", os.environ.get("CXX", "c++"), "-g", "-O1", source.path))
    check_loops(db, source, "C++", {"range": (7, 7 * 200), "fill": (1, 200), "lambda": (1, 7)})
    names = [row[0] for row in db.execute("SELECT function FROM functions WHERE calls = 7")]
    check("C++: names", "shop::Shelf<double>::total() const" in names, True)
    line = source.line("fill") + 1
    found = db.execute("SELECT DISTINCT first_line, line FROM statements WHERE file = ? AND line BETWEEN ? AND ?",
                       (source.path, line, line + 1))
    check("C++: a statement", found.fetchall(), [(line, line + 1)])
    add_up(db)
    db.close()


def check_fortran():
    source = Source("loops.f90")
    db = record("fortran", compiled("fortranprog", "gfortran", "-g", "-O1", source.path))
    check_loops(db, source, "Fortran", {"outer": (6, 6 * 30), "inner": (6 * 30, 6 * 30 * 30), "steps": (1, 6)})
    lines, kinds = statement_of(db, source, "last of several")
    check("Fortran: a statement", (lines, kinds), ([(source.line("first of several"), source.line("last of several"))],
                                                   [("floating", "load"), ("floating", "store")]))
    check("Fortran: stack", db.execute("SELECT a.caller FROM arcs a WHERE callee = 'shop::multiply' OR callee LIKE "
                                       "'%multiply%'").fetchall(), [("MAIN__",)])
    add_up(db)
    db.close()


def check_rust():
    source = Source("loops.rs")
    db = record("rust", compiled("rustprog", "rustc", "-g", "-C", "opt-level=1", source.path))
    found = loops_of(db, source)
    check("Rust: calls", found.get(source.line("calls"), (None,))[0], 1)
    check("Rust: names", db.execute("SELECT calls FROM functions WHERE function LIKE 'loops::shop::total%' OR function "
                                    "LIKE 'rustprog::shop::total%'").fetchall(), [(8,)])
    callers = [row[0] for row in db.execute("SELECT caller FROM arcs WHERE callee LIKE '%::shop::total%'")]
    check("Rust: stack", [re.sub(r".*::", "", name) for name in callers], ["main"])
    add_up(db)
    db.close()


def check_go():
    source = Source("loops.go")
    db = record("go", go_program(source))
    check_loops(db, source, "Go", {"range": (8, 8 * 151)}) # its test is at the top
    calls = db.execute("SELECT calls FROM functions WHERE function = 'main.(*shelf).total'").fetchall()
    check("Go: names", calls, [(8,)])
    check("Go: stack", db.execute("SELECT DISTINCT caller FROM arcs WHERE callee = 'main.(*shelf).total'").fetchall(),
          [("main.main",)])
    db.close()
    db = record("stripped", go_program(source, "-ldflags=-s -w"))
    calls = db.execute("SELECT calls FROM functions WHERE function = 'main.(*shelf).total'").fetchall()
    check("Go, stripped: names", calls, [(8,)])
    check("Go, stripped: without a name", db.execute(
        "SELECT * FROM functions WHERE function LIKE '???%' AND object LIKE '%goprog%'").fetchall(), [])
    db.close()


def go_program(source, *options):
    program = os.path.abspath("goprog" + "_stripped" * len(options))
    run("go", "build", *options, "-o", program, source.path, env={"GOCACHE": os.path.abspath("gocache"), "GOFLAGS": ""})
    return program


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        check_c()
        check_shared()
        check_cpp()
        for compiler, test in (("gfortran", check_fortran), ("rustc", check_rust), ("go", check_go)):
            if shutil.which(compiler):
                test()
            else:
                print(f"no {compiler}: left out")
    for failure in failures:
        print("FAILED: " + failure[:800])
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
