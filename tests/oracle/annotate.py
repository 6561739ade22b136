#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`tenure annotate` against cg_annotate and callgrind_annotate: what they print of the same run is the same.

usage: annotate.py TENURE VALGRIND-LIB PROGRAM...

Each program, without libc, in C or assembler, is recorded by Tenure and by Cachegrind with the same caches. Then both
print everything: totals; every function in every file; every line of every source file, with all events of Cachegrind.
Totals, functions (from our text and our JSON) and lines with their text must be the same. Only what cannot occur may
differ: a dot of ours is a 0 or a dot of theirs, and what they count there would be an error. Cachegrind's own file,
which `tenure annotate` reads too, is printed alike.

A file of Callgrind's is printed by callgrind_annotate and by us: functions, lines, and how often each line calls what.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import runs

EVENTS = ['Ir', 'I1mr', 'ILmr', 'Dr', 'D1mr', 'DLmr', 'Dw', 'D1mw', 'DLmw', 'Bc', 'Bcm', 'Bi', 'Bim']
OF_CALLGRIND = EVENTS[:9] # it loses the last superblock's branches, too, but that is of no line
passed = failed = 0


def check(ours, theirs, what):
    global passed, failed
    if ours == theirs:
        passed += 1
        return
    failed += 1
    print('%s:\n    ours   %s\n    theirs %s' % (what, ours, theirs))


def row(line, events):
    """(counts, text), or None."""
    match = re.match(r'^ *((?:(?:-?[\d,]+|\.) +){%d}(?:-?[\d,]+|\.))(?:  ?(.*))?$' % (len(events) - 1), line)
    if not match:
        return None
    counts = [0 if word == '.' else int(word.replace(',', '')) for word in match.group(1).split()]
    return counts, (match.group(2) or '').rstrip()


def sections(text, heading, events):
    """[(title, rows)]: a section begins where `heading` matches, with the title as its group."""
    out = []
    for line in text.expandtabs(8).splitlines():
        match = heading(line)
        if match:
            out.append((match, []))
        elif out and row(line, events):
            out[-1][1].append(row(line, events))
    return out


# --------------------------------------------------------------------------------------------------- both sides

def theirs_of(tool, path, events):
    """Totals, {(file, function): counts}, {file: rows}."""
    everything = '--threshold=' + ('100' if tool == 'callgrind_annotate' else '0')
    text = runs.run([tool, '--show-percs=no', '--auto=yes', everything, '--context=1000000',
                     '--show=' + ','.join(events), path]).decode('utf-8', 'replace')
    text, total, functions, files = runs.annotated(text), None, {}, {}
    for line in text.expandtabs(8).splitlines():
        if row(line, events) and row(line, events)[1].startswith('PROGRAM TOTALS'):
            total = row(line, events)[0]
    for title, rows in sections(text, lambda line: re.search(r'(file:function)$|^-- Auto-annotated source: (.*)$',
                                                             line), events):
        if title.group(1):
            functions = {place(name): counts for counts, name in rows}
        else:
            files[title.group(2)] = [each for each in rows if each[1] != 'events annotated'] # what they end with
    return total, functions, files


def place(name):
    """(file, function) of "file:function"."""
    file, function = name.split(' [')[0].rsplit(':', 1)
    return os.path.abspath(file), function


