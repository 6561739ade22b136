/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method1_part.c: what method 1 knows when a part ends, as a sheet; see method1.h.
 *
 * Here costs are charged: each to the distinct arcs and functions of its chain.
 */
#include "method1_own.h"

#include <stdio.h>

static char *print_path(const struct method1 *m, uint32_t path, char *end)
{
    const struct path *p = &m->path.at[path];

    if (!p->above)
        return end + sprintf(end, "t%u%s/%s", p->thread, p->handler ? "h" : "", m->name.at[p->context].text);
    end = print_path(m, p->above, end);
    return end + sprintf(end, "/i%u.%s", m->arc.at[p->arc].site, m->name.at[p->context].text);
}

static char *print_origin(const struct method1 *m, uint32_t path, char *end)
{
    const struct path *p = &m->path.at[path];
    const char *name = m->name.at[p->context].text;

    if (p->above)
        end = print_origin(m, p->above, end);
    if (p->above)
        end += sprintf(end, "/i%u.", m->arc.at[p->arc].site);
    return end + sprintf(end, "%.*s", (int)strcspn(name, "'"), name);
}

void m1_origin(const struct method1 *m, uint32_t thread, uint32_t entered, char *text)
{
    const struct frame *frame = running_frame(m, thread);
    char *end = print_origin(m, m->link.at[frame->link].path, text);

    if (frame->skip_site && entered)
        sprintf(end, "/i%u.f%u", frame->skip_site, entered);
}

static void arc_key(const struct method1 *m, uint32_t arc, char *key)
{
    const struct arc *a = &m->arc.at[arc];

    sprintf(key, "arc i%u %s %s", a->site, m->name.at[a->caller].text, m->name.at[a->callee].text);
}

/* One cost, the whole chain: each distinct arc and context once. */
static void charge_chain(const struct method1 *m, uint32_t last, struct sheet *sheet)
{
    const uint64_t *cost = m->link.at[last].cost;
    char key[2 * MAX_NAME + 32];

    for (uint32_t link = last; link; link = m->link.at[link].above) {
        const struct link *l = &m->link.at[link];
        bool seen_arc = false, seen_context = false;

        for (uint32_t lower = last; lower != link; lower = m->link.at[lower].above) {
            seen_arc |= m->link.at[lower].arc == l->arc;
            seen_context |= m->link.at[lower].context == l->context;
        }
        if (l->arc && !seen_arc) {
            arc_key(m, l->arc, key);
            sheet_add(sheet, key, cost, 0);
        }
        if (!seen_context) {
            sprintf(key, "func %s", m->name.at[l->context].text);
            sheet_add(sheet, key, cost, 0);
        }
    }
    sprintf(key, "func %s self", m->name.at[m->link.at[last].context].text);
    sheet_add(sheet, key, cost, 0);
    sheet_add(sheet, "total", cost, 0);
}

/* The same of a cost in a data object, to contexts alone; and to the path. */
static void charge_held(const struct method1 *m, const struct held *held, struct sheet *sheet)
{
    static char key[1 << 20];
    uint32_t last = held->link;
    char *end;

    for (uint32_t link = last; link; link = m->link.at[link].above) {
        bool seen = false;

        for (uint32_t lower = last; lower != link; lower = m->link.at[lower].above)
            seen |= m->link.at[lower].context == m->link.at[link].context;
        if (seen)
            continue;
        sprintf(key, "under %s %s", m->name.at[m->link.at[link].context].text, mm_name(m->memory, held->object));
        sheet_add(sheet, key, held->cost, 0);
    }
    strcpy(key, "cell ");
    end = print_path(m, m->link.at[last].path, key + 5);
    sprintf(end, " %s", mm_name(m->memory, held->object));
    sheet_add(sheet, key, held->cost, 0);
}

static void charge_path(const struct method1 *m, uint32_t path, const uint64_t *cost, struct sheet *sheet)
{
    static char key[1 << 20];

    strcpy(key, "path ");
    print_path(m, path, key + 5);
    sheet_add(sheet, key, cost, 0);
    for (; path; path = m->path.at[path].above) {
        strcpy(key, "incl ");
        print_path(m, path, key + 5);
        sheet_add(sheet, key, cost, 0);
    }
}

static void write_calls(const struct method1 *m, struct sheet *sheet)
{
    static char key[1 << 20];

    for (uint32_t i = 1; i <= m->arc.count; i++) {
        arc_key(m, i, key);
        sheet_add(sheet, key, NULL, m->arc.at[i].calls);
    }
    for (uint32_t i = 1; i <= m->name.count; i++) {
        if (!m->name.at[i].is_context)
            continue;
        sprintf(key, "func %s", m->name.at[i].text);
        sheet_add(sheet, key, NULL, m->name.at[i].calls);
    }
    for (uint32_t i = 1; i <= m->path.count; i++) {
        strcpy(key, "path ");
        print_path(m, i, key + 5);
        sheet_add(sheet, key, NULL, m->path.at[i].calls);
    }
    for (uint32_t i = 1; i <= m->alias.count; i++) {
        const struct alias *alias = &m->alias.at[i];
        char *end = print_path(m, alias->path, key + sprintf(key, "alias "));

        sprintf(end, "/i%u.%s", m->arc.at[alias->arc].site, m->name.at[m->arc.at[alias->arc].callee].text);
        sheet_add(sheet, key, NULL, alias->calls);
    }
}

void m1_part(struct method1 *m, struct sheet *sheet)
{
    static const uint64_t zero[M_EVENTS];
    uint64_t(*by_path)[M_EVENTS] = calloc(m->path.count + 1, sizeof *by_path);

    sheet_clear(sheet);
    for (uint32_t i = 1; i <= m->self.count; i++) {
        const struct name *context = &m->name.at[m->self.at[i].context];
        static char key[1 << 20];
        char *end;

        if (!memcmp(m->self.at[i].cost, zero, sizeof zero))
            continue;
        sprintf(key, "self t%u i%u%s%s", m->self.at[i].thread, m->self.at[i].instr,
                context->is_plain ? "" : " ", context->is_plain ? "" : context->text);
        sheet_add(sheet, key, m->self.at[i].cost, 0);
        if (m->self.at[i].object) {
            end = key + strlen(key);
            memcpy(key, "data", 4);
            sprintf(end, " %s", mm_name(m->memory, m->self.at[i].object));
            sheet_add(sheet, key, m->self.at[i].cost, 0);
        }
        if (m->self.at[i].habit)
            habit_rows(m->self.at[i].habit, key, sheet);
    }
    if (m->memory)
        mm_part(m->memory, sheet);
    sheet_sum(sheet, &m->shared);
    again_rows(&m->again, "again 0 data - - -", sheet);
    again_rows(&m->reuse, "reuse 0 data - -", sheet);
    for (uint32_t i = 1; i <= m->link.count; i++) {
        const uint64_t *cost = m->link.at[i].cost;

        if (!memcmp(cost, zero, sizeof zero))
            continue;
        charge_chain(m, i, sheet);
        for (int e = 0; e < M_EVENTS; e++)
            by_path[m->link.at[i].path][e] += cost[e];
    }
    for (uint32_t i = 1; i <= m->held.count; i++)
        if (memcmp(m->held.at[i].cost, zero, sizeof zero))
            charge_held(m, &m->held.at[i], sheet);
    for (uint32_t i = 1; i <= m->path.count; i++)
        if (memcmp(by_path[i], zero, sizeof zero))
            charge_path(m, i, by_path[i], sheet);
    write_calls(m, sheet);
    free(by_path);
    m1_forget(m);
}
