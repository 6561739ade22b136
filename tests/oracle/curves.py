#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording says of other sizes of caches is what recordings with these sizes count.

usage: curves.py TENURE CASES PROGRAM...

Of each program, for L2 and the last level in both engines: totals, and each function, self and inclusive; of the last
level the cycle estimate as well. Where sets are sampled, it is so within what such a recording says of its own error.
And blocks that are as large as advice says stay in the cache; CASES is the folder of programs to be advised on.
"""
import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

TENURE, CASES, PROGRAMS = sys.argv[1], sys.argv[2], [os.path.abspath(path) for path in sys.argv[3:]]
TENURE = os.path.abspath(TENURE)
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


def told(folder, *words):
    """Status, output and messages of a command there."""
    done = subprocess.run([TENURE, *words], capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def limit(folder):
    """Limits on what other sizes would miss; a size belongs to the event, not to the place."""
    with sqlite3.connect("file:%s/one?mode=ro" % folder, uri=True) as database:
        name, misses, total = database.execute("SELECT base, Dist8L_incl, (SELECT Dist8L FROM totals) FROM functions"
                                               " ORDER BY Dist8L_incl DESC").fetchone()
    for limits, status in (["LLm@64K@total>%d" % (total - 1), 3], ["LLm@64K@total>%d" % total, 0],
                           ["LLm@64K_incl@%s>%d" % (name, misses - 1), 3],
                           ["LLm@64K_incl@%s>%d" % (name, misses), 0],
                           ["LLm@64K@total>=+0%", 3], ["LLm@64K@total>99%", 1], ["CEst@8K@total>=+0", 3],
                           ["LLm@64K_incl@%s*>1%%" % name[:2], 3], ["LLm@64@total>1", 1], ["LLm@64K@2M@total>1", 1]):
        got = told(folder, "diff", "--fail-on=" + limits, "one", "one")
        check(got[0] == status and got[2].count("\n") == (status > 0), "%s: %r" % (limits, got))
    check(told(folder, "diff", "--fail-on=LLm@64K@total>=+0%", "one", "one")[2].startswith(
        "tenure: limit LLm@64K@total>=+0%% is passed: LLm@64K of total was %s, is %s" % ((format(total, ","),) * 2)),
          "the words of a limit")


def unlike(folder, program):
    """Sizes that the other profile does not have, or has of another cache, are not compared."""
    told(folder, "record", "-q", "--LL=128K,16,64", "-o", "plain", program)
    told(folder, "record", "-q", "--curves=yes", "--LL=256K,16,64", "-o", "larger", program)
    for other in ("plain", "larger"):
        for words in (["--fail-on=LLm@64K@total>1"], ["--show=CEst@64K"]):
            status, out, errors = told(folder, "diff", *words, other, "one")
            check(status == 1 and out == "" and "cannot be compared" in errors, "%s: %r" % (other, (status, errors)))


def export(folder):
    """Each format has what SQL says of a size."""
    sizes = "LLm@64K", "CEst@64K"
    with sqlite3.connect("file:%s/one?mode=ro" % folder, uri=True) as database:
        def wanted(view, suffix=""):
            return [tuple(row) for row in database.execute(
                "SELECT {1}8L{0}, CEst{0} + 100 * (ifnull({1}8L{0}, 0) - ifnull(LLm{0}, 0)) FROM {2}".format(
                    suffix, "Dist", view))]
        total, = wanted("totals")
        functions = [own + below for own, below in zip(wanted("functions"), wanted("functions", "_incl"))]
        paths = sum(row[0] or 0 for row in wanted("paths"))
    check(total[0] > 0 and paths == total[0], "they miss: %r" % (total,))

    def exported(form, events=sizes, *options):
        status, out, message = told(folder, "export", "--format=" + form, "--events=" + ",".join(events), *options,
                                    "one")
        check((status, message) == (0, ""), "%s: %s" % (form, message))
        return out

    found = json.loads(exported("json"))
    keys = [size + suffix for suffix in ("", "_incl") for size in sizes]
    check(tuple(found["totals"].values()) == total, "json: %r" % found["totals"])
    check([event["name"] for event in found["events"]][-2:] == list(sizes), "json: %r" % found["events"][-2:])
    check([tuple(row[key] for key in keys) for row in found["functions"]] == functions, "json: functions")
    rows = list(csv.DictReader(exported("csv", ("Ir", *sizes)).splitlines()))
    check([tuple(int(row[key]) if row[key] else None for size in sizes for key in (size, size + "_incl"))
           for row in rows] == [(a, c, b, d) for a, b, c, d in functions], "csv: functions")
    totals = list(csv.DictReader(exported("csv", ("all", *sizes), "--table=totals").splitlines()))
    check([int(totals[0][size]) for size in sizes] == list(total) and "Ir" in totals[0], "csv: all and %r" % totals)
    got = told(folder, "export", "--format=csv", "--events=LLm@64K", "--table=objects", "one")
    check(got[0] == 1 and "no columns of events" in got[2], "csv: a table without events: %r" % (got,))
    folded = [int(line.rsplit(" ", 1)[1]) for line in exported("folded", sizes[:1]).splitlines()]
    check(sum(folded) == total[0], "folded: %d, not %d" % (sum(folded), total[0]))
    for form, line in (("callgrind", "events: LLm_64K CEst_64K\nsummary: %d %d\n" % total),
                       ("cachegrind", "events: LLm_64K CEst_64K\n"), ("cachegrind", "summary: %d %d\n" % total),
                       ("openmetrics", "\ntenure_LLm_64K_total %d\n" % total[0]),
                       ("openmetrics", "\ntenure_CEst_64K_total %d\n" % total[1]),
                       ("speedscope", "LLm@64K"), ("firefox", "CEst@64K")):
        check(line in exported(form), "%s: there is no %r" % (form, line))
    for events, words in (("LLm@5M", "no event 'LLm@5M' in this profile"), ("D1rate", "no event 'D1rate'")):
        got = told(folder, "export", "--format=json", "--events=" + events, "one")
        check(got[0] == 1 and words in got[2], "%s: %r" % (events, got))


def read(program):
    """Commands that take names of events."""
    with tempfile.TemporaryDirectory() as folder:
        told(folder, "record", "-q", "--curves=yes", "--LL=128K,16,64", "-o", "one", program)
        limit(folder)
        unlike(folder, program)
        export(folder)


def sampled(program):
    """Nine of ten intervals of 95 %, or more, contain the exact count."""
    show = ",".join("LLm@%dK" % (8 * ways) for ways in SIZES["LL"][2][:4])
    wide = ["--LL=128K,16,64", "--D1=16K,4,64"]

    def functions(folder, *options):
        told(folder, "record", "-q", "--curves=yes", *wide, *options, "-o", "one", program)
        rows = json.loads(told(folder, "report", "--json", "--limit=1000", "--show=" + show, "one")[1])["functions"]
        return {(row["function"], row["file"]): row for row in rows}

    inside = outside = 0
    with tempfile.TemporaryDirectory() as folder:
        exact = functions(folder)
        for seed in range(1, 6):
            found = functions(folder, "--sample=4", "--sample-seed=%d" % seed)
            for key, row in found.items():
                for event in show.split(","):
                    if exact[key][event] >= 1000 and row[event + "_margin"] is not None:
                        good = abs(exact[key][event] - row[event]) <= row[event + "_margin"]
                        inside, outside = inside + good, outside + (not good)
    check(inside + outside >= 20 and inside >= 0.9 * (inside + outside),
          "%s, sampled: %d of %d intervals contain the exact count" % (program, inside, inside + outside))


def block():
    """A matrix is walked in blocks of at most the bytes that advice says: the last level misses it a tenth as often."""
    source = open(os.path.join(CASES, "block_product.c")).read()
    with tempfile.TemporaryDirectory() as folder:
        def misses(side, *options):
            text = source.replace("BLOCK = 20", "BLOCK = %d" % side).replace("10 * BLOCK", "%d * BLOCK" % (200 // side))
            with open(os.path.join(folder, "product.c"), "w") as file:
                file.write(text)
            subprocess.run(["gcc", "-O2", "-g", "-I" + CASES, *options, "product.c", "-o", "product"], check=True,
                           cwd=folder)
            told(folder, "record", "-q", "--curves=yes", "--patterns=yes", "--D1=8K,8,64", "--LL=256K,16,64", "-o",
                 "one", "./product")
            return json.loads(told(folder, "report", "--json", "--show=LLm", "one")[1])["totals"]["LLm"]

        walked = misses(20)
        advice = json.loads(told(folder, "report", "--advice", "--json", "one")[1])["advice"]["items"]
        size = [known["value"] for item in advice if item["kind"] == "blocking" for known in item["evidence"]
                if known["key"] == "block"]
        check(len(size) == 1 and 80000 < size[0] <= 131072, "a block of %r bytes" % size)
        check(misses(100, "-DREPAIRED") < walked / 10, "100 x 100 is no block")
        check(misses(200, "-DREPAIRED") > walked / 2, "the whole matrix is a block")


def main():
    sampled(PROGRAMS[1])
    block()
    differ(PROGRAMS[0])
    weigh(PROGRAMS[0])
    read(PROGRAMS[0])
    for number, program in enumerate(PROGRAMS):
        for engine in ("native", "valgrind"):
            for cache in SIZES:
                compare(program, engine, cache, ["--write-back=yes"] if number % 2 else [])
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


sys.exit(main())
