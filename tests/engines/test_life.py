# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads, signals, forks, exec, requests, and ends of all kinds. `work(n)` executes 3 n + 2 instructions."""
import os
import resource
import subprocess
import unittest

import harness
import rawfile


def work(*counts):
    return sum(3 * n + 2 for n in counts)


def instructions(raw, name="work"):
    return raw.self_by_function()[name]["Ir"]


class Requests(harness.EngineTest):
    def run_guest(self, what, *options):
        return self.profile(*harness.GEOMETRY, *options, self.guest("requests.c"), what)

    def test_running(self):
        program = self.guest("requests.c")
        self.assertEqual(self.tenure(program, "running", ok=False).returncode, 7)
        self.assertEqual(subprocess.run([program, "running"], check=False).returncode, 8)

    def test_dump(self):
        whole = self.run_guest("plain")
        for what in ("dump", "callgrind-dump"):
            raw = self.run_guest(what)
            self.assertEqual(raw.parts, ["middle", "exit"])
            self.assertEqual(instructions(raw), work(10, 100, 1000))
            self.assertEqual(instructions(raw), instructions(whole))

    def test_zero(self):
        self.assertEqual(instructions(self.run_guest("zero")), work(100, 1000))

    def test_collection(self):
        for what in ("off", "toggle"):
            self.assertEqual(instructions(self.run_guest(what)), work(10, 1000), what)
            self.assertEqual(instructions(self.run_guest(what, "--cold-blocks=no")), work(10, 1000), what)
        self.assertEqual(instructions(self.run_guest("toggle", "--collect-atstart=no")), work(100))
        self.assertEqual(instructions(self.run_guest("plain", "--toggle-collect=wor?")), work(10, 100, 1000))
        self.assertEqual(self.run_guest("plain", "--toggle-collect=work").totals()["Ir"], work(10, 100, 1000))

    def test_instrumentation(self):
        raw = self.run_guest("start", "--instr-atstart=no")
        self.assertEqual(instructions(raw), work(100))
        for what in ("callgrind-stop", "cachegrind-stop"):
            self.assertEqual(instructions(self.run_guest(what)), work(10, 1000))
        self.assertEqual(instructions(self.run_guest("start", "--instr-at-start=no")), work(100))

    def test_start_at_function(self):
        """From its first entry on, what the undivided run has behind its first part; warm caches make its misses."""
        upto = self.run_guest("plain", "--dump-before=work").upto
        later = {event: upto[-1][event] - upto[0][event] for event in ("Ir", "Dr", "Dw", "D1mr", "D1mw", "I1mr")}
        cold = self.run_guest("plain", "--start=work")
        warm = self.run_guest("plain", "--start=w?rk", "--warm=0")
        for raw in (cold, warm):
            self.assertEqual(instructions(raw), work(10, 100, 1000))
            self.assertEqual(raw.meta["started"], "yes")
            for event in ("Ir", "Dr", "Dw"):
                self.assertEqual(raw.totals()[event], later[event], event)
        for event in ("D1mr", "D1mw", "I1mr"):
            self.assertEqual(warm.totals()[event], later[event], event)
            self.assertGreaterEqual(cold.totals()[event], later[event], event)
        self.assertGreater(cold.totals()["I1mr"], later["I1mr"])
        self.assertEqual(warm.calls()["main", "work"], 2) # the first one is what led to the start
        some = self.run_guest("plain", "--start=work", "--warm=main").totals()
        self.assertLess(warm.totals()["I1mr"], some["I1mr"])
        self.assertLess(some["I1mr"], cold.totals()["I1mr"])
        never = self.run_guest("plain", "--start=nobody")
        self.assertEqual((never.meta["started"], never.totals().get("Ir", 0)), ("no", 0))

    def test_start_after_instructions(self):
        """What is counted before and what is recorded behind make the whole."""
        whole = self.run_guest("plain").totals()["Ir"]
        for asked in (1, 1000, whole // 2, whole - 3000):
            for options in ([], ["--warm=0"], ["--warm=%d" % (asked // 2)]):
                raw = self.run_guest("plain", "--start=%d" % asked, *options)
                begun = int(raw.meta["started"])
                self.assertEqual(begun + raw.totals()["Ir"], whole, options)
                self.assertGreaterEqual(begun, asked)
                if self.engine == "native" or not options: # a turn of Valgrind's is longer than this program
                    self.assertLess(begun, asked + 600)
        raw = self.run_guest("plain", "--start=%d" % (whole + 1))
        self.assertEqual((raw.meta["started"], raw.totals().get("Ir", 0)), ("no", 0))

    def test_start_and_requests(self):
        """What the program asks for meanwhile holds from the start on; what is toggled is toggled."""
        self.assertEqual(instructions(self.run_guest("off", "--start=work")), work(10, 1000))
        self.assertEqual(self.run_guest("plain", "--start=main", "--toggle-collect=work").totals()["Ir"],
                         work(10, 100, 1000))
        for words, error in ((["--warm=5"], "--warm goes only with --start"), (["--start=0"], "leave it out"),
                             (["--start=5", "--warm=5"], "by fewer"), (["--start=5x"], "a whole number"),
                             (["--start=work", "--warm=0", "--toggle-collect=work"], "--toggle-collect")):
            result = self.tenure(*words, self.guest("requests.c"), ok=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(error, result.stderr.decode())

    def test_functions(self):
        self.assertEqual(len(self.run_guest("plain", "--dump-before=work").parts), 4)
        self.assertEqual(len(self.run_guest("plain", "--dump-after=work").parts), 4)
        self.assertEqual(instructions(self.run_guest("plain", "--zero-before=work")), work(1000))
        raw = self.run_guest("plain", "--fn-skip=work")
        self.assertNotIn("work", {callee for _, callee in raw.calls()})


class NativeRequests(Requests):
    engine = "native"


class Life(harness.EngineTest):
    def run_guest(self, what, *options, **more):
        return self.profile(*harness.GEOMETRY, *options, self.guest("life.c"), what, **more)

    def test_threads(self):
        for option in ("--shared-l1=no", "--shared-l1=yes"):
            raw = self.run_guest("threads", option)
            self.assertEqual(len(raw.threads), 4)
            by_thread = {}
            for (thread, instr), costs in raw.self_costs.items():
                if raw.name_of(raw.instrs[instr].context) == "work":
                    by_thread[thread] = by_thread.get(thread, 0) + costs["Ir"]
            self.assertEqual(by_thread, {thread: work(*[1000] * 100) for thread in (2, 3, 4)})
            self.assertEqual(raw.calls()["thread_body", "work"], 300)

    def test_threads_added_up(self):
        """Those behind the number that is asked for are one thread, and sums are what they were. Under Valgrind these
        differ from run to run."""
        def sums(raw):
            inclusive = sorted((raw.name_of(c), sorted(costs.items())) for c, costs in raw.function_incl.items())
            return raw.totals(), raw.self_by_function(), raw.calls(), inclusive

        for what, number, runs in (("one-by-one", 21, 2000), ("threads", 4, 300)):
            for options in (["--branch-sim=yes"], ["--shared-l1=yes"], ["--data=no"]):
                if self.engine == "native":
                    options.append("--deterministic=yes")
                whole = self.run_guest(what, *options)
                self.assertEqual(len(whole.threads), number)
                for most in (0, 2):
                    raw = self.run_guest(what, f"--threads={most}", *options)
                    self.assertEqual(len(raw.threads), most + 1)
                    self.assertEqual(instructions(raw), work(*[1000] * runs))
                    self.assertEqual(raw.calls()["thread_body", "work"], runs)
                    self.assertLessEqual(sum(place[0] == 0 for place, _ in raw.nodes.values()), most + 2)
                    if self.engine == "native":
                        self.assertEqual(sums(raw), sums(whole), (what, most, options))

    def test_signals(self):
        raw = self.run_guest("signals")
        self.assertEqual(instructions(raw), work(*[5] * 20, *[7] * 10, 9))
        calls = raw.calls()
        self.assertEqual((calls["handler", "work"], calls["leaping", "work"]), (10, 10))
        self.assertEqual((calls["signals", "interrupted"], calls["interrupted", "work"]), (20, 10))
        inclusive = {raw.name_of(c): costs["Ir"] for c, costs in raw.function_incl.items()}
        own = raw.self_by_function()
        returning = own["__restore_rt"]["Ir"] # from both handlers' frames, but the leaping one never returns
        self.assertEqual(inclusive["handler"], own["handler"]["Ir"] + work(*[5] * 10) + returning)
        self.assertLess(inclusive["interrupted"], 20 * 1000) # nothing of the handlers

    def test_fork(self):
        program = self.guest("life.c")
        for option, expected in (("--fork-inherit=no", work(10)), ("--fork-inherit=yes", work(100, 10))):
            for name in self.raw_files():
                os.unlink(name)
            self.tenure(*harness.GEOMETRY, option, program, "fork")
            raws = sorted(instructions(rawfile.Raw(name)) for name in self.raw_files())
            self.assertEqual(raws, sorted([work(100), expected]))

    def test_names(self):
        """A name without %p: the child does not touch its parent's file."""
        self.tenure(*harness.GEOMETRY, "--tenure-out-file=tenure.raw.x", self.guest("life.c"), "fork")
        self.assertEqual([os.path.basename(n) for n in self.raw_files()], ["tenure.raw.x", "tenure.raw.x.2"])
        os.environ["TENURE_TEST"] = "v"
        self.tenure("--tenure-out-file=tenure.raw.%q{TENURE_TEST}.%%.%h", self.guest("life.c"), "none")
        with open("/proc/sys/kernel/hostname", encoding="utf-8") as file:
            self.assertTrue(os.path.exists(os.path.join(self.folder, "tenure.raw.v.%." + file.read().strip())))

    def test_exec(self):
        """Up to the exec, the first image has its profile; with --trace-children the second has its own."""
        program = self.guest("life.c")
        self.tenure(*harness.GEOMETRY, program, "exec")
        names = self.raw_files()
        self.assertEqual([instructions(rawfile.Raw(name)) for name in names], [work(20)])
        self.tenure(*harness.GEOMETRY, "--trace-children=yes", program, "exec")
        raws = [instructions(rawfile.Raw(name)) for name in self.raw_files() if name not in names]
        self.assertEqual(sorted(raws), [work(20), work(30)])

    def test_exec_is_an_end(self):
        """Every line pays, those of a thread that has to end, too: each access is a touch."""
        for what in ("exec", "exec-threads"):
            raw = self.run_guest(what)
            self.assertEqual(raw.parts, ["exec"], what)
            self.assertEqual(instructions(raw), work(20), what)
            totals = raw.totals()
            touches = totals["TchI1"] + totals["TchD1"]
            self.assertGreaterEqual(touches, totals["Ir"] + totals["Dr"] + totals["Dw"], what)
            self.assertEqual(totals["TchL"], touches, what)

    def test_exec_in_vain(self):
        """An exec that fails is no more than a system call."""
        raw = self.run_guest("exec-in-vain")
        self.assertEqual(raw.parts, ["exit"])
        self.assertEqual(instructions(raw), work(20, 10))

    def test_exec_unforeseen(self):
        """One that Valgrind believed to be good is its end, and the user hears of it."""
        script = os.path.join(self.folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write("#!/there/is/no/such/interpreter\n")
        os.chmod(script, 0o755)
        result = self.tenure("/bin/sh", "-c", script, ok=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(b"an exec has failed", result.stderr)

    def test_ends(self):
        for what, status in (("crash", -11), ("abort", -6), ("kill", -15), ("_exit", 3)):
            for name in self.raw_files():
                os.unlink(name)
            result = self.tenure(*harness.GEOMETRY, self.guest("life.c"), what, ok=False)
            self.assertEqual(result.returncode, status, what)
            self.assertEqual(instructions(rawfile.Raw(self.raw_files()[0])), work(40), what)


class Notice(harness.EngineTest):
    def test_surroundings(self):
        program = self.guest("notice.c")
        library = os.environ["VALGRIND_LIB"] + "/vgpreload_core-amd64-linux.so"
        for env in ({"TENURE_TEST": "kept"}, {"LD_PRELOAD": "/nonexistent.so"}, {"LD_PRELOAD": ""},
                    {"LD_PRELOAD": "/nonexistent.so /other.so"}, {"LD_PRELOAD": "/".ljust(len(library), "x")}):
            mine = dict(os.environ, **env)
            mine.pop("VALGRIND_LIB")
            native = subprocess.run([program, "a", "b"], env=mine, cwd=self.folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL, check=True).stdout.decode()
            seen = self.tenure(program, "a", "b", env=env).stdout.decode()
            self.assertEqual(sorted(seen.splitlines()), sorted(native.splitlines()), env)

    def test_children(self):
        """Nor does a traced child, started through a shell, see anything."""
        program = self.guest("notice.c")
        command = ["/bin/sh", "-c", f"{program} a; :"]
        mine = dict(os.environ)
        mine.pop("VALGRIND_LIB")
        native = subprocess.run(command, env=mine, cwd=self.folder, stdout=subprocess.PIPE,
                                check=True).stdout.decode()
        seen = self.tenure("--trace-children=yes", *command).stdout.decode()
        self.assertEqual(sorted(seen.splitlines()), sorted(native.splitlines()))

    def test_installed_anywhere(self):
        """The path of the engine's folder may hold what divides the paths in LD_PRELOAD."""
        if self.engine == "native":
            self.skipTest("nothing is preloaded")
        command = ["/bin/sh", "-c", self.guest("notice.c") + "; :"]
        elsewhere = os.path.join(self.folder, "a b:c")
        os.symlink(os.environ["VALGRIND_LIB"], elsewhere)
        mine = dict(os.environ)
        mine.pop("VALGRIND_LIB")
        native = subprocess.run(command, env=mine, cwd=self.folder, stdout=subprocess.PIPE, check=True)
        seen = self.tenure("--trace-children=yes", *command, env={"VALGRIND_LIB": elsewhere})
        self.assertEqual(sorted(seen.stdout.splitlines()), sorted(native.stdout.splitlines()))

    def test_stack(self):
        """Where the program's stack begins does not depend on the environment."""
        program = self.guest("notice.c")
        seen = {self.tenure(program, "stack", env={"TENURE_TEST": "x" * size}).stdout
                for size in (1, 17, 4000, 60000)}
        self.assertEqual(len(seen), 1, seen)


class Itself(harness.EngineTest):
    def compare(self, *arguments):
        program = self.guest("itself.c")
        bare = subprocess.run([program, *arguments], cwd=self.folder, stdout=subprocess.PIPE, check=True).stdout
        with open(program, "rb") as file:
            whole = file.read()
        self.assertEqual(self.tenure(program, *arguments).stdout.decode(), bare.decode())
        with open(program, "rb") as file:
            self.assertEqual(file.read(), whole)

    def test_file(self):
        """The file of a running program is busy."""
        self.compare()

    def test_code(self):
        """Code that is written through a second mapping is run as it is now."""
        self.compare("code")


class Addresses(harness.EngineTest):
    def test_random(self):
        """The same in each run; with --aslr=yes others for code, libraries, both kinds of heap and the stack."""
        program = self.guest("notice.c", "-fPIE", "-pie", static=False)
        for option, least, most in (("--aslr=no", 1, 1), ("--aslr=yes", 2, 4)):
            runs = [self.tenure(option, program, "addresses").stdout.decode().split() for _ in range(4)]
            for seen in zip(*runs):
                self.assertTrue(least <= len(set(seen)) <= most, (option, runs))

    def test_static(self):
        raw = self.profile("--aslr=yes", self.guest("notice.c"), "addresses")
        self.assertEqual(raw.meta["aslr"], "yes")
        self.assertGreater(raw.totals()["Ir"], 1000)


class Limits(harness.EngineTest):
    def test_counters(self):
        """When they run out the run ends, with a profile and a line that says what to do."""
        for more, remedy in (([], "--instr-atstart"), (["--separate-callers=3"], "--separate-callers2=")):
            for name in self.raw_files():
                os.unlink(name)
            result = self.tenure("--counter-limit=1000", *more, self.guest("mix.c", "-lm"), ok=False)
            lines = result.stderr.decode().strip().splitlines()
            self.assertEqual((result.returncode, len(lines)), (125, 1), lines)
            self.assertIn(remedy, lines[0])
            raw = rawfile.Raw(self.raw_files()[0])
            self.assertEqual(raw.parts, ["counters"])
            self.assertGreater(raw.totals()["Ir"], 1000)


class Refusals(harness.EngineTest):
    def refused(self, *options, **more):
        result = self.tenure(*options, self.guest("calls.S", "-nostdlib"), ok=False, **more)
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertEqual(len(result.stderr.decode().strip().splitlines()), 1, result.stderr)
        return result.stderr.decode()

    def test_geometry(self):
        for bad in ("1", "0,1,64", "32768,8,65", "32768,8", "a,b,c", "32768,8,64,1", "64,0,64", "100,3,64"):
            self.refused(f"--D1={bad}")
        self.assertIn("line", self.refused("--LL=4096,1,32", "--D1=4096,1,64"))

    def test_values(self):
        self.refused("--cacheuse=maybe")
        self.refused("--paths=many")
        self.refused("--cache-sim=no")

    def test_files(self):
        self.assertIn("no such directory", self.refused("--tenure-out-file=/nowhere/at/all"))
        os.mkfifo(f"{self.folder}/pipe")
        os.symlink("/dev/null", f"{self.folder}/null")
        os.mkdir(f"{self.folder}/folder")
        before = sorted(os.listdir(self.folder))
        for name in ("pipe", "null", "folder"):
            self.assertIn("no ordinary file", self.refused(f"--tenure-out-file={name}"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_full_disk(self):
        """The program goes on, with one line about what is lost, and nothing is left that is none."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        result = self.tenure(self.guest("mix.c", "-lm"), ok=False, preexec_fn=limit)
        self.assertEqual(result.returncode, 0)
        self.assertEqual(len(result.stderr.decode().strip().splitlines()), 1, result.stderr)
        self.assertIn("is lost", result.stderr.decode())
        self.assertEqual([os.path.getsize(name) for name in self.raw_files()], [0])

    def test_full_for_a_part(self):
        """A part that does not fit takes nothing with it: what was written before it stays, and what comes behind it
        begins another file."""
        options = [*harness.GEOMETRY, "--dump-after=work", self.guest("requests.c"), "plain"]
        whole = self.profile(*options)
        limit = whole.ends[0] + 100 # enough for the first part only
        for name in self.raw_files():
            os.unlink(name)
        result = self.tenure(*options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        lost = len(result.stderr.decode().strip().splitlines())
        raws = [rawfile.Raw(name) for name in self.raw_files()]
        self.assertGreater(lost, 0)
        self.assertGreater(len(raws), 1)
        self.assertEqual(sum(len(raw.parts) for raw in raws) + lost, len(whole.parts))
        self.assertEqual([raw.parts[:1] for raw in raws], [["function"]] * len(raws))

    def test_foreign_options(self):
        """Each option that Callgrind and Cachegrind print in --help is taken, or refused with a reason."""
        ours = self.tenure("--help", ok=False).stdout.decode()
        for tool in ("callgrind", "cachegrind"):
            text = self.valgrind(tool, "--help", ok=False).stdout.decode()
            own = f"user options for {tool.capitalize()}" if self.engine == "native" else "user options for"
            text = text[text.index(own):text.index("Extra options")]
            options = [word.partition("=")[0] for line in text.splitlines()
                       for word in line.split()[:1] if word.startswith("--") and "=" in word]
            self.assertGreater(len(options), 5)
            for option in options:
                name = option.partition("<")[0]
                if f"{name}=" not in ours:
                    self.assertIn("refused", self.refused(f"{name}=1"), option)


class NativeLife(Life):
    engine = "native"

    def test_shared_memory(self):
        """Processes that share memory share the profile, which ends with the one that began."""
        for option in ("--parallel=yes", "--parallel=no", "--deterministic=yes"):
            raw = self.run_guest("sharing", option)
            self.assertEqual((raw.parts, len(raw.threads)), (["exit"], 3), option)
            self.assertEqual(instructions(raw), work(20, 10, 7), option)

    def test_exec_unforeseen(self):
        """What the shell is told is for the shell to say."""
        with open("/bin/true", "rb") as file:
            unlinked = file.read().replace(b"ld-linux-x86-64.so.2", b"ld-linux-x86-64.so.x")
        for content in (b"#!/there/is/no/such/interpreter\n", unlinked):
            path = os.path.join(self.folder, "unforeseen")
            with open(path, "wb") as file:
                file.write(content)
            os.chmod(path, 0o755)
            for option in ("--trace-children=no", "--trace-children=yes"):
                command = ["/bin/sh", "-c", path + "; test $? = 127 && exit 9"]
                bare = subprocess.run(command, stderr=subprocess.PIPE, check=False)
                result = self.tenure(option, *command, ok=False)
                self.assertEqual((result.returncode, result.stderr), (9, bare.stderr))


class NativeConfined(harness.EngineTest):
    """What a program gives up, or forbids itself, takes no profile away, and is to the program as it is without us.
    Valgrind opens the profile's file when it writes it (CONTRACT)."""
    engine = "native"

    def compare(self, who, what, *options, exec_too=()):
        program = self.guest("confined.c")
        bare = subprocess.run([program, who, what, *exec_too], cwd=self.folder, stdout=subprocess.PIPE, check=False)
        result = self.tenure(*options, program, who, what, *exec_too, ok=False)
        self.assertEqual((result.returncode, result.stdout), (bare.returncode, bare.stdout), (who, what))
        self.assertEqual(result.stderr, b"", (who, what))
        raws = [rawfile.Raw(name) for name in self.raw_files()]
        for name in self.raw_files():
            os.unlink(name)
        return sorted(instructions(raw) if "work" in raw.self_by_function() else 0 for raw in raws)

    def test_limits(self):
        for what in ("size", "files"):
            for who in ("parent", "child"):
                self.assertEqual(self.compare(who, what), [work(50), work(1000)], (who, what))
            self.assertEqual(self.compare("parent", what, "--trace-children=yes", exec_too=["exec"]),
                             [0, work(50), work(1000)], what)
            self.assertEqual(self.compare("parent", what, exec_too=["exec"]), [0], what)

    def test_descriptors_and_folders(self):
        for what in ("close", "unshare", "folder"):
            for who in ("parent", "child"):
                self.assertEqual(self.compare(who, what), [work(50), work(1000)], (who, what))
                os.path.isdir(os.path.join(self.folder, "gone")) and os.rmdir(os.path.join(self.folder, "gone"))

    def test_shared_descriptors(self):
        for what in ("nothing", "files"):
            self.assertEqual(self.compare("sharer", what), [work(50), work(1000)], what)

    @unittest.skipIf(os.geteuid() != 0, "only root may do that")
    def test_rights(self):
        os.chmod(self.folder, 0o755)
        for who, what in (("child", "user"), ("alone", "user"), ("child", "root"), ("parent", "root")):
            counts = [work(50)] if who == "alone" else [work(50), work(1000)]
            self.assertEqual(self.compare(who, what), counts, (who, what))


class NativeNotice(Notice):
    engine = "native"

    def test_kernel(self):
        """What clone3 makes, what /proc says, how often a program stops that another one traces, and what an exec hands
        on."""
        program = self.guest("kernel.c")
        for what in ("clones", "shown", "traced", "executes", "by descriptor", "fails", "spawns"):
            bare = subprocess.run([program, what], stdout=subprocess.PIPE, check=True).stdout.decode()
            for children in ("yes", "no"):
                seen = self.tenure("--trace-children=" + children, program, what).stdout.decode()
                self.assertEqual(seen, bare, (what, children))
        self.assertEqual([name for name in self.raw_files() if os.path.getsize(name) == 0], [])

    def test_filters(self):
        """Of system calls there are none, as on a kernel that lacks them: EINVAL and ENOSYS."""
        self.assertEqual(self.tenure(self.guest("kernel.c"), "filters").stdout, b"-1 22 -1 38\n")


class NativeItself(Itself):
    engine = "native"


class NativeAddresses(Addresses):
    engine = "native"


class NativeLimits(Limits):
    engine = "native"


class NativeRefusals(Refusals):
    engine = "native"

    def test_reasons(self):
        """Why the engine cannot start a program goes where it is told; what the user got wrong does not."""
        taken = self.guest("calls.S", "-nostdlib", "-Wl,-Ttext-segment=0x110000000000")
        for program, option, status, reason in ((taken, "--paths=1", 125, b"place in memory is taken"),
                                                ("/bin/true", "--paths=x", 125, b""),
                                                ("/nowhere", "--paths=1", 127, b""),
                                                ("/bin/true", "--paths=1", 0, b"")):
            ours, theirs = os.pipe()
            done = self.native(f"--refusals-to={theirs}", option, program, ok=False, pass_fds=[theirs])
            os.close(theirs)
            told = os.read(ours, 1000)
            os.close(ours)
            self.assertEqual((done.returncode, bool(told)), (status, bool(reason)), (program, told, done.stderr))
            self.assertIn(reason, told)
            self.assertEqual(done.stderr.count(b"\n"), int(status != 0 and not reason), done.stderr)


if __name__ == "__main__":
    harness.main()
