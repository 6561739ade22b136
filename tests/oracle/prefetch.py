#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the stream prefetcher with Callgrind's (--simulate-hwpref=yes): every miss of every function, exactly.

usage: prefetch.py TENURE VALGRIND-LIB GUEST...

Callgrind without --cacheuse asks the last level for all lines of an access that missed, as soon as one of them did; so
only guests without accesses that straddle lines are compared.
"""
import os
import sys

import runs

GEOMETRIES = [None, {'I1': '16384,4,64', 'D1': '16384,4,64', 'LL': '262144,8,64'},
              {'I1': '4096,2,64', 'D1': '8192,2,64', 'LL': '131072,4,64'}]
EVENTS = ['Ir', 'Dr', 'Dw', 'I1mr', 'D1mr', 'D1mw', 'ILmr', 'DLmr', 'DLmw']


def by_function(profile):
    columns = [profile.events.index(event) for event in EVENTS]
    return {name: [costs[column] for column in columns] for name, costs in profile.self.items()
            if name and name not in ('_start', 'guest_main')}  # Callgrind leaves out the block that exits


def main():
    tools = runs.Tools(sys.argv[1], sys.argv[2])
    passed = failed = 0
    for program in sys.argv[3:]:
        fewer = False
        for geometry in GEOMETRIES:
            demand = by_function(tools.tenure_profile([program], ['--shared-l1=yes'], geometry))
            ours = by_function(tools.tenure_profile([program], ['--shared-l1=yes', '--prefetch=stream'], geometry))
            theirs = by_function(tools.callgrind([program], ['--simulate-hwpref=yes'], geometry))
            fewer = fewer or ours != demand
            for name in sorted(set(ours) | set(theirs)):
                if ours.get(name) == theirs.get(name):
                    passed += 1
                    continue
                failed += 1
                print('%s %s %s: %s %s, Callgrind %s' % (os.path.basename(program), geometry, name, EVENTS,
                                                       ours.get(name), theirs.get(name)))
        failed += not fewer
        if not fewer:
            print(os.path.basename(program) + ': nothing was prefetched, so nothing is compared')
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
