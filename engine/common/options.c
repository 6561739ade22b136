/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c: reads and checks the options of a recording (options.h), each by its row in options.inc.
 *
 * A value is read when it is met, so that the last one holds; what options ask of each other is checked behind the last
 * one. What is wrong is one text, with neither the option nor its value in it: whoever has read them says those.
 */
#include "engine/common/options.h"

#include "engine/common/remap.h"

#include <stdarg.h>
#include <string.h>

enum { OPTIONAL = 1 };
#define ROW(name, value, kind, member, detail, usual, key, engines, help, is_test) \
    {name, value, key, help, OPTIONS_##kind, OPTIONS_##engines, offsetof(struct engine_options, member), \
     detail, usual, is_test},

const struct recording_option options_table[] = {
#define OPTION(...) ROW(__VA_ARGS__, false)
#define OF_ENGINE(...) ROW(__VA_ARGS__, false)
#define OF_TESTS(...) ROW(__VA_ARGS__, true)
#include "engine/common/options.inc"
};
const size_t options_count = sizeof options_table / sizeof options_table[0];
_Static_assert(sizeof options_table / sizeof options_table[0] <= OPTIONS_MOST, "OPTIONS_MOST");

static const struct need {
    const char *name, *other, *or, *reason;
} needs[] = {
#define NEEDS(...) {__VA_ARGS__},
#include "engine/common/options.inc"
};

static const struct {
    const char *name, *reason;
} foreign[] = {
#define FOREIGN(name, reason) {name, reason},
#include "engine/common/options.inc"
};

/* ------------------------------------------------------------------------------------------ text */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What follows `head` in `text`; NULL if it does not begin so. */
static const char *behind(const char *text, const char *head)
{
    while (*head && *text == *head)
        text++, head++;
    return *head ? NULL : text;
}

/* Pieces, one behind the other, up to a NULL; cut off where the room ends. A line break becomes a blank. */
static const char *compose(struct engine_options *o, ...)
{
    char *to = o->why, *end = o->why + sizeof o->why - 1;
    va_list pieces;

    va_start(pieces, o);
    for (const char *piece; (piece = va_arg(pieces, const char *));) {
        for (; *piece && to < end; piece++)
            *to++ = *piece == '\n' ? ' ' : *piece;
    }
    va_end(pieces);
    *to = '\0';
    return o->why;
}

/* The option whose name `text` begins with, up to its end or a '='; there is one. */
static const struct recording_option *row_of(const char *text)
{
    for (const struct recording_option *option = options_table;; option++) {
        const char *rest = behind(text, option->name);
        if (rest && (!*rest || *rest == '='))
            return option;
    }
}

bool options_given(const struct engine_options *o, const char *name)
{
    return o->given[row_of(name) - options_table];
}

/* The first word (0) of "yes|no", or one behind it. */
static const char *word_of(const struct recording_option *option, uint64_t which, char word[GEOMETRY_TEXT])
{
    const char *from = option->value;
    char *to = word;

    while (which)
        which -= *from++ == '|';
    while (*from && *from != '|')
        *to++ = *from++;
    *to = '\0';
    return word;
}

/* "stream,adjacent", or the first word if nothing is on. */
static const char *list_text(const struct recording_option *option, const bool *on, char text[GEOMETRY_TEXT])
{
    char *to = text;

    for (uint64_t i = 0; i < option->detail; i++) {
        if (!on[i])
            continue;
        if (to > text)
            *to++ = ',';
        word_of(option, i + 1, to);
        while (*to)
            to++;
    }
    return to > text ? text : word_of(option, 0, text);
}

