#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare calls with Callgrind's: how many on each arc, and the instructions below it, exactly.

usage: compare_calls.py TENURE VALGRIND-LIB GUEST...

ARCS says which functions of a guest are looked at, and which arcs differ for a reason. Recursion is left out: there
Callgrind counts nested calls again (or makes functions of the levels), and Tenure counts each event once.
"""
import os
import sys

import runs

ARCS = {
    'callers_static': {'main', 'cheap', 'dear', 'shared', 'work'},
    'toggle': {'main', 'outside', 'wanted', 'helper', 'work'},
    'plt_lazy': {'main', 'caller', 'plugin_work', 'work'},
    'plt_now': {'main', 'caller', 'plugin_work', 'work'},
    'signals_static': {'main', 'interrupted'},
    'control': {'_start', 'here', 'push_ret', 'pushed', 'skip', 'skipper', 'tail_a', 'tail_b', 'tail_c', 'outer'},
    'arith': {'_start', 'leaf', 'down'},
}
# Callgrind takes `call next; pop` for a call, and does not see a fall-through into another function (not looked at).
DIFFERENT = {('here', "here'2"), ('down', 'down'), ('down', "down'2"), ("down'2", "down'2")}


def arcs(profile, functions):
    instructions = profile.events.index('Ir')
    return {pair: (calls, costs[instructions]) for pair, (calls, costs) in profile.arcs.items()
            if pair[0] in functions and pair[1] in functions and pair not in DIFFERENT}


def main():
    tools = runs.Tools(sys.argv[1], sys.argv[2])
    passed = failed = 0
    for program in sys.argv[3:]:
        name = os.path.basename(program).split('_', 1)[1]
        try:
            ours = arcs(tools.tenure_profile([program]), ARCS[name])
            theirs = arcs(tools.callgrind([program]), ARCS[name])
        except runs.Failed as failure:
            failed += 1
            print(failure)
            continue
        failed += not theirs
        for pair in sorted(set(ours) | set(theirs)):
            if ours.get(pair) == theirs.get(pair):
                passed += 1
                continue
            failed += 1
            print('%s: %s -> %s: calls and Ir %s, Callgrind %s' % (name, *pair, ours.get(pair), theirs.get(pair)))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
