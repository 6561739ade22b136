#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Recorded on one machine, read on another: --raw, --sysroot, --embed-source, --file-map.

    moved.py TENURE GUEST.c COMPILER...

A program is built and recorded in a folder. The other machine is a mount namespace in which that folder is empty, and a
copy of it lies below what is the sysroot there: the program has other bytes at its own path, or none, as it would have
on a machine where it was never installed. Left out where such a namespace cannot be made.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from checks import check, finish, run

TENURE, GUEST, COMPILER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
SOURCE = 'int main(int argc, char **argv)'


def there(here, command):
    """On the other machine."""
    hidden = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs none "$0" && exec "$@"', here]
    return run(hidden + command)


def knows(title, here, profile, annotated, *more):
    """main's place, and its source or the lack of it."""
    place = "SELECT file, line FROM functions WHERE function = 'main'"
    status, output, errors = there(here, [TENURE, 'sql', profile, place])
    check(title + ': where main is', (status, os.path.join(here, 'guest.c') in output, errors), (0, True, ''))
    annotate = [TENURE, 'annotate', '--sort=Ir', '--show=Ir', *more, profile, 'guest.c']
    status, output, errors = there(here, annotate)
    check(title + ': its source', (SOURCE in output, 'guest.c' in output + errors), (annotated, True))


def readings(folder, here, sysroot):
    raw, profile = os.path.join(folder, 'raw'), os.path.join(folder, 'profile')
    copy = sysroot + here
    knows('embedded when recorded', here, os.path.join(folder, 'embedded'), True)
    bare = there(here, [TENURE, 'import', '-o', profile, raw])
    said = os.path.join(here, 'guest') + ': the file is not there'
    check('without a sysroot', (bare[0], said in bare[2], '--sysroot' in bare[2]), (0, True, True))
    rows = there(here, [TENURE, 'sql', profile, "SELECT count(*), count(file) FROM functions WHERE function = 'main'"])
    check('names are there, places are not', rows[1].split()[-2:], ['1', '0'])
    for title, more in (('a sysroot', []), ('and embedded', ['--embed-source=yes'])):
        os.unlink(profile)
        check(title, there(here, [TENURE, 'import', '-q', '--sysroot=' + sysroot, *more, '-o', profile, raw])[0], 0)
        knows(title, here, profile, bool(more))
        knows(title + ', sources elsewhere', here, profile, True, '--file-map=%s=%s' % (here, copy))
        shutil.rmtree(sysroot + '.gone', ignore_errors=True)
    os.rename(sysroot, sysroot + '.gone')
    knows('embedded, the sysroot gone', here, profile, True)


def pipe_for_debug_file(here):
    """Whose writer nobody waits for."""
    for words in ('--only-keep-debug guest link', '--strip-all --add-gnu-debuglink=link guest linked'):
        subprocess.run(['objcopy', *words.split()], cwd=here, check=True)
    os.unlink(os.path.join(here, 'link'))
    os.mkfifo(os.path.join(here, 'link'))
    check('a debug file that is a pipe', run([TENURE, 'record', '-q', '-o', 'of-linked', './linked', 'loop', '/'],
                                             cwd=here), (7, '', ''))
    for name in ('link', 'linked', 'of-linked'):
        os.unlink(os.path.join(here, name))


def main():
    if shutil.which('unshare') is None or there('/tmp', ['true'])[0] != 0:
        print('no namespaces here')
        return 77
    with tempfile.TemporaryDirectory(prefix='tenure-moved.') as folder:
        here, sysroot = os.path.join(folder, 'here'), os.path.join(folder, 'sysroot')
        os.mkdir(here)
        shutil.copy(GUEST, os.path.join(here, 'guest.c'))
        subprocess.run([*COMPILER, '-g', '-O1', '-o', 'guest', os.path.join(here, 'guest.c')], cwd=here, check=True)
        for name, option in (('raw', '--raw'), ('embedded', '--embed-source=yes')):
            done = run([TENURE, 'record', '-q', option, '-o', os.path.join(folder, name), '--', './guest', 'loop', '/'],
                       cwd=here)
            check('recorded, ' + option, done, (7, '', ''))
        if shutil.which('objcopy'):
            pipe_for_debug_file(here)
        shutil.copytree(here, sysroot + here)
        readings(folder, here, sysroot)
    return finish()


sys.exit(main())
