#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
live.py: `tenure record` with the real engines: how programs end, what they see, which files appear.

    live.py TENURE GUEST [ENGINE]

ENGINE is what --engine says; without it `record` chooses. Every run is compared with the same command on the bare CPU:
output, errors, exit status or signal, environment.
"""
import glob
import json
import os
import re
import resource
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

TENURE, GUEST = (os.path.abspath(path) for path in sys.argv[1:3])
VALGRIND = sys.argv[3:] == ["valgrind"]
RECORD = [TENURE, "record", *(f"--engine={engine}" for engine in sys.argv[3:])]
RAW_MAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profiles", "raw_make.py")
failures = []
PLAIN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}: {got!r}, expected {expected!r}")


def run(*command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, env=env or PLAIN, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def total(profile, event="Ir"):
    with sqlite3.connect(f"file:{profile}?mode=ro", uri=True) as database:
        return database.execute(f"SELECT {event} FROM totals").fetchone()[0]


def same_as_bare(name, *command, env=None):
    bare = run(*command, env=env)
    check(f"{name}: like the bare run", run(*RECORD, "-q", "-o", name, *command, env=env), bare)
    check(f"{name}: counts something", total(name) > 1000, True)
    check(f"{name}: nothing else is left", [n for n in os.listdir(".") if n.endswith(".raw")], [])
    return bare


def endings():
    check("exit", same_as_bare("exit", GUEST, "exit", "7")[0], 7)
    check("_exit", same_as_bare("_exit", GUEST, "_exit", "8")[0], 8)
    check("abort", same_as_bare("abort", GUEST, "abort")[0], -signal.SIGABRT)
    check("125 is passed on", run(*RECORD, "-q", GUEST, "exit", "125")[0], 125)
    if not VALGRIND:
        for way in "kill", "kill by folder", "kill by thread", "kill by number":
            check("killed by itself", same_as_bare(way, GUEST, way)[0], -signal.SIGKILL)
    check("segv", same_as_bare("segv", GUEST, "segv")[0], -signal.SIGSEGV)
    status, _, errors = run(*RECORD, "-q", "-o", "illegal", GUEST, "illegal")
    hints = 1 if VALGRIND else 0
    check("illegal", (status, len(errors.splitlines()), errors.count("AVX-512")), (-signal.SIGILL, hints, hints))
    check("illegal, but not by an instruction", same_as_bare("raised", GUEST, "raise")[0], -signal.SIGILL)
    check("illegal: counts something", total("illegal") > 1000, True)


def sees():
    same_as_bare("env", "env")
    preload = "/usr/lib/x86_64-linux-gnu/libm.so.6"
    same_as_bare("env-preload", "env", env=dict(PLAIN, LD_PRELOAD=preload, A="1", EMPTY=""))
    same_as_bare("env-tmpdir", "env", env=dict(PLAIN, TMPDIR="/nowhere", Z="last"))
    same_as_bare("env-wrapper", "env", env=dict(PLAIN, GLIBCXX_FORCE_NEW="1", LD_LIBRARY_PATH="/usr/lib/debug"))
    same_as_bare("env-many", "sh", "-c", "env; echo $#", *map(str, range(30000)))
    same_as_bare("env-long", "sh", "-c", "env; echo ${#0}", "x" * 100000, "y" * 100000)
    same_as_bare("script", "sh", "-c", 'echo "$0 $*"; cat; ulimit -s -t -d', "name", "-o", "--help")
    same_as_bare("umask", "sh", "-c", "umask; trap; cat /dev/null")


def closed_descriptors():
    """Without its first three, the program runs as it does with them."""
    for closing in ("", "<&-", "<&- >&-", "<&- >&- 2>&-", "2>&-"):
        name = "closed" + closing.replace(" ", "")
        status = run("sh", "-c", f'{shlex.join(RECORD)} -q -o "$0" "$1" exit 7 {closing}', name, GUEST)[0]
        check(f"{closing}: status", status, 7)
        check(f"{closing}: counts", total(name), total("closed"))
        seen = []
        for before in ("", f"{shlex.join(RECORD)} -q -o {name}1 ",
                       f"{shlex.join(RECORD)} -q -o {name}%n --trace-children sh -c '\"$@\"; :' "):
            run("sh", "-c", f"{before}{shlex.quote(GUEST)} descriptors seen {closing}")
            with open("seen", encoding="ascii") as file:
                seen.append(file.read())
        check(f"{closing}: descriptors", seen[1:], seen[:1] * 2)


def limits():
    """The limit of descriptors is what it would be, can be changed as it could be, and is inherited."""
    ask = "ulimit -Sn; ulimit -Hn; "
    script = f"{ask} ulimit -Sn 250; {ask} ulimit -Hn 300; {ask} ulimit -Sn 400; {ask} ulimit -n 100; sh -c '{ask}'"
    for soft, hard in ((200, 500), (500, 500)):
        for before in ((), (*RECORD, "-q", "-o", f"limits{soft}%n"),
                       (*RECORD, "-q", "-o", f"limits{soft}%n", "--trace-children")):
            seen = run("sh", "-c", f'ulimit -Hn {hard}; ulimit -Sn {soft}; exec "$@"', "x", *before, "sh", "-c", script)
            if not before:
                bare = seen
            check(f"limits {soft} {hard}", seen, bare)


def no_descriptors():
    """A program that closes all descriptors, and uses up all that it may have, has a profile all the same."""
    for limit in ("-Sn 40", "-Sn 5000", "-n 40", "-Sn 4")[:3 if VALGRIND else 4]:
        for how, status in (("hoard", 7), ("self", 5))[:1 if VALGRIND else 2]:
            name = (how + limit).replace(" ", "")
            seen = run("sh", "-c", f'ulimit {limit}; exec "$@"', "x", *RECORD, "-q", "-o", name, GUEST, how)
            check(f"{how}, ulimit {limit}", seen, (status, "", ""))
            check(f"{how}, ulimit {limit}: counts", total(name) > 1000, True)


def little_room():
    """A disk that is full costs the profile, or its import: then the raw profile is named, and can be imported."""
    small = 'mount -t tmpfs -o size="$1"k none small || exit 99; shift; "$@"; s=$?; cp small/*.raw rescued; exit $s'

    def on_small(kilobytes):
        return run("unshare", "-m", "sh", "-c", small + " 2>/dev/null", "x", str(kilobytes), *RECORD, "-q", "-o",
                   "small/p", GUEST, "exit", "0")

    os.mkdir("small")
    os.mkdir("rescued")
    if on_small(16)[0] == 99:
        return
    status, _, errors = on_small(16)
    check("little room", (status, errors.count("the disk is full"), os.listdir("rescued")), (125, 1, []))
    run(*RECORD, "-q", "--raw", "-o", "whole.raw", GUEST, "exit", "0")
    size = os.path.getsize("whole.raw")
    status, _, errors = on_small(size // 1024 + 32)
    raws = os.listdir("rescued")
    check("room for the raw profile", (status, len(raws), "full" in errors), (125, 1, True))
    check("it is named", bool(raws) and "the raw profile is kept: " in errors and raws[0] in errors, True)
    check("and good", run(TENURE, "import", "-q", "-o", "imported", "rescued/" + raws[0])[0], 0)
    check("and has what it should", total("imported") > 1000, True)


def unfollowed():
    """Programs that are executed and not profiled are counted, whichever way they are started; a file that is not there
    is no program."""
    script = ("import os, subprocess; subprocess.run(['true']); os.posix_spawn('/bin/false', ['false'], {}); "
              "os.system('exit 0'); os.wait()")
    for options, program, told in (
            ([], ["sh", "-c", "ls >ls1; date >date1; /nowhere; exit 3"], "2 programs were started and not profiled"),
            ([], ["sh", "-c", "exec sh -c 'exit 3'"], "1 program was started and not profiled: sh;"),
            ([], ["/usr/bin/python3", "-c", script + "; os._exit(3)"], "3 programs were started and not profiled, "),
            (["--trace-children"], ["sh", "-c", "ls >ls1; exit 3"], None),
            ([], ["sh", "-c", "exit 3"], None)):
        status, _, errors = run(*RECORD, "-o", "un%n", *options, *program)
        check(f"unfollowed: {program}: {errors}", (status, "not profiled" in errors, told is None or told in errors),
              (3, told is not None, True))


def killed():
    """Children that are killed have no profile, which is said in one line; what was written before is kept."""
    script = ("pipe R, W; for (1, 2) { $p = fork; if (!$p) { syswrite W, 1; sleep 100; exit } push @p, $p; "
              "sysread R, $b, 1 } kill 9, @p; waitpid $_, 0 for @p; exit 5")
    if VALGRIND:
        return # it makes no file for them
    status, _, errors = run(*RECORD, "-o", "children", "perl", "-e", script)
    check("killed children", (status, errors.count("and 1 more ended before a profile")), (5, 1))
    check("killed children: files", glob.glob("children*"), ["children"])
    status, _, errors = run(*RECORD, "-o", "executes", "perl", "-e",
                            "$p = fork; exec '/bin/true' if !$p; waitpid $p, 0; exit 5")
    check("a child that executes a program", (status, errors.count("ended before"), glob.glob("executes*")),
          (5, 0, ["executes"]))
    run(*RECORD, "-q", "--raw", "-o", "parts.raw", "--dump-every=20000", GUEST, "exit", "0")
    with open("parts.raw", "rb") as file:
        whole = file.read()
    for cut, status in ((len(whole), 0), (len(whole) - 100, 1), (100, 1)):
        with open("cut.raw", "wb") as file:
            file.write(whole[:cut])
        seen = run(TENURE, "import", "-q", "-o", "cut", "cut.raw")
        check(f"cut at {cut}", (seen[0], len(seen[2].splitlines())), (status, status))
        check(f"cut at {cut}: profile", os.path.exists("cut"), cut > 100)
        if os.path.exists("cut"):
            os.unlink("cut")


def sizes_of_stacks():
    """The main stack may grow as far as the limit says, beyond Valgrind's usual 16 MiB; commands need very little."""
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if hard != resource.RLIM_INFINITY and hard < 64 << 20:
        return
    for limit in ("65536", "unlimited" if hard == resource.RLIM_INFINITY else "65536"):
        check(f"ulimit -s {limit}", run("sh", "-c", f'ulimit -s {limit}; exec "$@" deep', "x", *RECORD,
                                        "-q", "-o", f"deep-{limit}", GUEST)[0], 0)
    for command in (("report",), ("check",), ("export", "--format=callgrind", "-o", "small.callgrind")):
        check(f"a small stack: {command[0]}",
              run("sh", "-c", 'ulimit -s 128; exec "$@"', "x", TENURE, *command, "deep-65536")[0], 0)


