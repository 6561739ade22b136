/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fn_build.c: symbols and frames to ranges. The rules are in functions.h, the stages in functions.c.
 *
 * An *owner* is a function with a start of its own: symbols at one address fused, or a frame without symbol. Its
 * range may have holes (other owners inside it), so that one owner gives one or more ranges; all but the first are
 * pieces of the first.
 */
#include "engine/common/fn_build.h"

#include "engine/common/go_table.h"

#include <string.h>

enum {
    NO_OWNER = 0xffffffff,
    MAX_CHAIN = 8,
    MOST_NAME = 1 << 16,
    NAMES_OF_FILE = 16, /* bytes of names for each of the file: symbols share names and their ends */
};

struct frame {
    uint64_t start, end;
};

struct symbol {
    uint64_t start, end; /* end == start: no size */
    const char *name;
    uint32_t name_bytes;
    uint32_t group; /* 0: exported; else counts the source file of a local symbol */
    uint32_t owner;
    uint8_t type, bind;
};

struct owner {
    uint64_t start, end; /* end == start: not known yet */
    const char *name;
    uint32_t group, flags;
    uint32_t parent; /* another owner, or itself */
    uint32_t range;  /* its first */
};

struct build {
    fb_object *o;
    struct frame *frames;
    struct symbol *symbols;
    struct owner *owners;
    size_t frame_limit, symbol_limit, owner_limit;
    size_t frame_count, symbol_count, owner_count;
    uint64_t names_left;
};

/* ------------------------------------------------------------------------------------------ sorting */

static void merge(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *to, size_t each,
                  bool (*before)(const void *, const void *))
{
    while (na && nb) {
        bool second = before(b, a);
        memcpy(to, second ? b : a, each);
        to += each;
        b += second ? each : 0;
        a += second ? 0 : each;
        nb -= second;
        na -= !second;
    }
    memcpy(to, a, na * each);
    memcpy(to + na * each, b, nb * each);
}

void fb_sort(fb_object *o, void *array, size_t count, size_t each, bool (*before)(const void *, const void *))
{
    bool sorted = true;
    for (size_t i = 1; sorted && i < count; i++)
        sorted = !before((uint8_t *)array + i * each, (uint8_t *)array + (i - 1) * each);
    if (sorted)
        return;
    uint8_t *spare = fb_reserve(o, count, each), *from = array, *to = spare;
    if (!spare)
        return;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            size_t na = width < count - at ? width : count - at;
            size_t nb = width < count - at - na ? width : count - at - na;
            merge(from + at * each, na, from + (at + na) * each, nb, to + at * each, each, before);
        }
        uint8_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != array)
        memcpy(array, from, count * each);
    fb_release(o, spare, count, each);
}

/* ------------------------------------------------------------------------------------------ frames */

static void count_frame(void *user, uint64_t start, uint64_t size)
{
    (void)start;
    (void)size;
    ++*(size_t *)user;
}

static void add_frame(void *user, uint64_t start, uint64_t size)
{
    struct build *b = user;
    const struct fb_area *area = fb_area_at(b->o->areas, b->o->area_count, start);
    if (!area || area->kind != FB_AREA_CODE || b->frame_count == b->frame_limit)
        return;
    uint64_t end = size < area->end - start ? start + size : area->end;
    b->frames[b->frame_count++] = (struct frame){start, end};
}

static bool frame_before(const void *a, const void *b)
{
    const struct frame *x = a, *y = b;
    return x->start < y->start || (x->start == y->start && x->end > y->end);
}

static void find_frames(struct build *b)
{
    eh_frame_ranges(&b->o->image, count_frame, &b->frame_limit);
    b->frames = fb_reserve(b->o, b->frame_limit, sizeof *b->frames);
    if (!b->frames)
        return;
    eh_frame_ranges(&b->o->image, add_frame, b);
    fb_sort(b->o, b->frames, b->frame_count, sizeof *b->frames, frame_before);
}

/* ------------------------------------------------------------------------------------------ symbols */

void fb_tables(const fb_object *o, struct elf_symbols tables[FB_TABLES])
{
    elf_symbols(&o->image, ELF_SHT_SYMTAB, &tables[0]);
    elf_symbols(&o->image, ELF_SHT_DYNSYM, &tables[1]);
    elf_symbols(&o->debug, ELF_SHT_SYMTAB, &tables[2]);
}

