/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_cachegrind.c: the grammar of Cachegrind's profile format (its manual, 5.9.2 "Cachegrind Output File
 * Format"), as cg_annotate reads it.
 *
 *     desc: ...          any number, before all else
 *     cmd: ...
 *     events: Ir I1mr ...
 *     fl=FILE            the file of the functions and lines that follow; fi= and fe= the same
 *     fn=FUNCTION
 *     LINE COUNT ...     fewer counts: the others are 0; '.': cannot occur
 *     summary: COUNT ... the sums, at the end
 *
 * A function is (file, function): code inlined from another file stands below that file and the name of the function
 * that it was inlined into. A file without its summary was cut short, and is refused.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/formats/foreign.h"

struct reader {
    struct tp_foreign *f;
    struct tp_scan *scan;
    uint32_t file, function;
    bool cmd, has_file, has_function, ended;
    uint64_t row[TP_MAX_EVENTS];
};

static int cachegrind_costs(struct reader *r)
{
    struct tp_place place = {.function = r->function, .file = r->file};
    uint8_t can;

    if (!r->has_function)
        return tp_scan_refuse(r->scan, "'fn=' before the first counts");
    if (!tp_scan_number(r->scan, &place.line) || !tp_scan_ends(r->scan))
        return tp_scan_refuse(r->scan, "a line number");
    if (place.line > UINT32_MAX)
        return tp_scan_failed(r->scan, "a line number below 2^32 expected");
    if (tp_foreign_counts(r->f, r->scan, true, r->row, &can))
        return -1;
    return tp_foreign_self(r->f, &place, r->row, can);
}

static int body(struct reader *r)
{
    struct tp_scan *scan = r->scan;

    if (*scan->at >= '0' && *scan->at <= '9')
        return cachegrind_costs(r);
    if (tp_scan_word(scan, "fl=") || tp_scan_word(scan, "fi=") || tp_scan_word(scan, "fe=")) {
        r->has_file = true;
        r->has_function = false;
        return tp_foreign_path(r->f, false, scan->at, &r->file);
    }
    if (tp_scan_word(scan, "fn=")) {
        if (!r->has_file)
            return tp_scan_failed(scan, "'fl=' expected before the first 'fn='");
        r->has_function = true;
        return tp_foreign_function(r->f, 0, r->file, scan->at, &r->function);
    }
    if (!tp_scan_word(scan, "summary:"))
        return tp_scan_refuse(scan, "a line number with counts, 'fl=', 'fn=' or 'summary:'");
    r->ended = true;
    return tp_foreign_stated(r->f, scan, "summary");
}

static int cachegrind_one_line(void *user)
{
    struct reader *r = user;
    struct tp_scan *scan = r->scan;

    if (*scan->at == '#' || scan->at[strspn(scan->at, " \t")] == '\0')
        return 0;
    if (r->ended)
        return tp_scan_refuse(scan, "nothing behind 'summary:'");
    if (r->f->columns)
        return body(r);
    if (tp_scan_word(scan, "desc:"))
        return tp_foreign_description(r->f, scan);
    if (tp_scan_word(scan, "cmd:")) {
        r->cmd = true;
        return tp_foreign_meta(r->f, "cmd", scan->at);
    }
    if (!tp_scan_word(scan, "events:"))
        return tp_scan_refuse(scan, "'desc:', 'cmd:' or 'events:'");
    if (!r->cmd)
        return tp_scan_failed(scan, "a line 'cmd:' expected before 'events:'");
    return tp_foreign_events(r->f, scan) || tp_foreign_section(r->f, scan, 1, 1, "import");
}

int tp_read_cachegrind(struct tp_foreign *f, struct tp_scan *scan)
{
    struct reader r = {.f = f, .scan = scan};

    if (tp_foreign_lines(f, scan, cachegrind_one_line, &r))
        return -1;
    if (!r.ended)
        return tp_scan_failed(scan, "a line 'summary:' expected at the end of the file");
    return tp_foreign_section_end(f, scan);
}
