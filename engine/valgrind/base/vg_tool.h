/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_tool.h: what the files of the Valgrind engine share.
 *
 * A Valgrind tool is one per process and serial: Valgrind lets one client thread run at a time, and calls the
 * tool only from there. So the engine is one structure, `vg`, that every file may read. It is filled in by vg_main, but
 * for `current` (vg_threads), `instrumenting` and `by_collecting` (vg_begin and vg_requests) and `control_page`
 * (vg_control). A folder uses none that is named behind it:
 *
 *   base       memory and files (vg_host, vg_pool), what an address belongs to (vg_code: its function; vg_data: its
 *              data object), the raw profile (vg_output), the page that `tenure control` writes to (vg_control)
 *   program    what the program may notice (vg_program.h)
 *   translate  vg_plan (what a block does), vg_emit (counting and hit tests), vg_join (the same for accesses side by
 *              side), vg_cold (for blocks that run rarely), vg_calls (control flow)
 *   run        vg_threads (who runs), vg_begin (until the recording begins), vg_requests (what is asked, and done
 *              between two turns), vg_instrument (copies a block with its costs put in)
 *
 * Above them all, vg_main is the tool's face to Valgrind.
 */
#ifndef TENURE_VG_TOOL_H
#define TENURE_VG_TOOL_H

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#include "core/tenure_core.h"
#include "engine/common/control.h"
#include "engine/common/options.h"

struct vg_engine {
    struct engine_options options;
    struct tn_config config;                  /* as options.config, once that is complete */
    tn_core *core;
    const struct tn_layout *layout;
    struct control_page *control_page;        /* for `tenure control`; NULL: there is none */
    tn_thread *current;                       /* the thread that runs; the helpers' */
    Bool instrumenting;                       /* new translations are instrumented */
    Bool separate;                            /* contexts are kept apart: tn_count counts */
    Bool by_collecting;                       /* segment counters add thread->collecting instead of 1 */
    Bool forked;                              /* this process is a forked child */
    ULong blocks, guest_instrs, translate_ns; /* translation, for --stats */
};
extern struct vg_engine vg;

/* Ends the run before the program starts: one line, and the exit status by which `tenure record` and scripts
 * tell it from the program's own. */
enum { VG_REFUSED = 125 };
__attribute__((noreturn, format(printf, 1, 2))) void vg_refuse(const HChar *format, ...);

/* A line for the user, whom Valgrind itself does not speak to where it is quiet. */
__attribute__((format(printf, 1, 2))) void vg_tell(const HChar *format, ...);

#endif
