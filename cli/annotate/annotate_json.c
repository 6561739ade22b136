/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_json.c: what `tenure annotate` prints, as one JSON object.
 *
 * Costs are an object with a member for each column shown; one that cannot occur, or has no value, is null, and what
 * is not known is left out. Where sets were sampled, NAME_margin says how far NAME may be off.
 */
#include "cli/annotate/annotate.h"

#include <inttypes.h>

static void json_costs(struct annotate *an, const char *name, const union tp_cell *cost, enum annotate_known known,
                       enum tp_sampled of)
{
    char key[64];

    tp_json_begin(&an->out, name, '{', ", ");
    for (size_t i = 0; i < an->shown && cost != NULL; i++) {
        const struct column_spec *spec = &an->columns.at[i];
        struct annotate_value value = annotate_value(an, i, cost);

        if (known == (spec->inclusive ? ANNOTATE_SELF_ONLY : ANNOTATE_INCLUSIVE_ONLY))
            continue;
        if (!value.known)
            tp_json_text(&an->out, spec->name, NULL);
        else if (value.is_count)
            tp_json_integer(&an->out, spec->name, value.count);
        else
            tp_json_figure(&an->out, spec->name, value.value);
        if (an->costs.groups == 0 || of == TP_SAMPLED_NONE)
            continue;
        struct tp_figure off = value.known ? annotate_margin(an, i, of, cost) : (struct tp_figure){0, false};
        snprintf(key, sizeof key, "%s_margin", spec->name);
        if (off.known)
            tp_json_figure(&an->out, key, off.value);
        else
            tp_json_text(&an->out, key, NULL);
    }
    tp_json_end(&an->out);
}

void annotate_json_begin(struct annotate *an)
{
    query_json_head(an->profile, &an->out, "tenure-annotate", an->file);
    tp_json_begin(&an->out, "sort", '[', ", ");
    for (size_t i = 0; i < an->keys; i++)
        tp_json_text(&an->out, NULL, an->columns.at[an->key[i].column].name);
    tp_json_end(&an->out);
    json_costs(an, "totals", an->costs.total, ANNOTATE_ALL, TP_SAMPLED_TOTALS);
}

/* ------------------------------------------------------------------------------------------ functions */

static void json_file(struct annotate *an, uint32_t index)
{
    const struct tp_annotated_file *file = &an->costs.files.at[index];

    tp_json_text(&an->out, "file", file->path != NULL ? file->place.name : NULL);
    if (file->path == NULL)
        tp_json_text(&an->out, "object", file->object);
}

static void json_function(struct annotate *an, uint32_t index)
{
    tp_json_text(&an->out, "function", an->costs.functions.at[index].name);
    tp_json_text(&an->out, "object", an->costs.functions.at[index].object);
}

void annotate_json_groups(struct annotate *an, const struct annotate_groups *groups)
{
    bool by_file = groups->by_file;

    tp_json_begin(&an->out, by_file ? "files" : "functions", '[', ",\n  ");
    for (size_t i = 0; i < groups->count; i++) {
        const struct annotate_group *group = &groups->group[i];

        tp_json_begin(&an->out, NULL, '{', ", ");
        (by_file ? json_file : json_function)(an, group->index);
        json_costs(an, "costs", group->cost, by_file ? ANNOTATE_SELF_ONLY : ANNOTATE_ALL,
                   by_file ? TP_SAMPLED_LINES : TP_SAMPLED_FUNCTIONS);
        tp_json_begin(&an->out, by_file ? "functions" : "files", '[', ", ");
        for (size_t m = 0; m < group->count; m++) {
            const struct tp_annotated_pair *pair = &an->costs.pairs.at[groups->pair[group->first + m]];

            tp_json_begin(&an->out, NULL, '{', ", ");
            (by_file ? json_function : json_file)(an, by_file ? pair->function : pair->file);
            json_costs(an, "costs", pair->cost, ANNOTATE_ALL, TP_SAMPLED_FUNCTIONS);
            tp_json_end(&an->out);
        }
        tp_json_end(&an->out);
        tp_json_end(&an->out);
    }
    tp_json_end(&an->out);
}

/* ------------------------------------------------------------------------------------------ sources */

static void json_inlined(struct annotate *an, const struct tp_annotated_inlined *use)
{
    tp_json_text(&an->out, "function", use->name);
    tp_json_text(&an->out, "file", use->path);
    tp_json_integer(&an->out, "line", use->declared);
    json_costs(an, "costs", use->cost, ANNOTATE_ALL, TP_SAMPLED_NONE);
}

static void json_call(struct annotate *an, const struct tp_annotated_call *call)
{
    json_function(an, call->function);
    tp_json_integer(&an->out, "calls", (int64_t)call->calls);
    json_costs(an, "costs", call->cost, ANNOTATE_INCLUSIVE_ONLY, TP_SAMPLED_ARCS);
}

