#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Test programs of other projects in the native engine: those of GCC, the GNU C library and the Linux kernel.

    suites.py [--only=SUITE,...] [--match=PATTERN] [--every=N [--first=K]] [--table] [--keep=FOLDER] ENGINE TENURE

Debian has their sources in the packages gcc-*-source, glibc-source and linux-source; what is not installed is left
out, and said so. Each program is compiled, run twice on the bare CPU, translated, and translated and profiled. What
prints the same both times on the bare CPU must print that in the engine, too, with the same status. A program that
cannot be compiled here, takes longer than ten seconds on the bare CPU or is different each time is left out. Root runs
them as nobody: some of the kernel's would set the clock.

--match: only files whose path in their suite has the pattern in it, * being any text. --every: one program in N, from
the K-th (0) on; N is 20 / TENURE_SOAK if that is set, else 1. --keep: where sources and programs go, and stay. --table:
docs/programs.md's table.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile

BARE_LIMIT, ENGINE_LIMIT = 10, 200 # seconds
MOST_SAID = 1 << 20
# What is different and will stay so, with the reason (engine/CONTRACT.md, section 8).
KNOWN = {
    'ptrace/get_syscall_info.c': 'who traces a program sees the system calls of the engine',
    'x86/syscall_numbering.c': 'the same, and its registers',
    'x86/fsgsbase.c': 'the same',
    'proc/proc-empty-vm.c': 'it unmaps all memory there is',
    'x86/ldt_gdt.c': 'code of 32 bits',
    'x86/sigreturn.c': 'code of 16 and 32 bits',
    'x86/sysret_ss_attrs.c': 'code of 32 bits',
    'x86/syscall_arg_fault.c': "Intel's `sysenter`",
    'x86/syscall_nt.c': 'the flag NT is lost while the program steps',
    'sched/cs_prctl_test.c': '`tenure record` leads the session, not the program',
    'futex/functional/futex_requeue.c': 'its threads wait for 30 ms, which is too short where they are profiled',
    'proc/read.c': 'it reads all of /proc, and fails where processes end meanwhile',
    'timers/freq-step.c': 'it prints how exact the clock is',
    'rt/tst-aio4.c': 'two threads print in either order',
}


# ------------------------------------------------------------------------------------------------ one run

# Without the C library's functions for processors with transactions, which the engine does not show.
ENVIRONMENT = {**os.environ, 'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-RTM'}
AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] if os.geteuid() == 0 else []


