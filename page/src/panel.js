// SPDX-License-Identifier: GPL-2.0-or-later
//
// panel.js: the statement at the current line of a source file: what it costs, its loads and stores of integers and of
// floating-point numbers, the loops around it, the data structures that it misses in, whom it depends on, and why it
// misses.

import {h, replaceContent} from './dom.js';
import * as format from './format.js';
import {hasStructures, Structures} from './structures.js';
import {hasStatements} from './statements.js';
import {SIDES} from './metrics.js';
import {aboutArc, cacheWords, hasPairs, Pairs} from './pairs.js';
import {kindEvents, patternsOf} from './patterns.js';
import {rowsWhere, summed} from './sums.js';

const MOST = 12; // loops, data structures
const FEW = 8; // statements that it depends on

const ACCESSES = [
    ['accesses', ['Dr', 'Dw'], 'how often it loaded or stored'],
    ['D1m\u2009%', 'D1rate'],
    ['LLm\u2009%', 'DLrate'],
    ['spatial', 'spatialD1'],
    ['temporal', 'temporalD1'],
    ['cost', 'CEst', 'estimated cycles: the part of those of the statement'],
];

export class Panel {
    constructor(app, names, statements) {
        Object.assign(this, {app, names, statements, shown: null});
        this.element = h('aside', {class: 'panel', 'aria-label': 'Statement'});
    }

    static fits(app) {
        return hasStatements(app.profile);
    }

    /* Of the statement that a line is part of; of quick moves the last. */
    async show(line) {
        const statement = this.statements.of.get(line) || null;
        if (statement === this.shown && this.element.firstChild) return;
        this.shown = statement;
        const parts = statement ? await this.parts(statement) : [h('p', {class: 'dim'}, 'No statement ran here.')];
        if (this.shown === statement) replaceContent(this.element, parts);
    }

    async parts(statement) {
        const [accesses, loops, structures, dependence, patterns] = await Promise.all([
            this.accesses(statement),
            this.loops(statement),
            this.structures(statement),
            this.dependence(statement),
            this.patterns(statement),
        ]);
        return [this.head(statement), ...accesses, loops, structures, dependence, ...patterns];
    }

    head(statement) {
        const {first, last, cost} = statement;
        const share = this.statements.share(statement);
        const {metric} = this.statements;
        return h(
            'div',
            null,
            h('h2', null, first === last ? `Statement, line ${last}` : `Statement, lines ${first}\u2013${last}`),
            cost !== undefined &&
                h(
                    'p',
                    {
                        class: 'relative',
                        tip: () => this.app.metrics.explain(metric, cost, 'the statement'),
                    },
                    h('b', null, format.percent(share)),
                    ` of the program's ${metric.name === 'CEst' ? 'estimated cycles' : metric.name}`,
                ),
        );
    }

    /* ---------------------------------------------------------------------------------- loads and stores */

    async accesses(statement) {
        const {metrics} = this.app;
        const keys = ['Dr', 'Dw', 'D1rate', 'DLrate', 'spatialD1', 'temporalD1', 'CEst'];
        const list = keys.map((key) => metrics.find(key)).filter(Boolean);
        const rows = await this.statements.accesses(statement, list);
        if (!rows.length) return [h('p', {class: 'dim'}, 'It neither loads nor stores, or next to nothing.')];
        return [
            h(
                'table',
                {class: 'accesses'},
                h(
                    'thead',
                    null,
                    h(
                        'tr',
                        null,
                        h('th'),
                        ACCESSES.filter(([, key]) => this.has(key)).map(([label, key, about]) =>
                            h(
                                'th',
                                {class: 'num', tip: () => [about || `${key}: ${metrics.find(key).long}`]},
                                label,
                            ),
                        ),
                    ),
                ),
                h(
                    'tbody',
                    null,
                    rows.map((row) => this.accessRow(statement, row)),
                ),
            ),
            this.byType(statement, rows),
        ];
    }

    has(key) {
        return Array.isArray(key) || Boolean(this.app.metrics.find(key));
    }

