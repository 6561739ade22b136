# SPDX-License-Identifier: GPL-2.0-or-later
"""Read what Cachegrind and Callgrind write, and what Tenure writes, into one shape.

A Profile has `events` (names, in the file's order), and dictionaries whose values are lists of counts in that order:

    self[function]             self cost
    incl[function]             inclusive cost, where the format has it (callgrind: self + calls; tenure: its own)
    lines[(file, line)]        self cost of a source line
    arcs[(caller, callee)]     (calls, [inclusive cost])

and, of Callgrind with --dump-instr=yes, what tells functions of one name apart; addresses are those in the file:

    instructions[(object, address)]          self cost of an instruction
    function_at[(object, address)]           the function it is written under
    placed_arcs[(caller, callee)]            as arcs; functions here are pairs (object, name)

Functions are plain names; two functions of one name are added. Both formats leave out trailing zeroes, repeat
entries, and (callgrind) compress names and positions; see the format chapters of the Valgrind manual.
"""
import os
import re
import sqlite3


class Profile:
    def __init__(self):
        self.events = []
        self.summary = None
        self.self = {}
        self.incl = {}
        self.lines = {}
        self.arcs = {}
        self.instructions = {}
        self.function_at = {}
        self.placed_arcs = {}

    def event(self, table, key, name):
        """One count; 0 if the key or the event is not there."""
        return table[key][self.events.index(name)] if key in table and name in self.events else 0

    def total(self, name):
        return sum(costs[self.events.index(name)] for costs in self.self.values()) if name in self.events else 0


def add(table, key, costs, width):
    have = table.setdefault(key, [0] * width)
    for i, cost in enumerate(costs):
        have[i] += cost


def read_cachegrind(path):
    out = Profile()
    file = function = None
    for line in open(path, encoding='utf-8', errors='surrogateescape'):
        line = line.rstrip('\n')
        if line.startswith('events:'):
            out.events = line.split()[1:]
        elif line.startswith('summary:'):
            out.summary = [int(x) for x in line.split()[1:]]
        elif line.startswith(('fl=', 'fi=', 'fe=')):
            file = line[3:]
        elif line.startswith('fn='):
            function = line[3:]
        elif line[:1].isdigit():
            fields = line.split()
            costs = [int(x) if x != '.' else 0 for x in fields[1:]]
            add(out.self, function, costs, len(out.events))
            add(out.lines, (file, int(fields[0])), costs, len(out.events))
    return out


class Names:
    """`(id) name` defines, `(id)` refers; one table per kind of name."""

    def __init__(self):
        self.known = {}

    def read(self, text):
        match = re.match(r'\((\d+)\)(?: (.*))?$', text)
        if not match:
            return text
        if match[2] is not None:
            # A context's name is made of its functions': (12)'2'(7)
            self.known[match[1]] = re.sub(r"(^|')\((\d+)\)", lambda m: m[1] + self.known[m[2]], match[2])
        return self.known.get(match[1], '???')


class Position:
    """One position column: `+n`, `-n`, `*` are relative to the last."""

    def __init__(self):
        self.at = 0

    def read(self, text):
        if text == '*':
            return self.at
        if text[0] in '+-':
            self.at += int(text, 0)
        else:
            self.at = int(text, 0)
        return self.at


def without_object(function, path):
    """Our export puts the object behind the name of a function where names of several objects collide."""
    ending = ' (%s)' % os.path.basename(path or '')
    return function[:-len(ending)] if function.endswith(ending) else function


def read_callgrind(path):
    out = Profile()
    functions, files, objects = Names(), Names(), Names()
    tables = {'fn': functions, 'cfn': functions, 'fl': files, 'fi': files, 'fe': files, 'cfi': files, 'cfl': files,
              'ob': objects, 'cob': objects}
    now = {'fn': None, 'cfn': None, 'fl': None, 'ob': None, 'cob': None}
    positions, calls = [Position()], None
    names = ['line']
    for line in open(path, encoding='utf-8', errors='surrogateescape'):
        line = line.rstrip('\n')
        match = re.match(r'(c?fn|c?f[ile]|c?ob)=(.*)$', line)
        if match:
            name = tables[match[1]].read(match[2])
            if match[1] in ('fn', 'cfn'):
                name = without_object(name, now['ob'] if match[1] == 'fn' else now['cob'] or now['ob'])
            now['fl' if match[1] in ('fl', 'fi', 'fe') else match[1]] = name
        elif line.startswith('events:'):
            out.events = line.split()[1:]
        elif line.startswith('positions:'):
            names = line.split()[1:]
            positions = [Position() for _ in names]
        elif line.startswith(('summary:', 'totals:')):
            out.summary = [int(x) for x in line.split()[1:]]
        elif line.startswith('calls='):
            calls = int(line[6:].split()[0])
        elif line[:1].isdigit() or line[:1] in ('+', '-', '*'):
            fields = line.split()
            where = [p.read(f) for p, f in zip(positions, fields)]
            costs = [int(x) for x in fields[len(names):]]
            width = len(out.events)
            if calls is None:
                add(out.self, now['fn'], costs, width)
                add(out.incl, now['fn'], costs, width)
                add(out.lines, (now['fl'], where[names.index('line')]), costs, width)
                if 'instr' in names:
                    place = now['ob'], where[names.index('instr')]
                    add(out.instructions, place, costs, width)
                    out.function_at[place] = now['ob'], now['fn']
            else:
                old_calls, old = out.arcs.get((now['fn'], now['cfn']), (0, [0] * width))
                out.arcs[now['fn'], now['cfn']] = (old_calls + calls,
                                                   [a + b for a, b in zip(old, costs + [0] * (width - len(costs)))])
                if now['cfn'] != now['fn']:
                    add(out.incl, now['fn'], costs, width)
                add(out.placed_arcs, ((now['ob'], now['fn']), (now['cob'] or now['ob'], now['cfn'])), costs, width)
                calls = now['cob'] = None
    return out


class TenureProfile(Profile):
    """A profile of ours; keeps the database open for questions the other formats cannot answer."""

    def __init__(self, path):
        super().__init__()
        self.db = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
        self.db.row_factory = sqlite3.Row
        self.events = [row['name'] for row in self.db.execute('select name from events where derived = 0')]
        self.calls = {}
        width, names = len(self.events), {None: None}
        for row in self.db.execute('select * from functions'):
            name = names[row['id']] = row['symbol'] or row['function']
            add(self.self, name, self.costs(row), width)
            add(self.incl, name, self.costs(row, '_incl'), width)
            self.calls[name] = self.calls.get(name, 0) + row['calls']
        for row in self.db.execute('select * from lines'):
            add(self.lines, (row['file'], row['line']), self.costs(row), width)
        for row in self.db.execute('select * from arcs'):
            pair = names[row['caller_id']], names[row['callee_id']]
            calls, costs = self.arcs.get(pair, (0, [0] * width))
            self.arcs[pair] = (calls + row['calls'], [a + b for a, b in zip(costs, self.costs(row, '_incl'))])
        self.summary = self.costs(self.db.execute('select * from totals').fetchone())
        self.by_instruction = [dict(row) for row in self.db.execute('select * from instructions')]

    def costs(self, row, suffix=''):
        return [row[event + suffix] or 0 for event in self.events]

    def sum_of_instructions(self, function, kind, event):
        """`event` summed over the instructions of `function` that did `kind` (Dr, Dw) more than once."""
        return sum(row[event] or 0 for row in self.by_instruction
                   if row['function'] == function and (row[kind] or 0) > 1)
