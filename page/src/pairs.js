// SPDX-License-Identifier: GPL-2.0-or-later
//
// pairs.js: lines that were loaded again: who had loaded them, who threw them out, and who needed them again. A profile
// knows this if it was recorded with --interdependence=yes.
//
// An arc goes from one to the next: of data structures from what was loaded in between to what had to be loaded again;
// of statements from who had loaded the line, by who threw it out, to who loaded it again. The page has the heaviest
// arcs of each cache (profile/html/html_tables.c). They are counts of their own, not events: of a difference there are
// those of each side, if it has both.

import * as format from './format.js';
import {hasSides, SIDES} from './metrics.js';
import {nobody} from './names.js';
import {Structures} from './structures.js';

const CACHES = [
    ['D1', 'D1'],
    ['D2', 'L2, data'],
    ['I2', 'L2, code'],
    ['L', 'LL'],
];

export const hasPairs = (profile) =>
    Boolean(profile.tables.pair_sums && profile.tables.pair_sums.rows) &&
    (!profile.meta.has('diff.baseline') || hasSides(profile));

export const cacheWords = (cache) => (CACHES.find(([key]) => key === cache) || [cache, format.name(cache)])[1];

/* The kinds of arcs: the section of reports that has them, and its columns of their ends, with what ends are called in
 * headings and in sentences. */
export const KINDS = {
    data: {
        label: 'data structures',
        section: 'data_pairs',
        roles: [
            ['evictor_data', 'thrown out by', 'was loaded then, and threw them out'],
            ['data', 'loaded again', 'had to be loaded again'],
        ],
        ends: dataEnds,
    },
    statements: {
        label: 'statements',
        section: 'statement_pairs',
        roles: [
            ['loader', 'loaded by', 'had loaded the lines'],
            ['evictor', 'thrown out by', 'threw them out'],
            ['function', 'loaded again by', 'missed them, and loaded them again'],
        ],
        ends: statementEnds,
    },
};

/* -------------------------------------------------------------------------------------------- ends of arcs */

/* Each is a reference (names.js) with a key. Of a row of the page's table: */
async function dataEnds(app) {
    const all = await Structures.load(app);
    const keyed = (id, ref) => ({...ref, key: ref.go ? 'd' + id : ref.name});
    return ({evictor_data_id: evictor, data_id: data}) => [
        keyed(evictor, all.ref(evictor, 'code, or not known', 'no data structure was loaded then')),
        keyed(data, all.ref(data, 'code', 'fetches')),
    ];
}

async function statementEnds(app) {
    const names = await app.names();
    const unknown = nobody('not known', 'it was too long ago, or while collection was off');
    const columns = ['file_id', 'first_line', 'line', 'function_id'];
    const end = (arc, prefix) => {
        const [file, first, line, id] = columns.map((key) => arc[prefix + key]);
        if (file !== file && id !== id) return {...unknown, key: unknown.name};
        const ref = names.place({file_id: file, first_line: first, line, function_id: id});
        return {...ref, key: file === file ? `s${file}:${first}:${line}` : 'f' + id};
    };
    return (arc) => ['loader_', 'evictor_', ''].map((prefix) => end(arc, prefix));
}

/* -------------------------------------------------------------------------------------------- arcs */

export class Pairs {
    /* `side`: of a difference, before or after. */
    static load(app, side) {
        return app.once('pairs ' + side, () => new Pairs().read(app, side));
    }

    async read(app, side) {
        Object.assign(this, {app, side, at: side ? '@' + side : '', sums: new Map(), arcs: {}});
        const {pair_sums: table} = app.tables;
        const caches = await table.texts('cache');
        for (const sum of await table.records())
            if (sum['misses' + this.at] > 0 || !side)
                this.sums.set(caches.at(sum.row), {...sum, misses: sum['misses' + this.at]});
        /* The heaviest first; `other` is what the other side of a difference has. */
        const other = '@' + SIDES.find((one) => one !== side);
        for (const [kind, {section, ends}] of Object.entries(KINDS)) {
            const [of, endsOf] = [await app.tables[section].texts('cache'), await ends(app)];
            const arcs = (await app.tables[section].records()).map((arc) => ({
                ...arc,
                cache: of.at(arc.row),
                misses: arc['misses' + this.at],
                mean: arc['timed' + this.at] ? Math.round(arc['distance' + this.at] / arc['timed' + this.at]) : NaN,
                other: arc['misses' + other],
                ends: endsOf(arc),
            }));
            this.arcs[kind] = side ? arcs.filter(({misses}) => misses > 0).sort((a, b) => b.misses - a.misses) : arcs;
        }
        return this;
    }

    /* Caches in which lines were loaded again, in the order of their levels. */
    caches() {
        return CACHES.map(([cache]) => cache).filter((cache) => this.sums.has(cache));
    }

    /* Whether anything is known of data structures. */
    knowsData() {
        return this.arcs.data.some((arc) => arc.ends.some((end) => end.go));
    }
}

/* Whether somebody needs again what he has thrown out himself. */
export const isOwn = ({ends}) => ends[ends.length - 1].key === ends[ends.length - 2].key;

/* Lines of a tooltip. */
export function aboutArc(arc, kind, total) {
    return [
        `${format.count(arc.misses)} lines were loaded again in ${cacheWords(arc.cache)}`,
        `${format.percent((100 * arc.misses) / total)} of ${format.count(total)} there`,
        ...KINDS[kind].roles.map(([, label], i) => `${label}: ${arc.ends[i].name}`),
        arc.mean === arc.mean && `${format.count(arc.mean)} accesses after their last use, on average`,
    ];
}

/* Cells of a section of arcs (section.js): what they are, and their ends. */
export const arcCells = (kind) => ({
    misses: (arc) => arc.misses,
    mean_distance: (arc) => arc.mean,
    ...Object.fromEntries(KINDS[kind].roles.map(([key], role) => [key, (arc) => arc.ends[role]])),
});
