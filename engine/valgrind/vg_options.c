/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_options.c: one table holds every option of the tool: its name, how its value is read, where it goes and
 * what `--help` says. Options of Callgrind and Cachegrind that this tool does not take are in a second table with
 * the reason and what to use instead, so that nobody's habit is silently ignored.
 */
#include "vg_options.h"

#include "pub_tool_options.h"

#include "vg_geometry.h"

struct vg_engine vg;

enum kind { YES_NO, NATIVE_BOOL, PREFETCH, TEXT, COUNT, COUNT_32, GEOMETRY, FUNCTIONS, SEPARATE };

struct option {
    const HChar *name; /* without the leading -- */
    enum kind kind;
    void *target;      /* Bool, bool, const HChar *, uint64_t, uint32_t, struct tn_geometry; FUNCTIONS: unused */
    UInt detail;       /* GEOMETRY: index of its source; FUNCTIONS: the flag; SEPARATE: VG_CALLERS, VG_RECS */
    const HChar *help; /* "value  text" */
    Bool debug;        /* listed by --help-debug */
};

static const struct option options[] = {
    {"tenure-out-file", TEXT, &vg.options.out_file, 0, "=<file>  raw profile [tenure.raw.%p]"},
    {"I1", GEOMETRY, &vg.config.i1, 0, "=<size>,<assoc>,<line>  instruction cache [this machine's]"},
    {"D1", GEOMETRY, &vg.config.d1, 1, "=<size>,<assoc>,<line>  data cache [this machine's]"},
    {"L2", GEOMETRY, &vg.config.l2, 2, "=<size>,<assoc>,<line>  cache of code and data between them [none]"},
    {"LL", GEOMETRY, &vg.config.ll, 3, "=<size>,<assoc>,<line>  last-level cache [this machine's]"},
    {"cache-sim", NATIVE_BOOL, &vg.config.cache_sim, 0, "=yes|no  simulate caches [yes]"},
    {"branch-sim", NATIVE_BOOL, &vg.config.branch_sim, 0, "=yes|no  simulate branch prediction [no]"},
    {"cacheuse", NATIVE_BOOL, &vg.config.use, 0, "=yes|no  collect the use of cache lines [yes]"},
    {"write-back", NATIVE_BOOL, &vg.config.write_back, 0, "=yes|no  count lines written back [no]"},
    {"simulate-wb", NATIVE_BOOL, &vg.config.write_back, 0, "=yes|no  the same, as Callgrind calls it"},
    {"prefetch", PREFETCH, &vg.config.prefetch, 0, "=none|stream  prefetch into the level below level 1 [none]"},
    {"simulate-hwpref", NATIVE_BOOL, &vg.config.prefetch, 0,
     "=yes|no  the same, as Callgrind calls it: yes is stream, no is none"},
    {"inclusive", NATIVE_BOOL, &vg.config.inclusive, 0, "=yes|no  follow calls [yes]"},
    {"paths", COUNT, &vg.config.paths, 0, "=<n>  call paths kept apart; 0: none [250000]"},
    {"shared-l1", NATIVE_BOOL, &vg.config.shared_l1, 0, "=yes|no  one I1 and D1 for all threads [no]"},
    {"flush-at-exit", NATIVE_BOOL, &vg.config.flush_at_exit, 0,
     "=yes|no  charge the lines resident at the end [yes]"},
    {"collect-atstart", NATIVE_BOOL, &vg.config.collect_at_start, 0, "=yes|no  collect from the start [yes]"},
    {"instr-atstart", YES_NO, &vg.options.instrument_at_start, 0, "=yes|no  simulate from the start [yes]"},
    {"instr-at-start", YES_NO, &vg.options.instrument_at_start, 0, "=yes|no  the same, by Cachegrind's name"},
    {"toggle-collect", FUNCTIONS, NULL, TN_FN_TOGGLE,
     "=<functions>  collect inside only; * and ? match; may be repeated"},
    {"dump-before", FUNCTIONS, NULL, TN_FN_DUMP_BEFORE, "=<functions>  write a part at each entry"},
    {"dump-after", FUNCTIONS, NULL, TN_FN_DUMP_AFTER, "=<functions>  write a part at each return"},
    {"zero-before", FUNCTIONS, NULL, TN_FN_ZERO_BEFORE, "=<functions>  forget all costs at each entry"},
    {"fn-skip", FUNCTIONS, NULL, TN_FN_SKIP, "=<functions>  costs go to the caller"},
    {"skip-plt", YES_NO, &vg.options.skip_plt, 0, "=yes|no  so for procedure linkage tables [yes]"},
    {"separate-callers", SEPARATE, NULL, VG_CALLERS,
     "=<n>[=<functions>]  keep functions apart by <n> callers; also --separate-callers<n>=<functions> [0]"},
    {"separate-recs", SEPARATE, NULL, VG_RECS,
     "=<n>[=<functions>]  and by <n> levels of recursion; also --separate-recs<n>=<functions> [1]"},
    {"fork-inherit", YES_NO, &vg.options.fork_inherit, 0,
     "=yes|no  a forked child goes on with its parent's costs [no]"},
    {"clean-environment", YES_NO, &vg.options.clean_environment, 0,
     "=yes|no  the program sees nothing of Valgrind [yes]", True},
    {"cold-blocks", YES_NO, &vg.options.cold_blocks, 0, "=yes|no  short code for blocks that run rarely [yes]", True},
    {"check-translation", YES_NO, &vg.options.vex_sanity, 0, "=yes|no  VEX checks what is emitted [no]", True},
    {"alias-limit", COUNT_32, &vg.config.alias_limit, 0,
     "=<n>  hits that the way table misses, until an access gets another [16384]", True},
};

