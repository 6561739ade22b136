/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * define.c: a profile's formulas (formula.h).
 *
 * Each is a function of the open database, so that SQL and the library cannot compute it in two ways. A function's name
 * is its formula's with "formula_" before it.
 */
#include "profile/read/formula.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/base/error.h"
#include "profile/raw/events.h"
#include "profile/read/curves.h"
#include "profile/read/opened.h"

const struct tp_formula *tp_formulas(const tp_profile *profile)
{
    return profile->formulas;
}

const struct tp_formula *tp_formula_find(const tp_profile *profile, const char *name)
{
    const struct tp_formula *formula = profile->formulas;

    while (formula && strcasecmp(formula->name, name) != 0)
        formula = formula->next;
    return formula;
}

const char *tp_words_of(const tp_profile *profile, const char *base, struct tp_declared *declared)
{
    const struct tp_event *event = tp_event_find(profile, base);
    const struct tp_formula *own = tp_formula_find(profile, base);

    tp_declared_find(base, declared);
    if (own && own->counts)
        return own->meaning;
    if ((event || (own && own->meaning)) && *declared->words != '\0')
        return declared->words;
    return event && strcmp(event->long_name, event->name) != 0 ? event->long_name : "";
}

void tp_named(const tp_profile *profile, const char *name, char *out, size_t size)
{
    size_t length = strlen(name);
    bool inclusive = length > 5 && strcasecmp(name + length - 5, "_incl") == 0;
    struct tp_declared declared;
    char base[256];

    snprintf(base, sizeof base, "%.*s", (int)(inclusive ? length - 5 : length), name);
    const char *words = tp_words_of(profile, base, &declared);
    snprintf(out, size, *words ? "%s (%s)" : "%.0s%s", words, name);
}

/* An event, self or inclusive (_incl behind), or a formula. */
static const struct tp_formula *look_up(void *user, const char *name, struct tp_term *term)
{
    const tp_profile *profile = user;
    size_t length = strlen(name);
    char base[256];

    *term = (struct tp_term){tp_event_find(profile, name), false};
    if (!term->event && length > 5 && length < sizeof base && strcasecmp(name + length - 5, "_incl") == 0) {
        snprintf(base, sizeof base, "%.*s", (int)(length - 5), name);
        *term = (struct tp_term){tp_event_find(profile, base), true};
    }
    return term->event ? NULL : tp_formula_find(profile, name);
}

static void call(sqlite3_context *context, int count, sqlite3_value **argument)
{
    const struct tp_formula *formula = sqlite3_user_data(context);
    struct tp_figure term[TP_FORMULA_TERMS];

    for (int i = 0; i < count && i < TP_FORMULA_TERMS; i++)
        term[i] = (struct tp_figure){sqlite3_value_double(argument[i]),
                                     sqlite3_value_type(argument[i]) != SQLITE_NULL};
    struct tp_figure value = tp_formula_value(formula, term);
    if (value.known)
        sqlite3_result_double(context, value.value);
    else
        sqlite3_result_null(context);
}

static int define(tp_profile *profile, struct tp_formula *formula, struct tp_error *err)
{
    char name[sizeof formula->name + 16];

    snprintf(name, sizeof name, "formula_%s", formula->name);
    if (sqlite3_create_function_v2(profile->db, name, (int)formula->terms, SQLITE_UTF8 | SQLITE_DETERMINISTIC, formula,
                                   call, NULL, NULL, NULL) != SQLITE_OK)
        return tp_sql_failed(profile, "cannot define a formula", err);
    if (profile->last_formula)
        profile->last_formula->next = formula;
    else
        profile->formulas = formula;
    profile->last_formula = formula;
    return 0;
}

int tp_formula_read(tp_profile *profile, const char *definition, struct tp_formula *formula, struct tp_error *err)
{
    return tp_formula_parse(formula, definition, look_up, profile, err);
}

