/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_map.c: see data_map.h.
 *
 * Loaded files are a list, since they are few and asked for rarely, the one that was asked for last in front. Their
 * symbols of data are read when they are first asked for (fn_data.c).
 */
#include "engine/common/data_map.h"

#include "engine/common/elf_image.h"
#include "engine/common/element_table.h"

#include <string.h>

enum { LONGEST_PATH = 4096, LONGEST_NAME = 4096, BELOW = 4 };

struct image {
    struct image *next;
    uint64_t start, end;
    fb_object *file; /* NULL: it is no ELF file, or not loaded here */
    char path[LONGEST_PATH];
};

struct data_map {
    const struct code_map_host *host;
    bool (*special)(void *user, uint64_t address, struct tn_memory_info *out);
    struct element_table elements;
    struct image *images;
    char name[LONGEST_NAME]; /* of the last answer */
    char file[LONGEST_PATH];
};

data_map *data_map_new(const struct code_map_host *host, const char *elements,
                       bool (*special)(void *user, uint64_t address, struct tn_memory_info *out))
{
    data_map *map = host->memory->reserve(host->memory->user, sizeof *map);

    if (map) {
        map->host = host;
        map->special = special;
        const struct fb_host *files = host->memory;
        size_t bytes = 0;
        const void *table = elements ? files->map(files->user, elements, &bytes) : NULL;
        if (table && !element_table_open(&map->elements, table, bytes))
            files->unmap(files->user, table, bytes);
    }
    return map;
}

const struct element_table *data_map_told(const data_map *map)
{
    return &map->elements;
}

static void lock(const data_map *map, bool begins)
{
    if (map->host->lock)
        map->host->lock(map->host->user, begins);
}

static void copy_text(char *to, size_t room, const char *from, size_t bytes)
{
    size_t length = bytes < room ? bytes : room - 1;

    memcpy(to, from, length);
    to[length] = '\0';
}

/* ------------------------------------------------------------------------------------------ loaded files */

/* NULL: it is no ELF file, or the mapping is not that of a segment. */
static struct image *load(data_map *map, const struct code_mapping *mapping)
{
    struct fb_source source = {.path = mapping->path, .debug_dir = "/usr/lib/debug", .data_only = true};
    fb_object *file = fb_open(map->host->memory, &source, NULL);
    struct image *image = map->host->memory->reserve(map->host->memory->user, sizeof *image);

    if (!image || !file || !fb_loads(file, mapping->offset, mapping->end - mapping->start) ||
        !fb_place(file, mapping->start, mapping->offset) || !fb_loaded(file, &image->start, &image->end)) {
        fb_close(file);
        if (image)
            map->host->memory->release(map->host->memory->user, image, sizeof *image);
        return NULL;
    }
    image->file = file;
    copy_text(image->path, sizeof image->path, mapping->path, elf_text_size(mapping->path));
    image->next = map->images;
    map->images = image;
    return image;
}

/* It becomes the first of the list, since it will be asked for again. */
static struct image *image_at(data_map *map, uint64_t address)
{
    struct image **link = &map->images, *image;

    while ((image = *link) && (address < image->start || address >= image->end))
        link = &image->next;
    if (image) {
        *link = image->next;
        image->next = map->images;
        map->images = image;
    }
    return image;
}

/* The file whose last segment goes on where nothing is mapped from a file any more. */
static struct image *image_below(data_map *map, const struct code_mapping *mapping, uint64_t address)
{
    struct code_mapping below = *mapping;

    for (int i = 0; i < BELOW && map->host->mapping_at(map->host->user, below.start - 1, &below); i++) {
        struct image *image = below.path ? load(map, &below) : NULL;
        if (below.path)
            return image && address >= image->start && address < image->end ? image : NULL;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------ the answer */

static enum tn_element_answer tell_element(const data_map *map, const struct image *image, uint64_t key,
                                           struct tn_element *out)
{
    const struct element_entry *entry = element_table_find(&map->elements, image->path, key);

    if (!entry)
        return TN_ELEMENT_UNKNOWN;
    *out = (struct tn_element){.size = entry->size, .lead = entry->lead, .type = entry->type};
    return entry->above ? TN_ELEMENT_ABOVE : TN_ELEMENT_KNOWN;
}

static void tell_static(data_map *map, const struct image *image, uint64_t address, struct tn_memory_info *out)
{
    struct fb_data data = {.start = address, .end = address + 1, .name = ""};

    fb_data_at(image->file, address, &data);
    copy_text(map->name, sizeof map->name, data.name, data.name_bytes);
    *out = (struct tn_memory_info){.start = data.start,
                                   .end = data.end,
                                   .kind = TN_DATA_STATIC,
                                   .name = map->name,
                                   .address = data.address,
                                   .size = data.size,
                                   .file = image->path};
    tell_element(map, image, data.address | ELEMENT_STATIC, &out->element);
    if (out->element.size > data.size)
        out->element.size = 0;
}

void data_map_at(data_map *map, uint64_t address, struct tn_memory_info *out)
{
    struct code_mapping mapping = {0};
    const struct image *image;

    lock(map, true);
    image = image_at(map, address);
    if (!image && !map->special(map->host->user, address, out) &&
        map->host->mapping_at(map->host->user, address, &mapping)) {
        image = mapping.path ? load(map, &mapping) : image_below(map, &mapping, address);
        out->start = mapping.start;
        out->end = mapping.end;
        if (!image && mapping.path) {
            copy_text(map->file, sizeof map->file, mapping.path, elf_text_size(mapping.path));
            out->kind = TN_DATA_FILE;
            out->file = map->file;
        }
    }
    if (image)
        tell_static(map, image, address, out);
    lock(map, false);
}

enum tn_element_answer data_map_element(data_map *map, uint64_t address, struct tn_element *out)
{
    struct code_mapping mapping = {0};
    enum tn_element_answer answer = TN_ELEMENT_UNKNOWN;
    struct image *image;

    if (!map->elements.module_count)
        return TN_ELEMENT_UNKNOWN;
    lock(map, true);
    image = image_at(map, address);
    if (!image && map->host->mapping_at(map->host->user, address, &mapping) && mapping.path)
        image = load(map, &mapping);
    if (image)
        answer = tell_element(map, image, address - fb_bias(image->file), out);
    lock(map, false);
    return answer;
}

void data_map_changed(data_map *map, uint64_t address, uint64_t bytes)
{
    lock(map, true);
    for (struct image **link = &map->images, *image; (image = *link);) {
        if (image->start < address + bytes && address < image->end) {
            *link = image->next;
            fb_close(image->file);
            map->host->memory->release(map->host->memory->user, image, sizeof *image);
        } else {
            link = &image->next;
        }
    }
    lock(map, false);
}
