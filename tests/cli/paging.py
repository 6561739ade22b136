#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is longer than the terminal goes to a pager, and all of it; nothing else does. And when there are colours.

    paging.py TENURE
"""
import fcntl
import os
import pathlib
import pty
import re
import struct
import sys
import tempfile
import termios
import time

from checks import check, finish, run

TENURE = os.path.abspath(sys.argv[1])


def on_terminal(words, rows, **environment):
    """Exit status, and what a terminal of so many rows is sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack('HHHH', rows, 100, 0, 0))
    child = os.fork()
    if child == 0:
        os.close(ours)
        os.dup2(theirs, 1)
        os.environ.update(environment)
        os.execv(TENURE, [TENURE, *words])
    os.close(theirs)
    text = b''
    try:
        while piece := os.read(ours, 65536):
            text += piece
    except OSError:  # it has hung up
        pass
    os.close(ours)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text.decode().replace('\r\n', '\n')


def interrupted(pager):
    """Ctrl-C, when the pager is there: exit status, and what stood on the terminal."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 20, 100, 0, 0))
        os.environ['PAGER'] = pager
        os.execv(TENURE, [TENURE, 'help', 'model'])
    text = b''
    try:
        while piece := os.read(terminal, 65536):
            text += piece
            if text == b'here\r\n':
                status = pathlib.Path(f'/proc/{child}/status')
                while not re.search('^SigIgn:.*[2367abef]$', status.read_text(encoding='utf-8'), re.M):
                    time.sleep(0.01)
                os.write(terminal, b'\3')
    except OSError:  # it has hung up
        pass
    os.close(terminal)
    # The terminal shows the key, unless the program has ended by then.
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text.decode().replace('\r\n', '\n').removesuffix('^C')


def colours(folder):
    """[NO_COLOR, CLICOLOR, CLICOLOR_FORCE, --color, colours in a pipe, and on a terminal]"""
    names = ('NO_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE')
    for name in names:
        os.environ.pop(name, None)
    profile = os.path.join(folder, 'profile')
    check('recorded', run([TENURE, 'record', '-q', '-o', profile, '/bin/true'])[0], 0)
    for row in ((None, None, None, None, False, True), ('1', None, None, None, False, False),
                ('', '', '', None, False, True), (None, '0', '1', None, False, False),
                (None, None, '1', None, True, True), (None, None, '0', None, False, True),
                ('1', None, '1', None, False, False), ('1', None, None, 'always', True, True),
                (None, None, '1', 'never', False, False), (None, '0', None, 'auto', False, False)):
        given = {name: value for name, value in zip(names, row) if value is not None}
        given |= {'TERM': 'xterm', 'PAGER': ''}
        words = ['report', '--limit=3', *([f'--color={row[3]}'] if row[3] else []), profile]
        piped = run([TENURE, *words], env={**os.environ, **given})[1]
        check(f'colours: {row}', ('\33' in piped, '\33' in on_terminal(words, 200, **given)[1]), row[4:])


def main():
    model = run([TENURE, 'help', 'model'])[1]
    with tempfile.TemporaryDirectory() as folder:
        kept = os.path.join(folder, 'kept')
        for pager, rows, paged in ((f'cat >{kept}', 20, True), (f'cat >{kept}', 60000, False), ('', 20, False),
                                   ('cat', 20, False)):
            if os.path.exists(kept):
                os.unlink(kept)
            status, text = on_terminal(['help', 'model'], rows, PAGER=pager)
            got = open(kept, encoding='utf-8').read() if paged else text
            check(f'PAGER={pager!r}, {rows} rows', (status, os.path.exists(kept), got == model), (0, paged, True))
        check('a pager that is left early', on_terminal(['help', 'model'], 20, PAGER='head -1'),
              (0, model.split('\n', maxsplit=1)[0] + '\n'))
        check('a pager that is not there', on_terminal(['help', 'mpi'], 20, PAGER='/nowhere 2>/dev/null')[0], 0)
        check('a pager that Ctrl-C ends', interrupted('echo here; exec sleep 100'), (0, 'here\n'))
        check('one that it does not', interrupted(f'trap : INT; echo here; sleep 100; cat >{kept}'), (0, 'here\n'))
        check('all of it', open(kept, encoding='utf-8').read() == model, True)
        colours(folder)
        check('what is binary', on_terminal(['export', '--format=pprof', os.path.join(folder, 'profile')], 20), (2, ''))
        check('no terminal', run([TENURE, 'help', 'model'], env={**os.environ, 'PAGER': '/bin/false'})[1], model)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
