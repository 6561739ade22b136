# SPDX-License-Identifier: GPL-2.0-or-later
"""A deliberately simple reader of raw profiles (core/raw_format.h), for the engines' tests.

Second to profile/raw/raw_read.c and independent of it: it knows the format, sums the parts and checks the checksums,
nothing more. Any deviation is an exception.
"""
import collections
import struct
import zlib

(META, EVENTS, OBJECT, FUNCTION, CONTEXT, INSTR, THREAD, ARC, SELF, LATE, NODE, ARC_COST, FUNC_COST, STAT,
 END, ORIGIN, DATA_OBJECT, DATA_BLOCKS, SHARING, DATA_AT, STRIDES, SETS, PAIR, NODE_DATA,
 FUNC_DATA, REUSE, INTERVAL, LABEL) = range(1, 29)

Object = collections.namedtuple("Object", "path start size bias build_id")
Function = collections.namedtuple("Function", "object start size flags name")
Context = collections.namedtuple("Context", "function level callers")
Instr = collections.namedtuple("Instr", "address length context flags reads writes")
Arc = collections.namedtuple("Arc", "site caller callee")
Origin = collections.namedtuple("Origin", "caller site function")
DataObject = collections.namedtuple(
    "DataObject", "kind origin thread address size name file element lead type typed_by")
