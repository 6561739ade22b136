/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_main.c: the tool's face to Valgrind: what it is, what it needs, its beginning and its end.
 *
 * Valgrind calls before_options, then options_hook for each option, after_options, and then everything that
 * was registered, until finish: at the program's exit, however it ends, deadly signals included.
 */
#include "engine/valgrind/base/vg_tool.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vkiscnums.h"

#include "tenure_config.h"
#include "engine/common/unfollowed.h"
#include "engine/valgrind/base/vg_code.h"
#include "core/host.h"
#include "engine/valgrind/base/vg_host.h"
#include "engine/valgrind/base/vg_output.h"
#include "engine/valgrind/program/vg_program.h"
#include "engine/valgrind/run/vg_run.h"
#include "engine/valgrind/translate/vg_emit.h"

/* ------------------------------------------------------------------------------------------ the command line */

/* Valgrind hands over one by one the options that it does not know itself. */
static Bool options_hook(const HChar *argument)
{
    const struct recording_option *option;
    const char *wrong;

    if (VG_(Clo_Mode)() != cloP)
        return False;
    option = options_take(&vg.options, argument, &wrong);
    if (wrong != NULL)
        vg_refuse(option == NULL ? "%s is refused: %s" : "%s: %s", argument, wrong);
    return option != NULL;
}

static void show_option(const char *line)
{
    VG_(printf)("    %s\n", line);
}

static void options_usage(void)
{
    options_list(&vg.options, false, show_option);
}

static void options_debug_usage(void)
{
    options_list(&vg.options, true, show_option);
}

static void *allocate(size_t bytes)
{
    return VG_(malloc)("tenure.options", bytes);
}

/* ------------------------------------------------------------------------------------------ facts for the profile */

static void describe_run(void)
{
    static HChar text[65536];

    VG_(client_cmd_and_args)(text, sizeof text - 1); /* where it cuts it writes a byte more than it is told */
    tn_meta(vg.core, "cmd", text);
    tn_meta(vg.core, "engine", "valgrind");
    tn_meta(vg.core, "engine.version", TENURE_VALGRIND_VERSION);
    tn_meta(vg.core, "threads", "serial");
    tn_meta(vg.core, "creator", "tenure " TENURE_VERSION);
    if (VG_(get_startup_wd)() != NULL)
        tn_meta(vg.core, "directory", VG_(get_startup_wd)());
    options_meta_number(vg.core, "pid", VG_(getpid)());
    options_meta(&vg.options, vg.core);
}

/* ------------------------------------------------------------------------------------------ statistics */

static void print_statistics(void)
{
    struct tn_statistics s;

    tn_statistics(vg.core, &s);
    vg_tell("translation: %llu blocks, %llu instructions, %llu of %u ms\n", vg.blocks, vg.guest_instrs,
            vg.translate_ns / 1000000, VG_(read_millisecond_timer)());
    vg_tell("code: %llu objects, %llu functions, %llu instructions, %llu segments, %llu counters\n",
            (ULong)s.objects, (ULong)s.functions, (ULong)s.instrs, (ULong)s.segments, (ULong)s.counters);
    vg_tell("accesses: %llu data, %llu fetches; slow: %llu data, %llu fetches; %llu moved\n", (ULong)s.accesses,
            (ULong)s.fetches, (ULong)s.slow_data, (ULong)s.slow_fetch, (ULong)s.moves);
    vg_tell("nodes: %llu now, %llu at most, %llu made, %llu pruned; %llu arcs\n", (ULong)s.nodes_now,
            (ULong)s.nodes_max, (ULong)s.nodes_made, (ULong)s.nodes_pruned, (ULong)s.arcs);
    vg_tell("control: %llu calls, %llu returns, %llu unwinds, %llu jumps\n", (ULong)s.calls, (ULong)s.returns,
            (ULong)s.unwinds, (ULong)s.jumps);
    vg_tell("last level: %llu queued, %llu records now, %llu at most; %llu bytes\n", (ULong)s.queued,
            (ULong)s.records_now, (ULong)s.records_max, (ULong)s.bytes);
    vg_tell("data: %llu objects, %llu shares, %llu cells\n", (ULong)s.data_objects, (ULong)s.shares, (ULong)s.cells);
}

/* ------------------------------------------------------------------------------------------ translation time */

/* The linker leads every call of LibVEX_Translate here (--wrap), so that the share of translation is measured,
 * not estimated. */
extern VexTranslateResult __real_LibVEX_Translate(VexTranslateArgs *arguments);
extern VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs *arguments);

VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs *arguments)
{
    ULong start = tn_host_time();
    VexTranslateResult result = __real_LibVEX_Translate(arguments);

    vg.translate_ns += tn_host_time() - start;
    return result;
}

/* VEX checks each block's form three times on its way: measured as 5 to 8 % of translating. What this tool emits is
 * the same for every program, so it is checked where it is tested, not where it is used: --check-translation=yes. */
extern void __real_sanityCheckIRSB(const IRSB *block, const HChar *caller, Bool flat, IRType guest_word);
extern void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller, Bool flat, IRType guest_word);

void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller, Bool flat, IRType guest_word)
{
    if (vg.options.check_translation)
        __real_sanityCheckIRSB(block, caller, flat, guest_word);
}

/* What VEX calls from outside its optimiser is the cleaning up behind instrumentation: constants are propagated once,
 * what nobody needs is removed twice. */
extern IRSB *__wrap_cprop_BB(IRSB *block);
extern void __wrap_do_deadcode_BB(IRSB *block);

IRSB *__wrap_cprop_BB(IRSB *block)
{
    return block;
}

void __wrap_do_deadcode_BB(IRSB *block)
{
    (void)block;
}

/* ------------------------------------------------------------------------------------------ debug information */

/* Valgrind reads the symbols, lines and unwind tables of everything that is mapped, for its own messages: a stack trace
 * when the program is killed. Where it is told to be quiet nobody would see them. Functions are found by
 * engine/common. */
extern ULong __real_vgPlain_di_notify_mmap(Addr address, Bool allow_shared, Int fd);
extern ULong __wrap_vgPlain_di_notify_mmap(Addr address, Bool allow_shared, Int fd);

ULong __wrap_vgPlain_di_notify_mmap(Addr address, Bool allow_shared, Int fd)
{
    return VG_(clo_verbosity) > 0 ? __real_vgPlain_di_notify_mmap(address, allow_shared, fd) : 0;
}

/* ------------------------------------------------------------------------------------------ Valgrind's words */

/* Told to be quiet, Valgrind still reports a fatal signal, on the program's standard error. The system says it, too. */
extern UInt __wrap_vgPlain_message(VgMsgKind kind, const HChar *format, ...);
extern UInt __wrap_vgPlain_umsg(const HChar *format, ...);

static Bool becoming; /* there is no way back from an exec any more: it is all that is spoken of */

UInt __wrap_vgPlain_message(VgMsgKind kind, const HChar *format, ...)
{
    va_list arguments;
    UInt written;

    if (kind == Vg_UserMsg && VG_(clo_verbosity) == 0) {
        if (becoming)
            vg_tell("an exec has failed in a way that Valgrind does not foresee (no interpreter, too long arguments, a "
                    "file that is being written, a damaged program), and the program ended there; --engine=native "
                    "goes on\n");
        becoming = False; /* once */
        return 0;
    }
    va_start(arguments, format);
    written = VG_(vmessage)(kind, format, arguments);
    va_end(arguments);
    return written;
}

UInt __wrap_vgPlain_umsg(const HChar *format, ...)
{
    va_list arguments;
    UInt written;

    if (VG_(clo_verbosity) == 0)
        return 0;
    va_start(arguments, format);
    written = VG_(vmessage)(Vg_UserMsg, format, arguments);
    va_end(arguments);
    return written;
}

/* ------------------------------------------------------------------------------------------ life */

extern Bool VG_(clo_trace_children); /* Valgrind's; not announced to tools */
extern void VG_(reap_threads)(ThreadId self);
extern void __real_vgPlain_nuke_all_threads_except(ThreadId self, Int why);
extern void __wrap_vgPlain_nuke_all_threads_except(ThreadId self, Int why);

static ThreadId in_exec; /* the thread whose system call may replace the program */
static const HChar *exec_path;
static struct unfollowed *unfollowed; /* by the program and all its forked children */

static void before_system_call(ThreadId tid, UInt number, UWord *arguments, UInt count)
{
    (void)count;
    if (number != __NR_execve && number != __NR_execveat)
        return;
    in_exec = tid;
    exec_path = (const HChar *)arguments[number == __NR_execveat];
}

static void after_system_call(ThreadId tid, UInt number, UWord *arguments, UInt count, SysRes result)
{
    (void)count;
    if (in_exec == tid)
        in_exec = VG_INVALID_THREADID; /* it has failed */
    vg_code_called();
    vg_requests_late();
    vg_alias_call(number, arguments, result);
    if (!vg.options.clean_environment)
        return;
    vg_hide(tid, number, arguments, result);
    vg_limits(tid, number, arguments, result);
}

