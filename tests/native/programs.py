#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs of the distribution, run for real: on the bare CPU, translated, and translated and profiled.

    programs.py [--short] [--table] [--only=NAME,...] ENGINE TENURE

Output and exit status must be the bare CPU's in both. What differs from run to run anyway (times, addresses) a program
leaves out itself. --short: those that take a second or two; `make soak` runs all. --table: print docs/programs.md's
table, CPU time in times of the bare CPU's, the engine's own work (blocks made, profile written) included; servers are
measured by the time their clients take.

A program that is not installed is left out, and said so.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, 'programs')
LIMIT = 900 # seconds


class Wrong(Exception):
    """A step that must succeed on the bare CPU did not, or a server did not come up."""


# ------------------------------------------------------------------------------------------------ one run

def measured(command, folder, stdin=None, env=None):
    """(status, output, CPU seconds) of a command and its children."""
    with open(stdin or os.devnull, 'rb') as source, tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, cwd=folder, stdin=source, stdout=output, stderr=subprocess.STDOUT,
                                 env={**os.environ, **(env or {})}, start_new_session=True)
        try:
            deadline = time.monotonic() + LIMIT
            while True:
                pid, status, usage = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() > deadline:
                    raise Wrong('took longer than %d s' % LIMIT)
                time.sleep(0.005)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return child.returncode, output.read(), usage.ru_utime + usage.ru_stime


def prepared(command, folder, **options):
    """A step before the measured one, on the bare CPU."""
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)
    if done.returncode != 0:
        raise Wrong('%s: %s' % (' '.join(command), done.stdout.decode(errors='replace')[-300:]))


def text(folder, size):
    """Lines of words, the same each time."""
    path = os.path.join(folder, 'text-%d' % size)
    if not os.path.exists(path):
        state, words, length = 1, [], 0
        while length < size:
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            words.append('word%d%s' % (state >> 52, '\n' if state >> 40 & 7 == 0 else ' '))
            length += len(words[-1])
        with open(path, 'w', encoding='ascii') as file:
            file.write(''.join(words))
    return path


# ------------------------------------------------------------------------------------------------ programs

def coreutils(folder, short):
    name = text(folder, 200_000 if short else 2_000_000)
    script = """sort "$0" | uniq -c | sort -rn | head -20; wc "$0"; sha256sum <"$0"; cut -c1-9 "$0" | tail -3
                seq 2000 | factor | tail -2; ls -l /usr/bin | md5sum; tr a-z A-Z <"$0" | cksum; date -d @0 -u"""
    return ['sh', '-c', script, name]


def bash(_folder, short):
    return ['bash', '-c', 'declare -A m; for ((i = 0; i < %d; i++)); do m[$((i %% 97))]+=x; s=${s:0:50}$i; '
            '(( i %% 500 )) || s=$(echo $s | rev); done; trap "echo caught" USR1; kill -USR1 $$; '
            'for k in "${!m[@]}"; do echo "$k ${#m[$k]}"; done | sort | md5sum; echo $s; (exit 7) || exit $?'
            % (4000 if short else 40000)]


def compressed(program, *options):
    def command(folder, short):
        return ['sh', '-c', '"$0" %s -c <"$1" >packed && "$0" -d -c <packed | md5sum; md5sum <packed; rm packed'
                % ' '.join(options), program, text(folder, 200_000 if short else 5_000_000)]
    return command


def gcc(_folder, short):
    return ['sh', '-c', 'gcc -O2 -o made "$0" -lm && ./made && gcc -S -O1 -o - "$0" | md5sum; rm -f made',
            os.path.join(KERNELS, 'queens.c')] if not short else \
        ['sh', '-c', 'gcc -O1 -S -o - "$0" | md5sum', os.path.join(KERNELS, 'queens.c')]


def gxx(_folder, _short):
    return ['sh', '-c', 'g++ -O2 -o made "$0" && ./made; rm -f made', os.path.join(KERNELS, 'words.cc')]


def clang(_folder, _short):
    return ['sh', '-c', 'clang++ -O2 -o made "$0" && ./made; clang -O2 -S -o - "$1" | md5sum; rm -f made',
            os.path.join(KERNELS, 'words.cc'), os.path.join(KERNELS, 'queens.c')]


def rustc(_folder, _short):
    return ['sh', '-c', 'rustc -O -o made "$0" && ./made; rm -f made', os.path.join(KERNELS, 'tree.rs')]


def python3(_folder, short):
    return ['python3', os.path.join(KERNELS, 'mixed.py'), '1' if short else '5']