def nothing():
    """What was waited for and never came is said in a line, and is a mistake unless the program fails by itself."""
    for option, words, wanted in (("--start=nobody", "never came there", 125), ("--start=900000000", "never came", 125),
                                  ("--toggle-collect=nobody", "never entered it", 125),
                                  ("--start=-5", "whole number", 125),
                                  ("--collect-atstart=no", "switched it on", 0)):
        status, _, errors = run(*RECORD, "-q", "-o", "nothing", option, GUEST, "exit", "0")
        check(f"nothing: {option}", (status, len(errors.splitlines()), words in errors), (wanted, 1, True))
        status, _, errors = run(*RECORD, "-q", "--raw", "-o", "nothing.raw", option, GUEST, "exit", "0")
        check(f"nothing, raw: {option}", (status, len(errors.splitlines()), words in errors), (wanted, 1, True))
    check("nothing: own status", run(*RECORD, "-q", "-o", "nothing", "--start=nobody", GUEST, "exit", "3")[0], 3)
    check("something", run(*RECORD, "-q", "-o", "nothing", "--toggle-collect=main", GUEST, "exit", "0"), (0, "", ""))


def full_disk():
    """Nothing of a raw profile that could not be written stays, and nobody is told to import it."""
    status, _, errors = run("sh", "-c", 'ulimit -f 20; exec "$@" exit 0', "x", *RECORD, "-o", "full", GUEST)
    check("full disk", (status, len(errors.splitlines()), "--out" in errors), (125, 2, True))
    check("full disk: nothing is left", [name for name in os.listdir(".") if name.startswith("full")], [])


