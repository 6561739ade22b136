/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.c: see html.h. A page is, in this order:
 *
 *     head     character set, content-security policy, title, style sheet
 *     #data    the blocks (html_pack.h) of all tables (html_tables.h): text that no browser executes
 *     #index   a block of its own: JSON that says where in #data each column of each table is, and what the tables of
 *              reports look like
 *     script   the page's program
 *
 * Nothing of the profile is outside of #data and #index but the title. The policy lets the browser run the program and
 * use the style sheet that have the hashes known when Tenure was built, load nothing, connect to nothing, and make
 * no element out of text (trusted types).
 */
#include "profile/html/html.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/advice/advice.h"
#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/base/sound.h"
#include "profile/html/html_tables.h"
#include "profile/objects/source.h"
#include "profile/read/formula.h"
#include "profile/read/lineless.h"
#include "profile/read/sections.h"

enum { PAGE_VERSION = 2 };

/* ------------------------------------------------------------------------------------------ source text */

/* Of the following functions; their user data is not NULL where any file may be read. */
static struct tp_source_access access_of(sqlite3_context *context)
{
    return (struct tp_source_access){.anywhere = sqlite3_user_data(context) != NULL};
}

/* SQL function tenure_source(path): the text of a file on this machine, or NULL. */
static void source_function(sqlite3_context *context, int count, sqlite3_value **value)
{
    const struct tp_source_access access = access_of(context);
    struct tp_arena arena = {0};
    const char *path = (const char *)sqlite3_value_text(value[0]);
    const char *text = path && *path == '/' ? tp_source_text(&arena, &access, path) : NULL;

    (void)count;
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    tp_arena_free(&arena);
}

/* SQL function tenure_refused(path): why the text of a file that is there is not read, or NULL. */
static void refused_function(sqlite3_context *context, int count, sqlite3_value **value)
{
    const struct tp_source_access access = access_of(context);
    const char *path = (const char *)sqlite3_value_text(value[0]);
    const char *why = path && *path == '/' ? tp_source_refused(&access, path) : NULL;

    (void)count;
    sqlite3_result_text(context, why, -1, SQLITE_STATIC);
}

/* SQL function tenure_newer(path): whether that file has changed since the profile was written. */
static void newer_function(sqlite3_context *context, int count, sqlite3_value **value)
{
    tp_profile *profile = sqlite3_user_data(context);
    const char *path = (const char *)sqlite3_value_text(value[0]);
    struct stat source, ours;

    (void)count;
    sqlite3_result_int(context, path && stat(path, &source) == 0 && stat(tp_path(profile), &ours) == 0 &&
                                    source.st_mtime > ours.st_mtime);
}

/* Table temp.page_sources: the text of every file that costs are on, or that called something inline. Table
 * temp.page_refused: those of them that are there, but not read. And how many there are of each. */
static int gather_sources(tp_profile *profile, const struct tp_html_options *options, struct tp_html_result *result,
                          struct tp_error *err)
{
    static const char sql[] =
        "DROP TABLE IF EXISTS temp.page_sources;"
        "CREATE TEMP TABLE page_sources(file_id INTEGER PRIMARY KEY, text TEXT, newer INTEGER);"
        "INSERT INTO temp.page_sources SELECT f.id, s.text, 0 FROM files f JOIN sources s ON s.file_id = f.id;"
        "INSERT OR IGNORE INTO temp.page_sources SELECT id, tenure_source(path), tenure_newer(path) FROM files"
        " WHERE id IN (SELECT file_id FROM t_lines UNION SELECT call_file_id FROM t_inlined)"
        " AND id NOT IN (SELECT file_id FROM temp.page_sources);"
        "DROP TABLE IF EXISTS temp.page_refused;"
        "CREATE TEMP TABLE page_refused(file_id INTEGER PRIMARY KEY, why TEXT);"
        "INSERT INTO temp.page_refused SELECT s.file_id, tenure_refused(f.path) AS why FROM temp.page_sources s"
        " JOIN files f ON f.id = s.file_id WHERE s.text IS NULL AND why IS NOT NULL;"
        "DELETE FROM temp.page_sources WHERE text IS NULL;";
    void *anywhere = options->source_anywhere ? profile : NULL;
    sqlite3 *db = tp_db(profile);

