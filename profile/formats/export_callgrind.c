/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_callgrind.c: Callgrind's profile format, version 1.
 *
 * Function by function: the lines it executed, in the files they came from (fi= and fe= for what was inlined
 * into it), then its calls, each with its inclusive costs. Names are compressed: "(7) name" the first time,
 * "(7)" afterwards.
 *
 * Numbers are integers there. AcCost is rounded so that what is lost in one line is made up in the next: the sum
 * over all lines is the rounded total. An inclusive cost is rounded by itself.
 *
 * KCachegrind takes 13 events and does not load a file with more, so by default there are no more. What can be
 * computed from those that are there it is told as a formula; so its cycle estimate is ours.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/formats/export.h"
#include "profile/raw/events.h"
#include "tenure_config.h"

enum { KCACHEGRIND_EVENTS = 13 };

/* In the order in which they are left out, from the end. */
static const char *const usual[] = {"Ir",      "Dr",   "Dw",   "I1mr",    "D1mr",    "D1mw",
                                    "ILmr",    "DLmr", "DLmw", "AcCost1", "SpLoss1", "AcCostL",
                                    "SpLossL", "I2mr", "D2mr", "D2mw",    "Bc",      "Bcm",
                                    "Bi",      "Bim"};

struct callgrind {
    tp_profile *profile;
    FILE *out;
    struct tp_error *err;
    bool instructions, mangled;
    struct tp_choice choice;
    size_t left_out; /* events behind those of the choice */
    struct tp_sums sums;
    struct {
        sqlite3_stmt *by_id;
        int64_t limit;        /* the largest id */
        unsigned char *known; /* names that have been written, by id */
    } name[3];                /* by kind */
    unsigned char *ambiguous; /* functions that share name and file with one of another object, by id */
    sqlite3_stmt *functions, *lines, *arcs;
    int lines_more, arcs_more;
    int64_t file; /* the current one; 0: unknown */
};
enum { OBJECT, FILE_, FUNCTION };

/* ------------------------------------------------------------------------------------------ events */

static int callgrind_choose(struct callgrind *c, const char *list)
{
    if (list)
        return tp_choose(c->profile, list, &c->choice, c->err);
    tp_choose_usual(c->profile, usual, sizeof usual / sizeof *usual, &c->choice);
    if (c->choice.count > KCACHEGRIND_EVENTS) {
        c->left_out = c->choice.count - KCACHEGRIND_EVENTS;
        c->choice.count = KCACHEGRIND_EVENTS;
    }
    return 0;
}

/* Callgrind calls the last level 2: AcCostL is AcCost2. Only use events end in a plain L. */
static void write_event_name(FILE *out, const struct tp_event *event)
{
    char name[TP_PLAIN_NAME];
    size_t n = strlen(tp_plain_name(event, name));

    if (n > 2 && name[n - 1] == 'L')
        name[n - 1] = '2';
    fputs(name, out);
}

static long long incl_cost(const struct callgrind *c, size_t event, sqlite3_stmt *row, int column)
{
    return c->choice.event[event]->real ? llround(sqlite3_column_double(row, column))
                                        : sqlite3_column_int64(row, column);
}

/* ------------------------------------------------------------------------------------------ names */

static int mark_ambiguous(void *user, sqlite3_stmt *row)
{
    struct callgrind *c = user;

    if (sqlite3_column_int64(row, 0) >= 0)
        c->ambiguous[sqlite3_column_int64(row, 0)] = 1;
    return 0;
}

/* "(id)", with the name the first time. Ids in the file are one more, so that the unknown name is (1). */
static int write_name(struct callgrind *c, const char *tag, int kind, int64_t id)
{
    sqlite3_stmt *by_id = c->name[kind].by_id;
    int more = 1;

    if (id < 0 || id > c->name[kind].limit)
        return TP_FAIL(c->err, "%s: damaged: an id without its row", tp_path(c->profile));
    fprintf(c->out, "%s=(%lld)", tag, (long long)id + 1);
    if (!c->name[kind].known[id]) {
        c->name[kind].known[id] = 1;
        putc(' ', c->out);
        sqlite3_bind_int64(by_id, 1, id);
        more = tp_row(c->profile, by_id, c->err);
        tp_write_clean(c->out, more == 1 ? tp_text_or_null(by_id, 0) : NULL, "");
        if (more == 1 && kind == FUNCTION && c->ambiguous[id]) {
            /* Its name and file are those of one in another object, as of _start: readers that tell functions by name
             * and file (callgrind_annotate, speedscope) get the object, too. */
            const char *path = tp_text_or_null(by_id, 1), *slash = path ? strrchr(path, '/') : NULL;
            fputs(" (", c->out);
            tp_write_clean(c->out, slash ? slash + 1 : path, "?");
            putc(')', c->out);
        }
        sqlite3_reset(by_id);
    }
    putc('\n', c->out);
    return more < 0 ? -1 : 0;
}

