/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_library.h: the decoder library (Zydis), which distributions have as a shared object only.
 *
 * It is mapped into our region and relocated by ourselves; the handful of functions that it wants of a C library are
 * ours. It is called behind nt_outer, and nothing of it runs before that.
 */
#ifndef TENURE_ENGINE_NATIVE_NT_LIBRARY_H
#define TENURE_ENGINE_NATIVE_NT_LIBRARY_H

/* `name`: the file; one of the same name next to tenure-native is preferred. Ends the process if it cannot be used. */
void nt_library_start(const char *name);
/* A function of it, NULL if it has none of this name. */
void *nt_library_symbol(const char *name);

#endif
