/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_consumer.c: see nt_consumer.h. */
#include "nt_consumer.h"

#include <linux/sched.h>
#include <linux/time_types.h>

#include "engine/native/base/nt_cpuid.h"
#include "engine/native/base/nt_lib.h"
#include "engine/native/base/nt_lock.h"
#include "engine/native/kernel/nt_gate.h"
#include "engine/native/kernel/nt_host.h"
#include "engine/native/threads/nt_state.h"
#include "engine/native/threads/nt_thread.h"

enum {
    STACK = 64 << 10,
    AT_ONCE = 16,       /* batches, before those are woken who wait for room */
    LOOKS = 20,         /* for work, until the helper sleeps, or for room, until a thread does */
    ROUNDS = 2048,      /* of consuming, until the helper looks whether its core is wanted */
    PATIENCE = 256,     /* how often it is asked for before it is made again; twice as often each time that its core */
    MOST_TURNS = 12,    /* was wanted, so many times */
    MOST_CPUS = 8192,
};

struct nt_lock nt_consumer_lock;

static struct {
    volatile int tid;       /* cleared by the kernel when the helper has left its stack */
    volatile uint32_t asleep;
    volatile uint32_t progress, waiters; /* one more for each AT_ONCE; whether threads sleep until there is some */
    uint64_t began; /* the wait for some (nt_while_waiting); 0: nobody has waited since there was some */
    volatile bool stop, forever, was_made;
    volatile int patience, turns; /* how often its core was wanted */
} helper;

static _Alignas(64) uint8_t stack[STACK];
static tn_core *served;

static void *consume_some(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)tn_consume(served, AT_ONCE);
}

/* Consumes once. False: there was nothing to consume, or another thread is consuming. */
static bool consumer_consume(bool is_helper)
{
    if ((is_helper ? consume_some(NULL) : nt_outer(consume_some, NULL)) == NULL)
        return false;
    __atomic_add_fetch(&helper.progress, 1, __ATOMIC_SEQ_CST);
    if (helper.waiters && __atomic_exchange_n(&helper.waiters, 0, __ATOMIC_SEQ_CST))
        nt_futex(&helper.progress, FUTEX_WAKE_PRIVATE, 0x7fffffff);
    return true;
}

/* Until somebody has consumed more than was consumed at `progress`. */
static void wait_for_progress(uint32_t progress)
{
    const struct __kernel_timespec most = {0, 1000000}; /* in case the thread that was consuming finds nothing */

    for (int looks = 0; looks < LOOKS; looks++) {
        if (helper.progress != progress)
            return;
        __builtin_ia32_pause();
    }
    __atomic_store_n(&helper.waiters, 1, __ATOMIC_SEQ_CST);
    nt_sys6(__NR_futex, (long)&helper.progress, FUTEX_WAIT_PRIVATE, progress, (long)&most, 0, 0);
    if (helper.progress != progress)
        helper.began = 0;
    else if (nt_while_waiting != NULL)
        nt_while_waiting(&helper.began);
}

/* ------------------------------------------------------------------------------------------------ the helper */

static int cpus(void)
{
    uint64_t set[MOST_CPUS / 64];
    long bytes = nt_sys3(__NR_sched_getaffinity, 0, sizeof set, (long)set);
    int count = 0;

    for (long i = 0; i < bytes / 8; i++) {
        for (uint64_t word = set[i]; word != 0; word &= word - 1)
            count++;
    }
    return count;
}

/* How many threads of the machine want to run, this one among them: the number in front of the slash. 0: it is not
 * known. */
static int runnable(void)
{
    char text[64];
    int number = 0;

    if (!nt_host_read_text("/proc/loadavg", text, sizeof text))
        return 0;
    for (const char *at = text; *at != '\0' && *at != '/'; at++)
        number = *at >= '0' && *at <= '9' ? number * 10 + *at - '0' : 0;
    return number;
}

/* Whether other programs want the core that the helper uses. */
static bool is_wanted_elsewhere(void)
{
    if (runnable() <= cpus())
        return false;
    if (helper.turns < MOST_TURNS)
        helper.turns++;
    return true;
}

