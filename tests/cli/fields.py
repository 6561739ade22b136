#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
fields.py: costs by field of heap arrays and globals, as `tenure record` finds out about their types.

    fields.py TENURE GUESTS ENGINE

Guests walk arrays from one end to the other and read one member of each element. Every line that holds a byte of it
comes in once and is never met again, so which bytes are touched and which are not follows from where the array is.
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TENURE, GUESTS, ENGINE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
RECORD = [TENURE, "record", "-q", f"--engine={ENGINE}", "--I1=32768,8,64", "--D1=2048,4,64", "--LL=1048576,16,64"]
LINE = 64
failures = []
passed = 0

ITEM = [("field", "tag", 0, 1), ("padding", "(padding)", 1, 3), ("field", "at.x", 4, 4), ("field", "at.y", 8, 4),
        ("padding", "(padding)", 12, 4), ("field", "u{number, real}", 16, 8), ("field", "few, more", 24, 2),
        ("field", "list[5]", 26, 10), ("padding", "(padding)", 36, 4), ("field", "next", 40, 8)]
POINT = [("field", "x", 0, 8), ("field", "y", 8, 8), ("field", "z", 16, 8), ("field", "id", 24, 4),
         ("padding", "(padding)", 28, 4)]


def check(what, got, expected):
    global passed
    if got == expected:
        passed += 1
    else:
        failures.append(f"{what}: {got!r}, expected {expected!r}")


def build(work, source, *options):
    compiler = os.environ.get("CXX", "c++") if source.endswith("pp") else os.environ.get("CC", "cc")
    program = os.path.join(work, "guest" + "".join(options).replace("/", "_"))
    subprocess.run([*compiler.split(), "-w", *options, "-o", program, os.path.join(GUESTS, source)], check=True)
    return program


# With MALLOC_PERTURB_, which meson sets, free writes to what it frees.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}


def record(program):
    profile = program + ".profile"
    done = subprocess.run([*RECORD, "-o", profile, "--", program], check=True, capture_output=True, text=True,
                          timeout=120, env=ENVIRONMENT)
    at = {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines() if " " in line}
    left = [name for name in os.listdir(os.path.dirname(program)) if "elements" in name]
    check("no table is left", left, [])
    return sqlite3.connect(f"file:{profile}?mode=ro", uri=True), at


def walked(start, count, size, first, length, fields):
    """Of each field: misses of its bytes, bytes touched, bytes loaded and not touched; and the bytes around it all."""
    loaded = sorted({byte // LINE for i in range(count) for byte in (start + i * size + first,
                                                                      start + i * size + first + length - 1)})
    rows = {(kind, name, offset): [0, 0, 0] for kind, name, offset, _ in fields}
    of = [(kind, name, offset) for kind, name, offset, length in fields for _ in range(length)]
    around = 0
    for line in loaded:
        missed = False
        for byte in range(line * LINE, line * LINE + LINE):
            offset = (byte - start) % size
            if not start <= byte < start + count * size:
                around += 1
                continue
            touched = first <= offset < first + length
            row = rows[of[offset]]
            row[0] += touched and not missed
            row[1 if touched else 2] += 1
            missed |= touched
    return rows, around


def fields_of(database, name):
    rows = database.execute("SELECT kind, field, offset, D1mr + ifnull(D1mw, 0), UseD1, SpLossD1 FROM data_fields "
                            "WHERE data_id = (SELECT id FROM data_objects WHERE " + name + ")").fetchall()
    found = {row[:3]: list(row[3:]) for row in rows if row[0] not in ("around", "beyond")}
    around = sum(row[4] + row[5] for row in rows if row[0] == "around")
    return found, around


def walk(database, at, what, where, count, size, first, length, fields):
    """`at`: where the array begins in a line."""
    found, around = fields_of(database, where)
    expected, outside = walked(at[what], count, size, first, length, fields)
    check(f"{what}: fields", found, expected)
    check(f"{what}: around", around, outside)


def sums(database):
    """Fields sum to their objects; so do offsets, where there are any."""
    events = ["D1mr", "D1mw", "DLmr", "DLmw", "UseD1", "SpLossD1", "UseL", "SpLossL"]
    for view, only in (("data_fields", ""), ("data_offsets", "AND element IS NOT NULL")):
        columns = ", ".join(f"total(f.{e}) - max(ifnull(d.{e}, 0))" for e in events)
        wrong = database.execute(
            f"SELECT d.name, {columns} FROM data_objects d JOIN {view} f ON f.data_id = d.id "
            f"WHERE d.kind IN ('heap', 'static', 'region') {only} GROUP BY d.id HAVING " +
            " OR ".join(f"total(f.{e}) <> max(ifnull(d.{e}, 0))" for e in events)).fetchall()
        check(f"{view} sum to objects", wrong, [])


