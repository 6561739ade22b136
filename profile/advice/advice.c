/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice.c: see advice.h.
 *
 * Each rule finds candidates; what would save less than the limit `share` of the estimated time is dropped. The same
 * line and data object may be found by several rules, as one waste has several remedies: they are kept, since each
 * says how much it would save, but the list of a kind ends after `most`.
 */
#include "profile/advice/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/advice/advice_rule.h"
#include "profile/advice/advice_try.h"
#include "profile/base/error.h"
#include "profile/base/mem.h"
#include "profile/base/row.h"
#include "profile/formats/export.h"
#include "profile/read/margin.h"

/* What a user may set. */
static const struct {
    const char *name, *unit, *words;
    double value;
} limits[] = {
    {"share", "%", "of the estimated time that a fix must save", 2},
    {"most", "", "pieces of advice of one kind", 5},
    {"spatial", "%", "spatial use below which it is poor", 60},
    {"small", "bytes", "mean size up to which a heap block is small", 64},
    {"cold", "%", "spatial use of a field below which it is cold", 25},
    {"regular", "%", "of an instruction's strides that are one, for it to be regular", 60},
    {"far", "bytes", "from which on a stride is large", 256},
    {"conflict", "%", "of the misses that are conflicts, for padding to be the remedy", 50},
    {"again", "times", "that a loop nest loads its data, for blocks to be the remedy", 2},
    {"reused", "times", "temporal use from which on lines are used enough, so that blocks are no remedy", 1},
    {"mispredicted", "%", "of a line's branches, from which on it is badly predicted", 20},
};
enum { SHARE, MOST, SPATIAL, SMALL, COLD, REGULAR, FAR };
enum { LIMITS = sizeof limits / sizeof *limits };

/* What rules may name, beside the limits. */
enum { LINE1, LINE2, LINEL, SIZE1, SIZE2, SIZEL, W1, W2, WL, WT, WC, WB, TOTAL, KINDS, WAY1, HELD, TIME, READ, SHARED,
       WRONG, NEW_PAGE, WALK, FACTS };
static const char *const fact_names[FACTS] = {"line1", "line2", "lineL", "size1", "size2", "sizeL", "w1", "w2", "wL",
                                               "wt", "wc", "wb", "total", "kinds", "way1",
                                               "held", "time", "read", "shared", "wrong", "new_page", "walk"};

/* What a rule's time is asked of. */
enum { WALKED, OBJECT, SITE, WHAT };

struct adviser {
    tp_profile *profile;
    struct tp_error *err;
    double limit[LIMITS], fact[FACTS];
    double latency[3]; /* cycles that a miss of each level takes longer than one of the level above */
    sqlite3_stmt *found, *evidence; /* inserts */
    sqlite3_stmt *times[WHAT];      /* NULL: not asked yet */
    struct tp_margin *of_function, *of_data; /* of the misses of level 1; NULL: all sets were simulated */
};

/* ------------------------------------------------------------------------------------------ limits */

