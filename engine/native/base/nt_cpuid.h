/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_cpuid.h: what the processor is and has: all that the engine knows of it, and all that the program is shown.
 *
 * A program is shown no feature that the engine cannot run. For tests more can be hidden, by name (--hide-features):
 * then neither the program nor the engine finds it, and both do what they would do on a processor without it.
 *
 * Only CPUID is changed. An instruction that is hidden still runs, and XCR0 and the places and sizes of the extended
 * state (leaf 13) stay those of the processor: `xsave` goes by them, whatever CPUID says. With `xsave` hidden, leaf 13
 * is empty.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_CPUID_H
#define TENURE_ENGINE_NATIVE_NT_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct nt_cpuid {
    uint32_t a, b, c, d;
};
/* As the processor says. */
struct nt_cpuid nt_cpuid(uint32_t leaf, uint32_t subleaf);
/* Without what is hidden. */
struct nt_cpuid nt_cpuid_shown(uint32_t leaf, uint32_t subleaf);

/* Names of what can be hidden. With each goes what needs it: with avx2 also avx512. */
#define NT_CPUID_NAMES "avx512, avx2, avx, sse4, xsavec, xsave, bmi2, erms, fsgsbase"
/* Hide these, with commas between them. False: one of them is none of the names. */
bool nt_cpuid_hide(const char *names);

/* What the engine itself chooses by, as bits of leaf 7, ebx. FSGSBASE: the instructions that set the bases of FS and
 * GS. */
enum nt_cpuid_feature {
    NT_CPUID_FSGSBASE = 0,
    NT_CPUID_AVX2 = 5,
    NT_CPUID_BMI2 = 8,
    NT_CPUID_AVX512 = 16,
    NT_CPUID_AVX512BW = 30
};
/* The kernel's word for FSGSBASE, in AT_HWCAP2 of the auxiliary vector: without it the engine hides the feature. */
enum { NT_HWCAP2_FSGSBASE = 2 };
/* Whether the processor has it, and it is not hidden. */
bool nt_cpuid_has(enum nt_cpuid_feature feature);
/* Whether the processor has `xbegin`, which is never shown. */
bool nt_cpuid_has_rtm(void);
/* Whether the processor is of AMD's design, which takes some encodings otherwise than Intel's (nt_decode.h). */
bool nt_cpuid_is_amd(void);

#endif
