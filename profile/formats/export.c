/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.c: what the exporters share, and the small formats: comma-separated values, JSON, OpenMetrics.
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
#include <strings.h>

#include "profile/base/error.h"
#include "profile/base/mem.h"
#include "profile/base/row.h"
#include "profile/base/sound.h"
#include "profile/read/formula.h"
#include "profile/read/margin.h"
#include "profile/store/store.h"

/* An event, or a formula that counts something as they do, "LLm@2M". */
static const struct tp_event *choice_find(const tp_profile *profile, const char *name)
{
    const struct tp_event *event = tp_event_find(profile, name);
    const struct tp_formula *formula = event ? NULL : tp_formula_find(profile, name);

    return formula && formula->counts ? &formula->event : event;
}

/* NULL: it is a column of views. */
static const struct tp_formula *formula_of(const tp_profile *profile, const struct tp_event *event)
{
    return tp_event_find(profile, event->name) ? NULL : tp_formula_find(profile, event->name);
}

int tp_choose(tp_profile *profile, const char *list, struct tp_choice *choice, struct tp_error *err)
{
    choice->count = 0;
    for (list += strspn(list, ", "); *list; list += strspn(list, ", ")) {
        char name[64], known[768] = "";
        size_t length = strcspn(list, ", "), n = 0;
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
        list += length;
        if (strcmp(name, "all") == 0) {
            for (size_t i = 0; i < tp_event_count(profile) && choice->count < TP_MAX_CHOICE; i++)
                choice->event[choice->count++] = tp_event_at(profile, i);
            continue;
        }
        const struct tp_event *event = choice_find(profile, name);
        for (size_t i = 0; !event && i < tp_event_count(profile) && n < sizeof known; i++)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? " " : "", tp_event_at(profile, i)->name);
        if (!event)
            return TP_FAIL(err, "%s: no event '%s' in this profile; it has: %s", tp_path(profile), name, known);
        if (choice->count == TP_MAX_CHOICE)
            return TP_FAIL(err, "more than %d events asked for", TP_MAX_CHOICE);
        choice->event[choice->count++] = event;
    }
    return choice->count ? 0 : TP_FAIL(err, "an empty list of events");
}

void tp_choose_usual(tp_profile *profile, const char *const *names, size_t count, struct tp_choice *choice)
{
    for (size_t i = 0; i < count; i++) {
        const struct tp_event *event = tp_event_find(profile, names[i]);
        if (event)
            choice->event[choice->count++] = event;
    }
}

static void append_event(tp_profile *profile, sqlite3_str *sql, const struct tp_event *event, bool inclusive)
{
    const struct tp_formula *formula = formula_of(profile, event);
    char expression[TP_FORMULA_TERMS * 64];

    if (formula && tp_formula_sql(profile, formula, inclusive, expression, sizeof expression))
        sqlite3_str_appendf(sql, "CAST(%s AS INTEGER) AS ", expression);
    sqlite3_str_appendf(sql, "\"%w%s\"", event->name, inclusive ? "_incl" : "");
}

char *tp_select_events(tp_profile *profile, const char *columns, const struct tp_choice *self,
                       const struct tp_choice *incl, const char *rest)
{
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));
    const char *comma = *columns ? ", " : "";

    sqlite3_str_appendf(sql, "SELECT %s", columns);
    for (size_t i = 0; self && i < self->count; i++, comma = ", ") {
        sqlite3_str_appendall(sql, comma);
        append_event(profile, sql, self->event[i], false);
    }
    for (size_t i = 0; incl && i < incl->count; i++, comma = ", ") {
        sqlite3_str_appendall(sql, comma);
        append_event(profile, sql, incl->event[i], true);
    }
    sqlite3_str_appendf(sql, " %s", rest);
    return sqlite3_str_finish(sql);
}

const char *tp_plain_name(const struct tp_event *event, char out[TP_PLAIN_NAME])
{
    snprintf(out, TP_PLAIN_NAME, "%s", event->name);
    for (char *at = out; (at = strchr(at, '@')) != NULL;)
        *at = '_';
    return out;
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
    sums->sum[i] = tp_add(sums->sum[i], value);
    return value;
}

