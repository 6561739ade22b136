/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_processes.c: threads and processes, and what a program can find out about itself.
 *
 * Prints the same on the bare CPU, which is what it is compared with. Ends by executing itself with "again" while
 * another of its threads runs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <asm/prctl.h>
#include <unistd.h>

enum { THREADS = 32, SPINNERS = 4, KICKS = 40, CHURNERS = 8, CHURNS = 100, STACK = 65536, DESCRIPTORS = 5000,
       LIMIT = 1 << 30 };

extern char **environ;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int kicked, stop;
static long total;
static __thread int own;

/* ----------------------------------------------------------------------------------------- threads */

static void *adding(void *argument)
{
    long n = (long)argument, sum = 0;

    own = (int)n;
    for (long i = 0; i < 100000; i++) {
        sum += i % (n + 1);
        if (i % 1000 == 0)
            sched_yield();
    }
    pthread_mutex_lock(&mutex);
    total += sum + own;
    pthread_mutex_unlock(&mutex);
    return (void *)(n * 2);
}

static void many_threads(void)
{
    pthread_t threads[THREADS];
    long back = 0;
    void *result;

    total = 0;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, adding, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &result);
        back += (long)result;
    }
    printf("threads %ld %ld\n", total, back);
}

static void kick(int signal)
{
    (void)signal;
    __atomic_fetch_add(&kicked, 1, __ATOMIC_SEQ_CST);
}

static void *spinning(void *argument)
{
    uint64_t hash = 1;

    while (!stop)
        hash = hash * 31 + 7;
    *(uint64_t *)argument = hash;
    return NULL;
}

static void signals_to_threads(void)
{
    pthread_t threads[SPINNERS];
    uint64_t hashes[SPINNERS];

    signal(SIGUSR1, kick);
    for (int i = 0; i < SPINNERS; i++)
        pthread_create(&threads[i], NULL, spinning, &hashes[i]);
    for (int i = 0; i < KICKS; i++) {
        pthread_kill(threads[i % SPINNERS], SIGUSR1);
        while (kicked <= i)
            sched_yield();
    }
    stop = 1;
    for (int i = 0; i < SPINNERS; i++)
        pthread_join(threads[i], NULL);
    printf("kicked %d\n", kicked);
}

/* Code that is made, run and unmapped, in several threads at once. */
static void *churning(void *argument)
{
    long sum = 0;

    for (int i = 0; i < CHURNS; i++) {
        uint8_t code[] = {0xb8, (uint8_t)i, (uint8_t)(long)argument, 0, 0, 0xc3}; /* mov $..., %eax; ret */
        void *page = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        memcpy(page, code, sizeof code);
        mprotect(page, sizeof code, PROT_READ | PROT_EXEC);
        sum += ((int (*)(void))(uintptr_t)page)();
        munmap(page, sizeof code);
    }
    return (void *)sum;
}

