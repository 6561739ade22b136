// SPDX-License-Identifier: GPL-2.0-or-later
//
// loops.js: all loops that ran, by any event: how often around, and what happened in them, with what they called.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {sectionTable, titleOf} from '../section.js';
import {startupOf} from '../startup.js';
import {LOOP} from '../statements.js';

/* Of a loop in a tooltip. */
export function aboutLoop({iterations, entries, estimate}) {
    return [
        `control came to its head ${format.times(iterations)}`,
        entries === entries ? `from outside ${format.times(entries)}` : 'how often from outside is not known',
        estimate === 1 && 'inclusive costs are estimated: its function may call itself',
    ];
}

/* Cells of loops by their number, of which `of` has the columns LOOP: where it is, and whose it is. */
export const loopCells = (names, of) => ({
    function: (row) => names.ref(of[row].function_id),
    place: (row) => names.place({...of[row], function_id: NaN}),
});

export const loops = {
    id: 'loops',
    title: 'Loops',
    about: 'Loops by any event, with how often they went around',
    has: (profile) => Boolean(profile.tables.loops && profile.tables.loops.rows),

    async render(app, place) {
        const {loops: table} = app.tables;
        const list = app.shownMetrics().slice(0, app.params.has('c') ? 99 : 5);
        const [names, costs, startup] = await Promise.all([app.names(), app.costsOf(table, list), startupOf(app)]);
        const of = await table.records(undefined, LOOP);
        const items = [...of.keys()].filter((row) => !startup.ids.has(of[row].function_id));
        const own = loopCells(names, of);
        const shown = sectionTable(app, 'loops', {
            items,
            list,
            costs,
            cells: {
                iterations: (row) => of[row].iterations,
                trip_count: (row) => of[row].iterations / of[row].entries,
                depth: (row) => of[row].depth,
                ...own,
            },
            tip: (row) => aboutLoop(of[row]),
            rowRef: (row) => (own.place(row).go ? own.place(row) : own.function(row)),
        });
        const said = `${format.count(items.length)} loops, inclusive: with those in them and calls`;
        append(place, topBar(titleOf(app, 'loops'), h('span.dim', said)), startup.said, shown.element);
    },
};