uint64_t fb_names_left(const fb_object *o)
{
    return NAMES_OF_FILE * (o->image.size + o->debug.size);
}

bool fb_take_name(uint64_t *left, const char *name, uint32_t *bytes)
{
    uint32_t n = 0, most = *left < MOST_NAME ? (uint32_t)*left : MOST_NAME;
    while (n < most && name[n] && (name[n] != '@' || n == 0))
        n++;
    *left -= n;
    *bytes = n;
    return n > 0 && n < most;
}

static void add_symbol(struct build *b, const struct elf_symbol *s, uint32_t group)
{
    const struct fb_area *area = fb_area_at(b->o->areas, b->o->area_count, s->value);
    uint32_t bytes;
    if (!area || area->kind != FB_AREA_CODE || !fb_take_name(&b->names_left, s->name, &bytes))
        return;
    uint64_t left = area->end - s->value;
    b->symbols[b->symbol_count++] = (struct symbol){.start = s->value,
                                                    .end = s->value + (s->size < left ? s->size : left),
                                                    .name = s->name,
                                                    .name_bytes = bytes,
                                                    .group = s->bind == ELF_STB_LOCAL ? group : 0,
                                                    .owner = NO_OWNER,
                                                    .type = s->type,
                                                    .bind = s->bind};
}

static bool symbol_before(const void *a, const void *b)
{
    return ((const struct symbol *)a)->start < ((const struct symbol *)b)->start;
}

static void add_go_function(void *user, const char *name, uint64_t start, uint64_t size)
{
    add_symbol(user, &(struct elf_symbol){name, start, size, ELF_STT_FUNC, ELF_STB_LOCAL, true}, 1);
}

static void find_symbols(struct build *b)
{
    struct elf_symbols tables[FB_TABLES];
    struct elf_symbol s;
    fb_tables(b->o, tables);
    for (unsigned t = 0; t < FB_TABLES; t++)
        b->symbol_limit += tables[t].count;
    bool stripped = tables[0].count == 0 && tables[2].count == 0;
    if (stripped)
        b->symbol_limit += go_functions_count(&b->o->image);
    b->symbols = fb_reserve(b->o, b->symbol_limit, sizeof *b->symbols);
    uint32_t group = 0;
    b->names_left = fb_names_left(b->o);
    for (unsigned t = 0; b->symbols && t < FB_TABLES; t++) {
        group++;
        for (size_t i = 0; i < tables[t].count; i++) {
            elf_symbol(&tables[t], i, &s);
            if (s.type == ELF_STT_FILE)
                group++;
            else if ((s.type == ELF_STT_FUNC || s.type == ELF_STT_IFUNC || s.type == ELF_STT_NOTYPE) && s.defined)
                add_symbol(b, &s, group);
        }
    }
    if (b->symbols && stripped)
        go_functions(&b->o->image, add_go_function, b);
    if (b->symbols)
        fb_sort(b->o, b->symbols, b->symbol_count, sizeof *b->symbols, symbol_before);
}

/* ------------------------------------------------------------------------------------------ names */

static unsigned underscores(const char *name)
{
    unsigned n = 0;
    if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
        return 0;
    while (name[n] == '_')
        n++;
    return n;
}

/* < 0 if a comes first, by rules 3 to 6 of functions.h. */
static int compare_names(const struct fb_name *a, const struct fb_name *b)
{
    unsigned ua = underscores(a->name), ub = underscores(b->name);
    if (ua != ub)
        return ua < ub ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    bool weak_a = a->bind == ELF_STB_WEAK, weak_b = b->bind == ELF_STB_WEAK;
    if (weak_a != weak_b)
        return weak_a ? 1 : -1;
    for (uint32_t i = 0; i < a->bytes; i++)
        if (a->name[i] != b->name[i])
            return (unsigned char)a->name[i] < (unsigned char)b->name[i] ? -1 : 1;
    return 0;
}

