# SPDX-License-Identifier: GPL-2.0-or-later
"""One run of one command: wall time, CPU time and peak memory, of the command and all its children.

Peak memory is the largest resident set of any one of the processes. The kernel counts this process's own size into
a child's until it executes; so nothing below about 15 MB can be told apart, which matters for the bare CPU only.
"""
import hashlib
import os
import signal
import subprocess
import threading
import time


class Failed(Exception):
    """The command did not end with status 0; says what it said last."""


def run(argv, folder, limit):
    """{wall, cpu, rss, output}: seconds, seconds, bytes, digest of standard output. Runs in `folder`."""
    output, errors = os.path.join(folder, "stdout"), os.path.join(folder, "stderr")
    with open(output, "wb") as out, open(errors, "wb") as err:
        begin = time.monotonic()
        child = subprocess.Popen(argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                 start_new_session=True)
        alarm = threading.Timer(limit, os.killpg, (child.pid, signal.SIGKILL))
        alarm.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException: # interrupted: leave nothing behind
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            alarm.cancel()
        wall = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failed(f"{' '.join(argv[:6])} ...: {ending(child.returncode, wall, limit)}\n{tail(errors)}")
    with open(output, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss * 1024, "output": digest}


def ending(status, wall, limit):
    if status == -signal.SIGKILL and wall >= limit:
        return f"took longer than {limit:.0f} s"
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def tail(path, lines=5):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join("    " + line for line in file.readlines()[-lines:])
