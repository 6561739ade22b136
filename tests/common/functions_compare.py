#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the function table of engine/common with what readelf says about the same files, exactly.

usage: functions_compare.py FB_DUMP FILE...

The rules of engine/common/functions.h are done again here, from readelf's text, by painting: each function paints
its bytes in the order of starts, so that the innermost is on top; the ranges are what is left to see. Nothing is
shared with the C code but the rules. Files that do not exist are counted as skipped.
"""
import array
import os
import re
import subprocess
import sys

PLT = {'.plt', '.plt.got', '.plt.sec', '.plt.bnd', '.iplt'}


def readelf(*args):
    """Its lines. It complains (and exits with 1) about separate debug files that are not installed."""
    run = subprocess.run(['readelf', *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return run.stdout.decode('utf-8', 'surrogateescape').splitlines()


def areas_of(path):
    """(start, end, name, kind), sorted: executable sections and what else executable segments hold."""
    sections = []
    for line in readelf('-SW', path):
        m = re.match(r'\s*\[\s*\d+\] (\S+)\s+\S+\s+([0-9a-f]{16}) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+\s+([A-Za-z]*) ', line)
        if m and 'A' in m[4] and 'X' in m[4] and int(m[3], 16) > 0:
            start, size = int(m[2], 16), int(m[3], 16)
            sections.append((start, start + size, m[1], 'plt' if m[1] in PLT else 'code'))
    sections.sort()
    rest = []
    for line in readelf('-lW', path):
        m = re.match(r'\s*LOAD\s+\S+ 0x([0-9a-f]+) \S+ \S+ 0x([0-9a-f]+) (...)', line)
        if not m or 'E' not in m[3]:
            continue
        at, end = int(m[1], 16), int(m[1], 16) + int(m[2], 16)
        for start, stop, _, _ in sections:
            if stop <= at or start >= end:
                continue
            if at < start:
                rest.append((at, start, '', 'rest'))
            at = max(at, stop)
        if at < end:
            rest.append((at, end, '', 'rest'))
    return sorted(sections + rest)


def symbols_of(path):
    """(start, size, type, bind, name, group) of symbols that may name code; group 0 is exported."""
    out, group = [], 0
    for line in readelf('-sW', path):
        if line.startswith('Symbol table'):
            group += 1
        f = line.split(None, 7)
        if len(f) < 7 or not f[0].rstrip(':').isdigit():
            continue
        name = f[7] if len(f) > 7 else ''
        name = re.sub(r' \(\d+\)$', '', name)
        name = name[:1] + re.sub(r'@.*', '', name[1:])
        if f[3] == 'FILE':
            group += 1
        elif f[3] in ('FUNC', 'IFUNC', 'NOTYPE') and name and f[6] not in ('UND', 'ABS', 'COM'):
            out.append((int(f[1], 16), int(f[2], 0), f[3], f[4], name, group if f[4] == 'LOCAL' else 0))
    return out


def frames_of(path):
    out = []
    for line in readelf('--debug-dump=frames', path):
        m = re.search(r' FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)', line)
        if m and int(m[1], 16) < int(m[2], 16):
            out.append((int(m[1], 16), int(m[2], 16)))
    return sorted(out)


def name_key(s):
    _, _, kind, bind, name, _ = s
    bars = 0 if name[:2] in ('_Z', '_R') else len(name) - len(name.lstrip('_'))
    raw = name.encode('utf-8', 'surrogateescape')
    return (kind == 'NOTYPE', bind == 'LOCAL', bars, len(raw), bind == 'WEAK', raw)


def owners_of(symbols, frames, areas):
    """Functions with a start of their own: dicts, by start."""
    def area_at(address):
        return next((a for a in areas if a[0] <= address < a[1]), None)

    code = [a for a in areas if a[3] == 'code']
    symbols = [s for s in symbols if any(a[0] <= s[0] < a[1] for a in code)]
    frames = [f for f in frames if any(a[0] <= f[0] < a[1] for a in code)]
    frame_end = {}
    for start, end in frames:
        frame_end[start] = max(frame_end.get(start, 0), end)
    at = {}
    for s in symbols:
        at.setdefault(s[0], []).append(s)
    owners, sized_to, framed_to = [], 0, 0
    for start in sorted(set(at) | set(frame_end)):
        group = at.get(start, [])
        end = start + max([s[1] for s in group], default=0)
        limit = area_at(start)[1]
        framed = start in frame_end
        untyped = end == start and all(s[2] == 'NOTYPE' for s in group)
        in_frame = start < framed_to and not framed and all(s[3] == 'LOCAL' for s in group)
        if group and not (untyped and (start < sized_to or in_frame)):
            best = min(group, key=name_key)
            flags = 'I' if any(s[2] == 'IFUNC' for s in group) else ''
            if end == start and framed:
                end = frame_end[start]
            owners.append({'start': start, 'end': min(end, limit), 'name': best[4], 'group': best[5], 'flags': flags})
        elif not group and start >= sized_to:
            owners.append({'start': start, 'end': min(frame_end[start], limit), 'name': '%#x' % start, 'group': 0,
                           'flags': 'F'})
        sized_to = max([sized_to] + [min(start + s[1], limit) for s in group])
        framed_to = max(framed_to, min(frame_end.get(start, 0), limit))
    for i, o in enumerate(owners):
        if o['end'] == o['start']:
            o['end'] = area_at(o['start'])[1]
            if i + 1 < len(owners):
                o['end'] = min(o['end'], owners[i + 1]['start'])
            o['flags'] += 'N'
    return owners, symbols


def link_pieces(owners, symbols):
    start_of = {}
    index = {o['start']: i for i, o in enumerate(owners)}
    for s in sorted(symbols, key=lambda s: s[0]):
        if s[0] in index:
            start_of.setdefault((s[4], s[5]), index[s[0]])
    for i, o in enumerate(owners):
        ends = [m.start() for m in re.finditer(r'(?<=.)\.(cold(?=\.|$)|part\.(?=\d))', o['name'])]
        base = o['name'][:ends[-1]] if ends else None
        o['parent'] = start_of.get((base, o['group']), start_of.get((base, 0), i)) if base else i


def root(owners, i):
    while owners[i]['parent'] != i:
        i = owners[i]['parent']
    return i


def expected(path):
    areas = areas_of(path)
    owners, symbols = owners_of(symbols_of(path), frames_of(path), areas)
    link_pieces(owners, symbols)
    lines = []
    first = {}
    for start, end, name, kind in areas:
        if kind == 'plt':
            lines.append((start, end, start, 'P', name))
            continue
        inside = [i for i, o in enumerate(owners) if start <= o['start'] < end] if kind == 'code' else []
        paint = array.array('I', [0]) * (end - start)
        edges = {start, end}
        for i in inside:
            o = owners[i]
            paint[o['start'] - start:o['end'] - start] = array.array('I', [i + 1]) * (o['end'] - o['start'])
            edges |= {o['start'], o['end']}
        edges = sorted(edges)
        at = start
        for low, high in zip(edges, edges[1:]):
            if high < end and paint[high - start] == paint[low - start]:
                continue
            who = paint[low - start]
            if who:
                first.setdefault(who - 1, at)
            lines.append((at, high, who, None, None))
            at = high
    out = []
    for start, end, who, flags, name in lines:
        if flags is not None:
            out.append((start, end, who, flags, name))
        elif who == 0:
            out.append((start, end, start, 'G', ''))
        else:
            o = owners[who - 1]
            parent = first[root(owners, who - 1)]
            piece = 'p' if parent != start else ''
            order = 'PIGFpN'
            out.append((start, end, parent, ''.join(sorted(o['flags'] + piece, key=order.index)), o['name']))
    return sorted(out)


def dumped(tool, path):
    run = subprocess.run([tool, path], stdout=subprocess.PIPE, check=True)
    out = []
    for line in run.stdout.decode('utf-8', 'surrogateescape').splitlines():
        start, end, parent, flags, name = line.split(' ', 4)
        out.append((int(start, 16), int(end, 16), int(parent, 16), flags.rstrip('-'), name))
    return sorted(out)


def main():
    tool, paths = sys.argv[1], sys.argv[2:]
    passed = failed = 0
    for path in paths:
        if not os.path.exists(path):
            print('skipped: %s does not exist' % path)
            continue
        want, got = expected(path), dumped(tool, path)
        if want == got:
            passed += 1
            continue
        failed += 1
        print('%s: %d ranges expected, %d found' % (path, len(want), len(got)))
        for line in sorted(set(want) ^ set(got))[:20]:
            print('  %s %x %x parent %x %s %s' % ('missing' if line in want else 'surplus', *line))
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
