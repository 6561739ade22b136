// SPDX-License-Identifier: GPL-2.0-or-later
//
// structure.js: one data structure: what it is, the path of calls that allocates it, the functions and lines whose
// accesses missed in it, and why they did.

import {append, h} from '../dom.js';
import * as format from '../format.js';
import {fieldsOf} from '../fields.js';
import {hasPairs} from '../pairs.js';
import {kindEvents, patternsOf} from '../patterns.js';
import {hasStructures, loads, mainOf, sharesBy, structureMetrics, Structures, useBar} from '../structures.js';
import {rowsWhere} from '../sums.js';
import {tableSection} from '../table.js';
import {underFunctions} from '../under.js';

const DEEPEST = 1000; // steps of a path

export const oneStructure = {
    id: 'structure',
    name: 'Data structure',
    under: 'data',
    has: hasStructures,

    async render(app, place) {
        const all = await Structures.load(app);
        const id = Number(app.argument);
        const row = all.rowOfId.get(id);
        if (row === undefined) {
            append(place, h('p', {class: 'failed'}, 'There is no data structure with this number.'));
            return;
        }
        const list = await structureMetrics(app);
        const path = await all.callsOf(row, DEEPEST);
        const few = list.slice(0, app.metrics.sides ? 4 : 2);
        const missing = await byFunction(app, all, id, app.params.has('c') ? list : few);
        append(
            place,
            await head(app, all, row, list),
            h('div', {class: 'pair'}, missing, path.length ? allocated(app, all, path) : ''),
            await underFunctions(app, id, list),
            await why(app, id, row),
            await fieldsOf(app, id),
            await byLine(app, all, id, list),
            await missed(app, row, id, mainOf(list)),
        );
    },
};

async function why(app, id, row) {
    const values = await app.valuesOf(app.tables.data, kindEvents(app));
    const parts = await patternsOf(app, {data: id}, (key) => values.get(key) && values.get(key)[row]);
    return parts.length ? h('div', {class: 'patterns'}, parts) : '';
}

/* A page of a large profile leaves out lines that cost next to nothing (profile/html/html_tables.c). */
async function missed(app, row, id, metric) {
    if (metric.ratio) return '';
    const {data, data_lines: table} = app.tables;
    const [all, some] = [await app.metrics.values(data, metric), await app.metrics.values(table, metric)];
    const found = rowsWhere(await table.numbers('data_id'), id).reduce((sum, i) => sum + (some[i] || 0), 0);
    const rest = (all[row] || 0) - found;
    if (Math.abs(rest) < 0.5) return '';
    return h(
        'p',
        {class: 'dim rest'},
        'Lines that cost next to nothing are not in this page. Here they come to ' +
            `${app.metrics.show(metric, rest)} of ${app.metrics.show(metric, all[row])} ${metric.name}.`,
    );
}

async function head(app, all, row, list) {
    const {data} = app.tables;
    const values = await app.valuesOf(data, list);
    const loaded = await loads(app, data, list);
    return h(
        'div',
        {class: 'function-head'},
        h('h1', {class: 'name'}, all.nameAt(row)),
        h(
            'p',
            {class: 'dim'},
            h('span', {class: 'mark', tip: () => all.about(row).slice(0, 2)}, all.kindAt(row)),
            all.facts(row).join('  \u00b7  '),
        ),
        h('div', {class: 'facts'}, app.facts(list, values, row, all.nameAt(row)), useFact(loaded, row)),
        hasPairs(app.profile) &&
            h(
                'p',
                {class: 'links'},
                app.link('interdependence', '', {by: 'data', n: 'd' + all.id[row]}, 'in the interdependence graph'),
            ),
    );
}

function useFact(loaded, row) {
    if (!loaded || !(loaded.loaded[row] > 0)) return '';
    return h(
        'div',
        {
            class: 'fact use-fact',
            tip: () => [
                `${format.count(loaded.loaded[row])} bytes loaded`,
                `${format.count(loaded.lost[row])} of them never touched`,
            ],
        },
        h(
            'span',
            {class: 'label'},
            `${format.bytes(loaded.loaded[row])} loaded, ${loaded.unused[row].toFixed(1)}\u2009% unused`,
        ),
        useBar(loaded.unused[row]),
    );
}

