/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_text.c: Callgrind's and Cachegrind's files into a profile.
 *
 * Several files are those of one process: its parts, its threads. All are read before the first byte of the profile is
 * written; what they add up to then takes the way of every recording (store.c). There is no call tree in them, so table
 * `paths` is empty, and no debug information is looked for: functions, files and lines are what the files say.
 */
#include <stdlib.h>

#include "profile/base/error.h"
#include "profile/formats/foreign.h"
#include "profile/store/store.h"
#include "tenure_config.h"

static const char *format_name(enum tp_kind kind)
{
    return kind == TP_KIND_CALLGRIND ? "callgrind" : "cachegrind";
}

static int read_file(struct tp_foreign *f, const char *path)
{
    enum tp_kind kind = tp_kind(path, f->err);
    struct tp_scan scan = {.file = -1};

    if (kind != TP_KIND_CALLGRIND && kind != TP_KIND_CACHEGRIND) {
        if (kind == TP_KIND_RAW || kind == TP_KIND_PROFILE)
            TP_FAIL(f->err, "%s: a profile of Tenure among files of Callgrind; import it alone", path);
        return -1;
    }
    f->file++;
    f->columns = 0;
    int failed = tp_foreign_meta(f, "import.format", format_name(kind)) || tp_scan_open(&scan, path, f->err);
    if (!failed && kind == TP_KIND_CACHEGRIND)
        failed = tp_foreign_meta(f, "inclusive", "no"); /* it knows no calls */
    if (!failed)
        failed = kind == TP_KIND_CALLGRIND ? tp_read_callgrind(f, &scan) : tp_read_cachegrind(f, &scan);
    tp_scan_close(&scan);
    return failed ? -1 : 0;
}

static int import_text_add_meta(struct tp_foreign *f)
{
    int failed = tp_foreign_meta(f, "import.version", TENURE_VERSION);

    for (const char *const *pair = f->options->meta; !failed && pair && pair[0] && pair[1]; pair += 2)
        failed = tp_foreign_meta(f, pair[0], pair[1]);
    return failed || tp_foreign_meta(f, "engine", f->rec.meta.at[0].value) ? -1 : 0;
}

int tp_import_text(const char *const *paths, size_t count, const char *out, const struct tp_import_options *options,
                   struct tp_import_result *result, struct tp_error *err)
{
    static const struct tp_import_options defaults = {0};
    struct tp_import_result unwanted;
    struct tp_foreign *f = calloc(1, sizeof *f);
    int failed = 0;

    if (!f)
        return TP_NO_MEMORY(err);
    f->options = options ? options : &defaults;
    f->result = result ? result : &unwanted;
    *f->result = (struct tp_import_result){0};
    f->err = err;
    f->paths = paths;
    for (size_t i = 0; i < count && !failed; i++)
        failed = read_file(f, paths[i]);
    if (!failed && !f->rec.parts.count)
        failed = TP_FAIL(err, "%s: no costs in it", paths[0]);
    f->result->parts = (uint32_t)f->rec.parts.count;
    failed = failed || import_text_add_meta(f) || tp_foreign_finish(f) ||
             tp_store_write(out, &f->rec, f->options, f->result, err);
    tp_foreign_free(f);
    free(f);
    return failed ? -1 : 0;
}
