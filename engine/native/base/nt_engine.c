/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nt_engine.c: see nt_engine.h. */
#include "nt_engine.h"

struct nt_engine nt;
