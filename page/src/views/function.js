// SPDX-License-Identifier: GPL-2.0-or-later
//
// function.js: one function with those that call it and those that it calls. Calls between the same two functions are
// one row; costs of a call are inclusive: what happened below it, each event once.

import {append, h} from '../dom.js';
import * as format from '../format.js';
import {instructionsOf, isCoded, NOT_CODED} from '../instructions.js';
import {hasPairs} from '../pairs.js';
import {fit, hasStructures, mainOf, sharesBy, structureMetrics, Structures} from '../structures.js';
import {summed} from '../sums.js';
import {underStructures} from '../under.js';
import {whereIs} from './functions.js';

export const oneFunction = {
    id: 'function',
    name: 'Function',
    under: 'functions',

    async render(app, place) {
        const {functions, arcs} = app.tables;
        const names = await app.names();
        const id = Number(app.argument);
        const row = names.functionRow(id);
        if (row === undefined) {
            append(place, h('p', {class: 'failed'}, 'There is no function with this number.'));
            return;
        }
        const list = app.shownMetrics();
        const most = app.params.has('c') ? 9 : app.metrics.sides ? 3 : 2;
        const inclusive = list.filter((metric) => metric.incl).slice(0, most);
        const [own, calls, callers, callees] = await Promise.all([
            app.valuesOf(functions, list),
            functions.numbers('calls'),
            arcs.numbers('caller_id'),
            arcs.numbers('callee_id'),
        ]);
        const counts = await arcs.numbers('calls');
        const sideOf = (title, about, mine, theirs) =>
            side(app, names, {title, about, list: inclusive, found: group(mine, theirs, id, counts)});
        append(
            place,
            head(app, names, row, id, list, own, calls[row]),
            h(
                'div',
                {class: 'pair'},
                await sideOf('Callers', 'Who calls it, and what happened below their calls', callees, callers),
                await sideOf('Callees', 'What it calls, and what happened below', callers, callees),
            ),
            ...(await inlinedIn(app, names, id, list)),
            await structuresOf(app, id),
            hasStructures(app.profile) ? await underStructures(app, id) : '',
            await instructionTable(app, names, row, id, list),
        );
    },
};

/* Arcs whose `mine` is the function, by the function at their other end: id -> {arcs, calls}. */
function group(mine, theirs, id, counts) {
    const groups = new Map();
    for (let arc = 0; arc < mine.length; arc++) {
        if (mine[arc] !== id) continue;
        const key = theirs[arc] === theirs[arc] ? theirs[arc] : 0; // NULL: a root
        if (!groups.has(key)) groups.set(key, {id: key, arcs: [], calls: 0});
        groups.get(key).arcs.push(arc);
        groups.get(key).calls += counts[arc];
    }
    return [...groups.values()];
}

async function side(app, names, {title, about, list, found}) {
    const arcs = new Map(found.map((entry, i) => [i, entry.arcs]));
    const sums = await summed(app, app.tables.arcs, list, arcs);
    const numbers = new Map([...sums].map(([key, values]) => [key, found.map((_, i) => values.get(i))]));
    const calls = found.map((entry) => entry.calls);
    const label = (i) => (found[i].id ? names.function(found[i].id) : 'the start of a thread or handler');
    numbers.set('calls', calls);
    const columns = {
        values: numbers,
        make: (rowOf) => [
            ...app.metricColumns(list, numbers, (i) => label(rowOf(i)), rowOf),
            {
                key: 'calls',
                label: 'calls',
                width: '11ch',
                class: 'num',
                sortable: true,
                cell: (i) => app.calls(calls[rowOf(i)]),
                tip: (i) => [
                    `${format.count(calls[rowOf(i)])} calls from ${found[rowOf(i)].arcs.length} call sites`,
                ],
            },
            {
                key: 'function',
                label: title === 'Callers' ? 'caller' : 'callee',
                width: '20ch',
                grow: true,
                align: 'left',
                class: 'name',
                sortable: true,
                cell: (i) =>
                    found[rowOf(i)].id
                        ? app.link('function', found[rowOf(i)].id, {}, label(rowOf(i)))
                        : h('i', null, label(rowOf(i))),
                tip: (i) => [label(rowOf(i))],
            },
        ],
    };
    const chosen = list.find((metric) => metric.name === app.metric.name && !metric.side);
    const by = (chosen || list[0] || {key: 'calls'}).key;
    const table = app.sortedTable({
        items: [...found.keys()],
        columns,
        by,
        texts: {function: label},
        label: title,
        small: true,
        open: (i) => found[i].id && app.go('function', found[i].id),
    });
    return h(
        'section',
        {class: title.toLowerCase()},
        h('h2', {tip: () => [about]}, title, ' ', h('span', {class: 'dim'}, format.count(found.length))),
        found.length ? fit(table) : h('p', {class: 'dim'}, 'none'),
    );
}

