#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`tenure control`: programs that are being profiled, asked from outside, in each engine that there is.

    control.py TENURE GUEST

What is asked is seen in the profile: parts, what was collected, what was simulated. Nothing here depends on how long
anything takes: who waits for an answer waits for it.
"""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

from checks import check, finish, run

TENURE, GUEST = map(os.path.abspath, sys.argv[1:3])


def control(*words):
    return run([TENURE, "control", "--wait=60", *map(str, words)])


def listed():
    return json.loads(control("--json")[1])


def wait_for(what):
    while not what():
        pass


def start(engine, *words, options=(), **more):
    return subprocess.Popen([TENURE, "record", "-q", "--engine=" + engine, "-o", "profile.%p", *options, "--", GUEST,
                             *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def end(process, title, status):
    with open("end", "w", encoding="ascii"):
        pass
    _, errors = process.communicate(timeout=100)
    os.unlink("end")
    check(title + " ends as ever", (process.returncode, errors), (status, b""))
    check(title + " is gone from the list", listed(), [])


def totals(pid):
    database = sqlite3.connect("file:profile.%d?mode=ro" % pid, uri=True)
    return database.execute("select why, Ir from parts order by part").fetchall()


def running(engine):
    process = start(engine, "loop", "end")
    wait_for(listed)
    wait_for(lambda: listed() and listed()[0]["accesses"] > 0)
    row, = listed()
    pid = row["pid"]
    check(engine + ": the list", (row["threads"], row["parts"], row["program"]), (1, 0, GUEST + " loop end"))
    wait_for(lambda: "main" in json.loads(control(pid, "stack", "--json")[1])["stack"])
    stack = json.loads(control(pid, "stack", "--json")[1])
    check(engine + ": whose stack", (stack["pid"], stack["stack"][0]), (pid, "thread 1"))
    check(engine + ": callers", [name for name in stack["stack"] if name in ("main", "outer")][-1], "main")
    check(engine + ": dump", control(pid, "dump", "one")[0], 0)
    check(engine + ": parts", listed()[0]["parts"], 1)
    top = subprocess.run([TENURE, "top", "--count=2", "--interval=0.1", "--sort=Ir", str(pid)], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    lines = top.stdout.splitlines()
    heads = [at for at, line in enumerate(lines) if line.startswith("process %s: %s loop end, since " % (pid, GUEST))]
    check(engine + ": top", (top.returncode, top.stderr, len(heads)), (0, "", 2))
    with open("/dev/full", "wb") as full:
        top = subprocess.run([TENURE, "top", str(pid)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=100,
                             check=False)
    check(engine + ": top without room", (top.returncode, top.stderr),
          (1, "tenure: cannot write to standard output: No space left on device\n"))
    check(engine + ": the worst function", [lines[at + 2].split()[-2] for at in heads], ["inner"] * 2)
    for words in (("collect", "off"), ("dump", "two"), ("dump", "three"), ("collect", "toggle")):
        check("%s: %s" % (engine, words), control("all", *words), (0, "", ""))
    wait_for(lambda: listed()[0]["state"] == "runs")
    before = listed()[0]["accesses"]
    wait_for(lambda: listed()[0]["accesses"] > before + 100000)
    for words in (("dump", "four"), ("instrument", "off"), ("dump", "five"), ("dump", "six"), ("instrument", "on"),
                  ("zero",)):
        check("%s: %s" % (engine, words), control(pid, *words), (0, "", ""))
    end(process, engine, 7)
    parts = totals(pid)
    check(engine + ": parts of the profile", [why for why, _ in parts],
          ["one", "top", "top", "top", "two", "three", "four", "five", "six", "exit"])
    costs = dict(parts)
    check(engine + ": what was collected", [costs[why] > 0 for why in ("one", "three", "four", "six")],
          [True, False, True, False])


def regions(engine):
    """Parts after so many instructions, and an end."""
    process = start(engine, "loop", "end", options=("--dump-every=10000000", "--stop-after=45000000"))
    wait_for(lambda: listed() and listed()[0]["state"] in ("not collected", "not simulated"))
    pid = listed()[0]["pid"]
    check(engine + ": stopped", control(pid, "stack")[0], 0)
    end(process, engine, 7)
    parts = totals(pid)
    check(engine + ": regular parts", [why for why, _ in parts], ["every"] * 4 + ["exit"])
    check(engine + ": their sizes", [round(costs / 1e6) for _, costs in parts[:4]], [10] * 4)
    check(engine + ": the end", round(sum(costs for _, costs in parts) / 1e6), 45)


def sleeping(engine):
    process = start(engine, "sleep", stdin=subprocess.PIPE)
    check(engine + ": it sleeps", process.stdout.readline(), b"asleep\n")
    wait_for(lambda: listed()[0]["state"] == "sleeps")
    pid = listed()[0]["pid"]
    status, _, errors = control(pid, "--wait=0.01", "dump", "late")
    check(engine + ": not now", (status, errors.count("\n"), "it will be done when it wakes" in errors), (1, 1, True))
    status, _, errors = control(pid, "--wait=0.01", "zero")
    check(engine + ": one at a time", (status, "nothing was asked" in errors), (1, True))
    process.stdin.write(b"x\n")
    end(process, engine, 8)
    check(engine + ": later", totals(pid)[0][0], "late")


def forking(engine):
    process = start(engine, "fork", "end")
    wait_for(lambda: len(listed()) == 2)
    check(engine + ": both", control("all", "dump", "both"), (0, "", ""))
    end(process, engine, 7)
    names = sorted(name for name in os.listdir(".") if name.startswith("profile."))
    check(engine + ": two profiles", [totals(int(name.split(".")[1]))[0][0] for name in names], ["both", "both"])


def mistakes():
    check("nobody", control(), (0, "no program is being profiled\n", ""))
    for words, status, text in ((["all", "bogus"], 2, "no such request"), (["x"], 2, "give a process id"),
                                ([os.getpid()], 1, "is not one that is being profiled"),
                                (["all", "collect"], 2, "what follows it is missing")):
        got = control(*words)
        check(words, (got[0], got[2].count("\n"), text in got[2]), (status, 1, True))
    folder = os.path.join(os.environ["XDG_RUNTIME_DIR"], "tenure")
    with open(os.path.join(folder, "999999999"), "w", encoding="ascii"):
        pass
    check("what is left over goes", (listed(), os.listdir(folder)), ([], []))
    with open(os.path.join(folder, str(os.getpid())), "wb") as file:
        file.write(os.urandom(70000))
    check("what is no such file", control(os.getpid(), "stack")[0], 1)
    os.unlink(os.path.join(folder, str(os.getpid())))
    os.chmod(folder, 0o755)
    check("a folder that others may enter", control()[0], 1)
    os.chmod(folder, 0o700)


def main():
    found = json.loads(subprocess.run([TENURE, "info", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    engines = [name for name, key in (("native", "engine.native"), ("valgrind", "engine.tool"))
               if found[key] != "not found"]
    with tempfile.TemporaryDirectory(prefix="tenure-control.") as folder:
        os.chdir(folder)
        os.environ["XDG_RUNTIME_DIR"] = folder
        for engine in engines:
            running(engine)
            regions(engine)
            sleeping(engine)
            for name in os.listdir("."):
                if name.startswith("profile."):
                    os.unlink(name)
            forking(engine)
            for name in os.listdir("."):
                if name.startswith("profile."):
                    os.unlink(name)
        mistakes()
    return finish()


sys.exit(main())