int64_t tp_add(int64_t a, int64_t b)
{
    int64_t sum;

    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

void tp_write_sums(FILE *out, const char *tag, const struct tp_sums *sums, const struct tp_choice *choice)
{
    fprintf(out, "%s:", tag);
    for (size_t i = 0; i < choice->count; i++)
        fprintf(out, " %lld", sums->sum[i]);
    putc('\n', out);
}

void tp_write_header(tp_profile *profile, FILE *out, const char *tag, const char *key)
{
    if (!tp_meta(profile, key))
        return;
    fprintf(out, "%s: ", tag);
    tp_write_clean(out, tp_meta(profile, key), "");
    putc('\n', out);
}

/* These formats have no place for margins but here: those of totals. */
static void write_margins(tp_profile *profile, FILE *out)
{
    static const char *const events[] = {"L1m", "LLm", "SpLossD1"};
    const char *before = "desc: Totals may be off by (95 %) ";

    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct tp_margin *margin = NULL;
        struct tp_figure off = {0, false};
        struct tp_error err;
        double total;
        if (tp_event_find(profile, events[i]))
            margin = tp_margin_new(profile, TP_SAMPLED_TOTALS, NULL, events[i], false, &err);
        if (!margin)
            continue;
        char *sql = sqlite3_mprintf("SELECT \"%w\" FROM totals", events[i]);
        if (tp_number(profile, sql, 0, &total, &err) == 0 && total > 0 &&
            tp_margin_at(margin, 0, &off, &err) == 0 && off.known) {
            fprintf(out, "%s%s: %.1f %%", before, events[i], 100 * off.value / total);
            before = ", ";
        }
        tp_margin_free(margin);
    }
    if (*before == ',')
        fputs("; `tenure report` has margins of functions, lines, calls and data\n", out);
}

void tp_write_descriptions(tp_profile *profile, FILE *out)
{
    static const char *const levels[] = {"I1", "D1", "L2", "LL"};
    char key[32];

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        unsigned long long size, ways, line;
        char policy[8] = "";
        snprintf(key, sizeof key, "cache.%s", levels[i]);
        if (tp_meta(profile, key) &&
            sscanf(tp_meta(profile, key), "%llu,%llu,%llu,%7[a-z]", &size, &ways, &line, policy) >= 3)
            fprintf(out, "desc: %s cache: %llu B, %llu B, %llu-way associative%s%s\n", levels[i], size, line, ways,
                    *policy ? ", " : "", policy);
    }
    if (tp_sample(profile) > 1) {
        tp_write_header(profile, out, "desc: Estimated from one set of the caches in", "sample");
        write_margins(profile, out);
    }
    tp_write_header(profile, out, "desc: Baseline", "diff.baseline"); /* of a difference */
    tp_write_header(profile, out, "desc: New", "diff.new");
    for (unsigned i = 1; snprintf(key, sizeof key, "import.desc.%u", i) > 0 && tp_meta(profile, key); i++)
        tp_write_header(profile, out, "desc", key);
}

