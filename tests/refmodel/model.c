/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model.c: docs/model.md, sentence by sentence.
 *
 * A set is an array of pointers to lines. A line of level 1 points to the record
 * of the level below that it holds, and so does a record of level 2. A record is on its own: its line's
 * place in its cache (`resident`) and its holders keep it; when both are gone, its loader pays.
 *
 * Callgrind's way (config.callgrind) is another model, found by experiments with Callgrind 3.19 as a black box and held
 * to it by tests/oracle/traced.py. It differs from docs/model.md in this:
 *
 *   - A record is a slot of the last level, used again for the line that comes in its place. A line of level 1 keeps
 *     its slot, and its use is folded there, whatever the slot holds by then.
 *   - A slot pays when its line leaves, with what was folded by then; nothing if that was nothing.
 *   - A line pays, folds and misses only if collection is on *then*; who pays does not depend on the load.
 *   - Use is kept in 32 granules a line. Granules are folded by number, also where line sizes differ.
 *   - AcCost is an integer, 1000 / touches.
 *   - A modification is a write (Dw, D1mw, DLmw).
 *   - An access longer than the shortest line of all caches is cut to that.
 *   - In a cache of one set an access that straddles is one to its first line and uses nothing of it.
 */
#include "distance_model.h"
#include "model_own.h"

#include <stdlib.h>
#include <string.h>

/* Someone pays. Groups are told apart by what a count of each weighs, here as in raw_simple.c. */
static void pay(struct model *model, const struct model_payer *payer, int event, uint64_t amount)
{
    model->charge(model->user, payer, event, amount * model_group_weight[payer->group]);
}

/* ----------------------------------------------------------------------------------------------- line use */

static void use_init(struct use *use, const struct model_payer *payer, bool fetched, uint64_t index,
                     uint32_t line_size)
{
    use->payer = *payer;
    use->fetched = fetched;
    use->load = index;
    use->touches = use->bytes = use->again = 0;
    use->touched = calloc(line_size, 1);
    use->written = calloc(line_size, 1);
}

/* Level 1, and the last level if its lines are as long, tell data objects where. */
static bool tells_where(const struct model *model, const struct model_payer *payer, enum level level)
{
    return model->config.charge_at && payer->place.known &&
           (level == LEVEL_1 || (level == LEVEL_LAST && model->config.ll.line == model->config.d1.line));
}

static void use_end_where(struct model *model, const struct use *use, uint32_t line_size, enum level level, int first)
{
    uint32_t granule = line_size > 64 ? line_size / 64 : 1;

    if (!tells_where(model, &use->payer, level))
        return;
    for (uint32_t from = 0; from < line_size; from += granule) {
        bool touched = memchr(use->touched + from, true, granule) != NULL;

        for (uint32_t i = from; i < from + granule; i++)
            model->config.charge_at(model->user, &use->payer, first + (touched ? M_USE : M_SPLOSS),
                                    place_of(&use->payer.place, i), 1);
    }
}

/* A tenure ends: if it was written, its line goes down, and its loader pays. */
static void write_back(struct model *model, const struct use *use, uint32_t line_size, enum level level)
{
    static const int fetched[] = {-1, M_I_WB2, M_I_WBL}, data[] = {M_D_WB1, M_D_WB2, M_D_WBL};
    int first = use->fetched ? fetched[level] : data[level];
    uint64_t written = distinct_bytes(use->written, line_size, 64);

    if (!model->config.write_back || !written)
        return;
    pay(model, &use->payer, first + M_WB, 1);
    pay(model, &use->payer, first + M_WRT, written);
}

/* A tenure ends at `index`: its loader pays. */
static void use_end(struct model *model, struct use *use, uint32_t line_size, enum level level,
                    uint64_t index)
{
    static const int fetched[] = {M_I_USE1, M_I_USE2, M_I_USEL}, data[] = {M_D_USE1, M_D_USE2, M_D_USEL};
    int first = use->fetched ? fetched[level] : data[level];
    bool callgrind = model->config.callgrind, pays = !callgrind || (use->touches && model->collecting);
    uint64_t distinct = distinct_bytes(use->touched, line_size, callgrind ? 32 : 64);
    uint64_t amount[M_USES] = {
        [M_ACCOST] = use->touches ? (1000ull << (callgrind ? 0 : 16)) / use->touches : 0,
        [M_SPLOSS] = line_size - distinct,
        [M_EV] = 1,
        [M_TCH] = use->touches,
        [M_BYT] = use->bytes,
        [M_USE] = distinct,
        [M_AGE] = index - use->load,
    };

    for (int i = 0; model->config.use && pays && i < M_USES; i++)
        pay(model, &use->payer, first + i, amount[i]);
    if (model->config.use && pays && !use->fetched)
        use_end_where(model, use, line_size, level, first);
    write_back(model, use, line_size, level);
    free(use->touched);
    free(use->written);
}

