#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of Callgrind and Cachegrind imported, and our exports read by their tools: the same numbers everywhere.

usage: imports.py TENURE CC

A program with threads, recursion and code inlined from another file is run under the distribution's Callgrind with many
options, and under its Cachegrind. Each file is imported: self costs by file and function are those that
callgrind_annotate and cg_annotate print, inclusive costs by function those of callgrind_annotate --inclusive=yes, but
for functions that call themselves. A recording of our own is exported in both formats, and
what the annotators, cg_diff and cg_merge make of it is compared with the profile. What cg_merge writes is imported.
"""
import collections
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import runs

passed = failed = 0
# The distribution's tools are run: they have a folder of their own.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != 'VALGRIND_LIB'}
PROGRAM = {'t.c': '''
#include <pthread.h>
#include <stdlib.h>
#include "inlined.h"
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static void *work(void *p)
{
    int *a = malloc(40000);
    long sum = 0;
    for (int i = 0; i < 10000; i++)
        a[i] = twice(i);
    for (int i = 0; i < 10000; i += 3)
        sum += a[i] + fib(i % 5);
    free(a);
    return (void *)sum;
}
int main(void)
{
    pthread_t thread;
    void *sum;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &sum);
    work(0);
    return (fib(12) + even(30) + (long)sum) & 1;
}
''', 'inlined.h': '''
static inline int twice(int x)
{
    if (x & 1)
        return x * 3;
    return x * 2;
}
'''}
CALLGRIND = [
    [], ['--dump-instr=yes'], ['--compress-strings=no', '--compress-pos=no'], ['--separate-threads=yes'],
    ['--dump-instr=yes', '--collect-jumps=yes', '--separate-threads=yes', '--cache-sim=yes'], ['--cacheuse=yes'],
    ['--cache-sim=yes', '--branch-sim=yes', '--separate-recs=1'], ['--separate-callers=2', '--dump-line=yes'],
    ['--toggle-collect=work', '--cache-sim=yes', '--collect-systime=yes'],
]
# They end with their thread or the program: Callgrind's costs of the calls to them lack what was done last.
UNENDED = ('clone', 'start_thread', '_Exit', '_exit', 'exit', '__run_exit_handlers')
USE = ('AcCost1', 'SpLoss1', 'AcCost2', 'SpLoss2')  # Callgrind's calls have none of them


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good and failed < 30:
        print(what[:600])


def run(work, *command):
    done = subprocess.run(command, cwd=work, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=300)
    if done.returncode not in (0, 1):
        sys.exit('%s: status %d\n%s' % (' '.join(command), done.returncode, done.stderr.decode('utf-8', 'replace')))
    return done.stdout.decode('utf-8', 'replace')


def tidy(path):
    while '/./' in path or '//' in path:
        path = path.replace('/./', '/').replace('//', '/')
    return path


ROW = re.compile(r'^ *((?:(?:-?[\d,]+|\.) +)+)(\S.*):(.*?)(?: \[.*\])?$')


def annotated(work, *command):
    """Events, and {(file, function): counts} of an annotator's table; what it leaves out has none of the first."""
    # In /, since callgrind_annotate takes the folder it runs in out of some names, and not out of others.
    text = runs.annotated(run('/', *command[:-1], os.path.join(work, command[-1])))
    events = re.search(r'^Events shown: +(.*)$', text, re.M).group(1).split()
    rows = collections.defaultdict(lambda: [0] * len(events))
    for line in text.splitlines():
        match = ROW.match(line)
        if not match or line.startswith('Events'):
            continue
        counts = [0 if count == '.' else int(count.replace(',', '')) for count in match.group(1).split()]
        if len(counts) == len(events):
            path = match.group(2)
            rows[(tidy(path), match.group(3))] = [x + y for x, y in zip(rows[(tidy(path), match.group(3))], counts)]
    return events, dict(rows)


def column(event):
    return event[:-1] + 'L' if re.match(r'(AcCost|SpLoss)2$', event) else event


def by_file(profile, events, suffix=''):
    sums = ', '.join('ifnull(sum("%s%s"), 0)' % (column(event), suffix) for event in events)
    with sqlite3.connect(profile) as db:
        return {(row[0], row[1]): list(row[2:]) for row in db.execute(
            "SELECT ifnull(file, '???'), function, %s FROM lines GROUP BY 1, 2" % sums)}


