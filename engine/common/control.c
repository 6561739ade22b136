/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control.c: see control.h. */
#include "engine/common/control.h"

#include "engine/common/geometry.h"

#include <string.h>

static char *put(char *to, const char *end, const char *text)
{
    while (text && *text && to < end)
        *to++ = *text++;
    *to = '\0';
    return to;
}

void control_begin(struct control_page *page, int pid, const char *const *command, const char *raw)
{
    char *to = page->program, *end = to + sizeof page->program - 1;

    for (size_t i = 0; command && command[i]; i++) {
        to = put(to, end, i ? " " : "");
        to = put(to, end, command[i]);
    }
    put(page->raw, page->raw + sizeof page->raw - 1, raw);
    page->pid = pid;
    page->collecting = page->instrumenting = 1;
    __atomic_store_n(&page->magic, CONTROL_MAGIC, __ATOMIC_RELEASE); /* now it is one */
}

void control_part(struct control_page *page, const char *raw)
{
    if (!page)
        return;
    put(page->raw, page->raw + sizeof page->raw - 1, raw);
    page->parts++;
}

/* ------------------------------------------------------------------------------------------ the answer */

static void add_text(struct control_page *page, const char *text)
{
    char *end = put(page->text + page->text_bytes, page->text + sizeof page->text - 1, text);

    page->text_bytes = (uint32_t)(end - page->text);
}

static void see_frame(void *user, const char *function)
{
    struct control_page *page = user;
    size_t left = sizeof page->text - page->text_bytes, bytes = 8; /* what is put around a name, and more */

    while (bytes < left && function[bytes - 8])
        bytes++;
    if (bytes >= left) /* whole names only */
        return;
    add_text(page, "  ");
    add_text(page, *function ? function : "???");
    add_text(page, "\n");
}

static void see_thread(void *user, tn_thread *thread)
{
    struct control_page *page = user;
    char number[NUMBER_TEXT];

    page->threads++;
    page->accesses += thread->clock >> TN_STEP_BITS;
    if (page->request != CONTROL_STACK)
        return;
    add_text(page, "thread ");
    number_put(number, thread->id);
    add_text(page, number);
    add_text(page, "\n");
    tn_callers(thread, see_frame, page);
}

static bool perform(const struct control_page *page, const tn_core *core, const struct control_engine *engine)
{
    uint32_t argument = page->argument;
    char name[CONTROL_NAME];

    memcpy(name, page->name, sizeof name);
    name[sizeof name - 1] = '\0';
    switch (page->request) {
    case CONTROL_STATUS:
    case CONTROL_STACK:
        return true;
    case CONTROL_DUMP:
        engine->perform(REQUEST_DUMP, 0, name);
        return true;
    case CONTROL_ZERO:
        engine->perform(REQUEST_ZERO, 0, "");
        return true;
    case CONTROL_COLLECT:
        engine->perform(REQUEST_COLLECT, argument == 2 ? !tn_collecting(core) : argument, "");
        return true;
    case CONTROL_INSTRUMENT:
        engine->perform(argument ? REQUEST_START : REQUEST_STOP, 0, "");
        return true;
    default:
        return false;
    }
}

void control_answer(struct control_page *page, tn_core *core, const struct control_engine *engine)
{
    uint32_t asked = page->asked & ~1u;

    if (!__atomic_compare_exchange_n(&page->asked, &asked, asked + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    page->unknown = !perform(page, core, engine);
    page->collecting = tn_collecting(core);
    page->instrumenting = engine->instrumenting();
    page->threads = 0;
    page->accesses = 0;
    page->misses = tn_memory_misses(core);
    page->text_bytes = 0;
    page->text[0] = '\0';
    engine->threads(see_thread, page);
    __atomic_store_n(&page->answered, asked, __ATOMIC_RELEASE);
}
