#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# embed.py SCRIPT STYLE OUT.c: the page's bundled script and style sheet as C.
#
# The page's content-security policy names both by their SHA-256, so that a browser runs these and nothing else; the
# hashes are made here, of the very bytes that go into the page. Neither may hold what would end its element.

import base64
import hashlib
import sys


def array(name, data):
    rows = [', '.join(str(b) for b in data[i:i + 24]) for i in range(0, len(data), 24)]
    return 'static const unsigned char %s[] = {\n    %s};\n' % (name, ',\n    '.join(rows))


def digest(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def main():
    script, style = (open(path, 'rb').read().strip() for path in sys.argv[1:3])
    for data, words in ((script, (b'</script', b'<!--', b'<script')), (style, (b'</style', b'<!--'))):
        for word in words:
            if word in data.lower():
                sys.exit('the page cannot hold %s' % word.decode())
    with open(sys.argv[3], 'w') as out:
        out.write('/* Made by page/embed.py. */\n#include "profile/html/html.h"\n\n')
        out.write(array('script', script) + array('style', style))
        out.write('const struct tp_page_asset tp_page_asset = {\n'
                  '    script, sizeof script, "%s",\n    style, sizeof style, "%s",\n};\n'
                  % (digest(script), digest(style)))


if __name__ == '__main__':
    main()
