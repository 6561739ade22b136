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
    bool sources; /* tables temp.page_sources and temp.page_refused have the text of source files */
    bool advice;  /* the tables of advice.h are there */
    bool sides;   /* schemas `before` and `after` have rows of the same ids: events of these too, "Ir@before" */
};

/* Makes temporary tables of what several tables of the page need; page_coded(function_id) are the functions whose
 * instructions it shows. `sides`: as of the choice. */
int tp_html_tables_make(tp_profile *profile, bool sides, struct tp_error *err);
/* Write the blocks of every table. Temporary tables, those of html_code.h too, are there. */
int tp_html_tables_write(tp_profile *profile, struct tp_pack *pack, struct tp_html_tables *tables,
                         const struct tp_html_choice *choice);
void tp_html_tables_free(struct tp_html_tables *tables);

#endif
