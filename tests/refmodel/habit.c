/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * habit.c: see habit.h.
 *
 * A stride is looked for among those kept, then for a free place, and then all are counted down: three plain loops.
 */
#include "habit.h"

/* A stride of up to 2 KB that has been met more often than others, or a line one or two beside the last in the page. */
static void look_ahead(struct habit *habit, struct habit_seen *seen, uint64_t address, int64_t bytes)
{
    uint64_t last = seen->last[address / 4096 * 0x9e3779b97f4a7c15ull >> 58];
    int64_t lines = (int64_t)(address / 64) - (int64_t)(last / 64);
    bool beside = last / 4096 == address / 4096 && (lines == 1 || lines == 2 || lines == -1 || lines == -2);
    bool usual = habit->kept[0].count && habit->kept[0].bytes == bytes;

    if (beside || (usual && bytes >= -2048 && bytes <= 2048))
        habit->covered++;
    else if (usual && (bytes <= -4096 || bytes >= 4096))
        habit->far++;
}

void habit_miss(struct habit *habit, struct habit_seen *seen, uint64_t address)
{
    int64_t bytes = (int64_t)(address - habit->last);
    bool first = !habit->missed;

    habit->missed = true;
    habit->last = address;
    if (!first)
        look_ahead(habit, seen, address, bytes);
    seen->last[address / 4096 * 0x9e3779b97f4a7c15ull >> 58] = address;
    if (first)
        return;
    habit->strides++;
    for (int i = 0; i < HABIT_STRIDES; i++)
        if (habit->kept[i].count && habit->kept[i].bytes == bytes) {
            habit->kept[i].count++;
            if (habit->kept[i].count > habit->kept[0].count) { /* the most frequent one is the first */
                struct habit_stride most = habit->kept[i];

                habit->kept[i] = habit->kept[0];
                habit->kept[0] = most;
            }
            return;
        }
    for (int i = 0; i < HABIT_STRIDES; i++)
        if (!habit->kept[i].count) {
            habit->kept[i].bytes = bytes;
            habit->kept[i].count = 1;
            return;
        }
    habit->lost++;
    for (int i = 0; i < HABIT_STRIDES; i++)
        habit->kept[i].count--;
}

void habit_rows(const struct habit *habit, const char *who, struct sheet *sheet)
{
    static char key[1 << 20];
    uint64_t cost[M_EVENTS] = {habit->strides, habit->lost, habit->covered, habit->far};

    sprintf(key, "strides %s", who);
    sheet_add(sheet, key, cost, 0);
    cost[1] = cost[2] = cost[3] = 0;
    for (int i = 0; i < HABIT_STRIDES; i++) {
        cost[0] = habit->kept[i].count;
        sprintf(key, "stride %lld %s", (long long)habit->kept[i].bytes, who);
        if (cost[0])
            sheet_add(sheet, key, cost, 0);
    }
    for (int stream = 0; stream < 2; stream++)
        for (int level = 0; level < HABIT_LEVELS; level++)
            for (int set = 0; set < HABIT_SETS; set++) {
                cost[0] = habit->set[stream][level][set];
                sprintf(key, "set %d %d %s %s", level, set, stream ? "fetch" : "data", who);
                if (cost[0])
                    sheet_add(sheet, key, cost, 0);
            }
}

void habit_clear(struct habit *habit)
{
    *habit = (struct habit){.missed = habit->missed, .last = habit->last};
}
