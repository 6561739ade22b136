# SPDX-License-Identifier: GPL-2.0-or-later
#
# page_reader.py: the data of a page, read without a browser.
#
# Written from profile/html/html_sheet.h alone, row by row and without haste, so that tests can compare what a page
# holds with what SQL says of the profile. `python3 page_reader.py PAGE` prints the bytes that each column takes.

import base64
from collections import Counter
import json
import math
import re
import struct
import sys
import zlib


LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Base 85 as Python has it, but for digits that mean something in HTML.
DIGITS = str.maketrans(LETTERS + "!#$%()*+;=?@^_|}~,./:[]", LETTERS + "!#$%&()*+-;<=>?@^_`{|}~")


class Page:
    def __init__(self, path):
        text = open(path, encoding='utf-8').read()
        self.text = text
        self.data = self.element(text, 'data')
        self.index = json.loads(self.unpack(self.element(text, 'index')))
        self.tables = self.index['tables']
        self.readers = {}

    @staticmethod
    def element(text, name):
        return re.search('<script id="%s" type="application/octet-stream">([^<]*)</script>' % name, text).group(1)

    @staticmethod
    def unpack(text):
        return zlib.decompress(base64.b85decode(text.translate(DIGITS)), -15)

    def block(self, column, chunk):
        at, length = column['blocks'][2 * chunk:2 * chunk + 2]
        return self.unpack(self.data[at:at + length])

    def table(self, name):
        """Rows as dicts."""
        reader = self.reader(name)
        values = {column['name']: reader.column(column['name']) for column in self.tables[name]['columns']}
        return [dict(zip(values, row)) for row in zip(*values.values())]

    def reader(self, name):
        if name not in self.readers:
            self.readers[name] = Reader(self, self.tables[name])
        return self.readers[name]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return value, at


def quotient(a, b, c):
    value = math.floor(float(a) * float(b) / float(c))
    return value if abs(value) < 9e15 else 0


def wrapped(value):
    return (value + 2**63) % 2**64 - 2**63


