/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_profile.c: see nt_profile.h. */
#include "nt_profile.h"

#include "engine/common/unfollowed.h"
#include "engine/native/base/nt_cpuid.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_sys.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/plan/nt_single.h"
#include "engine/native/threads/nt_baton.h"
#include "engine/native/threads/nt_outside.h"
#include "engine/native/translate/nt_calls.h"
#include "engine/native/translate/nt_code.h"
#include "nt_consumer.h"
#include "nt_request.h"

#include "tenure_config.h"

enum { STOPPED = 125 };

struct nt_profile nt_profile;

static struct {
    struct nt_thread *last; /* whom the core was told to run, where threads do not run at the same time */
    bool had_threads;    /* there were several */
    bool finished;       /* the last part was written */
    const char *why;     /* it is */
    bool forked;         /* this is a forked child */
    struct unfollowed *unfollowed; /* by the program and all its forked children */
    struct nt_lock code; /* nt_profile.map */
} run;

/* ------------------------------------------------------------------------------------------------ the start */

void nt_profile_default(void)
{
    nt.options.allocate = nt_host_small;
    nt.options.read_text = nt_host_read_text;
    nt.options.is_native = true;
    options_default(&nt.options);
}

static void profile_describe(void *user, uint32_t fb_flags, struct tn_function_info *info)
{
    (void)user;
    options_describe(&nt.options, fb_flags, info);
}

static uint64_t process_id(void *user)
{
    (void)user;
    return (uint64_t)nt_process_id();
}

static void lock_map(void *user, bool begins)
{
    (void)user;
    if (begins)
        nt_lock_take(&run.code);
    else
        nt_lock_give(&run.code);
}

static const struct code_map_host map_host = {&nt_host_files,   NULL,       nt_mapping_at,
                                              profile_describe, process_id, lock_map};

static uint32_t function_at(void *user, uint64_t address)
{
    (void)user;
    return code_map_function_id(nt_profile.map, address);
}

/* The command as one text, cut off where there is no room. */
static void describe_command(const char *const *command)
{
    static char text[1 << 16];
    char *to = text, *end = text + sizeof text - 1;

    for (; *command != NULL; command++) {
        for (const char *from = *command; *from != '\0' && to < end; from++)
            *to++ = *from;
        if (command[1] != NULL && to < end)
            *to++ = ' ';
    }
    tn_meta(nt_profile.core, "cmd", text);
}

static void describe_run(const char *const *command)
{
    static char directory[4096];

    describe_command(command);
    tn_meta(nt_profile.core, "engine", "native");
    tn_meta(nt_profile.core, "engine.version", TENURE_VERSION);
    tn_meta(nt_profile.core, "creator", "tenure " TENURE_VERSION);
    if (!nt_failed(nt_sys3(__NR_getcwd, (long)directory, sizeof directory, 0)))
        tn_meta(nt_profile.core, "directory", directory);
    options_meta_number(nt_profile.core, "pid", process_id(NULL));
    options_meta(&nt.options, nt_profile.core);
}

void nt_profile_part(const char *why)
{
    struct nt_thread *self = nt_area_self()->thread;

    nt_stop_others(self);
    if (!run.finished) {
        code_map_name_late(nt_profile.map);
        nt_output_write(nt_profile.core, why, tn_dump);
        control_part(nt_control_page, nt_output_name());
    }
    nt_others_go_on(self);
}

/* A function asked for it. */
static void profile_dump(void)
{
    nt_profile_part("function");
}

/* The core asks for what concerns all threads. */
static void profile_alone(void *user, bool begins)
{
    (void)user;
    if (begins)
        nt_stop_others(nt_area_self()->thread);
    else
        nt_others_go_on(nt_area_self()->thread);
}

/* What coherence counts depends on the order of threads more than all else does. */
static bool is_deterministic(void)
{
    return nt.options.deterministic || nt.options.config.coherence;
}

/* Makes code that counts instructions, and nothing else, while a number of them is waited for. Its core is the one that
 * simulates later, with nothing switched on: it adds to the clock what the other planner's code would for instructions,
 * and nothing for accesses, so that tn_instructions is the same. Counters stay as they are, since nothing is collected
 * until the start. */
static struct nt_planner counting;

static void make_counting(void)
{
    static struct tn_config nothing;

    nothing = nt.options.config;
    nothing.cache_sim = nothing.branch_sim = nothing.use = nothing.inclusive = nothing.data = false;
    nothing.coherence = false;
    nothing.separate_callers = nothing.separate_recs = 0;
    counting = nt_profile.planner;
    counting.config = &nothing;
    counting.clock_only = true;
}

