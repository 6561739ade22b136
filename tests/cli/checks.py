# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts that run commands share: checks that are counted, and a command's status and output.

    from checks import check, finish, run
"""
import subprocess

passed = failed = 0


def check(title, got, want):
    global passed, failed
    if got == want:
        passed += 1
    else:
        failed += 1
        print('%s: %r, expected %r' % (title, got, want))


def run(command, timeout=100, stdin=subprocess.DEVNULL, **more):
    """Exit status, output, errors."""
    done = subprocess.run(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=timeout, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def finish():
    """Prints the sum; the exit status."""
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0
