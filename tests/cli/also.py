#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
also.py: further machines of one run, beside runs of their own.

    also.py TENURE KERNELS CASES

What `record --also=NAME` says of each machine is what `record --machine=NAME` says of it, in all tables and events
that both have, with either engine and with threads. Estimates of time are compared where D1 is the recorded one. Then:
what files are written, how they are read, what is refused, and that the recorded machine's profile is what it is
without others.
"""
import os
import shutil
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, KERNELS, CASES = (os.path.abspath(path) for path in sys.argv[1:4])
MACHINES = {
    'small': 'I1 = 4K,4,64\nD1 = 4K,4,64\nLL = 64K,8,64\n',
    'same': 'I1 = 4K,4,64\nD1 = 4K,4,64\nL2 = 16K,4,64,plru\nLL = 128K,16,128\n',
    'ways': 'I1 = 4K,4,64\nD1 = 6K,6,64\nL2 = 24K,6,64\nLL = 96K,12,64\n',
    'sets': 'I1 = 16K,8,64\nD1 = 12K,4,64\nLL = 64K,16,64,rrip\n',
    'other': 'I1 = 3K,3,64\nD1 = 4K,2,64\nL2 = 16K,4,64\nLL = 64K,8,64\n',
    'full': 'I1 = 4K,64,64\nD1 = 5K,80,64\nLL = 64K,8,64\n',
    'tiny': 'I1 = 64,1,64\nD1 = 64,1,64\nLL = 64K,8,64\n',
    'long': 'I1 = 4K,2,128\nD1 = 6K,3,128\nLL = 64K,8,128\n',
    'lines': 'I1 = 4K,4,64\nD1 = 8K,8,32\nLL = 64K,8,64\n',
    'plru': 'I1 = 2K,2,64,rrip\nD1 = 8K,8,64,plru\nLL = 64K,8,64\n',
}
# Three lines of one set of a small I1 by turns, one of which is used again behind a branch that is not taken; then two
# others.
AGAIN = r'''
int main(void)
{
    for (int round = 0; round < 4; round++)
        __asm__("mov $20000, %%ecx\ntest %%ecx, %%ecx\n"
                ".p2align 10\n1: js 4f\ndec %%ecx\njmp 2f\n"
                ".p2align 10\n2: jmp 3f\n"
                ".p2align 10\n3: jmp 1b\n"
                ".p2align 10\n4: nop\njmp 5f\n"
                ".p2align 10\n5: nop" ::: "ecx", "cc");
    return 0;
}
'''
ALSO = ('same', 'ways', 'other', 'long') # four at most
TABLES = ('totals', 'functions', 'lines', 'instructions', 'paths', 'data_objects', 'loops', 'arcs', 'threads')
TIMES = {'Time', 'Time_incl', 'Time_self', 'pages'} # which go by misses of the recorded D1, pages of data too
OTHERWISE = {'id', 'parent'} # numbers, which a path that is folded elsewhere changes


def rows(profile, table, columns):
    with sqlite3.connect(f'file:{profile}?mode=ro', uri=True) as database:
        names = ', '.join(f'"{name}"' for name in columns)
        costs = 'WHERE D1mr + D1mw > 0' if table == 'data_objects' else '' # one has a row if any D1 missed in it
        return sorted(map(repr, database.execute(f'SELECT {names} FROM {table} {costs}')))


def columns_of(profile, table):
    with sqlite3.connect(f'file:{profile}?mode=ro', uri=True) as database:
        return [row[0] for row in database.execute(f'SELECT * FROM {table} LIMIT 0').description]


def same(what, got, expected, timed):
    """All columns of both profiles."""
    for table in TABLES:
        of_both = [name for name in columns_of(got, table) if name in columns_of(expected, table)]
        chosen = [name for name in of_both if name not in OTHERWISE and not name.endswith('_id') and
                  not name.startswith('first_') and not name.startswith('last_') and (timed or name not in TIMES)]
        check(f'{what}: {table}: misses', {'DLmr', 'DLmr_incl'} & set(chosen) != set(), True)
        check(f'{what}: {table}', rows(got, table, chosen) == rows(expected, table, chosen), True)


def recorded(profile, *words, program):
    status, _, errors = run([TENURE, 'record', '-q', '--keep-all', '-o', profile, *words, *program])
    check(f'{profile}: recorded', (status, errors), (0, ''))


def equal(engine, program, *options, machines=ALSO):
    name = os.path.basename(program[0])
    also = ','.join(f'./{one}' for one in machines)
    recorded('all', f'--engine={engine}', '--machine=./small', f'--also={also}', *options, program=program)
    for machine in ('small', *machines):
        recorded('alone', f'--engine={engine}', f'--machine=./{machine}', *options, program=program)
        got = 'all' if machine == 'small' else f'all.{machine}'
        same(f'{engine}: {name}: {machine}', got, 'alone', machine in ('small', 'same'))


def read(program):
    recorded('app', '--machine=./small', '--also=./ways', '--also=./same', program=program)
    check('files', sorted(name for name in os.listdir('.') if name.startswith('app')), ['app', 'app.same', 'app.ways'])
    newest = max(('app', 'app.same', 'app.ways'), key=lambda name: os.stat(name).st_mtime_ns)
    check('the recorded one is the newest', newest, 'app')
    out = run([TENURE, 'report', '--machine=ways', 'app'])
    check('report of a machine', (out[0], 'D1 6 KiB, 6-way' in out[1], '(ways)' in out[1]), (0, True, True))
    check('its own report', run([TENURE, 'report', '--machine=ways', 'app.ways'])[:2], out[:2])
    status, out, _ = run([TENURE, 'diff', 'app', 'app.ways'])
    check('compared', (status, 'D1 (size,ways,line,policy) is 4096,4,64 in the baseline, 6144,6,64' in out), (0, True))
    for name in ('ways', 'same'):
        columns = columns_of(f'app.{name}', 'totals')
        check(f'{name}: no use of lines', [one for one in columns if one.startswith(('SpLoss', 'Use', 'Ev'))], [])
        status, out, errors = run([TENURE, 'report', f'app.{name}'])
        check(f'{name}: nor in its report', (status, errors, 'never touched' in out), (0, '', False))
        status, out, _ = run([TENURE, 'report', '--advice', f'app.{name}'])
        check(f'{name}: advice', (status, 'needs --machine in place of --also' in out, '--strides=yes' in out),
              (0, True, False))
        check(f'{name}: tried', run([TENURE, 'try', f'app.{name}'])[0::2], (0, ''))
    check('by the name of the recorded one', run([TENURE, 'report', '--machine=small', 'app'])[0], 0)
    check('not summed with another machine', run([TENURE, 'merge', '-o', 'sum', 'app', 'app.same'])[0], 1)
    os.mkdir('default')
    os.chdir('default')
    for _ in range(3):
        check('default name', run([TENURE, 'record', '-q', '--machine=../small', '--also=../same', '../' + program[0],
                                   *program[1:]])[0], 0)
        newest = run([TENURE, 'report'])[1].splitlines()[0].split()[1]
        check('without a name', newest.endswith('.same'), False)
    os.chdir('..')
    os.rename('app', 'stale')
    shutil.copy('app.ways', 'stale.ways')
    check('of its run', run([TENURE, 'report', '--machine=ways', 'stale'])[0], 0)
    recorded('stale', '--machine=./small', '--also=./same', '--also=./ways', program=program)
    shutil.copy('app.ways', 'stale.ways')
    status, _, errors = run([TENURE, 'report', '--machine=ways', 'stale'])
    check('of another run', (status, 'stale.ways is of another run' in errors), (1, True))
    os.rename('stale', 'app')
    recorded('units', '--machine=./small', '--also=m:I1=4K,4,64:D1=4K,4,64:LL=1M,16,64; ', '--also=n:I1=4K,4,64:'
             'D1=4K,4,64:LL=2M,16,64', program=program)
    with sqlite3.connect('file:units.m?mode=ro', uri=True) as database:
        check('bytes', database.execute("SELECT value FROM meta WHERE key = 'cache.LL'").fetchone()[0], '1048576,16,64')
    words = ['--raw', '-q', '-o', 'raw', '--machine=./small', '--also=./ways']
    status, _, errors = run([TENURE, 'record', *words, *program])
    check('raw', (status, errors), (0, ''))
    status, _, errors = run([TENURE, 'import', '-o', 'imported', 'raw'])
    check('imported', (status, 'wrote imported.ways: with the caches of ways, ' in errors), (0, True))
    same('imported', 'imported.ways', 'app.ways', True)
    status, out, errors = run([TENURE, 'try', '--dry-run', 'app.ways'])
    check('tried alone', (status, '--also' in out + errors), (0, False))
    with open('imported.ways', 'wb') as kept:
        kept.write(b'somebody else\'s')
    status, _, errors = run([TENURE, 'import', '-o', 'imported', 'raw'])
    check('not over a file that is none', (status, 'imported.ways is not' in errors, 'wrote imported:' in errors),
          (1, True, True))
    status, _, errors = run([TENURE, 'report', '--machine=ways', 'raw'])
    check('a raw profile', (status, 'raw is a raw profile' in errors), (1, True))


def refused(program):
    with open('taken.ways', 'wb') as kept:
        kept.write(b'somebody else\'s')
    status, out, errors = run([TENURE, 'record', '-q', '-o', 'taken', '--machine=./small', '--also=./ways', *program])
    check('before it runs', (status, out, 'taken.ways is not a profile' in errors, os.path.exists('taken')),
          (125, '', True, False))
    os.remove('taken.ways')
    os.mkdir('taken.ways')
    status, out, errors = run([TENURE, 'record', '-q', '-o', 'taken', '--machine=./small', '--also=./ways', *program])
    check('a folder before it runs', (status, out, 'taken.ways is a directory' in errors), (125, '', True))
    for words, part in (
            (['--also=nothing'], 'there is no machine nothing'),
            (['--also=./ways,./ways'], 'two machines of one name'),
            (['--also=./ways,./same,./sets,./small', '--also=./other'], '4 further machines'),
            (['--also=./lines'], 'not shorter than the recorded ones'),
            (['--also=a/b:I1=4K,4,64'], 'the name of a further machine'),
            (['--also=12:I1=4K,4,64'], 'not of digits alone'),
            (['--also=m:I1=4K,4,64:D1=4G,131072,64:LL=4G,16,64'], '16383 lines'),
            (['--also=./ways', '--cache-sim=no', '--branch-sim=yes'], '--also goes only with --cache-sim=yes'),
            (['--also=m:I1=4K,4,64:D1=4K,4,64'], 'a further machine is NAME:I1='),
            (['--also=m:I1=4K,4,64:D1=4K,4,64:LL=64K,8'], 'a cache is size,associativity,line'),
            (['--also=./ways', '--sample=8'], 'all sets are'),
            (['--also=./ways', '--patterns=yes'], 'without --coherence'),
            (['--also=./ways', '--coherence=mesi'], 'without --coherence'),
            (['--also=./ways', '--prefetch=stream'], 'without --coherence'),
            (['--also=./ways', '--runs=2'], '--runs')):
        status, _, errors = run([TENURE, 'record', '-q', '-o', 'none', '--machine=./small', *words, *program])
        check(f'{words}: {errors.strip()}', (status, part in errors, errors.count('\n')), (125, True, 1))
        check(f'{words}: nothing written', [name for name in os.listdir('.') if name.startswith('none')], [])
    recorded('one', '--machine=./small', program=program)
    status, _, errors = run([TENURE, 'report', '--machine=ways', 'one'])
    check('no such machine', (status, 'one knows nothing of a machine ways: ' in errors), (1, True))
    status, _, errors = run([TENURE, 'report', '--machine=nothing', 'app'])
    check('not that machine', (status, 'app knows nothing of a machine nothing' in errors), (1, True))


def main():
    if not shutil.which('gcc'):
        print('no gcc')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(XDG_CACHE_HOME='/nonexistent')
        for name, text in MACHINES.items():
            with open(name, 'w', encoding='ascii') as file:
                file.write(text)
        for source in (f'{KERNELS}/hydro.c', f'{CASES}/heap_gaps.c', f'{CASES}/true_sharing.c'):
            program = os.path.basename(source)[:-2]
            check(program, run(['gcc', '-O2', '-g', '-pthread', source, '-o', program, '-lm'])[0], 0)
        with open('again.c', 'w', encoding='ascii') as file:
            file.write(AGAIN)
        check('again', run(['gcc', 'again.c', '-o', 'again'])[0], 0)
        equal('native', ['./again'], machines=('plru',))
        equal('native', ['./hydro', '60', '2'])
        equal('native', ['./heap_gaps'])
        equal('native', ['./heap_gaps'], '--tlb=yes', '--itlb=8,4', '--dtlb=8,4',
              machines=('sets', 'tiny', 'plru', 'full'))
        equal('native', ['./true_sharing'], '--deterministic=yes', '--index=physical')
        equal('valgrind', ['./hydro', '20', '1'])
        equal('valgrind', ['./heap_gaps'], machines=('tiny',))
        read(['./hydro', '20', '1'])
        refused(['./hydro', '20', '1'])
        os.chdir('/')
    return finish()


sys.exit(main())
