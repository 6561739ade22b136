/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_info.c: what a recording here would use, or what a profile was made with.
 *
 * One fact per line, name and value, which are the members of the object in JSON. Without a profile nothing is run
 * but `valgrind --version`.
 */
#include "cli/base/caches.h"
#include "cli/base/given.h"
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

/* One "name value" line, or one member of a JSON object. */
struct printer {
    bool json, any;
};

static void begin(struct printer *p)
{
    if (p->json)
        fputs("{", stdout);
    p->any = false;
}

static void fact(struct printer *p, const char *name, const char *value)
{
    char safe[8192], label[256];

    if (p->json) {
        fputs(p->any ? ",\n  " : "\n  ", stdout);
        term_json(stdout, name);
        fputs(": ", stdout);
        term_json(stdout, value);
    } else {
        term_escape(label, sizeof label, name);
        term_escape(safe, sizeof safe, value);
        printf("%-20s %s\n", label, safe);
    }
    p->any = true;
}

static void end(struct printer *p)
{
    if (p->json)
        fputs("\n}\n", stdout);
}

/* ------------------------------------------------------------------------------------------ this machine */

static void processor(char *out, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512];

    snprintf(out, size, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, size, "%s", strchr(line, ':') + 2);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

static void caches(struct printer *p)
{
    struct tn_geometry found[GEOMETRY_LEVELS];
    const char *source[GEOMETRY_LEVELS];
    char text[192], words[96];

    geometry_detect(caches_read_text, found, source);
    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        if (found[i].size == 0)
            continue;
        caches_words(&found[i], words, sizeof words);
        if (p->json)
            geometry_put(text, &found[i]);
        else
            snprintf(text, sizeof text, "%s (%s%s)", words, source[i],
                     i == GEOMETRY_L2 ? "; simulated only if --L2 asks for it" : "");
        snprintf(words, sizeof words, "cache.%s", geometry_name[i]);
        fact(p, words, text);
        if (p->json)
            fact(p, geometry_source_key[i], source[i]);
    }
}

static void engine(struct printer *p)
{
    char *valgrind = engine_valgrind(), *tools = engine_tools(), *native = engine_native(), version[32];

    fact(p, "engine", native != NULL ? "native" : tools != NULL ? "valgrind" : "none is installed with this program");
    fact(p, "engine.tool", tools != NULL ? tools : "not found");
    fact(p, "engine.built-for", TENURE_VALGRIND_VERSION);
    fact(p, "engine.valgrind", valgrind != NULL ? valgrind : "not found");
    if (valgrind != NULL && engine_version(valgrind, version, sizeof version))
        fact(p, "engine.version", version);
    fact(p, "engine.native", native != NULL ? native : "not found");
    free(valgrind);
    free(tools);
    free(native);
}

static int this_machine(struct printer *p)
{
    char text[512];
    struct utsname system;

    begin(p);
    fact(p, "tenure", TENURE_VERSION);
    fact(p, "sqlite", query_library());
    engine(p);
    if (uname(&system) == 0) {
        snprintf(text, sizeof text, "%s %s %s", system.sysname, system.release, system.machine);
        fact(p, "system", text);
    }
    processor(text, sizeof text);
    fact(p, "processor", text);
    caches(p);
    end(p);
    return term_finish(CLI_GOOD);
}

/* ------------------------------------------------------------------------------------------ a profile */

static void print_events(struct printer *p, tp_profile *profile)
{
    size_t i;

    if (p->json)
        fputs(",\n  \"events\": {", stdout);
    else
        puts("\nEvents");
    for (i = 0; i < tp_event_count(profile); i++) {
        const struct tp_event *event = tp_event_at(profile, i);

        if (p->json) {
            fputs(i ? ",\n    " : "\n    ", stdout);
            term_json(stdout, event->name);
            fputs(": ", stdout);
            term_json(stdout, event->long_name);
        } else {
            char safe[4 * 128];

            term_escape(safe, sizeof safe, event->long_name);
            printf("  %-12s %s%s\n", event->name, safe, event->derived ? " (derived)" : "");
        }
    }
    if (p->json)
        fputs("\n  }", stdout);
}

static int of_profile(struct printer *p, const char *path)
{
    tp_profile *profile = given_open(path);
    struct query q;
    bool good;

    if (profile == NULL)
        return CLI_ERROR;
    begin(p);
    fact(p, "profile", given_name());
    query_begin(&q, profile, "SELECT key, value FROM meta ORDER BY key");
    while (query_row(&q))
        fact(p, query_text(&q, 0), query_text(&q, 1));
    good = query_end(&q);
    print_events(p, profile);
    end(p);
    given_close(profile);
    return term_finish(good ? CLI_GOOD : CLI_ERROR);
}

int cmd_info(int argc, char **argv)
{
    struct info options = {0};
    int first = opt_parse(&command, &options, argc, argv);
    struct printer printer = {0};

    if (first < 0)
        return term_finish(-1 - first);
    printer.json = options.json;
    return first < argc ? of_profile(&printer, argv[first]) : this_machine(&printer);
}
