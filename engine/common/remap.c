/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remap.c: reads what --remap says; see remap.h.
 */
#include "engine/common/remap.h"

#include "engine/common/geometry.h"
#include "engine/common/options.h"

#include <string.h>

#define FORMS                                                                                                \
    "the value is split, order, pad, align, pool or transpose, a data structure, and behind a colon and a "  \
    "blank what "                                                                                            \
    "to do, as in \"split orders: 0-8,24-32 | rest\""

enum remap_kind { SPLIT, ORDER, PAD, ALIGN, POOL, TRANSPOSE, KINDS };
static const char *const kinds[KINDS] = {"split ", "order ", "pad ", "align ", "pool ", "transpose "};

static const char *behind(const char *text, const char *head)
{
    while (*head && *text == *head)
        text++, head++;
    return *head ? NULL : text;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

static bool number_32(const char **text, uint32_t *out)
{
    uint64_t number;
    if (!size_parse(text, &number) || number > 1u << 30)
        return false;
    *out = (uint32_t)number;
    return true;
}

static const char *overlap(const struct tn_remap *remap)
{
    const struct tn_remap_run *last = &remap->run[remap->runs - 1];
    for (const struct tn_remap_run *run = remap->run; run < last; run++) {
        if (run->from < last->to && last->from < run->to)
            return "a byte can be in one place only: two ranges of bytes overlap";
    }
    return NULL;
}

/* FROM-TO, or `rest`. */
static const char *take_bytes(struct tn_remap *remap, const char **text, uint32_t part, bool *rest)
{
    const char *end = behind(*text, "rest");
    struct tn_remap_run run = {.part = part};
    if (end) {
        if (*rest)
            return "there is one rest";
        *rest = true;
        remap->rest = part;
        *text = end;
        return NULL;
    }
    if (!number_32(text, &run.from) || *(*text)++ != '-' || !number_32(text, &run.to) || run.from >= run.to)
        return "bytes of an element are FROM-TO, as in 0-8, where TO is the first one behind them; or rest";
    if (remap->runs == TN_REMAP_RUNS)
        return "more than 256 ranges of bytes";
    remap->run[remap->runs++] = run;
    return overlap(remap);
}

/* BYTES,BYTES | BYTES,... */
static const char *take_parts(struct tn_remap *remap, const char *text, bool several)
{
    uint32_t part = 0;
    bool rest = false;
    for (;;) {
        text = skip_blanks(text);
        const char *wrong = take_bytes(remap, &text, part, &rest);
        if (wrong)
            return wrong;
        text = skip_blanks(text);
        if (!*text)
            break;
        if (*text != ',' && (*text != '|' || !several))
            return "between bytes stands a comma, between parts of split a |";
        part += *text++ == '|';
        if (part == TN_REMAP_PARTS)
            return "more than 32 parts";
    }
    if (several && !part)
        return "split makes several parts, with | between them, as in 0-8 | rest";
    if (!remap->runs)
        return "name bytes of an element besides the rest";
    if (!rest)
        remap->rest = part;
    return NULL;
}

static const char *take_pad(struct tn_remap *remap, const char *text)
{
    uint32_t first, more = 0;
    if (!number_32(&text, &first) || !first ||
        (*text == '+' && (text++, !number_32(&text, &more) || !more)) || *text)
        return "pad is by N bytes, as in 64, or has rows, as in 4096+64";
    if (!more) {
        remap->pad = first;
        return NULL;
    }
    if (remap->element)
        return "where rows are padded a row is the element: leave /SIZE out";
    remap->element = first;
    remap->pad = first + more;
    return NULL;
}

static const char *take_arguments(struct tn_remap *remap, enum remap_kind kind, const char *text)
{
    switch (kind) {
    case SPLIT:
    case ORDER:
        return take_parts(remap, text, kind == SPLIT);
    case PAD:
        return take_pad(remap, text);
    case ALIGN:
        return number_32(&text, &remap->align) && !*text && remap->align &&
                       !(remap->align & (remap->align - 1))
                   ? NULL
                   : "blocks are aligned to a power of two, as in 64";
    case TRANSPOSE:
        return number_32(&text, &remap->row) && !*text && remap->row ? NULL
                                                                     : "give the bytes of a row, as in 4096";
    case POOL:
        remap->pool = true;
        remap->walker = behind(text, "walk");
        remap->walk = remap->walker && (!*remap->walker || *remap->walker == ' ');
        if (remap->walk)
            remap->walker = skip_blanks(remap->walker);
        return !*text || remap->walk ? NULL
                                     : "a pool has no more to it than walk, and the function that walks";
    case KINDS:
        break;
    }
    return NULL;
}

/* The last colon with a blank behind it; NULL: there is none. */
static const char *colon_in(const char *text)
{
    const char *colon = NULL;
    for (; *text; text++)
        colon = *text == ':' && text[1] == ' ' ? text : colon;
    return colon;
}

const char *remap_parse(const char *text, struct tn_remap *out, const char **name, const char **end)
{
    enum remap_kind kind = SPLIT;
    memset(out, 0, sizeof *out);
    while (kind < KINDS && !behind(text, kinds[kind]))
        kind++;
    if (kind == KINDS)
        return FORMS;
    *name = skip_blanks(behind(text, kinds[kind]));
    const char *colon = colon_in(*name), *arguments = colon ? skip_blanks(colon + 1) : "";
    for (*end = *name; **end && *end != colon; ++*end) {
    }
    for (const char *slash = *end; slash > *name && (slash == *end || (*slash >= '0' && *slash <= '9'));
         slash--) {
        const char *digits = slash;
        if (slash[-1] == '/' && slash < *end && number_32(&digits, &out->element) && digits == *end) {
            *end = slash - 1;
            break;
        }
    }
    if (*end == *name)
        return "name a data structure";
    if (*end != colon && **end == '/' && !out->element)
        return "behind the / are the bytes of an element: one at least";
    return take_arguments(out, kind, arguments);
}

bool remap_walks(const struct tn_remap *remap, const char *name)
{
    return !*remap->walker || options_matches(remap->walker, name ? name : "");
}
