# SPDX-License-Identifier: GPL-2.0-or-later
# merge: lists of inputs, what is refused, that nothing is left behind; the sum as other commands see it.
python3 "$RAW_MAKE" small small.raw
tenure import -q small.raw
python3 "$RAW_MAKE" random random.raw
tenure import -q random.raw
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
try merge small small
try merge -o sum
try merge -o sum --keep=host small
try merge -o sum small nosuch
try merge -o sum --from=nosuch
try merge -o nowhere/sum small
try merge -o / small
echo text >text
try merge -o sum small text
head -c 20000 small >cut
try merge -o sum small cut
edit() {
    cp small "$1"
    python3 -c "import sys, sqlite3; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()" "$1" "$2"
}
edit events "DELETE FROM events WHERE name = 'Ir'"
try merge -o sum small events
edit caches "INSERT INTO meta VALUES('cache.D1', '32768,8,64')"
try merge -o sum small caches
edit index "INSERT INTO meta VALUES('index', 'physical')"
try merge -o sum small index
try merge -o sum --keep=rank small
# An event that only one has, with the option that records it.
printf 'events: Ir\nfn=f\n1 1\n' >plain.callgrind
printf 'events: Ir Bc\nfn=f\n1 1 1\n' >branches.callgrind
tenure import -q -o plain plain.callgrind
tenure import -q -o branches branches.callgrind
try merge -o sum plain branches
try merge -o sum branches plain
ls
try merge -o sum small small random
tenure sql sum "SELECT function, calls, Ir, Ir_incl FROM functions WHERE function LIKE 'f_' ORDER BY function LIMIT 3"
tenure sql sum 'SELECT * FROM runs'
tenure report --limit=3 sum
printf 'small\n\nsmall.raw\n' >list
try merge -o listed @list random
try merge -o listed --from=- -q random <list
printf 'sm\0all\n' >list
try merge -o other @list
try merge -o other --from=/dev/zero
head -c 5000 /dev/zero | tr '\0' x >long
try merge -o other @long
cp small @odd
try merge -o sum ./@odd
try merge -o sum sum small
tenure sql sum "SELECT value AS runs FROM meta WHERE key = 'runs'"
ls
edit one "INSERT INTO meta VALUES('host', 'node1'), ('rank', '1')"
python3 -c "import sqlite3; d = sqlite3.connect('random'); \
    d.execute('INSERT INTO meta VALUES(?, ?), (?, ?)', ('host', 'evil\x1b[31m', 'rank', '2')); d.commit()"
try merge -q --keep=process -o units one random
try report --balance --limit=3 --sort=Ir_incl units
try report --balance --limit=2 --sort=AcCostD1 --json units
try merge -q --keep=thread -o threads one random
try report --balance --limit=2 --sort=Ir threads
try report --balance --limit=2 --sort=Ir random
try merge -q --keep=rank -o alone one
try report --balance alone
try report --balance --sort=spatialD1 units
try merge -q --keep=thread -o finer units
# Several runs of one rank are of that rank; of several ranks they are of none.
try merge -q -o runs one one
try merge -q --keep=rank -o ranks runs random
try report --balance --limit=2 --sort=Ir ranks
try merge -q --keep=process -o ranks runs random
try merge -q -o various one random
try merge -q --keep=rank -o ranks various
try merge -o - one
