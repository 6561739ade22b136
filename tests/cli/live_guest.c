/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live_guest.c: a program that ends in the way its first word says, after some work. "perfmap" and "jitdump" run code
 * that they make, and tell its name as JIT compilers do.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SELF = -10001 }; /* PIDFD_SELF_THREAD_GROUP */

static volatile char memory[1 << 16];
static volatile char *volatile nowhere;

static void work(void)
{
    unsigned i;

    for (i = 0; i < sizeof memory; i += 64)
        memory[i]++;
}

/* 64 KiB of stack a level. */
static int deep(int levels)
{
    volatile char room[65536];

    room[0] = room[sizeof room - 1] = 1;
    return levels > 0 ? deep(levels - 1) + room[0] - 1 : room[sizeof room - 1] - 1;
}

static void tell_map(const void *code, size_t size)
{
    char name[64];
    FILE *file;

    snprintf(name, sizeof name, "/tmp/perf-%ld.map", (long)getpid());
    file = fopen(name, "w");
    if (file == NULL)
        exit(1);
    fprintf(file, "%lx %zx made_by_jit(int)\n", (unsigned long)(uintptr_t)code, size);
    fclose(file);
}

/* A header and one JIT_CODE_LOAD record, as perf's jitdump-specification says; mapped, as the compiler has to. */
static void tell_dump(const void *code, size_t size)
{
    static const char name[] = "dumped_by_jit";
    const uint32_t header[10] = {0x4A695444, 1, sizeof header, 62, 0, (uint32_t)getpid()};
    const uint32_t record[4] = {0, (uint32_t)(16 + 40 + sizeof name + size)};
    const uint64_t load[5] = {(uint64_t)getpid() << 32 | (uint32_t)getpid(), (uintptr_t)code, (uintptr_t)code, size, 1};
    char path[64];
    int file;

    snprintf(path, sizeof path, "jit-%ld.dump", (long)getpid());
    file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, header, sizeof header) < 0 || write(file, record, sizeof record) < 0 ||
        write(file, load, sizeof load) < 0 || write(file, name, sizeof name) < 0 || write(file, code, size) < 0 ||
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED)
        exit(1);
    close(file);
}

/* mov $1000, %eax; dec %eax; jnz back; ret. Twice, the second 64 bytes behind the first; only the first has a name,
 * before it runs or, as Java does it, when the program ends. */
static int run_made(void (*tell)(const void *code, size_t size), int late)
{
    static const unsigned char body[] = {0xB8, 0xE8, 3, 0, 0, 0xFF, 0xC8, 0x75, 0xFC, 0xC3};
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int (*first)(void), (*second)(void);

    if (code == MAP_FAILED)
        exit(1);
    memcpy(code, body, sizeof body);
    memcpy((char *)code + 64, body, sizeof body);
    if (!late)
        tell(code, sizeof body);
    memcpy(&first, &code, sizeof first);
    code = (char *)code + 64;
    memcpy(&second, &code, sizeof second);
    int done = first() + second();
    if (late)
        tell((char *)code - 64, sizeof body);
    return done;
}

/* What the first numbers are, to a file, since they may be closed. */
static int tell_descriptors(const char *name)
{
    char lines[4096] = "", path[32], target[512];
    size_t at = 0;
    ssize_t length;
    int i, file;

    for (i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        length = readlink(path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        target[strcspn(target, ":")] = '\0'; /* a pipe's number is another each time */
        at += (size_t)snprintf(lines + at, sizeof lines - at, "%d %s %x\n", i, target, fcntl(i, F_GETFL));
    }
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return file < 0 || write(file, lines, at) != (ssize_t)at;
}

/* As a daemon begins: whatever is open is closed, and its number is used. Then nothing is left. */
static int take_descriptors(void)
{
    int i;

    for (i = 3; i < 40000; i++) {
        close(i);
        if (dup2(STDERR_FILENO, i) < 0)
            break;
    }
    for (; i >= 3; i--)
        close(i);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
    work();
    return 7;
}

/* Executes a command as in a container with the usual filter: no ptrace, and no personality but the usual one. */
static int contain(char **command)
{
    enum { NUMBER = offsetof(struct seccomp_data, nr), ARGUMENT = offsetof(struct seccomp_data, args) };
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    return execv(command[0], command);
}

static void on_term(int number)
{
    static const char text[] = "handled\n";

    (void)!write(STDOUT_FILENO, text, sizeof text - 1);
    _exit(number);
}

/* A process can be killed by the number of any of its threads. */
static void *killing(void *unused)
{
    kill(gettid(), SIGKILL);
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t thread;
    int i;

    if (strcmp(how, "contained") == 0)
        return contain(argv + 2);
    work();
    if (strcmp(how, "perfmap") == 0)
        return run_made(tell_map, 0);
    if (strcmp(how, "latemap") == 0)
        return run_made(tell_map, 1);
    if (strcmp(how, "jitdump") == 0)
        return run_made(tell_dump, 0);
    if (strcmp(how, "exit") == 0)
        return atoi(argv[2]);
    if (strcmp(how, "_exit") == 0)
        _exit(atoi(argv[2]));
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        *nowhere = 0;
    if (strcmp(how, "raise") == 0)
        raise(SIGILL);
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "kill by folder") == 0)
        syscall(SYS_pidfd_send_signal, open("/proc/self", O_RDONLY), SIGKILL, NULL, 0);
    if (strcmp(how, "kill by thread") == 0) {
        pthread_create(&thread, NULL, killing, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(how, "kill by number") == 0 && syscall(SYS_pidfd_send_signal, SELF, SIGKILL, NULL, 0) != 0)
        kill(getpid(), SIGKILL); /* before Linux 6.16 */
    if (strcmp(how, "illegal") == 0)
        __asm__ volatile("ud2");
    if (strcmp(how, "descriptors") == 0)
        return tell_descriptors(argv[2]);
    if (strcmp(how, "hoard") == 0)
        return take_descriptors();
    if (strcmp(how, "self") == 0)
        return execl("/proc/self/exe", argv[0], "exit", "5", NULL);
    if (strcmp(how, "deep") == 0)
        return deep(512);
    if (strcmp(how, "late") == 0) {
        sleep(2);
        return 0;
    }
    if (strcmp(how, "fork") == 0) {
        for (i = 0; i < 2; i++) {
            if (fork() == 0) {
                work();
                _exit(i);
            }
        }
        while (wait(NULL) > 0) {
        }
        return 0;
    }
    if (strcmp(how, "handle") == 0)
        signal(SIGTERM, on_term);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
