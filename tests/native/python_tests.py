#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Python's own regression tests in the native engine: of the modules that pass on the bare CPU at least 98 % must.

    python_tests.py [--only=NAME,...] [--limit=SECONDS] ENGINE

A module that takes longer than SECONDS (60) on the bare CPU is left out; the engine may take ten times as long. Those
that fail in the engine are named, with what they said last. They come with the Debian package libpython3-testsuite.
"""
import argparse
import os
import subprocess
import sys
import tempfile

SHARE = 0.98
PYTHON = '/usr/bin/python3'
# They ask for what a machine for tests seldom has, or for a debugger that attaches to the program.
LEFT_OUT = {'test_gdb', 'test_ssl', 'test_tools', 'test_idle', 'test_tk', 'test_ttk_guionly', 'test_winreg'}


def modules():
    code = 'import test.libregrtest.runtest as r; print(*r.findtests())'
    done = subprocess.run([PYTHON, '-c', code], stdout=subprocess.PIPE, text=True, check=False)
    return [name for name in done.stdout.split() if name not in LEFT_OUT]


def passes(launcher, module, limit):
    """(whether it passes, the end of what it said)"""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run([*launcher, PYTHON, '-m', 'test', '-q', module], cwd=folder, timeout=limit,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=False, start_new_session=True)
        except subprocess.TimeoutExpired:
            return False, 'took longer than %d s' % limit
        return done.returncode == 0, done.stdout.decode(errors='replace')[-600:]


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--only', default='')
    options.add_argument('--limit', type=int, default=60)
    options.add_argument('engine')
    args = options.parse_args()
    names = [name for name in args.only.split(',') if name] or modules()
    bare = good = 0
    for name in names:
        if not passes([], name, args.limit)[0]:
            continue
        bare += 1
        done, said = passes([os.path.abspath(args.engine), '--'], name, 10 * args.limit)
        good += done
        if not done:
            print('%s: %s' % (name, said.strip()), flush=True)
    if bare == 0:
        print('the tests of python3 are not installed (Debian package libpython3-testsuite)')
        return 0
    enough = good >= SHARE * bare
    print('%d modules pass on the bare CPU, %d of them in the engine' % (bare, good))
    print('%d passed, %d failed' % (enough, not enough))
    return 0 if enough else 1


if __name__ == '__main__':
    sys.exit(main())