/* The descriptors are a copy of the program's, of which none may be held open here. */
static void consumer_run(void)
{
    nt_sys3(__NR_close_range, 0, 0xffffffff, 0);
    helper.stop |= helper.was_made && is_wanted_elsewhere();
    helper.was_made = true;
    for (int looks = 0, rounds = 0; !helper.stop; looks++) {
        if (consumer_consume(true)) {
            looks = 0;
            if (++rounds % ROUNDS == 0 && is_wanted_elsewhere())
                break;
        } else if (looks < LOOKS) {
            __builtin_ia32_pause();
        } else {
            __atomic_store_n(&helper.asleep, 1, __ATOMIC_SEQ_CST);
            if (!helper.stop && !tn_consume_waits(served))
                nt_futex(&helper.asleep, FUTEX_WAIT_PRIVATE, 1);
            helper.asleep = 0;
            looks = 0;
        }
    }
    helper.patience = PATIENCE << helper.turns;
    nt_sys3(__NR_exit, 0, 0, 0);
}

static void consumer_wake(void)
{
    if (__atomic_exchange_n(&helper.asleep, 0, __ATOMIC_SEQ_CST))
        nt_futex(&helper.asleep, FUTEX_WAKE_PRIVATE, 1);
}

/* ------------------------------------------------------------------------------------------------ making it */

static void consumer_make(void)
{
    uint64_t all = ~0UL, mask;

    nt_lock_take(&nt_consumer_lock);
    helper.patience = PATIENCE;
    if (helper.tid == 0 && !helper.forever && cpus() > 1) {
        helper.stop = false;
        nt_sys6(__NR_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&mask, sizeof mask, 0, 0);
        if (nt_failed(nt_gate_helper(stack + STACK, &helper.tid, consumer_run)))
            helper.forever = true; /* the limit of threads is reached: do without a helper */
        nt_sys6(__NR_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, sizeof mask, 0, 0);
    }
    nt_lock_give(&nt_consumer_lock);
}

void nt_consumer_end(void)
{
    int tid, last = 0;

    helper.stop = true;
    helper.patience = PATIENCE;
    consumer_wake();
    for (; (tid = helper.tid) != 0; last = tid)
        nt_futex(&helper.tid, FUTEX_WAIT, (uint32_t)tid);
    /* It has left its stack, but the kernel may count it as a thread for a moment more. */
    for (unsigned looks = 0; last != 0 && looks < 1000 && nt_sys3(__NR_tgkill, nt_process_id(), last, 0) == 0; looks++)
        nt_yield(looks);
}

void nt_consumer_stop(bool forever)
{
    nt_lock_take(&nt_consumer_lock);
    helper.forever |= forever;
    nt_consumer_end();
    nt_lock_give(&nt_consumer_lock);
}

int nt_consumer_tid(void)
{
    return helper.tid;
}

/* ------------------------------------------------------------------------------------------------ asked for */

static void consumer_ask(void *user, bool now)
{
    uint32_t progress = helper.progress;

    (void)user;
    if (!helper.forever && helper.tid == 0 && --helper.patience < 0 && !nt_area_self()->thread->is_child)
        consumer_make();
    if (helper.tid != 0)
        consumer_wake();
    if (!now && helper.tid != 0)
        return;
    if (!consumer_consume(false) && now)
        wait_for_progress(progress);
}

/* ------------------------------------------------------------------------------------------------ the choice */

tn_taker *nt_taker_sse2(const struct tn_config *config), *nt_taker_avx2(const struct tn_config *config),
    *nt_taker_avx512(const struct tn_config *config);

/* What this machine can: the processor, and the state that the kernel saves. */
static tn_taker *taker_for(const struct tn_config *config)
{
    enum { YMM = 6, ZMM = 0xe6 };
    uint64_t state = nt_state_features();

    if (!nt_cpuid_has(NT_CPUID_AVX2) || !nt_cpuid_has(NT_CPUID_BMI2) || (state & YMM) != YMM)
        return nt_taker_sse2(config);
    if (!nt_cpuid_has(NT_CPUID_AVX512) || !nt_cpuid_has(NT_CPUID_AVX512BW) || (state & ZMM) != ZMM)
        return nt_taker_avx2(config);
    return nt_taker_avx512(config);
}

void nt_consumer_choose(struct tn_config *config, bool spare_core)
{
    if (!config->cache_sim || !config->parallel)
        return;
    helper.forever = !spare_core || cpus() < 2;
    config->consume = consumer_ask;
    config->taker_for = taker_for;
}

void nt_consumer_serve(tn_core *core)
{
    served = core;
}
