# SPDX-License-Identifier: GPL-2.0-or-later
#
# page_reader.py: the data of a page, read without a browser.
#
# Written from profile/html/html_sheet.h alone, row by row and without haste, so that tests can compare what a page
# holds with what SQL says of the profile. `python3 page_reader.py PAGE` prints the bytes that each column takes.

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


class Reader:
    """Columns of one table, each decoded once. Reals in units of 1/65536 until they are asked for."""

    def __init__(self, page, table):
        self.page, self.table, self.known = page, table, {}
        self.names = [column['name'] for column in table['columns']]

    def column(self, name):
        real = self.table['columns'][self.names.index(name)]['kind'] == 'real'
        values = []
        for chunk in range(-(-self.table['rows'] // self.table['chunk'])):
            part, exact = self.part(self.names.index(name), chunk)
            values += [v if v is None or exact or not real else v / 65536 for v in part]
        return values

    def part(self, number, chunk):
        """The values of a chunk, and whether they are what they say already."""
        if (number, chunk) not in self.known:
            column = self.table['columns'][number]
            rows = min(self.table['chunk'], self.table['rows'] - chunk * self.table['chunk'])
            data = self.page.block(column, chunk)
            read = {0: self.counts, 1: self.doubles, 2: self.texts, 3: self.counts}[data[0]]
            self.known[number, chunk] = read(data, rows, number, chunk), data[0] in (1, 2)
        return self.known[number, chunk]

    def texts(self, data, rows, *_):
        sizes, values, at = [], [], 1
        for _ in range(rows):
            size, at = varint(data, at)
            sizes.append(size)
        for size in sizes:
            values.append(data[at:at + size - 1].decode('utf-8', 'replace') if size else None)
            at += max(size - 1, 0)
        assert at == len(data)
        return values

    def doubles(self, data, rows, *_):
        assert len(data) == 1 + 8 * rows
        return [None if math.isnan(value) else value for value, in struct.iter_unpack('<d', data[1:])]

    def counts(self, data, rows, number, chunk):
        at, depth, below = 1, None, {}
        if data[0] == 3:
            number_of_depth, at = varint(data, at)
            depth = self.count_part(number_of_depth, chunk)
        minus, at = varint(data, at)
        where, at = varint(data, at)
        assert minus - 2 < number and where - 1 < number
        base = self.count_part(minus - 2, chunk) if minus > 1 else [0] * rows
        there = self.count_part(where - 1, chunk) if where else [1] * rows
        values, before = [], 0
        for row in range(rows):
            children = below.pop(depth[row] + 1, 0) if depth else 0
            if there[row]:
                code, at = varint(data, at)
                d = -(code // 2) if code % 2 == 0 else code // 2
                values.append(None if code == 0 else d + (before if minus == 1 else base[row] or 0) + children)
                before = values[-1] or 0
            else:
                values.append(there[row])
            if depth:
                below[depth[row]] = below.get(depth[row], 0) + (values[-1] or 0)
        assert at == len(data)
        return values

    def count_part(self, number, chunk):
        values, exact = self.part(number, chunk)
        assert not exact
        return values


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
