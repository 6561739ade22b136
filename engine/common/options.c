/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.c: see options.h.
 */
#include "engine/common/options.h"

#include <stdarg.h>
#include <string.h>

#include "engine/common/allocs.h"
#include "engine/common/functions.h"

enum kind {
    BOOL, DATA, STRIDES, PATTERNS, ALLOC, PREFETCH, COHERENCE, TEXT, COUNT, COUNT_32, GEOMETRY, FUNCTIONS, POINT,
    SEPARATE
};

struct option {
    const char *name; /* without the leading -- */
    enum kind kind;
    size_t target;    /* offset in engine_options of a bool, const char *, uint64_t, uint32_t, struct tn_geometry */
    uint32_t detail;  /* GEOMETRY: the level; FUNCTIONS, POINT: the flag; SEPARATE: OPTIONS_CALLERS, OPTIONS_RECS */
    const char *help; /* "=<value>  text" */
    bool debug;       /* listed by --help-debug */
    bool threads;     /* taken by engines that run threads themselves */
};

#define AT(member) offsetof(struct engine_options, member)

static const struct option options[] = {
    {"tenure-out-file", TEXT, AT(out_file), 0, "=<file>  raw profile [tenure.raw.%p]"},
    {"control-dir", TEXT, AT(control_dir), 0, "=<folder>  where `tenure control` finds this process [none]"},
    {"I1", GEOMETRY, AT(config.i1), GEOMETRY_I1, "=<size>,<assoc>,<line>  instruction cache [this machine's]"},
    {"D1", GEOMETRY, AT(config.d1), GEOMETRY_D1, "=<size>,<assoc>,<line>  data cache [this machine's]"},
    {"L2", GEOMETRY, AT(config.l2), GEOMETRY_L2, "=<size>,<assoc>,<line>  cache of code and data between them [none]"},
    {"LL", GEOMETRY, AT(config.ll), GEOMETRY_LL, "=<size>,<assoc>,<line>  last-level cache [this machine's]"},
    {"cache-sim", BOOL, AT(config.cache_sim), 0, "=yes|no  simulate caches [yes]"},
    {"branch-sim", BOOL, AT(config.branch_sim), 0, "=yes|no  simulate branch prediction [no]"},
    {"cacheuse", BOOL, AT(config.use), 0, "=yes|no  collect the use of cache lines [yes]"},
    {"write-back", BOOL, AT(config.write_back), 0, "=yes|no  count lines written back [no]"},
    {"simulate-wb", BOOL, AT(config.write_back), 0, "=yes|no  the same, as Callgrind calls it"},
    {"prefetch", PREFETCH, AT(config.prefetch), 0, "=none|stream  prefetch into the level below level 1 [none]"},
    {"simulate-hwpref", BOOL, AT(config.prefetch), 0,
     "=yes|no  the same, as Callgrind calls it: yes is stream, no is none"},
    {"coherence", COHERENCE, AT(config.coherence), 0,
     "=no|mesi  D1s of threads invalidate each other's lines; threads take turns [no]"},
    {"strides", STRIDES, AT(config.strides), 0, "=yes|no  keep strides between the misses of an instruction [yes]"},
    {"patterns", PATTERNS, AT(config.patterns), 0,
     "=yes|no  tell misses apart (cold, capacity, conflict), keep the sets that conflict [no]"},
    {"interdependence", BOOL, AT(config.pairs), 0,
     "=yes|no  keep who throws out whose lines, and who loads them again [no]; yes tells misses apart, too"},
    {"inclusive", BOOL, AT(config.inclusive), 0, "=yes|no  follow calls [yes]"},
    {"data", DATA, AT(config.data), 0, "=yes|no  charge data structures: heap blocks, globals, stacks, files [yes]"},
    {"alloc-fn", ALLOC, 0, false,
     "=<functions>[:<n>]  these allocate memory too; argument <n> is the size [1]; may be repeated"},
    {"free-fn", ALLOC, 0, true, "=<functions>[:<n>]  and these free it; argument <n> is the address [1]"},
    {"paths", COUNT, AT(config.paths), 0, "=<n>  call paths kept apart; 0: none [250000]"},
    {"shared-l1", BOOL, AT(config.shared_l1), 0, "=yes|no  one I1 and D1 for all threads [no]"},
    {"parallel", BOOL, AT(parallel), 0, "=yes|no  threads run at the same time [yes]", .threads = true},
    {"deterministic", BOOL, AT(deterministic), 0, "=yes|no  threads take turns, in the same order in each run [no]",
     .threads = true},
    {"turn", COUNT, AT(turn), 0,
     "=<n>  accesses that a thread's turn lasts; 0: the usual number, with --coherence=mesi 1000 [0]", .threads = true},
    {"flush-at-exit", BOOL, AT(config.flush_at_exit), 0,
     "=yes|no  charge the lines resident at the end [yes]"},
    {"collect-atstart", BOOL, AT(config.collect_at_start), 0, "=yes|no  collect from the start [yes]"},
    {"instr-atstart", BOOL, AT(instrument_at_start), 0, "=yes|no  simulate from the start [yes]"},
    {"instr-at-start", BOOL, AT(instrument_at_start), 0, "=yes|no  the same, by Cachegrind's name"},
    {"start", POINT, AT(start.run), TN_FN_START,
     "=<functions>|<n>  neither simulate nor collect before their first entry, or for <n> instructions"},
    {"warm", POINT, AT(start.warm), TN_FN_WARM,
     "=<functions>|<n>  but simulate from there on, so that --start finds warm caches [from --start on]"},
    {"toggle-collect", FUNCTIONS, 0, TN_FN_TOGGLE,
     "=<functions>  collect inside only; * and ? match; may be repeated"},
    {"dump-before", FUNCTIONS, 0, TN_FN_DUMP_BEFORE, "=<functions>  write a part at each entry"},
    {"dump-after", FUNCTIONS, 0, TN_FN_DUMP_AFTER, "=<functions>  write a part at each return"},
    {"zero-before", FUNCTIONS, 0, TN_FN_ZERO_BEFORE, "=<functions>  forget all costs at each entry"},
    {"dump-every", COUNT, AT(dump_every), 0, "=<n>  write a part every <n> instructions; 0: do not [0]"},
    {"stop-after", COUNT, AT(stop_after), 0,
     "=<n>  neither simulate nor collect after <n> instructions; 0: go on to the end [0]"},
    {"fn-skip", FUNCTIONS, 0, TN_FN_SKIP, "=<functions>  costs go to the caller"},
    {"skip-plt", BOOL, AT(skip_plt), 0, "=yes|no  so for procedure linkage tables [yes]"},
    {"separate-callers", SEPARATE, 0, OPTIONS_CALLERS,
     "=<n>[=<functions>]  keep functions apart by <n> callers; also --separate-callers<n>=<functions> [0]"},
    {"separate-recs", SEPARATE, 0, OPTIONS_RECS,
     "=<n>[=<functions>]  and by <n> levels of recursion; also --separate-recs<n>=<functions> [1]"},
    {"fork-inherit", BOOL, AT(fork_inherit), 0,
     "=yes|no  a forked child goes on with its parent's costs [no]"},
    {"aslr", BOOL, AT(aslr), 0, "=yes|no  random addresses; no: the same in each run [no]"},
    {"spare-core", BOOL, AT(spare_core), 0,
     "=yes|no  simulate the lower levels on another core, if one is idle [yes]", .threads = true},
    {"elements", TEXT, AT(elements), 0, "=<file>  what the program's data is made of, from `tenure record` [none]"},
    {"host", TEXT, AT(host), 0, "=<name>  this machine's name, for the profile [none]"},
    {"rank", TEXT, AT(rank), 0, "=<n>  the process's rank in its job, for the profile [none]"},
    {"counter-limit", COUNT_32, AT(config.counter_limit), 0,
     "=<n>  segment counters at most [8388608, with contexts 67108864]", true},
    {"alias-limit", COUNT_32, AT(config.alias_limit), 0,
     "=<n>  hits that the way table misses, until an access gets another [16384]", true},
};

