/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fb_host.c: see fb_host.h. */
#include "tests/common/fb_host.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *reserve(void *user, size_t bytes)
{
    struct fb_test_host *h = user;
    if (h->limit == 0)
        return NULL;
    h->limit -= h->limit > 0;
    h->balance += (long)bytes;
    return calloc(1, bytes);
}

static void release(void *user, void *memory, size_t bytes)
{
    struct fb_test_host *h = user;
    h->balance -= (long)bytes;
    free(memory);
}

static const void *map(void *user, const char *path, size_t *bytes)
{
    struct fb_test_host *h = user;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *data = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (data == MAP_FAILED)
        return NULL;
    *bytes = (size_t)st.st_size;
    h->balance += (long)*bytes;
    return data;
}

static void unmap(void *user, const void *memory, size_t bytes)
{
    struct fb_test_host *h = user;
    h->balance -= (long)bytes;
    munmap((void *)memory, bytes);
}

void fb_test_host(struct fb_test_host *out)
{
    *out = (struct fb_test_host){.limit = -1};
    out->host =
        (struct fb_host){.user = out, .reserve = reserve, .release = release, .map = map, .unmap = unmap};
}
