#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_try.py: advice that was tried, and the bytes of a data structure before and after the remedy, in a real browser.

    page_try.py TENURE PROGRAM PICTURES

PROGRAM is the example cold_fields, of whose struct particle two fields are needed. What the page says is what
`tenure try` says; without --try it has the estimate, and the same picture.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser as chromium
from shown import TENURE, check, in_chromium, picture, quiet, record

FIELDS = {"x", "v"}  # that are needed
SIZE = 72            # bytes of a particle


def maps(browser):
    """Of each row of bytes their offsets."""
    return browser.evaluate("[...document.querySelectorAll('.layout .bytes')]"
                            ".map(e => [...e.children].map(byte => Number(byte.dataset.at)))")


def layout(browser, profile):
    """The rows of bytes are the element, and its parts as the remap has them."""
    before, *after = maps(browser)
    check("before", before, list(range(SIZE)))
    fields = profile.rows("SELECT field, offset, f.size FROM data_fields f JOIN data_objects d ON d.id = data_id"
                          " WHERE d.name LIKE 'struct particle%' AND f.kind = 'field'")
    needed = sorted(at for name, offset, size in fields if name in FIELDS for at in range(offset, offset + size))
    check("after", after, [needed, [at for at in before if at not in needed]])
    check("what it is", browser.evaluate("[...document.querySelectorAll('.layout > span')].map(e => e.textContent)"),
          ["before", "after", "and"])


def main(folder):
    profile = record(os.path.join(folder, "profile"), options=["--patterns=yes"])
    browser = chromium.Browser()
    try:
        browser.open(profile.page() + "#advice")
        layout(browser, profile)
        check("not tried", browser.evaluate("document.querySelector('.advice-item .mark').textContent.split(' ')[1]"),
              "confidence")
        tried = subprocess.run([TENURE, "try", "--json", profile.path, "1"], capture_output=True, check=True, text=True)
        tried = json.loads(tried.stdout)["items"][0]
        browser.close()
        browser = chromium.Browser()
        browser.open(profile.page("--try") + "#advice")
        layout(browser, profile)
        check("saved", browser.evaluate("document.querySelector('.advice-item .saving').textContent"),
              f"{tried['saved']:.1f}\u2009%")
        check("promised", browser.evaluate("document.querySelector('.advice-item .mark').textContent"),
              f"tried, {tried['promised']:.1f}\u2009% promised")
        words = browser.evaluate("document.querySelector('.advice-item').innerText")
        check("tried as", f"tried as: {tried['remaps'][0]['words']}" in words)
        check("exact", "up to" in words, False)
        picture(browser, "tried")
        quiet(browser, "tried")
    finally:
        browser.close()


in_chromium(main)
