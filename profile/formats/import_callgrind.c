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
    *out = (struct value){.name = kind == FUNCTION ? text : NULL};
    return kind == FUNCTION ? 0 : tp_foreign_path(r->f, kind == OBJECT, text, &out->id);
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

    if (!tp_scan_number(r->scan, &n) ||
        (conditional && (!tp_scan_word(r->scan, "/") || !tp_scan_number(r->scan, &n))))
        return tp_scan_refuse(r->scan, conditional ? "jumps taken '/' executed" : "the number of jumps");
    tp_scan_blanks(r->scan);
    if (positions(r, &address, &line))
        return -1;
    r->next = JUMP_PLACE;
    return tp_scan_done(r->scan) ? 0 : tp_scan_refuse(r->scan, "nothing behind the jump's target");
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

/* ------------------------------------------------------------------------------------------ file */

/* What a line begins with, and the kind of the name behind it. Those up to JUMPS_TAKEN begin the body; those from
 * VERSION on end a section. `totals:` ends one without beginning another. */
enum word {
    OF_FUNCTION, OF_FILE, OF_OBJECT, CALLEE, CALLEE_FILE, CALLEE_OBJECT, JUMPS, JUMPS_TAKEN,
    CALLS, JUMPS_TO, TOTALS, SUMMARY,
    VERSION, CREATOR, PID, CMD, PART, THREAD, DESC, POSITIONS, EVENTS, EVENT
};
static const struct {
    const char *text;
    enum word word;
    enum kind kind; /* KINDS: no name */
} words[] = {
    {"fn=", OF_FUNCTION, FUNCTION}, {"fl=", OF_FILE, FILE_},        {"fi=", OF_FILE, FILE_},
    {"fe=", OF_FILE, FILE_},        {"ob=", OF_OBJECT, OBJECT},     {"cfn=", CALLEE, FUNCTION},
    {"cfi=", CALLEE_FILE, FILE_},   {"cfl=", CALLEE_FILE, FILE_},   {"cob=", CALLEE_OBJECT, OBJECT},
    {"calls=", CALLS, KINDS},       {"jump=", JUMPS, KINDS},        {"jcnd=", JUMPS_TAKEN, KINDS},
    {"jfi=", JUMPS_TO, FILE_},      {"jfn=", JUMPS_TO, FUNCTION},   {"totals:", TOTALS, KINDS},
    {"summary:", SUMMARY, KINDS},   {"version:", VERSION, KINDS},   {"creator:", CREATOR, KINDS},
    {"pid:", PID, KINDS},           {"cmd:", CMD, KINDS},           {"part:", PART, KINDS},
    {"thread:", THREAD, KINDS},     {"desc:", DESC, KINDS},         {"positions:", POSITIONS, KINDS},
    {"events:", EVENTS, KINDS},     {"event:", EVENT, KINDS},
};
enum { WORDS = sizeof words / sizeof *words };

static int callgrind_one_line(void *user)
{
    struct reader *r = user;
    struct tp_scan *scan = r->scan;
    struct tp_foreign *f = r->f;
    struct value value;
    char c = *scan->at;
    size_t i = 0;

    if (c == '#' || (r->next == COSTS && tp_scan_done(scan)))
        return 0;
    if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*')
        return callgrind_costs(r);
    if (r->next != COSTS && strncmp(scan->at, "jf", 2) != 0)
        return tp_scan_refuse(scan, r->next == CALL_COSTS ? "a line with the costs of the call"
                                                          : "a line with the jump's position");
    while (i < WORDS && !tp_scan_word(scan, words[i].text))
        i++;
    if (i == WORDS)
        return tp_scan_refuse(scan, "costs, a name such as 'fn=', or a header line such as 'part:'");
    if ((words[i].word <= JUMPS_TAKEN && begin_body(r)) ||
        (words[i].word >= VERSION && r->in_body && end_section(r)) ||
        (words[i].kind < KINDS && name(r, words[i].kind, &value)))
        return -1;
    switch (words[i].word) {
    case OF_FUNCTION:
        r->has_function = true;
        return tp_foreign_function(f, r->object, r->file, value.name, &r->function);
    case OF_FILE: r->file = value.id; return 0;
    case OF_OBJECT: r->object = value.id; return 0;
    case CALLEE:
        r->called = true;
        return tp_foreign_function(f, r->called_object_given ? r->called_object : r->object,
                                   r->called_file_given ? r->called_file : r->file, value.name, &r->callee);
    case CALLEE_FILE:
        r->called_file_given = true;
        r->called_file = value.id;
        return 0;
    case CALLEE_OBJECT:
        r->called_object_given = true;
        r->called_object = value.id;
        return 0;
    case JUMPS: return jump(r, false);
    case JUMPS_TAKEN: return jump(r, true);
    case CALLS: return calls(r);
    case JUMPS_TO: return 0;
    case TOTALS: return tp_foreign_stated(f, scan, "totals");
    case SUMMARY: return tp_foreign_stated(f, scan, "summary");
    case VERSION: return version(r);
    case CREATOR: return tp_foreign_meta(f, "engine", scan->at);
    case PID: return tp_foreign_pid(f, scan);
    case CMD: return tp_foreign_meta(f, "cmd", scan->at);
    case PART: return number_line(r, "the part's number", &r->part);
    case THREAD: return number_line(r, "the thread's number", &r->thread);
    case DESC: return description(r);
    case POSITIONS: return position_names(r);
    case EVENTS: return tp_foreign_events(f, scan);
    default: return tp_foreign_event(f, scan);
    }
}

int tp_read_callgrind(struct tp_foreign *f, struct tp_scan *scan)
{
    struct reader r = {.f = f, .scan = scan, .line = true, .part = 1, .thread = 1};
    int failed = tp_foreign_lines(f, scan, callgrind_one_line, &r) || end_section(&r);

    for (int kind = 0; kind < KINDS; kind++) {
        tp_idmap_free(&r.names[kind].map);
        TP_VECTOR_FREE(&r.names[kind].values);
    }
    return failed ? -1 : 0;
}