const char *options_text(const struct engine_options *o, const struct recording_option *option,
                         char text[GEOMETRY_TEXT])
{
    const void *member = (const char *)o + option->member;
    bool has_value = option->kind != OPTIONS_COUNT || !option->detail || o->given[option - options_table];

    switch (option->kind) {
    case OPTIONS_SWITCH:
        return word_of(option, !*(const bool *)member, text);
    case OPTIONS_WORDS:
        return word_of(option, *(const bool *)member, text);
    case OPTIONS_LIST:
        return list_text(option, member, text);
    case OPTIONS_COUNT:
    case OPTIONS_MEBIBYTES:
        number_put(text, *(const uint64_t *)member);
        return has_value ? text : NULL;
    case OPTIONS_COUNT_32:
        number_put(text, *(const uint32_t *)member);
        return text;
    case OPTIONS_GEOMETRY:
        geometry_put(text, member);
        return ((const struct tn_geometry *)member)->size ? text : NULL;
    case OPTIONS_TLB:
        return tlb_put(text, member);
    case OPTIONS_TEXT:
        return *(const char *const *)member;
    case OPTIONS_POINT:
        return ((const struct start_point *)member)->text;
    case OPTIONS_ALSO:
        return o->also_texts;
    case OPTIONS_FUNCTIONS:
    case OPTIONS_ALLOC:
    case OPTIONS_SEPARATE:
    case OPTIONS_REMAP:
        break;
    }
    return NULL;
}

bool options_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* ------------------------------------------------------------------------------------------ values */

/* Each of these returns NULL, or what is wrong with `value`. */

static const char *take_word(struct engine_options *o, const struct recording_option *option, bool *target,
                             const char *value)
{
    char words[2][GEOMETRY_TEXT];

    for (int i = 0; i < 2; i++) {
        const char *rest = behind(value, word_of(option, i, words[i]));
        if (rest && !*rest) {
            *target = i == (option->kind == OPTIONS_WORDS);
            return NULL;
        }
    }
    return compose(o, "the value must be ", words[0], " or ", words[1], NULL);
}

static const char *take_list(struct engine_options *o, const struct recording_option *option, bool *on,
                             const char *value)
{
    char word[GEOMETRY_TEXT];
    const char *rest = behind(value, word_of(option, 0, word));
    bool more = !rest || *rest;

    memset(on, 0, option->detail * sizeof *on);
    while (more) {
        uint64_t which = option->detail;
        for (; which; which--) {
            rest = behind(value, word_of(option, which, word));
            if (rest && (!*rest || *rest == ','))
                break;
        }
        if (!which)
            return compose(o, "the value must be of ", option->value, ", several with commas between them", NULL);
        on[which - 1] = true;
        more = *rest == ',';
        value = rest + more;
    }
    return NULL;
}

/* `text` up to `end` is a pattern. */
static const char *take_pattern(struct engine_options *o, const struct recording_option *option, const char *text,
                                const char *end, uint64_t number)
{
    size_t bytes = (size_t)(end - text);

    if (bytes == 0)
        return "name a function";
    struct options_pattern *pattern = o->allocate(sizeof *pattern + bytes + 1);
    *pattern = (struct options_pattern){option, (uint32_t)option->detail, (uint32_t)number, false, o->patterns};
    memcpy(pattern->text, text, bytes);
    pattern->text[bytes] = '\0';
    o->patterns = pattern;
    return NULL;
}

static const char *end_of(const char *text)
{
    while (*text)
        text++;
    return text;
}

/* The last one holds. */
static const char *take_point(struct engine_options *o, const struct recording_option *option,
                              struct start_point *point, const char *value)
{
    const char *end = value;

    for (struct options_pattern *pattern = o->patterns; pattern; pattern = pattern->next) {
        if (pattern->option->kind == OPTIONS_POINT)
            pattern->detail &= ~(uint32_t)option->detail;
    }
    *point = (struct start_point){.text = value, .is_number = is_digit(*value)};
    if (!point->is_number && !(*value == '-' && is_digit(value[1])))
        return take_pattern(o, option, value, end_of(value), 0);
    if (!point->is_number || !number_parse(&end, &point->instructions) || *end != '\0')
        return "give a function, or a whole number of instructions";
    return NULL;
}

