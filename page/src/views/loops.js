// SPDX-License-Identifier: GPL-2.0-or-later
//
// loops.js: all loops that ran, by any event: how often around, and what happened in them, with what they called.

import {append, h, topBar} from '../dom.js';
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
        const known = of.file_id.some((file) => file === file);
        const where = (row) => placeOf(names, loop(row));
        const shown = app.sortedTable({
            items: [...Array(table.rows).keys()],
            columns: [
                ...app.metricColumns(list, values, (row) => 'the loop at ' + where(row)),
                ...countColumns(of, trips, loop),
                ...placeColumns(app, names, loop, where, known),
            ],
            by: app.metric.key,
            label: 'Loops',
            open: (row) => open(app, loop(row)),
        });
        append(
            place,
            topBar(
                'Loops',
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

function countColumns(of, trips, loop) {
    const column = (key, label, width, values, text, about) => ({
        key,
        label,
        width,
        title: [about],
        value: (row) => values[row],
        cell: (row) => text(values[row]),
        tip: (row) => aboutLoop(loop(row)),
    });
    const trip = (value) => (value === value && isFinite(value) ? format.real(value) : '');
    const around = 'how often control came to the head of the loop';
    return [
        column('trips', 'trips', '11ch', trips, trip, 'how often around each time that it was entered, a mean'),
        column('iterations', 'iterations', '15ch', of.iterations, format.count, around),
        column('depth', 'depth', '7ch', of.depth, format.count, '1: in no other loop'),
    ];
}

function placeColumns(app, names, loop, where, known) {
    const inside = (row) => names.function(loop(row).function_id);
    return [
        {
            key: 'lines',
            label: 'lines',
            width: known ? '26ch' : '7ch',
            text: where,
            cell: (row) => {
                const {file_id: file, line} = loop(row);
                return file === file ? app.link('source', file, {l: line > 0 ? line : null}, where(row)) : where(row);
            },
        },
        {
            key: 'function',
            label: 'function',
            width: '24ch',
            grow: true,
            text: inside,
            cell: (row) => app.link('function', loop(row).function_id, {}, inside(row)),
        },
    ];
}
