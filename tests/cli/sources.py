#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
sources.py: whose source text is read: a profile may name any file of its reader's.

    sources.py TENURE PAGE_READER

Everything is done as an ordinary user, and as root where the test is run by root.
"""
import importlib.util
import os
import shutil
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, READER = (os.path.abspath(path) for path in sys.argv[1:3])
NOBODY = 65534
ROOT = os.geteuid() == 0

# name: (its mode, whether an ordinary user's own is shown, root's)
FILES = {
    "open.c": (0o644, True, True),
    "open.txt": (0o644, True, True),
    "open": (0o604, True, True),
    "own.c": (0o600, True, False),
    "own.f90": (0o640, True, False),
    "own.S": (0o600, True, False),
    "src/own.zig": (0o600, True, False),
    "own.txt": (0o600, False, False),
    "id_rsa": (0o600, False, False),
    ".netrc": (0o640, False, False),
}
LINKS = {"link.c": "id_rsa", "src/up.c": "../own.txt", "good.c": "own.c", "folder.c": "src", "no.c": "nowhere"}


def text_of(name):
    return f"the text of {name}\n"


def profile(folder, names):
    """A profile whose costs are on the first lines of these files."""
    with open("made", "w", encoding="utf-8") as file:
        file.write("# callgrind format\nversion: 1\ncmd: program\nevents: Ir\n")
        for number, name in enumerate(names):
            file.write(f"fl={os.path.join(folder, name)}\nfn=f{number}\n1 100\n")
    return ["made"]


def as_user(user, *words):
    status, out, err = run([os.path.join(os.getcwd(), "tenure"), *words], user=user,
                           env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nowhere", "COLUMNS": "400"})
    check(f"{words[0]} {words[1]}: its end", (status, err.count("cannot")), (0, 0))
    return out


def shown_by_annotate(user, *options):
    out = as_user(user, "annotate", "--threshold=0", *options, "made")
    return {name for name in FILES if text_of(name).strip() in out}, out


def shown_by_import(user):
    as_user(user, "import", "-q", "--embed-source", "-o", "home/kept", "made")
    with sqlite3.connect("file:home/kept?mode=ro", uri=True) as database:
        texts = {text for text, in database.execute("SELECT text FROM sources")}
    os.remove("home/kept")
    return {name for name in FILES if text_of(name) in texts}


def shown_by_page(user, *options):
    """What the page has the text of, and the files that it says it has not."""
    spec = importlib.util.spec_from_file_location("page_reader", READER)
    reader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reader)
    as_user(user, "html", *options, "-o", "home/page.html", "made")
    page = reader.Page("home/page.html")
    texts = {row["text"] for row in page.table("source_text")} if "source_text" in page.tables else set()
    refused = len(page.table("refused")) if "refused" in page.tables else 0
    os.remove("home/page.html")
    return {name for name in FILES if text_of(name) in texts}, refused


def make(home, user):
    for name, (mode, _, _) in FILES.items():
        path = os.path.join(home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(name))
        os.chmod(path, mode)
    for name, to in LINKS.items():
        os.symlink(to, os.path.join(home, name))
    os.mkfifo(os.path.join(home, "pipe.c"), 0o644)
    for folder, folders, names in os.walk(home):
        for name in [folder] + [os.path.join(folder, name) for name in folders + names]:
            os.chown(name, user, -1, follow_symlinks=False)


def each(user, which, has_page):
    home = os.path.join(os.getcwd(), "home")
    os.mkdir(home)
    make(home, user)
    allowed = {name for name, file in FILES.items() if file[which]}
    who = "root" if which == 2 else "a user"
    profile(home, [*FILES, "pipe.c", "folder.c", "no.c"])
    shown, out = shown_by_annotate(user)
    check(f"{who}: annotate", shown, allowed)
    check(f"{who}: what is said of the others",
          {name for name in FILES if os.path.join(home, name) + "  not shown: not everybody may read it" in out},
          set(FILES) - allowed)
    check(f"{who}: of a pipe", "pipe.c  not shown: it is no regular file" in out, False)  # annotate looks for files
    check(f"{who}: --source-anywhere", shown_by_annotate(user, "--source-anywhere")[0], set(FILES))
    check(f"{who}: -I", shown_by_annotate(user, "-I", home)[0], set(FILES))
    check(f"{who}: -I elsewhere", shown_by_annotate(user, "-I", os.path.join(home, "src"))[0],
          allowed | {"src/own.zig"})
    check(f"{who}: --file-map", shown_by_annotate(user, f"--file-map=/nowhere={home}")[0], set(FILES))
    check(f"{who}: --embed-source", shown_by_import(user), allowed)
    if has_page:
        refused = len(set(FILES) - allowed) + 2  # and a pipe, and a folder
        check(f"{who}: html", shown_by_page(user), (allowed, refused))
        check(f"{who}: html --source-anywhere", shown_by_page(user, "--source-anywhere"), (set(FILES), 2))
        check(f"{who}: html --no-source", shown_by_page(user, "--no-source"), (set(), 0))
    # A link says nothing of what it leads to; a folder that is named holds no more than what is below it.
    profile(home, LINKS)
    wanted = {"own.c"} & allowed
    check(f"{who}: links", shown_by_annotate(user)[0], wanted)
    check(f"{who}: links, -I", shown_by_annotate(user, "-I", os.path.join(home, "src"))[0], wanted)
    profile("", ["../id_rsa", "own.zig"])
    check(f"{who}: out of -I", shown_by_annotate(user, "-I", os.path.join(home, "src"))[0], {"src/own.zig"})
    shutil.rmtree(home)


def main():
    folder = tempfile.mkdtemp(prefix="tenure-sources.")
    os.chdir(folder)
    os.chmod(folder, 0o755)
    try:
        shutil.copy(TENURE, "tenure")  # where another user can run it
        os.chmod("tenure", 0o755)
        has_page = "without the page" not in run([TENURE, "html", "/dev/null"])[2]
        each(NOBODY if ROOT else os.geteuid(), 1, has_page)
        if ROOT:
            each(0, 2, has_page)
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(finish())


main()
