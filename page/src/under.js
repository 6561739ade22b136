// SPDX-License-Identifier: GPL-2.0-or-later
//
// under.js: what functions and all that they call cost in data structures. A row is a function and a structure: on the
// page of a structure the functions that pay for it, on that of a function the structures that it pays for. Rows are
// never added up, since one function may be called by another.

import {h} from './dom.js';
import * as format from './format.js';
import {sectionPart} from './section.js';
import {mainOf, sharesBy, structureMetrics, Structures} from './structures.js';
import {rowsWhere} from './sums.js';

const SHARE = 0.2; // %: what a pair of a large profile costs at least (profile/html/html_tables.c)

/* Of rows in which `column` is `id`, what `other` names: a column of the section, of references by id. The metrics are
 * those of structures, inclusive; the first of them self, too. */
async function payers(app, {column, id, other, list, cells, title, about}) {
    const {metrics} = app;
    const {under: table, under_sums: sums} = app.tables;
    const of = await table.read(column, other);
    const rows = rowsWhere(of[column], id);
    if (!table.rows || (!rows.length && column === 'function_id')) return '';
    const inclusiveOf = (metric) => metrics.at({...metric, plain: false, incl: true}, metric.side);
    const inclusive = list.map(inclusiveOf).filter(Boolean);
    const self = metrics.sides ? [] : [{...mainOf(list), plain: false}];
    const main = inclusive.find((metric) => metric.name === mainOf(list).name && !metric.side);
    const costs = await app.costsOf(table, inclusive);
    const own = await sharesBy(app, self, {[column]: id}, other);
    for (const [key, cost] of own.costs) costs.set(key, (row) => cost(of[other][row]) ?? 0);
    const [pairs] = await sums.numbers('pairs');
    const leftOut =
        `${format.count(table.rows)} of ${format.count(pairs)} pairs of function and data structure are in this ` +
        `page: those that cost more than ${SHARE}\u2009% of some event.`;
    return sectionPart(app, 'data_under', {
        name: 'under',
        title,
        about,
        items: rows,
        list: self.length ? [main, ...self, ...inclusive.filter((metric) => metric !== main)] : inclusive,
        costs,
        by: main.key,
        cells: Object.fromEntries(Object.entries(cells).map(([key, ref]) => [key, (row) => ref(of[other][row])])),
        rest: pairs > table.rows && h('p.dim.rest', leftOut),
    });
}

/* The functions under which a data structure costs. */
export async function underFunctions(app, id, list) {
    const names = await app.names();
    return payers(app, {
        column: 'data_id',
        id,
        other: 'function_id',
        list,
        cells: {function: (one) => names.ref(one)},
        title: 'Under functions',
        about: 'What functions and all that they call cost in it, each event once; self: their own accesses',
    });
}

/* The data structures that a function and all that it calls cost in. */
export async function underStructures(app, id) {
    const all = await Structures.load(app);
    return payers(app, {
        column: 'function_id',
        id,
        other: 'data_id',
        list: await structureMetrics(app),
        cells: {data: (one) => all.ref(one)},
        title: 'Misses in, with all that it calls',
        about: 'What it and all that it calls cost in data structures, each event once; self: its own accesses',
    });
}
