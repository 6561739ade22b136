#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs under Tenure, Callgrind and Cachegrind: every function of weight has the same counts.

usage: real.py [--short] [--only=NAME] TENURE VALGRIND-LIB

--short: two of the programs, with less to do; `make soak` runs all of all.

All tools give a program the same addresses (runs.py), so the counts must be the same to the last one, but for what
engine/CONTRACT.md lists:

- Callgrind counts a read-modify-write as a write, and so its miss. Against Callgrind, reads and writes are therefore
  compared together; apart they are compared with Cachegrind, which counts as we do.
- Callgrind loses the program's last superblock (that of exit_group).
- Cachegrind's misses in the last level are left out: it sends both lines of a straddling access there when one missed,
  Callgrind with --cacheuse=yes and Tenure only the one that missed.

Functions are our own: the instructions' counts are summed over them, by place in the object file, so that names do not
matter. The inclusive Ir of functions is compared too, unless they are part of a cycle of calls (there Callgrind counts
nested activations again), have no symbol or call something that has none (Callgrind does not know where such a function
begins and ends, and takes no jump into one for a call), or are not one and the same function on both sides.

Every function with more than 1 % of an event must be within 0.1 %, or 2. Totals are printed.
"""
import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile

import runs

SHARE, WITHIN = 0.01, 0.001
SUMS = {'Ir': ['Ir'], 'Dr+Dw': ['Dr', 'Dw'], 'I1mr': ['I1mr'], 'D1mr+D1mw': ['D1mr', 'D1mw'], 'ILmr': ['ILmr'],
        'DLmr+DLmw': ['DLmr', 'DLmw']}
APART = {event: [event] for event in ('Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw')}


# ------------------------------------------------------------------------------------------------ programs

def words(rng, count):
    stock = [''.join(rng.choice('abcdefghijklmnopqrstuvwxyz') for _ in range(rng.randrange(2, 10)))
             for _ in range(2000)]
    return ' '.join(rng.choice(stock) for _ in range(count))


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='ascii') as file:
        file.write(text)
    return path


def xz(folder, short):
    text = words(random.Random(1), 20000 if short else 300000)
    return ['/usr/bin/xz', '-3', '-T1', '-k', '-c', write(folder, 'text', text)]


def sqlite3(folder, short):
    count = 2000 if short else 60000
    return ['/usr/bin/sqlite3', '-init', '/dev/null', ':memory:',
            'create table t(a integer, b text, c real);'
            'with recursive n(i) as (select 1 union all select i + 1 from n where i < %d)'
            ' insert into t select i * 7919 %% 10007, printf("%%d-%%d", i %% 97, i), i / 3.0 from n;'
            'create index x on t(b); select a %% 13, count(*), sum(c), max(b) from t group by 1 order by 3;'
            'select count(*) from t u join t v on u.b = v.b where u.a < 5000;' % count]


def python3(folder, short):
    return ['/usr/bin/python3', '-S', '-s', '-c',
            'd = {}\nfor i in range(%d):\n    d[i * 7919 %% 10007] = str(i) + "x"\nprint(sum(map(len, d.values())))\n'
            'print(sorted(d)[::1000], "".join(sorted(d.values()))[:50])' % (5000 if short else 400000)]


def cc1(folder, short):
    rng, lines = random.Random(2), ['struct s { int a, b; double c; };']
    for i in range(30 if short else 300):
        lines.append('double f%d(struct s *p, int n) { double r = %d; for (int i = 0; i < n; i++) { p[i].a += i * %d;'
                     ' if (p[i].b > %d) r += p[i].c * p[i].a; else r -= (p[i].a ^ %d) / 3.0; } return r; }'
                     % (i, i, rng.randrange(1, 99), rng.randrange(99), rng.randrange(999)))
    compiler = subprocess.run(['gcc', '-print-prog-name=cc1'], stdout=subprocess.PIPE, universal_newlines=True,
                              check=True).stdout.strip()
    return [compiler, '-quiet', '-O2', write(folder, 'big.c', '\n'.join(lines)), '-o', '/dev/null']


PROGRAMS = {'xz': xz, 'sqlite3': sqlite3, 'python3': python3, 'cc1': cc1}
SHORT = ['xz', 'sqlite3']


# --------------------------------------------------------------------------------------------------- sides

class Ours:
    """Tenure's profile: self counts by function, and where its instructions are."""

    def __init__(self, profile):
        self.events, self.names, self.function_at = profile.events, {}, {}
        self.costs = collections.defaultdict(lambda: dict.fromkeys(profile.events, 0))
        real = {}
        for row in profile.by_instruction:
            function, path = row['function_id'], row['object']
            if path not in real:
                real[path] = os.path.realpath(path) if path and path[0] == '/' else path
            self.function_at[real[path], row['offset']] = function
            self.function_at['???', row['address']] = function # as Callgrind writes linkage tables
            self.names[function] = row['function'] or '???'
            costs = self.costs[function]
            for event in profile.events:
                costs[event] += row[event] or 0
        self.inclusive = {row['id']: row['Ir_incl'] for row in profile.db.execute(
            'select id, Ir_incl from functions where id not in (select caller_id from arcs'
            ' where caller_id is not null and callee_id in'
            ' (select id from functions where symbol is null or symbol = "???" or symbol like "0x%"))')}


