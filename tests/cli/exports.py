#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
exports.py: exports made of call paths, and totals for monitoring, have the numbers that SQL has.

    exports.py TENURE

Each of pprof, speedscope, firefox and folded is read back, from what their documents say, into {(thread, names from the
root): cost} and compared with table `paths`: with thresholds, by thread, of a difference, of a profile with hostile
names, of costs beyond 2^53. `go tool pprof` reads its own where it is installed, and so does Prometheus' parser.
"""
import collections
import gzip
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile

from checks import check, finish, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../profiles'))
import raw_make
import sealed

TENURE = os.path.abspath(sys.argv[1])
EVIL = 'a;b"c\\d\x1b[2J\x9b\n<\u202e'
BYTES = 'Byt', 'Use', 'SpLoss'


def export(form, name, *options):
    status, text, errors = run([TENURE, 'export', f'--format={form}', '-o', 'out', *options, name])
    if status:
        return status, errors
    with open('out', 'rb') as file:
        data = file.read()
    os.unlink('out')
    return status, data


def one(profile, sql):
    return profile.execute(sql).fetchone()[0]


# ------------------------------------------------------------------------------------------ what SQL says

def wanted(profile, events, threshold, threads):
    """{event: {(thread, names): cost}}; a path with less than the threshold of each event is part of its caller."""
    columns = ', '.join(f'"{event}"' for event in events)
    least = [abs(total) * threshold / 100 for total in profile.execute(f'SELECT {columns} FROM totals').fetchone()]
    stacks, found = {None: ((), True)}, {event: collections.Counter() for event in events}
    inclusive = ', '.join(f'"{event}_incl"' for event in events)
    for path, parent, name, thread, *costs in profile.execute(
            f'SELECT id, parent, function, thread, {columns}, {inclusive} FROM paths ORDER BY id DESC'):
        above, shown = stacks[parent]
        incl = [abs(cost or 0) for cost in costs[len(events):]]
        own = parent is None or (shown and (not threshold or any(
            cost and cost >= few for cost, few in zip(incl, least))))
        stacks[path] = (above + (name or '???',) if own else above, own)
        for event, cost in zip(events, costs):
            found[event][thread if threads else 0, stacks[path][0]] += cost or 0
    return found


# ------------------------------------------------------------------------------------------ pprof

def fields(data):
    """{field: its values} of a message, numbers as those of 64 bits with a sign."""
    found, at = collections.defaultdict(list), 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = number()
        if key & 7 == 0:
            value = number()
            check('64 bits', value < 1 << 64, True)
            found[key >> 3].append(value - (1 << 64) if value >= 1 << 63 else value)
        else:
            check('kind of field', key & 7, 2)
            size = number()
            found[key >> 3].append(data[at:at + size])
            at += size
    return found


def read_pprof(name, data, profile):
    whole = fields(gzip.decompress(data))
    texts = [text.decode() for text in whole[6]]
    check(f'{name}: pprof: the first text', texts[0], '')
    types = [fields(message) for message in whole[1]]
    units = {texts[of[1][0]]: texts[of[2][0]] for of in types}
    check(f'{name}: pprof: default', texts[whole[14][0]], list(units)[0])
    functions = {of[1][0]: of for of in map(fields, whole[5])}
    locations = {of[1][0]: of for of in map(fields, whole[4])}
    mappings = {of[1][0]: of for of in map(fields, whole[3])}
    check(f'{name}: pprof: numbers are unique', (len(functions), len(locations), len(mappings), 0 in locations),
          (len(whole[5]), len(whole[4]), len(whole[3]), False))
    rows = profile.execute("SELECT ifnull(path, ''), start, start + size, ifnull(build_id, '') FROM objects")
    check(f'{name}: pprof: mappings', sorted((texts[of[5][0]], of[2][0], of[3][0], texts[of[6][0]])
                                             for of in mappings.values()),
          sorted((escaped(path), *rest) for path, *rest in rows))
    function_of = {}
    for number, location in locations.items():
        line, = map(fields, location[4])
        function_of[number] = texts[functions[line[1][0]][2][0]]
        check(f'{name}: pprof: mapping', location[2][0] == 0 or location[2][0] in mappings, True)
    sites = {(function_of[number], fields(of[4][0])[2][0]) for number, of in locations.items()}
    for caller, line in profile.execute(
            'SELECT a.caller, a.line FROM arcs a JOIN functions f ON f.id = caller_id WHERE a.file = f.file AND a.line '
            'AND a.id IN (SELECT arc_id FROM t_paths)'):
        check(f'{name}: pprof: line of a call', (escaped(caller), line) in sites, True)
    found = {event: collections.Counter() for event in units}
    for sample in map(fields, whole[2]):
        stack = tuple(function_of[number] for number in reversed(sample[1]))
        thread = 0
        for label in map(fields, sample[3]):
            check(f'{name}: pprof: label', texts[label[1][0]], 'thread')
            thread = label[3][0]
        check(f'{name}: pprof: values', len(sample[2]), len(units))
        for event, cost in zip(units, sample[2]):
            found[event][thread, stack] += cost
    check(f'{name}: pprof: units', units, {event: unit(event, 'count') for event in units})
    return found


def unit(event, otherwise):
    return 'bytes' if event.startswith(BYTES) else 'cycles' if event == 'Time' else otherwise


def escaped(text):
    """As text formats have it."""
    return re.sub('[\x00-\x1f\x7f-\x9f]', lambda found: ''.join(f'\\x{byte:02x}' for byte in found[0].encode()), text)


# ------------------------------------------------------------------------------------------ JSON

def read_title(title):
    event, _, thread = title.partition(', thread ')
    return event.partition(':')[0], int(thread or 0)


def read_speedscope(name, data, _):
    file = json.loads(data)
    check(f'{name}: speedscope: schema', file['$schema'], 'https://www.speedscope.app/file-format-schema.json')
    frames, found = [frame['name'] for frame in file['shared']['frames']], {}
    for profile in file['profiles']:
        event, thread = read_title(profile['name'])
        found.setdefault(event, collections.Counter())
        check(f'{name}: speedscope: {event}', (profile['type'], profile['unit'], profile['startValue']),
              ('evented', unit(event, 'none'), 0))
        stack, at = [], 0
        for step in profile['events']:
            check(f'{name}: speedscope: order', step['at'] >= at, True)
            found[event][thread, tuple(stack)] += step['at'] - at
            at = step['at']
            if step['type'] == 'O':
                stack.append(frames[step['frame']])
            else:
                check(f'{name}: speedscope: closes the last one', frames[step['frame']], stack.pop())
        check(f'{name}: speedscope: end', (stack, at), ([], profile['endValue']))
    return found


def table(name, columns, of):
    """A table's columns are there, all as long as it says."""
    check(f'{name}: firefox: columns', columns.split(), sorted(set(of) - {'length', 'weightType'}))
    check(f'{name}: firefox: lengths', {len(of[column]) for column in columns.split()}, {of['length']})


