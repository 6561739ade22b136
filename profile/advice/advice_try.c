/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice_try.c: from a remedy, or a remap in the words of a user, to one that a recording takes; see advice_try.h.
 *
 * Kinds of advice that ask for another order of execution, or for another data structure, say so. All others are a
 * layout. It follows from the fields of the data structure, and from the numbers that the advice gives for its reason.
 */
#include "profile/advice/advice_try.h"

#include "core/raw_format.h"
#include "profile/base/error.h"
#include "profile/base/mem.h"
#include "profile/base/row.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = TN_REMAP_PARTS, MOST_FIELDS = TN_REMAP_RUNS, KNOWN = 8, GRANULE = 8, LEAST_SYMBOL = 16 };

#define SMALL "it has less than 16 bytes, and stays where it is"

#define OTHER_ORDER "it needs another order of execution"
#define OTHER_DATA "it needs another data structure, not another layout"
static const struct {
    const char *kind, *why;
} untried[] = {
    {"blocking", OTHER_ORDER},
    {"fusion", OTHER_ORDER},
    {"reuse", OTHER_ORDER},
    {"narrow", "it needs a type of other values"},
    {"true_sharing", OTHER_ORDER},
    {"chain", OTHER_DATA},
    {"tree", OTHER_DATA},
    {"search", OTHER_DATA},
    {"stream", "it needs other instructions"},
    {"indirect", "it is not about data"},
    {"branches", "it is not about data"},
    {"pages", "it needs large pages, not another layout"},
};

struct field {
    char name[120];
    int64_t from, to;
    double used, lost;
};

/* What a remap is about. */
struct object {
    int64_t id, element, largest, blocks;
    bool is_heap;
    char *name;
    uint64_t path;
    TP_VECTOR(struct field) field;
};

static void object_free(struct object *object)
{
    sqlite3_free(object->name);
    TP_VECTOR_FREE(&object->field);
}

void tp_try_free(struct tp_try *what)
{
    sqlite3_free(what->remap);
    sqlite3_free(what->words);
    *what = (struct tp_try){0};
}

/* ------------------------------------------------------------------------------------------ the data structure */

static int take_site(void *user, sqlite3_stmt *row)
{
    uint64_t *path = user;

    *path = tn_remap_path(*path, (uint64_t)sqlite3_column_int64(row, 0));
    return 0;
}

/* A number of the profile, which may be anything: none that is too small or too large for what it says. */
static int64_t size_at(sqlite3_stmt *row, int column)
{
    int64_t size = sqlite3_column_int64(row, column);

    return size > 0 && size <= 1ll << 40 ? size : 0;
}

static int take_field(void *user, sqlite3_stmt *row)
{
    struct object *object = user;
    struct field field = {.from = sqlite3_column_int64(row, 1),
                          .used = sqlite3_column_double(row, 3),
                          .lost = sqlite3_column_double(row, 4)};

    if (field.from < 0 || field.from > 1 << 30)
        return 0;
    field.to = field.from + size_at(row, 2);
    sqlite3_snprintf(sizeof field.name, field.name, "%s", tp_text(row, 0));
    if (field.to <= field.from || field.to > 1 << 30)
        return 0;
    return TP_VECTOR_PUSH(&object->field, field) ? 0 : 1;
}

static int take_object(void *user, sqlite3_stmt *row)
{
    struct object *object = user;

    object->is_heap = strcmp(tp_text(row, 0), "heap") == 0;
    object->element = size_at(row, 1);
    object->largest = object->is_heap ? size_at(row, 2) : size_at(row, 3);
    object->blocks = sqlite3_column_int64(row, 4);
    object->path = tn_remap_path(tn_remap_path(0, (uint64_t)sqlite3_column_int64(row, 5)),
                                 (uint64_t)sqlite3_column_int64(row, 3));
    object->name = sqlite3_mprintf("%s", tp_text(row, 6));
    return object->name ? 0 : 1;
}

