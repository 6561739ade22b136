/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_main.c: from the process's start to the program's first instruction.
 *
 *     tenure-native [OPTION]... [--] PROGRAM [ARGUMENT]...
 *
 * --help lists the options: those of a recording (engine/common/options.h), and one for tests.
 *
 * Addresses are made repeatable by executing ourselves again without randomisation; the program then gets back the
 * personality that it would have had.
 */
#include <linux/fcntl.h>
#include <linux/personality.h>
#include <linux/prctl.h>
#include <linux/mman.h>
#include <linux/auxvec.h>
#include <asm/auxvec.h>

#include "engine/native/base/nt_cpuid.h"
#include "engine/native/base/nt_engine.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/kernel/nt_limit.h"
#include "engine/native/kernel/nt_maps.h"
#include "engine/native/kernel/nt_region.h"
#include "engine/native/load/nt_exec.h"
#include "engine/native/load/nt_load.h"
#include "engine/native/load/nt_stack.h"
#include "engine/native/profile/nt_profile.h"
#include "engine/native/signals/nt_signal.h"
#include "engine/native/syscalls/nt_syscall.h"
#include "engine/native/threads/nt_baton.h"
#include "engine/native/threads/nt_state.h"
#include "engine/native/translate/nt_code.h"
#include "nt_dispatch.h"

#include "tenure_config.h"

/* While a program is profiled, the core is to hear of each 2^25 accesses: between two heads is less than a page of code
 * (nt_code_link), whose instructions access memory twice at most. */
#define PROFILED_COUNTDOWN (1L << 12)
#define TURN_COUNTDOWN (1L << 5) /* where turns are counted in accesses */
#define COUNTDOWN (1L << 40)

enum { STATUS_FAILED = 125, STACK_ROOM = 8 << 20, BREAK_PAGES = 1 << 13 };
#define SAME_PERSONALITY 0xffffffffUL

/* ------------------------------------------------------------------------------------------------ options */

/* Hidden: the program's file, where that is not the first argument (nt_exec.c); where reasons go (nt_refuse.c). */
#define OPTION_FILE "--file="
#define OPTION_REFUSALS "--refusals-to="

static void show_option(const char *line)
{
    nt_print("    %s\n", line);
}

static void main_help(void)
{
    nt_message_fd = 1;
    nt_print("usage: tenure-native [OPTION]... [--] PROGRAM [ARGUMENT]...\n\n");
    nt_print("    --hide-features=NAME[,NAME]...  neither the program nor the engine finds these features of the "
             "processor: " NT_CPUID_NAMES "\n");
    options_list(&nt.options, false, show_option);
    options_list(&nt.options, true, show_option);
    nt_sys3(__NR_exit_group, 0, 0, 0);
}

static uint64_t number_of(const char *text)
{
    const char *end = text;
    uint64_t value = nt_number(&end, 10);

    if (*end != '\0')
        nt_die(NT_REJECTED, "not a number: %s\n", text);
    return value;
}

/* What the command line says besides options. */
struct start {
    uint64_t first;       /* the program's arguments begin here in argv */
    uint64_t personality; /* that the program is to have, if the first start says */
    const char *file;     /* the program's, if that is not its first argument */
};

static void take_option(const char *option, struct start *start)
{
    const char *value, *wrong;

    if (nt_same(option, "--help"))
        main_help();
    /* Not for programs that this one executes: these, and the raw profile's file, whose name they get anew. */
    if ((value = nt_after(option, NT_EXEC_PERSONALITY)) != NULL)
        start->personality = number_of(value);
    else if ((value = nt_after(option, OPTION_FILE)) != NULL)
        start->file = value;
    else if ((value = nt_after(option, NT_LIMIT_OPTION)) != NULL)
        nt_limit_begin(value);
    else if ((value = nt_after(option, OPTION_REFUSALS)) != NULL)
        nt_refuse_to((int)number_of(value));
    if (value != NULL)
        return;
    if (nt_after(option, "--tenure-out-file=") == NULL)
        nt_exec_hand_on(option);
    if ((value = nt_after(option, "--hide-features=")) != NULL) {
        if (!nt_cpuid_hide(value))
            nt_die(NT_REJECTED, "%s: give names with commas between them: " NT_CPUID_NAMES "\n", option);
        return;
    }
    /* What is declared in engine/common/options.inc. */
    const struct recording_option *declared = options_take(&nt.options, option, &wrong);
    if (wrong != NULL)
        nt_die(NT_REJECTED, declared == NULL ? "%s is refused: %s\n" : "%s: %s\n", option, wrong);
    if (declared == NULL)
        nt_die(NT_REJECTED, "no such option: %s\n", option);
}

