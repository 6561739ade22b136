# SPDX-License-Identifier: GPL-2.0-or-later
"""table.py: the cases of cases.py, a row each.

source   the program; `name` is that of the case
kinds    of advice that say the right remedy
data     a regular expression that occurs in the name of the data structure; None: there is none
options  of `tenure record`, besides caches and --patterns=yes
flags    of the compiler
time     the scale for `--time`, where it is run on the bare CPU
known    the checks that fail today

A new case is one file for both twins: its first comment says problem and repair, `-DREPAIRED` makes the twin (in Rust
`--cfg=repaired`, in Go the argument `repaired`), and the first argument scales the data, which the caches do not hold.
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
    case("loop_order_2d.c", "stride", "in make_grid", time=7),
    case("loop_order_3d.c", "stride", "in make_field", time=4),
    case("short_rows.c", "stride", "in make_table", name="short_rows_80", flags=["-DROW=10"], time=40),
    case("short_rows.c", "stride", "in make_table", name="short_rows_160", flags=["-DROW=20"], time=40),
    case("column_vectors.cpp", "stride", "in make_table", time=7),
    case("skipped_rows.c", "stride", "in make_table"),
    case("block_product.c", "blocking", "in make_second", time=3),
    case("block_transpose.c", "blocking stride", "in make_turned", time=7),
    case("fusion_steps.c", "fusion", "in make_values", time=30),
    case("fusion_once.c", "fusion", "in make_values", time=40, known="saving"),
    case("pad_rows.c", "conflict", "in make_image", time=64),
    # layout
    case("aos_soa.c", "fields", "in make_particles", time=30),
    case("idle_regular.c", "fields", "in make_orders", time=40),
    case("idle_random.c", "fields", "in make_accounts", time=40),
    case("heap_gaps.c", "gaps", "in make_numbers", time=40),
    # order of data
    case("chase_order.c", "list", "in make_chain", time=20),
    case("list_vector.cpp", "list", "in make_values", time=20),
    case("map_sorted.cpp", "tree", "in make_prices", time=20),
    case("chain_open.c", "chain", "in put", time=32),
    case("binary_search.c", "search", "in make_keys", time=20),
    case("csr_order.c", "random", "in make_vector", time=4),
    case("hubs.c", "random", "in make_ranks", time=40, known="silent"),
    case("gather_sorted.c", "random", "in make_values", time=40),
    case("sort_lookup.c", "random", "in make_prices", time=30, known="saving"),
    case("strings.c", "gaps random", "in make_words", time=40),
    case("histogram.c", "random", "in make_bins", time=40),
    # what is loaded for nothing, or too wide
    case("hot_counter.c", "fields", "in make_ring", time=40),
    case("stream.c", "stream", "in make_picture", time=40),
    case("write_once.c", "stream", "in make_results", time=20, known="saving"),
    case("reuse_buffer.c", "reuse", "in make_arena", time=40),
    case("narrow.c", "narrow", "in make_prices", options=["--curves=yes"], time=100),
    case("narrow_random.c", "narrow", "in make_counts", options=["--curves=yes"], time=100),
    case("pages.c", "pages", "in make_pages", options=["--tlb=yes"], time=64),
    # threads, calls
    case("false_sharing.c", "false_sharing", "counters", options=["--coherence=mesi"], time=300),
    case("beside_counter.c", "false_sharing", "state", options=["--coherence=mesi"], time=2000),
    case("true_sharing.c", "true_sharing", "total", options=["--coherence=mesi"], time=100),
    case("virtual_calls.cpp", "indirect", options=["--branch-sim=yes"], time=10),
    # other languages
    case("columns.F90", "stride", "in .*make_field", time=7, flags=["-fno-tree-vectorize"]),
    case("cells.F90", "fields", "in .*make_cells", time=40),
    case("boxes.rs", "gaps", "in .*make_numbers", time=40),
    case("gather.rs", "random", "in .*make_values", time=40),
    case("records.rs", "fields", "in .*make_records", time=40),
    case("rows.go", "stride", "in .*makeTable", time=7),
    case("pointers.go", "random", "in .*makePoints", time=40, known="silent"),
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
    control("control_vector.F90"),
]
