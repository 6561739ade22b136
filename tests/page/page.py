#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page.py: the page in a real browser, from disk and without a network.

    page.py TENURE PROGRAM PICTURES

Every view opens without an error, an exception or a request; numbers on it are those that SQL says; sorting, searching,
links, the back button and keys work; a profile full of hostile names puts no element on the page and breaks no policy.
Screenshots go to the folder PICTURES.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium
from shown import (PROGRAM, TENURE, Profile, cells, check, count, in_chromium, picture, quiet, record, signed, views)

HOSTILE = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(2)>', "';alert(3)//",
           '\x1b]0;title\x07\x1b[31mred',
           'two\nlines\r\ttab', '&lt;b&gt;&amp;', '<svg/onload=alert(4)>', '\u202egnp.exe', 'x' * 65536, '__proto__',
           'constructor', '${alert(5)}', '<!--', '%00%3Cscript%3E', 'javascript:alert(6)', '']


# ------------------------------------------------------------------------------------------ numbers

def overview(browser, profile):
    totals = dict(browser.evaluate("[...document.querySelectorAll('.totals tr')].map(row => [row.dataset.event,"
                                   " row.firstChild.textContent])"))
    for name, kind in profile.rows("SELECT name, type FROM events"):
        value = profile.one(f'SELECT "{name}" FROM totals')
        if kind == "INTEGER":
            check(f"overview: {name}", totals.get(name), count(value))
        else:
            check(f"overview: {name}", float(totals[name].replace(",", "")), round(value, 0 if value >= 1000 else 1))
    spatial = profile.one("SELECT printf('%.2f', 100.0 * UseD1 / (UseD1 + SpLossD1)) FROM totals")
    check("overview: spatialD1", totals.get("spatialD1"), spatial)
    number, name, cost = profile.rows("SELECT id, name, SpLossD1 FROM data_objects ORDER BY SpLossD1 DESC LIMIT 1")[0]
    browser.wait("document.querySelector('a[href^=\"#structure/\"]')")
    got = browser.evaluate("(row => [row.querySelector('a').hash, ...['a', '.v'].map(e => row.querySelector(e)"
                           f".textContent)])(document.querySelector('a[href^=\"#structure/{number}\"]').closest('tr'))")
    check("overview: data structures", got, [f"#structure/{number}", name, count(cost)])
    picture(browser, "overview")


def estimated_time(profile, folder):
    """The overview begins with what the estimated time is made of, or what the profile's formula or other weights make
    of it; it says nothing where that is no sum of counts."""
    paths = {"product": os.path.join(folder, "product"), "own": os.path.join(folder, "own")}
    for name, formula in (("product", "10 * (Ir + L1m)"), ("own", "Ir + 2 * Dw")):
        with sqlite3.connect(paths[name]) as copy:
            profile.database.backup(copy)
            copy.execute("UPDATE events SET formula = ? WHERE name = 'CEst'", (formula,))
    usual, others = ([(1, "Ir"), (first, "L1m"), (last, "LLm")] for first, last in ((10, 100), (12, 180)))
    browser = chromium.Browser()
    try:
        for path, options, terms in ((profile.path, [], usual), (paths["own"], [], [(1, "Ir"), (2, "Dw")]),
                                     (paths["product"], [], []),
                                     (profile.path, ["--weights=L1m=12,LLm=180"], others)):
            what = f"estimated time: {os.path.basename(path)} {options}"
            browser.open(Profile(path).page(*options))
            timed = path == profile.path and not options
            costs = [profile.one(f"SELECT cycles FROM time_parts WHERE part = '{name}'") if timed else
                     weight * profile.one(f"SELECT {name} FROM totals") for weight, name in terms]
            shares = [100 * cost / sum(costs) for cost in costs]
            said = [re.sub(r" \(.*\)", "", words) for words in browser.evaluate(
                "[...document.querySelectorAll('.verdict a')].map(e => e.textContent)")]
            report = subprocess.run([TENURE, "report", *options, path], capture_output=True, text=True, check=True)
            line = re.search("^Estimated (?:time|cycles): (.*)$", report.stdout, re.M)
            check(f"{what}: heading", browser.evaluate("(document.querySelector('.verdict h2') || {}).textContent"),
                  f"Estimated {'time' if timed else 'cycles'}" if terms else None)
            check(what, [words.split("\u2009% ")[1] for words in said],
                  [words.split(" % ")[1] for words in re.sub(r" \(.*?\)", "", line[1]).split(", ")] if line else [])
            check(f"{what}: shares", [abs(float(words.split("\u2009")[0]) - share) < 0.051
                                      for words, share in zip(said, shares)], [True] * len(terms))
            bar = browser.evaluate("[...document.querySelectorAll('.verdict .kind-bar span')]"
                                   ".map(e => parseFloat(e.style.width))")
            check(f"{what}: bar", [abs(a - b) < 0.011 for a, b in zip(bar, shares)], [True] * len(terms))
            first = browser.evaluate("document.querySelector('.overview h1').nextSibling.className")
            check(f"{what}: comes first", first == "verdict", bool(terms))
            quiet(browser, what)
    finally:
        browser.close()


def functions(browser, profile, event):
    browser.go(f"#functions?e={event}_incl&c=CEst,Dr_incl,spatialL")
    expected = {}
    for name, *values in profile.rows(
            f"SELECT function, {event}_incl, {event}, CEst, Dr_incl, calls,"
            f" 100.0 * UseL / nullif(UseL + SpLossL, 0) FROM functions"):
        ratio = "" if values[-1] is None else str(Decimal(values[-1]).quantize(Decimal("0.01"), ROUND_HALF_UP))
        expected.setdefault(name, []).append([count(value) for value in values[:-1]] + [ratio])
    rows = [row for row in cells(browser) if row["function"] in expected][:25]
    check(f"functions by {event}: rows", len(rows) >= 15)
    for row in rows:
        got = [row[key] for key in (f"{event}_incl", event, "CEst", "Dr_incl", "calls", "spatialL")]
        wanted = expected[row["function"]]
        check(f"functions by {event}: {row['function']}", got, got if got in wanted else wanted)


