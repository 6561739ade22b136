/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.c: a page of engine/common/control_format.h that the other side has filled in with anything.
 *
 * The engine answers what is asked in it, if anything is: with texts that end, and doing only what there is to do.
 * `tenure control` shows what it reads as the status and the stack of a process, which may be any as well.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/cmd_control.c" /* what it shows is its own */
#include "engine/common/control.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NOBODY = 0x7ffffffe }; /* no process: it is not asked, and what the page says is shown */

static tn_core *core;
static tn_thread *thread;

static bool instrumenting(void)
{
    return true;
}

static void perform(enum request request, uint64_t argument, const char *name)
{
    (void)argument;
    must(request > REQUEST_RUNNING && request <= REQUEST_STOP && strlen(name) < CONTROL_NAME);
}

static void each_thread(void (*see)(void *user, tn_thread *thread), void *user)
{
    see(user, thread);
}

static void begin(void)
{
    struct tn_config config;

    tn_config_default(&config);
    core = tn_core_new(&config);
    thread = tn_thread_new(core, NULL, 1);
    tn_thread_begin(thread, 0, 1 << 20);
    must(freopen("/dev/null", "w", stdout) != NULL);
}

static void answer(struct control_page *page)
{
    static const struct control_engine engine = {instrumenting, perform, each_thread};
    uint32_t asked = page->asked;

    if (!control_asked(page))
        return;
    control_answer(page, core, &engine);
    must(page->asked == asked + 1 && page->answered == asked && page->threads == 1);
    must(page->text_bytes < CONTROL_TEXT && strlen(page->text) == page->text_bytes);
    must(page->unknown == (page->request > CONTROL_INSTRUMENT));
}

static void show(struct control_page *page)
{
    struct control control = {.pid = NOBODY, .fd = -1, .page = page};
    struct table *table = table_new();

    for (int column = 0; column < 8; column++)
        table_column(table, column == 0 || column == 2 || column > 5 ? TABLE_TEXT : TABLE_COUNT, "x", "x", 0);
    add_status(table, &control);
    table_print(table, stdout, true);
    table_json(table, &(struct tp_json){.out = stdout}, NULL);
    table_free(table);
    print_stack(&control, false);
    print_stack(&control, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct control_page *page = calloc(1, sizeof *page);

    must(page != NULL);
    if (!core)
        begin();
    memcpy(page, data, size < sizeof *page ? size : sizeof *page);
    show(page);
    answer(page);
    show(page);
    free(page);
    return 0;
}