def read_firefox(name, data, profile):
    file, found = json.loads(data), {}
    texts, threads = file['shared']['stringArray'], file['threads']
    check(f'{name}: firefox: meta', (file['meta']['preprocessedProfileVersion'], file['meta']['markerSchema'],
                                     file['meta']['initialVisibleThreads']), (57, [], list(range(len(threads)))))
    check(f'{name}: firefox: libs', sorted((lib['path'], lib['codeId']) for lib in file['libs']),
          sorted(profile.execute("SELECT path, nullif(build_id, '') FROM objects").fetchall()))
    for of in threads:
        event, thread = read_title(of['name'])
        stacks, frames, functions, samples = of['stackTable'], of['frameTable'], of['funcTable'], of['samples']
        table(name, 'frame prefix', stacks)
        table(name, 'address category column func inlineDepth innerWindowID line nativeSymbol subcategory', frames)
        table(name, 'columnNumber fileName isJS lineNumber name relevantForJS resource', functions)
        table(name, 'host lib name type', of['resourceTable'])
        table(name, 'address functionSize libIndex name', of['nativeSymbols'])
        table(name, 'category data endTime name phase startTime', of['markers'])
        table(name, 'stack time weight', samples)
        check(f'{name}: firefox: resources', all(-1 <= place < of['resourceTable']['length']
                                                 for place in functions['resource']), True)
        check(f'{name}: firefox: {event}', (samples['weightType'], of['pid']), (unit(event, 'samples'), event))
        names = []
        for frame, prefix in zip(stacks['frame'], stacks['prefix']):
            check(f'{name}: firefox: callers first', prefix is None or 0 <= prefix < len(names), True)
            names.append((() if prefix is None else names[prefix]) + (texts[functions['name'][frames['func'][frame]]],))
        found.setdefault(event, collections.Counter())
        for stack, weight in zip(samples['stack'], samples['weight']):
            found[event][thread, names[stack]] += weight
    return found


def read_folded(name, data, _):
    found = collections.Counter()
    for line in data.decode().splitlines():
        stack, _, cost = line.rpartition(' ')
        names = stack.split(';')
        thread = int(names.pop(0)[7:]) if names[0].startswith('thread ') else 0
        found[thread, tuple(names)] += int(cost)
    return {'Ir': found}


READERS = {'pprof': read_pprof, 'speedscope': read_speedscope, 'firefox': read_firefox, 'folded': read_folded}