def in_c(work):
    for option in ("-O0", "-O2"):
        database, at = record(build(work, "fields.c", "-g", option))
        own = "kind = 'heap' AND largest = 33600"
        zeroed = "kind = 'heap' AND largest = 28800"
        walk(database, at, "own", own, 700, 48, 16, 4, ITEM)
        walk(database, at, "table", "symbol = 'table'", 500, 48, 16, 4, ITEM)
        check("types", database.execute(f"SELECT element, type FROM data_objects WHERE {own} OR {zeroed} "
                                        "OR symbol = 'table'").fetchall(), [(48, "struct item")] * 3)
        check("an array of numbers", database.execute(
            "SELECT f.kind, f.field, f.size, f.UseD1, f.SpLossD1 FROM data_fields f JOIN data_objects d "
            "ON d.id = f.data_id WHERE symbol = 'plain' AND f.kind = 'field'").fetchall(),
            [("field", "<double>", 8, 250 * 8, 250 * 24)])
        check("an array at the end", database.execute(
            "SELECT element, type FROM data_objects WHERE kind = 'heap' AND largest = 3204").fetchall(), [(None, None)])
        sums(database)


def stripped(work):
    program = build(work, "fields.c", "-g", "-O2", "-s")
    database, at = record(program)
    check("nothing is known", database.execute("SELECT count(*) FROM data_objects WHERE type IS NOT NULL").fetchall(),
          [(0,)])
    check("but what calloc was asked for", database.execute(
        "SELECT element FROM data_objects WHERE kind = 'heap' AND largest = 28800").fetchall(), [(48,)])
    check("fields are bytes", database.execute(
        "SELECT DISTINCT kind FROM data_fields WHERE kind NOT IN ('around', 'beyond')").fetchall(), [("bytes",)])
    sums(database)


def regions(work):
    database, _ = record(build(work, "regions.c", "-O1", "-I" + os.path.join(GUESTS, "..", "..", "include")))
    found = {row[0]: row[1:] for row in database.execute(
        "SELECT name, blocks, freed, bytes, D1mr, UseD1, SpLossD1 FROM data_objects WHERE kind = 'region'")}
    check("regions", found, {"rows": (4, 0, 65536, 1024, 1024, 1024 * 63), "column": (1, 1, 16384, 256, 256, 256 * 63)})
    sums(database)


def in_cpp(work):
    for option in ("-O0", "-O2"):
        database, at = record(build(work, "fields.cpp", "-g", option))
        walk(database, at, "fresh", "kind = 'heap' AND largest = 25600", 800, 32, 24, 4, POINT)
        found = {row[0]: row[1:] for row in database.execute(
            "SELECT largest, element, type FROM data_objects WHERE kind = 'heap'")}
        check("vector, new[]", [found[28800], found[25600], found[300 * 32 + 8]],
              [(32, "Point"), (32, "Point"), (32, "Derived")])
        check("bases", [row[0] for row in database.execute(
            "SELECT field FROM data_fields WHERE kind = 'field' AND data_id = (SELECT id FROM data_objects "
            "WHERE type = 'Derived') ORDER BY offset")], ["Base::_vptr.Base", "Base::a", "c", "d"])
        sums(database)


# By what the names of functions in sites.c and sites.cpp begin with: what they allocate.
SITES = {"leaf": "struct leaf", "node": "struct node", "owner": "struct owner", "derived": "struct derived",
         "none": None, "Leaf": "Leaf", "Rect": "Rect", "Big": "Big", "Tree": "_Rb_tree_node", "List": "_List_node"}


def sites(work):
    """What is allocated at each site; nothing where nobody knows, and nothing wrong, however it was compiled."""
    every = ENGINE == "native"
    families = (("cc", "c++"), ("clang", "clang++")) if every else (("cc", "c++"),)
    for family in families:
        for compiler, source in zip(family, ("sites.c", "sites.cpp")):
            for option in ("-O0", "-O1", "-O2", "-O3") if every else ("-O2",):
                if shutil.which(compiler):
                    check_sites(work, compiler, source, option)


def check_sites(work, compiler, source, option):
    program = os.path.join(work, "sites")
    subprocess.run([compiler, "-w", "-g", option, "-o", program, os.path.join(GUESTS, source)], check=True)
    database, _ = record(program)
    found, wrong = set(), []
    for ident, place, kind in database.execute("SELECT id, function, type FROM data_objects WHERE kind = 'heap'"):
        path = [row[0] for row in database.execute(
            "WITH RECURSIVE up(id) AS (SELECT origin_id FROM data_objects WHERE id = ? UNION ALL SELECT p.parent "
            "FROM data_paths p JOIN up USING (id)) SELECT function FROM data_paths JOIN up USING (id) ORDER BY id DESC",
            (ident,))]
        names = [name.split("(")[0] for name in (place, *path) if name and name.split("_")[0] in SITES]
        if names:
            found.add(names[0])
            # unless it is optimised one of two pointers has it before the other
            first = option == "-O0" and names[0] == "none_agreed"
            if (kind and kind.split("<")[0]) != SITES[names[0].split("_")[0]] and not first:
                wrong.append((names[0], kind))
    check(f"{compiler} {option}: {source}", wrong, [])
    few = sorted(found) if len(found) < (20 if source.endswith("c") else 10) else []
    check(f"{compiler} {option}: sites in {source}", few, [])


def main():
    with tempfile.TemporaryDirectory() as work:
        in_c(work)
        stripped(work)
        regions(work)
        sites(work)
        if shutil.which(os.environ.get("CXX", "c++").split()[0]):
            in_cpp(work)
    for failure in failures:
        print(failure[:1500])
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(bool(failures))


main()
