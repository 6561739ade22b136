#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
builds.py: the examples of docs/builds.md: cargo, CMake and meson, each where it is installed.

    builds.py TENURE SOURCE_ROOT

A build that is given no stored profile, one of the same program, and one of a program that wastes less.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TENURE, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(ROOT, "tests/cli"))
from checks import check, finish, run

WALK = """#include <stdlib.h>
int main(int count, char **words)
{
    int n = atoi(words[count - 1]);
    volatile char *grid = calloc(n, n);
    for (int column = 0; column < n; column++)
        for (int row = 0; row < n; row++)
            grid[AT]++;
}
"""
RUST = """fn main() {
    let n: usize = std::env::args().nth(1).expect("rows").parse().unwrap();
    let grid = vec![1u8; n * n];
    println!("{}", (0..n).map(|x| (0..n).map(|y| u64::from(grid[y * n + x])).sum::<u64>()).sum::<u64>());
}
#[test]
fn adds() { assert_eq!(1 + 1, 2); }
"""


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def block(kind):
    with open(os.path.join(ROOT, "docs/builds.md"), encoding="utf-8") as file:
        return re.search(rf"^```{kind}\n(.*?)^```$", file.read(), re.M | re.S).group(1)


def cargo():
    os.makedirs("it's a crate")
    os.chdir("it's a crate")
    write("Cargo.toml", '[package]\nname = "walk"\nversion = "0.1.0"\nedition = "2018"\n')
    write("src/main.rs", RUST)
    status, out, err = run(["sh", "-ec", block("sh cargo")])
    check("cargo: " + err, (status, out.startswith("90000\n")), (0, True))
    lines = run(["tenure", "report", "--csv", "--lines", "--sort=D1mr", "walk.profile"])[1]
    check("cargo: lines", "main.rs" in lines, True)
    status, out, err = run(["cargo", "tenure", "--test", "walk", "--offline", "--record=-q", "-o", "test.profile"])
    check("a test that is not there", status != 0 and not os.path.exists("test.profile"), True)
    write("tests/adds.rs", "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n")
    status, out, err = run(["cargo", "tenure", "--test", "adds", "--offline", "--record=-q", "-o", "test.profile"])
    check("cargo, a test: " + err, (status, "1 passed" in out, os.path.exists("test.profile")), (0, True, True))
    write("examples/small.rs", 'fn main() { println!("an example"); }')
    write("benches/many.rs", 'fn main() { println!("a benchmark {:?}", std::env::args().nth(1)); }')
    with open("Cargo.toml", "a", encoding="utf-8") as file:
        file.write('[[bench]]\nname = "many"\nharness = false\n')
    for name, words, behind, printed in (
            ("example", ["--example", "small"], [], "an example\n"),
            ("bench", ["--bench=many"], [], "a benchmark None\n"),
            ("told", ["--bench", "many"], ["--", "--bench"], 'a benchmark Some("--bench")\n')):
        words += ["--offline", "--record=-q", "-o", name + ".profile"]
        status, out, err = run(["cargo", "tenure", *words, *behind])
        check(f"cargo, {name}: {err}", (status, out, os.path.exists(name + ".profile")), (0, printed, True))
    write("src/bin/other.rs", "fn main() {}\n")
    status, out, err = run(["cargo", "tenure", "--offline"])
    check("several programs", (status, "name one with --bin" in err), (1, True))
    check("option without its value", run(["cargo-tenure", "tenure", "--bin"])[0], 2)
    check("help", "Usage: cargo tenure" in run(["cargo", "tenure", "--help"])[1] + run(["cargo-tenure", "-h"])[1], True)
    os.chdir("..")


def compared(name, file, prepare, test, recorded):
    """A test without limits passed, and with them, in a project of its own."""
    os.makedirs(name)
    os.chdir(name)
    write(file, block(name))
    write("walk.c", WALK.replace("AT", "column * n + row"))
    write("walk.profile", "")
    check(name + " is set up", run(prepare, timeout=300), (0, run(["true"])[1], ""))
    check(name + ", no profile yet", run(test)[0] != 0, True)
    shutil.copy(recorded, "walk.profile")
    status, out, err = run(test)
    check(name + ", the same: " + out[-600:] * (status != 0), status, 0)
    write("walk.c", WALK.replace("AT", "row * n + column"))
    status, out, err = run(test)
    check(name + ", a limit is passed", (status != 0, "SpLossD1@total>+1% is passed" in out), (True, True))
    os.chdir("..")


def main():
    with tempfile.TemporaryDirectory(dir=None) as folder:
        os.chdir(folder)
        os.makedirs("prefix/share/tenure")
        shutil.copy(os.path.join(ROOT, "contrib/TenureTest.cmake"), "prefix/share/tenure")
        os.environ.update(PATH=f"{os.path.dirname(TENURE)}:{ROOT}/contrib:{os.environ['PATH']}",
                          CMAKE_PREFIX_PATH=os.path.abspath("prefix"), CARGO_NET_OFFLINE="true")
        if shutil.which("cargo") and subprocess.run(["cargo", "--version"], check=False).returncode == 0:
            cargo()
        else:
            print("there is no cargo")
        quiet = ["sh", "-c", '"$@" >log 2>&1', "sh"]
        if shutil.which("cmake"):
            compared("cmake", "CMakeLists.txt", quiet + ["cmake", "-S", ".", "-B", "build"], [
                "sh", "-c", "cmake --build build && cd build && ctest --output-on-failure"], "build/cache-use.profile")
        else:
            print("there is no cmake")
        compared("meson", "meson.build", quiet + ["meson", "setup", "build"], [
            "sh", "-c", "meson test -C build --print-errorlogs"], "build/cache-use.profile")
        os.chdir("/")
    return finish()


sys.exit(main())
