#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
install.py: `make install` puts everything in its place below DESTDIR, and it runs from there.

    install.py BUILD PREFIX TENURE

The build must be complete (as it is in `make check`): nothing is built here. TENURE is only asked for its commands.
"""
import os
import re
import subprocess
import sys
import tempfile

failures, cases = [], 0


def check(good, text):
    global cases
    cases += 1
    if not good:
        failures.append(text)


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)


def main():
    build, prefix, tenure = sys.argv[1:4]
    names = re.findall(r"^  ([a-z]+) ", run(tenure, "--help").stdout.split("Commands:")[1].split("\n\n")[0], re.M)
    with tempfile.TemporaryDirectory() as destination:
        done = run("meson", "install", "-C", build, "--destdir", destination, "--no-rebuild", "--quiet")
        if done.returncode and "not found" in done.stderr + done.stdout:
            print("not everything is built: " + (done.stderr + done.stdout)[-300:])
            return 77
        check(done.returncode == 0, "meson install: " + done.stderr)
        below = destination + prefix
        wanted = ["bin/tenure", "bin/cargo-tenure", "share/tenure/TenureTest.cmake", "include/tenure.h",
                  "share/bash-completion/completions/tenure",
                  "share/zsh/site-functions/_tenure", "share/fish/vendor_completions.d/tenure.fish",
                  "share/man/man1/tenure.1", "share/doc/tenure/model.md", "share/doc/tenure/migration.md"]
        for path in wanted + [f"share/man/man1/tenure-{name}.1" for name in names]:
            check(os.path.isfile(os.path.join(below, path)), f"{path} is not installed")
        engines = os.path.join(below, "libexec/tenure")
        for name in os.listdir(engines) if os.path.isdir(engines) else []:
            check(os.path.exists(os.path.join(engines, name)), f"{name} leads nowhere")
        modules = [folder for folder, _, files in os.walk(below) if folder.endswith("-packages/tenure") and files]
        done = run(sys.executable, "-B", "-c", "import tenure; print(tenure.__file__)",
                   env={**os.environ, "PYTHONPATH": os.path.dirname(modules[0]) if modules else ""})
        check(done.stdout.startswith(destination), f"the Python module: {modules} {done.stderr}")
        moved = os.path.join(destination, "moved")
        os.rename(below, moved)
        tenure, profile = os.path.join(moved, "bin/tenure"), os.path.join(destination, "profile")
        for tool, engine in (("tenure-native", "native"), ("tenure-amd64-linux", "valgrind")):
            if not os.path.exists(os.path.join(moved, "libexec/tenure", tool)):
                continue
            done = run(tenure, "record", "-q", "--engine=" + engine, "-o", profile, "--", "/bin/true")
            check(done.returncode == 0, f"{engine}, moved: {done.stderr}")
            done = run(tenure, "report", profile)
            check(done.returncode == 0 and "(Ir)" in done.stdout, f"{engine}, report: {done.stderr}")
    print("\n".join(failures))
    print(f"{cases - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


sys.exit(main())
