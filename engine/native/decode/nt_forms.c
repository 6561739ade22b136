/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_forms.c: see nt_forms.h.
 *
 * Only what is common is remembered: no encodings but the legacy ones, no prefixes but 66, f2, f3 and REX, and nothing
 * of which more than an address depends on a constant (shifts by one, enter, ret n). The rest is decoded each time.
 */
#include "nt_forms.h"

enum shape { UNKNOWN, WITHOUT_MODRM, WITH_MODRM, NEVER };
enum { ESCAPE = 0x0f, SECOND = 256, LEA = 0x8d, RSP = 4 };

/* Where the parts are that a form begins with. */
struct front {
    unsigned opcode; /* index of its shape */
    unsigned at;     /* where its byte is */
    unsigned bytes;  /* of the form */
};

static struct front find_opcode(const uint8_t *bytes)
{
    struct front front = {0};
    while (front.at < 2 && (bytes[front.at] == 0x66 || bytes[front.at] == 0xf2 || bytes[front.at] == 0xf3))
        front.at++;
    if ((bytes[front.at] & 0xf0) == 0x40)
        front.at++;
    if (bytes[front.at] == ESCAPE)
        front.opcode = SECOND + bytes[++front.at];
    else
        front.opcode = bytes[front.at];
    return front;
}

static unsigned form_bytes(const struct front *front, enum shape shape, const uint8_t *bytes)
{
    unsigned modrm = front->at + 1;
    if (shape == WITHOUT_MODRM)
        return modrm;
    return modrm + 1 + (bytes[modrm] < 0xc0 && (bytes[modrm] & 7) == RSP ? 1 : 0);
}

static uint64_t key_of(const uint8_t *bytes, unsigned count)
{
    uint64_t first;
    __builtin_memcpy(&first, bytes, sizeof first);
    return (first & ((1ull << 8 * count) - 1)) | (uint64_t)count << 56;
}

static struct nt_form *place_of(struct nt_forms *forms, uint64_t key)
{
    return &forms->forms[(key * 0x9e3779b97f4a7c15ull >> 32) % NT_FORMS];
}

/* The constant of `size` bytes, 1 or 4, sign extended. */
static int64_t forms_constant(const uint8_t *at, unsigned size)
{
    int32_t word;
    if (size == 1)
        return (int8_t)*at;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

static bool is_relative(const struct nt_insn *insn)
{
    return insn->kind == NT_IS_JUMP || insn->kind == NT_IS_JCC || insn->kind == NT_IS_LOOP || insn->kind == NT_IS_CALL;
}

static uint64_t forms_way(const struct nt_insn *insn)
{
    unsigned size = insn->length - insn->immediate;
    return insn->pc + insn->length + (uint64_t)forms_constant(insn->bytes + insn->immediate, size);
}

/* ------------------------------------------------------------------------------------------ remembered */

/* The form's instruction with the constants that stand in `bytes`. */
static void forms_copy(const struct nt_insn *form, const uint8_t *bytes, uint64_t pc, struct nt_insn *insn)
{
    __builtin_memcpy(insn, form, sizeof *insn); /* what lies between its members too */
    insn->pc = pc;
    __builtin_memcpy(insn->bytes, bytes, insn->length);
    if (is_relative(insn))
        insn->target = forms_way(insn);
    if (is_relative(insn) || !insn->displacement_bytes)
        return;
    int64_t offset = forms_constant(insn->bytes + insn->displacement, insn->displacement_bytes);
    int64_t moved = offset - insn->offset;
    if (insn->rip_relative)
        insn->target = insn->pc + insn->length + (uint64_t)offset;
    for (unsigned i = 0; i < insn->accesses; i++) {
        struct nt_access *access = &insn->access[i];
        if (access->base == insn->base && access->index == insn->index)
            access->displacement = insn->rip_relative ? (int64_t)insn->target : access->displacement + moved;
    }
    insn->offset = (int32_t)offset;
}

/* ------------------------------------------------------------------------------------------ to be remembered */

/* An immediate operand tells more than an address, or there are two, or ModRM is not what it is elsewhere. */
static bool is_odd(unsigned opcode)
{
    switch (opcode) {
    case 0xc0: /* shifts: whether they change flags */
    case 0xc1:
    case SECOND + 0xa4:
    case SECOND + 0xac:
    case 0xc2: /* ret n */
    case 0xc8: /* enter */
    case 0xca: /* far return */
    case 0xcd: /* int: a system call, or a trap */
    case SECOND + ESCAPE: /* 3DNow! has its opcode there */
    case SECOND + 0x20: /* control and debug registers */
    case SECOND + 0x21:
    case SECOND + 0x22:
    case SECOND + 0x23:
        return true;
    default:
        return false;
    }
}

static enum shape shape_of(const struct nt_insn *insn, const struct front *front)
{
    unsigned behind = front->at + 1;
    if (insn->encoding != NT_LEGACY || is_odd(front->opcode))
        return NEVER;
    if (insn->modrm)
        return insn->modrm == behind ? WITH_MODRM : NEVER;
    if (insn->displacement_bytes)
        return NEVER;
    return (insn->immediate ? insn->immediate : insn->length) == behind ? WITHOUT_MODRM : NEVER;
}

static bool is_copied_well(const struct nt_insn *insn)
{
    unsigned size = insn->length - insn->immediate;
    if (insn->kind == NT_IS_XBEGIN || insn->kind == NT_IS_UNSUPPORTED || insn->kind == NT_IS_NOTHING)
        return false;
    if (is_relative(insn))
        return insn->immediate && (size == 1 || size == 4) && insn->target == forms_way(insn);
    if (!insn->displacement_bytes)
        return true;
    bool mixed = insn->base == RSP && insn->accesses > 1; /* its operand is not told from the stack */
    bool is_named = insn->accesses || insn->bytes[insn->opcode] == LEA; /* not a hint, which may hide its operand */
    return insn->memory && is_named && !mixed &&
           (insn->displacement_bytes == 1 || insn->displacement_bytes == 4) &&
           insn->offset == forms_constant(insn->bytes + insn->displacement, insn->displacement_bytes);
}

static void forms_remember(struct nt_forms *forms, const struct front *front, const struct nt_insn *insn)
{
    uint8_t *shape = &forms->shape[front->opcode];
    enum shape now = shape_of(insn, front);
    if (*shape != UNKNOWN && *shape != now)
        now = NEVER;
    *shape = (uint8_t)now;
    if (now == NEVER || !is_copied_well(insn))
        return;
    uint64_t key = key_of(insn->bytes, form_bytes(front, now, insn->bytes));
    struct nt_form *form = place_of(forms, key);
    form->key = key;
    __builtin_memcpy(&form->insn, insn, sizeof *insn);
}

bool nt_forms_decode(struct nt_forms *forms, const struct nt_decoder *decoder, const uint8_t *bytes, size_t length,
                     uint64_t pc, struct nt_insn *insn)
{
    if (length < NT_INSN_BYTES)
        return nt_decode(decoder, bytes, length, pc, insn);
    struct front front = find_opcode(bytes);
    enum shape shape = forms->shape[front.opcode];
    forms->asked++;
    if (shape == WITHOUT_MODRM || shape == WITH_MODRM) {
        uint64_t key = key_of(bytes, form_bytes(&front, shape, bytes));
        const struct nt_form *form = place_of(forms, key);
        if (form->key == key) {
            forms->known++;
            forms_copy(&form->insn, bytes, pc, insn);
            return true;
        }
    }
    bool good = nt_decode(decoder, bytes, length, pc, insn);
    if (good && shape != NEVER)
        forms_remember(forms, &front, insn);
    return good;
}