def tree(browser, profile):
    browser.go("#tree?e=SpLossD1_incl&c=Ir_incl")
    expected = {}
    for name, *values in profile.rows("SELECT function, SpLossD1_incl, SpLossD1, Ir_incl, calls FROM paths"):
        expected.setdefault(name, set()).add(tuple(count(v) for v in values))
    rows = cells(browser)
    check("call tree: rows", len(rows) > 10)
    for row in rows:
        name = browser_name(row["function"])
        if name in expected:
            got = tuple(row[key] for key in ("SpLossD1_incl", "SpLossD1", "Ir_incl", "calls"))
            check(f"call tree: {name}", got in expected[name])
    check("call tree: main is open", any(browser_name(row["function"]) == "main" for row in rows))
    picture(browser, "tree")


def browser_name(text):
    for mark in ("recursive", "pruned", "signal handler"):
        text = text.removesuffix(mark)
    return text.lstrip("\u25be\u25b8")


def callers(browser, profile):
    number = profile.one("SELECT id FROM functions WHERE function LIKE 'along%'")
    browser.go(f"#function/{number}?e=Ir_incl")
    for side, mine, theirs in ((".callers .table", "callee_id", "caller"), (".callees .table", "caller_id", "callee")):
        sql = f"SELECT {theirs}, sum(Ir_incl), sum(calls) FROM arcs WHERE {mine} = ? GROUP BY {theirs}_id"
        expected = {(name or "the start of a thread or handler", count(cost), count(calls))
                    for name, cost, calls in profile.rows(sql, number)}
        found = browser.evaluate(f"document.querySelector({json.dumps(side)}) !== null")
        got = {(row[theirs], row["Ir_incl"], row["calls"]) for row in cells(browser, side)} if found else set()
        check(f"function: {theirs}s", got, expected)
    picture(browser, "function")


def source(browser, profile):
    number, path = profile.rows("SELECT id, path FROM files WHERE path LIKE '%page_program.cpp'")[0]
    browser.go(f"#source/{number}?e=SpLossD1&c=Ir_incl")
    with open(path, encoding="utf-8") as file:
        text = file.read().split("\n")
    lines = {line: (count(cost), count(below)) for line, cost, below in profile.rows(
        "SELECT line, sum(SpLossD1), sum(Ir_incl) FROM lines WHERE file_id = ? GROUP BY line", number)}
    seen = 0
    for row in cells(browser):
        if not row["line"].isdigit():
            continue
        line = int(row["line"])
        check(f"source: text of line {line}", row["text"], text[line - 1])
        if line in lines:
            check(f"source: line {line}", (row["SpLossD1"], row["Ir_incl"]), lines[line])
            seen += 1
    check("source: lines with costs", seen > 5)
    inlined = {(name, count(cost)) for name, cost in profile.rows(
        "SELECT name, Ir_incl FROM inlined WHERE call_file = ?", path)}
    got = {(row["text"].removeprefix("inlined"), row["Ir_incl"]) for row in cells(browser)
           if row["text"].startswith("inlined")}
    check("source: inlined code", (bool(got), got - inlined), (True, set()))
    picture(browser, "source")
    instructions(browser, profile, number)


def instructions(browser, profile, number):
    line = profile.one("SELECT line FROM lines WHERE file_id = ? ORDER BY SpLossD1 DESC LIMIT 1", number)
    browser.go(f"#source/{number}?e=SpLossD1&l={line}")
    browser.key("ArrowRight")
    browser.wait("document.querySelector('.tr.instruction')")
    rows = [row for row in cells(browser) if row["text"].startswith("0x")]
    expected = {(f"{address:#x}", count(cost)) for address, cost in profile.rows(
        "SELECT address, SpLossD1 FROM instructions WHERE file_id = ? AND line = ?", number, line)}
    check("source: instructions", {(row["text"][:14], row["SpLossD1"]) for row in rows}, expected)
    said = {row["text"][14:] for row in rows}
    dump = subprocess.run(["objdump", "-d", "-M", "intel", "--no-show-raw-insn", PROGRAM], capture_output=True,
                          text=True, check=True).stdout
    words = {line.split()[1] for line in dump.split("\n") if re.match(r" +[0-9a-f]+:\t", line)}
    check("source: their text", (len(said) > 2, {text.split()[0] for text in said} - words), (True, set()))


def flame(browser, profile):
    browser.go("#flame?e=Ir_incl&startup=1")
    browser.wait("document.querySelectorAll('.path').length > 10")
    boxes = browser.evaluate("[...document.querySelectorAll('.path')].map(box => [Number(box.dataset.row),"
                             " box.getAttribute('aria-label'), box.getBoundingClientRect().width, box.style.top])")
    paths = profile.rows("SELECT function, Ir_incl FROM paths ORDER BY id")
    all_of_it = profile.one("SELECT Ir FROM totals")
    for row, label, width, top in boxes:
        check("flame graph: box", label, f"{paths[row][0]}, {count(paths[row][1])}")
        # Exact where it is the tree's own root; below, siblings begin at fractions of a pixel.
        check(f"flame graph: width of {label}", abs(width - 1280 * paths[row][1] / all_of_it) < 1.5)
    inner = next(row for row, label, *_ in boxes if label.startswith("main,"))
    browser.evaluate(f"document.querySelector('.path[data-row=\"{inner}\"]').click()")
    browser.wait(f"location.hash.includes('n={inner}') && document.querySelector('.path.above')")
    width = browser.evaluate(f"document.querySelector('.path[data-row=\"{inner}\"]').getBoundingClientRect().width")
    check("flame graph: zoom", width > 1270)
    browser.key("Escape")
    browser.wait(f"!location.hash.includes('n={inner}')")
    picture(browser, "flame")


