/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.c: see machine.h. */
#include "cli/base/machine.h"

#include "cli/base/output.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TP_MACHINE(member, key, usual, unit, words) {key, unit, words, usual},
const struct machine_fact machine_fact[MACHINE_FACTS] = {
#include "profile/code/machine.inc"
};

void machine_processor(char *out, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512];

    snprintf(out, size, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, size, "%s", strchr(line, ':') + 2);
            break;
        }
    }
    if (file != NULL)
        fclose(file);
}

bool machine_path(char *out, size_t size)
{
    char model[256], cache[PATH_MAX];

    if (!output_cache(cache, sizeof cache))
        return false;
    machine_processor(model, sizeof model);
    for (char *p = model; *p != '\0'; p++)
        *p = isalnum((unsigned char)*p) ? *p : '-';
    return snprintf(out, size, "%s/tenure/machine-%s", cache, model) < (int)size;
}

double *machine_value(struct machine *machine, const char *key)
{
    for (int i = 0; i < MACHINE_FACTS; i++) {
        if (strcmp(machine_fact[i].key, key) == 0)
            return &machine->value[i];
    }
    return NULL;
}

void machine_read(struct machine *machine)
{
    const double most = 1e6;
    char path[PATH_MAX], line[256], key[128];
    double value;

    *machine = (struct machine){.measured = false};
    for (int i = 0; i < MACHINE_FACTS; i++)
        machine->value[i] = machine_fact[i].usual;
    FILE *file = machine_path(path, sizeof path) ? fopen(path, "re") : NULL;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%127s %lf", key, &value) != 2 || !(value > 0 && value < most))
            continue;
        double *known = machine_value(machine, key);
        if (known != NULL) {
            *known = value;
            machine->measured = true;
        }
    }
    if (file != NULL)
        fclose(file);
}

/* Under another name first, so that nobody reads half of it. */
bool machine_write(const struct machine *machine)
{
    char path[PATH_MAX], next[PATH_MAX + 8];

    errno = ENOENT;
    if (!machine_path(path, sizeof path))
        return false;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    snprintf(next, sizeof next, "%s.new", path);
    FILE *file = fopen(next, "we");
    if (file == NULL)
        return false;
    for (int i = 0; i < MACHINE_FACTS; i++)
        fprintf(file, "%s %.4g\n", machine_fact[i].key, machine->value[i]);
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written && rename(next, path) == 0;
    if (!written)
        unlink(next);
    return written;
}

void machine_text(const struct machine *machine, int fact, char *out, size_t size)
{
    snprintf(out, size, "%.4g%s%s", machine->value[fact], *machine_fact[fact].unit != '\0' ? " " : "",
             machine_fact[fact].unit);
}

const char *const *machine_meta(const char *const *before)
{
    enum { BEFORE = 32 };
    static char text[MACHINE_FACTS][32];
    static const char *meta[BEFORE + 2 * MACHINE_FACTS + 3];
    struct machine machine;
    size_t n = 0;

    machine_read(&machine);
    for (; before != NULL && before[n] != NULL && n < BEFORE; n++)
        meta[n] = before[n];
    meta[n++] = "time.source";
    meta[n++] = machine.measured ? "calibrate" : "default";
    for (int i = 0; i < MACHINE_FACTS; i++) {
        snprintf(text[i], sizeof text[i], "%.4g", machine.value[i]);
        meta[n++] = machine_fact[i].key;
        meta[n++] = text[i];
    }
    meta[n] = NULL;
    return meta;
}
