/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_fpu.c: see nt_fpu.h. */
#include "nt_fpu.h"

#include "nt_aside.h"
#include "nt_calls.h"
#include "nt_count.h"

void nt_fpu_behind(struct nt_making *making, unsigned i)
{
    const struct nt_insn *insn = &making->insn[i];
    struct nt_emit *emit = &making->emit;
    uint8_t address;

    if (!insn->fpu_at)
        return;
    address = nt_take_address(making, i);
    if (insn->segment == NT_SEGMENT_FS) {
        uint8_t base = nt_take(making, i, (uint16_t)(NT_LOWER & ~(insn->reads | insn->writes | 1u << address)));
        nt_read_fs(emit, base);
        nt_sum(emit, address, address, base);
    }
    nt_address(emit, address, nt_at(address, insn->fpu_at));
    nt_store(emit, nt_gs(NT_ARGS), address);
    nt_argument(making, 1, insn->fpu_bytes);
    nt_argument(making, 2, (uintptr_t)making->code);
    nt_call_c(making, NT_CALL_FPU);
}

/* Of 32 bits the upper half is that of all generated code. */
void nt_fpu_show(const struct nt_code *code, void *at, uint64_t bytes)
{
    uint64_t address = 0;
    struct nt_place place;

    __builtin_memcpy(&address, at, bytes == 8 ? 8 : 4);
    if (bytes != 8)
        address |= (uintptr_t)code >> 32 << 32;
    if (nt_code_place(code, address, &place))
        __builtin_memcpy(at, &place.pc, bytes == 8 ? 8 : 4);
}

void nt_fpu_stored(struct nt_area *area)
{
    nt_fpu_show((const struct nt_code *)area->args[2], (void *)area->args[0], area->args[1]);
}
