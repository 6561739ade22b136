# SPDX-License-Identifier: GPL-2.0-or-later
# What threads share: as text and as JSON, with a hostile name; what is refused where nobody looked.
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
python3 - <<'END'
import os
import sys
sys.path.insert(0, os.path.dirname(os.environ["RAW_MAKE"]))
import raw_make

raw = raw_make.Raw()
raw.meta("cmd", "./share")
raw.meta("coherence", "mesi")
raw.meta("cache.D1", "32768,8,128")
raw.events(raw_make.IMMEDIATE, raw_make.FETCH, raw_make.DATA + ["D1cr", "D1cw", "D1fr", "D1fw"])
raw.object(1, "/nowhere/share", 0x1000, 0x2000)
for i, name in enumerate(("left", "right", "\x1b[31mred\n<b>"), 1):
    raw.function(i, 1, 0x1000 * i, 0x100, name)
    raw.instr(i, 0x1000 * i, 4, i, 0, 1, 1)
raw.thread(1, 1)
raw.data_object(1, 3, 0, 0, 0x4000, 16, "counters", "/nowhere/share")
raw.data_object(2, 4, 0, 1)
for part in (1, 2):
    late = {0: 80, 18: 60, 19: 3, 20: 50}
    for i in (1, 2, 3):
        raw.self_cost(1, i, [100, 100, 100, 0, 0, 0, 0])
        raw.late_cost(1, i, 1, late, 1)
    raw.sharing(1, 2, 1, 40, 39, 1, 0xf, 0xf0)
    raw.sharing(2, 1, 1, 40, 40, 0, 0x3c, 1 << 63)
    raw.sharing(3, 3, 2, 7, 0, 7, 0xff, 0xff)
    raw.sharing(0, 0, 0, 1, 0, 1, 0, 0)
    cost = raw_make.costs([100, 100, 100, 0, 0, 0, 0], {}, late)
    for i in (1, 2, 3):
        raw.node(i, 0, 0, i, 1, 1, cost)
        raw.func_cost(i, 1, cost, cost)
    raw.end("request" if part == 1 else "exit")
raw.save("tenure.out.1")
END
COLUMNS=150 try report --sharing
COLUMNS=80 try report --sharing --threshold=10
try report --sharing --limit=1 --json
try sql "SELECT writer, victim, data, misses, false_sharing, true_sharing, written, touched FROM sharing"
try sql "SELECT D1cr, D1cw, D1fr, D1fw, D1fr_incl FROM functions"
try report --sort=D1fr --show=D1fr,D1cr --limit=1
try report --sharing --sort=D1fr
try report --sharing --data --sort=D1fr --show=D1fr --limit=1
tenure import -q -o valgrind tenure.out.1
python3 -c "import sqlite3; d = sqlite3.connect('valgrind'); \
    d.executescript(\"REPLACE INTO meta VALUES('engine', 'valgrind'); INSERT INTO threads(id) VALUES(9)\")"
try report --sharing --limit=1 valgrind
try report --advice valgrind
python3 "$RAW_MAKE" small small.raw
try report --sharing small.raw
