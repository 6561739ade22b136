/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.c: two sums that share their rows.
 *
 * Each side has a lane of the sum (sum.h). With several runs on a side there are five more: the run at hand, and least
 * and most of each side; after a run its lane is added to those and forgotten. A row that a run does not have is 0 in
 * it. What is written has a lane of its own.
 *
 * Profiles are seen through a lens (diff_lens.c), so that what is the same in two builds has one key.
 */
#include "profile/sum/diff.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/base/row.h"
#include "profile/read/margin.h"
#include "profile/sum/diff_lens.h"
#include "profile/sum/sum.h"

enum { LANE_RUN = 2, LANE_DIFFERENCE = LANE_RUN, LANE_LEAST = 3, LANE_MOST = 5, LANES_OF_RUNS = 7 };
enum { SEEN_BITS = 28, FIRST_SEEN = 8 };
enum { GROUPS = TN_SAMPLE_GROUPS };

/* In the order of enum tp_diff_table; and what groups of sampled sets have of their rows. */
static const char *const compared[TP_DIFF_TABLES] = {"t_totals", "t_functions", "t_lines", "t_arcs", "t_data"};
static const char *const grouped[TP_DIFF_TABLES] = {"t_total_groups", "t_function_groups", "t_line_groups",
                                                    "t_arc_groups", "t_data_groups"};

struct tp_diff {
    struct tp_sum sum;
    struct tp_diff_lens lens;
    size_t runs[TP_SIDES];
    bool several; /* runs on a side */
    int table[TP_DIFF_TABLES];
    unsigned sample;                  /* of so many sets one was simulated; 1: all were, on both sides */
    int64_t **groups[TP_DIFF_TABLES]; /* for each row GROUPS rows of its table of groups, or NULL; if sampled */
    TP_VECTOR(struct tp_event) events;
    TP_VECTOR(const char *) notes;
    tp_sum_meta meta;
    struct tp_arena arena;
};