static int read_limit(struct adviser *a, const char *text, size_t length)
{
    size_t name = strcspn(text, "=,");
    char *end = NULL;
    double value = name < length ? strtod(text + name + 1, &end) : 0;

    for (size_t i = 0; i < LIMITS; i++) {
        if (strlen(limits[i].name) != name || strncmp(limits[i].name, text, name) != 0)
            continue;
        if (!end || end != text + length || end == text + name + 1 || !isfinite(value) || value < 0)
            return TP_FAIL(a->err, "limits of advice: '%.*s' is no %s=NUMBER", (int)length, text,
                           limits[i].name);
        a->limit[i] = value;
        return 0;
    }
    char names[512] = "";
    for (size_t i = 0, at = 0; i < LIMITS; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", limits[i].name);
    return TP_FAIL(a->err, "limits of advice: '%.*s' is none of %s", (int)name, text, names);
}

static int read_limits(struct adviser *a, const char *text)
{
    for (size_t i = 0; i < LIMITS; i++)
        a->limit[i] = limits[i].value;
    while (text && *text) {
        size_t length = strcspn(text, ",");
        if (length && read_limit(a, text, length))
            return -1;
        text += length + (text[length] == ',');
    }
    return 0;
}

int tp_advice_limits_check(const char *text, struct tp_error *err)
{
    struct adviser a = {.err = err};

    return read_limits(&a, text);
}

/* ------------------------------------------------------------------------------------------ facts */

/* Of the three numbers of a cache, its size, ways and bytes of a line, number `which`; 0: there is no such cache. */
static double advice_of_cache(tp_profile *profile, const char *cache, int which)
{
    const char *value = tp_meta(profile, cache);

    for (; value && which > 0; which--) {
        value = strchr(value, ',');
        if (value)
            value++;
    }
    return value ? strtod(value, NULL) : 0;
}

/* The weights that CEst has in this profile, or has been given by tp_weigh. */
static void advice_read_weights(struct adviser *a)
{
    static const struct {
        const char *event;
        int fact;
    } terms[] = {{"L1m", W1}, {"L2m", W2}, {"LLm", WL}, {"Walk", WT}, {"Cm", WC}, {"Bm", WB}};
    struct tp_weighted_sum formula = {0};
    const struct tp_event *estimate = tp_event_find(a->profile, "CEst");
    bool known = estimate && estimate->formula && tp_weighted_sum_read(&formula, estimate->formula) == 0;

    for (size_t i = 0; known && i < formula.count; i++) {
        for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
            if (strcmp(formula.term[i].event, terms[t].event) == 0)
                a->fact[terms[t].fact] = (double)formula.term[i].weight;
        }
    }
}

static int read_facts(struct adviser *a)
{
    bool estimated = tp_event_find(a->profile, "CEst") != NULL;

    static const char *const caches[] = {"cache.D1", "cache.L2", "cache.LL"};

    for (int i = 0; i < 3; i++) {
        a->fact[LINE1 + i] = advice_of_cache(a->profile, caches[i], 2);
        a->fact[SIZE1 + i] = advice_of_cache(a->profile, caches[i], 0);
    }
    a->fact[WAY1] = a->fact[SIZE1] / fmax(1, advice_of_cache(a->profile, caches[0], 1));
    a->fact[KINDS] = tp_event_find(a->profile, "ConfD1") != NULL;
    a->fact[HELD] = fmax(advice_of_cache(a->profile, "tlb.D", 2), advice_of_cache(a->profile, "tlb.D", 0));
    if (!estimated)
        return 0;
    advice_read_weights(a);
    if (tp_timed(a->profile)) {
        static const char *const speeds[] = {"time.memory.read", "time.shared", "time.mispredicted", "time.page",
                                             "time.walk"};
        for (int i = 0; i < FACTS - READ; i++)
            a->fact[READ + i] = advice_of_cache(a->profile, speeds[i], 0);
        double last = advice_of_cache(a->profile, "time.LL.latency", 0);
        double first = a->fact[SIZE2] > 0 ? advice_of_cache(a->profile, "time.L2.latency", 0) : last;
        a->latency[0] = first;
        a->latency[1] = fmax(0, last - first);
        a->latency[2] = fmax(0, advice_of_cache(a->profile, "time.memory.latency", 0) - last);
        if (tp_number(a->profile, sqlite3_mprintf("SELECT Time FROM totals"), 0, &a->fact[TIME], a->err))
            return -1;
    }
    return tp_number(a->profile, sqlite3_mprintf("SELECT CEst FROM totals"), 0, &a->fact[TOTAL], a->err);
}

/* ------------------------------------------------------------------------------------------ tables */

/* `sql` as for tp_query. */
static int advice_execute(struct adviser *a, char *sql)
{
    return tp_execute(a->profile, sql, "cannot gather advice", a->err);
}

