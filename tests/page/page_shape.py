#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_shape.py: the call tree in other shapes, text that is found in source, and objects without line information.

    page_shape.py TENURE PROGRAM PICTURES

What page/src/reshape.js and calltree.js make of random trees is compared with call paths that are rewritten one by
one; what tree and flame graph show then, with the same done to the rows of SQL.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium
from shown import TENURE, Profile, cells, check, count, in_chromium, picture, quiet, record, signed

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "page", "src")

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
    function pathOf(tree, row, {inverted, collapsed, hidden, startup}) {
        const all = [];
        for (let at = row; at >= 0; at = tree.parent[at]) all.unshift(tree.functionId[at]);
        const path = [];
        for (const id of all.filter((one) => !hidden.has(one) && !startup.has(one)))
            if (collapsed && path.includes(id)) path.length = path.indexOf(id) + 1;
            else path.push(id);
        const thread = inverted || !path.length ? NaN : tree.thread[row];
        if (!path.length && !startup.has(tree.functionId[row])) path.push(HIDDEN);
        return [thread, ...(inverted ? path.reverse() : path)];
    }
    function shaped(tree, how) {
        const top = new CallTree(reshape(tree, how));
        const nodes = how.inverted ? new BottomUp(top) : top;
        const all = [...nodes.children(-1)];
        for (let i = 0; i < all.length; i++) all.push(...nodes.children(all[i]));
        const own = new Float64Array(top.rows);
        const below = new Float64Array(top.rows);
        tree.own.forEach((cost, row) => {
            if (top.to[row] >= 0) own[top.to[row]] += cost;
            if (top.within[row] >= 0) below[top.within[row]] += cost;
        });
        for (let row = 0; row < top.rows; row++) if (top.parent[row] >= 0) below[top.parent[row]] += below[row];
        const cost = (row) => (how.inverted ? nodes.paths[row].reduce((sum, path) => sum + own[path], 0) : below[row]);
        const path = (row) => nodes.chain(row).map((one) => nodes.functionId[one]);
        return {nodes, all, own, cost, path};
    }
    function look(tree, how, before) {
        const words = JSON.stringify({...how, hidden: [...how.hidden], startup: [...how.startup], tree});
        const expected = new Map();
        let total = 0;
        const at = (path) => {
            if (!expected.has(path)) expected.set(path, {own: 0, below: 0, calls: 0});
            return expected.get(path);
        };
        for (let row = 0; row < tree.rows; row++) {
            const path = pathOf(tree, row, how);
            const left = how.startup.has(tree.functionId[row]);
            const calls = left || how.hidden.has(tree.functionId[row]) ? 0 : tree.calls[row];
            if (path.length < 2 || (left && how.inverted)) continue;
            total += tree.own[row];
            for (let end = 2; end <= path.length; end++) {
                at(path.slice(0, end).join()).below += tree.own[row];
                if (how.inverted) at(path.slice(0, end).join()).calls += calls;
            }
            at(path.join()).own += left ? 0 : tree.own[row];
            if (!how.inverted) at(path.join()).calls += calls;
        }
        const {nodes, all, own, cost, path: pathTo} = shaped(tree, how);
        const [seen, merged] = [new Map(), how.inverted || how.collapsed || how.hidden.size];
        for (const row of all) {
            const path = pathTo(row);
            expect(how.inverted || !(nodes.parent[row] >= 0 && nodes.parent[row] <= row), 'order: ' + words);
            expect(new Set(path).size === path.length || !how.collapsed, `twice in ${path}: ` + words);
            expect(nodes.depth[row] === path.length - 1, `depth of ${path}: ` + words);
            expect(nodes.hasChildren(row) === nodes.children(row).length > 0, `leaf ${path}: ` + words);
            expect(nodes.find(nodes.address(row)) === row, `address of ${path}: ` + words);
            const name = [how.inverted ? NaN : nodes.thread[row], ...path].join();
            expect(!merged || !seen.has(name), `twice ${name}: ` + words);
            const sums = seen.get(name) || {own: 0, below: 0, calls: 0};
            seen.set(name, {own: sums.own + (how.inverted ? 0 : own[row]), below: sums.below + cost(row),
                calls: sums.calls + nodes.calls[row]});
        }
        for (const row of before ? before.all : []) { // in the shape of before, and where it is now
            const address = before.nodes.address(row);
            const whole = pathOf(tree, parseInt(address, 10), how).slice(1);
            const is = nodes.find(address);
            const now = is < 0 ? [] : pathTo(is);
            const begins = how.inverted && now.join() === whole.slice(0, now.length).join();
            const same = now.join() === whole.join() || (before.inverted && (is < 0 || begins));
            expect(same, `${before.path(row)} became ${now}: ` + words);
        }
        for (const [name, sums] of seen) {
            const one = expected.get(name);
            expect(one, `no path ${name}: ` + words);
            expect(one && one.below === sums.below, `inclusive cost of ${name}: ` + words);
            expect(one && (how.inverted || one.own === sums.own), `self cost of ${name}: ` + words);
            expect(one && one.calls === sums.calls, `calls of ${name}: ` + words);
        }
        expect(seen.size === expected.size, 'paths are missing: ' + words);
        const sum = (list) => list.reduce((sums, one) => sums + one, 0);
        expect(sum([...nodes.roots()].map(cost)) === total, 'total: ' + words);
        return {nodes, all, path: pathTo, inverted: how.inverted};
    }
    for (let round = 0; round < 300; round++) {
        const tree = someTree();
        let before = null;
        for (const inverted of [false, true])
            for (const collapsed of [false, true])
                for (const hidden of [[], [1 + random(5)], [1, 2, 3].slice(random(3)), [1, 2, 3, 4, 5]])
                    for (const startup of [[], [1 + random(5), 1 + random(5)]])
                        before = look(
                            tree, {inverted, collapsed, hidden: new Set(hidden), startup: new Set(startup)}, before);
    }
    return wrong;
})()
"""

def random_trees(browser):
    text = ""
    for name in ("reshape.js", "calltree.js"):
        with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
            text += re.sub(r"^import .*$|^export ", "", file.read(), flags=re.M)
    rounds = int(os.environ.get("TENURE_SOAK", "1"))
    for seed in range(1, 1 + rounds):
        check(f"random trees, seed {seed}", browser.evaluate(
            RANDOM.replace("SOURCE", text).replace("SEED", str(seed))), [])


# ------------------------------------------------------------------------------------------ as SQL has it

class Shape:
    """Inclusive costs (Ir) by path of the paths of a profile; a path is a tuple of (id of a function, 0), or where
    nothing but start-up is left out (id of a function, id of the path)."""

    def __init__(self, profile, inverted=False, collapsed=False, hidden=(), startup=()):
        rows = {number: (parent, name, cost or 0) for number, parent, name, cost in profile.rows(
            "SELECT id, parent, function_id, Ir FROM paths")}
        self.names = dict(profile.rows("SELECT id, function FROM functions"))
        self.below = {}
        merged = inverted or collapsed or hidden
        for number, (_, name, cost) in rows.items():
            if inverted and name in startup:
                continue
            chain = []
            at = number
            while at is not None:
                chain.insert(0, (rows[at][1], 0 if merged else at))
                at = rows[at][0]
            path = []
            for one in chain:
                if one[0] in hidden or one[0] in startup:
                    continue
                if collapsed and one in path:
                    del path[path.index(one) + 1:]
                else:
                    path.append(one)
            path = tuple(reversed(path)) if inverted else tuple(path)
            for end in range(1, len(path) + 1):
                self.below[path[:end]] = self.below.get(path[:end], 0) + cost

    def rows(self):
        """[(a path of names, its cost)]"""
        return [(tuple(self.names[name] for name, _ in path), cost) for path, cost in self.below.items()]

    def check(self, browser, what):
        """What is drawn in the flame graph, box by box, and in the call tree, row by row."""
        address = browser.evaluate("location.hash.replace(/^#[a-z]+/, '').replace(/&n=[0-9]+/, '')")
        browser.go("#flame" + address)
        browser.wait("document.querySelector('.path')")
        boxes = browser.evaluate("[...document.querySelectorAll('.path')].map(e => [e.getAttribute('aria-label'),"
                                 " e.getAttribute('aria-level') - 1])")
        check(f"{what}: several boxes", len(boxes) > 5)
        costs = {(f"{path[-1]}, {count(cost)}", len(path) - 1) for path, cost in self.rows()}
        wrong = [box for box in boxes if tuple(box) not in costs and not box[0].startswith("hidden, ")]
        check(f"{what}: flame graph", wrong, [])
        wide = sum(cost for path, cost in self.rows() if len(path) == 1) / 20
        wanted = {(f"{path[-1]}, {count(cost)}", len(path) - 1) for path, cost in self.rows() if cost > wide}
        check(f"{what}: flame graph, all that is wide", wanted - {tuple(box) for box in boxes}, set())
        browser.go("#tree" + address)
        rows = browser.evaluate("[...document.querySelectorAll('.tr')].sort((a, b) => a.dataset.row - b.dataset.row)"
                                ".filter(e => e.querySelector('a')).map(e =>"
                                " [+e.querySelector('a').hash.match(/[0-9]+/)[0],"
                                " parseFloat(e.querySelector('.indent').style.width) / 1.1,"
                                " e.querySelector('.v').textContent])")
        path, wrong, costs = [], [], {(path, count(cost)) for path, cost in self.rows()}
        for name, depth, cost in rows:
            path[round(depth):] = [self.names[name]]
            if (tuple(path), cost) not in costs:
                wrong.append((path, cost))
        check(f"{what}: call tree: {len(rows)} rows", (len(rows) > 5, wrong), (True, []))


def terminal(profile, numbers, *words):
    """The first table of `tenure report` that has so many numbers in a row: [(the first one, the text behind them)];
    and what it says to be left out."""
    of_tables = [] if "--tree" in words else ["--show=Ir", "--limit=100000"]
    text = subprocess.run([TENURE, "report", "--sort=Ir", *of_tables, *words, profile.path],
                          capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "400"}).stdout
    table = re.split(r"^(?:Functions|Loops|Call tree) by .*$", text, flags=re.M)[1].split("  left out:")[0]
    rows = re.findall(r"^ *([\d,]+)" + r" +[\d.,]+" * (numbers - 1) + r"(  .*)$", table, re.M)
    return [(int(cost.replace(",", "")), rest) for cost, rest in rows], re.search(
        r"left out: (.*); --startup shows them$", text, re.M)[1]


def printed(browser):
    """All rows of a table, as texts by the keys of their columns."""
    return browser.evaluate(
        "(() => { dispatchEvent(new Event('beforeprint'));"
        " const rows = [...document.querySelectorAll('.printed tbody tr')].map(row => Object.fromEntries("
        "[...row.querySelectorAll('td')].map(e => [e.dataset.key, (e.querySelector('.v') || e).textContent])));"
        " dispatchEvent(new Event('afterprint')); return rows; })()")


def startup(browser, profile):
    """What `tenure report` leaves out on a terminal is left out here, until a button is pressed; totals stay."""
    (listed, said), (loops, _) = terminal(profile, 3), terminal(profile, 5, "--loops")
    listed = [(text.strip().split("  ")[0], cost) for cost, text in listed]
    every = profile.rows("SELECT id, function, Ir FROM functions")
    rest = list(listed)
    hidden = {number for number, *row in every if tuple(row) not in rest or rest.remove(tuple(row))}
    check("start-up: there is some", (len(hidden) > 20, rest), (True, []))
    shape = Shape(profile, startup=hidden)
    rows, above = [], []
    for cost, text in terminal(profile, 5, "--tree", "--threshold=0")[0]:
        above[(len(text) - len(text.lstrip()) - 2) // 2:] = [text.strip()]
        rows.append((tuple(above), cost))
    check("start-up: the terminal's tree", sorted(rows), sorted(row for row in shape.rows() if row[1]))

    share = r"\d+(\.\d+)?.%"
    for word, words, ids in (("left out", "left out: ", hidden), ("shown", "also here: ", set())):
        browser.go("#functions?e=Ir_incl&c=Ir&startup=" + ("" if ids else "1"))
        got = browser.evaluate("document.querySelector('.startup').firstChild.textContent").strip()
        check(f"start-up: {word}", (re.sub(share, "", got), abs(float(re.search(share, got)[0][:-2]) - float(
              re.search(share, said)[0][:-2])) < 0.06), (words + re.sub(share, "", said), True))
        rows = printed(browser)
        check(f"start-up, {word}: functions", sorted((row["function"], row["Ir"]) for row in rows), sorted(
            (name, count(cost)) for number, name, cost in every if number not in ids))
        check(f"start-up, {word}: how many", browser.evaluate("document.querySelector('.bar-top .dim').textContent"),
              f"{len(rows)} of {len(rows)} functions")
        Shape(profile, startup=ids).check(browser, f"start-up, {word}")
        address = browser.evaluate("location.hash.replace(/^#[a-z]+/, '')")
        browser.go("#loops" + address)
        rows = printed(browser)
        check(f"start-up, {word}: loops", len(rows), len(loops) if ids else profile.one("SELECT count(*) FROM loops"))
        browser.go("#treemap" + address)
        browser.wait("document.querySelector('.area')")
        areas = browser.evaluate("[...document.querySelectorAll('.area.leaf > span')].map(e => e.textContent)")
        check(f"start-up, {word}: treemap", ("main" in areas, "do_lookup_x" in areas), (True, not ids))
        browser.go("#overview" + address)
        check(f"start-up, {word}: overview", [browser.evaluate(
            f"[...document.querySelectorAll('.pair .short')].some(e => e.textContent.includes({json.dumps(name)}))")
            for name in ("along(", "do_lookup_x", "dl-lookup.c:")], [True, not ids, not ids])
        check(f"start-up, {word}: total", browser.evaluate(
            "document.querySelector('tr[data-event=Ir] .num').textContent"), count(sum(cost for *_, cost in every)))
    press(browser, "document.querySelector('.startup button')", "!location.hash.includes('startup=1')")
    number, = [number for number, name, _ in every if name == "do_lookup_x"]
    browser.go(f"#function/{number}?e=Ir_incl")
    browser.evaluate("[...document.querySelectorAll('.links a')].find(e => e.textContent.includes('tree')).click()")
    browser.arrive("location.hash.startsWith('#tree')")
    check("start-up: from one of its functions", browser.evaluate(
        "document.querySelector('.tr.current').textContent.includes('do_lookup_x')"))
    browser.go("#overview?startup=")


def press(browser, expression, expected):
    browser.evaluate(expression + ".click()")
    browser.arrive(expected)


def orders(browser, profile):
    browser.go("#flame?e=Ir_incl&c=Ir&startup=1")
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
    browser.go("#flame?e=Ir_incl&startup=1")
    press(browser, "document.querySelector('.bar-top .kinds:not(:has([data-choice])) button')",
          "location.hash.includes('collapsed=1')")
    shape = Shape(profile, collapsed=True)
    check("recursion: there is some", len(shape.below) < len(Shape(profile).below))
    shape.check(browser, "recursion collapsed")
    check("recursion: no mark is left", browser.evaluate("[...document.querySelectorAll('.mark')].some(e =>"
                                                         " e.textContent === 'recursive')"), False)
    browser.go("#flame?e=Ir_incl&startup=1&collapsed=1&order=bottom-up")
    Shape(profile, inverted=True, collapsed=True).check(browser, "collapsed, bottom-up")
    browser.go("#flame?e=Ir_incl&startup=1")


def hiding(browser, profile):
    """By the key, by the button, and back; also of what nobody calls, and of what is not there."""
    browser.go("#tree?e=Ir_incl&startup=1")
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
    press(browser, "document.querySelector('.bar-top .hide')", "/hidden=[0-9]+%2C/.test(location.hash)")
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
        browser.go(f"#tree?e=Ir_incl&startup=1&order={order}&hidden={number},0,-1,1e300,x,,99999999,{number}")
        check("hidden: what is there", browser.evaluate("document.querySelectorAll('.hidden button').length"), 1)
        Shape(profile, inverted=order == "bottom-up", hidden=[number]).check(browser, f"without the root, {order}")
    browser.go("#tree?e=spatialD1&c=spatialD1,CEst_incl&order=bottom-up&collapsed=1&hidden=" + str(number))
    check("hidden: ratios", any(row["spatialD1"] for row in cells(browser)) and "NaN" not in browser.evaluate(
        "document.body.innerText"))
    browser.go("#overview?e=Ir_incl&order=&collapsed=&hidden=")


def kept(browser, _):
    """Where the flame graph is zoomed into, and which branches are open, stays in other shapes of the tree."""
    def zoomed():
        browser.wait("document.querySelector('.path')")
        return browser.evaluate("[...document.querySelectorAll('.path')].slice(0, 1 + document.querySelectorAll("
                                "'.path.above').length).map(e => e.textContent)")

    def switch(selector, expected):
        press(browser, f"document.querySelector({json.dumps(selector)})", expected)
        return zoomed()
    browser.go("#flame?e=Ir_incl")
    browser.wait("document.querySelector('.path')")
    browser.evaluate("[...document.querySelectorAll('.path')].find(e => +e.getAttribute('aria-level') === 4 &&"
                     " e.textContent.startsWith('along')).click()")
    browser.arrive("location.hash.includes('n=')")
    browser.wait("document.querySelector('.path.above')")
    path = zoomed()
    check("kept: zoomed into", [name.split("(")[0] for name in path], ["main", "fold", "fold", "along"])
    check("kept: with start-up", switch(".startup button", "location.hash.includes('startup=1')")[-4:], path)
    check("kept: without start-up", switch(".startup button", "!location.hash.includes('startup=1')"), path)
    check("kept: bottom-up", switch("[data-choice=bottom-up]", "location.hash.includes('bottom-up')"), path[::-1])
    browser.evaluate("document.querySelectorAll('.path')[1].click()")
    browser.arrive("/n=[0-9]+-[0-9]+/.test(location.hash)")
    check("kept: part of it", zoomed(), path[:1:-1])
    address = browser.evaluate("location.href")
    browser.call("Page.navigate", url="about:blank")
    browser.open(address)
    check("kept: of an address", zoomed(), path[:1:-1])
    check("kept: bottom-up, collapsed", switch(".bar-top .kinds:not(:has([data-choice])) button",
                                               "location.hash.includes('collapsed=1')"), path[:1:-1])
    check("kept: no path of the tree", len(switch("[data-choice=top-down]", "location.hash.includes('top-down')")), 1)

    browser.go("#tree?e=Ir_incl")
    rows = "[...document.querySelectorAll('.tr')].filter(e => e.querySelector('[aria-expanded=true]')).map(e =>" \
           " e.querySelector('a').textContent)"
    browser.evaluate("[...document.querySelectorAll('.bar-top button')].find(e => e.textContent === 'close all')"
                     ".click()")
    for _ in range(2):
        browser.key("ArrowRight")
        browser.key("ArrowDown")
    opened = browser.evaluate(rows)
    check("kept: open", (len(opened), opened[0]), (2, "main"))
    press(browser, "document.querySelector('.startup button')", "location.hash.includes('startup=1')")
    check("kept: open, with start-up", browser.evaluate(rows)[-2:], opened)
    press(browser, "document.querySelector('.startup button')", "!location.hash.includes('startup=1')")
    press(browser, "document.querySelector('.bar-top .kinds:not(:has([data-choice])) button')",
          "location.hash.includes('collapsed=1')")
    check("kept: open, collapsed", browser.evaluate(rows), opened)
    browser.go("#overview?collapsed=")


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


def forced(browser, profile):
    """In forced colours bars and boxes keep theirs, and what is chosen differs from what is not."""
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    file = profile.one("SELECT id FROM files WHERE path LIKE '%page_program.cpp'")
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")

    def looks(selector, part=None):
        return set(browser.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})].map(e => getComputedStyle(e, {json.dumps(part)}))"
            ".map(e => e.backgroundColor + (e.outlineStyle === 'none' ? '' : ' ' + e.outline))"))
    check("forced colours: active", browser.evaluate("matchMedia('(forced-colors: active)').matches"))
    for address, part, selectors in (("overview", None, (".used", ".used span", ".verdict .kind-bar span")),
                                     ("functions", "::after", (".td.bar",)), ("flame", None, (".path",)),
                                     ("treemap", None, (".area.leaf",)), (f"source/{file}", None, (".map button",)),
                                     (f"source/{file}", "::after", (".td.bar",))):
        browser.go(f"#{address}?e=Ir")
        for selector in selectors:
            browser.wait(f"document.querySelector({json.dumps(selector)})")
            got = looks(selector, part)
            check(f"forced colours: {address}: {selector}: {got}", bool(got) and not got & {
                paper, "rgba(0, 0, 0, 0)", "rgba(255, 255, 255, 0)"})
    browser.go("#tree?e=Ir")
    for one, other in (("[aria-pressed=true]", "[aria-pressed=false]"), (".tr.current", ".tr:not(.current)")):
        check(f"forced colours: {one}", looks(one) & looks(other), set())
    picture(browser, "forced-colours")
    browser.call("Emulation.setEmulatedMedia", features=[])


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
        for step in (startup, orders, recursion, hiding, kept, finding, forced):
            step(browser, profile)
            quiet(browser, step.__name__)
        sides(browser, profile, folder)
        lineless(browser, profile, folder)
    finally:
        browser.close()


in_chromium(main)
