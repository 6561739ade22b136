#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs without line information: what is said of them, and that a debuginfod server has it.

    lineless.py TENURE

A program is stripped, and its debug information put where only a server finds it, which is started on this machine.
Status 77 if Debian's package debuginfod is not installed.
"""
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

from checks import check, finish, run

TENURE = os.path.abspath(sys.argv[1])
SOURCE = """
static int array[1 << 16];
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 1 << 22; i += 16)
        sum += array[i % (1 << 16)] * argc;
    return sum + (argv == 0);
}
"""
# Compiled with -g, but most of what it does is in a function of which no line is known.
MIXED = """
int spin(void);
__asm__(".type spin, @function; spin: mov $3000000, %eax; 1: dec %eax; jnz 1b; ret; .size spin, . - spin");
int main(void) { return spin(); }
"""
# Most of what it does is code in a file that is no program, as the memory of a Lisp is.
LOADED = """
#include <fcntl.h>
#include <sys/mman.h>
int main(void)
{
    int file = open("code", O_RDONLY);
    void *code = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    ((void (*)(void))code)();
    return 0;
}
"""
SPIN = b'\xb9\x40\x42\x0f\x00\xff\xc9\x75\xfc\xc3'  # mov $1000000, %ecx; 1: dec %ecx; jnz 1b; ret


def recorded(work, name, program='program', **environment):
    plain = {key: value for key, value in os.environ.items() if not key.startswith('DEBUGINFOD')}
    path = os.path.join(work, name)
    done = run([TENURE, 'record', '-o', path, os.path.join(work, program)],
               env={**plain, **environment})
    check(f'{name}: recorded', done[0], 0)
    with sqlite3.connect(path) as profile:
        lines = profile.execute("SELECT count(*) FROM lines WHERE file LIKE '%/program.c'").fetchone()[0]
    return lines, [line for line in done[2].splitlines() if 'No line information' in line]


def a_server(work, folder):
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        port = one.getsockname()[1]
    server = subprocess.Popen(['debuginfod', '-p', str(port), '-d', os.path.join(work, 'index'), '-F', folder],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, 'HOME': work})
    url = f'http://127.0.0.1:{port}'
    for _ in range(300):
        try:
            with urllib.request.urlopen(url + '/metrics', timeout=5) as answer:
                if b'thread_work_total{role="scan"} ' in answer.read() and server.poll() is None:
                    return server, url
        except OSError:
            pass
        time.sleep(0.1)
    return server, url


def main():
    if shutil.which('debuginfod') is None:
        print('debuginfod is not installed (Debian package debuginfod)')
        return 77
    with tempfile.TemporaryDirectory(prefix='tenure-lineless.') as work:
        hidden, program = os.path.join(work, 'served'), os.path.join(work, 'program')
        os.mkdir(hidden)
        with open(program + '.c', 'w', encoding='ascii') as file:
            file.write(SOURCE)
        subprocess.run(['gcc', '-g', '-O1', '-Wl,--build-id', '-o', program, program + '.c'], check=True)
        subprocess.run(['objcopy', '--only-keep-debug', program, os.path.join(hidden, 'program.debug')], check=True)
        subprocess.run(['strip', program], check=True)
        lines, said = recorded(work, 'without')
        check('without: lines', lines, 0)
        check('without: said', [re.sub(r'[0-9]+ %', 'N %', line.strip()) for line in said],
              [f'No line information for {program}, which has N % of the estimated time (Time): '
               'compile it with -g, strip nothing, and record again'])
        with open(os.path.join(work, 'code'), 'wb') as file:
            file.write(SPIN + b'\0' * 4096)
        os.chdir(work)
        for name, source in (('mixed', MIXED), ('loaded', LOADED)):
            with open(name + '.c', 'w', encoding='ascii') as file:
                file.write(source)
            subprocess.run(['gcc', '-g', '-o', name, name + '.c'], check=True)
            check(f'{name}, with -g: said', recorded(work, name + '.profile', name)[1], [])
        server, url = a_server(work, hidden)
        try:
            lines, said = recorded(work, 'with', DEBUGINFOD_URLS=url,
                                   DEBUGINFOD_CACHE_PATH=os.path.join(work, 'cache'))
        finally:
            server.kill()
            server.wait()
        check('from a server: lines', lines > 3, True)
        check('from a server: said', said, [])
    return finish()


sys.exit(main())
