/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_find.c: which instructions make a block, and which registers and flags are dead where.
 *
 * A block goes on behind conditional branches, a few of them, if it is to. It ends with the first other control
 * transfer, before the first byte that cannot be read, or when it is full. Where nothing tells that a store has changed
 * code (NT_CHANGES_HERE), it ends with each store, too. A request to the profiler is one instruction.
 *
 * Backwards from its exits, where everything is live, a register lives before an instruction if it is read there, or if
 * it lives behind and is not killed. What is dead may be overwritten, but not lost: a fault shows every register to the
 * program's handler, so a dead register is put aside all the same and only not put back.
 */
#include "nt_block.h"

/* `branches`: how many conditional branches the block has gone on behind. */
static bool ends_block(const struct nt_making *making, const struct nt_insn *insn, unsigned *branches)
{
    switch (insn->kind) {
    case NT_IS_JCC:
        return !making->joins || ++*branches > NT_BLOCK_BRANCHES;
    case NT_IS_PLAIN:
    case NT_IS_GS_READ:
    case NT_IS_GS_WRITE:
        return false;
    default:
        return true;
    }
}

enum nt_changes nt_changes_of(const struct nt_making *making, uint64_t pc, size_t bytes)
{
    return making->config->host.changes ? making->config->host.changes(pc, bytes) : NT_CHANGES_NOT;
}

static bool stores(const struct nt_insn *insn)
{
    for (unsigned i = 0; i < insn->accesses; i++) {
        if (insn->access[i].how & NT_WRITE)
            return true;
    }
    return false;
}

static void find_analyse(struct nt_making *making)
{
    uint16_t live = 0xffff, flags = NT_FLAGS_STATUS;
    making->live[making->count] = live;
    making->flags[making->count] = flags;
    for (unsigned i = making->count; i-- > 0;) {
        const struct nt_insn *insn = &making->insn[i];
        if (insn->kind == NT_IS_JCC) {
            live = 0xffff;
            flags = NT_FLAGS_STATUS;
        }
        live = (uint16_t)((live & ~insn->kills) | insn->reads);
        flags = (uint16_t)((flags & ~insn->flags_killed) | insn->flags_read);
        making->live[i] = live;
        making->flags[i] = flags;
    }
}

/* As in include/tenure.h: rol rdi by 3, 13, 61, 51; xchg rbx, rbx. */
static const uint8_t request[NT_REQUEST_BYTES] = {0x48, 0xc1, 0xc7, 3,  0x48, 0xc1, 0xc7, 13,   0x48, 0xc1,
                                                  0xc7, 61,   0x48, 0xc1, 0xc7, 51, 0x48, 0x87, 0xdb};

/* How many bytes of a request stand there: up to all, if the rest cannot be seen; 0: it is none. */
static size_t request_bytes(const uint8_t *bytes, size_t seen)
{
    size_t same = 0;
    while (same < sizeof request && same < seen && bytes[same] == request[same])
        same++;
    return same == sizeof request || same == seen ? same : 0;
}

void nt_find_block(struct nt_making *making, uint64_t pc)
{
    size_t readable = making->config->host.read_code(pc, making->bytes, sizeof making->bytes);
    size_t at = 0;
    unsigned branches = 0;
    bool is_watched = nt_changes_of(making, pc, readable) == NT_CHANGES_HERE;
    making->count = 0;
    while (making->count < NT_BLOCK_INSNS && at < readable) {
        struct nt_insn *insn = &making->insn[making->count];
        size_t asks = request_bytes(making->bytes + at, readable - at);
        if (asks && asks < sizeof request && making->count)
            break; /* seen whole by the block that begins there */
        if (asks == sizeof request) {
            *insn = (struct nt_insn){
                .pc = pc + at, .kind = NT_IS_REQUEST, .length = sizeof request, .prefix = NT_NO_REG};
            making->count++;
            at += asks;
            break;
        }
        bool good = nt_forms_decode(making->forms, making->decoder, making->bytes + at, readable - at, pc + at, insn);
        if (insn->cut)
            break; /* if it is the first, the block is that there is no code */
        making->count++;
        at += good ? insn->length : readable - at < NT_INSN_BYTES ? readable - at : NT_INSN_BYTES;
        if (ends_block(making, insn, &branches) || (is_watched && stores(insn)))
            break;
    }
    making->block.pc = pc;
    making->block.extent = at ? (uint32_t)at : 1;
    find_analyse(making);
}