static void parse_options(const struct nt_vector *vector, struct start *start)
{
    uint64_t i = 1;

    nt_profile_default();
    for (; i < vector->argc && vector->argv[i][0] == '-'; i++) {
        if (nt_same(vector->argv[i], "--")) {
            i++;
            break;
        }
        take_option(vector->argv[i], start);
    }
    if (i == vector->argc && start->file == NULL)
        nt_die(NT_REJECTED, "name a program to run, as in `tenure-native ls -l`; --help lists options\n");
    start->first = i;
}

/* Start again at addresses that are always the same, if this is the first start: also where they are not random, since
 * the strings of the environment lie where the length of the engine's own name puts them. Does not return if it can. */
static void fix_addresses(const struct nt_vector *vector)
{
    static char option[sizeof NT_EXEC_PERSONALITY + 20];
    long personality = nt_sys3(__NR_personality, 0xffffffff, 0, 0), failed = personality;
    char **argv = vector->argv - 1; /* argc is not needed any more */

    if (!nt_failed(personality))
        failed = nt_sys3(__NR_personality, personality | ADDR_NO_RANDOMIZE, 0, 0);
    if (nt_failed(failed)) {
        nt_say("addresses are random, as with --aslr=yes: the system forbids fixed ones (personality: error %ld)\n",
               -failed);
        nt.options.aslr = true;
        return;
    }
    nt_format(option, sizeof option, NT_EXEC_PERSONALITY "%lu", (uint64_t)personality);
    argv[0] = vector->argv[0];
    argv[1] = option;
    nt_sys3(__NR_execve, (long)"/proc/self/exe", (long)argv, (long)vector->envp);
    nt_die(STATUS_FAILED, "cannot start again at fixed addresses\n");
}

/* ------------------------------------------------------------------------------------------------ the code */

/* What of [pc, pc + bytes) is there and may be executed. */
static size_t read_code(uint64_t pc, void *to, size_t bytes)
{
    size_t reach = nt_maps_reach(pc, bytes);

    nt_maps_guard(pc, pc + reach);
    return reach - nt_copy(to, (const void *)pc, reach);
}

static enum nt_changes code_changes(uint64_t pc, size_t bytes)
{
    return nt_maps_sealed(pc, pc + bytes)   ? NT_CHANGES_HERE
           : nt_maps_shared(pc, pc + bytes) ? NT_CHANGES_ELSEWHERE
                                            : NT_CHANGES_NOT;
}

static void is_wrong(uint64_t pc, const char *what)
{
    nt_die(STATUS_FAILED, "self-check: the code made of the instruction at %lx is wrong: %s\n", pc, what);
}

