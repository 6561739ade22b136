# SPDX-License-Identifier: GPL-2.0-or-later
"""From measures to the tables people read: ratios per program, their means, and whether the targets are met.

A result is {"name", "runs": {measure: [run, ...]}, "stats": {...}, "shares": {...}}; a run is what measure.run
returns, stats are the profile's counters, shares those of shares.py. Of several runs the least counts, of each
quantity by itself: what else a machine does only ever adds to a time. A figure whose measures were not taken or
failed is `-`.
"""
import math

import shares

# What this project wants to reach (text, figure, aggregate, limit).
TARGETS = [
    ("native/Callgrind, wall time, geometric mean", "native wall", "mean", 0.19),
    ("native/Callgrind, wall time, worst", "native wall", "worst", 0.32),
    ("native/Callgrind, CPU time, geometric mean", "native ratio", "mean", 0.27),
    ("native/Callgrind, peak memory, worst", "native memory", "worst", 1.30),
    ("1 set in 8/Callgrind, CPU time, geometric mean", "sample8 ratio", "mean", 0.11),
    ("1 set in 8/Callgrind, CPU time, worst", "sample8 ratio", "worst", 0.20),
    ("1 set in 8/bare CPU, CPU time, geometric mean", "sample8 slowdown", "mean", 11),
    ("1 set in 32/bare CPU, CPU time, geometric mean", "sample32 slowdown", "mean", 7),
    ("--data=yes over no, native, CPU time, worst", "data", "worst", 1.10),
    ("--L2=1M,8,64 over none, native, CPU time, worst", "level2", "worst", 1.10),
    ("Valgrind engine/Callgrind, wall time, geometric mean", "wall ratio", "mean", 0.25),
    ("Valgrind engine/Callgrind, wall time, worst", "wall ratio", "worst", 0.50),
    ("Valgrind engine/Callgrind, peak memory, worst", "memory ratio", "worst", 1.00),
    ("--inclusive=yes over no, Valgrind engine, CPU time, worst", "inclusive", "worst", 1.05),
    ("--cacheuse=yes over no, Valgrind engine, CPU time, worst", "use", "worst", 1.20),
]
IMPORT_SHARE, IMPORT_SECONDS = 0.10, 1.0


def least(result, measure, quantity):
    runs = result["runs"].get(measure)
    return min(run[quantity] for run in runs) if runs else None


def quotient(result, over, under, quantity):
    a, b = least(result, over, quantity), least(result, under, quantity)
    return a / b if a is not None and b else None


def figures(result):
    """Every derived figure of a program; None where something lacks."""
    return {
        "wall ratio": quotient(result, "tenure", "callgrind", "wall"),
        "cpu ratio": quotient(result, "tenure", "callgrind", "cpu"),
        "inclusive": quotient(result, "tenure", "flat", "cpu"),
        "use": quotient(result, "tenure", "nouse", "cpu"),
        "data": quotient(result, "native", "nodata", "cpu"),
        "level2": quotient(result, "level2", "native", "cpu"),
        "memory ratio": quotient(result, "tenure", "callgrind", "rss"),
        "import": least(result, "import", "wall"),
        "import share": quotient(result, "import", "raw", "wall"),
        "translating": result["shares"].get("translating"),
        "slowdown": quotient(result, "tenure", "bare", "cpu"),
        "native wall": quotient(result, "native", "callgrind", "wall"),
        "native ratio": quotient(result, "native", "callgrind", "cpu"),
        "native memory": quotient(result, "native", "callgrind", "rss"),
        "native slowdown": quotient(result, "native", "bare", "cpu"),
        "sample8 ratio": quotient(result, "sample8", "callgrind", "cpu"),
        "sample8 slowdown": quotient(result, "sample8", "bare", "cpu"),
        "sample32 slowdown": quotient(result, "sample32", "bare", "cpu"),
        "callgrind slowdown": quotient(result, "callgrind", "bare", "cpu"),
    }


def aggregate(values, how):
    values = [value for value in values if value is not None]
    if not values:
        return None
    if how == "worst":
        return max(values)
    return math.exp(sum(math.log(value) for value in values) / len(values))


# ---------------------------------------------------------------------------------------------- cells

def seconds(value):
    return "-" if value is None else f"{value:.2f}"


def ratio(value):
    return "-" if value is None else f"{value:.3f}"


def times(value):
    return "-" if value is None else f"{value:.0f}x"


