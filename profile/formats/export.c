/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.c: what the exporters share.
 *
 * Text formats are read line by line, by scripts and by people at terminals: names from a profile may hold any
 * character, so whatever would end a line, or begin an escape sequence, is written \xNN. An exporter that fails
 * may have written a part; its caller throws that away.
 */
#include "profile/formats/export.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/sound.h"

/* "Ir, Dr, ..." for a message. */
static void list_events(const tp_profile *profile, char *text, size_t size)
{
    size_t n = 0;

    *text = '\0';
    for (size_t i = 0; i < tp_event_count(profile) && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? " " : "", tp_event_at(profile, i)->name);
}

static int choose_one(tp_profile *profile, const char *name, size_t size, struct tp_choice *choice,
                      struct tp_error *err)
{
    char copy[64], known[768];

    snprintf(copy, sizeof copy, "%.*s", (int)(size < sizeof copy ? size : sizeof copy - 1), name);
    const struct tp_event *event = tp_event_find(profile, copy);
    if (!event) {
        list_events(profile, known, sizeof known);
        return TP_FAIL(err, "%s: no event '%s' in this profile; it has: %s", tp_path(profile), copy, known);
    }
    if (choice->count == TP_MAX_CHOICE)
        return TP_FAIL(err, "more than %d events asked for", TP_MAX_CHOICE);
    choice->event[choice->count++] = event;
    return 0;
}

int tp_choose(tp_profile *profile, const char *list, struct tp_choice *choice, struct tp_error *err)
{
    choice->count = 0;
    if (strcmp(list, "all") == 0) {
        for (size_t i = 0; i < tp_event_count(profile) && i < TP_MAX_CHOICE; i++)
            choice->event[choice->count++] = tp_event_at(profile, i);
        return 0;
    }
    for (;;) {
        list += strspn(list, ", ");
        size_t size = strcspn(list, ", ");
        if (!size)
            break;
        if (choose_one(profile, list, size, choice, err))
            return -1;
        list += size;
    }
    return choice->count ? 0 : TP_FAIL(err, "an empty list of events");
}

char *tp_select_events(tp_profile *profile, const struct tp_choice *choice, const char *columns, const char *suffix,
                       const char *rest)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));

    sqlite3_str_appendf(sql, "SELECT %s", columns);
    for (size_t i = 0; i < choice->count; i++)
        sqlite3_str_appendf(sql, ", \"%w%s\"", choice->event[i]->name, suffix);
    sqlite3_str_appendf(sql, " %s", rest);
    return sqlite3_str_finish(sql);
}

/* What rounding owes is made up without turning a sign: an event that only grows is nowhere less than nothing. */
long long tp_self_cost(struct tp_sums *sums, const struct tp_choice *choice, size_t i, sqlite3_stmt *row, int column)
{
    long long value = sqlite3_column_int64(row, column);

    if (choice->event[i]->real) {
        sums->rest[i] += sqlite3_column_double(row, column);
        value = llround(sums->rest[i]);
        if ((value < 0) != (sqlite3_column_double(row, column) < 0))
            value = 0;
        sums->rest[i] -= (double)value;
    }
    if (__builtin_add_overflow(sums->sum[i], value, &sums->sum[i]))
        sums->sum[i] = value < 0 ? LLONG_MIN : LLONG_MAX; /* only in a damaged profile */
    return value;
}

static void describe_cache(tp_profile *profile, FILE *out, const char *level)
{
    unsigned long long size, ways, line;
    char key[16];

    snprintf(key, sizeof key, "cache.%s", level);
    const char *value = tp_meta(profile, key);
    if (value && sscanf(value, "%llu,%llu,%llu", &size, &ways, &line) == 3)
        fprintf(out, "desc: %s cache: %llu B, %llu B, %llu-way associative\n", level, size, line, ways);
}

/* Of a difference. */
static void describe_side(tp_profile *profile, FILE *out, const char *side, const char *key)
{
    if (!tp_meta(profile, key))
        return;
    fprintf(out, "desc: %s: ", side);
    tp_write_clean(out, tp_meta(profile, key), "");
    putc('\n', out);
}

void tp_write_descriptions(tp_profile *profile, FILE *out)
{
    static const char *const levels[] = {"I1", "D1", "L2", "LL"};
    char key[32];

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        describe_cache(profile, out, levels[i]);
    describe_side(profile, out, "Baseline", "diff.baseline");
    describe_side(profile, out, "New", "diff.new");
    for (unsigned i = 1; snprintf(key, sizeof key, "import.desc.%u", i) > 0 && tp_meta(profile, key); i++) {
        fputs("desc: ", out);
        tp_write_clean(out, tp_meta(profile, key), "");
        putc('\n', out);
    }
}

sqlite3_stmt *tp_query(tp_profile *profile, char *sql, struct tp_error *err)
{
    sqlite3_stmt *statement = NULL;

    if (!sql)
        TP_NO_MEMORY(err);
    else if (sqlite3_prepare_v2(tp_db(profile), sql, -1, &statement, NULL) != SQLITE_OK)
        tp_sql_failed(profile, "cannot read", err);
    sqlite3_free(sql);
    return statement;
}

int tp_row(tp_profile *profile, sqlite3_stmt *statement, struct tp_error *err)
{
    int code = sqlite3_step(statement);

    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : tp_sql_failed(profile, "cannot read", err);
}

void tp_write_clean(FILE *out, const char *text, const char *also)
{
    for (const char *p = text ? text : "???"; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f || strchr(also, c))
            fprintf(out, "\\x%02x", c);
        else
            putc(c, out);
    }
}

void tp_write_real(FILE *out, double value)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (!(back < value) && !(back > value))
            break;
    }
    fputs(text, out);
}

void tp_write_json_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

int tp_written(FILE *out, struct tp_error *err)
{
    errno = 0;
    if (fflush(out) || ferror(out))
        return TP_FAIL(err, "%s", errno ? strerror(errno) : "output error");
    return tp_sound(err);
}
