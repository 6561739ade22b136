/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_lens.c: see diff_lens.h.
 *
 * What is asked for each row (has its object changed, which line is it) is answered from small arrays by row of the
 * sum; they are filled when a row is first asked for.
 */
#include "profile/sum/diff_lens.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/base/row.h"

struct tp_diff_object {
    const char *path, *build_id; /* "" for none */
    bool changed;
    size_t last, seen; /* the last profile that has it, and how many have */
};

struct tp_diff_map {
    const char *path;
    bool same;
    struct tp_linemap lines;
};

/* ------------------------------------------------------------------------------------------ names */

/* In `lens->renamed`, or the text itself. NULL: out of memory. */
static const char *renamed(struct tp_diff_lens *lens, const struct tp_rename *rename, const char *text)
{
    if (!rename)
        return text;
    char *now = tp_rename_text(rename, text); /* `text` may be what was renamed before */
    free(lens->renamed);
    return lens->renamed = now;
}

/* Of "malloc in f (f.c:12)" the part in brackets, or the end: there is none. */
static const char *lens_place_in(const char *name)
{
    const char *end = name + strlen(name), *place = end > name && end[-1] == ')' ? end - 1 : name;

    while (place > name && isdigit((unsigned char)place[-1]))
        place--;
    if (place == name || place == end - 1 || place[-1] != ':')
        return end;
    while (place > name && !(place[0] == '(' && place[-1] == ' '))
        place--;
    return place > name ? place - 1 : end;
}

static char *renamed_part(const struct tp_rename *rename, const char *text, const char *end)
{
    char *part = strndup(text, (size_t)(end - text));
    char *renamed = part ? tp_rename_text(rename, part) : NULL;

    free(part);
    return renamed;
}

/* What is allocated is called by the function that allocates, and by who calls that: both are functions. */
static const char *renamed_site(struct tp_diff_lens *lens, const char *name)
{
    const char *place = lens_place_in(name), *in = strstr(name, " in ");
    char *allocator, *caller;

    if (!lens->funcname)
        return name;
    in = in && in < place ? in : place;
    allocator = renamed_part(lens->funcname, name, in);
    caller = in < place ? renamed_part(lens->funcname, in + 4, place) : strdup("");
    free(lens->renamed);
    if (!allocator || !caller ||
        asprintf(&lens->renamed, "%s%s%s%s", allocator, in < place ? " in " : "", caller, place) < 0)
        lens->renamed = NULL;
    free(allocator);
    free(caller);
    return lens->renamed;
}

/* The new name of an object of which only the name is known, without its folders: it is renamed with its path. */
static char *renamed_object(const struct tp_diff_lens *lens, const char *name, size_t length)
{
    for (size_t i = 0; i < lens->paths.count; i++) {
        const char *path = lens->paths.at[i], *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
        if (strlen(base) != length || strncmp(base, name, length) != 0)
            continue;
        char *renamed = tp_rename_text(lens->filename, path), *last = renamed ? strrchr(renamed, '/') : NULL;
        return last ? memmove(renamed, last + 1, strlen(last + 1) + 1) : renamed;
    }
    return renamed_part(lens->filename, name, name + length);
}

/* Data whose name has the file or the object in it: "file PATH", "NAME (OBJECT)". */
static const char *renamed_data(struct tp_diff_lens *lens, const char *name)
{
    const char *from = name, *to = name + strlen(name);
    bool file = strcmp(lens->kind, "file") == 0 && strncmp(name, "file ", 5) == 0;

    if (file) {
        from += 5;
    } else if (to > name && to[-1] == ')') {
        for (from = --to; from > name && strncmp(from, " (", 2) != 0;)
            from--;
        from += from > name ? 2 : 0;
    }
    if (!lens->filename || from == to || from == name)
        return name;
    char *owner = file ? tp_rename_text(lens->filename, from) : renamed_object(lens, from, (size_t)(to - from));
    char *whole = NULL;
    if (!owner || asprintf(&whole, "%.*s%s%s", (int)(from - name), name, owner, to) < 0)
        whole = NULL;
    free(owner);
    free(lens->renamed);
    return lens->renamed = whole;
}

