/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair_data.c: data objects, to the core as an engine tells of them, and to the model of memory as they really are.
 *
 * Allocation functions that are entered are a list for each thread, in the order of entering; what ends is found by
 * level, stack and frame.
 */
#include "pair_own.h"

#include <stdlib.h>
#include <string.h>

/* What memory holds that is in no block: code is one symbol after another, with gaps. */
void pair_memory_at(void *user, uint64_t address, struct tn_memory_info *out)
{
    enum { CODE = 0x400000, CODE_SIZE = 0x100000, EACH = 100, POOL_SIZE = 0x200000 };
    static const uint64_t pool = 0x10000000, file = 1ull << 42;
    static char name[16];

    (void)user;
    if (address - CODE < CODE_SIZE) {
        uint64_t number = (address - CODE) / EACH, start = CODE + number * EACH, size = 1 + number * 37 % EACH;
        bool gap = address - start >= size;

        sprintf(name, "v%u", (unsigned)number);
        *out = (struct tn_memory_info){.start = gap ? start + size : start,
                                       .end = gap ? start + EACH : start + size,
                                       .kind = TN_DATA_STATIC,
                                       .name = gap ? ".gap" : name,
                                       .address = gap ? 0 : start,
                                       .size = gap ? 0 : size,
                                       .file = "program",
                                       .element = {.size = gap || number % 3 ? 0 : 1 + size / 4, .lead = 0}};
    } else if (address - pool < POOL_SIZE) {
        *out = (struct tn_memory_info){.start = pool, .end = pool + POOL_SIZE, .kind = TN_DATA_REST};
    } else if (address - file < (1ull << 32)) {
        *out = (struct tn_memory_info){
            .start = file, .end = file + (1ull << 32), .kind = TN_DATA_FILE, .file = "mapped"};
    }
}

void pair_tell(uint64_t address, char *name)
{
    struct tn_memory_info info = {.kind = TN_DATA_OTHER};

    pair_memory_at(NULL, address, &info);
    if (info.kind == TN_DATA_STATIC)
        sprintf(name, "static %s %s", info.name, info.file);
    else
        strcpy(name, info.kind == TN_DATA_REST ? "rest" : info.kind == TN_DATA_FILE ? "file mapped" : "other");
}

/* What is asked of the calls of allocation functions, the nearest first, ends with any answer but `above`. */
enum tn_element_answer pair_element_at(void *user, uint64_t address, struct tn_element *out)
{
    static const uint32_t sizes[] = {4, 8, 12, 24, 40, 100, 7, 64, 5000, 65536, 65537, 0};
    uint64_t draw = address * 0x9e3779b97f4a7c15ull >> 32;

    (void)user;
    *out = (struct tn_element){.size = sizes[draw % 12], .lead = draw / 12 % 3 * 8, .type = draw};
    return draw / 64 % 4 == 0 ? TN_ELEMENT_UNKNOWN : draw / 64 % 4 == 1 ? TN_ELEMENT_ABOVE : TN_ELEMENT_KNOWN;
}

void pair_returns(struct pair *pair, uint32_t instr, uint64_t address)
{
    if (instr >= pair->returns_room) {
        pair->returns_room = 2 * instr + 100;
        pair->returns = realloc(pair->returns, pair->returns_room * sizeof *pair->returns);
    }
    pair->returns[instr] = address;
}

/* Of an object whose name is "heap " and a path: "f1/i2.f3/i4.f5". */
static struct mm_element element_of(struct pair *pair, const char *name)
{
    const char *end = name + strlen(name);
    struct tn_element element = {0};
    enum tn_element_answer answer = TN_ELEMENT_ABOVE;

    while (answer == TN_ELEMENT_ABOVE) {
        unsigned site;

        while (end > name && *end != '/')
            end--;
        if (end == name || sscanf(end, "/i%u", &site) != 1 || !site)
            return (struct mm_element){0};
        answer = pair_element_at(pair, pair->returns[site], &element);
        end--;
    }
    return answer == TN_ELEMENT_KNOWN ? (struct mm_element){.size = element.size, .lead = element.lead}
                                      : (struct mm_element){0};
}

static uint64_t result_at(uint64_t result, uint64_t at)
{
    return at ? result + 32 : result;
}

