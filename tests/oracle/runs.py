# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a program under Tenure, Cachegrind or Callgrind with one geometry, and read the result.

Valgrind's own tools are run with --vex-guest-chase=no: when VEX follows a conditional branch it executes the start
of the other side speculatively, and Cachegrind counts what did not run. And with all registers kept up to date at each
access, as Tenure has them: VEX leaves fewer loads out then whose result nobody uses.

What caches do depends on addresses, and these on the environment (Valgrind puts strings into it), on preloaded
objects, and on the stack. For comparisons all tools are therefore started by Valgrind's own launcher, from one
folder that has links to all of them: then a program has the same addresses under each.
"""
import os
import re
import subprocess
import tempfile

import formats

GEOMETRY = {'I1': '32768,8,64', 'D1': '32768,8,64', 'LL': '1048576,16,64'}
# Callgrind as the reference model's Callgrind mode has it: line use by instruction, nested arcs not told apart.
CACHEUSE = ['--cacheuse=yes', '--dump-instr=yes', '--separate-recs=1']
AS_TENURE = ['--vex-guest-chase=no', '--px-default=allregs-at-mem-access', '--px-file-backed=allregs-at-mem-access']
ENVIRONMENT = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C'}


def soak():
    """How many times as many rounds: TENURE_SOAK, as `make soak` sets it."""
    text = os.environ.get('TENURE_SOAK', '')
    return max(1, int(text)) if text.isdigit() else 1


class Failed(Exception):
    pass


def run(command, environment=None):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**ENVIRONMENT, **(environment or {})}, timeout=600, check=False)
    if done.returncode != 0:
        raise Failed('%s: status %d\n%s' % (' '.join(command), done.returncode,
                                            done.stderr.decode('utf-8', 'replace')))
    return done.stdout


def annotated(text):
    """What an annotator prints. That of cg_annotate since Valgrind 3.21 is brought into the form that it had before:
    a table of file:function, without rows of a file's lines in no function that cost nothing, and sources without those
    that it could not read."""
    head = '-' * 80 + '\n-- '
    if not text.startswith(head):
        return text
    out = []
    for section in text.split(head):
        title, _, body = section.partition('\n' + '-' * 80 + '\n')
        if title in ('Metadata', 'Summary'):
            out.append(body)
        elif title == 'File:function summary':
            file = ''
            for line in body.splitlines():
                group = re.match(r'<( *[-\d][-\d, ]*  )(.*):([^:]*)$', line)
                member = re.match(r'( *[-\d][-\d, ]*  )  (.*)$', line)
                if group and not group.group(3):
                    file = group.group(2)
                elif group:
                    out.append(' %s%s:%s' % group.groups())
                elif not member:
                    out.append(line)
                elif re.search('[1-9]', member.group(1)) or member.group(2) != '<unspecified>':
                    out.append('%s%s:%s' % (member.group(1), file, member.group(2).replace('<unspecified>', '???')))
        elif title.startswith('Annotated source file: ') and not body.startswith('Unannotated'):
            out.append('-- Auto-annotated source: %s\n%s' % (title.split(': ', 1)[1], body))
    return '\n'.join(out) + '\n'


def geometry_options(geometry):
    return ['--%s=%s' % item for item in {**GEOMETRY, **(geometry or {})}.items()]


def recorded(record, reader):
    with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
        path = os.path.join(folder, 'out')
        record(path)
        return reader(path)


class Tools:
    """A folder for VALGRIND_LIB with Valgrind's tools and ours. `lib` is the one of the build."""

    def __init__(self, tenure, lib):
        self.tenure, self.keep = tenure, tempfile.TemporaryDirectory(prefix='tenure-oracle.')
        # Where Valgrind's tools are: what our folder's links lead to.
        folders = [lib]
        folders += {os.path.dirname(os.path.realpath(os.path.join(lib, name))) for name in os.listdir(lib)}
        for folder in folders:
            for name in os.listdir(folder):
                link = os.path.join(self.keep.name, name)
                if not os.path.lexists(link) and os.path.isfile(os.path.join(folder, name)):
                    os.symlink(os.path.realpath(os.path.join(folder, name)), link)

    def run(self, tool, program, options):
        command = ['valgrind', '-q', '--tool=' + tool, *options, *program]
        return run(command, {'VALGRIND_LIB': self.keep.name})

    def tenure_profile(self, program, options=(), geometry=None):
        with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
            raw, path = os.path.join(folder, 'raw'), os.path.join(folder, 'out')
            self.run('tenure', program, ['--tenure-out-file=' + raw, '--clean-environment=no',
                                         *geometry_options(geometry), *options])
            run([self.tenure, 'import', '--out=' + path, raw])
            return formats.TenureProfile(path)

    def tenure_raw(self, program, options, geometry, reader):
        """What `reader` makes of the raw profile."""
        return recorded(lambda path: self.run('tenure', program, [
            '--tenure-out-file=' + path, '--clean-environment=no', *geometry_options(geometry), *options]), reader)

    def lackey(self, program, consumer):
        """What `consumer` prints, with Lackey's trace of the program as its input."""
        read, write = os.pipe()
        command = ['valgrind', '-q', '--tool=lackey', *AS_TENURE, '--vex-iropt-unroll-thresh=0',
                   '--trace-mem=yes', '--trace-superblocks=yes', '--log-fd=%d' % write, *program]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[write],
                              env={**ENVIRONMENT, 'VALGRIND_LIB': self.keep.name}) as tracer:
            os.close(write)
            done = subprocess.run(consumer, stdin=read, stdout=subprocess.PIPE, universal_newlines=True, check=False)
            os.close(read)
        if done.returncode or tracer.returncode:
            raise Failed('%s: status %d and %d' % (' '.join(command + ['|'] + consumer), tracer.returncode,
                                                   done.returncode))
        return done.stdout

    def cachegrind(self, program, options=(), geometry=None):
        return recorded(lambda path: self.run('cachegrind', program, [
            *AS_TENURE, '--cache-sim=yes', '--branch-sim=yes', '--show-below-main=yes', '--demangle=no',
            '--cachegrind-out-file=' + path, *geometry_options(geometry), *options]), formats.read_cachegrind)

    def callgrind(self, program, options=(), geometry=None):
        # Relative positions: behind a call's cost line Callgrind does not say from which line they count.
        return recorded(lambda path: self.run('callgrind', program, [
            *AS_TENURE, '--cache-sim=yes', '--show-below-main=yes', '--demangle=no', '--compress-pos=no',
            '--callgrind-out-file=' + path, *geometry_options(geometry), *options]), formats.read_callgrind)


def tenure(tool, program, options=(), geometry=None):
    """As a user records: `tool record program`."""
    return recorded(lambda path: run([tool, 'record', '--out=' + path, '--quiet', *geometry_options(geometry),
                                      *options, '--', *program]), formats.TenureProfile)


def cachegrind(program, options=(), geometry=None):
    """As a user runs it, without anything of ours."""
    return recorded(lambda path: run(['valgrind', '-q', '--tool=cachegrind', *AS_TENURE,
                                      '--cache-sim=yes', '--branch-sim=yes', '--show-below-main=yes',
                                      '--cachegrind-out-file=' + path,
                                      *geometry_options(geometry), *options, *program]), formats.read_cachegrind)
