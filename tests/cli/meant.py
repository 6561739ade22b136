#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
meant.py: options take the names of functions that reports print, and say where none is so called.

    meant.py TENURE VALGRIND meant_guest.cpp

VALGRIND is yes or no: whether that engine is there, too. naming.py has programs in other languages.
"""
import os
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, SOURCE = (os.path.abspath(path) for path in (sys.argv[1], sys.argv[3]))
ENGINES = ["native"] + ["valgrind"] * (sys.argv[2] == "yes")
GUEST, LIBRARY = "./guest", "./library.so"
SOLVE = {"_ZN6shapes4GridIiE5solveEi", "_ZN6shapes4GridIiE5solveEd"}


def recorded(engine, options, program):
    """What is said, and the profile."""
    if os.path.exists("profile"):
        os.remove("profile")
    status, _, errors = run([TENURE, "record", "-q", "-o", "profile", f"--engine={engine}", *options, *program])
    check(f"{engine} {options}: status", status, 0)
    return errors.splitlines(), sqlite3.connect("profile")


def symbols(profile):
    return {symbol for symbol, in profile.execute("SELECT symbol FROM functions WHERE Ir > 0 AND base LIKE '%shapes%'")}


def collected(engine):
    """What is collected inside of is what the name means, and nothing else."""
    for name, wanted in (("shapes::Grid<int>::solve(int)", {"_ZN6shapes4GridIiE5solveEi"}),
                         ("shapes::Grid<int>::solve", SOLVE), ("*::solve(*", SOLVE),
                         ("_ZN6shapes4GridIiE5solveEd", {"_ZN6shapes4GridIiE5solveEd"}),
                         ("int shapes::sum<int>(int)", {"_ZN6shapes3sumIiEET_S1_"}),
                         ("shapes::sum<long>", {"_ZN6shapes3sumIlEET_S1_"})):
        errors, profile = recorded(engine, [f"--toggle-collect={name}"], [GUEST])
        check(f"{engine}: {name}", (errors, symbols(profile)), ([], wanted))


def other_options(engine):
    """All take the same names."""
    solve = "shapes::Grid<int>::solve"
    _, profile = recorded(engine, [f"--fn-skip={solve}", f"--dump-before={solve}(int)", f"--dump-after={solve}(int)",
                                   "--separate-callers2=shapes::sum<int>",
                                   "--alloc-fn=shapes::Pool::take(unsigned long):2"], [GUEST])
    check(f"{engine}: skipped", symbols(profile) & SOLVE, set())
    check(f"{engine}: parts", profile.execute("SELECT count(*) FROM parts WHERE why = 'function'").fetchone()[0], 2)
    check(f"{engine}: contexts", profile.execute("SELECT function FROM functions WHERE base LIKE "
                                                 "'%sum<int>%'").fetchone()[0].split("'")[:2],
          ["int shapes::sum<int>(int)", "main"])
    check(f"{engine}: blocks", profile.execute("SELECT bytes FROM data_objects WHERE name LIKE "
                                               "'shapes::Pool::take%'").fetchall(), [(1024,)])
    _, profile = recorded(engine, [f"--start={solve}(double)"], [GUEST])
    check(f"{engine}: start", symbols(profile) & SOLVE, {"_ZN6shapes4GridIiE5solveEd"})
    _, profile = recorded(engine, [f"--zero-before={solve}(double)"], [GUEST])
    check(f"{engine}: zero", symbols(profile) & SOLVE, {"_ZN6shapes4GridIiE5solveEd"})


def unmatched(engine):
    """What no function is called is said, and kept."""
    options = ["--fn-skip=shapes::Grid<int>::solved", "--fn-skip=shapes::Grid<int>::sum", "--fn-skip=shapes::opened",
               "--fn-skip=plugin", "--dump-after=_ZN6shapes6openedEi"]
    errors, profile = recorded(engine, options, [GUEST, LIBRARY])
    check(f"{engine}: unmatched", sorted(value for value, in profile.execute(
        "SELECT value FROM meta WHERE key GLOB 'unmatched.*'")), sorted(options[:3]))
    solved, summed, opened = (f"tenure: {option}: " for option in options[:3])
    none = "no function of this name was met; "
    check(f"{engine}: said", sorted(errors), sorted((
        solved + none + "`tenure report` prints names; a name may go on, and * and ? match: f* is f.constprop.0, too",
        summed + none + "names like it: int shapes::sum<int>(int), long shapes::sum<long>(long)",
        opened + "its library was opened by the program itself; name it by its symbol, _ZN6shapes6openedEi")))


with tempfile.TemporaryDirectory(prefix="tenure-meant-") as folder:
    os.chdir(folder)
    compiler = [*os.environ.get("CXX", "c++").split(), "-O1", "-g", SOURCE]
    check("guest", run([*compiler, "-o", GUEST, "-ldl"])[0], 0)
    check("library", run([*compiler, "-shared", "-fPIC", "-DLIBRARY", "-o", LIBRARY])[0], 0)
    for each in ENGINES:
        collected(each)
        other_options(each)
        unmatched(each)
    os.chdir("/")
sys.exit(finish())
