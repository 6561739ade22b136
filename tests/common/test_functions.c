/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_functions.c: engine/common/functions.h, rule by rule, on objects made here.
 *
 * (functions_compare.py checks the same rules on real files.) Offsets are those of .text; `at` asks for the
 * function there. The objects are damaged too: cut at every byte, and with every allocation refused in turn.
 */
#include "tests/common/elf_make.h"
#include "tests/common/fb_host.h"

#include "engine/common/elf_image.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>

enum { TEXT = 0x400 };
enum { MOST_PROGRAM = 64 << 20 };

/* A file system of at most three files in memory. */
struct files {
    struct fb_test_host test;
    const char *name[3];
    uint8_t *data[3];
    size_t size[3];
    uint8_t count;
};

static const void *map_files(void *user, const char *path, size_t *bytes)
{
    struct files *f = user;
    for (int i = 0; i < f->count; i++)
        if (strcmp(path, f->name[i]) == 0) {
            *bytes = f->size[i];
            f->test.balance += (long)*bytes;
            return f->data[i];
        }
    return NULL;
}

static void unmap_files(void *user, const void *memory, size_t bytes)
{
    (void)memory;
    ((struct files *)user)->test.balance -= (long)bytes;
}

static void begin_files(struct files *f)
{
    memset(f, 0, sizeof *f);
    fb_test_host(&f->test);
    f->test.host.user = f; /* its first member is what the other callbacks expect */
    f->test.host.map = map_files;
    f->test.host.unmap = unmap_files;
}

static void add_file(struct files *f, const char *name, const struct elf_make *what)
{
    f->name[f->count] = name;
    f->data[f->count] = elf_make(what, &f->size[f->count]);
    f->count++;
}

static void end_files(struct files *f)
{
    assert_int_equal(f->test.balance, 0);
    for (int i = 0; i < f->count; i++)
        free(f->data[i]);
}

struct fixture {
    struct files files;
    fb_object *object;
};

static void begin(struct fixture *x, const struct elf_make_symbol *symbols,
                  const struct elf_make_frame *frames)
{
    struct elf_make what = {.text_size = TEXT, .symbols = symbols, .frames = frames};
    const char *why = NULL;
    begin_files(&x->files);
    add_file(&x->files, "/lib/x", &what);
    x->object = fb_open(&x->files.test.host, &(struct fb_source){.path = "/lib/x"}, &why);
    if (!x->object)
        fail_msg("%s", why);
}

static void end(struct fixture *x)
{
    fb_close(x->object);
    end_files(&x->files);
}

static struct fb_function at(const struct fixture *x, uint64_t offset)
{
    struct fb_function f = {0};
    assert_true(fb_lookup(x->object, elf_make_address(offset), &f));
    assert_true(f.start <= elf_make_address(offset) && elf_make_address(offset) - f.start < f.size);
    assert_true(f.index < fb_limit(x->object));
    return f;
}

static void check(const struct fixture *x, uint64_t offset, const char *name, uint64_t start, uint64_t size,
                  uint32_t flags)
{
    struct fb_function f = at(x, offset);
    assert_string_equal(f.name, name);
    assert_int_equal(f.start, elf_make_address(start));
    assert_int_equal(f.size, size);
    assert_int_equal(f.flags, flags);
}

/* ------------------------------------------------------------------------------------------ bounds */

static void test_symbols_and_gaps(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {
        {"a", 0x10, 0x20, 'F', 'g'}, {"b", 0x40, 0x10, 'F', 'l'}, {0}};
    struct fixture x;
    begin(&x, symbols, NULL);
    check(&x, 0x00, "", 0x00, 0x10, FB_GAP);
    check(&x, 0x10, "a", 0x10, 0x20, 0);
    check(&x, 0x2f, "a", 0x10, 0x20, 0);
    check(&x, 0x30, "", 0x30, 0x10, FB_GAP);
    check(&x, 0x4f, "b", 0x40, 0x10, 0);
    check(&x, 0x50, "", 0x50, TEXT - 0x50, FB_GAP);
    check(&x, TEXT, ".plt", TEXT, ELF_MAKE_PLT_SIZE, FB_PLT);
    check(&x, TEXT + ELF_MAKE_PLT_SIZE, "", TEXT + ELF_MAKE_PLT_SIZE, ELF_MAKE_FINI_SIZE, FB_GAP);
    /* Before .text and after .fini: the rest of the segment. */
    struct fb_function f;
    assert_true(fb_lookup(x.object, ELF_MAKE_BASE, &f));
    assert_int_equal(f.size, ELF_MAKE_TEXT);
    assert_false(fb_lookup(x.object, ELF_MAKE_BASE - 1, &f));
    assert_false(fb_lookup(x.object, ELF_MAKE_BASE + 0x100000, &f));
    end(&x);
}

