/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_callgrind.c: the grammar of Callgrind's profile format, version 1.
 *
 *     fl=(1) a.c              the file of the functions that follow
 *     fn=(1) main             a function: what follows is its
 *     16 400                  line, counts; with "positions: instr line" address, line, counts
 *     fi=(2) inl.h            code inlined from another file, fe= back; the function stays
 *     +3 20                   positions relative to the last ones: +N, -N, *
 *     cob= cfi= cfn=(3) f     who is called: object and file, where they are not those at hand
 *     calls=1 50              how often, where it is
 *     16 400                  the call's line and inclusive counts
 *     jump=, jcnd=            jumps, with a line of positions behind each
 *
 * "(id) name" gives a name a number, "(id)" is that name. Objects, files and functions are numbered apart. Header lines
 * may come again, for another part or thread. Jumps are checked; a profile has no place for them.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/formats/foreign.h"

enum kind { OBJECT, FILE_, FUNCTION, KINDS };
enum { REPORT_EVERY = 1 << 14 };

/* Numbers of names. What a number stands for is an object, a file, or a function's name. */
struct value {
    uint32_t id;
    const char *name;
};

struct numbered {
    struct tp_idmap map; /* number + 1 -> index */
    TP_VECTOR(struct value) values;
};

struct reader {
    struct tp_foreign *f;
    struct tp_scan *scan;
    struct numbered names[KINDS];
    bool instr, line;          /* positions */
    uint64_t part, thread;
    char why[64];
    bool in_body;              /* since the last header line */
    uint64_t address, at_line; /* the last positions */
    uint32_t object, file, function;
    bool has_function, called;  /* a fn=; a cfn= that no calls= has followed */
    uint32_t called_object, called_file;
    bool called_object_given, called_file_given;
    uint32_t callee;
    uint64_t calls;
    enum { COSTS, CALL_COSTS, JUMP_PLACE } next;
    uint64_t row[TP_MAX_EVENTS];
};

/* ------------------------------------------------------------------------------------------ names */

static int callgrind_find_name(struct reader *r, enum kind kind, const char *text, struct value *out)
{
    *out = (struct value){0};
    if (kind == OBJECT)
        return tp_foreign_object(r->f, text, &out->id);
    if (kind == FILE_)
        return tp_foreign_file(r->f, text, &out->id);
    out->name = text;
    return 0;
}

/* "(7)", with a blank and a name if the number is new. */
static int numbered_name(struct reader *r, enum kind kind, uint64_t number, struct value *out)
{
    struct numbered *names = &r->names[kind];
    uint32_t index = tp_idmap_find(&names->map, number + 1);

    if (tp_scan_done(r->scan)) {
        if (index == TP_NOT_FOUND)
            return tp_scan_failed(r->scan, "a name behind (%llu) expected: the number has none yet",
                                  (unsigned long long)number);
        *out = names->values.at[index];
        return 0;
    }
    if (callgrind_find_name(r, kind, r->scan->at, out))
        return -1;
    if (out->name && !(out->name = tp_arena_copy(&r->f->rec.arena, out->name, strlen(out->name))))
        return TP_NO_MEMORY(r->f->err);
    if (index == TP_NOT_FOUND) {
        index = (uint32_t)names->values.count;
        struct value *value = TP_VECTOR_ADD(&names->values);
        if (!value || tp_idmap_add(&names->map, number + 1, index))
            return TP_NO_MEMORY(r->f->err);
    }
    names->values.at[index] = *out;
    return 0;
}

/* What stands behind `=`. A name that only begins with a parenthesis is a name. */
static int name(struct reader *r, enum kind kind, struct value *out)
{
    char *begin = r->scan->at;
    uint64_t number;

    if (tp_scan_word(r->scan, "(") && *r->scan->at >= '0' && *r->scan->at <= '9' &&
        tp_scan_number(r->scan, &number) && number < UINT64_MAX && tp_scan_word(r->scan, ")"))
        return numbered_name(r, kind, number, out);
    r->scan->at = begin;
    return callgrind_find_name(r, kind, begin, out);
}