static void json_instruction(struct annotate *an, const struct tp_annotated_instruction *instruction)
{
    char text[512];

    tp_json_next(&an->out, "address");
    fprintf(an->out.out, "%" PRIu64, instruction->address);
    tp_json_text(&an->out, "function", an->costs.functions.at[instruction->function].name);
    annotate_instruction(an, instruction, text, sizeof text);
    tp_json_text(&an->out, "text", text);
    json_costs(an, "costs", instruction->cost, ANNOTATE_ALL, TP_SAMPLED_NONE);
}

/* A member `name` with an object, which `write` fills in, for each of `count` elements from `first` on. */
#define JSON_LIST(an, name, write, first, count) \
    do { \
        tp_json_begin(&(an)->out, name, '[', ", "); \
        for (size_t i = 0; i < (count); i++) { \
            tp_json_begin(&(an)->out, NULL, '{', ", "); \
            write(an, (first) + i); \
            tp_json_end(&(an)->out); \
        } \
        tp_json_end(&(an)->out); \
    } while (0)

static void json_line(struct annotate *an, const struct tp_annotated_line *line, const struct annotate_text *text)
{
    bool known = line->line > 0 && line->line <= text->lines.count;

    tp_json_begin(&an->out, NULL, '{', ", ");
    if (line->line > 0)
        tp_json_integer(&an->out, "line", line->line);
    else
        tp_json_text(&an->out, "line", NULL);
    tp_json_text(&an->out, "text", known ? text->lines.at[line->line - 1] : NULL);
    json_costs(an, "costs", line->cost, ANNOTATE_ALL, TP_SAMPLED_LINES);
    if (line->inlined > 0)
        JSON_LIST(an, "inlined", json_inlined, &an->costs.inlined.at[line->first_inlined], line->inlined);
    if (an->calls && line->calls > 0)
        JSON_LIST(an, "calls", json_call, &an->costs.calls.at[line->first_call], line->calls);
    if (an->disassemble)
        JSON_LIST(an, "instructions", json_instruction, &an->costs.instructions.at[line->first_instruction],
                  line->instructions);
    tp_json_end(&an->out);
}

/* The statements of a file: their lines, and percent of the program's CEst. */
static void json_statements(struct annotate *an, uint32_t file)
{
    tp_json_begin(&an->out, "statements", '[', ",\n    ");
    for (size_t i = 0; i < an->costs.statements.count; i++) {
        const struct tp_annotated_statement *statement = &an->costs.statements.at[i];

        if (statement->file != file)
            continue;
        tp_json_begin(&an->out, NULL, '{', ", ");
        tp_json_integer(&an->out, "first_line", statement->first_line);
        tp_json_integer(&an->out, "line", statement->line);
        tp_json_figure(&an->out, "cost_percent", statement->cost);
        tp_json_figure(&an->out, "misses_percent", statement->misses);
        tp_json_end(&an->out);
    }
    tp_json_end(&an->out);
}

static bool json_source(struct annotate *an, uint32_t index)
{
    const struct tp_annotated_file *file = &an->costs.files.at[index];
    struct annotate_text text;

    if (!annotate_read(an, index, &text))
        return false;
    tp_json_begin(&an->out, NULL, '{', ", ");
    json_file(an, index);
    tp_json_text(&an->out, "chosen", an->choice[index] == ANNOTATE_USER ? "user" : "auto");
    tp_json_text(&an->out, "text", text.embedded ? "profile" : text.found ? "file" : NULL);
    tp_json_text(&an->out, "not_shown", text.refused);
    tp_json_text(&an->out, "directory", text.embedded ? NULL : file->place.directory);
    tp_json_bool(&an->out, "newer", text.newer);
    tp_json_integer(&an->out, "line_count", (int64_t)text.lines.count);
    an->out.open[an->out.depth - 1].between = ",\n  "; /* lines begin on a line of their own */
    tp_json_begin(&an->out, "lines", '[', ",\n    ");
    an->out.open[an->out.depth - 2].between = ", ";
    for (size_t i = 0; i < file->lines; i++)
        json_line(an, &an->costs.lines.at[file->first_line + i], &text);
    tp_json_end(&an->out);
    if (an->statements)
        json_statements(an, index);
    tp_json_end(&an->out);
    annotate_text_free(&text);
    return true;
}

/* Every file chosen, found or not: only lines that have costs. */
bool annotate_json_sources(struct annotate *an)
{
    tp_json_begin(&an->out, "sources", '[', ",\n ");
    for (size_t i = 0; i < an->chosen; i++) {
        if (!json_source(an, an->order[i]))
            return false;
    }
    tp_json_end(&an->out);
    putchar('\n');
    tp_json_end(&an->out);
    putchar('\n');
    return true;
}