static void test_no_size(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {
        {"first", 0x10, 0, 'N', 'g'}, {"second", 0x40, 0, 'F', 'l'}, {"last", 0x80, 0, 'F', 'g'}, {0}};
    static const struct elf_make_frame frames[] = {{0x40, 0x18}, {0x60, 0x10}, {0}};
    struct fixture x;
    begin(&x, symbols, frames);
    check(&x, 0x3f, "first", 0x10, 0x30, FB_NOSIZE);
    check(&x, 0x40, "second", 0x40, 0x18, 0); /* the frame knows */
    check(&x, 0x58, "", 0x58, 0x08, FB_GAP);
    check(&x, 0x60, elf_make_address(0x60) == 0x401060 ? "0x401060" : "", 0x60, 0x10, FB_FRAME);
    check(&x, 0x80, "last", 0x80, TEXT - 0x80, FB_NOSIZE);
    end(&x);
}

static void test_nested(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {
        {"outer", 0x00, 0x100, 'F', 'g'},      {"middle", 0x20, 0x80, 'F', 'g'},
        {"inner", 0x40, 0x20, 'F', 'l'},       {"beyond", 0xf0, 0x40, 'F', 'l'},
        {"huge", 0x200, UINT64_MAX, 'F', 'g'}, {0}};
    struct fixture x;
    begin(&x, symbols, NULL);
    check(&x, 0x1f, "outer", 0x00, 0x20, 0);
    check(&x, 0x3f, "middle", 0x20, 0x20, 0);
    check(&x, 0x5f, "inner", 0x40, 0x20, 0);
    check(&x, 0x60, "middle", 0x60, 0x40, FB_PIECE);
    check(&x, 0xa0, "outer", 0xa0, 0x50, FB_PIECE);
    check(&x, 0xff, "beyond", 0xf0, 0x40, 0);
    check(&x, 0x3ff, "huge", 0x200, 0x200, 0);
    assert_int_equal(at(&x, 0x60).parent, at(&x, 0x20).index);
    assert_int_equal(at(&x, 0xa0).parent, at(&x, 0x00).index);
    assert_int_equal(at(&x, 0x40).parent, at(&x, 0x40).index);
    end(&x);
}

static void test_labels(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {
        {"sized", 0x00, 0x40, 'F', 'g'}, {"in_sized", 0x10, 0, 'N', 'l'},
        {"exported", 0x20, 0, 'N', 'g'}, {"in_frame", 0x60, 0, 'N', 'l'},
        {"entry", 0x68, 0, 'N', 'g'},    {"at_frame", 0x80, 0, 'N', 'l'},
        {"alone", 0xc0, 0, 'N', 'l'},    {0}};
    static const struct elf_make_frame frames[] = {{0x50, 0x20}, {0x80, 0x20}, {0}};
    struct fixture x;
    begin(&x, symbols, frames);
    check(&x, 0x10, "sized", 0x00, 0x40, 0);
    check(&x, 0x20, "sized", 0x00, 0x40, 0);
    check(&x, 0x60, "0x401050", 0x50, 0x18, FB_FRAME);
    check(&x, 0x68, "entry", 0x68, 0x18, FB_NOSIZE);
    check(&x, 0x80, "at_frame", 0x80, 0x20, 0);
    check(&x, 0xc0, "alone", 0xc0, TEXT - 0xc0, FB_NOSIZE);
    end(&x);
}

static void test_frames(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {{"f", 0x40, 0x20, 'F', 'g'}, {0}};
    static const struct elf_make_frame frames[] = {
        {0x10, 0x20}, {0x3f, 0x30}, {0x50, 0x08}, {0x2000, 8}, {0}};
    struct fixture x;
    begin(&x, symbols, frames);
    check(&x, 0x10, "0x401010", 0x10, 0x20, FB_FRAME);
    check(&x, 0x3f, "0x40103f", 0x3f, 0x01, FB_FRAME);
    check(&x, 0x50, "f", 0x40, 0x20, 0);
    check(&x, 0x60, "0x40103f", 0x60, 0x0f, FB_FRAME | FB_PIECE);
    end(&x);
}

