# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts: exactly Cachegrind's where engine/CONTRACT.md promises it, and the same however a block is run."""
import collections

import harness

EVENTS = ["Ir", "Dr", "Dw", "I1mr", "ILmr", "D1mr", "D1mw", "DLmr", "DLmw"]


class Counts(harness.EngineTest):
    def test_equals_cachegrind(self):
        program = self.guest("mix.c", "-lm")
        both = {"VALGRIND_LIB": self.common_folder()} # the environment's size moves the stack
        expected = self.cachegrind(*harness.GEOMETRY, program, env=both)
        totals = self.profile(*harness.GEOMETRY, "--clean-environment=no", program, env=both).totals()
        self.assertGreater(expected["D1mr"], 10000)
        self.assertEqual({event: totals[event] for event in EVENTS}, {event: expected[event] for event in EVENTS})

    def test_branches_equal_cachegrind(self):
        """Up to the retries of locked instructions, which are no branches here: mix.c has none that retries,
        but Cachegrind counts each of them once."""
        program = self.guest("calls.S", "-nostdlib")
        expected = self.cachegrind("--branch-sim=yes", *harness.GEOMETRY, program)
        totals = self.profile(*harness.GEOMETRY, "--branch-sim=yes", program).totals()
        for event in ("Bc", "Bcm", "Bi", "Bim"):
            self.assertEqual(totals[event], expected[event], event)

    def test_cold_and_hot_blocks_agree(self):
        program = self.guest("mix.c", "-lm")
        options = [*harness.GEOMETRY, "--branch-sim=yes"]
        cold = self.profile(*options, program)
        hot = self.profile(*options, "--cold-blocks=no", program)
        self.assertEqual(cold.totals(), hot.totals())
        self.assertEqual(cold.self_by_function(), hot.self_by_function())
        self.assertEqual(cold.calls(), hot.calls())

    def test_way_tables(self):
        """An access whose lines meet another's is moved to another table: nothing that is counted changes."""
        program = self.guest("tables.c")
        for line in (16, 64, 256):
            options = [f"--I1=16384,2,{line}", f"--D1=16384,4,{line}", f"--LL=262144,8,{line}", "--write-back=yes"]
            stays = self.profile(*options, "--alias-limit=4000000000", program)
            self.assertEqual(stays.stats["accesses moved"], 0)
            for more in ([], ["--cold-blocks=no"]):
                moves = self.profile(*options, "--alias-limit=1", *more, program)
                self.assertGreater(moves.stats["accesses moved"], 20, (line, more))
                self.assertEqual(moves.totals(), stays.totals(), (line, more))
                self.assertEqual(moves.self_by_function(), stays.self_by_function(), (line, more))

    def test_translations_are_sound(self):
        """VEX's own checks of a block's form, which the engine leaves out of every other run, pass for all kinds of
        blocks: cold, hot, and those that promotion, collection and other geometries make."""
        mix, calls = self.guest("mix.c", "-lm"), self.guest("calls.S", "-nostdlib")
        longer = [f"--{cache}=65536,8,128" for cache in ("I1", "D1", "LL")]
        shorter = ["--I1=4096,2,16", "--D1=4096,2,16", "--LL=65536,8,16"]
        for hot in ([], ["--cold-blocks=no"]):
            for more in ([], ["--branch-sim=yes"], ["--cacheuse=no"], ["--inclusive=no"], ["--cache-sim=no",
                         "--branch-sim=yes"], ["--toggle-collect=main"], longer, shorter):
                options = [*harness.GEOMETRY, *more, *hot]
                self.tenure("--check-translation=yes", *options, mix)
                self.tenure("--check-translation=yes", *options, calls)

    def test_faults(self):
        """What stands behind an instruction that faults does not count, and the program goes on with the registers it
        had (guests/faults.S). Ir, Dr, Dw of a whole call, and of one with a fault:"""
        program = self.guest("faults.S", "-nostdlib")
        calls = {"load": ((7, 3, 1), (8, 4, 1)), "through": ((5, 4, 1), (6, 5, 2)),
                 "within": ((3, 3, 0), (4, 4, 0)), "beside": ((5, 5, 0), (6, 6, 0)), "divide": ((7, 2, 2), (5, 1, 1))}
        for arguments, rounds, deadly in (([], 0, 0), (["hot"], 20000, 0), (["hot", "deadly"], 20000, 1)):
            totals = []
            for option in ("--cold-blocks=yes", "--cold-blocks=no", "--cacheuse=no", "--toggle-collect=_start"):
                raw = self.profile(*harness.GEOMETRY, "--branch-sim=yes", option, program, *arguments, ok=not deadly)
                own = raw.self_by_function()
                for name, (whole, faulting) in calls.items():
                    last = (4, 2, 0) if deadly and name == "load" else (0, 0, 0)
                    expected = [rounds * w + 10 * f + d for w, f, d in zip(whole, faulting, last)]
                    self.assertEqual([own[name][e] for e in EVENTS[:3]], expected, (name, option, arguments))
                totals.append(raw.totals())
            self.assertEqual(totals[0], totals[1], arguments)

    def test_line_sizes(self):
        """Every line size runs, and all use adds up: distinct + lost bytes = tenures x line."""
        program = self.guest("mix.c", "-lm")
        for line in (16, 32, 64, 128, 1024):
            options = [f"--I1=16384,2,{line}", f"--D1=16384,4,{line}", f"--LL=262144,8,{line}"]
            hot = self.profile(*options, "--cold-blocks=no", program).totals()
            cold = self.profile(*options, program).totals()
            self.assertEqual(hot, cold, line)
            for level in ("I1", "D1"):
                self.assertEqual(hot[f"Use{level}"] + hot[f"SpLoss{level}"], hot[f"Ev{level}"] * line, (line, level))

    def test_policies(self):
        """With every policy cold blocks and hot ones agree; the profile names it, and it changes what is missed."""
        program = self.guest("mix.c", "-lm")
        missed = set()
        for policy in ("lru", "plru", "rrip"):
            options = [f"--{cache}=4096,4,64,{policy}" for cache in ("I1", "D1")] + [f"--LL=65536,8,64,{policy}"]
            cold = self.profile(*options, program)
            hot = self.profile(*options, "--cold-blocks=no", program)
            self.assertEqual(cold.totals(), hot.totals(), policy)
            self.assertEqual(cold.meta["cache.D1"], "4096,4,64" + ("" if policy == "lru" else "," + policy))
            missed.add(tuple(cold.totals()[event] for event in ("I1mr", "D1mr", "DLmr")))
        self.assertEqual(len(missed), 3)

    def test_second_level(self):
        """L2 has counters of its own, changes nothing above it, and leaves the last level what it misses."""
        program = self.guest("mix.c", "-lm")
        without = self.profile(*harness.GEOMETRY, program).totals()
        raw = self.profile(*harness.GEOMETRY, "--L2=16384,4,64", program)
        totals = raw.totals()
        self.assertEqual(raw.meta["cache.L2"], "16384,4,64")
        for event in ("Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "SpLossD1"):
            self.assertEqual(totals[event], without[event], event)
        self.assertNotIn("D2mr", +without)
        for first, second, last in (("I1mr", "I2mr", "ILmr"), ("D1mr", "D2mr", "DLmr"), ("D1mw", "D2mw", "DLmw")):
            self.assertLess(totals[second], totals[first])
            self.assertGreaterEqual(totals[second], totals[last])
        self.assertGreater(totals["EvD2"], 0)
        for level in ("I2", "D2"):
            self.assertEqual(totals[f"Use{level}"] + totals[f"SpLoss{level}"], totals[f"Ev{level}"] * 64, level)

    def test_write_backs(self):
        """They change nothing else, blocks cold and hot agree, and a level carries at most what it evicts."""
        program = self.guest("mix.c", "-lm")
        for line in (16, 64, 256):
            options = [f"--I1=16384,2,{line}", f"--D1=16384,4,{line}", f"--LL=262144,8,{line}"]
            without = self.profile(*options, program).totals()
            cold = self.profile(*options, "--write-back=yes", program).totals()
            hot = self.profile(*options, "--simulate-wb=yes", "--cold-blocks=no", program).totals()
            self.assertEqual(cold, hot, line)
            written = {event: cold.pop(event) for event in ("WbD1", "WrtD1", "WbL", "WrtL")}
            self.assertEqual(+cold, +without, line)
            for level in ("D1", "L"):
                self.assertGreater(written["Wb" + level], 100, (line, level))
                self.assertLessEqual(written["Wb" + level], cold["Ev" + level], (line, level))
                self.assertLessEqual(written["Wrt" + level], cold["Use" + level], (line, level))

    def test_prefetch(self):
        """Cold blocks and hot ones prefetch the same, and nothing at level 1 changes."""
        program = self.guest("mix.c", "-lm")
        options = ["--I1=16384,2,64", "--D1=16384,4,64", "--LL=262144,8,64"]
        without = self.profile(*options, program).totals()
        cold = self.profile(*options, "--prefetch=stream", program).totals()
        hot = self.profile(*options, "--simulate-hwpref=yes", "--cold-blocks=no", program).totals()
        self.assertEqual(cold, hot)
        self.assertGreater(cold["PfL"], 100)
        self.assertLess(cold["DLmr"] + cold["DLmw"] + cold["ILmr"], without["DLmr"] + without["DLmw"] + without["ILmr"])
        for event in ("Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "EvD1", "UseD1"):
            self.assertEqual(cold[event], without[event], event)

    def test_less_is_consistent(self):
        """Leaving out use, calls or caches changes nothing else."""
        program = self.guest("mix.c", "-lm")
        full = self.profile(*harness.GEOMETRY, program).totals()
        for option, events in (("--cacheuse=no", EVENTS), ("--inclusive=no", EVENTS)):
            totals = self.profile(*harness.GEOMETRY, option, program).totals()
            self.assertEqual({e: totals[e] for e in events}, {e: full[e] for e in events}, option)
        totals = self.profile("--cache-sim=no", "--branch-sim=yes", program).totals()
        self.assertEqual([totals[e] for e in ("Ir", "Dr", "Dw")], [full[e] for e in ("Ir", "Dr", "Dw")])

    def test_sums(self):
        """Instructions, functions and the root's inclusive costs give the same totals."""
        raw = self.profile(*harness.GEOMETRY, self.guest("mix.c", "-lm"))
        totals = raw.totals()
        of_functions = sum(raw.function_self.values(), collections.Counter())
        self.assertEqual(+of_functions, +totals)
        for costs in raw.function_incl.values():
            for event, value in costs.items():
                self.assertLessEqual(value, totals[event], event)


if __name__ == "__main__":
    harness.main()