static int note(tp_diff *diff, const char *text)
{
    const char **added = TP_VECTOR_ADD(&diff->notes);

    return added && (*added = tp_arena_copy(&diff->arena, text, strlen(text))) ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------ events */

/* All profiles, one after the other. */
static tp_profile *profile_at(const struct tp_diff_runs runs[TP_SIDES], size_t i)
{
    if (i < runs[TP_BASELINE].count)
        return runs[TP_BASELINE].profile[i];
    i -= runs[TP_BASELINE].count;
    return i < runs[TP_NEW].count ? runs[TP_NEW].profile[i] : NULL;
}

static bool in_all(const struct tp_diff_runs runs[TP_SIDES], const struct tp_event *event)
{
    for (size_t i = 0; profile_at(runs, i); i++) {
        const struct tp_event *other = tp_event_find(profile_at(runs, i), event->name);
        if (!other || other->derived != event->derived || other->real != event->real)
            return false;
    }
    return true;
}

static int take_event(tp_diff *diff, const struct tp_event *event)
{
    struct tp_event *added = TP_VECTOR_ADD(&diff->events);

    if (!added || tp_events_add(&diff->sum.events, event->name, event->long_name, event->real))
        return -1;
    *added = *event;
    added->name = tp_arena_copy(&diff->arena, event->name, strlen(event->name));
    added->long_name = tp_arena_copy(&diff->arena, event->long_name, strlen(event->long_name));
    return added->name && added->long_name ? 0 : -1;
}

/* The formula of a derived event, with the places of its terms. 1: not all profiles have one and the same. */
static int take_formula(tp_diff *diff, const struct tp_diff_runs runs[TP_SIDES], const struct tp_event *event,
                        struct tp_weighted_sum *formula)
{
    bool same = event->formula != NULL;

    for (size_t i = 1; profile_at(runs, i) && same; i++) {
        const char *other = tp_event_find(profile_at(runs, i), event->name)->formula;
        same = other && strcmp(other, event->formula) == 0;
    }
    *formula = (struct tp_weighted_sum){0};
    same = same && tp_weighted_sum_read(formula, event->formula) == 0;
    for (size_t t = 0; same && t < formula->count; t++) {
        size_t k = 0;
        while (k < diff->events.count && strcmp(diff->events.at[k].name, formula->term[t].event) != 0)
            k++;
        formula->term[t].column = k;
        same = k < diff->events.count;
    }
    return same ? 0 : 1;
}

static int diff_take_events(tp_diff *diff, const struct tp_diff_runs runs[TP_SIDES], struct tp_error *err)
{
    tp_profile *first = profile_at(runs, 0);
    size_t count = tp_event_count(first), left_out = 0;

    diff->sum.formula = calloc(count + 1, sizeof *diff->sum.formula);
    if (!diff->sum.formula)
        return TP_NO_MEMORY(err);
    for (size_t i = 0; i < count; i++) {
        const struct tp_event *event = tp_event_at(first, i);
        struct tp_weighted_sum *formula = &diff->sum.formula[diff->sum.events.count - diff->sum.stored];
        if (!in_all(runs, event) || (event->derived && take_formula(diff, runs, event, formula))) {
            left_out++;
            continue;
        }
        if (take_event(diff, event))
            return TP_FAIL(err, "%s: has no proper events; the file is damaged", tp_path(first));
        diff->sum.stored += !event->derived;
    }
    for (size_t i = 1; profile_at(runs, i); i++) {
        if (tp_event_count(profile_at(runs, i)) > diff->events.count)
            left_out++;
    }
    if (!diff->sum.stored)
        return TP_FAIL(err, "%s and %s have no event in common", tp_path(first), tp_path(profile_at(runs, 1)));
    if (left_out && note(diff, "events that not all of the profiles have are left out"))
        return TP_NO_MEMORY(err);
    tp_sum_make_room(&diff->sum);
    return 0;
}

/* ------------------------------------------------------------------------------------------ runs */

static uint64_t seen_by(int64_t present, int side)
{
    return (uint64_t)present >> (FIRST_SEEN + SEEN_BITS * side) & ((1u << SEEN_BITS) - 1);
}

static double number_at(const struct tp_sum *sum, int table, size_t cost, int64_t value)
{
    if (cost < tp_sum_events(sum, table))
        return tp_sum_number(sum, cost % sum->events.count, value);
    return value == TP_NONE ? 0 : (double)value;
}

/* The run at hand becomes one of its side's. */
static int fold_row(struct tp_sum *sum, int table, int64_t *row, int side)
{
    int64_t run[TP_SUM_COSTS], least[TP_SUM_COSTS], most[TP_SUM_COSTS];
    int64_t *present = tp_sum_present(sum, table, row);
    bool first = seen_by(*present, side) == 0;

    tp_sum_get(sum, table, row, LANE_RUN, run);
    tp_sum_get(sum, table, row, LANE_LEAST + side, least);
    tp_sum_get(sum, table, row, LANE_MOST + side, most);
    for (size_t i = 0; i < tp_sum_costs(sum, table); i++) {
        double value = number_at(sum, table, i, run[i]);
        if (first || value < number_at(sum, table, i, least[i]))
            least[i] = run[i];
        if (first || value > number_at(sum, table, i, most[i]))
            most[i] = run[i];
    }
    if (tp_sum_add_costs(sum, table, row, side, run) || tp_sum_put(sum, table, row, LANE_LEAST + side, least) ||
        tp_sum_put(sum, table, row, LANE_MOST + side, most))
        return -1;
    *present &= ~((int64_t)1 << LANE_RUN);
    *present += (int64_t)1 << (FIRST_SEEN + SEEN_BITS * side);
    return 0;
}

/* What a comparison without -o does without. */
static void leave_out(tp_diff *diff, bool whole)
{
    static const char *const never[] = {"stats", "runs"};

    for (int i = 0; i < diff->sum.tables; i++) {
        const char *name = diff->sum.shape[i].table->name;
        bool skip = !whole && strcmp(name, "objects") != 0 && strcmp(name, "files") != 0;
        for (size_t k = 0; k < TP_DIFF_TABLES; k++)
            skip &= strcmp(name, compared[k]) != 0 && (diff->sample == 1 || strcmp(name, grouped[k]) != 0);
        for (size_t k = 0; k < sizeof never / sizeof *never; k++)
            skip |= strcmp(name, never[k]) == 0;
        diff->sum.skip[i] = skip;
    }
}

static int read_run(tp_diff *diff, tp_profile *profile, int side, bool whole, struct tp_error *err)
{
    /* Without instructions a call site is an offset in its object. */
    static const char arcs[] =
        "(SELECT a.id, NULL AS site_id, a.address - coalesce(o.bias, 0) AS address, a.* FROM t_arcs a "
        "LEFT JOIN t_functions f ON f.id = a.caller_id LEFT JOIN objects o ON o.id = f.object_id)";
    /* Without paths, blocks are told apart by name alone. */
    static const char data[] = "(SELECT NULL AS origin_id, NULL AS address, NULL AS size, d.* FROM t_data d)";
    /* A rank is the same wherever, and in which process, it ran. */
    static const char units[] =
        "(SELECT u.id, CASE WHEN u.rank IS NULL THEN u.host END AS host, "
        "CASE WHEN u.rank IS NULL THEN u.pid END AS pid, u.* FROM units u)";
    const struct tp_sum_source sources[] = {
        {"units", units},
        {"t_self", "self"},
        {"t_thread_functions", "thread_functions"},
        {whole ? NULL : "t_arcs", arcs}, /* a NULL is the end */
        {"t_data", data},
        {NULL, NULL},
    };

    diff->sum.lane = diff->several ? LANE_RUN : side;
    if (tp_diff_lens_begin(&diff->lens, &diff->sum, profile, err) ||
        tp_sum_read(&diff->sum, profile, sources, &diff->lens.lens, err))
        return -1;
    for (int table = 0; diff->several && table < diff->sum.tables; table++) {
        for (size_t i = 0; i < diff->sum.rows[table].at.count; i++) {
            int64_t *row = diff->sum.rows[table].at.at[i];
            if (*tp_sum_present(&diff->sum, table, row) >> LANE_RUN & 1 && fold_row(&diff->sum, table, row, side))
                return TP_NO_MEMORY(err);
        }
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------ rows */

size_t tp_diff_rows(const tp_diff *diff, enum tp_diff_table table)
{
    return diff->sum.rows[diff->table[table]].at.count;
}

static bool diff_is_there(const tp_diff *diff, int64_t present, int side)
{
    return diff->several ? seen_by(present, side) > 0 : present >> side & 1;
}

void tp_diff_row(const tp_diff *diff, enum tp_diff_table which, size_t i, struct tp_diff_row *out)
{
    const struct tp_sum *sum = &diff->sum;
    int table = diff->table[which], functions = diff->table[TP_DIFF_FUNCTIONS];
    int64_t row = (int64_t)i, present = *tp_sum_present(sum, table, sum->rows[table].at.at[i]);
    int64_t function = tp_sum_value(sum, table, row, which == TP_DIFF_ARCS ? "callee_id" : "function_id");
    int64_t line = tp_sum_value(sum, table, row, "line");

    function = which == TP_DIFF_FUNCTIONS ? row : function;
    *out = (struct tp_diff_row){
        .function = tp_sum_text(sum, functions, function, "function"),
        .base = tp_sum_text(sum, functions, function, "base"),
        .symbol = tp_sum_text(sum, functions, function, "symbol"),
        .caller = tp_sum_text(sum, functions, tp_sum_value(sum, table, row, "caller_id"), "function"),
        .file = tp_sum_text(sum, tp_sum_table(sum, "files"), tp_sum_value(sum, table, row, "file_id"), "path"),
        .object =
            tp_sum_text(sum, tp_sum_table(sum, "objects"), tp_sum_value(sum, functions, function, "object_id"), "path"),
        .line = line == TP_NONE ? 0 : line,
        .there = {diff_is_there(diff, present, TP_BASELINE), diff_is_there(diff, present, TP_NEW)},
    };
    if (which == TP_DIFF_DATA) {
        out->function = tp_sum_text(sum, table, row, "name");
        out->symbol = tp_sum_text(sum, table, row, "symbol");
        out->object = tp_sum_text(sum, table, row, "path");
    }
}

/* A row's costs on both sides, and what their runs had. */
struct costs {
    int64_t side[TP_SIDES][TP_SUM_COSTS], least[TP_SIDES][TP_SUM_COSTS], most[TP_SIDES][TP_SUM_COSTS];
};

static void costs_of(const tp_diff *diff, int table, const int64_t *row, struct costs *out)
{
    for (int side = 0; side < TP_SIDES; side++) {
        tp_sum_get(&diff->sum, table, row, side, out->side[side]);
        if (!diff->several)
            continue;
        tp_sum_get(&diff->sum, table, row, LANE_LEAST + side, out->least[side]);
        tp_sum_get(&diff->sum, table, row, LANE_MOST + side, out->most[side]);
    }
}

/* Least and most of a side, a run without the row having 0. */
static void diff_spread(const tp_diff *diff, int table, int64_t *row, const struct costs *costs, int side, size_t cost,
                        double *least, double *most)
{
    const struct tp_sum *sum = &diff->sum;
    uint64_t seen = seen_by(*tp_sum_present(sum, table, row), side);

    *least = *most = 0;
    if (!seen)
        return;
    *least = number_at(sum, table, cost, costs->least[side][cost]);
    *most = number_at(sum, table, cost, costs->most[side][cost]);
    if (seen < diff->runs[side]) {
        *least = fmin(*least, 0);
        *most = fmax(*most, 0);
    }
}

/* Cost `cost` of a row. known: not NULL on both sides. */
static struct tp_diff_value compare(const tp_diff *diff, int table, int64_t *row, const struct costs *costs,
                                    size_t cost)
{
    const struct tp_sum *sum = &diff->sum;
    int64_t present = *tp_sum_present(sum, table, row);
    struct tp_diff_value value = {.known = false};
    double least[TP_SIDES], most[TP_SIDES];

    for (int side = 0; side < TP_SIDES; side++) {
        int64_t cell = present >> side & 1 ? costs->side[side][cost] : TP_NONE;
        value.known |= cell != TP_NONE;
        value.side[side] = number_at(sum, table, cost, cell) / (double)diff->runs[side];
    }
    value.difference = value.side[TP_NEW] - value.side[TP_BASELINE];
    value.counts = value.difference > 0 || value.difference < 0;
    if (!diff->several)
        return value;
    for (int side = 0; side < TP_SIDES; side++)
        diff_spread(diff, table, row, costs, side, cost, &least[side], &most[side]);
    value.counts &= least[TP_NEW] > most[TP_BASELINE] || most[TP_NEW] < least[TP_BASELINE];
    return value;
}

/* Of the events of one kind, from `kind` on: whether a side that has the row does not know them. */
static bool diff_is_unknown(const tp_diff *diff, int table, int64_t *row, const struct costs *costs, size_t kind)
{
    const struct tp_sum *sum = &diff->sum;

    for (int side = 0; side < TP_SIDES; side++) {
        const int64_t *lane = costs->side[side] + kind;
        bool unknown = *tp_sum_present(sum, table, row) >> side & 1;
        for (size_t i = 0; i < sum->events.count && unknown; i++)
            unknown = lane[i] == TP_NONE;
        if (unknown)
            return true;
    }
    return false;
}

/* How far a difference may be off because not all sets were simulated: what each group of them says of both sides. */
static double margin_of(const tp_diff *diff, enum tp_diff_table which, size_t i, size_t cost)
{
    double least = 2.0 * diff->sample * diff->sample, group[GROUPS] = {0}; /* a miss on each side */
    int table = tp_sum_table(&diff->sum, grouped[which]);
    struct costs costs;

    for (size_t k = 0; k < GROUPS; k++) {
        int64_t *row = diff->groups[which][i * GROUPS + k];
        if (!row)
            continue;
        costs_of(diff, table, row, &costs);
        group[k] = compare(diff, table, row, &costs, cost).difference;
    }
    return tp_margin_of_groups(group, least, diff->sample);
}

/* Where the costs of a table's rows begin that are inclusive, or those that are not. */
static size_t kind_of(const tp_diff *diff, enum tp_diff_table which, bool inclusive)
{
    int kinds = diff->sum.shape[diff->table[which]].table->events;

    return inclusive && kinds == (TP_SELF_EVENTS | TP_INCL_EVENTS) ? diff->sum.events.count : 0;
}

struct tp_diff_value tp_diff_value(const tp_diff *diff, enum tp_diff_table which, size_t i, size_t event,
                                   bool inclusive)
{
    const struct tp_sum *sum = &diff->sum;
    int table = diff->table[which];
    int64_t *row = sum->rows[table].at.at[i];
    size_t kind = kind_of(diff, which, inclusive);
    struct costs costs;

    costs_of(diff, table, row, &costs);
    struct tp_diff_value value = compare(diff, table, row, &costs, kind + event);
    value.known &= !diff_is_unknown(diff, table, row, &costs, kind);
    value.counts &= value.known;
    if (diff->sample > 1 && value.counts && !tp_event_is_exact(&diff->events.at[event]))
        value.counts = fabs(value.difference) > margin_of(diff, which, i, kind + event);
    return value;
}

/* The same of a formula that counts something: its groups are made of its terms' groups. */
static double formula_margin(const tp_diff *diff, enum tp_diff_table which, size_t i, const struct tp_formula *formula,
                             size_t kind)
{
    double least = 2.0 * diff->sample * diff->sample, group[GROUPS] = {0};
    int table = tp_sum_table(&diff->sum, grouped[which]);
    struct tp_figure figure[TP_SIDES][TP_FORMULA_TERMS];
    struct costs costs;
    bool ignored;

    for (size_t k = 0; k < GROUPS; k++) {
        int64_t *row = diff->groups[which][i * GROUPS + k];
        if (!row)
            continue;
        costs_of(diff, table, row, &costs);
        for (size_t t = 0; t < formula->terms; t++) {
            int event = tp_diff_find(diff, formula->term[t].event->name, &ignored);
            struct tp_diff_value value = {.known = false};
            if (event >= 0)
                value = compare(diff, table, row, &costs, kind + (size_t)event);
            for (int side = 0; side < TP_SIDES; side++)
                figure[side][t] = (struct tp_figure){value.side[side], value.known};
        }
        group[k] = tp_formula_value(formula, figure[TP_NEW]).value -
                   tp_formula_value(formula, figure[TP_BASELINE]).value;
    }
    return tp_margin_of_groups(group, least, diff->sample);
}

/* A ratio of sums is not the sum of ratios: its terms are compared, and it is made of what each side has. */
struct tp_diff_value tp_diff_formula(const tp_diff *diff, enum tp_diff_table table, size_t i,
                                     const struct tp_formula *formula, bool inclusive)
{
    struct tp_diff_value term[TP_FORMULA_TERMS], value = {.known = true};
    bool ignored, counts = false;

    for (size_t t = 0; t < formula->terms; t++) {
        int event = tp_diff_find(diff, formula->term[t].event->name, &ignored);
        term[t] = (struct tp_diff_value){.known = false};
        if (event >= 0)
            term[t] = tp_diff_value(diff, table, i, (size_t)event, inclusive || formula->term[t].inclusive);
        counts |= term[t].counts;
    }
    for (int side = 0; side < TP_SIDES; side++) {
        struct tp_figure figure[TP_FORMULA_TERMS];
        for (size_t t = 0; t < formula->terms; t++)
            figure[t] = (struct tp_figure){term[t].side[side], term[t].known};
        struct tp_figure of_side = tp_formula_value(formula, figure);
        value.known &= of_side.known;
        value.side[side] = of_side.known ? of_side.value : 0;
    }
    value.difference = value.known ? value.side[TP_NEW] - value.side[TP_BASELINE] : 0;
    bool sampled = diff->sample > 1 && formula->counts && value.known;
    size_t kind = kind_of(diff, table, inclusive);
    /* A sum may differ by more than by chance where none of its terms does. */
    value.counts = (counts || (sampled && !diff->several)) && (value.difference > 0 || value.difference < 0);
    if (sampled && value.counts)
        value.counts = fabs(value.difference) > formula_margin(diff, table, i, formula, kind);
    return value;
}

size_t tp_diff_events(const tp_diff *diff)
{
    return diff->events.count;
}

const struct tp_event *tp_diff_event(const tp_diff *diff, size_t i)
{
    return &diff->events.at[i];
}

int tp_diff_find(const tp_diff *diff, const char *name, bool *inclusive)
{
    size_t length = strlen(name);

    *inclusive = length > 5 && strcasecmp(name + length - 5, "_incl") == 0;
    length -= *inclusive ? 5 : 0;
    for (size_t i = 0; i < diff->events.count; i++) {
        if (strlen(diff->events.at[i].name) == length && strncasecmp(diff->events.at[i].name, name, length) == 0)
            return (int)i;
    }
    return -1;
}

const char *tp_diff_note(const tp_diff *diff, size_t i)
{
    return i < diff->notes.count ? diff->notes.at[i] : NULL;
}

unsigned tp_diff_sample(const tp_diff *diff)
{
    return diff->sample;
}

/* ------------------------------------------------------------------------------------------ as a profile */

/* What the sides differ by; 0 where that does not count. */
static int subtract_row(tp_diff *diff, int table, int64_t *row, int side)
{
    struct tp_sum *sum = &diff->sum;
    struct costs costs;
    int64_t to[TP_SUM_COSTS];
    size_t events = tp_sum_events(sum, table);
    bool unknown = false;

    (void)side;
    costs_of(diff, table, row, &costs);
    for (size_t i = 0; i < tp_sum_costs(sum, table); i++) {
        if (i < events && i % sum->events.count == 0)
            unknown = diff_is_unknown(diff, table, row, &costs, i);
        struct tp_diff_value value = compare(diff, table, row, &costs, i);
        double difference = value.counts ? value.difference : 0;
        if (!value.known || (i < events && unknown))
            to[i] = TP_NONE;
        else if (i < events && sum->events.column[i % sum->events.count].real)
            memcpy(&to[i], &difference, sizeof difference);
        else
            to[i] = fabs(difference) < 9e18 ? llround(difference) : difference < 0 ? -INT64_MAX : INT64_MAX;
    }
    return tp_sum_put(sum, table, row, LANE_DIFFERENCE, to);
}

static int diff_add_meta(tp_diff *diff, const char *key, const char *value)
{
    struct tp_pair *pair = TP_VECTOR_ADD(&diff->meta);

    if (!pair)
        return -1;
    pair->key = tp_arena_copy(&diff->arena, key, strlen(key));
    pair->value = tp_arena_copy(&diff->arena, value, strlen(value));
    return pair->key && pair->value ? 0 : -1;
}

/* A difference of what was simulated is not one of the program alone. */
static int note_models(tp_diff *diff, const struct tp_diff_runs runs[TP_SIDES])
{
    char text[512];

    for (size_t i = 0; i < TP_MODEL_KEYS; i++) {
        const char *of[TP_SIDES];
        bool mixed = false;
        for (int side = 0; side < TP_SIDES; side++) {
            of[side] = tp_model_of(runs[side].profile[0], i);
            for (size_t k = 1; k < runs[side].count; k++)
                mixed |= strcmp(of[side], tp_model_of(runs[side].profile[k], i)) != 0;
        }
        if (mixed)
            snprintf(text, sizeof text, "not simulated alike: %s is not the same in all runs of a side",
                     tp_model[i].what);
        else
            snprintf(text, sizeof text, "not simulated alike: %s is %s in the baseline, %s in the new profile",
                     tp_model[i].what, of[TP_BASELINE], of[TP_NEW]);
        if ((mixed || strcmp(of[TP_BASELINE], of[TP_NEW]) != 0) && note(diff, text))
            return -1;
    }
    return 0;
}

/* What both sides say, then what is said of a difference. The new side's command goes before the baseline's. */
static int diff_take_meta(tp_diff *diff, const struct tp_diff_runs runs[TP_SIDES])
{
    static const char *const kept[] = {"cmd",       "creator",    "engine",   "engine.version", "directory",
                                       "cache-sim", "branch-sim", "cacheuse", "inclusive",      "tlb"};
    enum { KEPT = sizeof kept / sizeof *kept };
    static const char *const sides[] = {"diff.baseline", "diff.new"};
    int failed = 0;

    for (size_t i = 0; i < KEPT + TP_MODEL_KEYS && !failed; i++) {
        const char *key = i < KEPT ? kept[i] : tp_model[i - KEPT].key;
        const char *now = tp_meta(runs[TP_NEW].profile[0], key), *before = tp_meta(runs[TP_BASELINE].profile[0], key);
        bool same = now && (i == 0 || (before && strcmp(now, before) == 0));
        if (same && strcmp(key, "sample") != 0) /* which is added below */
            failed = diff_add_meta(diff, key, now);
    }
    if (!failed && diff->sample > 1) {
        char number[16];
        snprintf(number, sizeof number, "%u", diff->sample);
        failed = diff_add_meta(diff, "sample", number);
    }
    for (int side = 0; side < TP_SIDES && !failed; side++) {
        sqlite3_str *names = sqlite3_str_new(NULL);
        for (size_t i = 0; i < runs[side].count; i++)
            sqlite3_str_appendf(names, "%s%s", i ? "; " : "", tp_path(runs[side].profile[i]));
        char *text = sqlite3_str_finish(names);
        failed = !text || diff_add_meta(diff, sides[side], text);
        sqlite3_free(text);
    }
    return failed;
}

/* A side's means, rounded; NULL where it does not have the row. */
static int mean_row(tp_diff *diff, int table, int64_t *row, int side)
{
    struct tp_sum *sum = &diff->sum;
    int64_t from[TP_SUM_COSTS], to[TP_SUM_COSTS];
    size_t events = tp_sum_events(sum, table);
    bool there = diff_is_there(diff, *tp_sum_present(sum, table, row), side);

    tp_sum_get(sum, table, row, side, from);
    for (size_t i = 0; i < tp_sum_costs(sum, table); i++) {
        double mean = number_at(sum, table, i, from[i]) / (double)diff->runs[side];
        to[i] = from[i];
        if (!there)
            to[i] = TP_NONE;
        else if (from[i] != TP_NONE && i < events && sum->events.column[i % sum->events.count].real)
            memcpy(&to[i], &mean, sizeof mean);
        else if (from[i] != TP_NONE && diff->several)
            to[i] = llround(mean);
    }
    return tp_sum_put(sum, table, row, LANE_DIFFERENCE, to);
}

/* A profile whose rows have costs that `make` puts into the lane of the difference. */
static int write_made(tp_diff *diff, int (*make)(tp_diff *diff, int table, int64_t *row, int side), int side,
                      const char *path, struct tp_error *err)
{
    struct tp_sum *sum = &diff->sum;

    for (int table = 0; table < sum->tables; table++) {
        for (size_t i = 0; i < sum->rows[table].at.count; i++) {
            if (make(diff, table, sum->rows[table].at.at[i], side))
                return TP_NO_MEMORY(err);
        }
    }
    return tp_sum_write(sum, LANE_DIFFERENCE, path, &diff->meta, NULL, err);
}

int tp_diff_write(tp_diff *diff, const char *path, struct tp_error *err)
{
    return write_made(diff, subtract_row, TP_SIDES, path, err);
}

tp_profile *tp_diff_open(tp_diff *diff, const char *folder, struct tp_error *err)
{
    static const char *const names[] = {"difference", "before", "after"};
    char own[PATH_MAX - 16], path[3][PATH_MAX];

    if (snprintf(own, sizeof own, "%s/tenure.XXXXXX", folder) >= (int)sizeof own || !mkdtemp(own)) {
        TP_FAIL(err, "cannot make a temporary folder in %s: %s", folder, strerror(errno));
        return NULL;
    }
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", own, names[i]);
    tp_profile *profile = NULL;
    if (tp_diff_write(diff, path[0], err) == 0 && write_made(diff, mean_row, TP_BASELINE, path[1], err) == 0 &&
        write_made(diff, mean_row, TP_NEW, path[2], err) == 0)
        profile = tp_open(path[0], err);
    bool failed = !profile || tp_execute(profile, sqlite3_mprintf("ATTACH %Q AS before; ATTACH %Q AS after", path[1],
                                                                  path[2]),
                                         "cannot read the sides of the difference", err);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(own);
    if (!failed && tp_call(profile, "the difference", err) == 0)
        return profile;
    tp_close(profile);
    return NULL;
}

/* ------------------------------------------------------------------------------------------ all */

/* Everything is read: rows find what groups have of them. */
static int find_groups(tp_diff *diff)
{
    for (int which = 0; which < TP_DIFF_TABLES && diff->sample > 1; which++) {
        const struct tp_rows *rows = &diff->sum.rows[tp_sum_table(&diff->sum, grouped[which])];
        bool of_total = which == TP_DIFF_TOTALS;
        diff->groups[which] = calloc(tp_diff_rows(diff, which) * GROUPS + 1, sizeof *diff->groups[which]);
        if (!diff->groups[which])
            return -1;
        for (size_t i = 0; i < rows->at.count; i++) {
            int64_t of = of_total ? 0 : rows->at.at[i][0], group = rows->at.at[i][of_total ? 0 : 1];
            if (of >= 0 && of < (int64_t)tp_diff_rows(diff, which) && group >= 1 && group <= GROUPS)
                diff->groups[which][of * GROUPS + group - 1] = rows->at.at[i];
        }
    }
    return 0;
}

static int diff_make(tp_diff *diff, const struct tp_diff_runs runs[TP_SIDES], bool whole, struct tp_error *err)
{
    if (tp_sum_begin(&diff->sum, true, err))
        return -1;
    diff->several = runs[TP_BASELINE].count > 1 || runs[TP_NEW].count > 1;
    diff->sum.lanes = diff->several ? LANES_OF_RUNS : whole ? LANE_DIFFERENCE + 1 : TP_SIDES;
    for (int i = 0; i < TP_DIFF_TABLES; i++)
        diff->table[i] = tp_sum_table(&diff->sum, compared[i]);
    for (size_t i = 0; profile_at(runs, i); i++)
        diff->sample = tp_sample(profile_at(runs, i)) > diff->sample ? tp_sample(profile_at(runs, i)) : diff->sample;
    if (diff_take_events(diff, runs, err))
        return -1;
    for (size_t i = 0; profile_at(runs, i); i++) {
        if (tp_diff_lens_look(&diff->lens, profile_at(runs, i), !profile_at(runs, i + 1), err))
            return -1;
    }
    leave_out(diff, whole);
    for (int side = 0; side < TP_SIDES; side++) {
        diff->runs[side] = runs[side].count;
        for (size_t i = 0; i < runs[side].count; i++) {
            if (read_run(diff, runs[side].profile[i], side, whole, err))
                return -1;
        }
    }
    bool failed = diff->lens.failed || note_models(diff, runs) || diff_take_meta(diff, runs) || find_groups(diff);
    if (diff->lens.unmatched_count) {
        char text[160];
        snprintf(text, sizeof text, "lines of %zu source file%s are not compared: another build, and not recorded with "
                                    "--embed-source", diff->lens.unmatched_count,
                 diff->lens.unmatched_count == 1 ? "" : "s");
        failed |= note(diff, text) != 0;
    }
    return failed ? TP_NO_MEMORY(err) : 0;
}

tp_diff *tp_diff_make(const struct tp_diff_runs runs[TP_SIDES], const struct tp_diff_options *options,
                      struct tp_error *err)
{
    tp_diff *diff = calloc(1, sizeof *diff);

    if (!diff) {
        TP_NO_MEMORY(err);
        return NULL;
    }
    diff->lens.filename = options->filename;
    diff->lens.funcname = options->funcname;
    if (diff_make(diff, runs, options->whole, err) == 0)
        return diff;
    tp_diff_free(diff);
    return NULL;
}

void tp_diff_free(tp_diff *diff)
{
    if (!diff)
        return;
    tp_sum_free(&diff->sum);
    tp_diff_lens_free(&diff->lens);
    for (int i = 0; i < TP_DIFF_TABLES; i++)
        free(diff->groups[i]);
    TP_VECTOR_FREE(&diff->events);
    TP_VECTOR_FREE(&diff->notes);
    TP_VECTOR_FREE(&diff->meta);
    tp_arena_free(&diff->arena);
    free(diff);
}
