/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control.h: an engine's side of control_format.h.
 *
 * The engine maps the file and tells where it is; here the page is filled in, and what is asked is handed back to the
 * engine as one of the requests that programs make themselves.
 */
#ifndef TENURE_ENGINE_COMMON_CONTROL_H
#define TENURE_ENGINE_COMMON_CONTROL_H

#include <stdbool.h>

#include "core/tenure_core.h"
#include "engine/common/control_format.h"
#include "engine/common/requests.h"

/* What the engine does for an answer. */
struct control_engine {
    bool (*instrumenting)(void);
    /* `name`: of the part. */
    void (*perform)(enum request request, uint64_t argument, const char *name);
    /* Calls `see` for each thread that runs, none of which does meanwhile. */
    void (*threads)(void (*see)(void *user, tn_thread *thread), void *user);
};

/* A page of zeros becomes that of this process. */
void control_begin(struct control_page *page, int pid, const char *const *command, const char *raw);

/* Whether something is asked; NULL: never. */
static inline bool control_asked(const struct control_page *page)
{
    uint32_t asked = page ? __atomic_load_n(&page->asked, __ATOMIC_ACQUIRE) : 1;

    return !(asked & 1) && asked != page->answered;
}

/* Does it, if it has not been taken back, and answers. */
void control_answer(struct control_page *page, tn_core *core, const struct control_engine *engine);
/* A part has been written, to the file `raw`. NULL: nobody wants to know. */
void control_part(struct control_page *page, const char *raw);

#endif