def same(title, got, want, off):
    got, want = ({key: cost for key, cost in costs.items() if cost} for costs in (got, want))
    if not off:
        check(title, got == want or sorted(set(got.items()) ^ set(want.items()))[:4], True)
    else: # a real event: what rounding loses in one path is made up in the next
        check(title, all(abs(got.get(key, 0) - want.get(key, 0)) <= off for key in set(got) | set(want)), True)
        check(f'{title}: sum', abs(sum(got.values()) - sum(want.values())) <= 1, True)


def compare(name, forms, events, options=((0, False), (0, True), (2, False), (5, True))):
    profile = sqlite3.connect(name)
    for threshold, threads in options:
        words = ([f'--threshold={threshold}'] if threshold else []) + (['--threads'] if threads else [])
        for form in forms:
            chosen = ['Ir'] if form == 'folded' else events
            want = wanted(profile, chosen, threshold, threads)
            status, data = export(form, name, '--events=' + ','.join(chosen), *words)
            check(f'{name}: {form} {words}: {data[:200] if status else ""}', status, 0)
            got = READERS[form](name, data, profile) if not status else {}
            check(f'{name}: {form}: events', list(got), chosen)
            for event in got:
                clean = {'pprof': escaped, 'folded': lambda text: escaped(text).replace(';', '\\x3b')}.get(form, str)
                renamed = collections.Counter()
                for (thread, stack), cost in want[event].items():
                    renamed[thread, tuple(map(clean, stack))] += cost
                same(f'{name}: {form} {words}: {event}', got[event], renamed,
                     10 * event.startswith('AcCost'))


# ------------------------------------------------------------------------------------------ OpenMetrics

def read_metrics(name, *options):
    """{event: {thread: value}}, by the grammar."""
    status, data = export('openmetrics', name, *options)
    check(f'{name}: openmetrics', status, 0)
    lines = data.decode().split('\n')
    check(f'{name}: openmetrics: ends', lines[-2:], ['# EOF', ''])
    quoted = r'"(?:[^"\\\n]|\\["\\n])*"'
    check(f'{name}: openmetrics: {lines[2]}', bool(re.fullmatch(
        r'tenure_profile_info(\{[a-zA-Z0-9_]+=%s(,[a-zA-Z0-9_]+=%s)*\})? 1' % (quoted, quoted), lines[2])), True)
    found, family = {}, None
    for line in lines[3:-2]:
        if line.startswith('# TYPE '):
            family, kind = line[7:].split(' ')
            event = re.sub('_(bytes|cycles)$', '', family[7:])
            own = unit(event, '')
            check(f'{name}: openmetrics: {family}', (family, event in found),
                  ('tenure_' + event + (own and '_' + own), False))
            found[event] = {}
        elif line.startswith('# '):
            check(f'{name}: openmetrics: {line}',
                  line.startswith((f'# UNIT {family} {own}', f'# HELP {family} ')), True)
        else:
            sample, thread, value = re.fullmatch(r'(\w+)(?:\{thread="(\d+)"\})? (\S+)', line).groups()
            check(f'{name}: openmetrics: {line}', sample, family + ('_total' if kind == 'counter' else ''))
            found[event][int(thread or 0)] = float(value) if 'AcCost' in event else int(value)
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as families
    except ImportError:
        return found
    check(f'{name}: Prometheus', len(list(families(data.decode()))), len(found) + 1)
    return found


def compare_metrics(name):
    profile = sqlite3.connect(name)
    for event, values in read_metrics(name).items():
        total = one(profile, f'SELECT "{event}" FROM totals')
        check(f'{name}: total of {event}', values, {} if total is None else {0: total})
    for event, values in read_metrics(name, '--threads').items():
        check(f'{name}: {event} by thread', values, dict(profile.execute(f'SELECT id, "{event}" FROM threads')))


# ------------------------------------------------------------------------------------------ profiles

def change(name, new, statements):
    shutil.copy(name, new)
    with sqlite3.connect(new) as database:
        database.execute('PRAGMA writable_schema = ON')
        for statement, *values in statements:
            database.execute(statement, values)
    database.close()
    sealed.seal(new)


