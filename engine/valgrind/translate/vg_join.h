/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_join.h: neighbouring data accesses that one test sees to.
 */
#ifndef TENURE_VG_JOIN_H
#define TENURE_VG_JOIN_H

#include "vg_emit.h"

/* One access of a group. */
struct vg_member {
    UInt id;
    UShort order;    /* in the stretch */
    UShort distance; /* of its address from the group's lowest */
};

/* What a group's helpers need; made at translation, never freed: a stretch may be said to run when its code is gone. */
struct vg_group {
    UInt segment, block;   /* block: see vg_builder.entry */
    UInt first, table;     /* what the first access is now, and the way table of all */
    UInt straddles;        /* times the group lay in two lines */
    ULong use;             /* of all, as in tn_way.use */
    ULong granules;        /* of all, from the lowest address on */
    ULong written;         /* of those that write, if that is kept */
    UInt span;             /* bytes from the lowest address on */
    UInt members;
    struct vg_member member[];
};

/* Marks the groups among the accesses of a block that is translated hot. */
void vg_join_find(struct vg_builder *b, const IRSB *block);

/* The group that begins with `access`; NULL if its accesses are better tested one by one. *id: its id. */
struct vg_group *vg_join_make(struct vg_builder *b, const struct vg_access *access, UInt *id);

/* The helper: the test of the group, at `low`, has failed. The additions must follow. */
void vg_join_slow(Addr low, struct vg_group *group);

/* The instruction at `address` has faulted in the stretch of group `id`. */
void vg_join_fault(ThreadId tid, UInt id, Addr address);

#endif
