# SPDX-License-Identifier: GPL-2.0-or-later
# diff: sides, tables, limits and their status, JSON, Markdown; what is refused; the difference as a profile.
python3 "$RAW_MAKE" small small.raw
tenure import -q small.raw
edit() { # NEW SQL [OF]: a copy of OF, or of `small`, after some SQL
    cp "${3:-small}" "$1"
    python3 -c "import sys, sqlite3; d = sqlite3.connect(sys.argv[1]); d.executescript(sys.argv[2]); d.commit()" \
        "$1" "$2"
}
edit more "UPDATE t_functions SET Ir = Ir + 1000, Ir_incl = Ir_incl + 2000, D1mr = D1mr - 50 WHERE function = 'f2';
    UPDATE t_functions SET function = 'f\`|<b>' || char(27, 10), base = 'x', symbol = 'x' WHERE function = 'f3';
    UPDATE t_totals SET Ir = Ir + 1000, D1mr = D1mr - 50;
    UPDATE t_lines SET Ir = Ir + 1000 WHERE function_id = (SELECT id FROM t_functions WHERE function = 'f2');
    UPDATE t_arcs SET Ir_incl = Ir_incl + 10, calls = calls + 1 WHERE id = 1"
edit noisy "UPDATE t_functions SET Ir = Ir + 3000 WHERE function = 'f2'; UPDATE t_totals SET Ir = Ir + 3000"
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
try diff small
try diff small small small
try diff -- small
try diff --json --markdown small more
try diff --html=- small more
try diff small nosuch
try diff --baseline=@nosuch small
try diff --mod-filename=s/a/b small more
try diff --mod-funcname='s/(/x/' small more
try diff --fail-on=Ir small more
try diff --fail-on='Ir@f1>1x' small more
try diff --fail-on='NoEvent@total>1' small more
try diff --fail-on='Ir@nobody>1' small more
try diff --fail-on='Ir@total>5%' small more
try diff --sort=NoEvent small more
try diff -o nowhere/x small more
try diff -o - small more
ln small linked
try diff -o linked small more
try diff -o ./more small more
try diff -o more small -- small more
cmp small linked
try diff --fail-on='NoRatio@total>1' small more
try diff --define='cost=Ir / Dr' --fail-on='cost@total>2%' small more
try diff --define='cost=Ir /' small more
try diff --sort=D1rate --show=cost --define='cost=10 * Dr / Ir' -n 2 --fail-on='D1rate@total>+0.0001' \
    --fail-on='cost@f2<+0.0001' --fail-on='D1rate@f2>50%' --fail-on='cost_incl@f*>1000' small more
try diff --limit=1 --show=Ir small more
try diff --sort=Ir --show=Ir_incl,D1mr small more
try diff --weights=Ir=0,L1m=1,LLm=0 --sort=CEst --show=L1m -n 2 small more
try diff --sort=Ir --show=Ir_incl --lines --arcs -n 2 small more
try diff --sort=Ir --show=D1mr small small
try diff --sort=Ir --show=Ir small noisy -- more
try diff --sort=Ir --show=Ir --baseline=small more noisy -n 1
edit owned "INSERT INTO t_data(kind, name, path, Dr)
    SELECT 'static', 'table (a.out)', path, 7000 FROM objects
    WHERE path LIKE '%/a.out';
    UPDATE t_functions SET function = 'a.out+0x12', base = 'a.out+0x12' WHERE function = 'f2';
    UPDATE t_functions SET function = 'f3''a.out+0x12''f1', context = 'a.out+0x12''f1' WHERE function = 'f3'"
edit was "UPDATE t_data SET name = 'table (v2)', path = replace(path, '/a.out', '/v2') WHERE kind = 'static';
    UPDATE objects SET path = replace(path, '/a.out', '/v2');
    UPDATE t_functions SET function = 'v2+0x12', base = 'v2+0x12' WHERE function = 'a.out+0x12';
    UPDATE t_functions SET function = 'f3''v2+0x12''f1', context = 'v2+0x12''f1' WHERE base = 'f3'" owned
