#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
advice.py: advice names the right thing, and is silent where there is nothing to say.

    advice.py TENURE SOURCE_ROOT BUILD_ROOT

Each program of `PROGRAMS` has a problem that is known. It is recorded, and the advice must be what is written there, no
more and no less: for each piece the kind, a data object, and source lines, which are named by a part of their text. The
twin has no problem, and there must be no advice. Caches are fixed, so that this does not depend on the machine.

Savings are checked against the profile: no piece may save more than what its kind costs, and the numbers of the
evidence are asked of the views again.
"""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

TENURE, ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
SARIF_SCHEMA = os.path.join(BUILD, "node_modules/@microsoft/sarif-multitool-linux/sarif-2.1.0.json")  # `make soak`
passed, failed = 0, []

CACHES = ["--D1=32K,8,64", "--LL=32M,16,64", "--patterns=yes"]
SMALL = ["--D1=32K,8,64", "--LL=1M,16,64", "--patterns=yes"]
BRANCHES = [*CACHES, "--branch-sim=yes"]
COHERENT = [*CACHES, "--coherence=mesi"]

PULL = ["force_of[i][k] = -stiffness"]
PUSH = ["vel_of[i][k] += dt"]
MOVE = ["disp_of[i][k] += dt"]
LOOPS = [*PULL, *PUSH, *MOVE]

# program: options, what to expect of it [(kind, part of the data object's name, parts of lines)]
PROGRAMS = {
    "examples/transpose": (CACHES, [("stride", "grid", ["turned[v][i][j] = grid[v][j][i]"])]),
    "examples/transpose_fixed": (CACHES, []),
    "examples/vectors": (CACHES, [
        ("fusion", "make_vector in make_mesh", LOOPS),
        ("gaps", "make_vector in make_mesh", [*PULL, *PUSH]),
        ("gaps", "make_vector in make_mesh", [*MOVE, *PUSH]),
        ("gaps", "make_vector in make_mesh", [*PULL, *MOVE])]),
    "examples/vectors_pooled": (CACHES, [("fusion", "double[] of make_vectors in make_mesh", LOOPS)]),
    "examples/vectors_fixed": (CACHES, []),
    "examples/columns": (CACHES, [("stride", "float[] in make_image", ["sums[x] += (double)im->pixels"])]),
    "examples/columns_fixed": (CACHES, []),
    "examples/columns_fortran": (CACHES, [("stride", "malloc in MAIN__", ["sums(i) + image(i, j)"])]),
    "examples/columns_fortran_fixed": (CACHES, []),
    "examples/cold_fields": (CACHES, [("fields", "in make_particles", ["p[i].x += p[i].v * dt"])]),
    "examples/cold_fields_fixed": (CACHES, []),
    "examples/conflict": (CACHES, [("conflict", "table", ["letter = table[stage][letter]"])]),
    "examples/conflict_fixed": (CACHES, []),
    "examples/false_sharing": (COHERENT, [("false_sharing", "results", ["result->bright++"])]),
    "examples/false_sharing_fixed": (COHERENT, []),
    "tests/advice/stream": (SMALL, [("stream", "double[] in main", ["/* here */"])]),
    "tests/advice/stream_fixed": (SMALL, []),
    "tests/advice/scattered": (SMALL, [("random", "long unsigned int[] in main", ["/* here */"])]),
    "tests/advice/scattered_fixed": (SMALL, []),
    "tests/advice/matrices": (SMALL, [("blocking", "turned", ["/* here */"])]),
    "tests/advice/matrices_calls": (SMALL, [("blocking", "turned", ["/* here */"])]),
    "tests/advice/matrices_fixed": (SMALL, []),
    "tests/advice/dispatch": (BRANCHES, [("indirect", None, ["/* here */"])]),
    "tests/advice/dispatch_fixed": (BRANCHES, []),
    "tests/advice/branches": (BRANCHES, [("branches", None, ["/* here */"])]),
    "tests/advice/branches_fixed": (BRANCHES, []),
    "tests/advice/dgemm": ([*SMALL, "--branch-sim=yes"], []),  # tuned by people who know how
}


# What examples say of it when they are recorded as programs usually are. Of misses that are not told apart nothing is
# said, and conflicts look like accesses in no order.
WITHOUT = {"conflict", "blocking", "fusion", "reuse"}
USUALLY = {
    name: [*(one for one in wanted if one[0] not in WITHOUT),
           *(("random", *one[1:]) for one in wanted if one[0] == "conflict")]
    for name, (options, wanted) in PROGRAMS.items() if options is CACHES}

# With MALLOC_PERTURB_, which meson sets, free writes to what it frees: other misses.
ENVIRONMENT = {**os.environ, "COLUMNS": "110", "NO_COLOR": "1", "OPENBLAS_NUM_THREADS": "1"}
ENVIRONMENT.pop("MALLOC_PERTURB_", None)


def check(good, what):
    global passed
    if good:
        passed += 1
    else:
        failed.append(what)


def run(*words):
    done = subprocess.run([TENURE, *words], capture_output=True, text=True, timeout=200, check=False, cwd=ROOT,
                          env=ENVIRONMENT)
    check(done.returncode == 0, f"{words}: {done.stderr}")
    return done.stdout


def line_text(place):
    """The text of a place's first line; the line before it belongs to a loop's head that is compiled elsewhere."""
    if not place["file"] or not os.path.exists(place["file"]):
        return ""
    with open(place["file"], encoding="utf-8") as file:
        lines = file.read().splitlines()
    return "\n".join(lines[place["line"] - 1:(place["last_line"] or place["line"])])


def as_compiled(text):
    """What each compiler and each C library says in its own way: suffixes of functions; calloc, which gcc 14 makes of
    malloc and what sets the block to zero; and aligned_alloc, which to older libraries is memalign."""
    text = re.sub(r"(\.(constprop|isra|part)\.\d+)+", "", text)
    return re.sub(r"\bcalloc in ", "malloc in ", text).replace("aligned_alloc in ", "memalign in ")


def fits(item, wanted):
    kind, data, lines = wanted
    texts = [line_text(place) for place in item["places"]]
    return item["kind"] == kind and (data is None or data in as_compiled(item["data"] or "")) and all(
        any(line in text for text in texts) for line in lines)


def compare(name, items, wanted):
    left = list(items)
    for one in wanted:
        found = next((item for item in left if fits(item, one)), None)
        check(found is not None, f"{name}: no advice like {one}; there is " + json.dumps(left))
        if found is not None:
            left.remove(found)
    check(not left, f"{name}: advice that nobody wants: " + json.dumps(left))


def check_numbers(name, items, profile):
    """Ranked by savings, which are parts of what the profile has."""
    base = sqlite3.connect(profile)
    total, time, bytes_in = base.execute("SELECT CEst, Time, 64 * (D1mr + D1mw) FROM totals").fetchone()
    savings = [item["cycles"] for item in items]
    check(savings == sorted(savings, reverse=True), f"{name}: not in the order of savings")
    for rank, item in enumerate(items):
        check(item["rank"] == rank + 1, f"{name}: rank")
        check(0.005 * total <= item["cest"] <= total, f"{name}: saves {item['cest']} of {total}")
        check(0.02 * time <= item["cycles"] <= time, f"{name}: saves {item['cycles']} cycles of {time}")
        check(abs(item["cest_share"] - 100 * item["cest"] / total) < 1e-6, f"{name}: share of CEst")
        check(abs(item["share"] - 100 * item["cycles"] / time) < 1e-6, f"{name}: share")
        check(item["places"], f"{name}: no places")
        check(0 <= item["bytes"] <= bytes_in, f"{name}: saves {item['bytes']} bytes of {bytes_in}")
        check(0 <= item["confidence"] <= (0.5 if item["kind"] == "indirect" else 1), f"{name}: confidence")
        check(item["evidence"] and item["fix"] and item["title"], f"{name}: no evidence")
    base.close()


def form(text):
    """Words without numbers, and whether memory has a part in it, as they depend on the compiler. Of a list of data
    objects each name is there once, as in the report."""
    text = " ".join(as_compiled(re.sub(r", \S+ \w+ from\s+memory", "", text.split("Not looked for")[0])).split())
    text = re.sub(r"(fit the cache: )(.*?)( saves )", lambda found: found[1] + ", ".join(
        dict.fromkeys(found[2].split(", "))) + found[3], text)
    return re.sub(r"[\d,.]*\d", "#", text)


def check_readme(name, profile):
    """What an example's README shows of this program is what is said: all of it, and at its beginning."""
    readme = os.path.join(ROOT, "examples", name.removesuffix("_pooled"), "README.md")
    if not os.path.exists(readme):
        return
    with open(readme, encoding="utf-8") as file:
        blocks = re.findall(r"^```text\n(.*?)^```$", file.read(), re.M | re.S)
    said = form(run("report", "--advice", profile))
    check(any(block.strip() and form(block) == said for block in blocks), f"{readme} does not show: {said}")


