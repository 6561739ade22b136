// SPDX-License-Identifier: GPL-2.0-or-later
//
// function.js: one function with those that call it and those that it calls. Calls between the same two functions are
// one row; costs of a call are inclusive: what happened below it, each event once.

import {append, h} from '../dom.js';
import * as format from '../format.js';
import {instructionsOf, isCoded, NOT_CODED} from '../instructions.js';
import {hasPairs} from '../pairs.js';
import {hasStructures, mainOf, sharesBy, structureMetrics, Structures} from '../structures.js';
import {fit, tableSection} from '../table.js';
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
    const label = (i) => (found[i].id ? names.function(found[i].id) : 'the start of a thread or handler');
    const chosen = list.find((metric) => metric.name === app.metric.name && !metric.side);
    const table = app.sortedTable({
        items: [...found.keys()],
        columns: [
            ...app.metricColumns(list, numbers, label),
            {
                key: 'calls',
                label: 'calls',
                width: '11ch',
                value: (i) => found[i].calls,
                cell: (i) => app.calls(found[i].calls),
                tip: (i) => [`${format.count(found[i].calls)} calls from ${found[i].arcs.length} call sites`],
            },
            {
                key: 'function',
                label: title === 'Callers' ? 'caller' : 'callee',
                width: '20ch',
                grow: true,
                text: label,
                cell: (i) =>
                    found[i].id ? app.link('function', found[i].id, {}, label(i)) : h('i', null, label(i)),
            },
        ],
        by: (chosen || list[0] || {key: 'calls'}).key,
        label: title,
        small: true,
        open: (i) => found[i].id && app.go('function', found[i].id),
    });
    return tableSection(title.toLowerCase(), title, about, found.length, table);
}

function head(app, names, row, id, list, values, calls) {
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
        h('div', {class: 'facts'}, app.facts(list, values, row, names.functionAt(row))),
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
    const shown = app.sortedTable({
        items: rows,
        columns: [
            ...app.metricColumns(list, values, label),
            {key: 'name', label: 'inlined function', width: '20ch', grow: true, text: label},
            {
                key: 'at',
                label: 'inlined at',
                width: '24ch',
                align: 'left',
                class: 'dim',
                cell: (row) =>
                    callFiles[row] === callFiles[row]
                        ? app.link(
                              'source',
                              callFiles[row],
                              {l: callLines[row]},
                              format.fileName(names.file(callFiles[row])),
                              ':',
                              callLines[row],
                          )
                        : '',
            },
        ],
        by: app.metric.key,
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
    const table = app.sortedTable({
        items: [...ids.keys()],
        columns: [
            ...app.metricColumns(list, numbers, label),
            {
                key: 'name',
                label: 'data structure',
                width: '20ch',
                grow: true,
                text: label,
                cell: (i) => all.link(ids[i]),
                tip: (i) => all.about(all.rowOfId.get(ids[i])),
            },
        ],
        by: mainOf(list).key,
        label: 'Misses in',
        small: true,
        open: (i) => app.go('structure', ids[i]),
    });
    const about = 'Data structures in which its own accesses missed';
    return tableSection('misses-in', 'Misses in', about, ids.length, table);
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
    const table = app.sortedTable({
        items: [...found.keys()],
        columns: [
            ...app.metricColumns(list, values, what),
            {
                key: 'address',
                label: 'address',
                width: '16ch',
                align: 'left',
                class: 'num dim',
                value: (i) => found[i].address,
                cell: (i) => format.hex(found[i].address),
            },
            {
                key: 'text',
                label: 'instruction',
                width: '30ch',
                grow: true,
                align: 'left',
                class: 'name',
                cell: (i) => found[i].text || `${found[i].length} bytes`,
            },
            {
                key: 'at',
                label: 'line',
                width: '24ch',
                align: 'left',
                class: 'dim',
                cell: (i) => place(found[i]),
            },
        ],
        by: 'address',
        order: 'ascending',
        label: 'Instructions',
        small: true,
    });
    return h('section', {class: 'instructions'}, h('h2', null, 'Instructions'), table.element);
}
