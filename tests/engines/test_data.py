# SPDX-License-Identifier: GPL-2.0-or-later
"""Data objects of guests/data.c and news.cpp, and of tests/guests/blocks.c: blocks by allocation path, misses by
object. The same in both engines.
"""
import os
import subprocess

import harness

GUESTS = os.path.join(harness.HERE, "..", "guests")


class DataTest(harness.EngineTest):
    def blocks(self, raw, below):
        """Last two functions of allocation paths below `below` -> began, ended, bytes, largest."""
        found = {}
        for ident, blocks in raw.blocks.items():
            path = raw.path_of(raw.data[ident].origin)
            if below in path:
                old = found.get(path[path.index(below) + 1:], [0, 0, 0, 0])
                found[path[path.index(below) + 1:]] = [a + b for a, b in zip(old, blocks)]
        return found

    def misses(self, raw, *name):
        costs = raw.by_data()[name]
        return costs["D1mr"] + costs["D1mw"]


class C(DataTest):
    options, static = [], False

    def setUp(self):
        super().setUp()
        self.raw = self.profile(*harness.GEOMETRY, *self.options,
                                self.guest("data.c", "-fcommon", "-fno-builtin", "-pthread", static=self.static))

    def check(self, below, expected):
        self.assertEqual(self.blocks(self.raw, below), expected)

    def test_heap(self):
        self.check("by_malloc", {("malloc",): [100, 50, 100000, 1000]})
        self.check("by_calloc", {("calloc",): [1, 0, 10000, 10000]})
        self.check("by_realloc", {("realloc",): [5, 5, 1111100, 1000000], ("reallocarray",): [1, 1, 2000000, 2000000],
                                  ("malloc",): [1, 1, 10, 10]})
        self.check("by_strdup", {("strdup", "malloc"): [1, 1, 70, 70]})

    def test_alignment(self):
        """memalign and aligned_alloc are one function to glibc."""
        found = self.blocks(self.raw, "by_alignment")
        sums = [sum(blocks[i] for blocks in found.values()) for i in range(3)]
        self.assertEqual(sums, [5, 5, 1000 + 2000 + 3000 + 4000 + 4096])
        self.assertEqual(found["posix_memalign",], [1, 1, 1000, 1000])

    def test_others(self):
        """Each line of these is touched once, and there are more of them than D1 has."""
        static = [name for name in self.raw.by_data() if name[0] == "static"]
        for name in ("table", "common_block"):
            self.assertEqual([x[1:] for x in static if x[1] == name], [(name, "data")])
            self.assertEqual(self.misses(self.raw, "static", name, "data"), 1024)
        mappings = {path: costs for path, costs in self.raw.by_data().items() if path[0] == "mapping"}
        mine = {path[-1]: costs["D1mr"] + costs["D1mw"] for path, costs in mappings.items() if "mapped" in path}
        self.assertEqual(sorted(mine.values()), [1024, 1024], mappings.keys())
        self.assertIn("mremap", mine)

    def test_stacks(self):
        """20000 bytes are written, then every line of them read: D1 holds 4096 bytes."""
        stacks = [name for name in self.raw.by_data() if name[0] == "stack"]
        self.assertEqual(stacks, [("stack", 1), ("stack", 2)])
        self.assertGreaterEqual(self.misses(self.raw, "stack", 2), 2 * 20000 // 64)
        self.assertLess(self.misses(self.raw, "stack", 2), 2 * 20000 // 64 + 100)

    def test_threads(self):
        """A thread frees another one's block."""
        self.check("by_thread", {**{path: blocks for path, blocks in self.blocks(self.raw, "by_thread").items()
                                    if path != ("malloc",)}, ("malloc",): [1, 1, 2000, 2000]})
        self.check("in_thread", {("malloc",): [1, 1, 1000, 1000]})

    def test_sums(self):
        """What data accesses miss is charged to data objects, each miss to one."""
        total, objects = self.raw.totals(), self.raw.by_data().values()
        for event in ("D1mr", "D1mw", "DLmr", "DLmw", "SpLossD1", "TchD1", "EvD1"):
            self.assertEqual(sum(costs[event] for costs in objects), total[event], event)

    def test_pool(self):
        """Without the option the pool's memory is one block."""
        self.check("by_pool", {("malloc",): [1, 0, 100000, 100000]})
        self.check("by_wrapper", {("xmalloc", "malloc"): [1, 0, 1000, 1000]})


class Options(DataTest):
    def test_functions(self):
        program = self.guest("data.c", "-fcommon", "-fno-builtin", "-pthread", static=False)
        raw = self.profile(*harness.GEOMETRY, "--alloc-fn=pool_get:2", "--free-fn=pool_put:2", "--alloc-fn=xmal*",
                           program)
        self.assertEqual(self.blocks(raw, "by_pool"),
                         {("malloc",): [1, 0, 100000, 100000], ("pool_get",): [100, 25, 100000, 1000]})
        self.assertEqual(self.blocks(raw, "by_wrapper"), {("xmalloc",): [1, 0, 1000, 1000]})
        path = next(name for name in raw.by_data() if name[-2:] == ("by_pool", "pool_get"))
        self.assertGreater(self.misses(raw, *path), 70 * 1000 // 64)

    def test_no_data(self):
        raw = self.profile(*harness.GEOMETRY, "--data=no", self.guest("data.c", "-pthread"))
        self.assertEqual((raw.data, raw.meta["data"]), ({}, "no"))
        for options in (["--inclusive=no"], ["--cache-sim=no", "--branch-sim=yes"]):
            raw = self.profile(*harness.GEOMETRY, *options, os.path.join(self.folder, "data"))
            self.assertEqual((raw.data, raw.meta["data"]), ({}, "no"))
            done = self.tenure(*options, "--data=yes", "/bin/true", ok=False)
            self.assertEqual(done.returncode, 125)
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertIn(b"data objects are known only where calls are followed", done.stderr)
        for wrong in ("--data=maybe", "--alloc-fn=", "--alloc-fn=f:0", "--free-fn=f:5", "--free-fn=:1"):
            done = self.tenure(wrong, "/bin/true", ok=False)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (125, 1), (wrong, done.stderr))


class Static(C):
    static = True

    def test_others(self):
        """The symbols of a static program are its own."""
        names = [name for name in self.raw.by_data() if name[0] == "static"]
        self.assertIn(("static", "table", "data"), names)
        self.assertEqual(self.misses(self.raw, "static", "table", "data"), 1024)


class Bare(DataTest):
    def test_blocks(self):
        """By arithmetic; walk misses what make_list has allocated, since D1 holds 64 lines."""
        program = os.path.join(self.folder, "blocks")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-g", "-ffreestanding", "-fno-pie", "-no-pie", "-static",
                        "-nostdlib", "-fno-optimize-sibling-calls", "-fno-builtin", "-fno-stack-protector",
                        "-fcf-protection=none", "-o", program, os.path.join(GUESTS, "start.S"),
                        os.path.join(GUESTS, "blocks.c")], check=True)
        raw = self.profile(*harness.GEOMETRY, "--alloc-fn=pool_get:2", program)
        self.assertEqual(self.blocks(raw, "make_list"), {("malloc",): [400, 200, 25600, 64]})
        self.assertEqual(self.blocks(raw, "make_twice"),
                         {("malloc",): [1, 1, 100, 100], ("realloc",): [1, 0, 300, 300]})
        self.assertEqual(self.blocks(raw, "make_pool"),
                         {("malloc",): [1, 0, 3200, 3200], ("pool_get",): [100, 0, 3200, 32]})
        data = {name[-2:]: costs for name, costs in raw.by_data().items()}
        self.assertEqual(data["make_list", "malloc"]["D1mw"], 400)
        self.assertGreaterEqual(data["make_list", "malloc"]["D1mr"], 3 * (400 - 64))
        self.assertEqual(data["table", "blocks"]["D1mr"], 512)
        self.assertEqual(data["map_some", "system_pages"]["D1mr"], 1024)


