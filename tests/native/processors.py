#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The native engine on processors that this machine is not: QEMU emulates them, with a Linux of their own.

    processors.py ENGINE ZYDIS-LIBRARY EMULATOR-GUEST TESTS-FOLDER PROGRAM...

In each, tests of the translator run in short form, and programs on the emulated processor and in the engine, translated
and profiled: with the same output and status. Where a processor lacks what the engine needs, that is what everything
has to say. Emulation (TCG) has neither AVX-512 nor XSAVEC, whatever the model, and keeps components of the extended
state where Intel does; so this is about processors with less, not about AMD's order of it (test_state.c).

test_decode compares with the processor, and TCG is none: what guest_emulator finds there without any engine explains
the lines of EXPLAINED, and nothing else may be complained of.

The kernel is one of /boot, or Debian's for virtual machines, which is fetched but not installed.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

XSAVE = 'needs XSAVE'
# Models of QEMU, and what the engine says there.
PROCESSORS = [('Nehalem', XSAVE), ('IvyBridge', None), ('Haswell', None), ('Haswell,-fsgsbase', None),
              ('EPYC', None), ('EPYC-Milan', None), ('max', None)]
# test_control has no more rounds than this: the 18th program returns to a non-canonical address. A processor faults at
# the return, TCG behind it, as guest_emulator shows.
TESTS = ['test_decode --count=300', 'test_random --count=300', 'test_random --simulate=1 --count=200',
         'test_check --count=10', 'test_step --count=100', 'test_control --count=15',
         'test_control --simulate=1 --count=10']
PROGRAMS = ['ls /', "bash -c 'echo $((6 * 7)); exit 3'", 'sha256sum /init', 'grep -c echo /init']
WAYS = ['', '--self-check=yes --join=no', '--profile=yes --tenure-out-file=/tmp/raw.%p']
SKIPPED, CASE_S, LIMIT_S = 77, 300, 3600

PREFIX = '(?:66|67|f[023]|2e|36|3e|26|6[45])'
EXPLAINED = {
    'heeds a misplaced REX': ': (?:%s )*4[0-9a-f] %s ' % (PREFIX, PREFIX),
    'reads too much for punpckl': r': punpckl\w+:',
    'reads too much for cvtdq2pd': ': cvtdq2pd:',
}


def skip(why):
    print(why)
    sys.exit(SKIPPED)


# ------------------------------------------------------------------------------------------------ the machine

def kernel(folder):
    """A kernel's file. Those of some distributions only root may read."""
    for path in sorted(glob.glob('/boot/vmlinuz-*'), key=os.path.getmtime, reverse=True):
        if os.access(path, os.R_OK):
            return path
    if not shutil.which('apt-get'):
        skip('there is no kernel in /boot that may be read')
    listed = subprocess.run(['apt-cache', 'depends', '--important', 'linux-image-cloud-amd64'], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, check=False).stdout.decode()
    names = re.findall(r'Depends: (linux-image-\S+)', listed)
    if not names or subprocess.run(['apt-get', '-qq', 'download', names[0]], cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, check=False).returncode != 0:
        skip('there is no kernel in /boot that may be read, and none can be fetched')
    package, = glob.glob(os.path.join(folder, '*.deb'))
    subprocess.run(['dpkg-deb', '-x', package, folder], check=True)
    return glob.glob(os.path.join(folder, 'boot', 'vmlinuz-*'))[0]


def libraries(path):
    listed = subprocess.run(['ldd', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return re.findall(r'(/\S+) \(0x', listed.stdout.decode())


class Archive:
    """What the kernel unpacks as its first file system (cpio, `newc`)."""
    def __init__(self):
        self.data = b''
        self.names = set()

    def add(self, name, mode, data=b'', device=(0, 0)):
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent:
            self.add(parent, 0o40755)
        self.names.add(name)
        fields = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name.encode()) + 1, 0)
        self.data += b'070701' + b''.join(b'%08X' % field for field in fields) + name.encode() + b'\0'
        for part in (data, b''):
            self.data += b'\0' * (-len(self.data) % 4) + part

    def add_program(self, path, name=None):
        with open(path, 'rb') as file:
            self.add((name or path).lstrip('/'), 0o100755, file.read())
        for library in libraries(path):
            self.add_program(library)


def script(cases):
    """What the machine does: each case's output and status, between marks."""
    lines = ['#!/bin/sh', 'mount -t proc proc /proc', 'mount -t sysfs sys /sys', 'mount -t tmpfs tmp /tmp']
    for number, command in enumerate(cases):
        lines += ['echo "@begin %d"' % number, 'timeout %d %s </dev/null 2>&1' % (CASE_S, command),
                  'echo "@end %d $?"' % number]
    return '\n'.join(lines + ['echo o >/proc/sysrq-trigger', 'sleep 60', ''])


