# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sums over profiles made the slow and obvious way, by names and offsets, from the views: for merge.py and diff.py. And
recordings of random programs that are loaded at other addresses in each run.
"""
import os
import sqlite3
import subprocess
import sys

import raw_make
from verdict import check

HOSTILE = ["a\nb", "\x1b[31mred", "'); DROP TABLE t_functions; --", "x" * 65536, "\\", "\"", "f<int>(a, b)", "", "f'2"]


def tool(*arguments):
    """Of tp_tool, the program's first argument: status, errors."""
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, errors="replace", check=False)
    return done.returncode, done.stderr


class Shifted(raw_make.Raw):
    """A program loaded elsewhere: every address and bias is so much higher."""
    shift = 0

    def object(self, i, path, start=0, size=0, bias=0, build_id=b""):
        super().object(i, path, start + self.shift, size, bias + self.shift, build_id)

    def function(self, i, obj, start, size, name, flags=0):
        super().function(i, obj, start + self.shift, size, name, flags)

    def instr(self, i, address, *more):
        super().instr(i, address + self.shift, *more)


def recording(work, name, program, shift=0, names=None, meta=()):
    """Import a run of `program` with costs of its own. Returns the profile's path."""
    path = os.path.join(work, name)
    program.parts = [program.make_costs() for _ in program.parts]
    Shifted.shift = shift
    raw_make.Raw, plain = Shifted, raw_make.Raw
    try:
        program.write(path + ".raw", names)
    finally:
        raw_make.Raw = plain
    status, message = tool("import", path + ".raw", path)
    check(status == 0, "import: " + message)
    with sqlite3.connect(path) as db:
        for key, value in meta:
            db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))
    db.close()
    return path


# ------------------------------------------------------------------------------------------ the slow way

PLACE = "coalesce(i.function, '') || ' ' || coalesce(i.object, '') || ' ' || i.offset"
DATA = "JOIN instructions i ON i.id = t.instruction_id LEFT JOIN data_objects d ON d.id = t.data_id"
PAIR = ("LEFT JOIN instructions i ON i.id = t.instruction_id LEFT JOIN instructions l ON l.id = t.loader_id "
        "LEFT JOIN instructions e ON e.id = t.evictor_id LEFT JOIN data_objects d ON d.id = t.data_id "
        "LEFT JOIN data_objects c ON c.id = t.evictor_data_id")
REUSE = ("LEFT JOIN instructions i ON i.id = t.instruction_id LEFT JOIN instructions l ON l.id = t.loader_id "
         "LEFT JOIN data_objects d ON d.id = t.data_id")
KEYS = {  # view -> (what names a row, what the view is joined with)
    "totals": (["''"], ""),
    "functions": (["t.function", "t.symbol", "t.context", "t.object", "t.file"], ""),
    "lines": (["t.function", "t.object", "t.file", "t.line"], ""),
    "instructions": (["t.function", "t.object", "t.offset", "t.length"], ""),
    "self": (["t.thread", PLACE], "JOIN instructions i ON i.id = t.instruction_id"),
    "thread_functions": (["t.thread", "t.function"], ""),
    "arcs": (["t.caller", "t.callee", PLACE], "LEFT JOIN instructions i ON i.id = t.site_id"),
    "sharing": (["t.writer", "t.victim", "t.data", PLACE], "LEFT JOIN instructions i ON i.id = t.victim_id"),
    "data_fields": (["t.data", "t.kind", "t.field", "t.size"], ""),
    "data_offsets": (["t.data", "t.field", "t.offset"], ""),
    "function_data": (["t.function", "t.data"], ""),
    "path_data": (["t.function", "t.data"], ""),
    "parts": (["t.part", "t.why"], ""),
    "t_stride_sums": ([PLACE, "d.name"], DATA),
    "t_strides": ([PLACE, "d.name", "t.stride"], DATA),
    "t_conflicts": ([PLACE, "d.name", "t.cache", "t.set_bits"], DATA),
    "t_pairs": ([PLACE, "l.offset", "e.offset", "c.name", "d.name", "t.cache"], PAIR),
    "t_pair_distances": ([PLACE, "l.offset", "e.offset", "c.name", "d.name", "t.power"],
                         "JOIN t_pairs p ON p.id = t.pair_id " + PAIR.replace("t.", "p.")),
    "t_reuses": ([PLACE, "l.offset", "d.name", "t.cache"], REUSE),
    "t_reuse_distances": ([PLACE, "l.offset", "d.name", "t.power"],
                          "JOIN t_reuses p ON p.id = t.reuse_id " + REUSE.replace("t.", "p.")),
    "threads": (["t.id"], ""),
}


COUNTS = ("calls", "misses", "false_sharing", "true_sharing", "strides", "lost", "count", "timed",
          "distance", "lines")  # summed as costs are


def plus(a, b):
    return b if a is None else a if b is None else a + b


def add_rows(sums, cursor, keys):
    for row in cursor:
        key, values = row[:keys], row[keys:]
        old = sums.get(key)
        sums[key] = values if old is None else tuple(map(plus, old, values))


def view_sums(paths, view, names=None):
    """By what names a row (`names`: other columns than usual): its costs (and calls), summed over the profiles."""
    names, join = names or KEYS[view][0], KEYS[view][1]
    sums = {}
    for path in paths:
        with sqlite3.connect(path) as db:
            found = [row[1] for row in db.execute("PRAGMA table_info(%s)" % view)]
            events = [e + s for e, in db.execute("SELECT name FROM events") for s in ("", "_incl")]
            costs = [c for c in found if c in events or c in COUNTS]
            columns = ", ".join('t."%s"' % c for c in costs)
            query = "SELECT %s, %s FROM %s t %s" % (", ".join(names), columns, view, join)
            add_rows(sums, db.execute(query), len(names))
        db.close()
    return sums


def path_sums(paths):
    """By the chain of functions and call sites."""
    sums = {}
    for path in paths:
        with sqlite3.connect(path) as db:
            db.row_factory = sqlite3.Row
            sites = {row["id"]: row["place"] for row in db.execute(
                "SELECT t.id, %s AS place FROM arcs t LEFT JOIN instructions i ON i.id = t.site_id" % PLACE)}
            chain = {None: ()}
            events = [e + s for e, in db.execute("SELECT name FROM events") for s in ("", "_incl")]
            last = None
            for row in db.execute("SELECT * FROM paths ORDER BY id DESC"):
                check(last is None or row["id"] == last - 1, "ids of paths have no gaps")
                last = row["id"]
                key = chain[row["parent"]] + ((row["function"], sites.get(row["arc_id"]), row["thread"],
                                               row["handler"], row["recursive"]),)
                chain[row["id"]] = key
                check(row["depth"] == len(key) - 1, "depth of a path")
                values = tuple(row[e] for e in events) + (row["calls"],)
                sums[key] = tuple(map(plus, sums[key], values)) if key in sums else values
        db.close()
    return sums


def in_post_order(path):
    """Whether each subtree of paths is a range of ids that ends with its root."""
    with sqlite3.connect(path) as db:
        size = {}
        good = True
        for number, parent in db.execute("SELECT id, parent FROM t_paths ORDER BY id"):
            size[number] = size.get(number, 0) + 1
            below = [r[0] for r in db.execute("SELECT id FROM t_paths WHERE parent = ?", (number,))]
            good &= all(number - size[number] < child < number for child in below)
            if parent is not None:
                size[parent] = size.get(parent, 0) + size[number]
    db.close()
    return good
