#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
machines.py: machines whose caches are simulated by name, those that are part of the program and a user's own.

    machines.py TENURE PROGRAM FOLDER

Each file of FOLDER is a machine that is listed, and a recording with it has the caches and TLBs that the file says.
"""
import csv
import io
import json
import os
import random
import re
import sys
import tempfile

from checks import check, finish, run

TENURE, PROGRAM, MACHINES = (os.path.abspath(path) for path in sys.argv[1:4])
CACHES, TLBS = ('I1', 'D1', 'L2', 'LL'), ('itlb', 'dtlb')
GOOD = 'title=mine\nI1 = 16K,4,64\nD1\t=  24K,6,64,lru  \r\n\n# a comment = one\nLL = 2M,16,64\n'


def values(text):
    """What a machine's text says, the last of a name."""
    return dict(re.findall(r'^(\w+) *= *(.*?) *$', text, re.M))


def in_bytes(cache):
    return re.sub(r'^(\d+)([KM])', lambda match: str(int(match[1]) << {'K': 10, 'M': 20}[match[2]]), cache)


def record(*options):
    """Status, what the profile says of caches and TLBs, errors."""
    if os.path.exists('profile'):
        os.remove('profile')
    status, _, errors = run([TENURE, 'record', '-q', '-o', 'profile', *options, PROGRAM])
    info = json.loads(run([TENURE, 'info', '--json', 'profile'])[1]) if os.path.exists('profile') else {}
    return status, {key: value for key, value in info.items() if key.startswith(('cache.', 'tlb.'))}, errors


def described(said, name, tlbs):
    """What `record` makes of it."""
    wanted = {}
    for level in CACHES:
        if level in said:
            wanted['cache.' + level], wanted[f'cache.{level}.source'] = in_bytes(said[level]), name
    if tlbs:
        wanted['tlb.I'], wanted['tlb.D'] = said['itlb'], said['dtlb']
    return wanted


def write(name, text):
    with open(name, 'wb') as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def built_in():
    """Each is listed in all forms, printed as it is written, and recorded."""
    files = {name.removesuffix('.machine'): open(os.path.join(MACHINES, name), encoding='utf-8').read()
             for name in os.listdir(MACHINES)}
    table = run([TENURE, 'machines'])
    listed = json.loads(run([TENURE, 'machines', '--json'])[1])
    check('names', ([one['name'] for one in listed][0], {one['name'] for one in listed}), ('this', {'this', *files}))
    check('table', (table[0], [line.split()[0] for line in table[1].splitlines()[1:]], table[2]),
          (0, [one['name'] for one in listed], ''))
    rows = list(csv.DictReader(io.StringIO(run([TENURE, 'machines', '--csv'])[1])))
    check('CSV', rows, [{key: value or '' for key, value in one.items()} for one in listed])
    for one in listed:
        name = one['name']
        said = values(run([TENURE, 'machines', name])[1])
        if name in files:
            check(f'{name}: as it is written', run([TENURE, 'machines', name])[1], files[name].split('\n', 1)[1])
            check(f'{name}: it says where from', bool(said['source']), True)
        check(f'{name}: listed', {key: value for key, value in one.items() if value and key != 'name'},
              {key: value for key, value in said.items() if key != 'source'})
        check(f'{name}: recorded', record('--machine=' + name)[:2], (0, described(said, name, False)))
        status, found, errors = record('--tlb=yes', '--machine', name)
        if 'dtlb' in said:
            check(f'{name}: with TLBs', (status, found), (0, described(said, name, True)))
        else:
            check(f'{name}: without TLBs', (status, 'nothing is said of its TLBs' in errors), (125, True))
            check(f'{name}: given TLBs', record('--machine=' + name, '--itlb=64,4', '--dtlb=32,4')[1],
                  {**described(said, name, False), 'tlb.I': '64,4', 'tlb.D': '32,4'})
    here = json.loads(run([TENURE, 'info', '--json'])[1])
    said = values(run([TENURE, 'machines', 'this'])[1])
    check('this', {level: in_bytes(said[level]) for level in CACHES if level in said},
          {level: here['cache.' + level] for level in CACHES if 'cache.' + level in here})


def options():
    """Single options hold, in any order; a name that is not known is told the nearest."""
    _, found, _ = record('--LL=16M,16,64', '--machine=amd-zen4', '--itlb=32,4')
    check('over the machine', [found[key] for key in (
        'cache.LL', 'cache.LL.source', 'cache.L2', 'cache.L2.source', 'tlb.I', 'tlb.D')],
          ['16777216,16,64', 'option', '1048576,8,64', 'amd-zen4', '32,4', '72,72,3072,24'])
    _, found, _ = record('--machine=amd-zen4', '--D1=8K,2,64', '--LL=4M,16,64')
    check('L2 stays', found['cache.L2'], '1048576,8,64')
    check('no L2', 'cache.L2' in record('--machine=amd-zen4', '--L2=none')[1], False)
    for command, status in (['record', '--machine=amd-zen44', PROGRAM], 125), (['machines', 'amd-zen44'], 2):
        got = run([TENURE, *command])
        check(command, (got[0], got[1], got[2].count('\n'), 'did you mean amd-zen4?' in got[2]), (status, '', 1, True))
    check('two', run([TENURE, 'machines', 'this', 'this'])[0], 2)
    check('nothing like it', '`tenure machines` lists them' in run([TENURE, 'machines', 'xyzzy'])[2], True)


