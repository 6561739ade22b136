#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
sums.py: what an import adds up, against the slow and obvious way.

Random programs with threads, recursion, a signal handler and several parts (raw_make.Random) are imported; every
table is compared with sums over what was put in. Then the exports are read back.

    sums.py TP_TOOL
"""
import csv
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raw_make
from raw_make import DATA, FETCH, IMMEDIATE, UNIT, WIDTH, add
import verdict
from verdict import check

TOOL = sys.argv[1]
SLOTS = IMMEDIATE + FETCH + DATA
NAMES = list(dict.fromkeys(name for name in SLOTS if name != "-"))
NEEDS = {"Dr": "r", "Dw": "w", "D1mr": "r", "D1mw": "w", "DLmr": "r", "DLmw": "w",
         "Bc": "c", "Bcm": "c", "Bi": "i", "Bim": "i"}
NEEDS.update({use + "D1": "rw" for use in raw_make.USE})


def tool(*arguments):
    return subprocess.run([TOOL] + list(arguments), check=True, stdout=subprocess.PIPE).stdout.decode()


def columns(row, can):
    """Name -> value as the profile has it: late slots of one name summed, AcCost in its unit, None: cannot occur."""
    out = {name: 0 for name in NAMES}
    for name, value in zip(SLOTS, row):
        if name != "-":
            out[name] += value
    for name in NAMES:
        if out[name] == 0 and name in NEEDS and not set(NEEDS[name]) & can:
            out[name] = None
        elif name.startswith("AcCost"):
            out[name] /= UNIT
    return out


def abilities(program, instr):
    _, _, _, _, flags, reads, writes = program.instrs[instr - 1]
    return ({"r"} if reads else set()) | ({"w"} if writes else set()) | \
        ({"c"} if flags & raw_make.COND else set()) | ({"i"} if flags & raw_make.INDIRECT else set())


def table(db, name, key):
    cursor = db.execute("SELECT * FROM " + name)
    fields = [d[0] for d in cursor.description]
    rows = [dict(zip(fields, row)) for row in cursor]
    return {tuple(row[k] for k in key): row for row in rows}, len(rows)


def same(row, expected, suffix=""):
    return all(row[name + suffix] == value for name, value in expected.items())


class Expected:
    def __init__(self, program):
        self.self_, self.node, self.arc, self.incl = program.sums(program.parts)
        executed = {instr for (_, instr), row in self.self_.items() if any(row)}
        self.can = {f: set() for f in range(1, program.functions + 1)}
        for instr in executed:
            self.can[program.instrs[instr - 1][3]] |= abilities(program, instr)
        self.below = {f: set(can) for f, can in self.can.items()}
        for _ in range(program.functions):
            for _, caller, callee in program.arcs:
                self.below[caller] |= self.below[callee]
        self.can_all = set().union(*self.can.values())
        self.executed = executed


def total_of(rows):
    total = [0] * WIDTH
    for row in rows:
        total = add(total, row)
    return total


def line_costs(program, e, f):
    """The one line of a function, inclusively: self and arcs, but no more than the function."""
    rows = [row for (_, i), row in e.self_.items() if program.instrs[i - 1][3] == f]
    rows += [e.arc.get(i + 1, [0] * WIDTH) for i, arc in enumerate(program.arcs) if arc[1] == f]
    sums, most = columns(total_of(rows), set("rwci")), columns(e.incl[f], set("rwci"))
    return {name: value if value is None else min(sums[name], most[name])
            for name, value in columns(e.incl[f], e.below[f]).items()}


def check_code(db, program, e):
    found, count = table(db, "functions", ["id"])
    functions = sorted(e.incl)
    check(sorted(k[0] for k in found) == functions and count == len(functions), "functions are there once")
    for f in functions:
        own = total_of(row for (_, i), row in e.self_.items() if program.instrs[i - 1][3] == f)
        check(same(found[f,], columns(own, e.can[f])), "self cost of function %d" % f)
        check(same(found[f,], columns(e.incl[f], e.below[f]), "_incl"), "inclusive cost of function %d" % f)
    instructions, count = table(db, "instructions", ["address"])
    check(count == len(e.executed), "instructions are there once")
    for i in e.executed:
        row = total_of(r for (_, k), r in e.self_.items() if k == i)
        check(same(instructions[program.instrs[i - 1][1],], columns(row, abilities(program, i))), "instruction %d" % i)
    by_thread, _ = table(db, "self", ["thread", "instruction_id"])
    for (thread, i), row in e.self_.items():
        if any(row):
            key = thread, instructions[program.instrs[i - 1][1],]["id"]
            check(key in by_thread and same(by_thread[key], columns(row, abilities(program, i))), "by thread")
    lines, _ = table(db, "lines", ["function_id"])  # no debug information: one line per function
    for f in functions:
        if f in {program.instrs[i - 1][3] for i in e.executed}:
            own = columns(total_of(row for (_, i), row in e.self_.items() if program.instrs[i - 1][3] == f), e.can[f])
            check(same(lines[f,], own), "line of function %d" % f)
            check(same(lines[f,], line_costs(program, e, f), "_incl"), "inclusive cost of the line of function %d" % f)


def check_calls(db, program, e):
    arcs, count = table(db, "arcs", ["id"])
    check(count == len(program.arcs) or all(k[0] - 1 < len(program.arcs) for k in arcs), "arcs are there once")
    for i, (site, caller, callee) in enumerate(program.arcs):
        row = arcs[i + 1,]
        check((row["caller_id"], row["callee_id"], row["address"]) == (caller, callee, program.instrs[site - 1][1]),
              "ends of arc %d" % (i + 1))
        check(same(row, columns(e.arc.get(i + 1, [0] * WIDTH), e.below[callee]), "_incl"), "cost of arc %d" % (i + 1))
        calls = sum(1 for node in program.nodes if node[1] == i + 1) if i + 1 in e.arc else 0
        check(row["calls"] >= calls, "calls of arc %d" % (i + 1))
    paths, count = table(db, "paths", ["id"])
    check(count == len(program.nodes), "paths are there once")
    check(all(row["parent"] is None or row["parent"] > k[0] for k, row in paths.items()), "paths are in post-order")

    def chain(path):
        names = []
        while path is not None:
            names.append((paths[path,]["arc_id"], paths[path,]["function_id"], paths[path,]["handler"]))
            path = paths[path,]["parent"]
        return tuple(names)
    ours = {}
    for i, node in enumerate(program.nodes):
        key = tuple((program.nodes[p - 1][1] or None, program.nodes[p - 1][2], int(program.nodes[p - 1][4] != 0))
                    for p in program.path(i + 1)), node[3]
        below = total_of(e.node.get(k + 1, [0] * WIDTH) for k in range(len(program.nodes))
                         if i + 1 in program.path(k + 1))
        ours.setdefault(key, []).append((e.node.get(i + 1, [0] * WIDTH), below, node[2]))
    for key, row in paths.items():
        candidates = ours.get((chain(key[0]), row["thread"]), [])
        check(any(all((row[n] or 0) == (v or 0) for n, v in columns(own, set("rwci")).items()) and
                  all((row[n + "_incl"] or 0) == (v or 0) for n, v in columns(below, set("rwci")).items())
                  for own, below, _ in candidates), "cost of path %d" % key[0])


def check_data(db, program):
    zero, can = [0] * WIDTH, {i: abilities(program, i) for i in range(1, len(program.instrs) + 1)}
    address = {row[0]: row[1] for row in db.execute("SELECT id, address FROM instructions")}
    number = {x[1]: x[0] for x in program.instrs}
    found, count = table(db, "instruction_data", ["instruction_id", "data_id"])
    check(count == len(program.shares), "pairs of instruction and data object are there once")
    for (instruction, data), row in found.items():
        instr = number[address[instruction]]
        check(same(row, columns(program.shares[instr, data], can[instr])), "instruction %d in %d" % (instr, data))
    objects, count = table(db, "data_objects", ["id"])
    check(count == len(program.data), "data objects are there once")
    own = {}
    for i, (kind, origin) in enumerate(program.data):
        mine = [(instr, row) for (instr, data), row in program.shares.items() if data == i + 1]
        able = set().union(*(can[instr] for instr, _ in mine))
        own[i + 1] = total_of(row for _, row in mine), able
        check(same(objects[i + 1,], columns(*own[i + 1])), "data object %d" % (i + 1))
        blocks = tuple(objects[i + 1,][x] for x in ("blocks", "freed", "bytes", "largest"))
        parts = len(program.parts)
        began = program.blocks.get(i + 1)
        check(blocks == ((began[0] * parts, began[1] * parts, began[2] * parts, began[3]) if began else (None,) * 4),
              "blocks of data object %d" % (i + 1))
    check_places(db, program, {i: able for i, (_, able) in own.items()})
    paths, count = table(db, "data_paths", ["id"])
    check(count == len(program.origins), "allocation paths are there once")
    for i, (caller, _, function) in enumerate(program.origins):
        below, able = zero, set()
        for k, (_, origin) in enumerate(program.data):
            at = origin
            while at and at != i + 1:
                at = program.origins[at - 1][0]
            below, able = (add(below, own[k + 1][0]), able | own[k + 1][1]) if at else (below, able)
        row = paths[i + 1,]
        check((row["parent"], row["function"]) == (caller or None, "f%d" % function), "allocation path %d" % (i + 1))
        check(same(row, columns(below, able), "_incl"), "inclusive cost of allocation path %d" % (i + 1))


def at_columns(values, able):
    """Only what is counted by place is known."""
    row = [0] * len(IMMEDIATE + FETCH) + [values.get(slot, 0) for slot in range(len(DATA))]
    return {name: value if name in raw_make.AT else None for name, value in columns(row, able).items()}


def check_places(db, program, able):
    parts, expected, fields = len(program.parts), {}, {}
    for data, places in program.places.items():
        for place, values in places.items():
            values = {slot: value * parts for slot, value in values.items()}
            field = "+%d" % ((place - 2) // 8 * 8) if place > 1 else ("(around)", "(beyond)")[place]
            if program.elements[data - 1]:
                expected[data, place - 2 if place > 1 else None, field] = values
            fields[data, field] = {slot: fields.get((data, field), {}).get(slot, 0) + values.get(slot, 0)
                                   for slot in range(len(DATA))}
    for view, names, values in (("data_offsets", ["data_id", "offset", "field"], expected),
                                ("data_fields", ["data_id", "field"], fields)):
        found, count = table(db, view, names)
        check(count == len(found) and set(found) == set(values), view + " are there once")
        for key, some in values.items():
            check(same(found[key], at_columns(some, able[key[0]])), "%s %s" % (view, key))


def check_held(db, program, e):
    zero, paths, functions = [0] * WIDTH, {}, {}
    for (node, data), row in program.held.items():
        chain = tuple(program.nodes[p - 1][1] or ("root", program.nodes[p - 1][2]) for p in program.path(node))
        key = chain, program.nodes[node - 1][3], program.nodes[list(program.path(node))[-1] - 1][4], data
        paths.setdefault(key, []).append(columns(row, e.can[program.nodes[node - 1][2]]))
        for f in {program.nodes[p - 1][2] for p in program.path(node)}:
            functions[f, data] = add(functions.get((f, data), zero), row)
    for key, row in program.pruned.items():
        functions[key] = add(functions.get(key, zero), row)
    found, count = table(db, "function_data", ["function_id", "data_id"])
    check(count == len(found) and set(found) == set(functions), "pairs of function and data object are there once")
    for (f, data), row in functions.items():
        check(same(found[f, data], columns(row, e.below[f]), "_incl"), "function %d in data object %d" % (f, data))
    found, count = table(db, "path_data", ["path_id", "data_id"])
    check(count == len(program.held), "pairs of path and data object are there once")
    tree, _ = table(db, "paths", ["id"])
    for (path, data), row in found.items():
        chain, at = (), path
        while at:
            above = tree[at,]
            chain += (above["arc_id"] or ("root", above["function_id"]),)
            thread, handler, at = above["thread"], above["handler"], above["parent"]
        rows = paths.get((chain, thread, raw_make.HANDLER * handler, data), [])
        check(any(same(row, expected) for expected in rows), "path %d in data object %d" % (path, data))


def check_misses(db, program):
    address = {row[0]: row[1] for row in db.execute("SELECT id, address FROM instructions")}
    number = {x[1]: x[0] for x in program.instrs}
    strides, count = {}, 0
    for instruction, data, stride, times, total, lost in db.execute(
            "SELECT instruction_id, data_id, stride, count, strides, lost FROM strides"):
        of = strides.setdefault((number[address[instruction]], data or 0), {"strides": total, "lost": lost})
        check(of["strides"] == total and of["lost"] == lost and stride not in of, "rows of strides")
        of[stride] = times
        count += 1
    check(count and strides == program.strides, "strides")
    conflicts = {(number[address[row[0]]], row[1] or 0, row[2], row[3]): row[4] for row in db.execute(
        "SELECT instruction_id, data_id, cache, set_bits, misses FROM conflicts")}
    check(conflicts and conflicts == program.conflicts, "sets of conflicts")


def check_pairs(db, program):
    address = {row[0]: row[1] for row in db.execute("SELECT id, address FROM instructions")}
    number = {x[1]: x[0] for x in program.instrs}
    pairs, of = {}, {}
    for row in db.execute("SELECT id, loader_id, evictor_id, evictor_data_id, instruction_id, data_id, cache, misses, "
                          "timed, distance, mean_distance FROM pairs"):
        loader, evictor, instruction = (number[address[x]] if x else 0 for x in (row[1], row[2], row[4]))
        key = loader, evictor, row[3] or 0, instruction, row[5] or 0, row[6]
        check(key not in pairs, "pairs are rows of their own")
        check(row[10] == (100 if row[8] else None), "mean distance")
        of[row[0]] = pairs[key] = list(row[7:10]) + [0] * 32
    for pair, power, misses in db.execute("SELECT pair_id, power, misses FROM pair_distances"):
        of[pair][3 + power] += misses
    check(pairs and pairs == program.pairs, "pairs")
    for view in ("statement_pairs", "data_pairs"):
        check(db.execute("SELECT sum(misses), sum(timed), sum(distance) FROM " + view).fetchone() ==
              tuple(sum(x[i] for x in pairs.values()) for i in range(3)), view)


def check_reuses(db, program):
    address = {row[0]: row[1] for row in db.execute("SELECT id, address FROM instructions")}
    number = {x[1]: x[0] for x in program.instrs}
    reuses, of = {}, {}
    for row in db.execute("SELECT id, loader_id, instruction_id, data_id, cache, lines, distance, mean_distance "
                          "FROM reuses"):
        loader, instruction = (number[address[x]] if x else 0 for x in (row[1], row[2]))
        key = loader, instruction, row[3] or 0, row[4]
        check(key not in reuses, "reuses are rows of their own")
        check(row[7] == 50, "mean distance of reuses")
        of[row[0]] = reuses[key] = list(row[5:7]) + [0] * 32
    for reuse, power, lines in db.execute("SELECT reuse_id, power, lines FROM reuse_distances"):
        of[reuse][2 + power] += lines
    check(reuses and reuses == program.reuses, "reuses")
    check(db.execute("SELECT sum(lines), sum(distance) FROM statement_reuses").fetchone() ==
          tuple(sum(x[i] for x in reuses.values()) for i in range(2)), "statement_reuses")


def check_sums(db, program, e):
    grand = total_of(e.self_.values())
    total, count = table(db, "totals", [])
    check(count == 1 and same(total[()], columns(grand, e.can_all)), "totals")
    for name in NAMES:
        roots = db.execute("SELECT sum(%s_incl) FROM paths WHERE parent IS NULL" % name).fetchone()[0]
        check((roots or 0) == (total[()][name] or 0), "roots sum to the total of " + name)
    threads, _ = table(db, "threads", ["id"])
    for t in range(1, program.threads + 1):
        row = total_of(r for (thread, _), r in e.self_.items() if thread == t)
        check(same(threads[t,], columns(row, e.can_all)), "thread %d" % t)
    parts, _ = table(db, "parts", ["part"])
    for i, part in enumerate(program.parts):
        check(same(parts[i + 1,], columns(total_of(part.values()), e.can_all)), "part %d" % (i + 1))
    functions, _ = table(db, "thread_functions", ["thread", "function_id"])
    for t in range(1, program.threads + 1):
        for f in range(1, program.functions + 1):
            row = total_of(r for i, r in e.node.items() if program.nodes[i - 1][3] == t and
                           f in {program.nodes[p - 1][2] for p in program.path(i)})
            if any(row):
                check(same(functions[t, f], columns(row, e.below[f]), "_incl"), "thread %d, function %d" % (t, f))
    row = db.execute("SELECT AcCost1, L1m, CEst FROM totals").fetchone()
    t = total[()]
    l1m, llm = t["I1mr"] + t["D1mr"] + t["D1mw"], t["ILmr"] + t["DLmr"] + t["DLmw"]
    check(row == (t["AcCostI1"] + t["AcCostD1"], l1m, t["Ir"] + 10 * l1m + 100 * llm + 10 * (t["Bcm"] + t["Bim"])),
          "derived events")


def callgrind_sums(text):
    """events, totals line, sum of self lines, {(caller, callee): [calls, costs]}"""
    events, total, own, calls, names = None, None, None, {}, {}
    function = callee = None
    count = 0

    def name(value):
        m = re.match(r"\((\d+)\)(?: (.*))?$", value)
        if m.group(2) is not None:
            names[m.group(1)] = m.group(2)
        return names[m.group(1)]
    for line in text.splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
            own = [0] * len(events)
        elif line.startswith("totals:"):
            total = [int(x) for x in line.split()[1:]]
        elif line.startswith("fn="):
            function = name(line[3:])
        elif line.startswith("cfn="):
            callee = name(line[4:])
        elif line.startswith("calls="):
            count = int(line[6:].split()[0])
        elif re.match(r"\d", line):
            costs = [int(x) for x in line.split()[1:]]
            if callee:
                old = calls.setdefault((function, callee), [0] * (len(costs) + 1))
                calls[function, callee] = add(old, [count] + costs)
                callee = None
            else:
                own = add(own, costs)
    return events, total, own, calls


def check_exports(db, path, program, e):
    events, total, own, calls = callgrind_sums(tool("export", "callgrind", path))
    check(events == "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw AcCost1 SpLoss1 AcCost2 SpLoss2".split(), "13 events")
    check(total == own, "callgrind: lines sum to totals")
    t = columns(total_of(e.self_.values()), e.can_all)
    expected = [t[x] for x in events[:9]] + [round(t["AcCostI1"] + t["AcCostD1"]), t["SpLossI1"] + t["SpLossD1"],
                                             round(t["AcCostL"]), t["SpLossL"]]
    check(own == expected, "callgrind: totals")
    for (caller, callee), costs in calls.items():
        rows = [e.arc.get(i + 1, [0] * WIDTH) for i, arc in enumerate(program.arcs)
                if ("f%d" % arc[1], "f%d" % arc[2]) == (caller, callee)]
        c = columns(total_of(rows), set("rwci"))
        check(costs[1:10] == [c[x] for x in events[:9]], "callgrind: costs of calls %s to %s" % (caller, callee))
        check(abs(costs[10] - c["AcCostI1"] - c["AcCostD1"]) <= len(rows), "callgrind: AcCost1 of calls")
    annotated = subprocess.run(["callgrind_annotate", "--threshold=100", "/dev/stdin"], stdout=subprocess.PIPE,
                               input=tool("export", "callgrind", path, "events=all").encode()).stdout.decode() \
        if os.path.exists("/usr/bin/callgrind_annotate") else ""
    if annotated:
        m = re.search(r"^([0-9,]+) .*PROGRAM TOTALS", annotated, re.M)
        check(m and int(m.group(1).replace(",", "")) == t["Ir"], "callgrind_annotate reads it")
        ir = sum(int(m.group(1).replace(",", "")) for m in re.finditer(r"^ *([0-9,]+) .*:f\d+ \[", annotated, re.M))
        check(ir == t["Ir"], "callgrind_annotate: functions sum to the total")
    folded = tool("export", "folded", path, "events=D1mr")
    check(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) == t["D1mr"], "folded: sum")
    data = json.loads(tool("export", "json", path))
    check(data["totals"]["Ir"] == t["Ir"] and len(data["functions"]) == len(e.incl) and
          data["totals"]["AcCostL"] == t["AcCostL"], "json")
    rows = list(csv.DictReader(io.StringIO(tool("export", "csv", path, "table=arcs", "events=Ir"), newline="")))
    check(sum(int(r["Ir_incl"]) for r in rows) == db.execute("SELECT sum(Ir_incl) FROM arcs").fetchone()[0], "csv")


def check_estimate(work):
    """CEst with L2: the term is there, the weights can be changed for a reader, and the file stays as it is."""
    raw, path = os.path.join(work, "raw"), os.path.join(work, "estimate")
    r = raw_make.Raw()
    r.events(["Ir", "Dr", "Dw"], ["I1mr", "I2mr", "ILmr", "EvI1"], ["D1mr", "D1mw", "D2mr", "D2mw", "DLmr", "DLmw"])
    r.meta("cmd", "./f --events: " + "\u00e9" * 3000)
    r.function(1, 0, 0x1000, 0x100, "f")
    r.instr(1, 0x1000, 4, 1, 0, 1, 1)
    r.thread(1, 1)
    r.self_cost(1, 1, [1000, 300, 200])
    r.late_cost(1, 1, 0, {0: 7, 1: 5, 2: 3, 3: 2})
    r.late_cost(1, 1, 1, {0: 60, 1: 50, 2: 40, 3: 30, 4: 20, 5: 10})
    r.end()
    r.save(raw)
    tool("import", raw, path)
    with sqlite3.connect(path) as db:
        check(db.execute("SELECT L1m, L2m, LLm, CEst FROM totals").fetchone() ==
              (117, 75, 33, 1000 + 10 * 117 + 30 * 75 + 100 * 33), "CEst with L2")
        check(db.execute("SELECT formula FROM events WHERE name = 'CEst'").fetchone()[0] ==
              "Ir + 10 * L1m + 30 * L2m + 100 * LLm", "formula of CEst with L2")

    header = tool("export", "callgrind", path, "events=Ir,I1mr,D1mr,D1mw,D2mr,ILmr,DLmr,DLmw", "weights=LLm=7")
    check(header[:2047].find("events:") == header.find("\nevents:") + 1, "KCachegrind knows the file by its beginning")
    check("\ncmd: ./f --...\n" in header, "the command is cut")
    check("\nevent: L1m = I1mr + D1mr + D1mw : L1 misses\n" in header, "a sum for KCachegrind")
    check("\nevent: CEst = Ir + 10 L1m + 7 LLm : Cycle estimate, without L2m\n" in header,
          "the estimate for KCachegrind")

    def weighed(weights, what="table=functions"):
        rows = list(csv.DictReader(io.StringIO(tool("export", "csv", path, what, "weights=" + weights), newline="")))
        return int(rows[0]["CEst"]), int(rows[0]["CEst_incl"])
    check(weighed("L2m=0,LLm=200") == (1000 + 10 * 117 + 200 * 33,) * 2, "CEst with other weights")
    check(weighed("llm=1,Dw=7,Ir=2") == (2000 + 10 * 117 + 30 * 75 + 33 + 7 * 200,) * 2, "CEst with one more event")
    check(weighed("") == (1000 + 10 * 117 + 30 * 75 + 100 * 33,) * 2, "CEst with its own weights")
    for wrong in ("L3m=1", "L1m", "L1m=", "L1m=-1", "L1m=1x", "L1m=1000001", "CEst=1", "=1"):
        refused = subprocess.run([TOOL, "export", "csv", path, "weights=" + wrong], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
        check(refused.returncode == 1 and refused.stderr.startswith(b"error: "), "weights " + wrong)


def main():
    with tempfile.TemporaryDirectory() as work:
        check_estimate(work)
    for seed, functions, nodes, parts, threads in ((1, 20, 200, 2, 3), (2, 3, 40, 1, 1), (3, 50, 60, 3, 2),
                                                   (4, 8, 300, 1, 1)):
        with tempfile.TemporaryDirectory() as work:
            raw, path = os.path.join(work, "raw"), os.path.join(work, "profile")
            program = raw_make.Random(seed, functions, nodes, parts, threads)
            program.write(raw)
            tool("import", raw, path)
            e = Expected(program)
            db = sqlite3.connect(path)
            check(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "SQLite finds nothing wrong")
            check_code(db, program, e)
            check_calls(db, program, e)
            check_data(db, program)
            check_held(db, program, e)
            check_misses(db, program)
            check_pairs(db, program)
            check_reuses(db, program)
            check_sums(db, program, e)
            check_exports(db, path, program, e)
            db.close()
    return verdict.finish()


sys.exit(main())
