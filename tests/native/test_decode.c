/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_decode.c: what the decoder says of an instruction's accesses, against what the CPU does.
 *
 *     test_decode [--seed=N] [--count=N] [--hide-features=NAMES]
 *
 * Random instructions with an operand in memory run with that operand at chosen places around a page that ends where
 * nothing is mapped. If it is said to be `size` bytes long it must fit in front of the end, and one byte further must
 * fault just there. On a page that may only be read it faults if it is said to write. An instruction that is said
 * not to access anything must not fault where nothing is mapped, and one whose mask is empty must not either.
 * Random instructions of any kind run twice, the second time with other values where they are said to read nothing:
 * what they leave must be the same, nothing changes that they are not said to write, and what they are said to write
 * whole does not depend on what was there. So with flags.
 * Then a table: accesses that ModRM does not name. And what is remembered of forms (nt_forms.h) must say the same as
 * the decoder, of random instructions and of what this program's file holds.
 */
#include "bench.h"
#include "draw.h"
#include "engine/native/translate/nt_block.h"
#include "vector.h"
#include "zydis.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned passed, failed;
static uint64_t seed;
static struct bench *bench;
static struct nt_insn insn;

/* A lower register that the instruction does not use. */
static uint8_t free_register(void)
{
    static const uint8_t order[] = {NT_RSI, NT_RDI, NT_RBX, NT_RDX, NT_RCX, NT_RAX};
    for (size_t i = 0; i < sizeof order; i++)
        if (!((insn.reads | insn.writes) >> order[i] & 1))
            return order[i];
    return NT_NO_REG;
}

static void complain(const char *what)
{
    failed++;
    printf("  %s: %s:", what, nt_decode_name(&bench->decoder, &insn));
    for (unsigned i = 0; i < insn.length; i++)
        printf(" %02x", insn.bytes[i]);
    for (unsigned i = 0; i < insn.accesses; i++)
        printf("; how %u kind %u size %u lanes %u%s", insn.access[i].how, insn.access[i].kind,
               insn.access[i].size, insn.access[i].lanes, insn.access[i].conditional ? " perhaps" : "");
    printf("; signal %d code %d address %#llx\n", bench->native.signal, bench->native.signal_code,
           (unsigned long long)bench->native.signal_address);
}

/* Run it with its operand at `address`. */
static void run_at(uint8_t base, uint64_t address, int mask)
{
    struct nt_emit emit = {.at = bench->code, .end = bench->code + 64};
    nt_rewrite(&emit, &insn, base);
    bench_end(bench, emit.at);
    bench->before.gpr[base] = address;
    if (mask >= 0)
        vector_fill(&bench_layout, bench->before.vector, NT_XSTATE_OPMASK, mask);
    bench_native(bench);
}

static bool ran(void)
{
    return bench->native.signal == 0;
}

static bool faulted_at(uint64_t address)
{
    return bench->native.signal == SIGSEGV && bench->native.signal_address == address;
}

/* Something else than memory is wrong with it here: alignment, a division, no such instruction on this CPU. */
static bool refused(void)
{
    return bench->native.signal &&
           (bench->native.signal != SIGSEGV || bench->native.signal_code == SI_KERNEL);
}

static void check_none(uint8_t base)
{
    run_at(base, 0x123456789000, 0xff);
    if (refused())
        return;
    if (ran())
        passed++;
    else
        complain("accesses memory, though not said to");
}

static void check_size(uint8_t base, unsigned size, bool writes)
{
    uint64_t end = (uintptr_t)bench->data + BENCH_DATA;
    run_at(base, end - size, 0xff);
    if (refused())
        return;
    if (!ran())
        complain("is longer than said");
    run_at(base, end - size + 1, 0xff);
    if (!refused() && !faulted_at(end))
        complain("is shorter than said");
    run_at(base, (uintptr_t)bench->data - 1, 0xff);
    if (!refused() && !faulted_at((uintptr_t)bench->data - 1))
        complain("begins later than said");
    bench->read_only = true;
    run_at(base, end - size, 0xff);
    bench->read_only = false;
    if (!refused() && ran() == writes)
        complain(writes ? "does not write" : "writes");
    passed++;
}

/* Of all vector registers. */
static void fill_signs(int byte)
{
    vector_fill(&bench_layout, bench->before.vector, NT_XSTATE_SSE, byte);
    vector_fill(&bench_layout, bench->before.vector, NT_XSTATE_AVX, byte);
}