char *tp_descriptions(tp_profile *profile)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out)
        tp_write_descriptions(profile, out);
    if (!out || fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

size_t tp_clean_next(const char **text, const char *also, char *out)
{
    size_t n = tp_utf8(*text, strnlen(*text, 4)), length = 0;
    bool escaped = !n || strchr(also, **text) || tp_control(*text);

    for (n += !n; n; n--, ++*text) {
        if (escaped)
            length += (size_t)snprintf(out + length, TP_CLEAN_ROOM - length, "\\x%02x", (unsigned char)**text);
        else
            out[length++] = **text;
    }
    return length;
}

void tp_write_clean(FILE *out, const char *text, const char *also)
{
    char clean[TP_CLEAN_ROOM];

    for (text = text ? text : "???"; *text;)
        fwrite(clean, 1, tp_clean_next(&text, also, clean), out);
}

int tp_written(FILE *out, struct tp_error *err)
{
    errno = 0;
    if (fflush(out) || ferror(out))
        return TP_FAIL(err, "%s", errno ? strerror(errno) : "output error");
    return tp_sound(err);
}

/* ------------------------------------------------------------------------------------------ CSV */

/* A table or view (RFC 4180): a header row, lines end in CR LF, NULL is an empty field. A choice of events leaves the
 * other events' columns out and all other columns in. */

/* Whether a table or view is one of a profile's. A view of another name is a stranger's, and may never end. */
static bool csv_has_table(const char *name)
{
    size_t tables, views;
    const struct tp_table *table = tp_schema_tables(&tables);
    const struct tp_view *view = tp_schema_views(&views);
    bool has = strcasecmp(name, "balance") == 0;

    for (size_t i = 0; i < tables; i++)
        has |= strcasecmp(name, table[i].name) == 0;
    for (size_t i = 0; i < views; i++)
        has |= strcasecmp(name, view[i].name) == 0;
    return has;
}

/* Whether a column is of a chosen event, self or inclusive, or of none. */
static bool csv_has_column(const tp_profile *profile, const struct tp_choice *choice, const char *column)
{
    const struct tp_event *event = NULL;

    for (size_t i = 0; i < tp_event_count(profile) && !event; i++) {
        size_t n = strlen(tp_event_at(profile, i)->name);
        if (strncasecmp(column, tp_event_at(profile, i)->name, n) == 0 &&
            (!column[n] || strcmp(column + n, "_incl") == 0))
            event = tp_event_at(profile, i);
    }
    for (size_t i = 0; event && i < choice->count; i++) {
        if (choice->event[i] == event)
            return true;
    }
    return !event;
}

/* The chosen formulas whose events are all columns of the table, behind its columns. */
static int csv_formulas(tp_profile *profile, FILE *out, const char *table, const struct tp_choice *choice,
                        sqlite3_str *sql, struct tp_error *err)
{
    for (size_t i = 0; i < 2 * choice->count; i++) {
        const struct tp_event *event = choice->event[i / 2];
        const struct tp_formula *formula = formula_of(profile, event);
        const char *suffix = i % 2 ? "_incl" : "";
        double columns = 0, one = 1;
        for (size_t t = 0; formula && t < formula->terms && one > 0; t++, columns += one)
            if (tp_number(profile,
                          sqlite3_mprintf("SELECT count(*) FROM pragma_table_info(%Q) WHERE name = '%q%s'", table,
                                          formula->term[t].event->name, suffix),
                          0, &one, err))
                return -1;
        if (!formula || columns < (double)formula->terms)
            continue;
        sqlite3_str_appendall(sql, ", ");
        append_event(profile, sql, event, i % 2);
        fprintf(out, ",%s%s", event->name, suffix);
    }
    return 0;
}

/* SELECT of the wanted columns, and the header row with their names. */
static char *csv_query_and_header(tp_profile *profile, FILE *out, const char *table,
                              const struct tp_choice *choice, struct tp_error *err)
{
    sqlite3_stmt *columns =
        tp_query(profile, sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", csv_has_table(table) ? table : ""),
                 err);
    sqlite3_str *sql = sqlite3_str_new(tp_db(profile));
    size_t n = 0;
    int more = -1;

    while (columns && (more = tp_row(profile, columns, err)) == 1) {
        const char *name = tp_text(columns, 0);
        if (!csv_has_column(profile, choice, name))
            continue;
        sqlite3_str_appendf(sql, "%s\"%w\"", n ? ", " : "SELECT ", name);
        fputs(n++ ? "," : "", out);
        tp_write_csv_text(out, name);
    }
    sqlite3_finalize(columns);
    if (more == 0 && n)
        more = csv_formulas(profile, out, table, choice, sql, err);
    fputs(n ? "\r\n" : "", out);
    sqlite3_str_appendf(sql, " FROM \"%w\"", table);
    char *text = sqlite3_str_finish(sql);
    if (more == 0 && n)
        return text;
    if (more == 0)
        TP_FAIL(err,
                "%s: no table or view '%s'; try functions, lines, instructions, arcs, paths, inlined, "
                "statements, loops, data_objects, data_fields, totals",
                tp_path(profile), table);
    sqlite3_free(text);
    return NULL;
}

int tp_export_csv(tp_profile *profile, FILE *out, const struct tp_export_options *options,
                  struct tp_error *err)
{
    const char *table = options->table ? options->table : "functions";
    struct tp_choice choice;
    double events = 0;
    int more = -1;

    if (tp_choose(profile, options->events ? options->events : "all", &choice, err))
        return -1;
    if (options->events && tp_number(profile, sqlite3_mprintf("SELECT count(*) FROM pragma_table_info(%Q) JOIN events "
                                     "ON pragma_table_info.name IN (events.name, events.name || '_incl')", table), 0,
                  &events, err))
        return -1;
    if (options->events && events < 1 && csv_has_table(table))
        return TP_FAIL(err, "%s has no columns of events to choose from", table);
    char *sql = csv_query_and_header(profile, out, table, &choice, err);
    sqlite3_stmt *rows = sql ? tp_query(profile, sql, err) : NULL;
    while (rows && (more = tp_row(profile, rows, err)) == 1) {
        for (int i = 0; i < sqlite3_column_count(rows); i++) {
            fputs(i ? "," : "", out);
            if (sqlite3_column_type(rows, i) == SQLITE_FLOAT)
                tp_write_real(out, sqlite3_column_double(rows, i));
            else if (sqlite3_column_type(rows, i) == SQLITE_INTEGER)
                fputs(tp_text(rows, i), out);
            else
                tp_write_csv_text(out, tp_text(rows, i)); /* of NULL nothing */
        }
        fputs("\r\n", out);
    }
    sqlite3_finalize(rows);
    return more ? -1 : tp_written(out, err);
}

/* ------------------------------------------------------------------------------------------ JSON */

/* Totals, functions, calls, data structures and their fields for scripts.
 *
 *     {"format": "tenure", "version": 1,
 *      "meta": {...}, "events": [{"name": ..., "long_name": ...}, ...],
 *      "totals": {...}, "threads": [{...}], "functions": [{...}], "arcs": [{...}],
 *      "data_objects": [{...}], "data_fields": [{...}], "statements": [{...}], ...}
 *
 * Objects of functions, arcs, data structures and fields have the columns of the views, with the chosen events (fields:
 * with those that are counted by field); an event that cannot occur is null. Integers are written in full: some
 * readers keep 53 bits of them. */

static void json_value(struct tp_json *json, const char *name, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_INTEGER)
        tp_json_integer(json, name, sqlite3_column_int64(row, column));
    else if (sqlite3_column_type(row, column) == SQLITE_FLOAT)
        tp_json_real(json, name, sqlite3_column_double(row, column));
    else
        tp_json_text(json, name, tp_text_or_null(row, column));
}

