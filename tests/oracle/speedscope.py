#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The callgrind and folded exports open in speedscope, with the same numbers.

usage: speedscope.py TENURE PROGRAM

Needs node, and in TENURE_SPEEDSCOPE the folder that `npm install speedscope` made (node_modules/speedscope); without
them the test is skipped. speedscope leaves out of a callgrind file what is below a ten-thousandth of the whole.
"""
import collections
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EVENTS = ["Ir", "D1mr", "SpLoss1"]
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {got!r}, expected {expected!r}")


def main():
    folder = os.environ.get("TENURE_SPEEDSCOPE")
    if not folder or not shutil.which("node"):
        print("set TENURE_SPEEDSCOPE to node_modules/speedscope, and install node")
        return 77
    tenure, program = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="tenure-oracle.") as work:
        def run(*command):
            return subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE, timeout=300).stdout

        run(tenure, "record", "-q", "-o", "profile", program)
        run(tenure, "export", "--format=callgrind", "--events=" + ",".join(EVENTS), "-o", "callgrind.out", "profile")
        run(tenure, "export", "--format=folded", "-o", "folded", "profile")
        seen = [json.loads(line) for line in run("node", os.path.join(HERE, "speedscope.mjs"), folder, "callgrind.out",
                                                 "folded").splitlines()]
        database = sqlite3.connect(os.path.join(work, "profile"))
        totals = database.execute(f"SELECT {', '.join(EVENTS)} FROM totals").fetchone()
        own = collections.Counter()
        for name, cost in database.execute("SELECT function, Ir FROM functions"):
            own[name] += cost
        database.close()
    callgrind, folded = seen
    check("callgrind: names", [graph["name"].rpartition(" ")[2] for graph in callgrind], EVENTS)
    check("callgrind: totals", [graph["total"] for graph in callgrind], list(totals))
    check("folded: totals", [graph["total"] for graph in folded], [totals[0]])
    weights = collections.Counter()
    for name, weight, _ in folded[0]["frames"]:
        weights[name] += weight
    check("folded: self costs", +weights, +own)
    name, cost = own.most_common(1)[0]
    check(f"callgrind: {name}", [weight for frame, weight, _ in callgrind[0]["frames"] if frame == name], [cost])
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
