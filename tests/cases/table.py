# SPDX-License-Identifier: GPL-2.0-or-later
"""table.py: the cases of cases.py, a row each.

source   the program; `name` is that of the case
kinds    of advice that say the right remedy
data     a regular expression that occurs in the name of the data structure; None: there is none
options  of `tenure record`, besides caches and --patterns=yes
flags    of the compiler
time     the scale for `--time`, where it is run on the bare CPU
known    the checks that fail today
"""
import dataclasses


@dataclasses.dataclass
class Case:
    name: str
    source: str
    kinds: tuple = ()
    data: str = None
    options: tuple = ()
    flags: tuple = ()
    time: int = 0
    known: frozenset = frozenset()
    control: bool = False


def case(source, kinds, data=None, known="", **more):
    name = more.pop("name", source.rsplit(".", 1)[0])
    return Case(name, source, tuple(kinds.split()), data, known=frozenset(known.split()), **more)


def control(source, known="", **more):
    return Case(source.rsplit(".", 1)[0], source, control=True, known=frozenset(known.split()), **more)


CASES = [
    case("loop_order_2d.c", "stride", "in make_grid"),
    case("heap_gaps.c", "gaps", "in make_numbers"),
    case("idle_regular.c", "fields", "in make_orders"),
    case("chase_order.c", "random", "in make_chain"),
]

CONTROLS = [
    control("control_sum.c"),
]
