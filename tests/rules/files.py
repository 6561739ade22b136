#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The form of every file: licence line, opening comment, width, length, no path of anybody's machine.

    files.py ROOT

Sources are what people read and edit. Data (profiles, corpora, expected output, source archives) may have any
form, but like everything else must not name the machine it was made on.
"""
import os
import re
import sys

import tree

SOURCE = re.compile(r"(\.(c|h|inc|cpp|py|sh|S|js|css|rs|f90)|(^|/)(meson\.build|meson_options\.txt|Makefile))$"
                    r"|^tools/[a-z-]+$|^contrib/|^bench/[a-z-]+$|^\.ci/run$")
NOT_SOURCE = re.compile(r"^tools/packages$")
DATA = re.compile(r"(^|/)(corpus|expected|data|stored)(/|$)|\.(png|out|expected|raw|bin|golden|stdout|stderr)$")
DOCUMENTS = re.compile(r"\.(md|1|5|7)$")
MACHINE = re.compile(r"(?<![\w.$}*-])/(?:work|root|home)/[\w.]+")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
NULLABLE = re.compile(r"\bsqlite3_column_(text|name)\b")  # profile/base/row.h has what is never NULL
LICENCE = "SPDX-License-Identifier: GPL-2.0-or-later"
WIDTH = 120  # .clang-format aims at 110; a comment or a table may stick out a little
LINES = 900
NATIVE_APPEND = re.compile(r"\.(append|prepend|replaceChildren)\(")  # makes text of arrays; dom.js has what does not
OPENING = 3  # lines of the first comment, licence line not counted, in C files of the product; of a module's two
             # files one may say most of it, but neither says nothing


def opening_lines(text):
    """Length of the first comment after the licence line."""
    rest = text.split("\n", 1)[1] if LICENCE in text.split("\n", 1)[0] and "*/" in text.split("\n", 1)[0] else text
    match = re.match(r"\s*/\*(.*?)\*/", rest, re.S)
    if not match:
        return 0
    return len([line for line in match.group(1).splitlines() if line.strip(" *") and LICENCE not in line])


def form(name, text):
    lines = text.split("\n")
    tabs = os.path.basename(name) == "Makefile"
    if text and not text.endswith("\n"):
        yield "does not end with a newline"
    for number, line in enumerate(lines, 1):
        if line.rstrip() != line:
            yield f"line {number}: white space at the end"
        if "\t" in line and not tabs:
            yield f"line {number}: tab"
        if len(line) > WIDTH:
            yield f"line {number}: {len(line)} columns, more than {WIDTH}"
        if UNFINISHED.search(line):
            yield f"line {number}: unfinished"
    if len(lines) > LINES:
        yield f"{len(lines)} lines, more than {LINES}"


def opens_with_idea(root, name, text):
    own = opening_lines(text)
    stem, suffix = os.path.splitext(name)
    other = stem + {".c": ".h", ".h": ".c"}.get(suffix, suffix)
    if other != name and os.path.isfile(os.path.join(root, other)):
        return own >= 1 and own + opening_lines(tree.text(root, other)) >= OPENING
    return own >= OPENING


def source_complaints(root, name, text):
    licence = LICENCE if name != "include/tenure.h" else "SPDX-License-Identifier: 0BSD"
    if not any(licence in line for line in text.split("\n")[:3]):
        yield f"no '{licence}' in its first three lines"
    if name.startswith(("core/", "engine/", "profile/", "cli/")) and name.endswith((".c", ".h", ".inc")):
        if not opens_with_idea(root, name, text):
            yield f"does not open with its idea: at least {OPENING} lines of comment"
    if name.startswith("page/src/") and name != "page/src/dom.js":
        for match in NATIVE_APPEND.finditer(text):
            yield f"calls {match.group()}: page/src/dom.js has `append` and `replaceContent`"
    if name != "profile/base/row.h" and NULLABLE.search(text) and name.startswith(("profile/", "cli/")):
        yield "asks SQLite for text past profile/base/row.h"
    yield from form(name, text)


def complaints(root, name):
    text = tree.text(root, name)
    data = DATA.search(name)
    if text is None:
        if not data:
            yield "is not UTF-8"
        with open(os.path.join(root, name), "rb") as file:
            text = file.read().decode("latin-1")
    for match in MACHINE.finditer(text):
        yield f"names a path of some machine: {match.group()}"
    here = os.path.realpath(root)
    if here.count("/") > 1 and here in text:
        yield f"names the folder it lies in: {here}"
    if SOURCE.search(name) and not data and not NOT_SOURCE.search(name):
        yield from source_complaints(root, name, text)
    if DOCUMENTS.search(name) and UNFINISHED.search(text):
        yield "is unfinished"


def main():
    root = sys.argv[1]
    cases = tree.Cases()
    for name in tree.files(root):
        cases.case(name, list(complaints(root, name)))
    cases.finish()


main()
