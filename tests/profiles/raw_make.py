#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
raw_make.py: raw profiles for tests, written straight from the prose of core/raw_format.h.

As a module: class Raw collects records and writes parts. Run by itself it writes one of the profiles below:

    raw_make.py small FILE           two objects, two threads, recursion, two parts: every record type
    raw_make.py random FILE [SEED]   random program, costs that obey the rules of docs/attribution.md
    raw_make.py contexts FILE    example 13 of docs/attribution.md
    raw_make.py large FILE [N]       N instructions, for timing
    raw_make.py deep FILE [N]        N nodes of the call tree, for timing

`model()` of a random profile holds what was put in, for a test that adds it up in the slow and obvious way.
"""
import random
import struct
import sys
import zlib

(META, EVENTS, OBJECT, FUNCTION, CONTEXT, INSTR, THREAD, ARC, SELF, LATE, NODE, ARC_COST, FUNC_COST, STAT,
 END, ORIGIN, DATA_OBJECT, DATA_BLOCKS, SHARING, DATA_AT, STRIDES, SETS, PAIR, NODE_DATA,
 FUNC_DATA, REUSE, INTERVAL, LABEL) = range(1, 29)
PRUNED, HANDLER, ALIAS = 1, 2, 4
COND, INDIRECT, CALL, RETURN = 1, 2, 4, 8
UNIT = 1 << 16

IMMEDIATE = ["Ir", "Dr", "Dw", "Bc", "Bcm", "Bi", "Bim"]
USE = ["AcCost", "SpLoss", "Ev", "Tch", "Byt", "Use", "Age"]
FETCH = ["I1mr", "-"] + [u + "I1" for u in USE] + ["ILmr", "-"] + [u + "L" for u in USE]
DATA = ["D1mr", "D1mw"] + [u + "D1" for u in USE] + ["DLmr", "DLmw"] + [u + "L" for u in USE]


# What is counted by place in a data object.
AT = ["D1mr", "D1mw", "UseD1", "SpLossD1", "DLmr", "DLmw", "UseL", "SpLossL"]


def n(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def z(value):
    return n(value << 1 if value >= 0 else (-value << 1) - 1)


def s(text):
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return n(len(data)) + data


def late(values, slots=64):
    """values: slot -> count"""
    out = b""
    for first in range(0, slots, 64):
        part = [k for k in sorted(values) if values[k] and first <= k < first + 64]
        out += n(sum(1 << k - first for k in part)) + b"".join(n(values[k]) for k in part)
    return out


def costs(imm, fetch=None, data=None, slots=64):
    """slots: of data accesses"""
    return b"".join(n(v) for v in imm) + late(fetch or {}) + late(data or {}, slots)


class Raw:
    def __init__(self, version=12, chunk=1 << 16):
        self.out = bytearray(b"TENURERW" + struct.pack("<II", version, 0))
        self.chunk_size = chunk
        self.part = 0
        self.chunks = 0
        self.type = None
        self.payload = bytearray()

    def flush(self):
        if self.payload:
            self.out += struct.pack("<IIII", self.type, len(self.payload), zlib.crc32(self.payload), 0) + self.payload
            self.chunks += 1
        self.payload = bytearray()

    def record(self, kind, *fields):
        data = b"".join(fields)
        if kind != self.type or len(self.payload) + len(data) > self.chunk_size:
            self.flush()
        self.type = kind
        self.payload += data

    def end(self, why="exit"):
        self.flush()
        self.part += 1
        self.record(END, n(self.part), s(why), n(self.chunks))
        self.flush()
        self.chunks = 0

    def meta(self, key, value):
        self.record(META, s(key), s(value))

    def events(self, imm=None, fetch=None, data=None, sample=1):
        fields = []
        for names, usual in ((imm, IMMEDIATE), (fetch, FETCH), (data, DATA)):
            names = usual if names is None else names
            self.slots = len(names) # in the end those of data accesses
            fields += [n(len(names))] + [s(name) for name in names]
        self.record(EVENTS, *fields, n(sample), n(4 if sample > 1 else 1))

    def object(self, i, path, start=0, size=0, bias=0, build_id=b""):
        self.record(OBJECT, n(i), s(path), n(start), n(size), z(bias), s(build_id))

    def function(self, i, obj, start, size, name, flags=0):
        self.record(FUNCTION, n(i), n(obj), n(start), n(size), n(flags), s(name))
        self.record(CONTEXT, n(i), n(i), n(1), n(0))

    def context(self, i, function, level=1, callers=()):
        self.record(CONTEXT, n(i), n(function), n(level), n(len(callers)), *[n(caller) for caller in callers])

    def instr(self, i, address, length, context, flags=0, reads=0, writes=0):
        self.record(INSTR, n(i), n(address), n(length), n(context), n(flags), n(reads), n(writes))

    def thread(self, i, os_id, parent=0):
        self.record(THREAD, n(i), n(os_id), n(parent))

    def arc(self, i, site, caller, callee):
        self.record(ARC, n(i), n(site), n(caller), n(callee))

    def self_cost(self, thread, instr, imm):
        self.record(SELF, n(thread), n(instr), *[n(v) for v in imm])

    def late_cost(self, thread, instr, kind, values, data=0):
        self.record(LATE, n(thread), n(instr), n(kind), n(data), late(values, self.slots if kind else 1))

    def origin(self, i, caller, site, function):
        self.record(ORIGIN, n(i), n(caller), n(site), n(function))

    def data_object(self, i, kind, origin=0, thread=0, address=0, size=0, name="", path="", element=0, lead=0, type=0,
                    typed_by=0):
        self.record(DATA_OBJECT, n(i), n(kind), n(origin), n(thread), n(address), n(size), s(name), s(path),
                    n(element), n(lead), n(type), n(typed_by))

    def data_at(self, i, place, values):
        self.record(DATA_AT, n(i), n(place), late(values))

    def data_blocks(self, i, began, ended, total, largest, pages=0):
        self.record(DATA_BLOCKS, n(i), n(began), n(ended), n(total), n(largest), n(pages))

    def sharing(self, writer, victim, data, misses, falsely, truly, written, touched):
        self.record(SHARING, *(n(x) for x in (writer, victim, data, misses, falsely, truly, written, touched)))

    def strides(self, thread, instr, total, lost, kept, data=0, covered=0, far=0):
        """kept: stride -> count"""
        fields = [n(v) for v in (thread, instr, 1, data, total, covered, far, lost, len(kept))]
        self.record(STRIDES, *fields, *[z(stride) + n(count) for stride, count in sorted(kept.items())])

    def sets(self, thread, instr, kind, level, counts, data=0):
        """counts: low bits of the set -> conflicts; level 0 is the first, 1 the last, 2 the second"""
        self.record(SETS, n(thread), n(instr), n(kind), n(data), n(level), late(counts))

    def pair(self, loader, evictor, instr, misses, timed, distance, after, *, evictor_data=0, kind=1, data=0, level=0):
        """after: power of two -> misses; level is that of sets"""
        self.record(PAIR, *(n(x) for x in (loader, evictor, evictor_data, instr, kind, data, level, misses, timed,
                                           distance)), late(after))

    def reuse(self, loader, instr, lines, distance, after, *, kind=1, data=0, level=0):
        self.record(REUSE, *(n(x) for x in (loader, instr, kind, data, level, lines, distance)), late(after))

    def node(self, i, parent, arc, context, thread, calls, cost, flags=0):
        self.record(NODE, n(i), n(parent), n(arc), n(context), n(thread), n(flags), n(calls), cost)

    def node_data(self, node, data, values):
        self.record(NODE_DATA, n(node), n(data), late(values))

    def func_data(self, context, data, values):
        self.record(FUNC_DATA, n(context), n(data), late(values))

    def arc_cost(self, i, calls, cost):
        self.record(ARC_COST, n(i), n(calls), cost)

    def func_cost(self, context, calls, self_costs, incl):
        self.record(FUNC_COST, n(context), n(calls), self_costs, incl)

    def interval(self, begin, instructions, time, took, all_costs, functions=()):
        self.record(INTERVAL, n(begin), n(instructions), n(time), n(took), n(len(functions)), all_costs,
                    *(n(function) + paid for function, paid in functions))

    def label(self, at, time, text):
        self.record(LABEL, n(at), n(time), s(text))

    def stat(self, name, value):
        self.record(STAT, s(name), n(value))

    def save(self, path):
        with open(path, "wb") as f:
            f.write(self.out)


# ------------------------------------------------------------------------------------------ a random program

WIDTH = len(IMMEDIATE) + len(FETCH) + len(DATA)


def row_bytes(row):
    k, f = len(IMMEDIATE), len(FETCH)
    return costs(row[:k], dict(enumerate(row[k:k + f])), dict(enumerate(row[k + f:])))


def add(a, b):
    return [x + y for x, y in zip(a, b)]


class Random:
    """A random tree of calls over random functions; its costs are added up in the most obvious way."""

    def __init__(self, seed=1, functions=20, nodes=200, parts=2, threads=3):
        r = self.r = random.Random(seed)
        self.functions = functions
        self.threads = threads
        self.instrs = []  # (id, address, length, function, flags, reads, writes)
        for f in range(1, functions + 1):
            address = 0x10000 * f
            for _ in range(r.randint(2, 12)):
                length = r.randint(1, 8)
                flags = r.choice([0, 0, 0, COND, INDIRECT, CALL])
                reads, writes = (r.choice([(0, 0), (1, 0), (0, 1), (1, 1)])) if f % 3 else (r.randint(0, 1), 0)
                self.instrs.append((len(self.instrs) + 1, address, length, f, flags, reads, writes))
                address += length
        self.of = {f: [x for x in self.instrs if x[3] == f] for f in range(1, functions + 1)}
        self.arcs, self.nodes = [], []  # arc: (site, caller, callee); node: (parent, arc, function, thread, handler)
        self.make_tree(nodes)
        self.parts = [self.make_costs() for _ in range(parts)]
        self.make_data()
        self.flags = 0  # of roots, beside their own

    def make_tree(self, count):
        r, known = self.r, {}
        for t in range(1, self.threads + 1):
            self.nodes.append((0, 0, r.randint(1, self.functions), t, 0))
        self.nodes.append((0, 0, r.randint(1, self.functions), 1, HANDLER))
        while len(self.nodes) < count:
            parent = r.randint(1, len(self.nodes))
            caller, thread = self.nodes[parent - 1][2], self.nodes[parent - 1][3]
            site = r.choice(self.of[caller])[0]
            arc = (site, caller, r.randint(1, self.functions))
            if arc not in known:
                self.arcs.append(arc)
                known[arc] = len(self.arcs)
            path, p = set(), parent
            while p:
                path.add(self.nodes[p - 1][1])
                p = self.nodes[p - 1][0]
            if known[arc] in path:
                continue
            self.nodes.append((parent, known[arc], arc[2], thread, 0))

    def make_data(self):
        """Allocation paths, data objects at the ends of some of them, and others; what misses in which comes later."""
        r = self.rest = random.Random(len(self.nodes))
        self.origins = [(0, 0, 1)]  # (caller, site, function)
        while len(self.origins) < 20:
            caller = r.randint(1, len(self.origins))
            origin = (caller, r.randint(1, len(self.instrs)), r.randint(1, self.functions))
            self.origins += [origin] if origin not in self.origins else []
        self.data = [(1, i) for i in range(2, 21, 2)] + [(3, 0), (3, 0), (4, 0), (6, 0)]  # (kind, origin)
        self.elements = [self.rest.choice((0, 24, 40)) if kind == 1 else 0 for kind, _ in self.data]
        self.places = {i + 1: self.make_places() for i, (kind, _) in enumerate(self.data) if kind in (1, 3)}
        self.blocks = {i + 1: (r.randint(1, 9), 1, 1000, 500) for i, (kind, _) in enumerate(self.data) if kind == 1}
        self.shares = {}  # (instr, data object) -> row
        self.held = {}  # (node, data object) -> row
        self.pruned = {}  # (function, data object) -> row
        self.strides = {}  # the same -> {"strides": n, "lost": n, stride: count}
        self.conflicts = {}  # (instr, data object, cache, set) -> misses
        self.reuses = {}  # (loader, instr, data object, cache) -> lines, distance, and lines by power of two
        self.pairs = {}  # (loader, evictor, its data object, instr, data object, cache) -> misses, timed, distance, ...

    def make_places(self):
        """Of a part: place -> slot -> count."""
        counted = [DATA.index(name) for name in AT]
        return {place: {slot: self.rest.randint(0, 300) for slot in self.rest.sample(counted, 3)}
                for place in self.rest.sample(range(10), 5)}

    def share(self, values):
        """Split into parts for a few data objects; what is left over misses in none."""
        parts = []
        for data in self.rest.sample(range(1, len(self.data) + 1), self.rest.randint(0, 3)):
            part = [self.rest.randint(0, value) for value in values]
            values = [value - some for value, some in zip(values, part)]
            parts.append((data, part))
        return parts + [(0, values)]

    def make_costs(self):
        """Of one part: per node the costs of each of its function's instructions."""
        r, part = self.r, {}
        k, f = len(IMMEDIATE), len(FETCH)
        for i, (_, _, function, thread, _) in enumerate(self.nodes):
            for instr in self.of[function]:
                if r.random() < 0.3:
                    continue
                times = r.randint(1, 1000)
                row = [times, times * instr[5], times * instr[6], 0, 0, 0, 0] + [0] * (len(FETCH) + len(DATA))
                if instr[4] & COND:
                    row[3:5] = [times, r.randint(0, times)]
                if instr[4] & INDIRECT:
                    row[5:7] = [times, r.randint(0, times)]
                for slot, name in enumerate(FETCH):
                    if name != "-" and r.random() < 0.2:
                        row[k + slot] = r.randint(0, 100000)
                for slot, name in enumerate(DATA):
                    if name.endswith("mr") and not instr[5] or name.endswith("mw") and not instr[6]:
                        continue
                    if (instr[5] or instr[6]) and r.random() < 0.3:
                        row[k + f + slot] = r.randint(0, 1 << r.randint(1, 40))
                part[i + 1, instr[0]] = row
        return part

    def path(self, node):
        while node:
            yield node
            node = self.nodes[node - 1][0]

    def sums(self, parts):
        """By (thread, instr), node, arc and function, of the given parts."""
        zero = [0] * WIDTH
        self_, node, arc, incl = {}, {}, {}, {}
        for part in parts:
            for (i, instr), row in part.items():
                thread = self.nodes[i - 1][3]
                self_[thread, instr] = add(self_.get((thread, instr), zero), row)
                node[i] = add(node.get(i, zero), row)
                path = list(self.path(i))
                for a in {self.nodes[p - 1][1] for p in path} - {0}:
                    arc[a] = add(arc.get(a, zero), row)
                for f in {self.nodes[p - 1][2] for p in path}:
                    incl[f] = add(incl.get(f, zero), row)
        return self_, node, arc, incl

    def write(self, path, names=None, chunk=1 << 12, elf=None):
        """elf: the object that all functions are in."""
        raw = Raw(chunk=chunk)
        raw.events()
        raw.meta("cmd", "./random program")
        raw.meta("pid", "42")
        raw.object(1, elf or "/nowhere/a.out", 0x10000, 0x1000000, 0, b"" if elf else bytes(range(20)))
        raw.object(2, "[vdso]", 0x7fff0000, 0x2000, 0)
        for f in range(1, self.functions + 1):
            raw.function(f, 1 if elf else 1 + f % 2, 0x10000 * f, 0x100, names[f - 1] if names else "f%d" % f)
        for i, address, length, f, flags, reads, writes in self.instrs:
            raw.instr(i, address, length, f, flags, reads, writes)
        for t in range(1, self.threads + 1):
            raw.thread(t, 4242 + t, t > 1)
        for i, arc in enumerate(self.arcs):
            raw.arc(i + 1, *arc)
        for i, origin in enumerate(self.origins):
            raw.origin(i + 1, *origin)
        for i, (kind, origin) in enumerate(self.data):
            raw.data_object(i + 1, kind, origin, kind == 4, 0x100 * i if kind == 3 else 0, 8 if kind == 3 else 0,
                            "table" if kind == 3 else "", "/nowhere/a.out" if kind == 3 else "", self.elements[i])
        for k, part in enumerate(self.parts):
            for data, blocks in self.blocks.items():
                raw.data_blocks(data, *blocks)
            for data, places in self.places.items():
                for place, values in places.items():
                    raw.data_at(data, place, values)
            self.write_part(raw, part)
            for i in range(5):
                last = len(self.instrs)
                raw.sharing(i % last + 1, (7 * i + k) % last + 1, i % (len(self.data) + 1), 10 + i, i, 10, 255 << i, 7)
            self.write_pairs(raw, k)
            self.write_reuses(raw, k)
            raw.stat("nodes", len(self.nodes))
            raw.end("exit" if k + 1 == len(self.parts) else "request")
        raw.save(path)

    def write_misses(self, raw, thread, instr, kind, data):
        """How some of them lie in memory."""
        r = random.Random(thread * 1000000 + instr * 100 + data * 2 + kind)
        strides = {r.choice([8, 64, 1024, -1024, 1 << 40, 0, -8]): r.randint(1, 1 << r.randint(1, 40))
                   for _ in range(r.randint(0, 4))}
        if kind and strides:
            both = {"strides": sum(strides.values()) + 7, "lost": r.randint(0, 3)}
            raw.strides(thread, instr, both["strides"], both["lost"], strides, data)
            known = self.strides.setdefault((instr, data), {})
            for name, count in (*both.items(), *strides.items()):
                known[name] = known.get(name, 0) + count
        for level in r.sample(range(3), r.randint(0, 2)):
            sets = {r.randint(0, 63): r.randint(1, 1000) for _ in range(r.randint(1, 5))}
            raw.sets(thread, instr, kind, level, sets, data)
            for low, count in sets.items():
                key = instr, data, ("I1", "D1", "L", "L", "I2", "D2")[2 * level + kind], low
                self.conflicts[key] = self.conflicts.get(key, 0) + count

    def write_pairs(self, raw, k):
        """Who had to load again what others had thrown out; the last one is that of what there was no room for."""
        r, paying = random.Random(k % 3), sorted({instr for _, instr in self.sums(self.parts)[0]})
        for i in range(13):
            key = [r.choice([0] + paying), r.choice([0] + paying), r.randint(0, len(self.data)), r.choice(paying),
                   r.randint(0, len(self.data))] if i < 12 else [0] * 5
            level, kind = r.randint(0, 2), r.randint(0, 1)
            after = {power: r.randint(1, 1 << r.randint(1, 33)) for power in r.sample(range(32), r.randint(0, 4))}
            timed = sum(after.values())
            counts = [timed + r.randint(0, 9), timed, timed * 100]
            raw.pair(key[0], key[1], key[3], *counts, after, evictor_data=key[2], kind=kind, data=key[4], level=level)
            cache = ("I1", "D1", "L", "L", "I2", "D2")[2 * level + kind] if i < 12 else None
            sums = self.pairs.setdefault((*key, cache), [0] * 35)
            for at, count in (*enumerate(counts), *((3 + power, count) for power, count in after.items())):
                sums[at] += count

    def write_reuses(self, raw, k):
        """Who used first what whom had loaded; likewise."""
        r, paying = random.Random(k % 2), sorted({instr for _, instr in self.sums(self.parts)[0]})
        for i in range(9):
            key = [r.choice([0] + paying), r.choice(paying), r.randint(0, len(self.data))] if i < 8 else [0] * 3
            level, kind = r.randint(0, 2), r.randint(0, 1)
            after = {power: r.randint(1, 1 << r.randint(1, 33)) for power in r.sample(range(32), r.randint(1, 4))}
            lines = sum(after.values())
            raw.reuse(key[0], key[1], lines, lines * 50, after, kind=kind, data=key[2], level=level)
            cache = ("I1", "D1", "L", "L", "I2", "D2")[2 * level + kind] if i < 8 else None
            sums = self.reuses.setdefault((*key, cache), [0] * 34)
            for at, count in ((0, lines), (1, lines * 50), *((2 + power, count) for power, count in after.items())):
                sums[at] += count

    def write_held(self, raw, node, functions):
        """What nodes pay in data objects: some of all that they pay for data; and what those that were pruned did."""
        r, before = random.Random(len(node)), len(IMMEDIATE + FETCH)
        for i, row in sorted(node.items()):
            for data in r.sample(range(1, len(self.data) + 1), r.randint(0, 3)):
                values = [r.randint(0, value) for value in row[before:]]
                raw.node_data(i, data, dict(enumerate(values)))
                self.held[i, data] = add(self.held.get((i, data), [0] * WIDTH), [0] * before + values)
        for function in sorted(functions)[::3]:
            data, values = r.randint(1, len(self.data)), [r.randint(0, 9) if name != "-" else 0 for name in DATA]
            raw.func_data(function, data, dict(enumerate(values)))
            self.pruned[function, data] = add(self.pruned.get((function, data), [0] * WIDTH), [0] * before + values)

    def write_part(self, raw, part):
        self_, node, arc, incl = self.sums([part])
        k, f = len(IMMEDIATE), len(FETCH)
        zero = [0] * WIDTH
        for (thread, instr), row in sorted(self_.items()):
            raw.self_cost(thread, instr, row[:k])
            for kind, values in ((0, row[k:k + f]), (1, row[k + f:])):
                for data, some in self.share(values) if kind else [(0, values)]:
                    if any(some):
                        raw.late_cost(thread, instr, kind, dict(enumerate(some)), data)
                    if any(some):
                        self.write_misses(raw, thread, instr, kind, data)
                    if data and any(some):
                        row_of = zero[:k + f] + some
                        self.shares[instr, data] = add(self.shares.get((instr, data), zero), row_of)
        for i, (parent, a, function, thread, flags) in enumerate(self.nodes):
            raw.node(i + 1, parent, a, function, thread, 1, row_bytes(node.get(i + 1, zero)),
                     flags | (0 if parent else self.flags))
        self.write_held(raw, node, incl)
        for a, row in sorted(arc.items()):
            raw.arc_cost(a, sum(1 for x in self.nodes if x[1] == a), row_bytes(row))
        for function, row in sorted(incl.items()):
            own = zero
            for i, x in enumerate(self.nodes):
                if x[2] == function:
                    own = add(own, node.get(i + 1, zero))
            raw.func_cost(function, sum(1 for x in self.nodes if x[2] == function and x[0]), row_bytes(own),
                          row_bytes(row))


