#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# topics.py OUT.c LIST FILE...: texts that are part of the program, as a list in C (cli/base/topic.h): the documents
# that `tenure help TOPIC` prints, and machines. Each is called as its file is, without the ending; the heading of a
# document says what it is about. A line with a licence is left out.

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../page'))
from embed import array


def main():
    rows = []
    with open(sys.argv[1], 'w') as out:
        out.write('/* Made by cli/topics.py. */\n#include "cli/base/topic.h"\n\n')
        for path in sys.argv[3:]:
            text = open(path, 'rb').read()
            if text.startswith(b'# SPDX-'):
                text = text.split(b'\n', 1)[1]
            name = os.path.splitext(os.path.basename(path))[0]
            heading = text.split(b'\n')[0].decode().removeprefix('# ')
            out.write(array('text_%d' % len(rows), text))
            rows.append('    {"%s", "%s", text_%d, sizeof text_%d},\n' % (name, heading, len(rows), len(rows)))
        out.write('const struct topic %s[] = {\n%s    {0},\n};\n' % (sys.argv[2], ''.join(rows)))


main()
