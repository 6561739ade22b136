/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_firefox.c: Firefox Profiler's processed profile format, version 57, which it brings up to date as it loads it.
 *
 * A track ("thread" there) for each event, as of a process of its own, and in it for each thread where they are apart.
 * Each has tables, which are written by column; texts, and the first tables, refer to what stands at a place:
 *
 *     funcTable, frameTable   functions, each as one frame
 *     stackTable              call paths of the track: the function, and the path above
 *     samples                 call paths with self costs: the cost is the weight
 *
 * A sample's weight is in "bytes" where the event's unit is that, else in "samples", of which the reader says no more
 * than that it counts them. Samples have no time: the n-th one is n ms after the start, in the order of the call tree.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/formats/export_paths.h"
#include "tenure_config.h"

enum { FIREFOX_LIBRARY = 1 };

struct firefox {
    const struct tp_paths *paths;
    struct tp_json json;
    uint32_t *place; /* of each path of the track in its stackTable, + 1; 0: it is not there */
};

/* Members as they are written here. */
static void members(struct tp_json *json, const char *text)
{
    tp_json_next(json, NULL);
    fputs(text, json->out);
}

/* Columns of a table, names with ',' between: `count` times the same, as JSON has it. */
static void columns_of(struct tp_json *json, const char *names, size_t count, const char *value)
{
    char name[24];

    for (; *names; names += strcspn(names, ","), names += *names == ',') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, ","), names);
        tp_json_begin(json, name, '[', ",");
        for (size_t i = 0; i < count; i++)
            members(json, value);
        tp_json_end(json);
    }
}

/* A column of `count` numbers, each `step` above the last one. */
static void column_from(struct tp_json *json, const char *name, size_t count, size_t first, size_t step)
{
    tp_json_begin(json, name, '[', ",");
    for (size_t i = 0; i < count; i++)
        tp_json_integer(json, NULL, (int64_t)(first + i * step));
    tp_json_end(json);
}

/* An integer, or null. */
static void integer_if(struct tp_json *json, bool known, int64_t value)
{
    if (known)
        tp_json_integer(json, NULL, value);
    else
        tp_json_text(json, NULL, NULL);
}

/* Texts: name and file of each function, then the paths of objects. */
static void firefox_shared(const struct tp_paths *p, struct tp_json *json)
{
    tp_json_begin(json, "libs", '[', ",\n");
    for (size_t i = 0; i < p->objects.count; i++) {
        const struct tp_path_object *object = &p->objects.at[i];
        const char *slash = strrchr(object->path, '/');

        tp_json_begin(json, NULL, '{', ", ");
        for (size_t k = 0; k < 4; k++)
            tp_json_text(json, (const char *const[]){"name", "debugName", "path", "debugPath"}[k],
                         k < 2 && slash ? slash + 1 : object->path);
        tp_json_text(json, "codeId", *object->build_id ? object->build_id : NULL);
        members(json, "\"arch\": \"\", \"breakpadId\": \"\"");
        tp_json_end(json);
    }
    tp_json_end(json);
    tp_json_begin(json, "shared", '{', ", ");
    tp_json_begin(json, "stringArray", '[', ",\n");
    for (size_t i = 0; i < p->functions.count; i++) {
        tp_json_text(json, NULL, p->functions.at[i].name);
        tp_json_text(json, NULL, p->functions.at[i].file ? p->functions.at[i].file : "");
    }
    for (size_t i = 0; i < p->objects.count; i++)
        tp_json_text(json, NULL, p->objects.at[i].path);
    tp_json_end(json);
    tp_json_end(json);
}

