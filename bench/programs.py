# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that are measured: what they are called, the package they come from, their sizes and inputs.

SIZES was found by trial: `full` takes Callgrind (--cache-sim=yes --cacheuse=yes) about 30 seconds on a machine of
2024, `quick` about 3; but cc1 needs 7 to start, and cc1plus and clang 30 to read one standard header, so theirs
are longer. clang is the very large case: `full` takes 3 minutes. A machine that is twice as fast needs the sizes
doubled, no more: ratios hardly depend on them.

A program is prepared once in the scratch folder: prepare(scratch, tools, size) returns its argv. It writes what it
computes to standard output, so that every measure can be checked to have done the same work.
"""
import os
import shutil
import subprocess

import inputs

HERE = os.path.dirname(os.path.abspath(__file__))

# name: (quick, full)
SIZES = {
    "xz": (400_000, 5_600_000),           # bytes of text
    "bzip2": (500_000, 6_400_000),        # bytes of text
    "python3": (1, 22),                   # rounds
    "sqlite3": (5_000, 55_000),           # rows
    "cc1": (1, 5),                        # units of C
    "cc1plus": (1, 3),                    # units of C++, few headers
    "stencil": (30, 390),                 # steps
    "chase": (2_000_000, 36_000_000),     # steps
    "hydro": (2, 15),                     # steps
    "clang": (1, 1),                      # units of C++; quick: few headers, no optimisation
}


class Missing(Exception):
    """A program is not installed; says what to install."""


def find(program, package):
    """The program as the distribution installs it, before any other in PATH: no wrapper script."""
    path = shutil.which(program, path="/usr/bin:/bin") or shutil.which(program)
    if not path:
        raise Missing(f"{program} is not installed (Debian package {package})")
    return os.path.realpath(path)


def find_compiler_proper(driver, program, package):
    """cc1 or cc1plus: what the driver runs."""
    path = subprocess.run([find(driver, package), f"-print-prog-name={program}"], capture_output=True, text=True,
                          check=True).stdout.strip()
    if not os.path.isabs(path):
        raise Missing(f"{program} is not installed (Debian package {package})")
    return os.path.realpath(path)


def write(scratch, name, content):
    path = os.path.join(scratch, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(content)
    return path


def preprocess(compiler, source):
    """So that headers are found as the driver finds them, and only the compiler proper is measured."""
    target = source[:-len(".cc")] + ".ii"
    subprocess.run([compiler, "-std=c++17", "-E", source, "-o", target], check=True)
    return target


def xz(scratch, _tools, size):
    return [find("xz", "xz-utils"), "-2", "-k", "-c", write(scratch, f"text-{size}", inputs.text(size))]


def bzip2(scratch, _tools, size):
    return [find("bzip2", "bzip2"), "-k", "-c", write(scratch, f"text-{size}", inputs.text(size))]


def python3(_scratch, _tools, size):
    # -I: neither the environment nor the user's own modules change the run.
    return [find("python3", "python3"), "-I", os.path.join(HERE, "kernels", "objects.py"), str(size)]


def sqlite3(scratch, _tools, size):
    script = write(scratch, f"rows-{size}.sql", inputs.sql(size))
    return [find("sqlite3", "sqlite3"), "-batch", "-init", os.devnull, ":memory:", f".read {script}"]


def cc1(scratch, _tools, size):
    source = write(scratch, f"units-{size}.c", inputs.c_source(size))
    return [find_compiler_proper("gcc", "cc1", "gcc"), "-quiet", "-fpreprocessed", "-O2", source, "-o", "-"]


def cc1plus(scratch, _tools, size):
    program = find_compiler_proper("g++", "cc1plus", "g++")
    source = write(scratch, f"units-{size}-gcc.cc", inputs.cxx_source(size, few_headers=True))
    return [program, "-quiet", "-fpreprocessed", "-std=c++17", "-O1", preprocess("g++", source), "-o", "-"]


def clang(scratch, _tools, size, small=False):
    program = find("clang++", "clang")
    source = write(scratch, f"units-{size}-clang.cc", inputs.cxx_source(size, few_headers=small))
    level = "-O0" if small else "-O2"
    # The real file is called clang: what follows tells it the language and keeps it in one process.
    return [program, "-x", "c++-cpp-output", "-std=c++17", level, "-S", preprocess("clang++", source), "-o", "-"]


def stencil(_scratch, tools, size):
    return [tools["stencil"], "600", str(size)]


def hydro(_scratch, tools, size):
    return [tools["hydro"], "1000", str(size)]


def chase(_scratch, tools, size):
    return [tools["chase"], "200000", str(size)]


PREPARE = {"xz": xz, "bzip2": bzip2, "python3": python3, "sqlite3": sqlite3, "cc1": cc1, "cc1plus": cc1plus,
           "stencil": stencil, "chase": chase, "hydro": hydro, "clang": clang}
KERNELS = ("stencil", "chase", "hydro")  # built by meson: bench/NAME in the build folder


def prepare(name, scratch, tools, quick):
    size = SIZES[name][0 if quick else 1]
    if name == "clang":
        return clang(scratch, tools, size, small=quick)
    return PREPARE[name](scratch, tools, size)
