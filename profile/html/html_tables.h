/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tables.h: which tables of a profile a page carries.
 */
#ifndef TENURE_PROFILE_HTML_TABLES_H
#define TENURE_PROFILE_HTML_TABLES_H

#include "profile/base/mem.h"
#include "profile/html/html_sheet.h"

struct tp_html_tables {
    TP_VECTOR(struct tp_sheet) sheets;
    struct tp_arena arena;
};

struct tp_html_choice {
    bool sources; /* table temp.page_sources has the text of source files */
    bool sides;   /* schemas `before` and `after` have rows of the same ids: events of these too, "Ir@before" */
};

/* Write the blocks of every table. */
int tp_html_tables_write(tp_profile *profile, struct tp_pack *pack, struct tp_html_tables *tables,
                         const struct tp_html_choice *choice);
void tp_html_tables_free(struct tp_html_tables *tables);

#endif
