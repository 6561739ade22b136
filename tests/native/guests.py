#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run programs under the native engine: same output and status as on the bare CPU, with everything on and with each
off switch; and, some of them, where features of the processor are hidden.

    guests.py ENGINE EXPECTED-FOLDER PROGRAM... -- PROGRAM...

The first programs are compared with expected/<program>, the others, and the distribution's that are named below, with
a run of their own on the bare CPU. The last one does what ends a run.
"""
import filecmp
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

SWITCHES = [['--self-check=yes'], ['--join=no'], ['--link=no'], ['--lookup=no'], ['--returns=no'],
            ['--join=no', '--link=no', '--lookup=no', '--returns=no']]
# As on a Nehalem, and on a Haswell or an EPYC without AVX-512.
HIDDEN = [['--hide-features=xsave,bmi2,erms'], ['--hide-features=avx512']]
PAGE = 4096
LEFT_OUT = {
    'surroundings': 'its output is compared between engines, not with a file',
}
# What the last program does when it is asked for it, and what the line has that ends the run.
REFUSED = {'handler': b'code segment 35', 'jump': b'far branch', 'return': b'code of 32 bits', 'call': b'1000000'}
PROGRAMS = [
    ['true'],
    ['false'],
    ['ls', '-l', '/usr/bin'],
    ['sh', '-c', 'echo $((6 * 7)); exit 3'],
    ['bash', '-c', 'for i in 1 2 3; do (echo $i; exit $i) | cat; done; kill -TERM $$'],
    ['bash', '-c', 'trap "echo caught" USR1; kill -USR1 $$; sleep 0; echo "$0 $@"', 'zero', 'one', 'two words'],
    ['python3', '-c', 'import json, subprocess; print(json.dumps({"a": [1, 2.5]}), subprocess.call(["false"]))'],
    ['xz', '--version'],
    ['sqlite3', ':memory:', 'with recursive c(x) as (select 1 union all select x+1 from c where x<2000) '
     'select sum(x), group_concat(hex(x)) from c'],
    ['gcc', '-x', 'c', '-O2', '-S', '-o', '-', '/dev/null'],
]


# Those that go on for TENURE_SOAK times as long do so in parallel.py, once.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != 'TENURE_SOAK'}


def run(command):
    done = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def overlapping(data_offset, code='0fb63c2510204000'  # movzx edi, byte [0x402010]
                                  '0fb6042510304000'  # movzx eax, byte [0x403010]
                                  '01c7b8e70000000f05'):  # add edi, eax; mov eax, 231; syscall
    """A program of two segments, of which the second has the last pages of the first; the file has four pages."""
    def segment(flags, offset, address, size, room):
        return struct.pack('<IIQQQQQQ', 1, flags, offset, address, address, size, room, PAGE)

    code = bytes.fromhex(code)
    elf = struct.pack('<4sBBBxQHHIQQQIHHHHHH', b'\177ELF', 2, 1, 1, 0, 2, 62, 1, 0x401000, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    text = bytearray(4 * PAGE)
    head = elf + segment(7, 0, 0x400000, 0x2900, 0x4000) + segment(6, data_offset, 0x402000, 0x900, 0x1000)
    text[:len(head)] = head
    text[PAGE:PAGE + len(code)] = code
    text[2 * PAGE + 16], text[3 * PAGE + 16] = 3, 5
    return bytes(text)


def changed(text, offset, form, value):
    text = bytearray(text)
    struct.pack_into(form, text, offset, value)
    return bytes(text)


def odd_headers():
    """Programs with odd program headers, and what is expected; None: what the kernel makes of them."""
    good, first, second = overlapping(3 * PAGE), 64, 64 + 56
    yield 'many', changed(good, 56, '<H', 70), None
    yield 'too many', changed(good, 56, '<H', 1171), (126, b'')
    # mov byte [0x403010], 5; mov edi, 8; mov eax, 231; syscall: behind the bytes of a segment that may be read only
    writes = overlapping(2 * PAGE, 'c604251030400005bf08000000b8e70000000f05')
    yield 'written', changed(changed(writes, second + 4, '<I', 4), second + 40, '<Q', 2 * PAGE), None
    # mov byte [0x400010], 5: to what the file has of a segment that may be executed, and not written, but goes on
    yield 'not written', changed(overlapping(2 * PAGE, 'c604251000400005'), first + 4, '<I', 5), None
    # The kernel begins these, and ends them by SIGSEGV.
    yield 'less memory', changed(good, first + 40, '<Q', 0x2800), (126, b'')
    yield 'no page', changed(good, second + 8, '<Q', 3 * PAGE + 16), (126, b'')
    yield 'around', changed(good, second + 40, '<Q', (1 << 64) - 8), (126, b'')
    with open(shutil.which('true'), 'rb') as file:
        true = file.read()
    headers = [64 + 56 * i for i in range(true[56])]
    loaded = next(at for at in headers if true[at] == 1)
    note = next(at for at in headers if true[at] == 4)
    yield 'aligned', changed(true, loaded + 48, '<Q', (1 << 64) - PAGE), None
    yield 'no interpreter', changed(true, next(at for at in headers if true[at] == 3) + 32, '<Q', 5), (126, b'')
    yield 'two interpreters', changed(true, note, '<I', 3), None


def starts():
    """Files of all kinds, and what the kernel and a shell make of them; last, one that is not there."""
    with tempfile.TemporaryDirectory() as folder:
        def file(name, text, mode):
            path = os.path.join(folder, name)
            with open(path, 'wb') as out:
                out.write(text if isinstance(text, bytes) else text.encode())
            os.chmod(path, mode)
            return path

        shell = file('shell', '#!/bin/sh -e\ncat /proc/$$/comm; printf "%s|" "$0" "$@"; false; true\n', 0o755)
        nested = file('nested', '#!%s  more \n' % shell, 0o755)
        for path in shell, nested:
            yield path, run([path, 'one', 'two words'])[:2]
        yield file('text', 'not a program', 0o755), (126, b'')
        yield file('data', '#!/bin/sh\n', 0o644), (126, b'')
        path = file('overlapping', overlapping(3 * PAGE), 0o755)
        yield path, run([path])[:2]
        yield file('cut', overlapping(4 * PAGE), 0o755), (125, b'') # the kernel begins, and ends it by SIGSEGV
        for name, text, want in odd_headers():
            path = file(name, text, 0o755)
            yield path, want or run([path])[:2]
        yield folder, (126, b'')
        yield os.path.join(folder, 'nothing'), (127, b'')


def run_copy(engine, program):
    """What may go wrong goes wrong with a copy, which is what else is the same."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(program, os.path.join(folder, 'copy'))
        done = run([*engine, copy])
        return done, filecmp.cmp(program, copy, shallow=False)


