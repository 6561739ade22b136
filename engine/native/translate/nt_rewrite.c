/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_rewrite.c: an instruction with another address in it.
 *
 * Nothing is encoded anew. The bytes are copied, ModRM is patched, SIB and displacement are replaced. The bits that
 * extend base and index (in REX, VEX or EVEX) are cleared, since the new base is one of the lower eight registers: so
 * no instruction ever gets a REX prefix that it did not have, which would turn ah into spl. There is no displacement
 * left that EVEX could scale.
 */
#include "nt_block.h"

/* Prefixes and opcode, extension bits cleared. If `plain`, without the prefixes for addresses of 32 bits and for GS,
 * and without those that would mean something when these are gone: for FS, and REX in front of another prefix. */
static void put_front(struct nt_emit *emit, const struct nt_insn *insn, bool plain)
{
    for (unsigned i = 0; i < insn->modrm; i++) {
        uint8_t byte = insn->bytes[i];
        bool legacy = insn->prefix == NT_NO_REG ? i < insn->opcode : i < insn->prefix;
        if (plain && legacy && (byte == 0x64 || byte == 0x65 || byte == 0x67 || (byte & 0xf0) == 0x40))
            continue;
        if (i == insn->prefix && insn->encoding == NT_LEGACY)
            byte &= 0xfc;
        else if (i == (unsigned)insn->prefix + 1 && insn->prefix != NT_NO_REG &&
                 (insn->encoding == NT_VEX3 || insn->encoding == NT_XOP || insn->encoding == NT_EVEX))
            byte |= 0x60; /* inverted X and B */
        nt_put8(emit, byte);
    }
}

static void put_back(struct nt_emit *emit, const struct nt_insn *insn)
{
    unsigned behind = insn->modrm + 1u + (insn->sib ? 1 : 0) + insn->displacement_bytes;
    nt_put(emit, insn->bytes + behind, insn->length - behind);
}

void nt_rewrite(struct nt_emit *emit, const struct nt_insn *insn, uint8_t base)
{
    put_front(emit, insn, insn->segment == NT_SEGMENT_GS);
    nt_put8(emit, (uint8_t)((insn->bytes[insn->modrm] & 0x38) | base));
    put_back(emit, insn);
}

void nt_rewrite_absolute(struct nt_emit *emit, const struct nt_insn *insn)
{
    put_front(emit, insn, false);
    nt_put8(emit, (uint8_t)((insn->bytes[insn->modrm] & 0x38) | 4));
    nt_put8(emit, 0x25);
    nt_put32(emit, (uint32_t)insn->target);
    put_back(emit, insn);
}