struct nt_planner *nt_profile_planner(void)
{
    if (nt_profile.instruments)
        return &nt_profile.planner;
    return nt_profile.on && start_counts(&nt.options.start) ? &counting : NULL;
}

void nt_profile_start(const char *const *command, const struct nt_vector *vector)
{
    struct engine_options *options = &nt.options;
    const char *wrong = options_check(options);

    if (wrong != NULL)
        nt_die(NT_REJECTED, "%s\n", wrong);
    options->config.parallel = options->parallel && !options->deterministic && !options->config.coherence &&
                               !options->config.shared_l1 && options->config.remap_count == 0 &&
                               options->config.separate_callers == 0 && options->config.separate_recs <= 1;
    options->config.front = sizeof(struct nt_area);
    options->config.function_at = function_at;
    options->config.alone = profile_alone;
    nt_baton_start(is_deterministic()         ? NT_BATON_STRICT
                   : options->config.parallel ? NT_BATON_NONE
                                              : NT_BATON_FAIR,
                   options->turn << TN_STEP_BITS);
    nt_data_start(options, &map_host, vector->auxv);
    nt_page_size_start(&options->config);
    nt_consumer_choose(&options->config, options->spare_core);
    nt_profile.core = tn_core_new(&options->config);
    nt_consumer_serve(nt_profile.core);
    nt_profile.map = code_map_new(&map_host, nt_profile.core);
    nt_profile.planner = (struct nt_planner){.core = nt_profile.core,
                                             .config = &options->config,
                                             .map = nt_profile.map,
                                             .allocate = nt_host_small,
                                             .by_collecting = options_toggle(options),
                                             .shifts = nt_cpuid_has(NT_CPUID_BMI2),
                                             .dump = profile_dump};
    nt_output_begin(options->out_file, vector);
    describe_run(command);
    nt_control_start(options->control_dir, command);
    run.unfollowed = nt_host_shared_page();
    nt_profile.on = true;
    nt_profile.instruments = options->instrument_at_start;
    make_counting();
}

/* ------------------------------------------------------------------------------------------------ the end */

bool nt_profile_is_over(void)
{
    return run.finished;
}

/* How threads ran, if there were several. */
static const char *threads_ran(void)
{
    if (is_deterministic())
        return "deterministic";
    return run.had_threads && nt.options.config.parallel ? "parallel" : "serial";
}

static void write_last(const char *why)
{
    if (!run.finished) {
        tn_meta(nt_profile.core, "threads", threads_ran());
        if (!run.forked)
            unfollowed_meta(run.unfollowed, nt_profile.core);
        options_unmatched(&nt.options, nt_profile.core);
        code_map_name_late(nt_profile.map);
        nt_output_write(nt_profile.core, why, tn_finish);
    }
    run.finished = true;
    nt_control_end();
}

/* Other processes go on in our memory, with code that is not simulated. */
static void leave_to_others(void)
{
    write_last(run.why);
    for (struct nt_thread *thread = nt_threads; thread != NULL; thread = thread->next)
        thread->is_profiled = false;
    nt_profile.on = nt_profile.instruments = false;
    nt_baton_end();
}

static void finish_profile(const char *why)
{
    struct nt_thread *self = nt_area_self()->thread;

    if (!nt_profile.on || run.finished)
        return;
    if (self->is_child || nt_thread_has_children()) {
        run.why = why;
        nt_code_made_by(self, nt_profile_planner, leave_to_others);
    } else {
        nt_stop_others(self);
        write_last(why);
    }
}

void nt_finish(void)
{
    const struct nt_counts *counts = &nt.counts;

    if (nt_area_self()->thread->is_child)
        return;
    finish_profile("exit");
    if (!nt.options.stats)
        return;
    struct nt_code_usage usage = nt_code_usage(nt.code);
    nt_say("%lu times in the dispatcher, %lu blocks made, %lu made longer, %lu exits linked\n", counts->dispatched,
           counts->made, counts->joined, counts->linked);
    nt_say("%lu instructions decoded, %lu of them of a form known; %lu + %lu bytes of code, %lu kept\n", usage.decoded,
           usage.known, usage.hot, usage.cold, usage.kept);
    nt_say("%lu system calls, %lu signals delivered, %lu of them faults\n", counts->system_calls, counts->delivered,
           counts->faults);
    nt_say("code changed %lu times, of them %lu by stores, %lu unheard; all forgotten %lu times\n", counts->invalidated,
           counts->guarded, counts->different, counts->emptied);
}

