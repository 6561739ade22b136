/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.c: finding, adding up and forgetting cells; see cell.h.
 *
 * One table finds all of them by owner and object. A cell that goes is nobody's, so that who remembers it sees that.
 */
#include "cell.h"

void tn_cells_init(struct tn_cells *cells, struct tn_cost_pools *pools)
{
    tn_slots_init(&cells->list, sizeof(struct tn_cell));
    tn_table_init(&cells->table);
    cells->pools = pools;
}

void tn_cells_free(struct tn_cells *cells)
{
    tn_slots_free(&cells->list);
    tn_table_free(&cells->table);
}

size_t tn_cells_bytes(const struct tn_cells *cells)
{
    return tn_array_bytes(&cells->list.array) + tn_table_bytes(&cells->table);
}

static bool cell_equal(const void *owner, uint32_t id, const void *key)
{
    const struct tn_cell *a = tn_cell_at(owner, id), *b = key;
    return a->owner == b->owner && a->object == b->object;
}

struct tn_cell *tn_cell_of(struct tn_cells *cells, uint64_t owner, uint32_t object, uint32_t *list)
{
    struct tn_cell key = {.owner = owner, .object = object, .next = *list};
    uint32_t hash = tn_hash(owner, object), id = tn_table_find(&cells->table, hash, cell_equal, cells, &key);
    if (!id) {
        id = *list = tn_slots_get(&cells->list);
        *tn_cell_at(cells, id) = key;
        tn_table_add(&cells->table, hash, id);
    }
    return tn_cell_at(cells, id);
}

struct tn_late tn_cells_sum(struct tn_cells *cells, uint32_t list)
{
    if (!list)
        return (struct tn_late){0, 0};
    if (!tn_cell_at(cells, list)->next) /* most that have any have one */
        return tn_cell_at(cells, list)->late;
    tn_late_drop(cells->pools, &cells->sum); /* and not cleared: it would keep blocks that this sum has not */
    for (uint32_t id = list; id; id = tn_cell_at(cells, id)->next)
        tn_late_add(cells->pools, &cells->sum, &tn_cell_at(cells, id)->late);
    return cells->sum;
}

void tn_cells_add(struct tn_cells *cells, uint64_t owner, uint32_t *to, uint32_t list)
{
    for (uint32_t id = list; id; id = tn_cell_at(cells, id)->next) {
        const struct tn_cell *cell = tn_cell_at(cells, id);
        if (!tn_late_is_zero(cells->pools, &cell->late))
            tn_late_add(cells->pools, &tn_cell_of(cells, owner, cell->object, to)->late, &cell->late);
    }
}

void tn_cells_clear(const struct tn_cells *cells)
{
    for (uint32_t id = 1; id < cells->list.array.count; id++) {
        const struct tn_cell *cell = tn_cell_at(cells, id);
        if (cell->owner)
            tn_late_clear(cells->pools, &cell->late);
    }
}

void tn_cells_drop(struct tn_cells *cells, uint32_t *list)
{
    while (*list) {
        uint32_t id = *list;
        struct tn_cell *cell = tn_cell_at(cells, id);
        *list = cell->next;
        tn_table_remove(&cells->table, tn_hash(cell->owner, cell->object), id);
        tn_late_drop(cells->pools, &cell->late);
        *cell = (struct tn_cell){.owner = 0};
        tn_slots_put(&cells->list, id);
    }
}
