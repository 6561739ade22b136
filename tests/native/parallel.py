#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads at the same time, and one at a time: what does not depend on their order is the same.

    parallel.py ENGINE PARALLEL STRESS

The functions of PARALLEL share no data, so that all they cost is the same, but for ages, which count what other threads
did meanwhile. STRESS has to end, with signals, forks and code that changes, and a profile for each process; and, when
it is not profiled, without taking more memory the longer it runs. TENURE_SOAK makes it run that many times as long.
"""
import collections
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import rawfile  # noqa: E402

OWN = ['body', 'turn', 'sweep', 'down']
CACHES = ['--I1=4096,4,64', '--D1=4096,4,64', '--LL=8388608,16,64']
OPTIONS = [[], ['--branch-sim=yes', '--write-back=yes'], ['--paths=0'], ['--L2=65536,8,64', '--prefetch=stream'],
           ['--toggle-collect=sweep'], ['--dump-before=turn', '--dump-after=down']]
SOAK = int(os.environ.get('TENURE_SOAK', '1'))
LEAST_FORKS, LIMIT_S, MOST_KB = 50 * SOAK, 900 * SOAK, 96 << 10
CALLS = {'body': 4, 'turn': 32, 'sweep': 32, 'down': 32 * 17}


def profile(engine, folder, options, program):
    out = os.path.join(folder, 'raw')
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([engine, '--profile=yes', '--tenure-out-file=' + out, *options, '--', program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          check=False)
    if done.returncode != 0 or done.stderr:
        raise AssertionError('%s: %d, %r' % (options, done.returncode, done.stderr))
    return done.stdout, rawfile.Raw(out)


def steady(costs):
    """Fetches below level 1 are shared with whoever runs the same code first, or begins nearby."""
    return {event: n for event, n in costs.items()
            if n and 'Age' not in event and event not in ('ILmr', 'I2mr') and not event.endswith(('L', 'I2'))}


def own(raw):
    inclusive = collections.defaultdict(collections.Counter)
    for context, costs in raw.function_incl.items():
        inclusive[raw.name_of(context)].update(costs)
    own_costs = raw.self_by_function()
    return ({name: steady(own_costs.get(name, {})) for name in OWN},
            {name: {event: inclusive[name][event] for event in ('Ir', 'Dr', 'Dw')} for name in OWN})


def compare(engine, folder, options, program):
    output, serial = profile(engine, folder, CACHES + options + ['--parallel=no'], program)
    want = own(serial)
    for _ in range(3):
        other_output, parallel = profile(engine, folder, CACHES + options, program)
        got = own(parallel)
        if other_output != output:
            yield 'output: %r, not %r' % (other_output, output)
        for what, a, b in (('own', got[0], want[0]), ('inclusive', got[1], want[1])):
            for name in OWN:
                if a[name] != b[name]:
                    yield '%s costs of %s: %s, one at a time %s' % (what, name, a[name], b[name])
        if '--toggle-collect=sweep' not in options:
            called = collections.Counter()
            for (_, callee), count in parallel.calls().items():
                called[callee] += count
            if {name: called[name] for name in OWN} != CALLS:
                yield 'calls: %s' % called
        if parallel.meta['threads'] != 'parallel' or serial.meta['threads'] != 'serial':
            yield 'meta data: %s, one at a time %s' % (parallel.meta['threads'], serial.meta['threads'])
        if len(parallel.parts) != len(serial.parts):
            yield '%d parts, one at a time %d' % (len(parallel.parts), len(serial.parts))


def stressed(engine, folder, stress):
    """Profiled. Profiles are read (of many, some) when their processes are gone, and removed."""
    profiles = 0
    child = subprocess.Popen([engine, '--profile=yes', *CACHES, '--tenure-out-file=' + os.path.join(folder, '%p'), '--',
                              stress], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + LIMIT_S
    goes_on = True
    while goes_on:
        goes_on = child.poll() is None
        if time.monotonic() > deadline:
            child.kill()
            child.communicate()
            yield 'not at its end after %d s' % LIMIT_S
            return
        time.sleep(0.2)
        for name in os.listdir(folder):
            if name.isdigit() and not os.path.exists('/proc/' + name):
                if profiles % SOAK == 0:
                    rawfile.Raw(os.path.join(folder, name))
                os.unlink(os.path.join(folder, name))
                profiles += 1
    output, errors = child.communicate()
    if (child.returncode, output, errors) != (0, b'enough\n', b'') or profiles < LEAST_FORKS:
        yield 'status %s, %r, %r, %d profiles' % (child.returncode, output, errors, profiles)


def growing(engine, stress):
    """Not profiled: threads leave a tree each behind, but nothing else may stay."""
    child = subprocess.Popen(['timeout', str(LIMIT_S), engine, '--code-cache=16', '--', stress],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0 or usage.ru_maxrss > MOST_KB:
        yield 'status %d, %d kB' % (child.returncode, usage.ru_maxrss)


def main():
    engine, program, stress = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix='tenure-parallel-')
    passed = failed = 0
    for name, lines in [*((' '.join(options), compare(engine, folder, options, program)) for options in OPTIONS),
                        ('memory', growing(engine, stress)), ('stress', stressed(engine, folder, stress))]:
        wrong = list(lines)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        for line in wrong:
            print('%s: %s' % (name, line))
    shutil.rmtree(folder)
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


sys.exit(main())
