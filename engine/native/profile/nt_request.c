/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_request.c: what the program asks for (engine/common/requests.h) is done, between two blocks.
 *
 * One of Valgrind's own is answered besides: a program that says that it has changed its code is believed. All others
 * find the answer that they brought along, as on the bare CPU: one that asks whether it runs on Valgrind would do
 * something else if it did.
 */
#include "nt_request.h"

#include "engine/common/requests.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/nt_dispatch.h"
#include "nt_begin.h"
#include "nt_profile.h"

struct nt_lock nt_request_lock;

enum { DISCARD_TRANSLATIONS = 0x1002, NAME = 256 };

/* The name of a part, or of a region, from the program's memory. */
static const char *name_at(uint64_t address)
{
    static char name[NAME];

    if (address == 0)
        return "request";
    for (size_t i = 0; i < NAME - 1; i++) {
        name[i + 1] = '\0';
        if (nt_copy(&name[i], (const void *)(address + i), 1) != 0)
            return "request";
        if (name[i] == '\0')
            break;
    }
    return name;
}

static void collect(struct nt_thread *thread, bool on)
{
    if (!nt_begin_collects(on))
        nt_profile_collect(thread, on);
}

void nt_request_perform(struct nt_thread *thread, enum request request, uint64_t argument, const char *part)
{
    switch (request) {
    case REQUEST_DUMP:
        nt_profile_part(part);
        break;
    case REQUEST_ZERO:
        nt_profile_zero();
        break;
    case REQUEST_TOGGLE_COLLECT:
        collect(thread, !nt_profile_collects());
        break;
    case REQUEST_COLLECT:
        collect(thread, argument != 0);
        break;
    case REQUEST_START:
    case REQUEST_STOP:
        nt_profile_instrument(thread, request == REQUEST_START);
        break;
    default:
        break;
    }
}

void nt_request_due(struct nt_thread *thread)
{
    uint64_t instructions = tn_instructions((tn_thread *)(thread->area + 1));
    enum request due;

    thread->outside = 1;
    nt_lock_take(&nt_request_lock);
    nt_begin_due(thread, instructions);
    due = options_due(&nt_profile.options, instructions);
    if (due == REQUEST_STOP)
        nt_request_perform(thread, REQUEST_COLLECT, 0, NULL);
    if (due != REQUEST_UNKNOWN)
        nt_request_perform(thread, due, 0, "every");
    nt_lock_give(&nt_request_lock);
}

static void name_region(struct nt_thread *thread, enum request request, const uint64_t *words)
{
    tn_thread *core = (tn_thread *)(thread->area + 1);

    if (!thread->is_profiled)
        return;
    if (request == REQUEST_NAME_REGION)
        tn_region_named(core, words[1], words[2], name_at(words[3]));
    else
        tn_region_forgotten(core, words[1]);
}

void nt_request(struct nt_thread *thread)
{
    uint64_t words[6], *answer = &thread->area->gpr[NT_RDX];
    enum request request;

    if (!nt_profile.on || nt_copy(words, (const void *)thread->area->gpr[NT_RAX], sizeof words) != 0)
        return;
    request = request_of(words[0], &words[1]);
    if (request != REQUEST_UNKNOWN) {
        *answer = request == REQUEST_RUNNING;
        thread->outside = 1; /* the next one waits here */
        nt_lock_take(&nt_request_lock);
        if (request == REQUEST_NAME_REGION || request == REQUEST_FORGET_REGION)
            name_region(thread, request, words);
        else
            nt_request_perform(thread, request, words[1], request == REQUEST_DUMP ? name_at(words[1]) : NULL);
        nt_lock_give(&nt_request_lock);
    } else if (words[0] == DISCARD_TRANSLATIONS) {
        *answer = 0;
        nt_code_changed(words[1], words[2]);
    }
}
