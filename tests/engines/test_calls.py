# SPDX-License-Identifier: GPL-2.0-or-later
"""Control flow of guests/calls.S, by arithmetic."""
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


if __name__ == "__main__":
    harness.main()
