/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * types.c: the readers of types and of allocations, from programs whose debug information may say anything.
 *
 * The input is a program. What is found in it is written as a table of elements, which must be one that the engine
 * takes; each type in it, and numbers that are none, are asked for as an import does, and what comes must cover the
 * type.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/common/element_table.h"
#include "profile/code/code.h"
#include "profile/objects/symbols_types.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_TABLE = 1 << 20, MOST_TYPES = 64 };

static const char *const program = scratch.file[0], *const table_path = scratch.file[1];
static _Alignas(16) uint8_t bytes[MOST_TABLE];

/* layout.h's invariant. */
static void check_layout(const struct tp_layout *layout)
{
    uint64_t end = 0;

    must(layout->count >= 1 && layout->type);
    for (size_t i = 0; i < layout->count; i++) {
        must(layout->field[i].offset == end && layout->field[i].size > 0 && layout->field[i].name);
        end += layout->field[i].size;
    }
    must(end == tp_layout_size(layout));
}

static void ask(struct tp_arena *arena, Dwarf *dwarf, uint64_t number, uint64_t size)
{
    const struct tp_layout *layout = tp_type_layout(arena, dwarf, number);

    if (!layout)
        return;
    check_layout(layout);
    must(!size || tp_layout_size(layout) == size);
}

static void visit(void *user, struct tp_object *object, const struct tp_image *image,
                  const struct tp_image *debug, Dwarf *dwarf)
{
    const struct element_table *table = user;
    struct tp_arena arena = {0};

    must(image && debug && strcmp(object->file, program) == 0);
    for (uint64_t m = 0; m < table->module_count; m++) {
        const struct element_module *module = &table->modules[m];
        if (strcmp(table->names + module->path, program) != 0)
            continue;
        for (uint64_t i = module->first; i < module->first + module->count && i < MOST_TYPES; i++)
            ask(&arena, dwarf, table->entries[i].type, table->entries[i].size);
    }
    for (uint64_t number = 1; number < 1 << 12; number += 17)
        ask(&arena, dwarf, number, 0);
    tp_arena_free(&arena);
}

static bool matches_all(const char *pattern, const char *name)
{
    return pattern && name;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct element_table table = {0};
    struct tp_error err = {.message = ""};
    static const char *const patterns[] = {"*"};
    const struct tp_asked asked = {true, patterns, 1, matches_all};

    scratch_make("program", "table");
    FILE *file = fopen(program, "wb");
    must(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    unlink(table_path);
    int64_t count = tp_elements_write(program, &asked, table_path, &err);
    must(count >= 0);
    file = count ? fopen(table_path, "rb") : NULL;
    must(!count == (access(table_path, F_OK) != 0));
    if (file) {
        size_t got = fread(bytes, 1, sizeof bytes, file);
        must(fclose(file) == 0);
        must(got == sizeof bytes || element_table_open(&table, bytes, got));
    }
    struct tp_object object = {.path = program, .file = program};
    struct tp_recording rec = {.objects = {&object, 1, 1}};
    must(tp_symbols_visit(&rec, 0, visit, &table, &err) == 0);
    tp_arena_free(&rec.arena);
    return 0;
}
