/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spill.c: see spill.h. Pieces are mapped shared, so that letting go of one loses nothing: its pages are the file's.
 */
#include "profile/base/spill.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 4 << 20 };

/* A file without a name in `folder`; -1: there cannot be one. */
static int file_in(const char *folder)
{
    char path[PATH_MAX];

    if (!folder || !*folder || snprintf(path, sizeof path, "%s/tenure.XXXXXX", folder) >= (int)sizeof path)
        return -1;
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static int spill_make_file(void)
{
    const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int file = -1;

    for (size_t i = 0; i < sizeof folders / sizeof *folders && file < 0; i++)
        file = file_in(folders[i]);
    return file;
}

/* One more piece of the file; NULL: no place for it. */
static char *add_piece(struct tp_spill *spill)
{
    off_t at = (off_t)spill->piece.count * PIECE;

    if (!spill->file && (spill->file = spill_make_file() + 1) == 0)
        spill->file = -1;
    if (spill->file < 0)
        return NULL;
    if (posix_fallocate(spill->file - 1, at, PIECE) != 0) {
        close(spill->file - 1); /* it is not tried again for each row; what is mapped stays */
        spill->file = -1;
        return NULL;
    }
    char *memory = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED, spill->file - 1, at);
    if (memory == MAP_FAILED)
        return NULL;
    char **piece = TP_VECTOR_ADD(&spill->piece);
    if (!piece) {
        munmap(memory, PIECE);
        return NULL;
    }
    spill->used = 0;
    return *piece = memory;
}

void *tp_spill_alloc(struct tp_spill *spill, size_t bytes)
{
    size_t need = (bytes + 7) & ~(size_t)7;

    if (spill->held + need > spill->limit && need <= PIECE &&
        ((spill->piece.count && PIECE - spill->used >= need) || add_piece(spill))) {
        void *memory = spill->piece.at[spill->piece.count - 1] + spill->used;
        spill->used += need;
        return memory;
    }
    spill->held += need;
    return tp_arena_alloc(&spill->arena, bytes);
}

void tp_spill_let_go(struct tp_spill *spill)
{
    for (size_t i = 0; i < spill->piece.count; i++)
        madvise(spill->piece.at[i], PIECE, MADV_DONTNEED);
    spill->touched = 0;
}

struct tp_spill *tp_spill_new(size_t limit)
{
    struct tp_spill *spill = calloc(1, sizeof *spill);

    if (spill)
        spill->limit = limit;
    return spill;
}

void tp_spill_free(struct tp_spill *spill)
{
    if (!spill)
        return;
    for (size_t i = 0; i < spill->piece.count; i++)
        munmap(spill->piece.at[i], PIECE);
    TP_VECTOR_FREE(&spill->piece);
    if (spill->file > 0)
        close(spill->file - 1);
    tp_arena_free(&spill->arena);
    free(spill);
}
