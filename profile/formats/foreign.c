/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign.c: adding up what another tool's profile says.
 *
 * Costs are rows in memory (TP_FORM_ROW), one for each thread that ran the
 * instruction.
 *
 * Inclusive costs. A file has inclusive costs of calls, not of functions. A function's are its self costs and those of
 * its calls to other functions; calls to itself are in these already. Functions that call each other in a circle would
 * count what is below more than once; no function is given more than everything there is (of a difference that is
 * not known). Callgrind's own names keep them apart where that was asked for (--separate-recs).
 */
#include "profile/formats/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"

/* ------------------------------------------------------------------------------------------ names */

static bool foreign_same_name(const void *foreign, uint32_t index, const void *key)
{
    return strcmp(((const struct tp_foreign *)foreign)->name.at[index].text, key) == 0;
}

static struct tp_slot *foreign_find_name(struct tp_foreign *f, const char *text)
{
    return tp_slots_find(&f->names, tp_hash_text(text), foreign_same_name, f, text);
}

/* The text's number, from 1; 0: no memory. What is known is not kept again: files repeat their names. */
static uint32_t intern(struct tp_foreign *f, const char *text)
{
    struct tp_slot *slot = foreign_find_name(f, text);

    if (slot && slot->index)
        return slot->index;
    tp_arena_clear(&f->scratch);
    const char *clean = tp_clean_text(&f->scratch, text, strlen(text));
    slot = clean ? foreign_find_name(f, clean) : NULL;
    if (!slot)
        return 0;
    if (slot->index)
        return slot->index;
    struct tp_name *name = TP_VECTOR_ADD(&f->name);
    if (!name || !(name->text = tp_arena_copy(&f->rec.arena, clean, strlen(clean))))
        return 0;
    return tp_slots_fill(&f->names, slot, f->name.count);
}

int tp_foreign_path(struct tp_foreign *f, bool object, const char *path, uint32_t *out)
{
    *out = 0;
    if (*path == '\0' || strcmp(path, "???") == 0)
        return 0;
    uint32_t index = intern(f, path);
    struct tp_name *name = index ? &f->name.at[index - 1] : NULL;
    if (name && object && !name->object &&
        TP_VECTOR_PUSH(&f->rec.objects, (struct tp_object){.path = name->text, .file = name->text}))
        name->object = (uint32_t)f->rec.objects.count;
    if (name && !object && !name->file)
        name->file = tp_file_add(&f->files, &f->rec, name->text);
    *out = !name ? 0 : object ? name->object : name->file;
    return *out ? 0 : TP_NO_MEMORY(f->err);
}

static bool same_function(const void *foreign, uint32_t index, const void *key)
{
    const struct tp_named *k = key, *named = &((const struct tp_foreign *)foreign)->named.at[index];

    return named->object == k->object && named->file == k->file && named->symbol == k->symbol;
}

/* Index + 1 in f->named; 0: no memory. */
static uint32_t find_named(struct tp_foreign *f, uint32_t object, uint32_t file, const char *name)
{
    uint32_t symbol = intern(f, *name ? name : "???");
    struct tp_named key = {.object = object, .file = file, .symbol = symbol ? f->name.at[symbol - 1].text : NULL};
    struct tp_slot *slot =
        symbol ? tp_slots_find(&f->functions, tp_hash(tp_hash(symbol, file), object), same_function, f, &key) : NULL;

    if (!slot)
        return 0;
    if (slot->index)
        return slot->index;
    if (!TP_VECTOR_PUSH(&f->named, key))
        return 0;
    return tp_slots_fill(&f->functions, slot, f->named.count);
}

/* The level of recursion that a name ends in, as in f'2, and the length of what is before it; 1: none. */
static uint32_t level_of(const char *name, size_t *base)
{
    const char *mark = strrchr(name, '\''), *end = mark ? mark + 1 + strspn(mark + 1, "0123456789") : NULL;
    bool has_level = mark && mark > name && end > mark + 1 && end - mark < 10 && !*end;
    unsigned long level = has_level ? strtoul(mark + 1, NULL, 10) : 1;

    *base = level > 1 ? (size_t)(mark - name) : strlen(name);
    return level > 1 ? (uint32_t)level : 1;
}

/* The function of f->named.at[index - 1], made if there is none; 0: no memory. */
static uint32_t make_function(struct tp_foreign *f, uint32_t index)
{
    struct tp_named *named = &f->named.at[index - 1];

    if (named->function)
        return named->function;
    struct tp_function *function = TP_VECTOR_ADD(&f->rec.functions);
    if (!function)
        return 0;
    *function = (struct tp_function){.object = named->object, .file = named->file, .symbol = named->symbol};
    function->name = tp_demangle(&f->rec.arena, named->symbol);
    return function->name ? named->function = (uint32_t)f->rec.functions.count : 0;
}

