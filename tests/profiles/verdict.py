# SPDX-License-Identifier: GPL-2.0-or-later
"""Counting what was checked, for the tests beside: check(...) again and again, then sys.exit(verdict.finish())."""
SHOWN = 20
passed = failed = 0


def check(good, what):
    """The first failures are shown, as one broken rule often fails a thousand times."""
    global passed, failed
    if good:
        passed += 1
        return
    failed += 1
    if failed <= SHOWN:
        print("FAILED:", what)


def finish():
    """Prints the line that is added up; the exit status."""
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0
