/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.c: see launch.h.
 *
 * Nothing of ours may be seen by the program: descriptors are opened with CLOEXEC, the signal mask and every
 * disposition are put back in the child before exec, and the only variable added is one the engine removes.
 */
#include "cli/record/launch.h"

#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/progress.h"
#include "tenure_config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL "tenure-amd64-linux"

/* ------------------------------------------------------------------------------------------ finding */

static bool is_elf(const char *path)
{
    char head[SELFMAG];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool elf = file >= 0 && read(file, head, SELFMAG) == SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0;

    if (file >= 0)
        close(file);
    return elf && access(path, X_OK) == 0;
}

/* valgrind.bin or valgrind in one folder of `length` characters. */
static char *valgrind_in(const char *folder, size_t length)
{
    static const char *const names[] = {"valgrind.bin", "valgrind"};
    char path[PATH_MAX];

    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, names[i]);
        if (is_elf(path))
            return realpath(path, NULL);
    }
    return NULL;
}

char *engine_valgrind(void)
{
    const char *list = getenv("PATH");
    char *found = NULL;

    while (list != NULL && found == NULL) {
        size_t length = strcspn(list, ":");

        if (length > 0)
            found = valgrind_in(list, length);
        if (list[length] == '\0')
            break;
        list += length + 1;
    }
    return found != NULL ? found : valgrind_in("/usr/bin", 8);
}

/* The first of `count` places, relative to this program's folder, that has `file`: its path, freed by the caller. */
static char *beside_us(const char *const *places, size_t count, const char *file)
{
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length <= 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", self, places[i], file);
        if (access(path, X_OK) == 0)
            return realpath(path, NULL);
    }
    return NULL;
}

/* The folder, not what it may link to: VALGRIND_LIB is where the tool is named. */
char *engine_tools(void)
{
    static const char *const places[] = {"../libexec/tenure", "../valgrind-lib"}; /* installed; build tree */
    size_t i;

    for (i = 0; i < 2; i++) {
        char *tool = beside_us(&places[i], 1, TOOL);

        free(tool);
        if (tool != NULL)
            return beside_us(&places[i], 1, ".");
    }
    return NULL;
}

char *engine_native(void)
{
    static const char *const places[] = {"../libexec/tenure", "../engine/native"}; /* installed; build tree */

    return beside_us(places, 2, "tenure-native");
}

/* The first line that `valgrind --version` prints, without "valgrind-". */
bool engine_version(const char *valgrind, char *out, size_t size)
{
    int ends[2];
    char text[128] = "";

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_RDWR | O_CLOEXEC), STDERR_FILENO);
        unsetenv("VALGRIND_LIB");
        execl(valgrind, valgrind, "--command-line-only=yes", "--tool=none", "--version", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    ssize_t length = child < 0 ? -1 : read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (length <= 0 || strncmp(text, "valgrind-", 9) != 0)
        return false;
    text[strcspn(text, "\n")] = '\0';
    snprintf(out, size, "%s", text + 9);
    return true;
}

bool engine_find(struct engine *engine, enum engine_kind kind, char *why, size_t size)
{
    char self[2];

    memset(engine, 0, sizeof *engine);
    if (readlink("/proc/self/exe", self, sizeof self) <= 0) {
        snprintf(why, size, "the engines are found by way of /proc/self/exe, and it cannot be read: mount /proc");
        return false;
    }
    engine->native = kind != ENGINE_VALGRIND && (engine->program = engine_native()) != NULL;
    if (engine->native)
        return true;
    if (kind == ENGINE_NATIVE) {
        engine->native = true;
        snprintf(why, size,
                 "the native engine (tenure-native) is not installed with this program: build it with the "
                 "libzydis-dev package installed, then `meson install`; or use --engine=valgrind");
        return false;
    }
    engine->tools = engine_tools();
    engine->program = engine_valgrind();
    if (engine->tools == NULL) {
        snprintf(why, size,
                 "the Valgrind engine (" TOOL ") is not installed with this program: build it with the "
                 "valgrind package installed, then `meson install`");
    } else if (engine->program == NULL) {
        snprintf(why, size, "valgrind is not installed, or not in PATH; on Debian: apt-get install valgrind");
    } else if (!engine_version(engine->program, engine->version, sizeof engine->version)) {
        snprintf(why, size, "%s does not run: `%s --version` says nothing", engine->program,
                 engine->program);
    } else if (strcmp(engine->version, TENURE_VALGRIND_VERSION) != 0) {
        snprintf(why, size,
                 "%s is Valgrind %s, but the engine was built for Valgrind %s; build Tenure again, or "
                 "install that version",
                 engine->program, engine->version, TENURE_VALGRIND_VERSION);
    } else {
        return true;
    }
    engine_free(engine);
    return false;
}

void engine_free(struct engine *engine)
{
    free(engine->program);
    free(engine->tools);
    engine->program = engine->tools = NULL;
}