static int write_limits(struct adviser *a)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS temp.advice_limits;"
                               "CREATE TEMP TABLE advice_limits(name TEXT, value REAL, unit TEXT, words TEXT);"
                               "DROP TABLE IF EXISTS temp.advice_silent;"
                               "CREATE TEMP TABLE advice_silent(kind TEXT, record TEXT);");
    for (size_t i = 0; i < LIMITS; i++)
        sqlite3_str_appendf(sql, "INSERT INTO temp.advice_limits VALUES (%Q, %!.15g, %Q, %Q);",
                            limits[i].name, a->limit[i], limits[i].unit, limits[i].words);
    return advice_execute(a, sqlite3_str_finish(sql));
}

/* ------------------------------------------------------------------------------------------ rules */

/* A column of the rule's row by its name, or -1. */
static int advice_column_of(sqlite3_stmt *row, const char *name)
{
    int i = sqlite3_column_count(row);

    while (i-- > 0 && strcmp(tp_column_name(row, i), name) != 0)
        ;
    return i;
}

static double advice_value_of(sqlite3_stmt *row, const char *name)
{
    int i = advice_column_of(row, name);

    return i < 0 ? 0 : sqlite3_column_double(row, i);
}

static int advice_step(struct adviser *a, sqlite3_stmt *insert)
{
    bool done = sqlite3_step(insert) == SQLITE_DONE;

    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    return done ? 0 : tp_sql_failed(a->profile, "cannot keep advice", a->err);
}

/* A count, whatever the profile says. */
static int64_t advice_whole(double value)
{
    return (int64_t)fmin(9e18, fmax(0, value));
}

/* How sure it is what a rule found, 0 to 1: as the rule says, less the part of the misses that may be due to which sets
 * were simulated. */
static int confidence_of(struct adviser *a, sqlite3_stmt *row, double *out)
{
    bool of_data = advice_value_of(row, "data_id") > 0;
    struct tp_margin *margin = of_data ? a->of_data : a->of_function;
    int64_t id = (int64_t)advice_value_of(row, of_data ? "data_id" : "function_id");
    struct tp_figure off;
    double misses;

    *out = fmin(1, fmax(0, advice_value_of(row, "confidence")));
    if (!margin || id <= 0)
        return 0;
    if (tp_margin_at(margin, id, &off, a->err) ||
        tp_number(a->profile, sqlite3_mprintf("SELECT L1m FROM %s WHERE id = %lld",
                                              of_data ? "data_objects" : "functions", (long long)id),
                  0, &misses, a->err))
        return -1;
    *out *= off.known && misses > 0 ? fmax(0, 1 - off.value / misses) : 0;
    return 0;
}

/* The estimate of time, with or without that of new pages, and the latencies of the misses, of what a rule is about: a
 * site, an object, or all that is walked. */
static int time_of_row(struct adviser *a, sqlite3_stmt *row, bool pages, double *time, double *latencies)
{
    static const char *const ids[] = {"fusion", "data_id", "function_id", "loop_id", "line"};
    static const char *const froms[WHAT] = {
        "advice_objects WHERE data_id IN (SELECT data_id FROM temp.advice_fusions WHERE fusion = ?1)",
        "advice_objects WHERE data_id = ?2",
        "advice_sites WHERE data_id = ?2 AND function_id = ?3 AND ifnull(loop_id, 0) = ?4 AND line = ?5"};
    int64_t id[5];

    for (int i = 0; i < 5; i++)
        id[i] = (int64_t)advice_value_of(row, ids[i]);
    int what = id[0] ? WALKED : !id[2] ? OBJECT : SITE;
    if (!a->times[what])
        a->times[what] = tp_query(a->profile,
                                  sqlite3_mprintf("SELECT total(x.time - ?6 * d.pages * x.missesL / max(1, o.missesL)),"
                                                  " total(?7 * x.misses1 + ?8 * x.misses2 + ?9 * x.missesL)"
                                                  " FROM (SELECT * FROM temp.%s) x JOIN temp.advice_objects o"
                                                  " ON o.data_id = x.data_id JOIN t_data d ON d.id = x.data_id",
                                                  froms[what]), a->err);
    sqlite3_stmt *query = a->times[what];
    if (!query)
        return -1;
    for (int i = 0; i < 5; i++)
        sqlite3_bind_int64(query, i + 1, id[i]);
    sqlite3_bind_double(query, 6, pages ? 0 : a->fact[NEW_PAGE]);
    for (int i = 0; i < 3; i++)
        sqlite3_bind_double(query, 7 + i, a->latency[i]);
    bool found = tp_row(a->profile, query, a->err) == 1;
    *time = found ? sqlite3_column_double(query, 0) : 0;
    *latencies = found ? sqlite3_column_double(query, 1) : 0;
    sqlite3_reset(query);
    return found ? 0 : -1;
}

