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
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 4096, RULE = 70, MARGIN = 8 };

static const double HOT = 1, SHOWN = 0.05; /* percent of the program's cost */

/* ------------------------------------------------------------------------------------------ rows */

static const struct tp_annotated_line *line_at(const struct annotate *an, const struct tp_annotated_file *file,
                                               size_t i)
{
    return &an->costs.lines.at[file->first_line + i];
}

static void print_inlined(struct annotate *an, const struct tp_annotated_line *line)
{
    char name[NAME], text[2 * NAME];
    size_t i;

    for (i = 0; i < line->inlined; i++) {
        const struct tp_annotated_inlined *use = &an->costs.inlined.at[line->first_inlined + i];
        const char *slash = use->path != NULL ? strrchr(use->path, '/') : NULL;

        annotate_cells(an, use->cost, ANNOTATE_ALL);
        *name = '\0';
        if (use->path != NULL)
            snprintf(name, sizeof name, " (%s:%" PRIu32 ")", slash != NULL ? slash + 1 : use->path, use->declared);
        snprintf(text, sizeof text, "  | inlined: %s%s", use->name, name);
        annotate_text(an, TERM_NAME, TERM_CUT_END, text);
    }
}

static void print_calls(struct annotate *an, const struct tp_annotated_line *line)
{
    char text[NAME + 64], number[32];
    size_t i;

    for (i = 0; i < line->calls; i++) {
        const struct tp_annotated_call *call = &an->costs.calls.at[line->first_call + i];

        annotate_cells(an, call->cost, ANNOTATE_INCLUSIVE_ONLY);
        snprintf(text, sizeof text, "  > calls %.*s (%s x)", NAME - 1, an->costs.functions.at[call->function].name,
                 term_number(number, (int64_t)call->calls));
        annotate_text(an, TERM_NAME, TERM_CUT_END, text);
    }
}

static void print_instructions(struct annotate *an, const struct tp_annotated_line *line)
{
    char code[512], text[544];
    size_t i;

    for (i = 0; i < line->instructions; i++) {
        const struct tp_annotated_instruction *instruction = &an->costs.instructions.at[line->first_instruction + i];

        annotate_cells(an, instruction->cost, ANNOTATE_ALL);
        if (an->measuring)
            continue; /* taking it apart takes time */
        annotate_instruction(an, instruction, code, sizeof code);
        snprintf(text, sizeof text, "  : %s", code);
        annotate_text(an, TERM_DIM, TERM_CUT_END, text);
    }
}

/* The margin: "  12.3%" at a statement's last line, a bar at those before it. */
static void write_margin(const struct tp_annotated_statement *statement, uint64_t number, char *out)
{
    if (statement == NULL)
        snprintf(out, MARGIN + 1, "%*s", MARGIN, "");
    else if (number < statement->line)
        snprintf(out, MARGIN + 1, "%*s ", MARGIN - 1, "|");
    else if (statement->cost > -SHOWN && statement->cost < SHOWN)
        snprintf(out, MARGIN + 1, "%*s ", MARGIN - 1, ".");
    else
        snprintf(out, MARGIN + 1, "%*.1f%% ", MARGIN - 2, statement->cost);
}

static void print_text(struct annotate *an, const struct tp_annotated_file *file, uint64_t number, const char *text)
{
    uint32_t index = (uint32_t)(file - an->costs.files.at);
    const struct tp_annotated_statement *statement =
        number > 0 ? tp_annotation_statement(&an->costs, index, (uint32_t)number) : NULL;
    enum term_style style = TERM_PLAIN;
    char *with = malloc(strlen(text) + MARGIN + 1);

    if (with == NULL)
        term_no_memory();
    write_margin(statement, number, with);
    strcpy(with + MARGIN, text);
    if (statement != NULL && statement->cost >= HOT)
        style = statement->misses > statement->cost / 2 ? TERM_HOT : TERM_BOLD;
    annotate_text(an, style, TERM_CUT_END, with);
    free(with);
}

static void print_line(struct annotate *an, const struct tp_annotated_file *file, uint64_t number,
                       const struct tp_annotated_line *line, const char *text)
{
    annotate_cells(an, line != NULL ? line->cost : NULL, ANNOTATE_ALL);
    if (an->statements)
        print_text(an, file, number, text);
    else
        annotate_text(an, TERM_PLAIN, TERM_CUT_END, text);
    if (line != NULL)
        print_inlined(an, line);
    if (line != NULL && an->calls)
        print_calls(an, line);
    if (line != NULL && an->disassemble)
        print_instructions(an, line);
}