/* ------------------------------------------------------------------------------------------ names */

static void test_aliases(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {
        {"typed", 0x00, 8, 'F', 'l'},      {"none", 0x00, 8, 'N', 'g'},      /* rule 1 */
        {"z", 0x10, 8, 'F', 'l'},          {"exported", 0x10, 16, 'F', 'w'}, /* rule 2; the larger size */
        {"_IO_puts", 0x20, 8, 'F', 'g'},   {"puts", 0x20, 8, 'F', 'w'},      /* rule 3 */
        {"__x", 0x30, 8, 'F', 'g'},        {"_ZN1xC2Ev", 0x30, 8, 'F', 'g'}, /* rule 3, mangled */
        {"longer", 0x40, 8, 'F', 'g'},     {"short", 0x40, 8, 'F', 'g'},     /* rule 4 */
        {"_Exit", 0x50, 8, 'F', 'w'},      {"_exit", 0x50, 8, 'F', 'g'},     /* rule 5 */
        {"bb", 0x60, 8, 'F', 'g'},         {"ba", 0x60, 8, 'F', 'g'},        /* rule 6 */
        {"memcpy@@V2", 0x70, 8, 'I', 'g'}, {0}};
    struct fixture x;
    begin(&x, symbols, NULL);
    check(&x, 0x00, "typed", 0x00, 8, 0);
    check(&x, 0x10, "exported", 0x10, 16, 0);
    check(&x, 0x20, "puts", 0x20, 8, 0);
    check(&x, 0x30, "_ZN1xC2Ev", 0x30, 8, 0);
    check(&x, 0x40, "short", 0x40, 8, 0);
    check(&x, 0x50, "_exit", 0x50, 8, 0);
    check(&x, 0x60, "ba", 0x60, 8, 0);
    check(&x, 0x70, "memcpy", 0x70, 8, FB_IFUNC);
    uint64_t address = 0;
    assert_true(fb_symbol(x.object, "_IO_puts", &address));
    assert_int_equal(address, elf_make_address(0x20));
    assert_true(fb_symbol(x.object, "memcpy", &address));
    assert_int_equal(address, elf_make_address(0x70));
    assert_false(fb_symbol(x.object, "put", &address));
    assert_false(fb_symbol(x.object, "putsx", &address));
    end(&x);
}

static void test_pieces(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {{"one.c", 0, 0, 'f', 'l'},
                                                     {"f", 0x00, 8, 'F', 'l'},
                                                     {"f.cold", 0x10, 8, 'F', 'l'},
                                                     {"two.c", 0, 0, 'f', 'l'},
                                                     {"f", 0x20, 8, 'F', 'l'},
                                                     {"f.part.0", 0x30, 8, 'F', 'l'},
                                                     {"f.part.0.cold", 0x40, 8, 'F', 'l'},
                                                     {"f.part.0.isra.0", 0x50, 8, 'F', 'l'},
                                                     {"g.constprop.0", 0x60, 8, 'F', 'l'},
                                                     {"g.constprop.0.cold", 0x70, 8, 'F', 'l'},
                                                     {"lost.cold", 0x80, 8, 'F', 'l'},
                                                     {"g.cold.1", 0x90, 8, 'F', 'l'},
                                                     {"f.colder", 0xa0, 8, 'F', 'l'},
                                                     {"g.part.x", 0xb0, 8, 'F', 'l'},
                                                     {"g", 0xc0, 8, 'F', 'g'},
                                                     {0}};
    struct fixture x;
    begin(&x, symbols, NULL);
    static const uint64_t parent[][2] = {{0x10, 0x00}, {0x30, 0x20}, {0x40, 0x20}, {0x50, 0x20},
                                         {0x70, 0x60}, {0x80, 0x80}, {0x90, 0xc0}, {0xa0, 0xa0},
                                         {0xb0, 0xb0}, {0x60, 0x60}, {0x20, 0x20}};
    for (size_t i = 0; i < sizeof parent / sizeof parent[0]; i++) {
        struct fb_function f = at(&x, parent[i][0]);
        assert_int_equal(f.parent, at(&x, parent[i][1]).index);
        assert_int_equal(f.flags, parent[i][0] == parent[i][1] ? 0 : FB_PIECE);
        struct fb_function p;
        assert_true(fb_get(x.object, f.parent, &p));
        assert_int_equal(p.start, elf_make_address(parent[i][1]));
    }
    end(&x);
}

