# SPDX-License-Identifier: GPL-2.0-or-later
# import, export, sql, info on a stored raw profile.
python3 "$RAW_MAKE" small small.raw
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
try import small.raw
try import -q small.raw -o other
cp small.raw raw
try import raw
try import raw -o raw
try import nosuch
try import small
try sql small
try help sql
try import -o nowhere/p small.raw
ls
try export --format=folded small
cp small far
python3 -c "import sqlite3; d = sqlite3.connect('far'); d.execute('UPDATE t_functions SET id = 1 << 52 WHERE id = 3'); \
    d.commit()"
try export --format=folded far
cp small twins
python3 -c "import sqlite3; d = sqlite3.connect('twins'); \
    d.execute('INSERT INTO objects (id, path) VALUES (9, ?)', ('/lib/b.so',)); \
    d.execute('UPDATE t_functions SET function = ?, symbol = NULL, object_id = 9 WHERE id = 3', ('f2',)); \
    d.commit()"
tenure export --format=callgrind --events=Ir twins | grep 'fn=.*f'
# Halves: what rounding owes does not make a cost negative.
cp small halves
python3 -c "import sqlite3; d = sqlite3.connect('halves'); d.execute('UPDATE t_lines SET AcCostI1 = 0, AcCostD1 = 0'); \
    d.execute('UPDATE t_lines SET AcCostD1 = 0.5 WHERE id = (SELECT min(id) FROM t_lines)'); d.commit()"
try export --format=cachegrind --events=AcCostD1 halves
try export --format=csv --table=totals --events=Ir,D1mr small -o totals.csv
cat totals.csv
try export --format=csv --table=nosuch small -o nothing
try export --format=folded --events=NoEvent small
try export --format=callgrind small -o nowhere/x
# A signal that ends it takes the unfinished file along.
{ sh -c 'ulimit -c 0; ulimit -f 1; exec tenure export --format=json small -o limited'; } 2>/dev/null
echo "-> $?"
# A limit on files is none on what is printed.
sh -c 'ulimit -c 0; ulimit -f 1; exec tenure report --limit=1000 small' | tail -1
tenure export --format=json small >/dev/full
echo "-> $?"
try export --format=csv small -o /dev/full
try export --format=folded small -o other
try export --format=json raw -o raw
ls
try sql small 'SELECT function, calls, Ir, AcCostD1 FROM functions ORDER BY id'
try sql --json small 'SELECT function, calls, NULL AS n FROM functions ORDER BY id LIMIT 2'
try sql --csv small 'SELECT function, "a,b" AS "x""y" FROM functions ORDER BY id LIMIT 2; SELECT 1'
try sql small "SELECT NULL AS a, 'b' AS b UNION ALL SELECT 12345, 6789 UNION ALL SELECT 'x', 2.5 UNION ALL SELECT .5, 0"
try sql --json small 'SELECT 1234567890123.4375 AS exact, 1.0 / 3 AS third, 0.1 AS tenth'
try sql --csv small 'SELECT 1234567890123.4375 AS exact, 1.0 / 3 AS third, 0.1 AS tenth'
try sql --json small 'CREATE TEMP TABLE t AS SELECT 1 AS one; SELECT * FROM t'
try sql --json small 'SELECT 1; SELECT 2'
try sql --json small 'SELECT 9e999 AS big, -9e999 AS small'
echo 'SELECT 1 + 1 AS two' | tenure sql small -
mixed='SELECT NULL AS a, 1 AS b UNION ALL SELECT 5, "x" UNION ALL SELECT 1.5, NULL UNION ALL SELECT "y", 9e999'
try sql small "$mixed"
try sql --json small "$mixed"
try sql --csv small "$mixed"
try sql small 'DELETE FROM meta'
for query in "VACUUM INTO 'written'" "ATTACH 'written' AS w" 'PRAGMA journal_mode = WAL' 'PRAGMA journal_mode' \
    'PRAGMA user_version = 3' "SELECT load_extension('written')" 'CREATE VIRTUAL TABLE temp.t USING rtree(a, b, c)'; do
    try sql small "$query"
done
test ! -e written && echo nothing written
try sql small 'PRAGMA user_version'
try sql small "SELECT name FROM pragma_table_info('totals') LIMIT 1"
try sql small 'CREATE TEMP TABLE t AS SELECT 1 AS one; UPDATE t SET one = 2; SELECT * FROM t'
try sql small 'SELECT nothing'
try info small
try info --json small