static const struct {
    const char *name, *reason;
} refused[] = {
    {"callgrind-out-file", "the raw profile is named by --tenure-out-file"},
    {"cachegrind-out-file", "the raw profile is named by --tenure-out-file"},
    {"dump-line", "lines are always kept; choose what to show when reporting"},
    {"dump-instr", "instructions are always kept; choose what to show when reporting"},
    {"compress-strings", "it belongs to Callgrind's format: use `tenure export --format=callgrind`"},
    {"compress-pos", "it belongs to Callgrind's format: use `tenure export --format=callgrind`"},
    {"combine-dumps", "all parts of a run are always in one file"},
    {"dump-every-bb", "blocks are not the program's: use --dump-every, which counts instructions"},
    {"collect-jumps", "jumps inside functions are not recorded; calls and tail calls always are"},
    {"collect-bus", "there are no global bus events; --coherence=mesi counts what threads share"},
    {"collect-systime", "the costs are simulated; time in the kernel is not among them: use `perf trace`"},
    {"separate-threads", "threads are always kept apart; reports show them apart or together"},
    {"skip-direct-rec", "recursion never counts an event twice here; its levels are kept apart by --separate-recs"},
};

/* ------------------------------------------------------------------------------------------ text */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* What follows `head` in `text`; NULL if it does not begin so. */
static const char *behind(const char *text, const char *head)
{
    while (*head && *text == *head)
        text++, head++;
    return *head ? NULL : text;
}

