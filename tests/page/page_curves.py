#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_curves.py: what caches of other sizes would miss, on the page: charts and tables.

    page_curves.py TENURE PROGRAM PICTURES

Numbers are compared with `tenure report` and with SQL.
"""
import json
import os
import subprocess

import browser as chromium
from shown import TENURE, cells, check, count, in_chromium, picture, quiet, record

WAYS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
RECORDED = ["--curves=yes", "--L2=128K,8,64"]
CHARTS = "[...document.querySelectorAll('.curve')].map(e => [e.querySelector('.bars').getAttribute('aria-label')," \
         " e.querySelector('figcaption .dim').textContent])"
TITLES = ("Misses of LL by its size (* is this recording's)", "Misses of L2 by its size (* is this recording's)")


def report(profile, *options):
    done = subprocess.run([TENURE, "report", "--json", "--limit=100000", *options, profile.path], check=True,
                          capture_output=True)
    return json.loads(done.stdout)


def size(number):
    return f"{number >> 20}M" if number % (1 << 20) == 0 else f"{number >> 10}K"


def curve(profile, levels, view, where, kind=""):
    """The misses of each size, from small to large."""
    sums = [" + ".join(f"ifnull(Dist{of}{level}{kind}, 0)" for level in levels for of in WAYS if of >= ways)
            for ways in WAYS]
    return profile.rows(f"SELECT {', '.join(sums)} FROM {view} WHERE {where}")[0]


def words(misses, way, own):
    """What a chart says: of every size, and of what fits. `own`: the recording's size, and what it misses."""
    sizes = {way * ways: number for ways, number in zip(WAYS, misses)}
    fits = None
    if misses[-1] < misses[0] / 2:
        fits = min(at for at, number in sizes.items() if number - misses[-1] <= (misses[0] - misses[-1]) / 10)
    sizes.setdefault(*own)
    star = {own[0]: " *"}
    said = "; ".join(f"{size(at)}{star.get(at, '')} {count(number)}" for at, number in sorted(sizes.items()))
    return said, f"fits in {size(fits)}: nine tenths of what 64 ways save" if fits else \
        "nothing fits: 64 ways save less than half"


def charts(browser):
    """{title: (sizes and misses, what fits)}"""
    found = {}
    for label, said in browser.evaluate(CHARTS):
        title, values = label.split(": ", 1)
        found[title] = ("; ".join(value.rsplit(" ", 1)[0] for value in values.split("; ")), said)
    return found


def expected(profile, view, where, kind=""):
    """Charts of LL and of L2."""
    found = {}
    for title, levels, misses, way, own in ((TITLES[0], ("L",), "LLm", 1 << 16, 1 << 20),
                                            (TITLES[1], ("I2", "D2"), "L2m", 1 << 14, 1 << 17)):
        known = curve(profile, levels, view, where, kind)
        if known[0]:
            of = ", inclusive" if kind else ", self" if view == "functions" else ""
            found[title + of] = words(
                known, way, (own, profile.one(f"SELECT {misses}{kind} FROM {view} WHERE {where}")))
    return found


def program(browser, profile):
    browser.go("#sizes")
    check("charts of the program", charts(browser), expected(profile, "totals", "1"))
    check("one bar is the recording's", browser.evaluate(
        "[...document.querySelectorAll('.curve .own')].map(e => e.dataset.size)"), ["1M", "128K"])
    heights = browser.evaluate("[...document.querySelectorAll('.curve')[0].querySelectorAll('.bars i')]"
                               ".map(e => e.getBoundingClientRect().height)")
    known = curve(profile, ("L",), "totals", "1")
    check("bars are as high as they miss", [
        got for got, number in zip(heights, known) if abs(got / heights[0] - number / known[0]) > 0.01], [])
    browser.evaluate("document.querySelector('.curve .bars').focus()")
    browser.key("Tab", 9)
    browser.wait("document.querySelector('.tip tr')")
    values = browser.evaluate("[...document.querySelectorAll('.tip tr')].map(e => e.children[1].textContent)")
    known = curve(profile, ("I2", "D2"), "totals", "1")
    check("values of L2 by the keyboard", values, [count(number) for number in known])
    picture(browser, "sizes")


