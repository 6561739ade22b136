#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes of a recorded server are killed by SIGKILL, at moments and in an order that a seed decides.

    killed.py [--seed=N] [--count=N] TENURE

Each time a small server of several processes runs, under `tenure record --trace-children=yes` with parts asked for now
and then: its workers fork, execute programs and have threads. One of them is killed, or the server, or `tenure record`,
while the server works or while profiles are made. All others must come to their end; each process leaves a profile, a
raw file that can be imported, or nothing at all if it was killed before it wrote; every profile can be read, and its
parts add up; what a profile leaves out was said; nothing else is left.
"""
import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from server import children_of, of_folder, profile_sums

LIMIT = 180 # seconds for what is left to end

# Forks four workers, which each do ten things, and starts another one for each that ends early; SERVER: its own file.
SERVER = r'''
import os, subprocess, sys, threading

def work(number):
    for turn in range(6):
        thread = threading.Thread(target=lambda: sorted(range(3000), key=lambda i: i * 7919 % 3001))
        thread.start()
        thread.join()
        if turn % 3 == number % 3:
            subprocess.run(['/bin/echo', '-n', ''], check=False)
    os._exit(number)

print('begins', flush=True)
workers = {}
for number in range(1, 5):
    pid = os.fork()
    if pid == 0:
        work(number)
    workers[pid] = number
ended = 0
while workers:
    pid, status = os.wait()
    ended += workers.pop(pid) == os.waitstatus_to_exitcode(status)
print('ends', ended, flush=True)
'''


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def case(self, name, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print('%s: %s' % (name, what), flush=True)


def wait_until(condition, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def victims(record):
    """By what they are: process ids of `tenure record`, the program, and the program's children."""
    below = [pid for pid, state in children_of(record).items() if state != 'Z']
    first = [pid for pid in below if parent_of(pid) == record]
    return {'record': [record], 'server': first, 'worker': [pid for pid in below if pid not in first]}


def parent_of(pid):
    try:
        with open('/proc/%d/stat' % pid, encoding='utf-8', errors='replace') as file:
            return int(file.read().rpartition(')')[2].split()[1])
    except OSError:
        return 0


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def run(cases, name, tenure, kind, moment, folder):
    server = os.path.join(folder, 'server.py')
    with open(server, 'w', encoding='ascii') as file:
        file.write(SERVER)
    profiles, log = os.path.join(folder, 'profiles'), os.path.join(folder, 'log')
    os.mkdir(profiles)
    environment = {**os.environ, 'TMPDIR': folder, 'PYTHONDONTWRITEBYTECODE': '1'}
    with open(log, 'wb') as output:
        record = subprocess.Popen([tenure, 'record', '--engine=native', '--trace-children=yes', '-o',
                                   os.path.join(profiles, '%p.%n.tenure'), '--', '/usr/bin/python3', '-S', server],
                                  cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                  env=environment, start_new_session=True)

    def said():
        with open(log, encoding='utf-8', errors='replace') as file:
            return file.read()

    before_import = kind != 'importing'
    wait_until(lambda: ('begins' if before_import else 'ends') in said() or record.poll() is not None, LIMIT)
    time.sleep(moment)
    if moment < 1: # a part, so that there is something whole already
        subprocess.run([tenure, 'control', '--wait=0.2', 'all', 'dump'], env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
    there = victims(record.pid)[kind if before_import else 'record']
    victim = random.choice(there) if there else 0
    if victim:
        kill(victim)
    # A server that is waiting for its workers ends by itself; workers of one that was killed, too.
    name = '%s, %d killed after %.2f s' % (name, victim, moment)
    ends = wait_until(lambda: record.poll() is not None, LIMIT) and wait_until(
        lambda: not [pid for pid in os.listdir('/proc') if pid.isdigit() and of_folder(pid, folder)], LIMIT)
    cases.case(name, ends, 'not all ended: %r, said %s' % (record.poll(), said()[-800:]))
    if not ends:
        for pid in [pid for pid in os.listdir('/proc') if pid.isdigit() and of_folder(pid, folder)]:
            kill(int(pid))
        record.wait()
    status = record.returncode
    wanted = {'record': (-9,), 'importing': (-9,), 'server': (-9,), 'worker': (0, -9)}[kind]
    cases.case(name, status in (*wanted, 0), 'status %r, said %s' % (status, said()[-800:]))
    left(cases, name, tenure, profiles, folder, said(), environment)


def left(cases, name, tenure, profiles, folder, said, environment):
    whole = 0
    for file in sorted(os.listdir(profiles)):
        path = os.path.join(profiles, file)
        if re.fullmatch(r'\d+\.\d+\.tenure', file):
            profile = path
        elif file.endswith('.raw'):
            if os.path.getsize(path) == 0: # killed before anything was written
                continue
            profile = path + '.imported'
            done = subprocess.run([tenure, 'import', path, '-o', profile], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=environment, check=False)
            # A part that is cut off is said to be; with no part whole there is nothing to import.
            nothing = done.returncode == 1 and not os.path.exists(profile)
            cases.case(name, done.returncode == 0 or nothing, 'import of %s: %r, %s' % (file, done.returncode,
                                                                                      done.stdout[-500:]))
            if nothing:
                print('%s: nothing to import in %s: %s' % (name, file, done.stdout.decode()[-200:]))
                continue
        else: # what is in the making is under names of its own, which say so
            cases.case(name, file.startswith('.tenure.') or '.tenure.' in file, 'left behind: %s' % file)
            print('%s: left behind: %s, %d bytes' % (name, file, os.path.getsize(path)))
            continue
        parts, good = profile_sums(profile)
        cases.case(name, good and parts > 0, '%s: %d parts, which do not add up' % (file, parts))
        whole += 1
    cases.case(name, whole > 0, 'no profile at all, said %s' % said[-800:])
    print('%s: %d profiles' % (name, whole), flush=True)
    for control in [entry for entry in os.listdir(folder) if entry.startswith('tenure-')]:
        subprocess.run([tenure, 'control'], env=environment, stdout=subprocess.DEVNULL, check=False)
        pages = os.listdir(os.path.join(folder, control))
        cases.case(name, not pages, 'pages of `tenure control` are left: %r' % pages)


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--count', type=int, default=20)
    options.add_argument('tenure')
    args = options.parse_args()
    random.seed(args.seed)
    cases = Cases()
    for number in range(args.count):
        kind = random.choice(('worker', 'worker', 'server', 'record', 'importing'))
        moment = random.random() * (8 if kind != 'importing' else 4)
        folder = tempfile.mkdtemp()
        try:
            run(cases, '%d: %s' % (number, kind), os.path.abspath(args.tenure), kind, moment, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print('%d passed, %d failed' % (cases.passed, cases.failed))
    return 1 if cases.failed else 0


if __name__ == '__main__':
    sys.exit(main())