static int open_names(struct callgrind *c)
{
    static const char *const tables[] = {"objects", "files", "t_functions"};
    static const char by_path[] = "SELECT path FROM %s WHERE id = ?";
    static const char by_name[] = "SELECT coalesce(%s, function), o.path FROM t_functions f "
                                  "LEFT JOIN objects o ON o.id = f.object_id WHERE f.id = ?";

    for (int kind = 0; kind < 3; kind++) {
        double most;
        if (tp_number(c->profile, sqlite3_mprintf("SELECT max(id) FROM %s", tables[kind]), 0, &most, c->err))
            return -1;
        if (!(most >= 0 && most <= UINT32_MAX))
            return TP_FAIL(c->err, "%s: damaged: impossible ids in %s", tp_path(c->profile), tables[kind]);
        c->name[kind].limit = (int64_t)most;
        c->name[kind].known = calloc((size_t)most + 1, 1);
        if (!c->name[kind].known)
            return TP_NO_MEMORY(c->err);
        c->name[kind].by_id =
            tp_query(c->profile, kind == FUNCTION ? sqlite3_mprintf(by_name, c->mangled ? "symbol" : "function")
                                                  : sqlite3_mprintf(by_path, tables[kind]), c->err);
        if (!c->name[kind].by_id)
            return -1;
    }
    const char *name = c->mangled ? "coalesce(symbol, function)" : "function";
    c->ambiguous = calloc((size_t)c->name[FUNCTION].limit + 1, 1);
    return !c->ambiguous ? TP_NO_MEMORY(c->err)
                         : tp_each(c->profile,
                                   sqlite3_mprintf("SELECT id FROM t_functions JOIN (SELECT %s AS name, file_id AS file"
                                                   " FROM t_functions GROUP BY 1, 2 HAVING min(ifnull(object_id, 0)) "
                                                   "<> max(ifnull(object_id, 0))) ON %s = name AND file_id IS file",
                                                   name, name),
                                   mark_ambiguous, c, c->err);
}

/* ------------------------------------------------------------------------------------------ header */

/* KCachegrind knows a file by its first 2047 bytes: the first "events:" there begins a line. So a long command is cut,
 * and one that has the word in it. */
static void write_command(struct callgrind *c)
{
    enum { LONGEST = 500 };
    const char *cmd = tp_meta(c->profile, "cmd");
    size_t size = cmd ? strlen(cmd) : 0, n = size;

    if (!cmd)
        return;
    if (strstr(cmd, "events:"))
        n = (size_t)(strstr(cmd, "events:") - cmd);
    if (n > LONGEST)
        n = LONGEST;
    while (n < size && n > 0 && ((unsigned char)cmd[n] & 0xC0) == 0x80)
        n--;
    char *cut = sqlite3_mprintf("%.*s%s", (int)n, cmd, n < size ? "..." : "");
    fputs("cmd: ", c->out);
    tp_write_clean(c->out, cut ? cut : "", "");
    putc('\n', c->out);
    sqlite3_free(cut);
}

static bool has_name(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return true;
    }
    return false;
}

/* Those terms of a formula whose events are there, as in "Ir + 10 L1m"; how many. `left`: those that are not. */
static size_t known_terms(const char *formula, const char *const *names, size_t count, sqlite3_str *out,
                          sqlite3_str *left)
{
    struct tp_addend term;
    size_t known = 0;

    while (*formula && tp_addend_next(&formula, &term)) {
        char weight[24] = "";
        if (term.weight != 1)
            snprintf(weight, sizeof weight, "%u ", (unsigned)term.weight);
        if (has_name(names, count, term.event, term.length))
            sqlite3_str_appendf(out, "%s%s%.*s", known++ ? " + " : "", weight, (int)term.length, term.event);
        else
            sqlite3_str_appendf(left, " %.*s", (int)term.length, term.event);
    }
    return known;
}

