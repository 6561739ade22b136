/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statements.c: lines of code into statements.
 *
 * Where the source text is at hand, it says which lines are one statement (continuation.h). Where it is not, the
 * compiler does: debug information marks the instructions at which a statement begins (is_stmt), and a line without
 * any goes with the line before it of the same function. Only executed lines count there.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/code.h"
#include "profile/objects/source.h"
#include "profile/raw/continuation.h"

struct line {
    uint32_t object, file, line; /* object and file + 1 */
    uint32_t number;     /* as it was found */
    uint32_t statement;  /* + 1 */
    const char *function;
};

struct lines {
    struct tp_recording *rec;
    const struct tp_import_options *options;
    TP_VECTOR(struct line) at;
    struct tp_idmap map, files; /* (file of an object + 1, line) -> line; (object, file) -> file of an object */
    struct tp_continuation text;
    struct tp_arena arena; /* the text of the file at hand */
};

/* The number of a line of a file as far as it is in an object; TP_NOT_FOUND: out of memory. */
static uint32_t statements_line_of(struct lines *l, uint32_t object, uint32_t file, uint32_t line, const char *function)
{
    uint64_t key = tp_line_key(object, file);
    uint32_t place = tp_idmap_find(&l->files, key);

    if (place == TP_NOT_FOUND) {
        place = (uint32_t)l->files.count;
        if (tp_idmap_add(&l->files, key, place))
            return TP_NOT_FOUND;
    }
    key = tp_line_key(place, line);
    uint32_t number = tp_idmap_find(&l->map, key);
    if (number != TP_NOT_FOUND)
        return number;
    number = (uint32_t)l->at.count;
    struct line *made = TP_VECTOR_ADD(&l->at);
    if (!made || tp_idmap_add(&l->map, key, number))
        return TP_NOT_FOUND;
    *made = (struct line){object, file, line, number, 0, function};
    return number;
}

/* instr->statement becomes number + 1 of its line. An instruction is written in the innermost inlined function. A line
 * in several functions (a template's instances) has the first of their names. */
static int statements_find_lines(struct lines *l)
{
    for (size_t i = 0; i < l->rec->instrs.count; i++) {
        struct tp_instr *instr = &l->rec->instrs.at[i];
        if (!instr->costs || !instr->file || !instr->line || !instr->context)
            continue;
        const struct tp_function *in = tp_function_of(l->rec, instr->context);
        uint32_t object = in ? in->object : 0;
        const char *function = instr->frame ? l->rec->frames.at[instr->frame - 1].name : in ? in->name : "???";
        uint32_t number = statements_line_of(l, object, instr->file, instr->line, function);
        if (number == TP_NOT_FOUND)
            return -1;
        struct line *line = &l->at.at[number];
        if (line->function != function && strcmp(function, line->function) < 0)
            line->function = function;
        instr->statement = number + 1;
    }
    return 0;
}

static int statements_by_place(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = TP_COMPARE(x->file, y->file);

    order = order ? order : TP_COMPARE(x->object, y->object);
    return order ? order : TP_COMPARE(x->line, y->line);
}

/* ------------------------------------------------------------------------------------------ one file */

/* The lines of a file, in order: by its text, or else as far as debug information tells. */
static int find_statements(struct lines *l, struct line *line, size_t count)
{
    struct tp_recording *rec = l->rec;
    const char *path = rec->files.at[line->file - 1], *text = tp_source_imported(&l->arena, l->options, path);
    bool known = text != NULL;
    int failed = known ? tp_continuation_make(&l->text, text, tp_language_of(path)) : 0;

    tp_arena_clear(&l->arena);
    for (uint32_t number = 1; known && !failed && number < l->text.line.count; number++) {
        uint64_t key = tp_line_key(line->file, number);
        if (l->text.line.at[number] & TP_LINE_LOOPS && tp_idmap_find(&rec->loop_lines, key) == TP_NOT_FOUND)
            failed = tp_idmap_add(&rec->loop_lines, key, number);
    }
    for (size_t i = 0; !failed && i < count; i++, line++) {
        uint32_t first = known ? tp_statement_first(&l->text, line->line) : line->line;
        uint32_t last = known ? tp_statement_last(&l->text, line->line) : line->line;
        struct tp_statement *statement = i ? &rec->statements.at[line[-1].statement - 1] : NULL;
        bool joins = i && line[-1].object == line->object;
        if (joins && known)
            joins = statement->line == last;
        else if (joins)
            joins = rec->begins.count &&
                    tp_idmap_find(&rec->begins, tp_line_key(line->file, line->line)) == TP_NOT_FOUND &&
                    strcmp(line->function, line[-1].function) == 0;
        if (!joins) {
            struct tp_statement made = {line->object, line->file, last, first, line->function};
            if (!TP_VECTOR_PUSH(&rec->statements, made))
                return -1;
            statement = &rec->statements.at[rec->statements.count - 1];
        }
        line->statement = (uint32_t)rec->statements.count;
        if (line->line > statement->line)
            statement->line = line->line;
        if (strcmp(line->function, statement->function) < 0)
            statement->function = line->function;
    }
    return failed;
}

/* ------------------------------------------------------------------------------------------ all */

static int find_all(struct lines *l)
{
    struct line *at = l->at.at;
    uint32_t *statement = calloc(l->at.count + 1, sizeof *statement); /* by number of a line, + 1 */

    if (!statement)
        return -1;
    if (l->at.count)
        qsort(at, l->at.count, sizeof *at, statements_by_place);
    for (size_t i = 0, end; i < l->at.count; i = end) {
        for (end = i + 1; end < l->at.count && at[end].file == at[i].file;)
            end++;
        if (find_statements(l, &at[i], end - i)) {
            free(statement);
            return -1;
        }
    }
    for (size_t i = 0; i < l->at.count; i++)
        statement[at[i].number + 1] = at[i].statement;
    for (size_t i = 0; i < l->rec->instrs.count; i++)
        l->rec->instrs.at[i].statement = statement[l->rec->instrs.at[i].statement];
    free(statement);
    return 0;
}

int tp_statements(struct tp_recording *rec, const struct tp_import_options *options, struct tp_error *err)
{
    struct lines l = {.rec = rec, .options = options};
    int failed = statements_find_lines(&l) || find_all(&l) ? TP_NO_MEMORY(err) : 0;

    TP_VECTOR_FREE(&l.at);
    tp_idmap_free(&l.map);
    tp_idmap_free(&l.files);
    tp_continuation_free(&l.text);
    tp_arena_free(&l.arena);
    return failed;
}
