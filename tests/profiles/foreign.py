#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
foreign.py: Callgrind's and Cachegrind's formats, read and written.

- random files are written with all that the grammar has (compressed names, relative positions, jumps, several parts and
  threads) and every table of the import is compared with sums over what was written;
- what is refused, with file, line and what was expected; what is only warned of;
- events of any name, formulas; hostile names;
- random profiles are exported, imported, and compared; exported again, the file is the same.

    foreign.py TP_TOOL
"""
import collections
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raw_make
import verdict
from verdict import check

TOOL = sys.argv[1]


def tool(*arguments):
    done = subprocess.run([TOOL, *arguments], capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def write(path, text):
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
    return path


def query(profile, sql):
    with sqlite3.connect(profile) as db:
        return list(db.execute(sql))


def add(to, key, row):
    to[key] = [x + y for x, y in zip(to.get(key, [0] * len(row)), row)]


# ------------------------------------------------------------------------------------------------ random files

class Writer:
    """One callgrind file of a random program, and the sums of what was written."""

    def __init__(self, rng, events, instr, compress, relative):
        self.rng, self.events, self.instr, self.compress, self.relative = rng, events, instr, compress, relative
        self.out, self.ids, self.at = [], collections.defaultdict(dict), [0, 0]
        self.lines, self.addresses, self.arcs, self.calls = {}, {}, {}, collections.Counter()
        self.self, self.incl, self.threads, self.parts = {}, {}, {}, {}
        self.object = self.file = None

    def name(self, kind, text):
        if not self.compress:
            return text
        known = self.ids[kind]
        if text in known:
            return "(%d)" % known[text]
        known[text] = len(known) * 3 + 1
        return "(%d) %s" % (known[text], text)

    def position(self, address, line):
        now = [address, line] if self.instr else [line]
        before = self.at if self.instr else self.at[1:]
        words = []
        for value, last in zip(now, before):
            plain = "0x%x" % value if len(now) == 2 and value is now[0] else str(value)
            step = "*" if value == last else "%+d" % (value - last)
            words.append(step if self.relative and self.rng.random() < 0.7 else plain)
        self.at = [address, line] if self.instr else [0, line]
        return " ".join(words)

    def row(self):
        row = [self.rng.choice((0, 0, 1, 7, 1000, 10 ** 12)) for _ in self.events]
        return row

    def counts(self, row):
        row = list(row)
        while self.rng.random() < 0.8 and row and row[-1] == 0:
            row.pop()
        return "".join(" %d" % value for value in row)

    def go_to(self, kind, tag, text):
        if getattr(self, kind) != text:
            self.out.append("%s=%s" % (tag, self.name(kind, text)))
            setattr(self, kind, text)

    def cost(self, function, file, line, address, thread, part):
        row = self.row()
        self.out.append(self.position(address, line) + self.counts(row))
        add(self.lines, (function, file, line), row)
        add(self.addresses, (function, address), row)
        for sums, key in ((self.self, function), (self.incl, function), (self.threads, thread), (self.parts, part)):
            add(sums, key, row)
        self.total = [x + y for x, y in zip(self.total, row)]

    def call(self, function, callee, file, line, address):
        if callee[0] != self.object or self.rng.random() < 0.3:
            self.out.append("cob=" + self.name("object", callee[0]))
        if callee[1] != self.file or self.rng.random() < 0.3:
            self.out.append("%s=%s" % (self.rng.choice(("cfi", "cfl")), self.name("file", callee[1])))
        self.out.append("cfn=" + self.name("function", callee[2]))
        calls, row = self.rng.randrange(1, 99), self.row()
        self.out.append("calls=%d %s%d" % (calls, "0x500 " if self.instr else "", callee[3]))
        self.out.append(self.position(address, line) + self.counts(row))
        key = (function, callee[:3], file, line) + ((address,) if self.instr else ())
        add(self.arcs, key, row)
        self.calls[key] += calls
        if function != callee[:3]:
            add(self.incl, function, row)

    def jump(self):
        conditional = self.rng.random() < 0.5
        target = "0x77 5" if self.instr else "5"
        self.out.append("jcnd=3/10 " + target if conditional else "jump=10 " + target)
        self.out.append("* *" if self.instr else "*")

    def section(self, part, thread, functions):
        self.total = [0] * len(self.events)
        self.out += ["part: %d" % part, "thread: %d" % thread, "desc: Trigger: part %d ends" % part,
                     "positions: instr line" if self.instr else "positions: line",
                     "events: " + " ".join(self.events), ""]
        self.at, self.object, self.file = [0, 0], None, None
        for function in self.rng.sample(functions, self.rng.randrange(1, len(functions) + 1)):
            self.go_to("object", "ob", function[0])
            self.out.append("fl=" + self.name("file", function[1]))
            self.file = function[1]
            self.out.append("fn=" + self.name("function", function[2]))
            for _ in range(self.rng.randrange(8)):
                what = self.rng.random()
                file = self.rng.choice((function[1], self.file, "inl.h"))
                self.go_to("file", "fe" if file == function[1] else "fi", file)
                line, address = self.rng.randrange(0, 40), self.rng.randrange(1, 60) + 256 * functions.index(function)
                if what < 0.6:
                    self.cost(function[:3], file, line, address, thread, part)
                elif what < 0.9:
                    self.call(function[:3], self.rng.choice(functions), file, line, address)
                else:
                    self.jump()
            self.out.append("")
        self.out += ["# a comment", "totals:" + "".join(" %d" % value for value in self.total), ""]


def known(text):
    return None if text == "???" else text


def compare_file(w, profile, name):
    columns = ", ".join('"%s"' % event for event in w.events)
    incl = ", ".join('"%s_incl"' % event for event in w.events)
    got = {tuple(row[:5]): list(row[5:]) for row in query(
        profile, "SELECT f.object, f.file, f.function, l.file, l.line, %s FROM lines l JOIN (SELECT id, object, "
        "file, function FROM functions) f ON f.id = l.function_id" % ", ".join("l." + c for c in columns.split(", ")))
        if any(row[5:])}
    want = {tuple(map(known, k[0])) + (known(k[1]), k[2] or None): v for k, v in w.lines.items() if any(v)}
    want = {(k[0], k[1], k[2] or "???", k[3], k[4]): v for k, v in want.items()}
    check(got == want, "%s: lines" % name)
    every = [min(x, y) for x, y in zip([sum(c) for c in zip(*w.parts.values())], [10 ** 30] * len(w.events))]
    got = {(r[0], r[1], r[2]): list(r[3:]) for r in query(
        profile, "SELECT object, file, function, %s, %s FROM functions" % (columns, incl)) if any(r[3:])}
    want = {}
    for key in set(w.self) | set(w.incl):
        zero = [0] * len(w.events)
        row = w.self.get(key, zero) + [min(x, y) for x, y in zip(w.incl.get(key, zero), every)]
        if any(row):
            want[(known(key[0]), known(key[1]), key[2])] = row
    check(got == want, "%s: functions, self and inclusive" % name)
    got = collections.Counter()
    costs = {}
    for row in query(profile, "SELECT caller, callee, file, line, address, calls, %s FROM arcs" % incl):
        got[tuple(row[:5])] += row[5]
        add(costs, tuple(row[:5]), row[6:])
    want, want_costs = collections.Counter(), {}
    for key, row in w.arcs.items():
        short = (key[0][2], key[1][2], known(key[2]), key[3] or None, key[4] if w.instr else None)
        want[short] += w.calls[key]
        add(want_costs, short, row)
    check(got == want and costs == want_costs, "%s: arcs" % name)
    got = {}
    for row in query(profile, "SELECT address, %s FROM instructions" % columns):
        add(got, row[0], row[1:])
    want = {}
    for key, row in w.addresses.items():
        add(want, key[1], row)
    check(got == (want if w.instr else {}), "%s: instructions" % name)
    for table, key, sums in (("threads", "id", w.threads), ("parts", "part", w.parts)):
        got = {row[0]: list(row[1:]) for row in query(profile, "SELECT %s, %s FROM %s" % (key, columns, table))
               if any(row[1:])}
        check(got == {k: v for k, v in sums.items() if any(v)}, "%s: %s" % (name, table))


def random_files(work, seed):
    rng = random.Random(seed)
    w = Writer(rng, ["Ir", "Dr", "odd", "D1mr"][:rng.randrange(1, 5)], rng.random() < 0.5, rng.random() < 0.7,
               rng.random() < 0.7)
    functions = [(rng.choice(("/bin/a", "/lib/b.so", "???")), rng.choice(("a.c", "b.c", "???")), "f%d" % i, i + 1)
                 for i in range(rng.randrange(2, 9))]
    w.out += ["# callgrind format", "version: 1", "creator: test", "pid: 7", "cmd: ./a b", ""]
    files, thread = [], 0
    for part in range(1, rng.randrange(2, 4)):
        for thread in range(1, rng.randrange(2, 4)):
            if w.parts and rng.random() < 0.5:  # a file of its own
                files.append(w.out)
                w.out, w.ids = ["# callgrind format", "version: 1", "pid: 7"], collections.defaultdict(dict)
            w.section(part, thread, functions)
    files.append(w.out)
    if not w.parts:
        return
    paths = [write(os.path.join(work, "f%d" % i), "\n".join(lines) + "\n") for i, lines in enumerate(files)]
    profile = os.path.join(work, "out")
    status, out, err = tool("text", profile, *paths)
    check(status == 0 and "warnings 0" in out, "seed %d is imported: %s%s" % (seed, out, err))
    if status == 0:
        compare_file(w, profile, "seed %d" % seed)


# ------------------------------------------------------------------------------------------------ refusals

HEAD = "# callgrind format\nevents: Ir Dr\n"
BODY = HEAD + "fn=f\n"
GRIND = "desc: x\ncmd: c\nevents: Ir Dr\nfl=a.c\nfn=f\n"
REFUSED = [  # text, line, what is said
    (BODY + "12 x\n", 4, "a count expected, there is 'x'"),
    (HEAD + "".join(f"part: {i}\nfn=f\n12 1\n" for i in range(65537)), 4 + 3 * 65536,
     "more than 65536 parts and threads"),
    (BODY + "12 1 2 3\n", 4, "no more than 2 counts expected, there is '3'"),
    (BODY + "12 1x\n", 4, "a blank behind a count expected"),
    (BODY + "12 --1\n", 4, "a count expected, there is '--1'"),
    (BODY + "12 - 1\n", 4, "a count expected, there is '- 1'"),
    (BODY + "12 .\n", 4, "a count expected, there is '.'"),
    (BODY + "12 99999999999999999999\n", 4, "a count expected"),
    (BODY + "99999999999 1\n", 4, "a line number below 2^32"),
    (BODY + "+1x 1\n", 4, "a blank behind a position"),
    (BODY + "-1 1\n", 4, "a line number expected, this one is below 0"),
    (BODY + "hello\n", 4, "costs, a name such as 'fn=', or a header line such as 'part:' expected, there is 'hello'"),
    (BODY + "fn=(3)\n", 4, "a name behind (3) expected"),
    (BODY + "calls=1 2\n", 4, "'cfn=' expected before 'calls='"),
    (BODY + "cfn=g\ncalls=x 2\n", 5, "the number of calls expected, there is 'x 2'"),
    (BODY + "cfn=g\ncalls=1 2\nfn=h\n", 6, "a line with the costs of the call expected, there is 'fn=h'"),
    (BODY + "cfn=g\ncalls=1 2\n", 5, "a line with the costs of the call expected"),
    (BODY + "cfn=g\ncalls=1 2 3 4\n", 5, "nothing behind the called position"),
    (BODY + "jump=x 1\n", 4, "the number of jumps expected"),
    (BODY + "jcnd=1 1\n", 4, "jumps taken '/' executed expected"),
    (BODY + "jump=1 1 1\n", 4, "nothing behind the jump's target"),
    (BODY + "jump=1 1\n* 1\n", 5, "nothing behind a jump's position"),
    (BODY + "jump=1 1\nfn=g\n", 5, "a line with the jump's position expected"),
    (BODY + "1 1\n\0\n", 5, "a NUL byte"),
    (HEAD + "12 1\n", 3, "'fn=' before the first costs expected"),
    ("# callgrind format\nfn=f\n", 2, "a line 'events:' expected before the first function"),
    ("# callgrind format\nsummary: 1\n", 2, "a line 'events:' expected before 'summary:'"),
    ("# callgrind format\nevents:\n", 2, "names of events expected, the line ends"),
    ("# callgrind format\nevents: Ir Ir\n", 2, "the event 'Ir' is listed twice"),
    ("# callgrind format\nevent: = A\n", 2, "the name of an event expected"),
    ("# callgrind format\nevent: A B\n", 2, "'= FORMULA' or ': LONG NAME'"),
    ("version: 2\n", 1, "format version 1 expected, there is 2"),
    ("version: one\n", 1, "a version expected, there is 'one'"),
    ("part: x\n", 1, "the part's number expected"),
    ("positions: column\n", 1, "'instr', 'line' or 'instr line' expected"),
    ("positions:\n", 1, "'instr', 'line' or 'instr line' expected"),
    (BODY + "1 1\nevents: Ir\n", 5, "2 events as in the parts before expected, there are 1"),
    (BODY + "1 1\nevents: Ir X\n", 5, "the events of the parts before expected, 'X' is not one of them"),
    (HEAD.replace("events", "positions: instr line\nevents") + "fn=f\n0xg 1 1\n", 5, "an address expected"),
    (GRIND + "12 x\nsummary: 1 1\n", 6, "a count expected, there is 'x'"),
    (GRIND + "12 1 1 1\nsummary: 1 1\n", 6, "no more than 2 counts expected"),
    (GRIND + "12 -x\nsummary: 1 1\n", 6, "a count expected, there is '-x'"),
    (GRIND + "12 .x\nsummary: 1 1\n", 6, "a count expected"),
    (GRIND + "+1 1\nsummary: 1 1\n", 6, "a line number with counts, 'fl=', 'fn=' or 'summary:' expected"),
    (GRIND + "12\nwhat\nsummary: 1 1\n", 7, "a line number with counts, 'fl=', 'fn=' or 'summary:' expected"),
    (GRIND + "12 1 1\n", 6, "a line 'summary:' expected at the end"),
    (GRIND + "12 1 1\nsummary: 1 1\n13 1 1\n", 8, "nothing behind 'summary:' expected"),
    (GRIND + "fl=b.c\n12 1 1\nsummary: 1 1\n", 7, "'fn=' before the first counts expected"),
    ("desc: x\ncmd: c\nevents: Ir\nfn=f\n", 4, "'fl=' expected before the first 'fn='"),
    ("desc: x\ncmd: c\nwhat\n", 3, "'desc:', 'cmd:' or 'events:' expected, there is 'what'"),
]


def refusals(work):
    path, profile = os.path.join(work, "bad"), os.path.join(work, "none")
    for text, line, what in REFUSED:
        write(path, text)
        status, _, err = tool("text", profile, path)
        check(status == 1 and err.count("\n") == 1 and "%s:%d: " % (path, line) in err and what in err,
              "%r: %s" % (text[-40:], err))
        check(not os.path.exists(profile), "%r leaves no file" % text[-40:])
    for text, kind in (("", "other"), ("hello\n", "other"), (HEAD, "callgrind"), ("events: Ir\n", "callgrind"),
                       ("version: 1\n", "callgrind"), (GRIND, "cachegrind"), ("# x\n", "other"),
                       (GRIND + "fn=(below main)\n", "cachegrind"), (GRIND + "fn=(1) f\n", "callgrind"),
                       ("cmd: c\nevents: Ir\nfn=f\ncfn=g\n", "callgrind"), ("\n\ncmd: c\nevents: Ir\n", "cachegrind")):
        _, out, _ = tool("kind", write(path, text))
        check(out.split("\n")[0] == kind, "%r is %s: %s" % (text, kind, out))
    status, _, err = tool("text", profile, write(path, HEAD))
    check(status == 1 and "no costs in it" in err, "a file without costs: " + err)


def several_files(work):
    a, b, profile = (os.path.join(work, name) for name in ("one", "two", "both"))
    text = "pid: 5\npart: %d\nthread: %d\n" + BODY[19:] + "1 2 3\n"
    for parts, good, what in ((((1, 1), (1, 2)), True, ""), (((1, 1), (2, 1)), True, ""),
                              (((1, 1), (1, 1)), False, "part 1 of thread 1 is in")):
        write(a, text % parts[0])
        write(b, text % parts[1])
        status, out, err = tool("text", profile, a, b)
        check((status == 0) == good and what in err, "two files %s: %s%s" % (parts, out, err))
    write(b, text.replace("pid: 5", "pid: 6") % (2, 1))
    status, _, err = tool("text", profile, a, b)
    check(status == 1 and b + ":1: process 5 expected" in err, "another process: " + err)


# ------------------------------------------------------------------------------------------------ events, totals, names

def imported(work, text, warnings=0):
    profile = os.path.join(work, "given")
    status, out, err = tool("text", profile, write(os.path.join(work, "file"), text))
    check(status == 0 and "warnings %d\n" % warnings in out, "import: %s%s" % (out, err))
    return profile, out


def events(work):
    names = ["Ir", "IR", "line", "Memory_(bytes)", "a" * 60, "Ir_incl", "9lives", "AcCost2", "\u00e9", "Order", "-"]
    text = "# callgrind format\nevent: Order : what\t<is> it\nevent: Sum = Ir + 2 IR + 3*Order : a sum\n" \
        "event: Twice = 2 Sum\nevent: None = Ir + Nothing\nevent: CEst = Ir + 5 IR\nevents: %s\nfn=f\n1 %s\n" % (
            " ".join(names), " ".join(str(i + 1) for i in range(len(names))))
    profile, out = imported(work, text, 1)
    check("event None: 'Ir + Nothing' is no sum of events of the file" in out, "an impossible formula: " + out)
    rows = query(profile, "SELECT name, long_name, derived, formula FROM events")
    check([row[:2] for row in rows if not row[2]] == [
        ("Ir", "Instructions executed"), ("IR_2", "IR"), ("line_2", "line"), ("Memory_bytes", "Memory_(bytes)"),
        ("a" * 28, "a" * 60), ("Ir_incl_2", "Ir_incl"), ("_9lives", "9lives"),
        ("AcCostL", "LL temporal use: 1000 / touches"), ("event", "\u00e9"), ("Order", "what\t<is> it"),
        ("event_2", "-")], "names of events: %r" % rows)
    check([row for row in rows if row[2]] == [
        ("Sum", "a sum", 1, "Ir + 2 * IR_2 + 3 * Order"), ("Twice", "Twice", 1, "2 * Sum"),
        ("CEst", "CEst", 1, "Ir + 5 * IR_2")], "formulas: %r" % rows)
    row = query(profile, 'SELECT Ir, IR_2, line_2, "Order", Sum, Twice, CEst, Sum_incl FROM functions')[0]
    check(row == (1, 2, 3, 10, 35, 70, 11, 35), "values: %r" % (row,))


def totals(work):
    for stated, tag in (("1 3", "totals"), ("1 3", "summary"), ("0 2", "summary")):
        _, out = imported(work, BODY + "7 1 2\n%s: %s\n" % (tag, stated), 1)
        check("file:5: '%s:' says that " % tag in out and "the costs add up to" in out, "wrong totals: " + out)
    imported(work, BODY + "7 1 2\ntotals: 1 2\nsummary: 1 2\n")
    imported(work, GRIND + "7 1 2\nsummary: 1 2\n")
    imported(work, GRIND + "7 1 2\nsummary: 1 1\n", 1)
    profile, _ = imported(work, GRIND + "7 1 .\n8 2 0\nsummary: 3 0\n")
    check(query(profile, "SELECT line, Ir, Dr FROM lines ORDER BY line") == [(7, 1, None), (8, 2, 0)],
          "what cannot occur is told apart from 0")
    profile, _ = imported(work, BODY + "7 1\n")
    check(query(profile, "SELECT line, Ir, Dr FROM lines") == [(7, 1, 0)], "counts left out are 0")
    profile, _ = imported(work, "desc: I1 cache:         32768 B, 64 B, 8-way associative\n" + GRIND +
                          "7 1\nsummary: 1 0\n")
    check(query(profile, "SELECT value FROM meta WHERE key = 'cache.I1'") == [("32768,8,64",)], "caches")
    described = "desc: LL cache: 65536 B, 64 B, 16-way associative, rrip\n"
    profile, _ = imported(work, described + GRIND + "7 1\nsummary: 1 0\n")
    check(query(profile, "SELECT value FROM meta WHERE key = 'cache.LL'") == [("65536,16,64,rrip",)], "a policy")
    check(described in tool("export", "cachegrind", profile)[1], "a policy is exported")
    profile, _ = imported(work, BODY.replace("\n", "\r\n") + "7 1 2\r\n")
    check(query(profile, "SELECT function, Dr FROM functions") == [("f", 2)], "carriage returns")
    text = BODY + "1 1\nfn=f'2\n2 2\nfn=g'x\n3 4\n"
    profile, _ = imported(work, text)
    check(query(profile, "SELECT function, base, context, Ir FROM functions ORDER BY Ir") ==
          [("f", "f", None, 1), ("f'2", "f", "'2", 2), ("g'x", "g'x", None, 4)], "levels of recursion")


def inlined(work):
    """Code from another file is the function's, there and back; in Cachegrind's format under the other file."""
    profile, _ = imported(work, HEAD + "fl=a.c\nfn=f\n1 1 2\nfi=b.c\n3 4 5\nfe=a.c\n2 1\nfn=g\n9 1 1\n")
    check(query(profile, "SELECT function, file, Ir, Dr FROM functions ORDER BY id") ==
          [("f", "a.c", 6, 7), ("g", "a.c", 1, 1)], "inlined code: functions")
    _, out, _ = tool("export", "cachegrind", profile)
    check(out == "cmd: ???\nevents: Ir Dr\nfl=a.c\nfn=f\n1 1 2\n2 1 0\nfn=g\n9 1 1\nfl=b.c\nfn=f\n3 4 5\n"
          "summary: 7 8\n", "inlined code: cachegrind: " + out)
    profile, _ = imported(work, HEAD + "fl=a.c\nfn=f\n1 1 2\nfi=b.c\n3 4 5\n")
    _, out, _ = tool("export", "cachegrind", profile)
    check("fl=b.c\nfn=f\n3 4 5\n" in out, "a file of one function: " + out)


HOSTILE = ["a\"b'c", "<script>", "\x1b[31mred", "x;y z", "(below main)", "(1", "fn=f", "\udcff\udcfe", "\u00fc" * 50,
           "_Z" + "N" * 65534, "a" * 65536, "operator()(int)", "f(int, char)'", "'2", "{lambda()#1}::operator()"]


def hostile(work):
    body = "".join("fn=%s\n%d 1 %d\n" % (name, i + 1, i) for i, name in enumerate(HOSTILE))
    profile, _ = imported(work, HEAD + "fl=/a\x07b/<c>\n" + body)
    want = [name.encode("utf-8", "surrogateescape").replace(b"\xff", b"\\xff").replace(b"\xfe", b"\\xfe").decode()
            for name in HOSTILE]
    check([row[0] for row in query(profile, "SELECT symbol FROM functions ORDER BY Dr")] == want, "hostile names")
    for form in ("callgrind", "cachegrind"):
        status, out, err = tool("export", form, profile)
        check(status == 0 and all(c >= " " or c == "\n" for c in out), "%s: a line stays a line: %s" % (form, err))
        again, _ = imported(work, out)
        check(len(query(again, "SELECT 1 FROM functions")) == len(HOSTILE), "%s: hostile names, again" % form)
        check(query(again, "SELECT Ir, Dr FROM totals") == query(again, "SELECT sum(Ir), sum(Dr) FROM functions"),
              "%s: hostile names, totals" % form)


# ------------------------------------------------------------------------------------------------ round trips

def sums(profile, sql):
    """Rows whose first three columns are their key, summed; those without costs left out."""
    out = {}
    for row in query(profile, sql):
        add(out, row[:3], [value or 0 for value in row[3:]])
    return {key: row for key, row in out.items() if any(row)}


def round_trip(work, seed):
    raw, first = os.path.join(work, "raw"), os.path.join(work, "first")
    raw_make.Random(seed).write(raw)
    tool("import", raw, first)
    chosen = [row[0] for row in query(first, "SELECT name FROM events WHERE NOT derived AND type = 'INTEGER'")]
    self = ", ".join('"%s"' % event for event in chosen)
    incl = ", ".join('"%s_incl"' % event for event in chosen)
    totals_of = "SELECT 0, 0, 0, %s FROM totals" % self
    lines = "SELECT file, function, line, %s FROM lines" % self
    arcs = "SELECT caller, callee, 0, calls, %s FROM arcs WHERE caller IS NOT NULL" % incl
    code = "SELECT address, function, 0, %s FROM instructions" % self
    for form, more, same in (("callgrind", [], (totals_of, lines, arcs)),
                             ("callgrind", ["instructions=1"], (totals_of, lines, arcs, code)),
                             ("cachegrind", [], (totals_of, lines))):
        profile = first
        for times in ("once", "twice"):
            status, out, err = tool("export", form, profile, "events=" + ",".join(chosen), *more)
            check(status == 0, "%s: %s" % (form, err))
            profile, _ = imported(work, out)
            for sql in same:
                check(sums(first, sql) == sums(profile, sql),
                      "seed %d, %s%s, %s: %s" % (seed, form, more, times, sql.split(" FROM ")[1]))


# ------------------------------------------------------------------------------------------------ differences

def differences(work):
    """Counts below 0, and what a file says of its two sides; exported and read again, all is as it was."""
    text = ("desc: Files compared: a.out; b;c.out\ncmd: a; b\nevents: Ir Dr\nfl=x.c\nfn=f\n"
            "1 -5 9223372036854775807\n2 3 0\nfn=g\n7 -9223372036854775807 -9223372036854775807\n"
            "8 -9223372036854775807 1\nsummary: -9223372036854775807 1\n")
    sides = [("diff.baseline", "a.out"), ("diff.new", "b;c.out")]
    paths, least = [os.path.join(work, name) for name in ("difference", "profile", "again")], 1 - (1 << 63)
    write(paths[0], text)
    for path, profile in ((paths[0], paths[1]), (paths[0] + ".cg", paths[2])):
        status, _, err = tool("text", profile, path)
        check((status, err) == (0, ""), "a difference is read: " + err)
        found = query(profile, "SELECT key, value FROM meta WHERE key LIKE 'diff.%' ORDER BY key")
        check(found == sides, "its sides: %r" % found)
        check(query(profile, "SELECT line, Ir, Dr FROM lines ORDER BY line") ==
              [(1, -5, -least), (2, 3, 0), (7, least, least), (8, least, 1)], "its lines")
        check(query(profile, "SELECT Ir, Dr FROM totals") == [(least, 1)], "its sums stop at the ends")
        write(paths[0] + ".cg", tool("export", "cachegrind", profile)[1])
    check(tool("export", "cachegrind", paths[1])[1] == tool("export", "cachegrind", paths[2])[1], "the same text")
    calls = ("# callgrind format\nevents: Ir\nfn=main\n1 -5\ncfn=f\ncalls=-3 1\n2 -10\nfn=f\n1 -10\n")
    check(tool("text", paths[1], write(paths[0], calls))[0] == 0, "calls of a difference")
    check(query(paths[1], "SELECT function, Ir, Ir_incl, calls FROM functions ORDER BY Ir") ==
          [("f", -10, -10, -3), ("main", -5, -15, 0)], "functions of a difference")
    check(query(paths[1], "SELECT value FROM meta WHERE key LIKE 'diff.%' ORDER BY key") == [("???",), (paths[0],)],
          "sides that nobody has named")


def main():
    with tempfile.TemporaryDirectory() as work:
        for seed in range(40 * int(os.environ.get("TENURE_SOAK", "1"))):
            random_files(work, seed)
        refusals(work)
        several_files(work)
        events(work)
        totals(work)
        inlined(work)
        differences(work)
        hostile(work)
        for seed in range(6 * int(os.environ.get("TENURE_SOAK", "1"))):
            round_trip(work, seed)
    return verdict.finish()


sys.exit(main())
