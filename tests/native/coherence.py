#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--coherence=mesi: what two threads miss because of each other, by a formula.

    coherence.py ENGINE GUEST [VALGRIND_LIB]

GUEST is guest_sharing.c. Where two threads take turns on one line, each turn but the first begins with one coherence
miss of its only line, one transfer and one line invalidated: so there are as many as turns. The same program in the
same turns without coherence misses what is not a coherence miss, function by function. Under Valgrind turns are its
own; what is false and what is true does not depend on them.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import rawfile  # noqa: E402
from harness import valgrind_binary  # noqa: E402

CACHES = ['--I1=32768,8,64', '--D1=32768,8,64', '--LL=8388608,16,64']
TURN, ROUNDS = 500, 20000
HEADS, LONGEST = 33, 8  # a turn goes on for at most so many rounds of a loop of at most so many accesses
PAIR, SAME, APART = ['add_left', 'add_right'], ['add_same'], ['add_first', 'add_second']
EVENTS = ['D1cr', 'D1cw', 'D1fr', 'D1fw', 'InvD1', 'Inv', 'Upg', 'Xfr']

passed, failed = 0, 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(what)


def run(command, folder, env=None):
    out = os.path.join(folder, 'raw')
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run(command(out), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=200, check=False, env=env)
    if done.returncode != 0:
        sys.exit('%s: %d, %s' % (' '.join(command(out)), done.returncode, done.stderr.decode()))
    check(done.stdout == b'%d %d\n' % (2 * ROUNDS, 2 * ROUNDS), 'output %r' % done.stdout)
    return rawfile.Raw(out)


def native(engine, guest, folder, *options):
    return run(lambda out: [engine, '--profile=yes', '--tenure-out-file=' + out, *CACHES, *options, '--', guest,
                            str(ROUNDS)], folder)


def costs(raw, functions, event):
    own = raw.self_by_function()
    return sum(own[name].get(event, 0) for name in functions)


def shared_by(raw, functions):
    """Of the pairs whose instructions are in these functions: misses, falsely and truly shared; bytes."""
    function = {ident: raw.name_of(instr.context) for ident, instr in raw.instrs.items()}
    rows = [(function[writer], function[victim], sums) for (writer, victim, _), sums in raw.sharing.items()
            if function.get(writer) in functions and function.get(victim) in functions]
    return rows, [sum(sums[i] for _, _, sums in rows) for i in range(3)]


def check_kinds(raw, engine):
    """What does not depend on turns."""
    misses = costs(raw, PAIR, 'D1cr')
    check(costs(raw, PAIR, 'D1fr') == misses, '%s: of %d misses not all are false sharing' % (engine, misses))
    check(costs(raw, SAME, 'D1fr') + costs(raw, SAME, 'D1fw') == 0, engine + ': the same counter is shared falsely')
    apart = [event for event in EVENTS if costs(raw, APART, event)]
    check(not apart, '%s: counters on lines of their own have %s' % (engine, apart))
    rows, sums = shared_by(raw, PAIR)
    check(sums == [misses, misses, 0], '%s: pairs say %s of %d' % (engine, sums, misses))
    for writer, victim, (_, _, _, written, touched) in rows:
        left, right = 0xff, 0xff00
        check(writer != victim and {written, touched} == {left, right} and (written == left) == (writer == 'add_left'),
              '%s: %s takes lines from %s: bytes %x, %x' % (engine, writer, victim, written, touched))


def check_turns(raw):
    ran = sum(costs(raw, PAIR, event) for event in ('Ir', 'Dr', 'Dw'))
    misses, same = costs(raw, PAIR, 'D1cr'), costs(raw, SAME, 'D1cr')
    check(ran // (TURN + HEADS * LONGEST) - 3 <= misses <= ran // TURN + 1,
          '%d accesses of two threads in turns of %d: %d misses' % (ran, TURN, misses))
    check(abs(same - misses) <= 4, 'the same counter: %d misses, not %d' % (same, misses))
    for event in ('Xfr', 'Inv', 'InvD1'):
        for functions in (PAIR, SAME):
            some = costs(raw, functions, event)
            check(abs(some - misses) <= 4, '%s of %s: %d, not %d' % (event, functions, some, misses))
    rows, sums = shared_by(raw, SAME)
    check(len(rows) > 0 and sums[1] == 0 and abs(sums[2] - same) <= 2, 'pairs of the same counter: %s' % sums)


def check_identity(coherent, plain):
    with_it, without = coherent.self_by_function(), plain.self_by_function()
    check(set(with_it) == set(without), 'other functions ran')
    for name, costs_with in with_it.items():
        a, b = costs_with, without.get(name, {})
        for event, less in (('D1mr', 'D1cr'), ('D1mw', 'D1cw'), ('Ir', None), ('Dr', None), ('Dw', None)):
            more = a.get(event, 0) - (a.get(less, 0) if less else 0)
            check(more == b.get(event, 0), '%s of %s: %d, without coherence %d' % (event, name, more, b.get(event, 0)))
    total_with, total = [sum(costs.get('TchD1', 0) for costs in own.values()) for own in (with_it, without)]
    check(total_with == total, 'touches: %d, without coherence %d' % (total_with, total))


def main():
    engine, guest = sys.argv[1:3]
    folder = tempfile.mkdtemp(prefix='tenure-coherence-')
    turn = '--turn=%d' % TURN
    coherent = native(engine, guest, folder, '--coherence=mesi', turn)
    check(coherent.meta['threads'] == 'deterministic' and coherent.meta['coherence'] == 'mesi', 'meta data')
    check_kinds(coherent, 'native')
    check_turns(coherent)
    check_identity(coherent, native(engine, guest, folder, '--deterministic=yes', turn))
    if len(sys.argv) > 3:
        under = [valgrind_binary(), '--tool=tenure', '--command-line-only=yes', '--vgdb=no', '-q']
        raw = run(lambda out: [*under, '--tenure-out-file=' + out, *CACHES, '--coherence=mesi', guest, str(ROUNDS)],
                  folder, dict(os.environ, VALGRIND_LIB=sys.argv[3]))
        check_kinds(raw, 'Valgrind')
    shutil.rmtree(folder)
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


sys.exit(main())
