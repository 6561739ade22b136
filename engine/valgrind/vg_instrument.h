/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg_instrument.h: Valgrind's instrumentation hook.
 */
#ifndef TENURE_VG_INSTRUMENT_H
#define TENURE_VG_INSTRUMENT_H

#include "pub_tool_tooliface.h"
#include "engine/valgrind/base/vg_tool.h"

IRSB *vg_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *guest,
                    const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                    IRType host_word);

#endif
