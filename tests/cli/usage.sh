# SPDX-License-Identifier: GPL-2.0-or-later
# Help on standard output, mistakes as one line on stderr with what was probably meant.
try() {
    "$@"
    echo "-> $?"
}
try tenure --help
try tenure --version
try tenure
try tenure --versoin
for command in record report export import control top info machines check sql; do
    try tenure $command --help
done
try tenure help --help
try tenure help --color=never sql
try tenure help --color=blue
try tenure help sql model
try tenure help sqk
try tenure record
try tenure record --brnach-sim=yes true
try tenure record --branch-sim=maybe true
try tenure record --out
try tenure record --paths=many true
try tenure record --engine=natif true
try tenure report --sroot=Ir
try tenure report one two
try tenure report --threshold=low
try tenure report --json=yes
try tenure export
try tenure export --format=calgrind
try tenure import
try tenure import -o - x
try tenure control all dump "$(printf %300s x)"
try tenure sql
try tenure info -x
for command in record report annotate merge diff html open export import control top info machines sql; do
    try tenure $command --zzz=1
done
