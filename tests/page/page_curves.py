#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_curves.py: what caches of other sizes would miss, on the page: charts, tables, and the choice of a size.

    page_curves.py TENURE PROGRAM PICTURES

Numbers are compared with `tenure report` and with SQL.
"""
import json
import os
import subprocess

import browser as chromium
from shown import TENURE, cells, check, count, in_chromium, picture, quiet, record, signed, views

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
    sums = [" + ".join(f"ifnull(Dist{ways}{level}{kind}, 0)" for level in levels) for ways in WAYS]
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


def by_bytes(browser, _profile):
    """What fits in is sorted by bytes, what fits nowhere last."""
    browser.go("#sizes?startup=1")
    sizes = []
    for way, bytes_of in ("descending", -1), ("ascending", 1):
        browser.evaluate("[...document.querySelectorAll('.function_curves .th')]"
                         ".find(e => /fits/.test(e.textContent)).querySelector('button').click()")
        browser.wait(f"document.querySelector('.function_curves .th[aria-sort={way}]')?.textContent.includes('fits')")
        sizes = [row["fits_in"] for row in cells(browser, ".function_curves .table")]
        known = [bytes_of * int(size[:-1]) << (20 if size[-1] == "M" else 10) for size in sizes if size]
        check(f"fits in, {way}: {sizes}", len(set(known)) > 2 and known == sorted(known))
        check(f"fits in, {way}: nothing is last", "" in sizes[:len(known)], False)


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


def choice(browser, profile):
    """All views show LL misses with the size that is chosen."""
    browser.go("#functions?e=L1m_incl&c=LLm,LLm@2M_incl")
    offered = browser.evaluate("[...document.querySelector('select.size').options].map(e => e.textContent)")
    check("sizes", offered, [f"LL: {size(ways << 16)}" + (" (recorded)" if ways == 16 else "") for ways in WAYS])
    browser.evaluate("(e => { e.value = '384K'; e.dispatchEvent(new Event('change')); })"
                     "(document.querySelector('select.size'))")
    browser.arrive("location.hash.includes('ll=384K') && location.hash.includes('e=LLm_incl')")
    listed = {}
    keys = ("LLm@384K_incl", "LLm@384K", "LLm@2M_incl")
    for row in report(profile, "--show=" + ",".join(keys), "--sort=LLm@384K_incl", "--threshold=0",
                      "--startup")["functions"]:
        listed.setdefault(row["function"], []).append([count(row[key]) for key in keys])
    rows = cells(browser)
    check("choice: rows", len(rows) > 10)
    for row in rows:
        check(f"choice: {row['function']}", [row[key] for key in keys] in listed[row["function"]])
    share = browser.evaluate("document.querySelector('.td[data-key=\"LLm@384K_incl\"] .pct').textContent")
    check("choice: a count has a share", share.endswith("%"))
    head = browser.evaluate("document.querySelector('.th').innerText.replace(/\\s+/g, ' ')")
    check(f"choice: the heading says so: {head}", "Misses of LL if it had 384K" in head and "LLm@384K incl" in head)
    browser.evaluate("document.querySelector('button.event').click()")
    boxes = browser.evaluate("Object.fromEntries([...document.querySelectorAll('.option')].map(e => [e.dataset.event,"
                             " [e.getAttribute('aria-selected'), e.querySelector('input').checked]]))")
    check("choice: in the list of events", [boxes[name] for name in ("LLm", "LLm@2M", "LLm@1M", "L2m")],
          [["true", True], ["false", True], ["false", False], ["false", False]])
    browser.evaluate("document.querySelector('.option[data-event=\"LLm@2M\"] input').click()")
    browser.arrive("!location.hash.includes('2M')")
    browser.go("#data?ll=384K&e=LLm")
    check("choice: no column twice", [key for key in cells(browser)[0] if key.startswith("LLm")], ["LLm@384K"])
    browser.go("#overview?ll=384K&e=LLm_incl")
    totals = [browser.evaluate(f"document.querySelector('.totals tr[data-event=\"{name}\"] .num').textContent")
              for name in ("LLm", "LLm@384K")]
    known = curve(profile, ("L",), "totals", "1")
    check("choice: totals are those recorded", totals, [count(known[WAYS.index(16)]), count(known[WAYS.index(6)])])
    for view in views(browser):
        browser.go(f"#{view}?ll=384K&e=LLm_incl")
        check(f"choice: {view}", browser.evaluate("!document.querySelector('.failed')"))
    browser.go("#functions?ll=5M&e=LLm_incl")
    check("a size that is not there", browser.evaluate("document.querySelector('select.size').selectedOptions[0].text"),
          "LL: 1M (recorded)")
    check("a size that is not there: LLm", "LLm_incl" in cells(browser)[0])
    quiet(browser, "choice")


def tip_of(browser, key):
    """What is said of a number."""
    browser.move(f".tr:nth-child(2) .td[data-key='{key}']")
    browser.wait(f"document.querySelector('.tip').innerText.includes('{key}: ')")
    return browser.evaluate("document.querySelector('.tip').innerText")


def estimates(browser, profile):
    """The cycle estimate follows the size as well, in every table."""
    browser.go("#functions?e=CEst_incl&c=CEst,Time,CEst@2M")
    browser.evaluate("(e => { e.value = '384K'; e.dispatchEvent(new Event('change')); })"
                     "(document.querySelector('select.size'))")
    browser.arrive("location.hash.includes('ll=384K') && location.hash.includes('e=CEst_incl')")
    listed = {}
    keys = ("CEst@384K_incl", "CEst@384K", "Time", "CEst@2M")
    for row in report(profile, "--show=" + ",".join(keys), "--sort=CEst@384K_incl", "--threshold=0",
                      "--startup")["functions"]:
        listed.setdefault(row["function"], []).append([count(row[key]) for key in keys])
    rows = cells(browser)
    check("estimate: rows", len(rows) > 10)
    for row in rows:
        check(f"estimate: {row['function']}", [row[key] for key in keys] in listed[row["function"]])
    recorded = {count(number) for number, in profile.rows("SELECT CEst_incl FROM functions")}
    check("estimate: it costs more with less", {row["CEst@384K_incl"] for row in rows} <= recorded, False)
    said = "as recorded: it does not follow the size"
    check("estimate: Time stays, and says so", said in tip_of(browser, "Time"))
    tip = tip_of(browser, "CEst@384K")
    check(f"estimate: the formula: {tip}", "= Ir + 10 * L1m + 30 * L2m + 100 * Dist6L" in tip and said not in tip)
    browser.go("#functions?e=Ir_incl&c=Time")
    check("estimate: nothing chosen", said in tip_of(browser, "Time"), False)
    file = profile.one("SELECT id FROM files WHERE path LIKE '%page_program.cpp'")
    more = "100 * (ifnull(Dist6L, 0) - ifnull(LLm, 0))"
    for address, view in ("data", "data_objects"), ("loops", "loops"):
        browser.go(f"#{address}?e=CEst&ll=384K")
        wanted = {count(number) for number, in profile.rows(f"SELECT CEst + {more} FROM {view}")}
        rows = [row["CEst@384K"] for row in cells(browser) if row.get("CEst@384K")]
        check(f"estimate: {address}: {rows}", len(rows) > 3 and set(rows) <= wanted | {"."})
    browser.go(f"#source/{file}?e=CEst&ll=384K")
    wanted = {count(number) for number, in profile.rows(
        f"SELECT sum(CEst + {more}) FROM lines WHERE file_id = ? AND line < 50 GROUP BY line HAVING sum({more})", file)}
    rows = {row["CEst@384K"] for row in cells(browser)}
    check(f"estimate: lines: {wanted}", len(wanted) > 2 and wanted <= rows)


def percent(margin, value):
    if not value:
        return ""
    of = 100 * margin / abs(value)
    return f"{of:.1f}" if of < 1000 else count(round(of))


def sampled(browser, profile):
    """How far numbers may be off is what reports say, and with the recorded size it is what it was."""
    browser.open(profile.page())
    browser.go("#sizes")
    check("sampled: how far off", browser.evaluate(CHARTS)[0][0].count(" \u00b1\u2009"), len(WAYS))
    keys = ("CEst", "CEst@1M", "CEst@384K", "LLm", "LLm@1M", "LLm@384K")
    keys += tuple(key + "_incl" for key in keys)
    listed = {}
    rows = report(profile, "--show=" + ",".join(keys), "--sort=CEst_incl", "--threshold=0", "--startup")["functions"]
    for row in rows:
        listed.setdefault(row["function"], []).append(
            [percent(row[key + "_margin"], row[key]) for key in keys])
        for event in ("CEst", "LLm", "CEst_incl", "LLm_incl"):
            sized = event.replace("_", "@1M_") if "_" in event else event + "@1M"
            check(f"sampled: {row['function']}: {sized}", [row[sized], row[sized + "_margin"]],
                  [row[event], row[event + "_margin"]])
    browser.go("#functions?e=CEst_incl&c=" + ",".join(keys))
    rows = cells(browser, part="off")
    check("sampled: rows", len(rows) > 10)
    for row in rows:
        found = [row[key].strip("\u00b1\u2009%") for key in keys]
        check(f"sampled: {row['function']}: {found}", found in listed[row["function"]])
    browser.go("#functions?e=CEst&ll=384K&c=")
    offs = [row["CEst@384K"] for row in cells(browser, part="off")]
    check(f"sampled: with a size: {offs}", len([off for off in offs if off.startswith("\u00b1")]) > 5)


def chance(one, folder):
    """What may be chance in a difference of the estimate may be so in that with the recorded size."""
    two = record(os.path.join(folder, "more"), "more", options=["--curves=yes", "--sample=8", "--sample-seed=2"])
    found = {}
    for event in ("CEst", "CEst@1M", "LLm", "LLm@1M"):
        done = subprocess.run([TENURE, "diff", "--json", "--limit=100000", "--sort=" + event, one.path, two.path],
                              check=True, capture_output=True)
        found[event] = sorted(row["function"] for row in json.loads(done.stdout)["functions"])
    check("chance: something differs", len(found["CEst"]) > 0)
    check("chance: CEst@1M", found["CEst@1M"], found["CEst"])
    check("chance: LLm@1M", found["LLm@1M"], found["LLm"])


def both_sides(browser, profile, folder):
    other = record(os.path.join(folder, "other"), "more", options=RECORDED)
    page = os.path.join(folder, "sides.html")
    subprocess.run([TENURE, "diff", "--html", page, profile.path, other.path], check=True, stdout=subprocess.DEVNULL)
    browser.open("file://" + page)
    browser.go("#sizes")
    wanted = {f"{title}, {side}": value for side, of in (("before", profile), ("after", other))
              for title, value in expected(of, "totals", "1").items()}
    check("both sides", charts(browser), wanted)
    browser.go("#functions?e=LLm&ll=384K")
    check("both sides: columns", {"LLm@384K@before", "LLm@384K@after", "LLm@384K"} <= set(cells(browser)[0]))
    browser.go("#overview?e=LLm&ll=384K")
    totals = browser.evaluate("[...document.querySelectorAll('.totals tr[data-event=LLm] .num[data-key]')]"
                              ".map(e => e.textContent)")
    before, after = (of.one("SELECT LLm FROM totals") for of in (profile, other))
    check("both sides: totals are those recorded", totals, [count(before), count(after), signed(after - before)])
    quiet(browser, "both sides")


def main(folder):
    profile = record(os.path.join(folder, "profile"), options=RECORDED)
    browser = chromium.Browser()
    try:
        browser.open(profile.page())
        for step in (program, tables, by_bytes, chosen, choice, estimates):
            step(browser, profile)
        quiet(browser, "curves")
        both_sides(browser, profile, folder)
        odd = record(os.path.join(folder, "odd"), options=["--curves=yes", "--LL=704K,11,64"])
        browser.open(odd.page())
        browser.go("#sizes")
        wanted = words(curve(odd, ("L",), "totals", "1"), 1 << 16, (704 << 10, odd.one("SELECT LLm FROM totals")))
        check("a size between those of the curve", charts(browser)[TITLES[0]], wanted)
        estimated = record(os.path.join(folder, "sampled"), options=["--curves=yes", "--sample=8"])
        sampled(browser, estimated)
        chance(estimated, folder)
        quiet(browser, "sampled")
        browser.open(record(os.path.join(folder, "without")).page())
        check("without curves", browser.evaluate(
            "[document.querySelector('select.size').hidden, document.querySelectorAll('.curve').length,"
            " [...document.querySelectorAll('.tab')].some(e => e.textContent === 'Sizes')]"), [True, 0, False])
    finally:
        browser.close()


in_chromium(main)