/* ------------------------------------------------------------------------------------------ positions */

/* N, 0xN, +N, -N or *, of which the last three count from `from`. */
static int position(struct reader *r, uint64_t from, const char *what, uint64_t *out)
{
    char sign = *r->scan->at;
    uint64_t value;

    if (sign == '*') {
        r->scan->at++;
        *out = from;
    } else {
        r->scan->at += sign == '+' || sign == '-';
        if (!tp_scan_number(r->scan, &value))
            return tp_scan_refuse(r->scan, what);
        *out = sign == '+' ? from + value : sign == '-' ? from - value : value;
        if (sign == '-' && value > from)
            return tp_scan_failed(r->scan, "%s expected, this one is below 0", what);
    }
    if (!tp_scan_ends(r->scan))
        return tp_scan_refuse(r->scan, "a blank behind a position");
    tp_scan_blanks(r->scan);
    return 0;
}

/* As `positions:` says. */
static int positions(struct reader *r, uint64_t *address, uint64_t *line)
{
    if ((r->instr && position(r, r->address, "an address", address)) ||
        (r->line && position(r, r->at_line, "a line number", line)))
        return -1;
    return *line > UINT32_MAX ? tp_scan_failed(r->scan, "a line number below 2^32 expected") : 0;
}

/* ------------------------------------------------------------------------------------------ body */

static int begin_body(struct reader *r)
{
    if (r->in_body)
        return 0;
    if (!r->f->columns)
        return tp_scan_failed(r->scan, "a line 'events:' expected before the first function");
    r->in_body = true;
    r->has_function = r->called = r->called_object_given = r->called_file_given = false;
    r->address = r->at_line = 0;
    return tp_foreign_section(r->f, r->scan, r->part, r->thread, *r->why ? r->why : "import");
}

static int callgrind_costs(struct reader *r)
{
    struct tp_place place = {.function = r->function, .file = r->file};
    uint8_t can;

    if (begin_body(r))
        return -1;
    if (!r->has_function)
        return tp_scan_refuse(r->scan, "'fn=' before the first costs");
    if (positions(r, &r->address, &r->at_line))
        return -1;
    if (r->next == JUMP_PLACE) {
        r->next = COSTS;
        return tp_scan_done(r->scan) ? 0 : tp_scan_refuse(r->scan, "nothing behind a jump's position");
    }
    if (tp_foreign_counts(r->f, r->scan, false, r->row, &can))
        return -1;
    place.address = r->address;
    place.line = r->at_line;
    if (r->next == COSTS)
        return tp_foreign_self(r->f, &place, r->row, can);
    r->next = COSTS;
    return tp_foreign_call(r->f, &place, r->callee, r->calls, r->row);
}

static int callgrind_function(struct reader *r)
{
    struct value value;

    if (begin_body(r) || name(r, FUNCTION, &value))
        return -1;
    r->has_function = true;
    return tp_foreign_function(r->f, r->object, r->file, value.name, &r->function);
}

static int callee(struct reader *r)
{
    struct value value;

    if (begin_body(r) || name(r, FUNCTION, &value))
        return -1;
    r->called = true;
    return tp_foreign_function(r->f, r->called_object_given ? r->called_object : r->object,
                               r->called_file_given ? r->called_file : r->file, value.name, &r->callee);
}

/* "calls=N target": the callee's place is told, where it is not told apart. Writers that have no addresses put another
 * number in front, or none. */
static int calls(struct reader *r)
{
    uint64_t address = 0, line = 0;

    if (!r->called)
        return tp_scan_failed(r->scan, "'cfn=' expected before 'calls='");
    if (!tp_foreign_count(r->f, r->scan, &r->calls))
        return tp_scan_refuse(r->scan, "the number of calls");
    if (!tp_scan_done(r->scan) && positions(r, &address, &line))
        return -1;
    if (!tp_scan_done(r->scan) && position(r, 0, "a position", &address))
        return -1;
    if (!tp_scan_done(r->scan))
        return tp_scan_refuse(r->scan, "nothing behind the called position");
    struct tp_function *called = &r->f->rec.functions.at[r->f->rec.contexts.at[r->callee - 1].function - 1];
    called->line = called->line ? called->line : (uint32_t)line;
    called->start = called->start || !r->instr ? called->start : address;
    r->called = r->called_object_given = r->called_file_given = false;
    r->next = CALL_COSTS;
    return 0;
}

