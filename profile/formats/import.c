/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.c: a raw profile, or files of Callgrind and Cachegrind, into a profile: read, name, write.
 *
 * Files are only read. Everything is in memory before the first byte of the profile is written, so that a file that
 * turns out to be damaged half-way leaves nothing behind.
 *
 * Several text files are those of one process: its parts, its threads. What they add up to takes the way of every
 * recording. There is no call tree in them, so table `paths` is empty, and no debug information is looked for:
 * functions, files and lines are what the files say.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/code.h"
#include "profile/formats/foreign.h"
#include "profile/objects/names.h"
#include "profile/store/store.h"
#include "tenure_config.h"

/* Facts about the import itself, beside those of the recording. */
static int import_add_meta(struct tp_recording *rec, const char *raw, const char *damage,
                           const struct tp_import_options *options, struct tp_error *err)
{
    const char *name = raw ? strrchr(raw, '/') : NULL;
    int failed = tp_recording_meta(rec, "import.version", TENURE_VERSION) ||
                 (raw && tp_recording_meta(rec, "import.raw", name ? name + 1 : raw)) ||
                 (*damage && tp_recording_meta(rec, "import.damage", damage));

    for (const char *const *pair = options->meta; !failed && pair && pair[0] && pair[1]; pair += 2)
        failed = tp_recording_meta(rec, pair[0], pair[1]);
    return failed ? TP_NO_MEMORY(err) : 0;
}

/* ------------------------------------------------------------------------------------------ raw profiles */

/* Not memory that looks like one, or that was gone before it was recorded. */
static bool is_a_file(const char *path)
{
    return *path == '/' && strncmp(path, "/memfd:", 7) != 0 && strncmp(path, "/dev/", 5) != 0 &&
           !strstr(path, " (deleted)");
}

static int name_and_write(struct tp_recording *rec, const char *out, const struct tp_import_options *options,
                          struct tp_import_result *result, struct tp_error *err)
{
    if (tp_demangle_all(rec, err) || (!options->no_symbols && tp_symbols(rec, options, err)))
        return -1;
    for (size_t i = 0; i < rec->objects.count; i++) {
        const struct tp_object *object = &rec->objects.at[i];
        result->objects_without_lines += object->used && !object->debug_file;
        if (object->used && !object->debug_file && object->absent && is_a_file(object->path) && !*result->absent) {
            snprintf(result->absent, sizeof result->absent, "%s", object->path);
            result->absent_why = object->note;
        }
        if (object->used && object->debug_file && object->note && !*result->split)
            snprintf(result->split, sizeof result->split, "%s", object->path);
    }
    return tp_store_write(out, rec, options, result, err);
}

static const struct tp_import_options import_defaults;

int tp_import(const char *raw, const char *out, const struct tp_import_options *options,
              struct tp_import_result *result, struct tp_error *err)
{
    struct tp_import_result unwanted;
    struct tp_raw_file file;
    struct tp_raw_extent extent;
    struct tp_recording rec = {0};
    enum tp_kind kind = tp_kind(raw, err);

    if (kind == TP_KIND_CALLGRIND || kind == TP_KIND_CACHEGRIND)
        return tp_import_text(&raw, 1, out, options, result, err);
    options = options ? options : &import_defaults;
    result = result ? result : &unwanted;
    *result = (struct tp_import_result){0};
    int failed = tp_raw_open(&file, raw, err) || tp_raw_scan(&file, &extent, err);
    if (!failed) {
        result->parts = (uint32_t)extent.parts;
        result->damaged = *extent.damage != '\0';
        memcpy(result->damage, extent.damage, sizeof result->damage);
        failed = tp_recording_read(&rec, &file, &extent, options, err) ||
                 import_add_meta(&rec, raw, extent.damage, options, err) ||
                 tp_recording_machine(&rec, options->machine, result, err) ||
                 name_and_write(&rec, out, options, result, err);
    }
    tp_raw_close(&file);
    tp_recording_free(&rec);
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ text */

static int import_read_text(struct tp_foreign *f, const char *path)
{
    enum tp_kind kind = tp_kind(path, f->err);
    struct tp_scan scan = {.file = -1};

    if (kind == TP_KIND_RAW || kind == TP_KIND_PROFILE)
        TP_FAIL(f->err, "%s: a profile of Tenure among files of Callgrind; import it alone", path);
    if (kind != TP_KIND_CALLGRIND && kind != TP_KIND_CACHEGRIND)
        return -1;
    bool callgrind = kind == TP_KIND_CALLGRIND;
    f->file++;
    f->columns = 0;
    int failed = tp_foreign_meta(f, "import.format", callgrind ? "callgrind" : "cachegrind") ||
                 tp_scan_open(&scan, path, f->err) ||
                 (!callgrind && tp_foreign_meta(f, "inclusive", "no")) || /* it knows no calls */
                 (callgrind ? tp_read_callgrind(f, &scan) : tp_read_cachegrind(f, &scan));
    tp_scan_close(&scan);
    return failed ? -1 : 0;
}

int tp_import_text(const char *const *paths, size_t count, const char *out, const struct tp_import_options *options,
                   struct tp_import_result *result, struct tp_error *err)
{
    struct tp_import_result unwanted;
    struct tp_foreign *f = calloc(1, sizeof *f);
    int failed = 0;

    if (!f)
        return TP_NO_MEMORY(err);
    f->options = options ? options : &import_defaults;
    f->result = result ? result : &unwanted;
    *f->result = (struct tp_import_result){0};
    f->err = err;
    f->paths = paths;
    for (size_t i = 0; i < count && !failed; i++)
        failed = import_read_text(f, paths[i]);
    if (!failed && !f->rec.parts.count)
        failed = TP_FAIL(err, "%s: no costs in it", paths[0]);
    f->result->parts = (uint32_t)f->rec.parts.count;
    failed = failed || import_add_meta(&f->rec, NULL, "", f->options, err) ||
             tp_foreign_meta(f, "engine", f->rec.meta.at[0].value) || tp_foreign_finish(f) ||
             tp_store_write(out, &f->rec, f->options, f->result, err);
    tp_foreign_free(f);
    free(f);
    return failed ? -1 : 0;
}
