// SPDX-License-Identifier: GPL-2.0-or-later
//
// startup.js: the loader and what runs in front of main (profile/read/startup.c), which lists of functions and trees
// leave out unless the address says startup=1, as `tenure report` does without --startup. Totals have them.

import {h} from './dom.js';
import * as format from './format.js';

/* {ids: of those that are left out now, said: a line for views that leave them out, with what they cost themselves of
 * the chosen event, and a switch}. */
export async function startupOf(app) {
    const {functions, startup} = app.tables;
    const ids = await app.once('startup', async () => new Set(await startup.numbers('id')));
    const shown = app.params.get('startup') === '1';
    if (!ids.size) return {ids, said: ''};
    const {metrics} = app;
    const metric = metrics.at({name: app.metric.name});
    const [all, costs] = await Promise.all([functions.numbers('id'), metrics.values(functions, metric)]);
    const cost = all.reduce((sum, id, row) => sum + ((ids.has(id) && costs[row]) || 0), 0);
    const share = metrics.difference ? metrics.show(metric, cost) : metrics.percent(metric, cost);
    const part = share && !metric.ratio ? ` with ${share} of ${metric.name}` : '';
    const count = `${format.count(ids.size)} function${ids.size > 1 ? 's' : ''}`;
    const words = `${shown ? 'also here' : 'left out'}: the loader and start-up, ${count}${part} `;
    const change = {
        'aria-label': (shown ? 'leave out' : 'show') + ' the loader and start-up',
        onclick: () => app.change({startup: shown ? null : 1}),
    };
    const said = h('p.startup.dim', words, h('button', change, shown ? 'leave out' : 'show'));
    return {ids: shown ? new Set() : ids, said};
}
