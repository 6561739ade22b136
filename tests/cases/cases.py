#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
cases.py: advice on programs with one known problem each, on their repaired twins, and on tuned programs.

    cases.py TENURE [--only=NAME[,NAME...]] [--markdown=FILE] [--time] [--with=OPTIONS]

`table.py` has the cases. The source of each says the problem and its repair in its first comment; a comment `problem`
at the end of a line marks what advice should name. Both twins are compiled, print the same, and are recorded with
caches so small that a second is enough. Of each case it is asked:

    line      an item of advice names a marked line, or a loop around it
    data      and the data structure
    remedy    and it is of the right kind
    saving    what it predicts is within 1.3 times of what the repair saves: (CEst before - after) / before
    sure      no item of high confidence is wrong by more than 1.5 times
    sign      where a saving is predicted, the repair makes CEst less
    silent    of the twin nothing of the same kind and place is said; of a control nothing at all

What is known to fail stands in the table. The test fails if anything else fails, and if what is known to fail does
not: the list can only become shorter. Where a number is so near to its limit that another compiler may decide it,
neither is an error.

`--markdown=FILE` writes the results between the lines `<!-- cases -->` and `<!-- end of cases -->` of FILE. `--time`
records the cases that have a scale for it with the caches of this machine, L2 too, runs both twins on the bare CPU in
turns, and prints the real speed-up, in CPU time with all that the program does, beside the one that advice predicts,
and beside the quotient of the twins' estimates of time. Run `tenure calibrate` before. `--with` has more options of
`tenure record`, such as --with="--tlb=yes --prefetch=stream": what is known to fail holds without them.
"""
import concurrent.futures
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from table import CASES, CONTROLS

FOLDER = os.path.dirname(os.path.abspath(__file__))
SMALL = ["--D1=8K,8,64", "--LL=256K,16,64", "--patterns=yes"]
SMALL_TLBS = ["--itlb=64,64", "--dtlb=8,8,32,4"]
COMPILE = {  # by the ending of a source: compiler, options, the option that makes the twin
    "c": (["gcc", "-O2", "-g", "-pthread"], "-DREPAIRED"),
    "cpp": (["g++", "-O2", "-g", "-pthread"], "-DREPAIRED"),
    "F90": (["gfortran", "-O2", "-g"], "-DREPAIRED"),
    "rs": (["rustc", "--edition=2021", "-g", "-Copt-level=2"], "--cfg=repaired"),
    "go": (["go", "build"], None),  # no preprocessor: the argument `repaired`
}
LANGUAGES = {"c": "C", "cpp": "C++", "F90": "Fortran", "rs": "Rust", "go": "Go"}
CHECKS = ("line", "data", "remedy", "saving", "sure", "sign", "silent")
TARGETS = {"line and data": 29 / 30, "remedy": 28 / 30, "saving": 27 / 30, "sure": 1, "sign": 1, "silent": 1}
WITHIN, AT_MOST, NEAR = 1.3, 1.5, 1.05
PAIRS_OF_RUNS = 5
MORE = []  # options of `tenure record`
NAMES = ("line", "misses", "loop")  # roles of places that say where the problem is

# With MALLOC_PERTURB_, which meson sets, free writes to what it frees: other misses. Threads of Go's runtime, which
# collect what is free or wait, are different in each run.
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"},
               "GOMAXPROCS": "1", "GOGC": "off", "GODEBUG": "asyncpreemptoff=1", "GOFLAGS": ""}


def compiler(source):
    """Where it is, or None: the one of the system, whose results the table has, before others."""
    return shutil.which(COMPILE[source.rsplit(".", 1)[1]][0][0], path="/usr/bin:" + os.environ.get("PATH", ""))


def run(*command, folder="."):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=folder,
                          env={**ENVIRONMENT, "GOCACHE": os.path.join(folder, "gocache")})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def has_large_pages():
    """Whether programs can have large pages, and the engine knows that they have (docs/model.md, 20)."""
    try:
        with open("/sys/kernel/mm/transparent_hugepage/enabled", encoding="ascii") as file:
            return "[never]" not in file.read() and tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 7)
    except OSError:
        return False


def marked_lines(source):
    with open(source, encoding="utf-8") as file:
        return [i for i, text in enumerate(file, 1) if re.search(r"(/\*|//|!) problem( \*/)?$", text.rstrip())]


class Trial:
    """A case, compiled, run and recorded."""

    def __init__(self, tenure, case, folder):
        self.tenure, self.case, self.folder = tenure, case, folder
        self.source = os.path.join(FOLDER, case.source)
        self.ending = case.source.rsplit(".", 1)[1]
        self.twins = [False] if case.control else [False, True]

    def program(self, repaired, scale):
        """The command that runs it."""
        (_, *words), option = COMPILE[self.ending]
        out = os.path.join(self.folder, self.case.name + ("_repaired" if repaired and option else ""))
        if not os.path.exists(out):
            run(compiler(self.source), *words, *self.case.flags, *([option] if repaired and option else []), "-o", out,
                self.source, folder=self.folder)
        return [out, str(scale), *(["repaired"] if repaired and not option else [])]

    def record(self, repaired, scale, caches):
        """Totals and items of advice; and what the program prints."""
        program, profile = self.program(repaired, scale), os.path.join(self.folder, self.case.name + ".profile")
        small = SMALL_TLBS if caches is SMALL and "--tlb=yes" in self.case.options else []
        options = [*caches, *small, *self.case.options, *MORE]
        text = run(self.tenure, "record", "-q", *options, "-o", profile, "--", *program, folder=self.folder)
        report = json.loads(run(self.tenure, "report", "--advice", "--json", profile))
        os.unlink(profile)
        return report["totals"], report["advice"]["items"], text

    def fits(self, item):
        """(names a line, names the data, is of the right kind)"""
        case, marks = self.case, marked_lines(self.source)
        line = any(place["role"] in NAMES and place["file"] and place["line"] and
                   os.path.basename(place["file"]) == case.source and
                   any(place["line"] <= mark <= (place["last_line"] or place["line"]) for mark in marks)
                   for place in item["places"])
        return line, case.data is None or bool(re.search(case.data, item["data"] or "")), item["kind"] in case.kinds

    def best(self, items, share="cest_share"):
        """What is said of the problem: the item that fits most of what is asked, and savings of its like, which are
        those of other data, or of other lines."""
        if not items:
            return None, (False, False, False), 0.0
        item = max(items, key=lambda item: (all(self.fits(item)), all(self.fits(item)[:2]), any(self.fits(item)[:2])))
        if not any(self.fits(item)[:2]):
            return item, self.fits(item), 0.0
        like = [other for other in items if other["kind"] == item["kind"] and self.fits(other) == self.fits(item)]
        return item, self.fits(item), sum(other[share] for other in like) / 100

    def look(self, caches=SMALL, scale=1, cost="CEst", share="cest_share"):
        """`cost` and `share`: what predicted and simulated savings are of."""
        totals, items, text = self.record(False, scale, caches)
        self.items = items
        if self.case.control:
            self.passed = {"silent": not items}
            return self
        twin_totals, self.twin_items, twin_text = self.record(True, scale, caches)
        if text != twin_text or not text.strip():
            raise RuntimeError(f"the twins print {text!r} and {twin_text!r}")
        self.item, (line, data, kind), self.predicted = self.best(items, share)
        self.simulated = (totals[cost] - twin_totals[cost]) / totals[cost]
        self.ratio = self.predicted / self.simulated if self.simulated > 0 and self.predicted > 0 else 0
        kinds = [self.item["kind"]] if line or data else self.case.kinds
        self.loud = [item for item in self.twin_items if item["kind"] in kinds and any(self.fits(item)[:2])]
        high = self.item is not None and self.item["certain"] == "high" and self.predicted > 0
        self.passed = {"line": line, "data": data, "remedy": kind and (line or data),
                       "saving": self.within(WITHIN), "sure": not high or self.within(AT_MOST),
                       "sign": self.predicted == 0 or self.simulated > 0, "silent": not self.loud}
        return self

    def within(self, limit):
        return self.ratio > 0 and max(self.ratio, 1 / self.ratio) <= limit

    def decided(self, check):
        """Not so near to the limit that another compiler might decide otherwise."""
        limit = {"saving": WITHIN, "sure": AT_MOST}.get(check)
        return limit is None or self.within(limit / NEAR) == self.within(limit * NEAR)

    def said(self):
        """What was said of the problem, in a few words."""
        if self.case.control:
            return ", ".join(item["kind"] for item in self.items) or "nothing"
        if self.item is None:
            return "nothing"
        others = len(self.items) - sum(1 for item in self.items if item["kind"] == self.item["kind"])
        return self.item["kind"] + (f", {others} of other kinds" if others else "")


def percent(part):
    return f"{100 * part:.1f} %"


def row_of(trial):
    """Cells of the table of results."""
    case, passed = trial.case, trial.passed
    yes = {name: "yes" if good else "no" for name, good in passed.items()}
    if case.control:
        return [case.name, LANGUAGES[trial.ending], trial.said(), "", "", "", "", "", "", yes["silent"]]
    return [case.name, LANGUAGES[trial.ending], trial.said(), yes["line"], yes["data"], yes["remedy"],
            percent(trial.predicted), percent(trial.simulated), f"{trial.ratio:.2f}" if trial.ratio else "",
            yes["silent"]]


HEAD = ["case", "language", "said", "line", "data", "remedy", "predicted", "simulated", "ratio", "silent afterwards"]


def print_table(head, rows):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def tally(trials):
    """Lines on how many cases pass what, and how many should."""
    pairs = [trial for trial in trials if not trial.case.control]
    for name, part in TARGETS.items():
        asked = [(trial, all(trial.passed[check] for check in name.split(" and "))) for trial in
                 (trials if name == "silent" else pairs)]
        if asked:
            yield name, sum(good for _, good in asked), len(asked), math.ceil(part * len(asked))


def write_markdown(name, trials):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    lines += ["| " + " | ".join(cell or "-" for cell in row_of(trial)) + " |" for trial in trials]
    lines += ["", "| asked | right | of | wanted |", "|---|---|---|---|"]
    lines += [f"| {what} | {good} | {of} | {wanted} |" for what, good, of, wanted in tally(trials)]
    with open(name, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- cases -->\n", "<!-- end of cases -->\n"
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"{name}: there is no line <!-- cases -->, or no <!-- end of cases -->")
    with open(name, "w", encoding="utf-8") as file:
        file.write(text[:text.index(begin) + len(begin)] + "\n".join(lines) + "\n" + text[text.index(end):])


def words_on(items):
    return "; ".join(f"{item['kind']} {item['share']:.1f} %, {item['certain']}, of {item['data']} at " + ", ".join(
        f"{place['function']}:{place['line']}" for place in item["places"] if place["role"] in NAMES)
        for item in items) or "nothing"


def judge(trial):
    """(checks that went as the table says, complaints)"""
    good, complaints = 0, []
    for check, passed in trial.passed.items():
        known = check in trial.case.known
        if passed != known or not trial.decided(check):
            good += 1
        elif passed:
            complaints.append(f"{trial.case.name}: {check} passes: take it out of `known` in tests/cases/table.py")
        else:
            complaints.append(f"{trial.case.name}: {check} fails; said: " + words_on(
                trial.twin_items if check == "silent" and not trial.case.control else trial.items))
    return good, complaints


def bare_time(program):
    """In CPU time, of all threads: others may be at work on the machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(program, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def time_cases(tenure, cases, folder):
    """One after the other, so that nothing else runs beside what is timed."""
    rows, l2 = [], []
    caches = json.loads(run(tenure, "info", "--json"))
    if "cache.L2" in caches:
        l2 = ["--L2=" + caches["cache.L2"]]
    for case in cases:
        if not case.time:
            continue
        trial = Trial(tenure, case, folder).look(["--patterns=yes", *l2], case.time, "Time", "share")
        programs = [trial.program(repaired, case.time) for repaired in trial.twins]
        times = [[bare_time(program) for program in programs] for _ in range(PAIRS_OF_RUNS)]
        before, after = (min(column) for column in zip(*times))
        rows.append([case.name, trial.said(), f"{1 / (1 - trial.predicted):.2f}", f"{1 / (1 - trial.simulated):.2f}",
                     f"{before / after:.2f}", f"{before:.3f} s", f"{after:.3f} s"])
        print(case.name, file=sys.stderr)
    print_table(["case", "said", "predicted", "estimated", "real", "before", "after"], rows)
    for what, at in (("predicted", 2), ("estimated", 3)):
        pairs = [(float(row[at]), float(row[4])) for row in rows]
        near = sum(max(a / b, b / a) <= 1.25 for a, b in pairs)
        sign = sum(a == 1 or (a > 1) == (b > 1) for a, b in pairs)
        print(f"{what}: within 25 % of the real speed-up in {near} of {len(pairs)}, of the right sign in {sign}")


def main():
    options = dict(word.partition("=")[::2] for word in sys.argv[2:])
    if len(sys.argv) < 2 or sys.argv[1].startswith("-") or set(options) - {"--only", "--markdown", "--time", "--with"}:
        sys.exit(__doc__)
    tenure = os.path.abspath(sys.argv[1])
    MORE.extend(options.get("--with", "").split())
    every = [*CASES, *CONTROLS]
    only = options["--only"].split(",") if "--only" in options else [case.name for case in every]
    if unknown := set(only) - {case.name for case in every}:
        sys.exit(f"there is no case {', '.join(sorted(unknown))}")
    chosen = [case for case in every if case.name in only]
    cases = [case for case in chosen if compiler(case.source) and
             ("--tlb=yes" not in case.options or has_large_pages())]
    for case in chosen:
        if compiler(case.source) and case not in cases:
            print(f"{case.name}: left out, there are no large pages, or the engine cannot know of them")
        elif case not in cases:
            print(f"{case.name}: left out, there is no compiler for {LANGUAGES[case.source.rsplit('.', 1)[1]]}")
    with tempfile.TemporaryDirectory() as folder:
        if "--time" in options:
            time_cases(tenure, cases, folder)
            return
        passed, failed, trials = 0, [], []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for case, going in [(case, pool.submit(Trial(tenure, case, folder).look)) for case in cases]:
                try:
                    trials.append(going.result())
                    good, complaints = judge(trials[-1])
                    passed += good
                    failed += complaints
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    failed.append(f"{case.name}: {error}")
    print_table(HEAD, [row_of(trial) for trial in trials])
    for what, good, of, wanted in tally(trials):
        print(f"{what}: {good} of {of}; {wanted} wanted")
    if "--markdown" in options:
        write_markdown(options["--markdown"], trials)
    for what in failed:
        print("FAILED", what)
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed or not passed else 0)


main()