/* ------------------------------------------------------------------------------------------ files */

static const struct elf_make_symbol debug_symbols[] = {{"secret", 0x10, 0x20, 'F', 'l'}, {0}};

/* What the stripped object calls its byte 0x10 when `debug` lies at `path`. */
static void check_debug(struct elf_make stripped, struct elf_make debug, const char *path, const char *name)
{
    struct files f;
    begin_files(&f);
    debug.text_size = TEXT;
    debug.symbols = debug_symbols;
    add_file(&f, path, &debug);
    if (stripped.debug_link)
        stripped.debug_crc ^= elf_crc32(f.data[0], f.size[0]);
    stripped.text_size = TEXT;
    add_file(&f, "/lib/x", &stripped);
    fb_object *o = fb_open(&f.test.host, &(struct fb_source){.path = "/lib/x", .debug_dir = "/dbg"}, NULL);
    struct fb_function g;
    assert_non_null(o);
    assert_true(fb_lookup(o, elf_make_address(0x10), &g));
    assert_string_equal(g.name, name);
    fb_close(o);
    end_files(&f);
}

static void test_debug_files(void **state)
{
    (void)state;
    struct elf_make id = {.build_id = "\x12\xab\xcd\xef"}, other = {.build_id = "\x12\xab\xcd\xee"},
                    none = {0};
    struct elf_make link = {.debug_link = "x.debug"}, wrong = {.debug_link = "x.debug", .debug_crc = 1};
    check_debug(id, id, "/dbg/.build-id/12/abcdef.debug", "secret");
    check_debug(id, other, "/dbg/.build-id/12/abcdef.debug", "");
    check_debug(id, none, "/dbg/.build-id/12/abcdef.debug", "");
    check_debug(link, none, "/lib/x.debug", "secret");
    check_debug(link, none, "/lib/.debug/x.debug", "secret");
    check_debug(link, none, "/dbg/lib/x.debug", "secret");
    check_debug(link, none, "/dbg/x.debug", "");
    check_debug(wrong, none, "/lib/x.debug", "");
}

static void test_place(void **state)
{
    (void)state;
    static const struct elf_make_symbol symbols[] = {{"a", 0x10, 0x20, 'F', 'g'}, {0}};
    struct fixture x;
    struct fb_function f;
    begin(&x, symbols, NULL);
    assert_true(fb_place(x.object, 0x7f0000001000, 0x1000));
    assert_true(fb_lookup(x.object, 0x7f0000001010, &f));
    assert_string_equal(f.name, "a");
    assert_int_equal(f.start, 0x7f0000001010);
    assert_int_equal(fb_bias(x.object), 0x7f0000000000 - ELF_MAKE_BASE);
    assert_false(fb_place(x.object, 0x1000, 0x4000000));
    end(&x);
}

static size_t size_of_vdso(void)
{
    unsigned long start, end;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    size_t size = 0;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
            size = end - start;
    if (maps)
        fclose(maps);
    return size;
}

static void test_vdso(void **state)
{
    (void)state;
    const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    size_t bytes = size_of_vdso();
    if (!image || !bytes)
        skip();
    struct fb_test_host h;
    struct fb_function f;
    uint64_t address;
    fb_test_host(&h);
    fb_object *o = fb_open(&h.host, &(struct fb_source){.image = image, .image_bytes = bytes}, NULL);
    assert_non_null(o);
    assert_true(fb_place(o, (uint64_t)(uintptr_t)image, 0));
    assert_true(fb_symbol(o, "__vdso_clock_gettime", &address));
    assert_true(fb_lookup(o, address, &f));
    assert_int_equal(f.start, address);
    assert_string_equal(f.name, "clock_gettime");
    fb_close(o);
    assert_int_equal(h.balance, 0);
}

/* ------------------------------------------------------------------------------------------ size and damage */

