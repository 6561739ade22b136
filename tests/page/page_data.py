#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_data.py: what a page holds is what the profile says, number by number.

    page_data.py TENURE PROGRAM

The page is read by page_reader.py, which knows nothing but the description of the format. Profiles: one that was
recorded; and copies of it with negative counts, reals that are no multiples of 1/65536, counts beyond 2^53, NULLs
where there were none, a tree whose inclusive costs do not add up.
"""
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profiles"))
import page_reader
import verdict

TENURE, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
FROM = {"meta": "meta", "events": "events", "totals": "t_totals", "threads": "threads", "parts": "parts",
        "objects": "objects", "files": "files"}
ORDER = {"meta": "key", "lines": "file_id, line, function_id", "arcs": "caller_id, file_id, line, id", "parts": "part",
         "thread_functions": "function_id, thread"}


def check(what, got, expected):
    verdict.check(got == expected, f"{what}: {got!r}, expected {expected!r}")


def compare(name, profile):
    page = profile + ".html"
    subprocess.run([TENURE, "html", "-o", page, profile], check=True, stdout=subprocess.DEVNULL)
    reader = page_reader.Page(page)
    with sqlite3.connect(f"file:{profile}?mode=ro", uri=True) as database:
        for table, described in reader.tables.items():
            if table in ("sources", "source_text", "code"):
                continue
            columns = [column["name"] for column in described["columns"]]
            rows = database.execute("SELECT %s FROM %s ORDER BY %s" % (
                ", ".join(f'"{column}"' for column in columns), FROM.get(table, "t_" + table),
                ORDER.get(table, "rowid" if table in ("events", "totals") else "id"))).fetchall()
            check(f"{name}: rows of {table}", described["rows"], len(rows))
            held = page_reader.Reader(reader, described)
            for i, column in enumerate(columns):
                wrong = [k for k, value in enumerate(held.column(column)) if value != rows[k][i]]
                check(f"{name}: {table}.{column}: {wrong[:3]}", len(wrong), 0)
    sources(name, reader, profile)


def sources(name, reader, profile):
    with sqlite3.connect(f"file:{profile}?mode=ro", uri=True) as database:
        paths = dict(database.execute("SELECT id, path FROM files"))
    if "sources" not in reader.tables:
        return
    ids = [row["file_id"] for row in reader.table("sources")]
    texts = [row["text"] for row in reader.table("source_text")]
    wrong = [paths[i] for i, text in zip(ids, texts) if open(paths[i], encoding="utf-8").read() != text]
    check(f"{name}: source text", (wrong, len(ids)), ([], len(texts)))


def edited(profile, name, *statements):
    copy = os.path.join(os.path.dirname(profile), name)
    with sqlite3.connect(f"file:{profile}?mode=ro", uri=True) as source, sqlite3.connect(copy) as target:
        source.backup(target)
        target.create_function("chance", 0, random.Random(7).random)
        for statement in statements:
            target.execute(statement)
    return copy


def damaged(profile):
    """A depth that cannot be: one line, status 1, no page."""
    for depth in (-1, 1 << 40):
        broken = edited(profile, f"depth{depth}", f"UPDATE t_paths SET depth = {depth} WHERE id = 5")
        done = subprocess.run([TENURE, "html", broken], capture_output=True, text=True, check=False)
        check(f"depth {depth}", (done.returncode, done.stdout, "the depth of a path" in done.stderr,
                                 done.stderr.count("\n"), os.path.exists(broken + ".html")), (1, "", True, 1, False))


def main():
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        subprocess.run([TENURE, "record", "-q", "--write-back=yes", "--branch-sim=yes", "-o", profile, PROGRAM],
                       check=True, stdout=subprocess.DEVNULL)
        compare("recorded", profile)
        compare("negative", edited(profile, "negative", *(
            f"UPDATE {table} SET SpLossD1{incl} = -SpLossD1{incl}, EvD1{incl} = 3 - EvD1{incl}, Ir{incl} = -17"
            f" WHERE chance() < 0.5" for table, incl in (("t_functions", ""), ("t_functions", "_incl"),
                                                         ("t_arcs", "_incl"), ("t_paths", "_incl"), ("t_lines", "")))))
        compare("odd", edited(
            profile, "odd",
            "UPDATE t_functions SET AcCostD1 = 0.1, AcCostD1_incl = 1e300 WHERE chance() < 0.3",
            "UPDATE t_paths SET AcCostD1 = 1.0 / 3, AcCostI1_incl = -0.1 WHERE chance() < 0.3",
            "UPDATE t_lines SET AgeD1 = 9007199254740993, AgeL = 9223372036854775807, Dr = NULL WHERE chance() < 0.3",
            "UPDATE t_instructions SET address = -10485760, length = NULL, DLmr = 5 WHERE chance() < 0.2",
            "UPDATE t_paths SET Ir_incl = NULL, Dr_incl = Dr_incl + 1 WHERE chance() < 0.3",
            "UPDATE files SET path = path || char(10) || '\"</script>' WHERE id % 7 = 3 AND id NOT IN"
            " (SELECT file_id FROM t_lines WHERE file_id IS NOT NULL)",
            "UPDATE t_functions SET function = NULL WHERE id = 3"))
        damaged(profile)
        compare("little", edited(profile, "little", *(
            f"DELETE FROM t_{table}" for table in ("inlined", "arcs", "paths", "instructions", "lines"))))
    sys.exit(verdict.finish())


main()