KINDS = "- heap mapping static stack file rest other region".split()


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def n(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def z(self):
        value = self.n()
        return value >> 1 ^ -(value & 1)

    def s(self):
        size = self.n()
        self.at += size
        return self.data[self.at - size:self.at]


class Raw:
    """The sum of a file's parts. Costs are Counters by event name; late ones have the suffix I or D of their
    list only where the file's names have it."""

    def __init__(self, path):
        self.meta, self.objects, self.functions, self.contexts = {}, {}, {}, {}
        self.instrs, self.threads, self.arcs, self.stats = {}, {}, {}, {}
        self.parts, self.ends = [], [] # why each was written, and where it ends
        self.upto = []                 # and the totals up to there
        self.immediate, self.late_names = [], [[], []]
        self.self_costs = collections.defaultdict(collections.Counter)  # (thread, instr)
        self.function_self = collections.defaultdict(collections.Counter)  # context
        self.function_incl = collections.defaultdict(collections.Counter)
        self.function_calls = collections.Counter()
        self.arc_costs = collections.defaultdict(collections.Counter)
        self.arc_calls = collections.Counter()
        self.nodes = {}
        self.origins, self.data = {}, {}
        self.blocks = collections.defaultdict(lambda: [0, 0, 0, 0])  # began, ended, bytes, largest
        self.pages = collections.Counter()  # of data objects, touched for the first time
        self.shares = collections.defaultdict(collections.Counter)  # (thread, instr, data object)
        # (writer, victim, data object): misses, of these falsely and truly shared, granules written and touched
        self.sharing = collections.defaultdict(lambda: [0, 0, 0, 0, 0])
        self.at = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))  # data object, place
        self.strides = collections.defaultdict(collections.Counter)  # (thread, instr, stream, data object)
        self.sets = collections.defaultdict(collections.Counter)  # the same, and level
        self.pairs = collections.defaultdict(collections.Counter)  # (loader, evictor, its data object, instr, stream,
        #                                                            data object, level)
        self.reuses = collections.defaultdict(collections.Counter)  # (loader, instr, stream, data object, level)
        self.held = collections.defaultdict(collections.Counter)  # (node, data object)
        self.intervals, self.labels = [], [] # (instructions before, in it, costs, {function: costs}); (at, text)
        self.pruned = collections.defaultdict(collections.Counter)  # (context, data object)
        with open(path, "rb") as file:
            self.read(file.read())

    def read(self, data):
        magic, version, zero = data[:8], *struct.unpack("<II", data[8:16])
        assert magic == b"TENURERW" and version == 12 and zero == 0, (magic, version)
        at = 16
        while at < len(data):
            kind, size, checksum, zero = struct.unpack("<IIII", data[at:at + 16])
            payload = data[at + 16:at + 16 + size]
            assert len(payload) == size and zlib.crc32(payload) == checksum and zero == 0, at
            at += 16 + size
            cursor = Cursor(payload)
            while cursor.more():
                self.record(kind, cursor)
            assert cursor.at == len(payload)
            if kind == END:
                self.ends.append(at)
        assert not data[16:] or kind == END, "the last part has no end"

    def costs(self, c):
        costs = collections.Counter()
        for name in self.immediate:
            costs[name] += c.n()
        for names in self.late_names:
            self.late(c, names, costs)
        return costs

    def late(self, c, names, costs):
        """Of sampled sets: what was counted, in all groups."""
        for i, name in enumerate(names or [None]):
            bits = c.n() if i % 64 == 0 else bits
            if bits >> i % 64 & 1:
                groups = c.n() if self.groups > 1 else 1
                costs[name] += sum(c.n() for group in range(self.groups) if groups >> group & 1)

    def record(self, kind, c):
        if kind == META:
            key = c.s().decode()
            self.meta[key] = c.s().decode()
        elif kind == EVENTS:
            self.immediate = [c.s().decode() for _ in range(c.n())]
            self.late_names = [[c.s().decode() for _ in range(c.n())] for _ in range(2)]
            self.sample, self.groups = c.n(), c.n()
        elif kind == OBJECT:
            ident = c.n()
            self.objects[ident] = Object(c.s().decode(), c.n(), c.n(), c.z(), c.s())
        elif kind == FUNCTION:
            ident = c.n()
            self.functions[ident] = Function(c.n(), c.n(), c.n(), c.n(), c.s().decode())
        elif kind == CONTEXT:
            ident = c.n()
            self.contexts[ident] = Context(c.n(), c.n(), [c.n() for _ in range(c.n())])
        elif kind == INSTR:
            ident = c.n()
            self.instrs[ident] = Instr(c.n(), c.n(), c.n(), c.n(), c.n(), c.n())
        elif kind == THREAD:
            ident = c.n()
            self.threads[ident] = (c.n(), c.n())
        elif kind == ARC:
            ident = c.n()
            self.arcs[ident] = Arc(c.n(), c.n(), c.n())
        elif kind in (NODE_DATA, FUNC_DATA):
            self.late(c, self.late_names[1], (self.held if kind == NODE_DATA else self.pruned)[c.n(), c.n()])
        elif kind == SHARING:
            sums = self.sharing[c.n(), c.n(), c.n()]
            for i in range(5):
                sums[i] = sums[i] + c.n() if i < 3 else sums[i] | c.n()
        elif kind == SELF:
            key = (c.n(), c.n())
            for name in self.immediate:
                self.self_costs[key][name] += c.n()
        elif kind == LATE:
            key = (c.n(), c.n())
            stream, data = c.n(), c.n()
            costs = collections.Counter()
            self.late(c, self.late_names[stream], costs)
            self.self_costs[key].update(costs)
            assert data == 0 or (stream == 1 and data in self.data)
            if data:
                self.shares[(*key, data)].update(costs)
        elif kind == STRIDES:
            key = tuple(c.n() for _ in range(4))
            self.strides[key].update(strides=c.n(), covered=c.n(), far=c.n(), lost=c.n())
            for _ in range(c.n()):
                stride = c.z()
                self.strides[key][stride] += c.n()
        elif kind == SETS:
            key, bits = tuple(c.n() for _ in range(5)), c.n()
            for low in range(64):
                if bits >> low & 1:
                    self.sets[key][low] += c.n()
        elif kind == PAIR:
            key = tuple(c.n() for _ in range(7))
            self.pairs[key].update(misses=c.n(), timed=c.n(), distance=c.n())
            bits = c.n()
            for power in range(32):
                if bits >> power & 1:
                    self.pairs[key][power] += c.n()
        elif kind == REUSE:
            key = tuple(c.n() for _ in range(5))
            self.reuses[key].update(lines=c.n(), distance=c.n())
            bits = c.n()
            for power in range(32):
                if bits >> power & 1:
                    self.reuses[key][power] += c.n()
        elif kind == ORIGIN:
            ident = c.n()
            self.origins[ident] = Origin(c.n(), c.n(), c.n())
        elif kind == DATA_OBJECT:
            ident = c.n()
            self.data[ident] = DataObject(KINDS[c.n()], c.n(), c.n(), c.n(), c.n(), c.s().decode(), c.s().decode(),
                                          c.n(), c.n(), c.n(), c.n())
        elif kind == DATA_AT:
            ident, place = c.n(), c.n()
            assert ident in self.data
            self.late(c, self.late_names[1], self.at[ident][place])
        elif kind == DATA_BLOCKS:
            ident, new = c.n(), [c.n() for _ in range(5)]
            self.pages[ident] += new[4]
            if new[0] or new[1]:
                old = self.blocks[ident]
                self.blocks[ident] = [old[i] + new[i] for i in range(3)] + [max(old[3], new[3])]
        elif kind == NODE:
            ident = c.n()
            place = tuple(c.n() for _ in range(6))
            self.nodes[ident] = (place, self.costs(c))
        elif kind == ARC_COST:
            ident = c.n()
            self.arc_calls[ident] += c.n()
            self.arc_costs[ident] += self.costs(c)
        elif kind == FUNC_COST:
            ident = c.n()
            self.function_calls[ident] += c.n()
            self.function_self[ident] += self.costs(c)
            self.function_incl[ident] += self.costs(c)
        elif kind == INTERVAL:
            begin, length, _, _, count = (c.n() for _ in range(5))
            paid = self.costs(c)
            functions = [(c.n(), self.costs(c)) for _ in range(count)]
            self.intervals.append((begin, length, paid, {self.name_of(i): costs for i, costs in functions}))
        elif kind == LABEL:
            at, _ = c.n(), c.n()
            self.labels.append((at, c.s().decode()))
        elif kind == STAT:
            name = c.s().decode()
            self.stats[name] = c.n()
        elif kind == END:
            assert c.n() == len(self.parts) + 1
            self.parts.append(c.s().decode())
            self.upto.append(self.totals())
            timed = collections.Counter()
            for interval in self.intervals:
                timed.update(interval[2])
            assert not self.intervals or +timed == +self.upto[-1], (timed, self.upto[-1])
            c.n()
        else:
            raise ValueError(f"unknown chunk {kind}")

    # ---------------------------------------------------------------------------------------- questions

    def totals(self):
        total = collections.Counter()
        for costs in self.self_costs.values():
            total.update(costs)
        return total

    def name_of(self, context):
        function, level, callers = self.contexts[context]
        names = [self.functions[function].name] + ([str(level)] if level > 1 else [])
        return "'".join(names + [self.functions[caller].name for caller in callers])

    def path_of(self, origin):
        """Names of functions from the root to the one that allocates."""
        caller, _, function = self.origins[origin]
        return (self.path_of(caller) if caller else ()) + (self.functions[function].name,)

    def data_name(self, ident):
        data = self.data[ident]
        if data.origin:
            return (data.kind, *self.path_of(data.origin))
        return (data.kind, data.thread) if data.thread else (data.kind, data.name, data.file.rsplit("/", 1)[-1])

    def patterns(self):
        """Strides and sets of conflicts, by function."""
        result = collections.defaultdict(collections.Counter)
        for known, word in ((self.strides, "stride"), (self.sets, "set")):
            for key, counts in known.items():
                name = self.name_of(self.instrs[key[1]].context)
                result[name].update({"%s %s %s" % (word, key[4:], what): n for what, n in counts.items()})
        return result

    def dependence(self):
        """Pairs, by the names of functions."""
        result = collections.defaultdict(collections.Counter)
        for (loader, evictor, _, instr, stream, _, level), counts in self.pairs.items():
            names = [self.name_of(self.instrs[i].context) if i else "-" for i in (loader, evictor, instr)]
            result["%s, %s, %s at %d of %d" % (*names, level, stream)].update(counts)
        return result

    def reuse(self):
        """The same of reuses."""
        result = collections.defaultdict(collections.Counter)
        for (loader, instr, stream, _, level), counts in self.reuses.items():
            names = [self.name_of(self.instrs[i].context) if i else "-" for i in (loader, instr)]
            result["%s, %s at %d of %d" % (*names, level, stream)].update(counts)
        return result

    def by_data(self):
        """Data object by name -> costs; its blocks are the costs began, ended, bytes and largest."""
        result = collections.defaultdict(collections.Counter)
        for (_, _, data), costs in self.shares.items():
            result[self.data_name(data)].update(costs)
        for data, blocks in self.blocks.items():
            for name, value in zip(("began", "ended", "bytes", "largest"), blocks):
                result[self.data_name(data)][name] += value
        return result

    def self_by_function(self):
        """name -> costs, from the instructions."""
        result = collections.defaultdict(collections.Counter)
        for (_, instr), costs in self.self_costs.items():
            result[self.name_of(self.instrs[instr].context)].update(costs)
        return result

    def calls(self):
        """(caller, callee) -> number of calls."""
        result = collections.Counter()
        for ident, arc in self.arcs.items():
            result[self.name_of(arc.caller), self.name_of(arc.callee)] += self.arc_calls[ident]
        return result


if __name__ == "__main__":
    import sys
    raw = Raw(sys.argv[1])
    print(raw.parts, len(raw.instrs), "instructions", len(raw.functions), "functions")
    for name, value in raw.meta.items():
        print(f"  {name}: {value}")
    for name, value in raw.totals().items():
        print(f"{value:20,} {name}")
    for name, costs in sorted(raw.self_by_function().items(), key=lambda item: -item[1]["Ir"])[:20]:
        print(f"{costs['Ir']:16,} {costs['Dr']:14,} {costs['Dw']:14,}  {name}")
    for (caller, callee), calls in raw.calls().most_common(20):
        print(f"{calls:12,} {caller} -> {callee}")