static int make_context(struct tp_foreign *f, uint32_t index)
{
    struct tp_named named = f->named.at[index - 1];
    size_t length;
    uint32_t level = level_of(named.symbol, &length), base = index;

    if (level > 1) {
        char *name = tp_arena_copy(&f->rec.arena, named.symbol, length);
        base = name ? find_named(f, named.object, named.file, name) : 0;
    }
    uint32_t function = base ? make_function(f, base) : 0;
    struct tp_context *context = function ? TP_VECTOR_ADD(&f->rec.contexts) : NULL;
    if (!context)
        return TP_NO_MEMORY(f->err);
    context->function = function;
    context->level = level;
    f->named.at[index - 1].context = (uint32_t)f->rec.contexts.count;
    return 0;
}

int tp_foreign_function(struct tp_foreign *f, uint32_t object, uint32_t file, const char *name, uint32_t *out)
{
    uint32_t index = find_named(f, object, file, name);

    *out = 0;
    if (!index)
        return TP_NO_MEMORY(f->err);
    if (!f->named.at[index - 1].context && make_context(f, index))
        return -1;
    *out = f->named.at[index - 1].context;
    return 0;
}

/* ------------------------------------------------------------------------------------------ costs */

static bool same_instr(const void *foreign, uint32_t index, const void *key)
{
    const struct tp_place *place = key;
    const struct tp_instr *instr = &((const struct tp_foreign *)foreign)->rec.instrs.at[index];

    return instr->address == place->address && instr->line == place->line && instr->context == place->function &&
           instr->file == place->file;
}

/* Index + 1; 0: no memory. */
static uint32_t instr_at(struct tp_foreign *f, const struct tp_place *place)
{
    uint64_t hash = tp_hash(tp_hash(place->address, place->line), (uint64_t)place->function << 32 | place->file);
    struct tp_slot *slot = tp_slots_find(&f->instrs, hash, same_instr, f, place);

    if (!slot)
        return 0;
    if (slot->index)
        return slot->index;
    if (!TP_VECTOR_PUSH(&f->rec.instrs, (struct tp_instr){.address = place->address,
                               .context = place->function,
                               .file = place->file,
                               .line = (uint32_t)place->line}))
        return 0;
    f->addresses |= place->address != 0;
    return tp_slots_fill(&f->instrs, slot, f->rec.instrs.count);
}

static struct tp_blob *new_blob(struct tp_foreign *f, enum tp_form form, uint32_t thread, size_t rows)
{
    size_t size = rows * f->rec.events.count * sizeof(uint64_t);
    struct tp_blob *blob = tp_arena_alloc(&f->rec.arena, sizeof *blob + size);

    if (blob) {
        blob->form = (uint8_t)form;
        blob->thread = thread;
        blob->size = (uint32_t)size;
    }
    return blob;
}

/* Add to the row of `thread` in the list; -1: no memory. */
static int foreign_add_costs(struct tp_foreign *f, struct tp_blob **list, uint32_t thread, const uint64_t *row)
{
    struct tp_blob *blob = *list;
    uint64_t sum;

    while (blob && blob->thread != thread)
        blob = blob->next;
    if (!blob) {
        blob = new_blob(f, TP_FORM_ROW, thread, 1);
        if (!blob)
            return TP_NO_MEMORY(f->err);
        blob->next = *list;
        *list = blob;
    }
    for (size_t i = 0; i < f->rec.events.count; i++) {
        memcpy(&sum, blob->bytes + i * sizeof sum, sizeof sum);
        sum = tp_sum(sum, row[i]);
        memcpy(blob->bytes + i * sizeof sum, &sum, sizeof sum);
    }
    return 0;
}

int tp_foreign_self(struct tp_foreign *f, const struct tp_place *place, const uint64_t *row, uint8_t can)
{
    uint32_t index = instr_at(f, place);

    if (!index)
        return TP_NO_MEMORY(f->err);
    struct tp_instr *instr = &f->rec.instrs.at[index - 1];
    instr->can |= can;
    f->costs = true;
    tp_add_row(&f->rec.events, f->sum, row);
    return foreign_add_costs(f, &instr->costs, f->thread, row);
}

struct arc_key {
    uint32_t site, callee;
};

static bool same_arc(const void *foreign, uint32_t index, const void *key)
{
    const struct arc_key *k = key;
    const struct tp_arc *arc = &((const struct tp_foreign *)foreign)->rec.arcs.at[index];

    return arc->site == k->site && arc->callee == k->callee;
}