/* Functions without a name are "OBJECT+0x123", in contexts too ("f'OBJECT+0x123'main"). */
static const char *renamed_function(struct tp_diff_lens *lens, const char *name)
{
    char *whole = NULL;
    size_t size, length;

    if (!lens->filename || !strstr(name, "+0x"))
        return name;
    FILE *out = open_memstream(&whole, &size);
    bool failed = !out;
    for (const char *part = name; !failed && *part; part += length) {
        length = *part == '\'' ? 1 : strcspn(part, "'");
        const char *plus = memmem(part, length, "+0x", 3), *rest = part;
        if (plus && plus + 3 + strspn(plus + 3, "0123456789abcdef") == part + length) {
            char *owner = renamed_object(lens, part, (size_t)(plus - part));
            failed = !owner || fputs(owner, out) < 0;
            free(owner);
            rest = plus;
        }
        failed |= fwrite(rest, 1, (size_t)(part + length - rest), out) != (size_t)(part + length - rest);
    }
    if ((out && fclose(out) != 0) || failed) {
        free(whole);
        whole = NULL;
    }
    free(lens->renamed);
    return lens->renamed = whole;
}

/* Where a line is in the profile whose lines are meant; 0: not known. */
static int64_t found_again(const struct tp_diff_map *map, int64_t line)
{
    if (map->same)
        return line;
    return line > 0 && (uint64_t)line < map->lines.count ? map->lines.to[line] : 0;
}

/* The file of which only the name is known, without its folders; NULL: there are several, or none. */
static const struct tp_diff_map *map_of_name(const struct tp_diff_lens *lens, const char *name, size_t length)
{
    const struct tp_diff_map *found = NULL;

    for (size_t i = 0; i < lens->maps.count; i++) {
        const char *path = lens->maps.at[i].path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
        if (strncmp(base, name, length) != 0 || base[length])
            continue;
        if (found)
            return NULL;
        found = &lens->maps.at[i];
    }
    return found;
}

/* "malloc in f (f.c:12)" with the line that it is on in the profile whose lines are meant, or without. */
static const char *with_line(struct tp_diff_lens *lens, const char *name)
{
    const char *place = lens_place_in(name), *file = place + 2, *colon = *place ? strrchr(place, ':') : NULL;
    const struct tp_diff_map *map;
    int64_t line;

    if (!lens->rebuilt || !colon)
        return name;
    map = map_of_name(lens, file, (size_t)(colon - file));
    line = map ? found_again(map, strtoll(colon + 1, NULL, 10)) : 0;
    free(lens->replaced);
    if ((line > 0 ? asprintf(&lens->replaced, "%.*s:%lld)", (int)(colon - name), name, (long long)line)
                  : asprintf(&lens->replaced, "%.*s)", (int)(colon - name), name)) < 0)
        lens->replaced = NULL;
    return lens->replaced;
}

static const char *lens_rewrite(void *user, const char *table, const char *column, const char *text)
{
    static const struct {
        const char *table, *column;
    } functions[] = {{"t_functions", "function"}, {"t_functions", "base"}, {"t_functions", "context"},
                   {"t_inlined", "name"},       {"t_data", "function"},  {"t_data", "allocator"},
                   {"t_data_paths", "function"}};
    struct tp_diff_lens *lens = user;

    if (strcmp(column, "path") == 0)
        return renamed(lens, lens->filename, text);
    if (strcmp(table, "t_data") == 0 && strcmp(column, "kind") == 0) /* it comes before the name */
        snprintf(lens->kind, sizeof lens->kind, "%s", text);
    if (strcmp(table, "t_data") == 0 && strcmp(column, "name") == 0) {
        bool allocated = strcmp(lens->kind, "heap") == 0 || strcmp(lens->kind, "mapping") == 0;
        const char *name = allocated ? renamed_site(lens, text) : renamed_data(lens, text);
        return name && allocated ? with_line(lens, name) : name;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].table, table) == 0 && strcmp(functions[i].column, column) == 0) {
            text = renamed_function(lens, text);
            return text ? renamed(lens, lens->funcname, text) : NULL;
        }
    }
    return text;
}

