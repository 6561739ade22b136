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

/* The kinds of arcs, and what their ends are called in headings and in sentences. */
export const KINDS = {
    data: {
        label: 'data structures',
        table: 'data_pairs',
        roles: [
            ['evictor', 'thrown out by', 'was loaded then, and threw them out'],
            ['again', 'loaded again', 'had to be loaded again'],
        ],
    },
    statements: {
        label: 'statements',
        table: 'statement_pairs',
        roles: [
            ['loader', 'loaded by', 'had loaded the lines'],
            ['evictor', 'thrown out by', 'threw them out'],
            ['again', 'loaded again by', 'missed them, and loaded them again'],
        ],
    },
};

/* -------------------------------------------------------------------------------------------- ends of arcs */

/* {key, name, about: lines of a tooltip, go: address as arguments of app.go, or null} */
const nobody = (name, about) => ({key: name, name, about: [name, about], go: null});
const UNKNOWN = nobody('not known', 'it was too long ago, or while collection was off');

class Data {
    static async load(app) {
        return Object.assign(new Data(), {app, all: await Structures.load(app)});
    }

    columns() {
        return [['evictor_data_id'], ['data_id']];
    }

    end([id], role) {
        const {all} = this;
        const row = all.rowOfId.get(id);
        if (row === undefined)
            return role ? nobody('code', 'fetches') : nobody('code, or not known', 'no data structure was loaded then');
        return {key: 'd' + id, name: all.nameAt(row), about: all.about(row), go: ['structure', id, {}]};
    }
}

class Statements {
    static async load(app) {
        return Object.assign(new Statements(), {app, names: await app.names()});
    }

    columns() {
        return ['loader_', 'evictor_', ''].map((prefix) =>
            ['file_id', 'first_line', 'line', 'function_id'].map((name) => prefix + name),
        );
    }

    end([file, first, last, id]) {
        const {names} = this;
        if (file !== file)
            return id === id
                ? {key: 'f' + id, name: names.function(id), about: [names.function(id)], go: ['function', id, {i: 1}]}
                : UNKNOWN;
        const lines = first === last ? last : `${first}\u2013${last}`;
        const path = names.file(file);
        return {
            key: `s${file}:${first}:${last}`,
            name: `${format.fileName(path)}:${lines}`,
            about: [`${path}:${lines}`, id === id && 'in ' + names.function(id)],
            go: ['source', file, {l: last}],
        };
    }
}

/* -------------------------------------------------------------------------------------------- arcs */

export class Pairs {
    /* `side`: of a difference, before or after. */
    static async load(app, side) {
        const at = side ? '@' + side : '';
        if (!app.memory.has('pairs' + at)) app.memory.set('pairs' + at, new Pairs().read(app, side, at));
        return app.memory.get('pairs' + at);
    }

    async read(app, side, at) {
        const {pair_sums: sums} = app.tables;
        Object.assign(this, {app, side, at});
        const [cache, misses, data, statements] = await Promise.all([
            sums.texts('cache'),
            ...['misses' + at, 'data_pairs', 'statement_pairs'].map((name) => sums.numbers(name)),
        ]);
        this.sums = new Map();
        for (let row = 0; row < sums.rows; row++)
            if (misses[row] > 0 || !side)
                this.sums.set(cache.at(row), {misses: misses[row], data: data[row], statements: statements[row]});
        this.arcs = {
            data: await this.readArcs('data', Data),
            statements: await this.readArcs('statements', Statements),
        };
        return this;
    }

    /* The heaviest first; `other` is what the other side of a difference has. */
    async readArcs(kind, Ends) {
        const table = this.app.tables[KINDS[kind].table];
        const ends = await Ends.load(this.app);
        const other = '@' + SIDES.find((side) => side !== this.side);
        const [caches, misses, timed, distance, others, ...of] = await Promise.all([
            table.texts('cache'),
            ...['misses', 'timed', 'distance'].map((name) => table.numbers(name + this.at)),
            table.numbers('misses' + other),
            ...ends.columns().map((names) => Promise.all(names.map((name) => table.numbers(name)))),
        ]);
        const arcs = Array.from({length: table.rows}, (_, row) => ({
            cache: caches.at(row),
            misses: misses[row],
            mean: timed[row] ? distance[row] / timed[row] : NaN,
            other: others[row],
            ends: of.map((columns, role) => ends.end(columns.map((column) => column[row]), role)),
            at: of.map((columns) => columns.map((column) => column[row])),
        }));
        return this.side ? arcs.filter((arc) => arc.misses > 0).sort((a, b) => b.misses - a.misses) : arcs;
    }

    /* Caches in which lines were loaded again, in the order of their levels. */
    caches() {
        return CACHES.map(([cache]) => cache).filter((cache) => this.sums.has(cache));
    }

    /* Whether anything is known of data structures. */
    knowsData() {
        return this.arcs.data.some((arc) => arc.ends.some((end) => end.go));
    }

    of(kind, cache) {
        return this.arcs[kind].filter((arc) => arc.cache === cache);
    }

    /* What statements in these lines load again, the heaviest first. */
    ofLines(file, first, last) {
        return this.arcs.statements
            .filter(({at}) => at[2][0] === file && at[2][1] >= first && at[2][2] <= last)
            .sort((a, b) => b.misses - a.misses);
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
        arc.mean === arc.mean && `${format.count(Math.round(arc.mean))} accesses after their last use, on average`,
    ];
}
