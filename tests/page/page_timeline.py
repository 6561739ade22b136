#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_timeline.py: the band of what the run cost when, and a part of the run that is chosen in it.

    page_timeline.py TENURE PROGRAM PICTURES

PROGRAM is ../cli/timeline_guest.c. Bars, words and the functions of a part are compared with SQL.
"""
import os
import re

import browser as chromium
from shown import cells, check, count, in_chromium, picture, quiet, record

WIDE, HIGH = 1000, 100


def bars(browser):
    """[(left, height, right)] of the drawing."""
    path = browser.evaluate("document.querySelector('.timeline .bars').getAttribute('d')")
    return [(float(left), HIGH - float(top), float(right))
            for left, top, right in re.findall(r"M([\d.]+) 100V([-\d.]+)H([\d.]+)V100Z", path)]


def drawn(browser, profile, start, length):
    rows = profile.rows(f"SELECT {start}, {length}, L1m FROM intervals ORDER BY id")
    begin, whole = rows[0][0], sum(row[1] for row in rows)
    rates = [cost / width if width else 0 for _, width, cost in rows]
    expected = [((at - begin) / whole * WIDE, rate / max(rates) * HIGH, (at - begin + width) / whole * WIDE)
                for (at, width, _), rate in zip(rows, rates)]
    got = bars(browser)
    check(f"bars by {length}", len(got), len(expected))
    off = [(a, b) for one, other in zip(got, expected) for a, b in zip(one, other) if abs(a - b) > 0.02]
    check(f"bars by {length} are as high and wide as in SQL", off[:3], [])


def part(browser, profile, first, last):
    """What Functions shows of it, and what the band says."""
    within = f"interval_id BETWEEN {first} AND {last}"
    own = ("count_up", "walk", "leap")
    rows = profile.rows(f"SELECT function, sum(L1m) FROM interval_functions WHERE {within} "
                        "GROUP BY function_id HAVING sum(L1m) > 0 ORDER BY 2 DESC")
    shown = [(row["function"], row["L1m"]) for row in cells(browser) if row["function"] in own]
    wanted = [(name, count(cost)) for name, cost in rows if name in own]
    check(f"functions of {first} to {last}", [row for row in shown if row[1] not in ("0", ".")], wanted)
    check("there is something", bool(wanted))
    check("no inclusive cost", [key for key in cells(browser)[0] if "_incl" in key or key == "calls"], [])
    said = browser.evaluate("document.querySelector('.timeline .bar').innerText")
    cost = profile.one(f"SELECT sum(L1m) FROM intervals WHERE id BETWEEN {first} AND {last}")
    check(f"what the band says: {said}", f"{count(cost)} L1m (" in said)


def drag(browser, begin, end):
    """From one part of the band's width to another."""
    box = browser.evaluate("(r => [r.left, r.top, r.width])(document.querySelector('.plot').getBoundingClientRect())")
    for kind, part_of in (("mousePressed", begin), ("mouseMoved", (begin + end) / 2), ("mouseMoved", end),
                          ("mouseReleased", end)):
        browser.call("Input.dispatchMouseEvent", type=kind, x=box[0] + part_of * box[2], y=box[1] + 10, button="left",
                     buttons=1, clickCount=1)


def main(folder):
    profile = record(os.path.join(folder, "profile"), "8")
    browser = chromium.Browser()
    try:
        browser.open(profile.page())
        browser.go("#functions?e=L1m")
        drawn(browser, profile, "start", "instructions")
        labels = browser.evaluate("document.querySelectorAll('.timeline .mark-at').length")
        check("labels", labels, profile.one("SELECT count(*) FROM labels"))
        picture(browser, "timeline")
        browser.go("#functions?e=L1m&axis=time")
        drawn(browser, profile, "start_ns", "duration_ns")
        walks = profile.rows("SELECT min(interval_id), max(interval_id) FROM interval_functions "
                             "WHERE function = 'walk' AND Ir > 1000")[0]
        browser.go("#functions?e=L1m_incl&when=%d-%d" % walks)
        part(browser, profile, *walks)
        picture(browser, "timeline-part")
        for function in ("walk", "leap"):
            last = profile.one("SELECT max(interval_id) FROM interval_functions WHERE function = ? AND Ir > 1000",
                               function)
            browser.go(f"#treemap?e=L1m&when={last}-{last}")
            browser.wait("document.querySelector('.area.leaf')")
            largest = browser.evaluate("[...document.querySelectorAll('.area.leaf')].sort((a, b) => b.clientWidth * "
                                       "b.clientHeight - a.clientWidth * a.clientHeight)[0].textContent")
            wanted = profile.one("SELECT function FROM interval_functions WHERE interval_id = ? ORDER BY L1m DESC",
                                 last)
            check(f"the largest area where {function} ends", largest, wanted)
        browser.go("#tree?e=L1m_incl&when=%d-%d" % walks)
        check("another view says that it does not follow",
              "whole run" in browser.evaluate("document.querySelector('.timeline .bar').innerText"))
        quiet(browser, "parts")
        for wrong in ("0-3", "9-2", "1-99999", "x"):
            browser.go(f"#functions?e=L1m&when={wrong}")
            check(f"no part {wrong}", browser.evaluate("document.querySelector('.timeline .window').hidden"))
        browser.go("#functions?e=L1m")
        drag(browser, 0.5, 0.9)
        browser.arrive("location.hash.includes('when=')")
        first, last = map(int, re.search(r"when=(\d+)-(\d+)", browser.evaluate("location.hash")).groups())
        begin, whole = profile.rows("SELECT min(start), sum(instructions) FROM intervals")[0]
        ids = [profile.one("SELECT min(id) FROM intervals WHERE start + instructions > ?", begin + of * whole)
               for of in (0.5, 0.9)]
        check("what was dragged over", max(abs(first - ids[0]), abs(last - ids[1])) <= 1)
        part(browser, profile, first, last)
        browser.go("#functions?e=L1m&when=1-1")
        browser.evaluate("document.querySelector('.plot').focus()")
        browser.key("ArrowRight", 39)
        browser.arrive("location.hash.includes('when=2-2')")
        check("the band keeps the keyboard", browser.evaluate("document.activeElement.className"), "plot")
        browser.key("Escape", 27)
        browser.arrive("!location.hash.includes('when=')")
        quiet(browser, "hands")
        without = record(os.path.join(folder, "without"), options=["--timeline=no"])
        browser.open(without.page())
        check("nothing where nothing is known", browser.evaluate("document.querySelector('.timeline').hidden"))
        quiet(browser, "without")
    finally:
        browser.close()


in_chromium(main)
