/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_cachegrind.c: Cachegrind's profile format, for cg_annotate, cg_diff and cg_merge.
 *
 *     desc: ...                      any number
 *     cmd: ...
 *     events: Ir I1mr ...
 *     fl=FILE
 *     fn=FUNCTION
 *     LINE COUNT COUNT ...
 *     summary: COUNT COUNT ...       the sums of all lines
 *
 * Lines are grouped by file, then function: code that was inlined from another file stands below that file, under the
 * function that it was inlined into. The format knows no calls, objects or threads. An event that cannot occur is
 * written 0: Cachegrind's newer tools take numbers only.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/formats/export.h"

/* What Cachegrind has, in its order, and behind it the use of lines. */
static const char *const usual[] = {"Ir",   "I1mr", "ILmr", "Dr",  "D1mr",    "DLmr",    "Dw",      "D1mw",    "DLmw",
                                    "Bc",   "Bcm",  "Bi",   "Bim", "AcCost1", "SpLoss1", "AcCostL", "SpLossL"};

struct cachegrind {
    tp_profile *profile;
    FILE *out;
    struct tp_choice choice;
    struct tp_sums sums;
    char *file, *function; /* of the lines at hand */
};

/* Those of the usual events that the profile has; of a profile that has none of them, all. */
static int cachegrind_choose(struct cachegrind *c, const char *list, struct tp_error *err)
{
    if (list)
        return tp_choose(c->profile, list, &c->choice, err);
    tp_choose_usual(c->profile, usual, sizeof usual / sizeof *usual, &c->choice);
    for (size_t i = 0; !tp_event_find(c->profile, "Ir") && i < tp_event_count(c->profile); i++) {
        const struct tp_event *event = tp_event_at(c->profile, i);
        bool listed = event->derived;
        for (size_t k = 0; k < c->choice.count && !listed; k++)
            listed = c->choice.event[k] == event;
        if (!listed && c->choice.count < TP_MAX_CHOICE)
            c->choice.event[c->choice.count++] = event;
    }
    return 0;
}

/* Take over `text` into `*known`; whether it was another. */
static bool changes(char **known, const char *text)
{
    text = text ? text : "???";
    if (*known && strcmp(*known, text) == 0)
        return false;
    free(*known);
    *known = strdup(text);
    return true;
}

static void cachegrind_write_name(struct cachegrind *c, const char *tag, const char *name)
{
    fputs(tag, c->out);
    tp_write_clean(c->out, name, "");
    putc('\n', c->out);
}

static int write_line(void *user, sqlite3_stmt *row)
{
    struct cachegrind *c = user;
    enum { FILE_NAME, FUNCTION, LINE, EVENTS };
    bool other_file = changes(&c->file, tp_text_or_null(row, FILE_NAME));
    bool other = changes(&c->function, tp_text_or_null(row, FUNCTION)) || other_file;

    if (!c->file || !c->function)
        return 1;
    if (other_file)
        cachegrind_write_name(c, "fl=", c->file);
    if (other)
        cachegrind_write_name(c, "fn=", c->function);
    fprintf(c->out, "%lld", (long long)sqlite3_column_int64(row, LINE));
    for (size_t i = 0; i < c->choice.count; i++)
        fprintf(c->out, " %lld", tp_self_cost(&c->sums, &c->choice, i, row, EVENTS + (int)i));
    putc('\n', c->out);
    return 0;
}

int tp_export_cachegrind(tp_profile *profile, FILE *out, const struct tp_export_options *options,
                         struct tp_error *err)
{
    struct cachegrind *c = calloc(1, sizeof *c);

    if (!c)
        return TP_NO_MEMORY(err);
    c->profile = profile;
    c->out = out;
    int failed = cachegrind_choose(c, options->events, err);
    if (!failed) {
        tp_write_descriptions(profile, out);
        fputs("cmd: ", out);
        tp_write_clean(out, tp_meta(profile, "cmd"), "");
        fputs("\nevents:", out);
        char plain[TP_PLAIN_NAME];
        for (size_t i = 0; i < c->choice.count; i++)
            fprintf(out, " %s", tp_plain_name(c->choice.event[i], plain));
        putc('\n', out);
        /* Sums of real events make up what rounding owes here, too: the summary is what the lines add up to. */
        char *from = sqlite3_mprintf("FROM lines l JOIN (SELECT id AS n_id, %s AS n_name FROM t_functions) n "
                                     "ON n.n_id = l.function_id ORDER BY l.file, n_name, l.line",
                                     options->mangled ? "coalesce(symbol, function)" : "function");
        char *sql = from ? tp_select_events(profile, "l.file, n_name, l.line", &c->choice, NULL, from) : NULL;
        sqlite3_free(from);
        failed = tp_each(profile, sql, write_line, c, err);
    }
    if (!failed) {
        tp_write_sums(out, "summary", &c->sums, &c->choice);
        failed = tp_written(out, err);
    }
    free(c->file);
    free(c->function);
    free(c);
    return failed ? -1 : 0;
}
