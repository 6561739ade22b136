/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_check.c: whether profiles, raw or not, are as they were written, and hang together.
 *
 * Each file is read from end to end. What is wrong with one is said on standard error, as every command would say it,
 * and the next one is looked at.
 */
#include "cli/base/opt.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "profile/base/json.h"
#include "profile/base/sound.h"
#include "profile/profile.h"
#include "profile/sum/verify.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct check {
    bool json;
};

static const struct opt rows[] = {
    {OPT_FLAG, "json", 0, NULL, "write an array with an object for each file", offsetof(struct check, json)},
};

static const struct opt_command command = {
    "check",
    "[options] FILE...",
    "Reads profiles and raw profiles from end to end, and says of each whether it is sound: checksums, tables,\n"
    "references, sums. Ends with 1 if one is not.",
    OPT_ROWS(rows),
};

struct found {
    bool sound, raw;
    uint64_t count; /* rows, or parts */
};

static struct found look(const char *path, struct tp_error *err)
{
    struct found found = {.raw = tp_kind(path, err) == TP_KIND_RAW};
    tp_profile *profile = NULL;

    tp_sound_forget();
    if (found.raw) {
        found.sound = tp_verify_raw(path, &found.count, err) == 0;
    } else if ((profile = tp_open(path, err)) != NULL) {
        found.sound = tp_verify(profile, &found.count, err) == 0;
        if (found.sound && tp_changed(profile)) {
            found.sound = false;
            snprintf(err->message, sizeof err->message, "%.900s: " TP_CHANGED, path);
        }
    }
    tp_close(profile);
    return found;
}

static void print(const char *path, const struct found *found)
{
    char safe[8192];

    term_escape(safe, sizeof safe, path);
    if (found->raw)
        printf("%s: sound (raw profile, format %d, %" PRIu64 " part%s)\n", safe, tp_raw_version, found->count,
               found->count == 1 ? "" : "s");
    else
        printf("%s: sound (schema %d, %" PRIu64 " rows)\n", safe, tp_schema_version, found->count);
}

static void write_json(struct tp_json *json, const char *path, const struct found *found, const struct tp_error *err)
{
    tp_json_begin(json, NULL, '{', ", ");
    tp_json_text(json, "file", path);
    tp_json_bool(json, "sound", found->sound);
    if (!found->sound) {
        tp_json_text(json, "why", err->message);
    } else {
        tp_json_integer(json, found->raw ? "format" : "schema", found->raw ? tp_raw_version : tp_schema_version);
        tp_json_integer(json, found->raw ? "parts" : "rows", (int64_t)found->count);
    }
    tp_json_end(json);
}

int cmd_check(int argc, char **argv)
{
    struct check options = {0};
    struct tp_json json = {.out = stdout};
    int first = opt_parse(&command, &options, argc, argv), status = CLI_GOOD;

    if (first < 0)
        return term_finish(-1 - first);
    if (argc == first)
        return opt_misused(&command, "name a profile");
    if (options.json)
        tp_json_begin(&json, NULL, '[', ",\n ");
    for (int i = first; i < argc; i++) {
        struct tp_error err = {0};
        struct found found = look(argv[i], &err);

        if (!found.sound)
            status = CLI_ERROR;
        if (options.json)
            write_json(&json, argv[i], &found, &err);
        else if (found.sound)
            print(argv[i], &found);
        else
            term_error("%s", err.message);
    }
    if (options.json) {
        tp_json_end(&json);
        putchar('\n');
    }
    return term_finish(status);
}
