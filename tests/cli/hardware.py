#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
hardware.py: bench/hardware, with a perf that this test makes, since few machines for tests have counters.

    hardware.py ROOT BUILD
"""
import os
import sys
import tempfile

from checks import check, finish, run

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
HEAD = '#!/bin/sh\nwhile [ "$1" != -- ]; do [ "$1" = -o ] && out=$2; shift; done; shift\n"$@"; status=$?\n'
COUNTED = ('# started\n\n200000,,instructions:u,5,100.00,,\n<not supported>,,LLC-load-misses:u,0,100.00,,\n'
           '0,,cache-misses:u,5,100.00,,\n<not counted>,,cycles:u,0,0.00,,\n')


def hardware(folder, script, *command):
    perf = os.path.join(folder, 'perf')
    with open(perf, 'w', encoding='utf-8') as file:
        file.write(script)
    os.chmod(perf, 0o755)
    return run([os.path.join(ROOT, 'bench/hardware'), BUILD, '--perf=' + perf, '--record=--L2=none', '--', *command],
               cwd=folder)


with tempfile.TemporaryDirectory() as folder:
    status, out, err = hardware(folder, f"{HEAD}cat >$out <<END\n{COUNTED}END\nexit $status\n", '/bin/true')
    check(f'counted: {err}', status, 0)
    lines = {line[:34].strip(): line[34:].split() for line in out.splitlines()}
    check('of each: simulated, counted, quotient', {len(words) for words in lines.values()}, {3})
    check('what was counted', lines['instructions'][1], '200,000')
    quotient = int(lines['instructions'][0].replace(',', '')) / 200000
    check('the quotient', lines['instructions'][2], f'{quotient:.2f}')
    check('a count of 0', lines['misses of the last level'][1:], ['0', '-'])
    check('no such counter', lines['reads that missed the last level'][1:], ['-', '-'])
    check('never counted', lines['estimated cycles'][1:], ['-', '-'])

    for what, script, command, said in (
            ('no counters', HEAD + "echo '<not supported>,,cycles:u,0,100.00,,' >$out\n", '/bin/true', 'refuses every'),
            ('perf fails', '#!/bin/sh\necho No right >&2; exit 255\n', '/bin/true', 'counts nothing here: No right'),
            ('the command fails', f"{HEAD}cat >$out <<END\n{COUNTED}END\nexit $status\n", '/bin/false', 'status 1')):
        status, out, err = hardware(folder, script, command)
        check(what + ', status', status, 1)
        check(what + ', one line', (out, err.count('\n')), ('', 1))
        check(f'{what}: {err}', said in err, True)
finish()