def own():
    """A file with a slash, and those in the folder, of which one hides another of its name."""
    write('my.machine', GOOD)
    want = {'cache.I1': '16384,4,64', 'cache.D1': '24576,6,64', 'cache.LL': '2097152,16,64'}
    sources = {f'cache.{level}.source': 'my.machine' for level in ('I1', 'D1', 'LL')}
    check('a file', record('--machine=./my.machine')[:2], (0, {**want, **sources}))
    check('no folder is looked in', run([TENURE, 'machines', 'my.machine'])[0], 2)
    folder = os.environ['XDG_CONFIG_HOME'] + '/tenure/machines/'
    write(folder + 'amd-zen2', GOOD)
    write(folder + 'mine', GOOD.replace('mine', 'a\\b \N{GREEK SMALL LETTER MU}'))
    write(folder + '.hidden', 'nothing')
    listed = {one['name']: one for one in json.loads(run([TENURE, 'machines', '--json'])[1])}
    check('listed once', (len(listed), listed['amd-zen2']['title'], listed['mine']['title'], list(listed)[-1]),
          (len(os.listdir(MACHINES)) + 2, 'mine', 'a\\b \N{GREEK SMALL LETTER MU}', 'mine'))
    check('by name', record('--machine=mine')[1]['cache.D1.source'], 'mine')
    write(folder + 'zzz', 'I1 = 3')
    status, shown, errors = run([TENURE, 'machines'])
    check('one is not a machine', (status, 'zzz' in shown, 'mine' in shown, errors.count('\n'), 'zzz:1: ' in errors),
          (2, False, True, 1, True))
    os.remove(folder + 'zzz')
    _, printed, _ = run([TENURE, 'machines', 'amd-zen4'])
    write('copy', printed)
    check('a copy', record('--machine=./copy')[1], {key: value.replace('amd-zen4', 'copy') for key, value in
                                                    record('--machine=amd-zen4')[1].items()})


def refused():
    """Bad files are one line, with the line's number, and nothing of theirs is obeyed by a terminal."""
    for text, says in (
            (GOOD + 'L3 = 1M,16,64\n', ':7: L3 = 1M,16,64: a line begins with title'),
            (GOOD.replace('LL', '#LL'), ': no line says what LL is'),
            (GOOD + 'L2\n', ":7: NAME = VALUE expected, there is 'L2'"),
            (GOOD + 'paths = 3\n', ':7: paths = 3: a line begins'),
            (GOOD + 'dtlb = 64,5\n', ':7: dtlb = 64,5: a TLB has'),
            (GOOD.replace('24K,6,64,lru', '1,1,1'), ':3: D1 = 1,1,1: the line must be'),
            (GOOD + 'D1 = 1,1,1\n', ':7: D1 = 1,1,1: another line has said that already'),
            (GOOD + '\0', ':7: a NUL byte'),
            (GOOD + 'title = \x1b[2J\n', ':7: a control'), ('', ': no line says what I1'),
            (GOOD + '#' * 70000, ":1: a machine's file is at most 65536 bytes"),
            (GOOD + 'L2 = 1M,16,32\n', ": --L2: its lines of 32 bytes are shorter than I1's of 64")):
        write('bad', text)
        for command, status in (['machines', './bad'], 2), (['machines', '--json', './bad'], 2), (
                ['record', '--machine=./bad', PROGRAM], 125):
            got = run([TENURE, *command])
            check(f'{text[-20:]!r}: {got[2]}', (got[0], got[1], got[2].count('\n'), './bad' + says in got[2]),
                  (status, '', 1, True))
    os.mkfifo('pipe')
    for path in './', './pipe':
        check('no file', run([TENURE, 'machines', path])[2],
              "tenure: machines: %s: no regular file, as a machine's must be\n" % path)
    check('no file', run([TENURE, 'machines', './x'])[2],
          'tenure: machines: ./x: cannot open: No such file or directory\n')
    write('latin', GOOD.encode() + b'# \xff \xc2\x9b2J\n')
    check('bytes', run([TENURE, 'machines', './latin'])[1].splitlines()[-1], '# \\xff \\xc2\\x9b2J')
    chance = random.Random(1)
    for _ in range(200):
        text = bytearray(GOOD.encode())
        for _ in range(chance.randrange(1, 6)):
            text[chance.randrange(len(text))] = chance.choice(b'\0\n=,#0123456789KMG \x7f\xff,,==')
        write('random', bytes(text))
        got = run([TENURE, 'machines', '--json', './random'])
        check(f'{bytes(text)}: {got}', got[0] in (0, 2) and got[2].count('\n') == (got[0] == 2), True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(XDG_CONFIG_HOME=folder + '/config', XDG_CACHE_HOME=folder, NO_COLOR='1', LC_ALL='C.UTF-8')
        os.makedirs('config/tenure/machines')
        for part in built_in, options, own, refused:
            part()
        os.chdir('/')
    sys.exit(finish())


main()
