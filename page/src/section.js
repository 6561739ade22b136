// SPDX-License-Identifier: GPL-2.0-or-later
//
// section.js: tables of the sections that `tenure report` has, too. The page brings a descriptor of each of them
// (profile/read/sections.h): its title, its columns with their keys, kinds, headings and what they mean, and its order.
// A view says what the rows are and what stands in them; this is the only place where that becomes columns.
//
//     items     what rows are about
//     cells     column key -> (item) => a number, a text, or a reference (names.js). Columns without a cell are left
//               out. `place` is one behind the others: where it is. A reference may have functions `before` and
//               `behind`, of what stands beside it, and `by`, the number that it is sorted by.
//     list, costs   metrics, and what items cost of them: columns in front of those of the section
//     totals    column key -> the total of which its numbers are shares
//     tip       (item) => lines of a tooltip for its numbers
//     extra     columns between those of metrics and the section's

import {h} from './dom.js';
import * as format from './format.js';
import {tableSection} from './table.js';

const SAMPLE = 200; // items whose texts say how wide a column is
const WIDEST = 30; // characters of a text that is not in the last column

/* Of a section's title the words before those that depend on what was asked for ("by $sort", "of $name"). */
export const titleOf = (app, key) =>
    app.profile.sections.get(key).title.replace(/,? (by|of|to|from|under) (\$|false ).*/, '');

/* What stands in a cell, as a reference. Without `go` it is a text that leads nowhere. */
const referred = (value) => (value && typeof value === 'object' ? value : {name: value ?? '', about: () => [value]});

function textColumn(app, column, valueOf, items) {
    const ref = (item) => referred(valueOf(item));
    const isNumber = items.some((item) => ref(item).by !== undefined);
    const longest = items.slice(0, SAMPLE).reduce((most, item) => Math.max(most, ref(item).name.length), 0);
    return {
        ...column,
        width: Math.max(Math.min(longest, WIDEST), column.label.length + 2) + 2 + 'ch',
        text: (item) => ref(item).name,
        value: isNumber && ((item) => ref(item).by ?? NaN),
        tip: (item) => ref(item).about(),
        cell: (item) => {
            const {go, name, before, behind} = ref(item);
            return [before && before(), go === undefined ? name : app.linkTo({go, name}), behind && behind()];
        },
    };
}

function numberColumn(app, column, value, items, {totals = {}, tip, metric, what}) {
    const {key, kind, label, sub, title} = column;
    const total = totals[key];
    const signed = key === 'calls' && app.metrics.difference;
    const shown = {
        count: (number) => (signed && number > 0 ? '+' : '') + format.count(number),
        change: (number) => (number > 0 ? '+' : '') + format.count(number),
        percent: (number) => format.fixed(number, 1),
        real: (number) => (metric ? app.metrics.show({...metric, real: true}, number) : format.real(number)),
        hex: format.hex,
        as_sorted: (number) => app.metrics.show(metric, number),
    }[kind];
    const show = (number) => (Number.isFinite(number) ? shown(number) : '');
    const most = items.reduce((all, item) => Math.max(all, Math.abs(value(item)) || 0), 0);
    const share = (item) => (total ? format.percent((100 * value(item)) / total) : '');
    const words = (item) => [label, sub].join(' ') + `: ${show(value(item)) || 'not known'}`;
    return {
        ...column,
        width: Math.max(show(most).length + (total === undefined ? 0 : 7), label.length + 2, sub.length) + 3 + 'ch',
        value,
        share: total && ((item) => value(item) / total),
        tip: tip || ((item) => [what(item), words(item) + (total ? ` of ${show(total)}` : ''), ...title]),
        cell: (item) =>
            total === undefined ? show(value(item)) : [h('span.v', show(value(item))), h('span.pct', share(item))],
    };
}

/* All columns of a table of a section: those that have cells, and in front of them those of metrics. `columns`: of a
 * table that is no section, in the same form. */
export function allColumns(app, key, {items, columns, list = [], costs, extra = [], cells, ...options}) {
    const all = columns || app.profile.sections.get(key).columns;
    const place = cells.place && {key: 'place', kind: 'text', title: 'where', class: 'name dim'};
    const known = [...all.filter((column) => cells[column.key]), place].filter(Boolean);
    const name = known.findLast((column) => column.kind === 'text' && (column !== place || known.length === 1));
    const what = (item) => (name ? referred(cells[name.key](item)).name : '');
    const own = known.map(({title, about, ...column}) => {
        const [label, ...sub] = (title || column.key).replace(/(,| statement in$).*/, '').split('\n');
        const heading = {label, sub: sub.join(' '), title: about ? [about] : []};
        const whole = {...column, ...heading, grow: column.key === name?.key};
        const make = column.kind === 'text' || column.kind === 'brief' ? textColumn : numberColumn;
        return make(app, whole, cells[column.key], items, {...options, what});
    });
    const named = own.findLast(({text, key: of}) => text && of !== 'place') || own.at(-1);
    return [...app.metricColumns(list, costs, named.text), ...extra, ...own];
}

/* The table of a section, with what app.table takes. A row leads to what its last column names, or to `rowRef(item)`.
 * With `columns` it is no section's, and `key` is its name. */
export function sectionTable(app, key, options) {
    const {items, columns, cells, list = [], costs, totals, tip, metric, extra, rowRef, ...rest} = options;
    const order = (!columns && app.profile.sections.get(key).order) || '';
    const main = list.find((one) => one.key === app.metric.key) || list.find((one) => !one.side);
    const all = allColumns(app, key, {items, columns, cells, list, costs, totals, tip, metric, extra});
    const last = all.findLast((column) => column.text && column.key !== 'place');
    const refOf = rowRef || (last && ((item) => referred(cells[last.key](item))));
    return app.table({
        items,
        columns: all,
        by: (main && main.key) || order.replace(/^-/, ''),
        ascending: !main && !order.startsWith('-'),
        label: columns ? key : titleOf(app, key),
        open: refOf && ((item) => refOf(item).go && app.go(...refOf(item).go)),
        ...rest,
    });
}

/* The same as a part of a view, below its title: {name: its class, title, about: what it is, count: of its rows, rest:
 * behind it}. */
export function sectionPart(app, key, {name, title, about, count, rest, ...options}) {
    const table = sectionTable(app, key, {small: true, ...options});
    return tableSection(name, title || titleOf(app, key), about, count ?? table.items.length, table, rest);
}