def python3_tests(_folder, _short):
    return [sys.executable, os.path.join(KERNELS, 'regression.py')]


def perl(folder, short):
    return ['perl', '-e', 'my %h; while (<>) { $h{$_}++ for split } my @k = sort { $h{$b} <=> $h{$a} || $a cmp $b } '
            'keys %h; print "$_ $h{$_}\\n" for @k[0..20]; print join(",", map { sprintf "%.6f", sin $_ } 1..9), "\\n"; '
            'local $SIG{ALRM} = sub { die "late\\n" }; eval { alarm 1; select undef, undef, undef, 3; }; print $@; '
            'print scalar reverse("abc"), `echo child`;', text(folder, 200_000 if short else 3_000_000)]


def sqlite3(_folder, short):
    rows = 5000 if short else 200_000
    return ['sqlite3', ':memory:', 'create table t (id integer primary key, name text, v real); '
            'with recursive c(x) as (select 1 union all select x + 1 from c where x < %d) '
            "insert into t select x, printf('%%08x', x * 2654435761 %% 4294967296), x / 7.0 from c; "
            'create index i on t (name); select count(*), sum(v), max(name) from t; '
            "select substr(name, 1, 2) p, count(*), avg(v) from t group by p order by 2 desc, 1 limit 9; "
            'update t set v = v + 1 where id %% 3 = 0; select total(v) from t;' % rows]


def git(folder, short):
    who = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b HOME=$PWD\n'
    script = """export GIT_AUTHOR_DATE="2020-01-01T00:00:00Z" GIT_COMMITTER_DATE="2020-01-01T00:00:00Z"
                git init -q repo && cd repo
                for i in $(seq %d); do
                    seq $i $((i * 50)) >file$((i %% 7)); git add .; git commit -qm "commit $i"
                done
                git log --oneline | md5sum; git diff HEAD~2 --stat; git gc -q; git fsck; git grep -c 77 | head -3
                cd ..; rm -rf repo""" % (3 if short else 30)
    return ['sh', '-c', who + script]


def tar(_folder, _short):
    return ['sh', '-c', 'tar cf - -C /usr/share/perl . 2>/dev/null | tar tf - | sort | md5sum']


def openssl(folder, _short):
    return ['sh', '-c', 'openssl dgst -sha512 <"$0"; openssl enc -aes-256-ctr -K 00 -iv 00 <"$0" 2>/dev/null | md5sum; '
            'openssl enc -chacha20 -K 00 -iv 00 <"$0" 2>/dev/null | md5sum; openssl prime -generate -bits 64 '
            '>/dev/null; openssl genrsa 1024 2>/dev/null | openssl rsa -check -noout', text(folder, 3_000_000)]


def go(folder, _short):
    program = os.path.join(folder, 'go-program')
    if not os.path.exists(program):
        prepared(['go', 'build', '-o', program, os.path.join(KERNELS, 'goroutines.go')], folder,
                 env={**os.environ, 'HOME': folder, 'GOFLAGS': '-mod=mod'})
    return [program]


def openblas(folder, _short):
    program = os.path.join(folder, 'blas-program')
    if not os.path.exists(program):
        prepared(['gcc', '-O2', '-o', program, os.path.join(KERNELS, 'dgemm.c'), '-lopenblas'], folder)
    return ['sh', '-c', 'OPENBLAS_NUM_THREADS=1 "$0" 500; OPENBLAS_NUM_THREADS=4 "$0" 500', program]


def openmp(folder, _short):
    program = os.path.join(folder, 'openmp-program')
    if not os.path.exists(program):
        prepared(['gcc', '-O2', '-fopenmp', '-o', program, os.path.join(KERNELS, 'openmp.c'), '-lm'], folder)
    return [program]


def node(_folder, _short):
    return ['node', os.path.join(KERNELS, 'mixed.js')]


def java(folder, _short):
    prepared(['javac', '-d', folder, os.path.join(KERNELS, 'Mixed.java')], folder)
    return ['java', '-cp', folder, 'Mixed']


def erlang(_folder, _short):
    return ['erl', '-noshell', '-eval', 'F = fun(N) -> lists:sort([I * 7919 rem 10007 || I <- lists:seq(1, N)]) end, '
            'io:format("~p~n", [[erlang:crc32(term_to_binary(F(N))) || N <- lists:seq(100, 2000, 100)]]), halt().']


