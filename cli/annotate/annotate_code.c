/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_code.c: instructions as text.
 *
 * Objects are opened when the first of their instructions is shown; of one that is gone, or another file by now, that
 * is said once, and its instructions are "???". So are those that were never in a file: [vdso], [anon].
 */
#include "cli/annotate/annotate.h"

#include "cli/base/term.h"
#include "profile/read/disassemble.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The objects opened so far; a name lives as long as the costs. */
static struct object {
    const char *path;
    struct tp_code *code; /* NULL: it cannot be shown */
    struct object *next;
} *objects;

static struct tp_code *code_of(struct annotate *an, const char *path)
{
    struct object *object = objects;
    struct tp_error err = {0};

    while (object != NULL && strcmp(object->path, path) != 0)
        object = object->next;
    if (object != NULL)
        return object->code;
    object = term_have(malloc(sizeof *object));
    *object = (struct object){path, *path == '/' ? tp_code_open(an->profile, path, &err) : NULL, objects};
    objects = object;
    if (object->code == NULL && *path == '/')
        term_error("cannot disassemble %s", err.message);
    return object->code;
}

void annotate_instructions_end(void)
{
    while (objects != NULL) {
        struct object *next = objects->next;

        tp_code_close(objects->code);
        free(objects);
        objects = next;
    }
}

/* ------------------------------------------------------------------------------------------ functions by address */

static int compare_addresses(const void *a, const void *b, void *user)
{
    const struct annotate *an = user;
    uint64_t x = an->costs.functions.at[*(const uint32_t *)a].address,
             y = an->costs.functions.at[*(const uint32_t *)b].address;

    return x < y ? -1 : x > y;
}

/* The function that has code at `address`; NULL: none that ran. */
static const struct tp_annotated_function *function_at(struct annotate *an, uint64_t address)
{
    size_t from = 0, to = an->costs.functions.count;

    if (an->by_address == NULL) {
        an->by_address = term_have(malloc((to + 1) * sizeof *an->by_address));
        for (size_t i = 0; i < to; i++)
            an->by_address[i] = (uint32_t)i;
        qsort_r(an->by_address, to, sizeof *an->by_address, compare_addresses, an);
    }
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;

        if (an->costs.functions.at[an->by_address[middle]].address <= address)
            from = middle;
        else
            to = middle;
    }
    const struct tp_annotated_function *function = &an->costs.functions.at[an->by_address[from]];
    return address - function->address < function->size ? function : NULL;
}

/* "main+22", or "" if it is none of the function's. */
static void write_place(const struct tp_annotated_function *function, uint64_t address, char *out, size_t size)
{
    *out = '\0';
    if (address == function->address)
        snprintf(out, size, "%.100s", function->name);
    else if (address > function->address)
        snprintf(out, size, "%.100s+%" PRIu64, function->name, address - function->address);
}

/* "401136 main+22: call 0x401150 <work>" */
void annotate_instruction(struct annotate *an, const struct tp_annotated_instruction *instruction, char *out,
                          size_t size)
{
    const struct tp_annotated_function *function = &an->costs.functions.at[instruction->function], *other = NULL;
    struct tp_code *code = function->object != NULL ? code_of(an, function->object) : NULL;
    char text[256], place[140], there[140] = "";
    uint64_t target = 0;

    if (code == NULL || !tp_code_text(code, instruction->offset, instruction->address, instruction->length, text,
                                      sizeof text, &target))
        snprintf(text, sizeof text, "???");
    write_place(function, instruction->address, place, sizeof place);
    if (target != 0)
        other = function_at(an, target);
    if (other != NULL)
        write_place(other, target, there, sizeof there);
    snprintf(out, size, "%" PRIx64 " %s: %s%s%s%s", instruction->address, place, text, *there != '\0' ? " <" : "",
             there, *there != '\0' ? ">" : "");
}
