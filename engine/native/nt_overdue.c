/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nt_overdue.c: see nt_overdue.h.
 *
 * The timer's signal is one of a fault's, since no others are let through while one is held.
 */
#include "nt_overdue.h"

#include <linux/time.h>

#include "nt_lib.h"
#include "nt_profile.h"
#include "nt_signal.h"
#include "nt_sys.h"

enum { SECONDS = 5, ENDS = 2 }; /* of the timer, and how often it runs out: once may be while all were stopped */

static struct {
    int signal; /* that is waited for; 0: none */
    int timer;
    int ends; /* how often the timer has run out */
} watch;

static bool ends_programs(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

void nt_overdue_begin(int signal)
{
    const struct itimerspec often = {{SECONDS, 0}, {SECONDS, 0}};
    struct sigevent event = {.sigev_signo = SIGTRAP, .sigev_notify = SIGEV_THREAD_ID};
    int none = 0;

    if (!ends_programs(signal) ||
        !__atomic_compare_exchange_n(&watch.signal, &none, signal, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    watch.ends = 0;
    event.sigev_value.sival_ptr = &watch;
    event._sigev_un._tid = (int)nt_sys3(__NR_gettid, 0, 0, 0);
    if (nt_sys3(__NR_timer_create, CLOCK_MONOTONIC, (long)&event, (long)&watch.timer) == 0)
        nt_sys6(__NR_timer_settime, watch.timer, 0, (long)&often, 0, 0, 0);
    else
        watch.signal = 0;
}

void nt_overdue_end(void)
{
    if (watch.signal == 0)
        return;
    nt_sys3(__NR_timer_delete, watch.timer, 0, 0);
    watch.signal = 0;
}

bool nt_overdue_handle(const siginfo_t *info)
{
    int signal = watch.signal;

    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &watch)
        return false;
    if (signal == 0 || ++watch.ends < ENDS)
        return true;
    if (watch.ends == ENDS) {
        nt_say("the native engine has not come to an end in %d s after signal %d: the profile may lack something\n",
               SECONDS * ENDS, signal);
        nt_signal_block_all_but_faults(); /* and the timer, once more */
        nt_profile_write_anyhow();
    }
    nt_signal_end_by(signal);
}