def inclusive(profile, events):
    """By file and name. callgrind_annotate adds up the calls *of* a function: without recursion that is the same; here
    functions are left out that call themselves, and those of one file and name in several objects."""
    sums = ', '.join('"%s_incl"' % column(event) for event in events)
    with sqlite3.connect(profile) as db:
        return {(row[0], row[1]): list(row[2:]) for row in db.execute(
            "SELECT ifnull(file, '???'), function, %s FROM functions f WHERE id NOT IN (SELECT caller_id FROM arcs "
            "WHERE caller_id = callee_id) GROUP BY 1, 2 HAVING count(*) = 1" % sums)}


def add(a, b):
    return {key: [x + y for x, y in zip(a.get(key, [0] * 99), b.get(key, [0] * 99))] for key in set(a) | set(b)}


def compare(what, ours, theirs):
    """An annotator leaves out what has none of the first event."""
    for key, row in ours.items():
        if row[0]:
            check(theirs.get(key) == row, '%s: %s: %s, its tool says %s' % (what, key, row, theirs.get(key)))
    for key, row in theirs.items():
        check(key in ours or not any(row), '%s: %s is not in the profile' % (what, key))


def callgrind(tenure, work, options):
    what = 'callgrind ' + ' '.join(options)
    for name in os.listdir(work):
        if name.startswith('cg.out'):
            os.unlink(os.path.join(work, name))
    run(work, 'valgrind', '-q', '--tool=callgrind', '--callgrind-out-file=cg.out', *options, './t')
    files = sorted(n for n in os.listdir(work) if n.startswith('cg.out') and os.path.getsize(os.path.join(work, n)))
    profile = os.path.join(work, 'profile')
    run(work, tenure, 'import', '-q', '-o', 'profile', *files)
    theirs, their_incl, events = {}, {}, []
    for file in files:
        annotate = ['callgrind_annotate', '--threshold=100', '--auto=no', '--show-percs=no']
        events, rows = annotated(work, *annotate, file)
        theirs = add(theirs, rows)
        their_incl = add(their_incl, annotated(work, *annotate, '--inclusive=yes', file)[1])
    compare(what, by_file(profile, events), theirs)
    with sqlite3.connect(profile) as db:
        total = db.execute('SELECT "%s" FROM totals' % column(events[0])).fetchone()[0]
        check(db.execute('SELECT count(*) FROM threads').fetchone()[0] == len(files), what + ': threads')
        instructions = db.execute('SELECT count(*) FROM instructions').fetchone()[0]
        check((instructions > 1000) == any(o in options for o in ('--dump-instr=yes', '--cacheuse=yes')),
              what + ': instructions')
    if '--toggle-collect=work' in options:
        return  # then calls say less than what was below them
    ours = {key: row for key, row in inclusive(profile, events).items() if row[0] < total and key[1] not in UNENDED}
    check(len(ours) > 100, what + ': functions')
    width = next((i for i, event in enumerate(events) if event in USE), len(events))
    compare(what + ', inclusive', {key: row[:width] for key, row in ours.items()},
            {key: row[:width] for key, row in their_incl.items() if key in ours})


def combined(tenure, work):
    """Parts and threads in one file: callgrind_annotate cannot read that, but each part says its totals."""
    run(work, 'valgrind', '-q', '--tool=callgrind', '--callgrind-out-file=all.out', '--separate-threads=yes',
        '--combine-dumps=yes', '--dump-before=fib', '--dump-instr=yes', './t')
    with open(os.path.join(work, 'all.out'), encoding='utf-8') as file:
        text = file.read()
    want = [collections.Counter(), collections.Counter()]
    for part, thread, total in re.findall(r'^part: (\d+)\nthread: (\d+)\n.*?^totals: (\d+)', text, re.M | re.S):
        want[0][int(part)] += int(total)
        want[1][int(thread)] += int(total)
    run(work, tenure, 'import', '-q', '-o', 'all', 'all.out')
    with sqlite3.connect(os.path.join(work, 'all')) as db:
        for sums, table in zip(want, ('SELECT part, Ir FROM parts', 'SELECT id, Ir FROM threads')):
            got = {row[0]: row[1] for row in db.execute(table)}
            check(len(sums) > 1 and got == {k: v for k, v in sums.items() if v or k in got},
                  'combined: %s, %s' % (got, sums))


