# SPDX-License-Identifier: GPL-2.0-or-later
"""
The seal of a profile, as docs/profile-format.md describes it ("Checksums"), for tests that make profiles by SQL.

    sealed.seal(PATH)         seal the profile, whatever is behind its last page now
    sealed.without(DATA)      the bytes in front of the seal
"""
import struct
import zlib

PIECE, CHANGES, MAGIC, END = 1 << 20, 0x74656E75, b'TnurSums', 20


def without(data):
    page, = struct.unpack_from('>H', data, 16)
    return data[:(65536 if page == 1 else page) * struct.unpack_from('>I', data, 28)[0]]


def seal(path):
    with open(path, 'r+b') as file:
        data = bytearray(without(file.read()))
        for at in (24, 92):
            struct.pack_into('>I', data, at, CHANGES)
        sums = b''.join(struct.pack('>I', zlib.crc32(data[at:at + PIECE])) for at in range(0, len(data), PIECE))
        sums += struct.pack('>Q', len(data))
        file.seek(0)
        file.truncate()
        file.write(data + sums + struct.pack('>I', zlib.crc32(sums)) + MAGIC)
