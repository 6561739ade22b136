# SPDX-License-Identifier: GPL-2.0-or-later
#
# shown.py: what tests of the page in a browser share: TENURE PROGRAM PICTURES as arguments, a profile with its SQL, and
# what is to be seen in the browser.

import json
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profiles"))
import browser as chromium
import verdict

TENURE, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
PICTURES = sys.argv[3]
os.makedirs(PICTURES, exist_ok=True)


def check(what, got, expected=True):
    verdict.check(got == expected, f"{what}: {got!r}, expected {expected!r}")


def count(value):
    return "." if value is None else f"{value:,}".replace("-", "\u2212")


def signed(value):
    return ("+" if value and value > 0 else "") + count(value)


def record(path, *words, options=()):
    """A profile of the program."""
    subprocess.run([TENURE, "record", "-q", "--D1=32K,8,64", "--LL=1M,16,64", *options, "-o", path, PROGRAM, *words],
                   check=True, stdout=subprocess.DEVNULL)
    return Profile(path)


class Profile:
    def __init__(self, path):
        self.path = path
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def rows(self, sql, *values):
        return self.database.execute(sql, values).fetchall()

    def one(self, sql, *values):
        return self.rows(sql, *values)[0][0]

    def page(self, *options):
        subprocess.run([TENURE, "html", "-o", self.path + ".html", *options, self.path], check=True,
                       stdout=subprocess.DEVNULL)
        return "file://" + self.path + ".html"


def cells(browser, selector=".table", part="v"):
    """The rows in sight of a table, as texts by the keys of their columns; `part` of a cell, or what has no parts."""
    return browser.evaluate(
        f"[...document.querySelector({json.dumps(selector)}).querySelectorAll('.tr')]"
        ".sort((a, b) => a.dataset.row - b.dataset.row).map(row => Object.fromEntries([...row.querySelectorAll('.td')]"
        f".map(cell => [cell.dataset.key, (cell.querySelector('.{part}') || cell).textContent])))")


def quiet(browser, what):
    check(f"{what}: no text is an object's", "[object" in browser.evaluate("document.body.innerText"), False)
    check(f"{what}: nothing to complain of", browser.problems, [])
    others = [url for url in browser.requests if not url.startswith("file:")]
    check(f"{what}: asks for nothing but its file", others, [])
    check(f"{what}: no dialog", browser.dialogs, [])
    browser.problems.clear()


def picture(browser, name):
    browser.picture(os.path.join(PICTURES, name + ".png"))


def views(browser):
    names = browser.evaluate("[...document.querySelectorAll('nav .tab')]"
                             ".map(tab => tab.getAttribute('href').slice(1).split(/[?/]/)[0])")
    for name in names:
        browser.go("#" + name)
        check(f"view {name}", browser.evaluate(
            "!document.querySelector('.failed') && document.querySelector('main').innerText.length > 20"))
        quiet(browser, f"view {name}")
    return names


def in_chromium(test, *needs):
    """Runs test(folder) and ends with its verdict, or with 77 where Chromium or one of the files `needs` is missing."""
    if chromium.program() is None or not all(map(os.path.exists, needs)):
        print("Chromium (Debian package chromium) is not installed" + "".join(f", or {path}" for path in needs))
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="tenure-page.") as folder:
        test(folder)
    sys.exit(verdict.finish())
