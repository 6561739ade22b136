# SPDX-License-Identifier: GPL-2.0-or-later
"""Known answers: what the guests without libc must count, as formulas. See each guest's first comment.

Geometry: D1 32768,8,64 (64 sets of 8). FUNCTIONS holds for Cachegrind and Tenure alike. LOADS and STORES are the
sums over the instructions of a function that run more than once and read, or write; Tenure only.

The `+ 1` in D1mr is the `ret`, whose line of the stack has been evicted by what the function walked through.
"""
R, D = 1000, 10  # arith: rounds, depth
N, V = 500, 4  # transpose
ROWS = COLUMNS = 512  # order
NODES, PASSES = 4096, 10  # chase
PAIRS = 1000  # straddle
LINES = 1000  # past
TURNS = 10000  # branches
CONTROL = 100  # control
DEEP = 1000000  # deep
JUMPS = 10000  # jumps


def straddle(loads, misses):
    return {'Dr': loads * PAIRS + 1, 'Dw': 0, 'D1mr': misses * PAIRS + 1, 'D1mw': 0}


def past(loads, stores, misses):
    return {'Dr': loads * LINES + 1, 'Dw': stores * LINES, 'D1mr': misses, 'D1mw': 0, 'DLmr': loads * LINES, 'DLmw': 0}


def control(ir, dr=0, dw=0):
    return {'Ir': ir * CONTROL, 'Dr': dr * CONTROL, 'Dw': dw * CONTROL}


