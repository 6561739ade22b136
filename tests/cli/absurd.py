#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
absurd.py: debug information with absurd numbers in it is imported in bounded memory and time.

Objects are assembled that say, in few bytes, that there is very much of something; a recording says that their code was
executed. Whatever is found out of such an object, the import succeeds, in a gigabyte and some seconds.

    absurd.py TENURE FOLDER_OF_RAW_MAKE CC...
"""
import os
import resource
import subprocess
import sys
import tempfile

TENURE, CC = sys.argv[1], sys.argv[3:]
sys.path.insert(0, sys.argv[2])
import raw_make

BYTES, SECONDS, BASE, LENGTH, STATIC = 1 << 30, 20, 0x401000, 64, 3

HEAD = r"""
    .globl _start
    .text
_start:
    .skip {length}, 0x90
    ret
code_end:
    .section .debug_abbrev, "", @progbits
abbreviations:
    .uleb128 1, {kind}
    .byte {children}, {named}, 0x08, 0x1b, 0x08, 0x11, 0x01, 0x12, 0x07, 0x10, 0x17, 0, 0
{abbreviations}
    .byte 0
    .section .debug_info, "", @progbits
unit:
    .long unit_end - . - 4
    .short 5
    .byte {unit}, 8
    .long abbreviations
    {number}
    .uleb128 1
    .asciz "{name}", "/nowhere"
    .quad _start, code_end - _start
    .long 0
{dies}
unit_end:
{units}
    .section .debug_line, "", @progbits
    .long line_end - . - 4
    .short 5
    .byte 8, 0
    .long program - . - 4
    .byte 1, 1, 1, 251, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
{names}
program:
    .byte 0, 9, 2
    .quad _start
    .byte 1, 2
    .uleb128 code_end - _start
    .byte 0, 1, 1
line_end:
"""

# What a unit says that is elsewhere, and the file that it is in then: a function has a line.
SPLIT = {"kind": 0x4a, "named": 0x76, "unit": 4, "number": ".quad 1", "name": "{path}.dwo"}
ELSEWHERE = """
    .section .debug_abbrev.dwo, "e", @progbits
    .uleb128 1, 0x11
    .byte 1, 0x03, 0x08, 0, 0
    .uleb128 2, 0x2e
    .byte 0, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x3a, 0x07, 0x3b, 0x07, 0, 0 # subprogram
    .byte 0
    .section .debug_info.dwo, "e", @progbits
    .long unit_end - . - 4
    .short 5
    .byte 5, 8
    .long 0
    .quad 1
    .uleb128 1
    .asciz "absurd.c"
    .uleb128 2
    .asciz "f"
    .quad {base}, {length}, 0, 7
    .byte 0
unit_end:
"""
LINES = """
    .section .debug_line.dwo, "e", @progbits
    .long line_end - . - 4
    .short 5
    .byte 8, 0
    .long line_end - . - 4
    .byte 1, 1, 1, 251, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1
{names}
line_end:
"""

FOLDER = """
    .byte 1, 1, 8
    .uleb128 1
    .asciz "/nowhere"
"""
FILE = """
    .byte 2, 1, 8, 2, 11
    .uleb128 1
    .asciz "absurd.c"
    .byte 0
"""
NOTHING = """
    .byte 1
    .uleb128 0x2001, 0x19 # a form without bytes
    .uleb128 0x80000000
"""
# A structure whose member is an array, and a variable of it: sizes and counts are to be put in.
TYPES_ABBREVIATIONS = """
    .uleb128 2, 0x24
    .byte 0, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0 # base type: byte_size, encoding
    .uleb128 3, 0x01
    .byte 1, 0x49, 0x13, 0, 0 # array: type
    .uleb128 4, 0x21
    .byte 0, 0x2f, 0x07, 0, 0 # subrange: upper_bound
    .uleb128 5, 0x13
    .byte 1, 0x03, 0x08, 0x0b, 0x07, 0, 0 # structure: name, byte_size
    .uleb128 6, 0x0d
    .byte 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x07, 0, 0 # member: name, type, location
    .uleb128 7, 0x34
    .byte 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x18, 0, 0 # variable: name, type, location
    .uleb128 8, 0x2e
    .byte 0, 0x11, 0x01, 0x12, 0x07, 0x3a, 0x07, 0x3b, 0x07, 0, 0 # subprogram: low_pc, high_pc, decl_file, decl_line
    .uleb128 9, 0x34
    .byte 0, 0x02, {form}, 0, 0 # variable: location
"""
TYPES = """
type:
    .uleb128 2
    .byte 8, 5
array:
    .uleb128 3
    .long type - unit
    .uleb128 4
    .quad {bound}
    .uleb128 4
    .quad {bound}
    .byte 0
structure:
    .uleb128 5
    .asciz "s"
    .quad {size}
    .uleb128 6
    .asciz "m"
    .long array - unit
    .quad {place}
    .byte 0
    .uleb128 7
    .asciz "v"
    .long structure - unit
    .byte 9, 3
    .quad _start
    .uleb128 8
    .quad _start, code_end - _start, {file}, {file}
    .uleb128 9
    {block}
    .byte 0
