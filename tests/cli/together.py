#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
together.py: random options of `tenure record` together, on a program with threads and a child.

    together.py TENURE PROGRAM [SEED]

Each round draws some options from the help, with values that repeated.py knows. Either `record` refuses them in one
line, or the program ends as on the bare CPU and leaves a profile, and nothing else, which `check`, `report` and `diff`
accept. TENURE_SOAK in the environment makes 20 times as many rounds.
"""
import os
import random
import shutil
import sys
import tempfile

from checks import check, finish, run
import repeated

TENURE, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
# Values that leave fewer parts, and words that are added to half of the rounds.
VALUES = {"dump-every": ("20000", "500000"), "stop-after": ("1000", "400000")}
MORE = [["--also=amd-zen2"], ["--also=intel-skylake"], ["--fn-skip=walk_plain"], ["--toggle-collect=work"],
        ["--sample=2"], ["--sample=8"], ["--keep-all"], ["--engine=valgrind"]]
FOUND = [["--sample=8", "--inclusive=no"], ["--start=walk_plain", "--dump-every=50000"]] # what was wrong once


def drawn(rng, found):
    words = []
    for name in rng.sample(sorted(found), rng.randint(1, 5)):
        words += repeated.NEEDS.get(name, []) + [f"--{name}={rng.choice(found[name])}"]
    return words + (rng.choice(MORE) if rng.random() < 0.5 else [])


def round_of(words, bare):
    for file in os.listdir("."):
        os.remove(file)
    status, out, err = run([TENURE, "record", "-q", "-o", "profile", *words, "--", PROGRAM], timeout=300)
    lines = err.splitlines()
    if status == 125 and len(lines) == 1 and lines[0].startswith("tenure: record: ") and not os.listdir("."):
        return False
    check(f"{words}: {err}", (status, sorted(out.split())), bare)
    check(f"{words}: what is left", [file for file in os.listdir(".") if not file.startswith("profile")
                                     or ".raw" in file or file.endswith(".tmp")], [])
    for command in (["check"], ["report"], ["report", "--threads"], ["diff", "profile"]):
        check(f"{words}: {command}", run([TENURE, *command, "profile"])[::2], (0, ""))
    return True


def main():
    rng = random.Random(sys.argv[3] if len(sys.argv) > 3 else "1")
    folder = tempfile.mkdtemp(prefix="tenure-together.")
    os.chdir(folder)
    try:
        found = {name: VALUES.get(name, values) for name, values in repeated.options().items()
                 if name not in ("sample", "runs")}
        status, out, _ = run([PROGRAM])
        rounds = 400 if os.environ.get("TENURE_SOAK") else 20
        check("without options", (status, len(out.split())), (3, 8))
        bare = (status, sorted(out.split()))
        check("what was wrong once is taken", [round_of(words, bare) for words in FOUND], [True] * len(FOUND))
        recorded = sum(round_of(drawn(rng, found), bare) for _ in range(rounds))
        check("rounds that are refused are fewer than others", 2 * recorded > rounds, True)
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(finish())


main()