/* All zero before; object_free frees it in any case. */
static int find_object(tp_profile *profile, int64_t id, struct object *object, struct tp_error *err)
{
    uint64_t path = 0;

    object->id = id;
    if (tp_each(profile,
                sqlite3_mprintf(
                    "SELECT kind, coalesce(element, 0), coalesce(largest, 0), coalesce(size, 0), "
                    "coalesce(blocks, 1), coalesce(address, 0), name FROM data_objects WHERE id = %lld",
                    id),
                take_object, object, err) ||
        tp_each(profile,
                sqlite3_mprintf(
                    "SELECT field, offset, size, %s FROM data_fields WHERE data_id = %lld AND offset IS NOT NULL "
                    "AND size > 0 AND kind IN ('field', 'bytes') ORDER BY offset",
                    tp_event_find(profile, "UseD1") ? "coalesce(UseD1, 0), coalesce(SpLossD1, 0)" : "0, 0", id),
                take_field, object, err))
        return -1;
    if (!object->is_heap)
        return 0;
    if (tp_each(profile,
                sqlite3_mprintf(
                    "WITH RECURSIVE up(parent, site, n) AS (SELECT p.parent, p.site_id, 0 FROM t_data d "
                    "JOIN t_data_paths p ON p.id = d.origin_id WHERE d.id = %lld UNION ALL "
                    "SELECT p.parent, p.site_id, n + 1 FROM up JOIN t_data_paths p ON p.id = up.parent "
                    "WHERE n < 100000) "
                    "SELECT i.address - coalesce(o.bias, 0) FROM up JOIN t_instructions i ON i.id = up.site "
                    "LEFT JOIN objects o ON o.id = i.object_id ORDER BY n",
                    id),
                take_site, &path, err))
        return -1;
    object->path = path;
    return 0;
}

/* A recording has no row of its own of such a symbol. */
static bool is_small(const struct object *object)
{
    return !object->is_heap && object->largest < LEAST_SYMBOL;
}

/* "#00ff/64" : the number, and the bytes of an element where the recording would not know them. */
static void put_object(sqlite3_str *to, const struct object *object, const char *kind, int64_t element)
{
    sqlite3_str_appendf(to, "%s #%016llx", kind, object->path);
    if (element)
        sqlite3_str_appendf(to, "/%lld", element);
}

/* Bytes of what its fields are in: where no element is known, the largest block is one. */
static int64_t element_of(const struct object *object)
{
    return object->element ? object->element : object->largest;
}

/* Both texts of a remap. */
static int finish(struct tp_try *out, sqlite3_str *remap, sqlite3_str *words, const struct object *object,
                  struct tp_error *err)
{
    out->remap = sqlite3_str_finish(remap);
    out->words = sqlite3_str_finish(words);
    out->data = object->id;
    return out->remap && out->words ? 0 : TP_NO_MEMORY(err);
}

/* A remap with one argument, or none. */
static int simple(struct tp_try *out, const struct object *object, const char *kind, int64_t element,
                  const char *argument, struct tp_error *err)
{
    sqlite3_str *remap = sqlite3_str_new(NULL), *words = sqlite3_str_new(NULL);

    put_object(remap, object, kind, element);
    sqlite3_str_appendf(remap, "%s%s", *argument ? ": " : "", argument);
    sqlite3_str_appendf(words, "%s %s", kind, object->name);
    if (element)
        sqlite3_str_appendf(words, "/%lld", element);
    sqlite3_str_appendf(words, "%s%s", *argument ? ": " : "", argument);
    return finish(out, remap, words, object, err);
}

/* ------------------------------------------------------------------------------------------ remedies */

static double use_of(const struct field *field)
{
    return field->used + field->lost > 0 ? field->used / (field->used + field->lost) : -1;
}

/* Fields that are hot, or in between, are one part, the idle ones the rest; where none is idle, or `each`, every field
 * is a part of its own. */
static int split(struct tp_try *out, const struct object *object, double cold, bool each,
                 struct tp_error *err)
{
    sqlite3_str *remap = sqlite3_str_new(NULL), *words = sqlite3_str_new(NULL);
    size_t idle = 0, parts = 0;