static void test_many(void **state)
{
    (void)state;
    enum { MANY = 500000 };
    struct elf_make_symbol *symbols = calloc(MANY + 1, sizeof *symbols);
    char *names = malloc(MANY * 20);
    assert_non_null(symbols);
    assert_non_null(names);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t k = (uint32_t)((uint64_t)i * 299993 % MANY); /* a permutation: not in order */
        snprintf(names + 20 * i, 20, k % 8 == 1 ? "f%u.cold" : "f%u", k % 8 == 1 ? k - 1 : k);
        symbols[i] = (struct elf_make_symbol){names + 20 * i, 16 * (uint64_t)k, 12, 'F', 'l'};
    }
    struct files f;
    begin_files(&f);
    add_file(&f, "/big", &(struct elf_make){.text_size = 16 * MANY, .symbols = symbols});
    fb_object *o = fb_open(&f.test.host, &(struct fb_source){.path = "/big"}, NULL);
    assert_non_null(o);
    for (uint32_t k = 0; k < MANY; k += 7) {
        struct fb_function g, p;
        char want[20];
        snprintf(want, sizeof want, k % 8 == 1 ? "f%u.cold" : "f%u", k % 8 == 1 ? k - 1 : k);
        assert_true(fb_lookup(o, elf_make_address(16 * (uint64_t)k + 11), &g));
        assert_string_equal(g.name, want);
        assert_true(fb_get(o, g.parent, &p));
        assert_int_equal(p.start, elf_make_address(16 * (uint64_t)(k % 8 == 1 ? k - 1 : k)));
    }
    fb_close(o);
    end_files(&f);
    free(names);
    free(symbols);
}

static const struct elf_make damaged = {
    .text_size = TEXT,
    .symbols =
        (const struct elf_make_symbol[]){
            {"a", 0, 0x20, 'F', 'g'}, {"a.cold", 0x20, 0x20, 'F', 'l'}, {"b@V", 0x10, 0x100, 'F', 'g'}, {0}},
    .frames = (const struct elf_make_frame[]){{0, 0x20}, {0x200, 0x10}, {0}},
    .build_id = "\1\2\3\4",
    .debug_link = "y",
};

static void test_cut_short(void **state)
{
    (void)state;
    struct files f;
    begin_files(&f);
    add_file(&f, "/x", &damaged);
    size_t whole = f.size[0];
    uint8_t *bytes = f.data[0];
    for (size_t size = 1; size < whole; size += size < 0x200 || size > 0x1400 ? 1 : 97) {
        /* A copy of its own, so that reading past the end is seen. */
        f.data[0] = memcpy(malloc(size), bytes, size);
        f.size[0] = size;
        fb_close(fb_open(&f.test.host, &(struct fb_source){.path = "/x", .debug_dir = "/d"}, NULL));
        assert_int_equal(f.test.balance, 0);
        free(f.data[0]);
    }
    f.data[0] = bytes;
    end_files(&f);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct files f;
    begin_files(&f);
    add_file(&f, "/x", &damaged);
    fb_object *o = NULL;
    long limit = 0;
    for (; !o; limit++) {
        const char *why = NULL;
        f.test.limit = limit;
        o = fb_open(&f.test.host, &(struct fb_source){.path = "/x", .debug_dir = "/d"}, &why);
        if (o)
            break;
        assert_string_equal(why, "out of memory");
        assert_int_equal(f.test.balance, 0);
    }
    assert_true(limit > 5);
    fb_close(o);
    end_files(&f);
}

static void test_refused(void **state)
{
    (void)state;
    struct fb_test_host h;
    const char *why = NULL;
    static const char text[128] = "#!/bin/sh";
    static const char elf32[128] = "\x7f"
                                   "ELF\1\1\1";
    fb_test_host(&h);
    assert_null(fb_open(&h.host, &(struct fb_source){.path = "/no/such/file"}, &why));
    assert_string_equal(why, "cannot read the file");
    assert_null(fb_open(&h.host, &(struct fb_source){.image = text, .image_bytes = sizeof text}, &why));
    assert_string_equal(why, "not an ELF file");
    assert_null(fb_open(&h.host, &(struct fb_source){.image = elf32, .image_bytes = sizeof elf32}, &why));
    assert_string_equal(why, "not a 64-bit little-endian ELF file");
    assert_int_equal(h.balance, 0);
}

/* ------------------------------------------------------------------------------------------ data */

