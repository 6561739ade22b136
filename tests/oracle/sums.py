#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What must add up in a profile adds up, on real programs and by SQL alone; and its callgrind export says the same.

usage: sums.py TENURE PARTS

- Self costs of functions, lines, instructions, threads, parts and call paths sum to the totals, each event.
- The roots of the call tree sum to the totals inclusively.
- Nothing is above 100 %: no function, line, call or path has more inclusively than the program; no function has less
  inclusively than itself.
- What `tenure export --format=callgrind` writes, read back (formats.py): self costs of functions, calls and
  inclusive costs of arcs.
- PARTS (parts.c) run with and without four dumps: five parts that sum to the totals, and every row of every view
  that of the undivided run, but for Time: strides begin anew with each part.

AcCost is a sum of fractions: sums may differ in the last digits, and the export rounds it.
"""
import collections
import os
import sqlite3
import subprocess
import sys
import tempfile

import formats
import runs

PLAIN = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'HOME': '/', 'PYTHONHASHSEED': '0'}
GEOMETRY = ['--I1=8192,2,64', '--D1=16384,4,64', '--LL=262144,8,64']
SELF = ['functions', 'lines', 'instructions', 'self', 'threads', 'parts', 'paths']
INCLUSIVE = ['functions', 'lines', 'arcs', 'paths']


class Count:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, text):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print(text)


def same(a, b, slack=0):
    return abs(a - b) <= slack + (1e-9 * max(abs(a), abs(b)) if isinstance(a, float) or isinstance(b, float) else 0)


def record(tenure, command, out):
    done = subprocess.run([tenure, 'record', '--quiet', '--branch-sim=yes', *GEOMETRY, '--out=' + out, '--', *command],
                          env=PLAIN, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False, timeout=300)
    if done.returncode:
        sys.exit('%s: status %d\n%s' % (command[0], done.returncode, done.stderr.decode('utf-8', 'replace')))
    return sqlite3.connect('file:%s?mode=ro' % out, uri=True)


def one(database, query):
    return [value or 0 for value in database.execute(query).fetchone()]


def add_up(count, name, database):
    events = [row[0] for row in database.execute('select name from events where derived = 0')]
    totals = one(database, 'select %s from totals' % ', '.join(events))

    def compare(title, values):
        for event, total, value in zip(events, totals, values):
            count.check(same(total, value), '%s: %s: %s %s, total %s' % (name, title, event, value, total))

    for table in SELF:
        compare('sum of ' + table, one(database, 'select %s from %s' % (
            ', '.join('sum(%s)' % event for event in events), table)))
    compare('roots', one(database, 'select %s from paths where parent is null' % (
        ', '.join('sum(%s_incl)' % event for event in events))))
    for table in INCLUSIVE:
        most = one(database, 'select %s from %s' % (', '.join('max(%s_incl)' % event for event in events), table))
        for event, total, value in zip(events, totals, most):
            count.check(value <= total or same(value, total),
                        '%s: %s: %s_incl %s of %s' % (name, table, event, value, total))
    for event in events:
        less, = one(database, 'select count(*) from functions where {0}_incl < {0} * (1 - 1e-9)'.format(event))
        count.check(not less, '%s: %d functions with less %s inclusively than alone' % (name, less, event))


def rounded(profile):
    """How many numbers of the export make up a function's self cost (roundings of its lines cancel out, but not
    between functions of one name), and an arc's."""
    names = {row['id']: row['symbol'] or row['function'] for row in profile.db.execute('select * from functions')}
    arcs = collections.Counter((names.get(row['caller_id']), names[row['callee_id']])
                               for row in profile.db.execute('select caller_id, callee_id from arcs'))
    return collections.Counter(names.values()), arcs


