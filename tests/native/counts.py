#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Profile programs in the native engine and in the Valgrind engine: the same costs, calls and inclusive costs of every
function.

    counts.py NATIVE-ENGINE VALGRIND-LIB PROGRAM...

Programs without libc, so that both engines run the same instructions; with small caches, with branches, and with
contexts; in the native engine also with a thread of its own for the lower levels; and those called pure_recursion and
pure_blocks with every option that the engines have in common. All of them also as on processors that lack what is
hidden. What may differ is in engine/CONTRACT.md: VEX leaves out loads whose result is dead, so it is told to keep
them, and to cut its blocks as the native engine does.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import rawfile  # noqa: E402
from harness import valgrind_binary  # noqa: E402

SMALL = ['--I1=1024,2,32', '--D1=1024,2,32', '--LL=8192,4,32']
USUAL = ['--I1=32768,8,64', '--D1=32768,8,64', '--LL=8388608,16,64']
# So large that no way of the caches is near enough to its thread for 16 bits (tn_l1_layout.origin).
LARGE = ['--I1=491520,15,32', '--D1=491520,15,32', '--LL=8388608,16,32']
OPTIONS = [SMALL + ['--branch-sim=yes', '--interdependence=yes', '--curves=yes'], USUAL,
           USUAL + ['--separate-callers=2', '--write-back=yes', '--patterns=yes'],
           ['--I1=4096,4,128', '--D1=4096,4,128', '--LL=65536,4,128'], SMALL + ['--collect-atstart=no'],
           USUAL + ['--sample=8', '--L2=262144,8,64', '--write-back=yes', '--curves=yes'], SMALL + ['--sample=2'],
           [cache + ',plru' for cache in SMALL] + ['--patterns=yes', '--prefetch=stream,adjacent'],
           SMALL + ['--interdependence=yes', '--tlb=yes', '--write-back=yes',
                    '--prefetch=stride,d1-next-line,d1-stride'],
           [cache + ',rrip' for cache in SMALL] + ['--L2=4096,4,32,plru', '--interdependence=yes', '--write-back=yes'],
           [cache + ',rrip' for cache in USUAL] + ['--sample=8'],
           LARGE + ['--write-back=yes'], LARGE + ['--sample=4', '--branch-sim=yes']]
# Consumers for AVX2 and SSE2, tests of hits without shlx: compared with what runs otherwise, with these caches.
HIDDEN = ['avx512', 'avx2', 'bmi2']
CACHES_OF_HIDDEN = ['--I1=4096,4,64', '--D1=4096,4,64', '--LL=8388608,16,64']
# Each option, with a value that is not its default. One that is not here is an error.
VALUES = {
    'profile': None, 'tenure-out-file': None, # every run has them
    'hide-features': None, # below
    'start': 'ping', 'warm': ('ping', ['--start=tree']),
    'control-dir': None, 'elements': None, 'stop-after': None, # tests/cli/control.py: it is not the same instruction
    'dump-every': '100000', 'host': 'here', 'rank': '3',
    # Valgrind has no such thing, or itself.
    'parallel': None, 'deterministic': None, 'turn': None, 'spare-core': None, 'trace-children': None, 'stats': None,
    'join': None, 'link': None, 'lookup': None, 'returns': None, 'self-check': None, 'code-cache': None,
    'I1': '2048,2,32', 'D1': '2048,4,32', 'L2': '4096,4,32', 'LL': '32768,8,32',
    'cache-sim': ('no', ['--branch-sim=yes']), 'branch-sim': 'yes', 'cacheuse': 'no',
    'write-back': 'yes', 'simulate-wb': 'yes', 'prefetch': 'stream,next-line,d1-stride', 'simulate-hwpref': 'yes',
    'coherence': 'mesi',
    'also': 'm:I1=1024,2,32:D1=4096,4,32:L2=4096,4,64:LL=32768,8,64',
    'remap': 'pool *', 'index': 'physical', 'curves': 'yes', 'tlb': 'yes', 'itlb': '2,1', 'dtlb': '4,2,16,4',
    'timeline': 'no', 'inclusive': 'no', 'paths': '0', 'threads': '1', 'shared-l1': 'yes', 'flush-at-exit': 'no',
    'collect-atstart': ('no', ['--toggle-collect=ping']), 'instr-atstart': 'no', 'instr-at-start': 'no',
    'toggle-collect': 'p*', 'dump-before': 'tree', 'dump-after': 'tre?', 'zero-before': 'tree', 'fn-skip': 'pong',
    'skip-plt': 'no', 'separate-callers': '2=ping', 'separate-recs': '3', 'fork-inherit': 'yes', 'aslr': 'yes',
    'strides': 'no', 'sample': '4', 'sample-seed': ('7', ['--sample=4']),
    'patterns': 'yes', 'interdependence': 'yes', 'data': 'no', 'alloc-fn': 'pool_get:2', 'free-fn': 'pool_get:2',
    'counter-limit': '1000000', 'alias-limit': '1',
}
KEEP_LOADS = ['--vex-iropt-level=0', '--vex-guest-chase=no', '--px-default=allregs-at-each-insn',
              '--px-file-backed=allregs-at-each-insn']
