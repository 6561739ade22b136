/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign_head.c: what stands before and behind the costs of another tool's profile: events, descriptions, totals.
 *
 * An event becomes a column of the same name as far as a column can have it: letters, digits and `_`, no name of
 * another column in upper or lower case, shorter than TP_EVENT_NAME. The name in the file is then its long name, if the
 * file gives none. Callgrind counts the last level as 2 where Tenure says L: AcCost2 is AcCostL.
 *
 * A formula (`event: Sum = A + 2 B`) becomes a derived event, if it is a sum of events that are there or of formulas
 * that are. Any other is left out, and said.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/base/error.h"
#include "profile/formats/foreign.h"
#include "profile/store/store.h"

__attribute__((format(printf, 2, 3))) static void warn(struct tp_foreign *f, const char *format, ...)
{
    struct tp_error text;
    char plain[480];
    va_list args;

    va_start(args, format);
    vsnprintf(plain, sizeof plain, format, args);
    va_end(args);
    if (f->result->warnings++)
        return;
    TP_FAIL(&text, "%s", plain); /* escaped */
    snprintf(f->result->warning, sizeof f->result->warning, "%.*s", (int)sizeof f->result->warning - 1, text.message);
}

/* ------------------------------------------------------------------------------------------ columns */

static bool is_taken(const struct tp_foreign *f, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < f->rec.events.count; i++) {
        if (strcasecmp(f->rec.events.column[i].name, name) == 0)
            return true;
    }
    for (size_t i = 0; i < f->rec.formulas.count; i++) {
        if (strcasecmp(f->rec.formulas.at[i].name, name) == 0)
            return true;
    }
    return tp_store_names_column(name) || (length > 5 && strcasecmp(name + length - 5, "_incl") == 0);
}

/* AcCost2, SpLoss2, ...: the use of the last level. */
static bool is_last_level(const char *given, char *name)
{
    struct tp_declared known;
    size_t n = strlen(given);

    if (n < 2 || n >= TP_EVENT_NAME || given[n - 1] != '2')
        return false;
    snprintf(name, TP_EVENT_NAME, "%.*sL", (int)n - 1, given);
    tp_declared_find(name, &known);
    return known.kind == TP_RECORDED && strcmp(known.name, name) == 0;
}

/* A column's name for an event of the file; false if there is none left. */
static bool column_name(const struct tp_foreign *f, const char *given, char *name)
{
    enum { SPARE = 4 };
    size_t n = 0;

    if (is_last_level(given, name) && !is_taken(f, name))
        return true;
    for (; *given && n < TP_EVENT_NAME - SPARE; given++) {
        bool good = (unsigned char)*given < 128 && isalnum((unsigned char)*given);
        if (good && !n && isdigit((unsigned char)*given))
            name[n++] = '_';
        if (good || (n && name[n - 1] != '_'))
            name[n++] = good ? *given : '_';
    }
    while (n > 1 && name[n - 1] == '_')
        n--;
    snprintf(name + n, TP_EVENT_NAME - n, "%s", n ? "" : "event");
    n = strlen(name);
    for (int i = 2; is_taken(f, name); i++) {
        if (i > 999)
            return false;
        n = n < TP_EVENT_NAME - 1 - SPARE ? n : TP_EVENT_NAME - 1 - SPARE;
        snprintf(name + n, TP_EVENT_NAME - n, "_%d", i);
    }
    return true;
}

static const struct tp_given_event *described(const struct tp_foreign *f, const char *given)
{
    for (size_t i = 0; i < f->described.count; i++) {
        if (strcmp(f->described.at[i].name, given) == 0)
            return &f->described.at[i];
    }
    return NULL;
}

/* UTF-8 is not cut within a character. */
static void set_long_name(struct tp_column *column, const char *text)
{
    size_t n = strlen(text);

    if (n >= sizeof column->long_name) {
        n = sizeof column->long_name - 1;
        while (n && ((unsigned char)text[n] & 0xC0) == 0x80)
            n--;
    }
    memcpy(column->long_name, text, n);
    column->long_name[n] = '\0';
}

