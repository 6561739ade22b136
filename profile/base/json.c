/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.c: see json.h.
 */
#include "profile/base/json.h"

#include <stdlib.h>
#include <string.h>

void tp_json_next(struct tp_json *json, const char *name)
{
    struct tp_json_open *open = json->depth ? &json->open[json->depth - 1] : NULL;

    if (open && (open->any || strchr(open->between, '\n')))
        fputs(open->between + !open->any, json->out); /* before the first one without its comma */
    if (open)
        open->any = 1;
    if (name) {
        tp_write_json_text(json->out, name);
        fputs(": ", json->out);
    }
}

void tp_json_begin(struct tp_json *json, const char *name, char bracket, const char *between)
{
    tp_json_next(json, name);
    putc(bracket, json->out);
    json->open[json->depth++] = (struct tp_json_open){between, bracket, 0};
}

void tp_json_end(struct tp_json *json)
{
    putc(json->open[--json->depth].bracket == '{' ? '}' : ']', json->out);
}

void tp_json_text(struct tp_json *json, const char *name, const char *text)
{
    tp_json_next(json, name);
    if (text)
        tp_write_json_text(json->out, text);
    else
        fputs("null", json->out);
}

void tp_json_integer(struct tp_json *json, const char *name, int64_t value)
{
    tp_json_next(json, name);
    fprintf(json->out, "%lld", (long long)value);
}

void tp_json_real(struct tp_json *json, const char *name, double value)
{
    tp_json_next(json, name);
    tp_write_real(json->out, value);
}

void tp_write_json_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

void tp_write_real(FILE *out, double value)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (!(back < value) && !(back > value))
            break;
    }
    fputs(text, out);
}