try diff --data --sort=Dr --show=Dr -n 3 owned was
try diff --data --sort=Dr --show=Dr --mod-filename='s,/v2$,/a.out,' -n 3 owned was
try diff --sort=Ir --show=Ir --mod-funcname='s/^f([0-9]).*/g\1/' -n 1 small more
echo "== limits"
tenure diff --sort=Ir --show=Ir --fail-on='Ir@total>+1K' --fail-on='Ir@f2>=+1000' --fail-on='Ir_incl@f*>+1%' \
    --fail-on='D1mr@total<-10' --fail-on='Ir@f2>5%' --markdown small more
echo "-> $?"
tenure diff --sort=Ir --show=Ir -n 1 --fail-on='Ir@f2>+1' --json --lines --arcs -o difference small more >json
echo "-> $?"
python3 -c "import json; d = json.load(open('json')); d['totals'] = d['totals'][:1]; print(json.dumps(d, indent=1))"
try report --sort=Ir --show=Ir,Ir_incl,D1mr --limit=3 difference
try report --tree --sort=Ir difference
try merge -q -o twice difference difference
tenure sql twice "SELECT function, Ir, D1mr FROM functions WHERE function = 'f2'"
edit caches "INSERT INTO meta VALUES('cache.LL', '32,1,' || char(27)), ('index', 'physical'), ('prefetch', 'none')"
try diff --sort=Ir --show=Ir -n 1 small caches
edit caches "INSERT INTO meta VALUES('cache.LL', '| <b> \`x\`' || char(27)), ('sample', '8'), ('cache-sim', 'yes')"
try diff --markdown --sort=Ir --show=Ir -n 1 small caches
try diff --sort=Ir --show=Ir -n 1 small caches -- caches small
edit caches "INSERT INTO meta VALUES('cache.LL', '32,1,2'), ('cache-sim', 'no')"
try diff --sort=Ir --show=Ir -n 1 small caches
echo "== data structures"
edit before "UPDATE t_data SET name = 'f1 in f1 (f.c:12)' WHERE id = 10"
edit built "UPDATE objects SET build_id = '00' WHERE id = 1; UPDATE t_data SET D1mr = D1mr + 1000 WHERE id IN (10, 13);
    UPDATE t_data SET name = 'f1 in f1 (f.c:15)' WHERE id = 10;
    UPDATE t_data SET name = 'f9 in f3' WHERE name = 'f1 in f3';
    UPDATE t_data SET address = address + 64, size = 16, D1mr = D1mr - 5 WHERE name LIKE 'table%'"
edit none "DELETE FROM t_instruction_data; DELETE FROM t_data_offsets; DELETE FROM t_data_fields; DELETE FROM t_data"
try diff --data --sort=D1mr --show=D1mr_incl,SpLossD1 small small
try diff --data --sort=D1mr_incl --show=D1mr,SpLossD1 -n 5 before built
try diff --data --sort=D1mr --show=D1mr -n 1 --fail-on='D1mr@data:table>+5%' --fail-on='D1mr@data:table (a.out)<-9' \
    --fail-on='D1mr@data:f1 in f1>+1' --fail-on='D1mr@data:*f1*>=+1001' --fail-on='D1rate@data:stack*>99' before built
try diff --data --json --sort=D1mr --show=D1mr -n 1 --fail-on='D1mr@data:table>+1' before built |
    tail -n 7
try diff --data --markdown --sort=D1mr --show=D1mr -n 1 -o difference before built | tail -n 5
try sql difference "SELECT name, address, size, D1mr FROM data_objects WHERE D1mr <> 0"
try diff --data small none
try diff --fail-on='D1mr@data:table>1' none small
try diff --fail-on='D1mr_incl@data:table>1' small more
try diff --fail-on='D1mr@data:>1' small more
try diff --fail-on='D1mr@data:nothing>1' small more
try diff --fail-on='D1mr@data::f>1' small more
tenure diff small more >/dev/full
echo "-> $?"
