/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_code.c: from addresses to the core's objects and functions.
 *
 * Valgrind's address space manager knows which file is mapped where; engine/common draws the functions of a
 * file. An object is one mapping of one file: the same library, unloaded and loaded elsewhere, is another object.
 * Two mappings of one file that lie as far apart as their file offsets are the same object. Executable memory
 * without a file is the object "[anon]": its functions are those that a JIT compiler writes down for perf, and the
 * rest of each mapping is one function without a name.
 *
 * Valgrind's own symbol reader is not asked: both engines must draw the same bounds.
 */
#include "vg_code.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcproc.h"

#include "engine/common/functions.h"
#include "engine/common/jit_map.h"
#include "vg_host.h"
#include "vg_options.h"

struct object {
    struct object *next;
    Addr start, end; /* mapped executable range known so far */
    ULong dev, ino;
    Addr place;        /* address of the file's offset 0, as this mapping has it */
    fb_object *bounds; /* NULL: no functions are known */
    UInt id;           /* the core's */
    UInt *functions;   /* the core's ids, by fb_function.index */
    UInt unnamed;      /* the function of everything without bounds; TN_NONE until needed */
};

static struct object *objects; /* most recently used first */

/* Functions by address, direct-mapped. */
enum { CACHE_SIZE = 8192 };

static struct {
    Addr address;
    UInt id;
} cache[CACHE_SIZE];

/* Code made at run time: /tmp/perf-<pid>.map, and a jitdump if one was mapped. */
static struct jit {
    fb_jit *map;
    UInt *functions; /* the core's ids, by index */
    UInt limit;
} jits[2];

/* ------------------------------------------------------------------------------------------ bounds of a file */

static void *fb_reserve(void *user, size_t bytes)
{
    (void)user;
    return vg_reserve(bytes);
}

static void fb_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    vg_release(memory, bytes);
}

static const void *fb_map(void *user, const char *path, size_t *bytes)
{
    SizeT size = 0;
    const void *memory = vg_map_file(path, &size);

    (void)user;
    *bytes = size;
    return memory;
}

static void fb_unmap(void *user, const void *memory, size_t bytes)
{
    (void)user;
    vg_unmap_file(memory, bytes);
}

static const struct fb_host host = {NULL, fb_reserve, fb_release, fb_map, fb_unmap};

static fb_object *open_bounds(const HChar *path, const NSegment *segment)
{
    struct fb_source source = {.path = path, .debug_dir = "/usr/lib/debug"};
    fb_object *bounds = fb_open(&host, &source, NULL);

    if (bounds != NULL && !fb_place(bounds, segment->start, segment->offset)) {
        fb_close(bounds);
        bounds = NULL;
    }
    return bounds;
}

/* ------------------------------------------------------------------------------------------ objects */

static UInt declare_object(const struct object *object, const HChar *path)
{
    struct tn_object_info info = {.path = path, .start = object->start, .size = object->end - object->start};
    uint32_t bytes = 0;

    if (object->bounds != NULL) {
        info.bias = fb_bias(object->bounds);
        info.build_id = fb_build_id(object->bounds, &bytes);
        info.build_id_size = bytes;
    }
    return tn_object(vg.core, &info);
}

static struct object *new_object(Addr address, const NSegment *segment)
{
    struct object *object = VG_(calloc)("tenure.object", 1, sizeof *object);
    const HChar *path = segment != NULL && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;

    object->start = segment != NULL ? segment->start : VG_PGROUNDDN(address);
    object->end = segment != NULL ? segment->end + 1 : object->start + VKI_PAGE_SIZE;
    if (path != NULL) {
        object->dev = segment->dev;
        object->ino = segment->ino;
        object->place = segment->start - segment->offset;
        object->bounds = open_bounds(path, segment);
    }
    object->id = declare_object(object, path != NULL ? path : "[anon]");
    if (object->bounds != NULL)
        object->functions = VG_(calloc)("tenure.functions", fb_limit(object->bounds), sizeof(UInt));
    object->next = objects;
    objects = object;
    return object;
}

/* Another mapping of an object already known: the same file, as far away as its offset says. */
static struct object *known_object(const NSegment *segment)
{
    struct object *object;

    for (object = objects; object != NULL; object = object->next) {
        if (object->bounds != NULL && object->dev == segment->dev && object->ino == segment->ino &&
            object->place == segment->start - segment->offset) {
            if (object->start > segment->start)
                object->start = segment->start;
            if (object->end < segment->end + 1)
                object->end = segment->end + 1;
            return object;
        }
    }
    return NULL;
}

static Bool starts_with(const HChar *text, const HChar *start)
{
    return VG_(strncmp)(text, start, VG_(strlen)(start)) == 0;
}

static struct object *object_at(Addr address)
{
    struct object **link, *object;
    const NSegment *segment;

    for (link = &objects; (object = *link) != NULL; link = &object->next) {
        if (address >= object->start && address < object->end) {
            *link = object->next;
            object->next = objects;
            objects = object;
            return object;
        }
    }
    segment = VG_(am_find_nsegment)(address);
    if (segment != NULL && segment->kind == SkFileC && (object = known_object(segment)) != NULL)
        return object;
    return new_object(address, segment);
}

/* ------------------------------------------------------------------------------------------ functions */

