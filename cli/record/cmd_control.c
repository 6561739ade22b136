/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_control.c: `tenure control`: from another terminal, what programs being profiled do, and what they are to do.
 *
 * Without operands all of them are listed. The first operand says which (`all`, or a process id), the second what. How
 * they are asked is in control.c.
 */
#include "cli/base/opt.h"
#include "cli/base/table.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ask {
    double wait, every;
    bool json;
    /* ---- from the operands */
    enum control_request request;
    uint32_t argument;
    const char *part;
    char folder[4096];
};

static const struct opt rows[] = {
    {OPT_NUMBER, "wait", 0, "SECONDS", "how long to wait for an answer [5]", offsetof(struct ask, wait)},
    {OPT_NUMBER, "every", 0, "SECONDS", "do it again and again, until the program ends", offsetof(struct ask, every)},
    {OPT_FLAG, "json", 0, NULL, "write JSON: lists, status and stacks", offsetof(struct ask, json)},
};

static const struct opt_command command = {
    "control",
    "[options] [PID|all [status|stack|dump [NAME]|zero|collect on|off|toggle|instrument on|off]]",
    "Lists the programs that are being profiled, or asks one or all of them: for their status, for the\n"
    "functions that they are in, to write a part of the profile, to forget all costs so far, to collect\n"
    "costs or not, to simulate at all or not.",
    OPT_ROWS(rows),
};

/* ------------------------------------------------------------------------------------------ what is asked */

static const struct {
    const char *verb, *word; /* NULL: none follows */
    enum control_request request;
    uint32_t argument;
} verbs[] = {
    {"status", NULL, CONTROL_STATUS, 0},
    {"stack", NULL, CONTROL_STACK, 0},
    {"dump", NULL, CONTROL_DUMP, 0},
    {"zero", NULL, CONTROL_ZERO, 0},
    {"collect", "on", CONTROL_COLLECT, 1},
    {"collect", "off", CONTROL_COLLECT, 0},
    {"collect", "toggle", CONTROL_COLLECT, 2},
    {"instrument", "on", CONTROL_INSTRUMENT, 1},
    {"instrument", "off", CONTROL_INSTRUMENT, 0},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

/* Finds what the words ask for. NULL, or what is wrong, with %s for the first of them. */
static const char *understand(struct ask *ask, int count, char **words)
{
    bool known = false;

    if (count == 0) {
        ask->request = CONTROL_STATUS;
        return NULL;
    }
    for (size_t i = 0; i < VERBS; i++) {
        bool has_part = verbs[i].request == CONTROL_DUMP && count == 2;

        if (strcmp(verbs[i].verb, words[0]) != 0)
            continue;
        known = true;
        if (!has_part && count != (verbs[i].word != NULL ? 2 : 1))
            continue;
        if (verbs[i].word != NULL && strcmp(verbs[i].word, words[1]) != 0)
            continue;
        ask->request = verbs[i].request;
        ask->argument = verbs[i].argument;
        ask->part = ask->request != CONTROL_DUMP ? NULL : has_part ? words[1] : "control";
        return NULL;
    }
    return known ? "%s: what follows it is missing, wrong, or too much" : "%s: no such request";
}

/* ------------------------------------------------------------------------------------------ what is said */

/* Only what runs is asked for its status: the rest would answer when it wakes. */
static void add_status(struct table *table, struct control *control)
{
    enum { SHORT_MS = 200 }; /* for what runs to say how far it is: else it says so as of when it was asked last */
    const struct control_page *page = control->page;
    char text[CONTROL_PATH];

    if (control_is_awake(control))
        control_ask(control, CONTROL_STATUS, 0, NULL, SHORT_MS / 1000.0);
    snprintf(text, sizeof text, "%ld", (long)control->pid);
    table_text(table, text);
    table_count(table, control->pid);
    table_text(table, !control_is_awake(control) ? "sleeps"
                      : !page->instrumenting     ? "not simulated"
                      : page->collecting         ? "runs"
                                                 : "not collected");
    table_count(table, page->threads);
    table_count(table, (int64_t)page->accesses);
    table_count(table, page->parts);
    table_text(table, control_text(text, sizeof text, page->raw, sizeof page->raw));
    table_text(table, control_text(text, sizeof text, page->program, sizeof page->program));
}

/* Functions indented below their thread, as the engine sent them. */
static void print_stack(const struct control *control, bool as_json)
{
    const struct control_page *page = control->page;
    size_t left = page->text_bytes < CONTROL_TEXT ? page->text_bytes : CONTROL_TEXT - 1;
    char *text = term_have(strndup(page->text, left)), *rest = text, *line;
    char *safe = term_have(malloc(4 * CONTROL_TEXT + 1));
    struct tp_json json = {.out = stdout};

    if (as_json) {
        tp_json_begin(&json, NULL, '{', ", ");
        tp_json_integer(&json, "pid", control->pid);
        tp_json_begin(&json, "stack", '[', ", ");
    } else {
        printf("process %ld\n", (long)control->pid);
    }
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (*line == '\0')
            continue;
        if (as_json) {
            tp_json_text(&json, NULL, line + strspn(line, " "));
        } else {
            term_escape(safe, 4 * CONTROL_TEXT + 1, line);
            printf("  %s\n", safe);
        }
    }
    while (json.depth > 0)
        tp_json_end(&json);
    fputs(as_json ? "\n" : "", stdout);
    free(text);
    free(safe);
}