    for (size_t i = 0; i < object->field.count; i++)
        idle += use_of(&object->field.at[i]) < cold;
    each |= idle == 0 || idle == object->field.count;
    put_object(remap, object, "split", object->element ? 0 : element_of(object));
    sqlite3_str_appendf(words, "split %s", object->name);
    if (!object->element)
        sqlite3_str_appendf(words, "/%lld", element_of(object));
    for (size_t i = 0; i < object->field.count && parts < (each ? MOST_PARTS - 1 : MOST_FIELDS); i++) {
        const struct field *field = &object->field.at[i];
        if (use_of(field) < (each ? 0 : cold))
            continue;
        const char *between = parts == 0 ? ": " : each ? " | " : ",";
        sqlite3_str_appendf(remap, "%s%lld-%lld", between, field->from, field->to);
        sqlite3_str_appendf(words, "%s%s", between, field->name);
        parts++;
    }
    sqlite3_str_appendall(remap, " | rest");
    sqlite3_str_appendall(words, " | rest");
    if (finish(out, remap, words, object, err))
        return -1;
    if (parts == 0) {
        tp_try_free(out);
        out->why = "no field of it is known to be used";
    }
    return 0;
}

static int refuse(struct tp_try *out, const char *why)
{
    out->why = why;
    return 0;
}

/* Elements of unknown fields, which lie `row` bytes apart: each piece of so many bytes is a part. */
static int split_granules(struct tp_try *out, const struct object *object, int64_t row, struct tp_error *err)
{
    sqlite3_str *argument = sqlite3_str_new(NULL);

    for (int64_t at = 0; at < row && row <= MOST_PARTS * GRANULE; at += GRANULE)
        sqlite3_str_appendf(argument, "%s%lld-%lld", at ? " | " : "", at,
                            at + GRANULE < row ? at + GRANULE : row);
    char *text = sqlite3_str_finish(argument);
    int failed =
        text ? simple(out, object, "split", row, text, err) : refuse(out, "its fields are not known");
    sqlite3_free(text);
    return failed;
}

/* The advice, as far as its layout follows from it. */
struct advised {
    char kind[32], function[512];
    int64_t data, line_bytes, stride;
    bool of_site;
};

static int take_advised(void *user, sqlite3_stmt *row)
{
    struct advised *advised = user;

    sqlite3_snprintf(sizeof advised->kind, advised->kind, "%s", tp_text(row, 0));
    advised->data = sqlite3_column_int64(row, 1);
    advised->of_site = sqlite3_column_type(row, 2) != SQLITE_NULL;
    advised->stride = sqlite3_column_int64(row, 3);
    if (advised->stride < -(1 << 30) || advised->stride > 1 << 30)
        advised->stride = 0;
    sqlite3_snprintf(sizeof advised->function, advised->function, "%s", tp_text(row, 4));
    if (strlen(advised->function) + 1 == sizeof advised->function)
        *advised->function = '\0'; /* cut off: reads of all functions count */
    return 0;
}

/* Elements in the order in which the function reads them. */
static int walked(struct tp_try *out, const struct advised *advised, const struct object *object,
                  struct tp_error *err)
{
    char argument[sizeof advised->function + 8];

    if (!object->element && (!object->is_heap || object->blocks < 2))
        return refuse(out, "how large its elements are is not known");
    sqlite3_snprintf(sizeof argument, argument, "walk%s%s", *advised->function ? " " : "", advised->function);
    return simple(out, object, "pool", 0, argument, err);
}

static int layout_for(struct tp_try *out, const struct advised *advised, const struct object *object,
                      double cold, struct tp_error *err)
{
    int64_t line = advised->line_bytes, row = advised->stride < 0 ? -advised->stride : advised->stride;
    char argument[64];

    if (strcmp(advised->kind, "fields") == 0 || strcmp(advised->kind, "unused") == 0) {
        if (!object->element && object->largest >= 2 * row && row > GRANULE)
            return split_granules(out, object, row, err);
        return object->field.count < 2 ? refuse(out, "its fields are not known")
                                       : split(out, object, cold, advised->of_site, err);
    }
    if (strcmp(advised->kind, "gaps") == 0)
        return simple(out, object, "pool", 0, "", err);
    if (strcmp(advised->kind, "list") == 0 || strcmp(advised->kind, "random") == 0)
        return walked(out, advised, object, err);
    if (strcmp(advised->kind, "false_sharing") == 0) {
        bool single = object->element == 0 || object->element == object->largest;
        if (single && object->field.count > 1)
            return split(out, object, cold, true, err);
        sqlite3_snprintf(sizeof argument, argument, "%lld", line);
        return simple(out, object, "pad", single ? 0 : object->element, argument, err);
    }
    if (row < line || object->largest < 2 * row)
        return refuse(out, "how long its rows are is not known");
    if (strcmp(advised->kind, "conflict") == 0) {
        sqlite3_snprintf(sizeof argument, argument, "%lld+%lld", row, line);
        return simple(out, object, "pad", 0, argument, err);
    }
    if (strcmp(advised->kind, "stride") != 0)
        return refuse(out, "it is not a matter of layout");
    int64_t element = object->element ? object->element : GRANULE;
    if (row % element)
        return refuse(out, "how large its elements are is not known");
    sqlite3_snprintf(sizeof argument, argument, "%lld", row);
    return simple(out, object, "transpose", object->element ? 0 : element, argument, err);
}

