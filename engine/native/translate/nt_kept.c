/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_kept.c: see nt_kept.h.
 *
 * A mark is told by what is different from the one before it: a byte of flags with the bytes that the program has gone
 * on, how many bytes of code further it is, and behind these the registers that are aside, and the segment, if they are
 * others. Marks are read from the first one on, which is rare: by faults.
 */
#include "nt_kept.h"

enum { PC_STEP = 15, OTHER_ASIDE = 16, OTHER_SEGMENT = 32, FAR_CODE = 64, FAR_PC = 128 };

static uint8_t *put(uint8_t *at, uint32_t value, unsigned bytes)
{
    __builtin_memcpy(at, &value, bytes);
    return at + bytes;
}

static uint32_t get(const uint8_t **at, unsigned bytes)
{
    uint32_t value = 0;

    __builtin_memcpy(&value, *at, bytes);
    *at += bytes;
    return value;
}

size_t nt_kept_pack_marks(const struct nt_making *making, uint8_t *to)
{
    struct nt_mark last = {0};
    uint8_t *at = to;

    for (unsigned i = 0; i < making->mark_count; i++) {
        const struct nt_mark *mark = &making->marks[i];
        uint16_t code = (uint16_t)(mark->code - last.code), pc = (uint16_t)(mark->pc - last.pc);
        uint8_t flags = (uint8_t)((pc <= PC_STEP ? pc : FAR_PC) | (code > UINT8_MAX ? FAR_CODE : 0) |
                                  (mark->aside != last.aside ? OTHER_ASIDE : 0) |
                                  (mark->segment != last.segment ? OTHER_SEGMENT : 0));
        at = put(at, flags, 1);
        at = put(at, code, flags & FAR_CODE ? 2 : 1);
        if (flags & FAR_PC)
            at = put(at, pc, 2);
        if (flags & OTHER_ASIDE)
            at = put(at, mark->aside, 2);
        if (flags & OTHER_SEGMENT)
            at = put(at, mark->segment, 4);
        last = *mark;
    }
    return (size_t)(at - to);
}

static struct nt_mark next_mark(struct nt_mark mark, const uint8_t **at)
{
    uint32_t flags = get(at, 1);

    mark.code = (uint16_t)(mark.code + get(at, flags & FAR_CODE ? 2 : 1));
    mark.pc = (uint16_t)(mark.pc + (flags & FAR_PC ? get(at, 2) : flags & PC_STEP));
    if (flags & OTHER_ASIDE)
        mark.aside = (uint16_t)get(at, 2);
    if (flags & OTHER_SEGMENT)
        mark.segment = get(at, 4);
    return mark;
}

struct nt_mark nt_kept_mark(const struct nt_kept *kept, uint64_t offset)
{
    const uint8_t *end = (const uint8_t *)kept - kept->out_count * sizeof(struct nt_kept_out);
    const uint8_t *at = end - kept->mark_bytes;
    struct nt_mark mark = {0}, next = next_mark(mark, &at);

    do {
        mark = next;
        if (at == end)
            break;
        next = next_mark(mark, &at);
    } while (next.code <= offset);
    return mark;
}

void nt_kept_pack_out(const struct nt_making *making, unsigned number, const struct nt_kept *kept)
{
    const struct nt_out *out = &making->outs[number];
    const uint8_t *memory = (const uint8_t *)making->code;
    uint64_t pc = out->exit.pc - kept->pc;
    struct nt_kept_out *to = (struct nt_kept_out *)kept - 1 - number;

    *to = (struct nt_kept_out){.kind = (uint8_t)out->exit.kind, .rare = out->exit.rare, .length = out->exit.length};
    to->links = out->site && nt_fits(pc); /* a jump of 2 GB may lead further from the block's begin */
    if (to->links) {
        to->pc = (int32_t)pc;
        to->from = (uint32_t)((const uint8_t *)kept - memory);
        to->site = (uint32_t)(out->site - memory);
        to->stub = (uint32_t)(out->stub - memory);
    } else {
        to->rsp_taken = out->exit.rsp_taken;
        to->pc_whole = out->exit.pc;
        to->why = out->exit.why;
        to->operand = out->exit.operand;
        to->operand_bits = out->exit.operand_bits;
    }
}

struct nt_exit nt_kept_exit(const struct nt_code *code, uint64_t index)
{
    const uint8_t *memory = (const uint8_t *)code;

    if (index & NT_KEPT_SAFE)
        return (struct nt_exit){
            .kind = NT_EXIT_SAFE, .pc = ((const struct nt_kept *)(memory + index - NT_KEPT_SAFE))->pc};
    const struct nt_kept_out *out = (const struct nt_kept_out *)(memory + index);
    struct nt_exit exit = {.kind = out->kind, .rare = out->rare, .length = out->length};
    if (out->links) {
        exit.pc = ((const struct nt_kept *)(memory + out->from))->pc + (uint64_t)(int64_t)out->pc;
        return exit;
    }
    exit.rsp_taken = out->rsp_taken;
    exit.pc = out->pc_whole;
    exit.why = out->why;
    exit.operand = out->operand;
    exit.operand_bits = out->operand_bits;
    return exit;
}