/* False: it was not done (yet). */
static bool tell_outcome(const struct control *control, enum control_outcome outcome)
{
    bool awake = control_is_awake(control);

    switch (outcome) {
    case CONTROL_DONE:
        if (control->page->unknown)
            term_error("control: process %ld runs under another version of Tenure, which cannot do this",
                       (long)control->pid);
        return !control->page->unknown;
    case CONTROL_LATER:
        term_error("control: process %ld %s: it will be done when it %s", (long)control->pid,
                   awake ? "has not answered yet" : "sleeps", awake ? "does" : "wakes");
        return false;
    case CONTROL_NOT:
        term_error("control: process %ld %s", (long)control->pid, awake ? "does not answer" : "sleeps");
        return false;
    case CONTROL_BUSY:
        term_error("control: process %ld %s, and has been asked for something before: nothing was asked",
                   (long)control->pid, awake ? "does not answer" : "sleeps");
        return false;
    case CONTROL_GONE:
        term_error("control: process %ld has ended", (long)control->pid);
        return false;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------ the command */

static bool do_one(const struct ask *ask, struct table *table, pid_t pid, bool must)
{
    struct control control;
    bool good = true;

    if (!control_open(must ? "control" : NULL, &control, ask->folder, pid))
        return !must;
    if (ask->request == CONTROL_STATUS) {
        add_status(table, &control);
    } else {
        good = tell_outcome(&control, control_ask(&control, ask->request, ask->argument, ask->part, ask->wait));
        if (good && ask->request == CONTROL_STACK)
            print_stack(&control, ask->json);
    }
    control_close(&control);
    return good;
}

/* `pid` 0: all. Returns how many there were, or -1. */
static int do_round(const struct ask *ask, pid_t pid)
{
    struct table *table = table_new();
    pid_t *list = NULL;
    size_t count = pid == 0 ? control_processes(ask->folder, &list) : 1;
    bool good = true;

    table_column(table, TABLE_TEXT, "Process", NULL, 0); /* a name, not a count: no marks of thousands */
    table_column(table, TABLE_COUNT, NULL, "pid", 0);
    table_column(table, TABLE_TEXT, "State", "state", 0);
    table_column(table, TABLE_COUNT, "Threads", "threads", 2);
    table_column(table, TABLE_COUNT, "Accesses", "accesses", 0);
    table_column(table, TABLE_COUNT, "Parts", "parts", 1);
    table_column(table, TABLE_TEXT, NULL, "raw", 0);
    table_column(table, TABLE_TEXT, "Program", "program", 0);
    for (size_t i = 0; i < count; i++)
        good &= do_one(ask, table, pid != 0 ? pid : list[i], pid != 0);
    if (ask->request == CONTROL_STATUS && ask->json) {
        table_json(table, &(struct tp_json){.out = stdout}, NULL);
        putchar('\n');
    } else if (table_rows(table) > 0) {
        table_print(table, stdout, true);
    } else if (count == 0) {
        puts("no program is being profiled");
    }
    table_free(table);
    free(list);
    return good ? (int)count : -1;
}

int cmd_control(int argc, char **argv)
{
    struct ask ask = {.wait = 5};
    int first = opt_parse(&command, &ask, argc, argv);
    uint64_t pid = 0;

    if (first < 0)
        return -1 - first;
    if (first < argc && strcmp(argv[first], "all") != 0 && (!opt_number(argv[first], NULL, &pid) || pid == 0))
        return opt_misused(&command, "%s: give a process id, or `all`", argv[first]);
    if (first + 2 < argc && strcmp(argv[first + 1], "dump") == 0 && strlen(argv[first + 2]) >= CONTROL_NAME)
        return opt_misused(&command, "dump: the name of a part has %d bytes at most", CONTROL_NAME - 1);
    const char *wrong = understand(&ask, first < argc ? argc - first - 1 : 0, argv + first + 1);
    if (wrong != NULL)
        return opt_misused(&command, wrong, argv[first + 1]);
    if (!control_folder("control", ask.folder, sizeof ask.folder))
        return CLI_ERROR;
    for (;;) {
        int count = do_round(&ask, (pid_t)pid);

        fflush(stdout);
        if (ask.every <= 0 || count <= 0)
            return term_finish(count < 0 ? CLI_ERROR : CLI_GOOD);
        control_pause(ask.every);
    }
}
