#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_share.py: what the page says of data structures as `tenure report` says it: what threads take from one another
(--sharing), and what functions and all that they call cost in them (--under), in a real browser.

    page_share.py TENURE PROGRAM PICTURES SHARING

SHARING is a program whose threads share lines falsely. Numbers are compared with the terminal's, as JSON and SQL.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium
from shown import TENURE, Profile, cells, check, count, in_chromium, picture, quiet, record

SHARING = os.path.abspath(sys.argv[4])
COUNTS = ("false_sharing", "true_sharing", "misses")


def report(profile, *options):
    done = subprocess.run([TENURE, "report", "--json", "--threshold=0", "-n", "100000", *options, profile.path],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def at(file, line, function):
    return f"{os.path.basename(file)}:{line}" if file else function


# ------------------------------------------------------------------------------------------ sharing

def coherence(browser, profile):
    """Misses by coherence, in the picture of the traffic and beside the lines."""
    browser.go("#overview?e=D1mr&startup=1")
    lost, misses = profile.rows("SELECT ifnull(D1cr, 0) + ifnull(D1cw, 0), D1mr + D1mw FROM totals")[0]
    said = [float(number) for number in re.findall("[0-9.]+", browser.evaluate(
        "document.querySelector('.flow .lost').textContent"))]
    check(f"coherence: traffic: {said}", (abs(said[0] * 1000 - lost) <= 50,
                                          abs(said[1] - 100 * lost / misses) < 0.051), (True, True))
    rows = browser.evaluate("[...document.querySelector('.pair .short').querySelectorAll('tbody tr')].map(row =>"
                            " ['D1mr', 'D1cr'].map(key => (cell => (cell.querySelector('.v') || cell).textContent)"
                            "(row.querySelector(`[data-key=${key}]`))))")
    wanted = [[count(cost) for cost in row] for row in profile.rows(
        "SELECT D1mr, D1cr FROM lines WHERE D1mr > 0 ORDER BY D1mr DESC LIMIT 3")]
    check("coherence: lines", rows[:3], wanted)


def sharing(profile, folder):
    path = os.path.join(folder, "sharing")
    subprocess.run([TENURE, "record", "-q", "--coherence=mesi", "-o", path, SHARING], check=True,
                   stdout=subprocess.DEVNULL)
    told = Profile(path)
    said = report(told, "--sharing")
    browser = chromium.Browser()
    try:
        browser.open(told.page() + "#sharing")
        check("sharing: its view", browser.evaluate("document.body.dataset.ready"), "sharing")
        coherence(browser, told)
        browser.go("#sharing")
        sums = told.rows("SELECT sum(misses), sum(false_sharing) FROM sharing")[0]
        check("sharing: there is false sharing", sums[1] > 0)
        check("sharing: sums", f"{count(sums[0])} coherence misses: {count(sums[1])} false sharing" in
              browser.evaluate("document.querySelector('.said-sharing').textContent"))
        expected = sorted((*(count(row[key]) for key in COUNTS), row["data"] or "not known")
                          for row in said["shared_data"])
        check("sharing: data structures", sorted(tuple(row[key] for key in (*COUNTS, "data")) for row in cells(
            browser, ".shared-data .table")), expected)
        expected = sorted((*(count(row[key]) for key in COUNTS),
                           at(row["writer_file"], row["writer_line"], row["writer"]), row["written"] or "",
                           row["touched"] or "", at(row["file"], row["line"], row["victim"]),
                           row["data"] or "") for row in said["sharing"])
        got = sorted(tuple(row[key] for key in (*COUNTS, "writer", "written", "touched", "victim", "data"))
                     for row in cells(browser, ".shared-lines .table"))
        check("sharing: lines", (len(got) > 1, [row for row in got if row not in expected]), (True, []))
        threads = [[row["thread"], row["D1fw"], row["Inv"]] for row in cells(browser, ".shared-threads .table")]
        check("sharing: threads", sorted(threads), sorted(
            [f"thread {number}", count(falsely), count(ended)]
            for number, falsely, ended in told.rows("SELECT id, D1fw, Inv FROM threads")))
        picture(browser, "sharing")
        browser.evaluate("document.querySelector('.shared-lines .td[data-key=writer] a').click()")
        browser.wait("document.body.dataset.ready === 'source'")
        browser.go("#sharing")
        browser.evaluate("document.querySelector('.shared-data .td[data-key=data] a').click()")
        browser.wait("document.body.dataset.ready === 'structure'")
        quiet(browser, "sharing")
        browser.open(profile.page() + "#sharing")
        check("sharing: not recorded", (browser.evaluate("document.body.dataset.ready"), browser.evaluate(
            "document.querySelectorAll('[href^=\"#sharing\"]').length")), ("overview", 0))
    finally:
        browser.close()
    many_pairs(told, folder)


def many_pairs(told, folder):
    """More than there is room for, without a name, and with names that mean something to a browser."""
    path = os.path.join(folder, "many")
    shutil.copy(told.path, path)
    with sqlite3.connect(path) as database:
        database.execute("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)"
                         " INSERT INTO t_sharing SELECT i % 40, nullif(i % 7, 0), 5000 + i, 1 + i % 3, 1, 0,"
                         " '<b>0-7', NULL FROM n")
        database.execute("UPDATE t_functions SET function = '<img src=x onerror=alert(1)>' WHERE id % 3 = 0")
    many = Profile(path)
    rows = many.rows("SELECT sum(misses) FROM sharing GROUP BY writer, writer_file, writer_line, victim, victim_file,"
                     " victim_line, data_id ORDER BY sum(false_sharing) DESC, 1 DESC")
    browser = chromium.Browser()
    try:
        browser.open(many.page() + "#sharing")
        said = browser.evaluate("document.querySelector('.shared-lines .rest').textContent")
        check("sharing: what is left out", said,
              f"1,000 of {count(len(rows))} are in this page, with {count(sum(n for n, in rows[:1000]))} of "
              f"{count(sum(n for n, in rows))} coherence misses.")
        check("sharing: nothing is read as HTML", browser.evaluate(
            "document.querySelectorAll('main img, main b, .failed').length"), 0)
        quiet(browser, "many pairs")
    finally:
        browser.close()


# ------------------------------------------------------------------------------------------ under

def under(profile, folder):
    browser = chromium.Browser(1800, 1400)
    try:
        browser.open(profile.page() + "#overview")
        for event in ("SpLossD1", "DLmr"):
            under_functions(browser, profile, event)
        under_structures(browser, profile)
        check("under: nothing is left out", browser.evaluate("document.querySelectorAll('.under .rest').length"), 0)
        picture(browser, "under")
        quiet(browser, "under")
    finally:
        browser.close()
    crowded(profile, folder)


def under_functions(browser, profile, event):
    """Of the structure that costs most: functions with the inclusive costs of the view, and the self costs of its
    instructions."""
    number = profile.rows(f"SELECT id FROM data_objects ORDER BY {event} DESC, id LIMIT 1")[0][0]
    browser.go(f"#structure/{number}?e={event}_incl&c=L1m,spatialD1")
    own = dict(profile.rows(f"SELECT i.function_id, sum(d.{event}) FROM instruction_data d JOIN instructions i ON"
                            " i.id = d.instruction_id WHERE d.data_id = ? GROUP BY 1", number))
    expected = {}
    for function, name, all_of_it, misses, used, lost in profile.rows(
            f"SELECT function_id, function, {event}_incl, L1m_incl, UseD1_incl, SpLossD1_incl FROM function_data"
            " WHERE data_id = ?", number):
        share = f"{100 * used / (used + lost):.2f}" if used + lost else ""
        expected.setdefault(name, []).append((count(all_of_it), count(own.get(function, 0)), count(misses), share))
    rows = cells(browser, ".under .table")
    keys = (event + "_incl", event, "L1m_incl", "spatialD1_incl")
    got = [(row["function"], tuple(row[key] for key in keys)) for row in rows]
    wrong = [row for row in got if row[1] not in expected.get(row[0], [])]
    check(f"under: functions of {event}", (len(got) > 2, wrong), (True, []))
    check(f"under: all of {event}", browser.evaluate("document.querySelector('.under h2 .dim').textContent"),
          count(sum(map(len, expected.values()))))
    shown = [int(row[event + "_incl"].replace(",", "")) for row in rows if row[event + "_incl"] != "."]
    check(f"under: sorted by {event}", shown, sorted(shown, reverse=True))


def under_structures(browser, profile):
    """The same numbers as those of the terminal."""
    number = profile.one("SELECT min(id) FROM functions WHERE function = 'main'")
    browser.go(f"#function/{number}?e=SpLossD1_incl&c=L1m,LLm")
    said = report(profile, "--under=main", "--show=SpLossD1,L1m,LLm")["data_under"]
    expected = sorted((row["data"], *(count(row[event]) for event in ("SpLossD1", "L1m", "LLm"))) for row in said)
    got = sorted((row["data"], *(row[event + "_incl"] for event in ("SpLossD1", "L1m", "LLm")))
                 for row in cells(browser, ".under .table"))
    check("under: main", (len(got) > 2, [row for row in got if row not in expected]), (True, []))


def crowded(profile, folder):
    """More pairs than a page has room for: the hot ones are there, and it says so."""
    path = os.path.join(folder, "crowded")
    shutil.copy(profile.path, path)
    with sqlite3.connect(path) as database:
        database.execute("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
                         " INSERT INTO t_function_data(function_id, data_id, D1mr_incl) SELECT 1 + i % 20, 9000 + i, 0"
                         " FROM n")
    full = Profile(path)
    events = [name for name, in full.rows("SELECT name FROM events WHERE NOT derived")]
    totals = full.rows(f"SELECT {', '.join(events)} FROM totals")[0]
    hot = sum(any(abs(cost or 0) * 500 > abs(total or 0) for cost, total in zip(row, totals)) for row in full.rows(
        f"SELECT {', '.join(event + '_incl' for event in events)} FROM t_function_data"))
    pairs = full.one("SELECT count(*) FROM t_function_data")
    number = full.rows("SELECT id FROM data_objects ORDER BY SpLossD1 DESC, id LIMIT 1")[0][0]
    browser = chromium.Browser()
    try:
        browser.open(full.page() + f"#structure/{number}")
        check("under: what is left out", browser.evaluate("document.querySelector('.under .rest').textContent")
              .startswith(f"{count(hot)} of {count(pairs)} pairs of function and data structure are in this page"))
        quiet(browser, "crowded")
    finally:
        browser.close()


def main(folder):
    profile = record(os.path.join(folder, "profile"))
    sharing(profile, folder)
    under(profile, folder)


in_chromium(main)
