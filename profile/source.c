/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.c: source files for --embed-source.
 *
 * Which files are read is what debug information says, so a hostile object could name any: only regular files
 * are opened, none is waited for, and a text has a largest size.
 */
#include "profile/source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/debugfile.h"
#include "profile/recording.h"

enum { LARGEST = 16 << 20 };

static char *read_whole(int fd, size_t size)
{
    char *bytes = malloc(size + 1);
    size_t got = 0;

    while (bytes && got < size) {
        ssize_t n = read(fd, bytes + got, size - got);
        if (n <= 0) {
            free(bytes);
            return NULL;
        }
        got += (size_t)n;
    }
    return bytes;
}

const char *tp_source_text(struct tp_arena *arena, const struct tp_import_options *options, const char *path)
{
    const char *place = tp_sysroot_path(arena, options, path);
    const char *text = NULL;
    struct stat st;
    int fd = place && path[0] == '/' ? open(place, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= LARGEST) {
        char *bytes = read_whole(fd, (size_t)st.st_size);
        if (bytes)
            text = tp_clean_text(arena, bytes, (size_t)st.st_size);
        free(bytes);
    }
    close(fd);
    return text;
}
