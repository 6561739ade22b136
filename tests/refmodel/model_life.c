/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model_life.c: the reference model (model.c) begins and ends, and so do the tenures in a cache that is emptied.
 */
#include "distance_model.h"
#include "model_own.h"

#include <stdlib.h>
#include <string.h>

struct model *model_new(const struct model_config *config, model_charge *charge, model_share *share,
                        model_missed *missed, void *user)
{
    struct model *model = calloc(1, sizeof *model);
    uint64_t pages = config->physical ? model_sample_end(config) : 0;

    model->config = *config, model->charge = charge;
    model->share = share;
    model->missed = missed;
    model->user = user;
    for (int i = 0; i < MODEL_MAX_THREADS; i++) {
        cache_init(&model->i1[i], &config->i1);
        cache_init(&model->d1[i], &config->d1);
        cache_init(&model->l2[i], &config->l2), model->l2[i].pages = pages;
        for (int level = 0; level < 2; level++) {
            tlb_init(&model->itlb[i][level], &config->itlb[level]);
            tlb_init(&model->dtlb[i][level], &config->dtlb[level]);
        }
    }
    cache_init(&model->ll, &config->ll);
    model->ll.pages = pages;
    for (uint32_t i = 0; i < config->also_count; i++)
        also_init(&model->also[i], &config->also[i], pages);
    return model;
}

static void empty_level1(struct model *model, struct cache *cache)
{
    for (uint64_t i = 0; i < cache_places(cache); i++) {
        struct line *line = cache_take_any(cache, i);

        if (line)
            line_end(model, cache, line, model->clock);
    }
    cache_forget(cache);
}

static void empty_lower(struct model *model, struct cache *cache)
{
    for (uint64_t i = 0; i < cache_places(cache); i++) {
        struct record *record = cache_take_any(cache, i);

        if (record && record->invalid) {
            free(record);
        } else if (record) {
            record->resident = false;
            record->holders = model->config.callgrind ? 0 : record->holders;
            record_end_if_done(model, record, model->clock);
        }
    }
    cache_forget(cache);
}

static void empty_owner(struct model *model, uint32_t owner)
{
    empty_level1(model, &model->i1[owner]);
    empty_level1(model, &model->d1[owner]);
    empty_lower(model, &model->l2[owner]);
    for (int level = 0; level < 2; level++) {
        tlb_empty(&model->itlb[owner][level]);
        tlb_empty(&model->dtlb[owner][level]);
    }
    for (uint32_t i = 0; i < model->config.also_count; i++)
        also_empty_owner(&model->also[i], owner);
    memset(&model->below[owner], 0, sizeof model->below[owner]);
    memset(&model->at_d1[owner], 0, sizeof model->at_d1[owner]);
}

void model_thread_end(struct model *model, uint32_t thread)
{
    if (!model->config.shared_l1)
        empty_owner(model, thread);
}

void model_empty(struct model *model)
{
    for (uint32_t i = 0; i < MODEL_MAX_THREADS; i++)
        empty_owner(model, i);
    empty_lower(model, &model->ll);
    for (uint32_t i = 0; i < model->config.also_count; i++)
        also_empty(&model->also[i].ll);
}

void model_finish(struct model *model)
{
    if (model->config.flush_at_exit)
        model_empty(model);
}

static void discard(void *user, const struct model_payer *payer, int event, uint64_t amount)
{
    (void)user, (void)payer, (void)event, (void)amount;
}

static void discard_shared(void *user, const struct model_payer *writer, const struct model_payer *victim,
                           enum model_shared what, uint64_t written, uint64_t touched)
{
    (void)user, (void)writer, (void)victim, (void)what, (void)written, (void)touched;
}

void model_free(struct model *model)
{
    model->charge = discard;
    model->share = discard_shared;
    model_empty(model);
    for (int i = 0; i < MODEL_MAX_THREADS; i++) {
        cache_free(&model->i1[i]);
        cache_free(&model->d1[i]);
        cache_free(&model->l2[i]);
        for (int level = 0; level < 2; level++) {
            free(model->itlb[i][level].page);
            free(model->dtlb[i][level].page);
        }
    }
    cache_free(&model->ll);
    for (uint32_t i = 0; i < model->config.also_count; i++)
        also_free(&model->also[i]);
    free(model);
}