static uint32_t record_line_size(const struct model *model, const struct record *record)
{
    return record->level == LEVEL_LAST ? model->config.ll.line : model->config.l2.line;
}

static void fold_callgrind(struct model *model, struct record *slot, const struct use *use,
                           uint32_t line_size)
{
    uint32_t granule = line_size / 32, below = model->config.ll.line / 32;

    for (uint32_t i = 0; i < line_size; i++)
        slot->use.touched[i / granule * below] |= use->touched[i];
    slot->use.touches += use->touches;
    slot->use.bytes += use->bytes;
}

/* What was used of a line that leaves joins the record it was filled from, which has one holder less. */
static void fold(struct model *model, struct record *record, const struct use *use, uint64_t line,
                 uint32_t line_size, uint64_t index)
{
    uint64_t offset = line - record->line;

    for (uint32_t i = 0; i < line_size; i++) {
        record->use.touched[offset + i] |= use->touched[i];
        record->use.written[offset + i] |= use->written[i];
    }
    record->use.touches += use->touches;
    record->use.bytes += use->bytes;
    record->holders--;
    record_end_if_done(model, record, index);
}

void record_end_if_done(struct model *model, struct record *record, uint64_t index)
{
    uint32_t line_size = record_line_size(model, record);

    if (record->resident || record->holders)
        return;
    if (record->below)
        fold(model, record->below, &record->use, record->line, line_size, index);
    use_end(model, &record->use, line_size, record->level, index);
    free(record);
}

/* Whether what others had written was touched in the tenure. */
static void tell_sharing(struct model *model, struct line *line, uint32_t line_size)
{
    uint64_t written = granules_of(line->foreign, line_size), touched = granules_of(line->use.touched, line_size);
    bool falsely = !(written & touched);

    if (falsely)
        pay(model, &line->use.payer, line->falsely, 1);
    model->share(model->user, &line->writer, &line->victim, falsely ? MODEL_SHARED_FALSELY : MODEL_SHARED_TRULY,
                 written, touched);
    line->falsely = 0;
}

/* A tenure of level 1 ends. */
static void tenure_end(struct model *model, const struct cache *cache, struct line *line, uint64_t index)
{
    if (line->falsely)
        tell_sharing(model, line, cache->config.line);
    if (!model->config.callgrind)
        fold(model, line->record, &line->use, line->line, cache->config.line, index);
    else if (model->collecting)
        fold_callgrind(model, line->record, &line->use, cache->config.line);
    use_end(model, &line->use, cache->config.line, LEVEL_1, index);
}

/* A line leaves level 1; of one that is invalid, the tenure has ended. */
void line_end(struct model *model, const struct cache *cache, struct line *line, uint64_t index)
{
    if (line->record && line->state != INVALID) {
        tenure_end(model, cache, line, index);
    } else if (!line->record) { /* it counts nowhere */
        free(line->use.touched);
        free(line->use.written);
    }
    free(line->foreign);
    free(line);
}

/* ---------------------------------------------------------------------------------------------- an access */

/* A line is loaded by the access with this index and another leaves, or none (used: 0). What may be a miss there. */
static struct model_miss load(const struct model *model, struct cache *cache, int level, uint64_t line, uint64_t index,
                              const struct past_line *victim)
{
    static const int number[] = {0, 2, 1};
    uint64_t lines = cache->config.size / cache->config.line, set = cache_set(cache, line);
    struct model_miss miss = {.level = number[level], .set = set};
    struct past_line was;

    if (!model->config.patterns)
        return miss;
    miss.kind = (int)past_load(&cache->past, lines, line, cache->config.line, model->config.traces,
                               &was);
    miss.timed = was.used != 0;
    miss.distance = index - was.index;
    miss.loader = was.loader;
    miss.evictor = was.evictor;
    past_leave(&cache->past, lines, cache->sets, set, victim, cache->config.line, model->config.traces);
    return miss;
}

