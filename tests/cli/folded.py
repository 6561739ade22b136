#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Call paths, and data objects of rare allocation paths, are folded, and no sum changes.

    folded.py TENURE FOLDED-GUEST

One raw profile is imported twice, with --keep-all and without; another one is what no recording leaves.
"""
import collections
import os
import sqlite3
import sys
import tempfile

from checks import check, finish, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../profiles'))
import raw_make

TENURE, GUEST = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def sums(profile, keys, table, suffix=''):
    """{keys: sum of each event}, without rows of nothing but zeroes."""
    columns = ', '.join('ifnull(total("%s%s"), 0)' % (event, suffix) for event, in
                        profile.execute('SELECT name FROM events WHERE NOT derived AND type = "INTEGER"'))
    rows = profile.execute('SELECT %s, %s FROM %s GROUP BY %s' % (keys, columns, table, keys)).fetchall()
    count = keys.count(',') + 1
    return {row[:count]: row[count:] for row in rows if any(row[count:])}


def of_kept(folded, everything, key, table):
    """sums() of all paths, each at the nearest path above that the folded profile has."""
    kept = {path for path, in folded.execute('SELECT id FROM paths')}
    parents = dict(everything.execute('SELECT id, parent FROM paths'))
    added = {}
    for (path,), row in sums(everything, key, table).items():
        while path not in kept:
            path = parents[path]
        added[path,] = tuple(map(sum, zip(row, added.get((path,), [0] * len(row)))))
    return added


def check_paths(folded, everything):
    columns = [row[1] for row in folded.execute('PRAGMA table_info(paths)')]
    same = ', '.join('"%s"' % name for name in columns if name.endswith('_incl')) + ', parent, calls, depth, arc_id'
    every = dict((row[0], row[1:]) for row in everything.execute('SELECT id, %s FROM paths' % same))
    rows = folded.execute('SELECT id, %s FROM paths' % same).fetchall()
    check('call paths', (len(every) > 10000, 0 < len(rows) < 5000), (True, True))
    check('inclusive costs of call paths', [row[1:] for row in rows], [every[row[0]] for row in rows])
    for key, table in (('id', 'paths'), ('path_id', 'path_data')):
        check('%s with those below' % table, sums(folded, key, table), of_kept(folded, everything, key, table))
    check('marked', one(folded, 'SELECT count(*) FROM paths p WHERE approximate <> EXISTS(SELECT 1 FROM every e '
                                'WHERE e.parent = p.id AND e.id NOT IN (SELECT id FROM paths))'), 0)
    check('rows of lines', folded.execute('SELECT * FROM lines').fetchall(),
          everything.execute('SELECT * FROM lines').fetchall())


def check_stacks(name, profile):
    """The export for flame graphs: paths whose inclusive cost is below the threshold are part of their callers."""
    total, = profile.execute('SELECT Ir FROM totals').fetchone()
    for threshold in (0, 0.01, 5, 100):
        stack, wanted = {None: None}, collections.Counter()
        for path, parent, function, cost, below in profile.execute(
                'SELECT id, parent, function, Ir, Ir_incl FROM paths ORDER BY id DESC'):
            above, shown = stack[parent] or ('', True)
            own = not above or (shown and below >= total * threshold / 100)
            stack[path] = (f'{above};{function}'.lstrip(';') if own else above, own)
            wanted[stack[path][0]] += cost
        status, text, errors = run([TENURE, 'export', '--format=folded', f'--threshold={threshold}', name])
        got = collections.Counter()
        for line in text.splitlines():
            got[line.rpartition(' ')[0]] += int(line.rpartition(' ')[2])
        check(f'stacks of {name} from {threshold} % on', (status, errors, got == +wanted, sum(got.values())),
              (0, '', True, total))


def one(profile, sql):
    return profile.execute(sql).fetchone()[0]


def check_aliases():
    """Recursive calls that have costs, which none has, below paths that are folded."""
    raw, width = raw_make.Raw(), len(raw_make.IMMEDIATE)

    def pay(times):
        return [times, times] + [0] * (width - 2), {raw_make.DATA.index('D1mr'): times}

    def node(number, parent, arc, context, times, flags=0):
        immediate, missed = pay(times)
        raw.node(number, parent, arc, context, 1, 1, raw_make.costs(immediate, {}, missed), flags)
        raw.node_data(number, 1, missed)
    raw.events()
    raw.object(1, '/nowhere', 0x1000, 0x2000)
    for i, times in ((1, 10 ** 9), (2, 20002)):
        raw.function(i, 1, 0x1000 * i, 16, 'f%d' % i)
        raw.instr(i, 0x1000 * i, 1, i, raw_make.CALL, 1, 0)
    raw.thread(1, 5)
    raw.data_object(1, 3, name='table')
    for i, times in ((1, 10 ** 9), (2, 20002)):
        raw.arc(i, i, i, 2)
        raw.self_cost(1, i, pay(times)[0])
        raw.late_cost(1, i, 1, pay(times)[1], 1)
    node(1, 0, 0, 1, 10 ** 9)
    for i in range(2, 20004, 2):
        node(i, 1, 1, 2, 1)
        node(i + 1, i, 2, 2, 1, flags=4)
    raw.end()
    raw.save('aliases.raw')
    check('import of aliases', run([TENURE, 'import', '-q', '-o', 'aliases', 'aliases.raw'])[0], 0)
    aliases = sqlite3.connect('aliases')
    check('aliases', aliases.execute('SELECT path_id, D1mr FROM path_data').fetchall(),
          aliases.execute('SELECT id, D1mr FROM paths').fetchall())


def check_instructions():
    """Rare functions of 8 instructions each, one after the other, and one function that has nearly all costs. Behind
    these it has some that are rare: three and two that are executed equally often, and one behind a gap."""
    raw, functions, width = raw_make.Raw(), 15000, len(raw_make.IMMEDIATE)
    missed = {raw_make.DATA.index('D1mr'): 1}
    raw.events()
    raw.object(1, '/nowhere', 0x1000, 0x1000000)
    for thread in 1, 2:
        raw.thread(thread, thread)
    raw.data_object(1, 3, name='table')
    for i in range(1, functions + 1):
        raw.function(i, 1, 0x1000 + 64 * i, 64, 'f%d' % i)
    for i in range(1, functions + 1):
        times, extra = 10 ** 6 if i == 7 else 1, 0
        for k in range(8):
            number, once = 8 * i + k, [times, times] + [0] * (width - 2)
            raw.instr(number, 0x1000 + 64 * i + 5 * k, 4, i, raw_make.CALL if k == 3 else 0, 1, 0)
            for thread in 1, 2:
                raw.self_cost(thread, number, once)
                raw.late_cost(thread, number, 1, missed, 1)
        for k, often in enumerate((7, 7, 7, 9, 9, 9) if i == 7 else ()):
            number = 8 * functions + 8 + k
            raw.instr(number, 0x1000 + 64 * i + 36 + 4 * k + 4 * (k == 5), 4, i, 0, 1, 0)
            raw.self_cost(1, number, [often, often] + [0] * (width - 2))
            extra += often
        if i < functions:
            raw.arc(i, 8 * i + 3, i, i + 1)
            raw.arc_cost(i, 1, raw_make.costs([1] * width))
        every = [16 * times + extra] * 2 + [0] * (width - 2)
        every = raw_make.costs(every, {}, {raw_make.DATA.index('D1mr'): 16})
        raw.func_cost(i, 1, every, every)
    raw.end()
    raw.save('instructions.raw')
    for name, options in (('few', ()), ('every', ('--keep-all',))):
        check('import of instructions', run([TENURE, 'import', '-q', *options, '-o', name, 'instructions.raw'])[0], 0)
    few, every = sqlite3.connect('few'), sqlite3.connect('every')
    rows = 'SELECT count(*) FROM instructions'
    check('instructions', (one(few, rows), one(every, rows)), (functions + 10, 8 * functions + 6))
    check('of the function that is not rare',
          few.execute("SELECT offset, length, Ir FROM instructions WHERE function = 'f7' AND Ir < 100").fetchall(),
          [(0x1000 + 64 * 7 + 36, 12, 21), (0x1000 + 64 * 7 + 48, 8, 18), (0x1000 + 64 * 7 + 60, 4, 9)])
    check('what a row covers', few.execute("SELECT offset, length FROM instructions WHERE function = 'f9'").fetchall(),
          [(0x1000 + 64 * 9, 39)])
    check('one row each', one(few, 'SELECT count(*) = count(DISTINCT instruction_id) FROM instruction_data'), 1)
    for keys, table in (('function_id', 'instructions'), ('function_id', 'instruction_data'), ('file, line', 'lines')):
        check('%s by %s' % (table, keys), sums(few, keys, table), sums(every, keys, table))
    by_thread = 'SELECT s.thread, i.function_id, sum(s.Ir), sum(s.D1mr) FROM self s JOIN instructions i ' \
                'ON i.id = s.instruction_id GROUP BY 1, 2'
    check('by thread', few.execute(by_thread).fetchall(), every.execute(by_thread).fetchall())
    sites = 'SELECT i.function_id, a.address, callee_id FROM arcs a JOIN instructions i ON i.id = site_id ORDER BY 2'
    check('calls', few.execute(sites).fetchall(), every.execute(sites).fetchall())
    for command in (['annotate', '-d', 'few'], ['html', '-o', 'few.html', 'few'],
                    ['merge', '-q', '-o', 'both', 'few', 'every']):
        check(' '.join(command), run([TENURE, *command])[0], 0)


def check_callgrind():
    """The same of a file of Callgrind, whose functions have self costs only."""
    with open('callgrind.out', 'w', encoding='ascii') as file:
        file.write('# callgrind format\nversion: 1\npositions: instr line\nevents: Ir Dr\n')
        for i in range(1, 20001):
            file.write('fl=file-%d.c\nfn=f%d\n' % (i % 9, i))
            for k in range(6):
                file.write('0x%x 1 %d 1\n' % (0x1000 + 64 * i + 4 * k, 10 ** 9 if i == 7 else 2))
    for name, options in (('read', ()), ('whole', ('--keep-all',))):
        check('import of callgrind.out', run([TENURE, 'import', '-q', *options, '-o', name, 'callgrind.out'])[0], 0)
    few, every = sqlite3.connect('read'), sqlite3.connect('whole')
    rows = 'SELECT count(*) FROM instructions'
    check('its instructions', (one(few, rows), one(every, rows)), (20005, 120000))
    for keys, table in (('function_id', 'instructions'), ('id', 'functions'), ('file, line', 'lines')):
        check('its %s by %s' % (table, keys), sums(few, keys, table), sums(every, keys, table))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check('record', run([TENURE, 'record', '-q', '--raw', '-o', 'r.raw', GUEST])[0], 0)
        check('import', run([TENURE, 'import', '-q', '-o', 'folded', 'r.raw'])[0], 0)
        check('import of all', run([TENURE, 'import', '-q', '--keep-all', '-o', 'all', 'r.raw'])[0], 0)
        check_aliases()
        check_instructions()
        check_callgrind()
        folded, everything = sqlite3.connect('folded'), sqlite3.connect('all')
        folded.execute('CREATE TEMP TABLE every(id INTEGER PRIMARY KEY, parent INTEGER)')
        folded.executemany('INSERT INTO every VALUES(?, ?)', everything.execute('SELECT id, parent FROM paths'))
        check_paths(folded, everything)
        check_stacks('folded', folded)
        check_stacks('all', everything)
        check('objects of all', one(everything, 'SELECT count(*) FROM data_objects') > 16384, True)
        check('objects', one(folded, 'SELECT count(*) FROM data_objects') < 3000, True)
        check('paths', one(folded, 'SELECT count(*) FROM data_paths') < 6000, True)
        rows = 'SELECT count(*) FROM function_data'
        check('rows by function', one(folded, rows) < one(everything, rows), True)
        for table, column in (('instruction_data', 'instruction_id'), ('statement_data', 'statement_id'),
                              ('loop_data', 'loop_id')):
            rows = 'SELECT count(*) FROM %s' % table
            check('rows of ' + table, one(folded, rows) < one(everything, rows), True)
            small = ("SELECT count(*) > 0 AND count(*) = count(DISTINCT %s) FROM %s JOIN data_objects d "
                     "ON d.id = data_id WHERE d.kind = 'folded'" % (column, table))
            check('small costs of ' + table, one(folded, small), 1)
        rare = one(everything, 'SELECT sum(strides) FROM t_stride_sums') // 100000
        often = 'SELECT sum(strides), min(strides) > %d FROM t_stride_sums WHERE strides > %d' % (rare, rare)
        check('sums of strides', (one(folded, often) >= one(everything, often),
                                  one(folded, 'SELECT min(strides) > %d FROM t_stride_sums' % rare)), (True, 1))
        check('rare strides', (rare > 0, one(folded, 'SELECT min(count) FROM strides') > rare,
                               one(everything, 'SELECT min(count) FROM strides') <= rare), (True, True, True))
        often = 'SELECT count(*) FROM data_objects WHERE blocks >= 50000'
        check('large objects', (one(folded, often), one(everything, often)), (4, 4))
        for keys, table, suffix in (('name', 'data_objects', ''), ('instruction_id', 'instruction_data', ''),
                                    ('function_id', 'function_data', '_incl'),
                                    ('statement_id', 'statement_data', ''), ('loop_id', 'loop_data', ''),
                                    ('loop_id', 'loop_data', '_incl')):
            check('%s by %s' % (table, keys), sums(folded, keys, table, suffix), sums(everything, keys, table, suffix))
        check('types', folded.execute('SELECT DISTINCT type, element FROM data_objects WHERE blocks > 9999').fetchall(),
              [('struct item', 64)])
        fields = folded.execute('SELECT d.D1mw, sum(f.D1mw) FROM data_fields f JOIN data_objects d ON d.id = data_id '
                                'GROUP BY data_id').fetchall()
        check('objects with fields', len(fields) > 4, True)
        check('fields', [of for of, _ in fields], [sum_of for _, sum_of in fields])
        for what in ('blocks', 'freed', 'bytes'):
            check(what, one(folded, 'SELECT sum(%s) FROM data_objects' % what),
                  one(everything, 'SELECT sum(%s) FROM data_objects' % what))
        check('views', folded.execute('SELECT * FROM totals').fetchall(),
              everything.execute('SELECT * FROM totals').fetchall())
        below = collections.Counter()
        for path, parent, misses in folded.execute('SELECT id, parent, D1mw_incl FROM data_paths ORDER BY id DESC'):
            below[parent] += misses or 0
            check('calls below path %d' % path, below[path] <= (misses or 0), True)
        check('roots', below[None], one(everything, 'SELECT sum(D1mw_incl) FROM data_paths WHERE parent IS NULL'))
        rest = one(folded, "SELECT count(*) FROM data_objects WHERE kind = 'folded'")
        check('the rest', rest, 1)
        status, text, _ = run([TENURE, 'report', '--under=main', '--limit=5', 'folded'])
        check('report', (status, 'go' in text), (0, True))
        for command in (['info'], ['report', '--data'], ['report', '--advice'], ['html', '-o', 'page.html']):
            check(' '.join(command), run([TENURE, *command, 'folded'])[0], 0)
        check('merge', run([TENURE, 'merge', '-q', '-o', 'sum', 'folded', 'all'])[0], 0)
        check('diff', run([TENURE, 'diff', '--data', 'folded', 'all'])[0], 0)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