/* What follows --NAME; NULL if that is not how `argument` begins. */
static const char *behind_name(const char *argument, const char *name)
{
    const char *rest = behind(argument, "--");

    return rest ? behind(rest, name) : NULL;
}

/* The digits at *text, which it moves behind; false if there are none, or too many. */
static bool read_number(const char **text, uint64_t *out)
{
    uint64_t value = 0;

    if (!is_digit(**text))
        return false;
    for (; is_digit(**text); ++*text) {
        uint64_t digit = (uint64_t)(**text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

/* Pieces, one behind the other, up to a NULL; cut off where the room ends. */
static enum options_taken wrong(char why[OPTIONS_WHY], ...)
{
    char *to = why, *end = why + OPTIONS_WHY - 1;
    va_list pieces;

    va_start(pieces, why);
    for (const char *piece; (piece = va_arg(pieces, const char *));) {
        while (*piece && to < end)
            *to++ = *piece++;
    }
    va_end(pieces);
    *to = '\0';
    return OPTIONS_WRONG;
}

/* ------------------------------------------------------------------------------------------ values */

/* The value behind the name of `option`; NULL if `argument` is another option. That of SEPARATE begins right behind
 * the name. */
static const char *value_of(const char *argument, const struct option *option)
{
    const char *rest = behind_name(argument, option->name);

    if (rest && option->kind == SEPARATE)
        return *rest == '=' || is_digit(*rest) ? rest : NULL;
    return rest && *rest == '=' ? rest + 1 : NULL;
}

static enum options_taken take_bool(bool *target, const char *argument, const char *value, const char *no,
                                    const char *yes, char why[OPTIONS_WHY])
{
    *target = same(value, yes);
    if (!*target && !same(value, no))
        return wrong(why, argument, ": the value must be ", yes[0] == 'y' ? yes : no, " or ",
                     yes[0] == 'y' ? no : yes, NULL);
    return OPTIONS_TAKEN;
}

static enum options_taken take_count(void *target, uint64_t limit, const char *argument, const char *value,
                                     char why[OPTIONS_WHY])
{
    uint64_t count;

    if (!read_number(&value, &count) || *value != '\0' || count > limit)
        return wrong(why, argument, ": the value must be a whole number", NULL);
    if (limit == UINT32_MAX)
        *(uint32_t *)target = (uint32_t)count;
    else
        *(uint64_t *)target = count;
    return OPTIONS_TAKEN;
}

static enum options_taken take_functions(struct engine_options *o, const struct option *option, const char *argument,
                                         const char *value, char why[OPTIONS_WHY])
{
    if (*value == '\0')
        return wrong(why, argument, ": name a function", NULL);
    struct options_pattern *pattern = o->allocate(sizeof *pattern);
    *pattern = (struct options_pattern){value, option->detail, o->patterns};
    o->patterns = pattern;
    if (option->detail & (TN_FN_DUMP_BEFORE | TN_FN_DUMP_AFTER))
        o->functions_dump = true;
    if (option->detail & TN_FN_TOGGLE)
        o->config.collect_at_start = false; /* a later --collect-atstart=yes wins */
    return OPTIONS_TAKEN;
}

/* The last one holds. */
static enum options_taken take_point(struct engine_options *o, const struct option *option, struct start_point *point,
                                     const char *argument, const char *value, char why[OPTIONS_WHY])
{
    const char *end = value;

    for (struct options_pattern *pattern = o->patterns; pattern; pattern = pattern->next)
        pattern->flag &= ~option->detail;
    *point = (struct start_point){.text = value, .is_number = is_digit(*value)};
    if (!point->is_number && !(*value == '-' && is_digit(value[1])))
        return take_functions(o, option, argument, value, why);
    if (!point->is_number || !read_number(&end, &point->instructions) || *end != '\0')
        return wrong(why, argument, ": give a function, or a whole number of instructions", NULL);
    return OPTIONS_TAKEN;
}

/* What is behind the name: =N, =N=FUNCTIONS or N=FUNCTIONS. */
static enum options_taken take_separate(struct engine_options *o, const struct option *option, const char *argument,
                                        const char *rest, char why[OPTIONS_WHY])
{
    bool recs = option->detail == OPTIONS_RECS;
    const char *end = *rest == '=' ? rest + 1 : rest;
    bool for_all = *rest == '=';
    uint64_t number;

    _Static_assert(TN_MAX_SEPARATE == 100, "the text below");
    if (!read_number(&end, &number) || number < recs || number > TN_MAX_SEPARATE ||
        (*end != '=' && (*end != '\0' || !for_all)))
        return wrong(why, argument, ": give a number from ", recs ? "1" : "0",
                     " to 100, for all functions or as in --", option->name, recs ? "2" : "1", "=FUNCTION", NULL);
    if (*end == '\0') {
        o->separate[option->detail] = (uint32_t)number;
        return OPTIONS_TAKEN;
    }
    if (end[1] == '\0')
        return wrong(why, argument, ": name a function", NULL);
    struct options_separation *separation = o->allocate(sizeof *separation);
    *separation = (struct options_separation){end + 1, (uint32_t)number, o->separations[option->detail]};
    o->separations[option->detail] = separation;
    return OPTIONS_TAKEN;
}

/* FUNCTIONS, or FUNCTIONS:N. */
static enum options_taken take_alloc(struct engine_options *o, const struct option *option, const char *argument,
                                     const char *value, char why[OPTIONS_WHY])
{
    const char *end = value, *number = NULL;
    uint64_t which = 1;

    for (; *end; end++)
        number = *end == ':' && end[1] != ':' && (end == value || end[-1] != ':') ? end : number;
    if (number) {
        const char *digits = number + 1;
        if (!read_number(&digits, &which) || *digits || which < 1 || which > TN_ARGUMENTS)
            return wrong(why, argument, ": behind the colon goes the number of an argument, 1 to 4", NULL);
        end = number;
    }
    if (end == value)
        return wrong(why, argument, ": name a function", NULL);
    struct options_alloc *alloc = o->allocate(sizeof *alloc);
    *alloc = (struct options_alloc){value, (size_t)(end - value), option->detail, (uint8_t)which, o->allocs};
    o->allocs = alloc;
    return OPTIONS_TAKEN;
}

static enum options_taken take(struct engine_options *o, const struct option *option, const char *argument,
                               const char *value, char why[OPTIONS_WHY])
{
    void *target = (char *)o + option->target;

    switch (option->kind) {
    case BOOL:
        return take_bool(target, argument, value, "no", "yes", why);
    case STRIDES:
        o->strides_asked = true;
        return take_bool(target, argument, value, "no", "yes", why);
    case DATA:
        o->data_asked = true;
        return take_bool(target, argument, value, "no", "yes", why);
    case PATTERNS:
        o->patterns_asked = true;
        return take_bool(target, argument, value, "no", "yes", why);
    case ALLOC:
        return take_alloc(o, option, argument, value, why);
    case PREFETCH:
        return take_bool(target, argument, value, "none", "stream", why);
    case COHERENCE:
        return take_bool(target, argument, value, "no", "mesi", why);
    case TEXT:
        if (*value == '\0')
            return wrong(why, argument, ": the value is empty", NULL);
        *(const char **)target = value;
        return OPTIONS_TAKEN;
    case COUNT:
        return take_count(target, UINT64_MAX, argument, value, why);
    case COUNT_32:
        return take_count(target, UINT32_MAX, argument, value, why);
    case GEOMETRY:
        if (!geometry_parse(value, target))
            return wrong(why, argument, ": a cache is size,associativity,line in bytes, as in 32768,8,64", NULL);
        o->geometry_source[option->detail] = "option";
        return OPTIONS_TAKEN;
    case FUNCTIONS:
        return take_functions(o, option, argument, value, why);
    case POINT:
        return take_point(o, option, target, argument, value, why);
    case SEPARATE:
        return take_separate(o, option, argument, value, why);
    }
    return OPTIONS_NOT_OURS;
}

/* ------------------------------------------------------------------------------------------ the command line */

/* The name as written, or followed by digits. */
static bool is_refused(const char *argument, const char *name)
{
    const char *rest = behind_name(argument, name);

    while (rest && is_digit(*rest))
        rest++;
    return rest && (*rest == '=' || *rest == '\0');
}

enum options_taken options_take(struct engine_options *o, const char *argument, char why[OPTIONS_WHY])
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *value = value_of(argument, &options[i]);
        if (value && options[i].threads && !o->has_threads)
            return wrong(why, argument, " is refused: only the native engine can choose how threads run", NULL);
        if (value)
            return take(o, &options[i], argument, value, why);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (is_refused(argument, refused[i].name))
            return wrong(why, argument, " is refused: ", refused[i].reason, NULL);
    }
    return OPTIONS_NOT_OURS;
}

void options_list(const struct engine_options *o, void (*show)(const char *name, const char *help, bool debug))
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (o->has_threads || !options[i].threads)
            show(options[i].name, options[i].help, options[i].debug);
    }
}

