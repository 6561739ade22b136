# SPDX-License-Identifier: GPL-2.0-or-later
# Functions kept apart by callers and recursion: the options, and how reports and exports name contexts.
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
echo "== options"
python3 "$RAW_MAKE" contexts contexts.raw
FAKE_RAW="$PWD/contexts.raw" FAKE_ARGV=yes tenure record -q -o p --I1=32K,8,64 --D1=32K,8,64 --LL=1M,16,64 \
    --separate-callers=2 --separate-callers10='f*' --separate-callers 3=g --separate-recs3=h --separate-recs 4 true
for option in callers=101 callers=-1 callers=x callers= callers=2= callers2= callers200=f callers2x=f recs=0 recs0=f \
    recs=2,3 threads=yes; do
    try record --separate-$option true
done
try record --separate-callers
echo "== names"
tenure import -q contexts.raw -o tenure.out.1
try report --sort=Ir_incl --show=Ir,Ir_incl
try report --function=g --show=Ir
try report --callers="g'f(int)" --show=Ir
try report --callees='f(int)' --show=Ir
try report --function=f --show=Ir
try report --function=_Z1fi --show=Ir --limit=2
try report --json --callers='g*' --show=Ir
try report --tree --threshold=0
try export --format=callgrind --events=Ir tenure.out.1
try export --format=callgrind --mangled --events=Ir tenure.out.1 | grep fn=
try export --format=folded tenure.out.1
try export --format=csv --table=functions --events=Ir tenure.out.1
try export --format=csv --table=instructions --events=Ir tenure.out.1
try export --format=json --events=Ir tenure.out.1
try sql tenure.out.1 'SELECT base, base_id, count(*), sum(calls), sum(Ir) FROM functions GROUP BY base_id'
try sql tenure.out.1 'SELECT address, base, sum(Ir) FROM instructions GROUP BY address'
