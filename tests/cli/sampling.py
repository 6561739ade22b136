#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
sampling.py: --sample from the recording to what is read of it.

    sampling.py TENURE GUEST

Exact counts are those of a run of which all sets are simulated, estimates those of groups, and margins what SQL and
docs/model.md, section 17, make of the groups. GUEST is tests/cli/sampling_guest.c.
"""
import csv
import io
import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from checks import check, finish, run

TENURE, GUEST = (os.path.abspath(path) for path in sys.argv[1:3])
CACHES = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"]
EXACT = ["Ir", "Dr", "Dw"]
STUDENT, GROUPS, SAMPLE = 3.182446, 4, 8
# What rows are called: view, view of groups, its column of ids, report's option and key, whether it has a mean
TABLES = [("functions", "function_groups", "function_id", [], "functions", True),
          ("lines", "line_groups", "line_id", ["--lines"], "lines", True),
          ("data_objects", "data_groups", "data_id", ["--data"], "data_structures", True),
          ("arcs", "arc_groups", "arc_id", ["--callers=main", "--callees=main"], "callees", False)]


def record(profile, *options):
    status, _, errors = run([TENURE, "record", *CACHES, *options, "-o", profile, "--", GUEST], timeout=300)
    check(f"record {options}", status, 0)
    return errors


def one(profile, query):
    base = sqlite3.connect(profile)
    row = base.execute(query).fetchone()
    base.close()
    return row


def report(profile, *options):
    return run([TENURE, "report", *options, profile])[1]


def shown(profile, *options):
    return json.loads(report(profile, "--json", "--limit=100000", *options))


def refused():
    cases = [(["--sample=3"], "--sample"), (["--sample=0"], "--sample"), (["--sample=2048"], "--sample"),
             (["--sample=8", "--patterns=yes"], "--patterns"), (["--sample=8", "--strides=yes"], "--strides"),
             (["--sample=8", "--prefetch=stream"], "--prefetch"), (["--sample=8", "--coherence=mesi"], "--coherence"),
             (["--sample=8", "--interdependence=yes"], "--patterns"),
             (["--sample=8", "--cache-sim=no"], "--sample"), (["--sample=8", "--D1=32768,512,64"], "--sample"),
             (["--sample=1024", "--LL=65536,16,64"], "--sample")]
    for options, words in cases:
        status, _, errors = run([TENURE, "record", *CACHES, *options, "-o", "never", "--", GUEST])
        check(f"{options}: status", status, 125)
        check(f"{options}: one line of {words}", (errors.count("\n"), words in errors), (1, True))
        check(f"{options}: no file", os.path.exists("never"), False)


def counts():
    """Exact where it is said, the same in each run, and groups that sum to what is estimated."""
    record("exact")
    errors = record("sampled", f"--sample={SAMPLE}")
    record("again", f"--sample={SAMPLE}", "--sample-seed=1", "-q")
    record("other", f"--sample={SAMPLE}", "--sample-seed=2", "-q")
    check("said in the summary", f"one set of the caches in {SAMPLE}" in errors, True)
    check("margins in the summary", errors.count("±") >= 6, True)
    output = run([TENURE, "report", "--weights=L1m=0,LLm=0", "sampled"])[1]  # no advice then, but lines
    findings = [line for line in output.splitlines() if line[:2] in ("1.", "2.", "3.")]
    check("margins of findings", ["±" in line for line in findings], [True] * max(1, len(findings)))
    check("no blanks at the end of a line", [line for line in errors.splitlines() if line.endswith(" ")], [])
    check("nothing said of all sets", "set of the caches" in record("exact"), False)
    names = [name for (name,) in sqlite3.connect("sampled").execute("SELECT name FROM events WHERE NOT derived")]
    for name in EXACT:
        check(f"exact {name}", one("sampled", f"SELECT {name} FROM totals"), one("exact", f"SELECT {name} FROM totals"))
    check("calls", one("sampled", "SELECT sum(calls) FROM functions"), one("exact", "SELECT sum(calls) FROM functions"))
    totals = "SELECT " + ", ".join(names) + " FROM totals"
    check("same again", one("again", totals), one("sampled", totals))
    check("other sets", one("other", totals) == one("sampled", totals), False)
    for view, groups, key, _, _, _ in TABLES:
        suffix = "_incl" if view == "arcs" else ""
        for name in names:
            if name in EXACT or name == "Time":  # which is not known by groups
                continue
            query = f"SELECT count(*) FROM {view} v WHERE abs(ifnull(v.{name}{suffix}, 0) - (SELECT " \
                    f"ifnull(sum(g.{name}{suffix}), 0) FROM {groups} g WHERE g.{key} = v.id)) > 1e-6 * v.{name}{suffix}"
            check(f"groups of {view} sum to {name}", one("sampled", query), (0,))
    check("no groups where nothing is sampled", one("exact", "SELECT count(*) FROM function_groups"), (0,))


def variance(groups):
    mean = sum(groups) / GROUPS
    return GROUPS / (GROUPS - 1) * sum((value - mean) ** 2 for value in groups)


def margins_of(view, groups, key, event, has_mean):
    """id -> margin, from SQL alone."""
    base = sqlite3.connect("sampled")
    column = event + ("_incl" if view == "arcs" else "")
    of = {}
    for thing, number, value in base.execute(f"SELECT {key}, sample_group, {column} FROM {groups}"):
        of.setdefault(thing, [0] * GROUPS)[number - 1] = value or 0
    ran = "0" if view == "data_objects" else " + ".join(f"ifnull({name}{column[len(event):]}, 0)" for name in EXACT)
    rows = base.execute(f"SELECT id, {ran} FROM {view} WHERE {column} IS NOT NULL").fetchall()
    all_ran = base.execute(f"SELECT sum({ran}) FROM {view}").fetchone()[0]
    whole = sum(variance(values) for values in of.values())
    seen = sum(1 for values in of.values() if any(values))
    mean = whole / seen if has_mean and seen else 0
    return {thing: STUDENT * math.sqrt((1 - 1 / SAMPLE) * max(
        variance(of.get(thing, [0] * GROUPS)), SAMPLE ** 2, mean, whole / all_ran * own if all_ran else 0))
            for thing, own in rows}


def margins():
    base = sqlite3.connect("sampled")
    for view, groups, key, options, section, has_mean in TABLES:
        for event in ("D1mr", "SpLossD1", "LLm"):
            column = event + ("_incl" if view == "arcs" else "")
            want = margins_of(view, groups, key, event, has_mean)
            where = "WHERE caller = 'main'" if view == "arcs" else ""
            ids = [row[0] for row in base.execute(f"SELECT id FROM {view} {where}")]
            got = shown("sampled", *options, f"--sort={event}")[section]
            name = column + "_margin"
            values = sorted(round(row[name], 3) for row in got if row[name] is not None)
            check(f"margins of {event}, {view}", all(
                any(math.isclose(value, want[i], rel_tol=1e-6, abs_tol=1e-2) for i in ids if i in want)
                for value in values) and len(values) > 0, True)
    for event in EXACT:
        rows = shown("sampled", f"--sort={event}")["functions"]
        check(f"{event} has no margin", {row[event + "_margin"] for row in rows if row[event] is not None}, {0})
    table = list(csv.reader(io.StringIO(report("sampled", "--csv"))))
    check("CSV", "L1m_margin" in table[0] and all(len(row) == len(table[0]) for row in table if row), True)
    check("no margins of exact counts", "_margin\"" in report("exact", "--json") or "±" in report("exact"), False)
    check("ratios", all(row["spatialD1_margin"] >= 0 for row in shown("sampled", "--sort=spatialD1")["functions"]
                        if row["spatialD1_margin"] is not None), True)
    rows = shown("sampled", "--show=D1rate", "--sort=L1m")["functions"]
    text = report("sampled", "--show=D1rate", "--sort=L1m", "--startup", "--limit=100000").splitlines()
    head = next(at for at, line in enumerate(text) if line.endswith("function"))
    dots = [line.split()[0] == "." for line in text[head + 1:head + 1 + len(rows)]]
    check("dots for ratios below their margins", dots, [row["D1rate"] is None or row["D1rate_margin"] > row["D1rate"]
                                                        for row in rows])
    check("some of each", {dot for dot, row in zip(dots, rows) if row["D1rate"] is not None}, {True, False})


def annotated():
    """Totals, functions, lines and calls of tenure annotate, as in reports; of what was inlined and of instructions
    nothing is known."""
    base = sqlite3.connect("sampled")
    show = "L1m,L1m_incl,SpLossD1,Ir,spatialD1"
    status, text, _ = run([TENURE, "annotate", f"--show={show}", "--calls", "-d", "--source-anywhere", "sampled"])
    check("annotate", (status, "±" in text), (0, True))
    shown_lines = json.loads(run([TENURE, "annotate", "--json", f"--show={show}", "--calls", "-d", "--threshold=0",
                                  "sampled"])[1])
    totals = shown("sampled", "--sort=SpLossD1")["totals"]
    check("annotate: totals", shown_lines["totals"]["SpLossD1"], totals["SpLossD1"])
    groups = [row[0] for row in base.execute("SELECT SpLossD1 FROM total_groups")]
    check("annotate: margin of a total", math.isclose(
        shown_lines["totals"]["SpLossD1_margin"],
        STUDENT * math.sqrt((1 - 1 / SAMPLE) * max(variance(groups), SAMPLE ** 2)), rel_tol=1e-6), True)
    functions = {row["function"]: row for row in shown("sampled", f"--show={show}", "--sort=L1m")["functions"]}
    names = ("L1m", "L1m_incl", "SpLossD1", "Ir", "spatialD1")
    for row in shown_lines["functions"]:
        if row["function"] in ("main", "sum_of_columns", "walk_at_random"):
            for name in names:
                got, want = (of[name + "_margin"] for of in (row["costs"], functions[row["function"]]))
                check(f"annotate: {name} of {row['function']}: {got} is {want}", got == want or math.isclose(
                    got, want, rel_tol=1e-4), True)
    lines = {row["line"]: row for row in shown("sampled", "--lines", f"--show={show}", "--sort=L1m")["lines"]
             if (row["file"] or "").endswith("sampling_guest.c")}
    source = next(file for file in shown_lines["sources"] if (file["file"] or "").endswith("sampling_guest.c"))
    calls = 0
    for line in source["lines"]:
        for name in ("L1m", "SpLossD1", "Ir", "spatialD1"):
            got, want = line["costs"][name + "_margin"], lines[line["line"]][name + "_margin"]
            check(f"annotate: {name} of line {line['line']}: {got} is {want}",
                  got == want or math.isclose(got, want, rel_tol=1e-4), True)
        calls += sum(call["costs"]["L1m_incl_margin"] is not None for call in line.get("calls", ()))
        check("annotate: instructions", any("L1m_margin" in one["costs"] for one in line["instructions"]), False)
    check("annotate: calls", calls > 0, True)
    check("annotate: no margins of exact counts", "_margin\"" in run([TENURE, "annotate", "--json", "exact"])[1], False)


def held():
    """The program's totals, in most seeds."""
    truth, inside, asked = dict(zip(("D1mr", "D1mw", "SpLossD1", "DLmr"), one(
        "exact", "SELECT D1mr, D1mw, SpLossD1, DLmr FROM totals"))), 0, 0
    for seed in range(1, 9):
        record("seed", f"--sample={SAMPLE}", f"--sample-seed={seed}", "-q")
        for event, value in truth.items():
            base = sqlite3.connect("seed")
            groups = [row[0] for row in base.execute(f"SELECT {event} FROM total_groups")]
            margin = STUDENT * math.sqrt((1 - 1 / SAMPLE) * max(variance(groups), SAMPLE ** 2))
            inside += abs(sum(groups) - value) <= margin
            asked += 1
    check("margins of totals hold what they should", inside >= 0.85 * asked, True)


