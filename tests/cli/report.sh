# SPDX-License-Identifier: GPL-2.0-or-later
# Reports of a stored profile, wide and narrow, as text and as JSON.
python3 "$RAW_MAKE" small tenure.out.5
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
COLUMNS=200 tenure report
COLUMNS=80 tenure report
try report --sort=Ir --limit=2 --show=Ir,Ir_incl,spatialD1,D1rate
try report --sort=ir_INCL --show=Ir_incl --threshold=50
try report --sort=CEst --limit=2 --show=CEst --weights=L1m=0,Bm=1000
try report --weights=L3m=1
try report --define 'mpki=1000 * LLm / Ir' --sort=mpki --show=mpki,mpki_incl,Ir --limit=2
try report --define 'mpki=1000 * LLm / Ir' --sort=mpki --threshold=10000000000 --show=mpki
try report --define 'mpki=LLm /'
try report --define Ir=Ir
try report --tree --threshold=0
try report --function=f4
try report --callers=f4 --show=Ir
try report --callees='f*' --show=Ir
try report --threads --show=Ir,D1mr
try report --data --limit=4
try report --data --sort=D1mr --show=D1mr,DLmr,Ir_incl --limit=2
try report --data --threshold=10 --show=CEst
try report --data --sort=Ir_incl
try report --under=f4 --limit=3 --sort=D1mr
try report --under='f*' --show=D1mr,Ir_incl,spatialD1 --sort=D1mr --limit=3
try report --under=nothing
try report --under=f4 --sort=D1mr_incl
try report --json --under=f4 --limit=1 --show=D1mr --sort=D1mr
try report --fields='f2 in f4'
try report --json --fields='f5 in f1' --limit=1
try report --fields=nothing
try report --statements
try report --loops
try report --advice
try report --advice --threshold=0 --limit=2
try report --weights=L1m
try report --json --advice --threshold=0 --limit=1
try report --advice --advice-limits=spatial
try report --advice --advice-limits=nothing=1
try report --json --data --limit=1 --show=D1mr
try report --json --limit=1 --show=Ir
try report --json --tree
try report --json --callers=f4 --show=Ir
try report --csv --limit=2 --show=Ir
try report --csv --limit=1 --tree --callers=f4 --show=Ir
try report --threads --threshold=10 --show=Ir --sort=Ir
try report --callers=f4 --threshold=10 --show=Ir
try report --callers=f4 --threshold=40 --show=D1mr --sort=Ir
# What would have no effect.
try report --tree --limit=2
try report --tree --show=Ir
try report --timeline --show=Ir
try report --timeline --csv --limit=2
try report --balance --show=Ir
try report --fields='f2 in f4' --sort=Ir
try report --fields='f2 in f4' --threshold=5
try report --advice --sort=Ir
try report --advice --define=a=Ir
try report --advice --tree --show=Ir
try report --advice --tree --sort=Ir --limit=2 --threshold=90
try report --limit=0
try report --threshold=200
try report --advice --format=gcc --threshold=200
try diff --limit=0 tenure.out.5 tenure.out.5
try export --format=folded --threshold=101
try report --csv --json
try report --csv --advice
try report --sort=D1mrx
try report --show=Ir,nothing
try report --function=nosuch
try report --json --callees=nosuch
try report nosuch
echo "not a profile" >tenure.out.6
try report tenure.out.6
try report --show=Ir --limit=1
: >empty
try report empty
head -c 100 tenure.out.5 >cut
try report cut
mkdir elsewhere
cd elsewhere
try report