/* -------------------------------------------------------------------------------------------- where it comes from */

function allocated(app, all, path) {
    const place = ({file, line}) =>
        file === file &&
        app.link('source', file, {l: line > 0 ? line : null}, format.fileName(all.names.file(file)), ':', line);
    return h(
        'section',
        {class: 'allocated'},
        h('h2', {tip: () => ['The calls that allocate it, the last one first']}, 'Allocated by'),
        h(
            'ol',
            {class: 'frames', tabindex: 0},
            path.map((step) =>
                h(
                    'li',
                    {
                        tip: () => [
                            step.name,
                            step.file === step.file && `calls at ${all.names.file(step.file)}:${step.line}`,
                        ],
                    },
                    h(
                        'span',
                        {class: 'name'},
                        step.isInlined && h('span', {class: 'mark'}, 'inlined'),
                        step.id === step.id ? app.link('function', step.id, {}, step.name) : step.name,
                    ),
                    h('span', {class: 'dim'}, place(step)),
                ),
            ),
        ),
    );
}

/* -------------------------------------------------------------------------------------------- who missed in it */

async function byFunction(app, all, id, list) {
    const {groups, values} = await sharesBy(app, list, {data_id: id}, 'function_id');
    const ids = [...groups.keys()];
    const numbers = new Map(list.map((metric) => [metric.key, ids.map((one) => values.get(metric.key).get(one))]));
    const label = (i) => all.names.function(ids[i]);
    const table = app.sortedTable({
        items: [...ids.keys()],
        columns: [
            ...app.metricColumns(list, numbers, label),
            {
                key: 'function',
                label: 'function',
                width: '20ch',
                grow: true,
                text: label,
                cell: (i) => app.link('function', ids[i], {}, label(i)),
            },
        ],
        by: mainOf(list).key,
        label: 'Missed by functions',
        small: true,
        open: (i) => app.go('function', ids[i]),
    });
    return tableSection('missing', 'Missed by', 'Functions whose own accesses missed in it', ids.length, table);
}

async function byLine(app, all, id, list) {
    const {data_lines: table} = app.tables;
    const [values, files, lines, functionIds] = await Promise.all([
        app.valuesOf(table, list),
        ...['file_id', 'line', 'function_id'].map((name) => table.numbers(name)),
    ]);
    const rows = rowsWhere(await table.numbers('data_id'), id);
    if (!rows.some((row) => files[row] === files[row])) return '';
    const where = (row) =>
        files[row] === files[row]
            ? format.fileName(all.names.file(files[row])) + (lines[row] > 0 ? ':' + lines[row] : '')
            : '???';
    const inside = (row) => all.names.function(functionIds[row]);
    const open = (row) =>
        files[row] === files[row]
            ? ['source', files[row], {l: lines[row] > 0 ? lines[row] : null}]
            : ['function', functionIds[row], {i: 1}];
    const shown = app.sortedTable({
        items: rows,
        columns: [
            ...app.metricColumns(list, values, where),
            {
                key: 'line',
                label: 'line',
                width: '28ch',
                text: where,
                cell: (row) => app.link(...open(row), where(row)),
                tip: (row) => [!Number.isNaN(files[row]) && all.names.file(files[row]), inside(row)],
            },
            {
                key: 'function',
                label: 'function',
                width: '20ch',
                grow: true,
                text: inside,
                cell: (row) => app.link('function', functionIds[row], {}, inside(row)),
            },
        ],
        by: mainOf(list).key,
        label: 'Missed by lines',
        small: true,
        open: (row) => app.go(...open(row)),
    });
    return tableSection('missing-lines', 'On lines', 'Source lines whose accesses missed in it', rows.length, shown);
}
