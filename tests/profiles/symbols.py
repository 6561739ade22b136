#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
symbols.py: files, lines and inlined frames against addr2line, address by address.

Compiles a C, a C++ and (if there is a compiler) a Rust program with DWARF 4 and 5, whole, with separate debug
files (build-id, debuglink) and stripped, and imports a raw profile in which every instruction of them was
executed once.

    symbols.py TP_TOOL
"""
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raw_make
import verdict
from verdict import check

TOOL = sys.argv[1]
BIAS = 0x555555554000

C_SOURCE = r"""
#include <stdlib.h>
static inline __attribute__((always_inline)) int innermost(int x)
{
    return x * 7 + rand();
}
static inline __attribute__((always_inline)) int middle(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++) {
        int y = i * 3;
        sum += innermost(y) ^ i;
    }
    return sum;
}
__attribute__((noinline)) int outer(int x)
{
    return middle(x) + innermost(x + 1) + middle(x * 2);
}
__attribute__((noinline, cold)) void rare(void)
{
    abort();
}
int main(int argc, char **argv)
{
    if (argc > 100)
        rare();
    return outer(argc) + atoi(argv[0]);
}
"""
CC_SOURCE = r"""
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace shop {
template <typename T> struct Box {
    T value;
    __attribute__((noinline)) T take(int n) { return value + static_cast<T>(n); }
};
__attribute__((noinline)) std::map<std::string, int> count(const std::vector<std::string> &words)
{
    std::map<std::string, int> result;
    for (const auto &word : words)
        result[word]++;
    return result;
}
}
int main(int argc, char **argv)
{
    std::vector<std::string> words(argv, argv + argc);
    std::sort(words.begin(), words.end(), [](const auto &a, const auto &b) { return a > b; });
    shop::Box<long> box{3};
    return static_cast<int>(shop::count(words).size() + box.take(argc));
}
"""
RUST_SOURCE = r"""
mod shop { pub struct Bag<T> { pub items: Vec<T> }
impl<T: Copy + std::ops::Add<Output = T>> Bag<T> { #[inline(never)] pub fn sum(&self, zero: T) -> T {
    self.items.iter().fold(zero, |a, b| a + *b) } } }
fn main() { let bag = shop::Bag { items: std::env::args().map(|a| a.len()).collect() };
    println!("{}", bag.sum(0)); }
