# SPDX-License-Identifier: GPL-2.0-or-later
# Annotated sources of a profile that annotate_make.py puts together, wide and narrow, as text and as JSON.
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
part() { # part HEADING OPTIONS...: one section
    heading=$1
    shift
    echo "== $*"
    tenure "$@" | sed -n "/^== $heading/,/^== /p" | sed '1p;/^== /d'
}
python3 "$ANNOTATE_MAKE" tenure "$RAW_MAKE" tenure.out.1
python3 "$ANNOTATE_MAKE" tenure "$RAW_MAKE" difference negative
mkdir -p sub inc/sub
awk 'BEGIN { for (i = 1; i <= 60; i++) print (i % 7 ? "/* main " i " */" : "") }' >main.c
printf 'inline int vec_get(const int *v)\n{\n\treturn v[0];\n}\n' >inc/vec.h
printf '_fast:\n\tmov %%rax, (%%rdi)\n\tnop\n\tret\n' >fast.s
touch -d 2001-01-01 main.c inc/vec.h fast.s
unset COLUMNS
echo "== everything"
tenure annotate tenure.out.1 --show=Ir,Ir_incl,Dr,D1mr,Dw,D1mw,D1rate,CEst -I inc --context=2
echo "== narrow"
COLUMNS=90 tenure annotate tenure.out.1 --context=1 --threshold=20
COLUMNS=60 tenure annotate tenure.out.1 --context=1 --threshold=60 --auto=no
part File annotate --sort=D1mr:20,D1mw:90 --show=Ir,D1mr,D1mw --percentages=no
part File annotate --sort=D1mr:20,D1mw:90 --show=Ir,D1mr,D1mw
part Function annotate --sort=D1rate:50 --show=D1rate,Ir --percentages=no
part User annotate --show=Ir --context=0 tenure.out.1 ./sub/../main.c
part User annotate --show=Ir --context=18446744073709551615 tenure.out.1 'ma*.c' --auto
part Auto annotate --show=Ir --file-map /build/inc=inc --threshold=50
part Auto annotate --show=Ir --file-map=/build=nowhere --file-map=/other=inc --include=inc --threshold=50
touch -d 2100-01-01 main.c
part User annotate --show=Ir --context=0 tenure.out.1 main.c
rm main.c
part Files annotate --show=Ir
part What annotate --show=Ir,Ir_incl
part User annotate --show=Ir,Ir_incl -d tenure.out.1 main.c fast.s
part User annotate --show=Ir,Ir_incl --calls --context=0 tenure.out.1 kept.c fast.s inc/vec.h -I inc
echo "== formulas"
part Summary annotate --define 'mpki=1000 * D1m / Ir' --define 'D1m=D1mr + D1mw' --show=mpki
part Summary annotate --define 'D1m=D1mr + D1mw' --define 'mpki=1000*D1m/Ir' --show=mpki,mpki_incl,D1m
part File annotate --define 'none=1/(Ir - Ir)' --define 'w=Dw*2' --show=Ir,none,w --sort=w:10
part Summary annotate --weights=L1m=0 --show=CEst
echo "== differences"
tenure annotate difference --show=Ir,Ir_incl,D1mr --sort=Ir --auto=no
echo "== JSON"
tenure annotate --json --show=Ir,D1rate --threshold=30 --context=0 -I inc | python3 -m json.tool --compact
tenure annotate --json --show=Ir,Ir_incl --threshold=99 -d --calls tenure.out.1 fast.s kept.c | grep -A9 '^"sources'
echo "== refusals"
try annotate tenure.out.1 nosuch.c
try annotate --show=Irr
try annotate --show=
try annotate --sort=Ir:x
try annotate --sort=Ir:-1
try annotate --sort=,
try annotate --define Ir=1
try annotate --define 'a=(Ir'
try annotate --threshold=101
try annotate --sort=Ir,D1mr:100.5
try annotate --file-map=x
try annotate --auto=maybe
try annotate --inclusive
try annotate main.c
