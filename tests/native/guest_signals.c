/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_signals.c: every way in which a signal can reach a program, and what the program can find out about it.
 *
 * Prints the same on the bare CPU, which is what it is compared with: no addresses, no times.
 */
#include <errno.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, STACK = 65536, ROUNDS = 1000000, PERIOD_US = 300 };

static volatile sig_atomic_t count, depth, deepest;
static sigjmp_buf back;
static char *volatile bad; /* where the next fault is to be */
static sigset_t users;     /* SIGUSR1 and SIGUSR2 */

static void counting(int signal)
{
    (void)signal;
    count++;
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(signal, &action, NULL);
}

static void handle_info(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};

    sigaction(signal, &action, NULL);
}

/* ----------------------------------------------------------------------------------------- sent signals */

static void telling(int signal, siginfo_t *info, void *context)
{
    ucontext_t *frame = context;
    sigset_t mask;

    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf("signal %d code %d value %d, blocked: itself %d, usr2 %d; before: usr1 %d, usr2 %d\n", signal, info->si_code,
           info->si_code == SI_QUEUE ? info->si_value.sival_int : 0, sigismember(&mask, signal),
           sigismember(&mask, SIGUSR2), sigismember(&frame->uc_sigmask, SIGUSR1),
           sigismember(&frame->uc_sigmask, SIGUSR2));
}

static void pending(void)
{
    sigset_t set;

    handle(SIGUSR1, counting, 0);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    printf("two sent: %d\n", count);
    sigprocmask(SIG_BLOCK, &users, NULL);
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigpending(&set);
    printf("pending %d, taken %d\n", sigismember(&set, SIGUSR1), count);
    sigprocmask(SIG_UNBLOCK, &users, NULL);
    printf("unblocked: %d\n", count);
}