/* "jump=N target", "jcnd=taken/N target": numbers and positions are checked. */
static int jump(struct reader *r, bool conditional)
{
    uint64_t n, address = 0, line = 0;

    if (begin_body(r))
        return -1;
    if (!tp_scan_number(r->scan, &n) ||
        (conditional && (!tp_scan_word(r->scan, "/") || !tp_scan_number(r->scan, &n))))
        return tp_scan_refuse(r->scan, conditional ? "jumps taken '/' executed" : "the number of jumps");
    tp_scan_blanks(r->scan);
    if (positions(r, &address, &line))
        return -1;
    r->next = JUMP_PLACE;
    return tp_scan_done(r->scan) ? 0 : tp_scan_refuse(r->scan, "nothing behind the jump's target");
}

/* A body line that begins with a word and `=`. 1: it was none. */
static int assignment(struct reader *r)
{
    struct tp_scan *scan = r->scan;
    struct value value;

    if (tp_scan_word(scan, "fn="))
        return callgrind_function(r);
    if (tp_scan_word(scan, "fl=") || tp_scan_word(scan, "fi=") || tp_scan_word(scan, "fe="))
        return begin_body(r) || name(r, FILE_, &value) ? -1 : (r->file = value.id, 0);
    if (tp_scan_word(scan, "ob="))
        return begin_body(r) || name(r, OBJECT, &value) ? -1 : (r->object = value.id, 0);
    if (tp_scan_word(scan, "cfn="))
        return callee(r);
    if (tp_scan_word(scan, "cfi=") || tp_scan_word(scan, "cfl=")) {
        r->called_file_given = true;
        return begin_body(r) || name(r, FILE_, &value) ? -1 : (r->called_file = value.id, 0);
    }
    if (tp_scan_word(scan, "cob=")) {
        r->called_object_given = true;
        return begin_body(r) || name(r, OBJECT, &value) ? -1 : (r->called_object = value.id, 0);
    }
    if (tp_scan_word(scan, "calls="))
        return calls(r);
    if (tp_scan_word(scan, "jump="))
        return jump(r, false);
    if (tp_scan_word(scan, "jcnd="))
        return jump(r, true);
    if (tp_scan_word(scan, "jfi="))
        return name(r, FILE_, &value);
    if (tp_scan_word(scan, "jfn="))
        return name(r, FUNCTION, &value);
    return 1;
}

/* ------------------------------------------------------------------------------------------ header */

static int number_line(struct reader *r, const char *what, uint64_t *to)
{
    tp_scan_blanks(r->scan);
    return tp_scan_number(r->scan, to) && tp_scan_done(r->scan) ? 0 : tp_scan_refuse(r->scan, what);
}

static int version(struct reader *r)
{
    uint64_t major;

    tp_scan_blanks(r->scan);
    if (!tp_scan_number(r->scan, &major) || !strchr(" \t.", *r->scan->at))
        return tp_scan_refuse(r->scan, "a version");
    return major > 1 ? tp_scan_failed(r->scan, "format version 1 expected, there is %llu", (unsigned long long)major)
                     : 0;
}

static int position_names(struct reader *r)
{
    r->instr = r->line = false;
    while (!tp_scan_done(r->scan)) {
        bool *which = tp_scan_word(r->scan, "instr") || tp_scan_word(r->scan, "addr") ? &r->instr
                      : tp_scan_word(r->scan, "line")                                 ? &r->line
                                                                                      : NULL;
        if (!which || *which || (which == &r->instr && r->line) || !tp_scan_ends(r->scan))
            return tp_scan_refuse(r->scan, "'instr', 'line' or 'instr line'");
        *which = true;
    }
    return r->instr || r->line ? 0 : tp_scan_refuse(r->scan, "'instr', 'line' or 'instr line'");
}

