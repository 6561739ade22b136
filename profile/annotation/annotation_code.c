/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation_code.c: what is inside a line: functions inlined there, calls, and instructions.
 *
 * A frame's own costs, with those of frames inside, are in the profile; what its instructions call is added to it and
 * to the frames around it. Instructions are read when files have been chosen: they are most of a profile.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/annotation/annotation_rows.h"
#include "profile/base/error.h"

/* ------------------------------------------------------------------------------------------ inlined */

struct frame {
    int64_t parent; /* id */
    struct tp_annotated_inlined use;
};

struct frames {
    struct tp_idmap of_id;
    TP_VECTOR(struct frame) frame;
};
enum { DEEPEST = 1000 /* frames inlined into one another: a broken file could make a circle */ };

static const struct frame *frame_above(const struct frames *frames, const struct frame *frame)
{
    uint32_t i = frame->parent > 0 ? tp_idmap_find(&frames->of_id, (uint64_t)frame->parent) : TP_NOT_FOUND;

    return i == TP_NOT_FOUND ? NULL : &frames->frame.at[i];
}

static bool take_frame(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    struct frames *frames = r->user;
    struct frame *frame = TP_VECTOR_ADD(&frames->frame);

    if (!frame || !tp_remember(&frames->of_id, sqlite3_column_int64(r->row, 0), frames->frame.count - 1))
        return false;
    frame->parent = sqlite3_column_int64(r->row, 1);
    frame->use = (struct tp_annotated_inlined){.file = tp_index_at(r, 4, &a->file_of_id), .line = tp_number_at(r, 5),
                                               .name = tp_text_at(r, 2), .path = tp_text_at(r, 3),
                                               .declared = tp_number_at(r, 6), .cost = tp_annotation_row(a)};
    if (!frame->use.cost)
        return false;
    frame->use.name = frame->use.name ? frame->use.name : "???";
    tp_annotation_add(a, frame->use.cost, r->cell);
    return true;
}

/* What an instruction calls belongs to its frame and those around it. */
static bool take_call(struct tp_reading *r)
{
    struct frames *frames = r->user;
    uint32_t i = tp_index_at(r, 0, &frames->of_id);
    const struct frame *frame = i == TP_NOT_FOUND ? NULL : &frames->frame.at[i];

    for (int depth = 0; frame && depth < DEEPEST; depth++, frame = frame_above(frames, frame))
        tp_annotation_add(r->a, frame->use.cost, r->cell);
    return true;
}

static int compare_inlined(const void *x, const void *y)
{
    const struct tp_annotated_inlined *a = x, *b = y;
    int order = tp_compare_places(x, y);

    return order ? order : strcmp(a->name, b->name);
}

/* A function inlined into itself at one place: the outer one counts. */
static bool is_repeated(const struct frames *frames, const struct frame *frame)
{
    const struct frame *above = frame_above(frames, frame);

    for (int depth = 0; above && depth < DEEPEST; depth++, above = frame_above(frames, above)) {
        if (compare_inlined(&above->use, &frame->use) == 0)
            return true;
    }
    return false;
}

static int keep_frames(struct tp_annotation *a, const struct frames *frames)
{
    for (size_t i = 0; i < frames->frame.count; i++) {
        const struct frame *frame = &frames->frame.at[i];
        if (frame->use.file == TP_NOT_FOUND || frame->use.line == 0 || is_repeated(frames, frame))
            continue;
        struct tp_annotated_inlined *use = TP_VECTOR_ADD(&a->inlined);
        if (!use || !tp_line_of(a, frame->use.file, frame->use.line))
            return TP_NO_MEMORY(a->err);
        *use = frame->use;
    }
    return 0;
}

int tp_load_inlined(struct tp_annotation *a)
{
    static const struct tp_view_rows bodies = {"v.id, v.parent, v.name, v.file, t.call_file_id, v.call_line, v.line", 7,
                                               "v.", TP_COLUMNS_WHOLE, "inlined v JOIN t_inlined t ON t.id = v.id"},
                                  calls = {"i.inlined_id", 1, "a.", TP_COLUMNS_BELOW,
                                           "arcs a JOIN t_instructions i ON i.id = a.site_id "
                                           "WHERE i.inlined_id IS NOT NULL"};
    struct frames frames = {0};
    int status = tp_read_rows(a, &bodies, take_frame, &frames);

    if (!status && frames.frame.count && tp_has_inclusive(a))
        status = tp_read_rows(a, &calls, take_call, &frames);
    if (!status)
        status = keep_frames(a, &frames);
    if (!status) {
        /* Uses of one function from one line together. */
        size_t kept = 0;
        if (a->inlined.count)
            qsort(a->inlined.at, a->inlined.count, sizeof *a->inlined.at, compare_inlined);
        for (size_t i = 0; i < a->inlined.count; i++) {
            if (kept && compare_inlined(&a->inlined.at[kept - 1], &a->inlined.at[i]) == 0)
                tp_annotation_add(a, a->inlined.at[kept - 1].cost, a->inlined.at[i].cost);
            else
                a->inlined.at[kept++] = a->inlined.at[i];
        }
        a->inlined.count = kept;
    }
    tp_idmap_free(&frames.of_id);
    TP_VECTOR_FREE(&frames.frame);
    return status;
}

/* ------------------------------------------------------------------------------------------ calls */

