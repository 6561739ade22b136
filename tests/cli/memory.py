#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
memory.py: no command says something false, or crashes, where memory runs out.

One allocation of a command fails, or that and all behind it. Then the command answers as it does with memory, or fails:
status 1, one line on stderr, nothing on stdout, no file. Of the allocations of a command some are chosen, of a page the
last ones, too; TENURE_SOAK: the first one from each place, with the calls that lead there, that no command before has
failed at. PROGRAM, which has debug information, is recorded: of its import all allocations fail, one at a time, until
libdw has opened its units, since it does not look whether it has them. Of a program with many lines, those around the
opening of its file, and some.

    memory.py TENURE FAIL_ALLOC [PROGRAM]
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

TENURE, FAIL_ALLOC = (os.path.abspath(path) for path in sys.argv[1:3])
CHOSEN, UNTIL_UNITS = 6, 200
LINES, OF_LONG = 4000, 60 # libdw has room for 2,048 lines without asking for any
OPENING = range(90, 160)
ENVIRONMENT = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '120', 'NO_COLOR': '1'}
STAY = ['setarch', '-R'] # all at the same addresses each time
if not shutil.which('setarch') or subprocess.run([*STAY, 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
    STAY = []  # then each command fails at all of its places
GIVEN = ('profile', 'raw', 'plain', 'program', 'long')
IMPORT = ['import', '-q', '-o', '+']
COMMANDS = filled.COMMANDS + [['diff', '--html', '+', '@', '@'], [*IMPORT, 'raw'], ['machines'],
                              ['report', 'raw'], ['check', 'raw'], ['check', 'plain'],
                              ['export', '--format=callgrind', '--events=all', 'raw']]


def answer(command, folder, fail, at=None):
    """Status, stdout and the files written; stderr; how many allocations there were. `at`: a file for their places."""
    with tempfile.TemporaryDirectory() as here:
        for name in GIVEN:
            os.symlink(os.path.join(folder, name), os.path.join(here, name))
        counted = os.path.join(here, 'count')
        done = subprocess.run([*(STAY if at else []), *filled.words_of(TENURE, command)], cwd=here,
                              stdin=subprocess.DEVNULL,
                              env={**ENVIRONMENT, 'TMPDIR': here, 'LD_PRELOAD': FAIL_ALLOC, 'FAIL_ALLOC_COUNT': counted,
                                   **({'FAIL_ALLOC': fail} if fail else {}),
                                   **({'FAIL_ALLOC_PLACES': at} if at else {})},
                              capture_output=True, timeout=100, check=False)
        count = 0
        if os.path.exists(counted):
            count = int(open(counted, encoding='ascii').read())
            os.unlink(counted)
        written = {name: os.path.getsize(os.path.join(here, name)) for name in sorted(os.listdir(here))
                   if name not in GIVEN}
        return (done.returncode, done.stdout, written), filled.own_errors(done), count


def new_places(command, folder, known):
    """The number of the first allocation from each place that is not known; that it is now."""
    at = os.path.join(folder, 'places')
    answer(command, folder, None, at)
    numbers = []
    for line in open(at, encoding='ascii'):
        number, place = line.split()
        if place not in known:
            known.add(place)
            numbers.append(int(number))
    return numbers


def one(job):
    command, folder, fail, sound, words = job
    got, errors, _ = answer(command, folder, fail)
    refused = got == (1, b'', {}) and errors.count('\n') == 1 and errors.startswith('tenure: ')
    check(f'{" ".join(command)}: {fail}: {got[0]} {got[1][:60]} {got[2]} {errors[:200]!r}',
          refused or (got == sound and errors == words), True)


def long_program(folder):
    """Records one that has more lines than libdw has room for at first."""
    path = os.path.join(folder, 'lines')
    with open(path + '.c', 'w', encoding='ascii') as file:
        file.write('void _start(void)\n{\n    volatile int x = 0;\n' + '    x++;\n' * LINES +
                   '    __asm__("syscall" : : "a"(60), "D"(0));\n}\n')
    subprocess.run(['gcc', '-g', '-static', '-nostdlib', '-o', path, path + '.c'], check=True)
    subprocess.run([TENURE, 'record', '-q', '--raw', '-o', os.path.join(folder, 'long'), path], check=True)


def main():
    global FAIL_ALLOC
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        filled.make(TENURE, folder)
        FAIL_ALLOC = shutil.copy(FAIL_ALLOC, folder)  # the loader parts LD_PRELOAD at spaces, so a path has none
        jobs, chance, known = [], random.Random(7), set()
        for command in COMMANDS:
            sound, words, count = answer(command, folder, None)
            check(f'with memory: {" ".join(command)}: {words}', (sound[0], count > 0), (0, True))
            numbers = new_places(command, folder, known) if filled.SOAK else []
            if 'html' in command: # the page's index is a text in memory
                jobs += [(command, folder, str(n), sound, words) for n in range(count - 20, count + 1)]
            for lasting in ('', '+'):
                jobs += [(command, folder, f'{n}{lasting}', sound, words)
                         for n in (numbers if filled.SOAK else filled.chosen(count, chance, CHOSEN))]
        if len(sys.argv) > 3:
            subprocess.run([TENURE, 'record', '-q', '--raw', '-o', os.path.join(folder, 'program'), sys.argv[3]],
                           stdout=subprocess.DEVNULL, check=True)
            sound, words, count = answer([*IMPORT, 'program'], folder, None)
            check('allocations of an import', (sound[0], count > UNTIL_UNITS), (0, True))
            jobs += [([*IMPORT, 'program'], folder, str(n), sound, words) for n in range(1, UNTIL_UNITS + 1)]
            if shutil.which('gcc'):
                long_program(folder)
                sound, words, count = answer([*IMPORT, 'long'], folder, None)
                check('allocations of an import with many lines', (sound[0], count > LINES), (0, True))
                jobs += [([*IMPORT, 'long'], folder, str(n), sound, words)
                         for n in (*OPENING, *filled.chosen(count, chance, OF_LONG))]
        for _ in pool.map(one, jobs):
            pass
    sys.exit(finish())


main()
