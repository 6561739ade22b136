/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random_config.h: draws what a random program with these features (RP_*) is simulated with; paths: -1 or how many. */
#ifndef TENURE_REFMODEL_RANDOM_CONFIG_H
#define TENURE_REFMODEL_RANDOM_CONFIG_H

#include "pair.h"
#include "rng.h"

void random_config(struct rng *rng, uint64_t features, int paths, struct pair_config *config);

#endif
