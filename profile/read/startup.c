/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * startup.c: the functions that load a program and prepare its C library, which nobody who looks for what is slow in a
 * program has written: all of the dynamic loader but for what a running program calls there (thread-local data, lazy
 * binding, frames of exceptions), and those that the C library and the compiler put in front of main, by names that are
 * reserved for them or in the C library's own file. What such a function calls that is somebody's own, as a constructor
 * or main, is none of them; nor is a _start without a C library. In a profile of nothing else, there is no start-up.
 */
#include "profile/profile.h"

#include <sqlite3.h>

int tp_startup(tp_profile *profile, bool any, struct tp_error *err)
{
    static const char sql[] =
        "DROP TABLE IF EXISTS temp.startup; CREATE TEMP TABLE startup(id INTEGER PRIMARY KEY); "
        "INSERT INTO temp.startup WITH libc(id) AS (SELECT object_id FROM functions WHERE base GLOB '__libc_start_*') "
        "SELECT id FROM functions WHERE %d AND (object GLOB '*/ld-linux*.so*' OR object GLOB '*/ld-musl-*.so*' OR "
        "object GLOB '*/ld-[0-9]*.so' OR EXISTS (SELECT 1 FROM libc) AND (base IN ('_start', '_init', '_fini', "
        "'frame_dummy', 'register_tm_clones', 'deregister_tm_clones', '__do_global_dtors_aux', '__libc_csu_init', "
        "'__libc_csu_fini', '__libc_init_first', '__libc_early_init', '__libc_init_secure', '__libc_setup_tls') OR "
        "base GLOB '__libc_start_*' OR base GLOB '__tunable*' OR object_id IN (SELECT id FROM libc) AND "
        "(base GLOB '_dl_*' OR base GLOB '_dlfo_*') OR (object GLOB '*/libc.so*' OR object GLOB '*/libc-*.so') AND "
        "base IN ('call_init', 'call_fini', '_init_first'))) AND base NOT GLOB '__tls_get_addr*' AND "
        "base NOT GLOB '_dl_find_object*' AND base NOT GLOB '_dl_runtime_resolve*' AND base <> '_dl_fixup'; "
        "DELETE FROM temp.startup WHERE NOT EXISTS (SELECT id FROM functions EXCEPT SELECT id FROM temp.startup)";

    return tp_execute(profile, sqlite3_mprintf(sql, any), "cannot tell which functions are start-up", err);
}
