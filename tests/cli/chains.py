#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which loads the addresses of accesses that miss come from, in a function for each case.

    chains.py TENURE GUEST

GUEST, a source in C, is compiled with and without optimisation.
"""
import os
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, GUEST = (os.path.abspath(path) for path in sys.argv[1:3])

# By function: whether the access that misses most has such a load that follows pointers; and one that does not.
WANTED = {'list': (True, False), 'search': (True, False), 'recursive': (True, False), 'bucket': (True, True),
          'indices': (True, False),
          'gather': (False, True), 'straight': (False, False), 'copy': (False, False)}
WORST = """
    SELECT id FROM instructions WHERE function = ? ORDER BY ifnull(D1mr, 0) + ifnull(D1mw, 0) DESC, id LIMIT 1"""


def found(profile, function):
    worst, = profile.execute(WORST, (function,)).fetchone()
    kinds = {circular for circular, in profile.execute(
        'SELECT circular FROM address_loads WHERE instruction_id = ?', (worst,))}
    return 1 in kinds, 0 in kinds


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for level in '-O0', '-O1', '-O2', '-Os':
            check(f'compiled with {level}', run(['gcc', '-g', level, '-o', 'guest', GUEST])[0], 0)
            check('record', run([TENURE, 'record', '-q', '--D1=8K,8,64', '--LL=256K,16,64', '-o', 'p', './guest'])[0],
                  0)
            profile = sqlite3.connect('p')
            for function, wanted in WANTED.items():
                check(f'{level}: {function}', found(profile, function), wanted)
            kinds = {circular for circular, in profile.execute(
                "SELECT circular FROM address_loads WHERE function = 'digits' AND circular > 0")}
            check(f'{level}: digits choose a pointer', kinds, {2})
            check(f'{level}: a list in rbp', found(profile, 'list_in_rbp')[0], True)
            for function in 'halves', 'real_halves':
                kinds = {circular for circular, in profile.execute(
                    'SELECT circular FROM address_loads WHERE function = ?', (function,))}
                check(f'{level}: {function} chooses', kinds, {3})
            rows = profile.execute('SELECT count(*), sum(function <> load_function) FROM address_loads').fetchone()
            check(f'{level}: of one function', (rows[0] > 5, rows[1]), (True, 0))
            profile.close()
            check('merge', run([TENURE, 'merge', '-q', '-o', 'sum', 'p', 'p'])[0], 0)
            merged = sqlite3.connect('sum')
            check(f'{level}: merged', merged.execute('SELECT count(*), 0 FROM address_loads').fetchone(), rows)
            merged.close()
    return finish()


if __name__ == '__main__':
    sys.exit(main())
