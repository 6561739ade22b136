#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The callgrind, folded and speedscope exports open in speedscope, with the same numbers.

usage: speedscope.py TENURE PROGRAM NODE_MODULES

Needs node, and speedscope in the folder NODE_MODULES (tools/install-node-modules); without them the test is skipped.
speedscope leaves out of a callgrind file what is below a ten-thousandth of the whole.
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


def check_schema(schema, path):
    """As JSON Schema has it, as far as speedscope's uses that."""
    with open(schema, encoding="utf-8") as file:
        schema = json.load(file)
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    types = {"object": dict, "array": list, "string": str, "number": (int, float)}

    def wrong(value, rule):
        if "$ref" in rule:
            return wrong(value, schema["definitions"][rule["$ref"].rpartition("/")[2]])
        if "anyOf" in rule:
            return all(wrong(value, one) for one in rule["anyOf"])
        return (value not in rule.get("enum", [value]) or value != rule.get("const", value)
                or not isinstance(value, types[rule["type"]])
                or any(name not in value for name in rule.get("required", ()))
                or any(wrong(value[name], one) for name, one in rule.get("properties", {}).items() if name in value)
                or any(wrong(one, rule["items"]) for one in (value if "items" in rule else ())))
    check("the schema says what is wrong", wrong({**value, "profiles": [{"type": "evented"}]}, schema), True)
    check("the schema", wrong(value, schema), False)


def main():
    tenure, program = map(os.path.abspath, sys.argv[1:3])
    folder = os.path.join(sys.argv[3], "speedscope")
    if not os.path.exists(folder) or not shutil.which("node"):
        print("speedscope or node is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="tenure-oracle.") as work:
        def run(*command):
            return subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE, timeout=300).stdout

        run(tenure, "record", "-q", "-o", "profile", program)
        run(tenure, "export", "--format=callgrind", "--events=" + ",".join(EVENTS), "-o", "callgrind.out", "profile")
        run(tenure, "export", "--format=folded", "-o", "folded", "profile")
        run(tenure, "export", "--format=speedscope", "--events=" + ",".join(EVENTS), "-o", "speedscope.json", "profile")
        check_schema(os.path.join(folder, "dist/release/file-format-schema.json"),
                     os.path.join(work, "speedscope.json"))
        seen = [json.loads(line) for line in run("node", os.path.join(HERE, "speedscope.mjs"), folder, "callgrind.out",
                                                 "folded", "speedscope.json").splitlines()]
        database = sqlite3.connect(os.path.join(work, "profile"))
        totals = database.execute(f"SELECT {', '.join(EVENTS)} FROM totals").fetchone()
        own = {event: collections.Counter() for event in EVENTS}
        for name, *costs in database.execute(f"SELECT function, {', '.join(EVENTS)} FROM functions"):
            for event, cost in zip(EVENTS, costs):
                own[event][name] += cost or 0
        database.close()
    callgrind, folded, speedscope = seen
    check("callgrind: names", [graph["name"].rpartition(" ")[2] for graph in callgrind], EVENTS)
    check("callgrind: totals", [graph["total"] for graph in callgrind], list(totals))
    check("folded: totals", [graph["total"] for graph in folded], [totals[0]])
    check("speedscope: names", [graph["name"].partition(":")[0] for graph in speedscope], EVENTS)
    check("speedscope: totals", [graph["total"] for graph in speedscope], list(totals))
    for title, graph, event in [("folded", folded[0], "Ir"), *zip(["speedscope"] * 3, speedscope, EVENTS)]:
        weights = collections.Counter()
        for name, weight, _ in graph["frames"]:
            weights[name] += weight
        check(f"{title}: self costs: {event}", +weights, +own[event])
    name, cost = own["Ir"].most_common(1)[0]
    check(f"callgrind: {name}", [weight for frame, weight, _ in callgrind[0]["frames"] if frame == name], [cost])
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
