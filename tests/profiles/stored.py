#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
stored.py: raw profiles that were written once and are kept, and what must come of them.

    stored.py [--regenerate] TP_TOOL

stored/format-N.hex is a raw profile of format N. That of this version's format is imported, and every row of every
view is compared with stored/views.txt; those of other formats are refused in one line that says which. So a change
of the format that does not change its number is seen, and so is one of the schema. --regenerate writes the raw profile
if there is none of this format, and the views anew: read the difference before you keep it, and leave the older raw
profiles as they are. A profile of another version of the schema is refused by every reader, too.
"""
import glob
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import raw_make
from raw_make import costs
import verdict
from verdict import check

FETCH = ["I1mr", "ILmr", "SpLossI1", "UseI1", "SpLossL"]
DATA = ["D1mr", "D1mw", "DLmr", "AcCostD1", "SpLossD1", "UseD1", "-", "SpLossL"]
VIEWS = os.path.join(HERE, "stored", "views.txt")


def this_format():
    with open(os.path.join(HERE, "..", "..", "core", "raw_format.h"), encoding="ascii") as header:
        return int(re.search(r"TN_RAW_VERSION = (\d+)", header.read()).group(1))


def example():
    """main calls f (a C++ name), which calls itself; a handler in thread 1; thread 2 runs f; two parts."""
    raw = raw_make.Raw()
    raw.meta("cmd", "./stored \\ \u00e9")
    raw.meta("cache.D1", "32768,8,64")
    raw.events(["Ir", "Dr", "Dw", "Bc", "Bcm"], FETCH, DATA)
    raw.object(1, "/nowhere/stored", 0x1000, 0x2000, -0x1000, bytes(range(20)))
    raw.object(2, "[vdso]", 0x9000, 0x1000)
    for i, (name, obj) in enumerate((("main", 1), ("_ZN4shop1fEi", 1), ("handler", 2), ("0x9100", 2)), 1):
        raw.function(i, obj, 0x1000 * i, 0x100, name)
    raw.context(5, 2, 2, (1,))
    for i, (address, context, flags, reads, writes) in enumerate(
            ((0x1000, 1, raw_make.CALL, 0, 1), (0x2000, 2, raw_make.COND, 1, 0), (0x2004, 2, raw_make.CALL, 0, 1),
             (0x2000, 5, raw_make.COND, 1, 0), (0x3000, 3, 0, 1, 1)), 1):
        raw.instr(i, address, 4, context, flags, reads, writes)
    raw.thread(1, 4242)
    raw.thread(2, 4243, 1)
    raw.arc(1, 1, 1, 2)
    raw.arc(2, 3, 2, 5)
    raw.origin(1, 0, 0, 1)
    raw.origin(2, 1, 1, 2)
    raw.data_object(1, 1, 2, element=24, lead=8, type=0x1234, typed_by=2)
    raw.data_object(2, 3, 0, 0, 0x4000, 8, "_ZN4shop5tableE", "/nowhere/stored")
    raw.data_object(3, 4, 0, 2)
    for part in (1, 2):
        raw.self_cost(1, 1, [10 * part, 0, 10 * part, 0, 0])
        raw.self_cost(1, 2, [7 * part, 7 * part, 0, 7 * part, part])
        raw.self_cost(1, 3, [7 * part, 0, 7 * part, 0, 0])
        raw.self_cost(1, 4, [3, 3, 0, 3, 1])
        raw.self_cost(1, 5, [5, 5, 5, 0, 0])
        raw.self_cost(2, 2, [1, 1, 0, 1, 0])
        late = {0: 3 * part, 2: 2, 3: 21845333, 4: 56, 5: 72, 7: 1 << 40}
        raw.late_cost(1, 2, 1, late, 1)
        raw.data_at(1, 0, {5: 40 * part, 4: 20 * part})
        raw.data_at(1, 1 + part, {0: 2, 1: 1, 5: 16, 4: 1, 7: 4})
        raw.data_at(1, 25, {0: 1, 5: part, 4: 3})
        raw.data_blocks(1, 5 * part, 4, 640 * part, 128)
        raw.sharing(1, 2, 1, 4 * part, 2, 2 * part, 0xff << 8 * part, 0xf0)
        raw.strides(1, 2, 20 * part, 1, {1024: 15 * part, -8: 2}, 1)
        raw.sets(1, 2, 1, 0, {0: 12 * part, 32: 1}, 1)
        raw.sets(1, 1, 0, 1, {63: part})
        raw.pair(2, 1, 2, 5 * part, 4 * part, 800 * part, {7: 3 * part, 8: part}, evictor_data=2, data=1)
        raw.pair(0, 0, 1, 2, 0, 0, {}, kind=0, level=1)
        raw.pair(0, 0, 0, part, 0, 0, {}, kind=0)
        raw.reuse(1, 2, 6 * part, 30 * part, {2: 5 * part, 3: part}, data=1)
        raw.reuse(0, 0, 1, 2, {1: 1}, kind=0)
        raw.late_cost(1, 1, 0, {0: 1, 1: 1, 2: 48, 3: 16, 4: 32})
        one, two = [10 * part, 0, 10 * part, 0, 0], [14 * part, 7 * part, 7 * part, 7 * part, part]
        three, four, five = [3, 3, 0, 3, 1], [5, 5, 5, 0, 0], [1, 1, 0, 1, 0]
        below = [x + y for x, y in zip(two, three)]
        every = [x + y for x, y in zip(one, below)]
        fetch = {0: 1, 1: 1, 2: 48, 3: 16, 4: 32}
        raw.node(1, 0, 0, 1, 1, 1, costs(one, fetch))
        raw.node(2, 1, 1, 2, 1, 2, costs(two, None, late))
        raw.node(3, 2, 2, 5, 1, 1, costs(three))
        raw.node(4, 3, 2, 5, 1, 4, costs([0] * 5), raw_make.ALIAS)
        raw.node(5, 0, 0, 3, 1, 1, costs(four), raw_make.HANDLER)
        raw.node(6, 0, 0, 2, 2, 1, costs(five), raw_make.PRUNED if part == 2 else 0)
        raw.node_data(2, 1, late)
        raw.node_data(6, 2, {0: part})
        raw.func_data(3, 3, {0: 2, 3: 1000, 5: part})
        raw.arc_cost(1, 2, costs(below, None, late))
        raw.arc_cost(2, 5, costs(three))
        raw.func_cost(1, 1, costs(one, fetch), costs(every, fetch, late))
        raw.func_cost(2, 3, costs([x + y for x, y in zip(two, five)], None, late),
                      costs([x + y for x, y in zip(below, five)], None, late))
        raw.func_cost(5, 5, costs(three), costs(three))
        raw.func_cost(3, 1, costs(four), costs(four))
        begin = 100 * part
        raw.interval(begin, 30, 1000 * begin, 20000, costs(every, fetch), [(2, costs(two)), (1, costs(one, fetch))])
        used = costs([0] * 5, None, late)
        raw.interval(begin + 30, 0, 1000 * begin + 20000, 5, used, [(2, used)])
        raw.label(begin + 10, 1000 * begin + 7000, "part %d\x1b" % part)
        raw.stat("nodes", 6 * part)
        raw.end("request" if part == 1 else "exit")
    return bytes(raw.out)


def stored_path(number):
    return os.path.join(HERE, "stored", "format-%d.hex" % number)


def read_hex(path):
    with open(path, encoding="ascii") as file:
        return bytes.fromhex(file.read())


def write_hex(path, data):
    text = data.hex()
    with open(path, "w", encoding="ascii") as file:
        file.write("".join(text[i:i + 100] + "\n" for i in range(0, len(text), 100)))


def shown(value):
    return "%.9g" % value if isinstance(value, float) else str(value)


def dump(profile):
    """Every row of every view and small table: one value to a line, NULL left out."""
    out = []
    with sqlite3.connect(profile) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND "
                                              "name NOT LIKE 't\\_%' ESCAPE '\\' ORDER BY name")]
        out.append("schema %d" % db.execute("PRAGMA user_version").fetchone()[0])
        for name in names:
            cursor = db.execute('SELECT * FROM "%s"' % name)
            columns = [column[0] for column in cursor.description]
            out.append("%s: %s" % (name, columns[0]))
            out += ["    " + column for column in columns[1:]]
            for number, row in enumerate(cursor, 1):
                if name == "meta" and row[0] == "import.version":
                    continue
                out.append("%s row %d" % (name, number))
                out += ["    %s %s" % (c, shown(v)) for c, v in zip(columns, row) if v is not None]
    return "\n".join(out).replace("\t", "\\t") + "\n"


def tool(*arguments):
    done = subprocess.run([sys.argv[-1], *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def imported(data, work):
    raw, profile = os.path.join(work, "raw"), os.path.join(work, "profile")
    with open(raw, "wb") as file:
        file.write(data)
    return tool("import", raw, profile), profile


def check_current(work):
    (status, message), profile = imported(read_hex(stored_path(this_format())), work)
    check(status == 0, "the stored raw profile is read: " + message)
    with open(VIEWS, encoding="utf-8") as file:
        expected = file.read().split("\n")
    got = dump(profile).split("\n")
    different = [i for i in range(min(len(got), len(expected))) if got[i] != expected[i]]
    check(got == expected, "views: line %d: %r, stored %r; %d lines, stored %d" %
          ((different[0] + 1, got[different[0]], expected[different[0]], len(got), len(expected)) if different else
           (min(len(got), len(expected)), "", "", len(got), len(expected))))
    for version in (0, 1, 99):
        with sqlite3.connect(profile) as db:
            db.execute("PRAGMA user_version = %d" % version)
        db.close()
        status, message = tool("export", "json", profile)
        check(status == 1 and message.count("\n") == 1 and "schema version %d," % version in message,
              "a profile with schema version %d: %s" % (version, message))


def main():
    number = this_format()
    if "--regenerate" in sys.argv and not os.path.exists(stored_path(number)):
        write_hex(stored_path(number), example())
    with tempfile.TemporaryDirectory() as work:
        if "--regenerate" in sys.argv:
            (status, message), profile = imported(read_hex(stored_path(number)), work)
            with open(VIEWS, "w", encoding="utf-8") as file:
                file.write(dump(profile))
            return status
        check(os.path.exists(stored_path(number)), "a raw profile of format %d is stored (--regenerate)" % number)
        if not verdict.failed:
            check_current(work)
        for path in glob.glob(os.path.join(HERE, "stored", "format-*.hex")):
            old = int(re.search(r"format-(\d+)", path).group(1))
            if old == number:
                continue
            (status, message), profile = imported(read_hex(path), work + "/")
            check(status == 1 and message.count("\n") == 1 and "format %d, this Tenure reads format %d" % (old, number)
                  in message, "a raw profile of format %d: %s" % (old, message))
    return verdict.finish()


sys.exit(main())
