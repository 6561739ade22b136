/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassemble.c: see disassemble.h. An object's file is the one recorded if its build id is, where the profile has
 * one.
 */
#include "profile/read/disassemble.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/objects/symbols_image.h"
#include "tenure_config.h"

#if TENURE_HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

enum { LONGEST = 15 /* bytes of an instruction */ };

struct tp_code {
    struct tp_image image;
#if TENURE_HAVE_ZYDIS
    ZydisDecoder decoder;
    ZydisFormatter formatter;
#endif
};

/* ------------------------------------------------------------------------------------------ which one it is */

static int check(const struct tp_code *code, tp_profile *profile, const char *object, struct tp_error *err)
{
    sqlite3_stmt *row =
        tp_query(profile, sqlite3_mprintf("SELECT build_id FROM objects WHERE path = %Q", object), err);
    char found[2 * TP_BUILD_ID_MOST + 1] = "";
    const uint8_t *id;

    if (!row)
        return -1;
    for (size_t i = 0, size = tp_image_build_id(&code->image, &id); i < size; i++)
        snprintf(found + 2 * i, 3, "%02x", id[i]);
    const char *recorded = sqlite3_step(row) == SQLITE_ROW ? tp_text(row, 0) : "";
    bool is_it = !*recorded || strcmp(recorded, found) == 0;
    sqlite3_finalize(row);
    return is_it ? 0 : TP_FAIL(err, "%s: not the file that was recorded: it has another build id", object);
}

struct tp_code *tp_code_open(tp_profile *profile, const char *object, struct tp_error *err)
{
    struct tp_code *code = calloc(1, sizeof *code);

    if (!code) {
        TP_NO_MEMORY(err);
        return NULL;
    }
    int failed = tp_image_open(&code->image, object);
    if (failed == ENOEXEC)
        TP_FAIL(err, "%s: not an object file", object);
    else if (failed)
        TP_FAIL(err, "%s: cannot open: %s", object, strerror(failed));
    if (failed || check(code, profile, object, err)) {
        tp_code_close(code);
        return NULL;
    }
#if TENURE_HAVE_ZYDIS
    ZydisDecoderInit(&code->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&code->formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&code->formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
    ZydisFormatterSetProperty(&code->formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&code->formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
    ZydisFormatterSetProperty(&code->formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
#endif
    return code;
}

void tp_code_close(struct tp_code *code)
{
    if (code)
        tp_image_close(&code->image);
    free(code);
}

/* ------------------------------------------------------------------------------------------ text */

bool tp_code_text(const struct tp_code *code, uint64_t offset, uint64_t address, unsigned length, char *out,
                  size_t size, uint64_t *target)
{
    uint64_t left = 0;
    const uint8_t *bytes = length ? tp_image_at(&code->image, offset, &left) : NULL;

    *target = 0;
    if (!bytes || left < length)
        return false;
    if (length > LONGEST) {
        snprintf(out, size, "(%u bytes of code that costs little)", length);
        return true;
    }
#if TENURE_HAVE_ZYDIS
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&code->decoder, bytes, length, &instruction, operand)) &&
        ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&code->formatter, &instruction, operand,
                                                     instruction.operand_count_visible, out, size, address, NULL))) {
        if (instruction.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE && operand[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
            !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&instruction, &operand[0], address, target)))
            *target = 0;
        size_t used = strlen(out);
        if (instruction.length < length)
            snprintf(out + used, size - used, "; ...");
        return true;
    }
#else
    (void)address;
#endif
    size_t at = (size_t)snprintf(out, size, "(bytes)");
    for (unsigned i = 0; i < length && at + 4 < size; i++)
        at += (size_t)snprintf(out + at, size - at, " %02x", bytes[i]);
    return true;
}