/* ------------------------------------------------------------------------------------------ running */

static volatile sig_atomic_t running; /* the program's process, for the handler */
static volatile sig_atomic_t interrupted; /* since it was started */
static volatile sig_atomic_t late; /* the last signal that came when it had ended; 0: none */

/* What a terminal sends reaches the program anyway; what somebody sends to us alone is handed on. */
static void hand_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    interrupted |= number == SIGINT || number == SIGQUIT || number == SIGTERM;
    if (running == 0)
        late = number;
    if (running > 0 && info->si_code <= 0)
        kill((pid_t)running, number);
}

static const int handed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { HANDED = 6 };

static void give_signals_back(const struct sigaction *before)
{
    for (int i = 0; i < HANDED; i++)
        sigaction(handed_on[i], &before[i], NULL);
}

bool launch_has_scratch(void)
{
    const char *folder = getenv("TMPDIR");

    return access(folder != NULL ? folder : "/tmp", W_OK | X_OK) == 0;
}

bool refusals_open(struct refusals *refusals)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    refusals->from = ends[0];
    refusals->to = ends[1];
    return true;
}

/* Until the engine closes its end, which it does before the program's first instruction. */
static void hear(const struct refusals *refusals, struct ending *ending)
{
    size_t length = 0;
    ssize_t got;

    close(refusals->to);
    while (length < sizeof ending->refused - 1) {
        got = read(refusals->from, ending->refused + length, sizeof ending->refused - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    close(refusals->from);
    ending->refused[strcspn(ending->refused, "\n")] = '\0';
}

struct ending launch(const struct engine *engine, char **argv, const char *scratch, const struct refusals *refusals,
                     const char *progress)
{
    enum { ENOUGH_FILES = 256 };
    struct sigaction before[HANDED], forward = {.sa_flags = SA_SIGINFO | SA_RESTART, .sa_sigaction = hand_on};
    struct ending ending = {0};
    struct rlimit files;
    sigset_t all, mask;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    fflush(NULL);
    interrupted = late = 0;
    running = -1;
    /* What was to happen at a signal before is what is to happen to the program: under nohup, for instance, it ignores
     * SIGHUP until it says otherwise. */
    for (int i = 0; i < HANDED; i++)
        sigaction(handed_on[i], &forward, &before[i]);
    ending.pid = fork();
    if (ending.pid == 0) {
        give_signals_back(before);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        if (refusals->to >= 0)
            fcntl(refusals->to, F_SETFD, 0);
        if (!engine->native) {
            const char *own = getenv("TMPDIR");

            setenv("VALGRIND_LIB", engine->tools, 1);
            /* Valgrind needs a folder for temporary files. Where the program's is of no use (a read-only root) it gets
             * another one, and the engine, which knows these names, shows the program what it had. */
            if (!launch_has_scratch()) {
                setenv(own != NULL ? "TENURE_PROGRAM_TMPDIR" : "TENURE_PROGRAM_NO_TMPDIR", own != NULL ? own : "", 1);
                setenv("TMPDIR", scratch, 1);
            }
        }
        execv(engine->program, argv);
        term_error("cannot run %s: %s", engine->program, strerror(errno));
        _exit(CLI_OWN_FAILURE);
    }
    running = ending.pid > 0 ? ending.pid : -1;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    /* The program has its limit of descriptors by now; what comes afterwards needs more than the least. */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < ENOUGH_FILES) {
        files.rlim_cur = files.rlim_max < ENOUGH_FILES ? files.rlim_max : ENOUGH_FILES;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (ending.pid < 0) {
        term_error("cannot start a process: %s", strerror(errno));
        ending.failed = true;
    } else {
        if (refusals->to >= 0)
            hear(refusals, &ending);
        if (progress != NULL)
            progress_watch(ending.pid, progress);
        siginfo_t info;
        while (waitid(P_PID, (id_t)ending.pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
        }
        running = 0; /* before its number may be another process's */
        while (waitpid(ending.pid, &ending.status, 0) < 0 && errno == EINTR) {
        }
    }
    running = 0;
    give_signals_back(before);
    return ending;
}

bool launch_was_interrupted(void)
{
    return interrupted != 0;
}

int launch_late_signal(void)
{
    return late;
}

void end_like(int status)
{
    if (WIFSIGNALED(status)) {
        struct rlimit none = {0, 0};
        sigset_t one;

        setrlimit(RLIMIT_CORE, &none); /* the program's core is worth having, ours is not */
        signal(WTERMSIG(status), SIG_DFL);
        sigemptyset(&one);
        sigaddset(&one, WTERMSIG(status));
        sigprocmask(SIG_UNBLOCK, &one, NULL);
        fflush(NULL);
        kill(getpid(), WTERMSIG(status));
        exit(128 + WTERMSIG(status));
    }
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : CLI_OWN_FAILURE);
}
