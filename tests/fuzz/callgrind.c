/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callgrind.c: the reader of Callgrind's format against anything that calls itself one. */
#include "text_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    text_import(data, size, TP_KIND_CALLGRIND, "# callgrind format\nevents: Ir Dr\n");
    return 0;
}