def sums():
    check("merge", run([TENURE, "merge", "-o", "sum", "sampled", "other"])[0], 0)
    check("sum", one("sum", "SELECT D1mr FROM totals")[0],
          one("sampled", "SELECT D1mr FROM totals")[0] + one("other", "SELECT D1mr FROM totals")[0])
    check("groups of a sum", one("sum", "SELECT count(*), sum(D1mr) FROM total_groups"),
          (GROUPS, one("sum", "SELECT D1mr FROM totals")[0]))
    status, _, errors = run([TENURE, "merge", "-o", "never", "sampled", "exact"])
    check("merge of different samples", (status != 0, "--sample" in errors, os.path.exists("never")),
          (True, True, False))
    diff = json.loads(run([TENURE, "diff", "--json", "sampled", "again"])[1])
    check("no difference", diff["functions"], [])
    diff = json.loads(run([TENURE, "diff", "--json", "--sort=D1mr", "sampled", "other"])[1])
    check("chance is no difference", len(diff["functions"]) <= one("sampled", "SELECT count(*) / 5 FROM functions")[0],
          True)
    check("diff in words", "within the spread of what is estimated" in
          run([TENURE, "diff", "--sort=D1mr", "sampled", "other"])[1], True)
    check("limit", run([TENURE, "diff", "--fail-on=D1mr@total>+0", "sampled", "other"])[0], 0)
    check("diff -o", run([TENURE, "diff", "-o", "difference", "exact", "sampled"])[0], 0)
    check("its sample", one("difference", "SELECT value FROM meta WHERE key = 'sample'"), (str(SAMPLE),))
    check("its margins", "±" in report("difference"), True)


