#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The callgrind export opens in KCachegrind, which shows the use of lines under its long names.

    kcachegrind.py TENURE PROGRAM [PICTURE.png]

KCachegrind runs on a screen that nobody sees (Xvfb), with settings of its own. It says in its window's title that it
has loaded the file; then one of its functions is chosen, and the list of event types, of which a picture is taken. Of
the picture it is only checked that it is one of a full window: it is for people to look at (docs/images/kcachegrind.png
is one). Skipped where one of the programs is not installed.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

NEEDS = ['Xvfb', 'kcachegrind', 'dbus-run-session', 'xdotool', 'import', 'identify']
SCREEN = ':%d' % (90 + os.getpid() % 100)
SOME_FUNCTION, TYPES = ('255', '253'), ('375', '99')
LONG_NAMES = ['LL temporal use: 1000 / touches', 'LL bytes loaded, never touched']


def wait_for(what, seconds=60):
    """What `what` returns, once that is something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.2)
    sys.exit('nothing after %d seconds' % seconds)


def said(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=False)
    return done.stdout.decode().strip()


def click(place):
    said('xdotool', 'mousemove', *place, 'click', '1')
    time.sleep(1)


def look(name, picture):
    """Opens the file; the window's title, and a picture."""
    window = wait_for(lambda: said('xdotool', 'search', '--onlyvisible', '--class', 'kcachegrind')).split()[-1]
    title = wait_for(lambda: [text for text in [said('xdotool', 'getwindowname', window)] if name in text])[0]
    said('xdotool', 'windowsize', window, '1280', '800')
    said('xdotool', 'windowmove', window, '0', '0')
    time.sleep(2)
    click(SOME_FUNCTION)
    click(TYPES)
    said('import', '-window', 'root', picture)
    return title


def main():
    missing = [name for name in NEEDS if shutil.which(name) is None]
    if missing:
        print('not here: ' + ', '.join(missing))
        return 77
    tenure, program = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix='tenure-kcachegrind.') as folder:
        picture = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else os.path.join(folder, 'picture.png')
        os.chdir(folder)
        subprocess.run([tenure, 'record', '-q', '-o', 'profile', '--', program], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([tenure, 'export', '--format=callgrind', '-o', 'callgrind.out.seen', 'profile'], check=True)
        with open('callgrind.out.seen', encoding='utf-8') as file:
            head = file.read(10000)
        with open('kcachegrindrc', 'w', encoding='ascii') as file:
            file.write('[TipOfDay]\nRunOnStart=false\n')
        os.environ.update(DISPLAY=SCREEN, HOME=folder, XDG_CONFIG_HOME=folder, XDG_RUNTIME_DIR=folder,
                          QT_QPA_PLATFORM='xcb', LC_ALL='C.UTF-8')
        quiet = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
        screen = subprocess.Popen(['Xvfb', SCREEN, '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], **quiet)
        viewer = subprocess.Popen(['dbus-run-session', '--', 'kcachegrind', 'callgrind.out.seen'], **quiet)
        try:
            title = look('callgrind.out.seen', picture)
            colours = int(said('identify', '-format', '%k', picture) or 0)
        finally:
            for process in (viewer, screen):
                process.terminate()
                process.wait(timeout=60)
    print(title)
    checks = [os.path.basename(program) in title, colours > 100] + [name in head for name in LONG_NAMES]
    print('%d passed, %d failed' % (checks.count(True), checks.count(False)))
    return checks.count(False) != 0


sys.exit(main())
