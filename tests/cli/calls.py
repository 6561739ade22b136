#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
calls.py: no command says something false, or leaves half a file, where the system cannot read or write.

A system call of a command fails (an error of the device, no room, a signal, half of what was asked for), or it and all
behind it. Then the command answers as it does without, or fails: status 1, one line on stderr, nothing on stdout, no
file; what is there already stays as it was. Only if standard output itself cannot be written to, or what was kept for
it cannot be read, it has a part, and a file that is whole already stays. Of the calls of a command some are chosen;
TENURE_SOAK: more.

    calls.py TENURE FAIL_CALL
"""
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

import filled
from checks import check, finish

TENURE, FAIL_CALL = (os.path.abspath(path) for path in sys.argv[1:3])
CHOSEN = 3
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '120', 'NO_COLOR': '1'}
GIVEN = ('profile', 'raw', 'plain')
COMMANDS = filled.COMMANDS + [['diff', '--html', '+', '@', '@'], ['import', '-q', '-o', '+', 'raw'],
                              ['import', '-q', '-o', 'old', 'raw'], ['merge', '-q', '-o', 'old', '@', '@'],
                              ['report', 'raw'], ['check', 'raw'], ['check', 'plain'],
                              ['export', '--format=callgrind', '--events=all', 'raw'],
                              ['export', '--format=callgrind', '-o', '+', '@']]


def answer(command, folder, fail):
    """Status, stdout and the files written; stderr; how many calls there were; in which order files were waited for and
    renamed."""
    with tempfile.TemporaryDirectory() as here:
        for name in GIVEN:
            os.symlink(os.path.join(folder, name), os.path.join(here, name))
        if 'old' in command:
            shutil.copy(os.path.join(folder, 'profile'), os.path.join(here, 'old'))
        counted = os.path.join(here, 'count')
        done = subprocess.run([FAIL_CALL, counted, fail or '0', *filled.words_of(TENURE, command)], cwd=here,
                              stdin=subprocess.DEVNULL, env={**ENVIRONMENT, 'TMPDIR': here}, capture_output=True,
                              timeout=100, check=False)
        count, _, order = open(counted, encoding='ascii').read().partition(' ')
        os.unlink(counted)
        written = {name: os.path.getsize(os.path.join(here, name)) for name in sorted(os.listdir(here))
                   if name not in GIVEN}
        return (done.returncode, done.stdout, written), done.stderr.decode('utf-8', 'replace'), int(count or 0), order


def one(job):
    command, folder, fail, sound, words = job
    got, errors, _, _ = answer(command, folder, fail)
    status, stdout, written = got
    line = errors.removeprefix(words) if status else errors
    kept = {'old': os.path.getsize(os.path.join(folder, 'profile'))} if 'old' in command else {}
    told = 'cannot write to standard output' in errors or 'cannot read what is to be printed' in errors
    refused = (status == 1 and line.count('\n') == 1 and line.startswith('tenure: ') and
               ((not stdout and written == kept) or (told and sound[1].startswith(stdout) and written == sound[2])))
    check(f'{" ".join(command)}: {fail}: {status} {stdout[:60]} {written} {errors[:200]!r}',
          refused or (got == sound and errors == words), True)


def main():
    filled.skip_without_ptrace(FAIL_CALL)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        filled.make(TENURE, folder)
        jobs, chance = [], random.Random(7)
        for command in COMMANDS:
            sound, words, count, order = answer(command, folder, None)
            if sound[2]:  # the bytes, the name, the folder
                check(f'{" ".join(command)}: in order', order[-3:], 'srs')
            check(f'with every call: {" ".join(command)}: {words}', (sound[0], count > 0), (0, True))
            for how in ('EIO', 'ENOSPC', 'EINTR', 'short'):
                for lasting in ('', '+') if how != 'EINTR' else ('',):
                    jobs += [(command, folder, f'{n}{lasting}:{how}', sound, words)
                             for n in filled.chosen(count, chance, CHOSEN)]
        html = ['html', '-o', '+', '@']
        check('a file system without modes', answer(html, folder, '1+:EPERM')[:2], answer(html, folder, None)[:2])
        for _ in pool.map(one, jobs):
            pass
    sys.exit(finish())


main()
