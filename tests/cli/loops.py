#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
loops.py: how often loops are entered and go round, as programs count it themselves.

    loops.py TENURE GUEST VALGRIND

Programs count their loops and print the numbers: GUEST, a C++ source with a loop of each kind, and random nests of
loops (TENURE_SOAK times as many). They are compiled in several ways and recorded by the native engine and, unless
VALGRIND is `no`, by Valgrind's. `ROUND(number)` is on the line of a loop's head.

With -O0 entries are what the program says, and rounds too, or one more for each entry where the head tests first. An
optimising compiler may have the first test or the first round in front of the loop, where some are left; and it may
make two loops of one, an inner one for most ways back.
"""
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

TENURE, GUEST = (os.path.abspath(path) for path in sys.argv[1:3])
ENGINES = ["native"] if sys.argv[3] == "no" else ["native", "valgrind"]
ALL = [f"--engine={engine}" for engine in ENGINES]
NATIVE = ALL[:1]
DUFF = 17  # in GUEST
passed, failures = 0, []


def check(what, good, message):
    global passed
    if good:
        passed += 1
    else:
        failures.append(f"{what}: {message}")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    check(" ".join(command), done.returncode == 0, done.stderr)
    return done.stdout


def heads(source):
    """Line by the number of a loop."""
    with open(source, encoding="utf-8") as file:
        found = [(re.search(r"ROUND\((\d+)\)", text), number) for number, text in enumerate(file, 1)]
    return {int(match.group(1)): number for match, number in found if match}


def loops_of(profile):
    """(function, line, last_line, entries, iterations) of loops in the program itself, but of what a clock calls."""
    base = sqlite3.connect(profile)
    rows = base.execute("SELECT function, line, last_line, entries, iterations FROM loops WHERE object LIKE "
                        "'%/program' AND line IS NOT NULL AND function NOT LIKE 'handler%' "
                        "ORDER BY 1, 2, 3, 4, 5").fetchall()
    base.close()
    return rows


def compare(what, source, said, found, exact):
    """What the program has said with what was found."""
    at = heads(source)
    for text in said.splitlines():
        number, entered, went_on, rounds = (int(word) for word in text.split())
        if number not in at or went_on == 0:
            continue
        least, less = (entered, 0) if exact else (went_on, entered)
        counts = [row[3:] for row in found if row[1] == at[number]]
        # An optimising compiler may lead several ways into the loop of Duff's device; then their counts do not tell.
        unknown = number == DUFF and not exact and counts and all(entries is None for entries, _ in counts)
        good = counts and (unknown or least <= min(entries or 0 for entries, _ in counts) <= entered) and (
            rounds - less <= max(iterations for _, iterations in counts) <= rounds + entered)
        check(f"{what}: loop {number}", good, f"{counts}, expected {least} to {entered} entries, {rounds} rounds")


def try_out(source, flags, records):
    """Compile it once, record it with each of these lists of options: the counts are the same."""
    run(os.environ.get("CXX", "c++"), "-g", "-w", *flags, "-o", "program", source)
    before = None
    for options in records:
        what = " ".join([os.path.basename(source), *flags, *options])
        said = run(TENURE, "record", "-q", "-o", "profile", *options, "./program")
        found = loops_of("profile")
        compare(what, source, said, found, "-O0" in flags)
        check(what, before in (None, found), f"{found}, and with other options {before}")
        before = found


# ------------------------------------------------------------------------------------------ random nests

BEGIN = """#include <cstdio>
#include <cstdlib>
#define NOINLINE __attribute__((noinline))
#define COME(i) (entered[i]++, round_of[i] = 0)
#define ROUND(i) (rounds[i]++, went_on[i] += round_of[i] == 1, round_of[i]++)
enum { LOOPS = %d };
static volatile unsigned long entered[LOOPS], went_on[LOOPS], rounds[LOOPS], round_of[LOOPS];
static volatile unsigned state = %d, sink;
static char to[64];
NOINLINE unsigned some(unsigned below) { return (state = state * 1664525 + 1013904223) / 65536 %% below; }
NOINLINE void own(unsigned x) { sink += x; }
NOINLINE void call(void (*function)(unsigned), unsigned x) { function(x); rand(); }
NOINLINE void fill(long n) { void *d = to; __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(0) : "memory"); }
"""
INLINE = ('{ void *d = to; long n = some(40);'
          ' __asm__ volatile("%s" : "+D"(d), "+c"(n) : "a"(0) : "memory", "cc"); }')
PLAIN = ["rand();", "{ rand(); rand(); }", "own(1);", "call(own, 2);", "sink += rand() + atoi(\"1\");",
         "fill(some(9));", INLINE % "rep stosb", INLINE % "repe scasb",
         "switch (some(7)) { case 0: rand(); break; case 1: own(1); break; case 2: sink += 1; case 3: fill(3); break; "
         "case 4: rand(); own(4); case 5: sink -= 1; break; default: break; }"]
LEAVES = ["continue;", "break;", "{ rand(); continue; }", "{ own(3); break; }", "return;"]


class Nests:
    """Source text of functions with loops in loops."""

    def __init__(self, seed, functions):
        self.random, self.loops, self.lines = random.Random(seed), 0, []
        for number in range(functions):
            self.lines += [f"NOINLINE void f{number}()", "{"]
            self.statements(0)
            self.loop(0)
            self.lines += ["}"]
        calls = [f"    for (int i = 0; i < 5; i++) f{number}();" for number in range(functions)]
        self.lines += ["int main()", "{", *calls, "    for (int i = 0; i < LOOPS; i++)",
                       '        printf("%d %lu %lu %lu\\n", i, entered[i], went_on[i], rounds[i]);', "}"]
        self.text = BEGIN % (self.loops, seed) + "\n".join(self.lines) + "\n"

    def statements(self, depth):
        pad = "    " * (depth + 1)
        for _ in range(self.random.randint(0, 2)):
            plain, other = self.random.choice(PLAIN), self.random.choice(PLAIN)
            self.lines += self.random.choice([[pad + plain], [pad + "if (some(3) == 0)", pad + "    " + plain], [
                pad + "if (some(2))", pad + "    " + plain, pad + "else", pad + "    " + other]])
        if depth > 0 and self.random.random() < 0.5:
            self.lines += [pad + f"if (some({self.random.randint(3, 9)}) == 0)",
                           pad + "    " + self.random.choice(LEAVES)]

    def loop(self, depth):
        number, pad = self.loops, "    " * (depth + 1)
        self.loops += 1
        begin, end = self.random.choice([("for (unsigned i = 0; i < %d; i++) {", "}"), ("while (some(%d)) {", "}"),
                                         ("do {", "} while (some(%d));")])
        trips = self.random.randint(3, 9)
        self.lines += [pad + f"COME({number});",
                       pad + (begin % trips if "%" in begin else begin) + f" ROUND({number});"]
        self.statements(depth + 1)
        for _ in range(self.random.choice([0, 1, 1, 2]) if depth < 3 else 0):
            self.loop(depth + 1)
            self.statements(depth + 1)
        self.lines += [pad + (end % trips if "%" in end else end)]


def try_random(seed):
    with open("nests.cpp", "w", encoding="utf-8") as file:
        file.write(Nests(seed, 20).text)
    before = len(failures)
    for level in ("-O0", "-O1"):
        try_out("nests.cpp", [level], [[engine] for engine in (ALL if seed == 0 else NATIVE)])
    if len(failures) > before:
        failures.append(f"(seed {seed})")


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for level in ("-O0", "-O1", "-O2"):
            try_out(GUEST, [level], [[engine] for engine in ALL])
        for flags in (["-Wl,-z,now"], ["-Wl,-z,lazy"], ["-fno-plt"], ["-static"]):
            try_out(GUEST, ["-O1", *flags], [[*NATIVE, option] for option in (
                "--skip-plt=no", "--skip-plt=yes", "--fn-skip=skipped(int)", "--dump-before=tail(int)")])
        for seed in range(3 * int(os.environ.get("TENURE_SOAK", "1"))):
            try_random(seed)
    for failure in failures:
        print("FAILED: " + failure[:800])
    print(f"{passed} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