def wait_for(process, line):
    check("first line", process.stdout.readline(), line)


def child_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as children:
        return int(children.read().split()[0])


def signals():
    """A signal to the group, as a terminal sends it; one to tenure alone, which is handed on; and SIGKILL to either."""
    def start(name, how):
        process = subprocess.Popen([*RECORD, "-q", "-o", name, GUEST, how], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=PLAIN, start_new_session=True)
        wait_for(process, "ready\n")
        return process

    def end(process):
        process.communicate(timeout=60)
        return process.returncode

    process = start("int", "wait")
    os.killpg(process.pid, signal.SIGINT)
    check("SIGINT to the group", end(process), -signal.SIGINT)
    for name, number in ("alone", signal.SIGINT), ("term", signal.SIGTERM):
        process = start(name, "wait")
        os.kill(process.pid, number)
        check(f"{number.name} to tenure", end(process), -number)
    process = start("handled", "handle")
    os.kill(process.pid, signal.SIGTERM)
    check("SIGTERM that is handled", end(process), signal.SIGTERM)
    for name in ("int", "alone", "term", "handled"):
        check(f"{name}: counts something", total(name) > 1000, True)
    process = start("killed", "wait")
    os.kill(child_of(process), signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    check("SIGKILL", process.returncode, -signal.SIGKILL)
    check("SIGKILL: one line", errors,
          "tenure: killed by signal 9 (Killed) before a profile could be written\n")
    check("SIGKILL: nothing is left", [n for n in os.listdir(".") if n.startswith("killed")], [])
    process = start("orphan", "handle")
    program = child_of(process)
    os.kill(process.pid, signal.SIGKILL)
    os.kill(program, signal.SIGTERM)
    process.communicate(timeout=60)  # until the program has ended, which has the other end of the pipe
    check("without tenure", run(TENURE, "import", "-q", "-o", "orphan", *glob.glob("orphan.*.raw")), (0, "", ""))
    check("without tenure: counts something", total("orphan") > 1000, True)


def files():
    run(*RECORD, "-q", "-o", "family", GUEST, "fork")
    family = sorted(name for name in os.listdir(".") if name.startswith("family"))
    check("a forked child has its own file", len(family), 3)
    check("it starts from zero", all(total(name) < total("family") for name in family[1:]), True)
    check("they add up", run(TENURE, "merge", "-q", "--keep=process", "-o", "sum", *family), (0, "", ""))
    with sqlite3.connect("sum") as database:
        check("each is a process", database.execute("SELECT count(DISTINCT pid) FROM units").fetchone()[0], 3)
    run(*RECORD, "-q", "-o", "chain", "--trace-children", "sh", "-c", f"exec {shlex.quote(GUEST)} exit 0")
    check("an exec that is followed", all(os.path.exists(name) for name in ("chain", "chain.2")), True)
    with sqlite3.connect("chain.2") as database:
        cmd = database.execute("SELECT value FROM meta WHERE key = 'cmd'").fetchone()[0]
    check("its command", cmd, f"{GUEST} exit 0")
    run(*RECORD, "-q", "--trace-children", "-o", "early", "sh", "-c",
        f"{shlex.quote(GUEST)} late >/dev/null 2>&1 & exit 0")
    for _ in range(600):
        left = [name for name in os.listdir(".") if name.startswith("early") and name.endswith(".raw.2")]
        if left and not os.path.exists("/proc/" + left[0].split(".")[1]):
            break
        time.sleep(0.1)
    check("a child that outlives the program", run(TENURE, "import", "-q", "-o", "late", *left)[0], 0)
    for name in os.listdir("."):
        if name.startswith("early") and ".raw" in name:
            os.unlink(name)
    check("raw", run(*RECORD, "--raw", "-q", "-o", "kept.raw", GUEST, "exit", "7")[0], 7)
    check("raw is imported", run(TENURE, "import", "-q", "kept.raw")[0], 0)
    check("with what was recorded", total("kept"), total("exit"))


def rooted():
    """The child of a program that has changed its root has a profile where the others are."""
    if VALGRIND or os.geteuid() != 0:
        return
    script = 'chroot shift or exit 9; if (!fork) { $x += $_ for 1..1000; exit 0 } wait; exit $? >> 8'
    os.mkdir("root")
    check("another root", run(*RECORD, "-q", "-o", "rooted", "perl", "-e", script, "root"), (0, "", ""))
    check("another root: profiles", len(glob.glob("rooted*")), 2)


def whereabouts():
    """Rank and host are recorded, by --raw too; an option goes before what a launcher says."""
    launched = dict(PLAIN, OMPI_COMM_WORLD_RANK="3", SLURM_PROCID="4")
    for options, rank in (([], "3"), (["--rank=5"], "5"), (["--raw"], "3")):
        for name in glob.glob("ranked*"):
            os.remove(name)
        run(*RECORD, "-q", "-o", "ranked", *options, "--", "/bin/true", env=launched)
        if "--raw" in options:
            os.rename("ranked", "ranked.raw")
            run(TENURE, "import", "-q", "ranked.raw")
        with sqlite3.connect("ranked") as database:
            meta = dict(database.execute("SELECT key, value FROM meta"))
        database.close()
        check("rank", meta.get("rank"), rank)
        check("host", meta.get("host"), socket.gethostname())


def messages():
    status, out, err = run(TENURE, "--", GUEST, "exit", "0")
    check("totals", (status, out, bool(re.search(r"^  Instructions executed \(Ir\) +[\d,]+$", err, re.M))),
          (0, "", True))
    parts = re.search(r"^tenure: wrote tenure\.out\.\d+\n  Estimated (?:time|cycles): (.*)$", err, re.M)
    percents = re.findall(r"(\d+) %", re.sub(r" \(.*?\)", "", parts.group(1)))
    check("where the time goes", abs(sum(map(int, percents)) - 100) < 4, True)
    check("findings", 0 < len(re.findall(r"^  [123]\. +[\d,.]+ +[\d.]* ?%  ", err, re.M)) <= 3, True)
    shown = re.search(r"`tenure (report --(?:advice|lines) tenure\.out\.\d+)`", err)
    check("the command that says what to change works", shown and run(TENURE, *shown.group(1).split())[0], 0)
    status, out, err = run(TENURE, "report", "--json", "exit")
    report = json.loads(out)
    check("totals of the report", report["totals"]["Ir"], total("exit"))
    check("geometry", report["meta"]["cache.D1"].count(","), 2)
    status, out, err = run(*RECORD, "--LL=64,1,16", "--D1=4K,4,64", GUEST, "exit", "0")
    check("an impossible hierarchy", (status, out, err.count("\n")), (125, "", 1))


def write_backs():
    """work() changes a byte in each of 1024 lines: 64 KiB go down from a D1 that holds half of them."""
    d1 = "--D1=32K,8,64"
    _, _, err = run(*RECORD, "-o", "dirty", "--simulate-wb=yes", d1, GUEST, "exit", "0")
    lines = total("dirty", "WbD1")
    row = re.search(r"^  Bytes written back from D1 +([\d,]+) .* changed; ([\d,]+) lines \(WbD1\)$", err, re.M)
    check("write-backs: the summary", row and [int(n.replace(",", "")) for n in row.groups()], [lines * 64, lines])
    check("write-backs: the guest's", 1024 <= total("dirty", "WbD1") < 3000, True)
    _, out, _ = run(TENURE, "report", "--json", "--show=WbD1,dirtyD1,dirtyL", "dirty")
    work = [row for row in json.loads(out)["functions"] if row["function"] in ("work", "main")]
    check("write-backs: work", any(1024 <= row["WbD1"] < 1030 and row["dirtyD1"] < 10 for row in work), True)
    _, _, err = run(TENURE, "report", "--show=WbD1", "exit")
    check("write-backs: why they are not there", "record it with --write-back=yes" in err, True)


def names_and_columns():
    """Functions without symbols are called by their object; what was not simulated has no columns."""
    check("true", run(*RECORD, "-q", "-o", "true", "/bin/true")[0], 0)
    check("functions without symbols", total("true", "(SELECT count(*) FROM functions WHERE function GLOB "
                                             "'true+0x[0-9a-f]*' AND symbol GLOB '0x*')") > 0, True)
    check("no function is a bare number",
          total("true", "(SELECT count(*) FROM functions WHERE function GLOB '0x*')"), 0)
    run(*RECORD, "-q", "--cache-sim=no", "--branch-sim=yes", "-o", "branches", "/bin/true")
    totals = json.loads(run(TENURE, "report", "--json", "branches")[1])["totals"]
    check("without caches", totals.keys() & {"I1mr", "D1mr", "L1m", "LLm", "SpLossD1", "LLrate"}, set())
    check("branches", totals["Bc"] > 0 and totals["Bcm"] > 0, True)
    for most, said in (("0", "1 and all later ones"), ("1", "1 (system's id ")):
        run(*RECORD, "-q", f"--threads={most}", "-o", "threads", "/bin/true")
        check("threads", said in run(TENURE, "report", "--threads", "threads")[1], True)
    err = run(*RECORD, "--L2=256K,8,64", "-o", "three", "/bin/true")[2]
    check("three levels", "; L2 256 KiB, 8-way, 64-byte lines (option); LL " in err, True)
    check("misses of the second", "missed L2 (D2mr + D2mw) " in err, True)
    check("each cache with its source", err.count("(sysfs)") + err.count("(cpuid)") + err.count("(default)") >= 2, True)
    check("the report shows them", "L2 256 KiB" in run(TENURE, "report", "--limit=1", "three")[1], True)
    info = json.loads(run(TENURE, "info", "--json", "three")[1])
    check("info shows them", (info["cache.L2"], info["cache.L2.source"]), ("262144,8,64", "option"))
    check("an estimate with a second level", total("three", "CEst"),
          total("three", "Ir + 10 * L1m + 30 * L2m + 100 * LLm"))
    run(*RECORD, "-q", "--L2=none", "-o", "two", "/bin/true")
    check("no second level", "cache.L2" in json.loads(run(TENURE, "info", "--json", "two")[1]), False)
    run(*RECORD, "-q", "--cacheuse=no", "-o", "misses", "/bin/true")
    totals = json.loads(run(TENURE, "report", "--json", "misses")[1])["totals"]
    check("without line use", ("L1m" in totals, "SpLossD1" in totals, "spatialD1" in totals), (True, False, False))
    status, out, err = run(TENURE, "report", "--json", "--data", "misses")
    check("data without line use", (status, err, json.loads(out)["data_structures"] != []), (0, "", True))


def data_structures():
    """work() misses 1024 lines of one array; the blocks of a library belong to who called it. Names, and what sums."""
    check("data: perfmap ends well", run(*RECORD, "-q", "--D1=32K,8,64", "-o", "data", GUEST, "perfmap")[0], 0)
    with sqlite3.connect("data") as database:
        names = {row[0] for row in database.execute("SELECT name FROM data_objects")}
        sums = database.execute("SELECT sum(D1mr), sum(D1mw), sum(SpLossD1) FROM data_objects").fetchall()
        pairs = database.execute("SELECT sum(D1mr), sum(D1mw), sum(SpLossD1) FROM instruction_data").fetchall()
        totals = database.execute("SELECT D1mr, D1mw, SpLossD1 FROM totals").fetchall()
    check("data: objects sum to the total", (sums, pairs), (totals, totals))
    check("data: the stack", "stack of thread 1" in names, True)
    check("data: a library's block", any(re.match(r"fopen in \w+", name) for name in names), True)
    check("data: exit ends well", run(*RECORD, "-q", "--D1=32K,8,64", "-o", "table", GUEST, "exit", "0")[0], 0)
    rows = json.loads(run(TENURE, "report", "--json", "--data", "--show=L1m", "--sort=L1m", "--limit=100", "table")[1])
    table = [row["L1m"] for row in rows["data_structures"] if row["data"] == f"memory ({os.path.basename(GUEST)})"]
    check("data: an array", table and 1024 <= table[0] < 1030, True)
    check("data: who misses in it", any(row["data"].startswith("memory (") and row["function"] in ("work", "main")
                                        for row in rows["data_lines"]), True)
    run(*RECORD, "-q", "--data=no", "-o", "nodata", "/bin/true")
    check("no data", run(TENURE, "report", "--data", "nodata")[::2],
          (1, "tenure: this profile has no data structures; it was recorded with --data=no, --inclusive=no, "
              "or without caches\n"))


def made_code():
    """Code that is made at run time, under the name that its maker tells, or by where it is called."""
    for how, name in (("perfmap", "made_by_jit(int)"), ("latemap", "made_by_jit(int)"), ("jitdump", "dumped_by_jit")):
        check(f"{how} ends well", run(*RECORD, "-q", "-o", how, GUEST, how)[0], 0)
        with sqlite3.connect(how) as database:
            rows = database.execute("SELECT function, calls, Ir FROM functions WHERE function IN (?, '[anon]+0x40')"
                                    " ORDER BY function", (name,)).fetchall()
        check(f"{how}: the functions", rows, [("[anon]+0x40", 1, 2002), (name, 1, 2002)])
    for left in glob.glob("/tmp/perf-*.map"):
        if "made_by_jit" in open(left, encoding="latin-1").read():
            os.unlink(left)


def traced():
    """Programs that are executed, by exec and by vfork; one that cannot be profiled runs all the same."""
    shutil.copy("/bin/true", "privileged")
    os.chmod("privileged", 0o4755)
    status, _, errors = run(*RECORD, "-q", "--trace-children", "-o", "traced%n", "sh", "-c",
                            f"./privileged; {shlex.quote(GUEST)} exit 4; exit $?")
    check("traced", (status, errors.count("\n")), (4, 1))
    check("traced: what it says", errors.startswith("tenure: ./privileged is not profiled: "), True)
    made = [name for name in os.listdir(".") if name.startswith("traced")]
    check("traced: profiles", len(made), 2)
    commands = [json.loads(run(TENURE, "info", "--json", name)[1])["cmd"] for name in made]
    check("traced: the guest's", f"{GUEST} exit 4" in commands, True)


# Process 1: it starts process 500 and then, in the same tick of the clock, process 10, which becomes a command.
ANEW = """import os, signal, sys

def made(number, task):
    with open('/proc/sys/kernel/ns_last_pid', 'w') as last:
        last.write(str(number - 1))
    return os.fork() or os._exit(task())

def start(number):
    with open(f'/proc/{number}/stat') as stat:
        return stat.read().rsplit(') ')[1].split()[19]

def go():
    if os.read(ends[0], 1):
        os.execv(sys.argv[1], sys.argv[1:])

ends = os.pipe()
while True:
    pids = made(500, signal.pause), made(10, go)
    if start(500) == start(10):
        break
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
os.write(ends[1], b'!')
os._exit(os.waitstatus_to_exitcode(os.waitpid(10, 0)[1]))
"""


def contained():
    """In containers: without ptrace and without fixed addresses; as a user without privileges, and as process 1."""
    status, _, errors = run(GUEST, "contained", *RECORD, "-q", "-o", "contained", GUEST, "exit", "7")
    check("contained", (status, errors.count("\n"), "addresses are random" in errors), (7, 1, True))
    check("contained: counts", total("contained") > 1000, True)
    with sqlite3.connect("contained") as database:
        check("contained: the profile says it",
              database.execute("SELECT value FROM meta WHERE key = 'aslr'").fetchone(), ("yes",))
    apart = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    if run(*apart, "true")[0] == 0:
        check("process 1", run(*apart, *RECORD, "-q", "-o", "first", GUEST, "exit", "7"), (7, "", ""))
        check("process 1: counts", total("first"), total("exit"))
        apart.remove("--mount-proc") # numbers in /proc are those of other processes
        check("other numbers", run(*apart, *RECORD, "--engine=native", "--trace-children=yes", "-q", "-o", "outer",
                                   "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do /bin/true; done"), (0, "", ""))
        made = [name for name in os.listdir() if name.startswith("outer")]
        check("other numbers: children", (len(made), [name for name in made if name.endswith(".raw")]), (9, []))
        check("a namespace within", run(*RECORD, "--engine=native", "--trace-children=yes", "-q", "-o", "inner", *apart,
                                        GUEST, "exit", "7"), (7, "", ""))
        made = [name for name in os.listdir() if name.startswith("inner")]
        check("a namespace within: process 1", ("inner.1" in made, [name for name in made if ".raw" in name]),
              (True, []))
        for turn in range(10): # as long as the first process of all has only just begun
            name = f"new{turn}"
            check("a new namespace", run(*apart, "--mount-proc", "sh", "-c", '"$@"; exit', "x", *RECORD, "-q",
                                         "--engine=native", "--trace-children=yes", "-o", name, *apart[:1], *apart[3:],
                                         GUEST, "exit", "7"), (7, "", ""))
            check("a new namespace within: process 1", os.path.exists(f"{name}.1"), True)
        within = 'echo 499 >/proc/sys/kernel/ns_last_pid; "$0" exit 7; exit $?'
        check("numbers begin anew", run(*apart, "--mount-proc", sys.executable, "-c", ANEW, *RECORD, "-q",
                                        "--engine=native", "--trace-children=yes", "-o", "anew", *apart[:1], *apart[3:],
                                        "sh", "-c", within, GUEST), (7, "", ""))
        check("numbers begin anew: no longer raw", os.path.exists("anew.500"), True)


def choosing():
    """The native engine; Valgrind's where that says, before the start, that it cannot; the off switches change
    nothing."""
    def engine(profile):
        with sqlite3.connect(profile) as database:
            return database.execute("SELECT value FROM meta WHERE key = 'engine'").fetchone()[0]

    def limited(*options):
        return run("sh", "-c", 'ulimit -v 1500000; exec "$@"', "x", *RECORD, "-q", *options, GUEST, "exit", "7")

    check("the engine of choice", engine("exit"), "native")
    for switch in ("join", "link", "lookup", "returns"):
        check(f"--{switch}=no", run(*RECORD, "-q", "-o", switch, f"--{switch}=no", GUEST, "exit", "7")[0], 7)
        check(f"--{switch}=no: counts", [total(switch, event) for event in ("Ir", "Dr", "Dw")],
              [total("exit", event) for event in ("Ir", "Dr", "Dw")])
    check("--self-check", run(*RECORD, "-q", "-o", "check", "--self-check=yes", GUEST, "exit", "7")[0], 7)
    status, _, errors = run(*RECORD, "-o", "stats", "--stats=yes", GUEST, "exit", "0")
    check("--stats", (status, bool(re.search(r"^tenure: \d+ times in the dispatcher, ", errors, re.M))), (0, True))
    status, _, errors = limited("--engine=native", "-o", "forced")
    check("no choice", (status, errors.count("\n"), "2 GB" in errors), (125, 1, True))
    if json.loads(run(TENURE, "info", "--json")[1])["engine.tool"] == "not found":
        return
    status, _, errors = limited("-o", "limited")
    check("a second choice", (status, errors.count("\n"), "it runs under Valgrind" in errors), (7, 1, True))
    check("it is made", engine("limited"), "valgrind")
    status, _, errors = run(*RECORD, "--engine=valgrind", "--link=no", GUEST, "exit", "0")
    check("a switch of the other engine", (status, errors.count("\n")), (125, 1))
    status, _, errors = run(*RECORD, "--engine=valgrind", "--spare-core=yes", GUEST, "exit", "0")
    check("an option of the other engine", (status, errors.count("\n")), (125, 1))


def interrupted():
    """A signal while a profile is written: the program ends by it, and leaves nothing half done."""
    subprocess.run([sys.executable, RAW_MAKE, "deep", "deep.raw", "300000"], check=True)
    begun = {"import": lambda: any(name.endswith(".tmp") for name in os.listdir(".")),
             "report": lambda: os.listdir("temporary") != []}
    os.mkdir("temporary")
    for words in (["import", "-q", "-o", "dirty"], ["report", "--limit=1"]):
        process = subprocess.Popen([TENURE, *words, "deep.raw"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   env=dict(PLAIN, TMPDIR=os.path.abspath("temporary")))
        while process.poll() is None and not begun[words[0]]():
            time.sleep(0.001)
        process.terminate()
        errors = process.communicate()[1]
        check(f"{words[0]}: ended by the signal", (process.returncode, errors), (-signal.SIGTERM, b""))
        check(f"{words[0]}: nothing is left", [name for name in os.listdir(".") + os.listdir("temporary") if
                                               name.startswith(("written", "tenure.")) and "out." not in name], [])


def main():
    folder = tempfile.mkdtemp(prefix="tenure-live-")
    os.chdir(folder)
    begin = time.time()
    try:
        parts = [] if VALGRIND else [choosing, contained, traced]
        for part in (endings, sees, closed_descriptors, no_descriptors, limits, nothing, full_disk, little_room,
                     unfollowed, killed, sizes_of_stacks, signals, files, rooted, whereabouts, messages, write_backs,
                     names_and_columns, data_structures, made_code, interrupted, *parts):
            part()
    finally:
        shutil.rmtree(folder)
    print("\n".join(failures) or f"ok ({time.time() - begin:.0f} s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
