/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loops.c: the code of each function context is decoded, its flow made a graph (flow.h), and the loops in it (nest.h)
 * are named.
 *
 * A loop's name is the range of its source lines. Optimised loops hold lines of several functions, those inlined into
 * them: what counts is the innermost inlined function that the whole loop is in, or else the function itself, and
 * an instruction of a function inlined further inside stands for the line that this was called from. So a loop over
 * an inlined iterator is named by the lines of the loop, not by the header's. What two inlined functions need, such as
 * a constant, a compiler makes once, with a line of one of them, in a loop of the other: so instructions that only move
 * do not count. Compilers say of some instructions that they belong to a line before the loop, or to where the function
 * begins: where the source text is at hand the name begins at a line with a loop's keyword, and never at or before the
 * function's declaration, but where the function is all on that line.
 *
 * Chains, and branches that compare what was loaded (chains.h), are of use where much is missed: they are looked for in
 * functions that have at least one part in MISSING_FUNCTION of all misses of level 1 by data, and kept of accesses and
 * loads that have one in MISSING.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/chains.h"
#include "profile/code/cycles.h"
#include "profile/code/nest.h"
#include "profile/objects/debugfile.h"

enum { REPORT_EVERY = 512, LONGEST = 15, KEYWORD_ABOVE = 2 /* lines */, MISSING_FUNCTION = 1000,
       MISSING = 10000 };

struct loops {
    struct tp_recording *rec;
    const struct tp_sites *sites;
    const struct tp_import_options *options;
    struct tp_error *err;
    struct tp_image *images; /* by object */
    TP_VECTOR(struct tp_site) places; /* of the context at hand: its sites, but each address once */
    struct tp_graph graph;
    struct tp_nest nest;
    struct tp_chains chains;
    uint32_t missed[2];       /* columns: misses of level 1 of reads and writes */
    uint32_t columns;         /* so many of these there are */
    double misses;            /* all */
    uint64_t row[TP_MAX_EVENTS];
    TP_VECTOR(bool) wanted;   /* by place: its chains are, and branches that compare it */
};

/* ------------------------------------------------------------------------------------------ sites */

static int sites_by_address(const void *a, const void *b)
{
    const struct tp_site *x = a, *y = b;
    int order = TP_COMPARE(x->address, y->address);

    return order ? order : TP_COMPARE(x->instr, y->instr);
}

/* A counting sort by context, then each context's by address. What was translated and never executed is left out. */
int tp_sites_make(struct tp_sites *sites, const struct tp_recording *rec)
{
    uint32_t *first = calloc(rec->contexts.count + 2, sizeof *first);
    size_t executed = 0;

    for (size_t i = 0; first && i < rec->instrs.count; i++) {
        if (!rec->instrs.at[i].costs)
            continue;
        first[rec->instrs.at[i].context + 1]++;
        executed++;
    }
    *sites = (struct tp_sites){calloc(executed + 1, sizeof *sites->at), first};
    if (!first || !sites->at)
        return -1;
    for (size_t i = 1; i < rec->contexts.count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < rec->instrs.count; i++) {
        if (rec->instrs.at[i].costs)
            sites->at[first[rec->instrs.at[i].context]++] = (struct tp_site){rec->instrs.at[i].address, (uint32_t)i};
    }
    /* Each first[context + 1] now stands at the end of its group, which is where the next one begins. */
    for (size_t i = 0; i < rec->contexts.count; i++)
        qsort(sites->at + first[i], first[i + 1] - first[i], sizeof *sites->at, sites_by_address);
    return 0;
}

void tp_sites_free(struct tp_sites *sites)
{
    free(sites->at);
    free(sites->first);
    *sites = (struct tp_sites){0};
}

/* ------------------------------------------------------------------------------------------ code */

/* The files of objects, if they are those that were recorded. */
static int open_images(struct loops *l)
{
    l->images = calloc(l->rec->objects.count + 1, sizeof *l->images);
    for (size_t i = 0; l->images && i < l->rec->objects.count; i++) {
        const struct tp_object *object = &l->rec->objects.at[i];
        const char *path = tp_sysroot_path(&l->rec->arena, l->options, object->file);
        if (!path)
            return TP_NO_MEMORY(l->err);
        if (object->file[0] != '/' || tp_image_open(&l->images[i], path))
            continue;
        if (tp_image_is(&l->images[i], object->build_id, object->build_id_size))
            tp_image_detach(&l->images[i]);
        else
            tp_image_close(&l->images[i]);
    }
    return l->images ? 0 : TP_NO_MEMORY(l->err);
}

