/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_top.c: `tenure top`: the functions that cost most while a program is being profiled.
 *
 * Every interval the program is asked for a part of its profile (control.h), and its raw profile, as far as it has been
 * written, is imported: what a function has cost since the last look is the difference to what it had cost by then.
 */
#include "cli/base/column.h"
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/place.h"
#include "cli/base/query.h"
#include "cli/base/table.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/control.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_COLUMNS = 8 };

struct top {
    const char *sort;
    double interval;
    uint64_t limit, count;
    bool total;
    /* ---- found out */
    struct column_list columns; /* the first is sorted by */
    struct control control;
    tp_profile *now;
    struct rows {
        struct row *row;
        size_t count, room;
    } before; /* of the last look */
};

#define AT(member) offsetof(struct top, member)
static const struct opt rows[] = {
    {OPT_NUMBER, "interval", 'd', "SECONDS", "from one look to the next [2]", AT(interval)},
    {OPT_COUNT, "count", 'c', "N", "look N times [until the program ends]", AT(count)},
    {OPT_LIMIT, "limit", 'n', "N", "at most N functions [20]", AT(limit)},
    {OPT_TEXT, "sort", 's', "EVENT", "sort by an event, self, or inclusive: EVENT_incl [Time]", AT(sort)},
    {OPT_FLAG, "total", 0, NULL, "since the program began, not since the last look", AT(total)},
};

static const struct opt_command command = {
    "top",
    "[options] [PID]",
    "Shows the functions that cost most, again and again, while `tenure record` runs the program PID; without\n"
    "it, the one that is being profiled. Each look writes a part of its profile.",
    OPT_ROWS(rows),
};

/* ------------------------------------------------------------------------------------------ a look */

static bool choose_columns(struct top *top)
{
    static const char *const usual[] = {"CEst", "Ir", "L1m", "LLm", "SpLossD1"};

    if (column_add(&top->columns, top->now, top->sort != NULL ? top->sort : tp_event_usual(top->now), true) < 0)
        return false;
    if (top->columns.at[0].is_ratio) {
        term_error("top: %s is a ratio; sort by an event", top->columns.at[0].name);
        return false;
    }
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        column_add(&top->columns, top->now, usual[i], false);
    return true;
}

/* ------------------------------------------------------------------------------------------ differences */

struct row {
    int64_t address;
    char *function, *object;
    double cost[MAX_COLUMNS], since[MAX_COLUMNS]; /* all, and since the last look */
};

static bool read_rows(struct top *top, struct rows *list)
{
    char expressions[MAX_COLUMNS * 2100] = "";
    struct query q;

    for (size_t i = 0; i < top->columns.count; i++) {
        size_t length = strlen(expressions);
        snprintf(expressions + length, sizeof expressions - length, ", %s", top->columns.at[i].sql);
    }
    query_begin(&q, top->now, "SELECT ifnull(address, 0), function, object%s FROM functions ORDER BY 1, 2, 3",
                expressions);
    while (query_row(&q)) {
        if (list->count == list->room) {
            list->room = list->room * 2 + 256;
            list->row = term_have(realloc(list->row, list->room * sizeof *list->row));
        }
        struct row *row = &list->row[list->count++];
        row->address = query_int(&q, 0);
        row->function = term_have(strdup(query_text(&q, 1)));
        row->object = term_have(strdup(query_text(&q, 2)));
        for (size_t i = 0; i < top->columns.count; i++)
            row->since[i] = row->cost[i] = query_real(&q, 3 + (int)i);
    }
    return query_end(&q);
}

static void free_rows(struct rows *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->row[i].function);
        free(list->row[i].object);
    }
    free(list->row);
}

static int in_order(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int by_name = strcmp(x->function, y->function);

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return by_name != 0 ? by_name : strcmp(x->object, y->object);
}

/* What was there at the last look is not since then. */
static void subtract(struct top *top, struct rows *now, const struct rows *before)
{
    if (before->count > 0)
        qsort(before->row, before->count, sizeof *before->row, in_order);
    for (size_t i = 0, k = 0; i < now->count && k < before->count;) {
        int order = in_order(&now->row[i], &before->row[k]);

        for (size_t c = 0; order == 0 && c < top->columns.count; c++)
            now->row[i].since[c] -= before->row[k].cost[c];
        i += order <= 0;
        k += order >= 0;
    }
}

static int by_cost(const void *a, const void *b)
{
    double x = ((const struct row *)a)->since[0], y = ((const struct row *)b)->since[0];

    return x != y ? (x < y ? 1 : -1) : in_order(a, b);
}

/* ------------------------------------------------------------------------------------------ the screen */

