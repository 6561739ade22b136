#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
annotate_make.py: a profile with source lines, for annotate.sh.

    annotate_make.py TENURE RAW_MAKE OUT [negative]

The raw profile has costs whose values tell where they come from; what symbols would add is written into the imported
one: files (one of them under two names, some with names that attack a terminal), lines, an inlined function, a text.
The folder is the one the program was recorded in. `negative` makes a difference of it: some counts below 0, and a total
of 0.
"""
import importlib.util
import os
import sqlite3
import subprocess
import sys

TENURE, RAW_MAKE, OUT = sys.argv[1:4]
sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_file_location("raw_make", RAW_MAKE)
raw_make = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(raw_make)
sys.path.insert(0, os.path.dirname(RAW_MAKE))
import sealed

HERE = os.getcwd()
MAIN, ALIAS, HEADER, GONE, ASSEMBLER, KEPT, HOSTILE, NOWHERE = range(1, 9)
FILES = {MAIN: HERE + "/main.c", ALIAS: "sub/../main.c", HEADER: "/build/inc/vec.h", GONE: "/gone/lib.c",
         ASSEMBLER: HERE + "/fast.s", KEPT: HERE + "/kept.c",
         HOSTILE: HERE + "/\x1b[31m<b>'\"\n" + "x" * 30 + ".c"}
LONG = 65536 if "negative" in sys.argv else 40
FUNCTIONS = ["main", "work", "leaf", "_fast", "f\x1b]0;owned\x07<script>" + "A" * LONG]
# function, file, line, Ir, Dr, Dw, data read misses, data write misses, callee
CODE = [(1, MAIN, 6, 10, 0, 0, 0, 0, 0), (1, MAIN, 8, 20, 10, 0, 4, 0, 0), (1, ALIAS, 9, 5, 0, 2, 0, 1, 2),
        (1, MAIN, 40, 7, 1, 0, 0, 0, 0), (1, MAIN, 99, 3, 0, 0, 0, 0, 0), (2, MAIN, 20, 400, 100, 0, 0, 0, 0),
        (2, HEADER, 2, 1000, 500, 0, 250, 0, 0), (2, HEADER, 3, 100, 0, 50, 0, 50, 3), (2, KEPT, 1, 8, 0, 0, 0, 0, 4),
        (3, 0, 0, 60, 20, 0, 5, 0, 0), (4, ASSEMBLER, 2, 30, 0, 15, 0, 0, 0), (4, ASSEMBLER, 4, 30, 0, 0, 0, 0, 5),
        (5, HOSTILE, 1, 44, 4, 0, 2, 0, 0), (5, GONE, 12, 33, 0, 0, 0, 0, 0), (3, NOWHERE, 5, 1, 0, 0, 0, 0, 0)]


def immediate(row):
    return [row[3], row[4], row[5], 0, 0, 0, 0]


def address(i, row):
    return 0x1000 * row[0] + 4 * i


def misses(row):
    return {0: row[6], 1: row[7]}


def cost(rows):
    return raw_make.costs([sum(row[3 + i] for row in rows) if i < 3 else 0 for i in range(7)], {},
                          {i: sum(row[6 + i] for row in rows) for i in range(2)})


def of(function):
    return [row for row in CODE if row[0] == function]


def below(function):
    """What the function and all that it calls cost: the calls make a tree."""
    return of(function) + [row for site in of(function) if site[8] for row in below(site[8])]


def make_raw(path):
    raw = raw_make.Raw()
    for key, value in (("cmd", "./program 'with an argument'"), ("directory", HERE), ("cache.I1", "32768,8,64"),
                       ("cache.D1", "32768,8,64"), ("cache.LL", "1048576,16,64"),
                       ("import.desc.1", "a line of its own"), ("import.desc.2", "\x1b[31mand another")):
        raw.meta(key, value)
    raw.events()
    raw.object(1, "/nowhere/program", 0x1000, 0x9000)
    raw.thread(1, 1)
    for i, name in enumerate(FUNCTIONS):
        raw.function(i + 1, 1, 0x1000 * (i + 1), 0x100, name)
    for i, row in enumerate(CODE):
        raw.instr(i + 1, address(i, row), 4, row[0], raw_make.CALL if row[8] else 0, int(row[4] > 0),
                  int(row[5] > 0))
    sites = [(i, row) for i, row in enumerate(CODE) if row[8]]
    for arc, (i, row) in enumerate(sites):
        raw.arc(arc + 1, i + 1, row[0], row[8])
    for i, row in enumerate(CODE):
        raw.self_cost(1, i + 1, immediate(row))
        raw.late_cost(1, i + 1, 1, misses(row))
    nodes = [(0, 0, 1)]
    for parent, arc, function in nodes:
        here = nodes.index((parent, arc, function)) + 1
        nodes += [(here, number + 1, row[8]) for number, (_, row) in enumerate(sites) if row[0] == function]
    for i, (parent, arc, function) in enumerate(nodes):
        raw.node(i + 1, parent, arc, function, 1, 1, cost(of(function)))
    for arc, (_, row) in enumerate(sites):
        raw.arc_cost(arc + 1, 1, cost(below(row[8])))
    for function in range(1, len(FUNCTIONS) + 1):
        raw.func_cost(function, 1, cost(of(function)), cost(below(function)))
    raw.end()
    raw.save(path)


def add_lines(db):
    """Lines from instructions, as an import with symbols makes them."""
    events = [name for name, in db.execute("SELECT name FROM events WHERE NOT derived ORDER BY rowid")]
    for i, row in enumerate(CODE):
        db.execute("UPDATE t_instructions SET file_id = ?, line = ? WHERE address = ?",
                   (row[1] or None, row[2] or None, address(i, row)))
    db.execute("UPDATE t_arcs SET (file_id, line) = "
               "(SELECT i.file_id, i.line FROM t_instructions i WHERE i.id = site_id)")
    own = ", ".join(f"sum(i.{e})" for e in events)
    whole = ", ".join(f"CASE WHEN count(i.{e}) + count(a.{e}_incl) THEN total(i.{e}) + total(a.{e}_incl) END"
                      for e in events)
    names = ", ".join(events + [e + "_incl" for e in events])
    db.execute("DELETE FROM t_lines")
    db.execute(f"INSERT INTO t_lines(function_id, file_id, line, estimate, {names}) SELECT i.function_id, i.file_id, "
               f"i.line, 0, {own}, {whole} FROM t_instructions i LEFT JOIN t_arcs a ON a.site_id = i.id "
               "GROUP BY i.function_id, i.file_id, i.line")
    for name in events:
        kind = db.execute("SELECT type FROM events WHERE name = ?", (name,)).fetchone()[0]
        if kind == "INTEGER":
            db.execute(f"UPDATE t_lines SET {name}_incl = CAST({name}_incl AS INTEGER)")
    return events


def add_inlined(db, events):
    """What `work` has of vec.h is vec_get, inlined at main.c:20."""
    names = ", ".join(e + "_incl" for e in events)
    sums = ", ".join(f"sum({e})" for e in events)
    db.execute("INSERT INTO t_inlined(id, function_id, name, file_id, line, call_file_id, call_line, " + names + ") "
               f"SELECT 1, 2, 'vec_get', {HEADER}, 1, {MAIN}, 20, {sums} FROM t_instructions WHERE file_id = {HEADER}")
    db.execute(f"UPDATE t_instructions SET inlined_id = 1 WHERE file_id = {HEADER}")


def make_negative(db):
    for table in ("t_lines", "t_functions"):
        db.execute(f"UPDATE {table} SET Ir = -Ir, Ir_incl = -Ir_incl WHERE function_id = 2" if table == "t_lines" else
                   f"UPDATE {table} SET Ir = -Ir, Ir_incl = -Ir_incl WHERE id = 2")
    db.execute("UPDATE t_totals SET Ir = -1265, D1mr = 0")
    db.execute("INSERT INTO meta VALUES('diff.baseline', 'before'), ('diff.new', 'after')")


def main():
    make_raw(OUT + ".raw")
    subprocess.run([TENURE, "import", "-q", OUT + ".raw", "-o", OUT], check=True)
    os.unlink(OUT + ".raw")
    db = sqlite3.connect(OUT)
    db.executemany("INSERT INTO files VALUES(?, ?)", FILES.items())
    db.execute("INSERT INTO sources VALUES(?, ?)", (KEPT, "kept();\t/* \x1b[31mred */\n"))
    db.execute("INSERT INTO sources VALUES(?, ?)", (HOSTILE, "evil(\"\x1b]0;title\x07\");\r\n" + "y" * 9000))
    events = add_lines(db)
    add_inlined(db, events)
    if "negative" in sys.argv:
        make_negative(db)
    db.commit()
    db.close()
    sealed.seal(OUT)


main()