/* outer has inner in it, which has another name too; behind it, what has no size is no symbol. */
__asm__(".section .tenure_data,\"aw\"\n"
        ".type outer,@object; .size outer,64; outer: .skip 16\n"
        ".type inner,@object; .size inner,8; .globl inner\n"
        ".type _inner,@object; .size _inner,8; inner: _inner: .skip 8\n"
        ".skip 40\n"
        "label: .skip 16\n"
        ".type last,@object; .size last,3; last: .skip 3\n"
        ".text\n");

static void check_datum(fb_object *object, uint64_t outer, uint64_t at, const char *name, uint64_t start, uint64_t end,
                        uint64_t size)
{
    struct fb_data found;
    assert_true(fb_data_at(object, outer + at, &found));
    assert_int_equal(found.name_bytes, strlen(name));
    assert_memory_equal(found.name, name, found.name_bytes);
    assert_int_equal(found.start, outer + start);
    assert_int_equal(found.end, outer + end);
    assert_int_equal(found.size, size);
}

/* This program's file; the caller frees it. */
static uint8_t *own_file(size_t *size)
{
    uint8_t *data = malloc(MOST_PROGRAM);
    FILE *file = fopen("/proc/self/exe", "rb");
    assert_non_null(file);
    *size = fread(data, 1, MOST_PROGRAM, file);
    fclose(file);
    return data;
}

/* Of this program itself. */
static void test_data(void **state)
{
    (void)state;
    struct files f;
    size_t size;
    uint64_t outer, start, end;
    uint8_t *data = own_file(&size);
    struct fb_data found;
    begin_files(&f);
    fb_object *object = fb_open(
        &f.test.host, &(struct fb_source){.image = data, .image_bytes = size, .bias = 0x1000, .data_only = true}, NULL);
    assert_non_null(object);
    assert_true(fb_symbol(object, "outer", &outer));
    assert_false(fb_symbol(object, "oute", &start));
    check_datum(object, outer, 0, "outer", 0, 16, 64);
    check_datum(object, outer, 17, "inner", 16, 24, 8);
    check_datum(object, outer, 24, "outer", 24, 64, 64);
    check_datum(object, outer, 64, ".tenure_data", 64, 80, 0);
    check_datum(object, outer, 82, "last", 80, 83, 3);
    assert_true(fb_loaded(object, &start, &end));
    assert_true(start <= outer && outer < end);
    assert_false(fb_data_at(object, end + 0x100000, &found));
    fb_close(object);
    end_files(&f);
    free(data);
}

/* A section says that it goes on up to the last address, or lies far below where it was loaded. */
static void test_data_beyond(void **state)
{
    (void)state;
    struct files f;
    size_t size;
    uint8_t *data = own_file(&size);
    Elf64_Ehdr *header = (Elf64_Ehdr *)data;
    Elf64_Shdr *section = (Elf64_Shdr *)(data + header->e_shoff), *names = &section[header->e_shstrndx];
    begin_files(&f);
    while (strcmp((char *)data + names->sh_offset + section->sh_name, ".tenure_data") != 0)
        section++;
    uint64_t at = 1ull << 40, biases[] = {0x1000, 0x1000 - at}; /* behind all symbols */
    section->sh_addr = 0;
    section->sh_size = UINT64_MAX - 1;
    for (int i = 0; i < 2; i++) {
        struct fb_source source = {.image = data, .image_bytes = size, .bias = biases[i], .data_only = true};
        fb_object *object = fb_open(&f.test.host, &source, NULL);
        struct fb_data found;
        assert_true(fb_data_at(object, at + biases[i], &found));
        assert_true(found.start <= at + biases[i] && at + biases[i] < found.end);
        fb_close(object);
    }
    end_files(&f);
    free(data);
}

/* The header of a file that is made here, with its sections at an offset. */
static void put_header(uint8_t *data, uint64_t sections, uint16_t count, uint16_t names)
{
    *(Elf64_Ehdr *)data = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                                       .e_type = ET_DYN,
                                       .e_machine = EM_X86_64,
                                       .e_version = EV_CURRENT,
                                       .e_shoff = sections,
                                       .e_ehsize = sizeof(Elf64_Ehdr),
                                       .e_shentsize = sizeof(Elf64_Shdr),
                                       .e_shnum = count,
                                       .e_shstrndx = names};
}

/* 200,000 sections of 16 bytes, one behind the other, with a symbol in each: a look through all sections for each
 * symbol would take minutes. */
