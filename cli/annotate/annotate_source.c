/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_source.c: source files with the costs of their lines.
 *
 * What a file shows: its lines with costs and some around them, `-- line N --` on both sides of a gap; under a line
 * what was inlined there, and when asked its instructions; at its end what is on lines that the file does not have, or
 * on none. When asked, each statement's part of the program's cost stands beside its last line, and hot statements are
 * bold, or coloured where most of that is misses.
 */
#include "cli/annotate/annotate.h"

#include "cli/base/term.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 4096, RULE = 70 };

static const double HOT = 1, SHOWN = 0.05; /* percent of the program's cost */

/* ------------------------------------------------------------------------------------------ rows */

static const struct tp_annotated_line *line_at(const struct annotate *an, const struct tp_annotated_file *file,
                                               size_t i)
{
    return &an->costs.lines.at[file->first_line + i];
}

/* The cells of a row below a line, which belongs to no statement. */
static void cells_below(struct annotate *an, struct table *table, const union tp_cell *cost,
                        enum annotate_known known, enum tp_sampled of)
{
    annotate_cells(an, table, cost, known, of);
    if (an->statements)
        table_text(table, "");
}

/* The cell of --statements: "12.3%" at a statement's last line, a bar at those before it. */
static void statement_cell(struct table *table, const struct tp_annotated_statement *statement, uint64_t number)
{
    char text[32];

    if (statement != NULL)
        snprintf(text, sizeof text, "%.1f%%", statement->cost);
    if (statement == NULL)
        table_text(table, "");
    else if (number < statement->line)
        table_text(table, "|");
    else if (statement->cost > -SHOWN && statement->cost < SHOWN)
        table_text(table, ".");
    else
        table_text(table, text);
}

/* A line of the file, whose costs may be NULL, and below it what is asked for of it. */
static void add_line(struct annotate *an, struct table *table, const struct tp_annotated_file *file, uint64_t number,
                     const struct tp_annotated_line *line, const char *source)
{
    const struct tp_annotated_statement *statement = NULL;
    char name[NAME], text[2 * NAME];

    if (number > 0 && an->statements)
        statement = tp_annotation_statement(&an->costs, (uint32_t)(file - an->costs.files.at), (uint32_t)number);
    annotate_cells(an, table, line != NULL ? line->cost : NULL, ANNOTATE_ALL, TP_SAMPLED_LINES);
    if (an->statements)
        statement_cell(table, statement, number);
    table_text(table, source);
    if (statement != NULL && statement->cost >= HOT)
        table_style(table, statement->misses > statement->cost / 2 ? TERM_HOT : TERM_BOLD);
    for (size_t i = 0; line != NULL && i < line->inlined; i++) {
        const struct tp_annotated_inlined *use = &an->costs.inlined.at[line->first_inlined + i];
        const char *slash = use->path != NULL ? strrchr(use->path, '/') : NULL;

        *name = '\0';
        if (use->path != NULL)
            snprintf(name, sizeof name, " (%s:%" PRIu32 ")", slash != NULL ? slash + 1 : use->path, use->declared);
        snprintf(text, sizeof text, "  | inlined: %s%s", use->name, name);
        cells_below(an, table, use->cost, ANNOTATE_ALL, TP_SAMPLED_NONE);
        table_text(table, text);
        table_style(table, TERM_NAME);
    }
    for (size_t i = 0; line != NULL && an->calls && i < line->calls; i++) {
        const struct tp_annotated_call *call = &an->costs.calls.at[line->first_call + i];
        char times[32];

        snprintf(text, sizeof text, "  > calls %.*s (%s x)", NAME - 1, an->costs.functions.at[call->function].name,
                 term_number(times, (int64_t)call->calls));
        cells_below(an, table, call->cost, ANNOTATE_INCLUSIVE_ONLY, TP_SAMPLED_ARCS);
        table_text(table, text);
        table_style(table, TERM_NAME);
    }
    for (size_t i = 0; line != NULL && an->disassemble && i < line->instructions; i++) {
        const struct tp_annotated_instruction *instruction = &an->costs.instructions.at[line->first_instruction + i];

        annotate_instruction(an, instruction, name, sizeof name);
        snprintf(text, sizeof text, "  : %s", name);
        cells_below(an, table, instruction->cost, ANNOTATE_ALL, TP_SAMPLED_NONE);
        table_text(table, text);
        table_style(table, TERM_DIM);
    }
}

/* "-- line 12 -----" */
static void add_gap(struct table *table, uint64_t line)
{
    char text[RULE + 1];
    int width = snprintf(text, sizeof text, "-- line %" PRIu64 " ", line);

    memset(text + width, '-', (size_t)(RULE - width));
    text[RULE] = '\0';
    table_across(table, text);
}

