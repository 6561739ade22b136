/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.pml: how misses reach whoever consumes them, as a model for Spin, which tries every interleaving (ring.py).
 *
 * Threads queue entries, offer them in batches with tickets, and consume when they must wait; a helper consumes, too,
 * sleeps, is woken, ends and is made again. A step of the model is an access of the C code to memory that others
 * see. Asserted: each entry is consumed once, in order, as it was written, and before its place is written again;
 * batches are consumed in the order of their tickets; no helper is there while one who has stopped it holds the lock;
 * everything ends, with all entries consumed. Every number is as small as it can be with each way still taken.
 *
 * A function of the C code that a part of this mirrors stands in front of it, behind "C:"; ring.py looks whether
 * there still is one. FAULT is a mistake that the model must find, 0 none.
 */
#define THREADS 2
#ifndef WIDEST
#define WIDEST 4          /* entries of an access: 1 to so many */
#endif
#define OFFERED 1         /* TN_OFFERED; TN_BATCH is 1 */
#define BATCHES 2         /* TN_BATCHES */
#define AT_ONCE 2         /* AT_ONCE */
#define RING 7            /* entries of a ring */
#define MASK (RING - 1)
#ifndef ACCESSES
#define ACCESSES 3        /* of the first thread; of the other, 1 */
#endif
#ifndef MADE
#define MADE 2            /* so often is there a helper */
#endif

#define BATCHES_FIRST 1   /* mistake: a batch is there before it is filled in */
#define NARROW 2          /* mistake: the widest access is forgotten where room is looked for */
#define ASLEEP_LAST 3     /* mistake: the helper looks whether it is to end before it says that it sleeps */
#define ENDLESS 4         /* mistake: who waits for progress waits without a limit of time */
#define UNLOCKED 5        /* mistake: two may consume at once */
#ifndef FAULT
#define FAULT 0
#endif

#if FAULT == NARROW
#define AHEAD (OFFERED + 1)
#else
#define AHEAD (WIDEST + OFFERED + 1) /* C: entries_ahead */
#endif

typedef batch {
    byte ticket, end
};
typedef ring_of {
    byte entry[RING]; /* its number, from 1; 0: consumed */
    byte queued, offered, batches, consumed, batches_taken;
    batch at[BATCHES]
};
ring_of ring[THREADS];
byte tickets, tickets_taken;
bit consuming; /* a lock */

bit there, asleep, futex_asleep, stop; /* the helper: tid != 0; says that it sleeps; does */
bit waiters, futex_progress[THREADS];
byte progress, made, finished;
bit making;    /* nt_consumer_lock */

/* ------------------------------------------------------------------------------------------ the consumer */

/* C: next_ring, is_next */
inline find_next()
{
    r = 0;
    do
    :: r == THREADS -> break
    :: r < THREADS && ring[r].batches == ring[r].batches_taken -> r++
    :: r < THREADS && ring[r].batches != ring[r].batches_taken ->
        if
        :: ring[r].at[ring[r].batches_taken % BATCHES].ticket == tickets_taken -> break
        :: else -> r++
        fi
    od
}

/* C: publish_batch, drain_to */
inline publish_batch()
{
    at = ring[r].consumed;
    end = ring[r].at[ring[r].batches_taken % BATCHES].end;
    do
    :: at != end ->
        d_step {
            assert(ring[r].entry[at % RING] == at + 1);
            ring[r].entry[at % RING] = 0;
            at++
        }
    :: else -> break
    od;
    ring[r].consumed = end
}

/* C: tn_consume */
inline consume()
{
    taken = 0;
    if
#if FAULT == UNLOCKED
    :: true ->
#else
    :: atomic { consuming == 0 -> consuming = 1 }
#endif
        do
        :: taken < AT_ONCE ->
            find_next();
            if
            :: r == THREADS -> break
            :: else
            fi;
            publish_batch();
            tickets_taken++;
            ring[r].batches_taken++;
            taken++
        :: else -> break
        od;
        consuming = 0
    :: consuming == 1
    fi;
    d_step { r = 0; at = 0; end = 0 }
}

inline wake_waiters()
{
    if
    :: waiters ->
        d_step {
            waiters = 0;
            for (r : 0 .. THREADS - 1) {
                futex_progress[r] = 0
            }
            r = 0
        }
    :: else
    fi
}

/* C: consumer_consume */
inline consume_and_tell()
{
    consume();
    if
    :: taken > 0 ->
        progress++;
        wake_waiters()
    :: else
    fi
}

/* ------------------------------------------------------------------------------------------ the helper */

