#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option of Callgrind and Cachegrind works here, or is refused with a reason: by `tenure record` and by the tool.

usage: options.py TENURE VALGRIND-LIB

The options are those that `valgrind --tool=callgrind --help` prints under its own heading, and Cachegrind's. Nobody's
habit is silently ignored, and nobody is told no more than "unknown option".
"""
import os
import re
import subprocess
import sys
import tempfile

import runs

# What an option is tried with, where its help does not list values.
VALUES = {'I1': '16384,4,64', 'D1': '16384,4,64', 'LL': '1048576,16,64', 'separate-callers': '2', 'separate-recs': '2',
          'dump-every-bb': '1000', 'cache-sim': 'yes'}


def options(tools, tool):
    """[(name, value)] of the tool's own part of the help."""
    text = tools.run(tool, [], ['--help']).decode()
    text = re.split(r'user options for ', text)[-1].split('Extra options')[0]
    out = []
    for name, value in re.findall(r'^    --([\w-]+?)(?:<[^>]*>)?(?:=(\S+))?(?: |$)', text, re.M):
        out.append((name, VALUES.get(name) or ('no' if 'no' in value.split('|') else 'f')))
    return out


def outcome(command, environment):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, env={**runs.ENVIRONMENT, **environment}, check=False, timeout=60)
    return done.returncode, done.stderr


def good(status, words, name):
    """It ran; or one line names the option and gives more than its name."""
    if status == 0:
        return True
    lines = [line for line in words.splitlines() if name in line]
    return status == 125 and len(lines) == 1 and len(lines[0].split(name, 1)[1].split()) > 4


def main():
    tenure, lib = sys.argv[1:]
    tools = runs.Tools(tenure, lib)
    found = sorted(set(options(tools, 'callgrind') + options(tools, 'cachegrind')))
    passed, failed = 0, 0
    if len(found) < 25 or not {('simulate-wb', 'no'), ('simulate-hwpref', 'no')} <= set(found):
        print('the help was not understood: %s' % found)
        failed += 1
    for name, value in found:
        with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
            option, out = '--%s=%s' % (name, value), os.path.join(folder, 'out')
            tries = [([tenure, 'record', '--quiet', '--out=' + out, option, '--', '/bin/true'], {}),
                     (['valgrind', '-q', '--tool=tenure', '--tenure-out-file=' + out + '.raw', option, '/bin/true'],
                      {'VALGRIND_LIB': lib})]
            for command, environment in tries:
                status, words = outcome(command, environment)
                if good(status, words, name):
                    passed += 1
                else:
                    failed += 1
                    print('%s: status %d\n%s' % (' '.join(command), status, words))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
