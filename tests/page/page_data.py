#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
page_data.py: what a page holds is what the profile says, number by number.

    page_data.py TENURE PROGRAM

The page is read by page_reader.py, which knows nothing but the description of the format. Profiles: one that was
recorded; and copies of it with negative counts, reals that are no multiples of 1/65536, counts beyond 2^53, NULLs
where there were none, a tree whose inclusive costs do not add up.
"""
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profiles"))
import page_reader
import sealed
import verdict

TENURE, PROGRAM = (os.path.abspath(path) for path in sys.argv[1:3])
CODED = "t_instructions WHERE function_id IN (%s)"
FROM = {"meta": "meta", "totals": "t_totals", "threads": "threads", "parts": "parts",
        "objects": "objects", "files": "files", "units": "units", "labels": "labels"}
# What the page makes of several tables, said in another way: by views, and frame by frame.
MADE = ("events", "lineless", "advice", "advice_places", "advice_evidence", "statements", "accesses", "coded", "code",
        "sources", "source_text", "refused", "data_lines", "data_paths", "strides", "conflicts", "data_pairs",
        "statement_pairs", "pair_sums", "ratios", "startup", "under", "under_sums", "shared_data", "sharing",
        "sharing_sums")
# Groups of sampled sets: of which table, its column, and the order of that table's rows in the page.
GROUPED = {"totals_groups": ("total", "", ""), "functions_groups": ("function", "functions", "id"),
           "lines_groups": ("line", "lines", "file_id, line, function_id, id"),
           "arcs_groups": ("arc", "arcs", "caller_id, file_id, line, id"), "data_groups": ("data", "data", "id")}
ORDER = {"meta": "key", "lines": "file_id, line, function_id, id", "arcs": "caller_id, file_id, line, id",
         "parts": "part", "thread_functions": "function_id, thread", "unit_functions": "function_id, unit_id",
         "data_offsets": "data_id, offset, field_id", "interval_functions": "interval_id, function_id",
         "labels": "at, ns"}


def check(what, got, expected):
    verdict.check(got == expected, f"{what}: {got!r}, expected {expected!r}")


def compare(name, profile):
    page = profile + ".html"
    subprocess.run([TENURE, "html", "-o", page, profile], check=True, stdout=subprocess.DEVNULL)
    reader = page_reader.Page(page)
    with sqlite3.connect(f"file:{profile}?mode=ro", uri=True) as database:
        for table, described in reader.tables.items():
            if table in MADE or table in GROUPED:
                continue
            columns = [column["name"] for column in described["columns"]]
            source = CODED % coded(name, reader, database) if table == "instructions" else FROM.get(table, "t_" + table)
            rows = database.execute("SELECT %s FROM %s ORDER BY %s" % (
                ", ".join(f'"{column}"' for column in columns), source,
                ORDER.get(table, "rowid" if table == "totals" else "id"))).fetchall()
            check(f"{name}: rows of {table}", described["rows"], len(rows))
            held = page_reader.Reader(reader, described)
            for i, column in enumerate(columns):
                wrong = [k for k, value in enumerate(held.column(column)) if value != as_double(rows[k][i])]
                check(f"{name}: {table}.{column}: {wrong[:3]}", len(wrong), 0)
        formulas(name, reader, database, profile)
        statements(name, reader, database)
        data_lines(name, reader, database)
        data_paths(name, reader, database)
        patterns(name, reader, database)
        pairs(name, reader, database)
        groups(name, reader, database)
    sources(name, reader, profile)


def as_double(value):
    """Large counts are doubles in a page: their last digits are lost."""
    return float(value) if isinstance(value, int) and abs(value) > 2**53 else value


def weights(profile):
    """The page has the cycle estimate and advice by the weights that were asked for."""
    page = profile + ".weighed.html"
    subprocess.run([TENURE, "html", "--weights=Ir=3,L1m=0", "-o", page, profile], check=True,
                   stdout=subprocess.DEVNULL)
    formulas = {row["name"]: row["formula"] for row in page_reader.Page(page).table("events")}
    check("weights: formula", formulas["CEst"][:19], "3 * Ir + 0 * L1m + ")


def formulas(name, reader, database, profile):
    """Those of the page are those of the report: misses with other sizes are events, behind the profile's own."""
    report = subprocess.run([TENURE, "report", "--json", "--limit=1", profile], check=True, capture_output=True)
    totals = json.loads(report.stdout)["totals"]
    held = [tuple(row.values()) for row in reader.table("events")]
    own = database.execute("SELECT name, title, long_name, category, unit, derived, formula, type FROM events"
                           " ORDER BY rowid").fetchall()
    check(f"{name}: events", held[:len(own)], own)
    sizes = {row[0]: row for row in held[len(own):]}
    names = set(totals) - {row[0] for row in own}
    check(f"{name}: events with other sizes", sorted(sizes), sorted(one for one in names if "@" in one))
    check(f"{name}: how many", len(sizes) % 12, 0)
    for one, (*_, formula, _) in sizes.items():
        sums, = database.execute(f"SELECT {formula} FROM totals").fetchone()
        check(f"{name}: {one} = {formula}", sums, totals[one])
    check(f"{name}: LLm@2M", sizes.get("LLm@2M", ())[:6], (
        "LLm@2M", "Misses of LL if it had 2M", "misses of LL if it had 2M", "With other sizes", "", 1))
    ratios = [row["name"] for row in reader.table("ratios")]
    check(f"{name}: ratios", sorted(ratios), sorted(one for one in names if "@" not in one))
    check(f"{name}: D1rate and DLrate", {"D1rate", "DLrate"} <= set(ratios), True)