def check_limits(profile):
    """A limit that nothing passes, one that all pass, and what is no limit."""
    all_of_it = json.loads(run("report", "--json", "--advice", "--threshold=0.1", profile))["advice"]["items"]
    some = json.loads(run("report", "--json", "--advice", profile))["advice"]
    none = json.loads(run("report", "--json", "--advice", "--advice-limits=share=99", profile))["advice"]
    check(len(all_of_it) >= len(some["items"]) > len(none["items"]) == 0, "limits")
    check({limit["name"]: limit["value"] for limit in none["limits"]}["share"] == 99, "limits are said")
    check(some["version"] == 2, "version")
    one = json.loads(run("report", "--json", "--advice", "--advice-limits=most=1", profile))["advice"]["items"]
    kinds = [item["kind"] for item in one]
    check(len(kinds) == len(set(kinds)) > 0, "most")
    alone = subprocess.run([TENURE, "report", "--advice-limits=most=1", profile], capture_output=True, text=True,
                           timeout=200, check=False)
    check(alone.returncode == 2 and "give --advice" in alone.stderr, "limits of advice that is not asked for")
    for wrong in ("share", "share=", "share=x", "share=-1", "share=inf", "nothing=1", "=1"):
        done = subprocess.run([TENURE, "report", "--json", "--advice", "--advice-limits=" + wrong, profile],
                              capture_output=True, text=True, check=False)
        check(done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, f"limit {wrong}: {done}")