def cachegrind(tenure, work):
    run(work, 'valgrind', '-q', '--tool=cachegrind', '--cache-sim=yes', '--branch-sim=yes',
        '--cachegrind-out-file=cachegrind.out', './t')
    run(work, tenure, 'import', '-q', '-o', 'profile', 'cachegrind.out')
    events, rows = annotated(work, 'cg_annotate', '--threshold=0', '--auto=no', '--show-percs=no', 'cachegrind.out')
    check(len(events) == 13, 'cachegrind: events %s' % events)
    compare('cachegrind', by_file(os.path.join(work, 'profile'), events), rows)


def exports(tenure, work):
    profile = os.path.join(work, 'ours')
    run(work, tenure, 'record', '-q', '--branch-sim=yes', '-o', 'ours', '--', './t')
    run(work, tenure, 'export', '--format=callgrind', '-o', 'callgrind.ours', 'ours')
    events, rows = annotated(work, 'callgrind_annotate', '--threshold=100', '--auto=no', '--show-percs=no',
                             '--show=Ir,Dr,D1mr,DLmw,SpLoss1', '--sort=Ir', 'callgrind.ours')
    strip = re.compile(r' \([^()]*\)$')  # what makes a name of two objects unique
    ours = collections.defaultdict(lambda: [0] * len(events))
    for key, row in by_file(profile, events).items():
        ours = add(ours, {(key[0], strip.sub('', key[1])): row})
    theirs = {}
    for key, row in rows.items():
        theirs = add(theirs, {(key[0], strip.sub('', key[1])): row})
    compare('callgrind export', ours, theirs)
    grind = ['--format=cachegrind', '--events=Ir,I1mr,ILmr,Dr,D1mr,DLmr,Dw,D1mw,DLmw,Bc,Bcm,Bi,Bim,SpLoss1,SpLossL']
    run(work, tenure, 'export', *grind, '-o', 'cachegrind.ours', 'ours')
    annotate = ['cg_annotate', '--threshold=0', '--auto=no', '--show-percs=no']
    events, rows = annotated(work, *annotate, 'cachegrind.ours')
    ours = by_file(profile, events)
    compare('cachegrind export', ours, rows)
    run(work, 'cg_merge', '-o', 'cachegrind.twice', 'cachegrind.ours', 'cachegrind.ours')
    twice = {key: [2 * value for value in row] for key, row in ours.items()}
    compare('cg_merge', twice, annotated(work, *annotate, 'cachegrind.twice')[1])
    run(work, tenure, 'import', '-q', '-o', 'twice', 'cachegrind.twice')
    check(by_file(os.path.join(work, 'twice'), events) == twice, 'what cg_merge writes is imported')
    difference = run(work, 'cg_diff', 'cachegrind.ours', 'cachegrind.twice')
    summary = [sum(row[i] for row in ours.values()) for i in range(len(events))]
    check(difference.splitlines()[-1].split() == ['summary:'] + [str(value) for value in summary], 'cg_diff: summary')
    with open(os.path.join(work, 'cachegrind.diff'), 'w', encoding='utf-8') as file:
        file.write(difference)
    compare('cg_diff', ours, annotated(work, *annotate, 'cachegrind.diff')[1])
    with open(os.path.join(work, 'cachegrind.less'), 'w', encoding='utf-8') as file:
        file.write(run(work, 'cg_diff', 'cachegrind.twice', 'cachegrind.ours'))
    run(work, tenure, 'import', '-q', '-o', 'less', 'cachegrind.less')
    less = {key: [-value for value in row] for key, row in ours.items()}
    check(by_file(os.path.join(work, 'less'), events) == less, 'what cg_diff writes is imported, below 0 too')
    run(work, tenure, 'export', *grind, '-o', 'cachegrind.again', 'less')
    compare('a difference, exported', less, annotated(work, *annotate, 'cachegrind.again')[1])


def main():
    tenure, compiler = os.path.abspath(sys.argv[1]), sys.argv[2:]
    for tool in ('callgrind_annotate', 'cg_annotate', 'cg_diff', 'cg_merge'):
        if not shutil.which(tool):
            print(tool + ' is not here')
            return 77
    with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as work:
        for name, text in PROGRAM.items():
            with open(os.path.join(work, name), 'w', encoding='ascii') as file:
                file.write(text)
        run(work, *compiler, '-g', '-O1', '-pthread', '-o', 't', 't.c')
        for options in CALLGRIND:
            callgrind(tenure, work, options)
        combined(tenure, work)
        cachegrind(tenure, work)
        exports(tenure, work)
    print('%d passed, %d failed' % (passed, failed))
    return failed > 0


sys.exit(main())