static void queued(void)
{
    sigset_t set;

    handle_info(SIGRTMIN, telling, 0);
    handle_info(SIGRTMIN + 1, telling, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigaddset(&set, SIGRTMIN + 1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 3; i++) {
        sigqueue(getpid(), SIGRTMIN + 1, (union sigval){i});
        sigqueue(getpid(), SIGRTMIN, (union sigval){10 + i});
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The same of asynchronous input and output, where the kernel has it. */
static void rings_with_masks(const sigset_t *mask)
{
    struct {
        const sigset_t *mask;
        size_t bytes, time; /* in nanoseconds, of no interest */
    } argument = {mask, 8, 0};
    char parameters[120] = ""; /* struct io_uring_params */
    struct timespec long_time = {5, 0};
    aio_context_t context = 0;
    struct io_event event;
    int ring = (int)syscall(SYS_io_uring_setup, 1, parameters);
    long result;

    if (syscall(SYS_io_setup, 1, &context) == 0) {
        raise(SIGUSR1);
        result = syscall(SYS_io_pgetevents, context, 1, 1, &event, &long_time, &argument);
        printf("io_pgetevents %ld %d\n", result, errno == EINTR);
        syscall(SYS_io_destroy, context);
    }
    for (unsigned with = 0; ring >= 0 && with < 2; with++) {
        raise(SIGUSR1);
        result = with ? syscall(SYS_io_uring_enter, ring, 0, 1, 1 | 8, &argument, sizeof argument)
                      : syscall(SYS_io_uring_enter, ring, 0, 1, 1, mask, 8);
        printf("io_uring_enter %ld %d\n", result, errno == EINTR);
    }
    close(ring);
}

/* Calls that bring a mask along, in which only SIGUSR2 is blocked. */
static void with_masks(void)
{
    struct timespec long_time = {5, 0};
    struct epoll_event event;
    sigset_t mask;
    int epoll = epoll_create1(0), result;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    handle_info(SIGUSR1, telling, 0);
    sigprocmask(SIG_BLOCK, &users, NULL);
    raise(SIGUSR1);
    result = sigsuspend(&mask);
    printf("sigsuspend %d %d\n", result, errno == EINTR);
    raise(SIGUSR1);
    result = ppoll(NULL, 0, &long_time, &mask);
    printf("ppoll %d %d\n", result, errno == EINTR);
    raise(SIGUSR1);
    result = pselect(0, NULL, NULL, NULL, &long_time, &mask);
    printf("pselect %d %d\n", result, errno == EINTR);
    raise(SIGUSR1);
    result = epoll_pwait(epoll, &event, 1, 5000, &mask);
    printf("epoll_pwait %d %d\n", result, errno == EINTR);
    close(epoll);
    rings_with_masks(&mask);
    sigprocmask(SIG_UNBLOCK, &users, NULL);
}

static void without_handler(void)
{
    struct timespec second = {1, 0};
    struct signalfd_siginfo read_info;
    siginfo_t info;
    int fd, result;

    sigprocmask(SIG_BLOCK, &users, NULL);
    raise(SIGUSR1);
    result = sigtimedwait(&users, &info, &second);
    printf("sigtimedwait %d\n", result == SIGUSR1);
    fd = signalfd(-1, &users, 0);
    raise(SIGUSR2);
    result = (int)read(fd, &read_info, sizeof read_info);
    printf("signalfd %d %d\n", result == sizeof read_info, read_info.ssi_signo == SIGUSR2);
    close(fd);
    sigprocmask(SIG_UNBLOCK, &users, NULL);
}

static void nesting(int signal)
{
    if (++depth > deepest)
        deepest = depth;
    if (signal == SIGUSR1)
        raise(SIGUSR2);
    depth--;
}

static void nested(void)
{
    struct sigaction action = {.sa_handler = nesting};

    handle(SIGUSR1, nesting, 0);
    handle(SIGUSR2, nesting, 0);
    raise(SIGUSR1);
    printf("nested %d\n", deepest);
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    deepest = 0;
    raise(SIGUSR1);
    printf("masked %d\n", deepest);
    handle(SIGUSR1, counting, SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &action);
    printf("reset %d\n", action.sa_handler == SIG_DFL);
}

/* ----------------------------------------------------------------------------------------- interruptions */

/* The process's one thread sleeps in a system call. */
static bool sleeps(pid_t process)
{
    char name[64], line[512];
    FILE *file;
    char *state;

    snprintf(name, sizeof name, "/proc/%d/stat", process);
    file = fopen(name, "r");
    state = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return state && state[2] == 'S';
}

/* Interrupt our parent when it reads; when its handler has run, give it something. */
static void interrupt_parent(volatile int *taken, int to)
{
    while (!sleeps(getppid()))
        sched_yield();
    kill(getppid(), SIGALRM);
    while (!*taken)
        sched_yield();
    _exit(write(to, "x", 1) == 1 ? 7 : 8);
}

static volatile int *shared; /* with a child */

static void sharing(int signal)
{
    (void)signal;
    *shared = 1;
}

static void interrupted(int flags)
{
    int ends[2], status;
    char byte;
    ssize_t got;
    pid_t child;

    *shared = 0;
    if (pipe(ends) != 0)
        exit(1);
    handle(SIGALRM, sharing, flags);
    child = fork();
    if (child == 0)
        interrupt_parent(shared, ends[1]);
    got = read(ends[0], &byte, 1);
    printf("read %d, error %d, signals %d\n", (int)got, got < 0 ? errno : 0, *shared);
    if (got < 0)
        got = read(ends[0], &byte, 1);
    waitpid(child, &status, 0);
    printf("then %d, child %d\n", (int)got, WEXITSTATUS(status));
    close(ends[0]);
    close(ends[1]);
}

static void clobbering(int signal)
{
    (void)signal;
    __asm__ volatile("pxor %%xmm3, %%xmm3; pcmpeqd %%xmm4, %%xmm4" ::: "xmm3", "xmm4");
    count++;
}

static uint64_t hash(void)
{
    uint64_t value = 1;

    for (uint64_t i = 0; i < ROUNDS; i++)
        value = value * 6364136223846793005u + (value >> 29) + i;
    return value;
}

static uint64_t sum(void)
{
    uint64_t two[2] = {1, 2}, sums[2];

    __asm__ volatile("movdqu (%0), %%xmm3; movdqu (%0), %%xmm4; mov %2, %%ecx; 1: paddq %%xmm4, %%xmm3;"
                     "dec %%ecx; jnz 1b; movdqu %%xmm3, (%1)"
                     :
                     : "r"(two), "r"(sums), "i"(ROUNDS)
                     : "rcx", "xmm3", "xmm4", "memory");
    return sums[0] + sums[1];
}

/* A timer that comes all the time must change nothing of what is computed. */
static void storm(void)
{
    struct itimerval timer = {{0, PERIOD_US}, {0, PERIOD_US}};
    uint64_t hashes = 0, sums = 0;
    int wrong = 0;

    count = 0;
    handle(SIGALRM, clobbering, SA_RESTART);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (count < 50) {
        uint64_t new_hash = hash(), new_sum = sum();

        wrong += (hashes != 0 && hashes != new_hash) || (sums != 0 && sums != new_sum);
        hashes = new_hash;
        sums = new_sum;
    }
    timer.it_interval.tv_usec = timer.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("hash %lx, sum %lu, wrong %d\n", hashes, sums, wrong);
}

/* ----------------------------------------------------------------------------------------- faults */

static void leaving(int signal, siginfo_t *info, void *context)
{
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    printf("fault %d code %d at %s, trap %d, error %d, cr2 %d\n", signal, info->si_code,
           info->si_addr == bad                             ? "bad"
           : (greg_t)info->si_addr == registers[REG_RIP] ? "rip"
                                                            : "another place",
           (int)registers[REG_TRAPNO], (int)registers[REG_ERR], registers[REG_CR2] == (greg_t)bad);
    siglongjmp(back, 1);
}

static void call(char *at)
{
    if (!sigsetjmp(back, 1))
        ((void (*)(void))(uintptr_t)at)();
}

static void faults(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    volatile int zero = 0;

    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        handle_info(signals[i], leaving, 0);
    bad = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!sigsetjmp(back, 1))
        *(volatile char *)bad = 1;
    if (!sigsetjmp(back, 1))
        printf("%d\n", *(volatile char *)bad);
    if (!sigsetjmp(back, 1))
        printf("%d\n", 5 / zero);
    if (!sigsetjmp(back, 1))
        __asm__ volatile("ud2");
    if (!sigsetjmp(back, 1))
        __asm__ volatile("int3");
    if (!sigsetjmp(back, 1))
        __asm__ volatile("hlt");
    mprotect(bad, PAGE, PROT_READ | PROT_WRITE);
    call(bad);
    bad = (char *)0x10;
    call(bad);
    for (int i = 0; i < 3; i++) /* the kernel's page of system calls, but not at one of its entries */
        call((char *)0xffffffffff600010 + 0x5f7 * i);
    call((char *)0x8000000000000010);
    call((char *)0xffffffffff600c00);
    if (!sigsetjmp(back, 1))
        *(volatile char *)0x8000000000000010 = 1;
}

/* The state that a handler sees is that at the instruction, and what it changes there holds. */
static void mending(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)info;
    printf("fault %d: rbx %lx, r12 %lx, rax %lx, flags %lx\n", signal, (long)registers[REG_RBX],
           (long)registers[REG_R12], (long)registers[REG_RAX], (long)registers[REG_EFL] & 0x8d5);
    registers[REG_RIP] += 3; /* mov (%rax), %rcx */
    registers[REG_RCX] = 77;
}

static void mended(void)
{
    uint64_t rcx;

    handle_info(SIGSEGV, mending, 0);
    __asm__ volatile("mov $0x1234, %%ebx; mov $0x5678, %%r12d; mov $0x10, %%eax; cmp %%rax, %%rax;"
                     "mov (%%rax), %%rcx; mov %%rcx, %0"
                     : "=r"(rcx)
                     :
                     : "rax", "rbx", "rcx", "r12", "cc");
    printf("rcx %lu\n", rcx);
}

static void on_stack(int signal)
{
    char here;
    stack_t stack;

    sigaltstack(NULL, &stack);
    printf("signal %d: on the stack %d, in it %d\n", signal, stack.ss_flags & SS_ONSTACK,
           &here > (char *)stack.ss_sp && &here < (char *)stack.ss_sp + stack.ss_size);
}

static void overflowing(int signal)
{
    printf("overflow %d\n", signal);
    siglongjmp(back, 1);
}

static int deeper(int n)
{
    volatile char frame[PAGE];

    frame[0] = (char)n;
    return n == 0 ? 0 : deeper(n + 1) + frame[0];
}

static void alternate(void)
{
    stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};

    sigaltstack(&stack, NULL);
    handle(SIGUSR1, on_stack, SA_ONSTACK);
    raise(SIGUSR1);
    handle(SIGUSR1, on_stack, 0);
    raise(SIGUSR1);
    handle(SIGSEGV, overflowing, SA_ONSTACK);
    for (int i = 0; i < 3; i++) {
        if (!sigsetjmp(back, 1))
            deeper(1);
    }
    /* Where a frame has the state of AVX-512 it does not fit into the smallest stack, and the signal is a fault. */
    stack.ss_size = 2048;
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, on_stack, SA_ONSTACK);
    handle(SIGSEGV, overflowing, 0);
    if (!sigsetjmp(back, 1))
        raise(SIGUSR1);
}

