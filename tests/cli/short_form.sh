# SPDX-License-Identifier: GPL-2.0-or-later
# `tenure PROGRAM ARGS...`: words that are commands elsewhere, and words with a profile as an argument, run nothing.
try() {
    tenure "$@"
    echo "$* -> $?"
}
runs() {
    rm -f ran.*
    tenure "$@" 2>/dev/null
    echo "$* -> $?, $(echo ran.*)"
}
python3 "$RAW_MAKE" small hello.raw
export FAKE_RAW="$PWD/hello.raw"
tenure import -q -o hello.profile hello.raw
cp hello.profile before
# Each of them would leave a mark.
mkdir programs
for name in stat script less reprot ls; do
    printf '#!/bin/sh\necho ran >ran.%s\n' $name >programs/$name
    chmod +x programs/$name
done
PATH=$PWD/programs:$PATH
try script hello.profile
try stat ls
try stat
try compare a b
try bench
try reprot hello.profile
try less hello.raw
try less ./hello.profile more
try rm -f hello.profile
echo ran.*
cmp before hello.profile && echo 'nothing ran'
# These are programs.
runs ls
runs ls missing.profile
runs -- ls hello.profile
runs -- stat ls
runs record less hello.profile
runs programs/stat hello.profile
