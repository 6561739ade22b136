/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair_remap.c: remaps, drawn at random and the same for the core and for the model; which is for an object
 * follows from its name, or from the names of the innermost two functions of its path.
 *
 * Where the parts of blocks lie is remap_model.h's to say. Here is what blocks there are: of the heap as the
 * model of memory has them, and symbols from their first access on.
 */
#include "pair_own.h"
#include "remap_model.h"
#include "rng.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4, LEAST_SYMBOL = 16 };

struct known { /* an object that was asked for */
    struct known *next;
    char *name;      /* as in the sheet */
    uint32_t object; /* of the model; 0: it is where it is */
    uint32_t symbol; /* its block, of a static one */
};
struct pair_remaps {
    struct tn_remap remap[MOST];
    uint32_t count;
    struct remap_model *model;
    struct known *known;
    struct { /* the symbol that was asked for last */
        uint64_t start, size;
        struct known *known;
    } last;
};

/* ------------------------------------------------------------------------------------------------ drawing */

/* Some of an element's bytes, in any order, and perhaps gaps. */
static void draw_runs(struct rng *rng, struct tn_remap *remap, uint32_t element)
{
    uint32_t cuts = 1 + rng_below(rng, 6), at = rng_below(rng, 2) ? rng_below(rng, element) : 0, part = 0;
    bool one = !rng_below(rng, 4);

    for (uint32_t i = 0; i < cuts && at < element; i++) {
        uint32_t size = rng_below(rng, 2) ? 1u << rng_below(rng, 5) : 1 + rng_below(rng, element);
        struct tn_remap_run *run = &remap->run[remap->runs];

        run->from = at;
        run->to = at + size < element ? at + size : element;
        at = run->to + (rng_below(rng, 3) ? 0 : 1 + rng_below(rng, 12));
        if (rng_below(rng, 4) || !remap->runs)
            remap->runs++;
    }
    for (uint32_t i = 0; i + 1 < remap->runs; i++) { /* any order */
        uint32_t other = i + rng_below(rng, remap->runs - i);
        struct tn_remap_run run = remap->run[i];

        remap->run[i] = remap->run[other];
        remap->run[other] = run;
    }
    for (uint32_t i = 0; i < remap->runs; i++) {
        uint32_t new = one || i == 0 ? 0 : rng_below(rng, part + 2);

        remap->run[i].part = new;
        part = new > part ? new : part;
    }
    remap->rest = one ? 0 : rng_below(rng, part + 2);
}

static void draw(struct rng *rng, struct tn_remap *remap)
{
    static const uint32_t elements[] = {4, 8, 12, 16, 24, 40, 64, 100, 256, 1000, 5000};
    static const uint32_t pads[] = {8, 16, 64, 24, 100, 4096};
    uint32_t element = elements[rng_below(rng, sizeof elements / sizeof *elements)];
    bool one = true;

    remap->element = rng_below(rng, 3) ? element : 0;
    if (rng_below(rng, 3))
        draw_runs(rng, remap, element);
    for (uint32_t i = 0; i < remap->runs; i++)
        one &= !remap->run[i].part;
    one &= !remap->rest;
    remap->pad = rng_below(rng, 3) ? 0 : pads[rng_below(rng, sizeof pads / sizeof *pads)];
    if (!rng_below(rng, 3))
        remap->row = rng_below(rng, 2) ? element * (1 + rng_below(rng, 20)) : 1 + rng_below(rng, 4000);
    remap->align = rng_below(rng, 2) ? 0 : 1u << rng_below(rng, 14);
    remap->pool = rng_below(rng, 2);
    remap->walk = one && remap->pool && rng_below(rng, 2);
}

/* --------------------------------------------------------------------------------------------- the choice */

static uint64_t mix(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x9e3779b97f4a7c15ull, hash ^= hash >> 32;
    return hash ^ 0xff;
}

/* From two names, of which the second may be "". */
static uint32_t choice(const struct pair *pair, const char *name, const char *other)
{
    uint64_t hash = mix(mix(pair->config.remap, name) * 0x9e3779b97f4a7c15ull, other) >> 20;

    return hash % 4 ? (uint32_t)(1 + hash / 4 % pair->remaps->count) : 0;
}