static void damaging(int signal, siginfo_t *info, void *context)
{
    ucontext_t *frame = context;

    (void)info;
    count = signal;
    memset((char *)frame->uc_mcontext.fpregs + 512 + 16, 0xff, 8); /* of the header of XSAVE: always 0 */
}

/* A handler's frame that the kernel does not take: the fault is at the place that the frame leads to. */
static void damaged(void)
{
    handle_info(SIGUSR1, damaging, 0);
    handle(SIGSEGV, counting, 0);
    raise(SIGUSR1);
    printf("a damaged frame: %d\n", count);
}

/* ----------------------------------------------------------------------------------------- ends */

static void die(int signal)
{
    volatile int zero = 0;
    sigset_t all;

    bad = (char *)8;
    handle(signal, SIG_DFL, 0);
    sigfillset(&all);
    if (signal == SIGSEGV)
        *(volatile char *)bad = 0;
    if (signal == SIGFPE) { /* a blocked fault cannot be handled */
        sigprocmask(SIG_SETMASK, &all, NULL);
        handle(SIGFPE, counting, 0);
        zero = 5 / zero;
    }
    raise(signal);
    _exit(1);
}

static void ends(void)
{
    static const int signals[] = {SIGTERM, SIGSEGV, SIGABRT, SIGKILL, SIGPIPE, SIGUSR2, SIGALRM, SIGFPE};

    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        pid_t child = fork();
        int status;

        if (child == 0)
            die(signals[i]);
        waitpid(child, &status, 0);
        printf("ended by %d: %d\n", signals[i], WIFSIGNALED(status) ? WTERMSIG(status) : -1);
    }
}

