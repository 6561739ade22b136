# SPDX-License-Identifier: GPL-2.0-or-later
"""
A small profile that has rows in every table, and the commands that read all of it, for tests that damage it.

    filled.make(TENURE, FOLDER)   the profile's path; a third argument: of this raw profile
    filled.COMMANDS               words; @ stands for the profile, + for a file to write

    filled.py TENURE PROFILE [RAW]
"""
import os
import re
import sqlite3
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../profiles'))
import raw_make
import sealed

# What a raw profile that is made up says nothing about: source files and what symbols and code tell of them.
SYMBOLS = (
    "INSERT OR REPLACE INTO meta VALUES ('patterns', 'yes'), ('coherence', 'mesi'), ('record.options', ''), "
    "('record.program', '/nowhere/program')",
    "INSERT INTO files(id, path) SELECT 1 + key, '/nowhere/f' || (1 + key) || '.c' FROM json_each('[0,0,0,0,0,0,0,0]')",
    "INSERT INTO sources(file_id, text) SELECT id, replace(hex(zeroblob(40)), '0', 'int i;' || char(10)) FROM files",
    "UPDATE t_functions SET file_id = 1 + id % 8, line = id",
    "UPDATE t_instructions SET file_id = 1 + function_id % 8, line = 1 + id % 40, "
    "loop_id = 1 + id % (SELECT min(20, count(*)) FROM t_instructions), "
    "statement_id = 1 + id % (SELECT min(40, count(*)) FROM t_instructions)",
    "INSERT OR IGNORE INTO t_lines(id, function_id, file_id, line, Ir, D1mr, DLmr, SpLossD1, Ir_incl) "
    "SELECT 1000 + id, function_id, file_id, line, Ir, D1mr, DLmr, SpLossD1, Ir FROM t_instructions",
    "INSERT INTO t_inlined(id, parent, function_id, name, file_id, line, call_file_id, call_line, Ir, Ir_incl, "
    "D1mr) SELECT id, CASE WHEN id % 2 = 0 THEN id - 1 END, function_id, 'inline' || id, 1, id, 1, id, Ir, Ir, D1mr "
    "FROM t_instructions WHERE id <= 30",
    "UPDATE t_instructions SET inlined_id = id WHERE id <= 30",
    "INSERT INTO t_statements(id, object_id, file_id, line, first_line, function, Ir, D1mr, DLmr, SpLossD1) "
    "SELECT id, 1, 1 + id % 8, id, id, 'f' || id, Ir, D1mr, DLmr, SpLossD1 FROM t_instructions WHERE id <= 40",
    "INSERT INTO t_statement_accesses(statement_id, access, type, Ir, D1mr, DLmr) "
    "SELECT id, 'load', 'integer', Ir, D1mr, DLmr FROM t_statements",
    "INSERT INTO t_statement_data(statement_id, data_id, D1mr, DLmr, SpLossD1) "
    "SELECT id, 1 + id % 5, D1mr, DLmr, SpLossD1 FROM t_statements",
    "INSERT INTO t_loops(id, parent, function_id, object_id, address, file_id, line, last_line, depth, iterations, "
    "entries, Ir, D1mr, DLmr, SpLossD1, Ir_incl, D1mr_incl, DLmr_incl, SpLossD1_incl) "
    "SELECT id, CASE WHEN (id - 1) % 4 THEN id - 1 END, (id + 3) / 4, 1, address, 1, id, id + 3, (id - 1) % 4, 1000, "
    "10, Ir, D1mr, DLmr, SpLossD1, Ir, D1mr, DLmr, SpLossD1 FROM t_instructions WHERE id <= 20",
    "INSERT INTO t_loop_data(loop_id, data_id, D1mr, DLmr, SpLossD1, D1mr_incl, DLmr_incl, SpLossD1_incl) "
    "SELECT id, 1 + id % 5, D1mr, DLmr, SpLossD1, D1mr_incl, DLmr_incl, SpLossD1_incl FROM t_loops",
)

# A merge of two fills the tables of units. Pages are small, so that tables have several.
PAGE = 1024

COMMANDS = [words.split() for words in (
    "report @", "report --json @", "report --csv --data @", "report --function=f* @", "report --callers=f2 @",
    "report --callees=f1 @", "report --tree @", "report --tree --json @", "report --threads @", "report --balance @",
    "report --data @", "report --data --json @", "report --under=f* @", "report --statements @", "report --loops @",
    "report --strides @", "report --pairs @", "report --sharing @", "report --fields=* @", "report --advice @",
    "report --advice --json @", "report --weights=L1m=12 @", "try --dry-run @", "report --in=f1.c --statements @",
    "annotate @", "annotate --json --calls @", "annotate --statements --disassemble @",
    "export --format=callgrind @", "export --format=callgrind --instructions -o + @", "export --format=cachegrind @",
    "export --format=folded --threads @", "export --format=pprof -o + @", "export --format=speedscope @",
    "export --format=firefox --threads --threshold=1 @", "export --format=openmetrics @", "export --format=json @",
    "export --format=csv --table=t_self @", "merge -q -o + @ @", "diff @ @", "diff --data --json -o + @ @", "info @",
    "info --json @", "html -o + @",
)] + [["sql", "--csv", "@", "SELECT name FROM events; SELECT count(Ir) FROM t_self"]]


def make(tenure, folder, given=None):
    """The profile; beside it `plain`, as it was imported."""
    raw, once, sum_of_two, profile = (os.path.join(folder, name) for name in ('raw', 'once', 'sum', 'profile'))
    if not given:
        raw_make.Random(seed=3, functions=12, nodes=60).write(raw)
    subprocess.run([tenure, 'import', '-q', given or raw, '-o', once], check=True)
    shutil.copy(once, os.path.join(folder, 'plain'))
    with sqlite3.connect(once) as database:
        for statement in SYMBOLS:
            database.execute(statement)
    database.close()
    sealed.seal(once)
    subprocess.run([tenure, 'merge', '-q', '--keep=thread', '-o', sum_of_two, once, once], check=True)
    database = sqlite3.connect(sum_of_two)
    database.execute(f'PRAGMA page_size = {PAGE}')
    database.execute('VACUUM INTO ?', (profile,))
    database.close()
    sealed.seal(profile)
    return profile


def words_of(tenure, command):
    """What to run in a folder that has the profile."""
    return [tenure] + [{'@': 'profile', '+': 'output'}.get(word, word) for word in command]


def skip_without_ptrace(fail_call):
    """Ends the test where fail_call cannot work."""
    if subprocess.run([fail_call, '/dev/null', '0', 'true'], check=False).returncode == 77:
        print('skipped: no process may be traced here')
        sys.exit(77)


def own_errors(done):
    """What is on stderr, without what libdw says: where it has no memory, an assertion of its own fails."""
    return re.sub(r'Unexpected error\.\n|[^\n]*Assertion [^\n]* failed\.\n', '', done.stderr.decode('utf-8', 'replace'))


SOAK = int(os.environ.get('TENURE_SOAK', '0'))


def chosen(count, chance, most):
    """Which of `count` things that can fail do: some, those at the beginning before all; with TENURE_SOAK
    1 + 4 * TENURE_SOAK times as many."""
    most *= 1 + 4 * SOAK
    if most >= count:
        return range(1, count + 1)
    return sorted({int(count ** chance.random()) for _ in range(most // 2)} |
                  {chance.randint(1, count) for _ in range(most // 2)} | {count})


def main():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(make(sys.argv[1], folder, *sys.argv[3:]), sys.argv[2])


if __name__ == '__main__':
    main()