static void churn(void)
{
    pthread_t threads[CHURNERS];
    long sum = 0;
    void *result;

    for (long i = 0; i < CHURNERS; i++)
        pthread_create(&threads[i], NULL, churning, (void *)i);
    for (int i = 0; i < CHURNERS; i++) {
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    printf("made and run: %ld\n", sum);
}

/* ----------------------------------------------------------------------------------------- processes */

static int status_of(pid_t child)
{
    int status;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void forks(void)
{
    int sum = 0;

    for (int i = 0; i < 10; i++) {
        pid_t child = fork();

        if (child == 0) {
            pthread_t thread;
            void *result;

            pthread_create(&thread, NULL, adding, (void *)3);
            pthread_join(thread, &result);
            _exit((int)(long)result);
        }
        sum += status_of(child);
    }
    printf("forked %d\n", sum);
}

static void spawns(char *again[])
{
    pid_t child;
    int error = posix_spawn(&child, "/proc/self/exe", NULL, NULL, again, environ);

    printf("spawned %d\n", status_of(child));
    printf("error %d\n", error);
    error = posix_spawn(&child, "/nonexistent", NULL, NULL, again, environ);
    printf("error %d\n", error == ENOENT);
    error = system("exit 4");
    printf("system %d\n", WEXITSTATUS(error));
}

static int in_child(void *argument)
{
    *(int *)argument = 1;
    return 5;
}

static void clones(void)
{
    static char stack[STACK];
    static int flag;
    pid_t child = vfork();

    if (child == 0) {
        execl("/nonexistent", "x", NULL);
        _exit(errno == ENOENT ? 12 : 13);
    }
    printf("vfork %d\n", status_of(child));
    child = clone(in_child, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, &flag);
    printf("clone, memory shared: %d, flag %d\n", status_of(child), flag);
    flag = 0;
    child = clone(in_child, stack + STACK, SIGCHLD, &flag);
    printf("clone, memory copied: %d, flag %d\n", status_of(child), flag);
    printf("exec %d", execl("/nonexistent", "x", NULL));
    printf(" %d\n", errno == ENOENT);
}

/* ----------------------------------------------------------------------------------------- what it sees */

static int descriptors(void)
{
    int count = 0;

    for (int i = 0; i < DESCRIPTORS; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/* Whether it is where no program's mappings are. */
static bool is_far(const char *entry)
{
    uint64_t start = strtoul(entry, NULL, 16);

    return start >= 0x0f0000000000 && start < 0x200000000000;
}

/* Of a file with a line or more for each mapping. */
static int far_in(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[4096];
    int far = 0;

    while (file && fgets(line, sizeof line, file))
        far += is_far(line);
    if (file)
        fclose(file);
    return far;
}

static int far_listed(const char *path)
{
    DIR *folder = opendir(path);
    int far = 0;

    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        far += is_far(entry->d_name);
    if (folder)
        closedir(folder);
    return far;
}

/* Other ways to the same files of /proc; and a name of its own for the executable. */
static void winding(void)
{
    static const char *const ways[] = {"/proc//self/exe", "//proc/self/./exe", "/proc/self/../self/exe",
                                       "/proc/self/task/../exe", "/proc/self/root/proc/self/exe"};
    struct stat plain, other;
    char name[64];
    int same = 0, proc = open("/proc", O_RDONLY), here = open(".", O_RDONLY);

    stat("/proc/self/exe", &plain);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        same += stat(ways[i], &other) == 0 && other.st_ino == plain.st_ino;
    same += fstatat(proc, "self/exe", &other, 0) == 0 && other.st_ino == plain.st_ino;
    same += chdir("/proc/self") == 0 && stat("./exe", &other) == 0 && other.st_ino == plain.st_ino;
    same += chdir("/") == 0 && stat("proc/self/exe", &other) == 0 && other.st_ino == plain.st_ino;
    printf("other ways to the executable: %d; mapped at strange places: %d\n", same,
           far_in("/proc/self/../self//maps") + far_in("proc/self/maps"));
    fchdir(here);
    snprintf(name, sizeof name, "native_processes.%d", (int)getpid());
    if (linkat(AT_FDCWD, "/proc/self/exe", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0)
        printf("linked: %d\n", stat(name, &other) == 0 && other.st_ino == plain.st_ino);
    unlink(name);
    close(proc);
    close(here);
}

static void files(void)
{
    char line[4096];
    ssize_t length = readlink("/proc/self/exe", line, sizeof line - 1);
    int far, stacks = 0;
    FILE *file = fopen("/proc/self/maps", "r");

    line[length > 0 ? length : 0] = '\0';
    printf("executable %s\n", strrchr(line, '/'));
    length = readlinkat(open("/proc/self/exe", O_PATH | O_NOFOLLOW | O_CLOEXEC), "", line, sizeof line - 1);
    line[length > 0 ? length : 0] = '\0';
    printf("its link %s\n", strrchr(line, '/'));
    printf("not followed: %s\n", open("/proc/self/exe", O_RDONLY | O_NOFOLLOW) < 0 ? strerror(errno) : "opened");
    while (fgets(line, sizeof line, file))
        stacks += strstr(line, "[stack]") != NULL;
    fclose(file);
    far = far_in("/proc/self/maps") + far_in("/proc/thread-self/smaps") + far_in("/proc/self/numa_maps") +
          far_listed("/proc/self/map_files");
    printf("mapped at strange places: %d; stacks: %d\n", far, stacks);
    file = fopen("/proc/self/comm", "r");
    if (fgets(line, sizeof line, file))
        printf("name %s", line);
    fclose(file);
    file = fopen("/proc/self/cmdline", "r");
    length = (ssize_t)fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    printf("command line %zd %s\n", length, line);
    winding();
    printf("descriptors %d\n", descriptors());
    syscall(SYS_close_range, 3, ~0u, 0);
    printf("descriptors %d\n", descriptors());
}

/* The auxiliary vector that /proc shows is the one that the program was given. */
static void vector(void)
{
    uint64_t pair[2] = {1, 0}, entry = 0;
    FILE *file = fopen("/proc/self/auxv", "r");

    while (pair[0] != AT_NULL && fread(pair, sizeof pair, 1, file) == 1)
        entry = pair[0] == AT_ENTRY ? pair[1] : entry;
    fclose(file);
    printf("entry %d\n", entry == getauxval(AT_ENTRY));
}

/* Where programs want their memory to be, and nowhere else: AddressSanitizer and clisp. */
static void wanted(void)
{
    static const struct {
        uint64_t at, bytes;
    } places[] = {{0x02008fff7000, 0xdfff0001000}, {0x100000000000, 1 << 20}};

    for (int i = 0; i < 2; i++) {
        void *at = (void *)places[i].at;
        void *got = mmap(at, places[i].bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        printf("place wanted: %d\n", got == at);
        munmap(got, places[i].bytes);
    }
}

static void memory(void)
{
    static uint64_t at_gs[2] = {1, 0x123};
    char *top = sbrk(0);
    uint64_t value = 0;

    wanted();
    sbrk(1 << 20);
    memset(top, 1, 1 << 20);
    printf("break %d", (char *)sbrk(0) - top == 1 << 20);
    sbrk(-(1 << 20));
    printf(" %d\n", sbrk(0) == top);
    syscall(SYS_arch_prctl, ARCH_SET_GS, at_gs);
    __asm__ volatile("mov %%gs:8, %0" : "=r"(value));
    printf("gs:8 %lx", value);
    syscall(SYS_arch_prctl, ARCH_GET_GS, &value);
    printf(" %d\n", value == (uint64_t)at_gs);
    syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
    top = mmap((void *)0x123456789000, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("mapped and unmapped %d\n", munmap(top + 4096, 8192) == 0 && munmap(top, 4096) == 0);
    printf("vsyscall %d\n", ((long (*)(long *))0xffffffffff600400)(NULL) > 1000000000);
}

static int is_had(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return 0;
    munmap(memory, bytes);
    return 1;
}

/* A limit holds for what the program has, and is handed on as it was set. */
static void limit(int what, const char *name, const char *shown)
{
    struct rlimit before, now;
    char command[64];

    getrlimit(what, &before);
    now = (struct rlimit){LIMIT, before.rlim_max};
    printf("%s %d", name, setrlimit(what, &now));
    getrlimit(what, &now);
    printf(", is %llu: half %d, all %d\n", (unsigned long long)now.rlim_cur, is_had(LIMIT / 2), is_had(LIMIT));
    snprintf(command, sizeof command, "ulimit -%s", shown);
    if (system(command) != 0)
        perror(name);
    now = (struct rlimit){2, 1};
    printf("wrong %d", setrlimit(what, &now));
    printf(", back %d\n", setrlimit(what, &before));
}

/* A vforked child that sets one of them has the other one as it was set, and so has what it becomes. */
static void limits_of_child(void)
{
    struct rlimit before, now, seen;
    pid_t child;

    getrlimit(RLIMIT_DATA, &before);
    now = (struct rlimit){LIMIT, before.rlim_max};
    setrlimit(RLIMIT_DATA, &now);
    child = vfork();
    if (child == 0) {
        getrlimit(RLIMIT_DATA, &seen);
        now.rlim_cur = 2 * (rlim_t)LIMIT;
        setrlimit(RLIMIT_AS, &now);
        execl("/bin/sh", "sh", "-c", "ulimit -v; ulimit -d", NULL);
        _exit(1);
    }
    printf("child %d, which saw %llu\n", status_of(child), (unsigned long long)seen.rlim_cur);
    setrlimit(RLIMIT_DATA, &before);
}

static void limits(void)
{
    limit(RLIMIT_AS, "addresses", "v");
    limit(RLIMIT_DATA, "data", "d");
    limits_of_child();
}

/* Whether or not there are filters, a program that wants one goes on, with or without. */
static void filters(void)
{
    struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &all};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    printf("behind a filter\n");
}

int main(int argc, char **argv)
{
    static char me[] = "me", word[] = "again", *again[] = {me, word, NULL};
    pthread_t thread;
    uint64_t hash;

    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc > 1) {
        printf("again: %s, %s\n", argv[0], getenv("HELLO") ? getenv("HELLO") : "nobody");
        return 9;
    }
    setenv("HELLO", "you", 1);
    many_threads();
    many_threads();
    signals_to_threads();
    churn();
    forks();
    spawns(again);
    clones();
    files();
    vector();
    memory();
    limits();
    filters();
    stop = 0;
    pthread_create(&thread, NULL, spinning, &hash);
    execv("/proc/self/exe", again);
    return 1;
}
