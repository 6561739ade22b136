/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_edges.c: calls at the edges of what the kernel allows, and signals that only look like faults.
 *
 * Each is tried in a child of its own, whose end is printed: the break beyond all memory; a fault's signal that a
 * thread sends itself with a code of the kernel's; handlers that are reset, ignored or without a way back; /proc
 * under a limit of zero bytes, by a thread's number, without leave to read, and when the first thread has ended; a
 * signal that waits behind a handler while its thread ends; memory that is mapped right below the stack as it is,
 * which still has room; a process that another one of its memory traces, which does much meanwhile; jumps to nowhere
 * of a traced process; counters that send a signal; calls that are refused, the one that would have killed among them;
 * a program that executes itself by a link to /proc/self/exe. Prints the same as on the bare CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static atomic_int ready;

static void note(int signal, siginfo_t *info, void *context)
{
    (void)context;
    caught = signal * 1000 + info->si_code;
}

static void handle(int signal, int flags)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | flags};

    sigaction(signal, &action, NULL);
}

static void send_self(int signal, int code)
{
    siginfo_t info = {.si_signo = signal, .si_code = code};

    syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, &info);
}

static void brk_beyond(void)
{
    long before = syscall(SYS_brk, 0), after = syscall(SYS_brk, -1L);

    printf("%d %d\n", before == after, syscall(SYS_brk, 1L << 62) == before);
}

static void fault_sent(void)
{
    send_self(SIGSEGV, SEGV_MAPERR);
}

static void fault_handled(void)
{
    sigset_t set;

    handle(SIGSEGV, 0);
    handle(SIGTRAP, 0);
    send_self(SIGSEGV, SEGV_MAPERR);
    printf("%d\n", (int)caught);
    send_self(SIGTRAP, TRAP_TRACE);
    printf("%d\n", (int)caught);
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_BLOCK, &set, NULL);
    caught = 0;
    send_self(SIGSEGV, SEGV_ACCERR);
    printf("%d\n", (int)caught);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf("%d\n", (int)caught);
}

static void reset(void)
{
    struct sigaction now;

    handle(SIGUSR1, (int)SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &now);
    printf("%d %d\n", now.sa_handler == SIG_DFL, (now.sa_flags & SA_SIGINFO) != 0);
    now = (struct sigaction){.sa_handler = SIG_IGN, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGFPE, &now, NULL);
    raise(SIGFPE);
    raise(SIGFPE);
    sigaction(SIGFPE, NULL, &now);
    printf("%d\n", now.sa_handler == SIG_IGN);
}

static void no_way_back(void)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } action = {(void *)(long)note, SA_SIGINFO, NULL, 0};

    syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8);
    raise(SIGUSR1);
    puts("not reached");
}

static int lines_of(const char *path)
{
    char buffer[4096];
    int fd = open(path, O_RDONLY), lines = 0;
    ssize_t got;

    while ((got = read(fd, buffer, sizeof buffer)) > 0) {
        for (ssize_t i = 0; i < got; i++)
            lines += buffer[i] == '\n';
    }
    close(fd);
    return lines;
}

static void no_bytes(void)
{
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    printf("%d\n", lines_of("/proc/self/maps") > 5);
}

static void *of_thread(void *unused)
{
    char path[64], name[256] = "", own[256] = "";

    snprintf(path, sizeof path, "/proc/%d/exe", gettid());
    printf("%zd\n", readlink(path, name, sizeof name - 1) - readlink("/proc/self/exe", own, sizeof own - 1));
    printf("%d\n", strcmp(name, own));
    snprintf(path, sizeof path, "/proc/%d/maps", gettid());
    printf("%d\n", lines_of(path) > 5);
    return unused;
}

static void by_number(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, of_thread, NULL);
    pthread_join(thread, NULL);
}

static void path_only(void)
{
    char again[64];
    int fd = open("/proc/self/maps", O_PATH);

    snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
    printf("%d\n", lines_of(again) > 5);
    printf("%d\n", faccessat(AT_FDCWD, "/proc/self/exe", X_OK, AT_EACCESS));
}

