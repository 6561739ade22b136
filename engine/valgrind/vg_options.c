/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_options.c: the tool's command line: the options of a recording (engine/common/options.h), as Valgrind asks for
 * them. Valgrind hands over one by one those that it does not know itself. Behind the last one, the tool says whether
 * they fit together.
 */
#include "vg_options.h"

#include "pub_tool_options.h"

#include "vg_host.h"

struct vg_engine vg;

Bool vg_options_take(const HChar *argument)
{
    const struct recording_option *option;
    const char *wrong;

    if (VG_(Clo_Mode)() != cloP)
        return False;
    option = options_take(&vg.options, argument, &wrong);
    if (wrong != NULL)
        vg_refuse(option == NULL ? "%s is refused: %s" : "%s: %s", argument, wrong);
    return option != NULL;
}

static void show_option(const char *line, bool is_test)
{
    if (!is_test)
        VG_(printf)("    %s\n", line);
}

static void show_debug_option(const char *line, bool is_test)
{
    if (is_test)
        VG_(printf)("    %s\n", line);
}

void vg_options_usage(void)
{
    options_list(&vg.options, show_option);
}

void vg_options_debug_usage(void)
{
    options_list(&vg.options, show_debug_option);
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
    vg.options.read_text = read_text;
    options_default(&vg.options);
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