/* Of a level's cache, whose size, ways and line the profile says; what it says may be anything. */
static int64_t line_bytes(tp_profile *profile, const char *cache)
{
    const char *text = tp_meta(profile, cache);
    int64_t bytes = 0;

    if (text)
        (void)!sscanf(text, "%*u,%*u,%" SCNd64, &bytes);
    return bytes < 8 || bytes > 1 << 20 ? 64 : bytes;
}

int tp_try_advice(tp_profile *profile, int64_t id, struct tp_try *out, struct tp_error *err)
{
    struct advised advised = {.line_bytes = line_bytes(profile, "cache.D1")};
    struct object object = {0};
    double cold = 25;

    *out = (struct tp_try){0};
    if (tp_each(profile,
                sqlite3_mprintf(
                    "SELECT kind, data_id, line, (SELECT value FROM temp.advice_evidence e WHERE "
                    "e.advice_id = a.id AND e.key = 'stride'), (SELECT f.symbol FROM t_functions f WHERE "
                    "f.id = a.function_id) FROM temp.advice a WHERE id = %lld",
                    id),
                take_advised, &advised, err) ||
        tp_number(profile, sqlite3_mprintf("SELECT value FROM temp.advice_limits WHERE name = 'cold'"), cold,
                  &cold, err))
        return -1;
    for (size_t i = 0; i < sizeof untried / sizeof *untried; i++) {
        if (strcmp(untried[i].kind, advised.kind) == 0)
            return refuse(out, untried[i].why);
    }
    if (!advised.data)
        return refuse(out, "it is not about a data structure");
    int failed = find_object(profile, advised.data, &object, err);
    if (!failed && !object.name)
        failed = refuse(out, "it is not about a data structure");
    else if (!failed && is_small(&object))
        failed = refuse(out, SMALL);
    else if (!failed)
        failed = layout_for(out, &advised, &object, cold / 100, err);
    object_free(&object);
    return failed;
}

int tp_try_layouts(tp_profile *profile, struct tp_error *err)
{
    double count = 0;
    int failed = tp_number(profile, sqlite3_mprintf("SELECT count(*) FROM temp.advice"), 0, &count, err);

    for (int64_t id = 1; !failed && id <= (int64_t)count; id++) {
        struct tp_try layout;
        failed = tp_try_advice(profile, id, &layout, err);
        if (!failed && layout.remap)
            failed = tp_execute(
                profile, sqlite3_mprintf("UPDATE temp.advice SET remap = %Q WHERE id = %lld", layout.remap, id),
                "cannot gather advice", err);
        tp_try_free(&layout);
    }
    return failed;
}

