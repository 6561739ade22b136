#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hold a tool to the known answers (known.py).

usage: known_answers.py cachegrind GUEST...
       known_answers.py tenure TENURE GUEST...

With cachegrind the formulas themselves are tested: an oracle that knows nothing of Tenure counts them too.
"""
import os
import subprocess
import sys

import known
import runs


class Count:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, want, got):
        if want == got or (isinstance(want, float) and abs(want - got) <= 1e-6 * want):
            self.passed += 1
            return
        self.failed += 1
        print('%s: expected %s, counted %s' % (what, want, got))


def symbols(program):
    text = subprocess.run(['nm', program], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    return {line.split()[2]: int(line.split()[0], 16) for line in text.splitlines() if len(line.split()) == 3}


def easy_branch(program):
    """The address of the jnz in `easy`: after the 3 bytes of dec %rcx."""
    table = symbols(program)
    return table['easy'] + 3, table['hostile_bit'], table['hostile_loop']


def check_functions(count, name, program, profile):
    for function, events in known.FUNCTIONS.get(name, {}).items():
        for event, want in events.items():
            count.check('%s: %s: %s' % (name, function, event), want, profile.event(profile.self, function, event))
    if name == 'branches':
        count.check('branches: hostile: Bcm', known.hostile_mispredictions(easy_branch(program)),
                    profile.event(profile.self, 'hostile', 'Bcm'))


def check_calls(count, name, profile):
    for function, events in known.INCLUSIVE.get(name, {}).items():
        for event, want in events.items():
            count.check('%s: %s: %s_incl' % (name, function, event), want, profile.event(profile.incl, function, event))
    for function, want in known.CALLS.get(name, {}).items():
        count.check('%s: calls of %s' % (name, function), want, profile.calls.get(function))


def check_uses(count, name, profile):
    for table, kind in ((known.LOADS, 'Dr'), (known.STORES, 'Dw')):
        for function, events in table.get(name, {}).items():
            for event, want in events.items():
                got = profile.sum_of_instructions(function, kind, event)
                count.check('%s: %s: %s of %s' % (name, function, event, kind), want, got)


def main():
    tool, rest = sys.argv[1], sys.argv[2:]
    command = rest.pop(0) if tool == 'tenure' else None
    count = Count()
    for program in rest:
        name = os.path.basename(program).split('_', 1)[1]
        try:
            if tool == 'tenure':
                profile = runs.tenure(command, [program], ['--branch-sim=yes'])
                check_functions(count, name, program, profile)
                check_calls(count, name, profile)
                check_uses(count, name, profile)
            else:
                check_functions(count, name, program, runs.cachegrind([program]))
        except runs.Failed as failure:
            count.failed += 1
            print(failure)
    print('%d passed, %d failed' % (count.passed, count.failed))
    return 1 if count.failed else 0


if __name__ == '__main__':
    sys.exit(main())
