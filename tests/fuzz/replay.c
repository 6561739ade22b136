/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.c: the main program that turns a fuzz target into a plain test.
 *
 * A fuzz target is one function, LLVMFuzzerTestOneInput(data, size), that reads `data` as if it were a file and
 * must neither crash nor leak. With a fuzzer's own main it searches for inputs; with this one it replays inputs
 * that are known:
 *
 *     fuzz_<target> [--mutations=N] FILE|FOLDER...
 *
 * Every file is one case: it is given to the target as it is, and then N times (default 200) damaged: cut short,
 * bytes changed, a piece repeated or taken out; half of the time by the target, if it has LLVMFuzzerCustomMutator. The
 * damage depends on the file's content alone, so a failure repeats. The target is compiled with the address and
 * undefined-behaviour sanitizers, which end the program; the last line printed then names the file and the mutation.
 *
 * TENURE_SOAK=N in the environment multiplies the mutations.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { INPUT_LIMIT = 16 << 20 };

static unsigned long mutations = 200;
static unsigned long passed, failed;

struct input {
    uint8_t *data;
    size_t size;
};

/* Small, good enough, the same everywhere (xorshift64). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* FNV-1a: the seed of a file's mutations. */
static uint64_t hash(struct input in)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < in.size; i++)
        h = (h ^ in.data[i]) * 0x100000001b3ull;
    return h | 1;
}

static bool read_file(const char *path, struct input *in)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    in->data = malloc(INPUT_LIMIT);
    in->size = in->data ? fread(in->data, 1, INPUT_LIMIT, file) : 0;
    bool good = in->data && !ferror(file);
    fclose(file);
    return good;
}

/* The target gets a copy that is exactly as long as the input, so that reading one byte too many is noticed. */
static void give(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Half of the time near the beginning, where most formats keep what the rest depends on. */
static size_t place(const struct input *in, uint64_t *random)
{
    size_t within = next_random(random) % 2 && in->size > 128 ? 128 : in->size;
    return next_random(random) % within;
}

/* One damage to `in`, in place; `room` is what in->data can hold. */
static void damage(struct input *in, size_t room, uint64_t *random)
{
    if (in->size == 0)
        return;
    size_t at = place(in, random);
    size_t length = 1 + next_random(random) % (in->size - at < 64 ? in->size - at : 64);
    switch (next_random(random) % 5) {
    case 0:
        in->size = at;
        break;
    case 1:
        in->data[at] ^= (uint8_t)(1u << next_random(random) % 8);
        break;
    case 2: /* bytes that lengths and counts are most sensitive to */
        memset(in->data + at, next_random(random) % 2 ? 0xff : 0x00, length < 8 ? length : 8);
        break;
    case 3:
        memmove(in->data + at, in->data + at + length, in->size - at - length);
        in->size -= length;
        break;
    default:
        if (in->size + length > room)
            break;
        memmove(in->data + at + length, in->data + at, in->size - at);
        in->size += length;
    }
}

static void replay_file(const char *path)
{
    struct input in = {0};
    if (!read_file(path, &in)) {
        printf("%s: %s\n", path, strerror(errno));
        failed++;
        return;
    }
    printf("%s\n", path);
    fflush(stdout);
    give(in.data, in.size);

    size_t room = in.size + 256;
    struct input hurt = {.data = malloc(room)};
    uint64_t random = hash(in);
    for (unsigned long m = 0; hurt.data && m < mutations; m++) {
        memcpy(hurt.data, in.data, in.size);
        hurt.size = in.size;
        uint64_t times = 1 + next_random(&random) % 4;
        if (LLVMFuzzerCustomMutator && m % 2)
            hurt.size = LLVMFuzzerCustomMutator(hurt.data, hurt.size, room, (unsigned)next_random(&random));
        else
            while (times--)
                damage(&hurt, room, &random);
        printf("%s, mutation %lu\n", path, m);
        fflush(stdout);
        give(hurt.data, hurt.size);
    }
    free(hurt.data);
    free(in.data);
    passed++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void replay(const char *path)
{
    struct stat status;
    if (stat(path, &status) || !S_ISDIR(status.st_mode)) {
        replay_file(path);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay(name);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    const char *soak = getenv("TENURE_SOAK");
    int first = 1;
    if (argc > 1 && strncmp(argv[1], "--mutations=", 12) == 0)
        mutations = strtoul(argv[first++] + 12, NULL, 10);
    if (soak)
        mutations *= strtoul(soak, NULL, 10);
    for (int i = first; i < argc; i++)
        replay(argv[i]);
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed || !passed;
}
