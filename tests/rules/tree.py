# SPDX-License-Identifier: GPL-2.0-or-later
"""What the rule tests share: the list of the project's files, and the last line of a test's output.

The files are those that git knows or would add (tracked, or untracked and not ignored); in a source archive
without git, every file outside hidden folders and build folders.
"""
import os
import subprocess
import sys


def files(root):
    """Paths relative to `root`, sorted."""
    try:
        command = ["git", "-C", root, "-c", "safe.directory=*", "ls-files", "-z"]
        command += ["--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
        return sorted(name for name in set(listed) if name and os.path.isfile(os.path.join(root, name)))
    except (OSError, subprocess.CalledProcessError):
        return sorted(walk(root))


def walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not left_out(os.path.join(folder, name))]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def left_out(folder):
    built = os.path.isdir(os.path.join(folder, "meson-private"))
    return built or os.path.basename(folder) in ("build", ".git", "__pycache__")


def text(root, name):
    """The file's text, or None if it is not UTF-8."""
    with open(os.path.join(root, name), "rb") as file:
        try:
            return file.read().decode("utf-8")
        except UnicodeDecodeError:
            return None


class Cases:
    """Counts cases; a case passes when it has no complaints."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def case(self, name, complaints):
        if complaints:
            self.failed += 1
            for complaint in complaints:
                print(f"{name}: {complaint}")
        else:
            self.passed += 1

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.passed else 0)