/* Of the time that a rule's misses take, the part that latencies have of those that would be saved; and what is left
 * takes no more than the transfer of its lines, where it is loaded ahead, of which half is hidden by instructions. */
static int time_saved(struct adviser *a, const struct tp_rule *rule, sqlite3_stmt *row, const double lines[3],
                      double *out)
{
    const double *l = a->latency;
    double time, all, saved = l[0] * lines[0] + l[1] * lines[1] + l[2] * lines[2];

    *out = advice_value_of(row, "shared") * a->fact[SHARED] + advice_value_of(row, "wrong") * a->fact[WRONG] +
           advice_value_of(row, "walks") * a->fact[WALK] * advice_value_of(row, "waited");
    if (!(saved > 0) || advice_value_of(row, "data_id") <= 0)
        return 0;
    if (time_of_row(a, row, rule->pages, &time, &all))
        return -1;
    double part = all > 0 ? fmin(1, saved / all) : 0, left = (1 - (rule->past ? part / 2 : part)) * time;
    if (rule->walks && all > 0)
        left = fmin(left, (1 - part) * all / (l[0] + l[1] + l[2]) * a->fact[READ] / 2);
    *out += time - left;
    return 0;
}

/* What a rule has found, if it is worth saying. */
static int advice_keep(struct adviser *a, const struct tp_rule *rule, sqlite3_stmt *row)
{
    static const char *const copied[] = {"function_id", "file_id", "line", "loop_id", "data_id", "other_function_id",
                                         "other_file_id", "other_line", "other_loop_id", "fusion"};
    double lines[3] = {advice_value_of(row, "lines1"), advice_value_of(row, "lines2"), advice_value_of(row, "linesL")};
    double misses = a->fact[W1] * lines[0] + a->fact[W2] * lines[1] + a->fact[WL] * lines[2];
    double cest = misses + a->fact[WC] * advice_value_of(row, "shared") + a->fact[WB] * advice_value_of(row, "wrong") +
                  a->fact[WT] * advice_value_of(row, "walks");
    bool timed = a->fact[TIME] > 0;
    double confidence, cycles = cest;
    int at = 1;

    if (!(cest > 0) || (timed && time_saved(a, rule, row, lines, &cycles)))
        return cest > 0 ? -1 : 0;
    double all = timed ? a->fact[TIME] : a->fact[TOTAL];
    if (!(cycles > 0) || 100 * cycles < a->limit[SHARE] * all || 100 * cest < a->limit[SHARE] / 4 * a->fact[TOTAL])
        return 0;
    cest += advice_value_of(row, "calls"); /* which are no reason to say anything */
    cycles += advice_value_of(row, timed ? "called" : "calls");
    if (confidence_of(a, row, &confidence))
        return -1;
    sqlite3_bind_text(a->found, at++, rule->kind, -1, SQLITE_STATIC);
    sqlite3_bind_text(a->found, at++, rule->title, -1, SQLITE_STATIC);
    sqlite3_bind_text(a->found, at++, rule->fix, -1, SQLITE_STATIC);
    sqlite3_bind_text(a->found, at++, rule->other, -1, SQLITE_STATIC);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++, at++) {
        int column = advice_column_of(row, copied[i]);
        if (column >= 0)
            sqlite3_bind_value(a->found, at, sqlite3_column_value(row, column));
    }
    sqlite3_bind_double(a->found, at++, cest);
    sqlite3_bind_double(a->found, at++, 100 * cest / a->fact[TOTAL]);
    sqlite3_bind_double(a->found, at++, cycles);
    sqlite3_bind_double(a->found, at++, 100 * cycles / all);
    sqlite3_bind_int64(a->found, at++, advice_whole(lines[0] * a->fact[LINE1]));
    sqlite3_bind_int64(a->found, at++, advice_whole(lines[2] * a->fact[LINEL]));
    sqlite3_bind_double(a->found, at, confidence);
    if (advice_step(a, a->found))
        return -1;
    int64_t id = sqlite3_last_insert_rowid(tp_db(a->profile));
    int failed = 0;
    for (int i = 0; !failed && i < TP_RULE_EVIDENCE && rule->evidence[i].key; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s_text", rule->evidence[i].key);
        int column = advice_column_of(row, rule->evidence[i].key), words = advice_column_of(row, text);
        if ((column < 0 || sqlite3_column_type(row, column) == SQLITE_NULL) &&
            (words < 0 || sqlite3_column_type(row, words) == SQLITE_NULL))
            continue;
        sqlite3_bind_int64(a->evidence, 1, id);
        sqlite3_bind_int(a->evidence, 2, i);
        sqlite3_bind_text(a->evidence, 3, rule->evidence[i].key, -1, SQLITE_STATIC);
        if (column >= 0)
            sqlite3_bind_value(a->evidence, 4, sqlite3_column_value(row, column));
        sqlite3_bind_text(a->evidence, 5, rule->evidence[i].unit, -1, SQLITE_STATIC);
        sqlite3_bind_text(a->evidence, 6, rule->evidence[i].words, -1, SQLITE_STATIC);
        if (words >= 0)
            sqlite3_bind_value(a->evidence, 7, sqlite3_column_value(row, words));
        failed = advice_step(a, a->evidence);
    }
    return failed;
}

