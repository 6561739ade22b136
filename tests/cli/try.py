#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
try.py: remedies that are tried, beside programs that were repaired by hand.

    try.py TENURE CASES

CASES is the folder of programs with one known problem each (tests/cases). Of some of them, whose repair is a layout,
what `tenure try` says that the first piece of advice saves is what the repaired program does save, within a few percent
of the estimated time. Then: remaps in a user's words, what is refused, and that nothing is left behind.
"""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from checks import check, finish, run

TENURE, CASES = (os.path.abspath(path) for path in sys.argv[1:3])
CACHES = ['--D1=8K,8,64', '--L2=none', '--LL=256K,16,64']
# Within how many percent of the time, and options of the recording.
TWINS = {'idle_regular': (2, []), 'idle_random': (2, []), 'pad_rows': (2, ['--patterns=yes']), 'aos_soa': (3, []),
         'false_sharing': (3, ['--coherence=mesi']), 'chase_order': (3, [])}


def compiled(name, *flags):
    program = f'./{name}{len(flags)}'
    status, _, errors = run(['gcc', '-O2', '-g', '-pthread', *flags, f'{CASES}/{name}.c', '-o', program])
    check(f'{name}: compiled', (status, errors), (0, ''))
    return program


def recorded(program, profile, *options):
    return run([TENURE, 'record', '-q', '-o', profile, *CACHES, *options, program])[0]


def time_of(profile):
    return int(run([TENURE, 'sql', '--csv', profile, 'SELECT Time FROM totals'])[1].split()[1])


def tried(*words):
    """Status, output, and errors, but for the line that says which program runs."""
    status, out, errors = run([TENURE, 'try', *words])
    lines = errors.splitlines(keepends=True)
    return status, out, ''.join(line for line in lines if not line.startswith('tenure: runs'))


def twins():
    for name, (within, options) in TWINS.items():
        program, repaired = compiled(name), compiled(name, '-DREPAIRED')
        both = recorded(program, 'before', *options), recorded(repaired, 'after', *options)
        check(f'{name}: recorded', both, (0, 0))
        saves = 100 * (1 - time_of('after') / time_of('before'))
        status, out, errors = tried('--json', 'before', '1')
        check(f'{name}: tried', (status, errors), (0, ''))
        item = json.loads(out)['items'][0]
        near = abs(item['saved'] - saves) <= within
        check(f'{name}: saves {item["saved"]:.1f} %, the repaired program {saves:.1f} %', near, True)
        check(f'{name}: the same program', item['did_otherwise'], False)
        if name == 'idle_regular':
            shutil.copy('before', 'orders')


def words():
    """idle_regular: struct order, of which price and quantity are used."""
    status, out, errors = tried('orders')
    check('all', (status, errors), (0, ''))
    check('program is silent', 'total' in out, False)
    missing = [word for word in ('remap', 'promised', 'tried', 'D1 misses') if word not in out]
    check('a remap, and what it saves', missing, [])
    one = json.loads(tried('--json', 'orders', '1')[1])['items'][0]
    given = json.loads(tried('--json', '--remap=split order[]: price,quantity | rest', 'orders')[1])['items'][0]
    check('by hand as by number', given['remaps'][0]['remap'], one['remaps'][0]['remap'])
    check('and as good', given['after'], one['after'])
    first = one['remaps'][0]['remap'].split(':')[0].replace('split', 'order')
    order = json.loads(tried('--json', '--remap=order order[]: quantity,price', 'orders')[1])['items'][0]
    check('fields in another order', order['remaps'][0]['remap'].split(':')[0], first)
    status, out, errors = tried('--dry-run', 'orders', '1')
    begins = out.startswith(f'(cd {os.getcwd()} && tenure record ')
    check('dry run', (status, errors, begins, "'--remap=split #" in out), (0, '', True, True))
    said = run([TENURE, 'try', 'orders', '1'])[2]
    check('says what runs', said, f'tenure: runs in {os.getcwd()}: ./idle_regular0\n')
    status, out, errors = tried('--json', 'orders', '1', '--', './idle_regular0', '2')
    check('a program of the user', (status, errors, json.loads(out)['items'][0]['did_otherwise']), (0, '', True))
    status, out, errors = tried('-o', 'kept', 'orders', '1')
    check('kept', (status, errors, 'tenure diff --data orders kept' in out), (0, '', True))
    status, out, errors = run([TENURE, 'diff', '--data', 'orders', 'kept'])
    check('compared', (status, '--remap is none in the baseline, split #' in out), (0, True))


def advised():
    """What was tried in place of the estimate, wherever advice is shown."""
    one = json.loads(tried('--json', 'orders', '1')[1])['items'][0]
    status, out, errors = run([TENURE, 'report', '--advice', '--try', 'orders'])
    said = f"tried      saves {one['saved']:.1f} % of the estimated time (promised {one['promised']:.1f} %)"
    check('report', (status, said in out, 'confidence' in out), (0, True, False))
    check('report says what runs', errors, f'tenure: runs in {os.getcwd()}: ./idle_regular0\n')
    check('and what was tried', f"tried as: {one['remaps'][0]['words']}"[:40] in out, True)
    status, out, _ = run([TENURE, 'report', '--advice', '--try', '--json', 'orders'])
    item = json.loads(out)['advice']['items'][0]
    check('in JSON', (status, item['tried'], item['certain'], item['confidence'], round(item['share'], 6),
                      round(item['promised'], 6), item['remap']),
          (0, 'Time', 'tried', 1, round(one['saved'], 6), round(one['promised'], 6), one['remaps'][0]['remap']))
    check('cycles', item['cycles'], round(one['before'] - one['after']))
    weights = '--weights=L1m=10,LLm=1000'
    check('kept', tried('-o', 'weighed', 'orders', '1')[0], 0)
    totals = [json.loads(run([TENURE, 'report', '--json', '--limit=1', weights, name])[1])['totals']['CEst']
              for name in ('orders', 'weighed')]
    status, out, _ = run([TENURE, 'report', '--advice', '--try', '--json', weights, 'orders'])
    item = json.loads(out)['advice']['items'][0]
    check('by other weights', (status, item['tried'], round(item['share'], 6)),
          (0, 'CEst', round(100 * (1 - totals[1] / totals[0]), 6)))
    check('all of them', json.loads(run([TENURE, 'report', '--advice', '--json', f'--limit={2**64 - 1}', 'orders'])[1])
          ['advice']['items'] != [], True)
    os.remove('weighed')
    status, out, errors = run([TENURE, 'html', '--try', '-o', '/nonexistent/page.html', 'orders'])
    check('nowhere to write', (status, out), (1, ''))
    recorded(compiled('idle_regular'), 'useless', '--cacheuse=no')
    check('without use', tried('--remap=pool order', 'useless')[0::2], (0, ''))
    status, out, _ = run([TENURE, 'report', '--advice', '--try', '--format=gcc', 'orders'])
    check('gcc', (status, f"saves {one['saved']:.1f} % of the time, tried (promised" in out), (0, True))
    program = compiled('loop_order_2d')
    recorded(program, 'loops')
    status, out, _ = run([TENURE, 'report', '--advice', '--try', 'loops'])
    check('transposed', (status, 'tried as: transpose double[] in' in out), (0, True))
    recorded(compiled('block_product'), 'product', '--patterns=yes')
    status, out, _ = run([TENURE, 'report', '--advice', '--try', 'product'])
    check('another order', (status, 'not tried: it needs another order of execution' in out), (0, True))
    check('none to try', run([TENURE, 'report', '--advice', '--try', '--threshold=100', 'orders'])[::2], (0, ''))
    check('alone', run([TENURE, 'report', '--try', 'orders'])[0], 2)
    os.rename(program, 'gone')
    status, out, errors = run([TENURE, 'report', '--advice', '--try', 'loops'])
    check('a run that fails', (status, out, 'left no profile' in errors), (1, '', True))
    status, out, errors = run([TENURE, 'html', '--try', 'loops'])
    check('a page of a run that fails', (status, out, 'left no profile' in errors, os.path.exists('loops.html')),
          (1, '', True, False))


def refused():
    for arguments, status, part in (
            ([], 2, 'name a profile'),
            (['orders', '99'], 1, 'no such piece of advice'),
            (['orders', 'one'], 2, 'has a number'),
            (['--remap=split nothing: x | rest', 'orders'], 1, 'those with most misses are: order[] in'),
            (['--remap=split order[]: weight | rest', 'orders'], 1, 'has no field "weight": there are '),
            (['--remap=split order[]: price,price | rest', 'orders'], 1, 'two ranges of bytes overlap'),
            (['--remap=split order[]: price', 'orders'], 1, 'split makes several parts'),
            (['--remap=turn order[]: 4', 'orders'], 1, 'split, order, pad, align, pool or transpose'),
            (['--remap=pool', 'orders'], 1, 'a data structure'),
            (['--remap=pool order[]', 'orders', '1'], 2, 'not both'),
            (['-o', 'kept', 'orders'], 2, 'one piece of advice'),
            (['-o', '-', 'orders', '1'], 2, 'a file of its own'),
            (['--json', '--dry-run', 'orders'], 2, 'not both'),
            (['/nonexistent'], 1, '/nonexistent')):
        got, out, errors = tried(*arguments)
        check(f'{arguments}: {errors.strip()}', (got, part in errors), (status, True))
        check(f'{arguments}: no error of a program', 'Traceback' in errors + out, False)
    program = compiled('idle_regular')
    check('sampled', recorded(program, 'sampled', '--sample=8'), 0)
    got, _, errors = tried('sampled')
    check('sampled is refused', (got, '--sample=8' in errors), (1, True))
    run([TENURE, 'record', '-q', '--raw', '-o', 'raw', *CACHES, program])
    check('imported', run([TENURE, 'import', '-o', 'imported', 'raw'])[0], 0)
    run([TENURE, 'export', '--format=callgrind', '-o', 'callgrind.out', 'orders'])
    got, _, errors = run([TENURE, 'html', '--try', '-o', 'none.html', 'callgrind.out'])
    check('a file of Callgrind', (got, 'does not say how it was recorded' in errors, os.path.exists('none.html')),
          (1, True, False))
    got, _, errors = tried('imported')
    check('imported by itself is refused', (got, 'does not say how it was recorded' in errors), (1, True))
    got, _, errors = tried('orders', '1', '--', compiled('pad_rows'))
    check('another program', (got, 'no such data structure' in errors), (1, True))
    shutil.copy('orders', 'old')
    got, _, errors = tried('-o', 'old', 'orders', '1', '--', './nonexistent')
    check('what was there is no result', (got, 'left no profile' in errors), (1, True))
    os.rename(program, 'gone')
    got, _, errors = tried('orders', '1')
    check('a program that is gone', (got, 'left no profile' in errors), (1, True))


def full_disk():
    """No file becomes larger than that: the raw profile, then the profile. What was named as kept is not."""
    before = files_below('.')
    for kilobytes in 4, os.path.getsize('orders') // 2048:
        for words in ['try', 'orders', '1'], ['report', '--advice', '--try', 'orders']:
            done = subprocess.run(['sh', '-c', f'ulimit -f {2 * kilobytes}; exec "$@"', 'sh', TENURE, *words],
                                  capture_output=True, text=True, check=False)
            last = done.stderr.splitlines()[-1]
            check(f'{words}, {kilobytes} kB: {last}', (done.returncode, done.stdout, 'nothing of it is kept' in last),
                  (1, '', True))
    check('full disk: nothing is left', files_below('.'), before)


# A program that waits where it is told to, and notes each signal.
WAITS = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void note(int number)
{
    int to = open("noted", O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)!write(to, number == SIGINT ? "INT " : "TERM ", number == SIGINT ? 4 : 5);
}
__attribute__((constructor)) static void wait_there(void)
{
    if (getenv("WAITS") == NULL)
        return;
    signal(SIGINT, note);
    signal(SIGTERM, note);
    close(open("waits", O_WRONLY | O_CREAT, 0600));
    while (access("noted", F_OK) != 0)
        usleep(1000);
    usleep(300000); /* for one that comes twice */
    exit(5);
}
"""


