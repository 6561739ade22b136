#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""When the run cost what: intervals, the functions in them, labels, and the bands that a report draws of them.

    timeline.py TENURE PHASES THREADS CALLERS

PHASES is timeline_guest.c, the others are programs with threads and with deep calls. Whatever is recorded, intervals
are one behind the other and sum to the totals. Bands are computed here once more.
"""
import math
import os
import re
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, PHASES, THREADS, CALLERS = (os.path.abspath(path) for path in sys.argv[1:5])
ENVIRONMENT = {**os.environ, 'COLUMNS': '200', 'NO_COLOR': '1', 'LC_ALL': 'C.UTF-8'}
CELLS, BARS = 60, ' \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588'
MOST, SHORTEST = 1000, 1 << 18


def record(path, *words):
    status, _, err = run([TENURE, 'record', '-q', '-o', path, *words], env=ENVIRONMENT)
    check(f'{words}: {err}', status, 0)
    return sqlite3.connect(path)


def events(profile):
    return [name for name, in profile.execute("SELECT name FROM events WHERE type = 'INTEGER' AND NOT derived")]


def add_up(name, profile):
    """Intervals follow one another, and are the whole; functions are a part of their interval."""
    rows = list(profile.execute('SELECT id, start, instructions, start_ns, duration_ns FROM intervals'))
    check(f'{name}: there are some', 0 < len(rows) <= MOST, True)
    gaps = sum(a[1] + a[2] != b[1] or a[3] + a[4] != b[3] for a, b in zip(rows, rows[1:]))
    check(f'{name}: gaps', gaps, int('zero' in name)) # what has been forgotten
    for event in events(profile):
        whole = f'SELECT (SELECT sum("{event}") FROM intervals), "{event}" FROM totals'
        check(f'{name}: {event}', *profile.execute(whole).fetchone())
        above = profile.execute(
            f'SELECT count(*) FROM (SELECT interval_id AS id, sum("{event}") AS part FROM interval_functions '
            f'GROUP BY id) JOIN intervals USING (id) WHERE part > "{event}"').fetchone()
        if event != 'Time':  # a function's is estimated with its own means, an interval's with those of all
            check(f'{name}: functions of {event}', above, (0,))
    check(f'{name}: known functions', *profile.execute(
        'SELECT count(*), 0 FROM interval_functions WHERE function_id NOT IN (SELECT id FROM functions)').fetchone())
    check(f'{name}: check', run([TENURE, 'check', profile.execute('PRAGMA database_list').fetchone()[2]])[0], 0)


def phases(name, profile):
    """The first function up to the part, the second up to where collection goes off, the third from there on."""
    labels = list(profile.execute('SELECT at, label FROM labels ORDER BY at, rowid'))
    check(f'{name}: labels', [text for _, text in labels], ['counted\x1b[1m', 'collection off', 'collection on'])
    total = profile.execute('SELECT start + instructions FROM intervals ORDER BY id DESC').fetchone()[0]
    borders = [0, labels[0][0], labels[1][0], total]
    functions = 'count_up', 'walk', 'leap'
    for function, begin, end in zip(functions, borders, borders[1:]):
        # The loader runs in the first part, too, and may be most of a short interval: these three are compared alone.
        within = dict(profile.execute(
            'SELECT f.function, sum(f.Ir) FROM intervals i JOIN interval_functions f ON f.interval_id = i.id '
            'WHERE i.start >= ? AND i.start + i.instructions <= ? AND f.function IN (?, ?, ?) GROUP BY f.function',
            (begin, end, *functions)))
        # On a busy machine intervals are long, and none may be within.
        share = within.get(function, 0), 0.99 * sum(within.values())
        check(f'{name}: {function} {within}', not within or share[0] >= share[1], True)
        own = profile.execute('SELECT Ir FROM functions WHERE function = ?', (function,)).fetchone()[0]
        check(f'{name}: all of {function}', *profile.execute(
            'SELECT sum(Ir) >= ?, 1 FROM interval_functions WHERE function = ?', (0.99 * own, function)).fetchone())


def cells_of(rows, begin, length, count=CELLS):
    cells = [0.0] * count
    for start, instructions, value in rows:
        if not instructions or not value:
            continue
        low, high = ((start - begin) / length * count, (start - begin + instructions) / length * count)
        for i in range(int(low), min(count, math.ceil(high))):
            cells[i] += value * (min(high, i + 1) - max(low, i)) / (high - low)
    return cells


def same_band(drawn, cells):
    """Bars are eighths of the highest; a number that is nearly a whole one may be rounded either way."""
    heights = [8 * cell / max(cells) if max(cells) else 0 for cell in cells]
    return all(abs(BARS.index(bar) - height) < 1 + 1e-6 and (bar == ' ') == (height == 0)
               for bar, height in zip(drawn.ljust(len(cells)), heights))


def bands(path, profile):
    status, out, err = run([TENURE, 'report', '--timeline', '--sort=L1m', '--startup', path], env=ENVIRONMENT)
    check(f'report: {err}', status, 0)
    lines = out.split('\n')
    begin, length = profile.execute('SELECT min(start), sum(instructions) FROM intervals').fetchone()
    rows = list(profile.execute('SELECT start, instructions, L1m FROM intervals'))
    check('the band of all', same_band(lines[2][2:2 + CELLS], cells_of(rows, begin, length)), True)
    for columns in 60, 80, 100:
        narrow = run([TENURE, 'report', '--timeline', '--sort=L1m', path], env={**ENVIRONMENT, 'COLUMNS': str(columns)})
        drawn = narrow[1].partition(' seconds of')[0].split('\n')
        count = re.match(r'(  .* )[\d.,]+ (?:million )?instructions$', drawn[-2]).end(1) - 2
        check(f'{columns} columns: {drawn}', max(map(len, drawn)) <= columns, True)
        check(f'the band of all in {columns} columns: {drawn}',
              same_band(drawn[2][2:2 + count], cells_of(rows, begin, length, count)), True)
    for function in ('walk', 'leap'):
        line, = (line for line in lines if line.split()[-2:-1] == [function])
        rows = list(profile.execute('SELECT start, instructions, f.L1m FROM intervals i JOIN interval_functions f '
                                    'ON f.interval_id = i.id WHERE function = ?', (function,)))
        check(f'the band of {function}', same_band(line[2:2 + CELLS], cells_of(rows, begin, length)), True)
        check(f'the sum of {function}', f'{sum(row[2] for row in rows):,}' in line.split(), True)
    check('a label', '  a  counted\\x1b[1m, at ' in out, True)
    status, out, _ = run([TENURE, 'report', '--timeline', '--json', path], env=ENVIRONMENT)
    check('json', (status, all(f'"{key}"' in out for key in ('intervals', 'interval_functions', 'labels'))), (0, True))


def many(folder):
    """A long run, in which neighbours may become one, and no part is left out."""
    profile = record(f'{folder}/many', '--data=no', PHASES, '60')
    add_up('many', profile)
    lengths = [n for n, in profile.execute('SELECT instructions FROM intervals ORDER BY id')]
    check(f'many: {len(lengths)} intervals', 20 < len(lengths) <= MOST, True)
    phases('many', profile)


def refused(folder):
    record(f'{folder}/none', '--timeline=no', PHASES).close()
    for path in ('none', 'sum'):
        status, out, err = run([TENURE, 'report', '--timeline', f'{folder}/{path}'], env=ENVIRONMENT)
        check(f'{path}', (status, out, 'does not say when' in err), (1, '', True))
    status, out, err = run([TENURE, 'report', '--timeline', '--sort=spatialD1', f'{folder}/one'], env=ENVIRONMENT)
    check('a ratio', (status, out, 'is a ratio' in err), (1, '', True))


def main():
    with tempfile.TemporaryDirectory() as folder:
        profile = record(f'{folder}/one', PHASES, '4')
        add_up('native', profile)
        phases('native', profile)
        bands(f'{folder}/one', profile)
        lengths = [n for n, in profile.execute('SELECT instructions FROM intervals')]
        check('steps', sorted(lengths)[len(lengths) // 2] >= SHORTEST, True)
        profile = record(f'{folder}/valgrind', '--engine=valgrind', PHASES, '4')
        add_up('valgrind', profile)
        phases('valgrind', profile)
        for words in (['--sample=8'], ['--branch-sim=yes', '--cache-sim=no'], ['--inclusive=no'], ['--L2=64K,8,64'],
                      ['--separate-callers=1'], ['--write-back=yes'], ['--dump-every=1000000'],
                      ['--flush-at-exit=no'], ['--start=walk'], ['--zero-before=leap']):
            profile = record(f'{folder}/other', *words, PHASES)
            add_up(' '.join(words), profile)
            label = [text for text, in profile.execute('SELECT label FROM labels')]
            check(f'{words}: labels', 'costs set to zero' in label, words == ['--zero-before=leap'])
        add_up('threads', record(f'{folder}/other', THREADS))
        for _ in range(4): # a start that other threads run on through
            add_up('a start', record(f'{folder}/other', '--start=leap', PHASES, '1', '3'))
        add_up('coherent threads', record(f'{folder}/other', '--coherence=mesi', THREADS))
        add_up('deep calls', record(f'{folder}/other', CALLERS))
        check('merge', run([TENURE, 'merge', '-o', f'{folder}/sum', f'{folder}/one', f'{folder}/valgrind'])[0], 0)
        many(folder)
        refused(folder)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