int tp_advice_tried(tp_profile *profile, int64_t id, const struct tp_tried *tried, struct tp_error *err)
{
    const char *key = tried->event ? "remap" : "untried", *words = tried->event ? "tried as" : "not tried";

    if (tried->event &&
        tp_execute(profile,
                   sqlite3_mprintf("UPDATE temp.advice SET tried = %Q, promised = %s, share = %!.17g,"
                                   " cycles = %!.17g * (SELECT \"%w\" FROM totals), cest_share = %!.17g,"
                                   " cest = %!.17g * (SELECT CEst FROM totals), bytes = CAST(%!.17g AS INTEGER),"
                                   " memory_bytes = CAST(%!.17g AS INTEGER), confidence = 1, certain = 'tried'"
                                   " WHERE id = %lld",
                                   tried->event, strcmp(tried->event, "Time") == 0 || !tp_timed(profile)
                                                     ? "share" : "cest_share",
                                   tried->saved, tried->saved / 100, tried->event, tried->cest, tried->cest / 100,
                                   tried->lines[0] * (double)line_bytes(profile, "cache.D1"),
                                   tried->lines[1] * (double)line_bytes(profile, "cache.LL"), id),
                   "cannot keep what was tried", err))
        return -1;
    return tp_execute(profile,
                      sqlite3_mprintf("INSERT INTO temp.advice_evidence(advice_id, key, unit, words, text)"
                                      " VALUES (%lld, %Q, '', %Q, %Q)",
                                      id, key, words, tried->words),
                      "cannot keep what was tried", err);
}

/* ------------------------------------------------------------------------------------------ a user's words */

struct named {
    int64_t id;
    int count;
    sqlite3_str *others; /* names, for the message */
};

static int take_named(void *user, sqlite3_stmt *row)
{
    struct named *named = user;

    if (named->count++ == 0)
        named->id = sqlite3_column_int64(row, 0);
    sqlite3_str_appendf(named->others, "%s%s", named->count > 1 ? "; " : "", tp_text(row, 1));
    return 0;
}

/* The data structure of this name; `how` it is compared with it. 0: none. */
static int search_named(tp_profile *profile, const char *name, const char *how, int64_t *id,
                        struct tp_error *err)
{
    struct named named = {.others = sqlite3_str_new(NULL)};
    int failed =
        tp_each(profile,
                sqlite3_mprintf("SELECT id, name FROM data_objects WHERE kind IN ('heap', 'static') AND (%s) "
                                "ORDER BY D1mr + D1mw DESC LIMIT %d",
                                how, KNOWN),
                take_named, &named, err);
    char *others = sqlite3_str_finish(named.others);

    if (!failed && named.count > 1)
        failed = TP_FAIL(err, "the names of several data structures have \"%s\" in them: %s", name, others);
    *id = named.count == 1 ? named.id : 0;
    sqlite3_free(others);
    return failed;
}

static int find_named(tp_profile *profile, const char *name, int64_t *id, struct tp_error *err)
{
    char *forms[] = {sqlite3_mprintf("name = %Q", name), sqlite3_mprintf("symbol = %Q", name),
                     sqlite3_mprintf("function = %Q", name), sqlite3_mprintf("instr(name, %Q)", name)};
    struct named named = {.others = sqlite3_str_new(NULL)};
    int failed = 0;

    *id = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!failed && !*id)
            failed = forms[i] ? search_named(profile, name, forms[i], id, err) : TP_NO_MEMORY(err);
        sqlite3_free(forms[i]);
    }
    if (!failed && !*id) {
        failed = tp_each(profile,
                         sqlite3_mprintf("SELECT id, name FROM data_objects WHERE kind IN ('heap', 'static') "
                                         "ORDER BY D1mr + D1mw DESC LIMIT %d",
                                         KNOWN),
                         take_named, &named, err);
        char *others = sqlite3_str_value(named.others);
        if (!failed)
            failed = TP_FAIL(err, "no data structure is called \"%s\"; those with most misses are: %s", name,
                             others ? others : "none");
    }
    sqlite3_free(sqlite3_str_finish(named.others));
    return failed;
}

/* Whether a field is `name`, or a member of it, or an array of it. */
static bool is_field(const struct field *field, const char *name, size_t length)
{
    return strncmp(field->name, name, length) == 0 && strchr("[.", field->name[length]) != NULL;
}

static int no_field(const struct object *object, const char *name, size_t length, struct tp_error *err)
{
    sqlite3_str *known = sqlite3_str_new(NULL);

    for (size_t i = 0; i < object->field.count && i < KNOWN * 3; i++)
        sqlite3_str_appendf(known, "%s%s", i ? ", " : "", object->field.at[i].name);
    char *names = sqlite3_str_finish(known);
    int failed = TP_FAIL(err, "%s has no field \"%.*s\": %s%s", object->name, (int)length, name,
                         names && *names ? "there are " : "its type is not known: give bytes, as in 0-8",
                         names && *names ? names : "");
    sqlite3_free(names);
    return failed;
}