static int json_member(void *user, sqlite3_stmt *row)
{
    json_value(user, tp_text(row, 0), row, 1);
    return 0;
}

struct json_rows {
    struct tp_json *json;
    const char *name; /* of each; NULL in an array */
};

static int json_object(void *user, sqlite3_stmt *row)
{
    const struct json_rows *rows = user;

    tp_json_begin(rows->json, rows->name, '{', ", ");
    for (int i = 0; i < sqlite3_column_count(row); i++)
        json_value(rows->json, tp_column_name(row, i), row, i);
    tp_json_end(rows->json);
    return 0;
}

/* The events of `from` that threads have: what was recorded, nothing derived; or those that are told apart by field. */
static void json_choose(struct tp_choice *to, const struct tp_choice *from, bool by_field)
{
    static const char known[] = " D1mr D1mw DLmr DLmw UseD1 SpLossD1 UseL SpLossL ";
    char name[64];

    to->count = 0;
    for (size_t i = 0; i < from->count; i++) {
        snprintf(name, sizeof name, " %s ", from->event[i]->name);
        if (by_field ? strstr(known, name) != NULL : !from->event[i]->derived)
            to->event[to->count++] = from->event[i];
    }
}

/* SQL: the profile's events, and behind them the chosen formulas. */
static char *json_events(const tp_profile *profile, const struct tp_choice *choice)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendall(sql, "FROM (SELECT name, long_name, derived, formula, rowid AS number FROM events");
    for (size_t i = 0; i < choice->count; i++) {
        const struct tp_event *event = choice->event[i];
        if (formula_of(profile, event))
            sqlite3_str_appendf(sql, " UNION ALL SELECT %Q, %Q, 1, %Q, %d", event->name, event->long_name,
                                event->formula, 1000000 + (int)i);
    }
    sqlite3_str_appendall(sql, ") ORDER BY number");
    return sqlite3_str_finish(sql);
}

