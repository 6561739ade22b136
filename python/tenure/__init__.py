# SPDX-License-Identifier: GPL-2.0-or-later
"""
Profiles of Tenure in Python.

    profile = tenure.open("tenure.out.123")
    profile.functions.sort("LLm_incl").head(10)

Tables, columns and events are those that the file has, as docs/profile-format.md describes them. A file is read and
never written, and is anybody's: no name in it is taken for SQL, no view may do more than read, and what is shown of a
text has no control characters. docs/python.md has examples.
"""
import collections.abc
import copy
import difflib
import html
import io
import os
import pathlib
import sqlite3
import stat
import struct
import warnings
import zlib

__all__ = ["open", "Profile", "Table", "Row", "Error"]

SCHEMA_VERSION = 19
APPLICATION, CHANGES, PIECE = 0x546E7572, 0x74656E75, 1 << 20
READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
WIDEST, MOST_ROWS, MOST_WORDS, MOST_COSTS = 32, 10, 5, 3


class Error(Exception):
    """A file that is no sound profile, or a name that is not in it: one line that says so."""


class Unknown(Error, AttributeError, LookupError):
    """There is no table or column of this name."""


def open(path):
    """The profile in this file."""
    return Profile(path)


def _find(places, name, what):
    if name not in places:
        near = difflib.get_close_matches(str(name), places, 3, 0.5)
        raise Unknown(f"{what} {name!r}" + ("; near it are " + ", ".join(near) if near else ""))
    return places[name]


def _is_number(value):
    return isinstance(value, (int, float))


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _text(value):
    """For people: one line without control characters, not too long."""
    if _is_number(value):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    text = "" if value is None else str(value)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if len(text) > WIDEST and "/" in text:
        return "..." + text[text.find("/", len(text) - WIDEST + 3):][3 - WIDEST:]
    return text if len(text) <= WIDEST else text[:WIDEST - 3] + "..."


