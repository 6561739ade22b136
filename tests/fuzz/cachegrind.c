/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cachegrind.c: the reader of Cachegrind's format against anything that calls itself one. */
#include "text_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    text_import(data, size, TP_KIND_CACHEGRIND, "desc: x\ncmd: c\nevents: Ir Dr\n");
    return 0;
}
