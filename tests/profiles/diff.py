#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
diff.py: differences of profiles, against differences made the slow way.

    diff.py TP_TOOL

- every row of the comparison has what the views of the two sides say; means, and what is within the spread, of several
- the differences as a profile: every view is the one side's minus the other's
- another build: arcs and functions fall together by name, lines by the source texts
- lines found again, against the length of a longest common subsequence
- expressions that change names, against Python's; limits
"""
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raw_make
import verdict
from slow import HOSTILE, KEYS, path_sums, recording, tool, view_sums
from verdict import check

TABLES = ("totals", "functions", "lines", "arcs", "data_objects")
SELF = ("totals", "data_objects")  # have no inclusive costs


def out_of(*arguments):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def text(word):
    return bytes.fromhex(word).decode() if word else None


def compared(out, before, after, *options):
    """{(table, function, caller, file, line): {event: (baseline, new, difference, known, counts)}}, where, notes; calls
    of one line to one function are summed, those that are known and that count are counted."""
    status, lines, message = out_of("diff", out, *before, "--", *after, *options)
    check(status == 0, "diff: " + message)
    rows, there, notes = {}, {}, []
    for line in lines.splitlines():
        if line.startswith("note\t"):
            notes.append(line[5:])
            continue
        table, sides, number, *rest = line.split("\t")
        function, caller, file = (text(word) for word in rest[:3])
        key = TABLES[int(table)], function, caller, file, int(number) or None
        if key[0] == "data_objects":
            if out != "-":
                continue  # there blocks are told apart by their paths, which this test does not know
            key = key[:3] + (None, None)  # its name says where
        values = rows.setdefault(key, {})
        there[key] = sides
        for word in rest[4:]:
            event, *numbers = word.split()
            numbers = tuple(float(x) for x in numbers)
            old = values.get(event)
            values[event] = numbers if old is None else tuple(a + b for a, b in zip(old, numbers))
    return rows, there, notes


# ------------------------------------------------------------------------------------------ the slow way

NAMES = {"totals": (), "functions": ("function",), "lines": ("function", "file", "line"),
         "arcs": ("callee", "caller", "file", "line"), "data_objects": ("name",)}


def values_of(path):
    """{key as above: {event: value or None}}, rows of equal keys summed."""
    found = {}
    with sqlite3.connect(path) as db:
        db.row_factory = sqlite3.Row
        events = [e + s for e, in db.execute("SELECT name FROM events") for s in ("", "_incl")]
        for table, names in NAMES.items():
            for row in db.execute("SELECT * FROM " + table):
                named = {"function": None, "caller": None, "file": None, "line": None}
                named.update({"function" if name in ("callee", "name") else name: row[name] for name in names})
                key = (table,) + tuple(named.values())
                values = found.setdefault(key, {})
                for event in events:
                    if event in row.keys():
                        old, new = values.get(event), row[event]
                        values[event] = new if old is None else old if new is None else old + new
    db.close()
    return found


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def expect(before, after, rows, there, what):
    sides = [[values_of(path) for path in paths] for paths in (before, after)]
    without = () if any(key[0] == "data_objects" for key in rows) else ("data_objects",)
    keys = {key for side in sides for run in side for key in run if key[0] not in without}
    check(keys == set(rows), "%s: %d rows, not %d" % (what, len(rows), len(keys)))
    for key in keys & set(rows):
        here = "".join("1" if any(key in run for run in side) else "0" for side in sides)
        check(there[key] == here, "%s: %r is there: %s, not %s" % (what, key, there[key], here))
        for event, got in rows[key].items():
            event = event.replace("_incl", "") if key[0] in SELF else event
            if key[0] == "arcs" and not event.endswith("_incl"):
                event += "_incl"
            values = [[run.get(key, {}).get(event) for run in side] for side in sides]
            numbers = [[value or 0 for value in side] for side in values]
            means = [sum(side) / len(side) for side in numbers]
            known = any(value is not None for side in values for value in side)
            apart = max(numbers[0]) < min(numbers[1]) or max(numbers[1]) < min(numbers[0])
            check(bool(got[3]) == known, "%s: %r %s is known" % (what, key, event))
            check(close(got[0], means[0]) and close(got[1], means[1]) and close(got[2], means[1] - means[0]),
                  "%s: %r %s: %r, not %r" % (what, key, event, got, means))
            if key[0] != "arcs":
                differs = known and apart and means[0] != means[1]
                check(bool(got[4]) == differs, "%s: %r %s counts" % (what, key, event))


def minus(a, b):
    return None if a is None and b is None else (b or 0) - (a or 0)


def expect_profile(before, after, out, what):
    """The profile of the difference, against the views of both. A row that one side lacks is 0 there."""
    def differences(sums, wanted):
        zero = (None,) * len(next(iter(wanted.values())))
        a, b = (sums(path) for path in (before, after))
        return {key: tuple(map(minus, a.get(key, zero), b.get(key, zero))) for key in {**a, **b}}
    for view in KEYS:
        names = [name.replace("t.symbol", "1") for name in KEYS[view][0]]
        got = view_sums([out], view, names)
        wanted = differences(lambda path: view_sums([path], view, names), got)
        check(wanted == got, "%s: %s of the profile: %d rows, not %d" % (what, view, len(got), len(wanted)))
    got = path_sums([out])
    check(differences(lambda path: path_sums([path]), got) == got, what + ": paths of the profile")


# ------------------------------------------------------------------------------------------ comparisons

def check_pairs(work):
    out = os.path.join(work, "difference")
    for seed in range(4):
        program = raw_make.Random(seed=seed, functions=12, nodes=80, threads=1 + seed % 3)
        names = HOSTILE + ["g%d" % i for i in range(3)] if seed == 3 else None
        a, b = (recording(work, name, program, shift, names) for name, shift in (("a", 0), ("b", 0x40000)))
        rows, there, notes = compared(out, [a], [b])
        expect([a], [b], rows, there, "seed %d" % seed)
        check(not notes, "nothing to note: %r" % notes)
        expect_profile(a, b, out, "seed %d" % seed)
        only, there, _ = compared("-", [a], [b])
        check({key: only[key] for key in only if key[0] != "data_objects"} == rows, "the same without a profile")
        check(len(only) > len(rows), "there are data structures")
        expect([a], [b], only, there, "seed %d, without a profile" % seed)
        same, _, _ = compared("-", [a], [a])
        check(not any(value[4] for row in same.values() for value in row.values()), "nothing differs from itself")


def check_runs(work):
    program = raw_make.Random(seed=6, functions=8, nodes=50, threads=2)
    runs = [recording(work, "r%d" % i, program) for i in range(6)]
    for path in runs[1], runs[4]:
        with sqlite3.connect(path) as db:
            db.execute("DELETE FROM t_lines WHERE function_id IN (2, 3)")
        db.close()
    out = os.path.join(work, "several")
    for cut in 1, 3, 5:
        rows, there, _ = compared(out, runs[:cut], runs[cut:])
        expect(runs[:cut], runs[cut:], rows, there, "%d runs and %d" % (cut, 6 - cut))
        only, there, _ = compared("-", runs[:cut], runs[cut:])
        expect(runs[:cut], runs[cut:], only, there, "%d runs and %d, without a profile" % (cut, 6 - cut))
        with sqlite3.connect(out) as db:
            for function, ir in db.execute("SELECT function, Ir FROM functions"):
                value = rows["functions", function, None, None, None]["Ir"]
                check(ir == (round(value[2]) if value[4] else 0) or abs(ir - value[2]) <= 0.5, "a rounded difference")
        db.close()


def rebuilt(path, build_id, source, lines):
    """Another build of the program: each function is on a line of /src/a.c, whose text is embedded."""
    with sqlite3.connect(path) as db:
        db.execute("UPDATE objects SET build_id = ? WHERE path NOT LIKE '[%'", (build_id,))
        db.execute("INSERT INTO files VALUES(99, '/src/a.c')")
        if source:
            db.execute("INSERT INTO sources VALUES(99, ?)", (source,))
        for function, line in lines.items():
            which = "(SELECT id FROM t_functions WHERE function = ?)"
            db.execute("UPDATE t_functions SET file_id = 99, line = ? WHERE function = ?", (line, function))
            for table, column in (("t_lines", "function_id"), ("t_instructions", "function_id"),
                                  ("t_arcs", "caller_id")):
                db.execute("UPDATE %s SET file_id = 99, line = ? WHERE %s IN %s" % (table, column, which),
                           (line, function))
    db.close()


def check_builds(work):
    """f1, f3, ... are in /nowhere/a.out, which is built anew; f2, ... in the vdso, which is not."""
    program = raw_make.Random(seed=8, functions=6, nodes=40, threads=1)
    old = ["line %d\n" % i for i in range(1, 41)]
    new = ["added\n", "added\n"] + old[:9] + ["changed\n"] + old[10:] + ["more\n"]
    lines = [{"f%d" % f: (10 if f == 5 else 5 * f) + moved * 2 * (f != 2) for f in range(1, 7)} for moved in (0, 1)]
    for embedded in (True, False):
        a, b = (recording(work, "%s%d" % (name, embedded), program) for name in "ab")
        rebuilt(a, "aa", embedded and "".join(old), lines[0])
        rebuilt(b, "bb", embedded and "".join(new), lines[1])
        rows, _, notes = compared(os.path.join(work, "built"), [a], [b])
        sides = [values_of(a), values_of(b)]
        changed = ["f%d" % f for f in range(1, 7) if f % 2 == 0]  # those of object 1, see Random.write
        found = {key for key in rows if key[0] == "lines" and key[1] in changed}
        for function in changed:
            meant = lines[1][function] if embedded else None
            key = "lines", function, None, "/src/a.c", meant
            if embedded and lines[0][function] == 10:
                continue
            wanted = [side["lines", function, None, "/src/a.c", where[function]]["Ir"]
                      for side, where in zip(sides, lines)]
            check(key in found and list(rows[key]["Ir"][:2]) == wanted, "line of %s: %r" % (function, found))
        check(any("not recorded with --embed-source" in line for line in notes) == (not embedded), "a note: %r" % notes)
        arcs = [key for key in rows if key[0] == "arcs" and key[2] in changed and
                not (embedded and lines[0][key[2]] == 10)]
        check(len(arcs) > 3 and all(rows[key]["Ir"][0] and rows[key]["Ir"][1] for key in arcs),
              "arcs of two builds fall together: %r" % [(key, rows[key]["Ir"]) for key in arcs])


def allocates(path, lines, costs):
    """A function of /src/a.c that allocates on some lines."""
    with sqlite3.connect(path) as db:
        for i, (line, cost) in enumerate(zip(lines, costs)):
            db.execute("INSERT INTO t_data_paths (id, function, file_id, line) VALUES(?, 'twice', 99, ?)",
                       (900 + i, line))
            db.execute("INSERT INTO t_data (id, kind, name, function, file_id, line, origin_id, Ir) "
                       "VALUES(?, 'heap', ?, 'twice', 99, ?, ?, ?)",
                       (900 + i, "malloc in twice (a.c:%d)" % line, line, 900 + i, cost))
    db.close()


def check_sites(work):
    """Two allocations in one function are told apart by their lines, if these are found again."""
    program = raw_make.Random(seed=10, functions=6, nodes=20)
    old = ["line %d\n" % i for i in range(1, 41)]
    for embedded in (True, False):
        a, b = (recording(work, "site%s%d" % (name, embedded), program) for name in "ab")
        rebuilt(a, "aa", embedded and "".join(old), {})
        rebuilt(b, "bb", embedded and "".join(["new\n"] * 2 + old[:24] + ["other\n"] + old[25:]), {})
        allocates(a, (12, 15, 25, 26), (10, 20, 30, 40))
        allocates(b, (14, 17, 28), (100, 200, 400))
        rows, there, _ = compared("-", [a], [b])
        found = {key[1]: (rows[key]["Ir"][:2], there[key]) for key in rows if key[0] == "data_objects" and
                 "twice" in key[1]}
        check(found == ({"malloc in twice (a.c:14)": ((10, 100), "11"), "malloc in twice (a.c:17)": ((20, 200), "11"),
                         "malloc in twice (a.c:28)": ((40, 400), "11"), "malloc in twice (a.c)": ((30, 0), "10")}
                        if embedded else {"malloc in twice (a.c)": ((100, 700), "11")}), "sites: %r" % found)


def check_names(work):
    program = raw_make.Random(seed=9, functions=6, nodes=30)
    a = recording(work, "names1", program, names=["app_v1_%d" % i for i in range(6)])
    b = recording(work, "names2", program, names=["app_v2_%d" % i for i in range(6)])
    plain, there, _ = compared("-", [a], [b])
    check(all(there[key] != "11" for key in plain if key[0] == "functions"), "other names are other functions")
    rows, there, _ = compared("-", [a], [b], "funcname=s/_v[0-9]+_/_/", "filename=s,^/nowhere/,/here/,")
    functions = [key for key in rows if key[0] == "functions"]
    check(sorted(key[1] for key in functions) == ["app_%d" % i for i in range(6)] and
          all(there[key] == "11" for key in functions), "changed names fall together")
    sites = [key for key in rows if key[0] == "data_objects" and "app_" in key[1]]
    check(len(sites) > 1 and all(" in app_" in key[1] and there[key] == "11" for key in sites),
          "so do those of what functions allocate: %r" % sites)


# ------------------------------------------------------------------------------------------ parts

def longest(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        before = row[:]
        for k, y in enumerate(b, 1):
            row[k] = before[k - 1] + 1 if x == y else max(before[k], row[k - 1])
    return row[-1]


def check_linemap(work):
    rng = random.Random(3)
    old, new = (os.path.join(work, name) for name in ("old", "new"))
    for _ in range(60):
        words = [str(i) for i in range(rng.choice([2, 5, 100]))]
        a = [rng.choice(words) for _ in range(rng.randint(1, 60))]
        b = list(a) if rng.random() < 0.7 else [rng.choice(words) for _ in range(rng.randint(1, 60))]
        for _ in range(rng.randint(0, 10)):
            at = rng.randrange(len(b) + 1)
            if rng.random() < 0.5:
                b.insert(at, rng.choice(words))
            elif len(b) > 1:
                b.pop(at % len(b))
        for path, lines in ((old, a), (new, b)):
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join(lines) + rng.choice(["\n", ""]))
        status, out, _ = out_of("linemap", old, new)
        to = [int(line) for line in out.split()]
        pairs = [(i, k) for i, k in enumerate(to, 1) if k]
        check(status == 0 and len(to) == len(a) and all(a[i - 1] == b[k - 1] for i, k in pairs), "equal lines")
        check(all(x[1] < y[1] for x, y in zip(pairs, pairs[1:])), "lines in order")
        check(len(pairs) == longest(a, b), "%d lines found again, not %d" % (len(pairs), longest(a, b)))


def check_rename():
    for expression, before, after in (
            ("s/a/b/", "banana", "bbnana"), ("s/a/b/g", "banana", "bbnbnb"), ("s/A/b/gi", "banana", "bbnbnb"),
            ("s/^x//g", "xxx", "xx"), ("s/x*/-/g", "abc", "-a-b-c-"), ("s/(a)(b)?/[\\2\\1]/g", "abac", "[ba][a]c"),
            ("s/n/<&>/g", "banana", "ba<n>a<n>a"), ("s/n/\\&\\\\/", "banana", "ba&\\ana"),
            ("s,/usr/,/,", "/usr/x", "/x"),
            ("s/\\/usr\\//\\//", "/usr/x", "/x"), ("s/a/b/;s/b/c/g", "banana", "ccnana"),
            ("s/a;b/c/;s/c/d/", "a;b", "d"),
            ("s/$/!/", "end", "end!"), ("s|a\\|b|x|g", "a|b", "x"), ("s/q/r/", "", "")):
        status, out, message = out_of("rename", expression, before)
        check((status, out) == (0, after), "%s of %r: %r, not %r %s" % (expression, before, out, after, message))
    for expression in ("", "s", "s/a/b", "x/a/b/", "s/a/b/x", "s/(/b/", "s/a/\\1/", "s/a/b/;y", "s;a;b", "s\\a\\b\\"):
        status, message = tool("rename", expression, "text")
        check(status == 1 and message.count("\n") == 1, "%r is refused: %r" % (expression, message))
    rng = random.Random(1)
    for _ in range(100):
        old = "".join(rng.choice(["a", "b", "[ab]", "a?", "b+", "(ab)", "."]) for _ in range(rng.randint(1, 4)))
        word = "".join(rng.choice("abc") for _ in range(rng.randint(0, 8)))
        if re.match(old, ""):
            continue  # what an empty match behind another means differs between languages
        status, out, _ = out_of("rename", "s/%s/<&>/g" % old, word)
        check(out == re.sub(old, lambda m: "<%s>" % m.group(0), word), "s/%s/<&>/g of %s: %s" % (old, word, out))


def check_limits():
    for limit, values, wanted in (
            ("Ir@total>+5%", (100, 105, 0), "Ir total 0"), ("Ir@total>+5%", (100, 106, 0), "Ir total 1"),
            ("Ir@total>=+5%", (100, 105, 0), "Ir total 1"), ("Ir@total>+1000", (0, 1001, 0), "Ir total 1"),
            ("Ir@total>+1K", (0, 1024, 0), "Ir total 0"), ("Ir@f>2%", (900, 21, 1000), "Ir f 1"),
            ("Ir@f>2%", (900, 20, 1000), "Ir f 0"), ("Ir@f<10", (0, 9, 0), "Ir f 1"),
            ("Ir@f<-10%", (100, 89, 0), "Ir f 1"), ("Ir@f<-10%", (100, 90, 0), "Ir f 0"),
            ("Ir@f>+0", (5, 5, 0), "Ir f 0"), ("Ir@vec<int>>+1%", (100, 102, 0), "Ir vec<int> 1"),
            ("Ir@operator>>=5", (0, 5, 0), "Ir operator> 1"), ("Ir@a@b>1>2", (0, 3, 0), "Ir a@b>1 1"),
            ("LLm@2M@total>+5%", (100, 106, 0), "LLm@2M total 1"),
            ("LLm@64_incl@f@g>1", (0, 2, 0), "LLm@64_incl f@g 1"), ("LLm@2x@f>1", (0, 2, 0), "LLm 2x@f 1"),
            ("LLm@2M>1", (0, 2, 0), "LLm 2M 1"),
            ("Ir@f>+5%", (-100, -90, 0), "Ir f 1"), ("SpLossL_incl@main>1.5M", (0, 1572865, 0), "SpLossL_incl main 1")):
        status, out, message = out_of("limit", limit, *(str(value) for value in values))
        check((status, out.strip()) == (0, wanted), "%s with %r: %s, not %s %s" % (limit, values, out, wanted, message))
    for limit in ("", "Ir", "Ir@", "Ir@f", "@f>1", "Ir@f>", "Ir@f>x", "Ir@f>1x", "Ir@>1", "Ir@f>1%%", "Ir@f>+", "Ir>1",
                  "Ir@f>0x10", "Ir@f>1e999", "Ir@f>nan", "Ir@f>inf", "x" * 60 + "@f>1"):
        status, message = tool("limit", limit, "0", "0", "0")
        check(status == 1 and message.count("\n") == 1, "%r is refused: %r" % (limit, message))


def main():
    with tempfile.TemporaryDirectory() as work:
        check_pairs(work)
        check_runs(work)
        check_builds(work)
        check_names(work)
        check_sites(work)
        check_linemap(work)
    check_rename()
    check_limits()
    return verdict.finish()


sys.exit(main())