/* "Trigger: ..." says why the part was written. */
static int description(struct reader *r)
{
    tp_scan_blanks(r->scan);
    if (strncmp(r->scan->at, "Timerange:", 10) == 0)
        return 0; /* in basic blocks of that run: of no use without it */
    if (!tp_scan_word(r->scan, "Trigger:"))
        return tp_foreign_description(r->f, r->scan);
    tp_scan_blanks(r->scan);
    snprintf(r->why, sizeof r->why, "%s", r->scan->at);
    return 0;
}

static int end_section(struct reader *r)
{
    if (r->next != COSTS)
        return tp_scan_failed(r->scan, r->next == CALL_COSTS ? "a line with the costs of the call expected"
                                                             : "a line with the jump's position expected");
    r->in_body = false;
    *r->why = '\0';
    return tp_foreign_section_end(r->f, r->scan);
}

/* A header line. 1: it was none. `totals:` ends a section without beginning another. */
static int callgrind_header(struct reader *r)
{
    struct tp_scan *scan = r->scan;
    struct tp_foreign *f = r->f;

    if (tp_scan_word(scan, "totals:"))
        return tp_foreign_stated(f, scan, "totals");
    if (tp_scan_word(scan, "summary:"))
        return tp_foreign_stated(f, scan, "summary");
    if (r->in_body && strchr("vcptdes", *scan->at) && end_section(r))
        return -1;
    if (tp_scan_word(scan, "version:"))
        return version(r);
    if (tp_scan_word(scan, "creator:"))
        return tp_foreign_meta(f, "engine", scan->at);
    if (tp_scan_word(scan, "pid:"))
        return tp_foreign_pid(f, scan);
    if (tp_scan_word(scan, "cmd:"))
        return tp_foreign_meta(f, "cmd", scan->at);
    if (tp_scan_word(scan, "part:"))
        return number_line(r, "the part's number", &r->part);
    if (tp_scan_word(scan, "thread:"))
        return number_line(r, "the thread's number", &r->thread);
    if (tp_scan_word(scan, "desc:"))
        return description(r);
    if (tp_scan_word(scan, "positions:"))
        return position_names(r);
    if (tp_scan_word(scan, "events:"))
        return tp_foreign_events(f, scan);
    return tp_scan_word(scan, "event:") ? tp_foreign_event(f, scan) : 1;
}

/* ------------------------------------------------------------------------------------------ file */

static int callgrind_one_line(struct reader *r)
{
    char c = *r->scan->at;
    int done;

    if (c == '#' || (r->next == COSTS && tp_scan_done(r->scan)))
        return 0;
    if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*')
        return callgrind_costs(r);
    if (r->next != COSTS && strncmp(r->scan->at, "jf", 2) != 0)
        return tp_scan_refuse(r->scan, r->next == CALL_COSTS ? "a line with the costs of the call"
                                                             : "a line with the jump's position");
    done = assignment(r);
    if (done == 1)
        done = callgrind_header(r);
    return done == 1 ? tp_scan_refuse(r->scan, "costs, a name such as 'fn=', or a header line such as 'part:'") : done;
}

int tp_read_callgrind(struct tp_foreign *f, struct tp_scan *scan)
{
    struct reader r = {.f = f, .scan = scan, .line = true, .part = 1, .thread = 1};
    int more;

    while ((more = tp_scan_line(scan)) == 1) {
        if ((scan->line % REPORT_EVERY == 0 && tp_foreign_progress(f, scan)) || callgrind_one_line(&r)) {
            more = -1;
            break;
        }
    }
    if (more == 0 && end_section(&r))
        more = -1;
    for (int kind = 0; kind < KINDS; kind++) {
        tp_idmap_free(&r.names[kind].map);
        TP_VECTOR_FREE(&r.names[kind].values);
    }
    return more;
}
