#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
migration.py: what docs/migration.md says about commands and options is so.

    migration.py TENURE SOURCE_ROOT

- each `tenure COMMAND --option` in it names a command and options that are there, with the values where there are any
- each option whose second column says `refused` is refused by `tenure record`, in one line that says why
- the tables name every option that Valgrind's own tools list, where they are installed
- each request of tenure.h in it is defined there, and each event in the second column is one of Tenure's
"""
import os
import re
import shutil
import subprocess
import sys

failures, cases = [], 0


def check(good, text):
    global cases
    cases += 1
    if not good:
        failures.append(text)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def rows(section):
    """Cells of the tables of a section."""
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| ") and len(cells) > 1:
            yield cells


def commands(text, tenure):
    helps = {}
    for span in re.findall(r"`(tenure [^`]*)`", text):
        words = span.split()
        if len(words) < 2 or not words[1].isalpha():
            continue
        if words[1] not in helps:
            helps[words[1]] = run(tenure, words[1], "--help")
        status, out, _ = helps[words[1]]
        check(status == 0, f"{span}: there is no command {words[1]}")
        for word in words[2:]:
            option = re.match(r"--([\w-]+)", word)
            if option and option.group(1) != "tool":
                check(re.search(rf"--{option.group(1)}[=\s]", out), f"{span}: no option {option.group(0)}")


def refusals(section, tenure):
    for cells in rows(section):
        option = re.match(r"`--([\w-]+)", cells[0])
        if not option or cells[1] != "refused":
            continue
        status, _, err = run(tenure, "record", f"--{option.group(1)}=yes", "/bin/true")
        check(status == 125 and err.count("\n") == 1 and option.group(1) in err, f"{cells[0]} is not refused: {err}")


def complete(text, tool):
    """Options that Valgrind's help lists and the table does not."""
    _, out, _ = run("valgrind", f"--tool={tool}", "--help")
    part = re.split(r"user options for ", out)[-1].split("Extra options")[0]
    for name in set(re.findall(r"^    --([\w-]+?)(?:<n>)?=", part, re.M)):
        check(f"--{name}" in text, f"{tool}: --{name} is not in the table")


def main():
    tenure, root = sys.argv[1:3]
    with open(os.path.join(root, "docs/migration.md"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(root, "include/tenure.h"), encoding="utf-8") as file:
        header = file.read()
    parts = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    commands(text, tenure)
    refusals(parts["Options of Callgrind"], tenure)
    for request in set(re.findall(r"TENURE_\w+", parts["Client requests"])):
        check(f"#define {request}" in header, f"{request} is not in tenure.h")
    with open(os.path.join(root, "core/events.inc"), encoding="utf-8") as file:
        known = file.read()
    for cells in list(rows(parts["Events"]))[1:]:
        for event in re.findall(r"`(\w+)`", cells[1]):
            word = re.match(r"(.*?)(I1|D1|L|1)$", event) if event[0] in "AS" or event[:2] == "Wb" else None
            there = word and re.search(rf"\b{word.group(1)}\b", known)
            counted = re.fullmatch(r"Ir|D[rw]|I[1L]mr|D[1L]m[rw]|B[ci]m?|L[1L]m|CEst", event)
            check(there or counted, f"event {event} is not known")
    if shutil.which("valgrind"):
        complete(parts["Options of Callgrind"], "callgrind")
        complete(parts["Options of Cachegrind"], "cachegrind")
    print("\n".join(failures))
    print(f"{cases - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


sys.exit(main())