static void *make_code(void *unused)
{
    struct nt_code_config config = {
        .host = {.wrong = is_wrong, .read_code = read_code, .symbol = nt_library_symbol,
                 .changes = code_changes},
        .bytes = nt.options.code_cache << 20,
        .join = nt.options.join,
        .link = nt.options.link,
        .check = nt.options.self_check,
        .lookup = nt.options.lookup,
        .planner = nt_profile_planner(),
        .returns = nt.options.returns,
    };

    (void)unused;
    config.memory = nt_region_pages(config.bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
    nt_host_large_pages(config.memory, config.bytes);
    return nt_code_new(&config);
}

/* ------------------------------------------------------------------------------------------------ the start */

/* What is executable and no file that we mapped: the kernel's own functions, and the stack if it has to be. */
static void note_rest(const struct nt_vector *vector, const struct nt_program *program, uint64_t sp)
{
    uint64_t vdso = nt_vector_auxiliary(vector, AT_SYSINFO_EHDR), top = nt.stack_top;

    if (vdso != 0)
        nt_load_note((const void *)vdso);
    if (program->image.executable_stack) {
        nt_sys3(__NR_mprotect, (long)NT_DOWN(sp, NT_PAGE), (long)NT_PAGE,
                PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN);
        nt_maps_set(top - STACK_ROOM, top, true, true);
    }
}

static void check_machine(const struct nt_vector *vector)
{
    if (!(nt_vector_auxiliary(vector, AT_HWCAP2) & NT_HWCAP2_FSGSBASE))
        nt_cpuid_hide("fsgsbase");
    if (!nt_state_start())
        nt_die(STATUS_FAILED, "the native engine needs XSAVE, which this processor or kernel does not have\n");
}

void nt_main(uint64_t *sp) __attribute__((noreturn));
void nt_main(uint64_t *sp)
{
    static struct nt_program program;
    static struct nt_vector vector;
    struct start start = {.personality = SAME_PERSONALITY};

    nt_vector_parse(sp, &vector);
    parse_options(&vector, &start);
    if (!nt.options.aslr && start.personality == SAME_PERSONALITY)
        fix_addresses(&vector);
    char **arguments = vector.argv + start.first;
    if (start.file != NULL)
        nt_refuse_but_run(start.file, arguments, vector.envp, start.personality);
    check_machine(&vector);
    nt_region_take();
    /* Standard error as it is now; nowhere, if it is closed. Where there is no other number for it, it is 2. */
    int guarded = nt_file_guard(2);
    nt_message_fd = guarded >= 0 ? guarded : nt_sys3(__NR_fcntl, 2, F_GETFD, 0) < 0 ? -1 : 2;
    const char *path = nt_vector_variable(&vector, "PATH");
    nt_load_program(start.file != NULL ? start.file : arguments[0], path == NULL ? "/bin:/usr/bin" : path,
                    nt.options.aslr, &program);
    program.break_start = NT_UP(program.image.end, NT_PAGE) + (program.aslr ? nt_random_pages(BREAK_PAGES) : 0);
    nt_library_start(TENURE_ZYDIS);
    nt.stack_top = nt_vector_top(&vector);
    sp = (uint64_t *)nt_stack_make(&vector, start.first, &program);
    note_rest(&vector, &program, (uint64_t)sp);
    nt.break_start = nt.break_now = program.break_start;
    nt_sys3(__NR_prctl, PR_SET_NAME, (long)nt_last_part(program.name), 0); /* as the kernel names a process */

    if (nt.options.profile)
        nt_profile_start((const char *const *)arguments, &vector);
    nt.countdown = !nt_profile.on                ? COUNTDOWN
                   : nt.options.turn > 0 ? TURN_COUNTDOWN
                                                 : PROFILED_COUNTDOWN;
    nt_gate_to = (struct nt_gate_to){nt_dispatch, nt_signal_handle, nt_child_begins};
    struct nt_thread *thread = nt_thread_new(NULL, nt_profile_area(NULL), nt_profile_countdown());
    nt_signal_start(thread);
    nt_thread_become(thread);
    nt_signal_apply_mask(thread);
    nt_baton_take();
    nt.code = nt_outer(make_code, NULL);
    if (nt.code == NULL)
        nt_die(STATUS_FAILED, "%s: not the version that this was compiled for\n", TENURE_ZYDIS);
    nt_sys3(__NR_personality, (long)start.personality, 0, 0);
    nt_refuse_no_more();
    nt_code_thread(nt.code, thread->area);
    thread->area->gpr[NT_RSP] = (uint64_t)sp;
    thread->area->rip = program.start;
    thread->area->flags = NT_PLAIN_FLAGS;
    thread->area->exit = NT_RESUME;
    nt_run();
}
