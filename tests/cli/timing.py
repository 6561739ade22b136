#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
timing.py: the estimate of time (docs/model.md, section 19), and what `tenure calibrate` keeps for it.

    timing.py TENURE GUEST

Where the guest misses the same number of lines, it pays least where it walks, most where it follows pointers, and there
the latency of memory that a profile was made with. What is kept is used, shown, and no reason to fail where it is
damaged.
"""
import json
import os
import re
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, GUEST = (os.path.abspath(path) for path in sys.argv[1:3])
CACHES = ['--D1=8K,8,64', '--LL=256K,16,64']
LINES = 1 << 15


def command(folder, *words):
    home = os.path.join(folder, 'cache')
    # With MALLOC_PERTURB_, which meson sets, malloc itself is the first to touch what it gives.
    return run([TENURE, *words], cwd=folder, env={**{name: value for name, value in os.environ.items()
                                                     if name != 'MALLOC_PERTURB_'}, 'XDG_CACHE_HOME': home,
                                                  'NO_COLOR': '1'})


def recorded(folder, *options):
    """The database of a recording of the guest."""
    status, _, errors = command(folder, 'record', '-q', *options, '-o', 'profile', GUEST)
    check(f'record: {errors}', status, 0)
    db = sqlite3.connect(os.path.join(folder, 'profile'))
    check('sound', command(folder, 'check', 'profile')[0], 0)
    return db


def times(db):
    return {name: (time, incl, misses) for name, time, incl, misses in db.execute(
        "SELECT function, Time, Time_incl, DLmr FROM functions WHERE function IN"
        " ('main', 'walk', 'gather', 'compare', 'chase', 'pass')")}


def three_ways(folder):
    db = recorded(folder, *CACHES)
    of = times(db)
    for name in ('walk', 'gather', 'compare', 'chase'):
        check(f'{name}: misses', 0.99 * LINES <= of[name][2] <= 1.1 * LINES, True)
    check('walking is fastest', of['walk'][0] * 1.5 < of['gather'][0], True)
    check('pointers are slowest', of['gather'][0] * 4 < of['chase'][0], True)
    check('half of the branches are guessed wrong, and end what is on its way at once',
          1.5 * of['gather'][0] + 0.45 * 16 * LINES < of['compare'][0] < of['chase'][0] + 16 * LINES, True)
    check('of a chase: the latency', 290 * LINES < of['chase'][0] < 330 * LINES, True)
    check('what makes pages past the caches', 1500 * LINES / 64 < of['pass'][0] < 4000 * LINES / 64, True)
    check('inclusive', of['main'][1] >= sum(of[name][1] for name in ('walk', 'gather', 'chase')), True)
    parts = dict(db.execute('SELECT part, cycles FROM time_parts'))
    check('pointers', abs(parts['pointers'] - of['chase'][0]) < 0.1 * of['chase'][0], True)
    (total,) = db.execute('SELECT Time FROM totals').fetchone()
    sum_of_parts = sum(parts[part] for part in ('Ir', 'L1m', 'L2m', 'LLm', 'Cm', 'Bm'))
    check('the parts are all of it', abs(sum_of_parts - total) < 0.01 * total, True)
    (pages,) = db.execute('SELECT pages FROM data_objects WHERE bytes = ?', (LINES * 64,)).fetchone()
    check('pages', pages, LINES * 64 // 4096)
    (source,) = db.execute("SELECT value FROM meta WHERE key = 'time.source'").fetchone()
    check('without calibration', source, 'default')
    said = command(folder, 'report', 'profile')[1]
    check('verdict', bool(re.search(r'Estimated time: .*memory \(\d+ % waiting for pointers', said)), True)
    weighed = command(folder, 'report', '--weights=LLm=100', 'profile')[1]
    check('with weights it is CEst', 'waiting for pointers' in weighed or 'by estimated time' in weighed, False)
    db.close()
    return of


def foreseen(folder, usual):
    """What a predictor says of a branch that is taken each second time counts, if it was simulated."""
    db = recorded(folder, *CACHES, '--branch-sim=yes')
    of = times(db)
    check('the branch is foreseen', of['gather'][0] <= of['compare'][0] < 1.2 * of['gather'][0], True)
    check('and others take as long', abs(of['gather'][0] - usual['gather'][0]) < 0.001 * usual['gather'][0], True)
    db.close()


def prefetched(folder, usual):
    """A line that is loaded ahead takes its transfer, whether a prefetcher is simulated or supposed. Some of the first
    lines of pages are missed, one after the other."""
    for prefetcher in ('stream', 'd1-next-line'):
        db = recorded(folder, *CACHES, f'--prefetch={prefetcher}')
        time, _, misses = times(db)['walk']
        check(f'{prefetcher}: few misses', misses < 0.1 * LINES, True)
        check(f'{prefetcher}: as long as without ({time}, {usual["walk"][0]})',
              0.85 * usual['walk'][0] < time < 1.35 * usual['walk'][0], True)
        known = {row[1] for row in db.execute('PRAGMA table_info(t_totals)')}
        said = command(folder, 'report', 'profile')[1]
        check(f'{prefetcher}: totals', set(re.findall(r'\bPf\w+', said)), {name for name in known if name[:2] == 'Pf'})
        db.close()


def calibrated(folder, usual):
    status, said, _ = command(folder, 'calibrate')
    check('calibrate', status, 0)
    (kept,) = re.findall('^kept in (.*)$', said, re.M)
    with open(kept, encoding='ascii') as file:
        facts = dict(line.split() for line in file)
    check('what is kept is what was said', {key: f'{float(value):.4g}' for key, value in facts.items()},
          {key: value for key, value in re.findall(r'^(time\.\S+) +(\S+)', said, re.M)})
    info = json.loads(command(folder, 'info', '--json')[1])
    check('info', (info['time.source'], info['time.memory.latency'].split()[0]),
          ('calibrate', f"{float(facts['time.memory.latency']):.4g}"))
    check('quietly', command(folder, 'calibrate', '--quiet')[:2], (0, ''))
    check('no operands', command(folder, 'calibrate', 'x')[0], 2)
    # Numbers of ours, with lines that are no numbers, and a key that nobody knows.
    with open(kept, 'w', encoding='ascii') as file:
        file.write('time.memory.latency 600\ntime.step nothing\ntime.unknown 3\ntime.shared -1\n\ntime.LL.reach 2\n')
    db = recorded(folder, *CACHES)
    of = times(db)
    check('twice the latency', 1.9 * usual['chase'][0] < of['chase'][0] < 2.1 * usual['chase'][0], True)
    meta = dict(db.execute("SELECT key, value FROM meta WHERE key LIKE 'time.%' OR key LIKE 'cache.LL%'"))
    check('meta', (meta['time.source'], meta['time.memory.latency'], meta['time.step'], meta['time.shared']),
          ('calibrate', '600', '14', '120'))
    check('caches that are given', (meta['cache.LL'], meta['cache.LL.source']), ('262144,16,64', 'option'))
    db.close()
    db = recorded(folder)
    meta = dict(db.execute("SELECT key, value FROM meta WHERE key LIKE 'cache.LL%'"))
    check('what is left of the last level', (meta['cache.LL'], meta['cache.LL.source']),
          ('2097152,16,64', 'calibrate'))
    db.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        usual = three_ways(folder)
        foreseen(folder, usual)
        prefetched(folder, usual)
        calibrated(folder, usual)
        os.chmod(folder, 0o700)
        with open(os.path.join(folder, 'file'), 'w', encoding='ascii'):
            pass
        status, said, errors = run([TENURE, 'calibrate', '-q'], env={**os.environ, 'XDG_CACHE_HOME': folder + '/file'})
        check(f'no place: {errors}', (status, said, errors.count('\n'), 'cannot keep what was measured' in errors),
              (1, '', 1, True))
    sys.exit(finish())


main()