function head(app, names, row, id, list, values, calls) {
    const kind = (metric) => (metric.ratio ? '' : metric.incl ? 'incl' : 'self');
    const fact = (metric) =>
        h(
            'div',
            {
                class: 'fact',
                'data-key': metric.key,
                tip: () => app.metrics.explain(metric, values.get(metric.key)[row], names.functionAt(row)),
            },
            h('span', {class: 'label'}, metric.name, ' ', metric.side || kind(metric)),
            h(
                'b',
                null,
                app.metrics.show(metric, values.get(metric.key)[row]) || '\u2013',
                metric.unit === '%' ? ' %' : '',
            ),
            h('span', {class: 'pct'}, metric.ratio ? '' : app.metrics.percent(metric, values.get(metric.key)[row])),
        );
    const file = names.fileOf(row);
    return h(
        'div',
        {class: 'function-head'},
        h('h1', {class: 'name'}, names.functionAt(row)),
        h('p', {class: 'dim'}, whereIs(names, row).join('  \u00b7  '), `  \u00b7  called ${format.times(calls)}`),
        h(
            'p',
            {class: 'links'},
            file === file &&
                app.link('source', file, {l: names.lineOf(row) > 0 ? names.lineOf(row) : null, f: id}, 'source'),
            app.link('function', id, {i: 1}, 'instructions'),
            app.link('tree', '', {f: id}, 'in the call tree'),
            app.link('flame', '', {f: id}, 'in the flame graph'),
            hasPairs(app.profile) &&
                app.link(
                    'interdependence',
                    '',
                    {by: 'statements', q: names.functionAt(row)},
                    'who throws out its lines',
                ),
        ),
        h('div', {class: 'facts'}, list.filter((metric) => values.get(metric.key)).map(fact)),
    );
}

async function inlinedIn(app, names, id, list) {
    const table = app.tables.inlined;
    const [functionIds, inlinedNames, callFiles, callLines] = await Promise.all([
        table.numbers('function_id'),
        table.texts('name'),
        table.numbers('call_file_id'),
        table.numbers('call_line'),
    ]);
    const rows = [...functionIds.keys()].filter((i) => functionIds[i] === id);
    if (!rows.length) return [];
    const values = await app.valuesOf(table, list);
    const label = (i) => format.name(inlinedNames.at(i));
    const columns = {
        values,
        make: (rowOf) => [
            ...app.metricColumns(list, values, (i) => label(rowOf(i)), rowOf),
            {
                key: 'name',
                label: 'inlined function',
                width: '20ch',
                grow: true,
                align: 'left',
                class: 'name',
                sortable: true,
                cell: (i) => label(rowOf(i)),
            },
            {
                key: 'at',
                label: 'inlined at',
                width: '24ch',
                align: 'left',
                class: 'dim',
                cell: (i) =>
                    callFiles[rowOf(i)] === callFiles[rowOf(i)]
                        ? app.link(
                              'source',
                              callFiles[rowOf(i)],
                              {l: callLines[rowOf(i)]},
                              format.fileName(names.file(callFiles[rowOf(i)])),
                              ':',
                              callLines[rowOf(i)],
                          )
                        : '',
            },
        ],
    };
    const shown = app.sortedTable({
        items: rows,
        columns,
        by: app.metric.key,
        texts: {name: label},
        label: 'Inlined',
        small: true,
    });
    return [
        h(
            'section',
            {class: 'inlined'},
            h(
                'h2',
                {tip: () => ['Functions whose code is part of this one; inclusive: with those inlined into them']},
                'Inlined into it',
            ),
            fit(shown),
        ),
    ];
}

