/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw.c: see draw.h. */
#include "draw.h"

#include <string.h>

#include <Zydis/Zydis.h>

static ZydisDecoder decoder;
static bool ready;

static bool category_refused(const ZydisDecodedInstruction *d)
{
    switch (d->meta.category) {
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_VTX:
    case ZYDIS_CATEGORY_SGX:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
    case ZYDIS_CATEGORY_RDRAND:
    case ZYDIS_CATEGORY_RDSEED:
    case ZYDIS_CATEGORY_RDPID:
    case ZYDIS_CATEGORY_RDPRU:
    case ZYDIS_CATEGORY_PKU:
    case ZYDIS_CATEGORY_WAITPKG:
    case ZYDIS_CATEGORY_UINTR:
    case ZYDIS_CATEGORY_AMX_TILE:
    case ZYDIS_CATEGORY_PT:
    case ZYDIS_CATEGORY_ENQCMD:
    case ZYDIS_CATEGORY_PADLOCK:
    case ZYDIS_CATEGORY_KEYLOCKER:
    case ZYDIS_CATEGORY_KEYLOCKER_WIDE:
    case ZYDIS_CATEGORY_CET:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
        return true;
    default:
        return false;
    }
}

static bool may_run(const ZydisDecodedInstruction *d, const ZydisDecodedOperand *o)
{
    if (d->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED || category_refused(d))
        return false;
    switch (d->mnemonic) {
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFD:
    case ZYDIS_MNEMONIC_POPFQ:
    case ZYDIS_MNEMONIC_FNSTENV:
    case ZYDIS_MNEMONIC_FNSAVE:
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_FRSTOR:
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_RDPMC:
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_WRFSBASE:
    case ZYDIS_MNEMONIC_RDFSBASE:
    case ZYDIS_MNEMONIC_WRGSBASE:
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_XTEST:
    case ZYDIS_MNEMONIC_SMSW:
    case ZYDIS_MNEMONIC_SLDT:
    case ZYDIS_MNEMONIC_STR:
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_MONITOR:
    case ZYDIS_MNEMONIC_MONITORX:
    case ZYDIS_MNEMONIC_MWAIT:
    case ZYDIS_MNEMONIC_MWAITX:
    case ZYDIS_MNEMONIC_ENTER:
    case ZYDIS_MNEMONIC_LGS:
    case ZYDIS_MNEMONIC_LFS:
    case ZYDIS_MNEMONIC_LSS:
        return false;
    default:
        break;
    }
    for (unsigned i = 0; i < d->operand_count; i++) {
        if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER && o[i].reg.value >= ZYDIS_REGISTER_ES &&
            o[i].reg.value <= ZYDIS_REGISTER_GS)
            return false;
        if (o[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        if (o[i].mem.segment == ZYDIS_REGISTER_FS) /* the C library's */
            return false;
        bool gs = o[i].mem.segment == ZYDIS_REGISTER_GS;
        if (gs && (o[i].encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM || d->address_width != 64 ||
                   o[i].mem.base != ZYDIS_REGISTER_NONE || o[i].mem.type == ZYDIS_MEMOP_TYPE_VSIB ||
                   o[i].mem.index != ZYDIS_REGISTER_NONE || d->raw.disp.size != 32 || d->raw.modrm.rm == 5))
            return false;
    }
    return true;
}

/* Likely bytes of an instruction. */
static void draw_bytes(uint64_t *seed, uint8_t *to)
{
    static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0x67, 0x65, 0x66, 0xf3, 0xf0};
    unsigned n = 0;
    for (unsigned i = 0; i < 15; i++)
        to[i] = (uint8_t)bench_draw(seed);
    uint64_t draw = bench_draw(seed);
    while (n < 3 && draw % 4 == 0) {
        to[n++] = prefixes[draw >> 8 & 7];
        draw = bench_draw(seed);
    }
    draw = bench_draw(seed);
    uint64_t form = (draw >> 8) % 10;
    if (form < 7 && draw % 8 < 5)
        to[n++] = (uint8_t)(0x40 | (draw >> 32 & 15));
    switch (form) {
    case 0:
    case 1:
    case 2:
        break;
    case 3:
    case 4:
        to[n] = 0x0f;
        break;
    case 5:
        to[n] = 0x0f;
        to[n + 1] = 0x38;
        break;
    case 6:
        to[n] = 0x0f;
        to[n + 1] = 0x3a;
        break;
    case 7:
        to[0] = 0xc4;
        to[1] = (uint8_t)((to[1] & 0xe0) | (1 + to[1] % 3));
        break;
    case 8:
        to[0] = 0xc5;
        break;
    default:
        to[0] = 0x62;
        to[1] = (uint8_t)((to[1] & 0xf0) | (1 + to[1] % 3));
        to[2] |= 4;
        break;
    }
}

/* Set the displacement so that the operand is likely to lie in the data. */
static void aim(const struct bench *bench, const ZydisDecodedInstruction *d, uint8_t *bytes, uint64_t pc,
                uint64_t *seed)
{
    if (d->raw.disp.size == 64) {
        uint64_t address = (uintptr_t)bench->data + bench_draw(seed) % (BENCH_DATA - 64);
        memcpy(bytes + d->raw.disp.offset, &address, 8);
    }
    if (d->raw.disp.size != 32)
        return;
    int32_t displacement = (int32_t)(bench_draw(seed) % 4096) - 2048;
    uint64_t place = (uintptr_t)bench->data + bench_draw(seed) % (BENCH_DATA - 64);
    if (d->raw.modrm.mod == 0 && d->raw.modrm.rm == 5)
        displacement = (int32_t)(place - (pc + d->length));
    else if (d->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS)
        displacement = (int32_t)(place - (uintptr_t)(bench->area + 1));
    else if (d->raw.modrm.mod == 0 && (uintptr_t)bench->data < 0x7fff0000)
        displacement = (int32_t)place;
    memcpy(bytes + d->raw.disp.offset, &displacement, 4);
}

unsigned draw_insn(const struct bench *bench, uint8_t *to, uint64_t *seed)
{
    ZydisDecodedInstruction d;
    ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
    uint8_t bytes[15];
    if (!ready)
        ready = ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
    for (;;) {
        draw_bytes(seed, bytes);
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, 15, &d, o)) || !may_run(&d, o))
            continue;
        aim(bench, &d, bytes, (uintptr_t)to, seed);
        memcpy(to, bytes, d.length);
        return d.length;
    }
}
