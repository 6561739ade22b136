# SPDX-License-Identifier: GPL-2.0-or-later
# What record makes of what the engine leaves: names, totals, statuses, signals, raw files that are kept.
python3 "$RAW_MAKE" small small.raw
export FAKE_RAW="$PWD/small.raw"
try() {
    "$@"
    echo "-> $?"
}
echo "== options for the engine"
FAKE_ARGV=yes tenure record -q -o p --I1=16K,4,32 --D1 64K,8,64 --LL=1M,16,64 --branch-sim --paths=1K \
    --toggle-collect='f*' --fn-skip=g --trace-children -- sh -c 'echo "ran: $*"' sh -o x --help
echo "== totals and findings"
try tenure record -o p --I1=32K,8,64 --D1=32K,8,64 --LL=1M,16,64 sh -c 'echo output; echo errors >&2; exit 7'
echo "== no command's name"
try tenure -- sh -c 'exit 3' 2>/dev/null
try tenure sh -c 'exit 4' 2>/dev/null
echo "== the program dies"
sh -c 'tenure record -q -o p sh -c "kill -TERM \$\$"' 2>/dev/null
echo "-> $?"
sh -c 'tenure record -q -o p sh -c "kill -SEGV \$\$"' 2>/dev/null
echo "-> $?"
rm -f tenure.out.*
ls
echo "== names"
try tenure record -q -o 'a%%b.%q{FAKE_KIND}' true
FAKE_KIND=kind tenure record -q -o 'a%%b.%q{FAKE_KIND}.%n' true
ls
FAKE_CHILD=yes tenure record -q -o parent true
FAKE_CHILD=yes tenure record -q -o 'by.%p' true
ls | sed 's/by\.[0-9]*$/by.PID/' | sort -u
echo "== raw"
try tenure record --raw -o kept.raw true
cmp small.raw kept.raw && echo same
echo "== the import fails, or finds damage"
echo "not a profile" >broken
FAKE_RAW="$PWD/broken" tenure record -o lost true 2>errors
echo "-> $?"
sed 's/lost\.[0-9]*\./lost.PID./g' errors >&2
ls | sed 's/lost\.[0-9]*\.[a-z2-7]*\.raw/lost.PID.raw is kept/' | grep lost
head -c 3000 small.raw >cut
FAKE_RAW="$PWD/cut" tenure record -q -o cut.profile true 2>errors
echo "-> $?"
sed 's/profile\.[0-9]*\./profile.PID./g' errors >&2
echo "== no raw profile"
unset FAKE_RAW
try tenure record -o none true
for status in 125 126; do
    FAKE_REFUSE=$status tenure record -o none true
    echo "-> $?"
done