static bool take_arc(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    uint32_t file = tp_index_at(r, 0, &a->file_of_id), line = tp_number_at(r, 1);
    int64_t calls = sqlite3_column_int64(r->row, 3);

    if (file == TP_NOT_FOUND || line == 0)
        return true;
    struct tp_annotated_call *call = TP_VECTOR_ADD(&a->calls);
    union tp_cell *cost = call && tp_line_of(a, file, line) ? tp_annotation_row(a) : NULL;
    if (!cost)
        return false;
    *call = (struct tp_annotated_call){file, line, tp_function_at(r, 2), calls, cost};
    tp_annotation_add(a, cost, r->cell);
    return true;
}

static int compare_calls(const void *x, const void *y, void *user)
{
    const struct tp_annotated_call *a = x, *b = y;
    const struct tp_annotation *annotation = user;

    int order = tp_compare_places(x, y);

    if (!order && a->function != b->function)
        order = strcmp(annotation->functions.at[a->function].name, annotation->functions.at[b->function].name);
    return order ? order : TP_COMPARE(a->function, b->function);
}

/* Those of one line to one function together: from several instructions, and from and to several contexts. */
int tp_load_calls(struct tp_annotation *a)
{
    static const struct tp_view_rows rows = {"file_id, line, callee_id, calls", 4, "", TP_COLUMNS_BELOW, "arcs",
                                             .grouped = true},
                                     groups = {"a.file_id, a.line, a.callee_id, 0, g.sample_group", 5, "g.",
                                               TP_COLUMNS_BELOW, "arc_groups g JOIN arcs a ON a.id = g.arc_id",
                                               .group = 4};
    size_t kept = 0;

    if (tp_read_rows(a, &rows, take_arc, NULL) || (a->groups && tp_read_rows(a, &groups, take_arc, NULL)))
        return -1;
    if (a->calls.count)
        qsort_r(a->calls.at, a->calls.count, sizeof *a->calls.at, compare_calls, a);
    for (size_t i = 0; i < a->calls.count; i++) {
        struct tp_annotated_call *call = &a->calls.at[i], *before = &a->calls.at[kept ? kept - 1 : 0];
        if (kept && compare_calls(before, call, a) == 0) {
            tp_annotation_add(a, before->cost, call->cost);
            before->calls += call->calls;
        } else {
            a->calls.at[kept++] = *call;
        }
    }
    a->calls.count = kept;
    for (size_t i = 0; i < kept; i++)
        tp_bound(a, a->calls.at[i].cost, a->functions.at[a->calls.at[i].function].cost, false);
    return 0;
}

/* ------------------------------------------------------------------------------------------ instructions */

static bool take_instruction(struct tp_reading *r)
{
    struct tp_annotation *a = r->a;
    uint32_t function = tp_function_at(r, 6), file = tp_file_at(r, 4, function);

    if (file == TP_NOT_FOUND)
        return false;
    if (!a->files.at[file].wanted)
        return true;
    struct tp_annotated_instruction *to = TP_VECTOR_ADD(&a->instructions);
    union tp_cell *cost = to ? tp_annotation_row(a) : NULL;
    if (!cost)
        return false;
    *to = (struct tp_annotated_instruction){.address = (uint64_t)sqlite3_column_int64(r->row, 1),
                                            .offset = (uint64_t)sqlite3_column_int64(r->row, 2),
                                            .file = file, .line = tp_number_at(r, 5), .function = function,
                                            .length = (uint32_t)tp_number_at(r, 3), .cost = cost};
    tp_annotation_add(a, cost, r->cell);
    return tp_remember(&a->instruction_of_id, sqlite3_column_int64(r->row, 0), a->instructions.count - 1);
}

static bool take_callee(struct tp_reading *r)
{
    uint32_t i = tp_index_at(r, 0, &r->a->instruction_of_id);

    if (i != TP_NOT_FOUND)
        tp_annotation_add(r->a, r->a->instructions.at[i].cost, r->cell);
    return true;
}

static int compare_instructions(const void *x, const void *y)
{
    const struct tp_annotated_instruction *a = x, *b = y;
    int order = tp_compare_places(x, y);

    order = order ? order : TP_COMPARE(a->function, b->function);
    return order ? order : TP_COMPARE(a->address, b->address);
}

int tp_annotation_instructions(struct tp_annotation *a, struct tp_error *err)
{
    static const struct tp_view_rows rows = {"id, address, offset, length, file_id, line, function_id", 7, "",
                                             TP_COLUMNS_PLAIN, "instructions"},
                                  calls = {"site_id", 1, "", TP_COLUMNS_BELOW, "arcs WHERE site_id IS NOT NULL"};
    a->err = err;
    int status = tp_read_rows(a, &rows, take_instruction, NULL);

    if (!status && tp_has_inclusive(a))
        status = tp_read_rows(a, &calls, take_callee, NULL);
    if (!status) {
        /* Those of a function's contexts together, and to their lines. */
        size_t kept = 0, at = 0;
        if (a->instructions.count)
            qsort(a->instructions.at, a->instructions.count, sizeof *a->instructions.at, compare_instructions);
        for (size_t i = 0; i < a->instructions.count; i++) {
            const struct tp_annotated_instruction *next = &a->instructions.at[i];
            const struct tp_annotated_instruction *last = kept ? &a->instructions.at[kept - 1] : NULL;
            if (last && compare_instructions(last, next) == 0 && last->length == next->length)
                tp_annotation_add(a, last->cost, next->cost);
            else
                a->instructions.at[kept++] = *next;
        }
        a->instructions.count = kept;
        for (size_t i = 0; i < a->lines.count; i++) {
            struct tp_annotated_line *line = &a->lines.at[i];
            line->instructions = tp_count_there(a->instructions.at, sizeof *a->instructions.at, kept, &at, line);
            line->first_instruction = at - line->instructions;
        }
    }
    return status;
}