/* A line is used that is there, so long behind its last use. */
static void use_again(struct model *model, struct use *use, int level, uint64_t distance, const struct asking *asking)
{
    if (model->config.reused && !use->again)
        model->config.reused(model->user, asking->payer,
                             &(struct model_reuse){level, asking->fetched, distance, use->payer});
    use->again = true;
}

/* A line leaves a lower level. The record for the one that comes in its place. */
static struct record *leave(struct model *model, struct record *victim, uint64_t index)
{
    if (victim && model->config.callgrind) {
        use_end(model, &victim->use, model->config.ll.line, LEVEL_LAST, index);
        return victim;
    }
    if (victim && victim->invalid) {
        free(victim);
    } else if (victim) {
        victim->resident = false;
        record_end_if_done(model, victim, index);
    }
    return calloc(1, sizeof *victim);
}

/* The record of the line of a lower level that holds the address, or what is left of it where it is invalid. */
static struct record *look_below(const struct cache *cache, uint64_t address, uint32_t *place)
{
    uint64_t line = address - address % cache->config.line, set = cache_set(cache, line);

    for (*place = 0; *place < cache->config.assoc; ++*place) {
        struct record *record = *cache_at(cache, set, *place);

        if (record && record->line == line)
            return record;
    }
    return NULL;
}

static void share_block(struct model *model, uint64_t block, uint32_t owner);

/* Ask a lower level for the line that holds `address`. The record it has, afterwards the most recently used. */
static struct record *lower(struct model *model, enum level level, uint64_t address, struct asking *asking)
{
    struct cache *cache = level == LEVEL_LAST ? &model->ll : &model->l2[asking->owner];
    uint64_t line = address - address % cache->config.line, set = cache_set(cache, line);
    static const int prefetched[2][3] = {{-1, M_D_PF2, M_D_PFL}, {-1, M_I_PF2, M_I_PFL}};
    uint32_t place;
    struct record *record = look_below(cache, address, &place), *invalid = record && record->invalid ? record : NULL;
    struct model_miss missed = {.level = 2, .kind = -1, .set = set}; /* of a line that is invalid, in L2 */

    if (model->config.curves)
        ask_at(asking, level, stack_event(stack_use(cache, line) | (invalid ? NEVER : 0)));
    if (record && !invalid) {
        if (!asking->prefetching)
            use_again(model, &record->use, 3 - level, asking->index + 1 - (record->used >> TIME_BITS), asking);
        record->used = asking->time;
        cache_use(cache, set, place);
        return record;
    }
    if (!invalid) {
        record = cache_make_room(cache, set);
        missed = load(model, cache, level, line, asking->index,
                      &(struct past_line){record ? record->line : 0, record ? record->used : 0,
                                          record ? (record->used >> TIME_BITS) - 1 : 0,
                                          record ? record->use.payer : *asking->payer, *asking->payer});
    }
    if (asking->prefetching)
        pay(model, asking->payer, prefetched[asking->fetched][level], 1);
    else
        miss(asking, level, &missed);
    record = leave(model, record, asking->index);
    record->used = asking->time;
    if (level == LEVEL_2 && model->config.coherence)
        share_block(model, line, asking->owner);
    use_init(&record->use, asking->payer, asking->fetched, asking->index, cache->config.line);
    record->line = line;
    record->level = level;
    record->resident = true;
    record->ahead = asking->prefetching;
    if (level == LEVEL_2) {
        record->below = lower(model, LEVEL_LAST, line, asking);
        record->below->holders++;
    }
    if (!invalid)
        return cache_add(cache, set, record);
    cache_use(cache, set, place);
    return *cache_at(cache, set, place) = record;
}

/* An access asks for the line: if the prefetcher has brought it, that was of use. */
static void use_prefetched(struct model *model, struct record *record)
{
    static const int prefetched[2][3] = {{-1, M_D_PF2, M_D_PFL}, {-1, M_I_PF2, M_I_PFL}};

    if (record->ahead)
        pay(model, &record->use.payer, prefetched[record->use.fetched][record->level] + M_PFU, 1);
    record->ahead = false;
}