def marking(browser, profile):
    """Words mark call paths in the flame graph and in the call tree, with what they cost, what is nested once; a mark
    of a path says what it means."""
    paths = {number: (parent, name, cost or 0) for number, parent, name, cost in profile.rows(
        "SELECT id, parent, function, Ir_incl FROM paths")}

    def outermost(number):
        above = paths[number][0]
        while above is not None and "main" not in paths[above][1]:
            above = paths[above][0]
        return above is None
    found = [number for number, (_, name, _) in paths.items() if "main" in name]
    cost = sum(paths[number][2] for number in found if outermost(number))
    check("marking: some are nested", cost < sum(paths[number][2] for number in found))
    share = f"{100 * cost / profile.one('SELECT Ir FROM totals'):.1f}"
    said = f"{len(found)} call paths: {count(cost)}, {share}\u2009% of instructions executed"
    for view, marked in (("flame", ".path.marked"), ("tree", ".tr.marked")):
        browser.go(f"#{view}?e=Ir_incl&startup=1")
        browser.wait("document.querySelector('.path, .tr')")
        browser.evaluate("(e => { e.value = 'MAIN'; e.dispatchEvent(new Event('input')); })"
                         "(document.querySelector('.bar-top input'))")
        got = browser.evaluate("document.querySelector('.bar-top').innerText")
        check(f"marking: {view}: {said} in {got}", said in got)
        names = browser.evaluate(f"[...document.querySelectorAll('{marked}')].map(e => e.textContent)")
        check(f"marking: {view}: {names[:3]}", bool(names) and all("main" in name for name in names))
        picture(browser, "marking-" + view)
        browser.evaluate("(e => { e.value = ''; e.dispatchEvent(new Event('input')); })"
                         "(document.querySelector('.bar-top input'))")
        check(f"marking: {view}, no words", browser.evaluate(f"document.querySelectorAll('{marked}').length"), 0)


def areas(browser, profile):
    browser.go("#treemap?e=SpLossD1&startup=1")
    browser.wait("document.querySelectorAll('.area.leaf').length > 3")
    boxes = browser.evaluate("[...document.querySelectorAll('.area.leaf:not(.others)')].map(box =>"
                             " [Number(box.dataset.row), box.offsetWidth * box.offsetHeight])")
    costs = [cost or 0 for cost, in profile.rows("SELECT SpLossD1 FROM functions ORDER BY id")]
    large = sorted(boxes, key=lambda box: -box[1])[:5]
    check("treemap: the largest areas", sorted(row for row, _ in large),
          sorted(sorted(range(len(costs)), key=lambda row: -costs[row])[:5]))
    picture(browser, "treemap")
    browser.evaluate("document.querySelector('.area.leaf:not(.others)').click()")
    browser.wait("document.body.dataset.ready === 'function'")


def structures(browser, profile):
    browser.go("#data?e=SpLossD1")
    expected = {}
    for name, kind, *values in profile.rows(
            "SELECT name, kind, SpLossD1, L1m, LLm, blocks, 100.0 * SpLossD1 / nullif(SpLossD1 + UseD1, 0)"
            " FROM data_objects"):
        unused = "" if values[-1] is None else str(Decimal(values[-1]).quantize(Decimal("0.1"), ROUND_HALF_UP))
        blocks = "" if values[3] is None else count(values[3])
        expected.setdefault((name, kind), []).append([count(value) for value in values[:3]] + [blocks, unused])
    rows = cells(browser)
    check("data: rows", len(rows) > 20)
    for row in rows:
        got = [row[key] for key in ("SpLossD1", "L1m", "LLm", "blocks")] + [row["unused"].removesuffix("\u2009%")]
        wanted = expected[row["data"].split(" \u2190 ")[0], row["kind"]]
        check(f"data: {row['data']}", got, got if got in wanted else wanted)
    costs = [cost for cost, in profile.rows("SELECT SpLossD1 FROM data_objects ORDER BY 1 DESC LIMIT 10")]
    check("data: the order", [row["SpLossD1"] for row in rows[:10]], [count(cost) for cost in costs])
    picture(browser, "data")
    for key in ("loaded", "unused", "bytes", "blocks", "kind", "data"):
        order = "SELECT name FROM data_objects ORDER BY " + {
            "loaded": "SpLossD1 + UseD1 DESC", "unused": "100.0 * SpLossD1 / nullif(SpLossD1 + UseD1, 0) DESC",
            "bytes": "coalesce(size, bytes) DESC", "blocks": "blocks DESC", "kind": "kind", "data": "name"}[key]
        browser.evaluate(f"document.querySelector('.th[data-key={key}] button').click()")
        got = [row["data"].split(" \u2190 ")[0] for row in cells(browser)[:8]]
        check(f"data: by {key}", got, [name for name, in profile.rows(order + " NULLS LAST, id LIMIT 8")])
    browser.go("#data?e=Ir_incl")
    said = browser.evaluate("document.querySelector('.bar-top').innerText")
    check("data: an event that is not charged to data", ("by SpLossD1: Ir is not charged" in said,
                                                         cells(browser)[0]["SpLossD1"]), (True, count(costs[0])))
    for words in ("operator new", "libc_start_main", "STACK"):
        found = made_by(profile, words)
        browser.go("#data?q=" + words.replace(" ", "%20"))
        rows = browser.evaluate("document.querySelector('.table').getAttribute('aria-rowcount')")
        check(f"data: filter {words}", (rows, bool(found)), (str(len(found)), True))


