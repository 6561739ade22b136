#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
shapes.py: --remap changes nothing but the simulation, whatever a program does with its data.

    shapes.py TENURE

Programs do what they do without it, and execute the same instructions, reads and writes. Where a remap leaves data as
they are, each data object misses D1 exactly as it does without. False sharing ends with a pad. What --remap cannot
mean is refused in one line, before anything is written; what it names that is not there is said at the end.
"""
import os
import sqlite3
import sys
import tempfile

from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "../cli"))
from checks import check, finish, run  # pylint: disable=wrong-import-position

TENURE = os.path.abspath(sys.argv[1])
CACHES = ["--I1=32K,8,64", "--D1=32K,8,64", "--L2=128K,8,64", "--LL=1M,16,64"]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
ENGINES = ["native", "valgrind"]

SHAPES = [
    ["split make/43: 0-13 | 13-14,14-16 | rest", "split fixed/43: 0-13 | rest", "align grow: 256", "pad odd*: 32"],
    ["pool make: walk", "order fixed/43: 20-28,3-4", "pool grow", "pad counters/8: 64"],
    ["align make: 4096", "transpose fixed/43: 430", "split grow/8: 0-3 | 3-4 | rest", "align odd*: 64"],
    ["pad make/7: 24", "pad fixed: 86+3", "pad grow/8: 9", "split odd*/3: 1-2 | rest", "align _IO_2_1_stdout_: 64"],
    ["split */16: 0-1 | 1-3 | rest", "transpose make/1: 60", "split fixed/1: 0-1 | rest", "transpose grow/8: 64"],
]
OPTIONS = [
    ["--coherence=mesi"],
    ["--tlb=yes"],
    ["--prefetch=d1-stride,stream"],
    ["--patterns=yes", "--interdependence=yes", "--write-back=yes"],
    ["--curves=yes"],
    ["--index=physical"],
    ["--fork-inherit=yes", "--turn=7", "--coherence=mesi"],
    ["--D1=1K,1,32", "--L2=none", "--LL=8K,4,32", "--I1=1K,1,32"],
    ["--shared-l1=yes"],
    ["--paths=0"],
    ["--flush-at-exit=no", "--collect-atstart=no", "--toggle-collect=main"],
]
SAME = {  # remaps that leave data as they are
    "split_array": "order make: 0-8,8-16",
    "pad_rows": "pad matrix/4096: 4096",
    "align_array": "align make: 16",
    "transpose_static": "transpose matrix/4: 960000",
    "pad_heap": "pad make/24: 24",
    "soa_heap": "transpose make/32: 32",
}
WRONG = [
    "", "split", "split a", "split a:", "split a: ", "split a: 0-8", "split a: rest", "split a: 0-8 | 4-12",
    "split a: 8-8 | rest", "split a: 8-0 | rest", "split a: 0-8 | rest | rest", "split a: 0-8 |", "split a: | 0-8",
    "split a: 0-8 rest", "split a: 0 | rest", "split a: x-y | rest", "split a: -8 | rest", "split a: 0-8 | restless",
    "split a: 0-99999999999999999999 | rest", "split a: 0-8,, | rest", "split : 0-8 | rest", "split /8: 0-4 | rest",
    "order a", "order a: rest", "order a: 0-8 | 8-16", "order a: 0-8,0-8", "pad a", "pad a: 0", "pad a: -1",
    "pad a: 4096+", "pad a: 4096+0", "pad a: +64", "pad a/8: 4096+64", "pad a: 64 64", "pad a: 1e3", "align a: 0",
    "align a: 3", "align a: 64,", "align a", "pool", "pool ", "pool a: run", "transpose a",
    "transpose a: 0", "transpose a: 10-20", "Split a: 0-8 | rest", "splitting a: 0-8 | rest", "swap a: 0-8", "pad a:64",
    "split a/0: 0-8 | rest", "pad a: 4294967296", "align a: 18446744073709551616",
    "split a: " + " | ".join(f"{i}-{i + 1}" for i in range(40)),
    "order a: " + ",".join(f"{i}-{i + 1}" for i in range(300)),
]


def compiled(folder, source, *options, name=None):
    out = os.path.join(folder, name or source.partition(".")[0])
    compiler = "c++" if source.endswith(".cpp") else "cc"
    source = os.path.join(FOLDER, source)
    status, _, errors = run([compiler, "-O1", "-g", "-w", "-pthread", "-o", out, source, *options])
    if status:
        raise RuntimeError(errors)
    return out


def recorded(program, engine, remaps, *options, arguments=()):
    """Status, output and errors; the profile, open, or None."""
    folder = tempfile.mkdtemp(dir=os.path.dirname(program))
    profile = os.path.join(folder, "profile")
    words = ["--remap=" + remap for remap in remaps]
    done = run([TENURE, "record", "-q", f"--engine={engine}", *CACHES, *options, *words, "-o", profile, "--", program,
                *arguments], env=ENVIRONMENT)
    return done, sqlite3.connect(profile, check_same_thread=False) if os.path.exists(profile) else None


def rows(database, sql):
    return database.execute(sql).fetchall() if database else None


def executed(database):
    return rows(database, "SELECT sum(Ir), sum(Dr), sum(Dw) FROM instructions")


def objects(database):
    """{name: [misses, bytes that nobody used]}"""
    found = rows(database, "SELECT name, total(D1mr) + total(D1mw), total(SpLossD1) FROM data_objects GROUP BY name "
                 "HAVING total(D1mr) + total(D1mw) + total(SpLossD1) > 0 ORDER BY name")
    return {name: counts for name, *counts in found}


def near(what, was, now):
    """In the first line of a block malloc has a word, whose line is another one where the block is elsewhere."""
    return now and (" in make" in what or what == "heap, in no block") and \
        abs(was[0] - now[0]) <= 1 and abs(was[1] - now[1]) <= 64


def see_shapes(folder):
    """All of what a program may do, under all remaps, and under other options."""
    library = compiled(folder, "plus.cpp", "-DLIBRARY", "-shared", "-fPIC", name="libplus.so")
    programs = [(compiled(folder, "shapes.c"), SHAPES),
                (compiled(folder, "plus.cpp", library, "-Wl,-rpath," + folder),
                 [["split _Z4makei/28: 0-8 | rest", "split shared_items/28: 0-8 | 8-12 | rest",
                    "pool *realloc_insert*"],
                  ["align *: 128", "pad _Z4makei/32: 64", "transpose shared_items: 320"]])]
    for program, shapes in programs:
        bare = run([program], env=ENVIRONMENT)
        title = os.path.basename(program)
        jobs = [(program, engine, remaps, alone) for engine in ENGINES for remaps in [[], *shapes]
                for alone in ([], ["alone"])]
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda job: recorded(*job[:3], arguments=job[3]), jobs))
            more = [(program, ENGINES[i % 2], shapes[i % len(shapes)], *options)
                    for i, options in enumerate(OPTIONS)]
            others = list(pool.map(lambda job: recorded(*job), more))
        wanted = {job[1]: (done, executed(database)) for job, (done, database) in zip(jobs, results)
                  if job[2:] == ([], ["alone"])}
        for (_, engine, remaps, alone), (done, database) in zip(jobs, results):
            if alone:
                check(f"{title}, {engine}, {remaps}: executed", (done, executed(database)), wanted[engine])
            else:
                check(f"{title}, {engine}, {remaps}", done, bare)
        for job, (done, _) in zip(more, others):
            check(f"{title}, {job[1:]}", done, bare)


def see_same(folder):
    for name, remap in SAME.items():
        program = compiled(folder, name + ".c")
        for engine in ENGINES:
            _, before = recorded(program, engine, [])
            _, after = recorded(program, engine, [remap])
            after, before = objects(after), objects(before)
            for what, was in before.items():
                now = after.pop(what, None)
                good = now == was or near(what, was, now)
                check(f"{name}, {engine}, {remap}: {what}, {was} become {now}", bool(good), True)
            check(f"{name}, {engine}, {remap}: other objects", after, {})


def see_sharing(folder):
    program = compiled(folder, "counters.c")
    sql = "SELECT total(D1cr) + total(D1cw) FROM data_objects WHERE symbol = 'counter'"
    for engine in ENGINES:
        _, before = recorded(program, engine, [], "--coherence=mesi")
        _, after = recorded(program, engine, ["pad counter/8: 64"], "--coherence=mesi")
        before, after = rows(before, sql)[0][0], rows(after, sql)[0][0]
        check(f"false sharing, {engine}: {before} become {after}", before > 100 and after <= 4, True)


def see_words(folder):
    program = compiled(folder, "pad_heap.c")
    for i, remap in enumerate(WRONG):
        for engine in ENGINES if i % 9 == 0 else ENGINES[:1]:
            (status, out, errors), database = recorded(program, engine, [remap])
            check(f"--remap={remap[:60]!r}, {engine}: status, output, lines", (status, out, len(errors.splitlines())),
                  (125, "", 1))
            check(f"--remap={remap[:60]!r}: written", database, None)
    for engine in ENGINES:
        (status, _, errors), database = recorded(program, engine, ["pad make/24: 32", "pool nobody_at_all"])
        check(f"a name that is nobody's, {engine}",
              (status, "nobody_at_all" in errors, "make" in errors, database is not None), (0, True, False, True))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for see in (see_words, see_same, see_sharing, see_shapes):
            see(folder)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