void options_default(struct engine_options *out, geometry_read_text *read_text)
{
    *out = (struct engine_options){.out_file = "tenure.raw.%p",
                                   .instrument_at_start = true,
                                   .skip_plt = true,
                                   .has_threads = out->has_threads,
                                   .parallel = true,
                                   .spare_core = true,
                                   .separate = {[OPTIONS_RECS] = 1},
                                   .allocate = out->allocate};
    tn_config_default(&out->config);
    out->config.data = true;
    out->config.strides = true;
    geometry_detect(read_text, &out->config, out->geometry_source);
}

static uint32_t most_separate(const struct engine_options *o, int which)
{
    uint32_t most = o->separate[which];

    for (const struct options_separation *s = o->separations[which]; s; s = s->next)
        most = s->number > most ? s->number : most;
    return most;
}

enum { USUAL_TURN = 1000 }; /* with coherence: short enough for threads to meet, long enough to go on with */

/* What is to be collected from the start on is collected from there on. */
static const char *check_start(struct engine_options *o)
{
    const char *wrong = start_check(&o->start);

    o->start.collects = o->config.collect_at_start;
    if (wrong || o->start.phase == START_RUNS)
        return wrong;
    if (o->start.warm.text && !o->config.collect_at_start)
        return "--warm leaves it to --start when collection begins: it goes neither with --collect-atstart=no nor with "
               "--toggle-collect";
    o->instrument_at_start = o->start.phase == START_WARMS;
    o->config.collect_at_start = false;
    return NULL;
}