class Callgrind:
    def __init__(self, profile, ours):
        self.costs = collections.defaultdict(lambda: dict.fromkeys(profile.events, 0))
        self.strange, together = 0, collections.defaultdict(set)
        instructions = profile.events.index('Ir')
        real = {}
        for (path, address), costs in profile.instructions.items():
            if path not in real:
                real[path] = os.path.realpath(path) if path and path[0] == '/' else path
            function = ours.function_at.get((real[path], address))
            if function is None:
                self.strange += costs[instructions]
                continue
            together[profile.function_at[path, address]].add(function)
            for event, cost in zip(profile.events, costs):
                self.costs[function][event] += cost
        self.inclusive = self.one_to_one(profile, together, instructions, ours)

    @staticmethod
    def one_to_one(profile, together, instructions, ours):
        """Inclusive Ir by our function, of those that are one function in both and in no cycle."""
        total = collections.Counter()
        for place, costs in profile.instructions.items():
            total[profile.function_at[place]] += costs[instructions]
        for (caller, _), costs in profile.placed_arcs.items():
            total[caller] += costs[instructions]
        theirs = collections.Counter(function for functions in together.values() for function in functions)
        cyclic = in_cycles(profile.placed_arcs)
        return {min(functions): total[name] for name, functions in together.items()
                if len(functions) == 1 and theirs[min(functions)] == 1 and name not in cyclic
                and not name[1].startswith('0x') and min(functions) in ours.inclusive}


def in_cycles(arcs):
    """The functions from which a chain of calls leads back to them."""
    below = collections.defaultdict(set)
    for caller, callee in arcs:
        below[caller].add(callee)
    number, low, on_stack, stack, out = {}, {}, set(), [], set()
    for root in list(below):
        work = [(root, None)] if root not in number else []
        while work:
            node, rest = work.pop()
            if rest is None:
                number[node] = low[node] = len(number)
                stack.append(node)
                on_stack.add(node)
                rest = iter(sorted(below[node], key=str))
            for callee in rest:
                if callee not in number:
                    work += [(node, rest), (callee, None)]
                    break
                if callee in on_stack:
                    low[node] = min(low[node], number[callee])
            else:
                if low[node] == number[node]:
                    group = stack[stack.index(node):]
                    del stack[-len(group):]
                    on_stack.difference_update(group)
                    if len(group) > 1 or node in below[node]:
                        out.update(group)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return out


def cachegrind_by_name(profile, ours):
    """Self counts by name, of names that both sides have once; Cachegrind knows no addresses."""
    names = collections.Counter(ours.names.values())
    out = {}
    for function, name in ours.names.items():
        if names[name] == 1 and name in profile.self and name != '???':
            out[function] = dict(zip(profile.events, profile.self[name]))
    return out


# -------------------------------------------------------------------------------------------------- verdict

class Verdict:
    def __init__(self):
        self.passed = self.failed = 0

    def compare(self, title, ours, theirs, names, total):
        """Two dictionaries, function -> number."""
        worst = []
        for function, want in theirs.items():
            got = ours.get(function, 0)
            if max(got, want) <= SHARE * total:
                continue
            if abs(got - want) <= max(WITHIN * max(got, want), 2):
                self.passed += 1
            else:
                self.failed += 1
                worst.append((abs(got - want), names[function], got, want))
        for _, name, got, want in sorted(worst, reverse=True)[:8]:
            print('    %-10s %-44s %14d, not %14d' % (title, name[:44], got, want))

    def events(self, who, ours, theirs, events):
        for event, parts in events.items():
            mine = {f: sum(costs[p] for p in parts) for f, costs in ours.costs.items()}
            other = {f: sum(costs[p] for p in parts) for f, costs in theirs.items()}
            here = {f: mine[f] for f in other}
            total, have = sum(other.values()), sum(here.values())
            print('  %-10s %14d  %-10s %14d  %+d' % (event, have, who, total, have - total))
            self.compare(event, mine, other, ours.names, total)


def check(verdict, tools, name, command):
    print('%s: %s' % (name, ' '.join(command)[:90].split('\n')[0]))
    ours = Ours(tools.tenure_profile(command, ['--shared-l1=yes', '--skip-plt=no']))
    theirs = Callgrind(tools.callgrind(command, runs.CACHEUSE + ['--skip-plt=no']), ours)
    verdict.events('Callgrind', ours, theirs.costs, SUMS)
    total = sum(costs['Ir'] for costs in theirs.costs.values())
    if theirs.strange > WITHIN * total:
        verdict.failed += 1
    print('  Ir of Callgrind in code that Tenure has not seen: %d' % theirs.strange)
    print('  inclusive Ir: %d functions outside of cycles' % len(theirs.inclusive))
    verdict.compare('Ir_incl', ours.inclusive, theirs.inclusive, ours.names, total)
    verdict.events('Cachegrind', ours, cachegrind_by_name(tools.cachegrind(command), ours), APART)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--short', action='store_true')
    parser.add_argument('--only')
    parser.add_argument('tenure')
    parser.add_argument('lib')
    args = parser.parse_args()
    args.short &= runs.soak() == 1
    tools, verdict = runs.Tools(args.tenure, args.lib), Verdict()
    runs.ENVIRONMENT['PYTHONHASHSEED'] = '0'
    for name in [args.only] if args.only else SHORT if args.short else PROGRAMS:
        with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
            try:
                check(verdict, tools, name, PROGRAMS[name](folder, args.short))
            except runs.Failed as failure:
                verdict.failed += 1
                print(failure)
    print('%d passed, %d failed' % (verdict.passed, verdict.failed))
    return 1 if verdict.failed else 0


if __name__ == '__main__':
    sys.exit(main())
