#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The firefox export opens in Firefox Profiler, with the same costs of each function.

usage: firefox.py TENURE PROGRAM NODE_MODULES

Needs node, and Firefox Profiler's own command line (@firefox-devtools/profiler-cli) in the folder NODE_MODULES
(tools/install-node-modules); without them the test is skipped.
"""
import collections
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

EVENTS = ["Ir", "L1m", "SpLoss1"]
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {got!r}, expected {expected!r}")


def main():
    tenure, program = map(os.path.abspath, sys.argv[1:3])
    cli = os.path.join(os.path.abspath(sys.argv[3]), "@firefox-devtools/profiler-cli/package.json")
    if not os.path.exists(cli) or not shutil.which("node"):
        print("profiler-cli or node is not installed")
        return 77
    with open(cli, encoding="utf-8") as file:
        cli = os.path.join(os.path.dirname(cli), json.load(file)["bin"]["profiler-cli"])
    with tempfile.TemporaryDirectory(prefix="tenure-oracle.") as work:
        sessions = os.path.join(work, "sessions")
        os.mkdir(sessions)
        environment = {**os.environ, "HOME": work, "PROFILER_CLI_SESSION_DIR": sessions}

        def run(*command):
            return subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE, timeout=300,
                                  env=environment).stdout

        def answer(*words):
            """Asks the server, once it has begun to listen: `load` itself waits for that for half a second, which is
            too short on a busy machine, and who asks before takes it for dead and removes its files."""
            end = time.monotonic() + 120
            while True:
                if os.path.exists(os.path.join(sessions, "export.sock")):
                    try:
                        return json.loads(run("node", cli, *words, "--session", "export"))
                    except subprocess.CalledProcessError: # it reads the profile
                        if server.poll() is not None or time.monotonic() > end:
                            raise
                if time.monotonic() > end:
                    raise TimeoutError("profiler-cli does not begin to listen")
                time.sleep(0.2)

        run(tenure, "record", "-q", "-o", "profile", program)
        run(tenure, "export", "--format=firefox", "--threshold=0", "--events=" + ",".join(EVENTS), "-o", "export.json",
            "profile")
        server = subprocess.Popen(["node", cli, "--daemon", "export.json", "--session", "export"], cwd=work,
                                  env=environment, stdout=subprocess.DEVNULL)
        try:
            seen = [answer("thread", "functions", "--json", "--include-idle", "--limit", "0", "--thread", f"t-{i}")
                    for i in range(len(EVENTS))]
        finally:
            server.kill()
            server.wait()
        database = sqlite3.connect(os.path.join(work, "profile"))
        for event, thread in zip(EVENTS, seen):
            check("names", thread["friendlyThreadName"].partition(":")[0], event)
            own, inclusive, count = (collections.Counter() for _ in range(3))
            for name, cost, all_of_it in database.execute(f"SELECT function, {event}, {event}_incl FROM functions"):
                own[name] += cost or 0
                inclusive[name] += all_of_it or 0
                count[name] += 1
            got_own, got_inclusive = (collections.Counter() for _ in range(2))
            for function in thread["functions"]:
                got_own[function["name"]] += function["selfSamples"]
                got_inclusive[function["name"]] += function["totalSamples"]
            check(f"{event}: self costs", +got_own, +own)
            alone = [name for name, times in count.items() if times == 1]
            check(f"{event}: inclusive costs", {name: got_inclusive[name] for name in alone},
                  {name: inclusive[name] for name in alone})
        database.close()
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
