#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rooms: the folders inside core, an engine, profile and cli use each other in one direction only.

    rooms.py ROOT FOLDER OBJECTS

OBJECTS is where the objects of FOLDER's sources lie. One of them uses another if it needs a symbol that the other
defines (`nm`). No folder may be used by one that it uses itself, however many lie between; nor may more than four
objects of one folder use each other in a circle. Sources that lie in FOLDER itself are above all its folders or below
them, each a room of its own.
"""
import collections
import os
import re
import subprocess
import sys

import tree

LARGEST = 4


def symbols(path):
    """(defined, needed) by an object."""
    listed = subprocess.run(['nm', path], stdout=subprocess.PIPE, check=True).stdout.decode()
    defined = set(re.findall(r'^\w+ [TDBRVWCi] (\S+)$', listed, re.M))
    return defined, set(re.findall(r'^ +[Uw] (\S+)$', listed, re.M))


def circles(uses):
    """The strongly connected sets of more than one (Tarjan)."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in uses[node]:
            if other not in number:
                visit(other)
            if other in stack:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(uses):
        if node not in number:
            visit(node)
    return found


def main():
    root, folder, objects = sys.argv[1:]
    sources = [name for name in tree.files(root) if name.startswith(folder + '/') and name.endswith(('.c', '.S'))]
    definer, needs = {}, {}
    for source in sources:
        path = os.path.join(objects, source[len(folder) + 1:].replace('/', '_') + '.o')
        if os.path.exists(path):
            defined, needs[source] = symbols(path)
            definer.update(dict.fromkeys(defined, source))
    uses = {source: {definer[symbol] for symbol in needed if symbol in definer} - {source}
            for source, needed in needs.items()}

    rooms, through = collections.defaultdict(set), {}
    room_of = {source: source if os.path.dirname(source) == folder else os.path.dirname(source) for source in uses}
    for source, others in uses.items():
        rooms[room_of[source]] |= {room_of[other] for other in others} - {room_of[source]}
        for other in others:
            through.setdefault((room_of[source], room_of[other]), []).append(f'{source} uses {other}')
    cases = tree.Cases()
    cases.case(folder, [] if uses else [f'there are no objects in {objects}'])
    cases.case(f'{folder}: folders', [
        'these use each other: ' + ', '.join(circle) + ''.join(
            '\n  ' + line for (user, used), lines in sorted(through.items())
            if user in circle and used in circle and user != used for line in lines) for circle in circles(rooms)])
    for room in sorted(rooms):
        inside = {source: {other for other in others if room_of[other] == room}
                  for source, others in uses.items() if room_of[source] == room}
        cases.case(room, [f'{len(circle)} objects use each other: ' + ', '.join(map(os.path.basename, circle))
                          for circle in circles(inside) if len(circle) > LARGEST])
    cases.finish()


main()
