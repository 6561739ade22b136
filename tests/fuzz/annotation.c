/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation.c: what `tenure annotate` loads, from files that look like profiles.
 *
 * A profile that opens is loaded with every event, self and inclusive, with its instructions and kept sources; it loads
 * or says why not. What is loaded hangs together: indices are within their arrays, lines and what is below them are in
 * order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/annotation/annotation.h"
#include "profile/read/formula.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    tp_profile *profile = tp_open(path, &err);
    if (profile)
        load(profile);
    else
        must(err.message[0] && !strchr(err.message, '\n'));
    tp_close(profile);
    unlink(path);
    return 0;
}
