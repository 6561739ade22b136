/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_machines.c: machines whose caches `tenure record --machine` simulates.
 *
 * A table of all, or one of them as it is written, with where its numbers are from. What is a machine of a user and is
 * not right is a line on stderr, and the others are listed.
 */
#include "cli/base/caches.h"
#include "cli/base/opt.h"
#include "cli/base/table.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct machines {
    bool json, csv;
};

static const struct opt rows[] = {
    {OPT_FLAG, "json", 0, NULL, "write an array of objects", offsetof(struct machines, json)},
    {OPT_FLAG, "csv", 0, NULL, "write CSV with a heading", offsetof(struct machines, csv)},
};

static const struct opt_command command = {
    "machines",
    "[options] [NAME]",
    "Lists the machines whose caches `tenure record --machine=NAME` simulates, `this` one first. With NAME: prints\n"
    "that one, in the form that your own are written in: in ~/.config/tenure/machines, or a file that is named.",
    OPT_ROWS(rows),
};

/* What was read before and found to be right. */
static int print(const char *name)
{
    struct tp_error err;
    struct tp_scan scan;
    int more = machines_open(&scan, name, &err) == 0 ? 1 : -1;

    while (more > 0 && (more = tp_scan_line(&scan)) > 0)
        term_labelled("", 0, scan.at);
    tp_scan_close(&scan);
    if (more < 0)
        term_error("machines: %s", err.message);
    return more < 0 ? CLI_USAGE : CLI_GOOD;
}

static void add(struct table *table, const struct described *machine, const char *name)
{
    char text[GEOMETRY_TEXT];

    table_text(table, name);
    for (size_t i = 0; i < options_count; i++) {
        const struct recording_option *option = &options_table[i];
        if (!machines_describe(option))
            continue;
        const char *value = machine->options.given[i] ? options_text(&machine->options, option, text) : NULL;
        if (value != NULL && option->kind == OPTIONS_GEOMETRY)
            caches_option((const void *)((const char *)&machine->options + option->member), text);
        table_text(table, value);
    }
    table_text(table, machine->title);
}

static int list(const struct machines *options, const char *const *names, size_t count)
{
    struct table *table = table_new();
    struct described machine;
    struct tp_error err;
    bool is_any = false;
    int status = CLI_GOOD;

    table_column(table, TABLE_TEXT, "Name", "name", 0);
    for (size_t i = 0; i < options_count; i++) {
        const struct recording_option *option = &options_table[i];
        if (machines_describe(option))
            table_column(table, TABLE_TEXT, option->kind == OPTIONS_TLB ? NULL : option->name, option->name, 0);
    }
    table_column(table, TABLE_TEXT, "Title", "title", 0);
    for (size_t i = 0; i < count; i++) {
        if (machines_read(&machine, names[i], &err) == 0) {
            add(table, &machine, names[i]);
            is_any = true;
        } else {
            term_error("machines: %s", err.message);
            status = CLI_USAGE;
        }
    }
    if (is_any && options->json)
        table_json(table, &(struct tp_json){.out = stdout}, NULL), putchar('\n');
    else if (is_any && options->csv)
        table_csv(table, stdout);
    else if (is_any)
        table_print(table, stdout, false);
    table_free(table);
    return status;
}

int cmd_machines(int argc, char **argv)
{
    struct machines options = {0};
    struct described machine;
    struct tp_error err;
    const char *const *names = (const char *const *)argv;
    int first = opt_parse(&command, &options, argc, argv);

    if (first < 0)
        return term_finish(-1 - first);
    if (options.json && options.csv)
        return opt_misused(&command, "--json or --csv, not both");
    if (argc - first > 1)
        return opt_misused(&command, "one machine at a time, %s is one too many", argv[first + 1]);
    if (first == argc || options.json || options.csv) {
        size_t count = first == argc ? machines_names(&names) : 1;
        return term_finish(list(&options, first == argc ? names : names + first, count));
    }
    if (machines_read(&machine, argv[first], &err) != 0) {
        term_error("machines: %s", err.message);
        return CLI_USAGE;
    }
    return term_finish(print(argv[first]));
}