int tp_define(tp_profile *profile, const char *definition, struct tp_error *err)
{
    struct tp_formula *formula = tp_arena_alloc(&profile->arena, sizeof *formula);

    if (!formula)
        return TP_NO_MEMORY(err);
    if (tp_formula_read(profile, definition, formula, err))
        return -1;
    formula->title = formula->text;
    formula->unit = "";
    return define(profile, formula, err);
}

/* Every name is an event's but the one that is defined. */
static const struct tp_formula *look_up_any(void *user, const char *name, struct tp_term *term)
{
    static const struct tp_event any = {.name = "any"};
    const char *definition = user;
    size_t length = strlen(name);

    definition += strspn(definition, " ");
    bool own = strncmp(definition, name, length) == 0 && strchr(" =", definition[length]) != NULL;
    *term = (struct tp_term){own ? NULL : &any, false};
    return NULL;
}

int tp_define_check(const char *definition, struct tp_error *err)
{
    struct tp_formula *formula = calloc(1, sizeof *formula);
    int failed = formula ? tp_formula_parse(formula, definition, look_up_any, (void *)definition, err)
                         : TP_NO_MEMORY(err);

    free(formula);
    return failed;
}

int tp_define_ratios(tp_profile *profile, struct tp_error *err)
{
    struct tp_formula *formula = NULL;
    struct tp_declared ratio;

    for (size_t place = 0; tp_declared_next(TP_RATIO, &place, &ratio);) {
        char definition[sizeof ratio.name + sizeof ratio.formula];
        snprintf(definition, sizeof definition, "%s=%s", ratio.name, ratio.formula);
        formula = formula ? formula : tp_arena_alloc(&profile->arena, sizeof *formula);
        if (!formula)
            return TP_NO_MEMORY(err);
        if (tp_formula_read(profile, definition, formula, err))
            continue; /* it lacks an event, or has one of this name */
        formula->meaning = tp_arena_copy(&profile->arena, ratio.long_name, strlen(ratio.long_name));
        formula->title = tp_arena_copy(&profile->arena, ratio.title, strlen(ratio.title));
        formula->unit = ratio.unit;
        if (!formula->meaning || !formula->title)
            return TP_NO_MEMORY(err);
        if (define(profile, formula, err))
            return -1;
        formula = NULL;
    }
    return 0;
}

/* A cache below level 1: its misses, where its shape is in the meta data, the levels of its events, and one of them. */
static const struct below {
    const char *name, *misses, *meta, *levels[3], *event;
} below[] = {{"LL", "LLm", "cache.LL", {"L"}, "Dist1L"}, {"L2", "L2m", "cache.L2", {"I2", "D2"}, "Dist1D2"}};

/* The bytes of a way; 0: its misses with other sizes are not known. */
static uint64_t way_of(tp_profile *profile, const struct below *cache)
{
    const char *shape = tp_meta(profile, cache->meta);
    uint64_t size, ways;

    if (!shape || !tp_event_find(profile, cache->event) || sscanf(shape, "%" SCNu64 ",%" SCNu64, &size, &ways) != 2 ||
        ways == 0 || size > (uint64_t)1 << 50)
        return 0;
    return size / ways;
}

/* What counts with a cache of so many bytes: "LLm@2M" is `sum`, which is freed here. */
static int define_size(tp_profile *profile, const char *what, const char *words, const char *cache, uint64_t bytes,
                       sqlite3_str *sum, struct tp_error *err)
{
    struct tp_formula *formula = tp_arena_alloc(&profile->arena, sizeof *formula);
    char size[32], meaning[96];
    tp_size_text(size, sizeof size, bytes);
    snprintf(meaning, sizeof meaning, "%s if %s had %s", words, cache, size);
    const char *kept = tp_arena_copy(&profile->arena, meaning, strlen(meaning));
    char *text = sqlite3_str_finish(sum), *definition = sqlite3_mprintf("%s@%s=%s", what, size, text ? text : "");
    int failed = !formula || !kept || !text || !definition ? TP_NO_MEMORY(err) : 0;
    /* Else it lacks an event; one that is cut would be another for readers of its text. */
    if (!failed && strlen(text) < sizeof formula->text && tp_formula_read(profile, definition, formula, err) == 0) {
        formula->meaning = formula->title = kept;
        formula->unit = "";
        formula->counts = true;
        formula->event = (struct tp_event){
            .name = formula->name, .long_name = kept, .unit = "", .formula = formula->text, .derived = true};
        failed = define(profile, formula, err);
    }
    sqlite3_free(definition);
    sqlite3_free(text);
    return failed;
}

