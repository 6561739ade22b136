/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_import.h: what the fuzz targets of Callgrind's and Cachegrind's formats share. */
#ifndef TENURE_TESTS_FUZZ_TEXT_IMPORT_H
#define TENURE_TESTS_FUZZ_TEXT_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Import the text, behind `head` if it is not of this kind by itself. It fails with one line and leaves no file, or
 * makes a profile that opens and can be exported in both formats. */
void text_import(const uint8_t *data, size_t size, enum tp_kind kind, const char *head);

#endif
