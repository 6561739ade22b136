/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disassemble.c: see disassemble.h. The object is mapped and its program headers are read here, each number checked
 * against the file: it may be anything. It is the one recorded if its build id is, where the profile has one.
 */
#include "profile/disassemble.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/error.h"
#include "tenure_config.h"

#if TENURE_HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif

enum { LONGEST = 15 /* bytes of an instruction */, ID_TEXT = 2 * 64 + 1 };

struct tp_code {
    const uint8_t *bytes;
    size_t size;
#if TENURE_HAVE_ZYDIS
    ZydisDecoder decoder;
    ZydisFormatter formatter;
#endif
};

/* ------------------------------------------------------------------------------------------ the file */

static int map_file(struct tp_code *code, const char *path, struct tp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;

    if (fd < 0)
        return TP_FAIL(err, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        close(fd);
        return TP_FAIL(err, "%s: not an object file", path);
    }
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return TP_FAIL(err, "%s: cannot map: %s", path, strerror(errno));
    code->bytes = bytes;
    code->size = (size_t)status.st_size;
    return 0;
}

static bool is_elf64(const struct tp_code *code)
{
    return memcmp(code->bytes, ELFMAG, SELFMAG) == 0 && code->bytes[EI_CLASS] == ELFCLASS64 &&
           code->bytes[EI_DATA] == ELFDATA2LSB;
}

static bool within(const struct tp_code *code, uint64_t offset, uint64_t size)
{
    return offset <= code->size && size <= code->size - offset;
}

/* The i-th program header; false: there is none. */
static bool header(const struct tp_code *code, size_t i, Elf64_Phdr *out)
{
    Elf64_Ehdr elf;

    memcpy(&elf, code->bytes, sizeof elf);
    if (i >= elf.e_phnum || elf.e_phentsize != sizeof *out || elf.e_phoff > code->size ||
        !within(code, elf.e_phoff + i * sizeof *out, sizeof *out))
        return false;
    memcpy(out, code->bytes + elf.e_phoff + i * sizeof *out, sizeof *out);
    return true;
}

/* ------------------------------------------------------------------------------------------ which one it is */

static bool id_in_notes(const struct tp_code *code, const Elf64_Phdr *notes, char *out)
{
    uint64_t at = notes->p_offset, end = at + notes->p_filesz;
    Elf64_Nhdr note;

    if (!within(code, at, notes->p_filesz))
        return false;
    while (end - at >= sizeof note) {
        memcpy(&note, code->bytes + at, sizeof note);
        uint64_t name = ((uint64_t)note.n_namesz + 3) & ~(uint64_t)3;
        uint64_t size = ((uint64_t)note.n_descsz + 3) & ~(uint64_t)3;
        at += sizeof note;
        if (name > end - at || size > end - at - name)
            return false;
        const uint8_t *id = code->bytes + at + name;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(code->bytes + at, "GNU", 4) == 0 &&
            2 * note.n_descsz < ID_TEXT) {
            for (size_t i = 0; i < note.n_descsz; i++)
                snprintf(out + 2 * i, 3, "%02x", id[i]);
            return true;
        }
        at += name + size;
    }
    return false;
}

static void id_of_file(const struct tp_code *code, char *out)
{
    Elf64_Phdr segment;

    *out = '\0';
    for (size_t i = 0; header(code, i, &segment); i++) {
        if (segment.p_type == PT_NOTE && id_in_notes(code, &segment, out))
            return;
    }
}

/* "" if the profile does not know it. */
static int id_of_object(tp_profile *profile, const char *object, char *out, struct tp_error *err)
{
    static const char sql[] = "SELECT build_id FROM objects WHERE path = ?";
    sqlite3_stmt *row;

    if (sqlite3_prepare_v2(tp_db(profile), sql, -1, &row, NULL) != SQLITE_OK)
        return tp_sql_failed(profile, "cannot read its objects", err);
    sqlite3_bind_text(row, 1, object, -1, SQLITE_STATIC);
    const char *id = sqlite3_step(row) == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;
    snprintf(out, ID_TEXT, "%s", id ? id : "");
    sqlite3_finalize(row);
    return 0;
}

static int check(struct tp_code *code, tp_profile *profile, const char *object, struct tp_error *err)
{
    char recorded[ID_TEXT], found[ID_TEXT];

    if (!is_elf64(code))
        return TP_FAIL(err, "%s: not an object file", object);
    if (id_of_object(profile, object, recorded, err))
        return -1;
    id_of_file(code, found);
    if (*recorded && strcmp(recorded, found) != 0)
        return TP_FAIL(err, "%s: not the file that was recorded: it has another build id", object);
    return 0;
}

struct tp_code *tp_code_open(tp_profile *profile, const char *object, struct tp_error *err)
{
    struct tp_code *code = calloc(1, sizeof *code);

    if (!code) {
        TP_NO_MEMORY(err);
        return NULL;
    }
    if (map_file(code, object, err) || check(code, profile, object, err)) {
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
    if (code && code->bytes)
        munmap((void *)(uintptr_t)code->bytes, code->size);
    free(code);
}

/* ------------------------------------------------------------------------------------------ text */

static const uint8_t *bytes_at(const struct tp_code *code, uint64_t offset, unsigned length)
{
    Elf64_Phdr segment;

    for (size_t i = 0; header(code, i, &segment); i++) {
        uint64_t at = offset - segment.p_vaddr;
        if (segment.p_type == PT_LOAD && offset >= segment.p_vaddr && at < segment.p_filesz &&
            length <= segment.p_filesz - at && within(code, segment.p_offset, segment.p_filesz))
            return code->bytes + segment.p_offset + at;
    }
    return NULL;
}

static void write_bytes(const uint8_t *bytes, unsigned length, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "(bytes)");

    for (unsigned i = 0; i < length && at + 4 < size; i++)
        at += (size_t)snprintf(out + at, size - at, " %02x", bytes[i]);
}

#if TENURE_HAVE_ZYDIS
static uint64_t target_of(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *operand,
                          uint64_t address)
{
    ZyanU64 target = 0;

    if (instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE || operand[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
        !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(instruction, &operand[0], address, &target)))
        return 0;
    return target;
}
#endif

bool tp_code_text(const struct tp_code *code, uint64_t offset, uint64_t address, unsigned length, char *out,
                  size_t size, uint64_t *target)
{
    const uint8_t *bytes = length && length <= LONGEST ? bytes_at(code, offset, length) : NULL;

    *target = 0;
    if (!bytes)
        return false;
#if TENURE_HAVE_ZYDIS
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&code->decoder, bytes, length, &instruction, operand)) &&
        ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&code->formatter, &instruction, operand,
                                                     instruction.operand_count_visible, out, size, address, NULL))) {
        *target = target_of(&instruction, operand, address);
        return true;
    }
#else
    (void)address;
#endif
    write_bytes(bytes, length, out, size);
    return true;
}
