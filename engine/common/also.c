/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * also.c: see also.h.
 */
#include "engine/common/also.h"

#define FORM "a further machine is NAME:I1=SIZE,ASSOC,LINE:D1=...:L2=...:LL=..., L2 only if it has one"

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == '+';
}

bool also_good_name(const char *name)
{
    size_t length = 0;
    bool only_digits = true;

    for (; is_of_name(name[length]); length++)
        only_digits &= name[length] >= '0' && name[length] <= '9';
    return length > 0 && length < ALSO_NAME && *name != '.' && !name[length] && !only_digits;
}

/* Up to one of the characters that end a field: ':', ';' or the end. False: it is too long. */
static bool take_field(const char **text, char *to, size_t size)
{
    size_t n = 0;

    while (**text && **text != ':' && **text != ';' && n + 1 < size)
        to[n++] = *(*text)++;
    to[n] = '\0';
    return !**text || **text == ':' || **text == ';';
}

static struct tn_geometry *cache_of(struct tn_also *caches, const char *field)
{
    struct tn_geometry *const all[GEOMETRY_LEVELS] = {
        [GEOMETRY_I1] = &caches->i1, [GEOMETRY_D1] = &caches->d1, [GEOMETRY_L2] = &caches->l2,
        [GEOMETRY_LL] = &caches->ll};

    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        if (field[0] == geometry_name[i][0] && field[1] == geometry_name[i][1])
            return all[i];
    }
    return NULL;
}

const char *also_parse(const char **text, struct also_machine *out)
{
    char field[GEOMETRY_TEXT];

    *out = (struct also_machine){.name = ""};
    while (**text == ' ')
        ++*text;
    if (!take_field(text, out->name, sizeof out->name) || !also_good_name(out->name))
        return "the name of a further machine is of letters, digits and - _ . +, at most 60, not of digits alone";
    while (**text == ':') {
        ++*text;
        if (!take_field(text, field, sizeof field))
            return FORM;
        struct tn_geometry *cache = cache_of(&out->caches, field);
        if (!cache || cache->size || field[2] != '=')
            return FORM;
        const char *wrong = geometry_parse(field + 3, cache);
        if (wrong)
            return wrong;
    }
    if (!out->caches.i1.size || !out->caches.d1.size || !out->caches.ll.size)
        return FORM;
    while (**text == ';' || **text == ' ')
        ++*text;
    return NULL;
}

void also_put(char text[ALSO_TEXT], const struct also_machine *machine)
{
    struct tn_also caches = machine->caches;
    char geometry[GEOMETRY_TEXT], *to = text_put(text, machine->name);

    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        const struct tn_geometry *cache = cache_of(&caches, geometry_name[i]);
        if (!cache->size)
            continue;
        geometry_put(geometry, cache);
        to = text_put(text_put(text_put(text_put(to, ":"), geometry_name[i]), "="), geometry);
    }
}
