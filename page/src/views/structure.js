// SPDX-License-Identifier: GPL-2.0-or-later
//
// structure.js: one data structure: what it is, the path of calls that allocates it, the functions and lines whose
// accesses missed in it, and why they did.

import {curvesOf} from '../curves.js';
import {append, h} from '../dom.js';
import * as format from '../format.js';
import {fieldsOf} from '../fields.js';
import {hasPairs} from '../pairs.js';
import {kindEvents, patternsOf} from '../patterns.js';
import {sectionPart} from '../section.js';
import {hasStructures, loads, mainOf, sharesBy, structureMetrics, Structures, useBar} from '../structures.js';
import {rowsWhere} from '../sums.js';
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
            append(place, h('p.failed', 'There is no data structure with this number.'));
            return;
        }
        const list = await structureMetrics(app);
        const path = await all.callsOf(row, DEEPEST);
        const kinds = await app.costsOf(app.tables.data, kindEvents(app));
        const patterns = await patternsOf(app, {data: id}, (key) => kinds.has(key) && kinds.get(key)(row));
        const few = app.params.has('c') ? list : list.slice(0, app.metrics.sides ? 4 : 2);
        append(
            place,
            await head(app, all, row, list),
            await curvesOf(app, app.tables.data, row),
            h('div.pair', await byFunction(app, all, id, few), path.length ? allocated(app, all, path) : ''),
            await underFunctions(app, id, list),
            patterns.length ? h('div.patterns', patterns) : '',
            await fieldsOf(app, id),
            await byLine(app, all, id, list),
            await missed(app, row, id, mainOf(list)),
        );
    },
};

/* A page of a large profile leaves out lines that cost next to nothing (profile/html/html_tables.c). */
async function missed(app, row, id, metric) {
    if (metric.ratio) return '';
    const {data, data_lines: table} = app.tables;
    const [all, some] = [await app.metrics.values(data, metric), await app.metrics.values(table, metric)];
    const found = rowsWhere(await table.numbers('data_id'), id).reduce((sum, i) => sum + (some[i] || 0), 0);
    const rest = (all[row] || 0) - found;
    if (Math.abs(rest) < 0.5) return '';
    return h(
        'p.dim.rest',
        'Lines that cost next to nothing are not in this page. Here they come to ' +
            `${app.metrics.show(metric, rest)} of ${app.metrics.show(metric, all[row])} ${metric.name}.`,
    );
}

async function head(app, all, row, list) {
    const {data} = app.tables;
    const [costs, loaded] = [await app.costsOf(data, list), await loads(app, data, list)];
    const facts = app.facts(list, costs, row, all.nameAt(row));
    if (loaded && loaded.loaded[row] > 0) {
        const [bytes, lost, unused] = [loaded.loaded[row], loaded.lost[row], loaded.unused[row]];
        const said = `${format.bytes(bytes)} loaded, ${unused.toFixed(1)}\u2009% unused`;
        const about = [`${format.count(bytes)} bytes loaded`, `${format.count(lost)} of them never touched`];
        append(facts, h('div.fact.use-fact', {tip: () => about}, h('span.label', said), useBar(unused)));
    }
    return h(
        'div.function-head',
        h('h1.name', all.nameAt(row)),
        h(
            'p.dim',
            h('span.mark', {tip: () => all.about(row).slice(0, 2)}, all.kindAt(row)),
            all.facts(row).join('  \u00b7  '),
        ),
        facts,
        hasPairs(app.profile) &&
            h(
                'p.links',
                app.link('interdependence', '', {by: 'data', n: 'd' + all.id[row]}, 'in the interdependence graph'),
            ),
    );
}

/* -------------------------------------------------------------------------------------------- where it comes from */

function allocated(app, all, path) {
    const step = ({name, id, isInlined, file, line}) => {
        const at = all.names.place({file_id: file, line});
        return h(
            'li',
            {tip: () => [name, at.go && `calls at ${at.about()}`]},
            h(
                'span.name',
                isInlined && h('span.mark', 'inlined'),
                id === id ? app.link('function', id, {}, name) : name,
            ),
            h('span.dim', at.go && app.linkTo(at)),
        );
    };
    return h(
        'section.allocated',
        h('h2', {tip: () => ['The calls that allocate it, the last one first']}, 'Allocated by'),
        h('ol.frames', {tabindex: 0}, path.map(step)),
    );
}

/* -------------------------------------------------------------------------------------------- who missed in it */

async function byFunction(app, all, id, list) {
    const {ids, costs} = await sharesBy(app, list, {data_id: id}, 'function_id');
    return sectionPart(app, 'data_lines', {
        name: 'missing',
        title: 'Missed by',
        about: 'Functions whose own accesses missed in it',
        items: ids,
        list,
        costs,
        cells: {function: (one) => all.names.ref(one)},
    });
}

async function byLine(app, all, id, list) {
    const {data_lines: table} = app.tables;
    const costs = await app.costsOf(table, list);
    const rows = await table.records(rowsWhere(await table.numbers('data_id'), id), ['file_id', 'line', 'function_id']);
    if (!rows.some(({file_id: file}) => file === file)) return '';
    const at = (one) => all.names.place(one);
    return sectionPart(app, 'data_lines', {
        name: 'missing-lines',
        title: 'On lines',
        about: 'Source lines whose accesses missed in it',
        items: rows,
        list,
        costs: new Map([...costs].map(([key, of]) => [key, ({row}) => of(row)])),
        cells: {function: (one) => all.names.ref(one.function_id), place: at},
        rowRef: at,
    });
}
