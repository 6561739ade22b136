#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Servers that run for long: requests at a bounded rate, parts written on the way, memory looked at from outside.

    server.py [--seconds=N] [--every=N] [--only=redis,postgres] [--table] TENURE

Each server runs on the bare CPU for a moment, and recorded with its children for N seconds [60]. Every so many seconds
(--every) all of its processes are asked for a part, and their memory, mappings, descriptors and threads are noted.
All requests must be answered rightly; the server must end with the bare CPU's status, and leave nothing behind: no
process, raw file, shared memory, or file of `tenure control`. The engine's own memory, which is what lies at its own
addresses, must not grow with the number of requests: what is there after half of the time may grow by little until the
end. The parts of a profile add up to its totals. --table: print what was seen, as docs/programs.md has it.
"""
import argparse
import collections
import math
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from programs import Wrong, prepared

OURS = range(0x110000000000, 0x140000000000) # the engine's addresses: engine/native/kernel/nt_region.h
ALLOWED, ALLOWED_KB, ALLOWED_MAPPINGS = 0.05, 4096, 20 # growth in the second half of the time


# ------------------------------------------------------------------------------------------------ what can be seen

def children_of(root):
    """All processes below `root`, zombies among them: process id, state."""
    parents = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open('/proc/%s/stat' % name, encoding='utf-8', errors='replace') as file:
                    state, parent = file.read().rpartition(')')[2].split()[:2]
                parents[int(name)] = (int(parent), state)
            except OSError:
                pass
    found, more = {}, [root]
    while more:
        above = more.pop()
        for pid, (parent, state) in parents.items():
            if parent == above:
                found[pid] = state
                more.append(pid)
    return found


KILL_AND_STOP = 1 << 8 | 1 << 18 # nobody can block these
Row = collections.namedtuple('Row', 'at pid engine_kb program_kb mappings descriptors threads')


def threads_of(pid):
    """How many there are, without the engine's own, which comes and goes: it alone has all signals blocked."""
    threads = 0
    for thread in os.listdir('/proc/%d/task' % pid):
        with open('/proc/%d/task/%s/status' % (pid, thread), encoding='ascii', errors='replace') as file:
            blocked = int(re.search(r'^SigBlk:\s*(\S+)', file.read(), re.M)[1], 16)
        threads += blocked | KILL_AND_STOP != 2 ** 64 - 1
    return threads


def look_at(pid):
    """Kilobytes that are resident at the engine's addresses, and anonymous ones elsewhere; mappings, descriptors and
    threads. None: it has gone."""
    engine = program = mappings = 0
    try:
        with open('/proc/%d/smaps' % pid, encoding='utf-8', errors='replace') as file:
            ours = False
            for line in file:
                if re.match('[0-9a-f]+-[0-9a-f]+ ', line):
                    ours = int(line.split('-')[0], 16) in OURS
                    mappings += 1
                    continue
                key, _, value = line.partition(':')
                if key == 'Rss' and ours:
                    engine += int(value.split()[0])
                elif key == 'Anonymous' and not ours:
                    program += int(value.split()[0])
        return engine, program, mappings, len(os.listdir('/proc/%d/fd' % pid)), threads_of(pid)
    except OSError:
        return None


class Watch(threading.Thread):
    """Asks for parts and looks, every so many seconds, until it is told to stop."""

    def __init__(self, root, every, ask):
        super().__init__(daemon=True)
        self.root, self.every, self.ask = root, every, ask
        self.over, self.begin = threading.Event(), time.monotonic()
        self.rows, self.zombies, self.asked = [], {}, 0

    def run(self):
        while not self.over.wait(self.every):
            self.look()
            if self.ask:
                self.ask()
                self.asked += 1

    def look(self):
        for pid, state in children_of(self.root).items():
            if state == 'Z':
                self.zombies[pid] = self.zombies.get(pid, 0) + 1
            seen = look_at(pid)
            if seen and seen[0]:
                self.rows.append(Row(time.monotonic() - self.begin, pid, *seen))

    def stop(self):
        self.over.set()
        self.join()
        self.look()

    def of(self, pid):
        return [row for row in self.rows if row.pid == pid]

    def long_lived(self):
        """Those that were there for three quarters of all looks."""
        looks = len(self.of(self.server()))
        return [pid for pid in {row.pid for row in self.rows} if len(self.of(pid)) * 4 >= looks * 3]

    def server(self):
        return max({row.pid for row in self.rows}, key=lambda pid: (len(self.of(pid)), -pid))


