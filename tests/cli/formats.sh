# SPDX-License-Identifier: GPL-2.0-or-later
# Files of Callgrind and Cachegrind: imported, reported as they are, refused; the export for cg_annotate.
try() {
    echo "== $*"
    tenure "$@"
    echo "-> $?"
}
part() {
    printf '# callgrind format\npid: 7\ncmd: ./a\npart: %d\nthread: %d\nevents: Ir Dr\n' "$1" "$2"
    printf 'fl=(1) a.c\nfn=(1) main\n3 %d 2\n' "$3"
    printf 'cfn=(2) f\ncalls=2 9\n+1 20 4\n\nfn=(2)\n9 20 4\ntotals: %d 6\n' "$4"
}
part 1 1 10 30 >callgrind.out.7.1-01
part 1 2 5 25 >callgrind.out.7.1-02
part 2 1 1 20 >wrong
try report callgrind.out.7.1-01
try import callgrind.out.7.1-01 callgrind.out.7.1-02 -o both
try sql both 'SELECT function, Ir, Ir_incl, calls FROM functions'
try report --threads both
part 1 0 10 30 >callgrind.out.7.1-00
try report --threads callgrind.out.7.1-00
try report --tree both
try import callgrind.out.7.1-01 callgrind.out.7.1-01 -o twice
try import callgrind.out.7.1-01 both -o mixed
try import wrong
try import wrong -o wrong
try export --format=folded both
try export --format=folded --weights=L1m=3 both
try export --format=folded --weights=L1m=3 --events=CEst both
try export --format=csv --table=meta --events=Ir both
try export --format=csv --table=totals --events=Ir,all both
try export --format=cachegrind both -o cachegrind.out
cat cachegrind.out
try report --show=Ir,Ir_incl cachegrind.out
try report --limit=1 cachegrind.out
try report --tree cachegrind.out
try export --format=cachegrind --events=CEst cachegrind.out
printf 'events: Time_(10ns) \033[31m\nfn=a\033[31mb\n1 5 6\n2 7\n' >other
try report other
try info other
printf 'events: Ir\nfn=a\n1 x\n' >bad
try report bad
try import bad
ls
# Messages name the file that was given, not what was made of it.
try report --data both
try report --advice both
try merge both other -o sum
try merge other both -o sum
tenure diff -o differ callgrind.out.7.1-01 callgrind.out.7.1-02 >/dev/null
try sql differ "SELECT * FROM meta WHERE key LIKE 'diff.%' ORDER BY key"
