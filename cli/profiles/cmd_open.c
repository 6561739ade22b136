/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_open.c: the page of a profile, in the browser.
 *
 * The page is written where only its owner can read it: $XDG_CACHE_HOME/tenure, usually ~/.cache/tenure, or a new
 * folder in $TMPDIR where there is no home. Its name follows from the profile's path, so that opening a profile again
 * leaves no second copy behind. The browser is $BROWSER, or what xdg-open finds; it is not waited for.
 */
#include "cli/base/given.h"
#include "cli/base/opt.h"
#include "cli/base/page.h"
#include "cli/base/term.h"
#include "cli/cli.h"
#include "cli/record/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct opt rows[] = {
    {OPT_TEXT, "out", 'o', "FILE", "where the page goes [a folder of your own]", offsetof(struct page_options, out)},
    PAGE_OPTIONS,
};

static const struct opt_command command = {
    "open",
    "[options] [FILE]",
    "Shows a profile in the browser ($BROWSER, or what xdg-open finds): the page that `tenure html`\n"
    "writes. FILE is a profile or a raw profile; without it, the newest tenure.out.* here.",
    OPT_ROWS(rows),
    .one_profile = true,
};

/* ------------------------------------------------------------------------------------------ where */

/* A folder that is ours alone; made if it is not there. */
static bool private_folder(const char *path)
{
    struct stat status;

    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 022) == 0 && access(path, W_OK) == 0;
}

static bool folder(char *out, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    char above[PATH_MAX];

    if (output_cache(above, sizeof above)) {
        mkdir(above, 0700);
        if (snprintf(out, size, "%s/tenure", above) < (int)size && private_folder(out))
            return true;
    }
    return snprintf(out, size, "%s/tenure.XXXXXX", temporary != NULL && *temporary != '\0' ? temporary : "/tmp") <
               (int)size &&
           mkdtemp(out) != NULL;
}

/* Folder, the profile's own name, and a number that tells apart profiles of one name (FNV-1a of the path). */
static bool place(char *out, size_t size)
{
    char in[PATH_MAX], whole[PATH_MAX];
    const char *path = realpath(given_name(), whole) ? whole : given_name(), *slash = strrchr(path, '/');
    uint32_t number = 2166136261u;

    if (!folder(in, sizeof in)) {
        term_error("cannot make a folder for the page: %s; name a file with --out", strerror(errno));
        return false;
    }
    for (const char *p = path; *p != '\0'; p++)
        number = (number ^ (unsigned char)*p) * 16777619u;
    if (snprintf(out, size, "%s/%.100s-%08x.html", in, slash ? slash + 1 : path, number) < (int)size)
        return true;
    term_error("the folder for the page has too long a name; name a file with --out");
    return false;
}

/* ------------------------------------------------------------------------------------------ the browser */

static void become_browser(const char *program, const char *path)
{
    int null = open("/dev/null", O_RDWR);

    setsid();
    for (int fd = 0; fd < 3 && null >= 0; fd++)
        dup2(null, fd);
    execlp(program, program, path, (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

/* The exit status if it ends within two seconds, as one that finds no display does; 0 if it still runs. */
static int soon(pid_t child)
{
    const struct timespec pause = {0, 20000000};
    int status;

    for (int i = 0; i < 100; i++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int show(const char *path, const struct page_options *options, const struct tp_html_result *result)
{
    (void)options;
    (void)result;
    const char *browser = getenv("BROWSER");
    const char *program = browser != NULL && *browser != '\0' && strpbrk(browser, ":% ") == NULL ? browser : "xdg-open";
    char name[PATH_MAX];
    pid_t child = fork();

    if (child == 0)
        become_browser(program, path);
    int status = child > 0 ? soon(child) : 126;
    term_escape(name, sizeof name, path);
    printf("%s\n", name);
    if (status == 0)
        return term_finish(CLI_GOOD);
    fflush(stdout);
    if (status == 127)
        term_error("there is no %s here to find a browser with; open that file in one", program);
    else
        term_error("%s found no browser (status %d); open that file in one", program, status);
    return CLI_ERROR;
}

int cmd_open(int argc, char **argv)
{
    return page_command(&(struct page_command){&command, 0600, false, place, trial_advice, show}, argc, argv);
}
