#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
module.py: what the Python module says of a profile is what the commands say of it, and it refuses what they refuse.

    module.py TENURE
"""
import ast
import contextlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, folder) for folder in ('../../python', '../cli', '../profiles')]
import filled
import raw_make
import sealed
import tenure
from checks import check, finish

TENURE = os.path.abspath(sys.argv[1])
MODULE = tenure.__file__


def asked(*words):
    return json.loads(subprocess.run([TENURE, *words], check=True, capture_output=True, text=True).stdout)


def refusal(call):
    try:
        call()
    except tenure.Error as error:
        return str(error)
    return 'no error'


def near(a, b):
    return a == b or isinstance(a, float) and isinstance(b, (int, float)) and abs(a - b) <= 1e-6 * abs(a)


def rows_of_sql(path, query):
    database = sqlite3.connect(path)
    database.text_factory = lambda text: text.decode('utf-8', 'backslashreplace')
    rows = database.execute(query).fetchall()
    database.close()
    return rows


def tables(path):
    """Every public table and view, whole; sorted and cut by SQL and here."""
    profile = tenure.open(path)
    public = {name for name, in rows_of_sql(path, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND "
                                                  "substr(name, 1, 2) <> 't_' AND name NOT LIKE 'sqlite%'")}
    check('tables', {name for name in dir(profile) if name in public}, public)
    for name in sorted(public - {'meta', 'totals'}):
        table = getattr(profile, name)
        want = rows_of_sql(path, f'SELECT * FROM "{name}"')
        check(name, [tuple(row) for row in table], want)
        check(name + ', how many', len(table), len(want))
        print(repr(table)[:0] + table._repr_html_()[:0], end='')
    check('totals', tuple(profile.totals), rows_of_sql(path, 'SELECT * FROM totals')[0])
    check('meta', profile.meta, dict(rows_of_sql(path, 'SELECT * FROM meta')))
    check('data', profile.data.name, 'data_objects')
    with profile:
        lines = profile.lines.sort('LLm_incl')
        check('the third row, alone', (tuple(lines[2]), lines._rows), (tuple(list(lines)[2]), None))
        try:
            print(lines.head(2)[2])
            check('beyond the end', 'no error', 'IndexError')
        except IndexError:
            pass
        values = [value for value, in rows_of_sql(path, 'SELECT LLm_incl FROM lines ORDER BY LLm_incl IS NULL, '
                                                        'LLm_incl DESC')]
        check('sorted by SQL', [row.LLm_incl for row in lines], values)
        check('sorted here', [row['LLm_incl'] for row in profile.lines[0:].filter(bool).sort('LLm_incl')], values)
        check('smallest first', [row.LLm_incl for row in profile.lines.sort('LLm_incl', ascending=True)][0], min(
            value for value in values if value is not None))
        check('head', [row[0] for row in lines.head(3)], [row[0] for row in lines[:3]])
        check('head of head, and beyond', (len(lines.head(9).head(3)), len(lines.head(3).head(9)), len(lines[10:]),
                                           len(lines.head(0)), len(lines[:0])), (3, 3, len(values) - 10, 0, 0))
        check('sort what was cut', [row.id for row in lines.head(9).sort('id')], sorted(
            (row.id for row in lines[:9]), reverse=True))
        check('filter', len(lines.filter(lambda row: row.line is None)), sum(row.line is None for row in lines))
        check('select', dict(lines.select('function', 'LLm_incl')[0]), {
            'function': lines[0].function, 'LLm_incl': lines[0].LLm_incl})
        check('last', lines[-1].keys(), lines.columns)
        check('near', refusal(lambda: lines.sort('LLm_inc')).split(';')[0], "lines has no column 'LLm_inc'")
        check('near, names', 'LLm_incl' in refusal(lambda: lines.sort('LLm_inc')), True)
        check('near, row', 'function' in refusal(lambda: lines[0].functions), True)
        check('near, table', 'functions' in refusal(lambda: profile.function), True)
        check('not there', (hasattr(profile, 'nothing'), hasattr(lines[0], 'nothing')), (False, False))
    check('closed', 'closed' in refusal(lambda: len(profile.lines)), True)


def reports(path):
    profile = tenure.open(path)
    report = asked('report', '--json', '--limit=100000', '--sort=LLm_incl', '--show=LLm_incl,CEst', path)
    for name, value in report['totals'].items():
        if name in profile.totals.keys():
            check('total of ' + name, near(profile.totals[name], value), True)
    got = {(row.function, row.object, row.file, row.line, row.LLm_incl, row.CEst) for row in profile.functions}
    want = {(row['function'], row['object'], row['file'], row['line'], row['LLm_incl'], row['CEst'])
            for row in report['functions']}
    check('functions of report', want <= got and len(want) > 0, True)


def differences(old, new):
    for event in ('CEst', 'LLm_incl', 'Ir'):
        want = {}
        for row in asked('diff', '--json', '--limit=100000', '--sort=' + event, old, new)['functions']:
            key = row['function'], row['file'], row['object'] if row['file'] is None else None, row['state']
            want.setdefault(key, []).append(tuple(row[event + side] for side in ('_difference', '_baseline', '_new')))
        got = {}
        for row in tenure.open(old).diff(tenure.open(new), event):
            key = row.function, row.file, row.object if row.file is None else None, row.state
            got.setdefault(key, []).append((row[event], row[event + '_baseline'], row[event + '_new']))
        check(f'diff of {os.path.basename(old)} by {event}', {k: sorted(v) for k, v in got.items()},
              {k: sorted(v) for k, v in want.items()})
    check('diff with itself', len(tenure.open(old).diff(tenure.open(old))), 0)
    check('renamed', len(tenure.open(old).diff(tenure.open(old), rename=lambda path: 'x')), 0)
    check('diff of no event', 'Ir' in refusal(lambda: tenure.open(old).diff(tenure.open(new), 'Irr')), True)


def changed(path, change):
    """A copy of the profile to which this was done."""
    copied = path + '.changed'
    shutil.copy(path, copied)
    if isinstance(change, str):
        database = sqlite3.connect(copied)
        database.executescript('PRAGMA writable_schema = ON;' + change)
        database.close()
        sealed.seal(copied)
    else:
        with open(copied, 'rb') as file:
            data = bytearray(file.read())
        returned = change(data)
        data = data if returned is None else returned
        with open(copied, 'wb') as file:
            file.write(data)
    return copied


def flip(at):
    def change(data):
        data[at] ^= 1
    return change


def read_all(path):
    profile = tenure.open(path)
    for name in dir(profile):
        if isinstance(getattr(profile, name), tenure.Table):
            repr(profile[name]), profile[name]._repr_html_()


def refusals(path, raw):
    size = os.path.getsize(path)
    for change, words in (
            (lambda data: data[:size // 2], 'damaged: its end is missing'), (lambda data: data[:50], 'not a profile'),
            (lambda data: data + b'x', 'damaged: something is behind its end'), (lambda data: b'', 'not a profile'),
            (flip(size // 2), 'damaged: its checksum is wrong behind byte'), (flip(70), 'not a profile of Tenure'),
            (flip(63), f'schema version {tenure.SCHEMA_VERSION ^ 1}'), (flip(18), 'write-ahead'),
            (flip(size - 22), 'its checksums cannot'),
            ('DROP TABLE events', "no table 'events'"), ('DROP VIEW totals', 'no table'),
            ('CREATE TRIGGER own AFTER DELETE ON stats BEGIN SELECT 1; END', 'trigger own is not as Tenure writes it'),
            ('CREATE VIRTUAL TABLE own USING fts4(name)', 'table own is not'), ('ANALYZE', 'sqlite_stat'),
            ('DROP VIEW functions; CREATE VIEW functions AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 '
             'FROM n) SELECT i AS id FROM n', 'not authorized'),
            ("DROP VIEW functions; CREATE VIEW functions AS SELECT load_extension('x') AS id", 'cannot read'),
            ('UPDATE sqlite_schema SET sql = hex(sql) WHERE rootpage > 5', 'malformed')):
        message = refusal(lambda: (read_all(changed(path, change)), tenure.open(path + '.changed').totals))
        check(f'refused: {words}', (words in message, '\n' in message), (True, False) if words in message else message)
    for name, words in ((raw, 'not a profile'), (os.path.dirname(path), 'not a regular file'),
                        ('/dev/null', 'not a regular file'), (path + '.none', 'No such file')):
        check(f'refused: {words}', words in refusal(lambda: tenure.open(name)), True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('always')
        edited = changed(path, 'SELECT 1')
        database = sqlite3.connect(edited)
        database.execute("INSERT INTO meta VALUES ('own', 'x')")
        database.commit()
        database.close()
        check('changed by somebody', (tenure.open(edited).meta['own'], len(told), told[0].filename == __file__),
              ('x', 1, True))
    before = os.stat(path).st_mtime_ns, sorted(os.listdir(os.path.dirname(path)))
    check('writes', 'cannot read' in refusal(lambda: list(tenure.open(path)._ask('DELETE FROM meta'))), True)
    check('written', (os.stat(path).st_mtime_ns, sorted(os.listdir(os.path.dirname(path)))), before)


def hostile(path):
    """Names that SQL, HTML and terminals would take for theirs."""
    name = 'a"b<script>\x1b[2J\u202e'
    evil = changed(path, "UPDATE t_functions SET function = '%s' || id; UPDATE t_lines SET line = 'x'; "
                         "UPDATE t_functions SET address = x'00ff' WHERE id < 3; "
                         "CREATE TABLE \"own \"\" <b>\"(\"x\"\"<i>\" TEXT);"
                         "INSERT INTO \"own \"\" <b>\" VALUES ('y');" % name)
    profile = tenure.open(evil)
    with contextlib.redirect_stdout(io.StringIO()):
        print(profile)
    check('own table', profile['own " <b>'].sort('x"<i>')[0]['x"<i>'], 'y')
    for text in (repr(profile.functions), repr(profile), repr(profile.functions[0])):
        check('control characters', [c for c in text if c != '\n' and not c.isprintable()], [])
    for table in (profile.functions, profile['own " <b>']):
        page = table._repr_html_()
        check('escaped', ('<script' in page, '<b>' in page, '<i>' in page), (False, False, False))
    check('sorted', len(profile.lines[0:].sort('line')), len(profile.lines))
    check('compared', len(profile.diff(tenure.open(path), 'Ir')) > 0, True)


def main():
    with open(MODULE, encoding='utf-8') as file:
        ast.parse(file.read(), feature_version=(3, 9))
    with tempfile.TemporaryDirectory() as folder:
        folders = [os.path.join(folder, name) for name in ('one', 'two ?#%')]
        for name in folders:
            os.mkdir(name)
        other = os.path.join(folder, 'raw')
        raw_make.Random(seed=4, functions=12, nodes=60).write(other)
        one, two = filled.make(TENURE, folders[0]), filled.make(TENURE, folders[1], other)
        for path in (one, two):
            tables(path)
            reports(path)
        differences(one, two)
        differences(one, os.path.join(folders[0], 'plain'))
        elsewhere = changed(one, "UPDATE objects SET path = '/elsewhere/b' || id; UPDATE t_functions SET "
                                 "file_id = NULL WHERE id % 3 = 0; UPDATE t_functions SET Ir = Ir + id")
        differences(one, elsewhere)
        refusals(one, os.path.join(folders[0], 'raw'))
        hostile(one)
        try:
            frame = tenure.open(one).functions.to_pandas()
            check('pandas', (list(frame.columns), len(frame)), (tenure.open(one).functions.columns, 12))
        except ImportError:
            print('pandas is not here: not tried')
    return finish()


sys.exit(main())
