/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.c: see json.h.
 */
#include "profile/base/json.h"

#include <math.h>
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

void tp_json_bool(struct tp_json *json, const char *name, bool value)
{
    tp_json_next(json, name);
    fputs(value ? "true" : "false", json->out);
}

void tp_json_figure(struct tp_json *json, const char *name, double value)
{
    tp_json_next(json, name);
    fprintf(json->out, isfinite(value) ? "%.10g" : "null", value);
}

void tp_json_real(struct tp_json *json, const char *name, double value)
{
    tp_json_next(json, name);
    tp_write_real(json->out, value);
}

size_t tp_utf8(const void *text, size_t left)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *p = text;
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

    if (n == 1)
        return p[0] != 0;
    if (n == 0 || n > left)
        return 0;
    uint32_t code = p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    return code < smallest[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

size_t tp_control(const char *text)
{
    unsigned char first = (unsigned char)text[0], second = first ? (unsigned char)text[1] : 0;

    if (first < 0x20 || first == 0x7f)
        return first != 0;
    return first == 0xc2 && second >= 0x80 && second < 0xa0 ? 2 : 0;
}

/* The page has the same list (page/src/format.js). */
size_t tp_shown(const char *text)
{
    if (*text >= ' ' && *text < 0x7f)
        return 1;
    size_t n = tp_utf8(text, strnlen(text, 4));
    uint32_t code = n == 1 ? (uint8_t)*text : (uint8_t)*text & (0x7fu >> n);

    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((uint8_t)text[i] & 0x3f);
    bool hidden = code == 0x61c || (code >= 0x200b && code < 0x2010) || (code >= 0x2028 && code < 0x202f) ||
                  (code >= 0x2060 && code < 0x2070) || code == 0xfeff;
    return hidden || tp_control(text) ? 0 : n;
}

/* What a terminal might obey (C0, DEL and C1) and bytes that are not UTF-8 are written as numbers. */
void tp_write_json_text(FILE *out, const char *text)
{
    size_t left = strlen(text), n;

    putc('"', out);
    for (; left > 0; text += n, left -= n) {
        const unsigned char *p = (const unsigned char *)text;
        for (n = 0; p[n] >= 0x20 && p[n] < 0x7f && p[n] != '"' && p[n] != '\\'; n++) /* as most is */
            ;
        if (n == 0 && *p >= 0x80)
            n = tp_utf8(p, left);
        if (n == 2 && tp_control(text)) {
            fprintf(out, "\\u%04x", p[1]);
        } else if (n > 0) {
            fwrite(p, 1, n, out);
        } else {
            fprintf(out, *p == '"' || *p == '\\' ? "\\%c" : "\\u%04x", *p);
            n = 1;
        }
    }
    putc('"', out);
}

void tp_write_csv_text(FILE *out, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

    fprintf(out, "%s%s", quote, *text && strchr("=+-@\t\r", *text) ? "'" : "");
    for (size_t escaped = 0; *text; text++, escaped -= escaped > 0) {
        if (!escaped && !strchr("\t\r\n", *text))
            escaped = tp_control(text);
        if (escaped)
            fprintf(out, "\\x%02x", (unsigned char)*text);
        else
            putc(*text, out);
        if (*text == '"')
            putc('"', out);
    }
    fputs(quote, out);
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