static void test_data_many(void **state)
{
    (void)state;
    enum { MANY = 200000, STRINGS = 64, SECTIONS = STRINGS + 64, SYMBOLS = SECTIONS + (MANY + 3) * 64 };
    struct files f;
    size_t size = SYMBOLS + MANY * 24ul;
    uint8_t *data = calloc(1, size);
    Elf64_Shdr *section = (Elf64_Shdr *)(data + SECTIONS);
    Elf64_Sym *symbol = (Elf64_Sym *)(data + SYMBOLS);
    memcpy(data + STRINGS, "\0s\0x", 5);
    put_header(data, SECTIONS, 0, SHN_XINDEX);
    section[0] = (Elf64_Shdr){.sh_size = MANY + 3, .sh_link = 1};
    section[1] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = 6};
    section[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB, .sh_offset = SYMBOLS, .sh_size = MANY * 24, .sh_link = 1,
                              .sh_entsize = 24};
    for (uint64_t i = 0; i < MANY; i++) {
        section[3 + i] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC,
                                      .sh_addr = 0x1000 + (MANY - 1 - i) * 16, .sh_size = 16};
        symbol[i] = (Elf64_Sym){.st_name = 3, .st_info = STT_OBJECT, .st_shndx = 3, .st_value = 0x1000 + i * 16,
                                .st_size = 8};
    }
    begin_files(&f);
    fb_object *object = fb_open(
        &f.test.host, &(struct fb_source){.image = data, .image_bytes = size, .data_only = true}, NULL);
    assert_non_null(object);
    check_datum(object, 0x1000, 4 * 16, "x", 4 * 16, 4 * 16 + 8, 8);
    check_datum(object, 0x1000, (MANY - 1) * 16 + 9, "s", (MANY - 1) * 16 + 8, MANY * 16, 0);
    fb_close(object);
    end_files(&f);
    free(data);
}

/* 200,000 symbols of functions and as many of data, all named by ends of one text of 16 MB. What is short enough
 * has its name. */
static void test_names_in_names(void **state)
{
    (void)state;
    enum { MANY = 200000, NAME = 16 << 20, SECTIONS = 64, SYMBOLS = SECTIONS + 5 * 64 };
    enum { STRINGS = SYMBOLS + 2 * MANY * 24 };
    struct files f;
    size_t size = STRINGS + NAME + 3ul;
    uint8_t *data = calloc(1, size);
    Elf64_Sym *symbol = (Elf64_Sym *)(data + SYMBOLS);
    Elf64_Shdr sections[] = {
        {0},
        {.sh_type = SHT_STRTAB, .sh_offset = STRINGS, .sh_size = NAME + 2},
        {.sh_type = SHT_SYMTAB, .sh_offset = SYMBOLS, .sh_size = 2 * MANY * 24, .sh_link = 1, .sh_entsize = 24},
        {.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = 1 << 20, .sh_size = MANY},
        {.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC, .sh_addr = 2 << 20, .sh_size = MANY},
    };
    struct fb_function function;
    struct fb_data datum;
    put_header(data, SECTIONS, 5, 0);
    memcpy(data + SECTIONS, sections, sizeof sections);
    memset(data + STRINGS + 1, 'n', NAME);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t name = i == 0 ? NAME : 1 + i % NAME; /* the first of one byte */
        symbol[2 * i] = (Elf64_Sym){.st_name = name, .st_info = STT_FUNC, .st_shndx = 3, .st_value = (1 << 20) + i / 2,
                                    .st_size = 1};
        symbol[2 * i + 1] = (Elf64_Sym){.st_name = name, .st_info = STT_OBJECT, .st_shndx = 4,
                                        .st_value = (2 << 20) + i / 2, .st_size = 1};
    }
    begin_files(&f);
    fb_object *object = fb_open(&f.test.host, &(struct fb_source){.image = data, .image_bytes = size}, NULL);
    assert_non_null(object);
    assert_true(fb_lookup(object, 1 << 20, &function));
    assert_string_equal(function.name, "n");
    assert_true(fb_data_at(object, 2 << 20, &datum));
    assert_int_equal(datum.name_bytes, 1);
    fb_close(object);
    end_files(&f);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols_and_gaps),
        cmocka_unit_test(test_no_size),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_debug_files),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_vdso),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_data_beyond),
        cmocka_unit_test(test_data_many),
        cmocka_unit_test(test_names_in_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
