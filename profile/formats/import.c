/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.c: a raw profile into a profile: read, name, write.
 *
 * The raw file is only read. Everything is in memory before the first byte of the profile is written, so that a
 * file that turns out to be damaged half-way leaves nothing behind.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/code/code.h"
#include "profile/objects/names.h"
#include "profile/store/store.h"
#include "tenure_config.h"

/* Facts about the import itself, beside those of the recording. */
static int import_add_meta(struct tp_recording *rec, const char *raw, const struct tp_raw_extent *extent,
                           const struct tp_import_options *options, struct tp_error *err)
{
    const char *name = strrchr(raw, '/');

    if (tp_recording_meta(rec, "import.version", TENURE_VERSION) ||
        tp_recording_meta(rec, "import.raw", name ? name + 1 : raw) ||
        (*extent->damage && tp_recording_meta(rec, "import.damage", extent->damage)))
        return TP_NO_MEMORY(err);
    for (const char *const *pair = options->meta; pair && pair[0] && pair[1]; pair += 2) {
        if (tp_recording_meta(rec, pair[0], pair[1]))
            return TP_NO_MEMORY(err);
    }
    return 0;
}

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

int tp_import(const char *raw, const char *out, const struct tp_import_options *options,
              struct tp_import_result *result, struct tp_error *err)
{
    static const struct tp_import_options defaults = {0};
    struct tp_import_result unwanted;
    struct tp_raw_file file;
    struct tp_raw_extent extent;
    struct tp_recording rec = {0};

    options = options ? options : &defaults;
    enum tp_kind kind = tp_kind(raw, err);
    if (kind == TP_KIND_CALLGRIND || kind == TP_KIND_CACHEGRIND)
        return tp_import_text(&raw, 1, out, options, result, err);
    result = result ? result : &unwanted;
    *result = (struct tp_import_result){0};
    int failed = tp_raw_open(&file, raw, err) || tp_raw_scan(&file, &extent, err);
    if (!failed) {
        result->parts = (uint32_t)extent.parts;
        result->damaged = *extent.damage != '\0';
        memcpy(result->damage, extent.damage, sizeof result->damage);
        failed = tp_recording_read(&rec, &file, &extent, options, err) ||
                 import_add_meta(&rec, raw, &extent, options, err) ||
                 name_and_write(&rec, out, options, result, err);
    }
    tp_raw_close(&file);
    tp_recording_free(&rec);
    return failed ? -1 : 0;
}