/* Index of a column for `given`, made; -1: failed. */
static int make_column(struct tp_foreign *f, struct tp_scan *scan, const char *given)
{
    struct tp_events *events = &f->rec.events;
    const struct tp_given_event *more = described(f, given);
    char name[TP_EVENT_NAME];

    if (events->count == TP_MAX_EVENTS)
        return tp_scan_failed(scan, "more than %d events", TP_MAX_EVENTS);
    if (!column_name(f, given, name))
        return tp_scan_failed(scan, "no column can be named for the event '%.60s'", given);
    struct tp_column *column = tp_events_name(events, name);
    column->real = false; /* the file has whole numbers */
    if (more && more->long_name)
        set_long_name(column, more->long_name);
    else if (strcmp(column->long_name, name) == 0)
        set_long_name(column, given);
    f->given[events->count - 1] = given;
    return (int)events->count - 1;
}

static int foreign_column_of(const struct tp_foreign *f, const char *given)
{
    for (size_t i = 0; i < f->rec.events.count; i++) {
        if (strcmp(f->given[i], given) == 0)
            return (int)i;
    }
    return -1;
}

/* ------------------------------------------------------------------------------------------ header lines */

static const char *foreign_keep(struct tp_foreign *f, const char *text, size_t size)
{
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    return tp_clean_text(&f->rec.arena, text, size);
}

int tp_foreign_event(struct tp_foreign *f, struct tp_scan *scan)
{
    tp_scan_blanks(scan);
    size_t size = strcspn(scan->at, " \t=:");
    char *rest = scan->at + size;

    if (!size)
        return tp_scan_refuse(scan, "the name of an event");
    const char *name = foreign_keep(f, scan->at, size);
    scan->at = rest;
    tp_scan_blanks(scan);
    struct tp_given_event event = {.name = name};
    if (tp_scan_word(scan, "=")) {
        tp_scan_blanks(scan);
        size = strcspn(scan->at, ":");
        event.formula = foreign_keep(f, scan->at, size);
        scan->at += size;
    }
    if (tp_scan_word(scan, ":")) {
        tp_scan_blanks(scan);
        event.long_name = *scan->at ? foreign_keep(f, scan->at, strlen(scan->at)) : NULL;
    } else if (!tp_scan_done(scan)) {
        return tp_scan_refuse(scan, "'= FORMULA' or ': LONG NAME' behind the event's name");
    }
    if (!name)
        return TP_NO_MEMORY(f->err);
    if (described(f, name))
        return 0; /* a later part says the same */
    return TP_VECTOR_PUSH(&f->described, event) ? 0 : TP_NO_MEMORY(f->err);
}

/* The next name of the line. NULL: no more. */
static const char *next_name(struct tp_foreign *f, struct tp_scan *scan)
{
    tp_scan_blanks(scan);
    size_t size = strcspn(scan->at, " \t");
    const char *name = size ? foreign_keep(f, scan->at, size) : NULL;

    scan->at += name ? size : 0;
    return name;
}

int tp_foreign_events(struct tp_foreign *f, struct tp_scan *scan)
{
    size_t known = f->rec.events.count;
    const char *name;

    f->columns = 0;
    while ((name = next_name(f, scan)) != NULL) {
        int column = foreign_column_of(f, name);
        if (column < 0 && known)
            return tp_scan_failed(scan, "the events of the parts before expected, '%.60s' is not one of them", name);
        if (column < 0)
            column = make_column(f, scan, name);
        if (column < 0)
            return -1;
        for (size_t i = 0; i < f->columns; i++) {
            if (f->column[i] == column)
                return tp_scan_failed(scan, "the event '%.60s' is listed twice", name);
        }
        f->column[f->columns++] = (uint16_t)column;
    }
    if (!f->columns)
        return tp_scan_refuse(scan, "names of events");
    if (known && f->columns < known)
        return tp_scan_failed(scan, "%zu events as in the parts before expected, there are %zu", known, f->columns);
    return 0;
}

int tp_foreign_meta(struct tp_foreign *f, const char *key, const char *value)
{
    value += strspn(value, " \t");
    if (tp_recording_fact(&f->rec, key))
        return 0;
    return *value && tp_recording_meta(&f->rec, key, value) ? TP_NO_MEMORY(f->err) : 0;
}