def margin_of_total(profile, event):
    base = sqlite3.connect(profile)
    groups = [row[0] for row in base.execute(f"SELECT {event} FROM total_groups")]
    return STUDENT * math.sqrt((1 - 1 / SAMPLE) * max(variance(groups), SAMPLE ** 2)) / sum(groups)


def recorded_runs(*words, **more):
    """In a folder of its own: how it ended, and what it leaves there."""
    with tempfile.TemporaryDirectory(prefix="tenure-runs-") as folder:
        status, output, errors = run([TENURE, "record", *CACHES, "-o", os.path.join(folder, "sum"), *words],
                                     timeout=300, **more)
        left = sorted(os.listdir(folder))
        recordings = one(os.path.join(folder, "sum"), "SELECT sum(recordings) FROM runs")[0] if "sum" in left else 0
        return status, output, errors, left, recordings


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return file.read()


def interrupted_between():
    """A key is pressed when the second run has ended, and is being imported."""
    with subprocess.Popen([TENURE, "record", *CACHES, "-q", "--runs=3", "-o", "between", "--", GUEST],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        for runs in (True, False, True, False):
            while bool(children(process.pid)) != runs:
                time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=300)[1].decode()
    check("runs: interrupted", (process.returncode, " of 3 runs" in errors), (-signal.SIGINT, True))
    check("runs: and the sum is there", one("between", "SELECT sum(recordings) BETWEEN 1 AND 2 FROM runs"), (1,))


