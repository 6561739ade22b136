#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--deterministic: threads that wait for one another in every way come in the same order each time.

    deterministic.py ENGINE TURNS

TURNS (guest_turns.c) tells in which order its threads came; that, and all costs of every instruction, are the same in
each run, while other processes take the cores away at random, and with caches of its own per thread or shared ones.

Since version 2.39 the C library writes each thread's id into a name for its stack, so costs depend on the digits. Where
this is allowed the program runs in a namespace of its own, in which ids are always the same.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import rawfile  # noqa: E402

RUNS = 3
OPTIONS = [['--I1=4096,4,64', '--D1=4096,4,64', '--LL=262144,8,64'], ['--shared-l1=yes', '--branch-sim=yes'],
           ['--inclusive=no', '--link=no'], ['--turn=400'],
           ['--coherence=mesi', '--turn=100', '--D1=4096,4,64', '--write-back=yes']]
BURN = 'import os, time\nwhile os.getppid() == %d:\n  end = time.time() + %f\n  while time.time() < end: pass\n' \
       '  time.sleep(%f)\n'


def same_ids():
    """Words in front of a command that is to have the same process and thread ids each time."""
    words = ['unshare', '--pid', '--fork', '--mount', '--propagation', 'unchanged',
             *([] if os.geteuid() == 0 else ['--map-root-user']),
             'sh', '-c', 'mount --make-private /proc && mount -t proc proc /proc && exec "$@"', 'sh']
    try:
        allowed = subprocess.run([*words, 'true'], capture_output=True, check=False).returncode == 0
    except OSError:
        allowed = False
    return words if allowed else []


def run(engine, folder, options, program):
    out = os.path.join(folder, 'raw')
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([*PREFIX, engine, '--profile=yes', '--deterministic=yes', '--tenure-out-file=' + out,
                           *options, '--', program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False)
    if done.returncode != 0 or done.stderr:
        raise AssertionError('%s: %d, %r' % (options, done.returncode, done.stderr))
    raw = rawfile.Raw(out)
    return done.stdout, raw.self_by_function(), raw.calls(), raw.meta['threads'], dict(raw.sharing)


PREFIX = same_ids()


def main():
    engine, program = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix='tenure-deterministic-')
    passed = failed = 0
    burners = [subprocess.Popen([sys.executable, '-c', BURN % (os.getpid(), 0.011 * (i + 1), 0.007 * (i + 1))])
               for i in range(2)]
    try:
        for options in OPTIONS:
            first = run(engine, folder, options, program)
            same = [run(engine, folder, options, program) == first for _ in range(RUNS - 1)]
            good = all(same) and first[3] == 'deterministic'
            passed, failed = passed + good, failed + (not good)
            if not good:
                print('%s: threads %s, other runs the same: %s' % (' '.join(options), first[3], same))
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
    shutil.rmtree(folder)
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


sys.exit(main())