def check_documents(profile):
    """The limits are those of the documents."""
    limits = json.loads(run("report", "--json", "--advice", profile))["advice"]["limits"]
    with open(os.path.join(ROOT, "docs/advice.md"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(ROOT, "docs/man/tenure-report.1"), encoding="utf-8") as file:
        man = file.read()
    for limit in limits:
        value = f"{limit['value']:g} {limit['unit']}".strip()
        check(f"| `{limit['name']}` | {value} | {limit['words']} |" in text, f"advice.md: limit {limit}")
        check(f".B {limit['name']}\n[{value}] {limit['words']}\n" in man, f"tenure-report.1: limit {limit}")
    check(len(re.findall(r"^\| `\w+` \| \d", text, re.M)) == len(limits), "advice.md: limits")


def check_refusals(profile, folder):
    """A difference has no advice."""
    difference = os.path.join(folder, "difference")
    run("diff", "-o", difference, profile, profile)
    done = subprocess.run([TENURE, "report", "--advice", difference], capture_output=True, text=True, check=False)
    check((done.returncode, done.stdout) == (1, "") and "difference" in done.stderr, f"difference: {done}")


def check_code(profile):
    """Advice as a compiler's warnings, and as SARIF 2.1.0, says what JSON says."""
    items = json.loads(run("report", "--json", "--advice", profile))["advice"]["items"]
    lines = run("report", "--advice", "--format=gcc", profile).splitlines()
    form_of = r"(.+?)(:\d+:1|): warning: (.*): saves (?:up to )?([\d.]+) % of the time, .* \[tenure-(\w+)\]"
    warnings = [re.fullmatch(form_of, line) for line in lines if ": note: " not in line]
    got = [warning and (os.path.basename(warning[1]) + warning[2], float(warning[4]), warning[5])
           for warning in warnings]
    for item in items:  # what is about loops or allocations has no line of its own
        place = next((place for place in [item, *item["places"]] if place["file"]), item)
        item.update({key: place[key] for key in ("function", "file", "line")})
    wanted = [(f"{os.path.basename(item['file'])}:{item['line']}:1" if item["file"] else item["function"],
               round(item["share"], 1), item["kind"]) for item in items]
    check(got == wanted and items, f"gcc: {got} {wanted}")
    notes = sum(1 for item in items for place in item["places"] if place["role"] != "line" and place["file"])
    check(0 < sum(": note: " in line for line in lines) <= notes, f"gcc: notes: {lines}")
    log = json.loads(run("report", "--advice", "--format=sarif", profile))
    if os.path.exists(SARIF_SCHEMA):
        import jsonschema
        with open(SARIF_SCHEMA, encoding="utf-8") as file:
            validator = jsonschema.Draft202012Validator(json.load(file))
        check(not (wrong := list(validator.iter_errors(log))), f"sarif: schema: {wrong}")
        check(not validator.is_valid({**log, "version": "2.0"}), "sarif: the schema says what is wrong")
    (of,) = log["runs"]
    check((log["version"], of["tool"]["driver"]["name"]) == ("2.1.0", "tenure"), f"sarif: {log}")
    rules = [rule["id"] for rule in of["tool"]["driver"]["rules"]]
    check(rules == sorted({"tenure-" + item["kind"] for item in items}), f"sarif: rules: {rules}")
    for result, item in zip(of["results"], items, strict=True):
        check(set(result) == {"ruleId", "level", "message", "locations", "relatedLocations", "properties"},
              f"sarif: {result}")
        physical = result["locations"][0].get("physicalLocation")
        where = physical and urllib.parse.unquote(physical["artifactLocation"]["uri"])
        check((where and os.path.basename(where), physical and physical["region"]) ==
              ((os.path.basename(item["file"]), {"startLine": item["line"]}) if item["file"] else (None, None)),
              f"sarif: {physical}")
        check((result["properties"], result["ruleId"], item["title"] in result["message"]["text"]) ==
              ({key: item[key] for key in ("cycles", "share", "confidence")}, "tenure-" + item["kind"], True),
              f"sarif: {result}")
        for place in result["relatedLocations"]:
            check(place["message"]["text"] != "line" and place["logicalLocations"][0]["fullyQualifiedName"],
                  f"sarif: {place}")
            region = place.get("physicalLocation", {"region": {"startLine": 1}})["region"]
            check(1 <= region["startLine"] <= region.get("endLine", 1 << 31), f"sarif: {place}")
    for words in (["--format=gcc"], ["--advice", "--data", "--format=gcc"], ["--advice", "--json", "--format=gcc"]):
        done = subprocess.run([TENURE, "report", *words, profile], capture_output=True, text=True, check=False)
        check((done.returncode, done.stdout) == (2, "") and "--format is for --advice" in done.stderr, f"{words}")


def check_merged(profile, folder):
    """A sum of two equal recordings has the same advice, of twice the savings and equal shares."""
    merged = os.path.join(folder, "merged")
    run("merge", "-q", "-o", merged, profile, profile)
    one, two = (json.loads(run("report", "--json", "--advice", name))["advice"]["items"] for name in (profile, merged))
    check([item["kind"] for item in one] == [item["kind"] for item in two], "merged: kinds")
    check(all(abs(b["share"] - a["share"]) < 0.5 for a, b in zip(one, two)), "merged: shares")


def check_pairs(folder):
    """Where it is known who loads again what whom had loaded, fusion rests on that: as many bytes as pairs have."""
    profile = os.path.join(folder, "vectors_pairs")
    run("record", "-q", *CACHES, "--interdependence=yes", "-o", profile, "--", os.path.join(BUILD, "examples/vectors"))
    items = json.loads(run("report", "--json", "--advice", profile))["advice"]["items"]
    compare("examples/vectors with pairs", items, PROGRAMS["examples/vectors"][1])
    item = next((item for item in items if item["kind"] == "fusion"), {"evidence": []})
    reloaded = [row["value"] for row in item["evidence"] if row["key"] == "reloaded"]
    base = sqlite3.connect(profile)
    lines, = base.execute("SELECT sum(misses) FROM pairs WHERE cache = 'D1' AND loader_line <> line AND function IN"
                          " (SELECT function FROM loops) AND function <> 'main' AND loader <> 'main'").fetchone()
    check(len(reloaded) == 1 and 0.9 * 64 * lines < reloaded[0] <= 64 * lines, f"reloaded: {reloaded} of {lines} lines")
    base.execute("DELETE FROM t_pairs WHERE loader_id <> instruction_id")
    base.commit()
    base.close()
    items = json.loads(run("report", "--json", "--advice", profile))["advice"]["items"]
    check("fusion" not in [item["kind"] for item in items], "no fusion of loops that do not load what others had")


def check_confirmed(folder):
    """`stream` is done, and a recording says so: what is saved is at least what was promised."""
    before, after = os.path.join(folder, "stream"), os.path.join(folder, "stream_fixed")
    (item,) = json.loads(run("report", "--json", "--advice", before))["advice"]["items"]
    misses = [sqlite3.connect(name).execute("SELECT CEst - Ir FROM totals").fetchone()[0] for name in (before, after)]
    check(misses[0] - misses[1] >= item["cest"] > 0, f"stream: {misses}, promised {item['cest']}")


def check_names(profile, folder):
    """Names that a terminal might obey are shown, not obeyed."""
    hostile = os.path.join(folder, "hostile")
    shutil.copy(profile, hostile)
    name = "\x1b[31m\"<b>\n" + "x" * 65536
    base = sqlite3.connect(hostile)
    for table, column in (("t_data", "name"), ("t_data", "function"), ("t_functions", "base"), ("files", "path"),
                          ("t_inlined", "name"), ("t_data_paths", "function")):
        base.execute(f"UPDATE {table} SET {column} = ? || {column}", (name,))
    base.commit()
    base.close()
    text = run("report", "--advice", hostile)
    check("\\x1b[31m" in text and not re.search(r"[\x00-\x09\x0b-\x1f]", text), "hostile names in text")
    items = json.loads(run("report", "--json", "--advice", hostile))["advice"]["items"]
    check(items and all(item["data"].startswith(name) for item in items if item["data"]), "hostile names in JSON")


def check_usual(folder, name, wanted):
    """Without --patterns=yes strides are known, and confidence is less where conflicts could be the reason."""
    program, profile = os.path.join(BUILD, name), os.path.join(folder, "usual")
    if not os.path.exists(program):
        return
    run("record", "-q", *CACHES[:2], "-o", profile, "--", program)
    advice = json.loads(run("report", "--json", "--advice", profile))["advice"]
    compare(name + " as usual", advice["items"], wanted)
    check({one["kind"] for one in advice["silent"] if one["record"] == "--patterns=yes"} == WITHOUT,
          f"{name}: silent: {advice['silent']}")
    for item in advice["items"]:
        unsure = [one for one in item["evidence"] if "--patterns=yes" in json.dumps(one)]
        check((item["confidence"] < 0.5 and len(unsure) == 1) if item["kind"] == "random" else not unsure,
              f"{name}: how sure: {item}")
    run("record", "-q", *CACHES[:2], "--strides=no", "-o", profile, "--", program)
    silent = json.loads(run("report", "--json", "--advice", profile))["advice"]["silent"]
    check({one["kind"] for one in silent if one["record"] == "--strides=yes"} == {"stride", "random"},
          f"{name}: silent without strides: {silent}")
    done = subprocess.run([TENURE, "report", "--strides", profile], capture_output=True, text=True, check=False)
    check((done.returncode, done.stdout) == (1, "") and "record it with --strides=yes" in done.stderr,
          f"{name}: report --strides without strides: {done}")


def check_unsure(folder):
    """Steps that lead to one set over and over may be a matter of conflicts, which --patterns=yes tells."""
    program, profile = os.path.join(BUILD, "examples/transpose"), os.path.join(folder, "unsure")
    for options, sure in ((["--D1=8000,1,64"], False), (["--D1=8000,1,64", "--patterns=yes"], True)):
        run("record", "-q", *options, CACHES[1], "-o", profile, "--", program)
        items = json.loads(run("report", "--json", "--advice", profile))["advice"]["items"]
        for item in (item for item in items if item["kind"] == "stride"):
            said = "--patterns=yes" in json.dumps(item["evidence"])
            check(said != sure and (sure or item["confidence"] <= 0.6), f"{options}: how sure: {item}")
        check(sure or "stride" in [item["kind"] for item in items], f"{options}: no stride: {items}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, (options, wanted) in PROGRAMS.items():
            program = os.path.join(BUILD, name)
            if not os.path.exists(program):
                print("no", name, "here")
                continue
            profile = os.path.join(folder, os.path.basename(name))
            run("record", "-q", *options, "-o", profile, "--", program)
            items = json.loads(run("report", "--json", "--advice", profile))["advice"]["items"]
            compare(name, items, wanted)
            check_numbers(name, items, profile)
            if name.startswith("examples/") and wanted:
                check_readme(os.path.basename(name), profile)
        for name, wanted in USUALLY.items():
            check_usual(folder, name, wanted)
        check_unsure(folder)
        profile = os.path.join(folder, "vectors")
        check_limits(profile)
        check_documents(profile)
        check_code(profile)
        check_code(os.path.join(folder, "transpose"))
        check_refusals(profile, folder)
        check_merged(profile, folder)
        check_names(profile, folder)
        check_pairs(folder)
        check_confirmed(folder)
    for what in failed:
        print("FAILED", what)
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()