/* Whether reads of a function count where elements are walked: those of all functions, or of every other one. */
static bool walks(uint32_t which, const char *name)
{
    return which % 2 || mix(which, name) >> 20 & 1;
}

static bool remap_walks(void *user, uint32_t which, const char *function)
{
    (void)user;
    return walks(which, function);
}

static uint32_t remap_of(void *user, const struct tn_remap_object *object)
{
    if (object->kind == TN_DATA_STATIC)
        return choice(user, object->name, "");
    return choice(user, object->callers ? object->caller[0].function : "",
                  object->callers > 1 ? object->caller[1].function : "");
}

/* The function that is last in a path "f1/i2.f3/i4.f5" which ends here, as the core is told of it; then the
 * end of what is in front of it. */
static const char *last_function(const struct pair *pair, const char *path, const char *end, char name[16])
{
    const char *begin = end;
    unsigned id = 0;

    *name = 0;
    while (begin > path && begin[-1] != '/')
        begin--;
    if (begin == end)
        return path;
    if (sscanf(begin, "f%u", &id) != 1)
        sscanf(begin, "i%*u.f%u", &id);
    for (uint32_t i = 0; i < pair->functions; i++)
        if (pair->id[i] == id)
            sprintf(name, "f%u", pair->function[i].number);
    return begin > path ? begin - 1 : path;
}

static uint32_t choice_of_path(const struct pair *pair, const char *path)
{
    char name[16], other[16];
    const char *end = last_function(pair, path, path + strlen(path), name);

    last_function(pair, path, end, other);
    return choice(pair, name, other);
}

/* ------------------------------------------------------------------------------------------------ objects */

void pair_remaps_new(struct pair *pair)
{
    struct pair_remaps *remaps;
    struct rng rng;

    if (!pair->config.remap)
        return;
    remaps = pair->remaps = calloc(1, sizeof *remaps);
    rng_seed(&rng, pair->config.remap);
    remaps->count = 1 + rng_below(&rng, MOST);
    for (uint32_t i = 0; i < remaps->count; i++)
        draw(&rng, &remaps->remap[i]);
    remaps->model = rm_new();
    mm_remaps(pair->memory, remaps->model);
}

void pair_remaps_free(struct pair *pair)
{
    struct pair_remaps *remaps = pair->remaps;

    if (!remaps)
        return;
    for (struct known *known; (known = remaps->known);) {
        remaps->known = known->next;
        free(known->name);
        free(known);
    }
    rm_free(remaps->model);
    free(remaps);
}

void pair_remaps_config(struct pair *pair, struct tn_config *config)
{
    if (!pair->remaps)
        return;
    config->remaps = pair->remaps->remap;
    config->remap_count = pair->remaps->count;
    config->remap_of = remap_of;
    config->remap_walks = remap_walks;
}

static struct known *find_known(const struct pair_remaps *remaps, const char *name)
{
    for (struct known *known = remaps->known; known; known = known->next)
        if (!strcmp(known->name, name))
            return known;
    return NULL;
}

/* An object is made. `which`: 1 is the first remap, 0 none. */
static struct known *make_known(struct pair *pair, const char *name, uint32_t which,
                                struct mm_element element, bool heap)
{
    struct pair_remaps *remaps = pair->remaps;
    struct known *known = malloc(sizeof *known);

    *known = (struct known){.next = remaps->known, .name = strdup(name)};
    remaps->known = known;
    if (which)
        known->object = rm_object(remaps->model, &remaps->remap[which - 1], element.size, element.lead, heap);
    return known;
}

void pair_remap_block(struct pair *pair, const char *object, uint64_t address, uint64_t bytes)
{
    struct known *known;

    if (!pair->remaps)
        return;
    known = find_known(pair->remaps, object);
    if (!known) /* behind "heap " is the path */
        known = make_known(pair, object, choice_of_path(pair, object + 5), mm_element(pair->memory, object),
                           true);
    if (known->object && bytes && bytes <= 1ull << 36)
        mm_block_apart(pair->memory, pair->remaps->model,
                       rm_block_begins(pair->remaps->model, known->object, address, bytes), address, bytes);
}