def coded(name, reader, database):
    """Functions whose instructions are shown: all, but of a large program those that cost enough of something."""
    events = [event for event, in database.execute("SELECT name FROM events WHERE NOT derived")]
    totals = database.execute(f"SELECT {', '.join(events)} FROM totals").fetchone()
    count, = database.execute("SELECT count(*) FROM instructions").fetchone()
    expected = [number for number, *costs in database.execute(
        f"SELECT id, {', '.join(events)} FROM functions ORDER BY id") if count <= 65536 or any(
            abs(cost or 0) * 200 > abs(total or 0) for cost, total in zip(costs, totals))]
    check(f"{name}: functions with instructions", [row["function_id"] for row in reader.table("coded")], expected)
    functions, = database.execute("SELECT count(*) FROM functions").fetchone()
    check(f"{name}: functions without", len(expected) < functions, name == "many")
    return ", ".join(map(str, expected))


def sections(name, reader, profile):
    """Tables of reports have the same columns in the page: those that stand behind the columns of events."""
    held = {section["key"]: section for section in reader.index["sections"]}
    for option in ("--limit=1", "--data", "--loops", "--statements", "--pairs"):
        report = subprocess.run([TENURE, "report", "--json", "--limit=1", option, profile], check=True,
                                capture_output=True)
        for key, rows in json.loads(report.stdout).items():
            if key in held and rows:
                keys = [column["key"] for column in held[key]["columns"]]
                check(f"{name}: columns of {key}", keys, list(rows[0])[-len(keys):])
    check(f"{name}: sections", {"functions", "loops", "sharing", "data_fields", "balance"} <= set(held), True)
    check(f"{name}: orders", [held[key]["order"] for key in ("functions", "data_pairs", "sharing", "data_fields")],
          ["", "-misses", "-false_sharing", "offset"])


def statements(name, reader, database):
    """Ranges of lines, each once; their loads and stores, which are sums over objects."""
    ranges = database.execute("SELECT DISTINCT file_id, first_line, line FROM statements WHERE file_id IS NOT NULL"
                              " ORDER BY 1, 2, 3").fetchall()
    held = [(row["file_id"], row["first_line"], row["line"]) for row in reader.table("statements")]
    check(f"{name}: statements: {[pair for pair in zip(held, ranges) if pair[0] != pair[1]][:3]}", held == ranges, True)
    events = [event for event, in database.execute("SELECT name FROM events WHERE NOT derived")]
    sums = ", ".join(f"sum(a.{event})" for event in events)
    expected = {(row[0], row[1], row[2], row[3] == "store", row[4]): list(row[5:]) for row in database.execute(
        f"SELECT s.file_id, s.first_line, s.line, access, type, {sums} FROM statement_accesses a JOIN statements s"
        " ON s.id = a.statement_id WHERE s.file_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5")}
    held = {(row["file_id"], row["first_line"], row["line"], row["store"] == 1,
             {0: "integer", 1: "floating", None: None}[row["floating"]]): [row[event] for event in events]
            for row in reader.table("accesses")}
    wrong = [key for key in expected if held.get(key) != expected[key]]
    check(f"{name}: loads and stores: {wrong[:3]}", (len(held), len(wrong)), (len(expected), 0))