/* ----------------------------------------------------------------------------------------- faults' signals, sent */

static void send(int signal, int way)
{
    if (way == 0)
        kill(getpid(), signal);
    else if (way == 1)
        raise(signal);
    else
        sigqueue(getpid(), signal, (union sigval){40 + signal});
}

static void sent_and_blocked(int signal, int way)
{
    struct timespec none = {0, 0};
    struct signalfd_siginfo read_info;
    siginfo_t info;
    sigset_t set, now, open;
    int fd, got;

    sigemptyset(&set);
    sigaddset(&set, signal);
    handle(signal, counting, 0);
    count = 0;
    sigprocmask(SIG_BLOCK, &set, &open);
    send(signal, way);
    send(signal, way);
    sigpending(&now);
    printf("%d: taken %d, pending %d", signal, count, sigismember(&now, signal));
    got = sigtimedwait(&set, &info, &none);
    printf(", waited for %d, code %d, ours %d, value %d", got, info.si_code, info.si_pid == getpid(),
           way == 2 ? info.si_value.sival_int : 0);
    got = sigtimedwait(&set, &info, &none);
    printf(", then %d %d", got, errno == EAGAIN);
    fd = signalfd(-1, &set, SFD_NONBLOCK);
    got = (int)read(fd, &read_info, sizeof read_info);
    printf(", read %d", got);
    send(signal, way);
    struct pollfd polled = {fd, POLLIN, 0};
    printf(", polled %d", poll(&polled, 1, 5000));
    got = (int)read(fd, &read_info, sizeof read_info);
    printf(", read %d of %d\n", got > 0 ? (int)read_info.ssi_signo : got, signal);
    close(fd);
    send(signal, way);
    got = sigsuspend(&open);
    printf("suspended %d, taken %d", got, count);
    send(signal, way);
    printf(", %d", count);
    sigprocmask(SIG_SETMASK, &open, NULL);
    printf(", %d\n", count);
}

