# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that cannot be recorded: 126 and 127, one line, nothing written.
try() {
    tenure "$@"
    echo "$* -> $?"
}
try record nosuchprogram
try recrod true
try record nope
try record opne
try try profile abc
try try profile 1 -2
try record ./nosuchfile
try record .
try record -o - true
echo text >text
try record ./text
chmod +x text
try record ./text
printf '#!/nowhere/sh\n' >script
chmod +x script
try record ./script
printf '#!%s/scratch/folder\n' "$HOME" >script
mkdir folder
try record ./script
cp /bin/true setuid
chmod u+s setuid
try record ./setuid
cp /bin/true setgid
chmod g+s setgid
try record ./setgid
sed 's,ld-linux-x86-64.so.2,ld-linux-x86-64.so.x,' /bin/true >unlinked
chmod +x unlinked
try record ./unlinked
# A 32-bit program, and one for another machine.
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0' >i386
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0' >arm64
printf '\177ELF\2\2\1\0\0\0\0\0\0\0\0\0\0\2\0\26' >s390
chmod +x i386 arm64 s390
try record ./i386
try record ./arm64
try record ./s390
# A program cut short: in its first header, and in front of the others.
head -c 40 /bin/true >shortest
head -c 100 /bin/true >short
chmod +x shortest short
try record ./shortest
try record ./short
for cache in 32768 32768,8 32768,8,64,1 32K,8,64,fifo 48K,12,64,plru 32K,8,48 32K,0,64 1000,8,64 0,8,64 x,8,64 \
    99999999999G,8,64 32K,8,8; do
    try record --D1=$cache true
done
try record --D1=32K,8,128 true
try record --I1=32K,8,128 --L2=256K,8,128 --LL=8M,16,64 true
try record --L2=256K,8,32 true
try record --L2=of true
# What would have no effect.
try record --sample-seed=2 true
try record --sample-seed=2 --sample=1 true
try record --coherence=mesi --parallel=yes true
try record --deterministic --parallel=yes true
try record --inclusive=no --paths=10 true
try record --out=nowhere/profile true
try record --out=folder true
mkfifo pipe
try record --out=pipe true
try record --out="$(printf '%0216d' 0)" true
try record --out= true
try record --out=%x true
try record --out=%q{NOTHING_OF_THE_KIND} true
try record --out=%qHOME true
try record --out=%p/profile true
FAKE_VERSION=3.0.1 tenure record true
echo "other version -> $?"
rm "$HOME/libexec/tenure/tenure-amd64-linux"
try record true
ls