def data_lines(name, reader, database):
    """Costs of data structures by source line; of a large profile those that are worth it."""
    events = [event for event, in database.execute("SELECT name FROM events WHERE NOT derived")]
    totals = dict(zip(events, database.execute(f"SELECT {', '.join(events)} FROM totals").fetchone()))
    rows = {}
    for data, file, line, function, *costs in database.execute(
            f"SELECT data_id, file_id, line, function_id, {', '.join(events)} FROM instruction_data"):
        sums = rows.setdefault((data, file, line, function), [None] * len(events))
        rows[data, file, line, function] = [
            b if a is None else a if b is None else a + b for a, b in zip(sums, costs)]
    pairs = len(rows)
    if pairs > 8192:
        rows = {key: costs for key, costs in rows.items() if any(
            abs(cost or 0) * 10000 > abs(totals[event] or 0) for event, cost in zip(events, costs))}
    held = {(row["data_id"], row["file_id"], row["line"], row["function_id"]): [row[event] for event in events]
            for row in reader.table("data_lines")}
    check(f"{name}: lines left out", len(rows) < pairs, name == "many")
    check(f"{name}: lines of data structures", (len(held), sorted(map(str, held))), (len(rows), sorted(map(str, rows))))
    wrong = [key for key, costs in rows.items() if held.get(key) != costs]
    check(f"{name}: costs of lines of data structures: {wrong[:3]}", len(wrong), 0)


def patterns(name, reader, database):
    """Strides, with a row for those that were not kept, and sets of conflicts, by line and data structure; of a large
    profile those of lines that are worth it."""
    at = {number: place for number, *place in database.execute(
        "SELECT id, file_id, line, function_id FROM instructions")}
    counted, kept = {}, {}
    for number, data, stride, times, of in database.execute(
            "SELECT instruction_id, data_id, stride, count, strides FROM strides"):
        key = (data, *at.get(number, (None,) * 3))
        counted[*key, stride] = counted.get((*key, stride), 0) + times
        kept[number, data] = kept.get((number, data), 0) + times
    for number, data, of in database.execute("SELECT instruction_id, data_id, strides FROM t_stride_sums"):
        key = (data, *at.get(number, (None,) * 3), None)
        counted[key] = counted.get(key, 0) + of - kept.get((number, data), 0)
    sets = {}
    for number, data, cache, bits, misses in database.execute(
            "SELECT instruction_id, data_id, cache, set_bits, misses FROM conflicts"):
        key = (data, *at.get(number, (None,) * 3), cache, bits)
        sets[key] = sets.get(key, 0) + misses
    for table, rows, names, value in (("strides", counted, ("stride",), "count"),
                                      ("conflicts", sets, ("cache", "set_bits"), "misses")):
        rows = {key: times for key, times in rows.items() if times}
        all_rows = len(rows)
        if all_rows > 8192:
            lines, total = {}, sum(map(abs, rows.values()))
            for key, times in rows.items():
                lines[key[:4]] = lines.get(key[:4], 0) + abs(times)
            rows = {key: times for key, times in rows.items() if lines[key[:4]] * 10000 > total}
        held = {tuple(row[column] for column in ("data_id", "file_id", "line", "function_id") + names): row[value]
                for row in reader.table(table)}
        check(f"{name}: {table} left out", len(rows) < all_rows, name == "many")
        check(f"{name}: {table}", held == rows, True)


