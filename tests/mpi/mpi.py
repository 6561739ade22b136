#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An MPI program under mpirun, as docs/mpi.md says: a profile for each rank, and their sum with ranks kept apart.

    mpi.py TENURE SOURCE

Rank r of ring.c works r + 1 times as much as rank 0: what work() costs grows by the same number of instructions from
rank to rank, and the sum has all of it. Exits with 77 where there is no Open MPI.
"""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
from checks import check, finish, run  # noqa: E402

RANKS = 4
RUN = ['mpirun', '--oversubscribe', '-n', str(RANKS)]


def of_work(path):
    database = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
    return database.execute("select Ir, Dr, Dw from functions where function = 'work'").fetchone()


def main():
    tenure, source = map(os.path.abspath, sys.argv[1:])
    if shutil.which('mpicc') is None or shutil.which('mpirun') is None:
        print('no Open MPI here')
        return 77
    with tempfile.TemporaryDirectory(prefix='tenure-mpi.') as folder:
        os.chdir(folder)
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', LC_ALL='C')
        status, _, errors = run(['mpicc', '-O1', '-g', '-o', 'ring', source])
        if status != 0 and 'mpi.h: No such file' in errors: # its programs are here without its header
            print('no header of Open MPI here')
            return 77
        check('compiled', (status, errors), (0, ''))
        plain = run(RUN + ['./ring'], timeout=300)
        check('without a profiler', plain[0], 0)
        profiled = run(RUN + [tenure, 'record', '-q', '--out', 'ring.%q{OMPI_COMM_WORLD_RANK}', '--', './ring'],
                       timeout=300)
        check('output and status', profiled, plain)
        names = ['ring.%d' % rank for rank in range(RANKS)]
        check('profiles', sorted(name for name in os.listdir('.') if name.startswith('ring.')), names)
        costs = [of_work(name) for name in names]
        for event in range(3):
            steps = {costs[rank + 1][event] - costs[rank][event] for rank in range(RANKS - 1)}
            check('the same step from rank to rank', (len(steps), min(steps) > 0), (1, True))
        check('merge', run([tenure, 'merge', '-q', '--keep=rank', '-o', 'all', *names])[0], 0)
        check('the sum', of_work('all'), tuple(sum(each) for each in zip(*costs)))
        status, text, _ = run([tenure, 'report', '--balance', '--sort=Ir', '--json', 'all'])
        check('balance', status, 0)
        row, = [row for row in json.loads(text)['balance'] if row['function'] == 'work']
        irs = [cost[0] for cost in costs]
        check('least and most', (row['min'], row['max'], row['max_unit']),
              (min(irs), max(irs), 'rank %d' % (RANKS - 1)))
    return finish()


sys.exit(main())