bool fb_better_name(const struct fb_name *a, const struct fb_name *b)
{
    bool typed_a = a->type != ELF_STT_NOTYPE, typed_b = b->type != ELF_STT_NOTYPE;
    if (typed_a != typed_b)
        return typed_a;
    bool local_a = a->bind == ELF_STB_LOCAL, local_b = b->bind == ELF_STB_LOCAL;
    if (local_a != local_b)
        return local_b;
    return compare_names(a, b) < 0;
}

/* A name of our own. */
static const char *keep(fb_object *o, const char *text, size_t bytes)
{
    const char *copy = fb_copy(&o->host, &o->blocks, text, bytes);
    o->out_of_memory |= !copy;
    return copy ? copy : "";
}

static const char *frame_name(fb_object *o, uint64_t address)
{
    char text[2 + 16], *at = text + sizeof text;
    do
        *--at = "0123456789abcdef"[address & 15];
    while (address >>= 4);
    *--at = 'x';
    *--at = '0';
    return keep(o, at, (size_t)(text + sizeof text - at));
}

/* ------------------------------------------------------------------------------------------ owners */

/* The symbols at one address: which names them, how far they reach. */
struct fused {
    const struct symbol *best;
    uint64_t end;
    bool untyped; /* nothing but symbols without type */
    bool local;   /* nothing but local symbols */
    bool ifunc;
};

static struct fused fuse(const struct symbol *s, size_t n)
{
    struct fused f = {.best = s, .end = s->start, .untyped = true, .local = true};
    for (size_t i = 0; i < n; i++) {
        f.end = s[i].end > f.end ? s[i].end : f.end;
        f.ifunc |= s[i].type == ELF_STT_IFUNC;
        f.untyped &= s[i].type == ELF_STT_NOTYPE;
        f.local &= s[i].bind == ELF_STB_LOCAL;
        if (fb_better_name(&(struct fb_name){s[i].name, s[i].name_bytes, s[i].type, s[i].bind},
                           &(struct fb_name){f.best->name, f.best->name_bytes, f.best->type, f.best->bind}))
            f.best = &s[i];
    }
    return f;
}

static void add_owner(struct build *b, struct owner owner)
{
    owner.parent = (uint32_t)b->owner_count;
    b->owners[b->owner_count++] = owner;
}

/* Walk symbols and frames together, in the order of their starts. */
static void find_owners(struct build *b)
{
    uint64_t sized_end = 0, frame_end = 0; /* how far what began before reaches */
    size_t s = 0, f = 0;
    b->owner_limit = b->symbol_count + b->frame_count;
    b->owners = fb_reserve(b->o, b->owner_limit, sizeof *b->owners);
    while (b->owners && (s < b->symbol_count || f < b->frame_count)) {
        bool use_symbol =
            s < b->symbol_count && (f == b->frame_count || b->symbols[s].start <= b->frames[f].start);
        uint64_t start = use_symbol ? b->symbols[s].start : b->frames[f].start;
        bool framed = f < b->frame_count && b->frames[f].start == start;
        uint64_t end = framed ? b->frames[f].end : start; /* of the frame */
        size_t n = 0;
        while (s + n < b->symbol_count && b->symbols[s + n].start == start)
            n++;
        if (n > 0) {
            struct fused g = fuse(&b->symbols[s], n);
            bool sized = g.end > start;
            size_t size = g.best->name_bytes; /* without a version: a copy only where there is one */
            bool in_frame = g.local && start < frame_end && !framed;
            bool only_label = g.untyped && !sized && (start < sized_end || in_frame);
            for (size_t i = 0; !only_label && i < n; i++)
                b->symbols[s + i].owner = (uint32_t)b->owner_count;
            if (!only_label)
                add_owner(b, (struct owner){.start = start,
                                            .end = sized ? g.end : end,
                                            .name = g.best->name[size] ? keep(b->o, g.best->name, size) : g.best->name,
                                            .group = g.best->group,
                                            .flags = g.ifunc ? FB_IFUNC : 0});
            sized_end = g.end > sized_end ? g.end : sized_end;
        } else if (start >= sized_end) {
            add_owner(b, (struct owner){
                             .start = start, .end = end, .name = frame_name(b->o, start), .flags = FB_FRAME});
        }
        frame_end = end > frame_end ? end : frame_end;
        s += n;
        while (f < b->frame_count && b->frames[f].start == start)
            f++;
    }
}