const char *options_check(struct engine_options *o)
{
    o->config.separate_callers = most_separate(o, OPTIONS_CALLERS);
    o->config.separate_recs = most_separate(o, OPTIONS_RECS);
    if (o->config.pairs && o->patterns_asked && !o->config.patterns)
        return "--interdependence=yes is of misses that --patterns=yes tells apart: leave out --patterns=no";
    o->config.patterns |= o->config.pairs;
    if (!o->data_asked && (!o->config.inclusive || !o->config.cache_sim))
        o->config.data = false;
    if (!o->strides_asked && !o->config.cache_sim)
        o->config.strides = false;
    if (o->turn && !o->config.coherence && !o->deterministic)
        return "--turn says how long turns last: give it with --coherence=mesi or --deterministic=yes";
    if (o->config.coherence && !o->turn)
        o->turn = USUAL_TURN;
    const char *wrong = check_start(o);
    return wrong ? wrong : tn_config_check(&o->config);
}

const char *options_out_of_counters(const struct engine_options *o)
{
    if (o->config.separate_callers > 0 || o->config.separate_recs > 1)
        return "too many functions are kept apart. The program was stopped, and what it did until then is recorded. "
               "Use smaller numbers, or only for some functions, as in --separate-callers2=FUNCTION";
    return "the program has too much code. It was stopped, and what it did until then is recorded. Simulate a part of "
           "the run: --instr-atstart=no and the requests of tenure.h";
}

