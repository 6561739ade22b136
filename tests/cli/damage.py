#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
damage.py: no command says something false about a profile that is damaged.

A bit of each page, of the seal, and of each number of SQLite's header is another one; a page stands where another one
was; the file is cut off, or goes on: every command refuses it, with status 1, one line on stderr that names the file,
nothing on stdout, no file.

A profile that was changed since Tenure wrote it is read, and a line says so. There the first page of each table and
index, and a page at the end of each that has several, is made unreadable, one at a time: a command then either did not
need the page, and answers as it does without damage, or fails.

    damage.py TENURE
"""
import concurrent.futures
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

import filled
import sealed
from checks import check, finish

TENURE = os.path.abspath(sys.argv[1])
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '120', 'NO_COLOR': '1'}
INTERIOR = (2, 5)
SOAK = 'TENURE_SOAK' in os.environ
CHANGED = 'changed by another program after Tenure'


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


class Broken:
    """Damaged copies of the profile of a folder."""

    def __init__(self, pool, folder, profile):
        self.pool, self.path, self.sound = pool, os.path.join(folder, 'broken'), []
        for i, (got, errors) in enumerate(pool.map(lambda command: answer(command, profile, 'sound'), filled.COMMANDS)):
            self.sound.append(got)
            check(f'without damage: {" ".join(filled.COMMANDS[i])}: {errors}', (got[0], CHANGED in errors), (0, False))

    def refused(self, what, content, commands, changed=False):
        """Those of the commands that failed."""
        with open(self.path, 'wb') as file:
            file.write(content)
        results = self.pool.map(lambda i: answer(filled.COMMANDS[i], self.path, 'broken'), commands)
        failed = []
        for i, (got, errors) in zip(commands, results):
            lines = errors.splitlines(True)
            if changed:
                if got[0] == 0:
                    check(f'{what}: {" ".join(filled.COMMANDS[i])}: {errors}: it says so', CHANGED in errors, True)
                errors = ''.join(line for line in lines if CHANGED not in line)
            if judge(f'{what}: {" ".join(filled.COMMANDS[i])}', got, errors, self.sound[i]):
                failed.append(i)
        return failed


def damaged(broken, data):
    """A sealed profile. Which command reads it makes no difference, so some damage is shown to one of them only."""
    everything, turn = range(len(filled.COMMANDS)), 0

    def refused(what, content, commands=None):
        nonlocal turn
        turn += 1
        commands = commands or [turn % len(everything)]
        check(f'{what}: all fail', broken.refused(what, content, commands), list(commands))

    def flipped(at):
        return data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:]

    end = len(sealed.without(data))
    chance = random.Random(5)
    for page in range(0, end, filled.PAGE):
        at = page + chance.randrange(0 if page else 100, filled.PAGE)
        refused(f'byte {at}', flipped(at))
    for at in [*range(20, 60), *range(64, 68), *range(72, 100), *range(end, len(data))]:
        refused(f'byte {at}', flipped(at))
    for page in range(filled.PAGE, end - filled.PAGE, filled.PAGE):
        other = chance.randrange(filled.PAGE, end, filled.PAGE)
        if (SOAK or page // filled.PAGE % 8 == 0) and data[page:page + filled.PAGE] != data[other:other + filled.PAGE]:
            refused(f'page at {page} is that at {other}',
                    data[:page] + data[other:other + filled.PAGE] + data[page + filled.PAGE:])
    for page in range(filled.PAGE, end + 1, filled.PAGE if SOAK else 8 * filled.PAGE):
        refused(f'cut off at {page}', data[:page])
    middle = end // filled.PAGE // 2 * filled.PAGE + 7
    refused('a byte', flipped(middle), everything)
    for size in (len(data) - 1, end, end - 1, end // 2, end // 7, filled.PAGE, 512, 100):
        refused(f'cut off at {size}', data[:size], everything if SOAK or size == end else None)
    for what, more in (('a byte', b'\0'), ('a page', bytes(filled.PAGE)), ('the seal again', data[end:]),
                       ('all again', data)):
        refused(f'{what} behind the end', data + more, everything if SOAK or what == 'a byte' else None)


def changed(broken, data, roots):
    """A profile that is not sealed any more."""
    everything, unread = range(len(filled.COMMANDS)), []

    def without(page):
        at = filled.PAGE * (page - 1)
        return data[:at] + b'\xaa' * filled.PAGE + data[at + filled.PAGE:]

    check('changed: all answer', broken.refused('changed', data, everything, True), [])
    for i, (name, root) in enumerate(roots):
        readers = broken.refused(name, without(root), everything if SOAK else everything[i % 8::8], True)
        leaf = last_page(data, root)
        if leaf != root:
            broken.refused(f'the end of {name}', without(leaf), readers, True)
        if SOAK and not readers:
            unread.append(name)
    if SOAK:
        print('no command reads', ' '.join(unread))
    for size in (len(data) - filled.PAGE, len(data) // 2):
        check(f'changed, cut off at {size}: all fail', broken.refused(f'cut off at {size}', data[:size], everything),
              list(everything))


def by_sql(profile, statement):
    """The profile, changed in place by SQLite."""
    database = sqlite3.connect(profile)
    database.executescript(statement)
    check(f'{statement}: SQLite finds it sound', database.execute('PRAGMA integrity_check').fetchall(), [('ok',)])
    roots = database.execute('SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0').fetchall()
    database.close()
    return open(profile, 'rb').read(), roots


def main():
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        profile = filled.make(TENURE, folder)
        data = open(profile, 'rb').read()
        check('reading is no change', by_sql(profile, 'SELECT * FROM totals')[0], data)
        broken = Broken(pool, folder, profile)
        damaged(broken, data)
        for statement in ('CREATE TABLE notes(text)', 'CREATE TABLE notes(text); DROP TABLE notes', 'VACUUM'):
            shutil.copyfile(profile, broken.path)
            content, roots = by_sql(broken.path, statement)
            check(f'{statement}: all answer', broken.refused(statement, content, range(4), True), [])
        changed(broken, sealed.without(content), roots)
    sys.exit(finish())


main()