static void print_gap(const struct annotate *an, uint64_t line)
{
    char text[48];
    int width = snprintf(text, sizeof text, "-- line %" PRIu64 " ", line);

    if (an->measuring)
        return;
    printf("%s%s", term_style(stdout, TERM_DIM), text);
    for (; width < RULE; width++)
        putchar('-');
    printf("%s\n", term_style(stdout, TERM_PLAIN));
}

/* Lines with costs, those within `context` of one, and gaps. Returns how many of the file's costs were in the text. */
static size_t print_lines(struct annotate *an, const struct tp_annotated_file *file, const struct annotate_text *text)
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
                print_gap(an, last);
            print_gap(an, from);
        }
        for (; from < line; from++)
            print_line(an, file, from, NULL, text->lines.at[from - 1]);
        print_line(an, file, line, line_at(an, file, i), text->lines.at[line - 1]);
        next = i + 1;
        last = line;
        to = next < file->lines ? line_at(an, file, next)->line : UINT64_MAX;
        for (; last < text->lines.count && last + 1 < to && last < line + an->context; last++)
            print_line(an, file, last + 1, NULL, text->lines.at[last]);
    }
    if (last > 0 && last < text->lines.count)
        print_gap(an, last);
    return i;
}

/* What is on no line of the text, or all if there is none. */
static void print_rest(struct annotate *an, const struct tp_annotated_file *file, size_t i, bool found)
{
    char text[64];

    if (file->lines > 0 && line_at(an, file, 0)->line == 0)
        print_line(an, file, 0, line_at(an, file, 0), "<unknown line>");
    for (; i < file->lines; i++) {
        if (line_at(an, file, i)->line == 0)
            continue;
        snprintf(text, sizeof text, "<%sline %" PRIu32 ">", found ? "bogus " : "", line_at(an, file, i)->line);
        print_line(an, file, line_at(an, file, i)->line, line_at(an, file, i), text);
    }
}

/* ------------------------------------------------------------------------------------------ a file */

static uint32_t last_line(const struct annotate *an, const struct tp_annotated_file *file)
{
    return file->lines > 0 ? line_at(an, file, file->lines - 1)->line : 0;
}

/* What the rows of a file are made of. */
struct shown {
    const struct tp_annotated_file *file;
    const struct annotate_text *text;
};

static void rows_of_file(struct annotate *an, const void *of)
{
    const struct shown *shown = of;

    print_rest(an, shown->file, print_lines(an, shown->file, shown->text), shown->text->found);
}

static void print_warnings(const struct annotate *an, const struct tp_annotated_file *file,
                           const struct annotate_text *text, const char *name)
{
    char safe[NAME];

    term_escape(safe, sizeof safe, name);
    if (text->newer)
        printf("Warning: %s is newer than the profile: where lines were added, removed or moved since, what is said "
               "of them is wrong\n",
               safe);
    if (text->found && last_line(an, file) > text->lines.count)
        printf("Warning: the profile has costs for line %" PRIu32 " of %s, which has %zu lines; such lines are at its "
               "end, marked as bogus\n",
               last_line(an, file), safe, text->lines.count);
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
        annotate_section(an, heading);
        print_warnings(an, file, &text, name);
        annotate_table(an, an->statements ? "   cost" : "", rows_of_file, &(struct shown){file, &text});
    }
    annotate_text_free(&text);
    return true;
}

/* Files without a text: those that were not found, or those that are not shown though they are there. */
static void print_missing(struct annotate *an, bool refused, const char *title, const char *help)
{
    bool any = false;
    char safe[NAME];
    size_t i;

    for (i = 0; i < an->chosen; i++) {
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
    size_t i;

    for (i = 0; i < an->chosen; i++) {
        if (!print_file(an, an->order[i]))
            return false;
    }
    print_missing(an, false, "Files chosen for annotation that were not found",
                  "-I DIR looks for them elsewhere; --file-map OLD=NEW rewrites their paths.");
    print_missing(an, true, "Files chosen for annotation that are not shown",
                  "--source-anywhere shows them; so does -I DIR what is below DIR.");
    return true;
}