static const struct {
    const HChar *name, *reason;
} refused[] = {
    {"callgrind-out-file", "the raw profile is named by --tenure-out-file"},
    {"cachegrind-out-file", "the raw profile is named by --tenure-out-file"},
    {"dump-line", "lines are always kept; choose what to show when reporting"},
    {"dump-instr", "instructions are always kept; choose what to show when reporting"},
    {"compress-strings", "it belongs to Callgrind's format: use `tenure export --format=callgrind`"},
    {"compress-pos", "it belongs to Callgrind's format: use `tenure export --format=callgrind`"},
    {"combine-dumps", "all parts of a run are always in one file"},
    {"dump-every-bb", "parts are made at functions or requests: use --dump-before, --dump-after or tenure.h"},
    {"collect-jumps", "jumps inside functions are not recorded; calls and tail calls always are"},
    {"collect-bus", "there are no global bus events; coherence is not simulated"},
    {"collect-systime", "the costs are simulated; time in the kernel is not among them: use `perf trace`"},
    {"separate-threads", "threads are always kept apart; reports show them apart or together"},
    {"skip-direct-rec", "recursion never counts an event twice here; its levels are kept apart by --separate-recs"},
};

/* A SEPARATE option's value begins right behind the name. */
static Bool named(const HChar *argument, const struct option *option, const HChar **value)
{
    SizeT length = VG_(strlen)(option->name);

    if (VG_(strncmp)(argument, "--", 2) != 0 || VG_(strncmp)(argument + 2, option->name, length) != 0)
        return False;
    *value = argument + 2 + length;
    if (option->kind == SEPARATE)
        return **value == '=' || VG_(isdigit)(**value);
    if (**value != '=')
        return False;
    ++*value;
    return True;
}

static Bool parse_bool(const HChar *argument, const HChar *value)
{
    if (VG_(strcmp)(value, "yes") == 0)
        return True;
    if (VG_(strcmp)(value, "no") != 0)
        vg_refuse("%s: the value must be yes or no", argument);
    return False;
}

static Bool parse_prefetch(const HChar *argument, const HChar *value)
{
    if (VG_(strcmp)(value, "stream") == 0)
        return True;
    if (VG_(strcmp)(value, "none") != 0)
        vg_refuse("%s: the value must be none or stream", argument);
    return False;
}

static ULong parse_count(const HChar *argument, const HChar *value)
{
    HChar *end = NULL;
    ULong count = VG_(isdigit)(*value) ? VG_(strtoull10)(value, &end) : 0;

    if (end == NULL || *end != '\0')
        vg_refuse("%s: the value must be a whole number", argument);
    return count;
}

static void take_functions(const struct option *option, const HChar *argument, const HChar *value)
{
    struct vg_pattern *pattern = VG_(malloc)("tenure.pattern", sizeof *pattern);

    if (*value == '\0')
        vg_refuse("%s: name a function", argument);
    pattern->text = value;
    pattern->flag = option->detail;
    pattern->next = vg.options.patterns;
    vg.options.patterns = pattern;
    if (option->detail & (TN_FN_DUMP_BEFORE | TN_FN_DUMP_AFTER))
        vg.functions_dump = True;
    if (option->detail & TN_FN_TOGGLE)
        vg.config.collect_at_start = false; /* a later --collect-atstart=yes wins */
}

