#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The branch predictors of Tenure and Cachegrind, site by site, on random programs.

usage: random_branches.py COUNT CC TENURE VALGRIND-LIB

Each program is one loop over some 120 sites: conditional jumps on bits of a linear congruential generator or on a
threshold (biased), indirect jumps and calls through tables, code of random length between them, so that sites
share entries of the predictors. Each site is a line of its own: Bc, Bcm, Bi and Bim are compared line by line.

What the programs leave out is where the tools may differ: conditional jumps to the next instruction (Cachegrind takes
them for the opposite) and LOCK prefixes (Cachegrind counts the retry of its own translation as a branch).
"""
import os
import random
import subprocess
import sys
import tempfile

import runs

SITES, ROUNDS = 120, 30
EVENTS = ['Bc', 'Bcm', 'Bi', 'Bim']
NEXT = [' imul %rcx, %rbx', ' add %rdx, %rbx']


def conditional(rng, i):
    kind = rng.choice(['js', 'jns', 'jb', 'jae', 'jne', 'je'])
    if kind in ('js', 'jns'):
        test = [' test %rbx, %rbx']
    elif kind in ('jb', 'jae'):
        test = [' mov %rbx, %rax', ' shr $60, %rax', ' cmp $13, %eax']
    else:
        test = [' mov %rbx, %rax', ' shr $61, %rax', ' cmp $3, %eax']
    return test + [' %s .Lafter%d' % (kind, i)] + [' nop'] * rng.randint(1, 9) + ['.Lafter%d:' % i]


def indirect(rng, i):
    targets = rng.choice([1, 2, 4])
    out = [' mov %rbx, %rax', ' shr $62, %rax', ' and $%d, %%eax' % (targets - 1), ' lea table%d(%%rip), %%rsi' % i]
    if rng.random() < 0.5:
        out += [' jmp *(%rsi, %rax, 8)']
        out += [x for k in range(4) for x in ('to%d_%d:' % (i, k), ' nop')]
    else:
        out += [' call *(%rsi, %rax, 8)', ' jmp .Lend%d' % i]
        out += [x for k in range(4) for x in ('to%d_%d:' % (i, k), ' nop', ' ret')] + ['.Lend%d:' % i]
    return out


def program(seed):
    rng = random.Random(seed)
    lines = [' .text', ' .globl _start', ' .type _start, @function', '_start:', ' lea end(%rip), %rsp',
             ' mov rounds(%rip), %ebp', ' mov seed(%rip), %rbx', ' mov $6364136223846793005, %rcx',
             ' mov $1442695040888963407, %rdx', '.Ltop:']
    tables = []
    for i in range(SITES):
        lines += NEXT
        if rng.random() < 0.7:
            lines += conditional(rng, i)
        else:
            lines += indirect(rng, i)
            tables.append('table%d: .quad to%d_0, to%d_1, to%d_2, to%d_3' % (i, i, i, i, i))
        if rng.random() < 0.3:
            lines += [' jmp .Lskip%d' % i, ' .skip %d' % rng.randint(1, 3000), '.Lskip%d:' % i]
    lines += [' dec %ebp', ' jnz .Ltop', ' mov $60, %eax', ' xor %edi, %edi', ' syscall',
              ' .size _start, . - _start', ' .data', 'rounds: .long %d, 0' % ROUNDS,
              'seed: .quad %d' % rng.getrandbits(63), *tables, ' .bss', ' .p2align 12', ' .skip 4096', 'end: .skip 64',
              ' .section .note.GNU-stack, "", @progbits']
    return '\n'.join(lines) + '\n'


def differences(tools, path):
    ours, theirs = tools.tenure_profile([path], ['--branch-sim=yes']), tools.cachegrind([path])
    out = []
    lines = {line for _, line in theirs.lines} | {line for _, line in ours.lines}
    for line in sorted(x for x in lines if x):
        def count(profile, event):
            return sum(profile.event(profile.lines, key, event) for key in profile.lines if key[1] == line)
        for event in EVENTS:
            if count(ours, event) != count(theirs, event):
                out.append('line %d: %s %d, Cachegrind %d' % (line, event, count(ours, event), count(theirs, event)))
    if not any(theirs.total(event) for event in EVENTS):
        out.append('no branch was counted')
    return out


def main():
    count, compiler = int(sys.argv[1]) * runs.soak(), sys.argv[2]
    tools = runs.Tools(sys.argv[3], sys.argv[4])
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
        source, path = os.path.join(folder, 'p.s'), os.path.join(folder, 'p')
        for seed in range(count):
            with open(source, 'w') as file:
                file.write(program(seed))
            subprocess.run([compiler, '-g', '-nostdlib', '-static', '-no-pie', '-o', path, source], check=True)
            wrong = differences(tools, path)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print('program %d: %s' % (seed, '; '.join(wrong[:5])))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