# Of a program whose loads are all alive: accesses go together (vg_join.c) where VEX has simplified addresses.
JOINED = ['--vex-guest-chase=no', '--cold-blocks=no']


def profile(command, folder, env=None):
    out = os.path.join(folder, 'raw')
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run(command(out), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, check=False, env=env)
    if not os.path.exists(out):
        sys.exit('%s: no profile: %s' % (' '.join(command(out)), done.stderr.decode()))
    return done.returncode, done.stdout, rawfile.Raw(out)


def inclusive(raw):
    result = collections.defaultdict(collections.Counter)
    for context, costs in raw.function_incl.items():
        result[raw.name_of(context)].update(costs)
    return result


def without_zeroes(costs):
    return {key: {event: n for event, n in value.items() if n} if isinstance(value, dict) else value
            for key, value in costs.items() if value}


def differences(what, native, valgrind):
    native, valgrind = without_zeroes(native), without_zeroes(valgrind)
    return ['  %s of %s: native %s, valgrind %s' % (what, key, native.get(key), valgrind.get(key))
            for key in sorted(set(native) | set(valgrind)) if native.get(key) != valgrind.get(key)]


def compare(native, valgrind):
    lines = []
    if native[:2] != valgrind[:2]:
        lines.append('  status or output: %r, %r' % (native[:2], valgrind[:2]))
    native, valgrind = native[2], valgrind[2]
    if native.parts != valgrind.parts or len(native.threads) != len(valgrind.threads):
        lines.append('  parts: native %s, valgrind %s' % (native.parts, valgrind.parts))
    lines += differences('costs', native.self_by_function(), valgrind.self_by_function())
    lines += differences('calls', native.calls(), valgrind.calls())
    lines += differences('inclusive costs', inclusive(native), inclusive(valgrind))
    lines += differences('patterns', native.patterns(), valgrind.patterns())
    lines += differences('pairs', native.dependence(), valgrind.dependence())
    lines += differences('reuses', native.reuse(), valgrind.reuse())
    lines += differences('data objects', native.by_data(), valgrind.by_data())
    return lines


def each_option(engine):
    """Lists of options: one of the table in each. What depends on addresses is not compared where they are random."""
    text = subprocess.run([engine, '--help'], stdout=subprocess.PIPE, check=True).stdout.decode()
    for name in re.findall(r'^ +--([\w-]+)=', text, re.M):
        value = VALUES[name]
        more = value[1] if isinstance(value, tuple) else []
        if value is not None:
            yield SMALL + more + ['--%s=%s' % (name, value[0] if isinstance(value, tuple) else value)]


def main():
    engine, library, programs = sys.argv[1], sys.argv[2], sys.argv[3:]
    folder = tempfile.mkdtemp(prefix='tenure-native-')
    env = dict(os.environ, VALGRIND_LIB=library)
    passed = failed = 0
    for program in programs:
        every = program.endswith(('pure_recursion', 'pure_blocks'))
        for options in OPTIONS + (list(each_option(engine)) if every else []):
            native = profile(lambda out: [engine, '--profile=yes', '--tenure-out-file=' + out, *options, '--', program],
                             folder)
            for more in [KEEP_LOADS, JOINED] if program.endswith('pure_past') else [KEEP_LOADS]:
                valgrind = profile(lambda out: [valgrind_binary(), '--command-line-only=yes', '--tool=tenure', '-q',
                                                '--vgdb=no', *more, '--tenure-out-file=' + out, *options, program],
                                   folder, env)
                lines = compare(native, valgrind)
                passed, failed = passed + (not lines), failed + bool(lines)
                if lines:
                    print('\n'.join([' '.join(more + options + [program])] + lines[:12]))
            alone = profile(lambda out: [engine, '--profile=yes', '--spare-core=no', '--tenure-out-file=' + out,
                                         *options, '--', program], folder)
            lines = compare(native, alone)
            passed, failed = passed + (not lines), failed + bool(lines)
            if lines:
                print('\n'.join([' '.join(['with and without another core:', *options, program])] + lines[:12]))
        runs = [profile(lambda out: [engine, '--profile=yes', *hides, '--tenure-out-file=' + out, *CACHES_OF_HIDDEN,
                                     '--', program], folder)
                for hides in [[]] + [['--hide-features=' + name] for name in HIDDEN]]
        for name, run in zip(HIDDEN, runs[1:]):
            lines = compare(runs[0], run)
            passed, failed = passed + (not lines), failed + bool(lines)
            if lines:
                print('\n'.join(['with and without %s: %s' % (name, program)] + lines[:12]))
    shutil.rmtree(folder)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