def read_back(count, name, tenure, path, folder):
    text = os.path.join(folder, 'callgrind')
    runs.run([tenure, 'export', '--format=callgrind', '--mangled', '--out=' + text, path])
    profile, export = formats.TenureProfile(path), formats.read_callgrind(text)
    functions, sites = rounded(profile)
    arcs = {pair: costs for pair, (_, costs) in profile.arcs.items() if pair[0] is not None}
    back = {pair: costs for pair, (_, costs) in export.arcs.items()}
    count.check(len(export.events) > 8, '%s: export has only %s' % (name, export.events))
    for column, exported in enumerate(export.events):
        event = exported[:-1] + 'L' if exported.endswith('2') else exported
        parts_of_it = [event] if event in profile.events else [event[:-1] + 'I1', event[:-1] + 'D1']
        columns = [profile.events.index(part) for part in parts_of_it]
        inexact = event.startswith('AcCost')

        def compare(what, ours, theirs, numbers):
            bad = [key for key in set(ours) | set(theirs)
                   if not same(sum(ours[key][i] for i in columns) if key in ours else 0,
                               theirs[key][column] if key in theirs else 0, numbers[key] if inexact else 0)]
            count.check(not bad, '%s: callgrind export: %s of %d %s: %s' % (name, exported, len(bad), what, bad[:3]))

        compare('functions', profile.self, export.self, functions)
        compare('arcs', arcs, back, sites)
    calls = {pair: number for pair, (number, _) in profile.arcs.items() if pair[0] is not None and number}
    back = {pair: number for pair, (number, _) in export.arcs.items() if number}
    different = [pair for pair in set(calls) | set(back) if calls.get(pair) != back.get(pair)]
    count.check(not different, '%s: callgrind export: calls of %d arcs: %s' % (name, len(different), different[:3]))


ROWS = ['select * from totals', 'select * from instructions order by address',
        'select * from functions order by address',
        'select * from arcs order by address, callee', 'select * from lines order by function, file, line']


def without_ids(cursor):
    keep = [i for i, column in enumerate(cursor.description)
            if column[0] not in ('id', 'first_instruction', 'last_instruction', 'Time', 'Time_incl')
            and not column[0].endswith('_id')]
    return [[row[i] for i in keep] for row in cursor]


def parts(count, tenure, program, folder):
    whole = record(tenure, [program, 'b'], os.path.join(folder, 'whole'))
    parted = record(tenure, [program, 'a'], os.path.join(folder, 'parted'))
    number, = one(parted, 'select count(*) from parts')
    count.check(number == 5, 'parts: %d, not 5' % number)
    add_up(count, 'parts', parted)
    for query in ROWS:
        want, got = without_ids(whole.execute(query)), without_ids(parted.execute(query))
        bad = len(want) != len(got) or not all(
            same(a, b) if isinstance(a, float) and isinstance(b, float) else a == b
            for x, y in zip(want, got) for a, b in zip(x, y))
        count.check(not bad, 'parts: %s: not as in the undivided run' % query.split()[3])


def main():
    tenure, guest = map(os.path.abspath, sys.argv[1:])
    count = Count()
    with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
        data = os.path.join(folder, 'data')
        with open(data, 'w', encoding='ascii') as file:
            file.write(''.join('%d %d\n' % (i * 7919 % 10007, i % 97) for i in range(8000)))
        programs = {
            'xz': ['/usr/bin/xz', '-2', '-T1', '-k', '-c', data],
            'sqlite3': ['/usr/bin/sqlite3', '-init', '/dev/null', ':memory:',
                        'create table t(a, b); with recursive n(i) as (select 1 union all select i + 1 from n where'
                        ' i < 3000) insert into t select i * 7919 % 1009, i || "x" from n; create index x on t(b);'
                        'select a, count(*), max(b) from t group by a order by 2, 3;'],
            'python3': ['/usr/bin/python3', '-S', '-s', '-c',
                        'import re\nprint(sorted(re.sub("[0-4]", "x", open("%s").read()).split())[:9])' % data],
        }
        for name, command in programs.items():
            out = os.path.join(folder, name)
            add_up(count, name, record(tenure, command, out))
            read_back(count, name, tenure, out, folder)
        parts(count, tenure, guest, folder)
    print('%d passed, %d failed' % (count.passed, count.failed))
    return 1 if count.failed else 0


if __name__ == '__main__':
    sys.exit(main())
