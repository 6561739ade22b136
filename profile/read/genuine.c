/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * genuine.c: whether the tables and views of a file are those of a profile.
 *
 * A table's text follows from the events that are stored, and is compared as a whole. So is a view's, but for the sums
 * of events in its middle: these may have been written as a raw profile or an imported file said, and are only looked
 * through for anything else than sums. Tables, views and indices of other names are a user's own business; virtual
 * tables and triggers are not.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/json.h"
#include "profile/base/row.h"
#include "profile/base/sound.h"
#include "profile/read/opened.h"
#include "profile/store/store.h"

/* Whether a text is a list of sums of columns, as view_events writes it. */
static bool is_sums(const char *text, const char *end)
{
    static const char *const words[] = {"t", "coalesce", "CASE", "WHEN", "IS", "NOT", "NULL", "THEN", "END", "AS"};
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

    while (text < end) {
        size_t length = strspn(text, letters), i = 0;
        if (!length && *text == '"')
            length = 2 + strcspn(text + 1, "\"");
        else if (!length)
            length = strspn(text, " ,.()+*0123456789");
        else
            while (i < sizeof words / sizeof *words &&
                   (strlen(words[i]) != length || strncmp(text, words[i], length) != 0))
                i++;
        if (!length || i == sizeof words / sizeof *words)
            return false;
        text += length;
    }
    return text == end;
}

static bool is_view(const struct tp_view *view, const char *sql)
{
    char *head = sqlite3_mprintf("CREATE VIEW %s AS SELECT %s", view->name, view->columns);
    size_t length = strlen(sql), begin = head ? strlen(head) : 0;
    bool good = false;

    if (head && strncmp(sql, head, begin) == 0) {
        for (int one = 0; one < 2 && !good; one++) {
            const char *from = tp_schema_source(view, one), *at = sql + length - strlen(from) - 6;
            good = length >= begin + strlen(from) + 6 && strncmp(at, " FROM ", 6) == 0 && strcmp(at + 6, from) == 0 &&
                   is_sums(sql + begin, at);
        }
    }
    sqlite3_free(head);
    return good;
}

static const char *event_of_profile(const void *user, size_t i)
{
    return i < tp_event_count(user) ? tp_event_at(user, i)->name : NULL;
}

static bool is_text(sqlite3_str *expected, const char *sql)
{
    char *text = sqlite3_str_finish(expected);
    bool same = text && strcmp(text, sql) == 0;

    sqlite3_free(text);
    return same;
}

/* Of a name that is none of ours: true. `found`: of ours, those that are there. */
static bool is_good_table(const char *name, const char *sql, const struct tp_events *events, size_t *found)
{
    size_t count;
    const struct tp_table *table = tp_schema_tables(&count);

    for (size_t i = 0; i < count; i++) {
        if (sqlite3_stricmp(table[i].name, name) != 0)
            continue;
        sqlite3_str *expected = sqlite3_str_new(NULL);
        tp_schema_table(expected, &table[i], events);
        ++*found;
        return is_text(expected, sql);
    }
    return true;
}

static bool is_good_view(const tp_profile *profile, const char *name, const char *sql, size_t *found)
{
    size_t count;
    const struct tp_view *view = tp_schema_views(&count);

    if (sqlite3_stricmp(name, "balance") == 0) {
        sqlite3_str *expected = sqlite3_str_new(NULL);
        tp_schema_balance(expected, event_of_profile, profile);
        return is_text(expected, sql);
    }
    for (size_t i = 0; i < count; i++) {
        if (sqlite3_stricmp(view[i].name, name) != 0)
            continue;
        ++*found;
        return is_view(&view[i], sql);
    }
    return true;
}

/* Units of events are words of Tenure's, and printed as they are. */
static bool is_shown(const char *text)
{
    size_t n = 1;

    for (; *text && n; text += n)
        n = tp_shown(text);
    return n > 0;
}

/* The events that are stored, since the text of a table follows from them. The derived ones are added to a list of
 * their own, which nobody needs, because adding refuses what no list of events has: a name that no column can have, one
 * name twice, too many events. */
static int genuine_events(tp_profile *profile, struct tp_events *events, struct tp_error *err)
{
    struct tp_events derived = {0};

    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        if (!is_shown(event->unit) ||
            tp_events_add(event->derived ? &derived : events, event->name, event->long_name, event->real))
            return tp_damaged(profile->path, "its list of events is not as Tenure writes it", err);
    }
    return 0;
}

struct check {
    tp_profile *profile;
    struct tp_events events;
    size_t tables, views; /* those of ours that are there */
    struct tp_error *err;
};

static int check_row(void *user, sqlite3_stmt *row)
{
    struct check *c = user;
    const char *type = tp_text_or_null(row, 0), *name = tp_text_or_null(row, 1);
    const char *sql = tp_text_or_null(row, 2);
    bool virtual = sqlite3_column_int64(row, 3) <= 0, good = type && name && sql;
    char what[160];

    if (good && strcmp(type, "table") == 0) /* what ANALYZE leaves changes how SQLite reads, and may be false */
        good = !virtual && sqlite3_strnicmp(name, "sqlite_stat", 11) != 0 &&
               is_good_table(name, sql, &c->events, &c->tables);
    else if (good)
        good = strcmp(type, "view") == 0 && is_good_view(c->profile, name, sql, &c->views);
    if (good)
        return 0;
    snprintf(what, sizeof what, "%s %s is not as Tenure writes it", type ? type : "?", name ? name : "?");
    return tp_damaged(c->profile->path, what, c->err);
}

int tp_genuine(tp_profile *profile, struct tp_error *err)
{
    static const char all[] = "SELECT type, name, sql, rootpage FROM sqlite_schema WHERE type <> 'index'";
    struct check check = {.profile = profile, .err = err};
    size_t tables, views;
    int failed = genuine_events(profile, &check.events, err) ||
                 tp_each(profile, sqlite3_mprintf("%s", all), check_row, &check, err);

    tp_schema_tables(&tables);
    tp_schema_views(&views);
    if (!failed && (check.tables != tables || check.views != views))
        failed = tp_damaged(profile->path, "a table or view of it is missing", err);
    return failed ? -1 : 0;
}