def _was_changed(path):
    """Reads the whole file: whether it was changed since Tenure wrote it. Refuses what is damaged or no profile."""
    def damaged(what):
        return Error(f"{path}: the profile is damaged: {what}")

    if not stat.S_ISREG(os.stat(path).st_mode):
        raise Error(f"{path}: not a regular file")
    with io.open(path, "rb") as file:
        size, head = os.fstat(file.fileno()).st_size, file.read(100)
        if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
            raise Error(f"{path}: not a profile of Tenure; `tenure import` makes one of raw profiles and of files of "
                        "Callgrind or Cachegrind")
        page, journals, (changes, pages) = head[16:18], head[18:20], struct.unpack_from(">2I", head, 24)
        version, application, changes_then = (struct.unpack_from(">I", head, at)[0] for at in (60, 68, 92))
        if application != APPLICATION:
            raise Error(f"{path}: an SQLite database, but not a profile of Tenure")
        if version != SCHEMA_VERSION:
            raise Error(f"{path}: profile with schema version {version}, this module reads version {SCHEMA_VERSION}")
        if journals != b"\1\1":
            raise Error(f"{path}: in SQLite's write-ahead mode; `PRAGMA journal_mode = DELETE` makes it one file again")
        page = int.from_bytes(page, "big")
        length = (65536 if page == 1 else page) * pages
        if changes == changes_then != CHANGES:
            if size < length:
                raise damaged("its end is missing")
            return True
        pieces = -(-length // PIECE)
        if size != length + 4 * pieces + 20:
            raise damaged("its end is missing" if size < length + 4 * pieces + 20 else "something is behind its end")
        file.seek(length)
        sums, end = file.read(4 * pieces + 8), file.read(12)
        if sums[-8:] != struct.pack(">Q", length) or end != struct.pack(">I", zlib.crc32(sums)) + b"TnurSums":
            raise damaged("its checksums cannot be read")
        file.seek(0)
        for i in range(pieces):
            if zlib.crc32(file.read(min(PIECE, length - i * PIECE))) != int.from_bytes(sums[4 * i:4 * i + 4], "big"):
                raise damaged(f"its checksum is wrong behind byte {i * PIECE}")
    return False


class Profile:
    """A profile that is open. Its tables are attributes and keys; `data` is short for `data_objects`."""

    def __init__(self, path):
        self.path = os.fspath(path)
        try:
            changed = _was_changed(self.path)
            uri = pathlib.Path(self.path).absolute().as_uri()
            self._db = sqlite3.connect(uri + ("?mode=ro" if changed else "?mode=ro&immutable=1"), uri=True)
            self._db.text_factory = lambda text: text.decode("utf-8", "backslashreplace")
            self._db.executescript("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON; "
                                   "PRAGMA temp_store = MEMORY")
        except (OSError, sqlite3.Error) as error:
            raise Error(f"{self.path}: cannot open: {getattr(error, 'strerror', None) or error}") from None
        if changed:
            warnings.warn(f"{self.path}: changed since Tenure wrote it, so damage of it is not noticed", stacklevel=3)
        self._db.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY)
        self._tables, public = {}, "name NOT GLOB 't_*' AND name NOT GLOB 'sqlite_*'"
        for kind, name, is_public, root in self._ask(f"SELECT type, name, {public}, rootpage FROM sqlite_master"):
            if kind == "trigger" or kind == "table" and (not root or str(name).startswith("sqlite_stat")):
                raise Error(f"{self.path}: the profile is damaged: {kind} {_text(name)} is not as Tenure writes it")
            if is_public and kind in ("table", "view"):
                self._tables[str(name)] = name
        if "data_objects" in self._tables:
            self._tables["data"] = "data_objects"
        self._events = [str(event.name) for event in self["events"]]
        self.meta = {key: value for key, value in self._ask("SELECT key, value FROM meta")}

    def __getitem__(self, name):
        table = _find(self._tables, name, f"{self.path} has no table")
        return Table(self, table, self._ask(f"SELECT * FROM {_quoted(table)} LIMIT 0", names=True))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __dir__(self):
        return [*super().__dir__(), *self._tables]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<profile {_text(self.path)} of {_text(self.meta.get('cmd'))}: {', '.join(sorted(self._tables))}>"

    def close(self):
        self._db.close()

    @property
    def totals(self):
        """The row of table totals."""
        for row in self["totals"]:
            return row
        raise Error(f"{self.path}: the profile is damaged: it has no totals")

    def diff(self, other, *events, rename=None):
        """What `other`, the new one, has more than this one, by function, largest change first: of these events (`Ir`,
        `LLm_incl`, ...), or all that both have. Functions are the same as in `tenure diff`, whose paths `rename` may
        change; of rows in which nothing differs there are none."""
        mine, theirs = self["functions"], other["functions"]
        costs = {name: name for name in mine._costs() if name in theirs._costs()}
        costs = [_find(costs, name, "the profiles do not both have the event") for name in events or costs]
        one, two = (table._by_function(costs, rename or str) for table in (mine, theirs))
        rows, nothing = [], [None] * len(costs)
        for key in {**one, **two}:
            old, new = one.get(key), two.get(key)
            name = (new or old)[:3] + ("new" if not old else "gone" if not new else "",)
            values = []
            for a, b in zip(old[3:] if old else nothing, new[3:] if new else nothing):
                values += (None,) * 3 if a is None and b is None else ((b or 0) - (a or 0), a or 0, b or 0)
            if any(values[::3]):
                rows.append((*name, *values))
        columns = ["function", "file", "object", "state"]
        columns += [name + side for name in costs for side in ("", "_baseline", "_new")]
        table = Table(self, "difference", columns)
        first = events[0] if events else next((name for name in reversed(self._events) if name in costs), None)
        if first:
            place = columns.index(first)
            rows.sort(key=lambda row: -abs(row[place] or 0))
        return table._with(_first=first, _rows=[Row(table._places, row) for row in rows])

    def _ask(self, sql, names=False):
        """The rows, as tuples, or names of columns. What SQLite cannot read is an Error."""
        try:
            cursor = self._db.execute(sql)
            yield from (column[0] for column in cursor.description) if names else cursor
        except (sqlite3.Error, ValueError) as error:
            raise Error(f"{self.path}: cannot read: {error}") from None


class Row:
    """One row: columns are attributes and keys. Iterating gives the values, `dict(row)` both."""
    __slots__ = ("_places", "_values")

    def __init__(self, places, values):
        self._places, self._values = places, tuple(values)

    def keys(self):
        return list(self._places)

    def __getitem__(self, key):
        return self._values[_find(self._places, key, "there is no column") if isinstance(key, str) else key]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __dir__(self):
        return [*super().__dir__(), *self._places]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __eq__(self, other):
        return isinstance(other, Row) and self._values == other._values

    def __hash__(self):
        return hash(self._values)

    def __repr__(self):
        return "\n".join(f"{name:<16} {_text(value)}" for name, value in zip(self._places, self) if value is not None)


