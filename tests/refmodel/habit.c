/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * habit.c: see habit.h.
 *
 * A stride is looked for among those kept, then for a free place, and then all are counted down: three plain loops.
 */
#include "habit.h"

void habit_miss(struct habit *habit, uint64_t address)
{
    int64_t bytes = (int64_t)(address - habit->last);
    bool first = !habit->missed;

    habit->missed = true;
    habit->last = address;
    if (first)
        return;
    habit->strides++;
    for (int i = 0; i < HABIT_STRIDES; i++)
        if (habit->kept[i].count && habit->kept[i].bytes == bytes) {
            habit->kept[i].count++;
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
    uint64_t cost[M_EVENTS] = {habit->strides, habit->lost};

    sprintf(key, "strides %s", who);
    sheet_add(sheet, key, cost, 0);
    cost[1] = 0;
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
