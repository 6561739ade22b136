#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the loader and the C library do in front of main, and nothing else, is left out of tables and trees.

    startup.py TENURE PROGRAM PROGRAM_WITHOUT_LIBC

The functions of the dynamic loader are known by its file. Where there is no C library, _start is the program's own. A
tree without them is made here from all call paths.
"""
import json
import os
import re
import sqlite3
import sys
import tempfile

from checks import check, finish, run

TENURE, PROGRAM, STATIC = (os.path.abspath(path) for path in sys.argv[1:4])
ENVIRONMENT = {**os.environ, 'COLUMNS': '400', 'NO_COLOR': '1', 'LC_ALL': 'C.UTF-8'}
LEFT_OUT = re.compile(r'^  left out: the loader and start-up, (\d+) functions with ([\d.]+) % of Ir; '
                      r'--startup shows them$', re.M)
# Of other files than the loader's; what the loader has for a running program.
IN_FRONT = re.compile(r'_start|__libc_start_.*|__tunable.*|_init|_fini|__libc_init_first|__libc_early_init|'
                      r'__libc_init_secure|__libc_setup_tls|frame_dummy|register_tm_clones|deregister_tm_clones|'
                      r'__do_global_dtors_aux')
OF_LIBC = re.compile(r'_dl(fo)?_.*|call_init|call_fini|_init_first')
RUNNING = re.compile(r'__tls_get_addr.*|_dl_find_object.*|_dl_runtime_resolve.*|_dl_fixup')
OWN = """#include <stdio.h>
static volatile long sum;
__attribute__((noinline)) void call_init(void) { for (long i = 0; i < 100000; i++) sum += i; }
__attribute__((noinline)) void _dl_work(void) { for (long i = 0; i < 100000; i++) sum += i; }
int main(void) { call_init(); _dl_work(); return printf("%ld\\n", sum) < 0; }
"""


def report(*words):
    status, out, err = run([TENURE, 'report', *words], env=ENVIRONMENT)
    check(f'{words}: {err}', status, 0)
    return out


def rows_of(text, title):
    """The lines of a table: below its headings, up to what is said about it."""
    lines = iter(text[text.index(title):].split('\n'))
    while not next(lines).endswith('function'):
        pass
    for line in lines:
        if not re.match(r' *[\d,.]+ ', line):
            return
        yield line


def is_hidden(name, path):
    last = (path or '').rpartition('/')[2]
    of_libc = OF_LIBC.fullmatch(name) and (last.startswith('libc.so') or last.endswith('_static') and name[0] == '_' and
                                           name != '_init_first')
    return bool(IN_FRONT.fullmatch(name) or of_libc or last.startswith('ld-')) and not RUNNING.fullmatch(name)


def functions(profile, everything):
    words = ['--sort=Ir', '--show=Ir', '--limit=100000', profile]
    shown = report(*words)
    rows = [(name, is_hidden(name, path), cost) for name, path, cost in
            everything.execute('SELECT function, object, Ir FROM functions')]
    check('functions', sorted(row.split()[3] for row in rows_of(shown, 'Functions by')),
          sorted(name for name, hidden, _ in rows if not hidden))
    share = 100 * sum(cost for _, hidden, cost in rows if hidden) / sum(cost for _, _, cost in rows)
    check('what is said', LEFT_OUT.findall(shown), [(str(sum(hidden for _, hidden, _ in rows)), f'{share:.1f}')])
    for more in (['--startup'], ['--in=*']):
        shown = report(*more, *words)
        check(f'{more}', (len(list(rows_of(shown, 'Functions by'))), LEFT_OUT.findall(shown)), (len(rows), []))


def worst_lines(own):
    """Of a program that loads nothing, the loader's lines are the worst, and are no findings."""
    findings = re.compile(r'^ *[1-3]\. .* used +[\d.]+ %  (\S+)', re.M)
    recorded = run([TENURE, 'record', '-o', own + '.profile', own], env=ENVIRONMENT)
    check('its own functions', recorded[0], 0)
    with sqlite3.connect(own + '.profile') as everything:
        hidden = {name for name, path in everything.execute('SELECT base, object FROM functions')
                  if is_hidden(name, path)}
    for shown in (recorded[2], report(own + '.profile')):
        check(f'findings: {shown}', hidden & set(findings.findall(shown)), set())
    shown = findings.findall(report('--startup', own + '.profile'))
    check(f'findings with start-up: {shown}', bool(hidden & set(shown)), True)


def tree(profile, everything):
    """[(depth, name, inclusive)], as a report has it and as it follows from the paths."""
    shown = report('--tree', '--sort=Ir', '--threshold=0', profile)
    got = []
    for row in rows_of(shown, 'Call tree'):
        match = re.match(r' *([\d,]+) +[\d.]+ +[\d,]+ +[\d.]+ +[\d,]+( +)(.*)$', row)
        got.append(((len(match[2]) - 2) // 2, match[3].partition(' [')[0], int(match[1].replace(',', ''))))
    paths = {at: (parent, name, cost, recursive, is_hidden(name, path)) for at, parent, name, cost, recursive, path in
             everything.execute('SELECT p.id, p.parent, p.function, p.Ir_incl, p.recursive, f.object FROM paths p JOIN '
                                'functions f ON f.id = p.function_id')}
    wanted = []
    for parent, name, cost, recursive, hidden in paths.values():
        depth = 0
        while parent:
            depth += not paths[parent][4]
            parent = paths[parent][0]
        if not recursive and not hidden and cost > 0:
            wanted.append((depth, name, cost))
    check('the tree', sorted(got), sorted(wanted))
    check('main is a root', [name for depth, name, _ in got if depth == 0 and name == 'main'], ['main'])


def main():
    with tempfile.TemporaryDirectory() as folder:
        profile, static = (os.path.join(folder, name) for name in ('profile', 'static'))
        for path, program in ((profile, PROGRAM), (static, STATIC)):
            check(program, run([TENURE, 'record', '-q', '-o', path, program])[0], 0)
        with sqlite3.connect(profile) as everything:
            functions(profile, everything)
            tree(profile, everything)
        for words in ([], ['--tree'], ['--loops'], ['--lines']):
            one, other = (json.loads(report('--json', *words, *more, profile)) for more in ([], ['--startup']))
            check(f'JSON has all: {words}', one, other)
            check(f'CSV has all: {words}', report('--csv', *words, profile),
                  report('--csv', '--startup', *words, profile))
        source, own = (os.path.join(folder, name) for name in ('own.c', 'own'))
        with open(source, 'w', encoding='ascii') as file:
            file.write(OWN)
        check('compiled', run(['cc', '-O1', '-o', own, source])[0], 0)
        worst_lines(own)
        rows = [row.split()[3] for row in rows_of(report('--sort=Ir', '--show=Ir', own + '.profile'), 'Functions by')]
        check('functions that are called as those in front of main are', sorted(rows[:2]), ['_dl_work', 'call_init'])
        with sqlite3.connect(static) as everything:
            names = [name for name, in everything.execute('SELECT function FROM functions')]
        shown = report('--sort=Ir', static)
        check(f'no C library: {names}', ('_start' in shown, LEFT_OUT.findall(shown)), (True, []))
    return finish()


if __name__ == '__main__':
    sys.exit(main())
