/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_code.c: instructions as text.
 *
 * Objects are opened when the first of their instructions is shown; of one that is gone, or another file by now, that
 * is said once, and its instructions are "???".
 */
#include "cli/annotate.h"

#include "cli/term.h"
#include "profile/disassemble.h"

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
    object = malloc(sizeof *object);
    if (object == NULL)
        abort();
    *object = (struct object){path, tp_code_open(an->profile, path, &err), objects};
    objects = object;
    if (object->code == NULL)
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

/* "401136 <main+22>  mov eax, [rdi]" */
void annotate_instruction(struct annotate *an, const struct tp_annotated_instruction *instruction, char *out,
                          size_t size)
{
    const struct tp_annotated_function *function = &an->costs.functions.at[instruction->function];
    struct tp_code *code = function->object != NULL ? code_of(an, function->object) : NULL;
    char text[256], name[120] = "";

    if (code == NULL ||
        !tp_code_text(code, instruction->offset, instruction->address, instruction->length, text, sizeof text))
        snprintf(text, sizeof text, "???");
    if (instruction->address >= function->address)
        snprintf(name, sizeof name, "  <%.90s+%" PRIu64 ">", function->name, instruction->address - function->address);
    snprintf(out, size, "%" PRIx64 "  %s%s", instruction->address, text, name);
}