int tp_export_json(tp_profile *profile, FILE *out, const struct tp_export_options *options,
                   struct tp_error *err)
{
    struct tp_choice choice, recorded, by_field;

    if (tp_choose(profile, options->events ? options->events : "all", &choice, err))
        return -1;
    json_choose(&recorded, &choice, false);
    json_choose(&by_field, &choice, true);
    char *events = json_events(profile, &choice);
    if (!events)
        return TP_NO_MEMORY(err);
    const struct {
        const char *name, *columns;
        const struct tp_choice *self, *incl;
        const char *from;
    } lists[] = {
        {"events", "name, long_name, derived, formula", NULL, NULL, events},
        {"totals", "", &choice, NULL, "FROM totals LIMIT 1"},
        {"threads", "id, os_id, parent", &recorded, NULL, "FROM threads ORDER BY id"},
        {"functions", "id, function, base, context, object, file, line, calls", &choice, &choice,
         "FROM functions ORDER BY id"},
        {"arcs", "caller_id, callee_id, caller, callee, calls, file, line", NULL, &choice, "FROM arcs ORDER BY id"},
        {"data_objects",
         "id, name, kind, allocator, function, file, line, symbol, path, thread, address, size, blocks, freed, bytes, "
         "largest, element, type",
         &choice, NULL, "FROM data_objects ORDER BY id"},
        {"data_fields", "data_id, data, kind, field, type, offset, size", &by_field, NULL,
         "FROM data_fields ORDER BY id"},
        {"statements", "id, file, first_line, line, function, object", &choice, NULL, "FROM statements ORDER BY id"},
        {"statement_accesses", "statement_id, access, type", &choice, NULL,
         "FROM statement_accesses ORDER BY statement_id, access, type"},
        {"loops",
         "id, parent, function_id, function, inlined, file, line, last_line, depth, iterations, entries, trip_count, "
         "estimate",
         &choice, &choice, "FROM loops ORDER BY id"},
    };
    struct tp_json json = {.out = out};

    tp_json_begin(&json, NULL, '{', ", ");
    tp_json_text(&json, "format", "tenure");
    tp_json_integer(&json, "version", TP_SCHEMA_VERSION);
    json.open[0].between = ",\n"; /* of what follows each on a line of its own */
    tp_json_begin(&json, "meta", '{', ",\n  ");
    int failed = tp_each(profile, sqlite3_mprintf("SELECT key, value FROM meta ORDER BY key"), json_member, &json, err);
    tp_json_end(&json);
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !failed; i++) {
        bool array = strcmp(lists[i].name, "totals") != 0;
        struct json_rows rows = {&json, array ? NULL : lists[i].name};
        if (array)
            tp_json_begin(&json, lists[i].name, '[', ",\n  ");
        failed = tp_each(profile,
                         tp_select_events(profile, lists[i].columns, lists[i].self, lists[i].incl, lists[i].from),
                         json_object, &rows, err);
        if (array)
            tp_json_end(&json);
    }
    tp_json_end(&json);
    putc('\n', out);
    sqlite3_free(events);
    return failed ? -1 : tp_written(out, err);
}

/* ------------------------------------------------------------------------------------------ OpenMetrics */

/* Totals as text for monitoring: a family for each event, which is a counter; of a difference, where it may be below 0,
 * a gauge. What a recording is stands in the labels of tenure_profile_info. In texts \ and " have a \ before them. */