"""


def types(bound=1, size=32, place=0, file=0, form=0x18, block=".byte 0"):
    return {"children": 1, "abbreviations": TYPES_ABBREVIATIONS.format(form=form),
            "dies": TYPES.format(bound=bound, size=size, place=place, file=file, block=block)}


NESTED_ABBREVIATIONS = """
    .uleb128 2, 0x2e
    .byte 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0 # subprogram: name, low_pc, high_pc
    .uleb128 3, 0x0b
    .byte 1, 0, 0 # block
"""
NESTED = """
    .uleb128 2
    .asciz "f"
    .quad _start, code_end - _start
    .fill {depth}, 1, 3
    .rept {inside}
    .byte 3, 0
    .endr
    .fill {depth}, 1, 0
    .byte 0, 0
"""


def nested(depth, inside=0):
    return {"children": 1, "abbreviations": NESTED_ABBREVIATIONS, "dies": NESTED.format(depth=depth, inside=inside)}


# 50,000 units, for each of which the last of 100,000 abbreviations is looked up.
REPEATED = {"abbreviations": """
    .set number, 2
    .rept 99999
    .uleb128 number
    .byte 0x11, 0, 0, 0
    .set number, number + 1
    .endr
""", "units": """
    .rept 50000
    .long 10
    .short 4
    .long abbreviations
    .byte 8
    .uleb128 100000
    .endr
"""}
LONG = """
    .byte 1, 1, 8
    .uleb128 1
    .byte '/'
    .fill 1000000, 1, 'd'
    .byte 0
    .byte 2, 1, 8, 2, 11
    .uleb128 100000
    .rept 100000
    .asciz "a.c"
    .byte 0
    .endr
"""
OBJECTS = {
    "a folder of a megabyte for 100,000 files": {"names": LONG},
    "the same, and what it is of is elsewhere": {"names": LONG, "split": ELSEWHERE},
    "the same elsewhere": {"split": ELSEWHERE + LINES.replace("{names}", LONG)},
    "one text of a megabyte for 100,000 folders": {"names": """
    .byte 1, 1, 0x1f
    .uleb128 100000
    .fill 100000, 4, 0
    .section .debug_line_str, "MS", @progbits, 1
    .fill 1000000, 1, 'd'
    .byte 0
    .section .debug_line
""" + FILE},
    "2^31 files": {"names": FOLDER + NOTHING},
    "2^31 folders": {"names": NOTHING + FILE},
    "2^31 files, of which there is one": {"names": FOLDER + FILE.replace(".uleb128 1\n", ".uleb128 0x80000000\n")},
    "an array of 2^62 elements": types(bound=1 << 62),
    "arrays of 2^31 arrays of 2^31": types(bound=1 << 31, size=1 << 63),
    "a structure of 2^63 bytes": types(size=1 << 63, place=(1 << 63) - 1),
    "file and line number 2^63": types(file=1 << 63),
    "a block of 2^32 bytes": types(form=0x04, block=".long 0xffffffff"),
    "a block of 2^63 bytes": types(form=0x09, block=".uleb128 0x8000000000000000"),
    "address number 2^63": types(form=0x1b, block=".uleb128 0x8000000000000000"),
    "50,000 units with the last of 100,000 abbreviations": REPEATED,
    "4,000,000 blocks, one in the other": nested(4000000),
    "2,000,000 blocks in 250, one in the other": nested(250, 2000000),
    "list of locations number 2^63": types(form=0x22, block=".uleb128 0x8000000000000000"),
}


def make(path, said):
    source = path + ".S"
    words = {"length": LENGTH, "children": 0, "abbreviations": "", "dies": "", "units": "", "names": FOLDER + FILE,
             "kind": 0x11, "named": 3, "unit": 1, "number": "", "name": "absurd.c",
             **(SPLIT if "split" in said else {}), **said}
    with open(source, "w", encoding="utf-8") as out:
        out.write(HEAD.format(**{**words, "name": words["name"].format(path=path)}))
    subprocess.run([*CC, "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=%#x" % BASE, "-o", path, source], check=True)
    if "split" in said:
        with open(source, "w", encoding="utf-8") as out:
            out.write(said["split"].format(base=BASE, length=LENGTH + 1))
        subprocess.run([*CC, "-c", "-o", path + ".dwo", source], check=True)


def record(path, program):
    raw = raw_make.Raw()
    raw.events()
    raw.object(1, program, BASE, LENGTH + 1)
    raw.function(1, 1, BASE, LENGTH + 1, "f")
    raw.thread(1, 1)
    for i in range(LENGTH):
        raw.instr(i + 1, BASE + i, 1, 1)
        raw.self_cost(1, i + 1, [1] * len(raw_make.IMMEDIATE))
    for number in range(1, 256):  # types, by where they are
        raw.data_object(number, STATIC, address=BASE, size=8, name="v", path=program, element=8, type=number)
    raw.end()
    with open(path, "wb") as out:
        out.write(raw.out)


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        program, raw, profile = (os.path.join(work, name) for name in ("program", "raw", "profile"))
        for what, said in OBJECTS.items():
            make(program, said)
            record(raw, program)
            done = subprocess.run([TENURE, "import", "-o", profile, raw], preexec_fn=limited, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            good = done.returncode == 0
            passed, failed = passed + good, failed + (not good)
            print(what + ("" if good else f": status {done.returncode}: {done.stdout}"), flush=True)
            if os.path.exists(profile):
                os.unlink(profile)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
