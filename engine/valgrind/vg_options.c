/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_options.c: the tool's command line: what every engine takes (engine/common/options.h), and the few options that
 * are about Valgrind.
 */
#include "vg_options.h"

#include "pub_tool_libcfile.h"
#include "pub_tool_options.h"

#include "vg_host.h"

struct vg_engine vg;

static const struct option {
    const HChar *name; /* without the leading -- */
    Bool *target;
    const HChar *help;
} own_options[] = {
    {"clean-environment", &vg.clean_environment, "=yes|no  the program sees nothing of Valgrind [yes]"},
    {"cold-blocks", &vg.cold_blocks, "=yes|no  short code for blocks that run rarely [yes]"},
    {"check-translation", &vg.vex_sanity, "=yes|no  VEX checks what is emitted [no]"},
};

static Bool take_own(const HChar *argument)
{
    UInt i;

    for (i = 0; i < sizeof own_options / sizeof own_options[0]; i++) {
        const HChar *name = own_options[i].name, *value;
        SizeT length = VG_(strlen)(name);

        if (VG_(strncmp)(argument, "--", 2) != 0 || VG_(strncmp)(argument + 2, name, length) != 0 ||
            argument[2 + length] != '=')
            continue;
        value = argument + 2 + length + 1;
        *own_options[i].target = VG_(strcmp)(value, "yes") == 0;
        if (!*own_options[i].target && VG_(strcmp)(value, "no") != 0)
            vg_refuse("%s: the value must be yes or no", argument);
        return True;
    }
    return False;
}

Bool vg_options_take(const HChar *argument)
{
    static HChar why[OPTIONS_WHY];

    if (VG_(Clo_Mode)() != cloP)
        return False;
    switch (options_take(&vg.options, argument, why)) {
    case OPTIONS_TAKEN:
        return True;
    case OPTIONS_WRONG:
        vg_refuse("%s", why);
    case OPTIONS_NOT_OURS:
        break;
    }
    return take_own(argument);
}

static void show_option(const char *name, const char *help, bool debug)
{
    if (!debug)
        VG_(printf)("    --%s%s\n", name, help);
}

static void show_debug_option(const char *name, const char *help, bool debug)
{
    if (debug)
        VG_(printf)("    --%s%s\n", name, help);
}

void vg_options_usage(void)
{
    options_list(&vg.options, show_option);
}

void vg_options_debug_usage(void)
{
    UInt i;

    options_list(&vg.options, show_debug_option);
    for (i = 0; i < sizeof own_options / sizeof own_options[0]; i++)
        show_debug_option(own_options[i].name, own_options[i].help, true);
}

static void *allocate(size_t bytes)
{
    return VG_(malloc)("tenure.options", bytes);
}

static bool read_text(const char *path, char *text, size_t size)
{
    return vg_read_text(path, text, size);
}

void vg_options_default(void)
{
    vg.options.allocate = allocate;
    options_default(&vg.options, read_text);
    vg.clean_environment = True;
    vg.cold_blocks = True;
}

void vg_options_check(void)
{
    const char *wrong = options_check(&vg.options);

    if (wrong != NULL)
        vg_refuse("%s", wrong);
    vg.config = vg.options.config;
    vg.separate = vg.config.separate_callers > 0 || vg.config.separate_recs > 1;
    vg.by_collecting = options_toggle(&vg.options);
}
