/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * again.c: what `tenure record` adds to the meta data of a profile; see again.h.
 *
 * A further machine is recorded again by itself: with its caches, and without --also.
 */
#include "cli/record/again.h"

#include "cli/base/term.h"
#include "cli/base/words.h"

#include <stdlib.h>
#include <string.h>

/* Options, and the program with its arguments. */
static void put_words(const struct again *r, uint32_t machine, const char *meta[2])
{
    char *options = term_text("%s", ""), geometry[GEOMETRY_TEXT];
    struct tn_config config = r->options->config;
    size_t words = 0;

    if (machine > 0) {
        const struct tn_also *caches = &config.also[machine - 1];
        config.i1 = caches->i1, config.d1 = caches->d1, config.l2 = caches->l2, config.ll = caches->ll;
    }
    for (size_t i = 0; i < GEOMETRY_LEVELS; i++) {
        const struct tn_geometry *cache = geometry_of(&config, i);

        geometry_put(geometry, cache);
        char *option = term_text("--%s=%s", geometry_name[i], cache->size > 0 ? geometry : "none");
        options = words_add(options, &option, 1);
        free(option);
    }
    while (r->program[words] != NULL)
        words++;
    for (size_t i = 0; i < r->argument_count; i++) {
        if (strncmp(r->arguments[i], "--also=", 7) != 0)
            options = words_add(options, &r->arguments[i], 1);
    }
    meta[0] = options;
    meta[1] = words_add(term_text("%s", ""), r->program, words);
}

const char *const *again_meta(const struct again *r, uint32_t machine)
{
    static const char *list[2 * GEOMETRY_LEVELS + 5], *ways[1 + TN_ALSO_MOST][2];
    struct tn_config config = r->options->config;
    const char **how = ways[machine];
    int n = 0;

    if (how[0] == NULL)
        put_words(r, machine, how);
    list[n++] = "record.options", list[n++] = how[0];
    list[n++] = "record.program", list[n++] = how[1];
    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        if (geometry_of(&config, i)->size == 0)
            continue;
        list[n++] = geometry_source_key[i];
        list[n++] = r->options->geometry_source[i];
    }
    list[n] = NULL;
    return list;
}