static void one(void)
{
    uint8_t bytes[16] = {0};
    bench_random(bench, &seed);
    memset(bench->memory_before, 0x11, BENCH_DATA);
    draw_insn(bench, bytes, &seed);
    nt_decode(&bench->decoder, bytes, sizeof bytes, (uintptr_t)bench->code, &insn);
    uint8_t base = free_register();
    if (!insn.memory || insn.implicit || insn.kind != NT_IS_PLAIN || insn.segment || insn.vector_index ||
        base == NT_NO_REG || (insn.accesses == 1 && insn.access[0].kind == NT_BIT))
        return;
    if (insn.accesses == 0) { /* clflush and its like count as none, but want a page */
        if (!strncmp(nt_decode_name(&bench->decoder, &insn), "cl", 2))
            return;
        check_none(base);
        return;
    }
    const struct nt_access *access = &insn.access[0];
    if (insn.accesses > 1) /* with the stack */
        return;
    unsigned size = nt_access_bytes(access);
    if (access->kind == NT_MASKED_SIGN)
        fill_signs(0xff);
    check_size(base, size, access->how & NT_WRITE);
    if (!access->conditional)
        return;
    if (access->kind == NT_MASKED_SIGN)
        fill_signs(0);
    run_at(base, 0x123456789000, 0);
    if (!refused() && !ran())
        complain("accesses memory under an empty mask");
}

