#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How far a recording is: on the last row of a terminal, above which a program's text is what it is without us.

    progress.py TENURE CONTROL_GUEST ENGINE...

The terminal is a model of one (pyte), which keeps what has scrolled out of sight.
"""
import copy
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

import pyte

from checks import check, finish

TENURE, GUEST = map(os.path.abspath, sys.argv[1:3])
ROWS, COLUMNS = 12, 80
SHOWN = re.compile(r'^tenure: \d+ s(, [\d.]+ [kMG] accesses)?(, it waits|, about \d+ times slower)?; '
                   r'Ctrl-C keeps what is there$')


COUNT = re.compile(r', ([\d.]+)( [kMG]|) accesses')


class Screen(pyte.HistoryScreen):
    """A terminal keeps one saved cursor, which it may be asked for again; pyte keeps a stack of them."""

    def save_cursor(self):
        self.savepoints.clear()
        super().save_cursor()

    def restore_cursor(self):
        kept = [place._replace(cursor=copy.copy(place.cursor)) for place in self.savepoints]
        super().restore_cursor()
        self.savepoints.extend(kept)

    def set_margins(self, top=None, bottom=None):
        """Without numbers: the whole screen, which pyte takes for a region's beginning."""
        super().set_margins(top or (bottom and 1), bottom)