    accessRow(statement, row) {
        const {metrics} = this.app;
        const what = [{0: 'integer', 1: 'floating'}[row.floating] || 'unknown', row.store ? 'store' : 'load'].join(' ');
        const cell = ([label, key]) => {
            const metric = metrics.find(Array.isArray(key) ? key[row.store ? 1 : 0] : key);
            const value = row.values.get(metric.key);
            const low = label === 'spatial' && value < 50;
            return h(
                'td',
                {
                    class: 'num' + (low ? ' low' : ''),
                    'data-key': metric.key,
                    tip: () => metrics.explain(metric, value, what),
                },
                label === 'cost' ? format.percent((100 * value) / statement.cost) : metrics.show(metric, value),
            );
        };
        return h(
            'tr',
            {'data-kind': what},
            h('th', null, what),
            ACCESSES.filter(([, key]) => this.has(key)).map(cell),
        );
    }

    /* The integer and the floating share of what the statement's accesses cost. */
    byType(statement, rows) {
        const {metric} = this.statements;
        const of = (floating) =>
            rows
                .filter((row) => row.floating === floating)
                .reduce((sum, row) => sum + (row.values.get(metric.key) || 0), 0);
        if (!statement.cost || this.app.metrics.difference) return null;
        const part = (floating) => format.percent((100 * of(floating)) / statement.cost);
        return h(
            'p',
            {class: 'dim', tip: () => [`shares of the statement's ${metric.name}, ${metric.long}`]},
            `Integer accesses ${part(0)} of its cost, floating ${part(1)}; the rest neither loads nor stores.`,
        );
    }

    /* ---------------------------------------------------------------------------------- loops and data */

    async loops(statement) {
        const {app} = this;
        const found = await this.statements.loops(statement);
        if (!found.length) return null;
        const metric = app.metrics.find((app.metrics.find('CEst') ? 'CEst' : 'Ir') + '_incl');
        const values = await app.metrics.values(app.tables.loops, metric);
        const lines = (loop) => (loop.line === loop.last_line ? loop.line : `${loop.line}\u2013${loop.last_line}`);
        return h(
            'section',
            {class: 'loops'},
            h('h3', {tip: () => ['Loops around it, the outermost first']}, 'In loops'),
            found.slice(0, MOST).map((loop) =>
                h(
                    'p',
                    {
                        style: {'--depth': Math.min(loop.depth - 1, 6)},
                        tip: () => [
                            ...app.metrics.explain(metric, values[loop.row], 'the loop'),
                            ...aboutLoop(loop),
                            'in ' + this.names.function(loop.function_id),
                        ],
                    },
                    app.link('source', this.statements.fileId, {l: loop.line}, `lines ${lines(loop)}`),
                    h('span', {class: 'dim'}, ` ${tripWords(loop)}`),
                    h('b', null, app.metrics.percent(metric, values[loop.row])),
                ),
            ),
        );
    }

    async structures(statement) {
        const {app} = this;
        if (!hasStructures(app.profile)) return null;
        const {metrics} = app;
        const list = ['L1m', 'LLm', 'spatialD1', 'temporalD1'].map((key) => metrics.find(key)).filter(Boolean);
        const [all, {groups, values}] = await Promise.all([
            Structures.load(app),
            this.statements.structures(statement, list),
        ]);
        const weight = (id) => Math.abs((values.get('L1m') && values.get('L1m').get(id)) || 0);
        const ids = [...groups.keys()].filter((id) => all.rowOfId.has(id)).sort((a, b) => weight(b) - weight(a));
        if (!ids.length) return null;
        const cell = (metric, id) =>
            h(
                'td',
                {
                    class: 'num',
                    'data-key': metric.key,
                    tip: () =>
                        metrics.explain(metric, values.get(metric.key).get(id), all.nameAt(all.rowOfId.get(id))),
                },
                metrics.show(metric, values.get(metric.key).get(id)),
            );
        return h(
            'section',
            {class: 'misses'},
            h('h3', {tip: () => ['Data structures that it misses in']}, 'Misses in'),
            h(
                'table',
                null,
                h(
                    'thead',
                    null,
                    h(
                        'tr',
                        null,
                        list.map((metric) =>
                            h(
                                'th',
                                {class: 'num', tip: () => [metric.name + ': ' + metric.long]},
                                metric.name.replace('D1', ''),
                            ),
                        ),
                        h('th'),
                    ),
                ),
                h(
                    'tbody',
                    null,
                    ids.slice(0, MOST).map((id) =>
                        h(
                            'tr',
                            {'data-id': id},
                            list.map((metric) => cell(metric, id)),
                            h('td', {class: 'name', tip: () => all.about(all.rowOfId.get(id))}, all.link(id)),
                        ),
                    ),
                ),
            ),
            ids.length > MOST && h('p', {class: 'dim'}, `and ${format.count(ids.length - MOST)} more`),
        );
    }