/* How many of each kind the table of engine/CONTRACT.md gives, as far as it is a matter of accesses. */
static const struct {
    const char *bytes;
    unsigned length, accesses;
    struct nt_access access[2];
} table[] = {
#define A(how_, kind_, base_, size_, displacement_)                                                          \
    {                                                                                                        \
        .how = how_, .kind = kind_, .base = base_, .size = size_, .displacement = displacement_              \
    }
#define P(base_, size_)                                                                                      \
    {                                                                                                        \
        .how = NT_WRITE, .kind = NT_ONE, .base = base_, .size = size_, .past = true                          \
    }
    {"\x50", 1, 1, {A(NT_WRITE, NT_ONE, NT_RSP, 8, -8)}},         /* push rax */
    {"\x66\x50", 2, 1, {A(NT_WRITE, NT_ONE, NT_RSP, 2, -2)}},     /* push ax */
    {"\x58", 1, 1, {A(NT_READ, NT_ONE, NT_RSP, 8, 0)}},           /* pop rax */
    {"\x6a\x01", 2, 1, {A(NT_WRITE, NT_ONE, NT_RSP, 8, -8)}},     /* push 1 */
    {"\xe8\0\0\0\0", 5, 1, {A(NT_WRITE, NT_ONE, NT_RSP, 8, -8)}}, /* call */
    {"\xc3", 1, 1, {A(NT_READ, NT_ONE, NT_RSP, 8, 0)}},           /* ret */
    {"\xc2\x08\0", 3, 1, {A(NT_READ, NT_ONE, NT_RSP, 8, 0)}},     /* ret 8 */
    {"\xc9", 1, 1, {A(NT_READ, NT_ONE, NT_RBP, 8, 0)}},           /* leave */
    {"\x9c", 1, 1, {A(NT_WRITE, NT_ONE, NT_RSP, 8, -8)}},         /* pushf */
    {"\x9d", 1, 1, {A(NT_READ, NT_ONE, NT_RSP, 8, 0)}},           /* popf */
    {"\xc8\x10\0\0", 4, 1, {A(NT_WRITE, NT_ONE, NT_RSP, 8, -8)}}, /* enter 16, 0 */
    {"\xff\x33",
     2,
     2,
     {A(NT_READ, NT_ONE, NT_RBX, 8, 0), A(NT_WRITE, NT_ONE, NT_RSP, 8, -8)}}, /* push [rbx] */
    {"\x8f\x03", 2, 2, {A(NT_WRITE, NT_ONE, NT_RBX, 8, 0), A(NT_READ, NT_ONE, NT_RSP, 8, 0)}}, /* pop [rbx] */
    {"\x8f\x04\x24",
     3,
     2,
     {A(NT_WRITE, NT_ONE, NT_RSP, 8, 8), A(NT_READ, NT_ONE, NT_RSP, 8, 0)}}, /* pop [rsp] */
    {"\xff\x13",
     2,
     2,
     {A(NT_READ, NT_ONE, NT_RBX, 8, 0), A(NT_WRITE, NT_ONE, NT_RSP, 8, -8)}}, /* call [rbx] */
    {"\xff\x23", 2, 1, {A(NT_READ, NT_ONE, NT_RBX, 8, 0)}},                   /* jmp [rbx] */
    {"\x48\x01\x03", 3, 1, {A(NT_MODIFY, NT_ONE, NT_RBX, 8, 0)}},             /* add [rbx], rax */
    {"\x0f\x94\x03", 3, 1, {A(NT_WRITE, NT_ONE, NT_RBX, 1, 0)}},              /* sete [rbx] */
    {"\x48\x0f\xc3\x03", 4, 1, {P(NT_RBX, 8)}},                              /* movnti */
    {"\xf3\x0f\x2b\x03", 4, 1, {P(NT_RBX, 4)}},                              /* movntss */
    {"\xf2\x41\x0f\x2b\x03", 5, 1, {P(NT_R11, 8)}},                         /* movntsd [r11] */
    {"\x65\x67\x0f\xe7\x03", 5, 1, {P(NT_RBX, 8)}},                         /* movntq gs:[ebx] */
    {"\xc4\xc1\x7d\xe7\x03", 5, 1, {P(NT_R11, 32)}},                        /* vmovntdq [r11], ymm0 */
    {"\x62\xf1\x7c\x48\x2b\x03", 6, 1, {P(NT_RBX, 64)}},                   /* vmovntps zmm0 */
    {"\x66\x0f\xd6\x03", 4, 1, {A(NT_WRITE, NT_ONE, NT_RBX, 8, 0)}},         /* movq */
    {"\x66\x0f\x38\x2a\x03", 5, 1, {A(NT_READ, NT_ONE, NT_RBX, 16, 0)}},    /* movntdqa */
    {"\xc4\xe2\x7d\x2b\x03", 5, 1, {A(NT_READ, NT_ONE, NT_RBX, 32, 0)}},    /* vpackusdw: map 0f38 */
    {"\x48\x87\x03", 3, 1, {A(NT_MODIFY, NT_ONE, NT_RBX, 8, 0)}},             /* xchg */
    {"\xf0\x48\x0f\xc1\x03", 5, 1, {A(NT_MODIFY, NT_ONE, NT_RBX, 8, 0)}},     /* lock xadd */
    {"\x48\x0f\xc7\x0b", 4, 1, {A(NT_MODIFY, NT_ONE, NT_RBX, 16, 0)}},        /* cmpxchg16b */
    {"\xf3\xa4",
     2,
     2,
     {A(NT_WRITE, NT_STRING, NT_RDI, 1, 0), A(NT_READ, NT_STRING, NT_RSI, 1, 0)}}, /* rep movsb */
    {"\xf3\x48\xab", 3, 1, {A(NT_WRITE, NT_STRING, NT_RDI, 8, 0)}},                /* rep stosq */
    {"\xf3\xa6",
     2,
     2,
     {A(NT_READ, NT_STRING, NT_RSI, 1, 0), A(NT_READ, NT_STRING, NT_RDI, 1, 0)}},  /* repe cmpsb */
    {"\xf2\xae", 2, 1, {A(NT_READ, NT_STRING, NT_RDI, 1, 0)}},                     /* repne scasb */
    {"\xad", 1, 1, {A(NT_READ, NT_STRING, NT_RSI, 4, 0)}},                         /* lodsd */
    {"\x0f\xae\x03", 3, 1, {A(NT_WRITE, NT_STATE, NT_RBX, 512, 0)}},               /* fxsave */
    {"\x0f\xae\x0b", 3, 1, {A(NT_READ, NT_STATE, NT_RBX, 512, 0)}},                /* fxrstor */
    {"\xd9\x33", 2, 1, {A(NT_WRITE, NT_ONE, NT_RBX, 28, 0)}},                      /* fnstenv */
    {"\xdd\x33", 2, 1, {A(NT_WRITE, NT_ONE, NT_RBX, 108, 0)}},                     /* fnsave */
    {"\x0f\x18\x0b", 3, 0, {{0}}},                                                 /* prefetcht0 */
    {"\x0f\xae\x3b", 3, 0, {{0}}},                                                 /* clflush */
    {"\x48\x8d\x03", 3, 0, {{0}}},                                                 /* lea */
    {"\x0f\x1f\x03", 3, 0, {{0}}},                                                 /* nop [rbx] */
    {"\xd7", 1, 1, {A(NT_READ, NT_TABLE, NT_RBX, 1, 0)}},                          /* xlat */
    {"\x66\x0f\xf7\xc1", 4, 1, {P(NT_RDI, 16)}},                                   /* maskmovdqu */
    {"\xc4\xe2\x75\x8c\x03", 5, 1, {A(NT_READ, NT_MASKED_SIGN, NT_RBX, 4, 0)}},    /* vpmaskmovd ymm0 */
    {"\xc4\xe2\x75\x90\x04\x93", 6, 1, {A(NT_READ, NT_LANES, NT_RBX, 4, 0)}},      /* vpgatherdd, 8 */
    {"\xc4\xe2\xf5\x90\x04\x93", 6, 1, {A(NT_READ, NT_LANES, NT_RBX, 8, 0)}},      /* vpgatherdq, 4 */
    {"\xc4\xe2\x75\x91\x04\x93", 6, 1, {A(NT_READ, NT_LANES, NT_RBX, 4, 0)}},      /* vpgatherqd, 4 */
    {"\x62\xf2\x7d\x49\xa0\x0c\x93", 7, 1, {A(NT_WRITE, NT_LANES, NT_RBX, 4, 0)}}, /* vpscatterdd, 16 */
    {"\x62\xf2\x7d\x49\x8b\x0b", 6, 1, {A(NT_WRITE, NT_PACKED, NT_RBX, 4, 0)}},    /* vpcompressd, 16 */
    {"\x62\xf1\x7c\x49\x10\x0b", 6, 1, {A(NT_READ, NT_MASKED, NT_RBX, 4, 0)}},     /* vmovups zmm1{k1} */
    {"\x48\x0f\xab\x03", 4, 1, {A(NT_MODIFY, NT_BIT, NT_RBX, 8, 0)}},              /* bts [rbx], rax */
};

