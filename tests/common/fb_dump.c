/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fb_dump.c: print the function table of an object, one range per line: start end parent flags name.
 *
 * For comparison with readelf (functions_compare.py). Each range is also looked up by its first and last address, which
 * must lead back to it.
 */
#include "tests/common/fb_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int flag_text(uint32_t flags, char *out)
{
    static const char letters[] = "PIGFpN"; /* in the order of FB_PLT, FB_IFUNC, ... */
    int n = 0;
    for (int i = 0; letters[i]; i++)
        if (flags & 1u << i)
            out[n++] = letters[i];
    out[n++] = 0;
    return n;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: fb_dump FILE [DEBUG-DIR]\n");
        return 2;
    }
    struct fb_test_host h;
    const char *why = "";
    fb_test_host(&h);
    struct fb_source source = {.path = argv[1], .debug_dir = argc > 2 ? argv[2] : NULL};
    fb_object *o = fb_open(&h.host, &source, &why);
    if (!o) {
        fprintf(stderr, "fb_dump: %s: %s\n", argv[1], why);
        return 1;
    }
    uint32_t half = fb_limit(o) / 2;
    for (uint32_t i = 0; i < half; i++) {
        struct fb_function f, p;
        char flags[16];
        for (uint32_t index = i; index <= i + half; index += half) {
            if (!fb_get(o, index, &f) || !fb_get(o, f.parent, &p))
                continue;
            flag_text(f.flags, flags);
            printf("%lx %lx %lx %s- %s\n", (unsigned long)f.start, (unsigned long)(f.start + f.size),
                   (unsigned long)p.start, flags, f.name);
            struct fb_function again;
            if (!fb_lookup(o, f.start + f.size - 1, &again) || again.index != f.index ||
                !fb_lookup(o, f.start, &again) || again.index != f.index) {
                fprintf(stderr, "fb_dump: look-up disagrees at %lx\n", (unsigned long)f.start);
                return 1;
            }
        }
    }
    fb_close(o);
    if (h.balance != 0) {
        fprintf(stderr, "fb_dump: %ld bytes not given back\n", h.balance);
        return 1;
    }
    return 0;
}