/* What is behind the name: =N, =N=FUNCTIONS or N=FUNCTIONS. */
static void take_separate(const struct option *option, const HChar *argument, const HChar *rest)
{
    struct vg_separation *separation;
    UInt least = option->detail == VG_RECS ? 1 : 0;
    const HChar *digits = *rest == '=' ? rest + 1 : rest;
    HChar *end = NULL;
    ULong number = VG_(isdigit)(*digits) ? VG_(strtoull10)(digits, &end) : TN_MAX_SEPARATE + 1;

    if (number < least || number > TN_MAX_SEPARATE || (*end != '=' && (*end != '\0' || digits == rest)))
        vg_refuse("%s: give a number from %u to %u, for all functions or as in --%s%u=FUNCTION", argument, least,
                  TN_MAX_SEPARATE, option->name, least + 1);
    if (*end == '\0') {
        vg.options.separate[option->detail] = number;
        return;
    }
    if (end[1] == '\0')
        vg_refuse("%s: name a function", argument);
    separation = VG_(malloc)("tenure.separation", sizeof *separation);
    separation->text = end + 1;
    separation->number = number;
    separation->next = vg.options.separations[option->detail];
    vg.options.separations[option->detail] = separation;
}

static void take(const struct option *option, const HChar *argument, const HChar *value)
{
    switch (option->kind) {
    case YES_NO:
        *(Bool *)option->target = parse_bool(argument, value);
        break;
    case NATIVE_BOOL:
        *(bool *)option->target = parse_bool(argument, value);
        break;
    case PREFETCH:
        *(bool *)option->target = parse_prefetch(argument, value);
        break;
    case TEXT:
        if (*value == '\0')
            vg_refuse("%s: the value is empty", argument);
        *(const HChar **)option->target = value;
        break;
    case COUNT:
        *(uint64_t *)option->target = parse_count(argument, value);
        break;
    case COUNT_32:
        *(uint32_t *)option->target = parse_count(argument, value);
        break;
    case GEOMETRY:
        if (!vg_geometry_parse(value, option->target))
            vg_refuse("%s: a cache is size,associativity,line in bytes, as in 32768,8,64", argument);
        vg.options.geometry_source[option->detail] = "option";
        break;
    case FUNCTIONS:
        take_functions(option, argument, value);
        break;
    case SEPARATE:
        take_separate(option, argument, value);
        break;
    }
}

/* The name as written, or followed by digits. */
static Bool is_refused(const HChar *argument, const HChar *name)
{
    SizeT length = VG_(strlen)(name);

    if (VG_(strncmp)(argument, "--", 2) != 0 || VG_(strncmp)(argument + 2, name, length) != 0)
        return False;
    argument += 2 + length;
    while (VG_(isdigit)(*argument))
        argument++;
    return *argument == '=' || *argument == '\0';
}

Bool vg_options_take(const HChar *argument)
{
    const HChar *value;
    UInt i;

    if (VG_(Clo_Mode)() != cloP)
        return False;
    for (i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (named(argument, &options[i], &value)) {
            take(&options[i], argument, value);
            return True;
        }
    }
    for (i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (is_refused(argument, refused[i].name))
            vg_refuse("%s is refused: %s", argument, refused[i].reason);
    }
    return False;
}

static void print_options(Bool debug)
{
    UInt i;

    for (i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].debug == debug)
            VG_(printf)("    --%s%s\n", options[i].name, options[i].help);
    }
}

void vg_options_usage(void)
{
    print_options(False);
}

void vg_options_debug_usage(void)
{
    print_options(True);
}

void vg_options_default(void)
{
    tn_config_default(&vg.config);
    vg.options.out_file = "tenure.raw.%p";
    vg.options.instrument_at_start = True;
    vg.options.skip_plt = True;
    vg.options.clean_environment = True;
    vg.options.cold_blocks = True;
    vg.options.separate[VG_RECS] = 1;
    vg_geometry_detect(&vg.config);
}

static UInt most_separate(UInt which)
{
    const struct vg_separation *separation;
    UInt most = vg.options.separate[which];

    for (separation = vg.options.separations[which]; separation != NULL; separation = separation->next)
        most = separation->number > most ? separation->number : most;
    return most;
}

void vg_options_check(void)
{
    const struct vg_pattern *pattern;
    const char *wrong;
    Bool toggles = False;

    vg.config.separate_callers = most_separate(VG_CALLERS);
    vg.config.separate_recs = most_separate(VG_RECS);
    vg.separate = vg.config.separate_callers > 0 || vg.config.separate_recs > 1;
    wrong = tn_config_check(&vg.config);
    if (wrong != NULL)
        vg_refuse("%s", wrong);
    for (pattern = vg.options.patterns; pattern != NULL; pattern = pattern->next)
        toggles |= (pattern->flag & TN_FN_TOGGLE) != 0;
    vg.by_collecting = toggles || !vg.config.collect_at_start;
}

Bool vg_pattern_matches(const HChar *pattern, const HChar *text)
{
    const HChar *star = NULL, *resume = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++resume;
        } else {
            return False;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}
