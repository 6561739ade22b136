#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare contexts with Callgrind's: their names, their instructions, and the calls between them, exactly.

usage: contexts.py TENURE VALGRIND-LIB GUEST...

Each guest is run with each of OPTIONS by both. A context is looked at if its function is one of compare_calls.ARCS or
RECURSIVE; its callers may be any. What differs, and why:

- Callgrind's default is two levels of recursion, ours one: --separate-recs is always said.
- Callgrind does not count the program's last superblock: instructions of the function that exits are not compared.
- It takes `call next; pop` for a call and does not see a fall-through into another function (guest control).
- Above main the C library's functions have other names (versions, or none): a context is looked at up to main.
- A function in which collection is off is written by Callgrind with nothing; here it is not there.
"""
import os
import re
import sys

import compare_calls
import runs

RECURSIVE = {'recursion': {'guest_main', 'visit', 'ping', 'pong', 'tree'}}
OPTIONS = [['--separate-callers=2', '--separate-recs=3'], ['--separate-callers=1', '--separate-recs=1'],
           ['--separate-recs=5'], ['--separate-callers=10', '--separate-recs=10'],
           ['--separate-recs=1', '--separate-callers3=[WORK]', '--separate-recs4=[REC]']]
NAMED = {'callers_static': ('work', 'shared'), 'recursion': ('pong', 'tree'), 'arith': ('leaf', 'down')}
EXITS = {'guest_main', '_start'}
DIFFERENT = {'here', 'inner', 'outer'}


def base(name):
    return name.partition("'")[0]


def up_to_main(name):
    return re.sub(r"((?:^|')main)'.*", r'\1', name)


def own(profile, functions):
    """Ir of the contexts of `functions`; those without are left out."""
    at = profile.events.index('Ir')
    return {up_to_main(name): costs[at] for name, costs in profile.self.items()
            if base(name) in functions - EXITS - DIFFERENT and costs[at]}


def calls(profile, functions):
    return {tuple(map(up_to_main, pair)): count for pair, (count, _) in profile.arcs.items()
            if base(pair[0]) in functions - DIFFERENT and base(pair[1]) in functions - DIFFERENT and count}


class Comparison:
    def __init__(self, tools):
        self.tools, self.passed, self.failed = tools, 0, 0

    def equal(self, title, what, ours, theirs):
        self.failed += not theirs
        for key in sorted(set(ours) | set(theirs)):
            if ours.get(key) == theirs.get(key):
                self.passed += 1
                continue
            self.failed += 1
            print('%s: %s of %s: %s, Callgrind %s' % (title, what, key, ours.get(key), theirs.get(key)))

    def guest(self, program):
        name = os.path.basename(program).split('_', 1)[1]
        functions = compare_calls.ARCS.get(name) or RECURSIVE[name]
        for options in OPTIONS:
            if name not in NAMED and '[' in options[-1]:
                continue
            work, recursive = NAMED.get(name, ('', ''))
            options = [option.replace('[WORK]', work).replace('[REC]', recursive) for option in options]
            title = '%s %s' % (name, ' '.join(options))
            ours = self.tools.tenure_profile([program], options)
            theirs = self.tools.callgrind([program], options)
            self.equal(title, 'Ir', own(ours, functions), own(theirs, functions))
            self.equal(title, 'calls', calls(ours, functions), calls(theirs, functions))


def main():
    comparison = Comparison(runs.Tools(sys.argv[1], sys.argv[2]))
    for program in sys.argv[3:]:
        comparison.guest(program)
    print('%d passed, %d failed' % (comparison.passed, comparison.failed))
    return 1 if comparison.failed else 0


if __name__ == '__main__':
    sys.exit(main())