def made_by(profile, words):
    """Ids of data structures with these words in their names, their kinds, or on the paths that allocate them."""
    return profile.rows(
        "WITH RECURSIVE up(id, at) AS (SELECT id, origin_id FROM data_objects UNION"
        " SELECT up.id, p.parent FROM up JOIN data_paths p ON p.id = up.at)"
        " SELECT d.id FROM data_objects d WHERE name LIKE '%' || ?1 || '%' OR kind LIKE '%' || ?1 || '%' OR EXISTS"
        " (SELECT 1 FROM up JOIN data_paths p ON p.id = up.at WHERE up.id = d.id AND p.function LIKE"
        " '%' || ?1 || '%')", words)


def structure(browser, profile):
    browser.go("#data?e=SpLossD1")
    number, name = profile.rows("SELECT id, name FROM data_objects WHERE kind = 'heap'"
                                " ORDER BY SpLossD1 DESC LIMIT 1")[0]
    browser.evaluate(f"[...document.querySelectorAll('.td.name a')].find(a => a.textContent === {json.dumps(name)})"
                     ".click()")
    browser.wait("document.body.dataset.ready === 'structure'")
    check("structure: its address", browser.evaluate("location.hash"), f"#structure/{number}?e=SpLossD1")
    check("structure: name", browser.evaluate("document.querySelector('h1').textContent"), name)
    cost, = profile.rows("SELECT SpLossD1 FROM data_objects WHERE id = ?", number)[0]
    check("structure: cost", browser.evaluate("document.querySelector('.fact[data-key=SpLossD1] b').textContent"),
          count(cost))
    expected = profile.rows(
        "WITH RECURSIVE up(at, depth) AS (SELECT origin_id, 0 FROM data_objects WHERE id = ? UNION ALL"
        " SELECT p.parent, depth + 1 FROM up JOIN data_paths p ON p.id = up.at WHERE p.parent IS NOT NULL)"
        " SELECT p.function FROM up JOIN data_paths p ON p.id = up.at ORDER BY depth", number)
    steps = browser.evaluate("[...document.querySelectorAll('.frames li')].map(e => [e.querySelector('.name')"
                             ".textContent, (e.querySelector('.name a') || {}).hash, e.lastChild.textContent])")
    check("structure: the calls that allocate it", [name for name, *_ in steps if not name.startswith("inlined")],
          [function for function, in expected])
    main_id = profile.one("SELECT id FROM functions WHERE function = 'main'")
    file, line = profile.rows("SELECT file, line FROM data_objects WHERE id = ?", number)[0]
    check("structure: who calls, and where", next(step for step in steps if step[0] == "main"),
          ["main", f"#function/{main_id}?e=SpLossD1", f"{os.path.basename(file)}:{line}"])
    inner = profile.rows("SELECT p.file, p.line, n.name FROM data_objects d JOIN data_paths p ON p.id = d.origin_id"
                         " JOIN instructions i ON i.id = p.site_id JOIN inlined n ON n.id = i.inlined_id"
                         " WHERE d.id = ?", number)
    check("structure: inlined calls", [steps[1][0], steps[1][2]],
          [f"inlined{inner[0][2]}", f"{os.path.basename(inner[0][0])}:{inner[0][1]}"])
    missed = {(function, count(cost)) for function, cost in profile.rows(
        "SELECT function, sum(SpLossD1) FROM instruction_data WHERE data_id = ? GROUP BY function_id", number)}
    check("structure: missed by", {(row["function"], row["SpLossD1"]) for row in cells(browser, ".missing .table")},
          missed)
    lines = {(f"{os.path.basename(file)}:{line}", function, count(cost)) for file, line, function, cost in profile.rows(
        "SELECT file, line, function, sum(SpLossD1) FROM instruction_data WHERE data_id = ?"
        " GROUP BY file_id, line, function_id", number)}
    check("structure: missed on lines", {(row["place"], row["function"], row["SpLossD1"]) for row in cells(
        browser, ".missing-lines .table")}, lines)
    picture(browser, "structure")
    and_back(browser, profile, number, name)


def and_back(browser, profile, number, name):
    """From the line and from the function to the data structure."""
    file, line, function = profile.rows("SELECT file_id, line, function_id FROM instruction_data WHERE data_id = ?"
                                        " ORDER BY SpLossD1 DESC LIMIT 1", number)[0]
    browser.evaluate("document.querySelector('.missing-lines .td[data-key=place] a').click()")
    browser.wait("document.body.dataset.ready === 'source'")
    check("structure: to the line", browser.evaluate("location.hash"), f"#source/{file}?e=SpLossD1&l={line}")
    browser.evaluate("document.querySelector('.table').focus()")
    browser.key("ArrowRight")
    browser.wait("document.querySelector('.tr.structure')")
    expected = {("misses in" + data, count(cost)) for data, cost in profile.rows(
        "SELECT data, sum(SpLossD1) FROM instruction_data WHERE file_id = ? AND line = ? GROUP BY data_id", file, line)}
    check("source: misses in", {(row["text"], row["SpLossD1"]) for row in cells(browser)
                                if row["text"].startswith("misses in")}, expected)
    browser.evaluate("document.querySelector('.tr.structure a').click()")
    browser.wait("document.body.dataset.ready === 'structure'")
    check("structure: from the line", browser.evaluate("location.hash"), f"#structure/{number}?e=SpLossD1")
    browser.go(f"#function/{function}?e=SpLossD1")
    cost = profile.one("SELECT sum(SpLossD1) FROM instruction_data WHERE data_id = ? AND function_id = ?", number,
                       function)
    row = next(row for row in cells(browser, ".misses-in .table") if row["data"] == name)
    check("function: misses in", row["SpLossD1"], count(cost))
    browser.evaluate("document.querySelector('.misses-in .table').focus()")
    browser.key("Enter")
    browser.wait("document.body.dataset.ready === 'structure'")
    browser.evaluate("history.back()")
    browser.wait("document.body.dataset.ready === 'function'")


