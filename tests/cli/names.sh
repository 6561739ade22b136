# SPDX-License-Identifier: GPL-2.0-or-later
# Names that are long or not there, at three widths; and a profile without cache simulation.
cat >make.py <<'END'
import os
import sys
sys.path.insert(0, os.path.dirname(os.environ["RAW_MAKE"]))
import raw_make

def row(ir, reads, misses, used, touched):
    """Reads of 64-byte lines, of which `used` bytes were touched `touched` times together."""
    imm = [ir, reads, 0, 0, 0, 0, 0]
    if not misses:
        return imm, {}
    loss = misses * 64 - used
    return imm, {0: misses, 2: misses * 1000 * raw_make.UNIT, 3: loss, 4: misses, 5: touched, 6: touched, 7: used}

names = ["main", "0x15990", "_ZN9container5queueINS_7messageESaIS1_EE4pushERKS1_RNS_9allocatorIcEE"]
rows = [row(1000000, 200000, 10, 640, 1280), row(60000000, 20000000, 5000000, 40000000, 80000000),
        row(30000000, 9000000, 100000, 6400000, 64000000)]
for path, simulated in (("with", True), ("without", False)):
    raw = raw_make.Raw()
    raw.events()
    raw.meta("cmd", "/nowhere/bin/program --option")
    raw.meta("directory", "/nowhere")
    raw.meta("cache-sim", "yes" if simulated else "no")
    raw.object(1, "/nowhere/bin/program", 0, 1 << 20, 0)
    raw.object(2, "/nowhere/lib/libqueue.so.5.4.1", 1 << 20, 1 << 20, 1 << 20)
    raw.thread(1, 4242)
    own = [raw_make.costs(imm, None, data if simulated else None) for imm, data in rows]
    total = [sum(values) for values in zip(*(imm for imm, _ in rows))], {}
    for _, data in rows:
        for slot, value in data.items():
            total[1][slot] = total[1].get(slot, 0) + value
    total = raw_make.costs(total[0], None, total[1] if simulated else None)
    for i, name in enumerate(names, 1):
        raw.function(i, 1 if i == 1 else 2, i << 20, 16, name)
        raw.instr(i, i << 20, 4, i, raw_make.CALL, 1, 0)
    raw.arc(1, 1, 1, 2)
    raw.arc(2, 1, 1, 3)
    for i, (imm, data) in enumerate(rows, 1):
        raw.self_cost(1, i, imm)
        if simulated:
            raw.late_cost(1, i, 1, data)
        raw.node(i, 0 if i == 1 else 1, i - 1, i, 1, 7, own[i - 1])
        raw.func_cost(i, 7, own[i - 1], total if i == 1 else own[i - 1])
        if i > 1:
            raw.arc_cost(i - 1, 7, own[i - 1])
    raw.end()
    raw.save(path)
END
python3 make.py
for columns in 80 100 140; do
    echo "== $columns columns"
    COLUMNS=$columns tenure report with
done
echo "== what to type of a file whose name a shell would not take as it is"
cp with "a b;'c"
tenure report "a b;'c" | grep '^`'
echo "== the call tree"
COLUMNS=80 tenure report --tree with
echo "== a function by its offset, and by its shown name"
tenure report --function=0x15990 --show=Ir with
tenure report --callers='libqueue*' --show=Ir with
echo "== a C++ function by its name without arguments"
tenure report --function='*push' --show=Ir with
echo "== without cache simulation: no column, and no line, of misses"
tenure report without
tenure report --sort=D1mr without
tenure report --show=Ir,D1mrx with
echo "== as JSON, everything is there"
tenure report --json --limit=1 with | grep -o '"[A-Za-z0-9_]*": [^,]*' | tail -22
