#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs in C++, Fortran, Go and Rust: names as they are in the source, and stacks with them.

    naming.py TENURE ENGINE...

Each program languages/names.* computes the area of 100 shapes, in a function of its own, called by one that sums them
up. A function's name, file and line in the profile, and its path from the root in the folded stacks, are compared with
the source; and each engine takes the names in an option. What this machine has no compiler for is left out, and said to
be. Go's allocation function is known, too.
"""
import os
import shutil
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, ENGINES = os.path.abspath(sys.argv[1]), sys.argv[2:]
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'languages')
SHAPE = '(anonymous namespace)::shape<long, 3>'
VECTOR = 'std::vector<%s, std::allocator<%s > >' % (SHAPE, SHAPE)
TOTAL = 'outer::inner::total<%s >(%s const&)' % (SHAPE, VECTOR)

# The program, its compiler's command, and of area, total and main: the name (its beginning) and the line it begins at.
PROGRAMS = [
    ('names.cpp', ['g++', '-g', '-O1'],
     [(SHAPE + '::operator()(long) const', 9), ('long ' + TOTAL, 14), ('main', 24)]),
    ('names.f90', ['gfortran', '-g', '-O1', '-fno-inline'], [('area', 14), ('shapes::total', 6), ('MAIN__', 22)]),
    ('names.go', ['go', 'build'],
     [('main.(*square).area', 10), ('main.total[go.shape.*uint8_0]', 13), ('main.main', 20)]),
    ('names.rs', ['rustc', '-g', '-O', '-C', 'symbol-mangling-version=v0'],
     [('<names::Square as names::Shape>::area', 15), ('names::inner::total::<names::Square>', 22),
      ('names::main', 27)]),
    ('names.rs', ['/usr/bin/rustc', '-g', '-O'],
     [('<names::Square as names::Shape>::area', 15), ('names::inner::total', 22), ('names::main', 27)]),
]


def compiled(title, source, command, folder):
    if shutil.which(command[0]) is None:
        print('%s: not here' % title)
        return None
    program = os.path.join(folder, 'program')
    environment = dict(os.environ, GOCACHE=os.path.join(folder, 'cache'), GOFLAGS='', CCACHE_DISABLE='1')
    status, _, errors = run([*command, '-o', program, os.path.join(HERE, source)], cwd=folder, env=environment)
    check('%s is compiled: %s' % (title, errors[-400:]), status, 0)
    return program if status == 0 else None


def found(title, profile, name, file, line):
    """The one function whose name begins so; its name in full."""
    database = sqlite3.connect('file:%s?mode=ro' % profile, uri=True)
    rows = [row for row in database.execute('SELECT function, file, line, Ir FROM functions')
            if row[0] == name or row[0].startswith((name + '.', name + '::h'))]
    check('%s: %s is there' % (title, name), len(rows), 1)
    if len(rows) != 1:
        return name
    full, where, at, cost = rows[0]
    check('%s: %s has costs' % (title, name), cost > 0, True)
    check('%s: the file of %s' % (title, name), os.path.basename(where or ''), file)
    check('%s: the line of %s' % (title, name), at, line)
    return full


def language(source, command, expected):
    title = ' '.join([source, *command])
    with tempfile.TemporaryDirectory(prefix='tenure-naming.') as folder:
        program, profile = compiled(title, source, command, folder), os.path.join(folder, 'profile')
        if program is None:
            return
        check(title + ': it is recorded', run([TENURE, 'record', '-q', '-o', profile, '--', program])[::2], (0, ''))
        names = [found(title, profile, name, source, line) for name, line in expected]
        stacks = [line.rpartition(' ')[0].split(';') for line in
                  run([TENURE, 'export', '--format=folded', '--events=Ir', profile])[1].splitlines()]
        path = [name.replace(';', ':') for name in reversed(names)]
        under = [stack for stack in stacks if [name for name in stack if name in path] == path]
        check('%s: area below total below main' % title, len(under) > 0, True)
        for engine, name in [(engine, name) for engine in ENGINES for name in names[:2]]:
            check('%s: %s is an option of %s' % (title, name, engine),
                  run([TENURE, 'record', '-q', '-o', profile, '--engine=' + engine, '--toggle-collect=' + name, '--',
                       program])[::2], (0, ''))
        for engine in ENGINES if source == 'names.go' else []:
            blocks(engine, program, profile)


def blocks(engine, program, profile):
    """Go: each square is a block of who made it, in whatever goroutine."""
    check('blocks: recorded', run([TENURE, 'record', '-q', '--keep-all', '-o', profile, '--engine=' + engine, '--',
                                   program])[::2], (0, ''))
    database = sqlite3.connect('file:%s?mode=ro' % profile, uri=True)
    for name, count in ('main.main (names.go:23)', 100), ('main.send (names.go:36)', 8):
        check('blocks: ' + name, database.execute('SELECT blocks, bytes FROM data_objects WHERE name LIKE ?',
              ('runtime.newobject in ' + name + '%',)).fetchall(), [(count, 8 * count)])


def alike():
    """Blocks of one function: of two no call tells them apart, and nobody of the program asked for the third. Blocks of
    a structure that has its name from a typedef."""
    with tempfile.TemporaryDirectory(prefix='tenure-naming.') as folder:
        source, program, profile = (os.path.join(folder, name) for name in ('alike.c', 'alike', 'profile'))
        with open(source, 'w', encoding='utf-8') as file:
            file.write('#include <stdlib.h>\n#define MAKE __attribute__((noipa)) void\n'
                       'char *volatile at;\nMAKE make(void) { at = malloc(100); *at = 1; }\n'
                       'int main(void) { void orders(int); atexit(make); make(), make(); orders(9); return 0; }\n'
                       'typedef struct { long id, price; } order;\n'
                       'MAKE orders(int n) { order *o = malloc(n * sizeof *o); at = (void *)o; o->id = n; }\n')
        check('alike: compiled', run(['gcc', '-g', '-O1', '-o', program, source])[0], 0)
        check('alike: recorded', run([TENURE, 'record', '-q', '--keep-all', '-o', profile, '--', program])[0], 0)
        rows = sqlite3.connect(profile).execute("SELECT name FROM data_objects WHERE kind = 'heap' ORDER BY name")
        check('alike: names', [name for name, in rows],
              [*('malloc in make (alike.c:4)' + more for more in ('', ', 2', ', 3')), 'order[] in orders (alike.c:7)'])


for each in PROGRAMS:
    language(*each)
alike()
sys.exit(finish())