/* ------------------------------------------------------------------------------------------------ threads */

static tn_thread *core_thread(const struct nt_thread *thread)
{
    return (tn_thread *)(thread->area + 1);
}

struct nt_area *nt_profile_area(const struct nt_thread *parent)
{
    if (!nt_profile.on)
        return NULL;
    nt_lock_take(&nt.world);
    run.had_threads |= parent != NULL;
    tn_thread *thread = tn_thread_new(nt_profile.core, parent == NULL ? NULL : core_thread(parent), 0);
    nt_lock_give(&nt.world);
    memset((struct nt_area *)thread - 1, 0, sizeof(struct nt_area));
    return (struct nt_area *)thread - 1;
}

/* Where something is due after a number of instructions, the thread's first safe point is to see how far that is. */
int64_t nt_profile_countdown(void)
{
    return options_wait(&nt.options) ? 0 : nt.countdown;
}

void nt_profile_thread_ends(struct nt_thread *thread)
{
    if (!thread->is_profiled || run.finished)
        return;
    thread->is_profiled = false;
    if (run.last == thread)
        run.last = NULL;
    nt_lock_take(&nt.world);
    tn_thread_end(core_thread(thread));
    nt_lock_give(&nt.world);
}

/* ------------------------------------------------------------------------------------------------ turns */

/* Where a thread is. While nothing is simulated that is of no interest, and unknown afterwards. */
static void profile_settle(struct nt_thread *thread, tn_thread *core)
{
    uint64_t pc = thread->area->rip, sp = thread->area->gpr[NT_RSP];

    if (thread->turn == NT_TURN_BEGINS)
        tn_thread_named(core, (uint64_t)thread->tid);
    if (!nt_profile.instruments) {
        thread->turn = NT_TURN_RESUMES;
        return;
    }
    if (thread->turn == NT_TURN_BEGINS)
        tn_thread_begin(core, function_at(NULL, pc), sp);
    else
        tn_thread_resume(core, function_at(NULL, pc), sp);
    thread->turn = NT_TURN_RUNS;
    thread->handlers = 0;
}

/* A block makes far fewer counters than are left here. */
enum { COUNTERS_LEFT = 1 << 16 };

void nt_profile_turn(struct nt_thread *thread)
{
    tn_thread *core = core_thread(thread);

    if (!nt_profile.on)
        return;
    if (!nt.options.config.parallel && run.last != thread) {
        tn_thread_switch(nt_profile.core, core);
        thread->turn_began = core->clock;
    }
    run.last = thread;
    if (thread->turn != NT_TURN_RUNS)
        profile_settle(thread, core);
    uint32_t limit = tn_layout(nt_profile.core)->counter_limit, counters = tn_counters(nt_profile.core);
    if (counters > limit - (limit / 2 < COUNTERS_LEFT ? limit / 2 : COUNTERS_LEFT)) {
        finish_profile("counters"); /* before there are none left: with a profile of all that has been */
        nt_die(STOPPED, "%u counters are in use: %s\n", counters, options_out_of_counters(&nt.options));
    }
}

void nt_profile_waits(struct nt_thread *thread)
{
    if (nt_profile.on)
        tn_publish(core_thread(thread));
}

void nt_profile_tick(struct nt_thread *thread)
{
    if (nt_profile.on)
        tn_tick(core_thread(thread));
}

bool nt_profile_moved(uint64_t *address)
{
    return nt_profile.on && tn_access_moved(nt_profile.core, address);
}

void nt_profile_fault(struct nt_thread *thread)
{
    uint8_t bytes[NT_INSN_BYTES] = {0};

    if (thread->fault_segment != TN_NONE) {
        tn_take_back(core_thread(thread), thread->fault_segment, thread->area->rip);
        nt_copy(bytes, (const void *)thread->area->rip, sizeof bytes);
        nt_single_faulted(thread->area->planner, thread->area, bytes);
    }
    thread->fault_segment = TN_NONE;
}

void nt_profile_left(struct nt_thread *thread, uint32_t segment, uint64_t from)
{
    uint8_t bytes[NT_INSN_BYTES] = {0};

    if (segment == TN_NONE)
        return;
    tn_take_back(core_thread(thread), segment, from);
    nt_copy(bytes, (const void *)from, sizeof bytes);
    nt_single_left(thread->area->planner, thread->area, from, bytes);
}

