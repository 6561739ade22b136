/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * predict.c: branch predictors, docs/model.md, 8.
 *
 * Both are tables of one thread, which begin zeroed; they learn whether or not anybody collects.
 */
#include "model.h"

bool model_predict_cond(struct model_predictor *predictor, uint64_t address, bool taken)
{
    uint8_t *counter = &predictor->counter[predictor->history % 128 * 128 + address % 128];
    bool predicted = *counter >= 2;

    if (taken && *counter < 3)
        ++*counter;
    if (!taken && *counter > 0)
        --*counter;
    predictor->history = predictor->history * 2 + taken;
    return predicted != taken;
}

bool model_predict_indirect(struct model_predictor *predictor, uint64_t address, uint64_t target)
{
    bool wrong = predictor->target[address % 512] != target;

    predictor->target[address % 512] = target;
    return wrong;
}
