/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_info.c: what a recording here would use, or what a profile was made with.
 *
 * One fact per line, name and value, which are the members of the object in JSON. Without a profile nothing is run
 * but `valgrind --version`.
 */
#include "cli/base/caches.h"
#include "cli/base/given.h"
#include "cli/base/machine.h"
#include "cli/base/opt.h"
#include "cli/base/query.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/launch.h"
#include "tenure_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct info {
    bool json;
    struct tp_json out; /* with --json */
};

static const struct opt rows[] = {
    {OPT_FLAG, "json", 0, NULL, "write JSON", offsetof(struct info, json)},
};

static const struct opt_command command = {
    "info",
    "[options] [FILE]",
    "Without FILE: versions, the engine, and this machine's caches, which `tenure record` simulates when "
    "not\n"
    "told otherwise. With FILE: what the profile was recorded with, and which events it has.",
    OPT_ROWS(rows),
    .one_profile = true,
};

/* A "name value" line, or a member of the object. */
static void fact(struct info *info, const char *name, const char *value)
{
    char safe[8192], label[256];

    if (info->json) {
        tp_json_text(&info->out, name, value);
        return;
    }
    term_escape(label, sizeof label, name);
    term_escape(safe, sizeof safe, value);
    printf("%-20s %s\n", label, safe);
}

static void begin(struct info *info)
{
    info->out.out = stdout;
    if (info->json)
        tp_json_begin(&info->out, NULL, '{', ",\n  ");
}

static void end(struct info *info)
{
    if (!info->json)
        return;
    putchar('\n');
    tp_json_end(&info->out);
    putchar('\n');
}

/* ------------------------------------------------------------------------------------------ this machine */

static void caches(struct info *info)
{
    struct tn_geometry found[GEOMETRY_LEVELS];
    const char *source[GEOMETRY_LEVELS];
    char text[192], words[96];

    geometry_detect(caches_read_text, found, source);
    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        if (found[i].size == 0)
            continue;
        caches_words(&found[i], words, sizeof words);
        if (info->json)
            geometry_put(text, &found[i]);
        else
            snprintf(text, sizeof text, "%s (%s)", words, source[i]);
        snprintf(words, sizeof words, "cache.%s", geometry_name[i]);
        fact(info, words, text);
        if (info->json)
            fact(info, geometry_source_key[i], source[i]);
    }
}

static void speed(struct info *info)
{
    struct machine machine;
    char text[64];

    machine_read(&machine);
    fact(info, "time.source", machine.measured ? "calibrate" : info->json ? "default"
                                                            : "usual; `tenure calibrate` measures this machine");
    for (int i = 0; i < MACHINE_FACTS; i++) {
        machine_text(&machine, i, text, sizeof text);
        fact(info, machine_fact[i].key, text);
    }
}

static void engine(struct info *info)
{
    char *valgrind = engine_valgrind(), *tools = engine_tools(), *native = engine_native(), version[32];

    fact(info, "engine",
         native != NULL ? "native" : tools != NULL ? "valgrind" : "none is installed with this program");
    fact(info, "engine.tool", tools != NULL ? tools : "not found");
    fact(info, "engine.built-for", TENURE_VALGRIND_VERSION);
    fact(info, "engine.valgrind", valgrind != NULL ? valgrind : "not found");
    if (valgrind != NULL && engine_version(valgrind, version, sizeof version))
        fact(info, "engine.version", version);
    fact(info, "engine.native", native != NULL ? native : "not found");
    free(valgrind);
    free(tools);
    free(native);
}

static int this_machine(struct info *info)
{
    char text[512];
    struct utsname system;

    begin(info);
    fact(info, "tenure", TENURE_VERSION);
    fact(info, "sqlite", query_library());
    engine(info);
    if (uname(&system) == 0) {
        snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
        fact(info, "system", text);
    }
    machine_processor(text, sizeof text);
    fact(info, "processor", text);
    caches(info);
    speed(info);
    end(info);
    return term_finish(CLI_GOOD);
}

/* ------------------------------------------------------------------------------------------ a profile */

static int of_profile(struct info *info, const char *path)
{
    tp_profile *profile = given_open(path);
    struct query q;

    if (profile == NULL)
        return CLI_ERROR;
    begin(info);
    fact(info, "profile", given_name());
    query_begin(&q, profile, "SELECT key, value FROM meta ORDER BY key");
    while (query_row(&q))
        fact(info, query_text(&q, 0), query_text(&q, 1));
    bool good = query_end(&q);
    if (info->json)
        tp_json_begin(&info->out, "events", '{', ",\n    ");
    else
        puts("\nEvents");
    for (size_t i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);
        char safe[4 * 128];

        if (info->json) {
            tp_json_text(&info->out, event->name, event->long_name);
            continue;
        }
        term_escape(safe, sizeof safe, event->long_name);
        printf("  %-12s %s%s\n", event->name, safe, event->derived ? " (derived)" : "");
    }
    if (info->json) {
        fputs("\n  ", stdout);
        tp_json_end(&info->out);
    }
    end(info);
    given_close(profile);
    return term_finish(good ? CLI_GOOD : CLI_ERROR);
}

int cmd_info(int argc, char **argv)
{
    struct info options = {0};
    int first = opt_parse(&command, &options, argc, argv);

    if (first < 0)
        return term_finish(-1 - first);
    return first < argc ? of_profile(&options, argv[first]) : this_machine(&options);
}