/* "LLm@2M=Dist4L" and its like. */
static int define_misses(tp_profile *profile, const struct below *cache, struct tp_error *err)
{
    uint64_t way = way_of(profile, cache);
    char words[32];

    snprintf(words, sizeof words, "misses of %s", cache->name);
    for (const struct tp_distance *first = tp_distances; way && first->name; first++) {
        sqlite3_str *sum = sqlite3_str_new(profile->db);
        for (const char *const *level = cache->levels; *level; level++)
            sqlite3_str_appendf(sum, "%s%s%s", level == cache->levels ? "" : " + ", first->name, *level);
        if (define_size(profile, cache->misses, words, "it", way * first->ways, sum, err))
            return -1;
    }
    return 0;
}

/* What CEst would be with another size of the last level: "CEst@2M=Ir + 10 * L1m + 100 * Dist4L + ...". */
int tp_define_estimates(tp_profile *profile, struct tp_error *err)
{
    const struct below *last = &below[0];
    const struct tp_event *estimate = tp_event_find(profile, "CEst");
    uint64_t way = way_of(profile, last);
    struct tp_weighted_sum sum = {0};

    /* Those with other weights are forgotten. */
    for (struct tp_formula **at = &profile->formulas; *at;) {
        if (strncmp((*at)->name, "CEst@", 5) == 0)
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
    profile->last_formula = profile->formulas;
    while (profile->last_formula && profile->last_formula->next)
        profile->last_formula = profile->last_formula->next;
    if (!way || !estimate || !estimate->formula || tp_weighted_sum_read(&sum, estimate->formula))
        return 0;
    for (const struct tp_distance *first = tp_distances; first->name; first++) {
        sqlite3_str *text = sqlite3_str_new(profile->db);
        for (size_t i = 0; i < sum.count; i++) {
            bool misses = strcmp(sum.term[i].event, last->misses) == 0;
            sqlite3_str_appendall(text, i ? " + " : "");
            if (sum.term[i].weight != 1)
                sqlite3_str_appendf(text, "%d * ", (int)sum.term[i].weight);
            sqlite3_str_appendf(text, "%s%s", misses ? first->name : sum.term[i].event, misses ? last->levels[0] : "");
        }
        if (define_size(profile, estimate->name, "cycle estimate", last->name, way * first->ways, text, err))
            return -1;
    }
    return 0;
}

int tp_define_curves(tp_profile *profile, struct tp_error *err)
{
    if (!tp_curve_functions(profile->db))
        return tp_sql_failed(profile, "cannot define curves", err);
    for (size_t c = 0; c < sizeof below / sizeof *below; c++)
        if (define_misses(profile, &below[c], err))
            return -1;
    return tp_define_estimates(profile, err);
}

bool tp_formula_sql(const tp_profile *profile, const struct tp_formula *formula, bool inclusive, char *out,
                    size_t size)
{
    sqlite3_str *sql = sqlite3_str_new(profile->db);

    sqlite3_str_appendf(sql, "\"formula_%w\"(", formula->name);
    for (size_t i = 0; i < formula->terms; i++)
        sqlite3_str_appendf(sql, "%s\"%w%s\"", i ? ", " : "", formula->term[i].event->name,
                            inclusive || formula->term[i].inclusive ? "_incl" : "");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    bool fits = text && strlen(text) < size;
    snprintf(out, size, "%s", fits ? text : "NULL");
    sqlite3_free(text);
    return fits;
}