bool options_toggle(const struct engine_options *o)
{
    bool toggles = !o->start.collects || o->start.warm.text || o->stop_after;

    for (const struct options_pattern *pattern = o->patterns; pattern; pattern = pattern->next)
        toggles |= (pattern->flag & TN_FN_TOGGLE) != 0;
    return toggles;
}

enum request options_due(struct engine_options *o, uint64_t instructions)
{
    if (o->start.phase != START_RUNS)
        return REQUEST_UNKNOWN;
    instructions -= o->start.begun;
    if (o->stop_after && instructions >= o->stop_after) {
        o->stop_after = o->dump_every = 0;
        return REQUEST_STOP;
    }
    if (!o->dump_every || instructions - o->dumped < o->dump_every)
        return REQUEST_UNKNOWN;
    o->dumped = instructions - instructions % o->dump_every;
    return REQUEST_DUMP;
}

/* ------------------------------------------------------------------------------------------ functions */

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

static uint16_t separate_of(const struct engine_options *o, int which, const char *name)
{
    const struct options_separation *separation = o->separations[which];

    while (separation && !options_matches(separation->text, name))
        separation = separation->next;
    return (uint16_t)(separation ? separation->number : o->separate[which]);
}

static bool names(const struct options_alloc *alloc, const char *name)
{
    char pattern[OPTIONS_WHY];

    if (alloc->bytes >= sizeof pattern)
        return false;
    memcpy(pattern, alloc->text, alloc->bytes);
    pattern[alloc->bytes] = '\0';
    return options_matches(pattern, name);
}

static struct tn_allocation allocation_of(const struct engine_options *o, const char *name)
{
    const struct options_alloc *alloc = o->allocs;

    while (alloc && !names(alloc, name))
        alloc = alloc->next;
    if (!alloc)
        return allocs_of(name);
    return alloc->frees ? (struct tn_allocation){.old = alloc->argument}
                        : (struct tn_allocation){.bytes = alloc->argument};
}