static bool has_all(tp_profile *profile, const char *events)
{
    bool has = true;

    while (*events && has) {
        size_t length = strcspn(events, " ");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, events);
        has = tp_event_find(profile, name) != NULL;
        events += length + (events[length] == ' ');
    }
    return has;
}

static bool was_off(tp_profile *profile, const char *option)
{
    const char *value = tp_meta(profile, option);

    return value && strcmp(value, "no") == 0;
}

/* The option without which the rule says nothing of this profile. */
static const char *lacking(tp_profile *profile, const struct tp_rule *rule)
{
    bool of_use = strstr(rule->needs, "SpLoss") || strstr(rule->needs, "Use");

    if (!rule->without_data && was_off(profile, "data"))
        return was_off(profile, "inclusive") ? "--inclusive=yes" : "--data=yes";
    if ((of_use || strstr(rule->needs, "Dist")) && tp_meta(profile, "machine"))
        return "--machine in place of --also";
    return of_use && was_off(profile, "cacheuse") ? "--cacheuse=yes" : rule->record;
}

/* A rule that cannot say anything of this profile, and which recording would help. */
static int keep_silence(struct adviser *a, const struct tp_rule *rule, const char *record)
{
    if (!record)
        return 0;
    const char *whole = tp_sample(a->profile) > 1 && record == rule->record && !rule->sampled ? "--sample=1 " : "";
    return advice_execute(a, sqlite3_mprintf("INSERT INTO temp.advice_silent SELECT %Q, %Q || %Q WHERE (%s) AND NOT"
                                             " EXISTS (SELECT 1 FROM temp.advice_silent WHERE kind = %Q AND"
                                             " record = %Q || %Q)", rule->kind, whole, record,
                                             rule->if_so ? rule->if_so : "1", rule->kind, whole, record));
}