/* Give the owners without a size their end. */
static void close_owners(struct build *b)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = b->owner_count; i-- > 0;) {
        struct owner *w = &b->owners[i];
        if (w->end == w->start) {
            uint64_t limit = fb_area_at(b->o->areas, b->o->area_count, w->start)->end;
            w->end = next < limit ? next : limit;
            w->flags |= FB_NOSIZE;
        }
        next = w->start;
    }
}

/* ------------------------------------------------------------------------------------------ ranges */

/* The sweep: owners that have begun and not ended, the innermost last. */
struct sweep {
    struct build *b;
    uint32_t *open;
    size_t depth;
    uint64_t at; /* all before it is done */
};

static void add_range(fb_object *o, struct fb_range range)
{
    if (o->range_count < o->range_limit)
        o->ranges[o->range_count++] = range;
}

/* Hand out everything before `limit` to the open owners. */
static void advance(struct sweep *s, uint64_t limit)
{
    while (s->depth > 0 && s->at < limit) {
        uint32_t top = s->open[s->depth - 1];
        struct owner *w = &s->b->owners[top];
        uint64_t end = w->end < limit ? w->end : limit;
        if (s->at < end) {
            bool first = w->range == NO_OWNER;
            if (first)
                w->range = s->b->o->range_count;
            /* The parent is an owner until resolve_parents. */
            add_range(s->b->o, (struct fb_range){.start = s->at,
                                                 .end = end,
                                                 .name = w->name,
                                                 .parent = top,
                                                 .flags = w->flags | (first ? 0 : FB_PIECE)});
            s->at = end;
        }
        if (w->end <= s->at)
            s->depth--;
    }
}

static void make_ranges(struct build *b)
{
    fb_object *o = b->o;
    o->range_limit = (uint32_t)(2 * b->owner_count + o->area_count);
    o->ranges = fb_reserve(o, o->range_limit, sizeof *o->ranges);
    struct sweep s = {.b = b, .open = fb_reserve(o, b->owner_count, sizeof *s.open)};
    size_t i = 0;
    for (uint32_t a = 0; !o->out_of_memory && a < o->area_count; a++) {
        const struct fb_area *area = &o->areas[a];
        uint64_t first =
            i < b->owner_count && b->owners[i].start < area->end ? b->owners[i].start : area->end;
        bool plt = area->kind == FB_AREA_PLT;
        if (area->start < first) /* no owner has the beginning of the area, or all of it */
            add_range(o, (struct fb_range){.start = area->start,
                                           .end = first,
                                           .name = plt ? area->name : "",
                                           .parent = NO_OWNER,
                                           .flags = plt ? FB_PLT : FB_GAP});
        s.depth = 0;
        for (; i < b->owner_count && b->owners[i].start < area->end; i++) {
            advance(&s, b->owners[i].start);
            s.at = b->owners[i].start;
            s.open[s.depth++] = (uint32_t)i;
        }
        advance(&s, area->end);
    }
    fb_release(o, s.open, b->owner_count, sizeof *s.open);
}

/* ------------------------------------------------------------------------------------------ pieces */

/* Bytes of the name of the function that `name` is a piece of; 0 if it is none. */
static size_t base_of_piece(const char *name)
{
    size_t base = 0;
    for (size_t i = 1; name[0] && name[i]; i++) {
        if (name[i] != '.')
            continue;
        const char *p = &name[i];
        bool cold = p[1] == 'c' && p[2] == 'o' && p[3] == 'l' && p[4] == 'd' && (p[5] == 0 || p[5] == '.');
        bool part = p[1] == 'p' && p[2] == 'a' && p[3] == 'r' && p[4] == 't' && p[5] == '.';
        if (cold || (part && p[6] >= '0' && p[6] <= '9'))
            base = i;
    }
    return base;
}

/* A name in a source file (or exported) that a piece asks for; open addressing, size 0 is a free place. */
struct wanted {
    const char *name;
    size_t size;
    uint32_t group;
    uint32_t owner; /* who has this name */
};

struct names {
    struct wanted *at;
    size_t mask, places;
};