def machine(folder, image, initial, model):
    """[(output, status)] of the cases; fewer, if the machine did not come to their end."""
    console = os.path.join(folder, 'console')
    command = ['qemu-system-x86_64', '-accel', 'tcg,thread=multi', '-cpu', model, '-m', '1536', '-smp', '2',
               '-nodefaults', '-display', 'none', '-serial', 'file:' + console, '-no-reboot', '-kernel', image,
               '-initrd', initial, '-append', 'console=ttyS0 loglevel=1 panic=-1 rdinit=/init']
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        pass
    with open(console, encoding='utf-8', errors='replace', newline='') as file:
        # What the kernel says does not wait for what programs have written before.
        text = re.sub(r'\[ *\d+\.\d{6}\] .*\n', '', file.read().replace('\r', ''))
    return [(output, int(status)) for _, output, status in
            re.findall(r'@begin (\d+)\n(.*?)@end \1 (\d+)\n', text, re.S)]


# ------------------------------------------------------------------------------------------------ the cases

class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def case(self, good, text):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        if not good:
            print(text)


def unexplained(output, emulator):
    """Lines of test_decode that nothing explains. It says how many it has."""
    known = [pattern for line, pattern in EXPLAINED.items() if line in emulator]
    complaints = [line for line in output.split('\n') if line.startswith('  ')]
    left = [line for line in complaints if not any(re.search(pattern, line) for pattern in known)]
    failed = re.search(r'(\d+) failed', output)
    if not failed or int(failed.group(1)) != len(complaints):
        left.append('another number of complaints')
    return left


def judge(cases, model, refusal, results, programs):
    emulator, tests, rest = results[0][0], results[1:1 + len(TESTS)], results[1 + len(TESTS):]
    for test, (output, status) in zip(TESTS, tests):
        text = '%s: %s: status %d\n%s' % (model, test, status, output[-2000:])
        if refusal:
            cases.case(status == SKIPPED, text)
        elif test.startswith('test_decode'):
            cases.case(not unexplained(output, emulator), '%s\n%s' % (text, unexplained(output, emulator)))
        else:
            cases.case(status == 0, text)
    for program in programs:
        bare, rest = rest[0], rest[1:]
        cases.case(bare[1] in (0, 3), '%s: %s: %r' % (model, program, bare))
        for way in WAYS:
            got, rest = rest[0], rest[1:]
            good = refusal in got[0] and got[1] == 125 if refusal else got == bare
            cases.case(good, '%s: %s %s: %r, on the processor %r' % (model, program, way, got, bare))


def initial_files(engine, zydis, emulator, tests, guests, lines):
    archive = Archive()
    archive.add_program(engine, 'engine')
    archive.add_program(zydis)
    archive.add_program(emulator, 'guests/emulator')
    for path in guests:
        archive.add_program(path, 'guests/' + os.path.basename(path))
    for name in sorted({test.split()[0] for test in TESTS}):
        archive.add_program(os.path.join(tests, name), 'tests/' + name)
    for name in ['sh', 'mount', 'sleep', 'timeout'] + [program.split()[0] for program in PROGRAMS]:
        archive.add_program(shutil.which(name), 'bin/' + name)
    for library in glob.glob('/lib/*/libgcc_s.so.1') + glob.glob('/lib64/libgcc_s.so.1'): # pthread_exit opens it
        archive.add_program(library)
    for name in ('proc', 'sys', 'tmp', 'dev'):
        archive.add(name, 0o40755)
    archive.add('dev/console', 0o20600, device=(5, 1))
    archive.add('dev/null', 0o20666, device=(1, 3))
    archive.add('init', 0o100755, script(lines).encode())
    archive.add('TRAILER!!!', 0)
    return archive.data


def main():
    engine, zydis, emulator, tests, guests = *sys.argv[1:5], sys.argv[5:]
    if not shutil.which('qemu-system-x86_64'):
        skip('there is no qemu-system-x86_64')
    cases = Cases()
    cases.case(subprocess.run([emulator], stdout=subprocess.PIPE, check=True).stdout == b'',
               'guest_emulator complains of this processor')
    programs = PROGRAMS + ['/guests/' + os.path.basename(guest) for guest in guests]
    lines = ['/guests/emulator'] + ['/tests/' + test for test in TESTS]
    for program in programs:
        lines += [program] + ['/engine %s -- %s' % (way, program) for way in WAYS]
    with tempfile.TemporaryDirectory() as folder:
        image, initial = kernel(folder), os.path.join(folder, 'initial')
        with open(initial, 'wb') as file:
            file.write(initial_files(engine, zydis, emulator, tests, guests, lines))
        for model, refusal in PROCESSORS:
            results = machine(folder, image, initial, model)
            cases.case(len(results) == len(lines),
                       '%s: ended behind %d of %d cases' % (model, len(results), len(lines)))
            if len(results) == len(lines):
                judge(cases, model, refusal, results, programs)
    print('%d passed, %d failed' % (cases.passed, cases.failed))
    return 1 if cases.failed else 0


if __name__ == '__main__':
    sys.exit(main())
