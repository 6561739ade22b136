# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a program under Tenure, Cachegrind or Callgrind with one geometry, and read the result.

Valgrind's own tools are run with --vex-guest-chase=no: when VEX follows a conditional branch it executes the start
of the other side speculatively, and Cachegrind counts what did not run. The environment is the same small one for
all, so that stacks begin at like addresses.
"""
import os
import subprocess
import tempfile

import formats

GEOMETRY = {'I1': '32768,8,64', 'D1': '32768,8,64', 'LL': '1048576,16,64'}
ENVIRONMENT = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C'}


class Failed(Exception):
    pass


def run(command, environment=None):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**ENVIRONMENT, **(environment or {})}, timeout=600, check=False)
    if done.returncode != 0:
        raise Failed('%s: status %d\n%s' % (' '.join(command), done.returncode,
                                            done.stderr.decode('utf-8', 'replace')))
    return done.stdout


def geometry_options(geometry):
    return ['--%s=%s' % item for item in {**GEOMETRY, **(geometry or {})}.items()]


def recorded(command, reader):
    with tempfile.TemporaryDirectory(prefix='tenure-oracle.') as folder:
        path = os.path.join(folder, 'out')
        run(command(path))
        return reader(path)


def tenure_command(tool, path, program, options=(), geometry=None):
    return [*tool, 'record', '--out=' + path, '--quiet', *geometry_options(geometry), *options, '--', *program]


def tenure(tool, program, options=(), geometry=None):
    return recorded(lambda path: tenure_command(tool, path, program, options, geometry), formats.TenureProfile)


def cachegrind(program, options=(), geometry=None):
    return recorded(lambda path: ['valgrind', '-q', '--tool=cachegrind', '--vex-guest-chase=no', '--branch-sim=yes',
                                  '--show-below-main=yes', '--cachegrind-out-file=' + path,
                                  *geometry_options(geometry), *options, *program], formats.read_cachegrind)


def callgrind(program, options=(), geometry=None):
    return recorded(lambda path: ['valgrind', '-q', '--tool=callgrind', '--vex-guest-chase=no', '--cache-sim=yes',
                                  '--show-below-main=yes', '--callgrind-out-file=' + path,
                                  *geometry_options(geometry), *options, *program], formats.read_callgrind)