def several_runs():
    """--runs=4 is four recordings with seeds of their own, merged: the mean of their estimates, with less margin."""
    status, output, errors = run([TENURE, "record", *CACHES, f"--sample={SAMPLE}", "--runs=4", "-o", "four", "--",
                                  GUEST], timeout=300)
    lines = output.splitlines()
    check("runs: status and output", (status, len(lines), len(set(lines))), (0, 4, 1))
    check("runs: said", "sums of 4 runs, each of other sets" in errors, True)
    check("runs: seeds", one("four", "SELECT value FROM meta WHERE key = 'sample-seed'"), ("1 2 3 4",))
    for seed in (1, 2, 3, 4):
        record(f"seed{seed}", f"--sample={SAMPLE}", f"--sample-seed={seed}", "-q")
    for event in ("Ir", "L1m", "SpLossD1", "LLm"):
        each = [one(f"seed{seed}", f"SELECT {event} FROM totals")[0] for seed in (1, 2, 3, 4)]
        check(f"runs: {event} is four times the mean", one("four", f"SELECT {event} FROM totals")[0], sum(each))
    for event in ("D1mr", "SpLossD1"):
        each = [margin_of_total(f"seed{seed}", event) for seed in (1, 2, 3, 4)]
        four = margin_of_total("four", event)
        check(f"runs: margin of {event}: {four}, of one {each}", four < 0.75 * sum(each) / 4, True)
    status, _, _, left, recordings = recorded_runs("-q", "--runs=3", "--", GUEST)
    check("runs of all sets", (status, left, recordings), (0, ["sum"], 3))
    files = [os.path.join(os.getcwd(), name) for name in "cd"]
    script = "[ -e {0} ] || {{ : >{0}; exit 0; }}; [ -e {1} ] || {{ : >{1}; exit 7; }}".format(*files)
    status, _, _, left, recordings = recorded_runs("-q", "--runs=3", "--", "/bin/sh", "-c", script)
    check("runs: the first that fails", (status, left, recordings), (7, ["sum"], 3))
    with open("input", "w", encoding="utf-8") as file:
        file.write("one line\nanother\n")
    with open("input", encoding="utf-8") as file:
        output = recorded_runs("-q", "--runs=3", "--", "/bin/sh", "-c", "read line; echo $line", stdin=file)[1]
    check("runs: standard input", output, "one line\n" * 3)
    status, _, errors, left, recordings = recorded_runs("-q", "--runs=3", "--", "/bin/sh", "-c", "kill -TERM $$")
    check("runs: a signal ends them", (status, left, recordings, "the sum of 1 of 3 runs" in errors),
          (-15, ["sum"], 1, True))
    script = "trap 'exit 0' INT; kill -INT $PPID; while :; do sleep 0.1; done"
    status, _, errors, left, recordings = recorded_runs("-q", "--runs=3", "--", "/bin/sh", "-c", script)
    check("runs: a signal that the program handles", (status, recordings, "the sum of 1 of 3 runs" in errors),
          (0, 1, True))
    interrupted_between()
    for options, words in ((["--runs=0"], "--runs=0"), (["--runs=2", "--raw"], "--raw"),
                           (["--runs=2", "--trace-children=yes"], "--trace-children")):
        status, _, errors, left, _ = recorded_runs(*options, "--", GUEST)
        check(f"{options}: refused", (status, errors.count("\n"), words in errors, left), (125, 1, True, []))


