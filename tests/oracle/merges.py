#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
merges.py: `tenure merge` and `tenure diff` against the distribution's cg_merge and cg_diff.

    merges.py TENURE RAW_MAKE

Profiles of one random program with other counts in each are exported in Cachegrind's format. What cg_merge and cg_diff
make of the exports has the counts, by file, function and line, of the exports of the sum and of the difference. AcCost
is left out: the format has whole numbers, and a sum of rounded ones is not the rounded sum.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TENURE, RAW_MAKE = (os.path.abspath(path) for path in sys.argv[1:3])
failed = passed = 0


def check(good, what):
    global failed, passed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAILED:", what)


def run(folder, *words):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    check(done.returncode == 0, "%r: %d %s" % (words, done.returncode, done.stderr))
    return done.stdout


def counts(text):
    """{(file, function, line): [counts]} but 0 alone, of all events but AcCost; the events."""
    found, file, function, events = {}, None, None, []
    for line in text.splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fl="):
            file = line[3:]
        elif line.startswith("fn="):
            function = line[3:]
        elif line[:1].isdigit():
            number, *values = (0 if word == "." else int(word) for word in line.split())
            old = found.setdefault((file, function, number), [0] * len(events))
            found[file, function, number] = [a + b for a, b in zip(old, values + [0] * len(events))]
    keep = [i for i, event in enumerate(events) if not event.startswith("AcCost")]
    found = {key: [values[i] for i in keep] for key, values in found.items()}
    return {key: values for key, values in found.items() if any(values)}, [events[i] for i in keep]


def profile(folder, name, seed):
    """Costs are multiplied by small numbers, by row, so that sums stay far below what the format holds."""
    rng = random.Random(seed)
    shutil.copy(os.path.join(folder, "base"), os.path.join(folder, name))
    with sqlite3.connect(os.path.join(folder, name)) as db:
        events = [row[0] for row in db.execute("SELECT name FROM events WHERE derived = 0")]
        for number, in list(db.execute("SELECT id FROM t_lines")):
            for event in events:
                if rng.random() < 0.5:
                    db.execute('UPDATE t_lines SET "%s" = "%s" * ? + ? WHERE id = ?' % (event, event),
                               (rng.randint(0, 5), rng.randint(0, 9), number))
        db.execute("DELETE FROM t_lines WHERE id %% 7 = %d" % (seed % 7))
        sums = ", ".join('"%s" = (SELECT sum("%s") FROM t_lines)' % (event, event) for event in events)
        db.execute("UPDATE t_totals SET " + sums)
    db.close()


def export(folder, name):
    """In Cachegrind's format, as cg_merge wants it: with a description first."""
    text = run(folder, TENURE, "export", "--format=cachegrind", name)
    with open(os.path.join(folder, name + ".cg"), "w", encoding="utf-8") as file:
        file.write("desc: made by a test\n" + text)
    return counts(text)


def main():
    if not shutil.which("cg_merge") or not shutil.which("cg_diff"):
        print("cg_merge and cg_diff are not here (package valgrind)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        run(folder, sys.executable, RAW_MAKE, "random", "base.raw")
        run(folder, TENURE, "import", "-q", "-o", "base", "base.raw")
        names = ["p%d" % i for i in range(4)]
        for seed, name in enumerate(names):
            profile(folder, name, seed)
            export(folder, name)
        run(folder, TENURE, "merge", "-q", "-o", "sum", *names)
        run(folder, "cg_merge", "-o", "theirs", *(name + ".cg" for name in names))
        with open(os.path.join(folder, "theirs"), encoding="utf-8") as file:
            theirs = counts(file.read())
        ours = export(folder, "sum")
        check(len(ours[0]) > 10 and ours == theirs, "cg_merge: %r, not %r" % (ours, theirs))
        run(folder, TENURE, "diff", "-o", "difference", *names[:2])
        theirs = counts(run(folder, "cg_diff", *(name + ".cg" for name in names[:2])))
        ours = export(folder, "difference")
        check(any(min(values) < 0 for values in ours[0].values()) and ours == theirs,
              "cg_diff: %r, not %r" % (ours, theirs))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