/* base, symbol, path of the object, file. */
static int group(void *user, struct tp_sum *sum, int64_t key[4])
{
    const char *slash = key[2] == TP_NONE ? NULL : strrchr(sum->texts.at.at[key[2]], '/');
    char *name;

    (void)user;
    key[1] = TP_NONE;
    if (key[3] != TP_NONE) {
        key[2] = TP_NONE;
    } else if (slash) {
        name = strdup(slash + 1);
        key[2] = name ? tp_texts_add(&sum->texts, name) : TP_NONE;
        free(name);
        return key[2] == TP_NONE ? -1 : 0;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ objects */

/* Every row of a path and a text, the path renamed. */
typedef int see_text(struct tp_diff_lens *lens, const char *path, const char *text);
struct seeing {
    struct tp_diff_lens *lens;
    see_text *see;
};

static int see_row(void *user, sqlite3_stmt *row)
{
    const struct seeing *s = user;
    const char *path = tp_text_or_null(row, 0), *text = tp_text(row, 1);

    path = path ? renamed(s->lens, s->lens->filename, path) : "";
    return !path || s->see(s->lens, path, text);
}

static int see_all(struct tp_diff_lens *lens, tp_profile *profile, const char *sql, see_text *see, struct tp_error *err)
{
    return tp_each(profile, sqlite3_mprintf("%s", sql), see_row, &(struct seeing){lens, see}, err);
}

static struct tp_diff_object *lens_object_of(const struct tp_diff_lens *lens, const char *path)
{
    for (size_t i = 0; i < lens->objects.count; i++) {
        if (strcmp(lens->objects.at[i].path, path) == 0)
            return &lens->objects.at[i];
    }
    return NULL;
}

static int see_object(struct tp_diff_lens *lens, const char *path, const char *build_id)
{
    struct tp_diff_object *object = lens_object_of(lens, path);

    if (!object) {
        object = TP_VECTOR_ADD(&lens->objects);
        if (!object)
            return -1;
        object->path = tp_arena_copy(&lens->arena, path, strlen(path));
        object->build_id = tp_arena_copy(&lens->arena, build_id, strlen(build_id));
        if (!object->path || !object->build_id)
            return -1;
    }
    object->seen += object->last != lens->looked;
    object->last = lens->looked;
    object->changed |= *path != '[' && (!*build_id || strcmp(object->build_id, build_id) != 0);
    return 0;
}

static int see_source(struct tp_diff_lens *lens, const char *path, const char *text)
{
    struct tp_pair *source = TP_VECTOR_ADD(&lens->sources);

    if (!source)
        return -1;
    source->key = tp_arena_copy(&lens->arena, path, strlen(path));
    source->value = tp_arena_copy(&lens->arena, text, strlen(text));
    return source->key && source->value ? 0 : -1;
}

static const char sources[] = "SELECT f.path, s.text FROM sources s JOIN files f ON f.id = s.file_id";

int tp_diff_lens_look(struct tp_diff_lens *lens, tp_profile *profile, bool last, struct tp_error *err)
{
    lens->lens = (struct tp_sum_lens){.user = lens, .rewrite = lens_rewrite, .group = group};
    lens->looked++;
    return see_all(lens, profile, "SELECT path, build_id FROM objects", see_object, err) ||
                   (last && see_all(lens, profile, sources, see_source, err))
               ? -1
               : 0;
}

/* ------------------------------------------------------------------------------------------ lines */

static int see_map(struct tp_diff_lens *lens, const char *path, const char *text)
{
    const char *meant = NULL;

    for (size_t i = 0; i < lens->sources.count && !meant; i++) {
        if (strcmp(lens->sources.at[i].key, path) == 0)
            meant = lens->sources.at[i].value;
    }
    if (!meant)
        return 0;
    struct tp_diff_map *map = TP_VECTOR_ADD(&lens->maps);
    if (!map)
        return -1;
    map->path = tp_arena_copy(&lens->arena, path, strlen(path));
    map->same = strcmp(text, meant) == 0;
    return !map->path || (!map->same && tp_linemap_make(&map->lines, text, meant)) ? -1 : 0;
}

/* The field `path` of a row of the sum. */
static const char *path_of(const struct tp_sum *sum, const char *table, int64_t row)
{
    const char *path = tp_sum_text(sum, tp_sum_table(sum, table), row, "path");

    return path ? path : "";
}

/* Room for element `i` of a vector of flags; false, and failed, if there is none. */
#define REACH(lens, vector, i) reach(lens, (void **)&(vector)->at, &(vector)->room, &(vector)->count, \
                                     sizeof *(vector)->at, (size_t)(i))

static bool reach(struct tp_diff_lens *lens, void **at, size_t *room, size_t *count, size_t element, size_t i)
{
    for (; *count <= i; ++*count) {
        if (tp_vector_grow(at, room, *count, element)) {
            lens->failed = true;
            return false;
        }
    }
    return true;
}

static bool has_changed(struct tp_diff_lens *lens, const struct tp_sum *sum, int64_t object)
{
    if (!REACH(lens, &lens->changed, object))
        return true;
    if (!lens->changed.at[object]) {
        const struct tp_diff_object *known = lens_object_of(lens, path_of(sum, "objects", object));
        lens->changed.at[object] = known && !known->changed ? 1 : 2;
    }
    return lens->changed.at[object] == 2;
}

static int find_map(const struct tp_diff_lens *lens, const char *path)
{
    for (size_t i = 0; i < lens->maps.count; i++) {
        if (strcmp(lens->maps.at[i].path, path) == 0)
            return (int)i + 2;
    }
    return 1;
}

/* A line of a file of an object that has changed. */
static int64_t lens_line_of(struct tp_diff_lens *lens, const struct tp_sum *sum, int64_t file, int64_t line)
{
    if (!REACH(lens, &lens->map_of, file) || !REACH(lens, &lens->unmatched, file))
        return TP_NONE;
    int *of = &lens->map_of.at[file];
    if (!*of)
        *of = find_map(lens, path_of(sum, "files", file));
    if (*of == 1) {
        lens->unmatched_count += !lens->unmatched.at[file];
        lens->unmatched.at[file] = true;
        return TP_NONE;
    }
    line = found_again(&lens->maps.at[*of - 2], line);
    return line ? line : TP_NONE;
}

/* The same of a call that allocates, whose file may be of any object: what is not known is not told. */
static int64_t line_of_call(struct tp_diff_lens *lens, const struct tp_sum *sum, int64_t file, int64_t line)
{
    int map = file == TP_NONE || line == TP_NONE ? 1 : find_map(lens, path_of(sum, "files", file));

    line = map == 1 ? 0 : found_again(&lens->maps.at[map - 2], line);
    return line ? line : TP_NONE;
}

/* The object that a row is about, by its own column or its function; TP_NONE: none. */
static int64_t object_of_row(const struct tp_sum *sum, const struct tp_shape *shape, const int64_t *value)
{
    static const char *const functions[] = {"function_id", "caller_id"};
    int field = tp_sum_field(shape, "object_id"), table = tp_sum_table(sum, "t_functions");

    if (field >= 0)
        return value[field];
    for (size_t i = 0; i < 2; i++) {
        field = tp_sum_field(shape, functions[i]);
        if (field < 0 || value[field] == TP_NONE)
            continue;
        return tp_sum_value(sum, table, value[field], "object_id");
    }
    return TP_NONE;
}

/* Data structures and the calls that allocate them belong to no object of their own: if one has changed, any may have
 * moved. Lines of the calls are found again where there are source texts. */
static void forget_places(struct tp_diff_lens *lens, const struct tp_sum *sum, const struct tp_shape *shape,
                          int64_t *value)
{
    static const char *const places[][2] = {
        {"t_data", "address"}, {"t_data", "size"}, {"t_data_paths", "site_id"}};
    int line = tp_sum_field(shape, "line");

    if (strcmp(shape->table->name, "t_data_paths") == 0)
        value[line] = line_of_call(lens, sum, value[tp_sum_field(shape, "file_id")], value[line]);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(shape->table->name, places[i][0]) == 0)
            value[tp_sum_field(shape, places[i][1])] = TP_NONE;
    }
}

