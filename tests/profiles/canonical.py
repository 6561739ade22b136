# SPDX-License-Identifier: GPL-2.0-or-later
"""
A profile without its ids: dump(path) is a sorted list of rows, in which whatever refers to a row has what that row says
instead of its number. Two profiles of the same content have the same list, in whatever order they were made.
"""
import hashlib
import sqlite3

REFERENCE = {"object_id": "objects", "file_id": "files", "call_file_id": "files", "function_id": "t_functions",
             "caller_id": "t_functions", "callee_id": "t_functions", "site_id": "t_instructions",
             "instruction_id": "t_instructions", "inlined_id": "t_inlined", "arc_id": "t_arcs", "unit_id": "units",
             "origin_id": "t_data_paths", "data_id": "t_data", "writer_id": "t_instructions",
             "victim_id": "t_instructions", "statement_id": "t_statements", "loop_id": "t_loops",
             "field_id": "t_data_fields", "loader_id": "t_instructions", "evictor_id": "t_instructions",
             "evictor_data_id": "t_data", "pair_id": "t_pairs", "reuse_id": "t_reuses",
             "path_id": "t_paths"}
TREES = ("t_inlined", "t_paths", "t_data_paths", "t_loops")
NUMBERS = ("id", "base_id")


class Profile:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.events = {name + suffix for (name,) in self.db.execute("SELECT name FROM events")
                       for suffix in ("", "_incl")}
        self.known = {}

    def columns(self, table):
        return [row[1] for row in self.db.execute("PRAGMA table_info(%s)" % table)]

    def rows(self, table):
        return self.db.execute("SELECT * FROM %s" % table)

    def said(self, table, columns, row, costs):
        """A row's columns and values, references followed. Ranges of ids are how many there are."""
        values = dict(zip(columns, row))
        out = []
        for column, value in values.items():
            if column in self.events:
                if costs:
                    out.append((column, value))
            elif column == "first_instruction":
                out.append(("instructions", value and values["last_instruction"] - value + 1))
            elif column in REFERENCE:
                out.append((column, self.of(REFERENCE[column], value)))
            elif column == "parent" and table in TREES:
                out.append((column, self.of(table, value)))
            elif column != "last_instruction" and (column not in NUMBERS or table == "threads"):
                out.append((column, value))
        return repr(out)

    def of(self, table, number):
        if number is None:
            return None
        if (table, number) not in self.known:
            if not any(key[0] == table for key in self.known):
                columns = self.columns(table)
                order = "id DESC" if table == "t_paths" else "id"
                for row in self.db.execute("SELECT * FROM %s ORDER BY %s" % (table, order)):
                    self.known[table, row[columns.index("id")]] = None
                    text = self.said(table, columns, row, False)
                    self.known[table, row[columns.index("id")]] = hashlib.sha1(text.encode()).hexdigest()
        return self.known[table, number]

    def dump(self):
        out = []
        tables = [row[0] for row in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = self.columns(table)
            out += ["%s %s" % (table, self.said(table, columns, row, True)) for row in self.rows(table)]
        groups = self.db.execute("SELECT count(*), min(function) FROM t_functions GROUP BY base_id")
        return sorted(out + ["base %r" % (row,) for row in groups])


def dump(path):
    profile = Profile(path)
    try:
        return profile.dump()
    finally:
        profile.db.close()
