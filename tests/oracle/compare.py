#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare a Tenure profile with Cachegrind's of the same program, function by function.

usage: compare.py [--exact] [--I1=S,A,L] [--D1=S,A,L] [--LL=S,A,L]
                  [--share=PERCENT] [--within=PERCENT] [--shown=N] TENURE VALGRIND-LIB -- PROGRAM ARGS...
       compare.py --each TENURE VALGRIND-LIB PROGRAM...

--exact   every event of every function is equal, or the test fails. For programs without libc: nothing outside
          their own code runs, and nothing depends on the kernel.
else      prints, for each event, the totals and the functions with more than SHARE (1 %) of it, and more than a
          thousand, that differ by more than WITHIN (0.1 %), and fails if there are any: what is printed wants an
          explanation, or a repair.

Functions are compared by their names in the symbol table. What Cachegrind calls `???` is summed on both sides, and
so are code and stubs to which either side gives no name.
"""
import argparse
import collections
import os
import sys

import runs

# Guests whose code or data straddles lines while the last level is full: Cachegrind asks it for the line that hit, too
# (engine/CONTRACT.md, section 7). Its events are not compared for them.
STRADDLING = ['pure_blocks']
EVENTS = ['Ir', 'Dr', 'Dw', 'I1mr', 'ILmr', 'D1mr', 'DLmr', 'D1mw', 'DLmw', 'Bc', 'Bcm', 'Bi', 'Bim']


def known(name):
    """A name both sides can know: not an address, not a section, without a version."""
    if name is None or name in ('', '???', '(unknown)') or name.startswith(('0x', '.plt', '.iplt')):
        return '???'
    return name.split('@')[0] or name


def by_function(profile):
    out = collections.defaultdict(lambda: dict.fromkeys(EVENTS, 0))
    for name in profile.self:
        for event in EVENTS:
            out[known(name)][event] += profile.event(profile.self, name, event)
    return out


def exact(ours, theirs, straddling=False):
    passed = failed = 0
    events = [event for event in EVENTS if not straddling or 'L' not in event]
    for name in sorted(set(ours) | set(theirs)):
        different = [e for e in events if ours[name][e] != theirs[name][e]]
        if not different:
            passed += 1
            continue
        failed += 1
        print('%s: %s' % (name, ', '.join('%s %d, Cachegrind %d' % (e, ours[name][e], theirs[name][e])
                                          for e in different)))
    return passed, failed


def close(ours, theirs, share, within, shown):
    passed = failed = 0
    for event in EVENTS:
        total = sum(costs[event] for costs in theirs.values())
        have = sum(costs[event] for costs in ours.values())
        off = []
        for name in set(ours) | set(theirs):
            want, got = theirs[name][event], ours[name][event]
            if max(want, got) < share / 100 * total or max(want, got) < 1000:
                continue
            if abs(got - want) > within / 100 * max(want, got):
                off.append((abs(got - want), name, got, want))
            else:
                passed += 1
        failed += len(off)
        print('%-5s %15d  Cachegrind %15d  %+.4f %%' % (event, have, total,
                                                         100 * (have - total) / total if total else 0))
        for _, name, got, want in sorted(off, reverse=True)[:shown]:
            print('        %-40s %15d  Cachegrind %15d  %+.3f %%' % (name[:40], got, want,
                                                                      100 * (got - want) / max(want, 1)))
    return passed, failed


GEOMETRIES = [
    runs.GEOMETRY,
    {'I1': '4096,1,32', 'D1': '8192,2,32', 'LL': '65536,4,64'},
    {'I1': '1024,2,64', 'D1': '2048,4,64', 'LL': '8192,8,64'},
    {'I1': '16384,4,128', 'D1': '16384,4,128', 'LL': '262144,8,128'},
]


def profiles(tools, program, geometry):
    ours = tools.tenure_profile(program, ['--branch-sim=yes', '--skip-plt=no'], geometry)
    return by_function(ours), by_function(tools.cachegrind(program, geometry=geometry))


def each(tools, programs):
    passed = failed = 0
    for program in programs:
        for geometry in GEOMETRIES:
            good, bad = exact(*profiles(tools, [program], geometry), os.path.basename(program) in STRADDLING)
            passed, failed = passed + good, failed + bad
            if bad:
                print('... %s, %s' % (program, ' '.join('--%s=%s' % item for item in geometry.items())))
    return passed, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--exact', action='store_true')
    parser.add_argument('--each', action='store_true')
    parser.add_argument('--share', type=float, default=1)
    parser.add_argument('--within', type=float, default=0.1)
    parser.add_argument('--shown', type=int, default=10)
    for level in runs.GEOMETRY:
        parser.add_argument('--' + level, default=runs.GEOMETRY[level])
    parser.add_argument('tenure')
    parser.add_argument('lib')
    parser.add_argument('program', nargs='+')
    args = parser.parse_args()
    geometry = {level: getattr(args, level) for level in runs.GEOMETRY}
    try:
        tools = runs.Tools(args.tenure, args.lib)
        if args.each:
            passed, failed = each(tools, args.program)
        elif args.exact:
            passed, failed = exact(*profiles(tools, args.program, geometry))
        else:
            passed, failed = close(*profiles(tools, args.program, geometry), args.share, args.within, args.shown)
    except runs.Failed as failure:
        print(failure)
        print('0 passed, 1 failed')
        return 1
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
