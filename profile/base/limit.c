/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limit.c: see limit.h. The limit's own part is found from the end: the last > or < behind which a number is all that
 * is left.
 */
#include "profile/base/limit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"

/* "=+12.5K%" to its end. */
static bool read_number(struct tp_limit *limit, const char *at)
{
    static const char suffixes[] = "KMG";
    char *end;

    limit->equal = *at == '=';
    at += limit->equal;
    limit->growth = *at == '+' || *at == '-';
    bool negative = *at == '-';
    at += limit->growth;
    if (!isdigit((unsigned char)*at) || (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')))
        return false;
    limit->number = strtod(at, &end);
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    for (const char *s = suffixes; suffix && s <= suffix; s++)
        limit->number *= 1024;
    end += suffix != NULL;
    limit->percent = *end == '%';
    end += limit->percent;
    limit->number = negative ? -limit->number : limit->number;
    return *end == '\0' && isfinite(limit->number);
}

/* The @ behind EVENT: the first; behind a size that follows it, LLm@2M@total, the second. */
static const char *event_end(const char *text)
{
    const char *at = strchr(text, '@'), *end = at ? at + 1 + strspn(at + 1, "0123456789") : NULL;

    if (!at || end == at + 1)
        return at;
    end += *end == 'K' || *end == 'M';
    end += strncmp(end, "_incl", 5) == 0 ? 5 : 0;
    return *end == '@' ? end : at;
}

int tp_limit_read(struct tp_limit *limit, const char *text, struct tp_error *err)
{
    static const char data[] = "data:";
    const char *at = event_end(text), *sign = text + strlen(text);

    *limit = (struct tp_limit){.number = 0};
    if (!at || at == text || (size_t)(at - text) >= sizeof limit->event)
        return TP_FAIL(err, "'%s' is no limit: it begins with an event and @, as in DLmr@total>+5%%", text);
    while (sign > at && !((*sign == '>' || *sign == '<') && read_number(limit, sign + 1)))
        sign--;
    if (sign <= at)
        return TP_FAIL(err, "'%s' is no limit: it ends with > or < and a number, as in DLmr@total>+5%%, "
                            "Ir_incl@main>1000", text);
    if (sign == at + 1)
        return TP_FAIL(err, "'%s' is no limit: behind @ comes a function's name, or total", text);
    memcpy(limit->event, text, (size_t)(at - text));
    limit->above = *sign == '>';
    limit->data = strncmp(at + 1, data, sizeof data - 1) == 0 && at[sizeof data] != ':';
    at += limit->data ? sizeof data - 1 : 0;
    if (sign == at + 1)
        return TP_FAIL(err, "'%s' is no limit: behind data: comes a data structure's name", text);
    limit->where = strndup(at + 1, (size_t)(sign - at - 1));
    if (!limit->where)
        return TP_NO_MEMORY(err);
    limit->total = !limit->data && strcmp(limit->where, "total") == 0;
    return 0;
}

bool tp_limit_broken(const struct tp_limit *limit, double baseline, double now, double total)
{
    double value = limit->growth ? now - baseline : now, of = limit->growth ? baseline : total;
    double most = limit->percent ? limit->number * fabs(of) / 100 : limit->number;

    if (limit->equal && !(value < most) && !(value > most))
        return true;
    return limit->above ? value > most : value < most;
}

void tp_limit_free(struct tp_limit *limit)
{
    free(limit->where);
    limit->where = NULL;
}
