/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zydis.h: the decoder library's functions by name, for nt_decoder_init, where the library is linked. */
#ifndef TENURE_TESTS_NATIVE_ZYDIS_H
#define TENURE_TESTS_NATIVE_ZYDIS_H

#include <string.h>

#include <Zydis/Zydis.h>

static void *zydis_symbol(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } table[] = {
        {"ZydisGetVersion", (void *)ZydisGetVersion},
        {"ZydisDecoderInit", (void *)ZydisDecoderInit},
        {"ZydisDecoderEnableMode", (void *)ZydisDecoderEnableMode},
        {"ZydisDecoderDecodeFull", (void *)ZydisDecoderDecodeFull},
        {"ZydisMnemonicGetString", (void *)ZydisMnemonicGetString},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return table[i].function;
    return NULL;
}

#endif