/* Events that KCachegrind is to compute: sums of what is there. Of the cycle estimate, as much as there is. */
static int write_formulas(struct callgrind *c)
{
    sqlite3_stmt *row = tp_query(
        c->profile, sqlite3_mprintf("SELECT name, formula, long_name FROM events WHERE derived"), c->err);
    const char *names[TP_MAX_CHOICE];
    char *kept[TP_MAX_CHOICE];
    size_t count = 0, chosen;
    int more = row ? 0 : -1;

    for (; count < c->choice.count; count++)
        names[count] = c->choice.event[count]->name;
    chosen = count;
    while (row && (more = tp_row(c->profile, row, c->err)) == 1 && count < TP_MAX_CHOICE) {
        const char *name = tp_text(row, 0);
        sqlite3_str *sum = sqlite3_str_new(NULL), *left = sqlite3_str_new(NULL);
        size_t known = known_terms(tp_text(row, 1), names, count, sum, left);
        bool whole = sqlite3_str_length(left) == 0;
        if (known > 1 && !has_name(names, chosen, name, strlen(name)) && (whole || strcmp(name, "CEst") == 0)) {
            fprintf(c->out, "event: %s = %s : ", name, sqlite3_str_value(sum));
            tp_write_clean(c->out, tp_text(row, 2), "");
            fprintf(c->out, "%s%s\n", whole ? "" : ", without", whole ? "" : sqlite3_str_value(left));
            kept[count] = sqlite3_mprintf("%s", name);
            names[count] = kept[count] ? kept[count] : "";
            count++;
        }
        sqlite3_free(sqlite3_str_finish(sum));
        sqlite3_free(sqlite3_str_finish(left));
    }
    while (count > chosen)
        sqlite3_free(kept[--count]);
    sqlite3_finalize(row);
    return more < 0 ? -1 : 0;
}