int tp_foreign_pid(struct tp_foreign *f, struct tp_scan *scan)
{
    tp_scan_blanks(scan);
    if (f->pid && f->file > 1 && strcmp(f->pid, scan->at) != 0)
        return tp_scan_failed(scan, "process %.20s expected, as in the files before, there is %.20s; import each "
                              "process alone, `tenure merge` sums profiles", f->pid, scan->at);
    if (!f->pid && !(f->pid = foreign_keep(f, scan->at, strlen(scan->at))))
        return TP_NO_MEMORY(f->err);
    return tp_foreign_meta(f, "pid", scan->at);
}

/* "I1 cache: 32768 B, 64 B, 8-way associative", from us perhaps with ", plru" behind it: as the recording's own. */
static int cache(struct tp_foreign *f, const char *text, bool *is_cache)
{
    unsigned long long size, line, ways;
    char level[3], key[16], value[80], policy[8] = "";

    *is_cache = sscanf(text, "%2[A-Z0-9] cache: %llu B, %llu B, %llu-way associative, %7[a-z]", level, &size, &line,
                       &ways, policy) >= 4;
    if (sscanf(text, "%2[A-Z0-9] cache: %llu B, %llu B, direct", level, &size, &line) == 3 && !*is_cache)
        *is_cache = (ways = 1);
    if (!*is_cache)
        return 0;
    snprintf(key, sizeof key, "cache.%s", level);
    snprintf(value, sizeof value, "%llu,%llu,%llu%s%s", size, ways, line, *policy ? "," : "", policy);
    return tp_foreign_meta(f, key, value);
}

/* What says of which files this is the difference: cg_diff in one description, Tenure in two. 1: it was one of them. */
static int side(struct tp_foreign *f, char *text)
{
    static const char both[] = "Files compared:", baseline[] = "Baseline: ", new[] = "New: ";
    char *mark;

    if (strncmp(text, baseline, sizeof baseline - 1) == 0)
        return tp_foreign_meta(f, "diff.baseline", text + sizeof baseline - 1) ? -1 : (f->difference = true);
    if (strncmp(text, new, sizeof new - 1) == 0)
        return tp_foreign_meta(f, "diff.new", text + sizeof new - 1) ? -1 : 1;
    if (strncmp(text, both, sizeof both - 1) != 0 || !(mark = strstr(text, "; ")))
        return 0;
    f->difference = true;
    *mark = '\0';
    text += sizeof both - 1;
    text += strspn(text, " \t");
    return tp_foreign_meta(f, "diff.baseline", text) || tp_foreign_meta(f, "diff.new", mark + 2) ? -1 : 1;
}

int tp_foreign_description(struct tp_foreign *f, struct tp_scan *scan)
{
    enum { MOST = 16 };
    char key[32];
    bool is_cache;

    tp_scan_blanks(scan);
    if (cache(f, scan->at, &is_cache))
        return -1;
    const char *colon = strchr(scan->at, ':'); /* Callgrind without cache simulation names caches and no sizes */
    int compared = side(f, scan->at);
    if (compared)
        return compared < 0 ? -1 : 0;
    if (is_cache || tp_scan_done(scan) || (colon && !colon[1 + strspn(colon + 1, " \t")]))
        return 0;
    for (size_t i = 0; i < f->rec.meta.count; i++) {
        if (strncmp(f->rec.meta.at[i].key, "import.desc.", 12) == 0 && strcmp(f->rec.meta.at[i].value, scan->at) == 0)
            return 0;
    }
    if (f->descriptions == MOST)
        return 0;
    snprintf(key, sizeof key, "import.desc.%u", ++f->descriptions);
    return tp_foreign_meta(f, key, scan->at);
}

/* ------------------------------------------------------------------------------------------ counts */

bool tp_foreign_count(struct tp_foreign *f, struct tp_scan *scan, uint64_t *count)
{
    bool minus = *scan->at == '-';

    scan->at += minus;
    if (!tp_scan_number(scan, count)) {
        scan->at -= minus;
        return false;
    }
    *count = minus ? 0 - tp_count(*count) : tp_count(*count);
    f->difference |= minus;
    return true;
}