# name: (what must be installed, its Debian package, the command, in --short too)
PROGRAMS = {
    'coreutils': ('sort', 'coreutils', coreutils, True),
    'bash': ('bash', 'bash', bash, True),
    'gzip': ('gzip', 'gzip', compressed('gzip', '-9'), True),
    'bzip2': ('bzip2', 'bzip2', compressed('bzip2'), True),
    'xz': ('xz', 'xz-utils', compressed('xz', '-3', '-T2'), True),
    'zstd': ('zstd', 'zstd', compressed('zstd', '-q', '-12', '-T2'), False),
    'tar': ('tar', 'tar', tar, True),
    'git': ('git', 'git', git, True),
    'perl': ('perl', 'perl', perl, True),
    'sqlite3': ('sqlite3', 'sqlite3', sqlite3, True),
    'openssl': ('openssl', 'openssl', openssl, False),
    'gcc': ('gcc', 'gcc', gcc, True),
    'g++': ('g++', 'g++', gxx, False),
    'clang': ('clang++', 'clang', clang, False),
    'rustc': ('rustc', 'rustc', rustc, False),
    'python3': ('python3', 'python3', python3, True),
    'OpenMP': ('gcc', 'gcc', openmp, True),
    'OpenBLAS': ('gcc', 'libopenblas-dev', openblas, False),
    'Go': ('go', 'golang-go', go, False),
    'node': ('node', 'nodejs', node, False),
    'OpenJDK': ('javac', 'default-jdk-headless', java, False),
    'Erlang': ('erl', 'erlang-base', erlang, False),
    "python3's own tests": ('python3', 'libpython3-testsuite', python3_tests, False),
}


# ------------------------------------------------------------------------------------------------ servers

