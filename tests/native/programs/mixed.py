# SPDX-License-Identifier: GPL-2.0-or-later
"""Something of everything: objects, big numbers, regular expressions, compression, threads, processes, generators,
exceptions, decimal, a deep recursion, ctypes' callbacks, signals. argv[1]: rounds."""
import collections
import ctypes
import decimal
import hashlib
import json
import multiprocessing
import random
import re
import signal
import sys
import threading
import zlib


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def square(x):
    return x * x


def callbacks():
    numbers = (ctypes.c_int * 100)(*[i * 7919 % 1000 for i in range(100)])
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
    ctypes.CDLL(None).qsort(numbers, 100, ctypes.sizeof(ctypes.c_int), compare(lambda a, b: a[0] - b[0]))
    return list(numbers[:5])


def main():
    rounds = int(sys.argv[1])
    rng = random.Random(1)
    digest = hashlib.sha256()
    for _ in range(rounds):
        words = ['w%d' % rng.randrange(500) for _ in range(20000)]
        counts = collections.Counter(words)
        text = json.dumps(sorted(counts.items()))
        digest.update(zlib.compress(text.encode()))
        digest.update(str(3 ** 5000 % 10 ** 300).encode())
        digest.update(str(sum(int(m) for m in re.findall(r'\d+', text))).encode())
        decimal.getcontext().prec = 60
        digest.update(str(decimal.Decimal(2).sqrt()).encode())
    results = []
    threads = [threading.Thread(target=lambda i=i: results.append(sum(range(i * 10000)))) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setrecursionlimit(20000)
    caught = []
    signal.signal(signal.SIGALRM, lambda number, frame: caught.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while not caught:
        pass
    with multiprocessing.Pool(2) as pool:
        squares = pool.map(square, range(50))
    print(digest.hexdigest(), sorted(results)[-1], deep(5000), caught, sum(squares), callbacks())


if __name__ == '__main__':
    main()