class Table(collections.abc.Sequence):
    """Rows of a table, read when they are asked for. Methods make new tables and change none."""

    def __init__(self, profile, name, columns):
        self._profile, self.name, self.columns = profile, name, list(columns)
        self._places = {column: i for i, column in enumerate(self.columns)}
        self._order, self._limit, self._rows = "", -1, None
        self._first, self._all = None, False  # what it was sorted by; whether each column is shown

    def sort(self, column, ascending=False):
        """By this column, the largest first; NULL last."""
        place = _find(self._places, column, f"{self.name} has no column")
        if self._rows is None and self._limit < 0:
            name, way = _quoted(column), "ASC" if ascending else "DESC"
            return self._with(_order=f" ORDER BY {name} IS NULL, {name} {way}", _first=column)
        known = [row for row in self if row[place] is not None]
        known.sort(key=lambda row: (0, row[place]) if _is_number(row[place]) else (1, str(row[place])),
                   reverse=not ascending)
        return self._with(_rows=known + [row for row in self if row[place] is None], _first=column)

    def head(self, count=MOST_ROWS):
        """The first rows."""
        count = max(0, count)
        if self._rows is None:
            return self._with(_limit=count if self._limit < 0 else min(count, self._limit))
        return self._with(_rows=self._rows[:count])

    def filter(self, wanted):
        """The rows of which this function is true."""
        return self._with(_rows=[row for row in self if wanted(row)])

    def select(self, *columns):
        """These columns."""
        places = [_find(self._places, column, f"{self.name} has no column") for column in columns]
        table = self._with(columns=list(columns), _places={name: i for i, name in enumerate(columns)}, _all=True)
        if self._rows is not None:
            table._rows = [Row(table._places, (row[place] for place in places)) for row in self]
        return table

    def to_pandas(self):
        """A DataFrame."""
        import pandas
        return pandas.DataFrame([tuple(row) for row in self], columns=self.columns)

    def __len__(self):
        if self._rows is None:
            return next(self._profile._ask(f"SELECT count(*) FROM ({self._sql()})"))[0]
        return len(self._rows)

    def __iter__(self):
        if self._rows is not None:
            return iter(self._rows)
        return (Row(self._places, values) for values in self._profile._ask(self._sql()))

    def __getitem__(self, key):
        if isinstance(key, slice) and not key.start and key.step in (None, 1) and (key.stop or -1) > 0:
            return self.head(key.stop)
        if self._rows is None and isinstance(key, int) and 0 <= key < MOST_ROWS:
            return list(self.head(key + 1))[key]
        if self._rows is None:
            self._rows = list(self)
        return self._with(_rows=self._rows[key]) if isinstance(key, slice) else self._rows[key]

    def __repr__(self):
        title, columns, rows, right = self._shown()
        widths = [max(map(len, column)) for column in zip(columns, *rows)]
        lines = [title] + ["  ".join(cell.rjust(width) if number else cell.ljust(width)
                                     for cell, width, number in zip(row, widths, right)).rstrip()
                           for row in [columns] + rows]
        return "\n".join(lines)

    def _repr_html_(self):
        title, columns, rows, right = self._shown()
        aligned = [f' style="text-align: {"right" if number else "left"}">' for number in right]
        lines = ["<tr>" + "".join(f"<{tag}{align}{html.escape(cell)}</{tag}>" for cell, align in zip(row, aligned))
                 + "</tr>" for tag, row in [("th", columns)] + [("td", row) for row in rows]]
        return f"<table><caption>{html.escape(title)}</caption>\n" + "\n".join(lines) + "\n</table>"

    def _with(self, **changed):
        table = copy.copy(self)
        table.__dict__.update(changed)
        return table

    def _sql(self):
        columns = ", ".join(map(_quoted, self.columns))
        return f"SELECT {columns} FROM {_quoted(self.name)}{self._order} LIMIT {self._limit}"

    def _costs(self):
        """Its columns of events, the sums first."""
        names = (event + kind for event in reversed(self._profile._events) for kind in ("", "_incl"))
        return [name for name in names if name in self._places]

    def _by_function(self, costs, rename):
        """Rows by what makes a function the same in two profiles: docs/profile-format.md, "Differences"."""
        rows, seen = {}, {}
        for row in self.sort("address", ascending=True).select("function", "file", "object", "address", *costs):
            file, binary = (None if path is None else rename(str(path)) for path in row[1:3])
            key = row.function, file, os.path.basename(binary or "") if file is None else None
            seen[key] = nth = seen.get(key, 0) + 1
            rows[key, nth] = (row.function, file, binary, *(value if _is_number(value) else None for value in row[4:]))
        return rows

    def _shown(self):
        """What people see of it: title, headings, rows of texts, and which columns are of numbers."""
        rows, columns, costs = list(self.head(MOST_ROWS)), self.columns, self._costs()
        if not self._all:
            columns, seen = [], []
            for i, name in enumerate(self.columns):  # what says nothing here, or what another one says, is left out
                values = [row[i] for row in rows]
                is_id = name in ("id", "parent") or name.endswith("_id")
                if not (is_id or name.partition("_")[0] in self._profile._events or values in seen or
                        all(value is None for value in values)):
                    columns.append(name)
                    seen.append(values)
            first = [self._first] if self._first else []
            columns = [name for name in columns[:MOST_WORDS if costs else 8] if name != self._first]
            columns += (first + [name for name in costs if name != self._first])[:MOST_COSTS]
        places = [self._places[name] for name in columns]
        title = f"{_text(self.name)}: {len(self):,} row{'s' * (len(self) != 1)}"
        title += f", by {_text(self._first)}" if self._first else ""
        right = [any(_is_number(row[place]) for row in rows) for place in places]
        cells = [[_text(row[place]) for place in places] for row in rows]
        return title, [_text(name) for name in columns], cells, right