/* The prefetchers below level 1 see that it asks for the line of `address`. */
static void watch(struct model *model, uint64_t address, const struct asking *asking)
{
    enum level level = model->config.l2.size ? LEVEL_2 : LEVEL_LAST;
    uint32_t size = level == LEVEL_2 ? model->config.l2.line : model->config.ll.line;
    uint64_t ahead[MODEL_PREFETCH_D1];
    struct asking prefetch = *asking;

    prefetch_ahead(model->config.prefetch, &model->below[asking->owner], address, size,
                   asking->fetched ? 0 : asking->payer->address, ahead);
    prefetch.prefetching = true;
    prefetch.payer->place.from = prefetch.payer->place.to = 0;
    for (int i = 0; i < MODEL_PREFETCH_D1; i++)
        if (ahead[i])
            lower(model, level, ahead[i] * size, &prefetch);
}

/* The same of a line of D1 and of what it was filled from. */
static void use_asked(struct model *model, struct line *line)
{
    pay(model, &line->use.payer, M_D_PF1 + M_PFU, 1);
    line->ahead = false;
    for (struct record *record = line->record; record; record = record->below)
        use_prefetched(model, record);
}

static struct line *look(const struct cache *cache, uint64_t line_address, uint32_t *place)
{
    uint64_t set = cache_set(cache, line_address);
    for (*place = 0; *place < cache->config.assoc; ++*place) {
        struct line *line = *cache_at(cache, set, *place);

        if (line && line->line == line_address)
            return line;
    }
    return NULL;
}

/* A line of level 1, afterwards the most recently used of its set; NULL: it is not there. */
static struct line *find(struct cache *cache, uint64_t line_address)
{
    uint64_t set = cache_set(cache, line_address);
    uint32_t place;
    struct line *line = look(cache, line_address, &place);
    if (line)
        cache_use(cache, set, place);
    return line;
}

/* ------------------------------------------------------------------------------------------------ coherence */

/* What the access means to another thread's copy. */
static void meet(struct model *model, const struct cache *cache, struct line *copy, bool missed,
                 const struct asking *asking)
{
    if (missed && copy->state == MODIFIED)
        pay(model, asking->payer, M_XFR, 1);
    copy->state = SHARED;
    if (!asking->writes)
        return;
    pay(model, &copy->use.payer, M_INVD1, 1);
    pay(model, asking->payer, M_INV, 1);
    tenure_end(model, cache, copy, asking->index);
    copy->state = INVALID;
    copy->writer = *asking->payer;
    memset(copy->foreign, 0, cache->config.line);
}

/* The same to its L2, which gives the line up if it is written to. True if it has it. */
static bool meet_l2(struct model *model, struct cache *l2, uint64_t address, const struct asking *asking)
{
    uint32_t place;
    struct record *record = l2->config.size ? look_below(l2, address, &place) : NULL, *left;
    uint64_t set;

    if (!record || record->invalid)
        return false;
    if (!asking->writes)
        return true;
    left = calloc(1, sizeof *left);
    left->line = record->line;
    left->invalid = true;
    left->used = record->used;
    left->use.payer = record->use.payer;
    set = cache_set(l2, record->line);
    *cache_at(l2, set, place) = left;
    record->resident = false;
    record_end_if_done(model, record, asking->index);
    return true;
}

/* True if another thread had the line. */
static bool meet_others(struct model *model, uint64_t line_address, bool missed, const struct asking *asking)
{
    bool any = false;

    for (uint32_t t = 0; t < MODEL_MAX_THREADS; t++) {
        uint32_t place;
        struct line *copy = t == asking->owner ? NULL : look(&model->d1[t], line_address, &place);

        if (copy && copy->state != INVALID) {
            meet(model, &model->d1[t], copy, missed, asking);
            any = true;
        }
        if (t != asking->owner)
            any |= meet_l2(model, &model->l2[t], line_address, asking);
    }
    return any;
}

/* A thread's L2 gets a line: what others have of it is shared. */
static void share_block(struct model *model, uint64_t block, uint32_t owner)
{
    for (uint32_t t = 0; t < MODEL_MAX_THREADS; t++) {
        for (uint64_t at = block; t != owner && at < block + model->config.l2.line; at += model->config.d1.line) {
            uint32_t place;
            struct line *copy = look(&model->d1[t], at, &place);

            if (copy && copy->state != INVALID)
                copy->state = SHARED;
        }
    }
}