static void metrics_text(FILE *out, const char *text)
{
    char clean[TP_CLEAN_ROOM];

    while (*text) {
        size_t n = tp_clean_next(&text, "", clean);
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s%c", clean[i] == '\\' || clean[i] == '"' ? "\\" : "", clean[i]);
    }
}

/* The labels of the recording, as far as it is known. */
static void metrics_info(tp_profile *profile, FILE *out)
{
    static const char *const keys[] = {"cmd",      "host",     "pid",      "rank",   "runs",          "engine",
                                       "cache.I1", "cache.D1", "cache.L2", "cache.LL", "sample",
                                       "diff.baseline", "diff.new"};
    const char *before = "tenure_profile_info{";

    fputs(TP_METRICS_BEGIN "# HELP tenure_profile_info What was recorded\n", out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!tp_meta(profile, keys[i]))
            continue;
        fputs(before, out);
        for (const char *p = keys[i]; *p; p++)
            putc(*p == '.' ? '_' : *p, out);
        fputs("=\"", out);
        metrics_text(out, tp_meta(profile, keys[i]));
        before = "\",";
    }
    fputs(*before == '"' ? "\"} 1\n" : "tenure_profile_info 1\n", out);
}

struct metrics {
    FILE *out;
    const struct tp_event *event;
    char family[128]; /* tenure_SpLossD1_bytes */
    bool threads, signed_;
};

static int metrics_sample(void *user, sqlite3_stmt *row)
{
    const struct metrics *m = user;

    if (sqlite3_column_type(row, 1) == SQLITE_NULL) /* it cannot occur */
        return 0;
    fprintf(m->out, "%s%s", m->family, m->signed_ ? "" : "_total");
    if (m->threads)
        fprintf(m->out, "{thread=\"%lld\"}", (long long)sqlite3_column_int64(row, 0));
    putc(' ', m->out);
    if (m->event->real)
        tp_write_real(m->out, sqlite3_column_double(row, 1));
    else
        fprintf(m->out, "%lld", (long long)sqlite3_column_int64(row, 1));
    putc('\n', m->out);
    return 0;
}

int tp_export_openmetrics(tp_profile *profile, FILE *out, const struct tp_export_options *options, struct tp_error *err)
{
    struct metrics m = {.out = out, .threads = options->threads, .signed_ = tp_meta(profile, "diff.baseline")};
    struct tp_choice choice;
    int failed = tp_choose(profile, options->events ? options->events : "all", &choice, err);

    if (!failed)
        metrics_info(profile, out);
    for (size_t i = 0; i < choice.count && !failed; i++) {
        m.event = choice.event[i];
        if (m.threads && m.event->derived && !options->events)
            continue;
        if (m.threads && m.event->derived)
            return TP_FAIL(err, "%s is not kept by thread; it is made of these events: %s", m.event->name,
                           m.event->formula ? m.event->formula : "");
        /* A unit of another's profile may be any text. */
        char plain[TP_PLAIN_NAME];
        const char *unit = m.event->unit, *rest = unit + strspn(unit, "abcdefghijklmnopqrstuvwxyz");
        unit = *rest ? "" : unit;
        snprintf(m.family, sizeof m.family, "tenure_%s%s%s", tp_plain_name(m.event, plain), *unit ? "_" : "", unit);
        fprintf(out, "# TYPE %s %s\n", m.family, m.signed_ ? "gauge" : "counter");
        if (*unit)
            fprintf(out, "# UNIT %s %s\n", m.family, unit);
        fprintf(out, "# HELP %s ", m.family);
        metrics_text(out, m.event->long_name);
        putc('\n', out);
        const struct tp_choice one = {1, {m.event}};
        failed = tp_each(profile,
                         m.threads ? tp_select_events(profile, "id", &one, NULL, "FROM threads ORDER BY id")
                                   : tp_select_events(profile, "0", &one, NULL, "FROM totals LIMIT 1"),
                         metrics_sample, &m, err);
    }
    fputs("# EOF\n", out);
    return failed ? -1 : tp_written(out, err);
}