class Terminal:
    """A process on a terminal of its own."""

    def __init__(self, words, rows=ROWS, **environment):
        self.screen = Screen(COLUMNS, rows, history=1000)
        self.stream = pyte.ByteStream(self.screen)
        self.last_rows, self.sent = {}, b''  # in the order in which they came
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, COLUMNS, 0, 0))
            os.environ.update({'TERM': 'xterm', 'PAGER': '', **environment})
            os.execvp(words[0], words)

    def read(self, until=lambda terminal: False, seconds=60):
        """What it sends, until it hangs up or something is so; whether it is."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if until(self):
                return True
            if not select.select([self.fd], [], [], 0.05)[0]:
                continue
            try:
                piece = os.read(self.fd, 65536)
            except OSError:  # it has hung up
                return False
            self.sent += piece
            self.stream.feed(piece)
            self.last_rows[self.screen.display[-1].strip()] = True
        return False

    def text(self):
        """All lines that were ever there."""
        gone = [''.join(line[i].data for i in range(COLUMNS)).rstrip() for line in self.screen.history.top]
        return '\n'.join(gone + [line.rstrip() for line in self.screen.display]).rstrip('\n')

    def shown(self):
        return [row for row in self.last_rows if SHOWN.match(row)]

    def end(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def recorded(script, *options, **terminal):
    return Terminal([TENURE, 'record', *options, '-o', 'profile', '/bin/sh', '-c', script], **terminal)


def same_text():
    for what, script in (('few lines', 'echo one; printf "two "; sleep 2.2; echo three; echo four'),
                         ('a screen and more', 'seq 9; printf "here "; sleep 2.2; echo and there; seq 40; sleep 1'),
                         ('nothing', 'sleep 1.5'),
                         ('full', 'seq 30; printf "a prompt> "; sleep 2.2; echo; echo "$(seq 1 300)"')):
        bare, ours = Terminal(['/bin/sh', '-c', script]), recorded(script)
        bare.read()
        ours.read()
        check(f'{what}: the program ends', (bare.end(), ours.end()), (0, 0))
        program, _, summary = ours.text().partition('\ntenure: wrote profile\n')
        check(f'{what}: its text', program.rstrip('\n'), bare.text())
        check(f'{what}: the row is given back', (ours.screen.margins, SHOWN.findall(ours.text())), (None, []))
        check(f'{what}: shown: {ours.last_rows}', bool(ours.shown()), True)
        check(f'{what}: the summary is whole', bool(summary), True)


def says():
    """While it runs and while it waits."""
    ours = recorded('i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 1.5')
    ours.read()
    check('the end', ours.end(), 0)
    check(f'it waits: {ours.last_rows}', any('it waits' in row and 'accesses' in row for row in ours.shown()), True)
    for engine in sys.argv[3:]:
        ours = recorded('i=0; while :; do i=$((i+1)); done', f'--engine={engine}')
        running = ours.read(lambda terminal: any('times slower;' in row for row in terminal.shown()))
        check(f'{engine}: it runs: {ours.last_rows}', running, True)
        os.write(ours.fd, b'\3')
        ours.read()
        check(f'{engine}: Ctrl-C keeps what is there', (ours.end(), 'tenure: wrote profile' in ours.text()),
              (-signal.SIGINT, True))


def counts():
    """What is counted never becomes less, whatever ends: a program that another follows in its process, or threads."""
    spin = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 1.1'
    for what, script in (('exec', f"{spin}; exec /bin/sh -c '{spin}'"),
                         ('threads', f'exec {GUEST} threads')):
        ours = recorded(script, '--trace-children=yes')
        ours.read()
        check(f'{what}: the end', ours.end(), 0)
        found = [COUNT.search(row) for row in ours.shown()]
        counted = [float(count[1]) * {'': 1, ' k': 1e3, ' M': 1e6, ' G': 1e9}[count[2]] for count in found if count]
        check(f'{what}: {ours.last_rows}', (len(counted) >= 2, counted), (True, sorted(counted)))


def editor():
    """A program that begins to read keys, and ends that: the terminal is its own meanwhile."""
    keys = (r"import sys, tty; tty.setcbreak(0); print('\33[2J\33[12;1Ha status\33[1;1Hits text', end='', flush=True); "
            'sys.stdin.read(1)')
    ours = recorded(f'echo first; sleep 1.6; old=$(stty -g); {sys.executable} -c "{keys}"; stty $old; clear; '
                    'echo last; sleep 1.3')
    check('shown', ours.read(lambda terminal: terminal.shown()), True)
    own = ours.read(lambda terminal: terminal.screen.display[0].startswith('its text'))
    ours.read(seconds=1.5)
    check('the terminal is its own', (own, ours.screen.margins, ours.screen.display[-1].strip()),
          (True, None, 'a status'))
    os.write(ours.fd, b'\n')
    ours.last_rows.clear()
    ours.read()
    check('the end', (ours.end(), 'last' in ours.text()), (0, True))
    check(f'shown again: {ours.last_rows}', bool(ours.shown()), True)


def stays_silent():
    sleeps = ['/bin/sh', '-c', 'sleep 1.6; echo end']
    record = [TENURE, 'record', '-o', 'profile']
    for what, words, terminal in (('-q', [*record, '-q', *sleeps], {}), ('dumb', [*record, *sleeps], {'TERM': 'dumb'}),
                                  ('few rows', [*record, *sleeps], {'rows': 4}),
                                  ('keys', ['/bin/sh', '-c', 'stty -icanon; "$@"', 'sh', *record, *sleeps], {}),
                                  ('stderr is a file', ['/bin/sh', '-c', '"$@" 2>log', 'sh', *record, *sleeps], {})):
        ours = Terminal(words, **terminal)
        ours.read()
        check(f'{what}: the end', ours.end(), 0)
        check(f'{what}: nothing is shown', (b'\0337' in ours.sent, ours.shown()), (False, []))


def stopped():
    """Ctrl-Z: the row is given back, and comes again."""
    shell = Terminal(['/bin/bash', '--norc', '-i'], PS1='$ ')
    os.write(shell.fd, f'{TENURE} record -o profile sleep 4\n'.encode())
    check('shown', shell.read(lambda terminal: SHOWN.match(terminal.screen.display[-1].strip())), True)
    os.write(shell.fd, b'\x1a')
    check('stopped', shell.read(lambda terminal: 'Stopped' in terminal.text()), True)
    check('given back', (shell.screen.margins, bool(SHOWN.match(shell.screen.display[-1].strip()))), (None, False))
    os.write(shell.fd, b'fg\n')
    check('shown again', shell.read(lambda terminal: SHOWN.match(terminal.screen.display[-1].strip())), True)
    check('written', shell.read(lambda terminal: 'tenure: wrote profile' in terminal.text()), True)
    os.write(shell.fd, b'\4exit\n')
    shell.read()
    check('the shell ends', shell.end(), 0)
    check('given back at the end', shell.screen.margins, None)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ('XDG_RUNTIME_DIR', 'COLUMNS', 'LINES'):
            os.environ.pop(name, None)
        os.environ['TMPDIR'] = folder
        same_text()
        says()
        counts()
        editor()
        stays_silent()
        stopped()
        os.chdir('/')
    return finish()


if __name__ == '__main__':
    sys.exit(main())
