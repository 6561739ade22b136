#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_size.py: TLBs know how large the program's pages are (nt_page_size.c).

    page_size.py ENGINE GUEST

The guest goes twice through 64 MB in steps of 4 KB: in small pages, in transparent huge pages that it asks for, in
small ones that become huge in between, and in a mapping of huge pages. The TLBs have 64 entries behind 16. With
small pages all steps walk; with huge ones few but the first in each of the 32.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'engines'))
import rawfile  # noqa: E402

ENGINE, GUEST = sys.argv[1:]
STEPS = (64 << 20) // 4096
NOTHING_DONE = 77


def has_scan():
    release = os.uname().release.split('.')
    return (int(release[0]), int(release[1])) >= (6, 7)


def may_be_huge():
    try:
        with open('/sys/kernel/mm/transparent_hugepage/enabled', encoding='ascii') as file:
            return '[never]' not in file.read()
    except OSError:
        return False


def walks(how, *options):
    """Page walks for data; None: the guest could not do it."""
    with tempfile.TemporaryDirectory(prefix='tenure-native-') as folder:
        raw = os.path.join(folder, 'raw')
        status = subprocess.run([ENGINE, '--profile=yes', '--tenure-out-file=' + raw, *options, '--', GUEST, how],
                                check=False).returncode
        if status == NOTHING_DONE:
            return None
        totals = rawfile.Raw(raw).totals()
        return totals['DTwr'] + totals['DTww']


def main():
    passed = failed = 0
    cases = [('small', 2 * STEPS, 2 * STEPS + 200)]
    if has_scan() and may_be_huge():
        cases += [('asked', 0, 300), ('later', STEPS, STEPS + 300)]
    if has_scan():
        cases.append(('mapped', 0, 300))
    for how, least, most in cases:
        got = walks(how, '--dtlb=16,4,64,4')
        if got is None:
            print('%s: left out, there are no such pages' % how)
            continue
        good = least <= got <= most
        passed, failed = passed + good, failed + (not good)
        if not good:
            print('%s: %d page walks, not between %d and %d' % (how, got, least, most))
    print('%d passed, %d failed' % (passed, failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
