#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
check.py: `tenure check` finds profiles sound that Tenure has written, and says what is wrong with others.

    check.py TENURE
"""
import json
import os
import shutil
import sqlite3
import sys
import tempfile

import filled
import raw_make
import sealed
from checks import check, finish, run

TENURE = os.path.abspath(sys.argv[1])
PLAIN = {**os.environ, 'LC_ALL': 'C.UTF-8', 'NO_COLOR': '1'}

# What is wrong with a profile that is sealed all the same, and what is said of it.
WRONG = (
    ('UPDATE t_functions SET Ir = Ir + 1 WHERE id = (SELECT min(id) FROM t_functions WHERE Ir IS NOT NULL)',
     'Ir of all functions is not the total'),
    ('UPDATE t_lines SET Dr = Dr + 1 WHERE id = (SELECT min(id) FROM t_lines WHERE Dr IS NOT NULL)',
     'Dr of all lines is not the total'),
    ('UPDATE t_instructions SET EvD1 = EvD1 + 1 WHERE id = (SELECT min(id) FROM t_instructions WHERE EvD1 IS NOT NULL)',
     'EvD1 of all instructions is not the total'),
    ('UPDATE threads SET Ir = Ir + 1 WHERE id = 1', 'Ir of all threads is not the total'),
    ('UPDATE parts SET Ir = Ir - 1 WHERE part = 1', 'Ir of all parts is not the total'),
    ('UPDATE t_self SET Ir = Ir - 1 WHERE rowid = 1', 'Ir of all costs by thread is not the total'),
    ('UPDATE t_paths SET Ir_incl = Ir_incl - 1 WHERE parent IS NULL AND Ir_incl > 0',
     'Ir of all roots of paths is not the total'),
    ('UPDATE t_arcs SET callee_id = 999 WHERE id = 1', 't_arcs.callee_id of 1 rows refers to none of t_functions'),
    ('UPDATE t_paths SET parent = 9999 WHERE id = 1', 't_paths.parent of 1 rows refers to none of t_paths'),
    ('DELETE FROM t_data WHERE id = 1', 'refers to none of t_data'),
    ("CREATE INDEX own ON t_functions(line); PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT "
     "rootpage FROM sqlite_schema WHERE name = 't_lines') WHERE name = 'own'", '2nd reference to page'),
)


def told(*files, options=()):
    return run([TENURE, 'check', *options, *files], env=PLAIN)


def is_sound(path, words):
    status, out, errors = told(path)
    check(f'{path}: {out}{errors}', (status, out.startswith(f'{path}: sound ({words}'), out.count('\n'), errors),
          (0, True, 1, ''))


def is_wrong(what, path, words):
    status, out, errors = told(path)
    check(f'{what}: {out}{errors}', (status, out, errors.count('\n'), errors.startswith(f'tenure: {path}: ')),
          (1, '', 1, True))
    check(f'{what}: {errors}', words in errors, True)


def profiles(folder):
    """Sound ones, of every command that writes them."""
    made = {}

    def make(name, *words):
        made[name] = os.path.join(folder, name)
        check(f'{name} is made', run([TENURE, *words, '-o', made[name]])[0], 0)

    for i, more in enumerate(({}, {'parts': 3, 'threads': 2})):
        raw = os.path.join(folder, f'{i}.raw')
        raw_make.Random(seed=3 + i, functions=12, nodes=60, **more).write(raw)
        is_sound(raw, 'raw profile, format ')
        make(f'import{i}', 'import', '-q', raw)
    make('merge', 'merge', '-q', '--keep=thread', made['import0'], made['import1'], made['import1'])
    make('diff', 'diff', made['import0'], made['import1'])
    make('anonymous', 'merge', '-q', made['import1'])
    callgrind = os.path.join(folder, 'callgrind.out')
    run([TENURE, 'export', '--format=callgrind', '-o', callgrind, made['import1']])
    make('foreign', 'import', '-q', callgrind)
    for path in made.values():
        is_sound(path, 'schema ')
    return made


def wrong(folder, profile):
    path = os.path.join(folder, 'wrong')
    for statement, words in WRONG:
        shutil.copy(profile, path)
        database = sqlite3.connect(path)
        database.executescript(statement)
        database.close()
        is_wrong(f'{statement}, changed', path, '')
        sealed.seal(path)
        is_wrong(statement, path, words)
    shutil.copy(profile, path)
    database = sqlite3.connect(path)
    for statement in ('UPDATE t_totals SET Ir = {}', 'UPDATE t_functions SET Ir = {} WHERE Ir IS NOT NULL'):
        database.execute(statement.format(2**63 - 1))
    database.commit()
    database.close()
    sealed.seal(path)
    is_sound(path, 'schema ')  # no sum
    shutil.copy(profile, path)
    database = sqlite3.connect(path)
    database.execute('CREATE TABLE notes(text)')
    database.close()
    is_wrong('a table more', path, 'changed by another program')
    with open(profile, 'rb') as file:
        data = file.read()
    for what, content, words in (('a byte', data[:5000] + bytes([data[5000] ^ 4]) + data[5001:], 'between byte 0 and'),
                                 ('cut off', data[:-1], 'its end is missing'), ('empty', b'', 'empty file'),
                                 ('more', data + b'x', 'something behind its end'),
                                 ('seal', data[:-12] + b'abcd' + data[-8:], 'checksums cannot be read')):
        with open(path, 'wb') as file:
            file.write(content)
        is_wrong(what, path, words)


def left_behind(folder, profile):
    """What another file of that name had beside it is no part of a profile; and names that mean something in a URI."""
    path, journal = os.path.join(folder, 'left %41?#'), os.path.join(folder, 'hot')
    shutil.copy(profile, path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute('PRAGMA journal_mode = WAL')
    other.execute('UPDATE t_totals SET Ir = Ir + 1')
    shutil.copy(f'{path}-wal', journal)
    other.close()
    shutil.copy(profile, path)
    shutil.move(journal, f'{path}-wal')
    before = sorted(os.listdir(folder))
    is_sound(path, 'schema ')
    check('files', sorted(os.listdir(folder)), before)
    here = os.getcwd()
    os.chdir(folder)
    is_sound(os.path.basename(path), 'schema ')
    is_sound(f'.//{os.path.basename(path)}', 'schema ')
    is_sound(f'/{path}', 'schema ')
    os.chdir(here)


def raw(folder):
    with open(os.path.join(folder, '1.raw'), 'rb') as file:
        data = file.read()
    path = os.path.join(folder, 'wrong.raw')
    for what, content in [(f'cut off at {size}', data[:size]) for size in (20, len(data) // 2, len(data) - 1)] + [
            (f'a byte at {at}', data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
            for at in (16, 20, 24, 28, 40, len(data) // 3, len(data) - 2)]:
        with open(path, 'wb') as file:
            file.write(content)
        is_wrong(what, path, '')


def torn(folder):
    """A raw profile that is cut off behind its first part: what is whole, `import` alone makes a profile of."""
    path, kept, whole = (os.path.join(folder, name) for name in ('torn.raw', 'torn', '0.raw'))
    raw_make.Random(seed=3, functions=4, nodes=8, parts=2).write(path, chunk=300)
    with open(path, 'r+b') as file:
        file.truncate(os.path.getsize(path) - 7)
    for words in (['report', path], ['export', '--format=json', path], ['merge', '-o', kept, path, whole],
                  ['diff', path, path], ['sql', path, 'SELECT 1']):
        status, out, errors = run([TENURE, *words], env=PLAIN)
        check(f'{words[0]} of a torn file: {errors}', (status, out, errors.count('\n'), 'the middle of a' in errors,
                                                      '`tenure import`' in errors, os.path.exists(kept)),
              (1, '', 1, True, True, False))
    check('import of a torn file', run([TENURE, 'import', '-q', '-o', kept, path], env=PLAIN)[0], 1)
    is_sound(kept, 'schema ')


def several(good, folder):
    missing, changed = os.path.join(folder, 'missing'), os.path.join(folder, 'wrong')
    status, out, errors = told(missing, good, changed, good)
    check('several', (status, out.count('\n'), errors.count('\n')), (1, 2, 2))
    status, out, errors = told(missing, good, os.path.join(folder, '0.raw'), options=['--json'])
    answer = json.loads(out)
    check('JSON', (status, errors, [one['sound'] for one in answer], [sorted(one) for one in answer]),
          (1, '', [False, True, True], [['file', 'sound', 'why'], ['file', 'rows', 'schema', 'sound'],
                                        ['file', 'format', 'parts', 'sound']]))
    database = sqlite3.connect(good)
    rows = sum(database.execute(f'SELECT count(*) FROM {name}').fetchone()[0] for name, in
               database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall())
    database.close()
    check('rows', answer[1]['rows'], rows)
    check('no file', told()[0], 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = profiles(folder)
        wrong(folder, made['import1'])
        left_behind(folder, made['import1'])
        raw(folder)
        torn(folder)
        several(made['merge'], folder)
        is_wrong('not as rows add up', filled.make(TENURE, folder), 'is not the total')
    sys.exit(finish())


main()