/* What is behind the name: =N, =N=FUNCTIONS or N=FUNCTIONS. */
static const char *take_separate(struct engine_options *o, const struct recording_option *option, const char *rest)
{
    bool recs = option->detail == OPTIONS_RECS, for_all = *rest == '=';
    const char *end = rest + for_all;
    uint64_t number;

    _Static_assert(TN_MAX_SEPARATE == 100, "the text below");
    if (!number_parse(&end, &number) || number < recs || number > TN_MAX_SEPARATE ||
        (*end != '=' && (*end != '\0' || !for_all)))
        return recs ? "give a number of levels from 1 to 100, for all functions or as N=FUNCTION"
                    : "give a number of callers from 0 to 100, for all functions or as N=FUNCTION";
    if (*end == '=')
        return take_pattern(o, option, end + 1, end_of(end), number);
    o->separate[option->detail] = (uint32_t)number;
    return NULL;
}

/* FUNCTIONS, or FUNCTIONS:N. */
static const char *take_alloc(struct engine_options *o, const struct recording_option *option, const char *value)
{
    const char *end = value, *colon = NULL, *digits;
    uint64_t which = 1;

    for (; *end; end++)
        colon = *end == ':' && end[1] != ':' && (end == value || end[-1] != ':') ? end : colon;
    digits = colon ? colon + 1 : NULL;
    if (digits && (!number_parse(&digits, &which) || *digits || which < 1 || which > TN_C_ARGUMENTS))
        return "behind the colon goes the number of an argument, 1 to 4";
    return take_pattern(o, option, value, colon ? colon : end, which);
}

/* *texts, with `value` behind it. */
static void add_text(const struct engine_options *o, const char **texts, const char *value)
{
    size_t before = *texts ? (size_t)(end_of(*texts) - *texts) : 0, bytes = (size_t)(end_of(value) - value);
    char *all = o->allocate(before + bytes + sizeof "; ");

    memcpy(all, *texts ? *texts : "", before);
    memcpy(all + before, "; ", before ? 2 : 0);
    memcpy(all + before + (before ? 2 : 0), value, bytes + 1);
    *texts = all;
}

static const char *take_also(struct engine_options *o, const char *value)
{
    const char *at = value, *wrong;
    struct also_machine machine;
    char text[ALSO_TEXT];

    do {
        if (o->config.also_count == TN_ALSO_MOST)
            return "there may be 4 further machines";
        wrong = also_parse(&at, &machine);
        if (wrong)
            return wrong;
        for (uint32_t i = 0; i < o->config.also_count; i++) {
            if (options_matches(machine.name, o->also_name[i]))
                return "two machines of one name: each has a profile of its own, which is called so";
        }
        memcpy(o->also_name[o->config.also_count], machine.name, sizeof machine.name);
        o->config.also[o->config.also_count++] = machine.caches;
        also_put(text, &machine);
        add_text(o, &o->also_texts, text);
    } while (*at);
    return NULL;
}

static const char *take_remap(struct engine_options *o, const struct recording_option *option, const char *value)
{
    const char *name, *end;

    if (!o->remaps)
        o->config.remaps = o->remaps = o->allocate(OPTIONS_REMAPS * sizeof *o->remaps);
    if (o->config.remap_count == OPTIONS_REMAPS)
        return "there may be 32 of them";
    const char *wrong = remap_parse(value, &o->remaps[o->config.remap_count], &name, &end);
    if (wrong)
        return wrong;
    add_text(o, &o->remap_texts, value);
    return take_pattern(o, option, name, end, ++o->config.remap_count);
}

