#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
annotate.py: what `tenure annotate` prints adds up to what the profile has.

    annotate.py TENURE RAW_MAKE GUEST...

- Profiles that the tests make, with contexts and recursion: functions, files and totals against sums of the profile's
  rows, and inclusive costs of functions in several contexts against the call tree, the slow and obvious way.
- Guests, recorded: lines against the profile's, instructions against their line, and their text against objdump's (if
  it is there); what was inlined against the instructions of its frames; sources kept in the profile.
"""
import collections
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TENURE, RAW_MAKE = (os.path.abspath(path) for path in sys.argv[1:3])
GUESTS = [os.path.abspath(path) for path in sys.argv[3:]]
PLAIN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
passed, failures = 0, []


def check(good, what):
    global passed
    passed += bool(good)
    if not good:
        failures.append(what)


def same(ours, theirs, what):
    check(ours == theirs, f"{what}: {ours}, not {theirs}")


def run(*command):
    return subprocess.run(command, env=PLAIN, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout


def annotate(profile, *options):
    return json.loads(run(TENURE, "annotate", "--json", "--threshold=0", *options, profile))


class Profile:
    """Rows as dictionaries."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.row_factory = sqlite3.Row
        self.events = [row["name"] for row in self.rows("SELECT name FROM events WHERE type = 'INTEGER'")]

    def rows(self, sql, *values):
        return [dict(row) for row in self.db.execute(sql, values)]


def add(sums, row, events, suffix=""):
    for event in events:
        if row[event + suffix] is not None:
            sums[event + suffix] = (sums[event + suffix] or 0) + row[event + suffix]


def absent():
    return collections.defaultdict(lambda: None)


def grouped(rows, key, events, suffixes=("",)):
    out = collections.defaultdict(absent)
    for row in rows:
        for suffix in suffixes:
            add(out[key(row)], row, events, suffix)
    return out


def shown(costs, events, suffix=""):
    return {event + suffix: costs[event + suffix] for event in events}


# ------------------------------------------------------------------------------------------------------ made profiles

def inclusive(profile):
    """{base_id: costs}: every node of the call tree that has no ancestor of the same function."""
    base = {row["id"]: row["base_id"] for row in profile.rows("SELECT id, base_id FROM functions")}
    nodes = {row["id"]: row for row in profile.rows("SELECT * FROM paths")}
    out = collections.defaultdict(absent)
    for node in nodes.values():
        above, parent = set(), node["parent"]
        while parent is not None:
            above.add(base[nodes[parent]["function_id"]])
            parent = nodes[parent]["parent"]
        if base[node["function_id"]] not in above:
            add(out[base[node["function_id"]]], node, profile.events, "_incl")
    return out


def made(folder, *what):
    raw, path = os.path.join(folder, "raw"), os.path.join(folder, "profile")
    run("/usr/bin/python3", RAW_MAKE, what[0], raw, *what[1:])
    run(TENURE, "import", "-q", "-o", path, raw)
    profile, label = Profile(path), " ".join(what)
    document = annotate(path, "--show=all,all_incl")
    same(shown(document["totals"], profile.events), shown(profile.rows("SELECT * FROM totals")[0], profile.events),
         label + ": totals")
    functions = profile.rows("SELECT * FROM functions")
    by_name = {row["base"] or "???": row["base_id"] for row in functions}
    check(len(by_name) == len({row["base_id"] for row in functions}), label + ": names are not unique")
    self_costs, below = grouped(functions, lambda row: row["base_id"], profile.events), inclusive(profile)
    contexts = collections.Counter(row["base_id"] for row in functions)
    one = grouped(functions, lambda row: row["base_id"], profile.events, ["_incl"])
    for group in document["functions"]:
        base = by_name[group["function"]]
        same(shown(group["costs"], profile.events), shown(self_costs[base], profile.events),
             f"{label}: {group['function']}")
        expected = below if contexts[base] > 1 else one
        for event in profile.events:
            # Of what cannot occur in any of its nodes the tree knows no more than that it is 0.
            same(group["costs"][event + "_incl"] or 0, expected[base][event + "_incl"] or 0,
                 f"{label}: {group['function']}, {event}_incl")
    for event in profile.events:
        same(sum(group["costs"][event] or 0 for group in document["files"]), document["totals"][event] or 0,
             f"{label}: files, {event}")
        check(all(event + "_incl" not in group["costs"] for group in document["files"]),
              f"{label}: a file has {event}_incl")


# ------------------------------------------------------------------------------------------------------------- guests

def mnemonics(path):
    """{address: mnemonic} as objdump has it."""
    if not shutil.which("objdump"):
        return {}
    text = run("objdump", "-d", "-M", "intel", "--no-show-raw-insn", path).decode()
    return {int(match.group(1), 16): match.group(2)
            for match in re.finditer(r"^ *([0-9a-f]+):\t(?:(?:bnd|notrack|lock|rep\w*|data16|cs) )*(\w+)", text, re.M)}


