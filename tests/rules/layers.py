#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers: which file may include which.

    layers.py ROOT

    cli -> profile -> core/events.inc, core/raw_format.h
    cli -> engine/common/control_format.h, engine/common/options.h with options.inc and geometry.h (what a recording can
        be asked)
    engine -> core/tenure_core.h, core/cache_hot.h (the hit test), core/attribute/stack_hot.h (the usual call),
        core/host.h (the hooks it defines)
    core -> core, and the headers a freestanding compiler has (and string.h, for three functions)

A quoted include names a file from the project's root or beside the including file. Tests may include anything;
examples stand for other people's programs and may include nothing but include/tenure.h. Only the files named
symbols* of profile/ include libdw; SQLite belongs to profile/, and of the commands to query and cmd_sql, which put
queries to the database that tp_db() hands out.
"""
import os
import re
import sys

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)

# string.h is there for memcpy, memmove and memset; purity.py sees that nothing else of it is used.
FREESTANDING = {"stdalign.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdnoreturn.h", "limits.h",
                "string.h"}
ENGINE_DOORS = {"core/tenure_core.h", "core/cache_hot.h", "core/attribute/stack_hot.h", "core/host.h",
                "core/element_format.h", "include/tenure.h", "tenure_config.h"}
# Types and numbers only: structures of the kernel and of ELF files.
ENGINE_SYSTEM = FREESTANDING | {"elf.h"}
VALGRIND = re.compile(r"(valgrind/)?(pub_tool_\w+|libvex\w*|valgrind|callgrind|vki/[\w-]+)\.h$")

# folder: (own folders, files elsewhere, system headers: None for all)
LAYERS = {
    "core": ({"core"}, set(), FREESTANDING | {"emmintrin.h", "immintrin.h"}),  # compiler intrinsics
    "engine/common": ({"engine/common"}, ENGINE_DOORS, ENGINE_SYSTEM | {"cpuid.h"}),
    "engine/valgrind": ({"engine/valgrind", "engine/common"}, ENGINE_DOORS, ENGINE_SYSTEM),
    "engine/native": ({"engine/native", "engine/common"}, ENGINE_DOORS, None),
    "profile": ({"profile"},
                {"core/events.inc", "core/raw_format.h", "core/element_format.h", "tenure_config.h"}, None),
    "cli": ({"cli", "profile"},
            {"engine/common/control_format.h", "engine/common/geometry.h", "engine/common/options.h",
             "engine/common/options.inc", "tenure_config.h"}, None),
    "examples": (set(), {"include/tenure.h"}, None),
}


def layer_of(name):
    folder = os.path.dirname(name)
    while folder and folder not in LAYERS:
        folder = os.path.dirname(folder)
    return folder


def resolve(root, name, quoted):
    """The project file that `quoted` names in `name`, or None."""
    beside = os.path.normpath(os.path.join(os.path.dirname(name), quoted))
    for candidate in (beside, quoted, "include/" + quoted):
        if os.path.isfile(os.path.join(root, candidate)):
            return candidate
    return "tenure_config.h" if quoted == "tenure_config.h" else None


def complaint(root, name, mark, header):
    layer = layer_of(name)
    own, elsewhere, system = LAYERS[layer]
    if mark == '"':
        target = resolve(root, name, header)
        if target:
            inside = any(target.startswith(folder + "/") for folder in own)
            return None if inside or target in elsewhere else f'may not include "{header}" ({layer} layer)'
    if layer == "engine/valgrind" and VALGRIND.match(header):
        return None
    if mark == '"':
        return f'includes "{header}", which is neither beside it nor at the root'
    if re.match(r"elfutils/|dwarf\.h|libelf\.h|gelf\.h", header) and not re.match("profile/[a-z]+/symbols", name):
        return f"includes <{header}>: libdw and libelf belong to symbols* of profile/"
    if header == "sqlite3.h" and not re.match(r"profile/|cli/\w+/(query|cmd_sql)\.", name):
        return "includes <sqlite3.h>: SQLite belongs to profile/ and query.c"
    if system is not None and header not in system:
        return f"may not include <{header}> ({layer} layer)"
    return None


def main():
    root = sys.argv[1]
    cases = tree.Cases()
    for name in tree.files(root):
        if name.endswith((".c", ".h", ".inc", ".cpp")) and layer_of(name):
            found = INCLUDE.findall(tree.text(root, name) or "")
            complaints = [complaint(root, name, mark, header) for mark, header in found]
            cases.case(name, [c for c in complaints if c])
    cases.finish()


main()
