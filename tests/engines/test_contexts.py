# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions kept apart by callers and recursion: guests/contexts.S by arithmetic, and every sum over contexts."""
import collections

import harness


def by_address(raw):
    """Self costs of (thread, address), all contexts together."""
    result = collections.defaultdict(collections.Counter)
    for (thread, instr), costs in raw.self_costs.items():
        result[thread, raw.instrs[instr].address].update(costs)
    return {key: +costs for key, costs in result.items() if +costs}


class Contexts(harness.EngineTest):
    def contexts(self, *options):
        return self.profile(*harness.GEOMETRY, "--branch-sim=yes", *options, self.guest("contexts.S", "-nostdlib"))

    def test_callers_and_levels(self):
        for cold in ("yes", "no"):
            raw = self.contexts("--separate-callers=1", "--separate-recs=2", f"--cold-blocks={cold}")
            self.assertEqual(dict(raw.calls()), {
                ("_start", "a'_start"): 100,
                ("_start", "b'_start"): 100,
                ("a'_start", "leaf'a"): 100,
                ("b'_start", "leaf'b"): 200,
                ("_start", "rec'_start"): 1,
                ("rec'_start", "rec'2'_start"): 1,
                ("rec'2'_start", "rec'2'_start"): 4,
            })
            costs = raw.self_by_function()
            self.assertEqual({name: costs[name]["Ir"] for name in costs if not name.startswith("leaf")}, {
                "_start": 1 + 100 * 4 + 5, "a'_start": 200, "b'_start": 300,
                "rec'_start": 5, "rec'2'_start": 4 * 5 + 3})
            for event in ("Ir", "Dr", "Dw", "Bc"):
                self.assertGreater(costs["leaf'a"][event], 0)
                self.assertEqual(costs["leaf'b"][event], 2 * costs["leaf'a"][event], event)
            functions = {raw.name_of(context): +cost for context, cost in raw.function_self.items() if +cost}
            self.assertEqual(functions, {name: +cost for name, cost in costs.items()})
            inclusive = {raw.name_of(context): cost["Ir"] for context, cost in raw.function_incl.items()}
            self.assertEqual((inclusive["rec'_start"], inclusive["rec'2'_start"]), (28, 23))
            self.assertEqual(inclusive["a'_start"], 200 + costs["leaf'a"]["Ir"])

    def test_one_function(self):
        names = set(self.contexts("--separate-callers2=leaf", "--separate-recs=3=r?c").self_by_function())
        self.assertEqual(names, {"_start", "a", "b", "leaf'a'_start", "leaf'b'_start", "rec", "rec'2", "rec'3"})
        names = set(self.contexts("--separate-callers=1", "--separate-callers0=*a*", "--separate-callers=2=leaf",
                                  "--separate-callers=3=nosuch").self_by_function())
        self.assertEqual(names, {"_start", "a", "b'_start", "leaf'a'_start", "leaf'b'_start", "rec'_start"})

    def test_sums(self):
        """Contexts only divide: every event of every instruction is what it is without."""
        for program in (self.guest("contexts.S", "-nostdlib"), self.guest("mix.c", "-lm", static=False)):
            common = [*harness.GEOMETRY, "--branch-sim=yes", program]
            plain = self.profile(*common)
            for options in (["--separate-callers=3", "--separate-recs=3"], ["--separate-recs=4", "--cold-blocks=no"],
                            ["--separate-callers=1", "--collect-atstart=no", "--toggle-collect=main"]):
                apart = self.profile(*options, *common)
                if "--collect-atstart=no" not in options:
                    self.assertEqual(by_address(apart), by_address(plain), options)
                self.assertEqual(+sum(apart.function_self.values(), collections.Counter()), +apart.totals())

    def test_refusals(self):
        program = self.guest("contexts.S", "-nostdlib")
        for bad in ("callers=101", "callers=-1", "callers=x", "callers=", "callers3", "callers=2=", "callers2=",
                    "callers200=f", "recs=0", "recs0=f", "recs=2,3", "recs"):
            result = self.tenure(f"--separate-{bad}", program, ok=False)
            self.assertNotEqual(result.returncode, 0, bad)
            self.assertEqual(self.raw_files(), [], bad)
            if bad != "recs":
                self.assertEqual(result.returncode, 125, bad)
                self.assertEqual(len(result.stderr.decode().strip().splitlines()), 1, result.stderr)
        result = self.tenure("--separate-callers=1", "--inclusive=no", program, ok=False)
        self.assertIn(b"where calls are followed", result.stderr)


if __name__ == "__main__":
    harness.main()
