# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benchmark runs under python3: parsing, dictionaries, objects, sorting, a search. ROUNDS is its size.

    objects.py ROUNDS
"""
import json
import sys


class Account:
    __slots__ = ("name", "balance", "history")

    def __init__(self, name):
        self.name = name
        self.balance = 0
        self.history = []

    def post(self, amount):
        self.balance += amount
        self.history.append(amount)


def numbers(count, state):
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        yield state >> 8


def accounts(seed):
    book = {}
    for number in numbers(4000, seed):
        name = "account-%d" % (number % 700)
        if name not in book:
            book[name] = Account(name)
        book[name].post(number % 1000 - 500)
    return sorted(book.values(), key=lambda account: (account.balance, account.name))


def as_text(book):
    text = json.dumps([{"name": a.name, "balance": a.balance, "history": a.history} for a in book], indent=1)
    return sum(len(entry["history"]) for entry in json.loads(text)) + len(text.split())


def queens(size, row=0, columns=0, left=0, right=0):
    if row == size:
        return 1
    found = 0
    for column in range(size):
        bit = 1 << column
        if not (columns & bit or left & bit or right & bit):
            found += queens(size, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return found


def main():
    total = 0
    for round_number in range(int(sys.argv[1])):
        total += as_text(accounts(round_number)) + queens(6)
    print(total)


main()