/* C: consumer_run */
proctype helper()
{
    byte r, at, end, taken;

    do
    :: stop -> break
    :: else ->
        consume_and_tell();
        if
        :: taken > 0 && made < MADE -> break /* C: is_wanted_elsewhere */
        :: taken > 0
        :: taken == 0 ->
#if FAULT == ASLEEP_LAST
            if
            :: stop
            :: else ->
                asleep = 1;
#else
            asleep = 1;
            if
            :: stop
            :: else ->
#endif
                if
                :: tickets != tickets_taken /* C: tn_consume_waits */
                :: else ->
                    if
                    :: atomic { asleep -> futex_asleep = 1 };
                        futex_asleep == 0
                    :: !asleep
                    fi
                fi
            fi;
            asleep = 0
        fi
    od;
    there = 0
}

/* C: consumer_wake */
inline wake()
{
    if
    :: atomic { asleep -> asleep = 0; futex_asleep = 0 }
    :: else
    fi
}

/* C: consumer_make */
inline make()
{
    atomic { !making -> making = 1 };
    if
    :: !there && made < MADE ->
        stop = 0;
        atomic { there = 1; made++; run helper() }
    :: else
    fi;
    making = 0
}

/* C: nt_consumer_stop, nt_consumer_end */
inline stop_helper()
{
    atomic { !making -> making = 1 };
    stop = 1;
    wake();
    !there;
    assert(!there);
    making = 0
}

/* ------------------------------------------------------------------------------------------ a thread */

/* C: wait_for_progress */
inline wait_for_progress()
{
    if
    :: progress != seen
    :: progress == seen ->
        waiters = 1;
        if
        :: progress != seen
        :: atomic { progress == seen -> futex_progress[me] = 1 };
            if
            :: futex_progress[me] == 0
#if FAULT != ENDLESS
            :: timeout -> futex_progress[me] = 0
#endif
            fi
        fi
    fi
}

/* C: consumer_ask */
inline ask(now)
{
    seen = progress;
    if
    :: !there && made < MADE -> make()
    :: true
    fi;
    if
    :: there -> wake()
    :: else
    fi;
    if
    :: !(now) && there
    :: else ->
        consume_and_tell();
        if
        :: taken == 0 && now -> wait_for_progress()
        :: else
        fi
    fi;
    d_step { taken = 0; seen = 0 }
}

/* C: waiting_in */
#define WAITING (ring[me].queued - ring[me].consumed)

/* C: offer_batch, tn_ring_offer */
inline offer(upto)
{
    do
    :: ring[me].batches - ring[me].batches_taken == BATCHES -> ask(true)
    :: else -> break
    od;
    ring[me].offered = upto;
#if FAULT == BATCHES_FIRST
    ring[me].batches++;
    ring[me].at[(ring[me].batches - 1) % BATCHES].end = upto;
    atomic { ring[me].at[(ring[me].batches - 1) % BATCHES].ticket = tickets; tickets++ };
#else
    ring[me].at[ring[me].batches % BATCHES].end = upto;
    atomic { ticket = tickets; tickets++ };
    ring[me].at[ring[me].batches % BATCHES].ticket = ticket;
    ring[me].batches++;
#endif
    ticket = 0;
    do
    :: WAITING + AHEAD > MASK -> ask(true)
    :: else -> break
    od
}

/* C: tn_ring_add, step_aside, offer_most, goes_on */
inline add()
{
    d_step {
        assert(ring[me].entry[ring[me].queued % RING] == 0);
        ring[me].entry[ring[me].queued % RING] = ring[me].queued + 1;
        ring[me].queued++
    };
    if
    :: ring[me].queued - ring[me].offered >= OFFERED && first > ring[me].offered -> offer(first)
    :: else
    fi;
    if
    :: WAITING > MASK / 2 -> ask(false)
    :: else
    fi
}

/* Accesses, before which the thread may wait for something else (C: tn_publish), and in the end all is consumed
 * (C: tn_ring_drain, tn_ring_wait). */
proctype thread(byte me)
{
    byte r, at, end, taken, seen, first, ticket, left, accesses, most = (me == 0 -> ACCESSES : 1);

    do
    :: accesses < most ->
        d_step { accesses++; first = ring[me].queued };
        select(left : 1 .. WIDEST);
        do
        :: left > 0 -> left--; add()
        :: else -> break
        od
    :: accesses == 1 && me == 0 && made > 0 -> stop_helper(); break /* as in front of fork */
    :: accesses == most -> break
    od;
    offer(ring[me].queued);
    do
    :: ring[me].batches != ring[me].batches_taken -> ask(true)
    :: else -> break
    od;
    assert(ring[me].consumed == ring[me].queued);
    finished++
}

init {
    byte i;

    atomic {
        for (i : 0 .. THREADS - 1) {
            run thread(i)
        }
    };
    finished == THREADS;
    stop_helper();
    assert(tickets == tickets_taken)
}