static void adjust(void *user, const struct tp_sum *sum, int table, int64_t *value)
{
    static const char *const places[][2] = {{"file_id", "line"},
                                            {"file_id", "first_line"},
                                            {"file_id", "last_line"},
                                            {"call_file_id", "call_line"}};
    /* By what rows of different builds are told apart where nothing else does. */
    static const char *const of_build[][2] = {{"t_arcs", "site_id"},
                                              {"t_arcs", "address"},
                                              {"t_loops", "address"},
                                              {"t_loops", "object_id"},
                                              {"t_statements", "object_id"}};
    const struct tp_shape *shape = &sum->shape[table];
    struct tp_diff_lens *lens = user;
    int64_t object = object_of_row(sum, shape, value);

    if (lens->rebuilt)
        forget_places(lens, sum, shape, value);
    if (object == TP_NONE || strcmp(shape->table->name, "t_functions") == 0 || !has_changed(lens, sum, object))
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int file = tp_sum_field(shape, places[i][0]), line = tp_sum_field(shape, places[i][1]);
        if (file >= 0 && line >= 0 && value[file] != TP_NONE && value[line] != TP_NONE)
            value[line] = lens_line_of(lens, sum, value[file], value[line]);
    }
    for (size_t i = 0; i < sizeof of_build / sizeof *of_build; i++) {
        if (strcmp(shape->table->name, of_build[i][0]) == 0)
            value[tp_sum_field(shape, of_build[i][1])] = TP_NONE;
    }
}