def tables(browser, profile):
    browser.go("#sizes?startup=1")
    listed = report(profile, "--curves", "--threshold=0")
    for key, name in (("function_curves", "function"), ("data_curves", "name")):
        rows = cells(browser, f".{key} .table")
        by_name = {}
        for row in listed[key]:
            by_name.setdefault(row[name], []).append(
                [count(row["misses"]), row["curve"].strip(), row["fits_in"] or ""])
        check(f"{key}: rows", len(rows) > 5)
        for row in rows:
            found = [row["misses"], row["curve"].strip(), row["fits_in"]]
            # A data structure has the calls behind its name.
            name_of = next((one for one in by_name if row[name].startswith(one) and found in by_name[one]), None)
            check(f"{key}: {row[name]}: {found}", name_of is not None)
    loops = [[count(row["misses"]), row["curve"].strip(), row["fits_in"] or ""] for row in listed["loop_curves"]]
    rows = cells(browser, ".loop_curves .table")
    check("loop_curves: rows", len(rows) > 2)
    for row in rows:
        found = [row["misses"], row["curve"].strip(), row["fits_in"]]
        check(f"loop_curves: {row['place']}: {found}", found in loops)


def chosen(browser, profile):
    """Charts of what is chosen."""
    number = profile.one("SELECT id FROM functions WHERE function LIKE 'along%'")
    browser.go(f"#function/{number}")
    check("charts of a function", charts(browser), {**expected(profile, "functions", f"id = {number}", "_incl"),
                                                    **expected(profile, "functions", f"id = {number}")})
    picture(browser, "sizes-function")
    number = profile.one("SELECT id FROM data_objects ORDER BY Dist1D2 + Dist16D2 DESC")
    browser.go(f"#structure/{number}")
    check("charts of a data structure", charts(browser), expected(profile, "data_objects", f"id = {number}"))
    file, line, loop = profile.rows("SELECT file_id, line, id FROM t_loops WHERE function_id IN"
                                    " (SELECT id FROM functions WHERE function LIKE 'along%') ORDER BY depth DESC")[0]
    browser.go(f"#source/{file}?l={line}")
    browser.wait("document.querySelector('.panel .curve')")
    check("charts of a loop", charts(browser), expected(profile, "loops", f"id = {loop}", "_incl"))
    picture(browser, "sizes-loop")


def both_sides(browser, profile, folder):
    other = record(os.path.join(folder, "other"), "more", options=RECORDED)
    page = os.path.join(folder, "sides.html")
    subprocess.run([TENURE, "diff", "--html", page, profile.path, other.path], check=True, stdout=subprocess.DEVNULL)
    browser.open("file://" + page)
    browser.go("#sizes")
    wanted = {f"{title}, {side}": value for side, of in (("before", profile), ("after", other))
              for title, value in expected(of, "totals", "1").items()}
    check("both sides", charts(browser), wanted)
    browser.go("#functions?e=LLm@384K")
    check("both sides: columns", {"LLm@384K@before", "LLm@384K@after", "LLm@384K"} <= set(cells(browser)[0]))
    quiet(browser, "both sides")


def main(folder):
    profile = record(os.path.join(folder, "profile"), options=RECORDED)
    browser = chromium.Browser()
    try:
        browser.open(profile.page())
        for step in (program, tables, chosen):
            step(browser, profile)
        quiet(browser, "curves")
        both_sides(browser, profile, folder)
        odd = record(os.path.join(folder, "odd"), options=["--curves=yes", "--LL=704K,11,64"])
        browser.open(odd.page())
        browser.go("#sizes")
        wanted = words(curve(odd, ("L",), "totals", "1"), 1 << 16, (704 << 10, odd.one("SELECT LLm FROM totals")))
        check("a size between those of the curve", charts(browser)[TITLES[0]], wanted)
        browser.open(record(os.path.join(folder, "sampled"), options=["--curves=yes", "--sample=8"]).page())
        browser.go("#sizes")
        check("sampled: how far off", browser.evaluate(CHARTS)[0][0].count(" \u00b1\u2009"), len(WAYS))
        quiet(browser, "sampled")
        browser.open(record(os.path.join(folder, "without")).page())
        check("without curves", browser.evaluate(
            "[document.querySelectorAll('.curve').length,"
            " [...document.querySelectorAll('.tab')].some(e => e.textContent === 'Sizes')]"), [0, False])
    finally:
        browser.close()


in_chromium(main)