def files_below(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def child_of(command):
    """The process that this one, with one thread, waits for."""
    with open(f'/proc/{command}/task/{command}/children', encoding='ascii') as file:
        return int(file.read().split()[0])


def signalled(words, send):
    """Status of a command whose run waits, once `send` has sent what it wants; what the program noted; files left."""
    before = set(files_below('.'))
    terminal, line = pty.openpty()
    with subprocess.Popen([TENURE, *words], stdin=line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env={**os.environ, 'WAITS': 'yes'}, start_new_session=True,
                          preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR))) as command:
        os.close(line)
        while command.poll() is None and not os.path.exists('waits'):
            time.sleep(0.01)
        send(command, terminal)
        errors = command.communicate(timeout=100)[1].decode()
    os.close(terminal)
    noted = None
    if os.path.exists('noted'):
        with open('noted', encoding='ascii') as file:
            noted = file.read()
    for name in ('noted', 'waits'):
        if os.path.exists(name):
            os.remove(name)
    return command.returncode, noted, sorted(set(files_below('.')) - before), errors


def signals():
    """Whoever asks the command to end asks the program that it waits for, once. Nothing is left of the run."""
    with open('waits.c', 'w', encoding='ascii') as file:
        file.write(WAITS)
    check('recorded', recorded(compiled('idle_regular', 'waits.c'), 'waiting'), 0)
    commands = (['try', 'waiting', '1'], ['try', '-o', 'kept2', 'waiting', '1'], ['try', '--json', 'waiting'],
                ['report', '--advice', '--try', 'waiting'], ['html', '--try', '-o', 'page.html', 'waiting'])
    for words in commands:
        for number, name in (signal.SIGINT, 'INT '), (signal.SIGTERM, 'TERM '):
            got = signalled(words, lambda command, _, number=number: command.send_signal(number))
            check(f'{words}: {name}: {got[3]}', got[:3], (-number, name, []))
    got = signalled(commands[0], lambda _, terminal: os.write(terminal, b'\3'))
    check(f'from a terminal: {got[3]}', got[:3], (-signal.SIGINT, 'INT ', []))