def unreadable(engine, cases):
    """Files that may be executed and not read, as root may read all: a program, a script, and what is neither. And a
    program with a name of almost all the bytes that one may have."""
    user = [] if os.geteuid() else ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
    if run([*user, engine, '--help'])[0]:
        print('files that cannot be read: left out, another user cannot run the engine here')
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        for name, text in ('script', b'#!/bin/sh\n'), ('neither', b'?'):
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(text)
        shutil.copy(shutil.which('echo'), os.path.join(folder, 'program'))
        for name in os.listdir(folder):
            os.chmod(os.path.join(folder, name), 0o111)
        script = 'cd %s; for i in program script neither; do ./$i $i; echo $?; done; exec %sprogram end' % (
            folder, './' * 2000)
        opened = 'import os; os.execve(os.open("%s/program", os.O_PATH), ["echo", "end"], os.environ)' % folder
        raw = os.path.join(folder, '%p.raw')
        for children, command in (('no', ['sh', '-c', script]), ('yes', ['sh', '-c', script]),
                                  ('no', [sys.executable, '-c', opened])):
            done = run([*user, engine, '--profile=yes', '--trace-children=' + children, '--tenure-out-file=' + raw,
                        '--', *command])
            cases.case('unreadable, --trace-children=' + children, done[:2], run([*user, *command])[:2])
            raws = [name for name in os.listdir(folder) if name.endswith('.raw')]
            cases.case('its profile', len(raws), 1)
            for name in raws:
                cases.case('its profile is whole', os.path.getsize(os.path.join(folder, name)) > 1000, True)
                os.unlink(os.path.join(folder, name))


