# SPDX-License-Identifier: GPL-2.0-or-later
# Who loads lines again, who had thrown them out, and who uses lines first: as text and as JSON, with a hostile name,
# with what there was no room for, of a difference and of one function; what is refused where nobody looked, and of
# counts that have no sum in 64 bits.
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
raw = raw_make.Raw()
raw.meta("cmd", "./pairs")
raw.meta("interdependence", "yes")
raw.meta("cache.D1", "32768,8,64")
raw.events(raw_make.IMMEDIATE, raw_make.FETCH, raw_make.DATA)
raw.object(1, "/nowhere/pairs", 0x1000, 0x3000)
for i, name in enumerate(("left", "right", "\x1b[31mred\n<b>"), 1):
    raw.function(i, 1, 0x1000 * i, 0x100, name)
    raw.instr(2 * i - 1, 0x1000 * i, 4, i, 0, 1, 0)
    raw.instr(2 * i, 0x1000 * i + 4, 4, i, 0, 1, 0)
raw.thread(1, 1)
raw.data_object(1, 3, 0, 0, 0x4000, 1 << 20, "matrix", "/nowhere/pairs")
raw.data_object(2, 3, 0, 0, 0x200000, 1 << 20, "vec\x1b[1mtor", "/nowhere/pairs")
for part in ("request", "exit"):
    for i in range(1, 7):
        raw.self_cost(1, i, [1000, 1000, 0, 0, 0, 0, 0])
        raw.late_cost(1, i, 1, {0: 200 * times}, 1 + (i > 4))
    raw.pair(1, 3, 1, 100 * times, 90 * times, 90000 * times, {9: 80 * times, 10: 10 * times}, evictor_data=2, data=1)
    raw.pair(2, 4, 2, 10, 10, 100, {3: 10}, evictor_data=2, data=1)
    raw.pair(1, 5, 3, 50, 50, 1 << 40, {31: 50}, evictor_data=1, data=2)
    raw.pair(5, 6, 6, 7, 7, 7, {0: 7}, evictor_data=2, data=2, level=1)
    raw.pair(0, 0, 4, 3, 0, 0, {}, data=1)
    raw.pair(0, 6, 4, 2, 1, 64, {6: 1}, kind=0, level=1)
    raw.pair(0, 0, 0, 5, 2, 300, {7: 2}, kind=0)
    raw.reuse(1, 2, 60 * times, 120 * times, {1: 60 * times}, data=1)
    raw.reuse(1, 5, 9, 9000, {9: 9}, data=2)
    raw.reuse(0, 4, 4, 12, {1: 4}, kind=0, level=1)
    raw.reuse(0, 0, 2, 2, {0: 2}, kind=0)
    cost = raw_make.costs([2000, 2000, 0, 0, 0, 0, 0], {}, {0: 400 * times})
    for i in (1, 2, 3):
        raw.node(i, 0, 0, i, 1, 1, cost)
        raw.func_cost(i, 1, cost, cost)
    raw.end(part)
raw.save(out)
END
python3 make.py tenure.out.1 1
python3 make.py tenure.out.2 3
COLUMNS=150 try report --pairs tenure.out.1
COLUMNS=80 try report --pairs --threshold=4 --limit=3 tenure.out.1
try report --pairs --limit=1 --json tenure.out.1
try report --pairs --in=left tenure.out.1
try report --pairs --in=nosuch tenure.out.1
try report --pairs --in=left --tree tenure.out.1
try report --pairs --sort=Dr tenure.out.1
try sql tenure.out.1 "SELECT cache, evictor_data, data, misses, timed, mean_distance FROM data_pairs ORDER BY misses"
try diff -o change tenure.out.1 tenure.out.2
COLUMNS=150 try report --pairs change
try merge -o sum tenure.out.1 tenure.out.2
try sql sum "SELECT sum(misses), sum(timed), sum(distance) FROM pairs"
try sql sum "SELECT sum(lines), sum(distance) FROM reuses"
python3 "$RAW_MAKE" small small.raw
try report --pairs small.raw
cp sum damaged
python3 -c 'import sqlite3
db = sqlite3.connect("damaged")
db.execute("UPDATE t_reuses SET lines = 9223372036854775807")
db.commit()'
try report --pairs damaged