def ours_of(tenure, profile, events):
    options = ['--show=' + ','.join(events), '--sort=Ir', '--threshold=0', '--context=1000000', '--calls']
    environment = dict(runs.ENVIRONMENT, LC_ALL='C.UTF-8')

    def annotate(*more):
        done = subprocess.run([tenure, 'annotate', *options, *more, profile], env=environment, stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return done.stdout.decode()

    text, document = annotate('--percentages=no'), json.loads(annotate('--json'))
    total, files = None, {}
    for title, rows in sections(text, lambda line: re.match(r'== (.*?) =*$', line), events):
        rows = [(counts, words) for counts, words in rows if not words.startswith('  | inlined: ')]
        if title.group(1) == 'Summary':
            total = rows[0][0]
        elif title.group(1).startswith('Auto-annotated source: '):
            files[title.group(1).split(': ', 1)[1]] = rows
    return total, document, files


def functions_of(document, by_file, events):
    """{(file, function): counts}, from either table of the JSON."""
    out = collections.defaultdict(lambda: [0] * len(events))
    for group in document['files' if by_file else 'functions']:
        for member in group['functions' if by_file else 'files']:
            names = dict(group, **member)
            counts = out[names['file'] or '???', names['function']]
            for i, event in enumerate(events):
                counts[i] += member['costs'][event] or 0
    return out


# --------------------------------------------------------------------------------------------------- comparison

def calls_of(ours, theirs):
    """{(file, line, function): calls}, of both: a call's row stands below its line's."""
    _, document, _ = ours
    of_ours = {(os.path.basename(source['file']), line['line'], call['function']): call['calls']
               for source in document['sources'] for line in source['lines']
               for call in line.get('calls', [])}
    of_theirs = collections.Counter()
    for file, rows in theirs[2].items():
        number = 0
        for _, words in rows:
            match = re.match(r'=> (.*) \(([\d,]+)x\)$', words)
            number += not match
            if match:
                callee, calls = place(match.group(1))[1], int(match.group(2).replace(',', ''))
                of_theirs[os.path.basename(file), number, callee] += calls
    return of_ours, dict(of_theirs)


def compare(name, events, ours, theirs):
    total, document, files = ours
    their_total, their_functions, their_files = theirs
    if events is EVENTS:
        check(total, their_total, name + ': totals')
        check([document['totals'][event] or 0 for event in events], their_total, name + ': totals as JSON')
    for by_file in (True, False):
        functions = functions_of(document, by_file, events)
        for key in sorted(set(functions) | set(their_functions)):
            check(functions.get(key), their_functions.get(key), '%s: %s in %s' % (name, key[1], key[0]))
    check(len(files) > 0 and sorted(os.path.basename(file) for file in files),
          sorted(os.path.basename(file) for file in their_files), name + ': files')
    by_name = {os.path.basename(file): rows for file, rows in files.items()}
    for file, rows in their_files.items():
        rows = [each for each in rows if not each[1].startswith('=> ')]
        have = by_name.get(os.path.basename(file), [])
        for i in range(max(len(rows), len(have))):
            check(have[i] if i < len(have) else None, rows[i] if i < len(rows) else None,
                  '%s: %s, row %d' % (name, file, i + 1))


def both(tools, program):
    with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
        raw, profile, out = (os.path.join(folder, name) for name in ('raw', 'profile', 'out'))
        geometry = runs.geometry_options(None)
        tools.run('tenure', [program], ['--tenure-out-file=' + raw, '--clean-environment=no', '--branch-sim=yes',
                                        '--skip-plt=no', *geometry])
        runs.run([tools.tenure, 'import', '--quiet', '--out=' + profile, raw])
        tools.run('cachegrind', [program], [*runs.AS_TENURE, '--cache-sim=yes', '--branch-sim=yes',
                                            '--show-below-main=yes', '--cachegrind-out-file=' + out, *geometry])
        theirs, name = theirs_of('cg_annotate', out, EVENTS), os.path.basename(program)
        compare(name, EVENTS, ours_of(tools.tenure, profile, EVENTS), theirs)
        compare(name + ' by Cachegrind', EVENTS, ours_of(tools.tenure, out, EVENTS), theirs)
        tools.run('callgrind', [program], [*runs.AS_TENURE, '--cache-sim=yes', '--separate-recs=1',
                                           '--callgrind-out-file=' + out, *geometry])
        ours, theirs = ours_of(tools.tenure, out, OF_CALLGRIND), theirs_of('callgrind_annotate', out, OF_CALLGRIND)
        compare(name + ' by Callgrind', OF_CALLGRIND, ours, theirs)
        check(*calls_of(ours, theirs), name + ': calls')


def main():
    tenure, lib, *programs = sys.argv[1:]
    tools = runs.Tools(tenure, lib)
    for program in programs:
        try:
            both(tools, program)
        except runs.Failed as failure:
            check(str(failure), '', program)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
