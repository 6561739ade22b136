/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotate_text.c: the text of a source file, as lines that a terminal can show.
 *
 * It is the one in the profile, if there is one; else the file's of today, which may be another by now: that it is
 * newer than the profile is told by their times. Tabs become spaces here, where the line begins in its first column.
 */
#include "cli/annotate/annotate.h"

#include "cli/base/given.h"
#include "cli/base/term.h"
#include "profile/objects/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TAB = 8 };

/* A line without its end and with spaces for tabs. */
static const char *make_line(struct annotate_text *text, const char *from, size_t length)
{
    size_t tabs = 0, at = 0, column = 0;
    char *to;

    length -= length > 0 && from[length - 1] == '\r';
    for (size_t i = 0; i < length; i++)
        tabs += from[i] == '\t';
    to = term_have(tp_arena_alloc(&text->arena, length + tabs * TAB + 1));
    for (size_t i = 0; i < length; i++) {
        if (from[i] == '\t') {
            do
                to[at++] = ' ';
            while (++column % TAB != 0);
            continue;
        }
        to[at++] = from[i];
        column += ((unsigned char)from[i] & 0xC0) != 0x80;
    }
    return to;
}

bool annotate_read(struct annotate *an, uint32_t index, struct annotate_text *text)
{
    const struct tp_annotated_file *file = &an->costs.files.at[index];
    struct tp_error err = {0};
    struct stat source, profile;
    const char *whole = NULL;

    memset(text, 0, sizeof *text);
    if (file->embedded != 0) {
        whole = tp_embedded_text(an->profile, &text->arena, file->embedded, &err);
        text->embedded = true;
        if (whole == NULL)
            term_error("%s", err.message);
        if (whole == NULL)
            return false;
    } else if (file->place.path != NULL) {
        whole = tp_source_text(&text->arena, &an->access, file->place.path);
        text->refused = whole == NULL ? tp_source_refused(&an->access, file->place.path) : NULL;
        text->newer = whole != NULL && stat(file->place.path, &source) == 0 && stat(an->file, &profile) == 0 &&
                      given_later(&source, &profile);
    }
    text->found = whole != NULL;
    while (text->found && *whole != '\0') {
        size_t length = strcspn(whole, "\n");
        const char **line = term_have(TP_VECTOR_ADD(&text->lines));

        *line = make_line(text, whole, length);
        whole += length + (whole[length] == '\n');
    }
    return true;
}

void annotate_text_free(struct annotate_text *text)
{
    TP_VECTOR_FREE(&text->lines);
    tp_arena_free(&text->arena);
}