/* How often an instruction was executed: a `rep` as often as it was begun, of all that it counts as. */
static uint64_t executions(const struct tp_events *events, const struct tp_instr *instr, enum tp_repeats repeats)
{
    uint64_t count = tp_own_count(events, instr->costs, "Ir"), rounds;

    switch (repeats) {
    case TP_REPEATS_READS: rounds = tp_own_count(events, instr->costs, "Dr"); break;
    case TP_REPEATS_WRITES: rounds = tp_own_count(events, instr->costs, "Dw"); break;
    default: return count;
    }
    return rounds < count ? count - rounds : 0;
}

/* What the graph is made of: where code is that can be read (no image is open where there is no file), and each place
 * of a context once, with its code and count. An engine may know an instruction several times, with other accesses
 * where it could leave some out. Types of instructions are found on the way. */
static int begin_graph(struct loops *l, uint32_t context)
{
    static const struct tp_image none;
    const struct tp_recording *rec = l->rec;
    struct tp_graph *graph = &l->graph;
    const struct tp_function *in = tp_function_of(rec, context);
    const struct tp_image *image = in && in->object ? &l->images[in->object - 1] : &none;

    tp_graph_clear(graph);
    graph->image = image;
    if (image != &none) {
        graph->bias = rec->objects.at[in->object - 1].bias;
        graph->start = in->start;
        graph->end = in->start + in->size;
    }
    l->places.count = 0;
    for (uint32_t i = l->sites->first[context - 1]; i < l->sites->first[context]; i++) {
        const struct tp_site *site = &l->sites->at[i];
        struct tp_instr *instr = &rec->instrs.at[site->instr];
        if (!l->places.count || l->places.at[l->places.count - 1].address != site->address) {
            struct tp_decoded *code = TP_VECTOR_ADD(&graph->code);
            if (!code || !TP_VECTOR_PUSH(&l->places, *site) || !TP_VECTOR_PUSH(&graph->count, 0))
                return TP_NO_MEMORY(l->err);
            uint64_t left = 0;
            const uint8_t *bytes = tp_image_at(graph->image, instr->address - (uint64_t)graph->bias, &left);
            if (bytes && left >= instr->length && instr->length && instr->length <= LONGEST)
                tp_decode(bytes, instr->length, instr->address, code);
        }
        const struct tp_decoded *code = &graph->code.at[graph->code.count - 1];
        uint64_t *count = &graph->count.at[graph->count.count - 1];
        *count = code->repeats == TP_REPEATS_UNTIL ? TP_FLOW_UNKNOWN_COUNT
                                                   : *count + executions(&rec->events, instr, code->repeats);
        if (code->flow != TP_FLOW_UNKNOWN)
            instr->type = code->floating ? TP_TYPE_FLOATING : TP_TYPE_INTEGER;
    }
    graph->site = l->places.at;
    graph->sites = (uint32_t)l->places.count;
    return 0;
}

/* ------------------------------------------------------------------------------------------ names */

/* The innermost frame that two are in; 0: the function itself. A frame has a larger number than the one around it. */
static uint32_t common_frame(const struct tp_recording *rec, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = rec->frames.at[a - 1].parent;
        else
            b = rec->frames.at[b - 1].parent;
    }
    return a;
}

/* Not behind where the function that the loop is in is declared. */
static bool is_before(const struct tp_recording *rec, const struct tp_loop *loop, uint32_t file, uint32_t line)
{
    const struct tp_function *in = tp_function_of(rec, loop->context);

    if (loop->frame)
        return file == rec->frames.at[loop->frame - 1].file && line <= rec->frames.at[loop->frame - 1].line;
    return in && in->is_declared && file == in->file && line <= in->line;
}

/* A loop that has no other line: its function is all on one. */
static void on_declaration(const struct tp_recording *rec, struct tp_loop *loop)
{
    const struct tp_function *in = tp_function_of(rec, loop->context);

    if (loop->frame) {
        loop->file = rec->frames.at[loop->frame - 1].file;
        loop->line = loop->last_line = rec->frames.at[loop->frame - 1].line;
    } else if (in && in->is_declared) {
        loop->file = in->file;
        loop->line = loop->last_line = in->line;
    }
}

static void widen(const struct tp_recording *rec, struct tp_loop *loop, const struct tp_instr *instr)
{
    uint32_t inner = 0;

    if (common_frame(rec, loop->frame, instr->frame) != loop->frame)
        return; /* it only moves */
    /* Of what is inlined into the loop's frame, where it was called there. */
    for (uint32_t f = instr->frame; f != loop->frame; f = rec->frames.at[f - 1].parent)
        inner = f;
    uint32_t file = inner ? rec->frames.at[inner - 1].call_file : instr->file;
    uint32_t line = inner ? rec->frames.at[inner - 1].call_line : instr->line;
    if (!file || !line || (loop->file && loop->file != file) || is_before(rec, loop, file, line))
        return;
    loop->file = file;
    if (!loop->line || line < loop->line)
        loop->line = line;
    if (line > loop->last_line)
        loop->last_line = line;
}

