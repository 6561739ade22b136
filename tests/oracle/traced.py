#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The core against the reference model, and the model against Callgrind, exactly, instruction by instruction.

usage: traced.py [--random=FIRST,COUNT] CC ORACLE-TRACE TENURE VALGRIND-LIB GUEST...

Lackey traces a guest without libc, whose addresses nothing outside changes. The trace goes through the model
(trace.c) twice for each geometry. As docs/model.md says, the model must equal what Tenure counts of the same guest; in
Callgrind's way it must equal what `callgrind --cacheuse=yes` counts: self costs of each instruction, and calls and
inclusive costs of each pair of functions. So what the core counts is what Callgrind would, but for what is
written in model.c as Callgrind's way. There is no tolerance.

Guests are also run with collection switched by a function (TOGGLED), and so are random programs (random_accesses.py).
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import formats
import random_accesses
import runs

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import rawfile  # noqa: E402

# In the order of enum M_*; the events of L2, TLBs, coherence, kinds of misses, distances and further machines have none
# here.
USES = ['AcCost', 'SpLoss', 'Ev', 'Tch', 'Byt', 'Use', 'Age']
WRITES = ['Wb', 'Wrt']
KINDS = ['Cold', 'Cap', 'Conf']
DISTANCES = ['Dist%d' % ways for ways in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)]
MODEL = (['Ir', 'Dr', 'Dw', 'Bc', 'Bcm', 'Bi', 'Bim', 'I1mr', 'ILmr'] + [u + 'I1' for u in USES]
         + [u + 'IL' for u in USES] + ['I2mr'] + [u + 'I2' for u in USES] + [w + 'I2' for w in WRITES]
         + [w + 'IL' for w in WRITES] + ['PfI2', 'PfUI2', 'PfIL', 'PfUIL']
         + [k + cache for cache in ('I1', 'I2', 'IL') for k in KINDS]
         + [d + cache for cache in ('I2', 'IL') for d in DISTANCES] + ['ITmr', 'ITwr']
         + ['I%smr_also%d' % (level, machine) for machine in (1, 2, 3, 4) for level in '12L']
         + ['D1mr', 'DLmr', 'D1mw', 'DLmw']
         + [u + 'D1' for u in USES] + [u + 'DL' for u in USES] + ['D2mr', 'D2mw'] + [u + 'D2' for u in USES]
         + [w + cache for cache in ('D1', 'D2', 'DL') for w in WRITES]
         + ['PfD1', 'PfUD1', 'PfD2', 'PfUD2', 'PfDL', 'PfUDL']
         + ['D1cr', 'D1cw', 'D1fr', 'D1fw', 'InvD1', 'Inv', 'Upg', 'Xfr', 'DTmr', 'DTmw', 'DTwr', 'DTww']
         + [k + cache for cache in ('D1', 'D2', 'DL') for k in KINDS]
         + [d + cache for cache in ('D2', 'DL') for d in DISTANCES]
         + ['D%sm%s_also%d' % (level, kind, machine) for machine in (1, 2, 3, 4) for kind in 'rw' for level in '12L'])
INCLUSIVE = ['Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']
CALLGRIND = INCLUSIVE + ['AcCost1', 'SpLoss1', 'AcCost2', 'SpLoss2']
TENURE = (['Ir', 'Dr', 'Dw', 'I1mr', 'ILmr', 'D1mr', 'DLmr', 'D1mw', 'DLmw']
          + [use + cache for cache in ('I1', 'D1', 'L') for use in USES])
WRITTEN = [word + cache for cache in ('D1', 'L') for word in WRITES]


def geometry(i1, d1, ll):
    return {'I1': i1, 'D1': d1, 'LL': ll}


ORDINARY = geometry('32768,8,64', '32768,8,64', '1048576,16,64')
SMALL = geometry('1024,2,64', '2048,4,64', '8192,8,64')
STALE = geometry('512,1,64', '1024,4,64', '1024,1,64')  # a last level that forgets what level 1 still holds
LINES = geometry('1024,2,32', '2048,4,64', '8192,8,128')
ONE_SET = geometry('512,8,64', '1024,16,64', '4096,4,64')
LONG = geometry('4096,2,256', '4096,4,128', '32768,4,256')
POLICIES = [geometry(*(cache + policy for cache in SMALL.values())) for policy in (',plru', ',rrip')]
GEOMETRIES = {'transpose': [ORDINARY], 'deep': [SMALL], 'order': [ORDINARY, STALE]}
EVERY = [*POLICIES, ORDINARY, SMALL, STALE, LINES, ONE_SET, LONG]


class Count:
    def __init__(self):
        self.passed = self.failed = 0

    def equal(self, title, where, ours, theirs, events, names, limit=5):
        """Two dictionaries of lists, key by key; a key that is missing is all zeroes."""
        zero, bad = [0] * len(events), []
        for key in sorted(set(ours) | set(theirs)):
            got, want = ours.get(key, zero), theirs.get(key, zero)
            if list(got) == list(want):
                self.passed += 1
            else:
                bad.append((key, ['%s %d, %s %d' % (e, g, names, w) for e, g, w in zip(events, got, want) if g != w]))
        self.failed += len(bad)
        for key, words in bad[:limit]:
            print('%s: %s: %s' % (title, where(key), '; '.join(words)))
        if len(bad) > limit:
            print('%s: ... %d in all' % (title, len(bad)))
        return not bad