static int callgrind_write_header(struct callgrind *c)
{
    fputs("# callgrind format\nversion: 1\ncreator: tenure-" TENURE_VERSION "\n", c->out);
    tp_write_header(c->profile, c->out, "pid", "pid");
    write_command(c);
    fputs("part: 1\n\n", c->out);
    tp_write_descriptions(c->profile, c->out);
    if (c->left_out) {
        fprintf(c->out, "desc: Left out (KCachegrind takes %d events):", KCACHEGRIND_EVENTS);
        for (size_t i = 0; i < c->left_out; i++)
            fprintf(c->out, " %s", c->choice.event[c->choice.count + i]->name);
        putc('\n', c->out);
    }
    fprintf(c->out, "\npositions:%s line\n", c->instructions ? " instr" : "");
    for (size_t i = 0; i < c->choice.count; i++) {
        fputs("event: ", c->out);
        write_event_name(c->out, c->choice.event[i]);
        fputs(" : ", c->out);
        tp_write_clean(c->out, c->choice.event[i]->long_name, "");
        putc('\n', c->out);
    }
    if (write_formulas(c))
        return -1;
    fputs("events:", c->out);
    for (size_t i = 0; i < c->choice.count; i++) {
        putc(' ', c->out);
        write_event_name(c->out, c->choice.event[i]);
    }
    putc('\n', c->out);
    char *sql = tp_select_events(c->profile, "1", &c->choice, NULL, "FROM totals");
    sqlite3_stmt *row = tp_query(c->profile, sql, c->err);
    int more = row ? tp_row(c->profile, row, c->err) : -1;
    fputs("summary:", c->out);
    for (size_t i = 0; more == 1 && i < c->choice.count; i++)
        fprintf(c->out, " %lld", incl_cost(c, i, row, (int)i + 1));
    fputs("\n\n", c->out);
    sqlite3_finalize(row);
    return more < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ body */

/* Columns of lines and instructions: function_id, file_id, line, address, events.
 * Of arcs: caller_id, site's file_id, line, address, calls, callee's id, object_id, file_id, line, address, events. */
enum { ARC_CALLS = 4, CALLEE_ID, CALLEE_OBJECT, CALLEE_FILE, CALLEE_LINE, CALLEE_ADDRESS, ARC_EVENTS };
enum { LINE_EVENTS = 4 };

static int open_body(struct callgrind *c)
{
    c->functions = tp_query(
        c->profile, sqlite3_mprintf("SELECT id, object_id, file_id FROM t_functions ORDER BY id"), c->err);
    c->lines = tp_query(c->profile,
                        c->instructions
                            ? tp_select_events(c->profile, "function_id, file_id, line, address", &c->choice, NULL,
                                            "FROM instructions ORDER BY function_id, file_id, line, address")
                            : tp_select_events(c->profile, "function_id, file_id, line, 0", &c->choice, NULL,
                                            "FROM lines ORDER BY function_id, file_id, line"),
                        c->err);
    c->arcs = tp_query(
        c->profile,
        tp_select_events(
            c->profile,
            "a.caller_id, a.file_id, a.line, a.address, a.calls, a.callee_id, f.object, f.file, f.line, "
            "f.address",
            NULL, &c->choice,
            "FROM arcs a JOIN (SELECT id, object_id AS object, file_id AS file, line, address "
            "FROM t_functions) f ON f.id = a.callee_id "
            "WHERE a.caller_id IS NOT NULL ORDER BY a.caller_id, a.file_id, a.line, a.id"),
        c->err);
    if (!c->functions || !c->lines || !c->arcs)
        return -1;
    c->lines_more = tp_row(c->profile, c->lines, c->err);
    c->arcs_more = tp_row(c->profile, c->arcs, c->err);
    return c->lines_more < 0 || c->arcs_more < 0 ? -1 : 0;
}

static void write_position(struct callgrind *c, uint64_t address, int64_t line)
{
    if (c->instructions)
        fprintf(c->out, "0x%llx ", (unsigned long long)address);
    fprintf(c->out, "%lld", (long long)line);
}

/* fe= goes back to the function's own file, fi= to another. */
static int change_file(struct callgrind *c, int64_t file, int64_t own)
{
    if (file == c->file)
        return 0;
    c->file = file;
    return write_name(c, file == own ? "fe" : "fi", FILE_, file);
}

static int callgrind_write_lines(struct callgrind *c, int64_t function, int64_t own)
{
    while (c->lines_more == 1 && sqlite3_column_int64(c->lines, 0) <= function) {
        if (change_file(c, sqlite3_column_int64(c->lines, 1), own))
            return -1;
        write_position(c, (uint64_t)sqlite3_column_int64(c->lines, 3), sqlite3_column_int64(c->lines, 2));
        for (size_t i = 0; i < c->choice.count; i++)
            fprintf(c->out, " %lld", tp_self_cost(&c->sums, &c->choice, i, c->lines, LINE_EVENTS + (int)i));
        putc('\n', c->out);
        c->lines_more = tp_row(c->profile, c->lines, c->err);
    }
    return c->lines_more < 0 ? -1 : 0;
}

static int write_calls(struct callgrind *c, int64_t function, int64_t own)
{
    sqlite3_stmt *arc = c->arcs;

    while (c->arcs_more == 1 && sqlite3_column_int64(arc, 0) <= function) {
        if (change_file(c, sqlite3_column_int64(arc, 1), own) ||
            write_name(c, "cob", OBJECT, sqlite3_column_int64(arc, CALLEE_OBJECT)) ||
            write_name(c, "cfi", FILE_, sqlite3_column_int64(arc, CALLEE_FILE)) ||
            write_name(c, "cfn", FUNCTION, sqlite3_column_int64(arc, CALLEE_ID)))
            return -1;
        fprintf(c->out, "calls=%lld ", (long long)sqlite3_column_int64(arc, ARC_CALLS));
        write_position(c, (uint64_t)sqlite3_column_int64(arc, CALLEE_ADDRESS), sqlite3_column_int64(arc, CALLEE_LINE));
        putc('\n', c->out);
        write_position(c, (uint64_t)sqlite3_column_int64(arc, 3), sqlite3_column_int64(arc, 2));
        for (size_t i = 0; i < c->choice.count; i++)
            fprintf(c->out, " %lld", incl_cost(c, i, arc, ARC_EVENTS + (int)i));
        putc('\n', c->out);
        c->arcs_more = tp_row(c->profile, arc, c->err);
    }
    return c->arcs_more < 0 ? -1 : 0;
}

static int callgrind_write_body(struct callgrind *c)
{
    int more;

    while ((more = tp_row(c->profile, c->functions, c->err)) == 1) {
        int64_t function = sqlite3_column_int64(c->functions, 0), own = sqlite3_column_int64(c->functions, 2);
        c->file = own;
        if (write_name(c, "ob", OBJECT, sqlite3_column_int64(c->functions, 1)) ||
            write_name(c, "fl", FILE_, own) || write_name(c, "fn", FUNCTION, function) ||
            callgrind_write_lines(c, function, own) || write_calls(c, function, own))
            return -1;
        putc('\n', c->out);
    }
    return more;
}

int tp_export_callgrind(tp_profile *profile, FILE *out, const struct tp_export_options *options,
                        struct tp_error *err)
{
    struct callgrind *c = calloc(1, sizeof *c);

    if (!c)
        return TP_NO_MEMORY(err);
    *c = (struct callgrind){.profile = profile,
                            .out = out,
                            .err = err,
                            .instructions = options->instructions,
                            .mangled = options->mangled};
    int failed = callgrind_choose(c, options->events) || open_names(c) || open_body(c) || callgrind_write_header(c) ||
                 callgrind_write_body(c);
    if (!failed) {
        tp_write_sums(out, "totals", &c->sums, &c->choice);
        failed = tp_written(out, err);
    }
    sqlite3_finalize(c->functions);
    sqlite3_finalize(c->lines);
    sqlite3_finalize(c->arcs);
    for (int kind = 0; kind < 3; kind++) {
        sqlite3_finalize(c->name[kind].by_id);
        free(c->name[kind].known);
    }
    free(c->ambiguous);
    free(c);
    return failed ? -1 : 0;
}
