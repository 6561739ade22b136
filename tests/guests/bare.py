#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run every guest on the bare CPU and compare its output with expected/<guest>.

usage: bare.py EXPECTED-FOLDER PROGRAM...

A guest that is wrong here proves nothing elsewhere. `surroundings` is passed over: its output is compared between
engines, not with a file.
"""
import os
import subprocess
import sys


def main():
    folder, programs = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    for program in programs:
        name = os.path.basename(program).split('_', 1)[1].replace('_static', '')
        if name == 'surroundings':
            continue
        want_file = os.path.join(folder, name)
        want = open(want_file).read() if os.path.exists(want_file) else 'no file ' + want_file
        run = subprocess.run([program], stdout=subprocess.PIPE, universal_newlines=True, timeout=60, check=False)
        if run.returncode == 0 and run.stdout == want:
            passed += 1
        else:
            failed += 1
            print('%s: status %d, output %r, expected %r' % (name, run.returncode, run.stdout, want))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