FUNCTIONS = {
    'arith': {
        '_start': {'Ir': 12 + 4 * R, 'Dr': 0, 'Dw': R + 1, 'Bc': R},
        'leaf': {'Ir': 4 * R, 'Dr': 3 * R, 'Dw': R, 'Bc': 0},
        'down': {'Ir': 3 * (D + 1) + D, 'Dr': D + 1, 'Dw': D, 'Bc': D + 1},
    },
    'transpose': {
        'transpose': {'Dr': V * N * N + 1, 'Dw': V * N * N, 'D1mr': V * N * N + 1, 'D1mw': V * N * N // 8},
        'fill': {'Dr': 1, 'Dw': V * N * N, 'D1mr': 1, 'D1mw': V * N * N // 8},
    },
    'order': {
        'sum_rows': {'Dr': ROWS * COLUMNS + 1, 'Dw': 0, 'D1mr': ROWS * COLUMNS // 8 + 1},
        'sum_columns': {'Dr': ROWS * COLUMNS + 1, 'Dw': 0, 'D1mr': ROWS * COLUMNS + 1},
        'touch': {'Dr': 1, 'Dw': ROWS * COLUMNS, 'D1mw': ROWS * COLUMNS // 8},
    },
    'chase': {
        'chase': {'Dr': 2 * NODES * PASSES + 1, 'Dw': 0, 'D1mr': NODES * PASSES + 1},
        'build': {'Dr': 1, 'Dw': 2 * NODES, 'D1mw': NODES},
    },
    'straddle': {
        'both_missing': straddle(1, 1),
        'upper_missing': straddle(2, 2),
        'lower_missing': straddle(2, 2),
        'none_missing': straddle(3, 2),
        'both_stores': {'Dr': 1, 'Dw': PAIRS, 'D1mr': 1, 'D1mw': PAIRS},
    },
    'past': { # Tenure only
        'past': past(0, 8, 0),
        'masked': past(0, 1, 0),
        'behind': past(1, 1, LINES + 1),
        'before': past(1, 2, LINES + 1),
        'across': past(1, 1, LINES + 1),
        'below': past(1, 1, LINES + 1),
    },
    'branches': {
        'easy': {'Ir': 2 * TURNS + 1, 'Bc': TURNS, 'Bcm': 10, 'Bi': 0},
        'hostile': {'Bc': 2 * TURNS, 'Bi': 0},
        'steady': {'Bc': TURNS, 'Bi': TURNS, 'Bim': 1},
        'flutter': {'Bc': TURNS, 'Bi': TURNS, 'Bim': TURNS},
    },
    'control': {
        'tail_a': control(1),
        'tail_b': control(1),
        'tail_c': control(2, dr=1),
        'here': control(3, dr=2, dw=1),
        'push_ret': control(3, dr=1, dw=1),
        'pushed': control(1, dr=1),
        'skip': control(1, dw=1),
        'skipper': control(2, dr=1),
        'outer': control(1),
        'inner': control(1, dr=1),
    },
    'deep': {
        'direct': {'Ir': 3 * (DEEP + 1) + DEEP, 'Dr': DEEP + 1, 'Dw': DEEP, 'Bc': DEEP + 1},
        'even': {'Ir': 3 * (DEEP // 2 + 1) + DEEP // 2, 'Dr': DEEP // 2 + 1, 'Dw': DEEP // 2},
        'odd': {'Ir': 4 * (DEEP // 2), 'Dr': DEEP // 2, 'Dw': DEEP // 2},
    },
}

# Use of the lines: tenures, touches, bytes, distinct bytes, lost bytes, temporal cost.


def use(tenures, touches, loaded, lost):
    return {'EvD1': tenures, 'TchD1': tenures * touches, 'BytD1': tenures * loaded,
            'SpLossD1': tenures * lost, 'UseD1': tenures * (64 - lost), 'AcCostD1': tenures * 1000 / touches}


LOADS = {
    'transpose': {'transpose': {'D1mr': V * N * N, **use(V * N * N, 1, 8, 56)}},
    'order': {
        'sum_rows': {'D1mr': ROWS * COLUMNS // 8, **use(ROWS * COLUMNS // 8, 8, 64, 0)},
        'sum_columns': {'D1mr': ROWS * COLUMNS, **use(ROWS * COLUMNS, 1, 8, 56)},
    },
    'chase': {'chase': {'D1mr': NODES * PASSES, **use(NODES * PASSES, 2, 16, 48)}},
    'past': {
        'behind': {'D1mr': LINES, **use(LINES, 2, 16, 48)},
        'before': {'D1mr': LINES, **use(LINES, 2, 16, 48)},
        'across': {'D1mr': LINES, **use(LINES, 2, 12, 52)},
        'below': {'D1mr': LINES, **use(LINES, 2, 12, 56)},
    },
}
STORES = {
    'past': dict.fromkeys(('past', 'masked', 'behind', 'before', 'across', 'below'), {'D1mw': 0, 'EvD1': 0}),
    'transpose': {'transpose': {'D1mw': V * N * N // 8, **use(V * N * N // 8, 8, 64, 0)}},
}

# Calls of a function; inclusive costs that follow from the comments.
CALLS = {
    'arith': {'leaf': R, 'down': D + 1},
    'control': dict.fromkeys(('tail_a', 'tail_b', 'tail_c', 'here', 'push_ret', 'pushed', 'skip', 'skipper', 'outer',
                              'inner'), CONTROL),
    'deep': {'direct': DEEP + 1, 'even': DEEP // 2 + 1, 'odd': DEEP // 2},
    'jumps': {'run': 1, 'done': 1},
    'recursion': {'visit': 51, 'ping': 21, 'pong': 20, 'tree': 2 ** 11 - 1},
}
INCLUSIVE = {
    'deep': {'direct': {'Ir': 3 * (DEEP + 1) + DEEP}, 'even': {'Ir': 3 * (DEEP + 1) + DEEP},
             'odd': {'Ir': 3 * DEEP + DEEP - 1}},
    'jumps': {'_start': {'Ir': 1 + 3 + 7 * JUMPS + 8}, 'run': {'Ir': 3 + 7 * JUMPS + 8}, 'done': {'Ir': 8}},
    'arith': {'_start': {'Ir': 12 + 4 * R + 4 * R + 3 * (D + 1) + D}, 'down': {'Ir': 3 * (D + 1) + D}},
}


def hostile_mispredictions(addresses):
    """Bcm of `hostile`, by a model of the predictor; `addresses`: of the branches of easy, then of hostile."""
    counters, history, missed = [0] * 16384, 0, 0
    easy, bit, loop = addresses

    def branch(address, taken):
        nonlocal history
        index = (address & 127) << 7 | history
        wrong = (counters[index] >= 2) != taken
        counters[index] = min(3, counters[index] + 1) if taken else max(0, counters[index] - 1)
        history = (history << 1 | taken) & 127
        return wrong

    for i in range(TURNS):
        branch(easy, i != TURNS - 1)
    state = 0x123456789abcdef
    for i in range(TURNS):
        product = state * 6364136223846793005 % 2 ** 64
        state = (product + 1442695040888963407) % 2 ** 64
        missed += branch(bit, bool(state >> 63))
        missed += branch(loop, i != TURNS - 1)
    return missed