void options_describe(const struct engine_options *o, uint32_t fb_flags, struct tn_function_info *info)
{
    if ((fb_flags & FB_PLT) && o->skip_plt)
        info->flags |= TN_FN_SKIP;
    if (behind(info->name, "_dl_runtime_resolve"))
        info->flags |= TN_FN_POP_ON_JUMP;
    for (const struct options_pattern *pattern = o->patterns; pattern; pattern = pattern->next) {
        if ((pattern->flag & ~info->flags) != 0 && options_matches(pattern->text, info->name))
            info->flags |= pattern->flag;
    }
    info->separate_callers = separate_of(o, OPTIONS_CALLERS, info->name);
    info->separate_recs = separate_of(o, OPTIONS_RECS, info->name);
    info->allocation = allocation_of(o, info->name);
}

/* ------------------------------------------------------------------------------------------ meta data */

/* The digits of `value` at `to`; returns their end, where a NUL is. */
static char *put_number(char *to, uint64_t value)
{
    char digits[20];
    int count = 0;

    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0)
        *to++ = digits[--count];
    *to = '\0';
    return to;
}

void options_meta_number(tn_core *core, const char *key, uint64_t value)
{
    char text[24];

    put_number(text, value);
    tn_meta(core, key, text);
}

static void meta_flag(tn_core *core, const char *key, bool value)
{
    tn_meta(core, key, value ? "yes" : "no");
}

static void meta_geometry(const struct engine_options *o, tn_core *core, const char *key, const char *source_key,
                          const struct tn_geometry *geometry, enum geometry_level level)
{
    char text[64], *end = put_number(text, geometry->size);

    *end++ = ',';
    end = put_number(end, geometry->assoc);
    *end++ = ',';
    put_number(end, geometry->line);
    tn_meta(core, key, text);
    tn_meta(core, source_key, o->geometry_source[level]);
}

void options_started(struct engine_options *o, tn_core *core, uint64_t instructions)
{
    o->start.begun = instructions;
    if (o->start.run.is_number)
        options_meta_number(core, "started", instructions);
    else
        tn_meta(core, "started", "yes");
}

void options_meta(const struct engine_options *o, tn_core *core)
{
    const struct tn_config *config = &o->config;

    meta_geometry(o, core, "cache.I1", "cache.I1.source", &config->i1, GEOMETRY_I1);
    meta_geometry(o, core, "cache.D1", "cache.D1.source", &config->d1, GEOMETRY_D1);
    if (config->l2.size > 0)
        meta_geometry(o, core, "cache.L2", "cache.L2.source", &config->l2, GEOMETRY_L2);
    meta_geometry(o, core, "cache.LL", "cache.LL.source", &config->ll, GEOMETRY_LL);
    meta_flag(core, "cache-sim", config->cache_sim);
    meta_flag(core, "branch-sim", config->branch_sim);
    meta_flag(core, "cacheuse", config->use);
    meta_flag(core, "write-back", config->write_back);
    tn_meta(core, "prefetch", config->prefetch ? "stream" : "none");
    tn_meta(core, "coherence", config->coherence ? "mesi" : "no");
    if (o->has_threads && o->turn)
        options_meta_number(core, "turn", o->turn);
    meta_flag(core, "strides", config->strides);
    meta_flag(core, "patterns", config->patterns);
    meta_flag(core, "interdependence", config->pairs);
    meta_flag(core, "inclusive", config->inclusive);
    meta_flag(core, "data", config->data);
    meta_flag(core, "shared-l1", config->shared_l1);
    meta_flag(core, "flush-at-exit", config->flush_at_exit);
    meta_flag(core, "aslr", o->aslr);
    options_meta_number(core, "paths", config->paths);
    if (o->start.run.text)
        tn_meta(core, "start", o->start.run.text);
    if (o->start.warm.text)
        tn_meta(core, "warm", o->start.warm.text);
    if (o->start.run.text)
        tn_meta(core, "started", "no");
    if (o->host)
        tn_meta(core, "host", o->host);
    if (o->rank)
        tn_meta(core, "rank", o->rank);
}