    if (sqlite3_create_function(db, "tenure_source", 1, SQLITE_UTF8, anywhere, source_function, NULL, NULL) !=
            SQLITE_OK ||
        sqlite3_create_function(db, "tenure_refused", 1, SQLITE_UTF8, anywhere, refused_function, NULL, NULL) !=
            SQLITE_OK ||
        sqlite3_create_function(db, "tenure_newer", 1, SQLITE_UTF8, profile, newer_function, NULL, NULL) != SQLITE_OK)
        return tp_sql_failed(profile, "cannot gather sources", err);
    if (tp_execute(profile, sqlite3_mprintf("%s", sql), "cannot gather sources", err))
        return -1;
    sqlite3_stmt *counts = tp_query(
        profile,
        sqlite3_mprintf("SELECT count(*), count(s.file_id), (SELECT count(*) FROM temp.page_refused)"
                        " FROM files f LEFT JOIN temp.page_sources s ON s.file_id = f.id"
                        " WHERE f.id IN (SELECT file_id FROM t_lines)"),
        err);
    int more = counts ? tp_row(profile, counts, err) : -1;
    if (more == 1) {
        result->files = (uint64_t)sqlite3_column_int64(counts, 0);
        result->found = (uint64_t)sqlite3_column_int64(counts, 1);
        result->refused = (uint64_t)sqlite3_column_int64(counts, 2);
    }
    sqlite3_finalize(counts);
    return more == 1 ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------ trees */

/* The page follows parents, so there must be an end: whatever is in something else comes behind it. */
static int check_trees(tp_profile *profile, struct tp_error *err)
{
    static const char *const tables[] = {"t_inlined", "t_loops", "t_data_paths"};
    int more = 0;

    for (size_t i = 0; more == 0 && i < sizeof tables / sizeof *tables; i++) {
        sqlite3_stmt *row = tp_query(profile, sqlite3_mprintf("SELECT id FROM %s WHERE parent >= id", tables[i]), err);
        char what[80];
        more = row ? tp_row(profile, row, err) : -1;
        if (more == 1) {
            snprintf(what, sizeof what, "table %s: row %lld is within itself", tables[i],
                     (long long)sqlite3_column_int64(row, 0));
            tp_damaged(tp_path(profile), what, err);
        }
        sqlite3_finalize(row);
    }
    return more ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ the file */

static void put_head(FILE *out, const struct tp_html_options *options)
{
    const struct tp_page_asset *asset = options->asset;

    fprintf(out,
            TP_HTML_MARK "%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; "
            "require-trusted-types-for 'script'; "
            "trusted-types 'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"referrer\" content=\"no-referrer\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
            asset->script_hash, asset->style_hash);
    for (const char *title = options->title; *title; title++) {
        unsigned char c = (unsigned char)*title;
        if (c < 0x20 || c == 0x7f || strchr("&<>\"'", c))
            fprintf(out, c < 0x20 || c == 0x7f ? "\\x%02x" : "&#%d;", c);
        else
            putc(c, out);
    }
    fputs("</title>\n<style>", out);
    fwrite(asset->style, 1, asset->style_size, out);
    fputs("</style>\n</head>\n<body>\n<noscript>This page shows a profile with a program of its own; let the browser "
          "run it (JavaScript).</noscript>\n<script id=\"data\" type=\"application/octet-stream\">",
          out);
}

static void put_text(FILE *to, const char *before, const char *text)
{
    fputs(before, to);
    if (text)
        tp_write_json_text(to, text);
    else
        fputs("null", to);
}

/* The tables of reports (profile/read/sections.h), of which the page has some as well. */
static void put_sections(FILE *to)
{
    static const char *const kinds[] = {
        [TP_COLUMN_TEXT] = "text",       [TP_COLUMN_COUNT] = "count",   [TP_COLUMN_REAL] = "real",
        [TP_COLUMN_PERCENT] = "percent", [TP_COLUMN_CHANGE] = "change", [TP_COLUMN_AS_SORTED] = "as_sorted",
        [TP_COLUMN_BRIEF] = "brief",     [TP_COLUMN_SETS] = "sets",     [TP_COLUMN_SET_COUNT] = "set_count"};
    const char *comma = "";

    for (size_t group = 0; group < tp_section_group_count; group++) {
        const struct tp_section *const *list = tp_section_groups[group].sections;
        for (; list && *list; list++, comma = ",\n") {
            fputs(comma, to);
            put_text(to, "{\"key\": ", (*list)->key);
            put_text(to, ", \"title\": ", (*list)->title);
            /* The column that it is sorted by, with '-' before it: the largest first; "" if it is none of its own. */
            const struct tp_section *section = *list;
            const char *order = section->order ? section->order : section->by ? section->by : "";
            size_t length = strcspn(order, " ,");
            const struct tp_section_column *by = section->columns;
            while (by->key && (strlen(by->key) != length || strncmp(by->key, order, length) != 0))
                by++;
            const char *sign = !section->order || strncmp(order + length, " DESC", 5) == 0 ? "-" : "";
            fprintf(to, ", \"order\": \"%s%s\"", by->key ? sign : "", by->key ? by->key : "");
            fputs(", \"columns\": [", to);
            for (const struct tp_section_column *column = (*list)->columns; column->key; column++) {
                put_text(to, column == (*list)->columns ? "{\"key\": " : ",\n{\"key\": ", column->key);
                put_text(to, ", \"kind\": ", kinds[column->kind]);
                put_text(to, ", \"title\": ", column->title);
                put_text(to, ", \"about\": ", column->about);
                putc('}', to);
            }
            fputs("]}", to);
        }
    }
}

/* What the time goes to, by the terms of CEst: words, and cycles where they are those of the estimate of time. */
static int put_time(tp_profile *profile, FILE *to, struct tp_error *err)
{
    struct tp_time_part part[TP_WEIGHTED_TERMS];
    size_t count;
    int failed = tp_time_parts(profile, part, &count, err);

    for (size_t i = 0; !failed && i < count; i++) {
        put_text(to, i ? ", " : "", part[i].event->name);
        put_text(to, ": {\"words\": ", part[i].words);
        if (part[i].timed)
            fprintf(to, ", \"cycles\": %.0f, \"pointers\": %.0f, \"pages\": %.0f", part[i].cycles,
                    part[i].pointers, part[i].pages);
        putc('}', to);
    }
    return failed;
}

static int put_index(tp_profile *profile, struct tp_pack *pack, const struct tp_html_tables *tables,
                     const struct tp_html_options *options)
{
    struct tp_bytes bytes = {0};
    struct tp_block block;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return TP_NO_MEMORY(pack->err);
    fprintf(to, "{\"format\": \"tenure page\", \"version\": %d, \"title\": ", PAGE_VERSION);
    tp_write_json_text(to, options->title);
    fputs(", \"sections\": [", to);
    put_sections(to);
    fputs("], \"time\": {", to);
    int failed = put_time(profile, to, pack->err);
    fputs("}, \"tables\": {", to);
    for (size_t i = 0; i < tables->sheets.count; i++) {
        fputs(i ? ",\n" : "\n", to);
        tp_write_json_text(to, tables->sheets.at[i].name);
        fputs(": ", to);
        tp_sheet_describe(&tables->sheets.at[i], to);
    }
    fputs("}}", to);
    if (fclose(to) || !text)
        failed = TP_NO_MEMORY(pack->err);
    if (!failed)
        tp_bytes_put(&bytes, text, size);
    free(text);
    failed = failed || tp_pack_block(pack, &bytes, &block);
    tp_bytes_free(&bytes);
    return failed;
}

/* Into temp.page_events, the profile's events and formulas that count something; into temp.page_ratios, the others. */
static int gather_formulas(tp_profile *profile, struct tp_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);

    sqlite3_str_appendall(sql, "DROP TABLE IF EXISTS temp.page_ratios;"
                               "CREATE TEMP TABLE page_ratios(name TEXT, title TEXT, long_name TEXT, unit TEXT,"
                               " formula TEXT);"
                               "DROP TABLE IF EXISTS temp.page_events;"
                               "CREATE TEMP TABLE page_events AS SELECT name, title, long_name, category, unit,"
                               " derived, formula, type FROM events ORDER BY rowid;");
    for (const struct tp_formula *of = tp_formulas(profile); of; of = of->next) {
        if (of->counts)
            sqlite3_str_appendf(sql, "INSERT INTO temp.page_events VALUES(%Q, upper(substr(%Q, 1, 1)) || substr(%Q, 2),"
                                     " %Q, 'With other sizes', %Q, 1, %Q, 'INTEGER');",
                                of->name, of->title, of->title, of->meaning, of->unit, of->text);
        else
            sqlite3_str_appendf(sql, "INSERT INTO temp.page_ratios VALUES(%Q, %Q, %Q, %Q, %Q);", of->name, of->title,
                                of->meaning, of->unit, of->text);
    }
    return tp_execute(profile, sqlite3_str_finish(sql), "cannot gather formulas", err);
}

int tp_html_write(tp_profile *profile, FILE *out, const struct tp_html_options *options,
                  struct tp_html_result *result, struct tp_error *err)
{
    /* Advice has the usual limits. Its rules can say nothing of a difference, or of what another tool has counted. */
    bool advice = !tp_meta(profile, "diff.baseline") && !tp_meta(profile, "import.format");
    struct tp_html_tables tables = {0};
    struct tp_pack pack;

    *result = (struct tp_html_result){0};
    if (options->progress)
        options->progress("gathering the page", 0, 0);
    if (!options->no_source && gather_sources(profile, options, result, err))
        return -1;
    if (check_trees(profile, err) || tp_html_tables_make(profile, options->sides, err) ||
        gather_formulas(profile, err) || tp_html_gather_code(profile, err) || tp_lineless(profile, err) ||
        tp_startup(profile, true, err) ||
        (advice && !options->advised && tp_advise(profile, NULL, err)) || tp_pack_open(&pack, out, err))
        return -1;
    put_head(out, options);
    int failed = tp_html_tables_write(profile, &pack, &tables, options, advice);
    if (!failed) {
        fputs("</script>\n<script id=\"index\" type=\"application/octet-stream\">", out);
        failed = put_index(profile, &pack, &tables, options);
    }
    tp_html_tables_free(&tables);
    if (!failed) {
        fputs("</script>\n<script>", out);
        fwrite(options->asset->script, 1, options->asset->script_size, out);
        fputs("</script>\n</body>\n</html>\n", out);
        failed = tp_written(out, err);
    }
    tp_pack_close(&pack);
    return failed;
}