/* The line is there. */
static void coherent_hit(struct model *model, struct line *line, const struct asking *asking)
{
    if (!asking->writes)
        return;
    if (line->state == SHARED) {
        meet_others(model, line->line, false, asking);
        pay(model, asking->payer, M_UPG, 1);
    }
    line->state = MODIFIED;
}

/* It is not, or (`line`) is invalid. Its state when it has been loaded. */
static enum state coherent_miss(struct model *model, uint64_t line_address, const struct line *line,
                                struct asking *asking)
{
    bool any = meet_others(model, line_address, true, asking);
    if (!line) {
        asking->otherwise = true;
    } else if (!asking->again && !asking->otherwise) {
        asking->again = true;
        asking->line = line->line;
        asking->in = *asking->payer;
        asking->writer = line->writer;
    }
    return asking->writes ? MODIFIED : any ? SHARED : EXCLUSIVE;
}

/* Bytes that others write to lines which are invalid here are foreign to them. */
static void tell_write(struct model *model, uint64_t line_address, uint64_t from, uint64_t to, uint32_t owner)
{
    for (uint32_t t = 0; t < MODEL_MAX_THREADS; t++) {
        uint32_t place;
        struct line *copy = t == owner ? NULL : look(&model->d1[t], line_address, &place);

        if (copy && copy->state == INVALID)
            memset(copy->foreign + from, 1, to - from);
    }
}

/* The access is over: whether it missed because of others. */
static void coherent_end(struct model *model, struct asking *asking, bool write)
{
    struct line *line;
    uint32_t place;
    if (!asking->again || asking->otherwise)
        return;
    pay(model, &asking->in, write ? M_D1CW : M_D1CR, 1);
    model->share(model->user, &asking->writer, &asking->in, MODEL_MISSED, 0, 0);
    line = look(&model->d1[asking->owner], asking->line, &place);
    if (!line)
        return; /* another line of the access has thrown it out again */
    line->falsely = write ? M_D1FW : M_D1FR;
    line->victim = asking->in;
}

/* ------------------------------------------------------------------------------------------------- any line */

static void use_now(struct line *line, const struct asking *asking)
{
    line->used = asking->time;
    line->index = asking->own;
}

/* The line at `line_address`, for an access at `address`; NULL: it is not there, and the access goes past. */
static struct line *level1(struct model *model, struct cache *cache, uint64_t line_address, uint64_t address,
                           struct asking *asking)
{
    uint64_t set = cache_set(cache, line_address);
    struct line *line = find(cache, line_address), *victim;
    bool coherent = model->config.coherence && !asking->fetched, was_invalid = line && line->state == INVALID;
    struct model_miss missed = {.kind = -1, .set = set};
    enum state state = EXCLUSIVE;

    if (line && line->ahead)
        use_asked(model, line);
    if (line && !asking->fetched && !was_invalid)
        use_again(model, &line->use, 0, asking->own - line->index, asking);
    if (line && coherent && !was_invalid)
        coherent_hit(model, line, asking);
    if (line)
        use_now(line, asking);
    if (line && !was_invalid)
        return line;
    if (asking->past && coherent)
        meet_others(model, line_address, false, asking);
    if (asking->past)
        return NULL;
    if (coherent)
        state = coherent_miss(model, line_address, line, asking);
    victim = was_invalid ? NULL : cache_make_room(cache, set);
    if (!was_invalid)
        missed = load(model, cache, LEVEL_1, line_address, asking->own,
                      &(struct past_line){victim ? victim->line : 0, victim ? victim->used : 0,
                                          victim ? victim->index : 0,
                                          victim ? victim->use.payer : *asking->payer, *asking->payer});
    missed.address = address > line_address ? address : line_address;
    if (asking->prefetching)
        pay(model, asking->payer, M_D_PF1, 1);
    else
        miss(asking, LEVEL_1, &missed);
    if (victim)
        line_end(model, cache, victim, asking->index);
    watch(model, address > line_address ? address : line_address, asking);
    if (!was_invalid)
        cache_add(cache, set, line = calloc(1, sizeof *line));
    use_init(&line->use, asking->payer, asking->fetched, asking->index, cache->config.line);
    line->line = line_address;
    line->ahead = asking->prefetching;
    use_now(line, asking);
    if (!asking->payer->uncounted) {
        line->record = lower(model, model->config.l2.size ? LEVEL_2 : LEVEL_LAST, line_address, asking);
        line->record->holders++;
        for (struct record *record = line->record; record && !asking->prefetching; record = record->below)
            use_prefetched(model, record);
    }
    if (coherent && !was_invalid)
        line->foreign = calloc(cache->config.line, 1);
    line->state = state;
    return line;
}

