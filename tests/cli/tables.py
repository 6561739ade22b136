#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
tables.py: what is written about options agrees with the option tables.

    tables.py TENURE SOURCE_ROOT

- every command of `tenure --help` has a man page, and is named in tenure(1)
- a man page has exactly the options that `--help` prints, with the same names for values
- completion (bash; zsh and fish where they are) offers exactly the commands and, for each, the options; and values
- every man page is installed
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../profiles"))
import raw_make

OPTION = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(=[^ ]+)?(?: .*)?$")
failures = []


def check(good, text):
    if not good:
        failures.append(text)


def help_of(tenure, *words):
    return subprocess.run([tenure, *words, "--help"], capture_output=True, text=True, check=True).stdout


def commands(tenure):
    return re.findall(r"^  ([a-z]+) ", help_of(tenure).split("Commands:")[1].split("\n\n")[0], re.M)


def options(tenure, command):
    """[(letter, name, "=VALUE" or "")], in order."""
    found = (OPTION.match(line) for line in help_of(tenure, command).splitlines())
    return [tuple(part or "" for part in match.groups()) for match in found if match]


def man_options(path):
    with open(path, encoding="utf-8") as file:
        text = file.read().split(".SH OPTIONS")[1].split("\n.SH")[0]
    text = re.sub(r"\\f[BIRP]", "", text).replace("\\-", "-")
    found = re.findall(r"^\.TP\n(?:-(\w), )?--([\w-]+)(=\S+)?$", text, re.M)
    return [tuple(part or "" for part in option) for option in found]


def complete(tenure, script, words):
    """What completion offers for the last of `words`."""
    line = " ".join(f"'{word}'" for word in [tenure] + words)
    code = f". '{script}'; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _tenure; " \
           "printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, check=False)
    return sorted(set(done.stdout.split()))


ZSH = '''_describe() { [[ $3 = -* ]] || print -rl -- "${list[@]%%:*}"; };
_command_names() { :; }; _files() { print FILES; }; compset() { :; }
script=$1; shift; words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; source $script'''


def complete_zsh(tenure, script, words):
    """What the function for zsh hands to _describe, in which zsh itself looks for the word."""
    done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", script, tenure, *words], capture_output=True, text=True,
                          check=False)
    return sorted(set(done.stdout.split()))


def complete_fish(tenure, script, words):
    code = "source $argv[1]; complete -C (string join ' ' -- $argv[2..])"
    done = subprocess.run(["fish", "--no-config", "-c", code, script, *words], capture_output=True, text=True,
                          check=False, env={**os.environ, "PATH": os.path.dirname(tenure) + ":/usr/bin:/bin"})
    return sorted({line.split("\t")[0] for line in done.stdout.splitlines()})


def other_shells(tenure, root, names):
    """The same for zsh and fish, where they are."""
    if shutil.which("zsh"):
        script = os.path.join(root, "cli/tenure.zsh")
        check(set(names) <= set(complete_zsh(tenure, script, [""])), "zsh: commands")
        for name in names:
            check(complete_zsh(tenure, script, [name, "--"]) == sorted(wanted(tenure, name)), f"zsh: {name}")
        check(complete_zsh(tenure, script, ["record", "--cache-sim="]) == ["no", "yes"], "zsh: yes|no")
        check(complete_zsh(tenure, script, ["record", "--out="]) == ["FILES"], "zsh: files")
        for words in (["record", "--machine="], ["machines", ""]):
            check("amd-zen4" in complete_zsh(tenure, script, words), f"zsh: {words}")
    if shutil.which("fish"):
        script = os.path.join(root, "cli/tenure.fish")
        check(set(names) <= set(complete_fish(tenure, script, ["tenure", "''"])), "fish: commands")
        for name in names:
            check(complete_fish(tenure, script, ["tenure", name, "--"]) == sorted(wanted(tenure, name)),
                  f"fish: {name}")
        check(complete_fish(tenure, script, ["tenure", "record", "--cache-sim="]) ==
              ["--cache-sim=no", "--cache-sim=yes"], "fish: yes|no")
        check("--machine=amd-zen4" in complete_fish(tenure, script, ["tenure", "record", "--machine=amd"]),
              "fish: --machine")
        check("amd-zen4" in complete_fish(tenure, script, ["tenure", "machines", "amd"]), "fish: machines")


def wanted(tenure, name):
    return ["--" + option + ("=" if value else "") for _, option, value in options(tenure, name)]


def installed_pages(root):
    with open(os.path.join(root, "cli/meson.build"), encoding="utf-8") as file:
        listed = re.search(r"foreach page : \[(.*?)\]", file.read(), re.S).group(1)
    return {"tenure" + name + ".1" for name in re.findall(r"'([\w-]*)'", listed)}


