/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.c: what an import finds out about code, from programs whose lines, inlined functions and instructions may be
 * anything.
 *
 * The input is a program whose first instructions were executed, so many of them a function. What is found hangs
 * together: indices are within their arrays, and what is around a frame or a loop comes before it.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/code/code.h"
#include "profile/code/decode.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_INSTRS = 600, MOST_SEGMENTS = 16, FUNCTION = 16, LONGEST = 15 };

static const char *const program = scratch.file[0];
static struct tp_blob *costs; /* each is executed twice */

struct code {
    const uint8_t *at;
    uint64_t start, bytes;
};

/* The first segment with code, as far as there is one. */
static struct code code_of(const uint8_t *data, size_t size)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;

    for (size_t i = 0; i < MOST_SEGMENTS && size >= sizeof head; i++) {
        memcpy(&head, data, sizeof head);
        if (i >= head.e_phnum || head.e_phoff > size || size - head.e_phoff < (i + 1) * sizeof segment)
            break;
        memcpy(&segment, data + head.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || segment.p_offset > size)
            continue;
        return (struct code){data + segment.p_offset, segment.p_vaddr, size - segment.p_offset};
    }
    return (struct code){data, 0x401000, size};
}

/* How long the instruction is that begins so; of what is none, 1. */
static uint8_t length_of(const struct code *code, uint64_t at)
{
    uint8_t bytes[LONGEST] = {0};
    struct tp_decoded decoded;

    memcpy(bytes, code->at + at, code->bytes - at < LONGEST ? code->bytes - at : LONGEST);
    for (uint8_t length = 1; length <= LONGEST; length++) {
        tp_decode(bytes, length, code->start + at, &decoded);
        if (decoded.flow != TP_FLOW_UNKNOWN)
            return length;
    }
    return 1;
}

static void execute(struct tp_recording *rec, const struct code *code)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < MOST_INSTRS && at < code->bytes; i++) {
        uint64_t address = code->start + at;
        uint8_t length = length_of(code, at);
        if (i % FUNCTION == 0) {
            uint32_t function = (uint32_t)rec->functions.count + 1;
            must(TP_VECTOR_PUSH(&rec->functions, (struct tp_function){
                .object = 1, .start = address, .size = 1, .symbol = "f", .name = "f"}));
            must(TP_VECTOR_PUSH(&rec->contexts, (struct tp_context){.function = function, .level = 1}));
        }
        must(TP_VECTOR_PUSH(&rec->instrs, (struct tp_instr){.address = address, .costs = costs, .length = length,
                                                            .context = (uint32_t)rec->contexts.count}));
        at += length;
    }
}

static void check(const struct tp_recording *rec)
{
    uint32_t files = (uint32_t)rec->files.count;

    for (size_t i = 0; i < rec->instrs.count; i++) {
        const struct tp_instr *instr = &rec->instrs.at[i];
        must(instr->file <= files && instr->frame <= rec->frames.count && instr->loop <= rec->loops.count);
        must(instr->statement <= rec->statements.count && !instr->statement == !(instr->file && instr->line));
        must(!instr->frame || rec->frames.at[instr->frame - 1].context == instr->context);
    }
    for (size_t i = 0; i < rec->frames.count; i++) {
        const struct tp_frame *frame = &rec->frames.at[i];
        must(frame->parent <= i && frame->file <= files && frame->call_file <= files && *frame->name);
    }
    for (size_t i = 0; i < rec->loops.count; i++) {
        const struct tp_loop *loop = &rec->loops.at[i];
        must(loop->parent <= i && loop->file <= files && loop->frame <= rec->frames.count);
    }
    for (size_t i = 0; i < rec->statements.count; i++)
        must(rec->statements.at[i].first_line <= rec->statements.at[i].line);
    for (size_t i = 0; i < files; i++)
        must(rec->files.at[i][0] && !strchr(rec->files.at[i], '\n'));
}

static void begin(void)
{
    must((costs = calloc(1, sizeof *costs + 1)) != NULL);
    costs->form = TP_FORM_IMMEDIATE;
    costs->size = 1;
    costs->bytes[0] = 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tp_import_options options;
    struct tp_object object = {.path = program, .file = program};
    struct tp_recording rec = {0};
    struct tp_sites sites = {0};
    struct tp_error err = {.message = ""};
    struct code code = code_of(data, size);

    if (!costs)
        begin();
    scratch_make("program", "unused");
    FILE *file = fopen(program, "wb");
    must(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    must(TP_VECTOR_PUSH(&rec.objects, object) && tp_events_name(&rec.events, "Ir"));
    rec.events.immediates = 1; /* the first column */
    execute(&rec, &code);
    must(tp_symbols(&rec, &options, &err) == 0);
    must(tp_sites_make(&sites, &rec) == 0);
    must(tp_statements(&rec, &options, &err) == 0 && tp_loops(&rec, &sites, &options, &err) == 0);
    check(&rec);
    tp_sites_free(&sites);
    tp_recording_free(&rec);
    return 0;
}