/* One field, a range of bytes or `rest`, as ranges. */
static int put_bytes(sqlite3_str *to, const struct object *object, const char *name, size_t length,
                     struct tp_error *err)
{
    const char *comma = "";
    bool is_bytes = length > 0 && strspn(name, "0123456789-KMG") >= length && name[0] != '-';

    if (is_bytes || (length == 4 && strncmp(name, "rest", 4) == 0)) {
        sqlite3_str_append(to, name, (int)length);
        return 0;
    }
    for (size_t i = 0; i < object->field.count; i++) {
        const struct field *field = &object->field.at[i];
        if (!is_field(field, name, length))
            continue;
        sqlite3_str_appendf(to, "%s%lld-%lld", comma, field->from, field->to);
        comma = ",";
    }
    return *comma ? 0 : no_field(object, name, length, err);
}

static int put_fields(sqlite3_str *to, const struct object *object, const char *text, struct tp_error *err)
{
    while (*text) {
        text += strspn(text, " ");
        size_t length = strcspn(text, ",|"), blank = length;
        while (blank > 0 && text[blank - 1] == ' ')
            blank--;
        if (put_bytes(to, object, text, blank, err))
            return -1;
        text += length;
        if (*text) {
            sqlite3_str_appendf(to, *text == '|' ? " | " : ",");
            text++;
        }
    }
    return 0;
}

static int named_remap(const struct object *object, const char *kind, const char *arguments, int64_t element,
                       struct tp_try *out, struct tp_error *err)
{
    bool fields = strcmp(kind, "split") == 0 || strcmp(kind, "order") == 0;

    if (!fields)
        return simple(out, object, kind, element, arguments, err);
    if (!*arguments && strcmp(kind, "split") == 0 && object->field.count > 1)
        return split(out, object, 0, true, err);
    sqlite3_str *remap = sqlite3_str_new(NULL), *words = sqlite3_str_new(NULL);
    element = element || object->element ? element : element_of(object);
    put_object(remap, object, kind, element);
    sqlite3_str_appendall(remap, ": ");
    int failed = put_fields(remap, object, arguments, err);
    sqlite3_str_appendf(words, "%s %s", kind, object->name);
    if (element)
        sqlite3_str_appendf(words, "/%lld", element);
    sqlite3_str_appendf(words, ": %s", arguments);
    return finish(out, remap, words, object, err) || failed ? -1 : 0;
}

/* "split NAME/64: x | y" in pieces, in a copy of the text. */
static int read_named(tp_profile *profile, char *text, struct tp_try *out, struct tp_error *err)
{
    char *name = strchr(text, ' '), *colon = NULL, *end;
    struct object object = {0};
    long long element = 0;
    int64_t id;

    for (char *at = text; (at = strstr(at, ": ")) != NULL; at++)
        colon = at;
    if (colon)
        *colon = '\0';
    if (!name || !*(name += strspn(name, " ")))
        return TP_FAIL(err,
                       "a remap is split, order, pad, align, pool or transpose, and a data structure, as in "
                       "\"split orders: x,y | rest\"");
    text[strcspn(text, " ")] = '\0';
    char *slash = strrchr(name, '/');
    if (slash && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1)) {
        element = strtoll(slash + 1, &end, 10);
        *slash = '\0';
    }
    if (find_named(profile, name, &id, err))
        return -1;
    int failed = find_object(profile, id, &object, err);
    if (!failed && is_small(&object))
        failed = TP_FAIL(err, "%s: " SMALL, object.name ? object.name : "it");
    if (!failed)
        failed =
            named_remap(&object, text, colon ? colon + 2 + strspn(colon + 2, " ") : "", element, out, err);
    object_free(&object);
    return failed;
}

int tp_try_named(tp_profile *profile, const char *text, struct tp_try *out, struct tp_error *err)
{
    char *copy = sqlite3_mprintf("%s", text);

    *out = (struct tp_try){0};
    int failed = copy ? read_named(profile, copy, out, err) : TP_NO_MEMORY(err);
    sqlite3_free(copy);
    if (failed)
        tp_try_free(out);
    return failed;
}