uint64_t pair_returned(void *user, tn_thread *thread, uint64_t at)
{
    (void)thread;
    return result_at(((struct pair *)user)->result, at);
}

void pair_result(struct pair *pair, uint64_t value)
{
    pair->result = value;
}

/* The innermost on the running stack of the running level, of those whose arguments are known if `told`; NULL: there is
 * none. */
static struct allocating *innermost(struct pair *pair, uint32_t thread, bool told)
{
    uint32_t level = m1_levels(pair->m1, thread), stack = m1_running_stack(pair->m1, thread);

    for (uint32_t i = pair->allocatings[thread]; i-- > 0;) {
        struct allocating *a = &pair->allocating[thread][i];

        if (a->level == level && a->stack == stack && (a->told || !told))
            return a;
    }
    return NULL;
}

/* The running frame has just entered the function. */
void pair_entered(struct pair *pair, uint32_t thread, uint32_t number)
{
    static char object[LONGEST] = "heap ";
    const struct pair_function *function = &pair->function[number];
    const struct allocating *outer;
    struct allocating *now;

    if (!pair->memory || !function->allocates[0])
        return;
    m1_origin(pair->m1, thread, pair->id[number], object + 5);
    outer = innermost(pair, thread, true);
    if (pair->allocatings[thread] == MAX_ALLOCATING)
        abort();
    now = &pair->allocating[thread][pair->allocatings[thread]++];
    *now = (struct allocating){.level = m1_levels(pair->m1, thread),
                               .stack = m1_running_stack(pair->m1, thread),
                               .frame = m1_frames(pair->m1, thread) - 1,
                               .function = number,
                               .object = strdup(outer ? outer->object : object)};
}

/* What is in frame `frame` or further, of the running stack, or of any in deeper levels than this, has ended. */
static void drop(struct pair *pair, uint32_t thread, uint32_t level, uint32_t stack, uint32_t frame)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < pair->allocatings[thread]; i++) {
        struct allocating *a = &pair->allocating[thread][i];

        if (a->level > level || (a->level == level && a->stack == stack && a->frame >= frame))
            free(a->object);
        else
            pair->allocating[thread][kept++] = *a;
    }
    pair->allocatings[thread] = kept;
}

void pair_drop_frames(struct pair *pair, uint32_t thread, uint32_t frame)
{
    drop(pair, thread, m1_levels(pair->m1, thread), m1_running_stack(pair->m1, thread), frame);
}

void pair_drop_levels(struct pair *pair, uint32_t thread, uint32_t level)
{
    drop(pair, thread, level, MODEL_MAX_THREADS, 0);
}

void pair_drop_all(struct pair *pair, uint32_t thread)
{
    pair_drop_levels(pair, thread, 0);
}

static void begins(struct pair *pair, const struct allocating *a, uint64_t block, bool collecting)
{
    struct mm_element element = element_of(pair, a->object);

    element.each = a->each;
    mm_block_begins(pair->memory, a->object, block, a->bytes, element, collecting);
    pair_remap_block(pair, a->object, block, a->bytes);
}

/* Its arguments are known, and it returns this. */
static void allocated(struct pair *pair, const struct allocating *a, uint64_t block, bool collecting)
{
    if (block && block == a->begun)
        return;
    if (a->old && (block || !a->bytes))
        mm_block_ends(pair->memory, a->old, false, collecting);
    if (block)
        begins(pair, a, block, collecting);
}

/* The running frame is about to return. */
void pair_returning(struct pair *pair, uint32_t thread)
{
    uint32_t frame = m1_frames(pair->m1, thread) - 1;

    for (struct allocating *a; (a = innermost(pair, thread, false)) && a->frame == frame;) {
        struct allocating *end = &pair->allocating[thread][pair->allocatings[thread]--], *outer;
        uint64_t block = a->told ? result_at(pair->result, a->at) : 0;

        if (a->told)
            allocated(pair, a, block, m1_collecting(pair->m1, thread));
        free(a->object);
        memmove(a, a + 1, (size_t)((char *)end - (char *)(a + 1)));
        outer = innermost(pair, thread, true);
        if (block && outer)
            outer->begun = block;
    }
}

