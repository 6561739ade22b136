// SPDX-License-Identifier: GPL-2.0-or-later
//
// function.js: one function with those that call it and those that it calls. Calls between the same two functions are
// one row; costs of a call are inclusive: what happened below it, each event once.

import {curvesOf} from '../curves.js';
import {append, h} from '../dom.js';
import * as format from '../format.js';
import {instructionsOf, isCoded, NOT_CODED} from '../instructions.js';
import {nobody} from '../names.js';
import {hasPairs} from '../pairs.js';
import {sectionPart, sectionTable} from '../section.js';
import {hasStructures, sharesBy, structureMetrics, Structures} from '../structures.js';
import {startupOf} from '../startup.js';
import {groupBy, rowsWhere, summed} from '../sums.js';
import {underStructures} from '../under.js';

export const oneFunction = {
    id: 'function',
    name: 'Function',
    under: 'functions',

    async render(app, place) {
        const names = await app.names();
        const id = Number(app.argument);
        const row = names.functionRow(id);
        if (row === undefined) {
            append(place, h('p.failed', 'There is no function with this number.'));
            return;
        }
        const list = app.shownMetrics();
        const costs = await app.costsOf(app.tables.functions, list);
        append(
            place,
            head(app, names, row, id, list, costs, await startupOf(app)),
            await curvesOf(app, app.tables.functions, row, ['_incl', '']),
            h('div.pair', await others(app, names, id, list, true), await others(app, names, id, list, false)),
            await inlinedIn(app, names, id, list),
            await structuresOf(app, id),
            hasStructures(app.profile) ? await underStructures(app, id) : '',
            await instructionTable(app, names, row, id, list),
        );
    },
};

function head(app, names, row, id, list, costs, startup) {
    const source = names.place({file_id: names.fileOf(row), line: names.lineOf(row)});
    const [view, file, at] = source.go || [];
    const inTree = {f: id, ...(startup.ids.has(id) && {startup: 1})};
    const arcs = {by: 'statements', q: names.functionAt(row)};
    return h(
        'div.function-head',
        h('h1.name', names.functionAt(row)),
        h('p.dim', [...names.whereIs(row), `called ${format.times(names.callsOf(row))}`].join('  \u00b7  ')),
        h(
            'p.links',
            source.go && app.link(view, file, {...at, f: id}, 'source'),
            app.link('function', id, {i: 1}, 'instructions'),
            app.link('tree', '', inTree, 'in the call tree'),
            app.link('flame', '', inTree, 'in the flame graph'),
            hasPairs(app.profile) && app.link('interdependence', '', arcs, 'who throws out its lines'),
        ),
        app.facts(list, costs, row, names.functionAt(row)),
    );
}

/* Its callers or callees. */
async function others(app, names, id, list, callers) {
    const {arcs: table} = app.tables;
    const of = await table.read('caller_id', 'callee_id', 'calls');
    const [mine, theirs] = callers ? [of.callee_id, of.caller_id] : [of.caller_id, of.callee_id];
    const arcs = groupBy(rowsWhere(mine, id), theirs); // 0: a root
    const calls = (one) => arcs.get(one).reduce((sum, arc) => sum + of.calls[arc], 0);
    const most = app.params.has('c') ? 9 : app.metrics.sides ? 3 : 2;
    const inclusive = list.filter((metric) => metric.incl).slice(0, most);
    const root = nobody('the start of a thread or handler');
    const ref = (one) => (one ? names.ref(one) : root);
    return sectionPart(app, callers ? 'callers' : 'callees', {
        name: callers ? 'callers' : 'callees',
        title: callers ? 'Callers' : 'Callees',
        about: callers ? 'Who calls it, and what happened below their calls' : 'What it calls, and what happened below',
        items: [...arcs.keys()],
        list: inclusive,
        costs: await summed(app, table, inclusive, arcs),
        cells: {calls, [callers ? 'caller' : 'callee']: ref},
        tip: (one) => [`${format.count(calls(one))} calls from ${arcs.get(one).length} call sites`],
    });
}

async function inlinedIn(app, names, id, list) {
    const {inlined: table} = app.tables;
    const rows = rowsWhere(await table.numbers('function_id'), id);
    if (!rows.length) return '';
    const of = await table.read('name', 'call_file_id', 'call_line');
    const at = (row) => names.place({file_id: of.call_file_id[row], line: of.call_line[row]});
    return sectionPart(app, 'Inlined', {
        name: 'inlined',
        title: 'Inlined into it',
        about: 'Functions whose code is part of this one; inclusive: with those inlined into them',
        items: rows,
        list,
        costs: await app.costsOf(table, list),
        columns: [{key: 'name', kind: 'text', title: 'inlined function'}],
        cells: {name: (row) => format.name(of.name.at(row)), place: at},
        by: app.metric.key,
        open: null,
    });
}

/* The data structures that its own accesses missed in. */
async function structuresOf(app, id) {
    if (!hasStructures(app.profile)) return '';
    const list = await structureMetrics(app);
    const all = await Structures.load(app);
    const {ids, costs} = await sharesBy(app, list, {function_id: id}, 'data_id');
    const known = ids.filter((one) => all.rowOfId.has(one));
    if (!known.length) return '';
    return sectionPart(app, 'data_lines', {
        name: 'misses-in',
        title: 'Misses in',
        about: 'Data structures in which its own accesses missed',
        items: known,
        list,
        costs,
        cells: {data: (one) => all.ref(one)},
    });
}

/* Shown when the address asks for it (i). */
async function instructionTable(app, names, row, id, list) {
    if (!app.params.has('i')) return '';
    if (!(await isCoded(app, id))) return h('p.rest.left-out', NOT_CODED);
    const {metrics} = app;
    const chosen = app.withSides(metrics.find(app.metric.name));
    const self = new Map([...chosen, ...list].filter((metric) => !metric.incl).map((metric) => [metric.key, metric]));
    for (const key of [metrics.cost(), 'Ir']) if (metrics.find(key)) self.set(key, metrics.find(key));
    const shown = [...self.values()];
    const found = await instructionsOf(app, row, shown, () => true);
    const table = sectionTable(app, 'Instructions', {
        items: found,
        list: shown,
        costs: new Map(shown.map(({key}) => [key, (one) => one.values.get(key)])),
        columns: [
            {key: 'address', kind: 'hex'},
            {key: 'text', kind: 'text', title: 'instruction'},
        ],
        cells: {
            address: ({address}) => address,
            text: ({text, length}) => text || `${length} bytes`,
            place: ({file, line}) => names.place({file_id: file, line}),
        },
        by: 'address',
        ascending: true,
        small: true,
        open: null,
    });
    return h('section.instructions', h('h2', 'Instructions'), table.element);
}