class Reader:
    """Columns of one table, each decoded once. Numbers as integers; reals in units of 1/65536 until they are asked
    for."""

    def __init__(self, page, table):
        self.page, self.table, self.known, self.known_totals = page, table, {}, {}
        self.by_name = {column['name']: column for column in table['columns']}

    def column(self, name):
        column = self.by_name[name]
        self.units(name)
        values, exact = self.known[name]
        if column['kind'] == 'real':
            return [e if e is not None else None if v is None else v / 65536 for v, e in zip(values, exact)]
        return values

    def units(self, name):
        if name in self.known:
            return self.known[name][0]
        column = self.by_name[name]
        for other in [term for term, _ in column.get('terms', [])] + [self.table.get('key'), column.get('where')]:
            if other and other != name:
                self.units(other)
        self.known[name] = values, exact = [], []
        self.open, self.left, self.left_of = {}, {}, {}
        for chunk in range(len(column['blocks']) // 2):
            rows = min(self.table['chunk'], self.table['rows'] - chunk * self.table['chunk'])
            self.last = {}
            if column.get('from') == 'share' and not column['terms']:
                first = chunk * self.table['chunk']
                self.left_of = Counter(self.units(self.table['key'])[first:first + rows])
            self.decode(column, self.page.block(column, chunk), rows, values, exact)
        return values

    def decode(self, column, data, rows, values, exact):
        start = len(values)
        if data[0] == 2:
            sizes, at = [], 1
            for _ in range(rows):
                size, at = varint(data, at)
                sizes.append(size)
            for size in sizes:
                values.append(data[at:at + size - 1].decode('utf-8', 'replace') if size else None)
                exact.append(None)
                at += max(size - 1, 0)
            assert at == len(data)
            return
        at = 1
        for row in range(start, start + rows):
            predicted = self.predict(column, row, start, values)
            if data[0] == 4:
                predicted = 0
            if data[0] == 1:
                value, = struct.unpack_from('<d', data, at)
                at += 8
                exact.append(None if math.isnan(value) else value)
                value = None if math.isnan(value) else int(value * 65536) if abs(value * 65536) < 4e18 else 0
            else:
                code = 0
                if data[0] in (0, 4) or self.units(column['where'])[row]:
                    code, at = varint(data, at)
                exact.append(None)
                d = (code - 2) >> 1 ^ -(code - 2 & 1)
                value = predicted if code == 0 else None if code == 1 else (predicted or 0) + d
            if value is not None:
                value = wrapped(value)
            values.append(value)
            if column.get('from') == 'below' and value is not None:
                depth = self.units(column['terms'][1][0])[row]
                self.open[depth] = (self.open.get(depth) or 0) + value
            self.leave(column, row, value)
        assert at == len(data)

    def leave(self, column, row, value):
        kind = column.get('from')
        if kind not in ('share', 'like'):
            return
        number = self.units(self.table['key'])[row]
        base = self.units(column['terms'][0][0])[row] if column['terms'] else 1
        if kind == 'share' and number in self.left:
            self.left[number] = wrapped(self.left[number] - (value or 0))
            self.left_of[number] = wrapped(self.left_of[number] - (base or 0))
        if kind == 'like' and number and number in self.totals('id') and value is not None and base:
            self.last[number] = (value, base)

    def totals(self, name):
        """A column of the table that this one's rows have shares of, by id."""
        if name not in self.known_totals:
            reader = self.page.reader(self.table['totals'])
            self.known_totals[name] = dict(zip(reader.units('id'), reader.units(name)))
        return self.known_totals[name]

    def share(self, column, row):
        if not self.left:
            self.left = {number: value or 0 for number, value in self.totals(column['name']).items() if number}
            if column['terms']:
                self.left_of = {number: value or 0 for number, value in self.totals(column['terms'][0][0]).items()}
        number = self.units(self.table['key'])[row]
        base = self.units(column['terms'][0][0])[row] if column['terms'] else 1
        if number not in self.left or base is None or self.totals(column['name'])[number] is None:
            return None
        if base == self.left_of[number]:
            return self.left[number]
        return quotient(self.left[number], base, self.left_of[number]) if self.left_of[number] > 0 else 0

    def like(self, column, row):
        base = self.units(column['terms'][0][0])[row]
        if base is None:
            return None
        value, of = self.last.get(self.units(self.table['key'])[row], (0, 1))
        return quotient(base, value, of)

    def predict(self, column, row, start, values):
        kind, terms = column.get('from'), column.get('terms', [])
        if kind == 'previous':
            return values[row - 1] or 0 if row > start else 0
        if kind == 'following':
            of = self.units(terms[0][0])
            return (values[row - 1] or 0) + (of[row - 1] or 0) if row > start else 0
        if kind == 'sum':
            parts = [self.units(name)[row] for name, _ in terms]
            if all(part is None for part in parts):
                return None
            return sum(part * factor for part, (_, factor) in zip(parts, terms) if part is not None)
        if kind == 'harmonic':
            a, b = (float(self.units(name)[row] or 0) for name, _ in terms)
            return None if self.units(terms[0][0])[row] is None else quotient(65536000.0 * a, a, b) if b > 0 else 0
        if kind in ('share', 'like'):
            return self.share(column, row) if kind == 'share' else self.like(column, row)
        if kind == 'below':
            own, depth = (self.units(name)[row] for name, _ in terms)
            below = self.open.pop(depth + 1, None)
            return None if own is None and below is None else (own or 0) + (below or 0)
        return 0


def main():
    page = Page(sys.argv[1])
    sizes = []
    for name, table in page.tables.items():
        for column in table['columns']:
            sizes.append((sum(column['blocks'][1::2]), name, column['name']))
    for size, table, column in sorted(sizes, reverse=True)[:int(sys.argv[2]) if len(sys.argv) > 2 else 40]:
        print('%9d  %s.%s' % (size, table, column))
    for name in page.tables:
        print('%9d  %s' % (sum(s for s, t, _ in sizes if t == name), name))


if __name__ == '__main__':
    main()