static void firefox_functions(const struct tp_paths *p, struct tp_json *json)
{
    size_t functions = p->functions.count, objects = p->objects.count;

    tp_json_begin(json, "resourceTable", '{', ",\n");
    tp_json_integer(json, "length", (int64_t)objects);
    column_from(json, "lib", objects, 0, 1);
    column_from(json, "name", objects, 2 * functions, 1);
    column_from(json, "type", objects, FIREFOX_LIBRARY, 0);
    columns_of(json, "host", objects, "null");
    tp_json_end(json);
    tp_json_begin(json, "funcTable", '{', ",\n");
    tp_json_integer(json, "length", (int64_t)functions);
    column_from(json, "name", functions, 0, 2);
    columns_of(json, "isJS,relevantForJS", functions, "false");
    columns_of(json, "columnNumber", functions, "null");
    for (size_t k = 0; k < 3; k++) {
        tp_json_begin(json, (const char *const[]){"resource", "fileName", "lineNumber"}[k], '[', ",");
        for (size_t i = 0; i < functions; i++) {
            const struct tp_path_function *function = &p->functions.at[i];
            integer_if(json, k == 0 || (k == 1 ? function->file != NULL : function->line != 0),
                       k == 0 ? (int64_t)function->object - 1 : k == 1 ? (int64_t)(2 * i + 1) : function->line);
        }
        tp_json_end(json);
    }
    tp_json_end(json);
    tp_json_begin(json, "frameTable", '{', ",\n");
    tp_json_integer(json, "length", (int64_t)functions);
    column_from(json, "func", functions, 0, 1);
    columns_of(json, "address", functions, "-1");
    columns_of(json, "inlineDepth,category,subcategory,innerWindowID", functions, "0");
    columns_of(json, "nativeSymbol,line,column", functions, "null");
    tp_json_end(json);
}

/* The paths of a thread that event `k` has costs in or below, and their samples. */
static void firefox_samples(struct firefox *f, const struct tp_path_thread *of, size_t k)
{
    const struct tp_paths *p = f->paths;
    struct tp_json *json = &f->json;
    size_t events = p->choice.count, stacks = 0, samples = 0;

    memset(f->place + of->first, 0, (of->end - of->first) * sizeof *f->place);
    for (size_t i = of->end; i > of->first; i--) {
        f->place[i - 1] |= p->cost[(i - 1) * events + k] != 0;
        if (f->place[i - 1] && p->nodes.at[i - 1].parent)
            f->place[p->nodes.at[i - 1].parent - 1] = 1;
    }
    for (size_t i = of->first; i < of->end; i++) {
        if (f->place[i])
            f->place[i] = (uint32_t)++stacks;
    }
    tp_json_begin(json, "stackTable", '{', ",\n");
    tp_json_integer(json, "length", (int64_t)stacks);
    for (size_t column = 0; column < 2; column++) {
        tp_json_begin(json, column ? "prefix" : "frame", '[', ",");
        for (size_t i = of->first; i < of->end; i++) {
            uint32_t parent = p->nodes.at[i].parent;
            if (f->place[i])
                integer_if(json, !column || parent, !column  ? p->nodes.at[i].function
                                                    : parent ? (int64_t)f->place[parent - 1] - 1
                                                             : 0);
        }
        tp_json_end(json);
    }
    tp_json_end(json);
    tp_json_begin(json, "samples", '{', ",\n");
    for (size_t column = 0; column < 2; column++) {
        samples = 0;
        tp_json_begin(json, column ? "weight" : "stack", '[', ",");
        for (size_t i = of->first; i < of->end; i++) {
            int64_t cost = p->cost[i * events + k];
            if (cost)
                tp_json_integer(json, NULL, column ? cost : (int64_t)f->place[i] - 1);
            samples += cost != 0;
        }
        tp_json_end(json);
    }
    tp_json_text(json, "weightType", *p->choice.event[k]->unit ? "bytes" : "samples");
    column_from(json, "time", samples, 0, 1);
    tp_json_integer(json, "length", (int64_t)samples);
    tp_json_end(json);
}