int tp_foreign_counts(struct tp_foreign *f, struct tp_scan *scan, bool dots, uint64_t *row, uint8_t *can)
{
    size_t i = 0;

    memset(row, 0, f->rec.events.count * sizeof *row);
    *can = 0;
    for (; !tp_scan_done(scan); i++) {
        if (i == f->columns)
            return tp_scan_failed(scan, "no more than %zu counts expected, there is '%.40s'", f->columns, scan->at);
        bool dot = dots && *scan->at == '.' && strchr(" \t", scan->at[1]);
        if (!dot && !tp_foreign_count(f, scan, &row[f->column[i]]))
            return tp_scan_refuse(scan, "a count");
        if (dot)
            scan->at++;
        else
            *can |= f->rec.events.column[f->column[i]].needs;
        f->dots |= dot;
        if (!tp_scan_ends(scan))
            return tp_scan_refuse(scan, "a blank behind a count");
    }
    for (; i < f->columns; i++) /* left out at the end: 0 */
        *can |= f->rec.events.column[f->column[i]].needs;
    return 0;
}

/* ------------------------------------------------------------------------------------------ sections */

int tp_foreign_stated(struct tp_foreign *f, struct tp_scan *scan, const char *tag)
{
    struct tp_stated *stated = &f->stated[*tag == 't'];
    uint8_t can;

    if (!f->columns)
        return tp_scan_failed(scan, "a line 'events:' expected before '%s:'", tag);
    stated->tag = tag;
    stated->line = scan->line;
    return tp_foreign_counts(f, scan, false, stated->row, &can);
}

int tp_foreign_section_end(struct tp_foreign *f, struct tp_scan *scan)
{
    for (struct tp_stated *stated = f->stated; stated < f->stated + 2; stated++) {
        size_t i = 0;
        while (stated->tag && i < f->rec.events.count && stated->row[i] == f->sum[i])
            i++;
        if (stated->tag && i < f->rec.events.count)
            warn(f, "%s:%llu: '%s:' says that %s is %lld; the costs add up to %lld", scan->path,
                 (unsigned long long)stated->line, stated->tag, f->given[i], (long long)stated->row[i],
                 (long long)f->sum[i]);
        stated->tag = NULL;
    }
    if (f->costs) {
        tp_add_row(&f->rec.events, f->rec.threads.at[f->thread - 1].self, f->sum);
        tp_add_row(&f->rec.events, f->rec.parts.at[f->part - 1].self, f->sum);
    }
    memset(f->sum, 0, sizeof f->sum);
    f->costs = false;
    return 0;
}

static uint64_t *foreign_new_row(struct tp_foreign *f)
{
    return tp_arena_alloc(&f->rec.arena, f->rec.events.count * sizeof(uint64_t) + 1);
}

static int find_thread(struct tp_foreign *f, uint64_t id)
{
    for (f->thread = 1; f->thread <= f->rec.threads.count; f->thread++) {
        if (f->rec.threads.at[f->thread - 1].id == id)
            return 0;
    }
    struct tp_thread *thread = TP_VECTOR_ADD(&f->rec.threads);
    if (!thread || !(thread->self = foreign_new_row(f)))
        return TP_NO_MEMORY(f->err);
    thread->id = thread->os_id = id;
    return 0;
}

static int find_part(struct tp_foreign *f, uint64_t number, const char *why)
{
    for (f->part = 1; f->part <= f->rec.parts.count; f->part++) {
        if (f->rec.parts.at[f->part - 1].number == number)
            return 0;
    }
    struct tp_part *part = TP_VECTOR_ADD(&f->rec.parts);
    if (!part || !(part->self = foreign_new_row(f)))
        return TP_NO_MEMORY(f->err);
    part->number = number;
    part->why = tp_clean_text(&f->rec.arena, why, strlen(why));
    return part->why ? 0 : TP_NO_MEMORY(f->err);
}

/* They are looked for one after the other. No run has so many. */
enum { MOST_SECTIONS = 1 << 16 };