static const char *take(struct engine_options *o, const struct recording_option *option, const char *value)
{
    void *member = (char *)o + option->member;
    const char *end = value, *wrong = NULL;
    uint64_t number = 0;

    switch (option->kind) {
    case OPTIONS_SWITCH:
    case OPTIONS_WORDS:
        wrong = take_word(o, option, member, value);
        break;
    case OPTIONS_LIST:
        return take_list(o, option, member, value);
    case OPTIONS_COUNT:
    case OPTIONS_COUNT_32:
        if (!size_parse(&end, &number) || *end || (option->kind == OPTIONS_COUNT_32 && number > UINT32_MAX))
            return "the value must be a whole number";
        if (option->kind == OPTIONS_COUNT)
            *(uint64_t *)member = number;
        else
            *(uint32_t *)member = (uint32_t)number;
        break;
    case OPTIONS_MEBIBYTES:
        if (!size_parse(&end, &number) || *end || number < 4 || number > 1024)
            return "the value must be a number of MiB from 4 to 1024";
        *(uint64_t *)member = number;
        break;
    case OPTIONS_TEXT:
        if (!*value)
            return "the value is empty";
        *(const char **)member = value;
        break;
    case OPTIONS_GEOMETRY:
        o->geometry_source[option->detail] = "option";
        if (option->detail == GEOMETRY_L2 && options_matches("none", value)) {
            *(struct tn_geometry *)member = (struct tn_geometry){0};
            return NULL;
        }
        if (option->detail == GEOMETRY_L2 && (*value < '0' || *value > '9'))
            return "a cache is size,associativity,line in bytes, as in 1M,16,64; none: there is no L2";
        return geometry_parse(value, member);
    case OPTIONS_TLB:
        return tlb_parse(value, member);
    case OPTIONS_FUNCTIONS:
        if (option->detail & (TN_FN_DUMP_BEFORE | TN_FN_DUMP_AFTER))
            o->functions_dump = true;
        if (option->detail & TN_FN_TOGGLE) { /* a later --collect-atstart=yes wins */
            o->config.collect_at_start = false;
            o->given[row_of("collect-atstart") - options_table] = true;
        }
        return take_pattern(o, option, value, end_of(value), 0);
    case OPTIONS_POINT:
        return take_point(o, option, member, value);
    case OPTIONS_ALLOC:
        return take_alloc(o, option, value);
    case OPTIONS_SEPARATE:
        return take_separate(o, option, value);
    case OPTIONS_REMAP:
        return take_remap(o, option, value);
    case OPTIONS_ALSO:
        return take_also(o, value);
    }
    return wrong;
}

/* ------------------------------------------------------------------------------------------ the command line */

const struct recording_option *options_take(struct engine_options *o, const char *argument, const char **wrong)
{
    const char *rest = behind(argument, "--");

    *wrong = NULL;
    for (const struct recording_option *option = options_table; option < options_table + options_count; option++) {
        const char *value = rest ? behind(rest, option->name) : NULL;
        bool is_separate = option->kind == OPTIONS_SEPARATE; /* its value begins right behind the name */
        if (!value || (*value != '=' && !(is_separate && is_digit(*value))))
            continue;
        value += !is_separate;
        if (!o->is_native && (option->engines == OPTIONS_NATIVE || option->engines == OPTIONS_HANDLED))
            *wrong = "the Valgrind engine has no such option";
        else if (o->is_native && option->engines == OPTIONS_VALGRIND)
            *wrong = "the native engine has no such option";
        else
            *wrong = take(o, option, value);
        o->given[option - options_table] = true;
        return option;
    }
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        const char *end = rest ? behind(rest, foreign[i].name) : NULL;
        while (end && is_digit(*end))
            end++;
        if (end && (*end == '=' || *end == '\0'))
            *wrong = foreign[i].reason;
    }
    return NULL;
}

void options_list(struct engine_options *o, bool of_tests, void (*show)(const char *line))
{
    for (const struct recording_option *option = options_table; option < options_table + options_count; option++) {
        bool has = option->engines == OPTIONS_BOTH || o->is_native == (option->engines != OPTIONS_VALGRIND);
        if (has && option->is_test == of_tests)
            show(compose(o, "--", option->name, "=", option->value, "  ", option->help, NULL));
    }
}