void nt_profile_jumped(struct nt_thread *thread)
{
    thread->area->held_sp = thread->area->gpr[NT_RSP];
    if (nt_profile.on && nt_profile.instruments && nt.options.config.inclusive)
        nt_jumped_found(thread->area);
}

void nt_profile_handler(struct nt_thread *thread)
{
    const struct nt_area *area = thread->area;

    if (!nt_profile.on || !nt_profile.instruments || !nt.options.config.inclusive)
        return;
    nt_profile_turn(thread);
    tn_signal_enter(core_thread(thread), function_at(NULL, area->rip), area->gpr[NT_RSP]);
    thread->handlers++;
}

void nt_profile_handled(struct nt_thread *thread)
{
    if (!nt_profile.on || !nt_profile.instruments || thread->handlers == 0)
        return;
    thread->handlers--;
    nt_lock_take(&nt.world);
    tn_signal_leave(core_thread(thread));
    nt_lock_give(&nt.world);
}

/* ------------------------------------------------------------------------------------------------ requests */

void nt_profile_zero(void)
{
    profile_alone(NULL, true);
    tn_zero(nt_profile.core);
    tn_label(nt_profile.core, "costs set to zero");
    profile_alone(NULL, false);
}

bool nt_profile_collects(void)
{
    const struct recording_start *start = &nt.options.start;

    return start->phase == START_RUNS ? tn_collecting(nt_profile.core) : start->collects;
}

/* Counters add 1 until collection is switched for the first time. */
void nt_profile_collect(struct nt_thread *thread, bool on)
{
    if (!nt_profile.planner.by_collecting) {
        nt_profile.planner.by_collecting = true;
        if (nt_profile.instruments)
            nt_code_made_by(thread, nt_profile_planner, NULL);
    }
    nt_stop_others(thread);
    tn_collect(nt_profile.core, on);
    nt_others_go_on(thread);
}

/* While all are outside. */
static void switch_instrumentation(void)
{
    nt_profile.instruments = !nt_profile.instruments;
    tn_label(nt_profile.core, nt_profile.instruments ? "simulation on" : "simulation off");
    if (!nt_profile.instruments)
        tn_instrument_off(nt_profile.core);
    for (struct nt_thread *other = nt_threads; other != NULL; other = other->next) {
        if (other->turn == NT_TURN_RUNS)
            other->turn = NT_TURN_RESUMES;
        other->handlers = 0;
    }
}

void nt_profile_instrument(struct nt_thread *thread, bool on)
{
    if (nt_profile.instruments != on)
        nt_code_made_by(thread, nt_profile_planner, switch_instrumentation);
}

/* ------------------------------------------------------------------------------------------------ processes */

void nt_profile_forks(void)
{
    if (nt_profile.on)
        tn_catch_up(nt_profile.core);
}

void nt_profile_forked(struct nt_thread *thread, bool shares_files)
{
    if (!nt_profile.on)
        return;
    nt_baton_forked();
    run.last = thread;
    run.forked = true;
    run.had_threads = false;
    tn_thread_alone(core_thread(thread));
    if (!nt.options.fork_inherit)
        tn_zero(nt_profile.core);
    options_meta_number(nt_profile.core, "pid", process_id(NULL));
    tn_restart_output(nt_profile.core);
    nt_output_forked(shares_files);
    nt_page_size_forked(shares_files);
    nt_control_forked();
}

void nt_profile_called(void)
{
    if (nt_profile.on)
        code_map_written(nt_profile.map);
}

void nt_profile_mapped(uint64_t address)
{
    if (nt_profile.on)
        code_map_mapped(nt_profile.map, address);
}

void nt_profile_unmapped(uint64_t address, uint64_t bytes)
{
    if (nt_profile.on)
        code_map_unmapped(nt_profile.map, address, bytes);
}

void nt_profile_become(bool process, uint64_t path)
{
    char name[4096];

    if (nt_profile.on && !nt.options.trace_children)
        unfollowed_begins(run.unfollowed, nt_host_program_text(path, name, sizeof name) ? name : "");
    if (!process)
        return;
    if (!run.forked || nt.options.trace_children)
        finish_profile("exec");
    else
        nt_output_leave();
    nt_control_end();
}

void nt_profile_stays(void)
{
    if (nt_profile.on && !nt.options.trace_children)
        unfollowed_failed(run.unfollowed);
}
