# SPDX-License-Identifier: GPL-2.0-or-later
#
# page_reader.py: the data of a page, read without a browser.
#
# Written from profile/html_sheet.h alone, row by row and without haste, so that tests can compare what a page holds
# with what SQL says of the profile. `python3 page_reader.py PAGE` prints the bytes that each column takes.

import base64
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
        table = self.tables[name]
        values = {column['name']: self.column(table, column) for column in table['columns']}
        return [dict(zip(values, row)) for row in zip(*values.values())]

    def column(self, table, column):
        return Reader(self, table).column(column['name'])


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return value, at


class Reader:
    """Columns of one table, each decoded once. Numbers as integers; reals in units of 1/65536 until they are asked
    for."""

    def __init__(self, page, table):
        self.page, self.table, self.known = page, table, {}
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
        self.known[name] = values, exact = [], []
        self.open = {}
        for chunk in range(len(column['blocks']) // 2):
            rows = min(self.table['chunk'], self.table['rows'] - chunk * self.table['chunk'])
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
            if data[0] == 1:
                value, = struct.unpack_from('<d', data, at)
                at += 8
                exact.append(None if math.isnan(value) else value)
                value = None if math.isnan(value) else int(value * 65536) if abs(value * 65536) < 4e18 else 0
            else:
                code = 0
                if data[0] == 0 or self.units(column['where'])[row]:
                    code, at = varint(data, at)
                exact.append(None)
                d = (code - 2) >> 1 ^ -(code - 2 & 1)
                value = predicted if code == 0 else None if code == 1 else (predicted or 0) + d
            if value is not None:
                value = (value + 2**63) % 2**64 - 2**63
            values.append(value)
            if column.get('from') == 'below' and value is not None:
                depth = self.units(column['terms'][1][0])[row]
                self.open[depth] = (self.open.get(depth) or 0) + value
        assert at == len(data)

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
            value = math.floor(65536000.0 * a * a / b) if b > 0 else 0
            return None if self.units(terms[0][0])[row] is None else value if value < 9e15 else 0
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
