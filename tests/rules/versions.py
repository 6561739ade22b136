#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/profile-format.md and the Python module give the schema version and the id that profiles have.

    versions.py ROOT
"""
import re
import sys

import tree


def complaints(header, document, module):
    version = re.search(r"TP_SCHEMA_VERSION = (\d+)", header).group(1)
    identity = re.search(r"TP_APPLICATION_ID = (0x\w+)", header).group(1)
    for said in (f"describes schema version {version}:", f"`PRAGMA user_version` is {version} ",
                 f"`PRAGMA application_id` is {identity} "):
        if said not in " ".join(document.split()):
            yield f"does not say: {said}"
    for said in (f"SCHEMA_VERSION = {version}\n", f"APPLICATION, CHANGES, PIECE = {identity}, "):
        if said not in module:
            yield f"python/tenure does not say: {said}"


def main():
    root = sys.argv[1]
    cases = tree.Cases()
    cases.case("docs/profile-format.md",
               list(complaints(tree.text(root, "profile/store/store.h"), tree.text(root, "docs/profile-format.md"),
                         tree.text(root, "python/tenure/__init__.py"))))
    cases.finish()


main()
