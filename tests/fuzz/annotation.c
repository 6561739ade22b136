/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation.c: what `tenure annotate` loads, from files that look like profiles.
 *
 * A profile that opens is loaded with every event, self and inclusive, with its instructions and kept sources; it loads
 * or says why not. What is loaded hangs together: indices are within their arrays, lines and what is below them are in
 * order.
 *
 * Whoever changes bytes of a profile seldom gets one that opens. So values in its tables are changed by SQL.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/annotation/annotation.h"
#include "profile/base/seal.h"
#include "profile/read/formula.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); /* libFuzzer's own */

enum { MAX_TERMS = 100 };

static void check_lines(const struct tp_annotation *a)
{
    for (size_t i = 0; i < a->lines.count; i++) {
        const struct tp_annotated_line *line = &a->lines.at[i], *before = line - (i > 0);
        must(line->file < a->files.count);
        must(i == 0 || before->file < line->file || (before->file == line->file && before->line < line->line));
        must(line->first_inlined + line->inlined <= a->inlined.count);
        must(line->first_instruction + line->instructions <= a->instructions.count);
    }
}

static void check(const struct tp_annotation *a)
{
    check_lines(a);
    for (size_t i = 0; i < a->files.count; i++)
        must(a->files.at[i].first_line + a->files.at[i].lines <= a->lines.count);
    for (size_t i = 0; i < a->pairs.count; i++)
        must(a->pairs.at[i].file < a->files.count && a->pairs.at[i].function < a->functions.count);
    for (size_t i = 0; i < a->functions.count; i++)
        must(a->functions.at[i].name && a->functions.at[i].cost);
}

static void load(tp_profile *profile)
{
    static const char *const include[] = {"/nowhere"};
    const struct tp_search search = {NULL, 0, include, 1, tp_meta(profile, "directory")};
    struct tp_term term[MAX_TERMS];
    struct tp_annotation a;
    struct tp_error err = {.message = ""};
    size_t terms = 0;

    for (size_t i = 0; i < tp_event_count(profile) && terms + 2 <= MAX_TERMS; i++) {
        term[terms++] = (struct tp_term){tp_event_at(profile, i), false};
        term[terms++] = (struct tp_term){tp_event_at(profile, i), true};
    }
    int failed = tp_annotation_load(&a, profile, term, terms, &search, &err);
    for (size_t i = 0; !failed && i < a.files.count; i++) {
        a.files.at[i].wanted = true;
        if (a.files.at[i].embedded)
            tp_embedded_text(profile, &a.arena, a.files.at[i].embedded, &err);
    }
    if (!failed)
        failed = tp_annotation_instructions(&a, &err);
    if (!failed)
        check(&a);
    must(!failed || (err.message[0] && !strchr(err.message, '\n')));
    tp_annotation_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[SCRATCH_NAME];
    struct tp_error err = {.message = ""};

    scratch_name(path);
    int fd = mkstemp(path);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
    for (int sealed = 0; sealed < 2; sealed++) {
        tp_profile *profile = tp_open(path, &err);
        if (profile)
            load(profile);
        else
            must(err.message[0] && !strchr(err.message, '\n'));
        tp_close(profile);
        must(tp_seal(path) == 0); /* or what is damaged gets no further */
    }
    unlink(path);
    return 0;
}

/* ------------------------------------------------------------------------------------------ values */

static uint32_t next_number(unsigned *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* One value of a row becomes another. That there are other events is refused at once, so these stay. */
static void change(sqlite3 *db, unsigned *seed)
{
    static const char *const values[] = {"NULL", "0", "1", "-1", "9223372036854775807", "-9223372036854775807 - 1",
                                         "1e300", "0.5", "''", "'x'", "x'00ff'", "c + 1", "c - 1", "-c", "c * 256",
                                         "(SELECT min(c) FROM t)", "(SELECT max(c) FROM t)"};
    const char *value = values[next_number(seed) % (sizeof values / sizeof *values)];
    sqlite3_stmt *columns;
    char *sql = NULL;

    sqlite3_prepare_v2(db,
                       "WITH c AS (SELECT m.name AS t, p.name AS c FROM sqlite_schema m, pragma_table_info(m.name) p "
                       "WHERE m.type = 'table' AND m.name <> 'events') "
                       "SELECT t, c FROM c LIMIT 1 OFFSET ?1 % (SELECT max(1, count(*)) FROM c)",
                       -1, &columns, NULL);
    sqlite3_bind_int64(columns, 1, next_number(seed));
    if (sqlite3_step(columns) == SQLITE_ROW)
        sql = sqlite3_mprintf("WITH t AS (SELECT rowid AS id, \"%w\" AS c FROM \"%w\") UPDATE OR REPLACE \"%w\" SET "
                              "\"%w\" = (SELECT %s FROM t WHERE id = \"%w\".rowid) WHERE rowid = (SELECT id FROM t "
                              "LIMIT 1 OFFSET %u %% (SELECT max(1, count(*)) FROM t))",
                              sqlite3_column_text(columns, 1), sqlite3_column_text(columns, 0),
                              sqlite3_column_text(columns, 0), sqlite3_column_text(columns, 1), value,
                              sqlite3_column_text(columns, 0), next_number(seed));
    sqlite3_finalize(columns);
    sqlite3_exec(db, sql ? sql : "", NULL, NULL, NULL);
    sqlite3_free(sql);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    sqlite3 *db = NULL;
    sqlite3_int64 now = 0;
    unsigned char *copy, *changed = NULL;

    if (next_number(&seed) % 16 == 0 && LLVMFuzzerMutate)
        return LLVMFuzzerMutate(data, size, most);
    must((copy = sqlite3_malloc64(size + 1)) && sqlite3_open(":memory:", &db) == SQLITE_OK);
    memcpy(copy, data, size);
    bool good = sqlite3_deserialize(db, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK;
    for (unsigned n = 1 + next_number(&seed) % 4; good && n > 0; n--)
        change(db, &seed);
    if (good && (changed = sqlite3_serialize(db, "main", &now, 0)) != NULL && now > 0 && (size_t)now <= most) {
        memcpy(data, changed, (size_t)now);
        size = (size_t)now;
    }
    sqlite3_free(changed);
    sqlite3_close(db);
    return size;
}
