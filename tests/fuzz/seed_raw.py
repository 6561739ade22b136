#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a small raw profile, straight from the grammar in core/raw_format.h.

    seed_raw.py OUTPUT one|two|sampled|wide

The input that fuzz_import starts from: one part or two, or one of sampled sets, whose late costs are in groups, or one
of so many events that their bits are two numbers, with a further machine. Every type of chunk occurs. The program: main
(context 1) calls f (context 2) three times, a node below f is an alias of f.
"""
import struct
import sys
import zlib

(META, EVENTS, OBJECT, FUNCTION, CONTEXT, INSTR, THREAD, ARC, SELF, LATE, NODE, ARC_COST, FUNC_COST, STAT,
 END, ORIGIN, DATA_OBJECT, DATA_BLOCKS, SHARING, DATA_AT, STRIDES, SETS, PAIR, NODE_DATA,
 FUNC_DATA, REUSE, INTERVAL, LABEL) = range(1, 29)

IMMEDIATE = ["Ir", "Dr", "Dw"]
FETCH = ["I1mr", "ILmr", "AcCostI1", "SpLossI1", "EvI1"]
DATA = ["D1mr", "DLmr", "-", "AcCostD1", "SpLossD1", "EvD1"]
CALL, RETURN = 4, 8
SAMPLED, WIDE = sys.argv[2] == "sampled", sys.argv[2] == "wide"
if WIDE:
    DATA += ["-"] * (69 - len(DATA)) + ["Dist1L", "DLmr_also1"]
PRUNED_BELOW, ALIAS = 1, 4


def n(*values):
    out = bytearray()
    for value in values:
        while value >= 128:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return bytes(out)


def s(value):
    value = value.encode() if isinstance(value, str) else value
    return n(len(value)) + value


def late(slots):
    """{slot: value} as a bit set and the values that are set; these are in groups 0 and 3 if sets are sampled."""
    if SAMPLED:
        return bits_of(slots) + b"".join(n(9, slots[slot] // 2, slots[slot]) for slot in sorted(slots))
    return sparse(slots)


def of_data(slots):
    """The same of data accesses, which may have more slots than one number has bits."""
    return late(slots) + (n(3 << 5, 9, 4) if WIDE else b"")


def bits_of(slots):
    return n(sum(1 << slot for slot in slots))


def sparse(slots):
    """The same of what is no cost."""
    return n(sum(1 << slot for slot in slots), *(slots[slot] for slot in sorted(slots)))


def costs(ir, fetch=None, data=None):
    return n(ir, ir // 4, ir // 8) + late(fetch or {}) + of_data(data or {})


class Part:
    def __init__(self, number):
        self.number, self.out, self.chunks = number, b"", 0

    def chunk(self, kind, *records):
        payload = b"".join(records)
        self.out += struct.pack("<4I", kind, len(payload), zlib.crc32(payload), 0) + payload
        self.chunks += 1

    def end(self, why):
        self.chunk(END, n(self.number) + s(why) + n(self.chunks))
        return self.out


def definitions(part):
    names = (IMMEDIATE, FETCH, DATA)
    also = s("also") + s("m:I1=32768,8,64:D1=32768,8,64:LL=8388608,16,64")
    part.chunk(META, s("command") + s("seed"), s("engine") + s("none"), *([also] if WIDE else []))
    part.chunk(EVENTS, b"".join(n(len(group)) + b"".join(map(s, group)) for group in names) +
               (n(8, 4) if SAMPLED else n(1, 1)))
    part.chunk(OBJECT, n(1) + s("/nowhere/seed") + n(0x400000, 0x3000, 0) + s(bytes(range(20))))
    part.chunk(FUNCTION, n(1, 1, 0x401000, 0x40, 0) + s("main"), n(2, 1, 0x401040, 0x20, 0) + s("_ZN1a1fEi"))
    part.chunk(CONTEXT, n(1, 1, 1, 0), n(2, 2, 2, 1, 1))
    part.chunk(INSTR, n(1, 0x401000, 5, 1, CALL, 0, 1), n(2, 0x401040, 4, 2, 0, 1, 0),
               n(3, 0x401044, 1, 2, RETURN, 1, 0))
    part.chunk(THREAD, n(1, 4711, 0))
    part.chunk(ARC, n(1, 1, 1, 2))
    part.chunk(ORIGIN, n(1, 0, 0, 1), n(2, 1, 1, 2))
    nothing = n(0, 0, 0, 0)
    part.chunk(DATA_OBJECT, n(1, 1, 2, 0, 0, 0) + s("") + s("") + n(24, 8, 0x123, 2),
               n(2, 3, 0, 0, 0x4000, 8) + s("_ZN1a1tE") + s("/nowhere/seed") + nothing,
               n(3, 4, 0, 1, 0, 0) + s("") + s("") + nothing, n(4, 7, 0, 0, 0, 0) + s("") + s("") + nothing,
               n(5, 8, 0, 0, 0, 0) + s("rows") + s("") + nothing)


def measurements(part):
    part.chunk(SELF, n(1, 1, 3, 0, 3), n(1, 2, 300, 300, 0), n(1, 3, 3, 3, 0))
    part.chunk(LATE, n(1, 1, 0, 0) + late({0: 1, 1: 1}), n(1, 2, 1, 1) + of_data({0: 200, 3: 1 << 40, 4: 56 * 200}))
    part.chunk(DATA_BLOCKS, n(1, 3, 2, 300, 150, 1))
    part.chunk(DATA_AT, n(1, 0) + of_data({4: 90}), n(1, 25) + of_data({0: 1, 4: 7}), n(5, 4097) + of_data({1: 3}))
    if not SAMPLED: # these know all misses
        part.chunk(SHARING, n(1, 2, 1, 9, 6, 3, 0xff, 1 << 63), n(0, 0, 0, 1, 1, 0, 0, 0))
        part.chunk(STRIDES, n(1, 2, 1, 1, 199, 90, 5, 3, 2, 1024, 150, 15, 40))
        part.chunk(SETS, n(1, 2, 1, 1, 0) + sparse({0: 7, 63: 1}), n(1, 2, 1, 1, 1) + sparse({5: 2}))
        part.chunk(PAIR, n(2, 3, 2, 2, 1, 1, 0, 7, 6, 900) + sparse({5: 2, 31: 4}),
                   n(0, 0, 0, 2, 1, 1, 1, 3, 0, 0) + sparse({}), n(0, 0, 0, 0, 0, 0, 0, 1, 1, 2) + sparse({1: 1}))
        part.chunk(REUSE, n(2, 2, 1, 1, 0, 7, 900) + sparse({5: 2, 31: 5}), n(0, 0, 0, 0, 0, 1, 2) + sparse({1: 1}))
    part.chunk(NODE, n(1, 0, 0, 1, 1, 0, 1) + costs(3, {0: 1}),
               n(2, 1, 1, 2, 1, PRUNED_BELOW, 3) + costs(303, None, {0: 200}),
               n(3, 2, 1, 2, 1, ALIAS, 2) + costs(0))
    part.chunk(NODE_DATA, n(2, 1) + of_data({0: 150}), n(2, 5) + of_data({0: 50, 4: 9}), n(1, 1) + of_data({1: 2}))
    part.chunk(FUNC_DATA, n(2, 1) + of_data({0: 4, 5: 1}))
    part.chunk(ARC_COST, n(1, 3) + costs(303, None, {0: 200}))
    part.chunk(FUNC_COST, n(1, 1) + costs(3, {0: 1}) + costs(306, {0: 1}, {0: 200}), n(2, 3) + costs(303) + costs(303))
    part.chunk(INTERVAL, n(0, 290, 0, 1000, 1) + costs(290, None, {0: 150}) + n(2) + costs(280, None, {0: 150}),
               n(290, 16, 1000, 30, 2) + costs(16, {0: 1}, {0: 50}) + n(1) + costs(3, {0: 1}) + n(2) +
               costs(13, None, {0: 50}))
    part.chunk(LABEL, n(290, 1000) + s("warm"))
    part.chunk(STAT, s("nodes_made") + n(3))


def main():
    out = b"TENURERW" + struct.pack("<2I", 12, 0)
    for number in range(1, 3 if sys.argv[2] == "two" else 2):
        part = Part(number)
        if number == 1:
            definitions(part)
        measurements(part)
        out += part.end("exit")
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