static void firefox_track(struct firefox *f, const struct tp_path_thread *of, size_t k, bool named)
{
    const char *event = f->paths->choice.event[k]->name;
    struct tp_json *json = &f->json;
    char title[TP_PATH_TITLE];

    tp_path_title(f->paths, k, named ? of : NULL, title);
    tp_json_begin(json, NULL, '{', ",\n");
    tp_json_text(json, "name", title);
    tp_json_text(json, "processName", event);
    tp_json_text(json, "pid", event);
    tp_json_integer(json, "tid", of->thread);
    tp_json_bool(json, "isMainThread", of == f->paths->threads.at);
    members(json, "\"processType\": \"default\", \"processStartupTime\": 0, \"processShutdownTime\": null, "
                  "\"registerTime\": 0, \"unregisterTime\": null, \"pausedRanges\": []");
    members(json, "\"markers\": {\"length\": 0, \"data\": [], \"name\": [], \"startTime\": [], \"endTime\": [], "
                  "\"phase\": [], \"category\": []}");
    members(json, "\"nativeSymbols\": {\"length\": 0, \"libIndex\": [], \"address\": [], \"name\": [], "
                  "\"functionSize\": []}");
    firefox_functions(f->paths, json);
    firefox_samples(f, of, k);
    tp_json_end(json);
}

/* `about`: lines "desc: ..." on how it was recorded. */
static void firefox_meta(const struct tp_paths *p, struct tp_json *json, char *about)
{
    const char *command = tp_meta(p->profile, "cmd");
    char *rest;

    tp_json_begin(json, "meta", '{', ", ");
    tp_json_text(json, "importedFrom", "tenure " TENURE_VERSION);
    tp_json_text(json, "arguments", command ? command : "");
    members(json, "\"product\": \"Tenure\", \"version\": 31, \"preprocessedProfileVersion\": 57, \"interval\": 1, "
                  "\"startTime\": 0, \"processType\": 0, \"stackwalk\": 1, \"symbolicated\": true, "
                  "\"symbolicationNotSupported\": true, \"usesOnlyOneStackType\": true, \"markerSchema\": [], "
                  "\"sourceCodeIsNotOnSearchfox\": true, \"keepProfileThreadOrder\": true, "
                  "\"initialSelectedThreads\": [0], "
                  "\"categories\": [{\"name\": \"Other\", \"color\": \"grey\", \"subcategories\": [\"Other\"]}]");
    column_from(json, "initialVisibleThreads", p->choice.count * p->threads.count, 0, 1);
    tp_json_begin(json, "extra", '[', ", ");
    tp_json_begin(json, NULL, '{', ", ");
    tp_json_text(json, "label", "Recording");
    tp_json_begin(json, "entries", '[', ",\n");
    for (char *line = strtok_r(about, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        tp_json_begin(json, NULL, '{', ", ");
        members(json, "\"label\": \"Tenure\", \"format\": \"string\"");
        tp_json_text(json, "value", line + strlen("desc: "));
        tp_json_end(json);
    }
    for (size_t i = 0; i < 4; i++)
        tp_json_end(json);
}

int tp_export_firefox(tp_profile *profile, FILE *out, const struct tp_export_options *options, struct tp_error *err)
{
    struct tp_paths *p = tp_paths_read(profile, "firefox", TP_PATHS_USUAL, options, err);
    struct firefox f = {.paths = p, .json = {.out = out}, .place = p ? calloc(p->nodes.count, sizeof *f.place) : NULL};
    char *about = p ? tp_descriptions(profile) : NULL;
    int failed = !p ? -1 : !f.place || !about ? TP_NO_MEMORY(err) : 0;

    if (!failed) {
        tp_json_begin(&f.json, NULL, '{', ", ");
        firefox_meta(p, &f.json, about);
        firefox_shared(p, &f.json);
        tp_json_begin(&f.json, "threads", '[', ",\n");
        for (size_t k = 0; k < p->choice.count; k++) {
            for (const struct tp_path_thread *of = p->threads.at; of < p->threads.at + p->threads.count; of++)
                firefox_track(&f, of, k, options->threads);
        }
        tp_json_end(&f.json);
        tp_json_end(&f.json);
        putc('\n', out);
        failed = tp_written(out, err);
    }
    free(about);
    free(f.place);
    tp_paths_free(p);
    return failed;
}
