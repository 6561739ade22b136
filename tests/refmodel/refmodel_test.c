/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refmodel_test.c: many random programs; or one, again, or made small.
 *
 *   refmodel_test [--seed=N] [--count=N] [--accesses=N]    from seed N on, until both numbers are reached
 *   refmodel_test --replay=N [--steps=N] [--without=a,b] [--trace]
 *   refmodel_test --shrink=N                               what is left of a failure when all else is left out
 *
 * A failure prints its seed; so does the end of this program by a panic of the core.
 */
#include "random_program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const feature_name[] = {
#define X(name, text) text,
    RP_FEATURES(X)
#undef X
};

static struct rp_options options = {.paths = -1};
static uint64_t first = 1, count = 200, accesses;
static bool shrink, replay;

static uint64_t parse_features(const char *list)
{
    uint64_t features = 0;
    char *copy = strdup(list), *rest = copy, *word;

    while ((word = strsep(&rest, ","))) {
        unsigned i;

        for (i = 0; i < RP_FEATURE_COUNT && strcmp(word, feature_name[i]); i++)
            ;
        if (i == RP_FEATURE_COUNT) {
            fprintf(stderr, "refmodel_test: no feature '%s'\n", word);
            exit(2);
        }
        features |= 1ull << i;
    }
    free(copy);
    return features;
}

static bool number_option(const char *arg, const char *name, uint64_t *value)
{
    size_t length = strlen(name);

    if (strncmp(arg, name, length))
        return false;
    *value = strtoull(arg + length, NULL, 0);
    return true;
}

static void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        uint64_t n;

        if (number_option(argv[i], "--seed=", &first) || number_option(argv[i], "--count=", &count) ||
            number_option(argv[i], "--accesses=", &accesses))
            continue;
        if (number_option(argv[i], "--replay=", &first))
            replay = true;
        else if (number_option(argv[i], "--shrink=", &first))
            shrink = true;
        else if (number_option(argv[i], "--steps=", &n))
            options.steps = (uint32_t)n;
        else if (number_option(argv[i], "--paths=", &n))
            options.paths = (int)n;
        else if (!strncmp(argv[i], "--without=", 10))
            options.without = parse_features(argv[i] + 10);
        else if (!strcmp(argv[i], "--trace"))
            options.trace = true;
        else {
            fprintf(stderr, "refmodel_test: unknown option '%s'\n", argv[i]);
            exit(2);
        }
    }
}

/* TENURE_SOAK times as many programs and accesses. */
static void soak(void)
{
    const char *text = getenv("TENURE_SOAK");
    uint64_t factor = text ? strtoull(text, NULL, 10) : 0;

    if (factor > 1) {
        count *= factor;
        accesses *= factor;
    }
}

/* In a process of its own, because it may panic. */
static bool fails(struct rp_options o, uint32_t *steps)
{
    int status;
    struct rp_result result;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        o.out = fopen("/dev/null", "w");
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        alarm(60);
        rp_run(&o, &result);
        _exit(result.good ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    (void)steps;
    return status != 0;
}

static uint32_t fewest_steps(struct rp_options o)
{
    uint32_t good = 0, bad = 4096;

    while (bad - good > 1) {
        o.steps = (good + bad) / 2;
        if (fails(o, NULL))
            bad = o.steps;
        else
            good = o.steps;
    }
    return bad;
}

static int do_shrink(void)
{
    if (!fails(options, NULL)) {
        printf("seed %llu does not fail\n", (unsigned long long)options.seed);
        return 0;
    }
    options.steps = fewest_steps(options);
    for (unsigned i = 0; i < RP_FEATURE_COUNT; i++) {
        struct rp_options o = options;

        o.without |= 1ull << i;
        o.steps = 0;
        if (o.without != options.without && fails(o, NULL)) {
            o.steps = fewest_steps(o);
            if (o.steps <= options.steps * 2)
                options = o;
        }
    }
    printf("--replay=%llu --steps=%u --without=", (unsigned long long)options.seed, options.steps);
    for (unsigned i = 0, n = 0; i < RP_FEATURE_COUNT; i++)
        if (options.without >> i & 1)
            printf("%s%s", n++ ? "," : "", feature_name[i]);
    printf(" --paths=%d\n", options.paths);
    return 1;
}

static void died(int signal_number)
{
    char text[100];
    int length =
        snprintf(text, sizeof text, "seed %llu ended by signal %d: --shrink=%llu\n0 passed, 1 failed\n",
                 (unsigned long long)options.seed, signal_number, (unsigned long long)options.seed);

    if (write(1, text, (size_t)length) < 0)
        _exit(2);
    _exit(1);
}

int main(int argc, char **argv)
{
    uint64_t passed = 0, failed = 0, done = 0, seed;

    parse(argc, argv);
    soak();
    options.out = stdout;
    options.seed = first;
    if (shrink)
        return do_shrink();
    signal(SIGABRT, died);
    signal(SIGSEGV, died);
    for (seed = first; (replay ? seed == first : seed < first + count || done < accesses) && failed < 10;
         seed++) {
        struct rp_result result;

        setvbuf(stdout, NULL, _IOLBF, 0);
        options.seed = seed;
        rp_run(&options, &result);
        done += result.accesses;
        passed += result.good;
        failed += !result.good;
        if (!result.good)
            printf("seed %llu failed at step %u of it: --shrink=%llu\n", (unsigned long long)seed,
                   result.steps, (unsigned long long)seed);
    }
    printf("%llu accesses from seed %llu\n", (unsigned long long)done, (unsigned long long)first);
    printf("%llu passed, %llu failed\n", (unsigned long long)passed, (unsigned long long)failed);
    return failed != 0;
}
