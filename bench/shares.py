# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the time of a recording goes: samples of `perf record`, sorted by which part of the engine they fall into.

The engine is one static program, so a sample's symbol says whose code it is; which symbols belong to which part is
read from the object files of the build and from Valgrind's own libraries.

    translating   VEX, our instrumentation, Valgrind's table of translations: paid per block of code, not per run
    translated    the program's translated code: the program itself and the inlined hit tests
    core          the simulator behind the hit tests, and its book-keeping
    engine        our engine otherwise: calls, threads, names of functions
    valgrind      Valgrind's core: start, dispatcher, system calls, reading of objects
    kernel        page faults and system calls
    other         `tenure` itself
"""
import glob
import os
import re
import shutil
import subprocess

PARTS = ["translating", "translated", "core", "engine", "valgrind", "kernel", "other"]
TRANSLATION_OBJECTS = {"translate_vg_emit.c.o", "translate_vg_plan.c.o", "run_vg_instrument.c.o"}
TRANSLATION_NAMES = re.compile(r"transtab|invalidateOverlaps|vgPlain_translate|vg_instrument")
TOOL = "tenure-amd64-linux"
COMPILERS_SUFFIX = re.compile(r"\.(part|constprop|isra|cold|lto_priv)\b.*$")


def symbols(path):
    """Names of the functions that an object file or archive defines."""
    listed = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=False).stdout
    return {COMPILERS_SUFFIX.sub("", line.split()[-1]) for line in listed.splitlines()
            if len(line.split()) == 3 and line.split()[1] in "tT"}


def parts_of(build):
    """symbol -> part, of everything but Valgrind's own core."""
    part = {}
    library = subprocess.run(["pkg-config", "--variable=libdir", "valgrind"], capture_output=True, text=True,
                             check=False).stdout.strip()
    for archive in glob.glob(f"{library}/valgrind/libvex*-amd64-linux.a"):
        part.update(dict.fromkeys(symbols(archive), "translating"))
    objects = os.path.join(build, "engine", "valgrind", TOOL + ".p")
    for name in os.listdir(objects):  # some begin with a dot
        path = os.path.join(objects, name)
        owner = "core" if "core_" in name else "translating" if name in TRANSLATION_OBJECTS else "engine"
        part.update(dict.fromkeys(symbols(path), owner))
    return part


def command(argv, folder):
    """`argv` under perf, or None where there is no perf."""
    if not shutil.which("perf") or not shutil.which("nm"):
        return None
    data = os.path.join(folder, "perf.data")
    return ["perf", "record", "-q", "-e", "cpu-clock", "-F", "199", "-o", data, "--", *argv]


def place(part, library, symbol):
    if symbol.startswith("[k]"):
        return "kernel"
    if TOOL in library:
        name = COMPILERS_SUFFIX.sub("", symbol[4:].strip())
        return "translating" if TRANSLATION_NAMES.search(name) else part.get(name, "valgrind")
    if "JIT" in library or "unknown" in library or "anon" in library:
        return "translated"
    return "other"


def read(build, folder):
    """{part: share of the samples}; empty if there are none."""
    report = subprocess.run(["perf", "report", "-i", os.path.join(folder, "perf.data"), "--stdio", "-t", ";",
                             "-F", "period,dso,symbol"], capture_output=True, text=True, check=False).stdout
    part, sums = parts_of(build), dict.fromkeys(PARTS, 0)
    for line in report.splitlines():
        field = line.split(";")
        if line.startswith("#") or len(field) < 3 or not field[0].strip().isdigit():
            continue
        sums[place(part, field[1], field[2].strip())] += int(field[0])
    total = sum(sums.values())
    return {name: value / total for name, value in sums.items()} if total else {}
