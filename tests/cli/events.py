#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
events.py: what is said of events is what core/events.inc says.

    events.py TENURE SOURCE_ROOT           the test
    events.py --write SOURCE_ROOT          write the tables of docs/profile-format.md anew

- docs/profile-format.md has a row for every event, sum and ratio; docs/model.md names each; tenure-report(1) and
  `tenure report --help` name each ratio
- a profile that was recorded without an option says of every event that needs it how to record it, in one line
- a profile that has all events has all sums and ratios, and its table `events` has their titles, units and groups
"""
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profiles"))
import raw_make
import verdict
from verdict import check

BEGIN, END = "<!-- core/events.inc -->\n", "<!-- end -->\n"


def declared(root):
    """[macro, argument, ...] of every line of events.inc, a ';' in a string or not."""
    with open(os.path.join(root, "core/events.inc"), encoding="ascii") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    for macro, arguments in re.findall(r'^TN_(\w+)\(((?:"[^"]*"|[^")])*)\)$', text, re.M):
        yield [macro] + [part.strip().strip('"') for part in re.findall(r'(?:"[^"]*"|[^,"])+', arguments)]


def events(root):
    """Dictionaries: option, name, levels, long, title, unit, formula, ratio."""
    lines = list(declared(root))
    options = {line[1]: line[2] for line in lines if line[0] == "OPTION"}
    groups = {line[1]: line[2] for line in lines if line[0] == "GROUP"}
    used = []
    for macro, *line in lines:
        one = {"levels": "", "unit": "", "formula": "", "option": "", "ratio": False, "title": line[-1],
               "long": line[-2], "name": line[0]}
        if macro == "IMMEDIATE":
            one.update(option=options[line[3]], group=groups[line[2]])
        elif macro == "MISS":
            one.update(option=(options["CACHE_SIM"] + " " + options[line[5]]).strip(), group=groups["COST"])
        elif macro == "MADE":
            one.update(unit=line[2], group=groups[line[1]])
        elif macro == "TLB":
            one.update(option=options["TLB"], group=groups["COST"])
        elif macro == "COHERENCE":
            one.update(option=options["COHERENCE"], group=groups["SHARED"])
        elif macro in ("USE", "USE_MADE"):
            one.update(levels=line[2], unit=line[4], option=options["CACHEUSE"], group=groups[line[3]])
            used.append({**one, "levels": "1", "option": "", "formula": "%sI1 + %sD1" % (line[0], line[0])})
        elif macro in ("WRITE_BACK", "PREFETCH", "MISS_KIND"):
            option = {"MISS_KIND": "PATTERNS"}.get(macro, macro)
            one.update(levels=line[1], unit=line[2], option=options[option],
                       group=groups["KINDS" if macro == "MISS_KIND" else "TRAFFIC"])
        elif macro == "DISTANCE":
            one.update(levels=line[2], unit=line[3], option=options["CURVES"], group=groups["DISTANCES"])
        elif macro == "SUM":
            one.update(formula=line[2], group=groups[line[1]])
        elif macro == "RATIO":
            one.update(levels=line[1], unit=line[2], formula=line[3], ratio=True, group="")
        else:
            continue
        if macro == "SUM":
            yield from used
            used = []
        yield one


def tables(root):
    """What docs/profile-format.md says."""
    out, option = [], None
    for one in events(root):
        kind = "Ratios" if one["ratio"] else "Derived" if one["formula"] else one["option"]
        if kind != option:
            heading = "In every recording" if not kind else kind if one["formula"] else f"With `{kind}`"
            last = "formula" if one["formula"] else "group"
            out += ["", heading + ":", "", f"| event | levels | what it counts | title | unit | {last} |",
                    "|" + "---|" * 6]
            option = kind
        out.append("| `%s%s` | %s | %s | %s | %s | %s |" % (
            one["name"], "…" if one["levels"] else "", one["levels"], one["long"], one["title"], one["unit"],
            one["formula"] or one["group"]))
    return "\n".join(out[1:]) + "\n"


def documents(root, report_help):
    def read(path):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()
    said = read("docs/profile-format.md").split(BEGIN)[1].split(END)[0].strip().splitlines()
    expected = tables(root).strip().splitlines()
    check(said == expected, "docs/profile-format.md, events (events.py --write): %r" %
          sorted(set(said) ^ set(expected))[:4])
    model, manual = read("docs/model.md"), read("docs/man/tenure-report.1")
    for one in events(root):
        level = "D1" if "D1" in one["levels"] else one["levels"][-1:]
        if one["ratio"]:
            check(re.search(r"\b%s%s\b" % (one["name"], level), report_help), "report --help names " + one["name"])
            check(re.search(r"^\.BR? .*\b%s%s\b" % (one["name"], level), manual, re.M), "the manual: " + one["name"])
        elif one["levels"] != "1":
            check(re.search(r"\b%s(N|I1|D1|L)?\b" % one["name"], model), "docs/model.md names " + one["name"])


OFF = {"cache-sim": "no", "branch-sim": "no", "cacheuse": "no", "write-back": "no", "prefetch": "none",
       "coherence": "no", "patterns": "no", "tlb": "no", "curves": "no"}


def recorded(work, name, columns, off):
    """A profile in which one instruction counts 1 of everything: fetches of `columns` with I, data with the rest."""
    raw = raw_make.Raw()
    for key, value in OFF.items():
        raw.meta(key, value if off else "yes")
    columns = [column for column in columns if column != "-"]
    fetch = [column for column in columns if re.match(r"I[12LT][mw]r$|.*I[12]$", column)]
    data = [column for column in columns if column not in fetch and column not in raw_make.IMMEDIATE]
    raw.events(None, fetch, data)
    raw.function(1, 0, 0x1000, 16, "main")
    raw.instr(1, 0x1000, 4, 1, raw_make.CALL | raw_make.COND | raw_make.INDIRECT, 1, 1)
    raw.thread(1, 42)
    immediate = [1, 1, 1] + [not off] * 4
    fetched, loaded = ({slot: 1 for slot in range(len(names))} for names in (fetch, data))
    raw.self_cost(1, 1, immediate)
    if not off:
        raw.late_cost(1, 1, 0, fetched)
        raw.late_cost(1, 1, 1, loaded)
    own = raw_make.costs(immediate, {} if off else fetched, {} if off else loaded, len(data))
    raw.node(1, 0, 0, 1, 1, 0, own)
    raw.func_cost(1, 0, own, own)
    raw.end()
    path = os.path.join(work, name)
    raw.save(path)
    return path


def run(tenure, *words):
    done = subprocess.run([tenure, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def names_of(one):
    return [one["name"] + level for level in one["levels"].split()] or [one["name"]]


def needed(name, known):
    """Options without which an event is not there, of a sum or ratio those of its first event that needs any."""
    one = known[name]
    if not one["formula"]:
        more = " --L2=SIZE,ASSOC,LINE" if name.endswith("2") else ""
        return one["option"] + more if one["option"] else ""
    level = name[len(one["name"]):]
    parts = (needed(part, known) for part in re.findall(r"[A-Za-z]\w*", one["formula"].replace("#", level)))
    return next(filter(None, parts), "")


def messages(tenure, work, root):
    known = {name: one for one in events(root) for name in names_of(one)}
    profile = os.path.join(work, "without.profile")
    raw = recorded(work, "without", dict.fromkeys(raw_make.FETCH + raw_make.DATA), True)
    done = run(tenure, "import", "-o", profile, raw)
    check(done[0] == 0, f"import: {done}")
    asked = set()
    for name in known:
        options = needed(name, known)
        if not options or name == "CEst" or (options in asked and known[name]["levels"]):
            continue
        asked.add(options)
        for option in ("--show", "--sort"):
            for command, which in (("report", "this"), ("diff", "the new")):
                told = run(tenure, command, f"{option}={name}", *[profile] * (2 if command == "diff" else 1))
                check(told == (1, "", f"tenure: {which} profile has no event {name}; record it with {options}\n"),
                      f"{command} {option}={name}: {told}, {options}")
    check(len(asked) > 10, f"kinds of recordings: {asked}")


def everything(tenure, work, root):
    known = {name: one for one in events(root) for name in names_of(one)}
    stored = [name for name, one in known.items() if not one["formula"]]
    raw = recorded(work, "with", stored, False)
    profile = os.path.join(work, "with.profile")
    done = run(tenure, "import", "-o", profile, raw)
    check(done[0] == 0, f"import: {done}")
    names = list(known)
    for at in range(0, len(names), 12):
        status, _, err = run(tenure, "report", f"--show={','.join(names[at:at + 12])}", profile)
        check(status == 0, f"report --show={names[at:at + 12]}: {err}")
    with sqlite3.connect(profile) as database:
        rows = {row[0]: row[1:] for row in database.execute("SELECT name, title, category, unit, option FROM events")}
    check(set(rows) == {name for name, one in known.items() if not one["ratio"]}, f"events: {set(rows) ^ set(known)}")
    for name, (title, category, unit, option) in rows.items():
        one = known[name]
        check(title.startswith(one["title"]) and (category, unit) == (one["group"], one["unit"]),
              f"{name}: {title}, {category}, {unit}")
        check(one["formula"] or (option or "") == needed(name, known), f"{name}: {option}")


def main():
    root = sys.argv[2]
    if sys.argv[1] == "--write":
        path = os.path.join(root, "docs/profile-format.md")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:begin] + "\n" + tables(root) + "\n" + text[end:])
        return 0
    tenure = os.path.abspath(sys.argv[1])
    documents(root, run(tenure, "report", "--help")[1])
    with tempfile.TemporaryDirectory() as work:
        messages(tenure, work, root)
        everything(tenure, work, root)
    return verdict.finish()


if __name__ == "__main__":
    sys.exit(main())