/* Lines with costs, those within `context` of one, and gaps. Returns how many of the file's costs were in the text. */
static size_t add_lines(struct annotate *an, struct table *table, const struct tp_annotated_file *file,
                        const struct annotate_text *text)
{
    uint64_t last = 0, from, to;
    size_t i = 0, next;

    while (i < file->lines && line_at(an, file, i)->line == 0)
        i++;
    for (; i < file->lines && line_at(an, file, i)->line <= text->lines.count; i = next) {
        uint64_t line = line_at(an, file, i)->line;

        from = line > last + an->context + 1 ? line - an->context : last + 1;
        if (from > last + 1) {
            if (last > 0)
                add_gap(table, last);
            add_gap(table, from);
        }
        for (; from < line; from++)
            add_line(an, table, file, from, NULL, text->lines.at[from - 1]);
        add_line(an, table, file, line, line_at(an, file, i), text->lines.at[line - 1]);
        next = i + 1;
        last = line;
        to = next < file->lines ? line_at(an, file, next)->line : UINT64_MAX;
        for (; last < text->lines.count && last + 1 < to && last < line + an->context; last++)
            add_line(an, table, file, last + 1, NULL, text->lines.at[last]);
    }
    if (last > 0 && last < text->lines.count)
        add_gap(table, last);
    return i;
}

/* What is on no line of the text, or all if there is none. */
static void add_rest(struct annotate *an, struct table *table, const struct tp_annotated_file *file, size_t i,
                     bool found)
{
    char text[64];

    if (file->lines > 0 && line_at(an, file, 0)->line == 0)
        add_line(an, table, file, 0, line_at(an, file, 0), "<unknown line>");
    for (; i < file->lines; i++) {
        if (line_at(an, file, i)->line == 0)
            continue;
        snprintf(text, sizeof text, "<%sline %" PRIu32 ">", found ? "bogus " : "", line_at(an, file, i)->line);
        add_line(an, table, file, line_at(an, file, i)->line, line_at(an, file, i), text);
    }
}

/* ------------------------------------------------------------------------------------------ a file */

static void print_warnings(const struct annotate *an, const struct tp_annotated_file *file,
                           const struct annotate_text *text, const char *name)
{
    uint32_t last = file->lines > 0 ? line_at(an, file, file->lines - 1)->line : 0;
    char safe[NAME];

    term_escape(safe, sizeof safe, name);
    if (text->newer)
        printf("Warning: %s is newer than the profile: where lines were added, removed or moved since, what is said "
               "of them is wrong\n",
               safe);
    if (text->found && last > text->lines.count)
        printf("Warning: the profile has costs for line %" PRIu32 " of %s, which has %zu lines; such lines are at its "
               "end, marked as bogus\n",
               last, safe, text->lines.count);
}

static bool print_file(struct annotate *an, uint32_t index)
{
    const struct tp_annotated_file *file = &an->costs.files.at[index];
    const char *kind = an->choice[index] == ANNOTATE_USER ? "User-annotated" : "Auto-annotated";
    char name[NAME], heading[2 * NAME + 64];
    struct annotate_text text;

    if (!annotate_read(an, index, &text))
        return false;
    annotate_file_name(an, index, name, sizeof name);
    snprintf(heading, sizeof heading, "%s source: %s%s%s%s", kind, name, text.embedded ? " (kept in the profile)" : "",
             !text.embedded && file->place.directory != NULL ? ", found in " : "",
             !text.embedded && file->place.directory != NULL ? file->place.directory : "");
    if (!text.found)
        an->choice[index] = ANNOTATE_MISSING;
    if (text.found || an->disassemble) {
        struct table *table = annotate_table(an, TABLE_SOURCE, "");

        annotate_section(an, heading);
        print_warnings(an, file, &text, name);
        add_rest(an, table, file, add_lines(an, table, file, &text), text.found);
        annotate_print(an, table);
    }
    annotate_text_free(&text);
    return true;
}

/* Files without a text: those that were not found, or those that are not shown though they are there. */
static void print_missing(struct annotate *an, bool refused, const char *title, const char *help)
{
    bool any = false;
    char safe[NAME];

    for (size_t i = 0; i < an->chosen; i++) {
        const struct tp_annotated_file *file = &an->costs.files.at[an->order[i]];
        const char *why = NULL;

        if (an->choice[an->order[i]] != ANNOTATE_MISSING || file->path == NULL)
            continue;
        if (file->place.path != NULL)
            why = tp_source_refused(&an->access, file->place.path);
        if ((why != NULL) != refused)
            continue;
        if (!any)
            annotate_section(an, title);
        any = true;
        term_escape(safe, sizeof safe, file->path);
        printf("  %s%s%s\n", safe, refused ? "  not shown: " : "", refused ? why : "");
    }
    if (any)
        puts(help);
}

bool annotate_sources(struct annotate *an)
{
    for (size_t i = 0; i < an->chosen; i++) {
        if (!print_file(an, an->order[i]))
            return false;
    }
    print_missing(an, false, "Files chosen for annotation that were not found",
                  "-I DIR looks for them elsewhere; --file-map OLD=NEW rewrites their paths.");
    print_missing(an, true, "Files chosen for annotation that are not shown",
                  "--source-anywhere shows them; so does -I DIR what is below DIR.");
    return true;
}