"""


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def instructions(path):
    """(address, symbol) of every instruction in .text, as objdump sees them."""
    found, symbol = [], None
    for line in run("objdump", "-d", "-j", ".text", "--no-show-raw-insn", path).splitlines():
        m = re.match(r"^([0-9a-f]+) <(.*)>:$", line)
        if m:
            symbol = (int(m.group(1), 16), m.group(2))
        m = re.match(r"^ +([0-9a-f]+):\t", line)
        if m and symbol:
            found.append((int(m.group(1), 16), symbol))
    return found


def build_id(path):
    m = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path))
    return bytes.fromhex(m.group(1)) if m else b""


def make_raw(elf, recorded_path, raw_path):
    code = instructions(elf)
    raw = raw_make.Raw()
    raw.events()
    raw.object(1, recorded_path, BIAS, 1 << 20, BIAS, build_id(elf))
    raw.thread(1, 1)
    functions = {}
    for address, symbol in code:
        if symbol not in functions:
            functions[symbol] = len(functions) + 1
            raw.function(functions[symbol], 1, symbol[0] + BIAS, 0, symbol[1])
    for i, (address, symbol) in enumerate(code):
        raw.instr(i + 1, address + BIAS, 1, functions[symbol])
        raw.self_cost(1, i + 1, [1, 0, 0, 0, 0, 0, 0])
    raw.end()
    raw.save(raw_path)
    return [address for address, _ in code]


def tidy(path):
    path = re.sub(r"/+", "/", path)
    while "/./" in path:
        path = path.replace("/./", "/")
    return path


def addr2line(elf, addresses):
    """address -> [(function, file, line), innermost first]"""
    text = run("addr2line", "-a", "-i", "-f", "-C", "-e", elf, input="\n".join(hex(a) for a in addresses))
    result, current, lines = {}, None, text.splitlines()
    i = 0
    while i < len(lines):
        if re.match(r"^0x[0-9a-f]{16}$", lines[i]):
            current = result.setdefault(int(lines[i], 16), [])
            i += 1
            continue
        where = re.sub(r" \(discriminator \d+\)", "", lines[i + 1])
        file, line = where.rsplit(":", 1)
        number = int(line) if line.isdigit() and line != "0" else None
        # A bare name without line is a guess from the symbol table's file symbols, not debug information.
        known = file != "??" and (number or "/" in file)
        current.append((lines[i], tidy(file) if known else None, number))
        i += 2
    return result


def ours(db_path):
    db = sqlite3.connect(db_path)
    frames = {row[0]: row[1:] for row in db.execute("SELECT id, parent, name, call_file, call_line FROM inlined")}
    result = {}
    for offset, file, line, inlined in db.execute("SELECT offset, file, line, inlined_id FROM instructions"):
        chain = [(file, line)]
        names = []
        while inlined:
            parent, name, call_file, call_line = frames[inlined]
            chain.append((call_file, call_line))
            names.append(name)
            inlined = parent
        result[offset] = chain, names
    db.close()
    return result


def plain(name):
    return re.sub(r"[^A-Za-z0-9_]", "", re.sub(r"<.*|\(.*", "", name.replace("(anonymous namespace)", "")))[-24:]


def same_names(names, theirs):
    """Where ranges of a subroutine touch, addr2line now and then calls the innermost frame by the name of the
    outermost; the chain of lines is right all the same."""
    names, theirs = [plain(n) for n in names], [plain(n) for n in theirs]
    return names[1:] == theirs[1:-1] and (not names or names[0] == theirs[0] or theirs[0] == theirs[-1])


def compare(what, elf, recorded, work, options=(), lines=True, frames=True, code=None):
    """elf: with debug information that addr2line reads; recorded: the path in the recording; code: the file that was
    executed, if it is not elf."""
    raw, db = os.path.join(work, "t.raw"), os.path.join(work, "t.db")
    addresses = make_raw(code or elf, recorded, raw)
    run(TOOL, "import", raw, db, *options)
    found = ours(db)
    check(len(found) == len(set(addresses)), what + ": every instruction has a row")
    if not lines:
        check(all(chain == [(None, None)] for chain, _ in found.values()), what + ": no lines")
        return
    expected = addr2line(elf, addresses)
    bad = bad_frames = inlined = 0
    for address in addresses:
        chain, names = found[address]
        theirs = [(file, line) for _, file, line in expected[address]]
        inlined += len(names) > 0
        if chain[0] != theirs[0]:
            bad += 1
            if bad < 4:
                print(" ", what, hex(address), "line", chain[0], "expected", theirs[0])
        elif frames and (chain != theirs or not same_names(names, [n for n, _, _ in expected[address]])):
            bad_frames += 1
            if bad_frames < 4:
                print(" ", what, hex(address), "frames", chain, names, "expected", expected[address])
    check(bad == 0, "%s: %d of %d lines differ" % (what, bad, len(addresses)))
    check(bad_frames == 0, "%s: %d of %d chains differ" % (what, bad_frames, len(addresses)))
    check(inlined > 0 or not frames, what + ": something is inlined")


def compare_sums(what, elf, work):
    """Every instruction was executed once, so an inlined frame's costs are numbers of instructions."""
    raw, path = os.path.join(work, "t.raw"), os.path.join(work, "t.db")
    make_raw(elf, elf, raw)
    run(TOOL, "import", raw, path, "embed_source=1")
    db = sqlite3.connect(path)
    parents = dict(db.execute("SELECT id, parent FROM inlined"))
    own, inclusive = {}, {}
    for frame, in db.execute("SELECT inlined_id FROM instructions WHERE inlined_id IS NOT NULL"):
        own[frame] = own.get(frame, 0) + 1
        while frame:
            inclusive[frame] = inclusive.get(frame, 0) + 1
            frame = parents[frame]
    found = db.execute("SELECT id, Ir, Ir_incl FROM inlined").fetchall()
    check(found and all((own.get(i, 0), inclusive[i]) == (ir, incl) for i, ir, incl in found), what + ": inlined costs")
    check(all(parent is None or parent < i for i, parent in parents.items()), what + ": outer frames come first")
    lines = db.execute("SELECT file, line, function, sum(Ir) FROM instructions GROUP BY function_id, file, line "
                       "ORDER BY 1, 2, 3, 4").fetchall()
    check(db.execute("SELECT file, line, function, Ir FROM lines ORDER BY 1, 2, 3, 4").fetchall() == lines,
          what + ": costs of lines")
    texts = dict(db.execute("SELECT path, text FROM sources JOIN files ON id = file_id"))
    source = [name for name in texts if name.endswith("/prog.c") or name.endswith("/prog.cc")]
    check(len(source) == 1 and texts[source[0]] == open(source[0]).read(), what + ": the source is embedded")
    where = db.execute("SELECT file, line FROM functions WHERE function = 'main'").fetchone()
    number = 1 + open(source[0]).read().split("\n").index("int main(int argc, char **argv)")
    check(where == (source[0], number), "%s: where main is defined: %s" % (what, where))
    db.close()