int tp_foreign_section(struct tp_foreign *f, struct tp_scan *scan, uint64_t part, uint64_t thread, const char *why)
{
    for (size_t i = 0; i < f->sections.count; i++) {
        const struct tp_section *before = &f->sections.at[i];
        if (before->part == part && before->thread == thread && before->file != f->file)
            return tp_scan_failed(scan, "part %llu of thread %llu is in %.300s, too; import each run alone, `tenure "
                                  "merge` sums profiles", (unsigned long long)part, (unsigned long long)thread,
                                  f->paths[before->file - 1]);
    }
    if (f->sections.count == MOST_SECTIONS)
        return tp_scan_failed(scan, "more than %d parts and threads", MOST_SECTIONS);
    if (!TP_VECTOR_PUSH(&f->sections, (struct tp_section){part, thread, f->file}))
        return TP_NO_MEMORY(f->err);
    return find_thread(f, thread) || find_part(f, part, why) ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------ formulas */

/* Add the event or formula of this name, so many times. What it is called here; NULL: there is none. */
static const char *foreign_add_term(struct tp_foreign *f, const struct tp_addend *term, uint64_t *to)
{
    for (size_t i = 0; i < f->rec.events.count; i++) {
        if (strlen(f->given[i]) == term->length && strncmp(f->given[i], term->event, term->length) == 0) {
            to[i] += term->weight;
            return f->rec.events.column[i].name;
        }
    }
    for (size_t i = 0; i < f->rec.formulas.count; i++) {
        const struct tp_sum_event *formula = &f->rec.formulas.at[i];
        if (strlen(formula->name) != term->length || strncmp(formula->name, term->event, term->length) != 0)
            continue;
        for (size_t k = 0; k < f->rec.events.count; k++)
            to[k] += term->weight * formula->weight[k];
        return formula->name;
    }
    return NULL;
}

/* "A + 2 B + 3 * C" into weights and the text that table `events` has. */
static bool read_formula(struct tp_foreign *f, const char *text, uint64_t *weight, char *out, size_t size)
{
    struct tp_addend term;
    size_t n = 0;

    while (*text) {
        char factor[24] = "";
        const char *name =
            tp_addend_next(&text, &term) && term.weight ? foreign_add_term(f, &term, weight) : NULL;
        if (!name)
            return false;
        if (term.weight != 1)
            snprintf(factor, sizeof factor, "%u * ", (unsigned)term.weight);
        if (n < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s%s", n ? " + " : "", factor, name);
    }
    return n && n < size;
}

/* Take it over, if all it is made of is there already. 1: done, 0: not yet, -1: failed. */
static int try_formula(struct tp_foreign *f, const struct tp_given_event *event)
{
    char text[2048], name[TP_EVENT_NAME];
    uint64_t *weight = tp_arena_alloc(&f->rec.arena, f->rec.events.count * sizeof *weight);

    if (!weight)
        return TP_NO_MEMORY(f->err);
    if (!read_formula(f, event->formula, weight, text, sizeof text) || !column_name(f, event->name, name))
        return 0;
    struct tp_sum_event *formula = TP_VECTOR_ADD(&f->rec.formulas);
    if (!formula)
        return TP_NO_MEMORY(f->err);
    formula->weight = weight;
    formula->name = tp_arena_copy(&f->rec.arena, name, strlen(name));
    formula->text = tp_arena_copy(&f->rec.arena, text, strlen(text));
    formula->long_name = event->long_name ? event->long_name : event->name;
    return formula->name && formula->text ? 1 : TP_NO_MEMORY(f->err);
}

/* A formula may be written before those it is made of: as many rounds as bring something new. */
int tp_foreign_formulas(struct tp_foreign *f)
{
    bool more = true;

    while (more) {
        more = false;
        for (size_t i = 0; i < f->described.count; i++) {
            struct tp_given_event *event = &f->described.at[i];
            int done = event->formula && foreign_column_of(f, event->name) < 0 ? try_formula(f, event) : 0;
            if (done < 0)
                return -1;
            if (done)
                event->formula = NULL;
            more |= done;
        }
    }
    for (size_t i = 0; i < f->described.count; i++) {
        const struct tp_given_event *event = &f->described.at[i];
        if (event->formula && foreign_column_of(f, event->name) < 0)
            warn(f, "event %s: '%s' is no sum of events of the file; left out", event->name, event->formula);
    }
    return 0;
}