static void *alone(void *unused)
{
    while (lines_of("/proc/self/maps") != 0)
        usleep(1000);
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, "\xb8\x07\0\0\0\xc3", 6); /* mov $7, %eax; ret */
    printf("%d\n", ((int (*)(void))code)());
    printf("%d\n", mprotect((void *)1, 4096, PROT_READ)); /* fails */
    printf("%d\n", ((int (*)(void))code)());
    printf("%d\n", lines_of("/proc/thread-self/maps") > 5);
    exit(5);
    return unused;
}

static void first_ends(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, alone, NULL);
    fflush(stdout);
    syscall(SYS_exit, 0);
}

static void *takes_and_ends(void *unused)
{
    sigset_t set;

    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    ready = 1;
    for (volatile int i = 0; i < 3000000; i++)
        ;
    return unused;
}

static void handled_once(void)
{
    pthread_t thread;
    sigset_t set;

    sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    handle(SIGUSR2, 0);
    pthread_create(&thread, NULL, takes_and_ends, NULL);
    while (!ready)
        ;
    kill(getpid(), SIGUSR2);
    pthread_join(thread, NULL);
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    printf("%d\n", (int)caught / 1000 == SIGUSR2);
}

static int fill(int pages)
{
    volatile char page[4096];

    page[0] = (char)pages;
    return pages == 0 ? page[0] : fill(pages - 1) + page[0];
}

static void below_stack(void)
{
    char line[256];
    unsigned long start = 0;
    FILE *maps = fopen("/proc/self/maps", "r");

    while (fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, "[stack]") != NULL)
            start = strtoul(line, NULL, 16);
    }
    fclose(maps);
    start -= 1 << 20;
    printf("%d\n", mmap((void *)start, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
                       (void *)start);
    printf("%d\n", fill(16));
}

static volatile int traced;

static int trace(void *parent)
{
    pid_t traced_id = (pid_t)(intptr_t)parent;
    int status = 0;

    if (ptrace(PTRACE_ATTACH, traced_id, NULL, NULL) == 0) {
        waitpid(traced_id, &status, __WALL);
        for (volatile int i = 0; i < 20000000; i++)
            ;
        ptrace(PTRACE_DETACH, traced_id, NULL, NULL);
    }
    traced = WIFSTOPPED(status) ? 1 : -1;
    return 0;
}

static void traced_by_own(void)
{
    static char stack[65536];

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    pid_t tracer = clone(trace, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD,
                         (void *)(intptr_t)getpid());
    while (traced == 0)
        ;
    waitpid(tracer, NULL, 0);
    printf("%d\n", traced);
}

static void end_handled(int signal)
{
    _exit(signal);
}

/* Goes to where nothing can be executed. Who traces it sees each fault, also one that it takes away. */
static void traced_fault(uintptr_t place)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        signal(SIGSEGV, end_handled);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        ((void (*)(void))place)();
        _exit(0);
    }
    for (intptr_t signal = 0; waitpid(child, &status, 0) == child && WIFSTOPPED(status); signal = WSTOPSIG(status)) {
        printf("%d\n", WSTOPSIG(status));
        ptrace(PTRACE_CONT, child, NULL, signal);
    }
    printf("%x\n", status);
}

static void traced_faults(void)
{
    traced_fault((uintptr_t)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    traced_fault((uintptr_t)1 << 63);
}

/* Stores to a place that is watched, and system calls: each sends SIGTRAP, in the program and in between. */
static void counted(void)
{
    static volatile long watched;
    struct perf_event_attr stores = {.type = PERF_TYPE_BREAKPOINT,
                                     .size = sizeof stores,
                                     .bp_type = HW_BREAKPOINT_W,
                                     .bp_addr = (uintptr_t)&watched,
                                     .bp_len = HW_BREAKPOINT_LEN_8,
                                     .sample_period = 1,
                                     .exclude_kernel = 1,
                                     .sigtrap = 1,
                                     .remove_on_exec = 1};
    struct perf_event_attr time = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .size = sizeof time,
                                   .sample_period = 1000000,
                                   .sigtrap = 1,
                                   .remove_on_exec = 1};

    handle(SIGTRAP, 0);
    int fd = (int)syscall(SYS_perf_event_open, &stores, 0, -1, -1, 0);
    watched = 1;
    getppid();
    printf("%d %d\n", fd < 0 ? errno : 0, (int)caught);
    close(fd);
    caught = 0;
    fd = (int)syscall(SYS_perf_event_open, &time, 0, -1, -1, 0);
    for (int i = 0; i < 100000 && fd >= 0; i++)
        getppid();
    printf("%d %d\n", fd < 0 ? errno : 0, (int)caught);
}