def ended(command, limit=60):
    """The status of a program that is ended once it has said something."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        child.terminate()
        try:
            return child.wait(limit)
        except subprocess.TimeoutExpired:
            child.kill()
            return 'took longer than %d s' % limit


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def case(self, name, got, want):
        if got == want:
            self.passed += 1
        else:
            self.failed += 1
            print('%s: %r, expected %r' % (name, got, want))


def main():
    split = sys.argv.index('--')
    engine, folder, guests, own = sys.argv[1], sys.argv[2], sys.argv[3:split], sys.argv[split + 1:]
    refused = own.pop()
    cases = Cases()
    for guest in guests:
        name = os.path.basename(guest).split('_', 1)[1].replace('_static', '')
        if name in LEFT_OUT:
            continue
        with open(os.path.join(folder, name), 'rb') as file:
            want = (0, file.read(), b'')
        for switches in SWITCHES + [['--hide-features=fsgsbase']]:
            cases.case(' '.join(switches + [guest]), run([engine, *switches, '--', guest]), want)
    changing = [program for program in own if program.endswith('_busy')]
    for command in [[program] for program in own if program not in changing] + PROGRAMS:
        if shutil.which(command[0]) is None:
            continue
        want = run(command)
        for switches in SWITCHES + HIDDEN:
            cases.case(' '.join(switches + command), run([engine, *switches, '--', *command]), want)
    with tempfile.TemporaryDirectory() as raws:
        profiled_too = ('_alone', '_clones', '_fetches', '_aliases', '_flood', '_odd', '_timers', '_vforks', '_full',
                        '_guarded', '_damaged', '_allowed', '_narrow', '_r11')
        for program in [program for program in own if program.endswith(profiled_too)]:
            want = run([program])
            for switches in ([], ['--spare-core=no'], ['--parallel=no'], ['--deterministic=yes'], *HIDDEN):
                profiled = [engine, '--profile=yes', '--tenure-out-file=' + raws + '/%p.%n', *switches, '--', program]
                cases.case(' '.join(profiled), run(profiled), want)
        for program in [program for program in own if program.endswith('_r11')]:
            for switches in ['--sample=1'], ['--sample=8', '--branch-sim=yes'], ['--coherence=mesi', '--inclusive=no']:
                checked = [engine, '--profile=yes', '--self-check=yes', '--tenure-out-file=' + raws + '/%p.%n',
                           *switches, '--', program]
                cases.case(' '.join(checked), run(checked), run([program]))
        for program in [program for program in own if program.endswith('_damaged')]:
            traced = [engine, '--profile=yes', '--trace-children=yes', '--tenure-out-file=' + raws + '/%p.%n', program]
            cases.case(' '.join(traced), run(traced), run([program]))
        for program in changing:
            for switches in (['--trace-children=no'], ['--trace-children=yes'],
                             ['--profile=yes', '--tenure-out-file=' + raws + '/%p.%n']):
                cases.case(' '.join([*switches, program]), run_copy([engine, *switches, '--'], program),
                           run_copy([], program))
    if run([refused, 'call'])[0] == -signal.SIGSEGV:
        del REFUSED['call'] # this kernel takes no system calls of 32 bits, so it is a fault in the engine, too
    with tempfile.TemporaryDirectory() as raws:
        profiled = ['--profile=yes', '--tenure-out-file=' + raws + '/raw']
        for what, words in REFUSED.items():
            for switches in [], profiled:
                status, out, err = run([engine, *switches, '--', refused, what])
                cases.case('refused: ' + what, (status, out, err.count(b'\n'), words in err),
                           (125, b'begins\n', 1, True))
        for _ in range(10): # the signal meets the program, or the engine, which steps as well
            cases.case('ended in steps', ended([engine, *profiled, '--', refused, 'steps']), -signal.SIGTERM)
    limits = ['sh', '-c', 'ulimit -s unlimited; "$@"; ulimit -s 8192; ulimit -n 64; exec "$@"', 'sh']
    program = ['bash', '-c', 'ulimit -s; ulimit -n; sleep 0']
    cases.case('limits', run(limits + [engine] + program), run(limits + program))
    little = ['sh', '-c', 'ulimit -s 512; exec "$@"', 'sh', engine, 'echo', 'x']
    cases.case('a little stack', run(little)[:2], (0, b'x\n'))
    cases.case('arguments for more stack', run([*little, 'x' * 90000]), (
        125, b'', b'tenure: the native engine needs a limit of 768 kB or more for the stack (ulimit -s)\n'))
    wrong = ['--hide-features=avx2,avx3', 'true']
    cases.case('a feature that is none', run([engine, *wrong]), (125, b'', (
        'tenure: %s: give names with commas between them: avx512, avx2, avx, sse4, xsavec, xsave, bmi2, erms, '
        'fsgsbase\n' % wrong[0]).encode()))
    unreadable(engine, cases)
    for name, want in starts():
        cases.case(name, run([engine, name, 'one', 'two words'])[:2], want)
    print('%d passed, %d failed' % (cases.passed, cases.failed))
    return 1 if cases.failed else 0


if __name__ == '__main__':
    sys.exit(main())