# One instruction, several names.
ALIASES = {"je": "jz", "jne": "jnz", "ja": "jnbe", "jae": "jnb", "jg": "jnle", "jge": "jnl", "movabs": "mov",
           "setne": "setnz", "sete": "setz", "cmove": "cmovz", "cmovne": "cmovnz", "cmovae": "cmovnb", "seta": "setnbe",
           "setg": "setnle", "cmova": "cmovnbe", "cmovge": "cmovnl", "cmovg": "cmovnle", "xchg": "nop"}


def check_text(instruction, bias, known, guest):
    text = instruction["text"].split(": ", 1)[1]
    words = re.sub(r"^(?:(?:bnd|notrack|lock|rep\w*|data16|cs) )*", "", text).split()
    expected = known.get(instruction["address"] - bias)
    if known and "fs:" not in text:
        check(expected and words[0] in (expected, ALIASES.get(expected)), f"{guest}: {text}: objdump has {expected}")


def check_lines(document, profile, guest):
    """Every line of every file, and the instructions below it."""
    rows = grouped(profile.rows("SELECT * FROM lines"),
                   lambda row: (os.path.realpath(row["file"]) if row["file"] else None, row["line"]), profile.events,
                   ["", "_incl"])
    bias = profile.rows("SELECT bias FROM objects WHERE path = ?", guest)[0]["bias"]
    known, files = mnemonics(guest), 0
    for source in document["sources"]:
        if source["file"] is None or not os.path.exists(source["file"]):
            continue
        files += 1
        for line in source["lines"]:
            what = f"{guest}: {source['file']}:{line['line']}"
            expected = rows[source["file"], line["line"]]
            for suffix in ("", "_incl"):
                same(shown(line["costs"], profile.events, suffix) if line["costs"] else None,
                     shown(expected, profile.events, suffix) if line["costs"] else None, what)
            sums = absent()
            for instruction in line["instructions"]:
                add(sums, instruction["costs"], profile.events)
                check_text(instruction, bias, known, guest)
            same(shown(sums, profile.events), shown(expected, profile.events), what + ": instructions")
    check(files > 0, f"{guest}: no source file was found")


def check_calls(document, profile, guest):
    """Arcs by line and function; no inclusive cost is more than the function's."""
    arcs = grouped(profile.rows("SELECT *, calls AS calls_incl FROM arcs WHERE line IS NOT NULL"),
                   lambda row: (row["file"] and os.path.realpath(row["file"]), row["line"], row["callee"]),
                   ["Ir", "calls"], ["_incl"])
    whole = {row["function"]: row["Ir_incl"] for row in profile.rows("SELECT function, Ir_incl FROM functions")}
    found = {(source["file"], line["line"], call["function"]): (call["calls"], call["costs"]["Ir_incl"])
             for source in document["sources"] for line in source["lines"] for call in line.get("calls", [])}
    for place, costs in arcs.items():
        if place[0] and os.path.exists(place[0]):
            same(found.get(place), (costs["calls_incl"], min(costs["Ir_incl"], whole[place[2]])),
                 f"{guest}: {place[2]} called from {place[0]}:{place[1]}")


def check_inlined(document, profile, guest):
    """All that is inlined at a line, by the instructions of the frames that are called there, however deep."""
    frames = {row["id"]: row for row in profile.rows("SELECT * FROM inlined")}
    expected = collections.Counter()
    for row in profile.rows("SELECT inlined_id, Ir FROM instructions WHERE inlined_id IS NOT NULL"):
        frame, seen = frames[row["inlined_id"]], set()
        while frame:
            place = (frame["call_file"], frame["call_line"], frame["name"])
            if place not in seen:
                expected[place[0] and os.path.realpath(place[0]), place[1], place[2]] += row["Ir"]
            seen.add(place)
            frame = frames.get(frame["parent"])
    found = collections.Counter()
    for source in document["sources"]:
        for line in source["lines"]:
            for use in line.get("inlined", []):
                found[source["file"], line["line"], use["function"]] += use["costs"]["Ir"]
    for place, count in expected.items():
        if place[0] and place[1] and os.path.exists(place[0]):
            same(found[place], count, f"{guest}: {place[2]} inlined at {place[0]}:{place[1]}")


def recorded(folder, guest):
    path = os.path.join(folder, "recorded")
    run(TENURE, "record", "-q", "-o", path, "--", guest)
    profile = Profile(path)
    document = annotate(path, "--show=all,all_incl", "--disassemble", "--calls")
    check_calls(document, profile, guest)
    check_lines(document, profile, guest)
    check_inlined(document, profile, guest)
    run(TENURE, "record", "-q", "--embed-source", "-o", path, "--", guest)
    kept = [source for source in annotate(path, "--show=Ir")["sources"] if source["text"] == "profile"]
    check(kept and all(source["line_count"] > 0 for source in kept), f"{guest}: no source is kept in the profile")


def main():
    with tempfile.TemporaryDirectory(prefix="tenure-annotate.") as folder:
        made(folder, "contexts")
        for seed in range(1, 7):
            made(folder, "random", str(seed))
        for guest in GUESTS:
            recorded(folder, guest)
    for line in failures[:30]:
        print(line)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
