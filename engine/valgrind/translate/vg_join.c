/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_join.c: neighbouring data accesses that one test sees to.
 *
 * A fourth of what hot code accesses lies beside what it accessed last: registers saved, locals, members of one
 * structure. Where neighbours are at constant distances from one another and, as a rule, all in one line, one test
 * and one update of the line's way do for all of them. A group is made of accesses between which nothing happens that
 * a cache could notice: of one stretch, with no other access and no beginning of a fetch run between them. So it is
 * the same to the last count whether they are done one by one or together where the last of them stands, with the
 * last one's stamp: the first may miss, the others hit.
 *
 *   A miss      is the first access's; the rest is added in line.
 *   Two lines   All are done one by one, by the helper; what will be added in line is taken back from the lower line's
 *               way beforehand. Lines that follow each other are in different sets (there are several), so it does
 *               not matter that the lower one gets a stamp as late as the last access. A group to which this happens
 *               too often is translated again, one by one.
 *   Coherence   A read and a write ask for different things: where it is simulated, there are no groups.
 *   Past        Non-temporal stores go together with their like only, since a line that they miss is not there behind
 *               the first one either.
 *   Pairs       The second one of a group may be the first to use a line: where that is asked for, there are none.
 *   RRIP        A line that was used once has another place in the order than one used twice, which the late stamp of
 *               the lower of two lines would make it: where D1 has this policy, there are no groups.
 *   Sampling    One line of a group may be simulated and another not: where not all are, there are no groups.
 *   TLBs        The lower of two lines would have its page used behind that of the upper one: there are no groups.
 *               So it is with level-1 caches of further machines, and the first line may be gone there when the
 *               second access comes.
 *   A fault     An access may fault while the group has not been done. The thread says which group runs and where its
 *               first access was (shadow words, see vg_emit.h), and what happened up to the fault is done late. No
 *               two of a group are of one instruction, so the faulting address says which have happened.
 */
#include "vg_emit.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_machine.h"

#include "core/cache_hot.h"
#include "engine/valgrind/base/vg_host.h"

enum {
    MAX_SIZE = 32,     /* bytes of one access */
    MAX_MEMBERS = 16,
    LINE_BITS = 6,     /* granules are bytes, and a line's are a word */
    LOOK_EVERY = 64,   /* times in two lines, until a group is looked at */
    SELDOM = 64,       /* one in so many times may be in two lines */
    NO_TEMP = -1,
};

/* Where a temporary comes from: another one, plus a distance. */
struct origin {
    IRTemp root;
    Addr distance;
};

/* ------------------------------------------------------------------------------------------ finding */

/* A group as it grows. */
struct growing {
    struct vg_access *first, *last;
    struct origin at; /* the first one's */
    Long low, high;   /* bytes, from there */
};

static Addr last_line(const struct vg_builder *b, const struct vg_access *access)
{
    const struct vg_insn *insn = &b->plan->insn[access->insn];

    return (insn->address + insn->length - 1) >> vg.layout->i1.line_bits;
}

static Bool grow(const struct vg_builder *b, struct growing *g, struct vg_access *next, struct origin at)
{
    Long from = at.distance - g->at.distance, to = from + next->size;
    Long low = from < g->low ? from : g->low, high = to > g->high ? to : g->high;

    if (next != g->last + 1 || next->insn == g->last->insn || at.root != g->at.root ||
        (next->kind == TN_WRITE_PAST) != (g->first->kind == TN_WRITE_PAST) || g->first->members == MAX_MEMBERS ||
        last_line(b, next) != last_line(b, g->first))
        return False;
    if (from < -(1 << LINE_BITS) || to > 1 << LINE_BITS || high - low > 1 << LINE_BITS)
        return False;
    if (at.root == (IRTemp)NO_TEMP && (g->at.distance + low) >> LINE_BITS != (g->at.distance + high - 1) >> LINE_BITS)
        return False;
    g->low = low;
    g->high = high;
    next->place = g->first->members++;
    next->distance = from;
    g->last = next;
    return True;
}

static void find_in(struct vg_builder *b, const struct origin *origins, struct vg_access *access, UInt end)
{
    struct growing g = {NULL, NULL, {0, 0}, 0, 0};
    struct vg_access *behind = b->plan->access + b->plan->accesses;

    for (; access < behind && access->stmt < end; access++) {
        struct origin at;

        if (access->guard != NULL || access->late || access->size > MAX_SIZE) {
            g.first = NULL;
            continue;
        }
        at = access->address->tag == Iex_RdTmp
                 ? origins[access->address->Iex.RdTmp.tmp]
                 : (struct origin){NO_TEMP, access->address->Iex.Const.con->Ico.U64};
        if (g.first != NULL && grow(b, &g, access, at))
            continue;
        g = (struct growing){access, access, at, 0, access->size};
        access->members = 1;
    }
}