def large(path, count):
    """`count` instructions in functions of 40, about a tenth of them with misses, and as many nodes as functions."""
    r = random.Random(7)
    raw = Raw()
    raw.events()
    raw.meta("cmd", "large")
    raw.object(1, "/nowhere/large", 0, 1 << 40, 0)
    raw.thread(1, 1)
    functions = count // 40
    data = {0: 3, 2: 70000, 3: 40, 4: 1, 5: 9, 6: 80, 7: 24, 8: 1000, 9: 1, 11: 900, 12: 3, 13: 1}
    cost = costs([1000, 200, 100, 0, 0, 0, 0], {0: 3}, data)
    for f in range(1, functions + 1):
        raw.function(f, 1, f * 400, 400, "_ZN5large9namespace8functionILi%dEEEvT_i" % f)
    for i in range(1, count + 1):
        raw.instr(i, i * 10, 4, min(functions, 1 + (i - 1) // 40), 0, i % 3 == 0, i % 5 == 0)
    for i in range(2, functions + 1):
        raw.arc(i, (i - 1) * 39, i - 1, i)
    for i in range(1, count + 1):
        raw.self_cost(1, i, [r.randint(1, 5000), 7, 8, 0, 0, 0, 0])
        if i % 10 == 0:
            raw.late_cost(1, i, 1, data)
    for i in range(1, functions + 1):
        raw.node(i, i // 2, i if i > 1 else 0, i, 1, 5, cost)
        if i > 1:
            raw.arc_cost(i, 5, cost)
        raw.func_cost(i, 5, cost, cost)
    raw.end()
    raw.save(path)


def deep(path, count):
    """`count` nodes over 2000 functions, most without misses, for timing."""
    r = random.Random(9)
    raw = Raw()
    raw.events()
    raw.object(1, "/nowhere/deep", 0, 1 << 40, 0)
    raw.thread(1, 1)
    functions = 2000
    few = costs([1000, 200, 100, 0, 0, 0, 0])
    many = costs([1000, 200, 100, 0, 0, 0, 0], {0: 3, 5: 64},
                 {0: 3, 2: 70000, 3: 40, 4: 1, 5: 9, 6: 80, 7: 24, 8: 1000})
    for f in range(1, functions + 1):
        raw.function(f, 1, f * 400, 400, "f%d" % f)
        raw.instr(f, f * 400, 4, f, CALL, 1, 1)
    for f in range(1, functions + 1):
        raw.arc(f, r.randint(1, functions), 0, f)
        raw.self_cost(1, f, [1, 1, 1, 0, 0, 0, 0])
    for i in range(1, count + 1):
        function = r.randint(1, functions)
        raw.node(i, r.randint(max(1, i // 3), i - 1) if i > 1 else 0, function if i > 1 else 0, function, 1, 3,
                 many if i % 5 == 0 else few)
    raw.end()
    raw.save(path)


def contexts(path):
    """Example 13 of docs/attribution.md: one separated caller, two levels of recursion."""
    main, f, g, f_main, f2_main, g_f, g_main = range(1, 8)
    raw = Raw()
    raw.events()
    raw.object(1, "/nowhere/contexts", 0x1000, 0x3000)
    raw.thread(1, 1)
    for i, name in ((main, "main"), (f, "_Z1fi"), (g, "g")):
        raw.function(i, 1, i * 0x1000, 0x100, name)
    raw.context(f_main, f, 1, [main])
    raw.context(f2_main, f, 2, [main])
    raw.context(g_f, g, 1, [f])
    raw.context(g_main, g, 1, [main])
    code = [(0x1000, main, CALL, 1), (0x1004, main, CALL, 1), (0x2000, f_main, CALL, 1), (0x2004, f_main, CALL, 1),
            (0x2008, f_main, RETURN, 1), (0x2000, f2_main, CALL, 1), (0x2008, f2_main, RETURN, 1), (0x3000, g_f, 0, 2),
            (0x3004, g_f, RETURN, 2), (0x3000, g_main, 0, 1), (0x3004, g_main, RETURN, 1)]
    for i, (address, context, flags, times) in enumerate(code):
        raw.instr(i + 1, address, 4, context, flags, reads=int(flags == RETURN))
    arcs = [(1, main, f_main, 1, 9), (3, f_main, g_f, 1, 2), (4, f_main, f2_main, 1, 4), (6, f2_main, g_f, 1, 2),
            (2, main, g_main, 1, 2)]
    for i, (site, caller, callee, calls, _) in enumerate(arcs):
        raw.arc(i + 1, site, caller, callee)
    for i, (_, _, flags, times) in enumerate(code):
        raw.self_cost(1, i + 1, [times, times * (flags == RETURN), 0, 0, 0, 0, 0])

    def cost(instructions):
        return costs([instructions, 0, 0, 0, 0, 0, 0])

    for i, (parent, arc, context, own) in enumerate([(0, 0, main, 2), (1, 1, f_main, 3), (2, 2, g_f, 2),
                                                     (2, 3, f2_main, 2), (4, 4, g_f, 2), (1, 5, g_main, 2)]):
        raw.node(i + 1, parent, arc, context, 1, 1, cost(own))
    for i, (_, _, _, calls, inclusive) in enumerate(arcs):
        raw.arc_cost(i + 1, calls, cost(inclusive))
    for context, calls, own, inclusive in ((main, 1, 2, 13), (f_main, 1, 3, 9), (f2_main, 1, 2, 4), (g_f, 2, 4, 4),
                                           (g_main, 1, 2, 2)):
        raw.func_cost(context, calls, cost(own), cost(inclusive))
    raw.end()
    raw.save(path)


def small(path):
    Random(seed=3, functions=5, nodes=12).write(path)


if __name__ == "__main__":
    what, path = sys.argv[1:3]
    number = int(sys.argv[3]) if len(sys.argv) > 3 else None
    if what == "small":
        small(path)
    elif what == "contexts":
        contexts(path)
    elif what == "random":
        Random(seed=number or 1).write(path)
    elif what == "deep":
        deep(path, number or 1000000)
    elif what == "large":
        large(path, number or 1000000)
    else:
        sys.exit("raw_make.py: unknown profile " + what)
