/* SPDX-License-Identifier: GPL-2.0-or-later */
/* passed.c: see passed.h. */
#include "cli/base/passed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/term.h"

static const char *own_name(const char *name)
{
    static const char *const others[][2] = {{"simulate-wb", "write-back"}, {"instr-at-start", "instr-atstart"}};
    size_t i = 0;

    while (i < sizeof others / sizeof others[0] && strcmp(others[i][0], name) != 0)
        i++;
    return i < sizeof others / sizeof others[0] ? others[i][1] : name;
}

bool passed_add(struct passed *passed, const char *name, const char *value)
{
    if (passed->count == PASSED_MOST)
        return false;
    if (asprintf(&passed->at[passed->count++], "--%s=%s", own_name(name), value) < 0)
        term_no_memory();
    return true;
}

const char *passed_value(const struct passed *passed, const char *name)
{
    size_t i = passed->count, length = strlen(name);

    while (i-- > 0) {
        if (strncmp(passed->at[i] + 2, name, length) == 0 && passed->at[i][2 + length] == '=')
            return passed->at[i] + 2 + length + 1;
    }
    return NULL;
}

bool passed_is(const struct passed *passed, const char *name, const char *value)
{
    const char *own = passed_value(passed, name);

    return own != NULL && strcmp(own, value) == 0;
}
