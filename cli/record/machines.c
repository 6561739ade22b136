/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machines.c: see machines.h. Files may be anybody's: they have a largest size, and are text. */
#include "cli/record/machines.h"

#include "cli/base/caches.h"
#include "cli/base/machine.h"
#include "cli/base/opt.h"
#include "cli/base/output.h"
#include "cli/base/term.h"
#include "cli/base/topic.h"
#include "profile/base/error.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 10 };

bool machines_describe(const struct recording_option *option)
{
    return option->kind == OPTIONS_GEOMETRY || option->kind == OPTIONS_TLB;
}

/* ------------------------------------------------------------------------------------------ where texts are */

static char *text_of_this(void)
{
    struct tn_geometry found[GEOMETRY_LEVELS];
    struct tn_tlb_geometry itlb[2] = {{0}}, dtlb[2] = {{0}};
    const char *source[GEOMETRY_LEVELS];
    char processor[256], caches[1024], words[2][GEOMETRY_TEXT];
    size_t at = 0;

    machine_processor(processor, sizeof processor);
    geometry_detect(caches_read_text, found, source);
    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        caches_option(&found[i], words[0]);
        if (found[i].size > 0)
            at += (size_t)snprintf(caches + at, sizeof caches - at, "# %s\n%s = %s\n", source[i], geometry_name[i],
                                   words[0]);
    }
    tlb_detect(geometry_ask_processor, itlb, dtlb);
    return term_text("title = this machine: %s\n%sitlb = %s\ndtlb = %s\n", processor, caches, tlb_put(words[0], itlb),
                     tlb_put(words[1], dtlb));
}

/* The folder of a user's own machines, or a file in it. False: it is not known. */
static bool own_path(char out[PATH_MAX], const char *name)
{
    char config[PATH_MAX];

    return output_config(config, sizeof config) &&
           snprintf(out, PATH_MAX, "%s/tenure/machines/%s", config, name) < PATH_MAX;
}

/* It is read twice, and a named pipe may never have anything to say. */
static int open_file(struct tp_scan *scan, const char *path, struct tp_error *err)
{
    struct stat status;

    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return TP_FAIL(err, "%s: no regular file, as a machine's must be", path);
    return tp_scan_open(scan, path, err);
}

int machines_open(struct tp_scan *scan, const char *name, struct tp_error *err)
{
    static char path[PATH_MAX];
    const struct topic *built_in = machine_texts;
    const char *const *names;

    *scan = (struct tp_scan){.path = name, .file = -1, .ended = true, .err = err};
    if (strchr(name, '/') != NULL)
        return open_file(scan, name, err);
    if (*name != '\0' && *name != '.' && own_path(path, name) && access(path, F_OK) == 0)
        return open_file(scan, path, err);
    while (built_in->name != NULL && strcmp(built_in->name, name) != 0)
        built_in++;
    if (built_in->name != NULL)
        scan->buffer = term_text("%.*s", (int)built_in->size, (const char *)built_in->text);
    else if (strcmp(name, "this") == 0)
        scan->buffer = text_of_this();
    if (scan->buffer != NULL) {
        scan->end = strlen(scan->buffer);
        return 0;
    }
    const char *like = opt_nearest(name, names, machines_names(&names));
    return TP_FAIL(err, like != NULL ? "there is no machine %.60s; did you mean %s?"
                                     : "there is no machine %.60s; `tenure machines` lists them", name, like);
}

/* ------------------------------------------------------------------------------------------ what they say */

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return text + strspn(text, " \t");
}

/* NULL, or what is wrong. */
static const char *take(struct described *machine, const char *name, const char *value)
{
    const char *wrong;

    if (strcmp(name, "title") == 0)
        snprintf(machine->title, sizeof machine->title, "%s", value);
    if (strcmp(name, "title") == 0 || strcmp(name, "source") == 0)
        return NULL;
    for (size_t i = 0; i < options_count; i++) {
        if (!machines_describe(&options_table[i]) || strcmp(options_table[i].name, name) != 0)
            continue;
        if (options_given(&machine->options, name))
            return "another line has said that already";
        char *argument = term_text("--%s=%s", name, value);
        options_take(&machine->options, argument, &wrong);
        free(argument);
        return wrong;
    }
    return "a line begins with title, source, or the name of a cache or TLB, as options have it: I1, dtlb";
}

