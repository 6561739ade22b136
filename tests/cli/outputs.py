#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
outputs.py: what a command writes over, and what it leaves alone.

    outputs.py TENURE

Each command with an option that names a file to write is given a file of every kind: one that is empty or of its own
kind is replaced, every other stays as it is. `record` refuses before the program runs.
"""
import os
import shutil
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE = os.path.abspath(sys.argv[1])
PRECIOUS = b"precious text\n"
PROGRAM = ["sh", "-c", ": >ran"]
PAGE = "without the page" not in run([TENURE, "html", "/dev/null"])[2]

# name: (the command up to the file's name, what is behind it, the kind that it replaces, the status of a refusal)
WRITERS = {
    "record": (["record", "-q", "-o"], PROGRAM, "profile", 125),
    "record --raw": (["record", "-q", "--raw", "-o"], PROGRAM, "raw", 125),
    "import": (["import", "-q", "-o"], ["source.raw"], "profile", 1),
    "merge": (["merge", "-q", "-o"], ["source", "source"], "profile", 1),
    "diff": (["diff", "-o"], ["source", "source"], "profile", 1),
    "callgrind": (["export", "--format=callgrind", "-o"], ["source"], "callgrind", 1),
    "cachegrind": (["export", "--format=cachegrind", "-o"], ["source"], None, 1),
    "folded": (["export", "--format=folded", "-o"], ["source"], None, 1),
    "pprof": (["export", "--format=pprof", "-o"], ["source"], None, 1),
    "speedscope": (["export", "--format=speedscope", "-o"], ["source"], "speedscope", 1),
    "firefox": (["export", "--format=firefox", "-o"], ["source"], "firefox", 1),
    "openmetrics": (["export", "--format=openmetrics", "-o"], ["source"], "openmetrics", 1),
    "json": (["export", "--format=json", "-o"], ["source"], "json", 1),
    "csv": (["export", "--format=csv", "-o"], ["source"], None, 1),
}
if PAGE:
    WRITERS["html"] = (["html", "-o"], ["source"], "page", 1)
    WRITERS["open"] = (["open", "-o"], ["source"], "page", 1)
    WRITERS["diff --html"] = (["diff", "--html"], ["source", "source"], "page", 1)


def tenure(*words, **more):
    return run([TENURE, *words], env={**os.environ, "BROWSER": "true"}, **more)


def content(name):
    with open(name, "rb") as file:
        return file.read()


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def kinds():
    """{kind: such a file}; each is different from what the commands write."""
    check("record", tenure("record", "-q", "--raw", "-o", "source.raw", "true"), (0, "", ""))
    check("import", tenure("import", "-q", "-o", "source", "source.raw")[0], 0)
    found = {"text": PRECIOUS, "empty": b"", "profile": content("source"), "raw": content("source.raw")}
    for form in ("callgrind", "cachegrind", "folded", "speedscope", "firefox", "openmetrics", "json", "csv"):
        found[form] = tenure("export", "--format=" + form, "source")[1].encode()
    if PAGE:
        found["page"] = tenure("html", "--title=another", "-o", "-", "source")[1].encode()
    # Of the same formats, but not of Tenure; and a profile of another version.
    found["foreign callgrind"] = found["callgrind"].replace(b"creator: tenure", b"creator: callgrind")
    found["foreign page"] = b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    found["foreign json"] = b'{"format": "tenures", "version": 1}'
    with sqlite3.connect("foreign") as database:
        database.execute("CREATE TABLE precious(x)")
    found["foreign database"] = content("foreign")
    return found


def each(found):
    for name, (words, behind, own, refused) in WRITERS.items():
        for kind, before in found.items():
            write("target", before)
            if os.path.exists("ran"):
                os.remove("ran")
            status, _, err = tenure(*words, "target", *behind)
            if kind in ("empty", own):
                check(f"{name} over {kind}", (status, err if name.startswith("record") else ""), (0, ""))
                check(f"{name} over {kind}: replaced", content("target") not in (b"", PRECIOUS), True)
            else:
                check(f"{name} over {kind}", (status, "target is" in err, len(err.splitlines())), (refused, True, 1))
                check(f"{name} over {kind}: untouched", (content("target") == before, os.path.exists("ran")),
                      (True, False))
    os.remove("target")
    check("nothing else is left", sorted(set(os.listdir(".")) - {"ran"}), ["foreign", "source", "source.raw"])


def defaults():
    """Names that follow from another's."""
    write("x", PRECIOUS)
    shutil.copy("source.raw", "x.raw")
    check("import", (tenure("import", "-q", "x.raw")[0], content("x")), (1, PRECIOUS))
    if PAGE:
        write("source.html", PRECIOUS)
        check("html", (tenure("html", "source")[0], content("source.html")), (1, PRECIOUS))


def patterns():
    """What a pattern names is known before the program runs, or behind it; then the raw profile stays."""
    write("named.1", PRECIOUS)
    os.environ["REST"] = "named"
    status, _, _ = tenure("record", "-q", "-o", "%q{REST}.%n", *PROGRAM)
    check("%q and %n", (status, content("named.1"), os.path.exists("ran")), (125, PRECIOUS, False))
    script = "echo precious text >by.$$"
    status, _, err = tenure("record", "-q", "-o", "by.%p", "sh", "-c", script)
    raw = [name for name in os.listdir(".") if name.startswith("by.") and name.endswith(".raw")]
    texts = [name for name in os.listdir(".") if name.startswith("by.") and not name.endswith(".raw")]
    check("%p", (status, len(raw), [content(name) for name in texts]), (125, 1, [PRECIOUS]))
    check("%p: what is said", [texts[0] + " is not a profile" in err, raw[0] in err], [True, True])
    check("%p: nothing is lost", tenure("import", "-q", "-o", "saved", raw[0])[0], 0)
    script = "(echo precious text >family.$(exec sh -c 'echo $PPID')); true"
    status, _, err = tenure("record", "-q", "-o", "family", "sh", "-c", script)
    children = [name for name in os.listdir(".") if name.startswith("family.") and not name.endswith(".raw")]
    check("a child's", (status, content(children[0]), "raw profile is kept" in err), (0, PRECIOUS, True))


