#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
record_faults.py: `tenure record` loses nothing where it cannot read, write or allocate.

A system call or an allocation of `tenure record` itself fails, or that and all behind it; the engine and the program
have all that they need. Then either the program was not run, and that is said; or it has run as without, and its
profile is there and whole, or its raw profile is, is named, and can be imported. A status other than the program's is
125. Its child's profile is there as well, or the raw one is named. Some of the calls and allocations are chosen, and
the first allocations behind the program's end; TENURE_SOAK: many more.

    record_faults.py TENURE FAIL_ALLOC FAIL_CALL PROGRAM FORKS

PROGRAM and FORKS are static (what is preloaded is not for them), and say something; FORKS has a child.
"""
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import filled
from checks import check, finish

TENURE, FAIL_ALLOC, FAIL_CALL, PROGRAM, FORKS = (os.path.abspath(path) for path in sys.argv[1:6])
CHOSEN = 5
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '120', 'NO_COLOR': '1'}
RECORDINGS = [[PROGRAM], ['--raw', PROGRAM], ['--runs=2', PROGRAM], [FORKS, 'fork']]


def is_sound(path):
    return subprocess.run([TENURE, 'check', path], capture_output=True, timeout=100, check=False).returncode == 0


def left_of(here, errors):
    """What is in the folder: names, with a raw profile's as `raw`, behind what each of them is worth."""
    left = set()
    for name in sorted(os.listdir(here)):
        path = os.path.join(here, name)
        if re.fullmatch(r'output(\.\d+)?', name):
            left.add(('child' if '.' in name else 'output') + ('' if is_sound(path) else ', damaged'))
        elif name.endswith('.raw'):
            left.add('raw, not named' if name not in errors else 'raw' if is_sound(path) else 'raw, damaged')
        elif name[:-1].endswith('.run') and f'{name[:-1]}* -o FILE' in errors and is_sound(path):
            left.add('run')
        else:
            left.add(name)
    return left


def answer(how, recording, fail):
    """Status, stdout and the files left; stderr; how many calls or allocations there were."""
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as other:
        counted = os.path.join(other, 'count')
        words = [TENURE, 'record', '-q', '-o', 'output', *recording]
        environment = {**ENVIRONMENT, 'TMPDIR': other}
        if how == 'allocation':
            environment.update({'LD_PRELOAD': FAIL_ALLOC, 'FAIL_ALLOC_COUNT': counted,
                                **({'FAIL_ALLOC': fail} if fail else {})})
        else:
            words = [FAIL_CALL, counted, fail or '0', *words]
        done = subprocess.run(words, cwd=here, stdin=subprocess.DEVNULL, env=environment, capture_output=True,
                              timeout=100, check=False)
        errors = filled.own_errors(done)
        count = int(open(counted, encoding='ascii').read().split()[0]) if os.path.exists(counted) else 0
        return (done.returncode, done.stdout, left_of(here, errors)), errors, count


def first_behind(recording, count):
    """The first allocation without which the program has run all the same, if none behind it succeeds."""
    low = 1
    while low < count:
        middle = (low + count) // 2
        if answer('allocation', recording, f'{middle}+')[0][1]:
            count = middle
        else:
            low = middle + 1
    return low


def one(job):
    how, recording, fail, sound, words = job
    got, errors, _ = answer(how, recording, fail)
    status, stdout, left = got
    said = bool(errors) and all(line.startswith('tenure: ') for line in errors.splitlines())
    not_run = (stdout, left) == (b'', set()) and status in (125, 126, 127)
    runs = 2 if '--runs=2' in recording else 1
    child_lost = status == sound[0] and left == {'output', 'raw'} and FORKS in recording
    known = {'output', 'child', 'raw', 'run'}
    if FORKS in recording and ': cannot be read: ' in errors:  # the folder: who a child's raw profile is of is not seen
        known.add('raw, not named')
    kept = ((status == 125 or child_lost) and bool(left) and left <= known and
            stdout in (sound[1], sound[1][:len(sound[1]) // runs]))
    check(f'record {" ".join(recording)}: {how} {fail}: {status} {stdout[:60]} {left} {errors[:300]!r}',
          (said and (not_run or kept)) or (got == sound and errors == words), True)


def main():
    global FAIL_ALLOC
    filled.skip_without_ptrace(FAIL_CALL)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        FAIL_ALLOC = shutil.copy(FAIL_ALLOC, folder)  # the loader parts LD_PRELOAD at spaces, so a path has none
        jobs, chance = [], random.Random(7)
        for recording in RECORDINGS:
            for how, kinds in ('call', ('EIO', 'ENOSPC', 'EINTR', 'short')), ('allocation', ('',)):
                sound, words, count = answer(how, recording, None)
                check(f'record {" ".join(recording)}: {words}', (sound[0], sound[2], count > 0),
                      (0, {'output', 'child'} if FORKS in recording else {'output'}, True))
                for kind in kinds:
                    for lasting in ('', '+') if kind != 'EINTR' else ('',):
                        jobs += [(how, recording, f'{n}{lasting}{":" + kind if kind else ""}', sound, words)
                                 for n in filled.chosen(count, chance, CHOSEN)]
            first = first_behind(recording, count)
            jobs += [(how, recording, f'{n}+', sound, words) for n in range(first, first + CHOSEN)]
        for _ in pool.map(one, jobs):
            pass
    sys.exit(finish())


main()