class Cpp(DataTest):
    def test_new(self):
        program = os.path.join(self.folder, "news")
        compiler = os.environ.get("CXX", "c++")
        try:
            subprocess.run([compiler, "-O0", "-g", "-std=c++17", "-fno-builtin", "-o", program,
                            os.path.join(harness.HERE, "guests", "news.cpp")], check=True)
        except FileNotFoundError:
            self.skipTest("no C++ compiler")
        raw = self.profile(*harness.GEOMETRY, program)
        totals = {}
        for below in ("one", "two", "grow", "text"):
            found = [(path[-1], blocks) for path, blocks in
                     ((raw.path_of(raw.data[i].origin), b) for i, b in raw.blocks.items())
                     if any(below + "v" in part for part in path)]
            totals[below] = sorted((name, *blocks) for name, blocks in found)
        self.assertEqual(totals["one"], [("_Znam", 1, 1, 400, 400)])
        self.assertEqual(totals["two"], [("_ZnwmRKSt9nothrow_t", 1, 1, 1, 1), ("_ZnwmSt11align_val_t", 1, 1, 256, 256)])
        self.assertEqual(totals["grow"], [("_Znwm", 11, 11, 8 * 2047, 8192)])
        self.assertEqual(totals["text"], [("_Znwm", 1, 1, 32, 32), ("_Znwm", 1, 1, 101, 101)])


class NativeC(C):
    engine = "native"


class NativeOptions(Options):
    engine = "native"


class NativeStatic(Static):
    engine = "native"


class NativeBare(Bare):
    engine = "native"


class NativeCpp(Cpp):
    engine = "native"


del DataTest

if __name__ == "__main__":
    harness.main()
