/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host.h: the hooks of core/host.h for the micro benchmark.
 *
 * Memory comes from mmap, as in the engines; nothing is written; a panic ends the program.
 */
#ifndef TENURE_BENCH_HOST_H
#define TENURE_BENCH_HOST_H

#include "core/host.h"

#endif