def run(command, folder, limit):
    """(status, output) of a program."""
    os.chmod(folder, 0o777)
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen([*AS_NOBODY, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT, start_new_session=True, env=ENVIRONMENT)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = 'took longer than %d s' % limit
        try: # what it has started and left behind
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        output.seek(0)
        return status, output.read(MOST_SAID)


def judge(program, ways):
    """What became of a program: 'same', 'left out', or what is different in the engine."""
    name, path, folder = program
    with tempfile.TemporaryDirectory(dir=folder) as place:
        first, second = (run([path], place, BARE_LIMIT) for _ in range(2))
    if first != second or isinstance(first[0], str):
        return name, 'left out'
    for way, launcher in ways.items():
        with tempfile.TemporaryDirectory(dir=folder) as place, tempfile.TemporaryDirectory() as profiles:
            os.chmod(profiles, 0o777)
            command = [part.replace('PROFILES', profiles) for part in launcher]
            got = run([*command, path], place, ENGINE_LIMIT)
        if got != first:
            return name, '%s: status %s instead of %s, %s' % (way, got[0], first[0], 'the same output'
                                                             if got[1] == first[1] else difference(first[1], got[1]))
    return name, 'same'


def difference(expected, got):
    """The first line that differs."""
    before, after = expected.split(b'\n'), got.split(b'\n')
    for one, other in zip(before, after):
        if one != other:
            return 'line %r instead of %r' % (other[:300].decode(errors='replace'), one[:300].decode(errors='replace'))
    rest = after[len(before):] or [b'(the end)']
    return 'then %r' % rest[0][:300].decode(errors='replace')


# ------------------------------------------------------------------------------------------------ sources

class Missing(Exception):
    """The package with a suite's source is not installed."""


def unpacked(pattern, package, wanted, folder):
    """The folder of an archive's files whose path has one of `wanted` in it."""
    found = sorted(glob.glob(pattern))
    if not found:
        raise Missing('Debian package %s' % package)
    target = os.path.join(folder, os.path.basename(found[-1]).partition('.tar')[0])
    if not os.path.exists(target):
        with tarfile.open(found[-1]) as archive:
            for member in archive:
                inner = member.name.partition('/')[2]
                if inner and any(inner.startswith(prefix) for prefix in wanted) and not member.isdev():
                    member.name = inner
                    archive.extract(member, target, set_attrs=False)
    return target


def of_gcc(folder):
    return unpacked('/usr/src/gcc-*/gcc-*.tar.xz', 'gcc-12-source',
                    ['gcc/testsuite/gcc.c-torture/execute', 'gcc/testsuite/gcc.target/i386', 'gcc/testsuite/g++.dg',
                     'gcc/testsuite/gcc.dg', 'gcc/testsuite/c-c++-common', 'libstdc++-v3/testsuite',
                     'libgomp/testsuite', 'libgomp/config', 'libgomp/omp'], folder)


# ------------------------------------------------------------------------------------------------ programs

def compiled(command, target):
    """The program, if it can be made here."""
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            done = subprocess.run([*command, '-o', target], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False, timeout=300)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            return None
    return target


def directives(path):
    """Of DejaGnu: whether the file is a program to be run, its options, further sources."""
    with open(path, encoding='utf-8', errors='replace') as file:
        text = file.read()
    runs = re.search(r'\{\s*dg-do\s+run\b', text)
    options, more = [], []
    for kind, value, target in re.findall(r'\{\s*dg-(options|additional-options|additional-sources)\s+"([^"]*)"'
                                          r'\s*(\{[^}]*\})?', text):
        if kind == 'additional-sources':
            more += value.split()
        elif not target or not re.search(r'ia32|i\?86-\*-\*\s*\}|darwin|powerpc|arm|aarch64|sparc', target):
            options += value.split()
    return runs, options, more


def each_dg(root, suffix, compiler, extra, folder):
    for path in sorted(glob.glob(os.path.join(root, '**', '*' + suffix), recursive=True)):
        runs, options, more = directives(path)
        if not runs:
            continue
        name = os.path.relpath(path, root)
        sources = [path, *(os.path.join(os.path.dirname(path), other) for other in more)]
        yield name, [compiler, '-w', '-I', os.path.dirname(path), *options, *extra, *sources,
                     '-lm'], os.path.join(folder, 'programs', name + '.run')


def torture(folder):
    root = os.path.join(of_gcc(folder), 'gcc/testsuite/gcc.c-torture/execute')
    for path in sorted(glob.glob(os.path.join(root, '**', '*.c'), recursive=True)):
        name = os.path.relpath(path, root)
        if name.startswith('builtins/'): # pieces of programs
            continue
        yield name, ['gcc', '-w', '-O2', '-std=gnu17', '-fpermissive', path, '-lm'], os.path.join(
            folder, 'programs/torture', name + '.run')


def x86(folder):
    root = os.path.join(of_gcc(folder), 'gcc/testsuite/gcc.target/i386')
    return each_dg(root, '.c', 'gcc', ['-O2'], os.path.join(folder, 'x86'))


def gcc_c(folder):
    root = os.path.join(of_gcc(folder), 'gcc/testsuite/gcc.dg')
    return each_dg(root, '.c', 'gcc', ['-O2'], os.path.join(folder, 'gcc_c'))


def gcc_cxx(folder):
    root = os.path.join(of_gcc(folder), 'gcc/testsuite/g++.dg')
    return each_dg(root, '.C', 'g++', ['-O2'], os.path.join(folder, 'gcc_cxx'))


def libstdcxx(folder):
    top = os.path.join(of_gcc(folder), 'libstdc++-v3/testsuite')
    util = os.path.join(top, 'util')
    helpers = [os.path.join(util, name) for name in ('testsuite_abi.cc', 'testsuite_allocator.cc',
                                                      'testsuite_character.cc', 'testsuite_hooks.cc')]
    made = os.path.join(folder, 'libstdcxx', 'helpers.a')
    if not os.path.exists(made):
        os.makedirs(os.path.dirname(made), exist_ok=True)
        with tempfile.TemporaryDirectory() as place:
            for helper in helpers:
                subprocess.run(['g++', '-w', '-O2', '-c', '-I', util, helper], cwd=place, check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run(['ar', 'cr', made, *glob.glob(os.path.join(place, '*.o'))], check=True)
    return each_dg(top, '.cc', 'g++', ['-O2', '-D_GLIBCXX_ASSERT', '-I', util, '-include', 'cassert', '-pthread', made,
                                       '-ltbb' if os.path.exists('/usr/include/tbb') else '-lm'],
                   os.path.join(folder, 'libstdcxx'))


def libgomp(folder):
    top = os.path.join(of_gcc(folder), 'libgomp')
    for path in sorted(glob.glob(os.path.join(top, 'testsuite', 'libgomp.c*', '**', '*.c'), recursive=True)):
        name = os.path.relpath(path, os.path.join(top, 'testsuite'))
        if 'offload' in name or 'nvptx' in name or 'oacc' in name:
            continue
        _, options, more = directives(path)
        sources = [path, *(os.path.join(os.path.dirname(path), other) for other in more)]
        yield name, ['gcc', '-w', '-O2', '-fopenmp', '-I', os.path.dirname(path), *options, *sources,
                     '-lm'], os.path.join(folder, 'programs/libgomp', name + '.run')


def glibc(folder):
    """The tests that need nothing but the installed library and the functions that their support has."""
    top = unpacked('/usr/src/glibc/glibc-*.tar.xz', 'glibc-source', [''], folder)
    support, made = os.path.join(top, 'support'), os.path.join(folder, 'glibc', 'support.a')
    include = os.path.join(folder, 'glibc', 'include')
    os.makedirs(include, exist_ok=True)
    for name in ('support', 'test-skeleton.c'): # as <support/...> and as "../..."
        for link in (os.path.join(include, name), os.path.join(include, '..', name)):
            if not os.path.lexists(link):
                os.symlink(os.path.join(top, name), link)
    with open(os.path.join(include, 'config.h'), 'w', encoding='ascii') as file:
        file.write('#define IS_IN(library) 0\n')
    flags = ['-w', '-O1', '-std=gnu11', '-D_GNU_SOURCE', '-D_FILE_OFFSET_BITS=64', '-Dattribute_hidden=',
             '-DTIMEOUTFACTOR=1', '-include', 'limits.h', '-I', include, '-I', support, '-idirafter',
             os.path.join(top, 'include'), '-idirafter', top, '-idirafter', os.path.join(top, 'sysdeps/pthread'),
             *('-D%s_PATH="/nowhere"' % path for path in ('SRCDIR', 'OBJDIR', 'OBJDIR_ELF_LDSO', 'INSTDIR', 'LIBDIR',
               'BINDIR', 'SBINDIR', 'SLIBDIR', 'ROOTSBINDIR', 'COMPLOCALEDIR')), '-pthread']
    if not os.path.exists(made):
        with tempfile.TemporaryDirectory() as place:
            for source in glob.glob(os.path.join(support, '*.c')):
                subprocess.run(['gcc', *flags, '-c', source], cwd=place, check=False, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
            subprocess.run(['ar', 'cr', made, *glob.glob(os.path.join(place, '*.o'))], check=True)
    for each in ('nptl', 'sysdeps/pthread', 'signal', 'setjmp', 'math', 'stdlib', 'string', 'stdio-common', 'time',
                 'rt', 'posix', 'io', 'misc', 'malloc', 'libio', 'dirent', 'debug', 'sysdeps/unix/sysv/linux', 'socket',
                 'wcsmbs', 'iconv', 'localedata', 'inet', 'termios', 'search', 'argp', 'ctype', 'dlfcn', 'elf'):
        for path in sorted(path for kind in ('tst', 'test', 'bug')
                           for path in glob.glob(os.path.join(top, each, kind + '-*.c'))):
            name = os.path.relpath(path, top)
            yield name, ['gcc', *flags, '-I', os.path.dirname(path), path, made, '-lm', '-lrt', '-ldl',
                         '-lcrypt'], os.path.join(folder, 'programs/glibc', name + '.run')


def kernel(folder):
    """Each program of the folders whose own makefile builds them without a kernel's build."""
    top = unpacked('/usr/src/linux-source-*.tar.xz', 'linux-source',
                   ['tools/', 'include/', 'scripts/', 'arch/x86/', 'Makefile', 'Kbuild'], folder)
    root = os.path.join(top, 'tools/testing/selftests')
    for each in ('clone3', 'core', 'exec', 'futex/functional', 'ipc', 'kcmp', 'membarrier', 'memfd', 'mincore',
                 'mqueue', 'openat2', 'pidfd', 'prctl', 'proc', 'ptrace', 'rlimits', 'rseq', 'sched', 'seccomp',
                 'sigaltstack', 'size', 'splice', 'sync', 'syscall_user_dispatch', 'timens', 'timers', 'vDSO', 'vm',
                 'x86'):
        for path in sorted(glob.glob(os.path.join(root, each, '*.c'))):
            name = os.path.relpath(path, root)
            with open(path, encoding='utf-8', errors='replace') as file:
                text = file.read()
            if not re.search(r'\bint\s+main\b|^TEST_HARNESS_MAIN', text, re.M):
                continue
            helpers = glob.glob(os.path.join(root, each, 'thunks.S'))
            libraries = ['-lcap'] if os.path.exists('/usr/include/sys/capability.h') else []
            yield name, ['gcc', '-w', '-O2', '-no-pie', '-D_GNU_SOURCE', '-I', os.path.dirname(path), '-I', root, '-I',
                         os.path.join(root, 'futex/include'), '-I', os.path.join(top, 'tools/include/uapi'), path,
                         *helpers, '-pthread', *libraries], os.path.join(folder, 'programs/kernel', name + '.run')


SUITES = {'torture': torture, 'x86': x86, 'gcc': gcc_c, 'g++': gcc_cxx, 'libstdc++': libstdcxx, 'libgomp': libgomp,
          'glibc': glibc, 'kernel': kernel}


# ------------------------------------------------------------------------------------------------ all of them

def of_suite(name, folder, args, ways):
    """(programs that run the same, programs, those different that should not be) of a suite; says which they are."""
    wanted = [program for program in SUITES[name](folder) if fnmatch.fnmatch(program[0], '*' + args.match + '*')]
    place = os.path.join(folder, 'places')
    os.makedirs(place, exist_ok=True)

    def one(program):
        path = compiled(program[1], program[2])
        return judge((program[0], path, place), ways) if path else (program[0], 'not compiled')

    same = ran = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for program, result in workers.map(one, wanted[args.first::args.every]):
            if result in ('left out', 'not compiled'):
                continue
            ran += 1
            same += result == 'same'
            if result != 'same':
                wrong += program not in KNOWN
                print('%s: %s: %s%s' % (name, program, 'known: ' if program in KNOWN else '', result), flush=True)
    return same, ran, wrong


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--only', default='')
    options.add_argument('--match', default='')
    options.add_argument('--every', type=int, default=max(1, 20 // max(1, int(os.environ.get('TENURE_SOAK', '20')))))
    options.add_argument('--first', type=int, default=0)
    options.add_argument('--keep', default='')
    options.add_argument('--table', action='store_true')
    options.add_argument('engine')
    options.add_argument('tenure')
    args = options.parse_args()
    ways = {'translated': [os.path.abspath(args.engine), '--'],
            'profiled': [os.path.abspath(args.tenure), 'record', '--engine=native', '--raw', '-q', '-o',
                         'PROFILES/raw', '--']}
    folder = os.path.abspath(args.keep) if args.keep else tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o755)
    counts = {}
    try:
        for name in [name for name in args.only.split(',') if name] or SUITES:
            try:
                counts[name] = of_suite(name, folder, args, ways)
            except Missing as missing:
                print('%s: not installed: %s' % (name, missing))
            else:
                print('%s: %d of %d programs run the same' % (name, *counts[name][:2]), flush=True)
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    if args.table:
        print('| suite | programs | the same |\n|---|--:|--:|')
        for name, (same, ran, _) in counts.items():
            print('| %s | %d | %d |' % (name, ran, same))
    if not counts:
        return 77
    _, ran, wrong = (sum(each) for each in zip(*counts.values()))
    print('%d passed, %d failed' % (ran - wrong, wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