/* Valgrind itself checks most of what can make an exec fail, and only then ends the other threads, by this function:
 * from there on there is no way back, not even where the kernel refuses. So this is where the program ends. A forked
 * child that becomes a program nobody profiles has done nothing but that: it leaves no profile, or every popen()
 * would. */
void __wrap_vgPlain_nuke_all_threads_except(ThreadId self, Int why)
{
    __real_vgPlain_nuke_all_threads_except(self, why);
    if (in_exec != self)
        return;
    VG_(reap_threads)(self);
    if (!VG_(clo_trace_children)) /* it could not be executed, were its name not there */
        unfollowed_begins(unfollowed, exec_path);
    if (!vg.forked && !VG_(clo_trace_children))
        unfollowed_meta(unfollowed, vg.core);
    if (!vg.forked || VG_(clo_trace_children))
        vg_output_finish("exec");
    vg_control_end();
    if (vg.options.clean_environment)
        vg_limits_hand_on();
    becoming = True;
}

static void after_options(void)
{
    const char *wrong = options_check(&vg.options);

    if (wrong != NULL)
        vg_refuse("%s", wrong);
    vg.config = vg.options.config;
    vg.separate = vg.config.separate_callers > 0 || vg.config.separate_recs > 1;
    vg.by_collecting = options_toggle(&vg.options);
    vg.config.function_at = vg_core_function_at;
    vg_data_configure(&vg.config);
    options_answer_core(&vg.options, &vg.config);
    vg.core = tn_core_new(&vg.config);
    vg_code_begin();
    vg_data_begin();
    vg.layout = tn_layout(vg.core);
    vg.instrumenting = vg.options.instrument_at_start;
    describe_run();
    if (vg.options.clean_environment) {
        vg_hide_log();
        vg_limits_begin();
    }
    unfollowed = vg_shared_page();
    vg_output_begin();
    vg_control_start();
}

/* Whether the last that the program did was a system call: its exit, or a signal that it sent to itself. Else it was an
 * instruction that it died of. */
static Bool ended_by_call(void)
{
    static const UChar call[] = {0x0f, 0x05};
    ThreadId tid = VG_(get_running_tid)();
    Addr behind = tid != VG_INVALID_THREADID ? VG_(get_IP)(tid) : 0;

    return behind == 0 || (VG_(am_is_valid_for_client)(behind - sizeof call, sizeof call, VKI_PROT_READ) &&
                           VG_(memcmp)((const void *)(behind - sizeof call), call, sizeof call) == 0);
}

static void finish(Int status)
{
    if (!ended_by_call())
        tn_meta(vg.core, "fault", "yes");
    options_meta_number(vg.core, "status", status & 0xff);
    if (!vg.forked)
        unfollowed_meta(unfollowed, vg.core);
    vg_output_finish("exit");
    vg_control_end();
    if (VG_(clo_stats))
        print_statistics();
}

static void before_options(void)
{
    VG_(details_name)("Tenure");
    VG_(details_version)(TENURE_VERSION);
    VG_(details_description)("a cache-use profiler");
    VG_(details_copyright_author)("GPL-2.0-or-later");
    VG_(details_bug_reports_to)("the Tenure project");
    VG_(details_avg_translation_sizeB)(400); /* most blocks stay cold, with 200 or so */

    VG_(basic_tool_funcs)(after_options, vg_instrument, finish);
    VG_(needs_command_line_options)(options_hook, options_usage, options_debug_usage);
    VG_(needs_syscall_wrapper)(before_system_call, after_system_call);
    VG_(needs_superblock_discards)(vg_cold_discarded);
    VG_(needs_print_stats)(print_statistics);
    vg.options.allocate = allocate;
    vg.options.read_text = vg_read_text;
    options_default(&vg.options);
    vg_threads_track();
    vg_requests_track();

    /* Blocks must end where the program's do, or calls inside them would not be seen. */
    VG_(clo_vex_control).iropt_unroll_thresh = 0;
    VG_(clo_vex_control).guest_chase = False;

    /* A program that handles a fault and goes on must find its registers as they were. Valgrind's own default keeps
     * three of them; measured on bzip2, python3 and cc1, all cost 0 to 4 %. */
    VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtMemAccess;
    VG_(clo_px_file_backed) = VexRegUpdAllregsAtMemAccess;
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