static struct tp_loop *around(struct tp_recording *rec, const struct tp_loop *loop)
{
    return loop->parent ? &rec->loops.at[loop->parent - 1] : NULL;
}

static struct tp_loop *loop_at(struct loops *l, uint32_t site)
{
    uint32_t loop = l->rec->instrs.at[l->graph.site[site].instr].loop;

    return loop ? &l->rec->loops.at[loop - 1] : NULL;
}

static bool loops_begins_loop(const struct tp_recording *rec, const struct tp_loop *loop, uint32_t line)
{
    return tp_idmap_find(&rec->loop_lines, tp_line_key(loop->file, line)) != TP_NOT_FOUND &&
           !is_before(rec, loop, loop->file, line);
}

/* To a line with a loop's keyword: just above the range (`do {`, `for (;;) {` are no code), or its first one. */
static void narrow(const struct tp_recording *rec, struct tp_loop *loop)
{
    for (uint32_t above = 0; above <= KEYWORD_ABOVE && above < loop->line; above++) {
        if (loops_begins_loop(rec, loop, loop->line - above)) {
            loop->line -= above;
            return;
        }
    }
    for (uint32_t line = loop->line; line && line <= loop->last_line; line++) {
        if (loops_begins_loop(rec, loop, line)) {
            loop->line = line;
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------------ chains */

static void find_misses(struct loops *l)
{
    static const char *const names[] = {"D1mr", "D1mw"};
    const struct tp_events *events = &l->rec->events;

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        uint32_t column = 0; /* the first of this name: those of groups of sampled sets are behind it */
        while (column < events->count && strcmp(events->column[column].name, names[n]) != 0)
            column++;
        if (column == events->count)
            continue;
        l->missed[l->columns++] = column;
        for (size_t p = 0; p < l->rec->parts.count; p++)
            l->misses += (double)l->rec->parts.at[p].self[column];
    }
}

static double misses_of(struct loops *l, const struct tp_blob *costs)
{
    double misses = 0;

    memset(l->row, 0, l->rec->events.count * sizeof *l->row);
    tp_blobs_add(&l->rec->events, costs, l->row, NULL);
    for (uint32_t i = 0; i < l->columns; i++)
        misses += (double)l->row[l->missed[i]];
    return misses;
}

/* Whether chains of the context at hand are wanted; and of which places. */
static int want(struct loops *l, uint32_t context, bool *any)
{
    const struct tp_recording *rec = l->rec;
    double misses = 0;

    *any = false;
    if (!(l->misses > 0))
        return 0;
    l->wanted.count = 0;
    if (TP_VECTOR_ZEROES(&l->wanted, l->places.count))
        return -1;
    for (uint32_t i = l->sites->first[context - 1], place = 0; i < l->sites->first[context]; i++) {
        place += l->places.at[place].address != l->sites->at[i].address;
        const struct tp_decoded *code = &l->graph.code.at[place];
        if (!code->loads && !code->stores)
            continue;
        double of_site = misses_of(l, rec->instrs.at[l->sites->at[i].instr].costs);
        misses += of_site;
        l->wanted.at[place] |= of_site * MISSING >= l->misses;
    }
    *any = misses * MISSING_FUNCTION >= l->misses;
    return 0;
}

static int keep_chains(struct loops *l, uint32_t context)
{
    bool any;

    if (want(l, context, &any) || (any && tp_chains_make(&l->chains, &l->graph, l->wanted.at)))
        return TP_NO_MEMORY(l->err);
    for (size_t i = 0; any && i < l->chains.list.count; i++) {
        const struct tp_chain *chain = &l->chains.list.at[i];
        struct tp_address_load load = {l->places.at[chain->site].instr + 1, l->places.at[chain->load].instr + 1,
                                       chain->beside, chain->circular};
        if (!TP_VECTOR_PUSH(&l->rec->address_loads, load))
            return TP_NO_MEMORY(l->err);
    }
    for (size_t i = 0; any && i < l->chains.guesses.count; i++) {
        const struct tp_guess *guess = &l->chains.guesses.at[i];
        struct tp_compared_load load = {l->places.at[guess->branch].instr + 1, l->places.at[guess->load].instr + 1,
                                        guess->wrong};
        if (!TP_VECTOR_PUSH(&l->rec->compared_loads, load))
            return TP_NO_MEMORY(l->err);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ cycles */

static int keep_cycles(struct loops *l, uint32_t context)
{
    double *cycles = malloc((l->graph.sites + 1) * sizeof *cycles);
    int failed = cycles ? tp_cycles_make(cycles, &l->graph, &l->nest) : -1;

    for (uint32_t i = l->sites->first[context - 1], place = 0; !failed && i < l->sites->first[context]; i++) {
        place += l->graph.site[place].address != l->sites->at[i].address;
        l->rec->instrs.at[l->sites->at[i].instr].cycles = (float)cycles[place];
        l->rec->instrs.at[l->sites->at[i].instr].past = l->graph.code.at[place].past;
    }
    free(cycles);
    return failed ? TP_NO_MEMORY(l->err) : 0;
}

/* ------------------------------------------------------------------------------------------ all */

/* The frame of a loop is that of what does more than move. Its name: the head says which file; then all lines in it. */
static void name_loops(struct loops *l, uint32_t before)
{
    struct tp_recording *rec = l->rec;
    const struct tp_graph *graph = &l->graph;

    for (uint32_t i = 0; i < graph->sites; i++) {
        uint32_t frame = rec->instrs.at[graph->site[i].instr].frame;
        for (struct tp_loop *loop = loop_at(l, i); loop && !graph->code.at[i].moves; loop = around(rec, loop)) {
            loop->frame = loop->framed ? common_frame(rec, loop->frame, frame) : frame;
            loop->framed = true;
        }
    }
    for (size_t i = before; i < rec->loops.count; i++)
        widen(rec, &rec->loops.at[i], &rec->instrs.at[graph->site[l->nest.loops.at[i - before].head].instr]);
    for (uint32_t i = 0; i < graph->sites; i++) {
        for (struct tp_loop *loop = loop_at(l, i); loop; loop = around(rec, loop))
            widen(rec, loop, &rec->instrs.at[graph->site[i].instr]);
    }
    for (size_t i = before; i < rec->loops.count; i++) {
        struct tp_loop *loop = &rec->loops.at[i];
        if (!loop->file)
            on_declaration(rec, loop);
        narrow(rec, loop);
    }
}

static int keep_loops(struct loops *l, uint32_t context)
{
    struct tp_recording *rec = l->rec;
    uint32_t before = (uint32_t)rec->loops.count;

    for (size_t i = 0; i < l->nest.loops.count; i++) {
        const struct tp_nested *nested = &l->nest.loops.at[i];
        struct tp_loop *loop = TP_VECTOR_ADD(&rec->loops);
        if (!loop)
            return TP_NO_MEMORY(l->err);
        *loop = (struct tp_loop){
            .parent = nested->parent ? nested->parent + before : 0,
            .context = context,
            .depth = nested->depth,
            .address = l->graph.site[nested->head].address,
            .iterations = nested->iterations,
            .entries = nested->entries,
        };
    }
    for (uint32_t i = l->sites->first[context - 1], place = 0; i < l->sites->first[context]; i++) {
        place += l->graph.site[place].address != l->sites->at[i].address;
        uint32_t loop = l->nest.loop_of.at[l->graph.block_of.at[place]];
        rec->instrs.at[l->sites->at[i].instr].loop = loop ? loop + before : 0;
    }
    name_loops(l, before);
    return 0;
}

int tp_loops(struct tp_recording *rec, const struct tp_sites *sites, const struct tp_import_options *options,
             struct tp_error *err)
{
    struct loops l = {.rec = rec, .sites = sites, .options = options, .err = err};

    if (!tp_can_decode() || rec->no_addresses)
        return 0;
    find_misses(&l);
    int failed = open_images(&l);
    for (uint32_t i = 1; !failed && i <= rec->contexts.count; i++) {
        if (i % REPORT_EVERY == 0 && options->progress &&
            !options->progress(options->user, "loops", i, rec->contexts.count))
            failed = TP_GIVEN_UP(err);
        failed = failed || begin_graph(&l, i);
        int made = !failed && l.graph.sites ? tp_graph_make(&l.graph) : 0;
        if (made < 0 || (made && tp_nest_make(&l.nest, &l.graph)))
            failed = TP_NO_MEMORY(err);
        else if (made)
            failed = keep_loops(&l, i) || keep_chains(&l, i) || keep_cycles(&l, i);
        const struct tp_function *in = tp_function_of(rec, i);
        if (in && in->object)
            rec->objects.at[in->object - 1].note = tp_image_cut_off(rec->objects.at[in->object - 1].note);
    }
    for (size_t i = 0; l.images && i < rec->objects.count; i++)
        tp_image_close(&l.images[i]);
    free(l.images);
    TP_VECTOR_FREE(&l.places);
    tp_graph_free(&l.graph);
    tp_nest_free(&l.nest);
    tp_chains_free(&l.chains);
    TP_VECTOR_FREE(&l.wanted);
    return failed ? -1 : 0;
}
