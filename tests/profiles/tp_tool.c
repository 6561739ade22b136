/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tp_tool: the profile library from a shell, for tests; the commands are tested on their own.
 *
 *     tp_tool import RAW OUT [KEY=VALUE...]      keys: sysroot, debug_path, embed_source, no_symbols
 *     tp_tool export FORMAT PROFILE [KEY=VALUE...] keys: events, table, instructions, mangled, threads, weights
 *     tp_tool merge none|rank|process|thread OUT PROFILE...
 *     tp_tool text OUT FILE...                   files of Callgrind or Cachegrind
 *     tp_tool diff OUT|- PROFILE... -- PROFILE... [filename=EXPRESSION] [funcname=EXPRESSION]
 *     tp_tool linemap OLD NEW                    texts in files: of each line of OLD, that of NEW or 0
 *     tp_tool rename EXPRESSION TEXT
 *     tp_tool limit LIMIT BASELINE NEW TOTAL     values
 *     tp_tool kind FILE
 *
 * A library error is printed on stderr as "error: <message>", status 1.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/limit.h"
#include "profile/objects/linemap.h"
#include "profile/profile.h"
#include "profile/sum/diff.h"
#include "profile/sum/merge.h"

static int fail(const struct tp_error *err)
{
    fprintf(stderr, "error: %s\n", err->message);
    return 1;
}

static const char *value(char **argv, const char *key)
{
    size_t n = strlen(key);

    for (; *argv; argv++) {
        if (strncmp(*argv, key, n) == 0 && (*argv)[n] == '=')
            return *argv + n + 1;
    }
    return NULL;
}

static int import(char **argv)
{
    struct tp_import_options options = {
        .sysroot = value(argv, "sysroot"),
        .debug_path = value(argv, "debug_path"),
        .embed_source = value(argv, "embed_source") != NULL,
        .no_symbols = value(argv, "no_symbols") != NULL,
    };
    struct tp_import_result result;
    struct tp_error err;

    if (tp_import(argv[0], argv[1], &options, &result, &err))
        return fail(&err);
    printf("parts %u\ninstructions %llu\n", result.parts, (unsigned long long)result.instructions);
    if (result.damaged)
        printf("damage %s\n", result.damage);
    return 0;
}

static int export(char **argv)
{
    static const struct {
        const char *name;
        tp_exporter *run;
#define FORMAT(name, ...) {#name, tp_export_##name},
    } formats[] = {TP_FORMATS(FORMAT)};
    struct tp_export_options options = {
        .events = value(argv, "events"),
        .table = value(argv, "table"),
        .instructions = value(argv, "instructions") != NULL,
        .mangled = value(argv, "mangled") != NULL,
        .threads = value(argv, "threads") != NULL,
    };
    struct tp_error err;
    tp_profile *profile = tp_open(argv[1], &err);
    int status = 2;

    if (!profile)
        return fail(&err);
    if (value(argv, "weights") && tp_weigh(profile, value(argv, "weights"), &err)) {
        tp_close(profile);
        return fail(&err);
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, argv[0]) == 0)
            status = formats[i].run(profile, stdout, &options, &err) ? fail(&err) : 0;
    }
    tp_close(profile);
    return status;
}

static int merge(const char *keep, const char *out, char **argv)
{
    static const char *const kinds[] = {"none", "rank", "process", "thread"};
    int kind = TP_KEEP_NONE, failed = 0;
    struct tp_error err;

    while (strcmp(kinds[kind], keep) != 0)
        kind++;
    tp_merge *sum = tp_merge_new((enum tp_keep)kind, &err);
    for (failed = !sum; !failed && *argv; argv++) {
        tp_profile *profile = tp_open(*argv, &err);
        failed = !profile || tp_merge_add(sum, profile, &err);
        tp_close(profile);
    }
    failed = failed || tp_merge_write(sum, out, &err);
    tp_merge_free(sum);
    return failed ? fail(&err) : 0;
}

static int text(char **argv)
{
    struct tp_import_result result;
    struct tp_error err;
    size_t count = 0;

    while (argv[1 + count])
        count++;
    if (tp_import_text((const char *const *)(argv + 1), count, argv[0], NULL, &result, &err))
        return fail(&err);
    printf("parts %u\ninstructions %llu\nwarnings %llu\n", result.parts, (unsigned long long)result.instructions,
           (unsigned long long)result.warnings);
    if (result.warnings)
        printf("%s\n", result.warning);
    return 0;
}

/* Hexadecimal, as names may hold anything. */
static void print_text(const char *text)
{
    putchar('\t');
    for (; text && *text; text++)
        printf("%02x", (unsigned char)*text);
}

static void print_row(const tp_diff *diff, enum tp_diff_table table, size_t i)
{
    struct tp_diff_row row;

    tp_diff_row(diff, table, i, &row);
    printf("%d\t%d%d\t%lld", (int)table, row.there[0], row.there[1], (long long)row.line);
    print_text(row.function);
    print_text(row.caller);
    print_text(row.file);
    print_text(row.object);
    for (size_t event = 0; event < tp_diff_events(diff); event++) {
        for (int incl = 0; incl < 2; incl++) {
            struct tp_diff_value value = tp_diff_value(diff, table, i, event, incl);
            printf("\t%s%s %.17g %.17g %.17g %d %d", tp_diff_event(diff, event)->name, incl ? "_incl" : "",
                   value.side[0], value.side[1], value.difference, value.known, value.counts);
        }
    }
    putchar('\n');
}