static void touch(struct line *line, uint64_t address, uint64_t end, uint32_t line_size, bool writes)
{
    if (!line)
        return; /* it went past */
    uint64_t from = address > line->line ? address - line->line : 0;
    uint64_t to = end < line->line + line_size ? end - line->line : line_size;
    line->use.touches++;
    line->use.bytes += to - from;
    memset(line->use.touched + from, 1, to - from);
    if (writes)
        memset(line->use.written + from, 1, to - from);
}

/* Callgrind without line use: what misses at level 1, though only one of its lines may, asks the last level for all of
 * its lines, and the prefetcher, which sees its first byte, asks before it does. */
static void access_plainly(struct model *model, struct cache *cache, uint64_t address, uint32_t size,
                           struct asking *asking)
{
    uint32_t line_size = cache->config.line, last_size = model->config.ll.line;

    for (uint64_t at = address - address % line_size; at < address + size; at += line_size) {
        struct line *line = find(cache, at);

        if (line)
            continue;
        miss(asking, LEVEL_1, &(struct model_miss){0});
        free(cache_make_room(cache, cache_set(cache, at)));
        line = calloc(1, sizeof *line);
        line->line = at;
        cache_add(cache, cache_set(cache, at), line);
    }
    if (!asking->missed[LEVEL_1])
        return;
    watch(model, address, asking);
    for (uint64_t at = address - address % last_size; at < address + size; at += last_size)
        lower(model, LEVEL_LAST, at, asking);
}

/* A span of data begins. D1's prefetchers see the first of its lines that is not there, or was loaded ahead and not
 * asked for yet; what they ask for comes before its lines, and counts as used before. */
static void look_ahead(struct model *model, struct cache *cache, uint64_t address, uint64_t end, uint32_t number,
                       const struct asking *asking)
{
    uint32_t size = cache->config.line, place;
    uint64_t ahead[MODEL_PREFETCH_D1], at = address - address % size, first = at;
    const struct line *line;
    struct asking prefetch = *asking;

    while (at < end && (line = look(cache, at, &place)) && !line->ahead)
        at += size;
    if (at >= end)
        return;
    if (asking->payer->objects)
        prefetch.payer->object = asking->payer->objects[number + (at - first) / size];
    if (asking->payer->places)
        prefetch.payer->place = asking->payer->places[number + (at - first) / size];
    prefetch.payer->place.from = prefetch.payer->place.to = 0;
    prefetch.prefetching = true;
    at = at > address ? at : address;
    prefetch_ahead(model->config.prefetch + MODEL_PREFETCH_D1, &model->at_d1[asking->owner], at, size,
                   asking->payer->address, ahead);
    for (uint32_t i = 0; i < MODEL_PREFETCH_D1; i++) {
        uint64_t wanted = ahead[i] * size;

        if (ahead[i] && wanted / PAGE == at / PAGE && !look(cache, wanted, &place)) {
            struct line *loaded = level1(model, cache, wanted, wanted, &prefetch);

            loaded->used -= MODEL_PREFETCH_D1 - i;
            loaded->index -= number == 0; /* those of later spans come between accesses to lines of this one */
        }
    }
}

static uint32_t smallest_line(const struct model *model)
{
    uint32_t i1 = model->config.i1.line, d1 = model->config.d1.line, ll = model->config.ll.line;

    return i1 < d1 ? i1 < ll ? i1 : ll : d1 < ll ? d1 : ll;
}