class Symbols:
    """Functions of an ELF file, and which instructions call and return."""

    def __init__(self, program):
        text = subprocess.run(['readelf', '-sW', program], stdout=subprocess.PIPE, universal_newlines=True,
                              check=True).stdout
        self.functions = sorted({(int(f[1], 16), int(f[2]), f[7]) for f in map(str.split, text.splitlines())
                                 if len(f) == 8 and f[3] == 'FUNC' and f[2] != '0'})
        code = subprocess.run(['objdump', '-d', '--no-show-raw-insn', program], stdout=subprocess.PIPE,
                              universal_newlines=True, check=True).stdout
        self.sites = re.findall(r'^ *([0-9a-f]+):\t(?:\w+ )?(call|ret)', code, re.M)

    def where(self, address):
        for start, size, name in self.functions:
            if start <= address < start + size:
                return '%s+0x%x' % (name, address - start)
        return '0x%x' % address

    def map(self, toggle):
        lines = ['f %x %x %s' % function for function in self.functions]
        lines += ['%s %s' % (kind[0], address) for address, kind in self.sites]
        return '\n'.join(lines + (['t ' + toggle] if toggle else [])) + '\n'


class Models:
    """What the model counts of one program, in both ways, for each of `geometries`."""

    def __init__(self, oracle_trace, tools, program, geometries, toggle, symbols):
        self.instructions = collections.defaultdict(dict)
        self.arcs = [{} for _ in geometries]
        with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
            path = os.path.join(folder, 'map')
            with open(path, 'w', encoding='ascii') as file:
                file.write(symbols.map(toggle))
            caches = [g[level] for g in geometries for level in ('I1', 'D1', 'LL')]
            self.read(tools.lackey(program, [oracle_trace, path, *caches]))

    def read(self, text):
        for line in text.splitlines():
            fields = line.split()
            if fields[0] == 'arc':
                for i, arcs in enumerate(self.arcs):
                    at = 4 + i * len(INCLUSIVE)
                    arcs[fields[1], fields[2]] = [int(x) for x in fields[3:4] + fields[at:at + len(INCLUSIVE)]]
            else:
                table = self.instructions[fields[0], int(fields[1])]
                formats.add(table, int(fields[2], 16), map(int, fields[3:]), len(MODEL))

    def events(self, way, number, names):
        """Costs by address, as the events `names`, which may be sums of the model's."""
        columns = [[MODEL.index(part) for part in parts(name)] for name in names]
        return {address: [sum(costs[i] for i in column) for column in columns]
                for address, costs in self.instructions[way, number].items()}


def parts(name):
    """Callgrind's caches are 1 and 2, ours I1, D1 and L; the model tells fetches and data apart at both levels."""
    for suffix, caches in (('1', ('I1', 'D1')), ('2', ('IL', 'DL')), ('L', ('IL', 'DL'))):
        if name[:-1] in USES + WRITES and name.endswith(suffix):
            return [name[:-1] + cache for cache in caches]
    return [name]


def raw_instructions(raw, events):
    out = {}
    for (_, instr), costs in raw.self_costs.items():
        formats.add(out, raw.instrs[instr].address, [costs[name] for name in events], len(events))
    return out


def callgrind_arcs(profile):
    return {pair: [calls] + costs[:len(INCLUSIVE)] for pair, (calls, costs) in profile.arcs.items()}


def check(count, tools, oracle_trace, program, geometries, toggle=None):
    symbols = Symbols(program)
    models = Models(oracle_trace, tools, [program], geometries, toggle, symbols)
    name = os.path.basename(program) + (' --toggle-collect=' + toggle if toggle else '')
    options = ['--toggle-collect=' + toggle] if toggle else []
    good = True
    for number, caches in enumerate(geometries):
        title = '%s, %s' % (name, ' '.join('--%s=%s' % item for item in caches.items()))
        if caches not in POLICIES:  # which Callgrind does not have
            theirs = tools.callgrind([program], runs.CACHEUSE + options, caches)
            by_address = {address: costs for (_, address), costs in theirs.instructions.items()}
            good &= count.equal(title, symbols.where, models.events('callgrind', number, CALLGRIND), by_address,
                                CALLGRIND, 'Callgrind')
            good &= count.equal(title, ' -> '.join, models.arcs[number], callgrind_arcs(theirs), ['calls'] + INCLUSIVE,
                                'Callgrind')
        written = number % 2 == 0  # both with and without: one must not disturb the other
        events = TENURE + (WRITTEN if written else [])
        ours = tools.tenure_raw([program], ['--shared-l1=yes', '--write-back=' + ('no', 'yes')[written], *options],
                                caches, rawfile.Raw)
        good &= count.equal(title, symbols.where, raw_instructions(ours, events),
                            models.events('tenure', number, events), events, 'model')
    return good


TOGGLED = {'recursion': ['tree', 'pong'], 'straddle': ['upper_missing'], 'chase': ['chase'], 'order': ['sum_columns']}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--random', default='1,0')
    for word in ('cc', 'oracle_trace', 'tenure', 'lib'):
        parser.add_argument(word)
    parser.add_argument('guest', nargs='*')
    args = parser.parse_args()
    tools, count = runs.Tools(args.tenure, args.lib), Count()
    for program in args.guest:
        name = os.path.basename(program).split('_', 1)[1]
        geometries = GEOMETRIES.get(name, EVERY)
        check(count, tools, args.oracle_trace, program, geometries)
        for toggle in TOGGLED.get(name, []):
            check(count, tools, args.oracle_trace, program, geometries[-1:], toggle)
    first, number = map(int, args.random.split(','))
    number *= runs.soak()
    for seed in range(first, first + number):
        with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
            program = random_accesses.build(args.cc, seed, os.path.join(folder, 'random_%d' % seed))
            check(count, tools, args.oracle_trace, program, EVERY, 'f3' if seed % 2 else None)
    print('%d passed, %d failed' % (count.passed, count.failed))
    return 1 if count.failed or not count.passed else 0


if __name__ == '__main__':
    sys.exit(main())
