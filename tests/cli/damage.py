#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
damage.py: no command says something false about a profile that it cannot read.

The first page of each table and index, and a page at the end of each that has several, is made unreadable, one at a
time; the file is cut off. Each command then either did not need the page, and answers as it does without damage, or
fails: status 1, one line on stderr that names the file, nothing on stdout, no file.

    damage.py TENURE
"""
import concurrent.futures
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile

import filled
from checks import check, finish

TENURE = os.path.abspath(sys.argv[1])
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '120', 'NO_COLOR': '1'}
INTERIOR = (2, 5)


def last_page(data, page):
    """The last leaf below a page of a b-tree (SQLite's file format, section 1.6)."""
    at = filled.PAGE * (page - 1)
    header = at + (100 if page == 1 else 0)
    if data[header] not in INTERIOR:
        return page
    return last_page(data, struct.unpack('>I', data[header + 8:header + 12])[0])


def answer(command, profile, name):
    """Status, stdout and the file written; stderr."""
    with tempfile.TemporaryDirectory(prefix=name) as folder:
        os.symlink(profile, os.path.join(folder, 'profile'))
        done = subprocess.run(filled.words_of(TENURE, command), cwd=folder, env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=100, check=False)
        written = {name: open(os.path.join(folder, name), 'rb').read() for name in sorted(os.listdir(folder))
                   if name != 'profile'}
        return (done.returncode, done.stdout, written), done.stderr.decode()


def judge(what, got, errors, sound):
    """Whether it failed as it should; what it did if that is neither this nor the answer."""
    refused = got == (1, b'', {}) and errors.count('\n') == 1 and 'damaged' in errors and 'profile: ' in errors
    check(f'{what}: {errors[:300]!r} {got[0]} {got[1][:80]} {list(got[2])}', refused or got == sound, True)
    return refused


def main():
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        profile, broken = filled.make(TENURE, folder), os.path.join(folder, 'broken')
        data = open(profile, 'rb').read()
        database = sqlite3.connect(profile)
        roots = database.execute('SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0').fetchall()
        database.close()
        sound = {}
        for i, (got, errors) in enumerate(pool.map(lambda command: answer(command, profile, 'sound'), filled.COMMANDS)):
            sound[i] = got
            check(f'without damage: {" ".join(filled.COMMANDS[i])}: {errors}', got[0], 0)

        def damaged(what, content, commands):
            """Those of the commands that failed."""
            with open(broken, 'wb') as file:
                file.write(content)
            results = pool.map(lambda i: answer(filled.COMMANDS[i], broken, 'broken'), commands)
            return [i for i, (got, errors) in zip(commands, results)
                    if judge(f'{what}: {" ".join(filled.COMMANDS[i])}', got, errors, sound[i])]

        def without(page):
            at = filled.PAGE * (page - 1)
            return data[:at] + b'\xaa' * filled.PAGE + data[at + filled.PAGE:]

        everything, unread = range(len(filled.COMMANDS)), []
        for name, root in roots:
            readers = damaged(name, without(root), everything)
            leaf = last_page(data, root)
            if leaf != root:
                damaged(f'the end of {name}', without(leaf), readers)
            if not readers:
                unread.append(name)
        print('no command reads', ' '.join(unread))
        for size in (len(data) - 1, len(data) - filled.PAGE, len(data) // 2, len(data) // 7, filled.PAGE, 512, 100):
            check(f'cut off at {size}: all fail', damaged(f'cut off at {size}', data[:size], everything),
                  list(everything))
    sys.exit(finish())


main()
