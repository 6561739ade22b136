#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
record_faults.py: `tenure record` loses nothing where it cannot read, write or allocate.

A system call or an allocation of `tenure record` itself fails, or that and all behind it; the engine and the program
have all that they need. Then either the program was not run, and that is said; or it has run as without, and its
profile is there and whole, or its raw profile is, is named, and can be imported. A status other than the program's is
125. Some of the calls and allocations are chosen; TENURE_SOAK: many more.

    record_faults.py TENURE FAIL_ALLOC FAIL_CALL PROGRAM

PROGRAM is static (what is preloaded is not for it), and says something.
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

TENURE, FAIL_ALLOC, FAIL_CALL, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:5])
CHOSEN, CHOSEN_IN_SOAK = 5, 400
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '120', 'NO_COLOR': '1'}
OPTIONS = [[], ['--raw'], ['--runs=2']]


def is_sound(path):
    return subprocess.run([TENURE, 'check', path], capture_output=True, timeout=100, check=False).returncode == 0


def left_of(here, errors):
    """What is in the folder: names, with a raw profile's as `raw`, behind what each of them is worth."""
    left = set()
    for name in sorted(os.listdir(here)):
        path = os.path.join(here, name)
        if name == 'output':
            left.add('output' if is_sound(path) else 'output, damaged')
        elif name.endswith('.raw'):
            left.add('raw, not named' if name not in errors else 'raw' if is_sound(path) else 'raw, damaged')
        elif name[:-1].endswith('.run') and f'{name[:-1]}* -o FILE' in errors and is_sound(path):
            left.add('run')
        else:
            left.add(name)
    return left


def answer(how, options, fail):
    """Status, stdout and the files left; stderr; how many calls or allocations there were."""
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as other:
        counted = os.path.join(other, 'count')
        words = [TENURE, 'record', '-q', '-o', 'output', *options, PROGRAM]
        environment = {**ENVIRONMENT, 'TMPDIR': other}
        if how == 'allocation':
            environment.update({'LD_PRELOAD': FAIL_ALLOC, 'FAIL_ALLOC_COUNT': counted,
                                **({'FAIL_ALLOC': fail} if fail else {})})
        else:
            words = [FAIL_CALL, counted, fail or '0', *words]
        done = subprocess.run(words, cwd=here, stdin=subprocess.DEVNULL, env=environment, capture_output=True,
                              timeout=100, check=False)
        # Where libdw has no memory an assertion of its own fails, and says so.
        errors = re.sub(r'Unexpected error\.\n|[^\n]*Assertion [^\n]* failed\.\n', '',
                        done.stderr.decode('utf-8', 'replace'))
        count = int(open(counted, encoding='ascii').read().split()[0]) if os.path.exists(counted) else 0
        return (done.returncode, done.stdout, left_of(here, errors)), errors, count


def one(job):
    how, options, fail, sound, words = job
    got, errors, _ = answer(how, options, fail)
    status, stdout, left = got
    said = bool(errors) and all(line.startswith('tenure: ') for line in errors.splitlines())
    not_run = (stdout, left) == (b'', set()) and status in (125, 126, 127)
    runs = 2 if '--runs=2' in options else 1
    kept = (status == 125 and bool(left) and left <= {'output', 'raw', 'run'} and
            stdout in (sound[1], sound[1][:len(sound[1]) // runs]))
    check(f'record {" ".join(options)}: {how} {fail}: {status} {stdout[:60]} {left} {errors[:300]!r}',
          (said and (not_run or kept)) or (got == sound and errors == words), True)


def main():
    global FAIL_ALLOC
    filled.skip_without_ptrace(FAIL_CALL)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        FAIL_ALLOC = shutil.copy(FAIL_ALLOC, folder)  # the loader parts LD_PRELOAD at spaces, so a path has none
        jobs, chance = [], random.Random(7)
        for options in OPTIONS:
            for how, kinds in ('call', ('EIO', 'ENOSPC', 'EINTR', 'short')), ('allocation', ('',)):
                sound, words, count = answer(how, options, None)
                check(f'record {" ".join(options)}: {words}', (sound[0], sound[2], count > 0), (0, {'output'}, True))
                for kind in kinds:
                    for lasting in ('', '+') if kind != 'EINTR' else ('',):
                        jobs += [(how, options, f'{n}{lasting}{":" + kind if kind else ""}', sound, words)
                                 for n in filled.chosen(count, chance, CHOSEN, CHOSEN_IN_SOAK)]
        for _ in pool.map(one, jobs):
            pass
    sys.exit(finish())


main()