# ------------------------------------------------------------------------------------------ use

def sorting(browser):
    browser.go("#functions?e=Ir_incl&c=CEst")
    for key, click in (("Ir", "Ir"), ("calls", "calls"), ("function", "function")):
        browser.evaluate(f"document.querySelector('.th[data-key=\"{click}\"] button').click()")
        rows = [row[key] for row in cells(browser)]
        numbers = rows if key == "function" else [-1 if r == "." else int(r.replace(",", "")) for r in rows]
        check(f"sorting by {key}", numbers, sorted(numbers, reverse=key != "function"))
        browser.evaluate(f"document.querySelector('.th[data-key=\"{click}\"] button').click()")
        again = [row[key] for row in cells(browser)]
        check(f"sorting by {key} the other way round", again != rows)
    check("sorting is in the address", browser.evaluate("location.hash").endswith("s=-function"))


def searching(browser, profile):
    browser.go("#overview")
    browser.evaluate("document.activeElement.blur()")
    browser.key("/")
    browser.type("ACROSS")
    browser.wait("document.querySelectorAll('.found a').length > 0")
    names = browser.evaluate("[...document.querySelectorAll('.found .what')].map(e => e.textContent)")
    expected = profile.rows("SELECT function FROM functions WHERE function LIKE '%across%'")
    check("search finds", names, [name for name, in expected])
    browser.key("Enter")
    browser.wait("document.body.dataset.ready === 'function'")
    heading = browser.evaluate("document.querySelector('h1').textContent")
    check("search leads to the function", heading.startswith("across"))
    browser.evaluate("document.querySelector('.search input').focus()")
    browser.key("Escape")
    check("Esc leaves the search", browser.evaluate("document.querySelector('.search input').value"), "")
    browser.evaluate("window.busy = 0; new MutationObserver((list) => window.busy += list.length).observe("
                     "document.querySelector('main'), {attributeFilter: ['aria-busy']})")
    browser.go("#treemap")
    said = browser.evaluate("[window.busy, document.querySelector('main').ariaBusy]")
    check("a view that is being made says so", said, [2, None])
    browser.go("#functions?q=vector")
    expected = profile.one("SELECT count(*) FROM functions WHERE function LIKE '%vector%'")
    check("filter", browser.evaluate("document.querySelector('.table').getAttribute('aria-rowcount')"), str(expected))


def history(browser):
    browser.go("#overview")
    browser.go("#functions?e=Ir_incl")
    browser.evaluate("document.querySelector('.td.name a').click()")
    browser.wait("document.body.dataset.ready === 'function'")
    browser.evaluate("history.back()")
    browser.wait("document.body.dataset.ready === 'functions'")
    check("back", browser.evaluate("location.hash"), "#functions?e=Ir_incl")
    browser.evaluate("history.back()")
    browser.wait("document.body.dataset.ready === 'overview'")
    browser.evaluate("history.forward()")
    browser.wait("document.body.dataset.ready === 'functions'")


def choosing(browser):
    browser.go("#functions")
    browser.evaluate("document.activeElement.blur()")
    browser.key("e")
    browser.type("DLmr")
    browser.key("Enter")
    browser.arrive("location.hash.includes('e=DLmr_incl')")
    check("choosing an event", browser.evaluate("document.querySelector('.thead .th .sub').textContent"), "DLmr incl")
    browser.evaluate("document.activeElement.blur()")
    browser.key("i")
    browser.arrive("location.hash.includes('e=DLmr') && !location.hash.includes('_incl')")
    check("self", browser.evaluate("document.querySelector('[data-kind=self]').getAttribute('aria-pressed')"), "true")


def words(browser, profile):
    """What is shown is said in the words that the profile has for it; the event's name is the short form."""
    titles = dict(profile.rows("SELECT name, title FROM events"))
    check("words: titles", titles["SpLossD1"], "Bytes never touched (D1)")
    browser.go("#functions?e=SpLossD1_incl&c=CEst,LLm_incl,Ir")
    parts = "[...e.querySelectorAll('.label, .sub')].map(e => e.textContent)"
    heads = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.th')].map(e => [e.dataset.key,"
                             f" {parts}]))")
    for key, kind in (("SpLossD1_incl", "incl bytes"), ("SpLossD1", "self bytes"), ("CEst", "self"),
                      ("LLm_incl", "incl"), ("Ir", "self")):
        name = key.removesuffix("_incl")
        check(f"words: heading of {key}", heads[key], [titles[name], f"{name} {kind}"])
    check("words: the chosen event", browser.evaluate("[...document.querySelectorAll('.event span')].slice(0, 2)"
                                                      ".map(e => e.textContent)"), [titles["SpLossD1"], "SpLossD1"])
    browser.evaluate("document.querySelector('.event').click()")
    offered = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.option')].map(e =>"
                               " [e.dataset.event, e.querySelector('span').textContent]))")
    check("words: events to choose", {name: offered.get(name) for name in titles}, titles)
    picture(browser, "chooser")
    browser.evaluate("document.querySelector('.event').click()")
    browser.evaluate("document.querySelector('.td.name a').click()")
    browser.wait("document.body.dataset.ready === 'function'")
    check("words: facts", browser.evaluate("document.querySelector('.fact[data-key=CEst] .label').textContent"),
          titles["CEst"] + " CEst self")
    browser.go("#overview")
    totals = dict(browser.evaluate("[...document.querySelectorAll('.totals tr')].map(row => [row.dataset.event,"
                                   " row.querySelector('.name').textContent])"))
    check("words: totals", {name: totals[name] for name in titles}, {name: f"{titles[name]} {name}" for name in titles})