/* What is pending stays so in another program, and not in a forked child. */
static void sent_and_executed(void)
{
    sigset_t set;
    int status;

    sigemptyset(&set);
    sigaddset(&set, SIGFPE);
    sigprocmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGFPE);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();

        if (child == 0) {
            sigpending(&set);
            printf("pending %d\n", sigismember(&set, SIGFPE));
            if (i > 0)
                kill(getpid(), SIGFPE);
            execlp("grep", "grep", "ShdPnd", "/proc/self/status", NULL);
        }
        waitpid(child, &status, 0);
    }
    handle(SIGFPE, SIG_IGN, 0);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* One that is blocked interrupts nothing. */
static void sent_and_sleeping(void)
{
    int ends[2];
    char byte;
    sigset_t set;
    pid_t child;

    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    sigprocmask(SIG_BLOCK, &set, NULL);
    handle(SIGBUS, counting, 0);
    if (pipe(ends) != 0)
        exit(1);
    child = fork();
    if (child == 0) {
        while (!sleeps(getppid()))
            sched_yield();
        kill(getppid(), SIGBUS);
        usleep(10000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    count = 0;
    printf("read %d", (int)read(ends[0], &byte, 1));
    sigpending(&set);
    printf(", taken %d, pending %d", count, sigismember(&set, SIGBUS));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf(", %d\n", count);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
}

static pthread_t other_thread;
static volatile int taken_by_other;

static void whose(int signal)
{
    (void)signal;
    taken_by_other += pthread_equal(pthread_self(), other_thread) ? 1 : 100;
}

static void *waiting(void *set)
{
    siginfo_t info;

    taken_by_other = sigwaitinfo(set, &info) == SIGSEGV && info.si_code == SI_USER;
    return NULL;
}

static void *pausing(void *set)
{
    other_thread = pthread_self();
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
    if (!taken_by_other)
        pause();
    return NULL;
}

/* One sent to a process whose first thread computes and blocks it is another thread's, which waits for it or does not
 * block it. */
static void sent_to_others(void *(*other)(void *), const char *what)
{
    sigset_t set;
    pthread_t thread;
    pid_t child;
    volatile long spins = 0;

    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    handle(SIGSEGV, whose, 0);
    sigprocmask(SIG_BLOCK, &set, NULL);
    taken_by_other = 0;
    if (pthread_create(&thread, NULL, other, &set) != 0)
        exit(1);
    child = fork();
    if (child == 0) {
        usleep(30000);
        _exit(kill(getppid(), SIGSEGV));
    }
    while (!taken_by_other)
        spins++;
    pthread_join(thread, NULL);
    waitpid(child, NULL, 0);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    printf("a thread that %s: %d\n", what, taken_by_other);
}

static void sent_faults(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        for (int way = 0; way < 3; way++)
            sent_and_blocked(signals[i], way);
    sent_and_executed();
    sent_and_sleeping();
    sent_to_others(waiting, "waits");
    sent_to_others(pausing, "does not block it");
}

static void stopped(void)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        raise(SIGSTOP);
        _exit(3);
    }
    waitpid(child, &status, WUNTRACED);
    printf("stopped %d\n", WIFSTOPPED(status));
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    printf("went on %d\n", WEXITSTATUS(status));
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigemptyset(&users);
    sigaddset(&users, SIGUSR1);
    sigaddset(&users, SIGUSR2);
    pending();
    queued();
    with_masks();
    without_handler();
    nested();
    interrupted(0);
    interrupted(SA_RESTART);
    storm();
    faults();
    mended();
    alternate();
    damaged();
    ends();
    sent_faults();
    stopped();
    return 0;
}
