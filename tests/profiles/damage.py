#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
damage.py: bad input and bad places: one clear line, the right outcome, nothing lost.

Truncated, corrupted, foreign and hostile raw profiles; places where a profile cannot be written; names that want
to break text formats.

    damage.py TP_TOOL
"""
import csv
import io
import json
import os
import random
import resource
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raw_make
import verdict
from verdict import check

TOOL = sys.argv[1]
WORK = tempfile.TemporaryDirectory()
RAW, OUT = os.path.join(WORK.name, "raw"), os.path.join(WORK.name, "out")


def tool(*arguments, **more):
    p = subprocess.run([TOOL] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def save(data, path=RAW):
    with open(path, "wb") as f:
        f.write(data)


def leftovers():
    return [name for name in os.listdir(WORK.name) if name not in ("raw", "out")]


def refused(what, *words, options=(), out=OUT, raw=RAW, **more):
    """The import fails with one line that has the words; the raw file stays as it is; no profile, nothing left."""
    if os.path.exists(OUT):
        os.unlink(OUT)
    before = open(raw, "rb").read() if os.path.isfile(raw) else None
    status, _, message = tool("import", raw, out, *options, **more)
    one_line = message.startswith("error: ") and message.count("\n") == 1
    check(status == 1 and one_line, what + ": one line: " + repr(message))
    for word in words:
        check(word in message, "%s: message says %s: %s" % (what, word, message))
    check(not os.path.exists(OUT) and not leftovers(), what + ": nothing is left behind")
    check(before is None or open(raw, "rb").read() == before, what + ": the raw file is kept")


def accepted(what, parts, damaged):
    status, text, message = tool("import", RAW, OUT)
    check(status == 0, "%s: imported: %s" % (what, message))
    check("parts %d\n" % parts in text, what + ": parts: " + text)
    check(("damage " in text) == damaged, what + ": damage is told: " + text)


def part_ends(data):
    at, ends = 16, []
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        at += 16 + size
        if kind == raw_make.END:
            ends.append(at)
    return ends


def truncation():
    raw_make.Random(seed=3, functions=4, nodes=8, parts=2, threads=1).write(RAW, chunk=300)
    data = open(RAW, "rb").read()
    first, last = part_ends(data)
    check(last == len(data), "the last part ends the file")
    r = random.Random(1)
    for size in [0, 1, 7, 8, 15, 16, 17, first - 1, first, first + 1, last - 1, last] + r.sample(range(len(data)), 20):
        save(data[:size])
        if size < first:
            refused("cut at %d" % size, RAW)
        else:
            accepted("cut at %d" % size, 1 + (size == last), size not in (first, last))
    save(data[:last - 1])
    tool("import", RAW, OUT)
    db = sqlite3.connect(OUT)
    check(db.execute("SELECT value FROM meta WHERE key = 'import.damage'").fetchone() is not None, "damage is kept")
    check(db.execute("SELECT count(*) FROM parts").fetchone() == (1,), "one part is there")
    db.close()
    second = 16 + 16 + struct.unpack_from("<II", data, 16)[1]
    save(data[:16] + data[second:])
    refused("a chunk is missing", RAW, "offset")
    for at in [first + 20] + r.sample(range(16, first), 12):
        save(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:])
        if at > first:
            accepted("a byte changed at %d" % at, 1, True)
        else:
            refused("a byte changed at %d" % at, RAW, "offset")


def foreign():
    save(b"")
    refused("empty", "empty file")
    save(b"\x7fELF" + bytes(200))
    refused("an ELF file", "foreign file")
    save(raw_make.Raw(version=77).out)
    refused("another version", "format 77", "reads format")
    refused("not there", "No such file", raw=os.path.join(WORK.name, "gone"))
    refused("a folder", "not a regular file", raw=WORK.name)
    os.mkfifo(RAW + ".fifo")
    os.unlink(RAW + ".fifo")
    for kind, data in (("raw-foreign", raw_make.Raw(version=77).out), ("other", b"hello"), ("other", b"")):
        save(data)
        check(tool("kind", RAW)[1].startswith(kind), "kind of " + kind)
        status, _, message = tool("export", "json", RAW)
        check(status == 1 and message.count("\n") == 1, "export of a file that is no profile")
    sqlite3.connect(OUT).execute("CREATE TABLE t(x)").connection.close()
    check(tool("kind", OUT)[1].startswith("other"), "kind of another database")
    os.unlink(OUT)


def hostile_records():
    def attempt(what, *words, build):
        raw = raw_make.Raw()
        build(raw)
        raw.end()
        save(raw.out)
        refused(what, "offset", *words)

    def base(raw):
        raw.events()
        raw.object(1, "/x")
        raw.function(1, 1, 0, 10, "f")
        raw.instr(1, 0, 1, 1)
        raw.thread(1, 1)
    attempt("costs before events", build=lambda r: (r.thread(1, 1), r.record(raw_make.SELF, b"\1\1")))
    attempt("a function of no object", build=lambda r: r.function(1, 99, 0, 0, "f"))
    attempt("an unknown instruction", build=lambda r: (base(r), r.self_cost(1, 2, [0] * 7)))
    attempt("an unknown thread", build=lambda r: (base(r), r.self_cost(2, 1, [0] * 7)))
    attempt("a node below none", build=lambda r: (base(r), r.node(1, 5, 0, 1, 1, 1, raw_make.costs([0] * 7))))
    attempt("a node below itself", build=lambda r: (base(r), r.node(1, 1, 0, 1, 1, 1, raw_make.costs([0] * 7))))
    attempt("an event twice", build=lambda r: r.events(imm=["Ir", "Ir"]))
    attempt("events that differ in case", build=lambda r: r.events(imm=["Ir", "IR"]))
    attempt("SQL in an event", build=lambda r: r.events(imm=['Ir"; DROP TABLE meta; --']))
    attempt("too many events", build=lambda r: r.events(imm=["E%d" % i for i in range(129)]))
    attempt("an unused slot with costs", build=lambda r: (base(r), r.late_cost(1, 1, 0, {1: 5})))
    attempt("costs of no node", build=lambda r: (base(r), r.data_object(1, 6), r.node_data(1, 1, {0: 1})))
    attempt("costs in no data object", build=lambda r: (base(r), r.func_data(1, 1, {0: 1})))
    attempt("costs of no function", build=lambda r: (base(r), r.data_object(1, 6), r.func_data(2, 1, {0: 1})))
    attempt("costs cut short", build=lambda r: (base(r), r.data_object(1, 6),
                                                r.record(raw_make.FUNC_DATA, b"\1\1\3\1")))
    attempt("an unknown chunk", build=lambda r: (base(r), r.record(99, b"x")))
    attempt("a string that is too long", build=lambda r: r.record(raw_make.META, b"\xff\xff\x7fx"))
    attempt("a varint that never ends", build=lambda r: r.record(raw_make.STAT, b"\1x" + b"\xff" * 11))
    raw = raw_make.Raw()
    base(raw)
    raw.self_cost(1, 1, [(1 << 64) - 1] * 7)
    raw.end("exit")
    raw.self_cost(1, 1, [(1 << 64) - 1] * 7)
    raw.end("exit")
    save(raw.out)
    accepted("sums beyond 64 bits", 2, False)
    check(sqlite3.connect(OUT).execute("SELECT Ir FROM totals").fetchone() == ((1 << 63) - 1,), "they stop there")


def deep_tree():
    raw = raw_make.Raw()
    raw.events()
    raw.object(1, "/x")
    raw.thread(1, 1)
    for f in range(1, 4):
        raw.function(f, 1, f * 16, 16, "f%d" % f)
        raw.instr(f, f * 16, 4, f)
    raw.arc(1, 1, 1, 2)
    depth = 50000
    for i in range(1, depth + 1):
        raw.node(i, i - 1, 1 if i > 1 else 0, 1 + i % 3, 1, 1, raw_make.costs([1, 0, 0, 0, 0, 0, 0]))
    raw.end()
    save(raw.out)
    accepted("a tree %d deep" % depth, 1, False)
    root = sqlite3.connect(OUT).execute("SELECT Ir_incl FROM paths WHERE parent IS NULL").fetchone()
    check(root == (depth,), "its sum")


def bad_places():
    raw_make.small(RAW)
    refused("no such folder", "No such file", out=os.path.join(WORK.name, "gone", "out"))
    refused("a folder in its place", "cannot write", out="/proc/self")
    if os.geteuid() != 0:
        with tempfile.TemporaryDirectory() as locked:
            os.chmod(locked, 0o555)
            refused("a read-only folder", "Permission denied", out=os.path.join(locked, "out"))

    def small_disk():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    refused("no room", OUT, "cannot write", preexec_fn=small_disk)
    save(b"precious", OUT)
    status, _, _ = tool("import", RAW + "x", OUT)
    check(status == 1 and open(OUT, "rb").read() == b"precious", "a failed import leaves the old file alone")
    accepted("it is replaced by a good one", 2, False)


def hostile_names():
    names = ["a;b\nc\td\x1b[31m", "quote\"back\\slash,comma", "\udcff\udcfebytes", "(7) fake", "x" * 65000,
             "_Z" + "St" * 30000, "_ZN" + "1a" * 5000 + "Ev", "_RNvC" + "A" * 3000,
             "_Z1f" + "".join("NS_1%sE" % c for c in "abcd"), "", "fn=evil\ncalls=1 1", "_Z1fILi3EEvT_", "nul\0inside"]
    program = raw_make.Random(seed=5, functions=len(names), nodes=60, parts=1, threads=1)
    program.write(RAW, names=names)
    accepted("hostile names", 1, False)
    db = sqlite3.connect(OUT)
    check(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "SQLite finds nothing wrong")
    total = db.execute("SELECT Ir FROM totals").fetchone()[0]
    found = {row[0] for row in db.execute("SELECT symbol FROM functions")}
    check("\\xff\\xfebytes" in found and "nul\\x00inside" in found, "what is no text is escaped")
    check(any("f<3>" in row[0] for row in db.execute("SELECT function FROM functions")), "C++ names are readable")
    db.close()
    folded = tool("export", "folded", OUT)[1]
    check(sum(int(line.rsplit(" ", 1)[1]) for line in folded.split("\n") if line) == total, "folded: lines stay lines")
    text = tool("export", "callgrind", OUT)[1]
    check("\x1b" not in text and "\nfn=evil" not in text and "\nc\td" not in text, "callgrind: nothing breaks out")
    ir = sum(int(line.split()[1]) for before, line in zip(text.split("\n"), text.split("\n")[1:])
             if line[:1].isdigit() and not before.startswith("calls="))
    check(ir == total, "callgrind: sums hold")
    check(json.loads(tool("export", "json", OUT)[1])["totals"]["Ir"] == total, "json parses")
    csv.field_size_limit(1 << 20)
    rows = list(csv.DictReader(io.StringIO(tool("export", "csv", OUT)[1], newline="")))
    check(sum(int(r["Ir"]) for r in rows) == total, "csv parses")
    status, _, message = tool("export", "folded", OUT, "events=Nope")
    check(status == 1 and "no event 'Nope'" in message, "an unknown event")
    status, _, message = tool("export", "csv", OUT, "table=nope;drop")
    check(status == 1 and "no table" in message, "an unknown table")
    with open("/dev/full", "w") as full:
        p = subprocess.run([TOOL, "export", "json", OUT], stdout=full, stderr=subprocess.PIPE)
    check(p.returncode == 1 and b"No space left" in p.stderr, "an export to a full disk")


def main():
    truncation()
    foreign()
    hostile_records()
    deep_tree()
    bad_places()
    hostile_names()
    return verdict.finish()


sys.exit(main())
