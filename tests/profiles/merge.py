#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
merge.py: sums of profiles, against sums made the slow way, and against each other.

    merge.py TP_TOOL

Random programs with one thread or several, loaded at other addresses in each run, are imported and merged:
- every view of the sum has, by names and offsets, the sums of the views of its terms
- whatever the order and the grouping, the sum is the same but for ids (canonical.py)
- functions by rank, process and thread are those of the terms
- what must be equal and is not, what is missing and what is broken is named in one line, and nothing is written
"""
import glob
import os
import random
import sqlite3
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import canonical
import raw_make
import verdict
from slow import HOSTILE, KEYS, in_post_order, path_sums, plus, recording, tool, view_sums
from verdict import check


def merged(work, paths, keep="none", name="sum"):
    out = os.path.join(work, name)
    status, message = tool("merge", keep, out, *paths)
    check(status == 0, "merge of %d: %s" % (len(paths), message))
    return out


def compare(terms, total, what):
    for view in KEYS:
        wanted, got = view_sums(terms, view), view_sums([total], view)
        check(wanted == got, "%s: %s of %d profiles: %d rows, not %d" % (what, view, len(terms), len(got), len(wanted)))
    check(path_sums(terms) == path_sums([total]), what + ": paths")
    check(in_post_order(total), what + ": paths are in post-order")
    with sqlite3.connect(total) as db:
        check(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok", what + ": SQLite finds the file whole")
        wrong = db.execute("SELECT count(*) FROM t_instructions i JOIN t_functions f ON f.id = i.function_id "
                           "WHERE i.id NOT BETWEEN f.first_instruction AND f.last_instruction").fetchone()[0]
        check(wrong == 0, what + ": ranges of instructions")
    db.close()


# ------------------------------------------------------------------------------------------ sums and trees

def check_sums(work):
    for seed in range(5):
        rng = random.Random(seed)
        program = raw_make.Random(seed=seed, functions=12, nodes=80, threads=1 + seed % 3)
        names = HOSTILE + ["g%d" % i for i in range(3)] if seed == 4 else None
        terms = [recording(work, "a%d" % i, program, 0x100000 * rng.randint(0, 9), names) for i in range(3)]
        other = raw_make.Random(seed=seed + 100, functions=9, nodes=50, threads=rng.randint(1, 3))
        terms.append(recording(work, "b", other))
        compare(terms, merged(work, terms), "seed %d" % seed)
        alone = merged(work, terms[:1])
        compare(terms[:1], alone, "seed %d, one profile" % seed)


def grouped(rng, work, paths):
    """A merge of merges, in random groups."""
    level = 0
    paths = rng.sample(paths, len(paths))
    while len(paths) > 1:
        level += 1
        cut = sorted(rng.sample(range(1, len(paths)), rng.randint(0, len(paths) - 1))) + [len(paths)]
        paths = [merged(work, paths[a:b], name="g%d.%d" % (level, a)) for a, b in zip([0] + cut, cut)]
    return paths[0]


def check_trees(work):
    """Associative and commutative, programs of one thread and of several mixed, two builds of one object too."""
    rng = random.Random(7)
    one = raw_make.Random(seed=1, functions=12, nodes=80, threads=1)
    many = raw_make.Random(seed=2, functions=12, nodes=60, threads=3)
    copies = ["same", "same", "same"] + ["f%d" % i for i in range(9)]
    terms = [recording(work, "t%d" % i, one, 0x1000 * rng.randint(0, 9), meta=[("cmd", "c%d" % i)]) for i in range(3)]
    terms += [recording(work, "m%d" % i, many, 0x1000 * i, copies) for i in range(3)]
    for path in terms[4:]:
        with sqlite3.connect(path) as db:
            db.execute("UPDATE objects SET build_id = 'ff' WHERE build_id NOT NULL")
            db.execute("DELETE FROM t_functions WHERE id = 3 AND id NOT IN (SELECT function_id FROM t_instructions)")
        db.close()
    expected = canonical.dump(merged(work, terms, name="flat"))
    for _ in range(6):
        check(canonical.dump(grouped(rng, work, terms)) == expected, "a merge of merges, in another order")
    check(canonical.dump(merged(work, [os.path.join(work, "flat")], name="again")) == expected, "a merge of one merge")
    check(any("instructions" in line for line in expected) and len(expected) > 1000, "the comparison is of something")


# ------------------------------------------------------------------------------------------ units

def check_units(work):
    program = raw_make.Random(seed=5, functions=8, nodes=40, threads=2)
    terms = [recording(work, "u%d" % i, program, meta=[("rank", str(i // 2)), ("host", "h%d" % (i % 2)),
                                                       ("pid", str(100 + i))]) for i in range(6)]
    for keep, unit_of in (("rank", lambda i, t: (i // 2, None, None, None)),
                          ("process", lambda i, t: (i // 2, "h%d" % (i % 2), 100 + i, None)),
                          ("thread", lambda i, t: (i // 2, "h%d" % (i % 2), 100 + i, t))):
        expected, total = {}, {}
        for i, path in enumerate(terms):
            with sqlite3.connect(path) as db:
                view = "thread_functions" if keep == "thread" else "functions"
                thread = "thread" if keep == "thread" else "0"
                for t, function, ir, incl in db.execute("SELECT %s, function, Ir, Ir_incl FROM %s" % (thread, view)):
                    key = unit_of(i, t) + (function,)
                    expected[key] = tuple(map(plus, expected.get(key, (0, 0)), (ir, incl)))
                for t, ir in db.execute("SELECT id, Ir FROM threads"):
                    key = unit_of(i, t)
                    total[key] = total.get(key, 0) + ir
            db.close()
        halves = [merged(work, terms[:3], "thread", "half0"), merged(work, terms[3:], keep, "half1")]
        for out in merged(work, terms, keep, "units"), merged(work, halves, keep, "whole"):
            with sqlite3.connect(out) as db:
                columns = "u.rank, u.host, u.pid, u.thread"
                got = {row[:5]: row[5:] for row in db.execute("SELECT rank, host, pid, thread, function, Ir, Ir_incl "
                                                               "FROM unit_functions")}
                check(got == expected, "functions by " + keep)
                got = {row[:4]: row[4] for row in db.execute("SELECT %s, Ir FROM units u" % columns)}
                check(got == total, "units by " + keep)
            db.close()
        check(canonical.dump(os.path.join(work, "units")) == canonical.dump(os.path.join(work, "whole")),
              "units of a merge of merges")
    of_one = merged(work, [merged(work, terms[:2], name="rank0")] + terms[2:], "rank", "units")
    check(canonical.dump(of_one) == canonical.dump(merged(work, terms, "rank", "whole")), "a merge of one rank is its")
    check_balance(work, terms)
    refuse(work, [merged(work, terms[1:3])] + terms[3:], "did not keep ranks apart", keep="rank")
    unranked = recording(work, "unranked", program, meta=[("host", "h0"), ("pid", "99")])
    for pair in ([unranked, terms[0]], [terms[0], unranked]):
        refuse(work, [merged(work, pair)], "did not keep ranks apart", keep="rank")
    refuse(work, [merged(work, terms[:2], "rank")] + terms[2:], "did not keep processes apart", keep="process")
    with sqlite3.connect(terms[1]) as db:
        db.execute("DELETE FROM meta WHERE key = 'rank'")
    db.close()
    refuse(work, terms, "u1 has no rank", keep="rank")


def check_balance(work, terms):
    out = merged(work, terms, "process", "balance")
    with sqlite3.connect(out) as db:
        found = {}
        for function, value in db.execute("SELECT function, SpLossD1_incl FROM unit_functions"):
            found.setdefault(function, []).append(value or 0)
        rows = list(db.execute("SELECT function, units, min, mean, max, imbalance FROM balance "
                               "WHERE event = 'SpLossD1_incl'"))
        check(len(rows) == len(found), "every function has a balance")
        for function, units, least, mean, most, imbalance in rows:
            values = found[function] + [0] * (len(terms) - len(found[function]))
            average = sum(values) / len(terms)
            check((units, least, most) == (len(terms), min(values), max(values)), "least and most of " + function)
            check(abs(mean - average) < 1e-6 * average + 1e-9, "mean of " + function)
            check(imbalance is None if average == 0 else
                  abs(imbalance - 100 * (max(values) / average - 1)) < 1e-6, "imbalance of " + function)
    db.close()


# ------------------------------------------------------------------------------------------ refusals

def refuse(work, paths, message, keep="none"):
    out = os.path.join(work, "refused")
    status, said = tool("merge", keep, out, *paths)
    check(status == 1 and said.count("\n") == 1 and message in said, "%r is said, not %r" % (message, said))
    check(not glob.glob(out + "*"), "nothing is left behind: %r" % said)


def changed(work, path, *statements):
    """A copy of a profile after some SQL."""
    copy = os.path.join(work, "changed")
    with open(path, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    with sqlite3.connect(copy) as db:
        for statement in statements:
            db.execute(statement)
    db.close()
    return copy


def check_refusals(work):
    good = recording(work, "good", raw_make.Random(seed=3, functions=6, nodes=30))
    refuse(work, [good, os.path.join(work, "nowhere")], "nowhere: cannot open")
    refuse(work, [good, changed(work, good, "INSERT INTO meta VALUES('cache.D1', '1,1,64')")],
           "D1 (size,ways,line,policy)")
    lru = os.path.join(work, "lru")
    os.rename(changed(work, good, "INSERT INTO meta VALUES('cache.LL', '65536,16,64')"), lru)
    refuse(work, [lru, changed(work, good, "INSERT INTO meta VALUES('cache.LL', '65536,16,64,plru')")],
           "LL (size,ways,line,policy) is 65536,16,64,plru, in " + lru + " it is 65536,16,64;")
    for statement, message in (("UPDATE t_arcs SET callee_id = 999 WHERE id = 1", "refers to row 999"),
                               ("UPDATE t_paths SET parent = 1 WHERE id = 2", "which is not there"),
                               ("UPDATE t_paths SET parent = id WHERE id = 2", "which is not there"),
                               ("UPDATE t_functions SET object_id = -1 WHERE id = 1", "refers to row -1"),
                               ("DROP TABLE t_lines", "a table or view of it is missing"),
                               ("ALTER TABLE t_arcs RENAME COLUMN site_id TO other", "is not as Tenure writes it"),
                               ("UPDATE events SET name = 'Xy' WHERE name = 'Dw'", "is not as Tenure writes it"),
                               ("DELETE FROM events WHERE name = 'Dw'", "is not as Tenure writes it"),
                               ("UPDATE events SET name = 'a b' WHERE name = 'Dw'", "its list of events")):
        refuse(work, [good, changed(work, good, statement)], message)
    with open(good, "rb") as file:
        data = bytearray(file.read())
    rng = random.Random(5)
    for _ in range(25):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 10, 1000])):
            damaged[rng.randrange(100, len(damaged))] = rng.randrange(256)
        path = os.path.join(work, "damaged")
        with open(path, "wb") as file:
            file.write(damaged[:rng.choice([len(damaged), rng.randrange(len(damaged))])])
        out = os.path.join(work, "refused")
        status, said = tool("merge", "none", out, good, path)
        check(status == 0 or status == 1 and said.count("\n") == 1 and said.startswith("error: ") and
              not glob.glob(out + "*"), "a damaged profile: %d %r" % (status, said))
        for left in glob.glob(out + "*"):
            os.remove(left)


def main():
    with tempfile.TemporaryDirectory() as work:
        check_sums(work)
        check_trees(work)
        check_units(work)
        check_refusals(work)
    return verdict.finish()


sys.exit(main())