/* The block of the symbol that the byte is in, which is accessed now. */
static uint32_t symbol_at(struct pair *pair, uint64_t address, uint64_t *offset)
{
    struct tn_memory_info info = {.kind = TN_DATA_OTHER};
    struct known *known;
    char name[64];

    if (address - pair->remaps->last.start < pair->remaps->last.size) {
        *offset = address - pair->remaps->last.start;
        return pair->remaps->last.known->symbol;
    }
    pair_memory_at(NULL, address, &info);
    if (info.kind != TN_DATA_STATIC || info.size < LEAST_SYMBOL)
        return 0;
    sprintf(name, "static %s %s", info.name, info.file);
    known = find_known(pair->remaps, name);
    if (!known)
        known = make_known(pair, name, choice(pair, info.name, ""),
                           (struct mm_element){.size = info.element.size}, false);
    if (known->object && !known->symbol)
        known->symbol = rm_block_begins(pair->remaps->model, known->object, info.address, info.size);
    *offset = address - info.address;
    pair->remaps->last.start = info.address;
    pair->remaps->last.size = info.size;
    pair->remaps->last.known = known;
    return known->symbol;
}

static uint32_t block_at(void *user, uint64_t address, uint64_t *offset)
{
    struct pair *pair = user;

    return mm_is_known(pair->memory, address) ? mm_apart_at(pair->memory, address, offset)
                                              : symbol_at(pair, address, offset);
}

/* ----------------------------------------------------------------------------------------------- accesses */

static bool reads_for(void *user, const struct tn_remap *remap)
{
    const struct pair *pair = user;
    char name[16];

    sprintf(name, "f%u", pair->walking);
    return walks((uint32_t)(remap - pair->remaps->remap) + 1, name);
}

static struct model_place place_in(struct pair *pair, uint32_t block, uint64_t offset)
{
    uint32_t line = pair->config.d1.line;

    return (struct model_place){
        .known = true, .to = line, .at = rm_places(pair->remaps->model, block, offset, line)};
}

void pair_remap_access(struct pair *pair, uint32_t thread, enum model_kind kind, uint64_t address,
                       uint32_t size, struct model_payer *payer)
{
    struct rm_span cut[RM_SPANS];
    struct model_span spans[RM_SPANS];
    uint32_t line = pair->config.d1.line, number = 0, most = size / line + 2 * RM_SPANS;
    bool reads = kind == MODEL_READ || kind == MODEL_MODIFY;
    uint32_t count =
        rm_spans(pair->remaps->model, address, size, reads ? reads_for : NULL, block_at, pair, cut);
    struct objects_list *list = pair_objects_room(pair, most, payer);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t first = cut[i].address, at = first;

        spans[i] = (struct model_span){first, cut[i].size};
        for (; at < first + cut[i].size; at = at - at % line + line, number++) {
            uint64_t byte = address + cut[i].from + (at - first), offset;
            uint32_t block = block_at(pair, byte, &offset);

            pair_holds(pair, byte, line, &list->object[number], &list->places[number]);
            if (block)
                list->places[number] = place_in(pair, block, offset);
        }
    }
    model_access_spans(pair->model, thread, kind, spans, count, payer);
}

/* -------------------------------------------------------------------------------------------------- pages */

void pair_remap_pages(struct pair *pair, struct sheet *expected, struct sheet *got)
{
    struct pair_remaps *remaps = pair->remaps;
    static const uint64_t none[M_EVENTS];
    static char key[LONGEST + 8];

    for (size_t i = 0; i < got->rows; i++) {
        struct sheet_row *row = &got->row[i];
        const struct known *known =
            remaps && !strncmp(row->key, "pages ", 6) ? find_known(remaps, row->key + 6) : NULL;

        if (!strncmp(row->key, "pages ", 6) && (!known || !known->object))
            memset(row->value, 0, sizeof row->value);
    }
    for (struct known *known = remaps ? remaps->known : NULL; known; known = known->next) {
        if (!known->object)
            continue;
        sprintf(key, "pages %s", known->name);
        sheet_add(expected, key, none, rm_pages(remaps->model, known->object));
    }
    if (remaps)
        rm_zero(remaps->model);
}