static UInt flags_of(const HChar *name, UInt fb_flags)
{
    const struct vg_pattern *pattern;
    UInt flags = 0;

    if ((fb_flags & FB_PLT) && vg.options.skip_plt)
        flags |= TN_FN_SKIP;
    if (starts_with(name, "_dl_runtime_resolve"))
        flags |= TN_FN_POP_ON_JUMP;
    for (pattern = vg.options.patterns; pattern != NULL; pattern = pattern->next) {
        if ((pattern->flag & ~flags) != 0 && vg_pattern_matches(pattern->text, name))
            flags |= pattern->flag;
    }
    return flags;
}

static UInt separate_of(UInt which, const HChar *name)
{
    const struct vg_separation *separation = vg.options.separations[which];

    while (separation != NULL && !vg_pattern_matches(separation->text, name))
        separation = separation->next;
    return separation != NULL ? separation->number : vg.options.separate[which];
}

static UInt declare_function(UInt object, Addr start, SizeT size, const HChar *name, UInt fb_flags)
{
    struct tn_function_info info = {.object = object,
                                    .start = start,
                                    .size = size,
                                    .name = name,
                                    .flags = flags_of(name, fb_flags),
                                    .separate_callers = separate_of(VG_CALLERS, name),
                                    .separate_recs = separate_of(VG_RECS, name)};

    return tn_function(vg.core, &info);
}

static void bounded_function(struct object *object, const struct fb_function *range, struct vg_function *out)
{
    struct fb_function whole = *range;

    if (range->parent != range->index && !fb_get(object->bounds, range->parent, &whole))
        whole = *range;
    if (object->functions[whole.index] == 0)
        object->functions[whole.index] =
            declare_function(object->id, whole.start, whole.size, whole.name, whole.flags);
    out->id = object->functions[whole.index];
    out->start = range->start;
    out->end = range->start + range->size;
}

static void jit_open(struct jit *jit, const HChar *path)
{
    if (jit->map == NULL)
        jit->map = fb_jit_open(&host, path);
}

/* A JIT compiler maps its jitdump executable, so that profilers learn its name. */
void vg_code_mapped(Addr address)
{
    const NSegment *segment = VG_(am_find_nsegment)(address);
    const HChar *path = segment != NULL ? VG_(am_get_filename)(segment) : NULL;
    const HChar *name = path != NULL ? VG_(strrchr)(path, '/') : NULL;

    if (name != NULL && starts_with(name, "/jit-") && VG_(strstr)(name, ".dump") != NULL)
        jit_open(&jits[1], path);
}

static UInt jit_function(struct jit *jit, const struct object *object, const struct fb_function *range)
{
    if (range->index >= jit->limit) {
        UInt limit = 2 * range->index + 64;

        jit->functions = VG_(realloc)("tenure.jit", jit->functions, limit * sizeof(UInt));
        VG_(memset)(jit->functions + jit->limit, 0, (limit - jit->limit) * sizeof(UInt));
        jit->limit = limit;
    }
    if (jit->functions[range->index] == 0)
        jit->functions[range->index] =
            declare_function(object->id, range->start, range->size, range->name, range->flags);
    return jit->functions[range->index];
}

static Bool jit_function_at(const struct object *object, Addr address, struct vg_function *out)
{
    struct fb_function range;
    HChar path[64];
    UInt i;

    VG_(snprintf)(path, sizeof path, "/tmp/perf-%d.map", VG_(getpid)());
    jit_open(&jits[0], path);
    for (i = 0; i < 2; i++) {
        if (jits[i].map == NULL)
            continue;
        if (fb_jit_refresh(jits[i].map))
            VG_(memset)(cache, 0, sizeof cache);
        if (fb_jit_lookup(jits[i].map, address, &range)) {
            out->id = jit_function(&jits[i], object, &range);
            out->start = range.start;
            out->end = range.start + range.size;
            return True;
        }
    }
    return False;
}

void vg_function_at(Addr address, struct vg_function *out)
{
    struct object *object = object_at(address);
    struct fb_function range;

    if (object->bounds != NULL && fb_lookup(object->bounds, address, &range)) {
        bounded_function(object, &range, out);
        return;
    }
    if (object->ino == 0 && jit_function_at(object, address, out))
        return;
    if (object->unnamed == 0)
        object->unnamed = declare_function(object->id, object->start, object->end - object->start, "", 0);
    out->id = object->unnamed;
    out->start = address; /* other addresses here may have a function */
    out->end = address + 1;
}

/* ------------------------------------------------------------------------------------------ by address, often */

UInt vg_function_id(Addr address)
{
    UInt slot = (address ^ address >> 13) % CACHE_SIZE;

    if (cache[slot].address != address || cache[slot].id == 0) {
        struct vg_function function;

        vg_function_at(address, &function);
        cache[slot].address = address;
        cache[slot].id = function.id;
    }
    return cache[slot].id;
}

uint32_t vg_core_function_at(void *user, uint64_t address)
{
    (void)user;
    return vg_function_id(address);
}

/* The core keeps what it was told (costs refer to it); only the way from addresses is forgotten. */
void vg_code_unmapped(Addr address, SizeT bytes)
{
    struct object **link = &objects, *object;
    Bool found = False;

    while ((object = *link) != NULL) {
        if (object->start < address + bytes && address < object->end) {
            *link = object->next;
            if (object->bounds != NULL)
                fb_close(object->bounds);
            VG_(free)(object->functions);
            VG_(free)(object);
            found = True;
        } else {
            link = &object->next;
        }
    }
    if (found)
        VG_(memset)(cache, 0, sizeof cache);
}
