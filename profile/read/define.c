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
struct below {
    const char *name, *misses, *meta, *levels[3], *event;
};

/* Its misses with the ways of a distance, "LLm@2M=Dist4L", of so many bytes each. */
static int define_size(tp_profile *profile, const struct below *cache, const struct tp_distance *distance, uint64_t way,
                       struct tp_error *err)
{
    struct tp_formula *formula = tp_arena_alloc(&profile->arena, sizeof *formula);
    char size[32], meaning[96];
    tp_size_text(size, sizeof size, way * distance->ways);
    snprintf(meaning, sizeof meaning, "misses of %s if it had %s", cache->name, size);
    const char *kept = tp_arena_copy(&profile->arena, meaning, strlen(meaning));
    sqlite3_str *sum = sqlite3_str_new(profile->db);
    sqlite3_str_appendf(sum, "%s@%s", cache->misses, size);
    for (const char *const *level = cache->levels; *level; level++)
        sqlite3_str_appendf(sum, "%s%s%s", level == cache->levels ? "=" : "+", distance->name, *level);
    char *definition = sqlite3_str_finish(sum);
    int failed = !formula || !kept || !definition ? TP_NO_MEMORY(err) : 0;
    if (!failed && tp_formula_read(profile, definition, formula, err) == 0) { /* else it lacks an event */
        formula->meaning = formula->title = kept;
        formula->unit = "";
        formula->counts = true;
        failed = define(profile, formula, err);
    }
    sqlite3_free(definition);
    return failed;
}

int tp_define_curves(tp_profile *profile, struct tp_error *err)
{
    static const struct below caches[] = {{"LL", "LLm", "cache.LL", {"L"}, "Dist1L"},
                                          {"L2", "L2m", "cache.L2", {"I2", "D2"}, "Dist1D2"}};

    if (!tp_curve_functions(profile->db))
        return tp_sql_failed(profile, "cannot define curves", err);
    for (size_t c = 0; c < sizeof caches / sizeof *caches; c++) {
        const char *shape = tp_meta(profile, caches[c].meta);
        uint64_t size, ways;
        if (!shape || !tp_event_find(profile, caches[c].event) ||
            sscanf(shape, "%" SCNu64 ",%" SCNu64, &size, &ways) != 2 || ways == 0 || size / ways == 0 ||
            size > (uint64_t)1 << 50)
            continue;
        for (const struct tp_distance *first = tp_distances; first->name; first++)
            if (define_size(profile, &caches[c], first, size / ways, err))
                return -1;
    }
    return 0;
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