static bool same_wanted(const struct wanted *w, const char *name, size_t size, uint32_t group)
{
    return w->size == size && w->group == group &&
           elf_same_bytes((const uint8_t *)w->name, (const uint8_t *)name, size);
}

static struct wanted *name_place(const struct names *t, const char *name, size_t size, uint32_t group)
{
    uint64_t hash = 0xcbf29ce484222325u ^ group;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)name[i]) * 0x100000001b3u;
    size_t at = (hash ^ hash >> 32) & t->mask;
    while (t->at[at].size != 0 && !same_wanted(&t->at[at], name, size, group))
        at = (at + 1) & t->mask;
    return &t->at[at];
}

static void ask_for(struct names *t, const char *name, size_t size, uint32_t group)
{
    struct wanted *w = name_place(t, name, size, group);
    if (w->size == 0)
        *w = (struct wanted){name, size, group, NO_OWNER};
}

static void link_pieces(struct build *b)
{
    struct names t = {.places = 16};
    size_t pieces = 0;
    for (size_t i = 0; i < b->owner_count; i++)
        pieces += base_of_piece(b->owners[i].name) != 0;
    while (t.places < 4 * pieces)
        t.places *= 2;
    t.mask = t.places - 1;
    t.at = pieces ? fb_reserve(b->o, t.places, sizeof *t.at) : NULL;
    if (!t.at)
        return;
    for (size_t i = 0; i < b->owner_count; i++) {
        const struct owner *w = &b->owners[i];
        size_t base = base_of_piece(w->name);
        if (base == 0)
            continue;
        ask_for(&t, w->name, base, w->group);
        ask_for(&t, w->name, base, 0);
    }
    for (size_t i = 0; i < b->symbol_count; i++) {
        const struct symbol *s = &b->symbols[i];
        struct wanted *w = name_place(&t, s->name, s->name_bytes, s->group);
        if (w->size != 0 && w->owner == NO_OWNER)
            w->owner = s->owner;
    }
    for (size_t i = 0; i < b->owner_count; i++) {
        struct owner *w = &b->owners[i];
        size_t base = base_of_piece(w->name);
        if (base == 0)
            continue;
        uint32_t near = name_place(&t, w->name, base, w->group)->owner;
        uint32_t far = name_place(&t, w->name, base, 0)->owner;
        uint32_t parent = near != NO_OWNER ? near : far;
        if (parent != NO_OWNER)
            w->parent = parent;
    }
    fb_release(b->o, t.at, t.places, sizeof *t.at);
}

static void resolve_parents(struct build *b)
{
    fb_object *o = b->o;
    for (uint32_t i = 0; i < o->range_count; i++) {
        struct fb_range *r = &o->ranges[i];
        if (r->parent == NO_OWNER) {
            r->parent = i;
            continue;
        }
        /* A piece of a piece belongs to the function at the end of the chain (names get shorter along it, so
         * it ends). */
        uint32_t root = r->parent;
        for (uint32_t k = 0; k < MAX_CHAIN && b->owners[root].parent != root; k++)
            root = b->owners[root].parent;
        r->parent = b->owners[root].range;
        r->flags = r->parent == i ? r->flags & ~(uint32_t)FB_PIECE : r->flags | FB_PIECE;
    }
}

/* ------------------------------------------------------------------------------------------ all of it */

void fb_build(fb_object *o)
{
    struct build b = {.o = o};
    if (!o->out_of_memory)
        find_frames(&b);
    if (!o->out_of_memory)
        find_symbols(&b);
    /* Ranges, twice the owners at most, are counted in 31 bits. */
    if (b.symbol_count + b.frame_count > UINT32_MAX / 8)
        o->out_of_memory = true;
    if (!o->out_of_memory)
        find_owners(&b);
    for (size_t i = 0; i < b.owner_count; i++)
        b.owners[i].range = NO_OWNER;
    if (!o->out_of_memory) {
        close_owners(&b);
        make_ranges(&b);
    }
    if (!o->out_of_memory) {
        link_pieces(&b);
        resolve_parents(&b);
    }
    fb_release(o, b.frames, b.frame_limit, sizeof *b.frames);
    fb_release(o, b.symbols, b.symbol_limit, sizeof *b.symbols);
    fb_release(o, b.owners, b.owner_limit, sizeof *b.owners);
}
