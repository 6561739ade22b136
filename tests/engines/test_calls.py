# SPDX-License-Identifier: GPL-2.0-or-later
"""Control flow of guests/calls.S, away.S and moved.S, by arithmetic."""
import collections

import harness


class Calls(harness.EngineTest):
    def setUp(self):
        super().setUp()
        self.raw = self.profile(*harness.GEOMETRY, self.guest("calls.S", "-nostdlib"))

    def test_calls(self):
        self.assertEqual(dict(self.raw.calls()), {
            ("_start", "direct"): 1000,
            ("_start", "indirect"): 1000,
            ("_start", "tail"): 1000,
            ("tail", "landing"): 1000,
            ("_start", "recursive"): 1,
            ("recursive", "recursive"): 10,
        })

    def test_self(self):
        instructions = {name: costs["Ir"] for name, costs in self.raw.self_by_function().items()}
        self.assertEqual(instructions, {
            "_start": 1 + 1000 * 8 + 5,
            "direct": 1000,
            "indirect": 2000,
            "tail": 2000,
            "landing": 3000,
            "recursive": 10 * 5 + 3,
        })

    def test_inclusive(self):
        """Recursion is charged once; a tail call belongs to its caller."""
        inclusive = {self.raw.name_of(context): costs["Ir"] for context, costs in self.raw.function_incl.items()}
        self.assertEqual(inclusive["recursive"], 53)
        self.assertEqual(inclusive["tail"], 5000)
        self.assertEqual(inclusive["_start"], self.raw.totals()["Ir"])


class Away(harness.EngineTest):
    """Calls that return into another function than the one that called."""

    def test_self(self):
        raw = self.profile(*harness.GEOMETRY, self.guest("away.S", "-nostdlib"))
        instructions = {name: costs["Ir"] for name, costs in raw.self_by_function().items()}
        self.assertEqual(instructions, {"_start": 3, "first": 200, "second": 200, "third": 203, "callee": 200})
        functions = {raw.name_of(context): costs["Ir"] for context, costs in raw.function_self.items()}
        self.assertEqual(functions, instructions)
        calls = raw.calls()
        self.assertEqual((calls["first", "callee"], calls["second", "callee"]), (100, 100))
        self.assertEqual((calls["first", "second"], calls["second", "third"]), (100, 100)) # jumps

    def test_stack_pointer_above_the_frame(self):
        """A function that calls from where its caller laid out arguments has not ended."""
        raw = self.profile(*harness.GEOMETRY, self.guest("moved.S", "-nostdlib"))
        functions = {raw.name_of(context): costs["Ir"] for context, costs in raw.function_self.items()}
        self.assertEqual(functions, {"_start": 304, "outer": 500, "mover": 1100, "leaf": 400})
        self.assertEqual(functions, {name: costs["Ir"] for name, costs in raw.self_by_function().items()})
        self.assertEqual(raw.calls(), {("_start", "outer"): 100, ("outer", "mover"): 100, ("mover", "leaf"): 200})

    def test_dynamic_program(self):
        """The dynamic linker's own _start is such a function. Costs of functions add up to the totals, and are
        those of their instructions."""
        program = self.guest("mix.c", "-lm", static=False)
        raw = self.profile(*harness.GEOMETRY, "--branch-sim=yes", program)
        self.assertTrue(any("ld-linux" in an_object.path for an_object in raw.objects.values()))
        self.assertEqual(+sum(raw.function_self.values(), collections.Counter()), +raw.totals())
        by_name = collections.defaultdict(collections.Counter)
        for context, costs in raw.function_self.items():
            by_name[raw.name_of(context)] += costs
        by_instruction = raw.self_by_function()
        for name in ("_start", "_dl_start_user", "_dl_start", "main"):
            self.assertEqual(by_name[name]["Ir"], by_instruction[name]["Ir"], name)


if __name__ == "__main__":
    harness.main()
