#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# topics.py OUT.c DOCUMENT.md...: the documents that `tenure help TOPIC` prints, as C. A topic is called as its file is,
# and its heading says what it is about.

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../page'))
from embed import array


def main():
    rows = []
    with open(sys.argv[1], 'w') as out:
        out.write('/* Made by cli/topics.py. */\n#include "cli/base/topic.h"\n\n')
        for path in sys.argv[2:]:
            text = open(path, 'rb').read()
            name = os.path.basename(path).removesuffix('.md')
            heading = text.split(b'\n')[0].decode().removeprefix('# ')
            out.write(array('text_%d' % len(rows), text))
            rows.append('    {"%s", "%s", text_%d, sizeof text_%d},\n' % (name, heading, len(rows), len(rows)))
        out.write('const struct topic topics[] = {\n%s    {0},\n};\n' % ''.join(rows))


main()
