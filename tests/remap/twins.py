#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
twins.py: what --remap says of a layout is what a program that really has it misses.

    twins.py TENURE [--only=NAME[,NAME...]] [-v]

Each program is compiled as it is, and with -DTWIN, which is the layout that the remap asks for, made by hand. Of the
data object, D1, L2 and last-level misses and the bytes of D1's lines that nobody used are within 2 % of the twin's,
under both engines, which count the same; and what the program prints and its exit status are the same with and without
the remap. Twins of the heap may be several blocks, and those of static data several symbols: their sums are compared.
"""
import os
import sqlite3
import sys
import tempfile

from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../cli"))
from checks import check, finish, run  # pylint: disable=wrong-import-position

WITHIN, LINES = 0.02, 24  # of the twin's count; but by so many lines always
CACHES = {"without L2": ["--I1=32K,8,64", "--D1=32K,8,64", "--L2=none", "--LL=1M,16,64"],
          "with L2": ["--I1=32K,8,64", "--D1=32K,8,64", "--L2=128K,8,64", "--LL=1M,16,64"]}
EVENTS = {"D1 misses": "D1mr + D1mw", "L2 misses": "D2mr + D2mw", "LL misses": "DLmr + DLmw", "SpLossD1": "SpLossD1"}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}

# Program: what is done to its data, and the pattern (of SQL) that its symbols have; without one it is of the heap.
TWINS = {
    "split_array": ("split make: 0-24 | rest", None),
    "split_list": ("split make/96: 0-16 | rest", None),
    "order_table": ("order table: 0-8,120-128,248-256", "table%"),
    "order_blocks": ("order make: 0-8,96-104,192-200", None),
    "pad_rows": ("pad matrix: 4096+64", "matrix%"),
    "pad_elements": ("pad elements: 64", "elements%"),
    "pad_heap": ("pad make/24: 40", None),
    "pool_list": ("pool make", None),
    "pool_reuse": ("pool make", None),
    "pool_walk": ("pool make: walk", "walked%"),
    "soa_heap": ("split make/32: 0-8 | 8-16 | 16-24 | rest", None),
    "soa_static": ("split table: 0-4 | 8-16 | 16-18 | 18-19 | rest", "table%"),
    "transpose_static": ("transpose matrix/4: 1600", "matrix%"),
    "transpose_heap": ("transpose make: 4000", None),
    "align_blocks": ("align make: 64", None),
    "align_array": ("align make: 64", None),
}
BESIDE_OTHERS = ["pool_reuse"]  # its data share D1 with others, which are not quite the same under both engines


def alike(name, title, one, other):
    """Of D1, engines count the same; the levels below have instructions, too, and other data."""
    if "D1" in title and name not in BESIDE_OTHERS:
        return one == other
    return abs(one - other) <= max(0.002 * other, LINES * (64 if title == "SpLossD1" else 1))


class Twins:
    """A program and its twin, compiled and recorded."""

    def __init__(self, tenure, folder, name):
        self.tenure, self.folder, self.name = tenure, folder, name
        self.remap, self.symbol = TWINS[name]
        self.checks = []  # what to check, and to say in the order of the list of programs

    def compiled(self, *options):
        out = os.path.join(self.folder, self.name + "".join(options))
        status, _, errors = run(["cc", "-O1", "-g", "-w", *options, "-o", out, os.path.join(FOLDER, self.name + ".c")])
        if status:
            raise RuntimeError(errors)
        return out

    def recorded(self, program, engine, caches, *options):
        """Status and output; counts of the data object."""
        profile = f"{program}.{engine}.profile"
        status, out, errors = run([self.tenure, "record", "-q", f"--engine={engine}", *CACHES[caches], *options, "-o",
                                   profile, "--", program], env=ENVIRONMENT)
        if not os.path.exists(profile):
            raise RuntimeError(errors)
        database = sqlite3.connect(profile)
        where = f"symbol LIKE '{self.symbol}' OR (kind IN ('heap', 'mapping') AND function IN ('make', 'ask_malloc'))"
        levels = {title: sql for title, sql in EVENTS.items() if caches == "with L2" or "L2" not in title}
        sums = ", ".join(f"CAST(total({sql.replace(' + ', ') + total(')}) AS INTEGER)" for sql in levels.values())
        row = database.execute(f"SELECT {sums} FROM data_objects WHERE {where}").fetchone()
        database.close()
        os.unlink(profile)
        return (status, out, errors), {title: count for title, count in zip(levels, row)}

    def compare(self):
        plain, twin = self.compiled(), self.compiled("-DTWIN")
        bare = run([plain], env=ENVIRONMENT)
        self.checks.append(("the twin does the same", run([twin], env=ENVIRONMENT), bare))
        for caches in CACHES:
            _, before = self.recorded(plain, "native", caches)
            _, wanted = self.recorded(twin, "native", caches)
            done, counts = self.recorded(plain, "native", caches, "--remap=" + self.remap)
            self.checks.append((caches + ", what the program does", done, bare))
            for title, count in counts.items():
                want = wanted[title]
                what = f"{caches}, {title}: {before[title]} become {count}, and of the twin {want}"
                most = max(WITHIN * want, LINES * (64 if title == "SpLossD1" else 1))
                self.checks.append((what, abs(count - want) <= most, True))
            if caches == "without L2":
                continue
            done, other = self.recorded(plain, "valgrind", caches, "--remap=" + self.remap)
            self.checks.append((caches + ", what the program does with Valgrind", done, bare))
            for title, count in counts.items():
                good = alike(self.name, title, other[title], count)
                self.checks.append((f"{caches}, {title} with both engines: {count}, {other[title]}", good, True))
        return self


def main():
    tenure, names = os.path.abspath(sys.argv[1]), list(TWINS)
    for word in sys.argv[2:]:
        if word.startswith("--only="):
            names = word[len("--only="):].split(",")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for twins in pool.map(lambda name: Twins(tenure, folder, name).compare(), names):
            for title, got, want in twins.checks:
                check(f"{twins.name}: {title}", got, want)
                if "-v" in sys.argv[2:] and "become" in title:
                    print(f"{twins.name}: {title}")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
