#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
lines.py: what source lines cost inclusively in functions that call themselves, against the definition.

Random programs (raw_make.Random) in functions of three lines each: an assembled file without code but with the
debug information that says so. The definition: a line pays for each event once, if it happened on the line or below a
call from it. The test knows each event's node and instruction; the recording has costs by node and by instruction
only, and what cannot be known from that must be marked, and lie between what it could be.

    lines.py TP_TOOL
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raw_make
from raw_make import DATA, FETCH, IMMEDIATE, UNIT, WIDTH, add
import verdict
from verdict import check

TOOL = sys.argv[1]
LINES = 3
SLOTS = IMMEDIATE + FETCH + DATA
NAMES = list(dict.fromkeys(name for name in SLOTS if name != "-"))
exact_lines = estimates = 0

ABBREVIATIONS = """
.section .debug_abbrev,"",@progbits
.Labbrev: .byte 1,0x11,0, 0x10,0x17, 0x11,0x01, 0x12,0x07, 0x03,0x08, 0,0, 0
.section .debug_info,"",@progbits
.long 2f-1f
1: .value 4
.long .Labbrev
.byte 8,1
.long .Lline
.quad _start
.quad .Lend-_start
.string "lines.c"
2:
.section .debug_line,"",@progbits
.Lline:
"""


def line_of(program, instr):
    """The function and the line of an instruction."""
    function = program.instrs[instr - 1][3]
    return function, 10 * function + (instr - program.of[function][0][0]) % LINES


def make_object(program, work):
    """Instructions of the right length at the right address, each on its line."""
    text = [".file 1 \"/nowhere/lines.c\"", ".text", ".globl _start", "_start:"]
    for i, address, length, *_ in program.instrs:
        text += [".org %d" % (address - 0x10000), ".loc 1 %d" % line_of(program, i)[1], "nop",
                 ".fill %d, 1, 0x90" % (length - 1)]
    text += [".Lend:", ABBREVIATIONS]
    path = os.path.join(work, "lines")
    subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=0x10000", "-x", "assembler", "-", "-o", path],
                   input="\n".join(text).encode(), check=True)
    return path


def columns(row):
    out = dict.fromkeys(NAMES, 0)
    for name, value in zip(SLOTS, row):
        if name != "-":
            out[name] += value
    return out


class Known:
    """By line: A called from it, S on it, N the function's own costs below it; T: the function's own costs."""

    def __init__(self, program):
        zero = [0] * WIDTH
        self.exact, self.called, self.own, self.nested, self.all, self.incl = ({} for _ in range(6))
        self.recursive = set()
        self.has_calls = {line_of(program, site) for site, _, _ in program.arcs}
        for part in program.parts:
            for (node, instr), row in part.items():
                here = line_of(program, instr)
                path = list(program.path(node))
                above = {line_of(program, program.arcs[program.nodes[p - 1][1] - 1][0]) for p in path
                         if program.nodes[p - 1][1]}
                self.own[here] = add(self.own.get(here, zero), row)
                self.all[here[0]] = add(self.all.get(here[0], zero), row)
                for function in {program.nodes[p - 1][2] for p in path}:
                    self.incl[function] = add(self.incl.get(function, zero), row)
                for line in above | {here}:
                    self.exact[line] = add(self.exact.get(line, zero), row)
                for line in above:
                    self.called[line] = add(self.called.get(line, zero), row)
                    if line[0] == here[0]:
                        self.nested[line] = add(self.nested.get(line, zero), row)
                        self.recursive.add(line[0])


def row_names(row):
    """A group of events of which nothing was seen has no columns."""
    return [name for name in NAMES if name in row.keys()]


def check_line(known, line, row):
    global exact_lines, estimates
    zero = [0] * WIDTH
    exact, called, own, nested = (columns(x.get(line, zero)) for x in (known.exact, known.called, known.own,
                                                                         known.nested))
    every = columns(known.all[line[0]])
    doubtful = False
    for name in row_names(row):
        s, n, t = own[name], nested[name], every[name]
        unit = UNIT if name.startswith("AcCost") else 1
        got = round((row[name + "_incl"] or 0) * unit)
        unknown = line in known.has_calls and s > 0 and 0 < n < t and s < t
        doubtful |= unknown
        if unknown:
            check(abs(got - called[name] - s * (t - n) / t) <= 1 + got / 1e9, "estimate of %s of %s" % (name, line))
            check(called[name] <= got <= called[name] + s, "bounds of %s of %s" % (name, line))
        else:
            check(got == exact[name], "%s of %s: %d, expected %d" % (name, line, got, exact[name]))
    check(row["estimate"] == int(doubtful), "line %s is marked as it should be" % (line,))
    estimates += doubtful
    exact_lines += not doubtful and line[0] in known.recursive


def check_pruned(known, program, line, row):
    """Sums of arcs, no more than the function; marked if the function's lines cost more than the function."""
    zero = [0] * WIDTH
    arcs = program.sums(program.parts)[2]

    def total(which):
        rows = [known.own.get(which, zero)] + [arcs.get(i + 1, zero) for i, arc in enumerate(program.arcs)
                                               if line_of(program, arc[0]) == which]
        return columns([sum(x) for x in zip(*rows)])
    mine, most = total(line), columns(known.incl[line[0]])
    others = [total(other) for other in {line_of(program, i) for i, *_ in program.of[line[0]]}]
    for name in row_names(row):
        unit = UNIT if name.startswith("AcCost") else 1
        got = round((row[name + "_incl"] or 0) * unit)
        check(got == min(mine[name], most[name]), "%s of %s, pruned" % (name, line))
    over = any(sum(other[name] for other in others) > most[name] for name in NAMES)
    check(row["estimate"] == int(over and line in known.has_calls), "line %s, pruned, is marked" % (line,))


def rows_of(program, work, elf):
    raw, path = os.path.join(work, "raw"), os.path.join(work, "profile")
    program.write(raw, elf=elf)
    subprocess.run([TOOL, "import", raw, path], check=True, stdout=subprocess.DEVNULL)
    with sqlite3.connect(path) as db:
        db.row_factory = sqlite3.Row
        return {(row["function_id"], row["line"]): row for row in db.execute("SELECT * FROM lines")}


def main():
    if not shutil.which("gcc"):
        print("no assembler (gcc)")
        return 77
    for seed, functions, nodes, threads in ((1, 3, 60, 1), (2, 6, 150, 2), (3, 30, 80, 1), (4, 2, 30, 1),
                                            (5, 5, 400, 1)):
        with tempfile.TemporaryDirectory() as work:
            program = raw_make.Random(seed, functions, nodes, 2, threads)
            elf = make_object(program, work)
            known = Known(program)
            rows = rows_of(program, work, elf)
            check(set(rows) >= set(known.own), "seed %d: all lines are there" % seed)
            for line in known.own:
                check_line(known, line, rows[line])
            program.flags = raw_make.PRUNED
            for line, row in rows_of(program, work, elf).items():
                check_pruned(known, program, line, row)
    check(exact_lines > 10 and estimates > 10, "both kinds of line occur: %d, %d" % (exact_lines, estimates))
    return verdict.finish()


sys.exit(main())
