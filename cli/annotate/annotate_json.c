/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_json.c: what `tenure annotate` prints, as one JSON object.
 *
 * Costs are an object with a member for each column shown; one that cannot occur, or has no value, is null, and what
 * is not known is left out.
 */
#include "cli/annotate/annotate.h"

#include "cli/base/term.h"

#include <inttypes.h>
#include <stdio.h>

static void costs(const struct annotate *an, const union tp_cell *cost, enum annotate_known known)
{
    const char *comma = "";
    size_t i;

    fputs("{", stdout);
    for (i = 0; i < an->shown && cost != NULL; i++) {
        struct annotate_value value = annotate_value(an, i, cost);

        if (known == (an->column[i].spec.inclusive ? ANNOTATE_SELF_ONLY : ANNOTATE_INCLUSIVE_ONLY))
            continue;
        fputs(comma, stdout);
        term_json(stdout, an->column[i].spec.name);
        if (!value.known)
            fputs(": null", stdout);
        else if (value.is_count)
            printf(": %" PRId64, value.count);
        else
            printf(": %.10g", value.value);
        comma = ", ";
    }
    fputs("}", stdout);
}

static void member(const char *name, const char *text)
{
    term_json(stdout, name);
    fputs(": ", stdout);
    if (text != NULL)
        term_json(stdout, text);
    else
        fputs("null", stdout);
}

void annotate_json_begin(struct annotate *an)
{
    size_t i;

    fputs("{\"format\": \"tenure-annotate\", \"version\": 1, ", stdout);
    member("file", an->file);
    fputs(",\n", stdout);
    query_json_meta(an->profile);
    fputs(",\n\"sort\": [", stdout);
    for (i = 0; i < an->keys; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        term_json(stdout, an->column[an->key[i].column].spec.name);
    }
    fputs("],\n\"totals\": ", stdout);
    costs(an, an->costs.total, ANNOTATE_ALL);
}

/* ------------------------------------------------------------------------------------------ functions */

static void json_file(const struct annotate *an, uint32_t index)
{
    const struct tp_annotated_file *file = &an->costs.files.at[index];

    member("file", file->path != NULL ? file->place.name : NULL);
    if (file->path == NULL) {
        fputs(", ", stdout);
        member("object", file->object);
    }
}

static void json_function(const struct annotate *an, uint32_t index)
{
    const struct tp_annotated_function *function = &an->costs.functions.at[index];

    member("function", function->name);
    fputs(", ", stdout);
    member("object", function->object);
}

void annotate_json_groups(struct annotate *an, bool by_file, const struct annotate_groups *groups)
{
    size_t i, m;

    printf(",\n\"%s\": [", by_file ? "files" : "functions");
    for (i = 0; i < groups->count; i++) {
        const struct annotate_group *group = &groups->group[i];

        fputs(i > 0 ? ",\n  {" : "\n  {", stdout);
        (by_file ? json_file : json_function)(an, group->index);
        fputs(", \"costs\": ", stdout);
        costs(an, group->cost, by_file ? ANNOTATE_SELF_ONLY : ANNOTATE_ALL);
        printf(", \"%s\": [", by_file ? "functions" : "files");
        for (m = 0; m < group->count; m++) {
            const struct tp_annotated_pair *pair = &an->costs.pairs.at[groups->pair[group->first + m]];

            fputs(m > 0 ? ", {" : "{", stdout);
            (by_file ? json_function : json_file)(an, by_file ? pair->function : pair->file);
            fputs(", \"costs\": ", stdout);
            costs(an, pair->cost, ANNOTATE_ALL);
            fputs("}", stdout);
        }
        fputs("]}", stdout);
    }
    fputs("]", stdout);
}

/* ------------------------------------------------------------------------------------------ sources */

static void json_inlined(const struct annotate *an, const struct tp_annotated_line *line)
{
    size_t i;

    fputs(", \"inlined\": [", stdout);
    for (i = 0; i < line->inlined; i++) {
        const struct tp_annotated_inlined *use = &an->costs.inlined.at[line->first_inlined + i];

        fputs(i > 0 ? ", {" : "{", stdout);
        member("function", use->name);
        fputs(", ", stdout);
        member("file", use->path);
        printf(", \"line\": %" PRIu32 ", \"costs\": ", use->declared);
        costs(an, use->cost, ANNOTATE_ALL);
        fputs("}", stdout);
    }
    fputs("]", stdout);
}