class Server:
    """One server for all of a session; what its clients print must be the same."""

    def __init__(self, launcher, command, folder, ready):
        self.log = tempfile.TemporaryFile()
        self.child = subprocess.Popen(launcher + command, cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log,
                                      stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + 60
        while subprocess.run(ready, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
            if self.child.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise Wrong('the server did not come up: %s' % self.tail())
            time.sleep(0.05)

    def tail(self):
        self.log.seek(0)
        return self.log.read().decode(errors='replace')[-300:]

    def wait(self):
        try:
            return self.child.wait(timeout=120)
        except subprocess.TimeoutExpired:
            self.kill()
            return 'did not end'

    def kill(self):
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()


def redis(launcher, folder):
    socket = os.path.join(folder, 'redis.sock')
    client = ['redis-cli', '-s', socket]
    server = Server(launcher, [shutil.which('redis-server'), '--port', '0', '--unixsocket', socket, '--save', '',
                               '--io-threads', '2'], folder,
                    ['sh', '-c', 'redis-cli -s "$0" ping | grep -q PONG', socket])
    try:
        begin = time.monotonic()
        prepared(['redis-benchmark', '-s', socket, '-n', '20000', '-q', '-t', 'set,get,incr,lpush,zadd,lrange_100'],
                 folder)
        took = time.monotonic() - begin
        script = 'for i=1,5000 do redis.call("zadd", "z", (i * 7919) % 1000, "m" .. i) end return redis.sha1hex(' \
                 'table.concat(redis.call("zrange", "z", 0, -1), ","))'
        output = b''
        for command in (['eval', script, '0'], ['get', 'counter:__rand_int__'], ['dbsize'],
                        ['lrange', 'mylist', '0', '2']):
            output += subprocess.run(client + command, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(client + ['shutdown', 'nosave'], check=False, stdout=subprocess.DEVNULL)
        return server.wait(), output, took
    finally:
        server.kill()


def postgres(launcher, folder):
    where = '/usr/lib/postgresql'
    binaries = os.path.join(where, max(os.listdir(where), key=float), 'bin')

    def tool(name, *options):
        return [os.path.join(binaries, name), '-h', folder, *options]

    data, as_user = os.path.join(folder, 'data'), []
    if os.geteuid() == 0: # it refuses to run as root
        as_user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
        for name in folder, os.path.join(folder, 'profiles'):
            shutil.chown(name, 'postgres')
    shutil.rmtree(data, ignore_errors=True)
    prepared(as_user + [os.path.join(binaries, 'initdb'), '-D', data, '-A', 'trust', '-U', 'me'], folder)
    options = ['-D', data, '-k', folder, '-c', 'fsync=off', '-c', 'listen_addresses=']
    server = Server(as_user + launcher, [os.path.join(binaries, 'postgres'), *options], folder,
                    tool('pg_isready', '-q'))
    try:
        prepared(tool('createdb', '-U', 'me', 'bench'), folder)
        begin = time.monotonic()
        prepared(tool('pgbench', '-U', 'me', '-i', '-s', '1', '-q', 'bench'), folder)
        prepared(tool('pgbench', '-U', 'me', '-c', '4', '-j', '2', '-t', '200', 'bench'), folder)
        took = time.monotonic() - begin
        query = ('select count(*) from pgbench_history; select count(*), sum(length(filler)) from pgbench_accounts; '
                 'select (select sum(abalance) from pgbench_accounts) = (select sum(delta) from pgbench_history)')
        output = subprocess.run(tool('psql', '-U', 'me', '-d', 'bench', '-Atc', query), stdout=subprocess.PIPE,
                                check=True).stdout
        with open(os.path.join(data, 'postmaster.pid'), encoding='ascii') as file:
            os.kill(int(file.readline()), signal.SIGINT)
        return server.wait(), output, took
    finally:
        server.kill()


SERVERS = {
    'redis-server': ('redis-server', 'redis-server', redis),
    'postgres': ('/usr/lib/postgresql', 'postgresql', postgres),
}


# ------------------------------------------------------------------------------------------------ comparing

class Cases:
    def __init__(self):
        self.passed = self.failed = 0
        self.rows = []

    def compare(self, name, run):
        """`run(launcher)` returns status, output and seconds."""
        times, wrong = [], []
        for launcher in None, 'translated', 'profiled':
            try:
                status, output, seconds = run(launcher)
            except Wrong as error:
                status, output, seconds = str(error), b'', 0
            times.append(seconds)
            if launcher is None:
                want = (status, output)
                if isinstance(status, str):
                    print('%s: bare: %s' % (name, status))
                    self.failed += 1
                    return
                continue
            good = (status, output) == want
            self.passed += good
            self.failed += not good
            if not good:
                wrong.append(launcher)
                print('%s, %s: status %r, %r...; bare: %r, %r...' % (name, launcher, status, output[-400:], want[0],
                                                                   want[1][-400:]))
        self.rows.append((name, times, wrong))
        sys.stdout.flush()

    def table(self):
        print('\n| program | runs | translated | profiled |\n|---|---|--:|--:|')
        for name, (bare, *others), wrong in self.rows:
            runs = 'yes' if not wrong else 'not ' + ' or '.join(wrong)
            print('| %s | %s | %s |' % (name, runs, ' | '.join('%.1f' % (other / bare) for other in others)))


def launchers(engine, tenure, folder):
    profile = os.path.join(folder, 'profiles', '%p.raw')
    os.makedirs(os.path.dirname(profile), exist_ok=True)
    children = '--trace-children=yes'
    return {None: [], 'translated': [engine, children, '--'],
            'profiled': [tenure, 'record', '--engine=native', children, '--raw', '-q', '-o', profile, '--']}


def run_program(make, short, ways, folder):
    command = make(folder, short)
    command[0] = shutil.which(command[0]) or command[0]

    def run(launcher):
        result = measured(ways[launcher] + command, folder)
        shutil.rmtree(os.path.join(folder, 'profiles'))
        os.makedirs(os.path.join(folder, 'profiles'))
        return result

    return run


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--short', action='store_true')
    options.add_argument('--table', action='store_true')
    options.add_argument('--only', default='')
    options.add_argument('engine')
    options.add_argument('tenure')
    args = options.parse_args()
    args.short = args.short and not os.environ.get('TENURE_SOAK')
    only = [name for name in args.only.split(',') if name]
    cases = Cases()
    for name, (needs, package, *_) in {**PROGRAMS, **SERVERS}.items():
        if only and name not in only or args.short and not PROGRAMS.get(name, (0, 0, 0, False))[3]:
            continue
        if not shutil.which(needs) and not os.path.exists(needs):
            print('%s: not installed (Debian package %s)' % (name, package))
            continue
        with tempfile.TemporaryDirectory() as folder:
            ways = launchers(os.path.abspath(args.engine), os.path.abspath(args.tenure), folder)
            try:
                if name in PROGRAMS:
                    run = run_program(PROGRAMS[name][2], args.short, ways, folder)
                else:
                    run = lambda launcher, make=SERVERS[name][2]: make(ways[launcher], folder)
                cases.compare(name, run)
            except Wrong as error:
                print('%s: left out: %s' % (name, error))
    if args.table:
        cases.table()
    print('%d passed, %d failed' % (cases.passed, cases.failed))
    return 1 if cases.failed else 0


if __name__ == '__main__':
    sys.exit(main())