void vg_join_find(struct vg_builder *b, const IRSB *block)
{
    const struct vg_plan *plan = b->plan;
    const struct tn_geometry *d1 = &vg.config.d1;
    struct origin *origins;
    UInt next = 0;

    if (!vg.config.cache_sim || vg.config.coherence || vg.config.pairs || vg.config.sample > 1 ||
        vg.config.remap_count > 0 || tn_has_tlbs(&vg.config) || tn_also_any_other(&vg.config) ||
        d1->line != 1u << LINE_BITS || d1->size == (ULong)d1->assoc * d1->line || d1->policy == TN_RRIP ||
        plan->accesses < 2)
        return;
    origins = LibVEX_Alloc((block->tyenv->types_used + 1) * sizeof *origins);
    for (Int i = 0; i < block->tyenv->types_used; i++)
        origins[i] = (struct origin){i, 0};
    for (Int i = 0; i < block->stmts_used; i++) {
        const IRStmt *s = block->stmts[i];
        const IRExpr *e = s->tag == Ist_WrTmp ? s->Ist.WrTmp.data : NULL;
        struct origin *origin;
        Addr distance;

        if (e == NULL || e->tag != Iex_Binop || (e->Iex.Binop.op != Iop_Add64 && e->Iex.Binop.op != Iop_Sub64) ||
            e->Iex.Binop.arg1->tag != Iex_RdTmp || e->Iex.Binop.arg2->tag != Iex_Const)
            continue;
        origin = &origins[s->Ist.WrTmp.tmp];
        distance = e->Iex.Binop.arg2->Iex.Const.con->Ico.U64;
        *origin = origins[e->Iex.Binop.arg1->Iex.RdTmp.tmp];
        origin->distance += e->Iex.Binop.op == Iop_Add64 ? distance : -distance;
    }
    for (UInt i = 0; i < plan->stretches; i++) {
        UInt end = i + 1 < plan->stretches ? plan->stretch[i + 1].stmt : (UInt)block->stmts_used;

        while (next < plan->accesses && plan->access[next].stmt < plan->stretch[i].stmt)
            next++;
        find_in(b, origins, plan->access + next, end);
    }
}

/* ------------------------------------------------------------------------------------------ making */

/* Accesses, by their ids, with which no group begins any more. */
struct apart {
    struct apart *next; /* VgHashNode */
    UWord id;
};

static VgHashTable *aparts;

struct vg_group *vg_join_make(struct vg_builder *b, const struct vg_access *access, UInt *id)
{
    struct vg_group *group;
    UInt first;
    Long low = 0;

    if (access->members < 2)
        return NULL;
    first = vg_declare_access(b, access);
    if (aparts != NULL && VG_(HT_lookup)(aparts, first) != NULL)
        return NULL;
    *id = vg_pool_get(sizeof *group + access->members * sizeof group->member[0]);
    group = vg_pool_at(*id);
    VG_(memset)(group, 0, sizeof *group);
    group->segment = b->stretch->segment;
    group->block = b->entry;
    group->first = tn_access_now(vg.core, first, &group->table);
    for (UInt i = 0; i < access->members; i++)
        low = access[i].distance < low ? access[i].distance : low;
    for (; group->members < access->members; group->members++) {
        const struct vg_access *one = &access[group->members];
        ULong granules = (~0ull >> (64 - one->size)) << (one->distance - low);

        group->member[group->members] =
            (struct vg_member){vg_declare_access(b, one), one->order, one->distance - low};
        group->use += 1 | (ULong)one->size << TN_TOUCH_BITS;
        group->granules |= granules;
        if (vg.layout->d1.written != 0 && one->kind != TN_READ)
            group->written |= granules;
    }
    group->span = 64 - __builtin_clzll(group->granules);
    return group;
}

/* ------------------------------------------------------------------------------------------ running */

static void do_one_by_one(struct vg_group *group, Addr low)
{
    const ULong *counters = (const ULong *)((const UChar *)vg.current + vg.layout->counters);
    struct apart *apart;

    for (UInt i = 0; i < group->members; i++)
        tn_whole_data(vg.current, low + group->member[i].distance, group->member[i].id);
    /* The way table leads to the lower line, whatever tables the accesses look in by now. */
    tn_slow_data(vg.current, VG_ROUNDDN(low, 1ull << LINE_BITS), group->first);
    tn_hot_way_in(vg.current, &vg.layout->d1, group->table, low)->use -= group->use;
    group->straddles++;
    /* Contexts have counters of their own: then the segment's stays 0. */
    if (group->straddles % LOOK_EVERY != 0 || group->straddles < counters[group->segment] / SELDOM)
        return;
    if (aparts == NULL)
        aparts = VG_(HT_construct)("tenure.apart");
    if (group->block == 0)
        return;
    vg_cold_again(group->block);
    if (VG_(HT_lookup)(aparts, group->member[0].id) != NULL)
        return;
    apart = vg_pool_at(vg_pool_get(sizeof *apart));
    apart->id = group->member[0].id;
    VG_(HT_add_node)(aparts, apart);
}

void vg_join_slow(Addr low, struct vg_group *group)
{
    Addr in_line = low & ((1ull << LINE_BITS) - 1);

    __builtin_prefetch((const void *)low); /* the host is about to miss as well */
    if (in_line + group->span <= 1ull << LINE_BITS)
        tn_slow_data(vg.current, low + group->member[0].distance, group->first);
    else
        do_one_by_one(group, low);
}

/* The word behind the running stretch is the address of the group's first access. */
void vg_join_fault(ThreadId tid, UInt id, Addr address)
{
    const struct vg_group *group = vg_pool_at(id);
    UInt limit = tn_accesses_to(vg.core, group->segment, address);
    Addr first;

    VG_(get_shadow_regs_area)(tid, (UChar *)&first, 1, 2 * sizeof(ULong), sizeof first);
    if (limit <= group->member[group->members - 1].order) {
        for (UInt i = 0; group->member[i].order < limit; i++)
            tn_whole_data(vg.current, first + group->member[i].distance - group->member[0].distance,
                          group->member[i].id);
    }
    tn_take_back(vg.current, group->segment, address);
}
