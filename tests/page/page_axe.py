#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""axe finds nothing wrong in any view of a page, light and dark.

    page_axe.py TENURE PROGRAM PICTURES NODE_MODULES

Needs Chromium, and axe-core in the folder NODE_MODULES (tools/install-node-modules); without them the test is skipped.
The profile has all that can be recorded, so that no view is missing.
"""
import os
import subprocess
import sys

import browser as chromium
from shown import TENURE, check, in_chromium, record, views

AXE = os.path.join(sys.argv[4], "axe-core/axe.min.js")
RUN = "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.flatMap(one => one.nodes.map(" \
      "node => one.id + ': ' + node.target + ': ' + (node.any[0] || node.all[0] || node.none[0] || {}).message)))"


def look(browser, what):
    found = browser.evaluate(RUN)
    check(f"{what}: {found[:5]}", len(found), 0)


def look_at(browser, what, page, profile):
    """Every view of a page of the profile."""
    browser.open(page)
    with open(AXE, encoding="utf-8") as file:
        browser.evaluate(file.read() + "; 0")
    function = profile.one("SELECT id FROM functions WHERE function = 'main'")
    file = profile.one("SELECT id FROM files WHERE path LIKE '%page_program.cpp'")
    structure = profile.one("SELECT data_id FROM t_instruction_data ORDER BY D1mr DESC")
    for shade in ("one shade", "the other"):
        shown = [*views(browser), f"function/{function}", f"source/{file}", f"structure/{structure}"]
        for view in shown:
            browser.go("#" + view)
            look(browser, f"{what}: {view}, {shade}")
        browser.evaluate("document.querySelector('.theme').click()")
    return shown


def toolbar(browser):
    """Above the views nothing is cut or covered, however wide the window is; one row if there is room for it."""
    cut = "[...document.querySelectorAll('header, nav, .tools, .chosen, .tab')].filter(e =>" \
          " e.scrollWidth > e.clientWidth).map(e => e.className || e.tagName)"
    over = "(all => all.flatMap((a, i) => all.slice(i + 1).filter(b => a.x < b.right && b.x < a.right && a.y <" \
           " b.bottom && b.y < a.bottom)).length)([...document.querySelectorAll(" \
           "'.brand, .tab, .search, .size, .chooser, .icon')].map(e => e.getBoundingClientRect()))"
    rows = "Boolean(document.querySelector('header.two-rows'))"
    browser.go("#overview")
    found = {}
    for width in (1000, 1100, 1200, 1300, 1400, 2000, 1300, 2000):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        browser.wait(f"innerWidth === {width} && {rows} === {'false' if width == 2000 else 'true'}")
        check(f"{width} wide: cut", browser.evaluate(cut), [])
        check(f"{width} wide: covered", browser.evaluate(over), 0)
        look(browser, f"{width} wide")
        found.setdefault(width, set()).add(browser.evaluate("document.querySelector('header').offsetHeight"))
    check(f"heights: {found}", [len(heights) for heights in found.values()], [1] * len(found))


def main(folder):
    options = ["--patterns=yes", "--interdependence=yes", "--branch-sim=yes", "--embed-source=yes", "--curves=yes",
               "--L2=128K,8,64"]
    profile = record(os.path.join(folder, "profile"), options=options)
    other = record(os.path.join(folder, "other"), "more", options=options)
    shared = record(os.path.join(folder, "shared"), "threads", options=["--coherence=mesi"])
    difference = os.path.join(folder, "difference.html")
    subprocess.run([TENURE, "diff", "--html", difference, profile.path, other.path], check=True,
                   stdout=subprocess.DEVNULL)
    browser = chromium.Browser()
    try:
        look_at(browser, "difference", "file://" + difference, profile)
        check("coherence: there is the view", "sharing" in look_at(browser, "coherence", shared.page(), shared))
        look_at(browser, "profile", profile.page(), profile)
        browser.key("?")
        browser.wait("document.querySelector('dialog[open]')")
        look(browser, "the glossary")
        browser.key("Escape")
        toolbar(browser)
        browser.evaluate("document.querySelector('.theme').click()")
        toolbar(browser)
    finally:
        browser.close()


in_chromium(main, AXE)