def pairs(name, reader, database):
    """Who loads again what somebody had thrown out, by data object and by statement: of each cache the 2000 heaviest,
    equal ones in the order of their names, NULL first; and what there is in all."""
    statements_of = {number: place for number, *place in database.execute(
        "SELECT id, file_id, first_line, line FROM statements WHERE file_id IS NOT NULL")}
    at = {None: (None,) * 4}
    for number, statement, function in database.execute("SELECT id, statement_id, function_id FROM instructions"):
        at[number] = (*statements_of[statement], None) if statement in statements_of else (None, None, None, function)
    by_data, by_statement, sums = {}, {}, {}
    for cache, loader, evictor, evictor_data, instruction, data, *counts in database.execute(
            "SELECT cache, loader_id, evictor_id, evictor_data_id, instruction_id, data_id, misses, timed, distance"
            " FROM pairs"):
        for rows, key in ((by_data, (data, evictor_data)),
                          (by_statement, (*at[instruction], *at[loader], *at[evictor]))):
            before = rows.setdefault(cache, {}).get(key, (0, 0, 0))
            rows[cache][key] = tuple(map(sum, zip(before, counts)))
        sums[cache] = sums.get(cache, 0) + counts[0]
    held = {(row["cache"], row["data_id"], row["evictor_data_id"]): (row["misses"], row["timed"], row["distance"])
            for row in reader.table("data_pairs")}
    check(f"{name}: pairs of data objects", held == heaviest(by_data), True)
    held = {}
    for row in reader.table("statement_pairs"):
        key = [row["cache"]]
        for prefix in ("", "loader_", "evictor_"):
            key += [row[prefix + column] for column in ("file_id", "first_line", "line")]
            key.append(row[prefix + "function_id"] if row[prefix + "file_id"] is None else None)
        held[tuple(key)] = (row["misses"], row["timed"], row["distance"])
    check(f"{name}: pairs of statements", held == heaviest(by_statement), True)
    check(f"{name}: sums of pairs", {row["cache"]: (row["misses"], row["data_pairs"], row["statement_pairs"])
                                     for row in reader.table("pair_sums")},
          {cache: (misses, *(sum(row[0] != 0 for row in rows[cache].values()) for rows in (by_data, by_statement)))
           for cache, misses in sums.items()})
    light = any(len(rows) > 2000 for rows in by_statement.values())
    check(f"{name}: there are pairs, and light ones", (len(held) > 5, light or name != "many"),
          (name != "little", True))


def heaviest(rows):
    kept = {}
    for cache, of_cache in rows.items():
        order = sorted((key for key, row in of_cache.items() if row[0]), key=lambda key: (
            -abs(of_cache[key][0]), [(value is not None, value or 0) for value in key]))
        kept.update({(cache, *key): of_cache[key] for key in order[:2000] if cache is not None})
    return kept


def data_paths(name, reader, database):
    """Each step leads to the function of that name in which the call to the next is; its place is that of the site."""
    names = dict(database.execute("SELECT id, function FROM functions"))
    sites = dict((number, rest) for number, *rest in database.execute("SELECT id, function_id, inlined_id"
                                                                      " FROM instructions"))
    rows = database.execute("SELECT id, parent, function, file_id, line, site_id FROM data_paths").fetchall()
    calling = {}
    for _, parent, _, _, _, site in rows:
        if site in sites:
            calling.setdefault(parent, set()).add(sites[site][0])
    held = {row["id"]: row for row in reader.table("data_paths")}
    check(f"{name}: steps of allocation paths", len(held), len(rows))
    for number, parent, function, file, line, site in rows:
        row = held[number]
        expected = (parent, file, line, sites[site][1] if site in sites else None, function)
        same = (row["parent"], row["file_id"], row["line"], row["inlined_id"],
                row["function"] or names.get(row["function_id"]))
        if same != expected or row["function_id"] not in calling.get(number, {row["function_id"]}):
            check(f"{name}: step {number}", (same, row["function_id"]), expected)


