// SPDX-License-Identifier: GPL-2.0-or-later
//
// loops.js: all loops that ran, by any event: how often around, and what happened in them, with what they called.

import {append, h} from '../dom.js';
import * as format from '../format.js';
import {aboutLoop} from '../panel.js';

export const loops = {
    id: 'loops',
    title: 'Loops',
    about: 'Loops by any event, with how often they went around',
    has: (profile) => Boolean(profile.tables.loops && profile.tables.loops.rows),

    async render(app, place) {
        const {loops: table} = app.tables;
        const list = app.shownMetrics().slice(0, app.params.has('c') ? 99 : 5);
        const names = await app.names();
        const columns = ['file_id', 'line', 'last_line', 'depth', 'iterations', 'entries', 'function_id', 'estimate'];
        const [values, ...numbers] = await Promise.all([
            app.valuesOf(table, list),
            ...columns.map((name) => table.numbers(name)),
        ]);
        const of = Object.fromEntries(columns.map((name, i) => [name, numbers[i]]));
        const loop = (row) => Object.fromEntries(columns.map((name) => [name, of[name][row]]));
        const trips = of.iterations.map((value, row) => value / of.entries[row]);
        values.set('iterations', of.iterations).set('trips', trips).set('depth', of.depth);
        const known = of.file_id.some((file) => file === file);
        const where = (row) => placeOf(names, loop(row));
        const shown = app.sortedTable({
            items: [...Array(table.rows).keys()],
            columns: {
                values,
                make: (rowOf) => [
                    ...app.metricColumns(list, values, (i) => 'the loop at ' + where(rowOf(i)), rowOf),
                    ...countColumns(of, trips, loop, rowOf),
                    ...placeColumns(app, names, loop, where, rowOf, known),
                ],
            },
            by: app.metric.key,
            texts: {lines: where, function: (row) => names.function(of.function_id[row])},
            label: 'Loops',
            open: (row) => open(app, loop(row)),
        });
        append(
            place,
            h(
                'div',
                {class: 'bar-top'},
                h('h1', null, 'Loops'),
                h('span', {class: 'dim'}, `${format.count(table.rows)} loops, inclusive: with those in them and calls`),
            ),
            shown.element,
        );
    },
};

function placeOf(names, {file_id: file, line, last_line: last}) {
    if (file !== file) return '???';
    const lines = !(line > 0) ? '' : line === last ? ':' + line : `:${line}\u2013${last}`;
    return format.fileName(names.file(file)) + lines;
}

function open(app, {file_id: file, line, function_id: id}) {
    if (file === file) app.go('source', file, {l: line > 0 ? line : null});
    else app.go('function', id);
}

function countColumns(of, trips, loop, rowOf) {
    const column = (key, label, width, text, about) => ({
        key,
        label,
        width,
        class: 'num',
        sortable: true,
        title: [about],
        cell: (i) => text(rowOf(i)),
        tip: (i) => aboutLoop(loop(rowOf(i))),
    });
    const trip = (row) => (trips[row] === trips[row] && isFinite(trips[row]) ? format.real(trips[row]) : '');
    return [
        column('trips', 'trips', '11ch', trip, 'how often around each time that it was entered, a mean'),
        column(
            'iterations',
            'iterations',
            '15ch',
            (row) => format.count(of.iterations[row]),
            'how often control came to the head of the loop',
        ),
        column('depth', 'depth', '7ch', (row) => format.count(of.depth[row]), '1: in no other loop'),
    ];
}

function placeColumns(app, names, loop, where, rowOf, known) {
    return [
        {
            key: 'lines',
            label: 'lines',
            width: known ? '26ch' : '7ch',
            align: 'left',
            class: 'name',
            sortable: true,
            cell: (i) => {
                const {file_id: file, line} = loop(rowOf(i));
                return file === file
                    ? app.link('source', file, {l: line > 0 ? line : null}, where(rowOf(i)))
                    : where(rowOf(i));
            },
            tip: (i) => [where(rowOf(i))],
        },
        {
            key: 'function',
            label: 'function',
            width: '24ch',
            grow: true,
            align: 'left',
            class: 'name',
            sortable: true,
            cell: (i) =>
                app.link('function', loop(rowOf(i)).function_id, {}, names.function(loop(rowOf(i)).function_id)),
            tip: (i) => [names.function(loop(rowOf(i)).function_id)],
        },
    ];
}