    /* ---------------------------------------------------------------------------------- whom it depends on */

    async dependence(statement) {
        const {app} = this;
        if (!hasPairs(app.profile)) return null;
        const sides = app.metrics.sides ? SIDES : [''];
        return h('div', null, await Promise.all(sides.map((side) => this.dependenceOn(statement, side))));
    }

    async dependenceOn({first, last}, side) {
        const {app} = this;
        const pairs = await Pairs.load(app, side);
        const arcs = pairs.ofLines(this.statements.fileId, first, last);
        if (!arcs.length) return null;
        const name = ({go, name: words}) => (go ? app.link(...go, words) : h('span', {class: 'dim'}, words));
        const heading = (words, about, kind) => h('th', {class: kind, tip: () => [about]}, words);
        const row = (arc) =>
            h(
                'tr',
                {'data-cache': arc.cache, tip: () => aboutArc(arc, 'statements', pairs.sums.get(arc.cache).misses)},
                h('td', {class: 'num'}, format.count(arc.misses)),
                h('td', {class: 'dim'}, cacheWords(arc.cache)),
                arc.ends.slice(0, 2).map((end) => h('td', {class: 'name'}, name(end))),
            );
        return h(
            'section',
            {class: 'depends', 'data-side': side || null},
            h(
                'h3',
                {
                    tip: () => [
                        'Who threw out lines that it loaded again, and who had loaded them',
                        'Of the heaviest arcs of each cache, which this page has',
                    ],
                },
                'Depends on',
                side && `, ${side}`,
            ),
            h(
                'table',
                null,
                h(
                    'thead',
                    null,
                    h(
                        'tr',
                        null,
                        heading('again', 'misses of lines that had been there', 'num'),
                        heading('in', 'the cache'),
                        heading('loaded by', 'who had loaded the lines'),
                        heading('thrown out by', 'whose load threw them out'),
                    ),
                ),
                h('tbody', null, arcs.slice(0, FEW).map(row)),
            ),
            arcs.length > FEW && h('p', {class: 'dim'}, `and ${format.count(arcs.length - FEW)} more`),
        );
    }

    /* ---------------------------------------------------------------------------------- why it misses */

    async patterns({first, last}) {
        const {app} = this;
        const {lines: table} = app.tables;
        const file = this.statements.fileId;
        const numbers = await table.numbers('line');
        const rows = rowsWhere(await table.numbers('file_id'), file);
        const here = rows.filter((row) => numbers[row] >= first && numbers[row] <= last);
        const sums = await summed(app, table, kindEvents(app), new Map([[0, here]]));
        return patternsOf(app, {file, first, last}, (key) => sums.get(key) && sums.get(key).get(0));
    }
}

/* "2,000 times around, entered once" */
export function tripWords({iterations, entries}) {
    const trips = iterations / entries;
    if (entries !== entries) return `${format.count(iterations)} times around`;
    const around = trips === Math.round(trips) ? format.count(trips) : format.real(trips);
    return `${around} times around, entered ${format.times(entries)}`;
}

export function aboutLoop({iterations, entries, estimate}) {
    return [
        `control came to its head ${format.times(iterations)}`,
        entries === entries ? `from outside ${format.times(entries)}` : 'how often from outside is not known',
        estimate === 1 && 'inclusive costs are estimated: its function may call itself',
    ];
}