int tp_foreign_call(struct tp_foreign *f, const struct tp_place *site, uint32_t callee, uint64_t calls,
                    const uint64_t *row)
{
    struct arc_key key = {instr_at(f, site), callee};
    struct tp_slot *slot =
        key.site ? tp_slots_find(&f->arcs, tp_hash(tp_hash(1, key.site), callee), same_arc, f, &key) : NULL;
    struct tp_arc *arc;

    if (!slot)
        return TP_NO_MEMORY(f->err);
    if (slot->index) {
        arc = &f->rec.arcs.at[slot->index - 1];
    } else {
        if (!(arc = TP_VECTOR_ADD(&f->rec.arcs)))
            return TP_NO_MEMORY(f->err);
        *arc = (struct tp_arc){.site = key.site, .caller = site->function, .callee = callee};
        tp_slots_fill(&f->arcs, slot, f->rec.arcs.count);
    }
    f->costs = true;
    f->rec.instrs.at[key.site - 1].calls = true;
    arc->calls = tp_sum(arc->calls, calls);
    struct tp_context *context = &f->rec.contexts.at[callee - 1];
    context->calls = tp_sum(context->calls, calls);
    return foreign_add_costs(f, &arc->costs, 0, row);
}

/* ------------------------------------------------------------------------------------------ inclusive costs */

static uint64_t *self_row(uint64_t *rows, size_t width, uint32_t context)
{
    return rows + 2 * width * (context - 1);
}

/* Self and inclusive costs of functions. */
static int foreign_function_costs(struct tp_foreign *f)
{
    const struct tp_recording *rec = &f->rec;
    size_t width = rec->events.count;
    uint64_t all[TP_MAX_EVENTS] = {0};
    uint64_t *rows = calloc(2 * width * rec->contexts.count + 1, sizeof *rows); /* self and inclusive, by context */
    int failed = 0;

    if (!rows)
        return TP_NO_MEMORY(f->err);
    for (size_t i = 0; i < rec->parts.count; i++)
        tp_add_row(&rec->events, all, rec->parts.at[i].self);
    for (size_t i = 0; i < rec->instrs.count; i++)
        tp_blobs_add(&rec->events, rec->instrs.at[i].costs, self_row(rows, width, rec->instrs.at[i].context), NULL);
    for (size_t i = 0; i < rec->contexts.count; i++)
        memcpy(rows + 2 * width * i + width, rows + 2 * width * i, width * sizeof *rows);
    for (size_t i = 0; i < rec->arcs.count; i++) {
        const struct tp_arc *arc = &rec->arcs.at[i];
        if (arc->caller != arc->callee)
            tp_blobs_add(&rec->events, arc->costs, self_row(rows, width, arc->caller) + width, NULL);
    }
    for (size_t i = 0; !failed && i < rec->contexts.count; i++) {
        uint64_t *row = rows + 2 * width * i, *incl = row + width;
        for (size_t k = 0; k < width; k++)
            incl[k] = incl[k] < all[k] || f->difference ? incl[k] : all[k];
        struct tp_blob *blob = rec->contexts.at[i].costs = new_blob(f, TP_FORM_ROWS, 0, 2);
        if (blob)
            memcpy(blob->bytes, row, blob->size);
        failed = blob ? 0 : TP_NO_MEMORY(f->err);
    }
    free(rows);
    return failed;
}

/* Where no count was '.', nothing is known to be impossible. */
int tp_foreign_finish(struct tp_foreign *f)
{
    for (size_t i = 0; i < f->rec.events.count && !f->dots; i++)
        f->rec.events.column[i].needs = 0;
    f->rec.no_addresses = !f->addresses;
    /* A difference is one by what it says of its sides; a file that says nothing has at least a name. */
    if (f->difference && !tp_recording_fact(&f->rec, "diff.new") &&
        (tp_foreign_meta(f, "diff.baseline", "???") || tp_foreign_meta(f, "diff.new", f->paths[0])))
        return -1;
    return tp_foreign_formulas(f) || foreign_function_costs(f) ? -1 : 0;
}

int tp_foreign_lines(struct tp_foreign *f, struct tp_scan *scan, int (*take)(void *reader), void *reader)
{
    enum { REPORT_EVERY = 1 << 14 };
    int more;

    while ((more = tp_scan_line(scan)) == 1) {
        if (scan->line % REPORT_EVERY == 0 && f->options->progress &&
            !f->options->progress(f->options->user, "reading", scan->done, scan->size))
            return TP_GIVEN_UP(f->err);
        if (take(reader))
            return -1;
    }
    return more;
}

void tp_foreign_free(struct tp_foreign *f)
{
    tp_recording_free(&f->rec);
    tp_slots_free(&f->files);
    tp_slots_free(&f->instrs);
    tp_slots_free(&f->arcs);
    tp_slots_free(&f->functions);
    tp_slots_free(&f->names);
    tp_arena_free(&f->scratch);
    TP_VECTOR_FREE(&f->name);
    TP_VECTOR_FREE(&f->named);
    TP_VECTOR_FREE(&f->described);
    TP_VECTOR_FREE(&f->sections);
}