static void check_table(void)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        nt_decode(&bench->decoder, table[i].bytes, table[i].length, 0x1000, &insn);
        bool good = insn.accesses == table[i].accesses;
        for (unsigned k = 0; k < table[i].accesses && good; k++) {
            const struct nt_access *want = &table[i].access[k], *got = &insn.access[k];
            good = got->how == want->how && got->kind == want->kind && got->base == want->base &&
                   got->size == want->size && got->displacement == want->displacement && got->past == want->past;
        }
        if (good)
            passed++;
        else
            complain("not as in the table");
    }
}

/* cpuid does not show the first three; the last pops to a place under GS that rsp tells. */
static void check_refused(void)
{
    static const char *const bytes[] = {"\xc4\xe2\x7b\x4b\x04\x1e", "\xc4\xe2\x72\x5c\xc2", "\xc4\xe2\x78\x49\x03",
                                        "\x65\x8f\x44\x24\x40"};
    static const unsigned length[] = {6, 5, 5, 5}; /* tileloadd, tdpbf16ps, ldtilecfg, pop gs:[rsp + 64] */

    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        nt_decode(&bench->decoder, bytes[i], length[i], 0x1000, &insn);
        if (insn.kind == NT_IS_UNSUPPORTED)
            passed++;
        else
            complain("is not refused");
    }
}

/* What processors of AMD's design take otherwise than Intel's. Near branches with the prefix 66 lead to the first 64
 * KiB there, and are shorter; Intel's ignore it. */