def readers():
    for options in (["--tree"], ["--advice"], ["--threads"], ["--data"]):
        check(f"{options} say it", report("sampled", *options).startswith("one set of the caches in 8"), True)
    for options in (["--tree"], ["--threads"]):
        check(f"{options}: nothing known", "not of these rows" in report("sampled", *options), True)
    check("functions and threads", "not of these rows" in report("sampled", "--functions", "--threads"), False)
    check("annotate says it", "one set of the caches in 8" in run([TENURE, "annotate", "sampled"])[1], True)
    for form, word in (("callgrind", "one set of the caches in: 8"), ("cachegrind", "one set of the caches in: 8"),
                       ("callgrind", "desc: Totals may be off by (95 %) L1m: "),
                       ("json", '"sample": "8"')):
        check(f"{form} says it", word in run([TENURE, "export", f"--format={form}", "sampled"])[1], True)
    most = {name: max(item["confidence"] for item in shown(name, "--advice")["advice"]["items"])
            for name in ("sampled", "exact")}
    check("what all sets would say", "needs --sample=1 --strides=yes" in report("sampled", "--advice"), True)
    check("advice is no surer", most["sampled"] <= most["exact"], True)


def main():
    with tempfile.TemporaryDirectory(prefix="tenure-sampling-") as folder:
        os.chdir(folder)
        refused()
        counts()
        margins()
        annotated()
        held()
        sums()
        several_runs()
        readers()
        os.chdir("/")
    return finish()


sys.exit(main())