static void json_calls(const struct annotate *an, const struct tp_annotated_line *line)
{
    size_t i;

    fputs(", \"calls\": [", stdout);
    for (i = 0; i < line->calls; i++) {
        const struct tp_annotated_call *call = &an->costs.calls.at[line->first_call + i];

        fputs(i > 0 ? ", {" : "{", stdout);
        json_function(an, call->function);
        printf(", \"calls\": %" PRIu64 ", \"costs\": ", call->calls);
        costs(an, call->cost, ANNOTATE_INCLUSIVE_ONLY);
        fputs("}", stdout);
    }
    fputs("]", stdout);
}

static void json_instructions(struct annotate *an, const struct tp_annotated_line *line)
{
    char text[512];
    size_t i;

    fputs(", \"instructions\": [", stdout);
    for (i = 0; i < line->instructions; i++) {
        const struct tp_annotated_instruction *instruction = &an->costs.instructions.at[line->first_instruction + i];

        fputs(i > 0 ? ", {" : "{", stdout);
        printf("\"address\": %" PRIu64 ", ", instruction->address);
        member("function", an->costs.functions.at[instruction->function].name);
        annotate_instruction(an, instruction, text, sizeof text);
        fputs(", ", stdout);
        member("text", text);
        fputs(", \"costs\": ", stdout);
        costs(an, instruction->cost, ANNOTATE_ALL);
        fputs("}", stdout);
    }
    fputs("]", stdout);
}

static void json_line(struct annotate *an, const struct tp_annotated_line *line, const struct annotate_text *text)
{
    bool known = line->line > 0 && line->line <= text->lines.count;

    if (line->line > 0)
        printf("{\"line\": %" PRIu32 ", ", line->line);
    else
        fputs("{\"line\": null, ", stdout);
    member("text", known ? text->lines.at[line->line - 1] : NULL);
    fputs(", \"costs\": ", stdout);
    costs(an, line->cost, ANNOTATE_ALL);
    if (line->inlined > 0)
        json_inlined(an, line);
    if (an->calls && line->calls > 0)
        json_calls(an, line);
    if (an->disassemble)
        json_instructions(an, line);
    fputs("}", stdout);
}

/* The statements of a file: their lines, and percent of the program's CEst. */
static void json_statements(const struct annotate *an, uint32_t file)
{
    const char *comma = "";
    size_t i;

    fputs(", \"statements\": [", stdout);
    for (i = 0; i < an->costs.statements.count; i++) {
        const struct tp_annotated_statement *statement = &an->costs.statements.at[i];

        if (statement->file != file)
            continue;
        printf("%s\n    {\"first_line\": %" PRIu32 ", \"line\": %" PRIu32 ", \"cost_percent\": %.10g, "
               "\"misses_percent\": %.10g}",
               comma, statement->first_line, statement->line, statement->cost, statement->misses);
        comma = ",";
    }
    fputs("]", stdout);
}

static bool json_source(struct annotate *an, uint32_t index)
{
    const struct tp_annotated_file *file = &an->costs.files.at[index];
    struct annotate_text text;
    size_t i;

    if (!annotate_read(an, index, &text))
        return false;
    fputs("{", stdout);
    json_file(an, index);
    fputs(", ", stdout);
    member("chosen", an->choice[index] == ANNOTATE_USER ? "user" : "auto");
    fputs(", ", stdout);
    member("text", text.embedded ? "profile" : text.found ? "file" : NULL);
    fputs(", ", stdout);
    member("not_shown", text.refused);
    fputs(", ", stdout);
    member("directory", text.embedded ? NULL : file->place.directory);
    printf(", \"newer\": %s, \"line_count\": %zu,\n  \"lines\": [", text.newer ? "true" : "false", text.lines.count);
    for (i = 0; i < file->lines; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", stdout);
        json_line(an, &an->costs.lines.at[file->first_line + i], &text);
    }
    fputs("]", stdout);
    if (an->statements)
        json_statements(an, index);
    fputs("}", stdout);
    annotate_text_free(&text);
    return true;
}

/* Every file chosen, found or not: only lines that have costs. */
bool annotate_json_sources(struct annotate *an)
{
    size_t i;

    fputs(",\n\"sources\": [", stdout);
    for (i = 0; i < an->chosen; i++) {
        fputs(i > 0 ? ",\n " : "\n ", stdout);
        if (!json_source(an, an->order[i]))
            return false;
    }
    puts("]\n}");
    return true;
}