static void print_rows(struct top *top, const struct rows *list)
{
    struct table *table = table_new();
    double totals[MAX_COLUMNS] = {0};

    for (size_t i = 0; i < list->count; i++) {
        for (size_t c = 0; c < top->columns.count; c++)
            totals[c] += list->row[i].since[c];
    }
    for (size_t c = 0; c < top->columns.count; c++) {
        table_column(table, TABLE_COUNT, top->columns.at[c].name, top->columns.at[c].name, c == 0 ? 0 : (int)c);
        if (c == 0)
            table_column(table, TABLE_PERCENT, "%", "percent", 0);
    }
    table_column(table, TABLE_TEXT, "function", "function", 0);
    for (size_t i = 0; i < list->count && i < top->limit && list->row[i].since[0] > 0; i++) {
        const struct row *row = &list->row[i];
        char place[512];

        for (size_t c = 0; c < top->columns.count; c++) {
            table_count(table, (int64_t)row->since[c]);
            if (c == 0 && !top->columns.at[0].inclusive)
                table_number(table, 100 * row->since[0] / totals[0]);
            else if (c == 0)
                table_null(table);
        }
        place_short(top->now, place, sizeof place, row->function, "", 0, row->object);
        table_text(table, row->function);
        table_tail(table, place);
    }
    if (table_rows(table) > 0)
        table_print(table, stdout, true);
    else
        puts("  nothing");
    table_free(table);
}

static bool show(struct top *top)
{
    bool whole = top->before.row == NULL || top->total;
    struct rows now = {0};
    char program[CONTROL_NAME], safe[4 * CONTROL_NAME];

    if (!read_rows(top, &now)) {
        free_rows(&now);
        return false;
    }
    if (!whole)
        subtract(top, &now, &top->before);
    free_rows(&top->before);
    top->before = now;
    if (now.count > 0)
        qsort(now.row, now.count, sizeof *now.row, by_cost);
    control_text(program, sizeof program, top->control.page->program, sizeof top->control.page->program);
    term_escape(safe, sizeof safe, program);
    if (term_cuts(stdout) && isatty(STDOUT_FILENO))
        fputs("\033[H\033[2J", stdout);
    printf("%sprocess %ld: %s%s, %s\n", term_style(stdout, TERM_BOLD), (long)top->control.pid, safe,
           term_style(stdout, TERM_PLAIN), whole ? "since it began" : "since the last look");
    print_rows(top, &now);
    return term_finish(CLI_GOOD) == CLI_GOOD;
}

/* ------------------------------------------------------------------------------------------ the command */

/* False: that was the last one. */
static bool look(struct top *top, int *status)
{
    enum control_outcome outcome = control_ask(&top->control, CONTROL_DUMP, 0, "top", top->interval + 60);
    char raw[CONTROL_PATH];

    *status = CLI_ERROR;
    if (outcome != CONTROL_DONE) {
        if (outcome != CONTROL_GONE)
            term_error("top: process %ld does not answer", (long)top->control.pid);
        *status = outcome == CONTROL_GONE ? CLI_GOOD : CLI_ERROR;
        return false;
    }
    control_text(raw, sizeof raw, top->control.page->raw, sizeof top->control.page->raw);
    tp_close(top->now);
    top->now = given_open_growing(raw);
    if (top->now == NULL)
        return false;
    if (top->columns.count == 0 && !choose_columns(top))
        return false;
    if (!show(top))
        return false;
    *status = CLI_GOOD;
    return true;
}

/* The only one there is; 0 with a line on stderr. */
static pid_t only_one(const char *folder)
{
    pid_t *list, pid = 0;
    size_t count = control_processes(folder, &list);

    if (count == 1)
        pid = list[0];
    else
        term_error(count == 0 ? "top: no program is being profiled"
                              : "top: several programs are being profiled: say which; `tenure control` lists them");
    free(list);
    return pid;
}

int cmd_top(int argc, char **argv)
{
    struct top top = {.interval = 2, .limit = 20, .columns.most = MAX_COLUMNS};
    int first = opt_parse(&command, &top, argc, argv);
    char folder[PATH_MAX];
    uint64_t pid = 0, looks = 0;
    int status;

    if (first < 0)
        return -1 - first;
    if (argc - first > 1 || (first < argc && (!opt_number(argv[first], NULL, &pid) || pid == 0)))
        return opt_misused(&command, "%s: give one process id", argv[argc - 1]);
    if (!control_folder("top", folder, sizeof folder) || (pid == 0 && (pid = (uint64_t)only_one(folder)) == 0) ||
        !control_open("top", &top.control, folder, (pid_t)pid))
        return CLI_ERROR;
    while (look(&top, &status) && ++looks != top.count)
        control_pause(top.interval);
    free_rows(&top.before);
    free(top.columns.at);
    tp_close(top.now);
    control_close(&top.control);
    return status;
}