def glossary(browser, profile):
    """`?` says what every event of the profile is, and what marks and colours mean."""
    browser.evaluate("document.activeElement.blur()")
    browser.key("?")
    browser.wait("document.querySelector('dialog').open")
    lists = browser.evaluate("[...document.querySelectorAll('dialog dl')].map(list => [list.className,"
                             " [...list.querySelectorAll('dt')].map(e => [e.textContent, e.nextSibling.textContent])])")
    said = {word: what for name, entries in lists if name == "events" for word, what in entries}
    for name, title, long, formula in profile.rows("SELECT name, title, long_name, formula FROM events"):
        what = said.get(f"{title} {name}", "")
        check(f"glossary: {name}: {what}", what.startswith(long) and what.endswith(f" = {formula}" if formula else ""))
    for name, word in (("keys", "?"), ("numbers", "\u00b1"), ("marks", "pruned"), ("data", "heap")):
        found = [what for kind, entries in lists if kind == name for key, what in entries if key == word]
        check(f"glossary: {word}: {found}", len(found) == 1 and len(found[0]) > 10)
    check("glossary: colours", browser.evaluate(
        "[...document.querySelectorAll('dialog .colours dt')].every(e => e.firstElementChild.offsetWidth > 10)"))
    picture(browser, "glossary")
    browser.evaluate("document.querySelector('dialog button').click()")
    browser.wait("!document.querySelector('dialog').open")


def tooltips(browser):
    browser.go("#functions?e=SpLossD1_incl")
    browser.move(".tr:nth-child(3) .td[data-key=SpLossD1_incl]")
    browser.wait("!document.querySelector('.tip').hidden")
    text = browser.evaluate("document.querySelector('.tip').innerText")
    check("a number explains itself", all(words in text for words in (
        "Bytes never touched (D1), inclusive", "SpLossD1: D1 bytes loaded, never touched",
        "inclusive: with everything that was called", "in all")))
    browser.go("#functions?e=SpLossD1_incl&c=CEst_incl")
    browser.move(".tr:nth-child(3) .td[data-key=CEst_incl]")
    browser.wait("document.querySelector('.tip').innerText.includes('Ir + 10 * L1m')")


def keyboard(browser):
    browser.go("#tree?e=Ir_incl")
    rows = browser.evaluate("Number(document.querySelector('.table').getAttribute('aria-rowcount'))")
    browser.key("ArrowLeft")
    closed = browser.evaluate("Number(document.querySelector('.table').getAttribute('aria-rowcount'))")
    browser.key("ArrowRight")
    check("arrows close and open a branch", (closed < rows, browser.evaluate(
        "Number(document.querySelector('.table').getAttribute('aria-rowcount'))")), (True, rows))
    browser.key("ArrowDown")
    check("arrows move", browser.evaluate("document.querySelector('.tr.current').dataset.row"), "1")
    for key, view in (("1", "overview"), ("2", "functions")):
        browser.key(key)
        browser.wait(f"document.body.dataset.ready === '{view}'")