def groups(name, reader, database):
    """Where sets were sampled, what groups have of each row."""
    sampled = database.execute("SELECT count(*) FROM t_total_groups").fetchone()[0] > 0
    check(f"{name}: groups", sorted(set(GROUPED) & set(reader.tables)), sorted(GROUPED) if sampled else [])
    for table, (of, rows, order) in GROUPED.items() if sampled else ():
        columns = [column["name"] for column in reader.tables[table]["columns"]][2:]
        number = {one: i for i, (one,) in enumerate(database.execute(
            f"SELECT id FROM t_{rows} ORDER BY {order}" if rows else "SELECT 0"))}
        wanted = sorted((number[one], *rest) for one, *rest in database.execute(
            f"SELECT {f'{of}_id' if rows else '0'}, sample_group, {', '.join(columns)} FROM t_{of}_groups"))
        held = sorted(tuple(row[column] for column in ["row", "sample_group", *columns]) for row in reader.table(table))
        check(f"{name}: {table}: {len(held)} rows", held == wanted and len(held) > 0, True)


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
    sealed.seal(copy)
    return copy


def sides(profile):
    """A page of a difference has the means of both sides, and changes that are outside their spread; every table whose
    rows have names can be compared. Nothing is left of what it is made of."""
    runs = [edited(profile, f"run{i}", f"UPDATE t_functions SET Ir = Ir + {i} * (id % 3), Dr_incl = Dr_incl * {i + 1}",
                   f"UPDATE t_data SET SpLossD1 = SpLossD1 + {4 * i}", f"UPDATE t_totals SET Ir = Ir + {2 * i}",
                   f"UPDATE t_instructions SET Dr = Dr + {i} * (id % 5)",
                   f"UPDATE t_data_fields SET UseD1 = UseD1 + {i}",
                   f"UPDATE t_data_offsets SET UseD1 = UseD1 + {i} * (offset % 3)",
                   "INSERT INTO units(id, kind, rank, host, pid, Ir) VALUES"
                   f" (1, 'rank', 0, 'host{i}', {i}, {100 * i}), (2, 'rank', 1, 'host', {9 - i}, 7)",
                   "INSERT INTO t_unit_functions(unit_id, function_id, Ir, Dr_incl)"
                   f" SELECT 1 + id % 2, id, {i} * (id % 7), Dr_incl FROM t_functions")
            for i in range(4)]
    page, left = profile + ".sides.html", profile + ".tmp"
    os.mkdir(left)
    subprocess.run([TENURE, "diff", "--html", page, "--baseline", runs[0], "--baseline", runs[2], runs[1], runs[3]],
                   check=True, stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": left})
    check("sides: no temporary files", os.listdir(left), [])
    reader = page_reader.Page(page)
    for table, event in (("functions", "Ir"), ("functions", "Dr_incl"), ("data", "SpLossD1"), ("totals", "Ir"),
                         ("instructions", "Dr"), ("data_fields", "UseD1"), ("data_offsets", "UseD1"), ("units", "Ir"),
                         ("unit_functions", "Ir"), ("unit_functions", "Dr_incl")):
        costs = []
        for run in runs:
            with sqlite3.connect(f"file:{run}?mode=ro", uri=True) as database:
                costs.append(database.execute(f"SELECT {event} FROM {FROM.get(table, 't_' + table)} ORDER BY rowid")
                             .fetchall())
        expected = sorted(map(str, (side_row(*row) for row in zip(*costs))))
        held = sorted(str((row[event + "@before"], row[event + "@after"], row[event])) for row in reader.table(table))
        check(f"sides: rows of {table}", len(held), len(expected))
        wrong = [pair for pair in zip(held, expected) if pair[0] != pair[1]]
        check(f"sides: {table}.{event}: {wrong[:3]}", len(wrong), 0)


def side_row(*named):
    """(before, after, change) of a cost in four runs, 0 and 2 the baseline's."""
    a, b, c, d = (cost for cost, in named)
    if a is None:
        return None, None, None
    before, after = (a + c) / 2, (b + d) / 2
    counts = min(b, d) > max(a, c) or max(b, d) < min(a, c)
    return rounded(before), rounded(after), rounded(after - before) if counts else 0


def rounded(value):
    """Halves away from zero, as C does."""
    return int(abs(value) + 0.5) * (1 if value >= 0 else -1)


def damaged(profile):
    """A depth that cannot be: one line, status 1, no page."""
    for depth in (-1, 1 << 40):
        broken = edited(profile, f"depth{depth}", f"UPDATE t_paths SET depth = {depth} WHERE id = 5")
        done = subprocess.run([TENURE, "html", broken], capture_output=True, text=True, check=False)
        check(f"depth {depth}", (done.returncode, done.stdout, "the depth of a path" in done.stderr,
                                 done.stderr.count("\n"), os.path.exists(broken + ".html")), (1, "", True, 1, False))


def many(profile):
    """So many rows of everything that the light ones are left out, however few lines and functions have names here: how
    many the C library has depends on whether its debug information is there."""
    with sqlite3.connect(f"file:{profile}?mode=ro", uri=True) as database:
        places, = database.execute("SELECT count(*) FROM (SELECT DISTINCT file_id, line, function_id"
                                   " FROM instruction_data)").fetchone()
    return (
        f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {8192 // places + 2})"
        " INSERT INTO t_instruction_data(instruction_id, data_id, D1mr, SpLossD1)"
        " SELECT instruction_id, 1000 + i, i, i * 20 FROM n, t_instruction_data",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
        " INSERT INTO t_strides SELECT DISTINCT instruction_id, 1000 + i, i * 64, i FROM n, t_stride_sums",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
        " INSERT INTO t_stride_sums SELECT DISTINCT instruction_id, 1000 + i, 2 * i, i, 0, 0 FROM n, t_stride_sums",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 63)"
        " INSERT INTO t_conflicts SELECT instruction_id, data_id, 'L', i, i * i FROM n, t_instruction_data",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 70000)"
        " INSERT INTO t_instructions(function_id, address, length, Ir) SELECT 1 + i % 40, i * 4, 4, 0 FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 70000)"
        " INSERT INTO t_arcs(caller_id, callee_id, calls, Ir_incl, Dr_incl, EvD1_incl, AgeD1_incl, AcCostD1_incl)"
        " SELECT 1 + i % 40, 1 + i % 101, 3, i * 5 % 77, i % 11, i % 2, i % 2 * i, i % 2 * 0.25 FROM n",
        "UPDATE t_functions SET EvD1_incl = 99999, AgeD1_incl = 77777777, Ir_incl = 55555 WHERE id % 4 = 1",
        # Of the last of 70,000 instructions the function is known: loader, evictor and who loads again go through 40
        # of them each, in steps of their own.
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)"
        " INSERT INTO t_pairs(loader_id, evictor_id, evictor_data_id, instruction_id, data_id, cache, misses,"
        " timed, distance) SELECT 1 + i % 7, CASE WHEN i % 50 THEN 40001 + i / 40 % 40 END, nullif(i % 30, 0),"
        " CASE WHEN i % 2 THEN 1 + i ELSE 40001 + i / 2 % 40 END, 1 + i % 100,"
        " CASE WHEN i % 9 THEN 'D1' END, (i * 37 % 101) - 20, i, i * i FROM n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        subprocess.run([TENURE, "record", "-q", "--write-back=yes", "--branch-sim=yes", "--interdependence=yes",
                        "--curves=yes", "--LL=1M,8,64", "-o", profile, PROGRAM], check=True, stdout=subprocess.DEVNULL)
        compare("recorded", profile)
        sections("recorded", page_reader.Page(profile + ".html"), profile)
        weights(profile)
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
        sides(profile)
        damaged(profile)
        sampled = os.path.join(folder, "sampled")
        subprocess.run([TENURE, "record", "-q", "--sample=8", "--D1=32K,8,64", "--LL=1M,16,64", "-o", sampled, PROGRAM],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([TENURE, "html", "-o", sampled + ".html", sampled], check=True, stdout=subprocess.DEVNULL)
        with sqlite3.connect(f"file:{sampled}?mode=ro", uri=True) as database:
            groups("sampled", page_reader.Page(sampled + ".html"), database)
        compare("many", edited(profile, "many", *many(profile)))
        compare("little", edited(profile, "little", *(
            f"DELETE FROM t_{table}" for table in ("inlined", "arcs", "paths", "instructions", "lines", "data",
                                                   "data_paths", "instruction_data", "data_fields", "data_offsets",
                                                   "pairs"))))
    sys.exit(verdict.finish())


main()