static void tell(long result)
{
    printf("%ld %d\n", result, result < 0 ? errno : 0);
}

static void not_sent(void)
{
    enum { NOBODY = 0x3fffffff, FLAGS = 99 };
    siginfo_t other = {.si_signo = SIGUSR1};
    long nowhere = 1;
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

    tell(syscall(SYS_tgkill, getpid(), NOBODY, SIGKILL));
    tell(syscall(SYS_rt_sigqueueinfo, getpid(), SIGKILL, nowhere));
    tell(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGKILL, nowhere));
    tell(syscall(SYS_pidfd_send_signal, self, SIGKILL, NULL, FLAGS));
    tell(syscall(SYS_pidfd_send_signal, self, SIGKILL, nowhere, 0));
    tell(syscall(SYS_pidfd_send_signal, self, SIGKILL, &other, 0));
    fflush(stdout);
    other.si_signo = SIGKILL;
    tell(syscall(SYS_pidfd_send_signal, self, SIGKILL, &other, 0));
}

static void nowhere(void)
{
    enum { MASK_BYTES = 8, NO_SIGNAL = 99 };
    long at = 1;

    tell(syscall(SYS_setrlimit, RLIMIT_NOFILE, NULL));
    tell(syscall(SYS_getrlimit, RLIMIT_NOFILE, NULL));
    tell(syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, NULL));
    tell(syscall(SYS_rt_sigaction, SIGKILL, at, NULL, MASK_BYTES));
    tell(syscall(SYS_rt_sigaction, NO_SIGNAL, at, NULL, MASK_BYTES));
}

/* Almost all of memory, from the middle of a page on. */
static void not_aligned(void)
{
    const size_t most = (1UL << 47) - 4096;
    void *at = (void *)8;

    tell(mprotect(at, most, PROT_READ));
    tell(madvise(at, most, MADV_NORMAL));
    tell(mremap(at, most, 4096, 0) == MAP_FAILED ? -1 : 0);
    tell(mmap(at, most, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ? -1 : 0);
}

static void in_child(const char *name, void (*test)(void))
{
    int status = 0;

    printf("%s\n", name);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        test();
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("  %x\n", status & ~0x80); /* without a core or with one */
}

static void link_to_self(void)
{
    char folder[] = "/tmp/tenure-edges-XXXXXX", name[64];
    int status = 0;

    snprintf(name, sizeof name, "%s/link", mkdtemp(folder));
    tell(symlink("/proc/self/exe", name));
    fflush(stdout);
    if (fork() == 0) {
        execl(name, "edges", "again", NULL);
        _exit(1);
    }
    wait(&status);
    printf("%x\n", status);
    unlink(name);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    struct rlimit none = {0, 0};

    if (argc > 1) {
        puts(argv[1]);
        return 5;
    }
    setrlimit(RLIMIT_CORE, &none);
    in_child("break beyond memory", brk_beyond);
    in_child("fault that is sent", fault_sent);
    in_child("fault that is sent and handled", fault_handled);
    in_child("reset", reset);
    in_child("no way back", no_way_back);
    in_child("no bytes", no_bytes);
    in_child("by a thread's number", by_number);
    in_child("a path alone", path_only);
    in_child("the first thread ends", first_ends);
    in_child("handled once", handled_once);
    in_child("below the stack", below_stack);
    in_child("traced by its own", traced_by_own);
    in_child("faults that are traced", traced_faults);
    in_child("a counter's signal", counted);
    in_child("no signal", not_sent);
    in_child("nowhere", nowhere);
    in_child("not aligned", not_aligned);
    in_child("a link to itself", link_to_self);
    return 0;
}