static void forget_maps(struct tp_diff_lens *lens)
{
    for (size_t i = 0; i < lens->maps.count; i++)
        tp_linemap_free(&lens->maps.at[i].lines);
    TP_VECTOR_FREE(&lens->maps);
    TP_VECTOR_FREE(&lens->map_of);
    TP_VECTOR_FREE(&lens->paths);
}

static int see_path(void *user, sqlite3_stmt *row)
{
    struct tp_diff_lens *lens = user;
    const char *path = tp_text_or_null(row, 0), **at = path ? TP_VECTOR_ADD(&lens->paths) : NULL;

    if (at)
        *at = tp_arena_copy(&lens->arena, path, strlen(path));
    return path && (!at || !*at) ? -1 : 0;
}

int tp_diff_lens_begin(struct tp_diff_lens *lens, const struct tp_sum *sum, tp_profile *profile, struct tp_error *err)
{
    (void)sum;
    lens->lens.adjust = adjust;
    for (size_t i = 0; i < lens->objects.count; i++)
        lens->rebuilt |= lens->objects.at[i].changed ||
                         (*lens->objects.at[i].path != '[' && lens->objects.at[i].seen < lens->looked);
    forget_maps(lens);
    if (lens->filename && tp_each(profile, sqlite3_mprintf("SELECT path FROM objects"), see_path, lens, err))
        return -1;
    return lens->sources.count ? see_all(lens, profile, sources, see_map, err) : 0;
}

void tp_diff_lens_free(struct tp_diff_lens *lens)
{
    forget_maps(lens);
    TP_VECTOR_FREE(&lens->objects);
    TP_VECTOR_FREE(&lens->sources);
    TP_VECTOR_FREE(&lens->changed);
    TP_VECTOR_FREE(&lens->unmatched);
    free(lens->renamed);
    free(lens->replaced);
    tp_arena_free(&lens->arena);
}