void pair_allocates(struct pair *pair, uint32_t thread, uint32_t number, const uint64_t *arguments)
{
    const uint8_t *does = pair->function[number].allocates;
    struct allocating *now = innermost(pair, thread, false);

    tn_allocates(pair->thread[thread], pair->id[number], arguments);
    if (!pair->memory)
        return;
    if (!does[0] && does[2])
        mm_block_ends(pair->memory, arguments[does[2] - 1], false, m1_collecting(pair->m1, thread));
    if (!does[0] || !now || now->told || now->function != number || now->frame != m1_frames(pair->m1, thread) - 1)
        return;
    now->told = true;
    now->bytes = arguments[does[0] - 1] * (does[1] ? arguments[does[1] - 1] : 1);
    now->each = does[1] ? arguments[does[0] - 1] : 0;
    now->old = does[2] ? arguments[does[2] - 1] : 0;
    now->at = does[3] ? arguments[does[3] - 1] : 0;
}

void pair_map(struct pair *pair, uint32_t thread, uint64_t start, uint64_t bytes, bool anonymous)
{
    static char object[LONGEST];
    bool inside = false;

    tn_memory_changed(pair->thread[thread], start, bytes);
    if (anonymous)
        tn_memory_mapped(pair->thread[thread], start, bytes);
    if (!pair->memory)
        return;
    mm_changed(pair->memory, start, bytes, m1_collecting(pair->m1, thread));
    for (uint32_t i = 0; i < pair->allocatings[thread]; i++)
        inside |= pair->allocating[thread][i].level == m1_levels(pair->m1, thread);
    m1_origin(pair->m1, thread, 0, object + sprintf(object, "mapping "));
    if (anonymous)
        mm_mapped(pair->memory, start, bytes, inside ? "rest" : object);
}

void pair_region(struct pair *pair, uint32_t thread, uint64_t address, uint64_t bytes, uint32_t name)
{
    bool collecting = m1_collecting(pair->m1, thread);
    char core_name[16], name_of[32];

    sprintf(core_name, "r%u", name);
    sprintf(name_of, "named r%u", name);
    if (bytes)
        tn_region_named(pair->thread[thread], address, bytes, core_name);
    else
        tn_region_forgotten(pair->thread[thread], address);
    if (pair->memory && bytes)
        mm_block_begins(pair->memory, name_of, address, bytes, (struct mm_element){0}, collecting);
    else if (pair->memory)
        mm_block_ends(pair->memory, address, true, collecting);
}

/* Of a line that a symbol has. */
static struct model_place static_place(uint64_t address, uint32_t line)
{
    struct tn_memory_info info = {.kind = TN_DATA_OTHER};
    struct model_place place = {.known = false};

    pair_memory_at(NULL, address, &info);
    if (info.kind != TN_DATA_STATIC || !info.size)
        return place;
    place = (struct model_place){.known = true, .element = info.element.size, .to = line};
    place.start = (int64_t)(address - address % line) - (int64_t)info.start;
    if (place.start < 0)
        place.from = (uint32_t)-place.start;
    if (place.start + line > (int64_t)info.size)
        place.to = (uint32_t)((int64_t)info.size - place.start);
    return place;
}

void pair_holds(struct pair *pair, uint64_t address, uint32_t line, uint32_t *object, struct model_place *place)
{
    *object = mm_at(pair->memory, address);
    *place = mm_place(pair->memory, address, line);
    if (!strncmp(mm_name(pair->memory, *object), "static", 6))
        *place = static_place(address, line);
}

struct objects_list *pair_objects_room(struct pair *pair, uint32_t most, struct model_payer *payer)
{
    struct objects_list *list = malloc(sizeof *list + most * sizeof list->object[0]);

    list->places = malloc(most * sizeof *list->places);
    list->next = pair->objects;
    pair->objects = list;
    payer->objects = list->object;
    payer->places = list->places;
    return list;
}

/* What holds each line of an access. */
void pair_objects_at(struct pair *pair, uint64_t address, uint32_t size, struct model_payer *payer)
{
    uint32_t line = pair->config.d1.line, count = 0;
    struct objects_list *list = pair_objects_room(pair, size / line + 2, payer);

    for (uint64_t at = address; at < address + size; at = at - at % line + line, count++)
        pair_holds(pair, at, line, &list->object[count], &list->places[count]);
}