def links():
    """A link stays; what it leads to is what counts."""
    write("text", PRECIOUS)
    write("page.csv", b"")
    shutil.copy("source", "old")
    for name, to in (("bad", "text"), ("good", "old"), ("dangling", "new"), ("csv", "page.csv")):
        os.symlink(to, name)
    for words in (("merge", "-q", "-o", "bad", "source"), ("record", "-q", "-o", "bad", *PROGRAM),
                  ("export", "--format=json", "-o", "bad", "source")):
        check(f"{words[0]} at a link", (tenure(*words)[0] in (1, 125), content("text"), os.path.islink("bad")),
              (True, PRECIOUS, True))
    for words in (("merge", "-q", "-o", "good", "source", "good"), ("record", "-q", "-o", "good", *PROGRAM),
                  ("export", "--format=csv", "-o", "csv", "source")):
        check(f"{words[0]} through a link", tenure(*words)[0], 0)
    check("links stay", (os.readlink("good"), os.readlink("csv")), ("old", "page.csv"))
    check("what they lead to is new", (content("old") != content("source"), len(content("page.csv")) > 100),
          (True, True))
    os.symlink("loop", "loop")
    for words, status in ((("merge", "-q"), 1), (("export", "--format=csv"), 1), (("record", "-q"), 125)):
        for name in ("dangling", "loop"):
            got, _, err = tenure(*words, "-o", name, *(PROGRAM if words[0] == "record" else ["source"]))
            check(f"{words[0]} at a link to nowhere", (got, "leads nowhere" in err, os.path.islink(name)),
                  (status, True, True))


def modes():
    """Who could not read the old file cannot read the new one."""
    for name, words in (("own", ("merge", "-q", "source", "-o")),
                        ("own.calls", ("export", "--format=callgrind", "source", "-o"))):
        tenure(*words, name)
        os.chmod(name, 0o600)
        check(f"{name}: again", (tenure(*words, name)[0], os.stat(name).st_mode & 0o777), (0, 0o600))


def specials():
    table = ["export", "--format=csv", "--table=events", "source"]
    plain = tenure(*table)[1]
    check("/dev/null", tenure(*table, "-o", "/dev/null"), (0, "", ""))
    check("a pipe", tenure(*table, "-o", "/proc/self/fd/1"), (0, plain, ""))
    status, _, _ = run(["sh", "-c", '"$@" -o /proc/self/fd/1 >events.csv', "sh", TENURE, *table])
    check("a file behind a descriptor", (status, content("events.csv").decode().replace("\r", "")), (0, plain))
    os.symlink("/proc/self/fd/1", "out")
    run(["sh", "-c", '{ echo head; "$@" -o out; echo tail; } >around.csv', "sh", TENURE, *table])
    check("a part of a file", content("around.csv").decode().replace("\r", ""), f"head\n{plain}tail\n")
    for words, status in ((("merge", "-q"), 1), (("record", "-q"), 125)):
        got = tenure(*words, "-o", "out", *(PROGRAM if words[0] == "record" else ["source"]))
        check(f"{words[0]} at a descriptor", (got[0], got[1], got[2].count("\n")), (status, "", 1))


def nowhere():
    """What cannot be written is said to be so, with the reason; no file takes the place of a closed descriptor."""
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n"
    closed = "tenure: cannot write to standard output: Bad file descriptor\n"
    for words in (("sql", "source", many), ("info", "source"), ("export", "--format=csv", "source")):
        for closing in (">&-", "<&- >&-"):
            check(f"{words[0]} {closing}", run(["sh", "-c", f'exec "$@" {closing}', "sh", TENURE, *words]),
                  (1, "", closed))
        check(f"{words[0]} 2>&-", run(["sh", "-c", 'exec "$@" 2>&-', "sh", TENURE, *words]), tenure(*words))
    for words in (("import", "-q", "source.raw"), ("merge", "-q", "source"), ("record", "-q", "--", *PROGRAM)):
        made = f"without.{words[0]}"
        check(f"{words[0]} without descriptors",
              run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", TENURE, words[0], "-o", made, *words[1:]])[0], 0)
        check(f"{words[0]} without descriptors: profile", tenure("check", made)[0], 0)
    check("sql - <&-", run(["sh", "-c", 'exec "$@" <&-', "sh", TENURE, "sql", "source", "-"]),
          (1, "", "tenure: cannot read the query from standard input: Bad file descriptor\n"))
    os.mkfifo("fifo")
    check("import of a pipe", tenure("import", "-o", "piped", "fifo"), (1, "", "tenure: fifo: not a regular file\n"))
    check("/dev/full", tenure("export", "--format=csv", "source", "-o", "/dev/full"),
          (1, "", "tenure: cannot write to /dev/full: No space left on device\n"))


def main():
    folder = tempfile.mkdtemp(prefix="tenure-outputs.")
    os.chdir(folder)
    try:
        each(kinds())
        defaults()
        patterns()
        links()
        modes()
        specials()
        nowhere()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(finish())


main()
