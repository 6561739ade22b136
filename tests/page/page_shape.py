#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_shape.py: the call tree in other shapes, text that is found in source, and objects without line information.

    page_shape.py TENURE PROGRAM PICTURES

What page/src/reshape.js makes of random trees is compared with call paths that are rewritten one by one; what tree and
flame graph show then, with the same done to the rows of SQL.
"""
import json
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium
from shown import TENURE, Profile, cells, check, count, in_chromium, picture, quiet, record, signed

RESHAPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "page", "src", "reshape.js")

# Random trees in all shapes; what is wrong, in words. A path is what it is in the new tree, as a text.
RANDOM = """
(() => {
    SOURCE
    let seed = SEED;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    const wrong = [];
    const expect = (good, words) => good || (wrong.length < 5 && wrong.push(words));
    function someTree() {
        const rows = 1 + random(40);
        const tree = {rows, functionId: [], parent: [], thread: [], calls: [], own: []};
        for (const flag of ['approximate', 'handler', 'recursive']) tree[flag] = Array(rows).fill(0);
        for (let row = 0; row < rows; row++) {
            tree.parent[row] = random(5) && row + 1 < rows ? row + 1 + random(Math.min(3, rows - row - 1)) : -1;
            tree.functionId[row] = 1 + random(5);
            tree.calls[row] = random(9);
            tree.own[row] = random(100);
        }
        for (let row = rows - 1; row >= 0; row--)
            tree.thread[row] = tree.parent[row] < 0 ? 1 + random(2) : tree.thread[tree.parent[row]];
        return tree;
    }
    function pathOf(tree, row, {inverted, collapsed, hidden}) {
        const all = [];
        for (let at = row; at >= 0; at = tree.parent[at]) all.unshift(tree.functionId[at]);
        const path = [];
        for (const id of all.filter((one) => !hidden.has(one)))
            if (collapsed && path.includes(id)) path.length = path.indexOf(id) + 1;
            else path.push(id);
        const thread = inverted || !path.length ? NaN : tree.thread[row];
        if (!path.length) path.push(HIDDEN);
        return [thread, ...(inverted ? path.reverse() : path)];
    }
    function look(tree, how) {
        const words = JSON.stringify({...how, hidden: [...how.hidden], tree});
        const expected = new Map();
        const at = (path) => {
            if (!expected.has(path)) expected.set(path, {own: 0, below: 0, calls: 0});
            return expected.get(path);
        };
        for (let row = 0; row < tree.rows; row++) {
            const path = pathOf(tree, row, how);
            const calls = how.hidden.has(tree.functionId[row]) ? 0 : tree.calls[row];
            for (let end = 2; end <= path.length; end++) {
                at(path.slice(0, end).join()).below += tree.own[row];
                if (how.inverted) at(path.slice(0, end).join()).calls += calls;
            }
            at(path.join()).own += tree.own[row];
            if (!how.inverted) at(path.join()).calls += calls;
        }
        const got = reshape(tree, how);
        const rows = got.parent.length;
        const [own, below] = [new Float64Array(rows), new Float64Array(rows)];
        tree.own.forEach((cost, row) => (own[got.to[row]] += cost));
        for (let row = 0; row < rows; row++) {
            expect(got.parent[row] === -1 || got.parent[row] > row, 'order: ' + words);
            below[row] += own[row];
            if (got.parent[row] >= 0) below[got.parent[row]] += below[row];
        }
        const seen = new Set();
        for (let row = 0; row < rows; row++) {
            const path = [];
            for (let up = row; up >= 0; up = got.parent[up]) path.unshift(got.functionId[up]);
            const distinct = new Set(path).size === path.length;
            expect(distinct || !how.collapsed, `twice in ${path}: ` + words);
            expect(got.depth[row] === path.length - 1, `depth of ${path}: ` + words);
            const name = [got.thread[row], ...path].join();
            const {[name]: one} = Object.fromEntries(expected);
            expect(one && !seen.has(name), `no or another path ${name}: ` + words);
            seen.add(name);
            expect(one && one.below === below[row], `inclusive cost of ${name}: ` + words);
            expect(one && (how.inverted || one.own === own[row]), `self cost of ${name}: ` + words);
            expect(one && one.calls === got.calls[row], `calls of ${name}: ` + words);
        }
        expect(seen.size === expected.size, 'paths are missing: ' + words);
        const sum = (list) => list.reduce((all, one) => all + one, 0);
        const roots = [...below].filter((_, row) => got.parent[row] < 0);
        expect(sum(roots) === sum(tree.own), 'total: ' + words);
    }
    for (let round = 0; round < 300; round++) {
        const tree = someTree();
        for (const inverted of [false, true])
            for (const collapsed of [false, true])
                for (const hidden of [[], [1 + random(5)], [1, 2, 3].slice(random(3)), [1, 2, 3, 4, 5]])
                    look(tree, {inverted, collapsed, hidden: new Set(hidden)});
    }
    return wrong;
})()
"""

# A path deeper than there is room for: what is left of it, and whether it says so.
CUT = """
(() => {
    SOURCE
    const rows = 20, none = Array(rows).fill(0);
    const tree = {rows, parent: Array.from(none, (_, i) => (i + 1 < rows ? i + 1 : -1)),
        functionId: Array.from(none, (_, i) => i), thread: none, calls: none, approximate: none, handler: none,
        recursive: none};
    const {cut, depth} = reshape(tree, {inverted: true, collapsed: false, hidden: new Set()});
    return [Math.max(...depth), cut.reduce((all, one) => all + one, 0), cut.every((one, i) => !one || depth[i] === 7)];
})()
"""


def random_trees(browser):
    with open(RESHAPE, encoding="utf-8") as file:
        text = file.read().replace("export ", "")
    rounds = int(os.environ.get("TENURE_SOAK", "1"))
    for seed in range(1, 1 + rounds):
        check(f"random trees, seed {seed}", browser.evaluate(
            RANDOM.replace("SOURCE", text).replace("SEED", str(seed))), [])
    check("too deep", browser.evaluate(CUT.replace("SOURCE", text.replace("4e6", "160"))), [7, 12, True])


# ------------------------------------------------------------------------------------------ as SQL has it

class Shape:
    """Inclusive costs (Ir) by path, a tuple of ids of functions, of the paths of a profile."""

    def __init__(self, profile, inverted=False, collapsed=False, hidden=()):
        rows = {number: (parent, name, cost or 0) for number, parent, name, cost in profile.rows(
            "SELECT id, parent, function_id, Ir FROM paths")}
        self.names = dict(profile.rows("SELECT id, function FROM functions"))
        self.below = {}
        for number, (_, _, cost) in rows.items():
            chain = []
            at = number
            while at is not None:
                chain.insert(0, rows[at][1])
                at = rows[at][0]
            path = []
            for name in chain:
                if name not in hidden and collapsed and name in path:
                    del path[path.index(name) + 1:]
                elif name not in hidden:
                    path.append(name)
            path = tuple(reversed(path)) if inverted else tuple(path)
            for end in range(1, len(path) + 1):
                self.below[path[:end]] = self.below.get(path[:end], 0) + cost

    def check(self, browser, what):
        """What is drawn in the flame graph, box by box, and in the call tree, row by row."""
        address = browser.evaluate("location.hash.replace(/^#[a-z]+/, '').replace(/&n=[0-9]+/, '')")
        browser.go("#flame" + address)
        browser.wait("document.querySelector('.path')")
        boxes = browser.evaluate("[...document.querySelectorAll('.path')].map(e => [e.getAttribute('aria-label'),"
                                 " e.getAttribute('aria-level') - 1])")
        check(f"{what}: several boxes", len(boxes) > 5)
        costs = {(f"{self.names[path[-1]]}, {count(cost)}", len(path) - 1) for path, cost in self.below.items()}
        wrong = [box for box in boxes if tuple(box) not in costs and not box[0].startswith("hidden, ")]
        check(f"{what}: flame graph", wrong, [])
        browser.go("#tree" + address)
        rows = browser.evaluate("[...document.querySelectorAll('.tr')].sort((a, b) => a.dataset.row - b.dataset.row)"
                                ".filter(e => e.querySelector('a')).map(e =>"
                                " [+e.querySelector('a').hash.match(/[0-9]+/)[0],"
                                " parseFloat(e.querySelector('.indent').style.width) / 1.1,"
                                " e.querySelector('.v').textContent])")
        path, wrong = [], []
        for name, depth, cost in rows:
            path[round(depth):] = [name]
            if count(self.below.get(tuple(path))) != cost:
                wrong.append((name, depth, cost, self.below.get(tuple(path))))
        check(f"{what}: call tree: {len(rows)} rows", (len(rows) > 5, wrong), (True, []))


def press(browser, expression, expected):
    browser.evaluate(expression + ".click()")
    browser.arrive(expected)


def orders(browser, profile):
    browser.go("#flame?e=Ir_incl&c=Ir")
    press(browser, "document.querySelector('[data-choice=bottom-up]')", "location.hash.includes('order=bottom-up')")
    Shape(profile, inverted=True).check(browser, "bottom-up")
    expected = [(name, count(cost)) for name, cost in profile.rows(
        "SELECT function, Ir FROM functions ORDER BY Ir DESC LIMIT 5")]
    browser.evaluate("[...document.querySelectorAll('.bar-top button')].find(e => e.textContent === 'close all')"
                     ".click()")
    rows = cells(browser)
    check("bottom-up: roots are functions by self cost", [(row["function"].lstrip("\u25be\u25b8"), row["Ir"])
                                                          for row in rows[:5]], expected)
    check("bottom-up: inclusive costs are not shown", "Ir_incl" in rows[0], False)
    check("bottom-up: a root is all of it", {row["part"] for row in rows[:5]}, {"100\u2009%"})
    browser.key("ArrowRight")
    browser.wait("document.querySelectorAll('.tr')[1]")
    rows = cells(browser)
    parts = [row for row in rows[1:4] if row["part"] != "100\u2009%"] or rows[1:2]
    total = int(rows[0]["Ir"].replace(",", ""))
    for row in parts:
        share = 100 * int(row["Ir"].replace(",", "")) / total
        check("bottom-up: part of a caller", abs(float(row["part"].removesuffix("\u2009%")) - share) < 0.051)
    picture(browser, "bottom-up")
    press(browser, "document.querySelector('[data-choice=top-down]')", "location.hash.includes('order=top-down')")
    check("top-down again: main is inside", browser.evaluate("[...document.querySelectorAll('.tr')].some(e =>"
          " e.textContent.includes('main') && parseFloat(e.querySelector('.indent').style.width) > 1)"))


def recursion(browser, profile):
    browser.go("#flame?e=Ir_incl")
    press(browser, "document.querySelector('.bar-top .kinds:not(:has([data-choice])) button')",
          "location.hash.includes('collapsed=1')")
    shape = Shape(profile, collapsed=True)
    check("recursion: there is some", len(shape.below) < len(Shape(profile).below))
    shape.check(browser, "recursion collapsed")
    check("recursion: no mark is left", browser.evaluate("[...document.querySelectorAll('.mark')].some(e =>"
                                                         " e.textContent === 'recursive')"), False)
    browser.go("#flame?e=Ir_incl&collapsed=1&order=bottom-up")
    Shape(profile, inverted=True, collapsed=True).check(browser, "collapsed, bottom-up")
    browser.go("#flame?e=Ir_incl")


def hiding(browser, profile):
    """By the key, by the button, and back; also of what nobody calls, and of what is not there."""
    browser.go("#tree?e=Ir_incl")
    one = browser.evaluate("(rows => { const row = rows[Math.min(4, rows.length - 1)]; row.click();"
                            " return +row.querySelector('a').hash.match(/[0-9]+/)[0]; })"
                            "([...document.querySelectorAll('.tr')].sort((a, b) => a.dataset.row - b.dataset.row)"
                            ".filter(e => e.querySelector('a')))")
    browser.key("h")
    browser.arrive("location.hash.includes('hidden=')")
    names = dict(profile.rows("SELECT id, function FROM functions"))
    Shape(profile, hidden=[one]).check(browser, f"without {names[one]}")
    check("hidden: it is listed", browser.evaluate("[...document.querySelectorAll('.hidden button')].map(e =>"
                                                   " e.textContent)"), ["\u00d7 " + names[one]])
    picture(browser, "hidden")
    address = browser.evaluate("location.hash")
    browser.go("#flame" + address[address.index("?"):])
    browser.wait("document.querySelector('.path')")
    browser.evaluate("[...document.querySelectorAll('.path.named')].at(-1).click()")
    browser.arrive("/&n=/.test(location.hash)")
    press(browser, "document.querySelector('.bar-top .hide')", "!/&n=/.test(location.hash)")
    first, other = browser.evaluate("location.hash.match(/hidden=([0-9]+)%2C([0-9]+)/).slice(1).map(Number)")
    Shape(profile, hidden=[one, other]).check(browser, f"without {names[one]} and {names[other]}")
    check("hidden: one after the other", first, one)
    browser.evaluate("document.querySelector('.hidden button').click()")
    browser.arrive("document.querySelectorAll('.hidden button').length === 1")
    Shape(profile, hidden=[other]).check(browser, f"without {names[other]}")
    browser.evaluate("document.querySelector('.hidden button').click()")
    browser.arrive("!location.hash.includes('hidden=')")
    number, = profile.rows("SELECT function_id FROM paths WHERE parent IS NULL")[0]
    for order in ("top-down", "bottom-up"):
        browser.go(f"#tree?e=Ir_incl&order={order}&hidden={number},0,-1,1e300,x,,99999999,{number}")
        check("hidden: what is there", browser.evaluate("document.querySelectorAll('.hidden button').length"), 1)
        Shape(profile, inverted=order == "bottom-up", hidden=[number]).check(browser, f"without the root, {order}")
    browser.go("#tree?e=spatialD1&c=spatialD1,CEst_incl&order=bottom-up&collapsed=1&hidden=" + str(number))
    check("hidden: ratios", any(row["spatialD1"] for row in cells(browser)) and "NaN" not in browser.evaluate(
        "document.body.innerText"))
    browser.go("#overview?e=Ir_incl&order=&collapsed=&hidden=")


def finding(browser, profile):
    number, path = profile.rows("SELECT id, path FROM files WHERE path LIKE '%page_program.cpp'")[0]
    with open(path, encoding="utf-8") as file:
        lines = [i for i, line in enumerate(file.read().split("\n"), 1) if "matrix" in line.lower()]
    browser.go(f"#source/{number}?e=Ir&l=1")
    browser.key("/")
    check("find: the field of the view", browser.evaluate(
        "[document.activeElement.className, document.activeElement.placeholder.endsWith('/')]"), ["find", True])
    browser.type("MATRIX")
    for at, shift in ((0, None), (1, False), (2, False), (1, True), (0, True), (-1, True), (0, False)):
        if shift is not None:
            browser.evaluate("document.querySelector('input.find').dispatchEvent(new KeyboardEvent('keydown',"
                             f" {{key: 'Enter', shiftKey: {json.dumps(shift)}, bubbles: true}}))")
        line = lines[at]
        check(f"find: at {at}", browser.evaluate(
              "[document.querySelector('.tr.current .td[data-key=line]').textContent,"
              " document.querySelector('.bar-top input.find ~ .dim').textContent]"),
              [str(line), f"{at % len(lines) + 1} of {len(lines)} lines"])
    shown = set(browser.evaluate("[...document.querySelectorAll('.tr.hit [data-key=line]')].map(e =>"
                                 " +e.textContent)"))
    seen = {int(row["line"]) for row in cells(browser) if row["line"].isdigit()}
    check("find: highlighted", (bool(shown), shown), (True, set(lines) & seen))
    check("find: in the address", "q=MATRIX" in browser.evaluate("location.hash"))
    picture(browser, "find")
    browser.key("n")
    check("find: a letter goes into the field", browser.evaluate("document.querySelector('input.find').value"),
          "MATRIXn")
    check("find: nothing", browser.evaluate("document.querySelector('.bar-top input.find ~ .dim').textContent"),
          "0 lines")
    browser.evaluate("document.querySelector('.table').focus()")
    browser.key("s")
    check("find: the search above", browser.evaluate("document.activeElement.closest('header') !== null"))
    browser.evaluate("document.activeElement.blur()")


def lineless(browser, profile, folder):
    """Objects without line information: the same sentences on the overview and in `tenure report`."""
    path = os.path.join(folder, "lineless")
    profile.database.backup(sqlite3.connect(path))
    with sqlite3.connect(path) as copy:
        copy.execute("UPDATE t_functions SET file_id = NULL, line = NULL")
        copy.execute("UPDATE objects SET path = '/nowhere/<b>x</b>\x1b[31m' WHERE path LIKE '%page_program'")
    copy.close()
    report = subprocess.run([TENURE, "report", path], capture_output=True, text=True, check=True).stdout
    said = [line for line in report.splitlines() if line.startswith("No line information")]
    check("lineless: report", any("compile it with -g" in line and "/nowhere/<b>x</b>\\x1b" in line for line in said))
    browser.open(Profile(path).page() + "#overview")
    check("lineless: overview", browser.evaluate("[...document.querySelectorAll('.view > .warning')].map(e =>"
                                                 " e.textContent)"), said)
    picture(browser, "lineless")
    quiet(browser, "lineless")


def sides(browser, profile, folder):
    page = os.path.join(folder, "sides.html")
    both = (profile, record(os.path.join(folder, "other"), "more"))
    subprocess.run([TENURE, "diff", "--html", page, *(side.path for side in both)], check=True,
                   stdout=subprocess.DEVNULL)
    browser.open("file://" + page + "#flame?e=Ir&order=bottom-up")
    before, after = (side.one("SELECT Ir FROM functions WHERE function LIKE 'along%'") for side in both)
    for side, value in (("after", count(after)), ("before", count(before)), ("change", signed(after - before))):
        browser.go(f"#flame?e=Ir&order=bottom-up&w={side}")
        browser.wait("document.querySelector('.path')")
        check(f"both sides: bottom-up, {side}", browser.evaluate(
            "[...document.querySelectorAll('.path[aria-level=\"1\"]')].map(e => e.getAttribute('aria-label'))"
            ".find(e => e.startsWith('along'))").rsplit(", ", 1)[1], value)
    browser.go("#tree?e=Ir_incl&collapsed=1&order=bottom-up")
    row = next(row for row in cells(browser) if "along" in row["function"])
    check("both sides: call tree", [row[key] for key in ("Ir@before", "Ir@after", "Ir")],
          [count(before), count(after), signed(after - before)])
    quiet(browser, "both sides")


def main(folder):
    profile = record(os.path.join(folder, "profile"))
    browser = chromium.Browser()
    try:
        browser.open(profile.page())
        random_trees(browser)
        for step in (orders, recursion, hiding, finding):
            step(browser, profile)
            quiet(browser, step.__name__)
        sides(browser, profile, folder)
        lineless(browser, profile, folder)
    finally:
        browser.close()


in_chromium(main)
