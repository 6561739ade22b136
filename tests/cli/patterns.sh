# SPDX-License-Identifier: GPL-2.0-or-later
# Strides between misses, kinds of misses, sets of conflicts: as text and as JSON, with a hostile name, of a difference;
# what is refused where nobody looked. Rows of one function or file.
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
cat >make.py <<'END'
import os
import sys
sys.path.insert(0, os.path.dirname(os.environ["RAW_MAKE"]))
import raw_make

out, times = sys.argv[1], int(sys.argv[2])
kinds = [kind + cache for cache in ("I1", "D1", "L") for kind in ("Cold", "Cap", "Conf")]
raw = raw_make.Raw()
raw.meta("cmd", "./stride")
raw.meta("patterns", "yes")
raw.meta("cache.D1", "32768,8,64")
raw.events(raw_make.IMMEDIATE, raw_make.FETCH + ["ColdI1", "ConfI1"], raw_make.DATA + ["ColdD1", "CapD1", "ConfD1"])
raw.object(1, "/nowhere/stride", 0x1000, 0x3000)
for i, name in enumerate(("column", "row", "\x1b[31mred\n<b>"), 1):
    raw.function(i, 1, 0x1000 * i, 0x100, name)
    raw.instr(2 * i - 1, 0x1000 * i, 4, i, 0, 1, 0)
    raw.instr(2 * i, 0x1000 * i + 4, 4, i, 0, 1, 0)
raw.thread(1, 1)
raw.data_object(1, 3, 0, 0, 0x4000, 1 << 20, "matrix", "/nowhere/stride")
raw.data_object(2, 4, 0, 1)
fetches, data = len(raw_make.FETCH), len(raw_make.DATA)
total = [0] * (data + 3)
for i in range(1, 7):
    late = {0: 1, data: 1, data + 1: 10 * i, data + 2: 100 * times if i < 3 else 5}
    total = [sum(pair) for pair in zip(total, (late.get(k, 0) for k in range(data + 3)))]
    raw.self_cost(1, i, [1000, 1000, 0, 0, 0, 0, 0])
    raw.late_cost(1, i, 1, late, 1 + (i > 4))
raw.late_cost(1, 3, 0, {fetches: 2, fetches + 1: 7})
raw.strides(1, 1, 200, 3, {4096: 150 * times, -64: 20}, 1)
raw.strides(1, 2, 100, 0, {4096: 100}, 1)
raw.strides(1, 3, 40, 0, {64: 39}, 1)
raw.strides(1, 5, 40, 8, {1 << 40: 9}, 2)
raw.sets(1, 1, 1, 0, {0: 90 * times, 32: 10 * times}, 1)
raw.sets(1, 2, 1, 0, {31: 60 * times, 33: 40 * times}, 1)
raw.sets(1, 5, 1, 0, {n: 1 for n in range(0, 64, 3)}, 2)
raw.sets(1, 3, 0, 0, {63: 7})
imm = [2000, 2000, 0, 0, 0, 0, 0]
for i in (1, 2, 3):
    raw.node(i, 0, 0, i, 1, 1, raw_make.costs(imm, {fetches: 2, fetches + 1: 7} if i == 2 else {},
                                              dict(enumerate(total)) if i == 1 else {}))
    raw.func_cost(i, 1, raw_make.costs(imm), raw_make.costs(imm))
raw.end("exit")
raw.save(out)
END
python3 make.py tenure.out.1 1
python3 make.py tenure.out.2 3
COLUMNS=150 try report --strides --sort=CapD1 tenure.out.1
COLUMNS=80 try report --strides --show=Dr,nothing --limit=2 tenure.out.1
COLUMNS=80 try report --strides --show=Dr,ColdD1 --limit=2 --in=col* tenure.out.1
try report --strides --limit=1 --json tenure.out.1
COLUMNS=150 try report --conflicts tenure.out.1
COLUMNS=80 try report --conflicts --threshold=10 --limit=2 tenure.out.1
try report --conflicts --sort=CapD1 --limit=1 --json tenure.out.1
try report --conflicts --in=row tenure.out.1
try report --in=row --show=Dr tenure.out.1
try report --in=nosuch --strides tenure.out.1
try report --in=row --tree tenure.out.1
try report --strides --sort=Dr_incl tenure.out.1
try diff -o change tenure.out.1 tenure.out.2
COLUMNS=150 try report --strides --conflicts change
python3 "$RAW_MAKE" small small.raw
try report --strides small.raw
try report --conflicts small.raw
tenure import -q -o long tenure.out.1
python3 -c "import sqlite3; d = sqlite3.connect('long'); \
    d.executescript(\"INSERT INTO events(name, derived, type) VALUES('E' || hex(zeroblob(10000)), 0, 'INTEGER')\")"
try report --strides long
