# SPDX-License-Identifier: GPL-2.0-or-later
"""Random programs without libc whose accesses are of every size and alignment, for the cache model's oracles.

Some functions in a row, each called several times in a random order, each with some hundred loads, stores and
modifications of a few kilobytes: near each other, so that lines are used again, and seldom aligned, so that many
straddle. In between are walks, up and down, for the prefetcher to follow. Addresses are fixed. The loads' values are
used, or a translator would leave them out.
"""
import random
import subprocess

SIZES = (1, 2, 4, 8, 16, 32, 512)
SPAN, FUNCTIONS, LENGTH, ROUNDS = 16384, 8, 150, 12
REGISTER = {1: '%al', 2: '%ax', 4: '%eax', 8: '%rax'}
SUFFIX = {1: 'b', 2: 'w', 4: 'l', 8: 'q'}


def access(rng, at, size):
    place, kind = 'memory+%d(%%rip)' % at, rng.choice('LLLSSM')
    if size == 512:
        return ' fxsave memory+%d(%%rip)' % (at & ~15)
    if size == 32:
        return ' vxorps %s, %%ymm1, %%ymm1' % place if kind == 'L' else ' vmovups %%ymm1, %s' % place
    if size == 16:
        return ' movups %s, %%xmm0' % place if kind == 'L' else ' movups %%xmm0, %s' % place
    if kind == 'L':
        return ' add %s, %s' % (place, REGISTER[size])
    if kind == 'S':
        return ' mov %s, %s' % (REGISTER[size], place)
    return ' add%s $1, %s' % (SUFFIX[size], place)


def walk(rng):
    """Up or down with one stride, through all of the memory at most."""
    stride = rng.choice([64, 64, 32, 128, 8, 100]) * rng.choice([1, 1, -1])
    steps = rng.randrange(3, SPAN // abs(stride) if abs(stride) > 8 else 600)
    room = SPAN - abs(stride) * steps
    first = rng.randrange(room) + (0 if stride > 0 else abs(stride) * steps)
    return [' lea memory+%d(%%rip), %%rsi' % first, ' mov $%d, %%ecx' % steps,
            '3: ' + rng.choice(['add (%rsi), %al', 'mov %al, (%rsi)', 'addb $1, (%rsi)']), ' add $%d, %%rsi' % stride,
            ' dec %ecx', ' jnz 3b']


def function(rng, number, sizes):
    lines = [' .skip %d' % rng.choice([1, 3, 64, 100, 700]), ' .type f%d, @function' % number, 'f%d:' % number]
    near = rng.randrange(SPAN)
    for _ in range(rng.randrange(5, LENGTH)):
        if rng.random() < 0.3:
            near = rng.randrange(SPAN)
        size = 512 if 512 in sizes and rng.random() < 0.02 else rng.choice([s for s in sizes if s < 512])
        lines.append(access(rng, (near + rng.randrange(200)) % SPAN, size))
        if rng.random() < 0.01:
            lines += walk(rng)
        if rng.random() < 0.05:
            lines += [' test %eax, %eax', ' jz 2f', ' nop', '2:']
    return lines + [' ret', ' .size f%d, . - f%d' % (number, number)]


def source(seed, sizes=SIZES):
    rng = random.Random(seed)
    lines = [' .text', ' .globl _start', ' .type _start, @function', '_start:', ' lea stack_end(%rip), %rsp',
             ' mov rounds(%rip), %ebx', '1:']
    lines += [' call f%d' % rng.randrange(FUNCTIONS) for _ in range(FUNCTIONS)]
    lines += [' call f%d' % i for i in range(FUNCTIONS)]
    lines += [' dec %ebx', ' jnz 1b', ' mov $60, %eax', ' xor %edi, %edi', ' syscall', ' .size _start, . - _start']
    for i in range(FUNCTIONS):
        lines += function(rng, i, sizes)
    lines += [' .data', ' .p2align 6', 'rounds: .long %d' % ROUNDS, ' .bss', ' .p2align 12',
              'memory: .skip %d' % (SPAN + 1024), ' .skip 4096', 'stack_end: .skip 64',
              ' .section .note.GNU-stack, "", @progbits']
    return '\n'.join(lines) + '\n'


def build(cc, seed, path, sizes=SIZES):
    with open(path + '.S', 'w', encoding='ascii') as file:
        file.write(source(seed, sizes))
    subprocess.run([cc, '-g', '-nostdlib', '-static', '-no-pie', '-Wl,--build-id=none', '-o', path, path + '.S'],
                   check=True)
    return path