def early():
    """A signal that comes as the run is started is not lost."""
    ends = set()
    for wait in range(40):
        with subprocess.Popen([TENURE, 'try', 'waiting', '1'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env={**os.environ, 'WAITS': 'yes'}) as command:
            command.stderr.readline() # which program runs
            time.sleep(wait / 20000)
            command.terminate()
            try:
                command.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.kill(child_of(child_of(command.pid)), signal.SIGKILL)
            ends.add(command.wait())
    for name in {'noted', 'waits'}.intersection(os.listdir('.')):
        os.remove(name)
    check('early signals', ends, {-signal.SIGTERM})


def killed(command, _):
    record = child_of(command.pid)
    program = child_of(record)
    os.kill(record, signal.SIGKILL)
    os.kill(program, signal.SIGKILL) # with nobody to remove its page for `tenure control`


def main():
    if not shutil.which('gcc'):
        print('no gcc')
        sys.exit(77)
    os.environ.pop('MALLOC_PERTURB_', None) # malloc writes into blocks before the program has them
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.update(XDG_CACHE_HOME='/nonexistent', TMPDIR=folder + '/tmp')
        os.mkdir('tmp')
        twins()
        words()
        advised()
        full_disk()
        refused()
        signals()
        early()
        got = signalled(['try', 'waiting', '1'], killed)
        left = [name for name in got[2] if 'try' in name]
        check('the recording is killed', (*got[:2], left, 'ended with signal 9' in got[3]), (1, None, [], True))
        check('nothing is left behind', [name for name in os.listdir('tmp') if 'try' in name], [])
        os.chdir('/')
    return finish()


sys.exit(main())