void options_default(struct engine_options *o)
{
    *o = (struct engine_options){.out_file = "tenure.raw.%p",
                                 .separate = {[OPTIONS_RECS] = 1},
                                 .is_native = o->is_native,
                                 .allocate = o->allocate,
                                 .read_text = o->read_text};
    tn_config_default(&o->config);
    for (const struct recording_option *option = options_table; option < options_table + options_count; option++) {
        void *member = (char *)o + option->member;

        if (option->kind == OPTIONS_SWITCH || option->kind == OPTIONS_WORDS)
            *(bool *)member = option->usual;
        else if (option->kind == OPTIONS_COUNT || option->kind == OPTIONS_MEBIBYTES)
            *(uint64_t *)member = option->usual;
        else if (option->kind == OPTIONS_COUNT_32)
            *(uint32_t *)member = (uint32_t)option->usual;
    }
}

/* ------------------------------------------------------------------------------------------ what fits together */

const struct options_pattern *options_of_flag(const struct engine_options *o, uint32_t flags)
{
    const struct options_pattern *at = o->patterns;

    while (at && !((at->option->kind == OPTIONS_FUNCTIONS || at->option->kind == OPTIONS_POINT) && at->detail & flags))
        at = at->next;
    return at;
}

static uint32_t most_separate(const struct engine_options *o, uint32_t which)
{
    uint32_t most = o->separate[which];

    for (const struct options_pattern *at = o->patterns; at; at = at->next) {
        if (at->option->kind == OPTIONS_SEPARATE && at->detail == which && at->number > most)
            most = at->number;
    }
    return most;
}

/* Whether the option does anything. */
static bool is_on(const struct engine_options *o, const struct recording_option *option)
{
    const void *member = (const char *)o + option->member;

    switch (option->kind) {
    case OPTIONS_SWITCH:
    case OPTIONS_WORDS:
        return *(const bool *)member;
    case OPTIONS_LIST:
        for (size_t i = 0; i < option->detail; i++) {
            if (((const bool *)member)[i])
                return true;
        }
        return false;
    case OPTIONS_COUNT:
        return *(const uint64_t *)member > 0;
    case OPTIONS_ALSO:
        return o->config.also_count > 0;
    case OPTIONS_SEPARATE:
        return most_separate(o, (uint32_t)option->detail) > (option->detail == OPTIONS_RECS);
    default:
        return o->given[option - options_table];
    }
}

/* Whether what `wanted` names ("name=value", "name") is so. */
static bool has(const struct engine_options *o, const char *wanted)
{
    const struct recording_option *option = row_of(wanted);
    const char *value = behind(wanted, option->name), *text;
    char room[GEOMETRY_TEXT];

    if (!*value)
        return o->given[option - options_table];
    text = options_text(o, option, room);
    text = text ? behind(text, value + 1) : NULL;
    return text && !*text;
}

static const char *check_needs(struct engine_options *o)
{
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const struct need *need = &needs[i];
        const struct recording_option *option = row_of(need->name), *other = row_of(need->other);

        if (!is_on(o, option) || has(o, need->other) || (need->or && has(o, need->or)))
            continue;
        if (option->kind == OPTIONS_SWITCH && option->usual && !o->given[option - options_table])
            *((bool *)o + option->member) = false;
        else if (other->kind == OPTIONS_SWITCH && !need->or && !o->given[other - options_table])
            *((bool *)o + other->member) = !*((bool *)o + other->member);
        else
            return compose(o, "--", need->name, " goes only with --", need->other, need->or ? " or --" : "",
                           need->or ? need->or : "", ": ", need->reason, NULL);
    }
    return NULL;
}

enum { USUAL_TURN = 1000 }; /* with coherence: short enough for threads to meet, long enough to go on with */

static bool is_given(const struct engine_options *o, enum geometry_level level)
{
    return options_given(o, geometry_name[level]);
}