static void check_makers(void)
{
    static const struct {
        const char *bytes;
        unsigned length, amd_length; /* 0: is refused */
        uint64_t target, amd_target;
    } branches[] = {{"\x66\xe9\x10\x20\0\0", 6, 4, 0x123016, 0x3014},
                    {"\x66\xe8\0\0\0\0", 6, 0, 0x121006, 0},
                    {"\x66\x0f\x84\0\0\0\0", 7, 5, 0x121007, 0x1005},
                    {"\x66\xeb\0", 3, 3, 0x121003, 0x1003},
                    {"\x66\xc3", 2, 0, 0, 0},
                    {"\x66\xff\xe0", 3, 0, 0, 0},
                    {"\x66\x48\xe8\0\0\0\0", 7, 7, 0x121007, 0x121007},
                    {"\xe9\0\0\0\0", 5, 5, 0x121005, 0x121005}};
    struct nt_decoder intel, amd;

    nt_decoder_init(&intel, zydis_symbol, false);
    nt_decoder_init(&amd, zydis_symbol, true);
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        bool good = nt_decode(&intel, branches[i].bytes, branches[i].length, 0x121000, &insn) &&
                    insn.length == branches[i].length && insn.kind != NT_IS_UNSUPPORTED &&
                    insn.target == branches[i].target;
        nt_decode(&amd, branches[i].bytes, branches[i].length, 0x121000, &insn);
        if (good && (branches[i].amd_length == 0
                         ? insn.kind == NT_IS_UNSUPPORTED
                         : insn.length == branches[i].amd_length && insn.target == branches[i].amd_target))
            passed++;
        else
            complain("a branch with the prefix 66");
    }
    for (int i = 0; i < 2; i++) {
        const struct nt_decoder *maker = i ? &amd : &intel;
        uint16_t exchanged = i ? 1 << NT_RAX | 1 << NT_R8 : 0;

        nt_decode(maker, "\x66\x63\x03", 3, 0x1000, &insn); /* movsxd (%rbx), %ax */
        if (insn.accesses == 1 && insn.access[0].size == (i ? 4 : 2))
            passed++;
        else
            complain("reads another number of bytes");
        nt_decode(maker, "\xf3\x49\x90", 3, 0x1000, &insn); /* pause, with REX.B */
        if (insn.reads == exchanged && insn.writes == exchanged)
            passed++;
        else
            complain("exchanges other registers");
    }
}

static void check_lanes(const char *bytes, unsigned length, unsigned lanes)
{
    nt_decode(&bench->decoder, bytes, length, 0x1000, &insn);
    if (insn.accesses == 1 && insn.access[0].lanes == lanes)
        passed++;
    else
        complain("another number of lanes");
}

/* ------------------------------------------------------------------------------------------ registers and flags */

/* The program's state behind the instruction, run with the registers in `gpr` and with `flags`. False: it faults. */
static bool ran_with(const uint64_t gpr[16], uint64_t flags, struct bench_state *state, uint8_t *memory)
{
    memcpy(bench->before.gpr, gpr, sizeof bench->before.gpr);
    bench->before.flags = flags;
    bench_native(bench);
    *state = bench->native;
    memcpy(memory, bench->data, BENCH_DATA);
    return !state->signal;
}

static void complain_of_registers(const char *what, uint16_t which)
{
    failed++;
    printf("  %s (%#x): %s: reads %#x writes %#x kills %#x flags %#x %#x:", what, which,
           nt_decode_name(&bench->decoder, &insn), insn.reads, insn.writes, insn.kills, insn.flags_read,
           insn.flags_killed);
    for (unsigned i = 0; i < insn.length; i++)
        printf(" %02x", insn.bytes[i]);
    printf("\n");
}

static uint16_t differ(const uint64_t a[16], const uint64_t b[16])
{
    uint16_t set = 0;

    for (unsigned r = 0; r < 16; r++)
        set |= a[r] != b[r] ? (uint16_t)(1u << r) : 0;
    return set;
}

static bool same_xmm(const struct bench_state *one, const struct bench_state *other)
{
    uint32_t xmm = bench_layout.offset[NT_XSTATE_SSE];

    return memcmp(one->vector + xmm, other->vector + xmm, bench_layout.size[NT_XSTATE_SSE]) == 0;
}

static void compare_runs(const struct bench_state *one, const struct bench_state *other, bool same_memory)
{
    uint16_t kept = (uint16_t)~(insn.reads | insn.writes);
    uint16_t differs = (uint16_t)(differ(one->gpr, other->gpr) & ~kept);

    if (differs)
        complain_of_registers("depends on what it does not read", differs);
    else if ((one->flags ^ other->flags) & insn.flags_killed)
        complain_of_registers("flags depend on what it does not read", insn.flags_killed);
    else if (!same_memory || !same_xmm(one, other))
        complain_of_registers("what it stores depends on what it does not read", 0);
    else
        passed++;
}