# ------------------------------------------------------------------------------------------------ servers

def launch(launcher, command, folder, ready, log):
    with open(log, 'wb') as output:
        child = subprocess.Popen(launcher + command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT, env={**os.environ, 'TMPDIR': folder}, start_new_session=True)
    deadline = time.monotonic() + 120
    while not ready():
        if child.poll() is not None or time.monotonic() > deadline:
            child.kill()
            with open(log, encoding='utf-8', errors='replace') as file:
                raise Wrong('the server did not come up: %s' % file.read()[-500:])
        time.sleep(0.1)
    return child


class Redis:
    """Commands of a client that knows what the answers must be."""
    name = 'redis'
    needs = 'redis-server'
    rate = 20 # commands in a second

    def __init__(self, launcher, folder, log):
        self.path, self.model, self.random = os.path.join(folder, 'redis.sock'), {}, random.Random(1)
        self.as_user = []
        self.child = launch(launcher, [shutil.which('redis-server'), '--port', '0', '--unixsocket', self.path,
                                       '--save', '', '--io-threads', '2'], folder, self.ready, log)

    def ready(self):
        try:
            self.connection = socket.socket(socket.AF_UNIX)
            self.connection.connect(self.path)
            self.answers = self.connection.makefile('rb')
            return self.command('PING') == b'PONG'
        except OSError:
            return False

    def command(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.connection.sendall(b'*%d\r\n' % len(words) + b''.join(b'$%d\r\n%s\r\n' % (len(w), w) for w in words))
        return self.answer()

    def answer(self):
        line = self.answers.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b'$':
            return None if rest == b'-1' else self.answers.read(int(rest) + 2)[:-2]
        if kind == b'*':
            return [self.answer() for _ in range(int(rest))]
        return int(rest) if kind == b':' else rest

    def one(self):
        """One request of one kind; whether it was answered rightly."""
        key, model = 'k%d' % self.random.randrange(500), self.model
        kind = self.random.randrange(6)
        if kind == 0:
            model[key] = b'%x' % self.random.getrandbits(self.random.choice((30, 3000)))
            return self.command('SET', key, model[key]) == b'OK'
        if kind == 1:
            return self.command('GET', key) == model.get(key)
        if kind == 2:
            return self.command('DEL', key) == (model.pop(key, None) is not None)
        if kind == 3:
            model['n'] = model.get('n', 0) + 1
            return self.command('INCR', 'count') == model['n']
        if kind == 4:
            queue = model.setdefault('queue', [])
            queue.append(key.encode())
            good = self.command('RPUSH', 'queue', key) == len(queue)
            if len(queue) > 100:
                good = good and self.command('LPOP', 'queue') == queue.pop(0)
            return good
        scores = model.setdefault('scores', {})
        scores[key.encode()] = self.random.randrange(1000)
        self.command('ZADD', 'scores', scores[key.encode()], key)
        want = [name for _, name in sorted((score, name) for name, score in scores.items())[:5]]
        return self.command('ZRANGE', 'scores', 0, 4) == want

    def load(self, seconds):
        begin, done, wrong = time.monotonic(), 0, 0
        while time.monotonic() < begin + seconds:
            wrong += not self.one()
            done += 1
            time.sleep(max(0, begin + done / self.rate - time.monotonic()))
        if wrong:
            raise Wrong('%d of %d commands were answered wrongly' % (wrong, done))
        return done

    def end(self):
        os.kill(int(re.search(rb'process_id:(\d+)', self.command('INFO')).group(1)), signal.SIGTERM)

    def close(self):
        self.connection.close()


class Postgres:
    """pgbench with connections that stay, and another one that makes a connection for each transaction."""
    name = 'postgres'
    needs = '/usr/lib/postgresql'
    rate, connections = 3, 0.03 # transactions and new connections in a second

    def __init__(self, launcher, folder, log):
        where = '/usr/lib/postgresql'
        self.binaries = os.path.join(where, max(os.listdir(where), key=float), 'bin')
        self.folder, self.as_user = folder, []
        if os.geteuid() == 0: # it refuses to run as root
            self.as_user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
            for name in folder, os.path.join(folder, 'profiles'):
                shutil.chown(name, 'postgres')
        data = os.path.join(folder, 'data')
        prepared(self.as_user + [os.path.join(self.binaries, 'initdb'), '-D', data, '-A', 'trust', '-U', 'me'], folder)
        self.child = launch(self.as_user + launcher, [os.path.join(self.binaries, 'postgres'), '-D', data, '-k', folder,
                                                      '-c', 'fsync=off', '-c', 'listen_addresses='],
                            folder, self.ready, log)
        with open(os.path.join(data, 'postmaster.pid'), encoding='ascii') as file:
            self.postmaster = int(file.readline())
        prepared(self.tool('createdb', '-U', 'me', 'bench'), folder)
        prepared(self.tool('pgbench', '-U', 'me', '-i', '-s', '1', '-q', 'bench'), folder)

    def tool(self, name, *options):
        return [os.path.join(self.binaries, name), '-h', self.folder, *options]

    def ready(self):
        return subprocess.run(self.tool('pg_isready', '-q'), check=False).returncode == 0

    def load(self, seconds):
        bench = self.tool('pgbench', '-U', 'me', '-n', '-T', '%d' % seconds)
        clients = [subprocess.Popen(bench + more + ['bench'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                   for more in (['-c', '2', '-j', '1', '-R', str(self.rate)],
                                ['-S', '-C', '-c', '1', '-R', str(max(self.connections, 6 / seconds))])]
        done = 0
        for client, writes in zip(clients, (True, False)):
            said = client.communicate()[0].decode(errors='replace')
            if client.returncode or 'number of failed transactions: 0 ' not in said:
                raise Wrong('pgbench: %s' % said[-500:])
            if writes:
                done = int(re.search(r'actually processed: (\d+)', said).group(1))
        query = ('select count(*) from pgbench_history; select (select sum(abalance) from pgbench_accounts) = '
                 '(select sum(delta) from pgbench_history)')
        output = subprocess.run(self.tool('psql', '-U', 'me', '-d', 'bench', '-Atc', query), stdout=subprocess.PIPE,
                                check=True).stdout.decode().split()
        if output != [str(done), 't']:
            raise Wrong('%d transactions, but %r' % (done, output))
        return done

    def end(self):
        os.kill(self.postmaster, signal.SIGINT)

    def close(self):
        pass


# ------------------------------------------------------------------------------------------------ one run

def shared_memory():
    """Names of what lies in memory, and segments that nobody is attached to."""
    with open('/proc/sysvipc/shm', encoding='ascii') as file:
        segments = [line.split() for line in file][1:]
    return {name for name in os.listdir('/dev/shm') if name.startswith('PostgreSQL')} | {
        segment[1] for segment in segments if segment[6] == '0'}


def profile_sums(path):
    """(parts, whether they add up to the totals) of a profile."""
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        columns = [{row[1] for row in db.execute('PRAGMA table_info(%s)' % name)} for name in ('parts', 'totals')]
        events = ', '.join('sum("%s")' % name for name in sorted(columns[0] & columns[1]))
        parts = db.execute('SELECT %s FROM parts' % events).fetchone()
        totals = db.execute('SELECT %s FROM totals' % events).fetchone()
        good = len(parts) > 10 and all(map(math.isclose, parts, totals)) # ratios of counts are added up, too
        return db.execute('SELECT count(*) FROM parts').fetchone()[0], good


def totals_of(path):
    """All but Time, which is estimated of each part by itself (docs/model.md, 19)."""
    with sqlite3.connect('file:%s?mode=ro' % path, uri=True) as db:
        rows = db.execute('SELECT * FROM totals')
        return [value for (name, *_), value in zip(rows.description, rows.fetchone()) if name != 'Time']


class Cases:
    def __init__(self, table):
        self.passed = self.failed = 0
        self.table = table

    def case(self, name, good, what=''):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print('%s: %s' % (name, what), flush=True)

    def run(self, kind, tenure, seconds, every):
        shared = shared_memory()
        with tempfile.TemporaryDirectory() as folder:
            bare = self.server(kind, [], folder, min(seconds, 5), None)[0]
        folder = tempfile.mkdtemp()
        try:
            self.recorded(kind, tenure, folder, seconds, every, bare)
            left = shared_memory() - shared
            self.case(kind.name, not left, 'shared memory is left: %r' % left)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def server(self, kind, launcher, folder, seconds, watch):
        """(status, requests, Watch, what it said) of a server under load."""
        os.makedirs(os.path.join(folder, 'profiles'))
        log = os.path.join(folder, 'log')
        server = kind(launcher, folder, log)
        watching = watch(server) if watch else None
        try:
            if watching:
                watching.start()
            done = server.load(seconds)
            if watching:
                watching.stop()
            server.end()
            status = server.child.wait(timeout=600 + seconds)
            with open(log, encoding='utf-8', errors='replace') as file:
                return status, done, watching, file.read()
        finally:
            server.close()
            for pid in [*children_of(server.child.pid), server.child.pid]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass

    def recorded(self, kind, tenure, folder, seconds, every, bare):
        launcher = [tenure, 'record', '--engine=native', '--trace-children=yes', '-q', '-o',
                    os.path.join(folder, 'profiles', '%p.tenure'), '--']

        def watch(server):
            ask = [*server.as_user, 'env', 'TMPDIR=' + folder, tenure, 'control', '--wait=1', 'all', 'dump', 'minute']
            return Watch(server.child.pid, every,
                         lambda: subprocess.run(ask, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False))

        status, done, watching, said = self.server(kind, launcher, folder, seconds, watch)
        name = '%s, %d requests' % (kind.name, done)
        self.case(name, status == bare, 'status %r, on the bare CPU %r: %s' % (status, bare, said[-1000:]))
        self.case(name, 'tenure:' not in said, 'said: %s' % said[-1000:])
        self.left(name, folder)
        self.memory(name, watching)
        self.profiles(name, os.path.join(folder, 'profiles'), watching)
        if self.table:
            print_table(kind, watching)

    def left(self, name, folder):
        files = os.listdir(os.path.join(folder, 'profiles'))
        strange = [file for file in files if not re.fullmatch(r'\d+\.tenure(\.\d+)?', file)]
        self.case(name, not strange, 'left behind: %r' % strange)
        for control in [entry for entry in os.listdir(folder) if entry.startswith('tenure-')]:
            pages = os.listdir(os.path.join(folder, control))
            self.case(name, not pages, 'pages of `tenure control` are left: %r' % pages)
        living = [pid for pid in os.listdir('/proc') if pid.isdigit() and of_folder(pid, folder)]
        self.case(name, not living, 'still running: %r' % living)

    def memory(self, name, watching):
        self.case(name, max(watching.zombies.values(), default=0) < 3, 'zombies stay: %r' % watching.zombies)
        for pid in watching.long_lived():
            rows = watching.of(pid)
            later = [row for row in rows if row.at >= rows[-1].at / 2]
            quarter = (len(rows) + 3) // 4 # a server has more and fewer files open; what leaks stays
            self.case(name, min(row.descriptors for row in rows[-quarter:]) <= max(
                row.descriptors for row in rows[:quarter]), 'process %d: descriptors: %r' % (
                    pid, [(round(row.at), row.descriptors) for row in rows]))
            for what in 'engine_kb', 'mappings', 'threads':
                first, last = getattr(later[0], what), getattr(later[-1], what)
                room = {'engine_kb': first * ALLOWED + ALLOWED_KB, 'mappings': ALLOWED_MAPPINGS}.get(what, 0)
                self.case(name, last <= first + room, 'process %d: %s: %r' % (
                    pid, what, [(round(row.at), getattr(row, what)) for row in rows]))

    def profiles(self, name, folder, watching):
        sizes = {}
        for file in os.listdir(folder):
            path = os.path.join(folder, file)
            parts, good = profile_sums(path)
            pid = int(file.split('.')[0])
            sizes[pid] = (parts, os.path.getsize(path))
            self.case(name, good, '%s: its %d parts do not add up to its totals' % (file, parts))
        for pid in watching.long_lived():
            self.case(name, sizes.get(pid, (0, 0))[0] > 1, 'process %d: %r' % (pid, sizes.get(pid)))
        largest = max(size for _, size in sizes.values())
        self.case(name, largest < 100 << 20, 'a profile has %d bytes' % largest)
        print('%s: %d profiles, the largest %d kB, with %d parts at most' % (
            name, len(sizes), largest >> 10, max(parts for parts, _ in sizes.values())))


def of_folder(pid, folder):
    try:
        with open('/proc/%s/environ' % pid, 'rb') as file:
            return ('TMPDIR=' + folder).encode() in file.read().split(b'\0')
    except OSError:
        return False


def print_table(kind, watching):
    print('\n| %s: second | processes | engine, kB: server | another | server: program, kB | mappings | descriptors |\n'
          '|--:|--:|--:|--:|--:|--:|--:|' % kind.name)
    own = watching.of(watching.server())
    others = [watching.of(pid) for pid in watching.long_lived() if pid != watching.server()]
    most = max(others, key=lambda rows: rows[-1].engine_kb, default=[])
    for number, row in enumerate(own):
        if number % max(1, len(own) // 12) and row is not own[-1]:
            continue
        near = [other for other in watching.rows if abs(other.at - row.at) < watching.every / 2]
        another = next((other.engine_kb for other in near if most and other.pid == most[0].pid), '-')
        print('| %d | %d | %d | %s | %d | %d | %d |' % (row.at, len(near), row.engine_kb, another, row.program_kb,
                                                       row.mappings, row.descriptors))
    print(flush=True)


def cut_into_parts(cases, tenure):
    """A program that is the same each time: its many parts add up to what a recording without them has."""
    query = 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) select sum(x) from c'
    with tempfile.TemporaryDirectory() as folder:
        totals = []
        for options in [], ['--dump-every=1000000']:
            path = os.path.join(folder, 'profile%d' % len(totals))
            prepared([tenure, 'record', '--engine=native', '-q', '-o', path, *options, '--', 'sqlite3', ':memory:',
                      query], folder)
            totals.append(totals_of(path))
            parts, good = profile_sums(path)
            cases.case('cut into parts', good and (parts > 10) == bool(options), '%d parts: %r' % (parts, good))
        cases.case('cut into parts', totals[0] == totals[1], '%r, without parts %r' % (totals[1], totals[0]))


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--seconds', type=int, default=60)
    options.add_argument('--every', type=float, default=0)
    options.add_argument('--only', default='redis,postgres')
    options.add_argument('--table', action='store_true')
    options.add_argument('tenure')
    args = options.parse_args()
    cases = Cases(args.table)
    cut_into_parts(cases, os.path.abspath(args.tenure))
    for kind in Redis, Postgres:
        if kind.name not in args.only.split(','):
            continue
        if not shutil.which(kind.needs) and not os.path.exists(kind.needs):
            print('%s: not installed' % kind.name)
            continue
        try:
            cases.run(kind, os.path.abspath(args.tenure), args.seconds,
                      args.every or max(2, min(120, args.seconds / 20)))
        except Wrong as error:
            cases.case(kind.name, False, error)
    print('%d passed, %d failed' % (cases.passed, cases.failed))
    return 1 if cases.failed or not cases.passed else 0


if __name__ == '__main__':
    sys.exit(main())
