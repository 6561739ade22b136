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
    # loops
    case("loop_order_2d.c", "stride", "in make_grid"),
    case("loop_order_3d.c", "stride", "in make_field"),
    case("short_rows.c", "stride", "in make_table", name="short_rows_80", flags=["-DROW=10"], known="remedy"),
    case("short_rows.c", "stride", "in make_table", name="short_rows_160", flags=["-DROW=20"], known="remedy"),
    case("column_vectors.cpp", "stride", "in make_table", known="saving"),
    case("block_product.c", "blocking", "in make_second"),
    case("block_transpose.c", "blocking stride", "in make_turned"),
    case("fusion_steps.c", "fusion", "in make_values", known="remedy silent"),
    case("fusion_once.c", "fusion", "in make_values", known="line data remedy saving"),
    case("pad_rows.c", "conflict", "in make_image"),
    # layout
    case("aos_soa.c", "fields", "in make_particles", known="line data remedy saving"),
    case("idle_regular.c", "fields", "in make_orders"),
    case("idle_random.c", "fields", "in make_accounts"),
    case("heap_gaps.c", "gaps", "in make_numbers"),
    # order of data
    case("chase_order.c", "random", "in make_chain"),
    case("list_vector.cpp", "random gaps", "in make_values", known="saving sure"),
    case("map_sorted.cpp", "random gaps", "in make_prices", known="line saving"),
    case("chain_open.c", "random gaps", "in put", known="saving sure"),
    case("binary_search.c", "random", "in make_keys", known="saving"),
    case("csr_order.c", "random", "in make_vector"),
    case("hubs.c", "random", "in make_ranks"),
    case("gather_sorted.c", "random", "in make_values"),
    case("sort_lookup.c", "random", "in make_prices", known="saving"),
    case("strings.c", "gaps random", "in make_words", known="saving"),
    case("histogram.c", "random", "in make_bins", known="line data remedy saving"),
    # what is loaded for nothing, or too wide
    case("hot_counter.c", "fields", "in make_ring"),
    case("narrow.c", "narrow", "in make_ages", known="line data remedy saving"),
    case("stream.c", "stream", "in make_picture", known="saving sign silent"),
    case("write_once.c", "stream", "in make_results", known="saving sign silent"),
    case("reuse_buffer.c", "reuse", "in make_arena", known="line data remedy saving"),
    case("pages.c", "pages", "in make_pages", known="line data remedy saving"),
    # threads, calls
    case("false_sharing.c", "false_sharing", "counters", options=["--coherence=mesi"], known="saving sure"),
    case("beside_counter.c", "false_sharing", "state", options=["--coherence=mesi"], known="saving sure"),
    case("true_sharing.c", "true_sharing", "total", options=["--coherence=mesi"], known="line data remedy saving"),
    case("virtual_calls.cpp", "indirect", options=["--branch-sim=yes"]),
    # other languages
    case("columns.F90", "stride", "in .*make_field", known="saving"),
    case("cells.F90", "fields", "in .*make_cells", known="line data remedy saving"),
    case("boxes.rs", "gaps", "in .*make_numbers", known="line data remedy saving"),
    case("gather.rs", "random", "in .*make_values", known="line data remedy saving"),
    case("records.rs", "fields", "in .*make_records", known="line data remedy saving"),
    case("rows.go", "stride", "in .*makeTable", known="data"),
    case("pointers.go", "random", "in .*makePoints", known="data"),
]

CONTROLS = [
    control("control_sum.c"),
    control("control_dgemm.c"),
    control("control_triad.c"),
    control("control_hash.c"),
    control("control_radix.c"),
    control("control_small.c"),
    control("control_stencil.c"),
    control("control_eytzinger.c"),
    control("control_bits.c"),
    control("control_copy.c"),
    control("control_search.c"),
    control("control_sorted.cpp"),
    control("control_vector.F90", known="silent"),
]
