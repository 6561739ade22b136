#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Children that share the program's memory and are killed: the run goes on if they held nothing of the engine, and ends
by itself, with a line, if they did.

    children.py ENGINE GUEST

The runs sleep for most of their time (12 s), all at once.
"""
import concurrent.futures
import os
import signal
import subprocess
import sys
import tempfile

ENGINE, GUEST = sys.argv[1:3]
LIMIT = 100
LINE = (b"tenure: a process that shares the program's memory was killed by another one while the engine worked for it: "
        b"the program cannot go on\n")
# In a PID namespace: numbers from 2 on are those of zombies; then another program, as the first process of a namespace
# within, in which these numbers are the children's. /proc stays that of the outer one.
ZOMBIES = ('import os, sys\nfor _ in range(50):\n    if os.fork() == 0:\n        os._exit(0)\n'
           'os.execvp("unshare", ["unshare", "--pid", "--fork", *sys.argv[1:]])')
OTHER_NUMBERS = ['unshare', '--pid', '--fork', '--mount-proc', sys.executable, '-c', ZOMBIES]


def run(command):
    """Status, output, and errors, each line once; None: it did not end."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True) as child:
        try:
            out, err = child.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None
        return child.returncode, out, b''.join(dict.fromkeys(err.splitlines(True)))


def main():
    killed = b'killed: -9\n' * 5 + b'goes on\nends: 7\n'
    cases = [([], 'inside', [(125, b'', LINE)]),
             ([], 'anywhere', [(125, b'', LINE), (0, b'killed: 40\n', b'')]),
             ([], 'outside', [(0, killed, b'')]),
             (['--deterministic=yes'], 'outside', [(0, killed, b'')]),
             ([], 'not', [(0, b'sum: 28\n', b'')])]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as raws, concurrent.futures.ThreadPoolExecutor(len(cases) + 1) as pool:
        start = [ENGINE, '--profile=yes', '--tenure-out-file=' + raws + '/%p.%n']
        jobs = [([*start, *switches, '--', GUEST, what], wanted) for switches, what, wanted in cases]
        if subprocess.run([*OTHER_NUMBERS, 'true'], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            jobs.append(([*OTHER_NUMBERS, *start, '--', GUEST, 'not'], cases[-1][2]))
        else:
            print('left out, there may be no PID namespaces: numbers of another one')
        for (command, wanted), got in zip(jobs, pool.map(lambda job: run(job[0]), jobs)):
            if got is not None and got[0] == 77:
                print('left out, there is no userfaultfd:', *command)
            elif got in wanted:
                passed += 1
            else:
                failed += 1
                print(*command, '%r, expected %r' % (got, wanted))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