def extra(value):
    return "-" if value is None else f"{100 * (value - 1):+.1f} %"


def share(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def megabytes(value):
    return "-" if value is None else f"{value / 1e6:.0f}"


def count(value):
    return "-" if value is None else f"{value:,.0f}"


# ---------------------------------------------------------------------------------------------- tables

MEASURES = ["bare", "none", "callgrind", "tenure", "flat", "nouse", "native", "level2", "nodata", "sample8", "sample32",
            "raw", "import", "shares"]
UNTIMED = {"shares"}  # taken for something else than their time


def measured(results, quantity, show):
    timed = [m for m in MEASURES if m not in UNTIMED]
    head = ["program", *timed]
    rows = [[result["name"], *(show(least(result, m, quantity)) for m in timed)] for result in results]
    return [head, *rows]


def ratios(results):
    shown = [("wall ratio", "wall", ratio), ("cpu ratio", "CPU", ratio), ("inclusive", "inclusive", extra),
             ("use", "use", extra), ("data", "data", extra), ("level2", "L2", extra),
             ("memory ratio", "memory", ratio),
             ("import share", "import", share), ("translating", "translating", share), ("slowdown", "slowdown", times),
             ("callgrind slowdown", "Callgrind's", times), ("native wall", "native wall", ratio),
             ("native ratio", "native CPU", ratio), ("native memory", "native memory", ratio),
             ("native slowdown", "native's", times), ("sample8 ratio", "1 set in 8", ratio),
             ("sample8 slowdown", "1 in 8's", times), ("sample32 slowdown", "1 in 32's", times)]
    lines = [(result["name"], figures(result)) for result in results]
    table = [["program", *(title for _, title, _ in shown)]]
    table += [[name, *(show(own[key]) for key, _, show in shown)] for name, own in lines]
    for how, title in (("mean", "geometric mean"), ("worst", "worst")):
        table.append([title, *(show(aggregate([own[key] for _, own in lines], how)) for key, _, show in shown)])
    return table


def parts(results):
    rows = [[result["name"], *(share(result["shares"].get(part)) for part in shares.PARTS)] for result in results]
    return [["program", *shares.PARTS], *rows]


def trees(results):
    keys = ["functions", "arcs", "nodes average", "nodes maximum", "nodes made", "nodes pruned", "calls"]
    rows = [[result["name"], *(count(result["stats"].get(key)) for key in keys)] for result in results]
    return [["program", "functions", "arcs", "nodes, average", "maximum", "made", "pruned", "calls"], *rows]


def targets(results):
    """(text, value, limit as text, met or None)"""
    own = [figures(result) for result in results]
    lines = []
    for text, key, how, limit in TARGETS:
        value = aggregate([each[key] for each in own], how)
        lines.append((text, ratio(value), f"{limit:.2f}", None if value is None else value <= limit))
    slow = [result["name"] for result, each in zip(results, own) if each["import"] is not None
            and each["import"] > IMPORT_SECONDS and each["import share"] > IMPORT_SHARE]
    known = any(each["import"] is not None for each in own)
    lines.append(("import, of the recording", ", ".join(slow) or ("all" if known else "-"), "10 % or 1 s",
                  not slow if known else None))
    return lines


def verdicts(results):
    word = {True: "met", False: "MISSED", None: "-"}
    return [["target", "value", "limit", ""], *([*line[:3], word[line[3]]] for line in targets(results))]


def plain(table):
    width = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
    return "\n".join("  ".join(cell.ljust(width[c]) if c == 0 else cell.rjust(width[c])
                               for c, cell in enumerate(row)).rstrip() for row in table)


def markdown(table):
    head, *rows = table
    ruler = ["---"] + ["--:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ruler, *rows])


def report(results, machine, layout):
    """All tables. `layout`: plain or markdown."""
    title = "## %s" if layout is markdown else "== %s"
    chapters = [
        ("Ratios (Tenure is `tenure record`, import included; both simulate the same caches)", ratios(results)),
        ("Targets", verdicts(results)),
        ("Wall time, seconds", measured(results, "wall", seconds)),
        ("CPU time, seconds", measured(results, "cpu", seconds)),
        ("Peak memory, MB", measured(results, "rss", megabytes)),
        ("Where the time of a recording goes", parts(results)),
        ("The tree", trees(results)),
    ]
    text = [machine]
    for heading, table in chapters:
        text.append(title % heading + "\n\n" + layout(table))
    return "\n\n".join(text) + "\n"