def make():
    for name, seed in (('plain', 5), ('other', 6)):
        raw_make.Random(seed=seed, functions=25, nodes=300).write(name + '.raw')
        check(f'import {name}', run([TENURE, 'import', '-q', '-o', name, name + '.raw'])[0], 0)
    lines = [('INSERT INTO files(id, path) VALUES (1, ?)', '/source/' + EVIL),
             ('UPDATE t_functions SET file_id = 1, line = 10 * id',),
             ('UPDATE t_arcs SET file_id = 1, line = id WHERE id % 3',),
             ("UPDATE objects SET build_id = 'abcd' WHERE id = 1",)]
    change('plain', 'lines', lines)
    change('lines', 'hostile', [(f'UPDATE {table} SET {column} = ? || id', EVIL) for table, column in (
        ('t_functions', 'function'), ('t_functions', 'symbol'), ('objects', 'path'))] + [
            ('UPDATE meta SET value = ? WHERE key = ?', EVIL, 'cmd'),
            ("UPDATE events SET unit = 'per cent' WHERE name = 'Dw'",)])
    # A path and all that it is called from, beyond what a double has.
    huge = (1 << 60) + 1
    change('plain', 'huge', [('UPDATE t_totals SET Ir = Ir + ?', huge),
                             ('UPDATE t_paths SET Ir = Ir + ? WHERE id = 7', huge),
                             ('WITH RECURSIVE up(id) AS (VALUES (7) UNION SELECT t.parent FROM t_paths t JOIN up USING '
                              '(id)) UPDATE t_paths SET Ir_incl = Ir_incl + ? WHERE id IN up', huge)])
    check('diff', run([TENURE, 'diff', '-o', 'difference', 'plain', 'other'])[0], 0)
    check('merge', run([TENURE, 'merge', '-q', '-o', 'merge', 'plain', 'other'])[0], 0)
    change('plain', 'sampled', [("INSERT OR REPLACE INTO meta VALUES ('sample', '8')",)])
    with open('text', 'w', encoding='utf-8') as file:
        file.write('events: Ir\nfn=a\n1 5\n')
    change('plain', 'pathless', [('DELETE FROM t_path_data',), ('DELETE FROM t_paths',)])


def refusals():
    for form in READERS:
        made = f'the format {form} is made of call paths'
        for name, why in (('text', f'tenure: {made}, which a file of callgrind does not have\n'),
                          ('pathless', f'tenure: pathless: {made}, and there are none\n')):
            check(f'{name}: {form}', export(form, name), (1, why))
    for form in 'folded', 'speedscope':
        status, errors = export(form, 'difference', '--events=Ir')
        check(f'{form} of a difference: {errors}',
              (status, errors.count('\n'), errors.endswith('cannot say; pprof and firefox can\n')), (1, 1, True))
    check('folded with two events', export('folded', 'plain', '--events=Ir,Dr'),
          (1, 'tenure: folded stacks are of one event, not of 2\n'))
    status, errors = export('openmetrics', 'plain', '--threads', '--events=CEst')
    check(f'a sum by thread: {errors}', (status, errors.startswith('tenure: CEst is not kept by thread')), (1, True))
    for option in '--table=x', '--instructions', '--mangled', '--threads', '--threshold=1':
        check(f'json: {option}', export('json', 'plain', option)[0], 2)
    write = [TENURE, 'export', '--format=pprof', '-o', 'there', 'plain']
    check('pprof twice', (run(write)[0], run(write)[0]), (0, 1))


def tools():
    if not shutil.which('go'):
        return
    for name in 'hostile', 'difference':
        with open('of.pprof', 'wb') as file:
            file.write(export('pprof', name, '--threads')[1])
        profile = sqlite3.connect(name)
        for event in 'Ir', 'SpLossL':
            status, text, errors = run(['go', 'tool', 'pprof', '-unit=1', '-traces', '-symbolize=none',
                                        f'-sample_index={event}', 'of.pprof'],
                                       env={**os.environ, 'HOME': os.getcwd(), 'GOFLAGS': ''})
            check(f'go tool pprof of {name}: {errors}', status, 0)
        status, text, _ = run(['go', 'tool', 'pprof', '-top', '-nodecount=5', '-sample_index=Ir', 'of.pprof'])
        total = one(profile, 'SELECT sum(abs(Ir)) FROM paths')
        check(f'go tool pprof -top of {name}', (status, f' of {total} total' in text or text), (0, True))
        check(f'{name}: nothing that a terminal obeys', {char for char in text if char != '\n' and char < ' '}, set())


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make()
        events = ['Ir', 'D1mr', 'SpLoss1', 'AcCost1', 'CEst']
        for name in 'plain', 'lines', 'hostile', 'merge', 'sampled':
            compare(name, READERS, events)
        compare('difference', ('pprof', 'firefox'), events)
        compare('huge', READERS, ['Ir'], ((0, False), (0, True)))
        for name in 'plain', 'hostile', 'difference', 'sampled', 'huge', 'merge':
            compare_metrics(name)
        refusals()
        tools()
        check('of sets', (b'one set of the caches in: 8' in gzip.decompress(export('pprof', 'sampled')[1]),
                          b'one set of the caches in: 8' in export('firefox', 'sampled')[1],
                          b'one set in 8)' in export('speedscope', 'sampled')[1],
                          b'sample="8"' in export('openmetrics', 'sampled')[1]), (True,) * 4)
        os.chdir('/')
    return finish()


if __name__ == '__main__':
    sys.exit(main())
