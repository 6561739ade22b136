#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
golden.py: runs a golden script and compares what it prints.

    golden.py [--regenerate] --tenure EXE --fake EXE SCRIPT...

Beside NAME.sh lie NAME.out, NAME.err and NAME.status: expected standard output, errors and exit status; a
file that is not there stands for nothing and 0. --regenerate writes them anew: read the difference before you
keep it.

A script runs in an empty folder, with an environment of its own:

    tenure        in PATH: the program, installed with a stand-in for the engine's tool
    valgrind.bin  in PATH: tests/cli/fake_valgrind.c
    RAW_MAKE      tests/profiles/raw_make.py
    ANNOTATE_MAKE tests/cli/annotate_make.py
    COLUMNS       100, and NO_COLOR

In what is printed the folder is written @DIR@, the version of Valgrind @VALGRIND@, a recording's token @TOKEN@, and the
host that is recorded @HOST@.
"""
import argparse
import difflib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def install(folder, tenure, fake):
    """A small installation of its own: bin/tenure, bin/valgrind.bin, libexec/tenure/<tool>."""
    for name in ("bin", "libexec/tenure", "scratch"):
        os.makedirs(os.path.join(folder, name))
    shutil.copy(tenure, os.path.join(folder, "bin/tenure"))
    shutil.copy(fake, os.path.join(folder, "bin/valgrind.bin"))
    tool = os.path.join(folder, "libexec/tenure/tenure-amd64-linux")
    with open(tool, "w"):
        os.chmod(tool, 0o755)


def environment(folder):
    keep = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
    return dict(keep, PATH=os.path.join(folder, "bin") + ":/usr/bin:/bin", HOME=folder, TMPDIR=folder,
                XDG_RUNTIME_DIR=folder,
                LC_ALL="C.UTF-8", COLUMNS="100", NO_COLOR="1", PYTHONDONTWRITEBYTECODE="1",
                RAW_MAKE=os.path.join(HERE, "../profiles/raw_make.py"),
                ANNOTATE_MAKE=os.path.join(HERE, "annotate_make.py"))


def clean(text, folder, version):
    text = text.replace(os.path.realpath(folder), "@DIR@").replace(folder, "@DIR@")
    text = re.sub(r"\.[a-z2-7]{6}\.raw", ".@TOKEN@.raw", text)
    text = text.replace("--host=" + socket.gethostname(), "--host=@HOST@")
    return text.replace(version, "@VALGRIND@")


def run(script, tenure, fake):
    version = subprocess.run([fake, "--version"], capture_output=True, text=True, check=True).stdout
    version = version.split("-")[1].strip()
    folder = tempfile.mkdtemp(prefix="tenure-cli-")
    try:
        install(folder, tenure, fake)
        done = subprocess.run(["/bin/sh", os.path.abspath(script)], cwd=os.path.join(folder, "scratch"),
                              env=environment(folder), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120)
        out, err = (clean(text.decode("utf-8", "backslashreplace"), folder, version)
                    for text in (done.stdout, done.stderr))
        return {"out": out, "err": err, "status": f"{done.returncode}\n" if done.returncode else ""}
    finally:
        shutil.rmtree(folder)


def expected(script, what):
    try:
        with open(script[:-2] + what, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def write(script, got):
    for what, text in got.items():
        path = script[:-2] + what
        if text:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        elif os.path.exists(path):
            os.remove(path)


def compare(script, got):
    good = True
    for what, text in got.items():
        want = expected(script, what)
        if text != want:
            good = False
            sys.stdout.writelines(difflib.unified_diff(want.splitlines(True), text.splitlines(True),
                                                       os.path.basename(script)[:-2] + what, "printed"))
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--regenerate", action="store_true")
    parser.add_argument("--tenure", required=True)
    parser.add_argument("--fake", required=True)
    parser.add_argument("scripts", nargs="+")
    args = parser.parse_args()
    good = True
    for script in args.scripts:
        got = run(script, args.tenure, args.fake)
        if args.regenerate:
            write(script, got)
        else:
            good &= compare(script, got)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