static int print_diff(tp_diff *diff, const char *out, struct tp_error *err)
{
    for (int table = 0; table < TP_DIFF_TABLES; table++) {
        for (size_t i = 0; i < tp_diff_rows(diff, (enum tp_diff_table)table); i++)
            print_row(diff, (enum tp_diff_table)table, i);
    }
    for (size_t i = 0; tp_diff_note(diff, i); i++)
        printf("note\t%s\n", tp_diff_note(diff, i));
    return strcmp(out, "-") != 0 && tp_diff_write(diff, out, err) ? fail(err) : 0;
}

static int diff(const char *out, char **argv)
{
    tp_profile *profiles[2][16] = {{NULL}};
    struct tp_diff_runs runs[2] = {{profiles[0], 0}, {profiles[1], 0}};
    struct tp_diff_options options = {.whole = strcmp(out, "-") != 0};
    struct tp_error err;
    int side = 0, status = 0;

    if (value(argv, "filename") && !(options.filename = tp_rename_new(value(argv, "filename"), &err)))
        return fail(&err);
    if (value(argv, "funcname") && !(options.funcname = tp_rename_new(value(argv, "funcname"), &err)))
        return fail(&err);
    for (; *argv && !status; argv++) {
        if (strcmp(*argv, "--") == 0)
            side = 1;
        else if (!strchr(*argv, '=') && !(profiles[side][runs[side].count++] = tp_open(*argv, &err)))
            status = fail(&err);
    }
    tp_diff *made = status ? NULL : tp_diff_make(runs, &options, &err);
    if (!status)
        status = made ? print_diff(made, out, &err) : fail(&err);
    tp_diff_free(made);
    for (side = 0; side < 2; side++) {
        for (size_t i = 0; i < runs[side].count; i++)
            tp_close(profiles[side][i]);
    }
    tp_rename_free((struct tp_rename *)options.filename);
    tp_rename_free((struct tp_rename *)options.funcname);
    return status;
}

static char *read_text(const char *path)
{
    char *text = calloc(1, 1 << 20);
    FILE *file = fopen(path, "r");

    if (!text || !file || fread(text, 1, (1 << 20) - 1, file) == 0)
        exit(2);
    fclose(file);
    return text;
}

static int linemap(const char *old, const char *new)
{
    char *a = read_text(old), *b = read_text(new);
    struct tp_linemap map;
    int failed = tp_linemap_make(&map, a, b);

    for (size_t i = 1; !failed && i < map.count; i++)
        printf("%u\n", map.to[i]);
    tp_linemap_free(&map);
    free(a);
    free(b);
    return failed != 0;
}

static int change(const char *expression, const char *text)
{
    struct tp_error err;
    struct tp_rename *rename = tp_rename_new(expression, &err);
    char *changed = rename ? tp_rename_text(rename, text) : NULL;

    if (!rename)
        return fail(&err);
    fputs(changed, stdout);
    free(changed);
    tp_rename_free(rename);
    return 0;
}

static int limit(char **argv)
{
    struct tp_limit limit;
    struct tp_error err;

    if (tp_limit_read(&limit, argv[0], &err)) {
        tp_limit_free(&limit);
        return fail(&err);
    }
    printf("%s %s %d\n", limit.event, limit.where,
           tp_limit_broken(&limit, strtod(argv[1], NULL), strtod(argv[2], NULL), strtod(argv[3], NULL)));
    tp_limit_free(&limit);
    return 0;
}

static int kind(const char *path)
{
    static const char *const names[] = {"unreadable",  "other",   "raw",
                                        "raw-foreign", "profile", "callgrind",
                                        "cachegrind",  "profile-foreign"};
    struct tp_error err = {0};

    puts(names[tp_kind(path, &err)]);
    if (*err.message)
        puts(err.message);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 4 && strcmp(argv[1], "import") == 0)
        return import(argv + 2);
    if (argc >= 4 && strcmp(argv[1], "text") == 0)
        return text(argv + 2);
    if (argc >= 4 && strcmp(argv[1], "export") == 0)
        return export(argv + 2);
    if (argc >= 5 && strcmp(argv[1], "merge") == 0)
        return merge(argv[2], argv[3], argv + 4);
    if (argc >= 5 && strcmp(argv[1], "diff") == 0)
        return diff(argv[2], argv + 3);
    if (argc == 4 && strcmp(argv[1], "linemap") == 0)
        return linemap(argv[2], argv[3]);
    if (argc == 4 && strcmp(argv[1], "rename") == 0)
        return change(argv[2], argv[3]);
    if (argc == 6 && strcmp(argv[1], "limit") == 0)
        return limit(argv + 2);
    if (argc == 3 && strcmp(argv[1], "kind") == 0)
        return kind(argv[2]);
    fputs("usage: tp_tool import|text|export|merge|diff|linemap|rename|limit|kind ...\n", stderr);
    return 2;
}
