#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two runs of one program have the same counts, whatever surrounds it.

usage: repeat.py TENURE GUEST

Recorded again and again, with one thing changed each time: nothing, the environment's size, the user's name, the
working directory, and the system's randomisation of addresses off (setarch -R). Every instruction at every
address, every call, every call path and every total must be the same. The environment changes only for GUEST, which
does not look at it: the strings that xz and sqlite3 read there lie where the lengths of the others put them
(docs/model.md, section 13). xz and sqlite3 run under Valgrind only: the native engine runs the kernel's own functions
for the time, whose path depends on it, and counts the lanes of masked accesses, which depend on what lies behind a
string.
"""
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SQL = ["select * from totals", "select * from instructions order by address, id", "select * from arcs order by id",
       "select * from paths order by id", "select * from functions order by id"]
GEOMETRY = ['--I1=8192,2,64', '--D1=8192,2,64', '--LL=131072,4,64'] # small: more depends on addresses
PLAIN = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'HOME': '/', 'USER': 'me', 'FILLER': ''}


def rows(path):
    database = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
    try:
        return [database.execute(query).fetchall() for query in SQL]
    finally:
        database.close()


def recorded(tenure, command, folder, engine, prefix=(), environment=None, directory='.'):
    out = os.path.join(folder, 'out')
    directory = os.path.join(folder, directory)
    os.makedirs(directory, exist_ok=True)
    if os.path.exists(out):
        os.unlink(out)
    record = [tenure, 'record', '--quiet', '--branch-sim=yes', '--engine=' + engine, *GEOMETRY, '--out=' + out]
    done = subprocess.run([*prefix, *record, '--', *command], cwd=directory, env={**PLAIN, **(environment or {})},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300,
                          check=False)
    if done.returncode:
        sys.exit('%s: status %d\n%s' % (command[0], done.returncode, done.stderr.decode('utf-8', 'replace')))
    return rows(out)


def difference(first, other):
    for query, want, got in zip(SQL, first, other):
        if want != got:
            number = sum(a != b for a, b in zip(want, got)) + abs(len(want) - len(got))
            row = next((pair for pair in zip(want, got) if pair[0] != pair[1]), (len(want), len(got)))
            return '%s: %d rows, the first %s, not %s' % (query.split()[3], number, row[1], row[0])
    return None


def changes(alone):
    yield 'again', {}
    yield 'another directory', {'directory': 'a' * 100 + '/' + 'b' * 77}
    if alone:
        yield 'a larger environment', {'environment': {'FILLER': 'x' * 12345}}
        yield 'another user', {'environment': {'USER': 'somebody-with-a-longer-name'}}
        yield 'more strings', {'environment': {'V%d' % i: 'x' * i for i in range(100)}}
    if shutil.which('setarch') and subprocess.run(['setarch', '-R', 'true'], check=False).returncode == 0:
        yield 'without randomisation', {'prefix': ['setarch', '-R']}


def main():
    tenure, guest = map(os.path.abspath, sys.argv[1:])
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
        data = os.path.join(folder, 'data')
        with open(data, 'wb') as file:
            file.write(random.Random(1).randbytes(3000) * 5)
        programs = [('native', [guest], True), ('valgrind', [guest], True),
                    ('valgrind', ['/usr/bin/xz', '-1', '-T1', '-k', '-c', data], False),
                    ('valgrind', ['/usr/bin/sqlite3', '-init', '/dev/null', ':memory:', 'create table t(a, b); '
                                  'insert into t values (1, 2), (3, 4); select sum(a * b) from t;'], False)]
        for engine, command, alone in programs:
            first = recorded(tenure, command, folder, engine)
            for what, how in changes(alone):
                different = difference(first, recorded(tenure, command, folder, engine, **how))
                passed, failed = passed + (not different), failed + bool(different)
                if different:
                    print('%s, %s, %s: %s' % (os.path.basename(command[0]), engine, what, different))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
