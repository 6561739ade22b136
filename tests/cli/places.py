#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording where programs run: in containers, as nobody, on a read-only root, as process 1.

    places.py TENURE GUEST

Each place is made with unshare or setpriv, in each engine that there is. A place that this machine does not let us make
is left out, and said to be. GUEST (control_guest.c) ends with status 7 at once, and its profile has main().
"""
import json
import os
import shlex
import shutil
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, GUEST = map(os.path.abspath, sys.argv[1:3])
NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']


def record(engine, folder):
    return [TENURE, 'record', '-q', '--engine=' + engine, '-o', folder + '/profile', '--', GUEST, 'loop', '/']


def has_main(profile):
    database = sqlite3.connect('file:%s?mode=ro' % profile, uri=True)
    return database.execute("select count(*) from functions where function = 'main' and Ir_incl > 0").fetchone()[0] == 1


def place(title, engine, folder, command, can):
    """`can`: what must work for the place to be there."""
    if run(can)[0] != 0:
        print('%s: not here' % title)
        return
    check('%s, %s' % (engine, title), run(command), (7, '', ''))
    profile = os.path.join(folder, 'profile')
    if os.path.exists(profile):
        check('%s, %s: the profile' % (engine, title), has_main(profile), True)
        os.unlink(profile)


def places(engine, folder):
    words = record(engine, folder)
    first = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc']
    place('as process 1', engine, folder, first + words, first + ['true'])
    first = ['unshare', '--user', '--map-user=12345', '--keep-caps']
    place('a user without a name', engine, folder, first + words, first + ['true'])
    if os.geteuid() == 0:
        os.chmod(folder, 0o777)
        first = NOBODY + ['env', '-u', 'XDG_RUNTIME_DIR', '-u', 'HOME']
        place('as nobody', engine, folder, first + words, NOBODY + ['test', '-x', GUEST])
    if engine == 'native': # Valgrind takes the name as /proc/self/maps writes it
        odd = os.path.join(folder, 'two\nlines')
        os.makedirs(odd, exist_ok=True)
        place('below a folder of two lines', engine, folder, words[:-3] + [shutil.copy(GUEST, odd)] + words[-2:],
              ['true'])
    inside = os.path.join(folder, 'inside')
    os.makedirs(inside, exist_ok=True)
    inside_words = shlex.join(record(engine, inside))
    look = '; code=$?; "%s" report --function=main "%s/profile" >/dev/null || code=1; exit $code'
    read_only = 'mount -t tmpfs none %s && mount -o remount,bind,ro / && cd %s && ' % (inside, inside)
    place('on a read-only root', engine, folder,
          ['unshare', '-rm', 'sh', '-c', read_only + inside_words + look % (TENURE, inside)],
          ['unshare', '-rm', 'sh', '-c', read_only + 'true'])
    first = ['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh', *words]
    if run(['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs none /proc'])[0] == 0:
        status, output, errors = run(first)
        check(engine + ', without /proc', (status, output, errors.count('\n'), 'mount /proc' in errors),
              (125, '', 1, True))


def main():
    if shutil.which('unshare') is None:
        print('no unshare here')
        return 77
    found = json.loads(run([TENURE, 'info', '--json'])[1])
    for engine, key in (('native', 'engine.native'), ('valgrind', 'engine.tool')):
        if found[key] == 'not found':
            continue
        with tempfile.TemporaryDirectory(prefix='tenure-places.') as folder:
            places(engine, folder)
    return finish()


sys.exit(main())