/* docs/model.md, 20. An access misses once, and walks once. */
static void ask_page(struct model *model, uint64_t line, struct asking *asking)
{
    static const int missed[][2] = {{M_DTMR, M_DTMW}, {M_ITMR, M_ITMR}};
    static const int walked[][2] = {{M_DTWR, M_DTWW}, {M_ITWR, M_ITWR}};
    struct tlb *first = asking->fetched ? model->itlb[asking->owner] : model->dtlb[asking->owner];
    struct tlb *second = asking->fetched && first[1].entries ? &first[1] : &model->dtlb[asking->owner][1];
    bool as_write = asking->writes && !asking->modifies;

    if (!first->entries || tlb_use(first, line))
        return;
    if (!asking->no_page)
        pay(model, asking->payer, missed[asking->fetched][as_write], 1);
    asking->no_page = true;
    if (second->entries && tlb_use(second, line))
        return;
    if (!asking->walked)
        pay(model, asking->payer, walked[asking->fetched][as_write], 1);
    asking->walked = true;
}

/* docs/model.md, 23. An access misses each cache once. */
static void also_miss(struct model *model, uint32_t machine, enum level level, struct asking *asking)
{
    bool as_write = asking->writes && !asking->modifies;
    int first = asking->fetched ? M_I_ALSO + 3 * (int)machine : M_D_ALSO + 6 * (int)machine + 3 * as_write;

    if (!asking->also_missed[machine][level])
        pay(model, asking->payer, first + (int)level, 1);
    asking->also_missed[machine][level] = true;
}

/* The line goes through the caches of every further machine, unless it goes past the recorded one. */
static void ask_machines(struct model *model, struct cache *recorded, uint64_t line, struct asking *asking)
{
    const struct model_config *config = &model->config;
    uint32_t place;

    if (asking->past && !look(recorded, line, &place))
        return;

    for (uint32_t i = 0; i < config->also_count; i++) {
        struct also *also = &model->also[i];
        struct cache *first = asking->fetched ? &also->i1[asking->owner] : &also->d1[asking->owner];
        struct cache *second = &also->l2[asking->owner];

        if (also_ask(first, line))
            continue;
        if (also_is_other(&first->config, asking->fetched ? &config->i1 : &config->d1))
            also_miss(model, i, LEVEL_1, asking);
        if (second->config.size && also_ask(second, line))
            continue;
        if (second->config.size)
            also_miss(model, i, LEVEL_2, asking);
        if (!also_ask(&also->ll, line))
            also_miss(model, i, LEVEL_LAST, asking);
    }
}

/* Line `number` of the access is the first of the span. How many lines the access has with it. */
static uint32_t access_lines(struct model *model, struct cache *cache, uint64_t address, uint32_t size,
                             uint32_t number, struct asking *asking)
{
    uint32_t line_size = cache->config.line;
    uint64_t first = address - address % line_size;

    if (model->config.callgrind && size > smallest_line(model))
        size = smallest_line(model);
    if (model->config.callgrind && !model->config.use) {
        access_plainly(model, cache, address, size, asking);
        return 0;
    }
    if (model->config.callgrind && cache->sets == 1 && address + size > first + line_size) {
        level1(model, cache, first, address, asking)->use.touches++;
        return 0;
    }
    if (!asking->fetched && !asking->past)
        look_ahead(model, cache, address, address + size, number, asking);
    for (uint64_t at = first; at < address + size; at += line_size, asking->time += TIME_STEP, number++) {
        if (asking->payer->objects)
            asking->payer->object = asking->payer->objects[number];
        if (asking->payer->places)
            asking->payer->place = asking->payer->places[number];
        asking->at = at < address ? (uint32_t)(address - at) : 0;
        if (!model_is_simulated(&model->config, at, asking->payer))
            continue;
        ask_page(model, at, asking);
        ask_machines(model, cache, at, asking);
        touch(level1(model, cache, at, address, asking), address, address + size, line_size, asking->writes);
        if (model->config.coherence && asking->writes)
            tell_write(model, at, at < address ? address - at : 0,
                       at + line_size > address + size ? address + size - at : line_size, asking->owner);
    }
    return number;
}

/* The miss is that of the first byte asked for, or of the granule it is in. */
static void miss_where(struct model *model, struct asking *asking, uint32_t line_size, int level, int event)
{
    uint32_t granule = line_size > 64 ? line_size / 64 : 1;

    model->config.charge_at(model->user, asking->payer, event,
                            place_of(&asking->payer->place, asking->missed_at[level] / granule * granule), 1);
}

