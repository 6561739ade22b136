#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
hostile.py: profiles that nobody's Tenure wrote.

Whatever rows and tables a file has, each command ends, with an answer or with one line and status 1, and executes
nothing that the file holds. Each change is seen by a fourth of the commands; TENURE_SOAK: every column by itself, by
TENURE_SOAK of 40 commands, others for each.

    hostile.py TENURE
"""
import concurrent.futures
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import filled
import sealed
from checks import check, finish

TENURE = os.path.abspath(sys.argv[1])
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '120', 'NO_COLOR': '1'}
VALUES = ('NULL', "'text'", "x'00ff'", '-1', '9223372036854775807', '-9223372036854775808', '1e300')

CYCLES = [f'UPDATE {table} SET parent = id' for table in ('t_loops', 't_inlined', 't_data_paths', 't_paths')] + [
    f'UPDATE {table} SET parent = 1 + id % 7 WHERE id <= 7' for table in ('t_loops', 't_inlined', 't_data_paths',
                                                                          't_paths')]

# What may not be in a schema.
SCHEMAS = {
    'view that never ends': "DROP VIEW functions; CREATE VIEW functions AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
                            "SELECT i + 1 FROM n) SELECT i AS id, i AS function FROM n",
    'view of another table': 'DROP VIEW totals; CREATE VIEW totals AS SELECT * FROM t_functions t',
    'view with more': "UPDATE sqlite_schema SET sql = replace(sql, ' FROM ', ', abs(1) AS \"x\" FROM ') WHERE name = "
                      "'totals'",
    'view that selects more': "UPDATE sqlite_schema SET sql = replace(sql, ' FROM ', ', (SELECT 1) AS \"x\" FROM ') "
                              "WHERE name = 'totals'",
    'view in place of a table': 'ALTER TABLE t_loops RENAME TO other; CREATE VIEW t_loops AS SELECT * FROM other',
    'virtual table': 'DROP TABLE stats; CREATE VIRTUAL TABLE stats USING fts4(name, value)',
    'another virtual table': 'CREATE VIRTUAL TABLE own USING fts4(name)',
    'statistics that may be false': 'ANALYZE',
    'trigger': 'CREATE TRIGGER own AFTER DELETE ON stats BEGIN SELECT 1; END',
    'generated column': 'DROP TABLE stats; CREATE TABLE stats(name TEXT PRIMARY KEY, value INTEGER AS (length(name)))',
    'table without a column': 'ALTER TABLE t_totals DROP COLUMN Ir',
    'no table': 'DROP TABLE t_pairs',
    'no view': 'DROP VIEW pairs',
    'unit of an event': "UPDATE events SET unit = 'a' || char(8238) || 'b' WHERE name = 'CEst'",
    'name of an event': "UPDATE events SET name = 'a' || char(10) || 'b' WHERE name = 'CEst'",
}
OWN = ('CREATE TABLE notes(text); CREATE INDEX fast ON t_functions(line); CREATE VIEW own AS WITH RECURSIVE n(i) AS '
       '(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n')

# What a terminal obeys, what nobody sees, what turns the direction of writing, what a spreadsheet computes.
EVIL = "'=1+2|' || char(27) || '[2J' || char(155) || '2J' || char(8238) || char(1564) || char(8203) || char(7) || 'x'"
TEXTS = (('t_functions', 'function'), ('t_functions', 'base'), ('t_functions', 'symbol'), ('files', 'path'),
         ('objects', 'path'), ('meta', 'value'), ('sources', 'text'), ('t_data', 'name'), ('t_inlined', 'name'),
         ('t_statements', 'function'), ('events', 'long_name'), ('events', 'title'), ('events', 'category'),
         ('events', 'option'), ('units', 'host'))

REFUSED = ("SELECT fts3_tokenizer('simple')", "SELECT fts3_tokenizer('simple', x'0000000000000000')",
           "SELECT load_extension('x')", "ATTACH ':memory:' AS a", 'CREATE TEMP VIRTUAL TABLE a USING fts4(b)',
           'PRAGMA writable_schema = ON', 'PRAGMA trusted_schema = ON', "SELECT * FROM fsdir('/')",
           "SELECT readfile('profile')", "SELECT writefile('profile', 'x')", "SELECT edit('x')", 'VACUUM',
           'DELETE FROM meta')


def run(command, folder):
    return subprocess.run(filled.words_of(TENURE, command), cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=100, check=False)


def ends(what, statements, commands, profile, sealed_then=True):
    """Each command on a changed copy, which is sealed again; those that failed, and what they said."""
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        given, output = os.path.join(folder, 'profile'), os.path.join(folder, 'output')
        shutil.copy(profile, given)
        database = sqlite3.connect(given)
        database.execute('PRAGMA writable_schema = ON')
        database.executescript(statements)
        database.close()
        if sealed_then:
            sealed.seal(given)
        for command in commands:
            try:
                done = run(command, folder)
            except subprocess.TimeoutExpired:
                check(f'{what}: {" ".join(command)} ends', False, True)
                continue
            errors = done.stderr.decode()
            good = done.returncode == 0 or (done.returncode == 1 and errors.count('\n') == 1 and not done.stdout)
            check(f'{what}: {" ".join(command)}: {done.returncode} {errors[:300]!r}', good, True)
            if done.returncode == 0 and os.path.exists(output):
                os.unlink(output)
            check(f'{what}: {" ".join(command)} leaves no file', os.listdir(folder), ['profile'])
            if done.returncode:
                said[' '.join(command)] = errors
    return said


def some(turn, step=4):
    """Every fourth of the commands, another fourth in each turn."""
    return filled.COMMANDS[turn % step::step]


def changes(database):
    """A name and statements each: tables without rows, and columns with values that no Tenure writes."""
    tables = [name for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    alone = 0
    for i, table in enumerate(tables):
        yield f'{table} is empty', f'DELETE FROM {table}', some(i)
        columns = [(name, kind) for _, name, kind, _, _, key in database.execute(f'PRAGMA table_info({table})')
                   if not (key and kind == 'INTEGER')]
        indices = database.execute(f'PRAGMA index_list({table})').fetchall()
        unique = any('autoindex' in index[1] for index in indices)
        for k, value in enumerate(VALUES):
            chosen = [name for name, _ in columns if value == 'NULL' or not unique]
            if chosen and (value == 'NULL' or (i + k) % 3 == 0):
                yield (f'{table} {value}', f'UPDATE {table} SET ' + ', '.join(f'"{name}" = {value}' for name in chosen),
                       some(i + k))
            for name in chosen if filled.SOAK else []:
                alone += 1
                yield (f'{table} {value} {name}', f'UPDATE {table} SET "{name}" = {value}',
                       some(alone, max(1, 40 // filled.SOAK)))
    for turn, (table, column) in enumerate((
                          ('events', 'formula'), ('events', 'long_name'), ('events', 'type'), ('meta', 'value'),
                          ('objects', 'path'), ('files', 'path'), ('t_functions', 'function'),
                          ('t_functions', 'file_id'), ('t_functions', 'base_id'), ('sources', 'text'),
                          ('t_data', 'name'), ('t_inlined', 'name'), ('t_statements', 'file_id'), ('units', 'kind'),
                          ('t_pairs', 'cache'), ('t_conflicts', 'cache'))):
        yield f'{table}.{column}', f'UPDATE {table} SET {column} = NULL', some(turn)


def schemas(profile):
    for turn, (what, statements) in enumerate(SCHEMAS.items()):
        commands = some(turn)
        said = ends(what, statements, commands, profile)
        check(f'{what}: refused by all', len(said), len(commands))
        check(f'{what}: {sorted(set(said.values()))}', all('the profile is damaged' in line for line in said.values()),
              True)
    check('tables of a user', ends('tables of a user', OWN, filled.COMMANDS, profile), {})
    check('changed and not sealed', ends('changed', OWN, filled.COMMANDS, profile, False), {})
    table = ['export', '--format=csv', '--table=own', '@']
    check('a view of a user is not exported', list(ends('view', OWN, [table], profile)), [' '.join(table)])
    said = ends('write-ahead', 'PRAGMA journal_mode = WAL', filled.COMMANDS, profile, False)
    check(f'write-ahead: {sorted(set(said.values()))}: refused by all',
          sum('write-ahead mode' in line for line in said.values()), len(filled.COMMANDS))


def texts(profile):
    """Names are shown, and nothing in them is obeyed."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(profile, folder)
        database = sqlite3.connect(os.path.join(folder, 'profile'))
        for table, column in TEXTS:
            columns = [row[1] for row in database.execute(f'PRAGMA table_info({table})')]
            if column in columns:
                database.execute(f'UPDATE {table} SET {column} = {EVIL} || {column}')
        database.commit()
        database.close()
        sealed.seal(os.path.join(folder, 'profile'))
        for command in [command for command in filled.COMMANDS if '+' not in command and command[0] != 'try' and
                        '=f' not in ' '.join(command)] + [
                ['export', '--format=csv', '@'], ['report', '--csv', '@'],
                ['sql', '--csv', '@', 'SELECT function FROM functions']]:
            done = run(command, folder)
            shown = done.stdout.decode()
            check(f'texts: {" ".join(command)}: {done.stderr}', done.returncode, 0)
            bad = set(char for char in shown if char not in '\r\n\t' and (char < ' ' or '\x7f' <= char < '\xa0'))
            check(f'texts: {" ".join(command)}: controls', bad, set())
            if not {'--json', '--csv', 'export'} & set(command):
                check(f'texts: {" ".join(command)}: hidden', set(shown) & set('\u202e\u061c\u200b'), set())
            elif '--csv' in command or '--format=csv' in command:
                check(f'texts: {" ".join(command)}: computed',
                      [field for field in shown.replace('"', '').replace('\r\n', ',').split(',')
                       if field.startswith('=')], [])


def queries(profile):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(profile, os.path.join(folder, 'profile'))
        for query in REFUSED:
            done = run(['sql', '@', query], folder)
            check(f'{query}: {done.stderr}', (done.returncode, done.stdout, done.stderr.count(b'\n')), (1, b'', 1))
        check('the profile is as it was', open(os.path.join(folder, 'profile'), 'rb').read() ==
              open(profile, 'rb').read(), True)
        forever = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
        running = subprocess.Popen(filled.words_of(TENURE, ['sql', '@', forever]), cwd=folder, stdin=subprocess.DEVNULL)
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        check('a query ends when it is asked to', running.wait(60), -signal.SIGINT)


def main():
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        profile = filled.make(TENURE, folder)
        check('without changes', ends('without changes', '', filled.COMMANDS, profile), {})
        database = sqlite3.connect(profile)
        todo = list(changes(database)) + [(statement, statement, some(turn)) for turn, statement in
                                          enumerate(CYCLES)]
        database.close()
        for _ in pool.map(lambda one: ends(*one, profile), todo):
            pass
        schemas(profile)
        texts(profile)
        queries(profile)
    sys.exit(finish())


main()
