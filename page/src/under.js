// SPDX-License-Identifier: GPL-2.0-or-later
//
// under.js: what functions and all that they call cost in data structures. A row is a function and a structure: on the
// page of a structure the functions that pay for it, on that of a function the structures that it pays for. Rows are
// never added up, since one function may be called by another.

import {h} from './dom.js';
import * as format from './format.js';
import {mainOf, sharesBy, structureMetrics, Structures} from './structures.js';
import {rowsWhere} from './sums.js';
import {tableSection} from './table.js';

const SHARE = 0.2; // %: what a pair of a large profile costs at least (profile/html/html_tables.c)

/* The metrics of structures, inclusive; the first of them self, too. */
function inclusiveOf(app, list) {
    const {metrics} = app;
    const all = list.map((metric) => metrics.at({...metric, plain: false, incl: true}, metric.side)).filter(Boolean);
    const main = mainOf(list);
    const self = metrics.sides ? [] : [{...main, plain: false}];
    return {inclusive: all, self, main: all.find((metric) => metric.name === main.name && !metric.side)};
}

async function leftOut(app) {
    const {under, under_sums: sums} = app.tables;
    const [pairs] = await sums.numbers('pairs');
    if (!(pairs > under.rows)) return '';
    return h(
        'p',
        {class: 'dim rest'},
        `${format.count(under.rows)} of ${format.count(pairs)} pairs of function and data structure are in this ` +
            `page: those that cost more than ${SHARE}\u2009% of some event.`,
    );
}

/* `column` is what the page is about, `other` is listed; `nameOf(id)`, `link(id)`, `about(id)`, `open(id)` of those. */
async function payers(app, {column, id, other, list, kind, nameOf, link, about, open, title, said}) {
    const {under: table} = app.tables;
    if (!table.rows) return '';
    const {inclusive, self, main} = inclusiveOf(app, list);
    const [ids, all, own] = await Promise.all([
        table.numbers(other),
        app.valuesOf(table, inclusive),
        sharesBy(app, self, {[column]: id}, other),
    ]);
    const rows = rowsWhere(await table.numbers(column), id);
    if (!rows.length && column === 'function_id') return '';
    for (const metric of self)
        if (own.values.has(metric.key))
            all.set(metric.key, Array.from(ids, (one) => own.values.get(metric.key).get(one) ?? 0));
    const shown = self.length ? [main, ...self, ...inclusive.filter((metric) => metric !== main)] : inclusive;
    const label = (row) => nameOf(ids[row]);
    const shownTable = app.sortedTable({
        items: rows,
        columns: [
            ...app.metricColumns(shown, all, label),
            {
                key: 'name',
                label: kind,
                width: '20ch',
                grow: true,
                text: label,
                cell: (row) => link(ids[row]),
                tip: (row) => about(ids[row]),
            },
        ],
        by: main.key,
        label: title,
        small: true,
        open: (row) => app.go(...open(ids[row])),
    });
    return tableSection('under', title, said, rows.length, shownTable, await leftOut(app));
}

/* The functions under which a data structure costs. */
export async function underFunctions(app, id, list) {
    const names = await app.names();
    return payers(app, {
        column: 'data_id',
        id,
        other: 'function_id',
        list,
        kind: 'function',
        nameOf: names.function,
        link: (one) => app.link('function', one, {}, names.function(one)),
        about: (one) => [names.function(one)],
        open: (one) => ['function', one],
        title: 'Under functions',
        said: 'What functions and all that they call cost in it, each event once; self: their own accesses',
    });
}

/* The data structures that a function and all that it calls cost in. */
export async function underStructures(app, id) {
    const all = await Structures.load(app);
    const nameOf = (one) => (all.rowOfId.has(one) ? all.nameAt(all.rowOfId.get(one)) : '???');
    return payers(app, {
        column: 'function_id',
        id,
        other: 'data_id',
        list: await structureMetrics(app),
        kind: 'data structure',
        nameOf,
        link: (one) => all.link(one),
        about: (one) => (all.rowOfId.has(one) ? all.about(all.rowOfId.get(one)) : []),
        open: (one) => ['structure', one],
        title: 'Misses in, with all that it calls',
        said: 'What it and all that it calls cost in data structures, each event once; self: its own accesses',
    });
}