/* The data structures that its own accesses missed in. */
async function structuresOf(app, id) {
    if (!hasStructures(app.profile)) return '';
    const list = await structureMetrics(app);
    const [all, {groups, values}] = await Promise.all([
        Structures.load(app),
        sharesBy(app, list, {function_id: id}, 'data_id'),
    ]);
    const ids = [...groups.keys()].filter((one) => all.rowOfId.has(one));
    if (!ids.length) return '';
    const numbers = new Map(list.map((metric) => [metric.key, ids.map((one) => values.get(metric.key).get(one))]));
    const label = (i) => all.nameAt(all.rowOfId.get(ids[i]));
    const columns = {
        values: numbers,
        make: (rowOf) => [
            ...app.metricColumns(list, numbers, (i) => label(rowOf(i)), rowOf),
            {
                key: 'name',
                label: 'data structure',
                width: '20ch',
                grow: true,
                align: 'left',
                class: 'name',
                sortable: true,
                cell: (i) => all.link(ids[rowOf(i)]),
                tip: (i) => all.about(all.rowOfId.get(ids[rowOf(i)])),
            },
        ],
    };
    const table = app.sortedTable({
        items: [...ids.keys()],
        columns,
        by: mainOf(list).key,
        texts: {name: label},
        label: 'Misses in',
        small: true,
        open: (i) => app.go('structure', ids[i]),
    });
    return h(
        'section',
        {class: 'misses-in'},
        h(
            'h2',
            {tip: () => ['Data structures in which its own accesses missed']},
            'Misses in ',
            h('span', {class: 'dim'}, format.count(ids.length)),
        ),
        fit(table),
    );
}

/* Shown when the address asks for it (i). */
async function instructionTable(app, names, row, id, list) {
    if (!app.params.has('i')) return '';
    if (!(await isCoded(app, id))) return h('p', {class: 'rest left-out'}, NOT_CODED);
    const {metrics} = app;
    const chosen = app.withSides(metrics.find(app.metric.name));
    const self = new Map([...chosen, ...list].filter((metric) => !metric.incl).map((metric) => [metric.key, metric]));
    for (const key of ['CEst', 'Ir']) if (metrics.find(key)) self.set(key, metrics.find(key));
    list = [...self.values()];
    const found = await instructionsOf(app, row, list, () => true);
    const values = new Map(list.map((metric) => [metric.key, found.map((one) => one.values.get(metric.key))]));
    const what = (i) => 'the instruction at ' + format.hex(found[i].address);
    const place = ({file, line}) =>
        file === file ? app.link('source', file, {l: line}, format.fileName(names.file(file)), ':', line) : '';
    const columns = {
        values,
        make: (rowOf) => [
            ...app.metricColumns(list, values, (i) => what(rowOf(i)), rowOf),
            {
                key: 'address',
                label: 'address',
                width: '16ch',
                align: 'left',
                class: 'num dim',
                sortable: true,
                cell: (i) => format.hex(found[rowOf(i)].address),
            },
            {
                key: 'text',
                label: 'instruction',
                width: '30ch',
                grow: true,
                align: 'left',
                class: 'name',
                cell: (i) => found[rowOf(i)].text || `${found[rowOf(i)].length} bytes`,
            },
            {
                key: 'at',
                label: 'line',
                width: '24ch',
                align: 'left',
                class: 'dim',
                cell: (i) => place(found[rowOf(i)]),
            },
        ],
    };
    const table = app.sortedTable({
        items: [...found.keys()],
        columns,
        by: 'address',
        order: 'ascending',
        texts: {address: (i) => found[i].address},
        label: 'Instructions',
        small: true,
    });
    return h('section', {class: 'instructions'}, h('h2', null, 'Instructions'), table.element);
}