static int try_rule(struct adviser *a, const struct tp_rule *rule)
{
    const char *engine = tp_meta(a->profile, "engine");
    bool strides = tp_keeps_strides(a->profile);
    int more = 1;

    if (rule->strides == TP_STRIDES_LOST && strides)
        return 0;
    if (!has_all(a->profile, rule->needs) || (rule->strides == TP_STRIDES_KEPT && !strides) ||
        (!rule->without_data && was_off(a->profile, "data")))
        return keep_silence(a, rule, lacking(a->profile, rule));
    if (rule->turns && engine && strcmp(engine, "valgrind") == 0 && keep_silence(a, rule, "--engine=native"))
        return -1;
    sqlite3_stmt *query = tp_query(a->profile, sqlite3_mprintf("%s", rule->sql), a->err);
    if (!query)
        return -1;
    for (int p = 1; p <= sqlite3_bind_parameter_count(query); p++) {
        const char *name = sqlite3_bind_parameter_name(query, p) + 1;
        for (size_t l = 0; l < LIMITS; l++) {
            if (strcmp(limits[l].name, name) == 0)
                sqlite3_bind_double(query, p, a->limit[l]);
        }
        for (size_t f = 0; f < FACTS; f++) {
            if (strcmp(fact_names[f], name) == 0)
                sqlite3_bind_double(query, p, a->fact[f]);
        }
    }
    while ((more = tp_row(a->profile, query, a->err)) == 1) {
        if (advice_keep(a, rule, query))
            more = -1;
        if (more < 0)
            break;
    }
    sqlite3_finalize(query);
    return more < 0 ? -1 : 0;
}

static const char into_found[] =
    "INSERT INTO temp.advice_found(kind, title, fix, other, function_id, file_id, line, loop_id, data_id,"
    " other_function_id, other_file_id, other_line, other_loop_id, fusion, cest, cest_share, cycles, share, bytes,"
    " memory_bytes, confidence)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char into_evidence[] = "INSERT INTO temp.advice_found_evidence VALUES (?, ?, ?, ?, ?, ?, ?)";

static int try_rules(struct adviser *a)
{
    a->found = tp_query(a->profile, sqlite3_mprintf("%s", into_found), a->err);
    a->evidence = a->found ? tp_query(a->profile, sqlite3_mprintf("%s", into_evidence), a->err) : NULL;
    int failed = a->evidence ? 0 : -1;
    if (tp_sample(a->profile) > 1 && tp_event_find(a->profile, "L1m") && !failed) {
        a->of_function = tp_margin_new(a->profile, TP_SAMPLED_FUNCTIONS, NULL, "L1m", false, a->err);
        a->of_data = a->of_function ? tp_margin_new(a->profile, TP_SAMPLED_DATA, NULL, "L1m", false, a->err) : NULL;
        failed = a->of_data ? 0 : -1;
    }
    for (const struct tp_rule *rule = tp_rules; !failed && rule->kind; rule++)
        failed = try_rule(a, rule);
    sqlite3_finalize(a->found);
    sqlite3_finalize(a->evidence);
    for (int what = 0; what < WHAT; what++)
        sqlite3_finalize(a->times[what]);
    tp_margin_free(a->of_function);
    tp_margin_free(a->of_data);
    return failed;
}

int tp_advise(tp_profile *profile, const char *text, struct tp_error *err)
{
    struct adviser a = {.profile = profile, .err = err};

    if (read_limits(&a, text) || read_facts(&a))
        return -1;
    struct tp_advice_worth worth = {a.limit[SHARE] / 100 * a.fact[TOTAL],
                                    {a.fact[W1], a.fact[W2], a.fact[WL], a.fact[WT]},
                                    a.limit[COLD], a.limit[REGULAR], a.limit[FAR], a.fact[LINE1]};
    return tp_advice_gather(profile, &worth, err) || write_limits(&a) ||
                   tp_advice_begin(profile, err) || try_rules(&a) ||
                   tp_advice_rank(profile, (int)fmin(a.limit[MOST], 1e9), err) || tp_try_layouts(profile, err)
               ? -1
               : 0;
}
