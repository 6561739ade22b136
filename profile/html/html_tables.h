/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tables.h: which tables of a profile a page carries.
 */
#ifndef TENURE_PROFILE_HTML_TABLES_H
#define TENURE_PROFILE_HTML_TABLES_H

#include "profile/base/mem.h"
#include "profile/html/html.h"
#include "profile/html/html_sheet.h"

struct tp_html_tables {
    TP_VECTOR(struct tp_sheet) sheets;
    struct tp_arena arena;
};

/* Makes temporary tables of what several tables of the page need; page_coded(function_id) are the functions whose
 * instructions it shows. `sides`: schemas `before` and `after` have rows of the same ids. */
int tp_html_tables_make(tp_profile *profile, bool sides, struct tp_error *err);
/* Makes temp.page_code(instruction_id, text), of the functions in temp.page_coded: of the program's files as they are
 * here. Of objects that are not here, or not those recorded, there is no text. */
int tp_html_gather_code(tp_profile *profile, struct tp_error *err);
/* Write the blocks of every table. All these temporary tables are there, and unless there is to be no source those with
 * its text, temp.page_sources and temp.page_refused; `advised`: those of advice.h. */
int tp_html_tables_write(tp_profile *profile, struct tp_pack *pack, struct tp_html_tables *tables,
                         const struct tp_html_options *options, bool advised);
void tp_html_tables_free(struct tp_html_tables *tables);

#endif