/* What is known of a miss besides. */
static void tell(struct model *model, struct asking *asking, int level)
{
    static const int event[2][3] = {{M_D_KIND1, M_D_KIND2, M_D_KINDL}, {M_I_KIND1, M_I_KIND2, M_I_KINDL}};
    struct model_miss *miss = &asking->miss[level];

    miss->fetched = asking->fetched, miss->owner = asking->owner;
    miss->stride = model->config.strides && level == 0 && !miss->fetched;
    if (model->config.patterns && miss->kind >= 0)
        pay(model, asking->payer, event[miss->fetched][level] + miss->kind, 1);
    model->missed(model->user, asking->payer, miss);
}

/* docs/model.md, 21. */
static void pay_distances(struct model *model, struct asking *asking)
{
    static const int first[2][3] = {{0, M_D_DIST2, M_D_DISTL}, {0, M_I_DIST2, M_I_DISTL}};

    for (int level = LEVEL_2; level <= LEVEL_LAST; level++) {
        const struct model_cache_config *config = level == LEVEL_2 ? &model->config.l2 : &model->config.ll;

        if (config->policy != MODEL_LRU || (level == LEVEL_2 && model->config.coherence))
            continue;
        for (int i = 0; i <= asking->asked[level]; i++) {
            asking->payer->object = asking->asked_in[level][i];
            asking->payer->group = asking->asked_group[level][i];
            pay(model, asking->payer, first[asking->fetched][level] + i, 1);
        }
    }
}

void model_access(struct model *model, uint32_t thread, enum model_kind kind, uint64_t address, uint32_t size,
                  const struct model_payer *payer)
{
    model_access_spans(model, thread, kind, &(struct model_span){address, size}, 1, payer);
}

void model_access_spans(struct model *model, uint32_t thread, enum model_kind kind, const struct model_span *spans,
                        uint32_t count, const struct model_payer *payer)
{
    uint32_t number = 0;
    uint32_t owner = model->config.shared_l1 ? 0 : thread;
    struct cache *cache = kind == MODEL_FETCH ? &model->i1[owner] : &model->d1[owner];
    bool writes = kind != MODEL_FETCH && kind != MODEL_READ;
    struct asking asking = {.payer = {*payer}, .fetched = kind == MODEL_FETCH, .writes = writes, .owner = owner,
                            .asked = {-1, -1, -1}};
    static const int event[][3] = {
        [MODEL_FETCH] = {M_I1MR, M_I2MR, M_ILMR}, [MODEL_READ] = {M_D1MR, M_D2MR, M_DLMR},
        [MODEL_WRITE] = {M_D1MW, M_D2MW, M_DLMW}, [MODEL_MODIFY] = {M_D1MR, M_D2MR, M_DLMR},
    };

    asking.payer->fetched = asking.fetched;
    asking.past = kind == MODEL_WRITE_PAST, asking.modifies = kind == MODEL_MODIFY; /* the first misses nothing */
    asking.index = model->clock++;
    asking.own = model->config.parallel ? model->own[thread]++ : asking.index;
    asking.time = model->config.callgrind && !model->config.use ? 0 : (asking.index + 1) << TIME_BITS;
    model->collecting = payer->pays;
    for (uint32_t i = 0; i < count; i++)
        number = access_lines(model, cache, spans[i].address, spans[i].size, number, &asking);
    coherent_end(model, &asking, kind == MODEL_WRITE);
    if (kind == MODEL_MODIFY && model->config.callgrind)
        kind = MODEL_WRITE;
    pay_distances(model, &asking);
    for (int level = LEVEL_1; level <= LEVEL_LAST; level++)
        if (asking.missed[level] && !asking.uncounted[level] && (model->collecting || !model->config.callgrind)) {
            asking.payer->object = asking.missed_in[level];
            asking.payer->place = asking.missed_where[level];
            asking.payer->group = asking.missed_group[level];
            pay(model, asking.payer, event[kind][level], 1);
            if (tells_where(model, asking.payer, (enum level)level))
                miss_where(model, &asking, cache->config.line, level, event[kind][level]);
            tell(model, &asking, level);
        }
}

uint64_t model_clock(const struct model *model)
{
    return model->clock;
}
