/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tp_tool: the profile library from a shell, for tests; the commands are tested on their own.
 *
 *     tp_tool import RAW OUT [KEY=VALUE...]      keys: sysroot, debug_path, embed_source, no_symbols
 *     tp_tool export FORMAT PROFILE [KEY=VALUE...] keys: events, table, instructions, mangled, threads, weights
 *     tp_tool merge none|rank|process|thread OUT PROFILE...
 *     tp_tool text OUT FILE...                   files of Callgrind or Cachegrind
 *     tp_tool kind FILE
 *
 * A library error is printed on stderr as "error: <message>", status 1.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/merge.h"
#include "profile/profile.h"

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
        int (*run)(tp_profile *, FILE *, const struct tp_export_options *, struct tp_error *);
    } formats[] = {{"callgrind", tp_export_callgrind},
                   {"cachegrind", tp_export_cachegrind},
                   {"folded", tp_export_folded},
                   {"json", tp_export_json},
                   {"csv", tp_export_csv}};
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
    if (argc == 3 && strcmp(argv[1], "kind") == 0)
        return kind(argv[2]);
    fputs("usage: tp_tool import|text|export|merge|kind ...\n", stderr);
    return 2;
}
