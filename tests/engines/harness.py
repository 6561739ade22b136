# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs guests under the engines for the tests of this folder.

The environment says where things are: VALGRIND_LIB (the folder with our tool), VALGRIND (the real binary, not the
distribution's wrapper), TENURE_NATIVE (the native engine; without it its tests are left out), CC. Guests are compiled
on demand, statically, into a temporary folder that each test has to itself and that is the working directory of what
it runs.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import rawfile

HERE = os.path.dirname(os.path.abspath(__file__))
GEOMETRY = ["--I1=4096,2,64", "--D1=4096,4,64", "--LL=65536,8,64"]


def valgrind_binary():
    for name in (os.environ.get("VALGRIND", ""), "valgrind.bin", "valgrind"):
        found = name and shutil.which(name)
        if found:
            return found
    sys.exit("no valgrind")


class EngineTest(unittest.TestCase):
    maxDiff = 2000
    engine = "valgrind"

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tenure-engine-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def guest(self, source, *flags, static=True):
        """Compiles guests/`source`; returns the program's path."""
        program = os.path.join(self.folder, source.partition(".")[0])
        command = [os.environ.get("CC", "cc"), "-O1", "-g", *(["-static"] if static else []), "-o", program,
                   os.path.join(HERE, "guests", source), "-I", os.path.join(HERE, "../../include"), *flags]
        subprocess.run(command, check=True)
        return program

    def valgrind(self, tool, *arguments, env=None, ok=True, **more):
        command = [valgrind_binary(), "--command-line-only=yes", "--vgdb=no", f"--tool={tool}", *arguments]
        environment = dict(os.environ, **(env or {}))
        if tool != "tenure" and "VALGRIND_LIB" not in (env or {}):
            environment.pop("VALGRIND_LIB", None) # Valgrind's own tools are where it was installed
        result = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment, timeout=300, check=False, **more)
        if ok:
            self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result

    def native(self, *arguments, env=None, ok=True, **more):
        """The options that are Valgrind's alone are left out."""
        engine = os.environ.get("TENURE_NATIVE")
        if not engine:
            self.skipTest("no native engine")
        arguments = [word for word in arguments if not word.startswith("--cold-blocks=")]
        environment = dict(os.environ, **(env or {}))
        environment.pop("VALGRIND_LIB", None)
        result = subprocess.run([engine, "--profile=yes", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=environment, timeout=60, check=False, **more)
        if ok:
            self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result

    def tenure(self, *arguments, **more):
        if self.engine == "native":
            return self.native(*arguments, **more)
        return self.valgrind("tenure", "-q", "--check-translation=yes", *arguments, **more)

    def common_folder(self):
        """A folder for VALGRIND_LIB with our tool and all of Valgrind's own."""
        ours = os.environ["VALGRIND_LIB"]
        theirs = os.path.dirname(os.path.realpath(os.path.join(ours, "default.supp")))
        common = os.path.join(self.folder, "common")
        os.mkdir(common)
        for name in os.listdir(theirs):
            os.symlink(os.path.join(theirs, name), os.path.join(common, name))
        os.symlink(os.path.join(ours, "tenure-amd64-linux"), os.path.join(common, "tenure-amd64-linux"))
        return common

    def raw_files(self):
        return sorted(glob.glob(os.path.join(self.folder, "tenure.raw.*")))

    def profile(self, *arguments, **more):
        """Runs `arguments` and reads the one profile that this leaves."""
        for name in self.raw_files():
            os.unlink(name)
        self.tenure(*arguments, **more)
        names = self.raw_files()
        self.assertEqual(len(names), 1, names)
        return rawfile.Raw(names[0])

    def cachegrind(self, *arguments, **more):
        """Total of each event, from Debian's Cachegrind, without chasing over branches, which counts
        instructions that are not executed, and with the registers kept as Tenure keeps them, which keeps loads."""
        out = os.path.join(self.folder, "cachegrind.out")
        self.valgrind("cachegrind", "--vex-guest-chase=no", "--vex-iropt-unroll-thresh=0", "--cache-sim=yes",
                      "--px-default=allregs-at-mem-access", "--px-file-backed=allregs-at-mem-access",
                      f"--cachegrind-out-file={out}", *arguments, **more)
        with open(out, encoding="utf-8") as file:
            lines = file.read().splitlines()
        events = next(line for line in lines if line.startswith("events:")).split()[1:]
        totals = next(line for line in lines if line.startswith("summary:")).split()[1:]
        return dict(zip(events, map(int, totals)))


def main():
    """Runs the tests of the calling script; the last line is what tools/run-tests adds up."""
    program = unittest.main(verbosity=0, exit=False)
    result = program.result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad - len(result.skipped)} passed, {bad} failed")
    sys.exit(bad > 0)
