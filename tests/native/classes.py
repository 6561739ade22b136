#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What each instruction of guest_classes counts, and what it leaves in memory.

    classes.py NATIVE-ENGINE VALGRIND-LIB GUEST

The guest's table (written by hand, guest_classes.S) says how many reads and writes each instruction is, and how many
lines it misses in a cache that holds everything, which says where they are. The native engine must agree, with each
of its switches, with and without simulation; the guest's memory must be as on the bare CPU. The Valgrind engine must
agree on what it can run, but for instructions that the table marks. What is hidden of the processor is not run.
VALGRIND-LIB is - where there is none.
"""
import collections
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import rawfile  # noqa: E402
from harness import valgrind_binary  # noqa: E402

HUGE = ['--I1=32768,8,64', '--D1=524288,16,64', '--LL=8388608,16,64']
SWITCHES = [[], ['--self-check=yes'], ['--join=no'], ['--link=no', '--lookup=no', '--returns=no'],
            ['--hide-features=bmi2']]
HIDDEN = {'avx512': {2, 3, 8}, 'avx2': {1, 2, 3, 8}, 'xsave': {1, 2, 3, 6, 7, 8}} # and the sets that are not run then
OPTIONS = [[], ['--separate-callers=2'], ['--write-back=yes', '--branch-sim=yes'], ['--cacheuse=no']]
KEEP_LOADS = ['--vex-iropt-level=0', '--vex-guest-chase=no', '--px-default=allregs-at-each-insn',
              '--px-file-backed=allregs-at-each-insn']
ENTRY = 72
EVENTS = ('Dr', 'Dw', 'D1mr', 'D1mw')

Row = collections.namedtuple('Row', 'address want set other name')


def run(command, env=None):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, check=False, env=env)
    return done.returncode, done.stdout, done.stderr


def table_of(output):
    """Entries from the end, as long as they look like some; and the bit set of what was run."""
    rows = []
    while len(output) > ENTRY:
        address, *numbers = struct.unpack('<Q6B', output[-ENTRY:][:14])
        name = output[-ENTRY:][14:].rstrip(b'\0')
        if not 0x400000 <= address < 0x500000 or not name.isascii():
            break
        rows.append(Row(address, dict(zip(EVENTS, numbers[:4])), numbers[4], numbers[5], name.decode()))
        output = output[:-ENTRY]
    return rows[::-1], output and struct.unpack('<Q', output[:8])[0]


def difference(got, want):
    at = next((i for i, pair in enumerate(zip(got[1], want[1])) if pair[0] != pair[1]), min(len(got[1]), len(want[1])))
    return 'status %d, %d bytes, the first that differs at %d: %r, expected %r; %r' % (
        got[0], len(got[1]), at, got[1][at:at + 32], want[1][at:at + 32], got[2][:200])


def costs(raw):
    result = collections.defaultdict(collections.Counter)
    for (_, instr), cost in raw.self_costs.items():
        result[raw.instrs[instr].address].update(cost)
    return result


def lost_pointers(got, want):
    """Whether the program only reads zeros where it stored some of the x87's pointers to its last instruction. AMD's
    processors do not restore them without a pending exception, so they are lost when another program runs in between,
    on the bare CPU as well."""
    with open('/proc/cpuinfo', encoding='ascii') as file:
        if 'AuthenticAMD' not in file.read():
            return False
    changed = [pair for pair in zip(got[1], want[1]) if pair[0] != pair[1]]
    return (got[0], got[2], len(got[1])) == (want[0], want[2], len(want[1])) and len(changed) < 30 and not any(
        pair[0] for pair in changed)


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def case(self, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(text)

    def rows(self, what, rows, done, raw, all_rows):
        got = costs(raw)
        for row in rows:
            if not done >> row.set & 1 or (row.other and not all_rows):
                continue
            have = {event: got[row.address][event] for event in EVENTS}
            self.case(have == row.want, '%s: %s: %s, expected %s' % (what, row.name, have, row.want))


def main():
    engine, library, guest = sys.argv[1:]
    cases = Cases()
    bare = max((run([guest]) for _ in range(3)), key=lambda done: len(done[1].replace(b'\0', b''))) # lost_pointers
    rows, done = table_of(bare[1])
    cases.case(len(rows) > 50, 'the table has %d rows' % len(rows))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'raw')

        def profiled(command, env=None):
            for _ in range(5):
                if os.path.exists(out):
                    os.unlink(out)
                got = run(command, env)
                if not lost_pointers(got, bare) or got == bare:
                    break
            return got

        for switches in SWITCHES:
            cases.case(profiled([engine, *switches, '--', guest]) == bare, ' '.join(switches + ['memory is another']))
            for options in OPTIONS:
                what = ' '.join(['native', *switches, *options])
                got = profiled([engine, '--profile=yes', '--tenure-out-file=' + out, *HUGE, *switches, *options, '--',
                                guest])
                cases.case(got == bare, '%s: memory is another: %s' % (what, difference(got, bare)))
                cases.rows(what, rows, done, rawfile.Raw(out), True)
            for sample in ('2', '32'):
                what = ' '.join(['native', *switches, '--sample=' + sample])
                got = profiled([engine, '--profile=yes', '--tenure-out-file=' + out, *HUGE, *switches,
                                '--sample=' + sample, '--', guest])
                cases.case(got == bare, '%s: memory is another: %s' % (what, difference(got, bare)))
        for names, sets in HIDDEN.items():
            hides = '--hide-features=' + names
            got = profiled([engine, '--profile=yes', '--tenure-out-file=' + out, *HUGE, hides, '--', guest])
            hidden_done = table_of(got[1])[1]
            cases.case(got[0] == 0 and hidden_done == done & ~sum(1 << number for number in sets),
                       '%s: sets %x are run, without it %x' % (hides, hidden_done, done))
            cases.rows(hides, rows, hidden_done, rawfile.Raw(out), True)
        if library != '-':
            got = profiled([valgrind_binary(), '--command-line-only=yes', '--tool=tenure', '-q', '--vgdb=no',
                            *KEEP_LOADS, '--tenure-out-file=' + out, *HUGE, guest, 'plain'],
                           dict(os.environ, VALGRIND_LIB=library))
            cases.case(got[0] == 0, 'valgrind: status %d, %s' % (got[0], got[2]))
            cases.rows('valgrind', rows, table_of(got[1])[1], rawfile.Raw(out), False)
    print('%d passed, %d failed' % (cases.passed, cases.failed))
    return 1 if cases.failed else 0


if __name__ == '__main__':
    sys.exit(main())