/* Only an instruction that goes on behind itself is asked. */
static void check_registers(void)
{
    static struct bench_state one, other;
    static uint8_t memory[BENCH_DATA], other_memory[BENCH_DATA];
    uint64_t gpr[16], flags;

    bench_random(bench, &seed);
    unsigned length = draw_insn(bench, bench->code, &seed);
    if (!nt_decode(&bench->decoder, bench->code, length, (uintptr_t)bench->code, &insn) || insn.kind != NT_IS_PLAIN)
        return;
    bench_end(bench, bench->code + length);
    memcpy(gpr, bench->before.gpr, sizeof gpr);
    flags = bench->before.flags;
    if (!ran_with(gpr, flags, &one, memory))
        return;
    uint16_t changed = (uint16_t)(differ(gpr, one.gpr) & ~insn.writes);
    if (changed)
        complain_of_registers("writes what it is not said to", changed);
    for (unsigned r = 0; r < 16; r++)
        if (!(insn.reads >> r & 1) && r != NT_RSP)
            gpr[r] ^= bench_draw(&seed);
    if (ran_with(gpr, flags ^ (NT_FLAGS_STATUS & ~insn.flags_read), &other, other_memory))
        compare_runs(&one, &other, memcmp(memory, other_memory, BENCH_DATA) == 0);
    else
        complain_of_registers("faults by what it does not read", 0);
}

/* ------------------------------------------------------------------------------------------ forms */

static struct nt_forms forms;

static unsigned check_form(const uint8_t *bytes, uint64_t pc)
{
    static struct nt_insn other;
    bool good = nt_decode(&bench->decoder, bytes, NT_INSN_BYTES, pc, &insn);
    if (nt_forms_decode(&forms, &bench->decoder, bytes, NT_INSN_BYTES, pc, &other) == good &&
        memcmp(&insn, &other, sizeof insn) == 0)
        passed++;
    else
        complain("its form was known as something else");
    return good ? insn.length : 1;
}

/* Each with several constants. */
static void check_random_forms(uint64_t rounds)
{
    static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0x48, 0x41, 0x4c, 0x40, 0x0f, 0x0f};
    uint8_t bytes[16];
    for (uint64_t i = 0; i < rounds && failed < 20; i++) {
        unsigned from = 0, keep;
        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)bench_draw(&seed);
        while (from < 3 && bench_draw(&seed) % 2)
            bytes[from++] = prefixes[bench_draw(&seed) % sizeof prefixes];
        keep = from + 1 + (unsigned)(bench_draw(&seed) % 3);
        for (unsigned again = 0; again < 4; again++) {
            check_form(bytes, bench_draw(&seed) >> 16);
            for (unsigned k = keep; k < sizeof bytes; k++)
                bytes[k] = (uint8_t)bench_draw(&seed);
        }
    }
}

static void check_real_forms(void)
{
    static uint8_t file[1 << 20];
    FILE *from = fopen("/proc/self/exe", "rb");
    size_t size = from ? fread(file, 1, sizeof file, from) : 0;
    uint64_t known = forms.known;
    for (size_t at = 0; at + NT_INSN_BYTES <= size && failed < 20;)
        at += check_form(file + at, 0x400000 + at);
    if (from)
        fclose(from);
    if (forms.known - known < size / 16) {
        printf("  hardly any form was known: %llu\n", (unsigned long long)(forms.known - known));
        failed++;
    }
}

int main(int count, char **values)
{
    const char *soak = getenv("TENURE_SOAK");
    bench_hide(count, values);
    seed = bench_option(count, values, "--seed=", 1);
    uint64_t rounds = bench_option(count, values, "--count=", 20000 * (soak ? strtoull(soak, NULL, 0) : 1));
    bench = bench_new(0x10000000, true, true, true, true);
    for (uint64_t i = 0; i < rounds && failed < 20; i++) {
        alarm(BENCH_ALARM_S);
        one();
    }
    for (uint64_t i = 0; i < rounds && failed < 20; i++) {
        alarm(BENCH_ALARM_S);
        check_registers();
    }
    alarm(0); /* What follows runs many forms, which takes longer than that on an emulated processor. */
    check_table();
    check_refused();
    check_makers();
    check_lanes("\xc4\xe2\x75\x90\x04\x93", 6, 8);
    check_lanes("\xc4\xe2\xf5\x90\x04\x93", 6, 4);
    check_lanes("\xc4\xe2\x75\x91\x04\x93", 6, 4);
    check_lanes("\xc4\xe2\x71\x91\x04\x93", 6, 2);
    check_lanes("\x62\xf2\x7d\x49\xa0\x0c\x93", 7, 16);
    check_lanes("\x62\xf1\x7c\x49\x10\x0b", 6, 16);
    check_random_forms(rounds);
    check_real_forms();
    bench_free(bench);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