def luminance(colour):
    """WCAG 2's, of #rrggbb."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrasts(browser, theme):
    """Colours of texts on every ground that they stand on."""
    grounds = ("paper", "panel", "row", "current")
    texts = ("ink", "dim", "link", "accent", "hot-ink", "lost-ink", "said")
    colour = {name: browser.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")
              for name in grounds + texts}
    for text in texts:
        for ground in grounds:
            dark, light = sorted((luminance(colour[text]), luminance(colour[ground])))
            check(f"contrast: {theme}: {text} on {ground}", (light + 0.05) / (dark + 0.05) >= 4.5)


def themes(browser):
    browser.go("#overview")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = browser.evaluate(colour)
    contrasts(browser, "light")
    browser.evaluate("document.querySelector('.theme').click()")
    check("dark", browser.evaluate(colour) != light)
    contrasts(browser, "dark")
    picture(browser, "dark")
    browser.evaluate("document.querySelector('.theme').click()")
    check("light again", browser.evaluate(colour), light)


def printing(browser):
    browser.go("#functions?e=Ir_incl")
    browser.evaluate("dispatchEvent(new Event('beforeprint'))")
    check("print has the rows", browser.evaluate("document.querySelectorAll('.printed tbody tr').length > 20"))
    browser.evaluate("dispatchEvent(new Event('afterprint'))")
    check("and leaves nothing", browser.evaluate("document.querySelectorAll('.printed').length"), 0)


# ------------------------------------------------------------------------------------------ hostile names

def make_hostile(profile, folder):
    path = os.path.join(folder, "hostile")
    with sqlite3.connect(path) as copy:
        profile.database.backup(copy)
        for table, column in (("t_functions", "function"), ("files", "path"), ("objects", "path"),
                              ("t_inlined", "name"), ("meta", "value"), ("parts", "why"), ("t_data", "name"),
                              ("t_data", "kind"), ("t_data", "path"), ("t_data_paths", "function")):
            for (number,) in copy.execute(f"SELECT rowid FROM {table}").fetchall():
                copy.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                             (HOSTILE[number % len(HOSTILE)] + str(number), number))
        copy.execute("UPDATE events SET long_name = '</script><img src=x onerror=alert(7)>',"
                     " title = '<img src=x onerror=alert(8)>'")
        for number, text in enumerate(HOSTILE):
            copy.execute("INSERT OR REPLACE INTO sources SELECT id, ? FROM files"
                         " WHERE id IN (SELECT file_id FROM t_lines) ORDER BY id LIMIT 1 OFFSET ?",
                         ("\n".join(HOSTILE) + text, number))
    return Profile(path)


def hostile(profile, folder):
    bad = make_hostile(profile, folder)
    url = bad.page("--title", "</title><script>alert(8)</script>")
    scripts = ("document.scripts.length + ' ' +"
               " document.querySelectorAll('img, iframe, object, embed, link, base').length")
    browser = chromium.Browser()
    try:
        browser.open(url)
        before = browser.evaluate(scripts)
        check("hostile: only the page's own scripts", before, "3 0")
        for name in views(browser):
            browser.go("#" + name)
            check(f"hostile: {name} adds no element", browser.evaluate(scripts), before)
        for view, number in [("function", n) for n, in bad.rows("SELECT id FROM functions LIMIT 20")] + [
                ("source", n) for n, in bad.rows(
                    "SELECT DISTINCT file_id FROM t_lines WHERE file_id IS NOT NULL LIMIT 20")]:
            browser.go(f"#{view}/{number}")
            check(f"hostile: {view} {number}", browser.evaluate(scripts), before)
        for number, in bad.rows("SELECT id FROM data_objects ORDER BY D1mr DESC LIMIT 20"):
            browser.go(f"#structure/{number}")
            check(f"hostile: structure {number}", browser.evaluate(scripts), before)
        for address in ("#structure/<img>", "#structure/99999999", "#data?q=%3Cscript%3E",
                        "#data?s=-__proto__&c=constructor", "#source/%3Cimg%20src=x%3E",
                        "#function/'\"><script>alert(9)</script>", "#no/such?e=</script>",
                        "#tree?n=-5", "#tree?f=%%%", "#functions?s=__proto__&c=constructor,__proto__&e=__proto__"):
            browser.go(address)
            check(f"hostile: {address}", browser.evaluate(scripts), before)
        check("hostile: no title from names", "<" in browser.evaluate("document.title"))
        quiet(browser, "hostile")
        check("hostile: markup cannot be made", browser.evaluate(
            "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'made'; }"
            " catch (e) { return e.name; } })()"), "TypeError")
    finally:
        browser.close()


# ------------------------------------------------------------------------------------------ other profiles

def differences(profile, folder):
    """What a difference of profiles looks like: signs, no percentages, no ratios; and a profile without a tree."""
    path = os.path.join(folder, "difference")
    with sqlite3.connect(path) as copy:
        profile.database.backup(copy)
        copy.execute("INSERT OR REPLACE INTO meta VALUES('diff.baseline', 'old'), ('diff.new', 'new')")
        copy.execute("UPDATE t_functions SET SpLossD1 = -SpLossD1, SpLossD1_incl = -SpLossD1_incl WHERE id % 2")
        copy.execute("UPDATE t_totals SET SpLossD1 = 0")
        copy.execute("DELETE FROM t_paths")
    changed = Profile(path)
    browser = chromium.Browser()
    try:
        browser.open(changed.page() + "#functions?e=SpLossD1_incl&c=spatialD1&startup=1")
        rows = cells(browser)
        costs = [cost for cost, in changed.rows("SELECT SpLossD1_incl FROM functions ORDER BY abs(1.0 * SpLossD1_incl)"
                                                " DESC LIMIT 5")]
        check("difference: the largest", [row["SpLossD1_incl"] for row in rows[:5]], [signed(cost) for cost in costs])
        browser.evaluate("document.querySelector('.th[data-key=SpLossD1_incl] button').click()")
        rows = cells(browser)
        costs = [cost for cost, in changed.rows("SELECT SpLossD1_incl FROM functions ORDER BY 1 DESC LIMIT 5")]
        check("difference: more", [row["SpLossD1_incl"] for row in rows[:5]], [signed(cost) for cost in costs])
        browser.evaluate("document.querySelector('.th[data-key=SpLossD1_incl] button').click()")
        rows = cells(browser)
        costs = [cost for cost, in changed.rows(
            "SELECT SpLossD1_incl FROM functions WHERE SpLossD1_incl IS NOT NULL ORDER BY 1 LIMIT 5")]
        check("difference: less", [row["SpLossD1_incl"] for row in rows[:5]], [count(cost) for cost in costs])
        check("difference: colour", browser.evaluate("document.querySelectorAll('.bar.less').length > 3"))
        check("difference: no percentages, no ratios", browser.evaluate(
            "[...document.querySelectorAll('.pct')].map(e => e.textContent).join('')"
            " + document.querySelectorAll('[data-key=spatialD1]').length"), "0")
        for view in ("overview", "tree", "flame", "treemap", "source", "data", "structure/1"):
            browser.go("#" + view)
            check(f"difference: {view}", browser.evaluate("document.querySelector('.failed')") is None)
        quiet(browser, "difference")
    finally:
        browser.close()


def other_sources(profile, folder):
    """A source file that is not here any more, one that is newer than the profile, one that is not shown."""
    path, gone, newer, secret = (os.path.join(folder, name) for name in (
        "sources", "gone.cpp", "newer.cpp", "secret.txt"))
    with sqlite3.connect(path) as copy:
        profile.database.backup(copy)
        number, name = copy.execute("SELECT id, path FROM files WHERE path LIKE '%page_program.cpp'").fetchone()
        (other,), (third,) = copy.execute("SELECT DISTINCT file_id FROM t_lines WHERE file_id <> ? LIMIT 2",
                                          (number,)).fetchall()
        copy.executemany("UPDATE files SET path = ? WHERE id = ?", ((newer, number), (gone, other), (secret, third)))
    with open(secret, "w", encoding="utf-8") as file:
        file.write("a secret")
    os.chmod(secret, 0o600)
    shutil.copyfile(name, newer)
    os.utime(newer, (os.stat(path).st_mtime + 3600,) * 2)
    browser = chromium.Browser()
    try:
        browser.open(Profile(path).page())
        for file, words in ((number, "This file has changed since the profile was made"),
                            (other, "The text of this file is not in the page"),
                            (third, "The text of this file is not shown: not everybody may read it")):
            browser.go(f"#source/{file}")
            check(f"other sources: {words}", browser.evaluate("document.querySelector('.warning').innerText")
                  .startswith(words))
            quiet(browser, words)
        views(browser)
    finally:
        browser.close()


def without_data(profile, folder):
    """Recorded with --data=no, or imported: the view is not there, and nobody misses it."""
    path = os.path.join(folder, "nodata")
    with sqlite3.connect(path) as copy:
        profile.database.backup(copy)
        for table in ("t_data", "t_instruction_data", "t_data_paths"):
            copy.execute(f"DELETE FROM {table}")
    url = Profile(path).page()
    browser = chromium.Browser()
    try:
        browser.open(url + "#data")
        check("without data: another view", browser.evaluate("document.body.dataset.ready"), "overview")
        headings = browser.evaluate("[...document.querySelectorAll('nav .tab, h2')].map(e => e.textContent)")
        check("without data: nothing of it", ("Totals" in headings, any("Data" in text for text in headings)),
              (True, False))
        browser.go("#function/1")
        check("without data: function", browser.evaluate("document.querySelectorAll('.misses-in, .failed').length"), 0)
        views(browser)
    finally:
        browser.close()


def lines_left_out(profile, folder):
    """Of a profile with very many lines in data structures, or instructions, the page says what it does not show."""
    path = os.path.join(folder, "many")
    with sqlite3.connect(path) as copy:
        profile.database.backup(copy)
        copy.execute("WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1040)"
                     " INSERT INTO t_instruction_data(instruction_id, data_id, SpLossD1)"
                     " SELECT instruction_id, i, 1 FROM n, t_instruction_data")
        number, = copy.execute("SELECT id FROM t_data WHERE SpLossD1 > 1000 LIMIT 1").fetchone()
        copy.execute("DELETE FROM t_instruction_data WHERE data_id = ?", (number,))
        copy.execute("INSERT INTO t_instruction_data(instruction_id, data_id, SpLossD1) SELECT min(id), ?, 3"
                     " FROM t_instructions UNION ALL SELECT max(id), ?, 997 FROM t_instructions", (number, number))
        copy.execute("UPDATE t_data SET SpLossD1 = 1000 WHERE id = ?", (number,))
        copy.execute("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 70000)"
                     " INSERT INTO t_instructions(function_id, address, length, Ir) SELECT 1, i * 4, 4, 0 FROM n")
        cold, = copy.execute("SELECT id FROM t_functions ORDER BY Ir, id LIMIT 1").fetchone()
        for event, in copy.execute("SELECT name FROM events WHERE NOT derived").fetchall():
            copy.execute(f'UPDATE t_functions SET "{event}" = 0 WHERE id = ?', (cold,))
    browser = chromium.Browser()
    try:
        browser.open(Profile(path).page() + f"#structure/{number}?e=SpLossD1")
        check("lines left out: what they come to", browser.evaluate("document.querySelector('.rest').textContent"),
              "Lines that cost next to nothing are not in this page. Here they come to 3 of 1,000 SpLossD1.")
        check("lines left out: the others", [row["SpLossD1"] for row in cells(browser, ".missing .table")], ["997"])
        said = "document.querySelector('.left-out').textContent.includes('tenure annotate --disassemble')"
        browser.go(f"#function/{cold}?i=1")
        check("instructions left out", browser.evaluate(said))
        hot, = profile.rows("SELECT id FROM functions ORDER BY SpLossD1 DESC LIMIT 1")[0]
        browser.go(f"#function/{hot}?i=1")
        check("and not left out", len(cells(browser, ".instructions .table")) > 5)
    finally:
        browser.close()


def opening(profile, folder):
    """tenure open: where the page goes, who sees it, and what is said where there is no browser."""
    seen, home = os.path.join(folder, "seen"), os.path.join(folder, "home")
    os.mkdir(home)
    program = os.path.join(folder, "browser")
    with open(program, "w", encoding="utf-8") as script:
        script.write(f'#!/bin/sh\nprintf %s "$1" >{seen}.part\nmv {seen}.part {seen}\n')
    os.chmod(program, 0o755)
    surroundings = {"PATH": "/usr/bin:/bin", "HOME": home, "BROWSER": program}

    def run(**more):
        return subprocess.run([TENURE, "open", profile.path], capture_output=True, text=True, check=False,
                              env={**surroundings, **more}, timeout=60)
    done = run()
    check("open", (done.returncode, done.stderr), (0, ""))
    with open(seen, encoding="utf-8") as file:
        page = file.read()
    check("open: the page is where it says", (done.stdout.strip(), page.startswith(home + "/.cache/tenure/profile-")),
          (page, True))
    check("open: its owner alone sees it", [os.stat(p).st_mode & 0o777 for p in (page, os.path.dirname(page))],
          [0o600, 0o700])
    again = run()
    check("open: again, in the same place", (again.stdout, len(os.listdir(os.path.dirname(page)))), (done.stdout, 1))
    none = run(BROWSER="/does/not/exist")
    check("open: without a browser", (none.returncode, none.stdout, "open that file" in none.stderr),
          (1, done.stdout, True))
    failing = run(BROWSER="false")
    check("open: a browser that fails", (failing.returncode, "status 1" in failing.stderr), (1, True))


def main(folder):
    profile = record(os.path.join(folder, "profile"))
    browser = chromium.Browser()
    try:
        browser.open(profile.page())
        overview(browser, profile)
        for event in ("SpLossD1", "Ir", "LLm"):
            functions(browser, profile, event)
        picture(browser, "functions")
        for step in (tree, callers, source, structures, structure, flame, marking, areas):
            step(browser, profile)
            quiet(browser, step.__name__)
        words(browser, profile)
        glossary(browser, profile)
        searching(browser, profile)
        for step in (sorting, history, choosing, tooltips, keyboard, themes, printing, views):
            step(browser)
            quiet(browser, step.__name__)
    finally:
        browser.close()
    estimated_time(profile, folder)
    hostile(profile, folder)
    differences(profile, folder)
    other_sources(profile, folder)
    without_data(profile, folder)
    lines_left_out(profile, folder)
    opening(profile, folder)


in_chromium(main)