static int take_line(struct described *machine, struct tp_scan *scan)
{
    char *value = strchr(scan->at, '=');
    const char *wrong;

    if (scan->done > LARGEST)
        return tp_scan_failed(scan, "a machine's file is at most %d bytes long", LARGEST);
    for (const char *at = scan->at; *at != '\0'; at++) {
        if (iscntrl((unsigned char)*at) && *at != '\t')
            return tp_scan_failed(scan, "a control character; text is expected");
    }
    if (tp_scan_done(scan) || *scan->at == '#')
        return 0;
    if (value == NULL)
        return tp_scan_refuse(scan, "NAME = VALUE");
    *value++ = '\0';
    value = trim(value);
    wrong = take(machine, trim(scan->at), value);
    return wrong != NULL ? tp_scan_failed(scan, "%.60s = %.60s: %s", scan->at, value, wrong) : 0;
}

int machines_read(struct described *machine, const char *name, struct tp_error *err)
{
    const char *last = strrchr(name, '/'), *wrong = NULL;
    struct engine_options *options = &machine->options;
    struct tp_scan scan;

    term_escape(machine->name, sizeof machine->name, last != NULL ? last + 1 : name);
    snprintf(machine->title, sizeof machine->title, "%s", machine->name);
    *options = (struct engine_options){.is_native = true, .read_text = caches_read_text};
    options_default(options);
    int failed = machines_open(&scan, name, err), more = 1;
    while (!failed && more > 0) {
        more = tp_scan_line(&scan);
        failed = more > 0 ? take_line(machine, &scan) : more;
    }
    for (int level = 0; level < GEOMETRY_LEVELS && !failed; level++) {
        if (level != GEOMETRY_L2 && !options_given(options, geometry_name[level]))
            failed = TP_FAIL(err, "%s: no line says what %s is", scan.path, geometry_name[level]);
    }
    if (!failed && (wrong = options_check(options)) != NULL)
        failed = TP_FAIL(err, "%s: %s", scan.path, wrong);
    tp_scan_close(&scan);
    return failed;
}

/* What is simulated of a machine besides the recorded one: its caches. */
static char *also_text(char *text, const struct described *machine)
{
    char geometry[GEOMETRY_TEXT];
    char *longer = term_text("%s%s%s", text, *text != '\0' ? ";" : "", machine->name);

    free(text);
    for (int i = 0; i < GEOMETRY_LEVELS; i++) {
        const struct tn_geometry *cache = geometry_of((struct tn_config *)&machine->options.config, i);
        if (cache->size == 0)
            continue;
        geometry_put(geometry, cache);
        text = longer;
        longer = term_text("%s:%s=%s", text, geometry_name[i], geometry);
        free(text);
    }
    return longer;
}

const char *machines_also(const char *value, const char **wrong)
{
    static struct described machine;
    static struct tp_error err;
    char *names = term_text("%s", value), *rest = names, *name, *text = term_text("%s", "");
    bool good = strchr(value, ':') == NULL;

    while (good && (name = strsep(&rest, ",")) != NULL) {
        good = machines_read(&machine, name, &err) == 0;
        *wrong = err.message;
        if (good)
            text = also_text(text, &machine);
    }
    free(names);
    return good ? text : strchr(value, ':') != NULL ? value : NULL;
}

/* ------------------------------------------------------------------------------------------ all of them */

static int is_shown(const struct dirent *entry)
{
    for (const struct topic *machine = machine_texts; machine->name != NULL; machine++) {
        if (strcmp(machine->name, entry->d_name) == 0)
            return 0;
    }
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "this") != 0;
}

size_t machines_names(const char *const **names)
{
    struct dirent **own = NULL;
    char folder[PATH_MAX];
    size_t count = 1;
    int found = own_path(folder, "") ? scandir(folder, &own, is_shown, alphasort) : 0;

    if (found < 0 && errno == ENOMEM)
        term_no_memory();
    while (machine_texts[count - 1].name != NULL)
        count++;
    const char **list = term_have(calloc(count + (size_t)(found > 0 ? found : 0), sizeof *list));
    list[0] = "this";
    for (size_t i = 1; i < count; i++)
        list[i] = machine_texts[i - 1].name;
    for (int i = 0; i < found; i++)
        list[count++] = own[i]->d_name;
    *names = list;
    return count;
}