def main():
    tenure, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    script = os.path.join(root, "cli/tenure.bash")
    names = commands(tenure)
    check(len(names) >= 6, "tenure --help lists its commands")
    with open(os.path.join(root, "docs/man/tenure.1"), encoding="utf-8") as file:
        overview = file.read()
    check(set(names) <= set(complete(tenure, script, [""])), "completion offers all commands")
    for name in names:
        table = options(tenure, name)
        page = os.path.join(root, f"docs/man/tenure-{name}.1")
        check(f"tenure\\-{name} (1)" in overview, f"tenure.1 names {name}")
        check(os.path.exists(page) and man_options(page) == table,
              f"{page}: the options differ from `tenure {name} --help`: "
              f"{set(table) ^ set(man_options(page)) if os.path.exists(page) else 'no page'}")
        offered = complete(tenure, script, [name, "--"])
        check(offered == sorted(wanted(tenure, name)), f"completion of {name}: {offered}")
    other_shells(tenure, root, names)
    check(installed_pages(root) == set(os.listdir(os.path.join(root, "docs/man"))), "every man page is installed")
    with open(os.path.join(root, "contrib/cargo-tenure.1"), encoding="utf-8") as file:
        described = set(re.findall("--[a-z]+", file.read().split(".SH OPTIONS")[1].replace("\\-", "-")))
    told = help_of(os.path.join(root, "contrib/cargo-tenure")).partition("Everything")[0].partition("--bin")
    check(set(re.findall("--[a-z]+", "".join(told[1:]))) <= described, f"options of cargo tenure: {described}")
    values = complete(tenure, script, ["record", "--cache-sim", "=", ""])
    check(values == ["no", "yes"], "completion of yes|no")
    machines = complete(tenure, script, ["record", "--machine", "=", "amd-zen4"])
    check(machines == ["amd-zen4", "amd-zen4-vcache"], f"completion of machines: {machines}")
    check(complete(tenure, script, ["machines", "amd-zen5"]) == ["amd-zen5"], "completion of tenure machines")
    formats = complete(tenure, script, ["export", "--format", "=", ""])
    with open(os.path.join(root, "docs/man/tenure-export.1"), encoding="utf-8") as file:
        described = re.findall(r"^\.TP\n\.B (\w+)$", file.read(), re.M)
    check(len(formats) > 8 and formats == sorted(described), f"formats: {formats}; described: {described}")
    help_text = help_of(tenure, "export")
    check(all(f" {name}: " in help_text for name in formats), "the help says what reads each format")
    topics = complete(tenure, script, ["help", ""])
    check({"model", "profile-format", *names} <= set(topics), f"completion of topics: {topics}")
    check(complete(tenure, script, ["help", "--"]) == ["--color=", "--help"], "completion of options of help")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        raw_make.Random(seed=3, functions=12, nodes=60).write("raw")
        subprocess.run([tenure, "import", "-q", "-o", "tenure.out.1", "raw"], check=True)
        zsh, fish = (os.path.join(root, "cli/tenure." + shell) for shell in ("zsh", "fish"))
        for name, words in (("tenure.out.1", []), ("my.profile", []), ("other", ["other"])):
            if name != "tenure.out.1":
                os.rename(before, name)
            before = name
            for option in ("--sort", "--show"):
                check(complete(tenure, script, ["report", *words, option, "=", "D1m"]) == ["D1mr", "D1mw"],
                      f"completion of events of {name}: {option}")
            if shutil.which("zsh"):
                check("D1mr" in complete_zsh(tenure, zsh, ["report", *words, "--sort=D1m"]), f"zsh: events of {name}")
            if shutil.which("fish"):
                found = complete_fish(tenure, fish, ["tenure", "report", *words, "--sort=D1m"])
                check("--sort=D1mr" in found, f"fish: events of {name}: {found}")
        check(complete(tenure, script, ["sql", "other", "--show", "=", "D"]) == [], "events where none are asked for")
        found = complete(tenure, script, ["report", "other", "--show", "=", "Ir,D1m"])
        check(found == ["Ir,D1mr", "Ir,D1mw"], f"completion of a list: {found}")
        if shutil.which("zsh"):
            check("model" in complete_zsh(tenure, zsh, ["help", ""]), "zsh: topics")
        if shutil.which("fish"):
            found = complete_fish(tenure, fish, ["tenure", "report", "other", "--show=Ir,D1m"])
            check(found[:1] == ["--show=Ir,D1mr"], f"fish: a list: {found}")
            found = complete_fish(tenure, fish, ["tenure", "record", "--out=ot"])
            check(found == ["--out=other"], f"fish: files: {found}")
            check("model" in complete_fish(tenure, fish, ["tenure", "help", "''"]), "fish: topics")
        os.chdir("/")
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