static void leave_out_l2(struct engine_options *o)
{
    o->config.l2 = (struct tn_geometry){0};
    o->geometry_source[GEOMETRY_L2] = "default";
}

/* Caches that were not given are this machine's. Whoever gives both D1 and LL, as for Callgrind, has said what there is
 * between them: no L2, unless it is given, too; nor is there one that does not fit between caches that were given. */
static void choose_caches(struct engine_options *o)
{
    struct tn_geometry found[GEOMETRY_LEVELS];
    const char *source[GEOMETRY_LEVELS];
    const struct tn_config *config = &o->config;

    geometry_detect(o->read_text, found, source);
    for (unsigned level = 0; level < GEOMETRY_LEVELS; level++) {
        if (o->geometry_source[level])
            continue;
        o->geometry_source[level] = source[level];
        *geometry_of(&o->config, level) = found[level];
    }
    if (is_given(o, GEOMETRY_L2))
        return;
    bool has_room = config->d1.size < config->l2.size && config->l2.size < config->ll.size &&
                    config->i1.line <= config->l2.line && config->d1.line <= config->l2.line &&
                    config->l2.line <= config->ll.line;
    if (!has_room || (is_given(o, GEOMETRY_D1) && is_given(o, GEOMETRY_LL)))
        leave_out_l2(o);
}

/* A cache's lines are no shorter than those of the caches above it. */
static const char *check_lines(struct engine_options *o)
{
    for (unsigned level = GEOMETRY_I1; level < GEOMETRY_LL; level++) {
        unsigned next = level == GEOMETRY_I1 ? GEOMETRY_L2 : level + 1;
        next += next == GEOMETRY_L2 && o->config.l2.size == 0;
        const struct tn_geometry *upper = geometry_of(&o->config, level), *lower = geometry_of(&o->config, next);
        char lines[2][NUMBER_TEXT];

        if (upper->size == 0 || upper->line <= lower->line)
            continue;
        number_put(lines[0], lower->line);
        number_put(lines[1], upper->line);
        return compose(o, "--", geometry_name[next], ": its lines of ", lines[0], " bytes are shorter than ",
                       geometry_name[level], "'s of ", lines[1], NULL);
    }
    return NULL;
}

const char *options_check(struct engine_options *o)
{
    const struct start_point *warm = &o->start.warm, *run = &o->start.run;
    const char *wrong;

    choose_caches(o);
    if ((wrong = check_lines(o)))
        return wrong;
    o->config.separate_callers = most_separate(o, OPTIONS_CALLERS);
    o->config.separate_recs = most_separate(o, OPTIONS_RECS);
    if ((wrong = check_needs(o)))
        return wrong;
    if (o->tlb)
        tlb_detect(geometry_ask_processor, o->config.itlb, o->config.dtlb);
    if (!options_given(o, "paths")) /* a number that was asked for is kept to */
        o->config.most_doublings = 2;
    if (o->config.coherence && !o->turn)
        o->turn = USUAL_TURN;
    o->start.phase = run->text ? START_WAITS : START_RUNS;
    o->start.collects = o->config.collect_at_start;
    if (warm->text && warm->is_number && run->is_number && warm->instructions >= run->instructions)
        return "--warm is to come before --start, by fewer instructions";
    if (run->text && run->is_number && run->instructions == 0)
        return "--start=0 is where the program begins anyway: leave it out";
    if (warm->text && warm->is_number && warm->instructions == 0)
        o->start.phase = START_WARMS;
    if (o->start.phase != START_RUNS) { /* what is to be collected from the start on is collected from there on */
        o->instrument_at_start = o->start.phase == START_WARMS;
        o->config.collect_at_start = false;
    }
    wrong = tn_config_check(&o->config);
    if (!wrong || is_given(o, GEOMETRY_L2))
        return wrong;
    leave_out_l2(o); /* it has too few sets for the sample, say */
    return tn_config_check(&o->config);
}