def separate(elf, work):
    debug = os.path.join(work, "prog.debug")
    stripped = os.path.join(work, "bin", "prog")
    os.makedirs(os.path.dirname(stripped), exist_ok=True)
    run("objcopy", "--only-keep-debug", elf, debug)
    run("objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, elf, stripped)
    return debug, stripped


def check_pipes(what, elf, stripped, work):
    """Names of other files that lead to pipes, which nobody waits for."""
    pipe, section, other = (os.path.join(work, name) for name in ("bin/.debug/prog.debug", "section", "other"))
    os.mkfifo(pipe)
    compare(what + ", debuglink to a pipe", elf, stripped, work, lines=False)
    with open(section, "wb") as file:
        file.write(pipe.encode() + b"\0" + bytes(range(20)))
    run("objcopy", "--remove-section=.gnu_debugaltlink", "--add-section=.gnu_debugaltlink=" + section, elf, other)
    compare(what + ", shared with a pipe", elf, other, work, lines=False)
    os.unlink(pipe)


def program(language, version, work):
    """Path of the compiled program, or None without a compiler."""
    compiler, suffix, source = {"c": ("gcc", ".c", C_SOURCE), "c++": ("g++", ".cc", CC_SOURCE),
                                "rust": ("rustc", ".rs", RUST_SOURCE)}[language]
    if not shutil.which(compiler):
        return None
    path, out = os.path.join(work, "prog" + suffix), os.path.join(work, "prog")
    with open(path, "w") as f:
        f.write(source)
    if language == "rust":
        run(compiler, "-O", "-g", path, "-o", out)
    else:
        run(compiler, "-O2", "-gdwarf-%d" % version, "-Wl,--build-id", path, "-o", out)
    return out


def built(work, name, *flags):
    """The C++ program with other debug information: beside the first, of the same code."""
    source, path = os.path.join(work, "prog.cc"), os.path.join(work, name)
    run("g++", "-O2", "-Wl,--build-id", *flags, source, "-o", path, cwd=work)
    return path


def check_split(what, version, elf, work):
    """Debug information in .dwo files beside the objects; of one object, where g++ puts it. Where the file is gone, the
    lines are still in the program."""
    split = built(work, "split", "-gdwarf-%d" % version, "-gsplit-dwarf")
    dwo = [name for name in os.listdir(work) if name.endswith(".dwo")]
    check(len(dwo) == 1, what + ", split: one .dwo")
    compare(what + ", split", elf, split, work, code=split)
    os.unlink(os.path.join(work, dwo[0]))
    compare(what + ", split, .dwo gone", elf, split, work, code=split, frames=False)
    check_note(what + ", split, .dwo gone", work, True)
    os.mkfifo(os.path.join(work, dwo[0]))
    compare(what + ", split, .dwo a pipe", elf, split, work, code=split, frames=False)
    check_note(what + ", split, .dwo a pipe", work, True)
    os.unlink(os.path.join(work, dwo[0]))
    check_package(what, version, elf, split, work)


def elfutils_version():
    version = subprocess.run(["pkg-config", "--modversion", "libdw"], stdout=subprocess.PIPE, check=False).stdout
    return tuple(map(int, re.findall(rb"\d+", version)[:2])) or (0, 0)


def check_note(what, work, expected):
    """Of the profile that compare() has left."""
    with sqlite3.connect(os.path.join(work, "t.db")) as db:
        notes = [note for note, in db.execute("SELECT note FROM objects") if note]
    check(any("split" in note for note in notes) == expected, "%s: note %s" % (what, notes))


def check_package(what, version, elf, split, work):
    """The same in a .dwp: elfutils reads it from 0.192 on. If it does not, lines are there, and a note."""
    if not shutil.which("llvm-dwp"):
        return
    built(work, "split", "-gdwarf-%d" % version, "-gsplit-dwarf")
    run("llvm-dwp", "-e", split, "-o", split + ".dwp", cwd=work)
    for name in os.listdir(work):
        if name.endswith(".dwo"):
            os.unlink(os.path.join(work, name))
    reads = elfutils_version() >= (0, 192)
    compare(what + ", split, .dwp", elf, split, work, code=split, frames=reads)
    check_note(what + ", split, .dwp", work, not reads)
    with open(split + ".dwp", "r+b") as package:
        package.truncate(os.path.getsize(split + ".dwp") // 2)
    compare(what + ", split, half a .dwp", elf, split, work, code=split, frames=False)
    check_note(what + ", split, half a .dwp", work, True)
    os.unlink(split + ".dwp")


def check_packed(what, version, elf, work):
    """Compressed sections; and what dwz does: inside one file, and in a file that two share."""
    packed = built(work, "packed", "-gdwarf-%d" % version, "-gz")
    compare(what + ", compressed", elf, packed, work, code=packed)
    if not shutil.which("dwz"):
        return False
    one, two, common = (os.path.join(work, name) for name in ("one", "two", "common"))
    for path in one, two:
        shutil.copy(elf, path)
    run("dwz", one)
    compare(what + ", dwz", elf, one, work, code=one)
    shutil.copy(elf, one)
    run("dwz", "-m", common, one, two)
    check(b".gnu_debugaltlink" in open(one, "rb").read(), what + ", dwz made a common file")
    compare(what + ", dwz -m", elf, one, work, code=one)
    store = os.path.join(work, "dbg", ".build-id", build_id(common).hex()[:2])
    os.makedirs(store, exist_ok=True)
    shutil.move(common, os.path.join(store, build_id(common).hex()[2:] + ".debug"))
    compare(what + ", dwz -m, by build-id", elf, one, work, ["debug_path=" + os.path.join(work, "dbg")], code=one)
    return True


FAKE_SERVER = r"""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void note(const char *what)
{
    FILE *log = fopen(getenv("FAKE_LOG"), "a");
    fprintf(log, "%s\n", what);
    fclose(log);
}
__attribute__((constructor)) static void loaded(void) { note("loaded"); }
void *debuginfod_begin(void) { note("begin"); return (void *)1; }
void debuginfod_end(void *client) { (void)client; note("end"); }
int debuginfod_find_debuginfo(void *client, const unsigned char *id, int size, char **path)
{
    const char *answer = getenv("FAKE_ANSWER");
    (void)client;
    note("find");
    if (size != 20 || id[0] != (unsigned char)strtol(getenv("FAKE_ID"), NULL, 16))
        return -ENOENT;
    if (answer[0] != '/')
        return -atoi(answer);
    *path = strdup(answer);
    return open(answer, O_RDONLY);
}
"""


def check_server(what, elf, debug, stripped, work):
    """debuginfod, played by a library that notes what it is asked."""
    log, folder = os.path.join(work, "log"), os.path.join(work, "lib")
    os.mkdir(folder)
    run("gcc", "-shared", "-fPIC", "-x", "c", "-o", os.path.join(folder, "libdebuginfod.so.1"), "-", input=FAKE_SERVER)
    os.environ.update(LD_LIBRARY_PATH=folder, FAKE_LOG=log, FAKE_ID=build_id(elf).hex()[:2], FAKE_ANSWER=debug)

    def noted():
        text = open(log).read().split() if os.path.exists(log) else []
        open(log, "w").close()
        return text
    os.environ.pop("DEBUGINFOD_URLS", None)
    compare(what + ", no server", elf, stripped, work, lines=False)
    check(noted() == [], what + ", no server: the library is not loaded")
    os.environ["DEBUGINFOD_URLS"] = "http://localhost:1"
    compare(what + ", server", elf, stripped, work)
    check(noted() == ["loaded", "begin", "find", "end"], what + ", server: asked once")
    for error in ("2", "111"):  # not there; connection refused
        os.environ["FAKE_ANSWER"] = error
        compare(what + ", server without it", elf, stripped, work, lines=False)
        check(noted() == ["loaded", "begin", "find", "end"], what + ", server without it: asked once")
    os.environ["FAKE_ANSWER"] = work + "/nothing"
    compare(what + ", server with nothing", elf, stripped, work, lines=False)
    for name in ("LD_LIBRARY_PATH", "DEBUGINFOD_URLS"):
        del os.environ[name]


def main():
    dwz = True
    os.environ.pop("DEBUGINFOD_URLS", None)
    for language, version in (("c", 4), ("c", 5), ("c++", 4), ("c++", 5), ("rust", 4)):
        with tempfile.TemporaryDirectory() as work:
            work = os.path.realpath(work)
            elf = program(language, version, work)
            if not elf:
                continue
            what = "%s, DWARF %d" % (language, version)
            compare(what, elf, elf, work, frames=language != "rust")
            if language == "rust":
                continue
            compare_sums(what, elf, work)
            debug, stripped = separate(elf, work)
            compare(what + ", stripped", elf, stripped, work, lines=False)
            if (language, version) == ("c", 5):
                check_server(what, elf, debug, stripped, work)
            beside = os.path.join(work, "bin", ".debug")
            os.mkdir(beside)
            check_pipes(what, elf, stripped, work)
            shutil.copy(debug, os.path.join(beside, "prog.debug"))
            compare(what + ", debuglink", elf, stripped, work)
            shutil.rmtree(beside)
            identity = build_id(elf).hex()
            store = os.path.join(work, "dbg", ".build-id", identity[:2])
            os.makedirs(store)
            shutil.copy(debug, os.path.join(store, identity[2:] + ".debug"))
            compare(what + ", build-id", elf, stripped, work, ["debug_path=" + os.path.join(work, "dbg")])
            compare(what + ", sysroot", elf, "/bin/prog", work,
                    ["sysroot=" + work, "debug_path=" + os.path.join(work, "dbg")])
            run("gcc", "-Wl,--build-id", "-O0", "-g", "-x", "c", "-o", stripped, "-", input=C_SOURCE + "int other;")
            if language == "c++":
                check_split(what, version, elf, work)
                dwz &= check_packed(what, version, elf, work)
                compare(what + ", another program at its place", elf, stripped, work, lines=False)
    if not dwz:
        print("not tested, there is no dwz: what it shares between files")
    return verdict.finish()


sys.exit(main())
