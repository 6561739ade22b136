// SPDX-License-Identifier: GPL-2.0-or-later
//
// panel.js: the statement at the current line of a source file: what it costs, what advice says of it, its loads and
// stores of integers and of floating-point numbers, the loops around it, the data structures that it misses in, whom it
// depends on, and why it misses.

import {curvesOf} from './curves.js';
import {h, replaceContent} from './dom.js';
import * as format from './format.js';
import {SIDES} from './metrics.js';
import {aboutArc, arcCells, cacheWords, hasPairs, Pairs} from './pairs.js';
import {kindEvents, patternsOf} from './patterns.js';
import {allColumns} from './section.js';
import {hasStructures, Structures} from './structures.js';
import {rowsWhere, summed} from './sums.js';
import {smallTable} from './table.js';
import {Advice, hasAdvice} from './views/advice.js';
import {aboutLoop} from './views/loops.js';

const MOST = 12; // loops, data structures
const FEW = 8; // statements that it depends on
const LOW = 50; // %: of what was loaded

const RATIOS = ['D1rate', 'DLrate', 'spatialD1', 'temporalD1']; // of accesses

/* There is no room for words: spatialD1 is "spatial" here. */
const narrow = (column) => ({...column, ...(column.short && {label: column.short.replace(/D1$/, ''), sub: ''})});

export class Panel {
    constructor(app, names, statements) {
        Object.assign(this, {app, names, statements, shown: null});
        this.element = h('aside.panel', {'aria-label': 'Statement'});
    }

    /* Of the statement that a line is part of; of quick moves the last. */
    async show(line) {
        const statement = this.statements.of.get(line) || null;
        if (statement === this.shown && this.element.firstChild) return;
        this.shown = statement;
        const parts = statement ? await this.parts(statement) : h('p.dim', 'No statement ran here.');
        if (this.shown === statement) replaceContent(this.element, parts);
    }

    async parts(statement) {
        const parts = [this.advice, this.accesses, this.loops, this.structures, this.dependence, this.patterns];
        return [this.head(statement), ...(await Promise.all(parts.map((part) => part.call(this, statement))))];
    }

    head(statement) {
        const {first, last, cost} = statement;
        const {metric} = this.statements;
        const tip = () => this.app.metrics.explain(metric, cost, 'the statement');
        return h(
            'div',
            h('h2', first === last ? `Statement, line ${last}` : `Statement, lines ${first}\u2013${last}`),
            cost !== undefined &&
                h(
                    'p.relative',
                    {tip},
                    h('b', format.percent(this.statements.share(statement))),
                    ` of the program's ${format.inSentence(metric.title)}`,
                ),
        );
    }

    /* A part with a table of a section of reports, of at most `most` of the items. */
    part(name, title, about, key, {items, most, rowProperties, side, ...options}) {
        if (!items.length) return null;
        return h(
            `section.${name}`,
            {'data-side': side || null},
            h('h3', {tip: () => [about].flat()}, title),
            smallTable(allColumns(this.app, key, {items, ...options}).map(narrow), items.slice(0, most), rowProperties),
            items.length > most && h('p.dim', `and ${format.count(items.length - most)} more`),
        );
    }

    async advice({first, last}) {
        if (!hasAdvice(this.app.profile)) return null;
        const all = await Advice.load(this.app);
        const items = all.on(this.statements.fileId, first, last);
        const piece = (item) =>
            h(
                'p',
                {tip: () => all.about(item)},
                h('b.saving', format.percent(item.share)),
                ' ',
                this.app.link('advice', item.id, {}, item.title),
            );
        const tip = () => ['What to change here, and what that would save of the estimated cycles'];
        return items.length > 0 && h('section.advice', h('h3', {tip}, 'Advice'), items.map(piece));
    }

    /* ---------------------------------------------------------------------------------- loads and stores */

    async accesses(statement) {
        const {metrics} = this.app;
        const {metric} = this.statements;
        const ratios = RATIOS.map((key) => metrics.plain(key)).filter(Boolean);
        const counts = ['Dr', 'Dw'].map((key) => metrics.find(key));
        const list = [...counts, ...ratios, metric].filter(Boolean);
        const {items, costs} = await this.statements.accesses(statement, list);
        if (!items.length) return h('p.dim', 'It neither loads nor stores, or next to nothing.');
        const words = ({floating, store}) =>
            [{0: 'integer', 1: 'floating'}[floating] || 'unknown', store ? 'store' : 'load'].join(' ');
        const count = (item) => costs.get(item.store ? 'Dw' : 'Dr')(item);
        const cost = costs.get(metric.key);
        const share = (value) => format.percent((100 * value) / statement.cost);
        const isLow = ({key}) => (item) => key === 'spatialD1' && costs.get(key)(item) < LOW;
        const ratioColumn = (column) => {
            const low = isLow(column);
            const cell = (item) => (low(item) ? h('span.low', column.cell(item)) : column.cell(item));
            return {...narrow(column), cell};
        };
        const columns = [
            {key: 'kind', label: 'access', text: words},
            {
                key: 'accesses',
                label: 'accesses',
                title: ['how often it loaded or stored'],
                cell: (item) => format.count(count(item)),
            },
            ...this.app.metricColumns(ratios, costs, words).map(ratioColumn),
            {
                key: 'cost',
                label: 'cost',
                title: ['estimated cycles: the part of those of the statement'],
                cell: (item) => share(cost(item)),
                tip: (item) => metrics.explain(metric, cost(item), words(item)),
            },
        ];
        const table = smallTable(columns, items);
        table.classList.add('accesses');
        if (!statement.cost || metrics.difference) return table;
        const sum = (some) => some.reduce((all, item) => all + (cost(item) || 0), 0);
        const of = (type) => share(sum(items.filter(({floating}) => floating === type)));
        return [
            table,
            h(
                'p.dim',
                {tip: () => [`shares of the statement's ${metric.name}`, ...metrics.about(metric)]},
                `Integer accesses ${of(0)} of its cost, floating ${of(1)}; the rest neither loads nor stores.`,
            ),
        ];
    }

    /* ---------------------------------------------------------------------------------- loops and data */

    async loops(statement) {
        const {app} = this;
        const found = await this.statements.loops(statement);
        if (!found.length) return null;
        const metric = app.metrics.find(app.metrics.cost() + '_incl');
        const values = await app.metrics.values(app.tables.loops, metric);
        const lines = ({line, last_line: last}) => 'lines ' + format.lines(line, last).slice(1);
        /* "2,000 times around, entered once" */
        const around = ({iterations, entries}) => {
            const trips = iterations / entries;
            if (entries !== entries) return `${format.count(iterations)} times around`;
            const each = trips === Math.round(trips) ? format.count(trips) : format.real(trips);
            return `${each} times around, entered ${format.times(entries)}`;
        };
        const loop = (one) => {
            const cost = values[one.row];
            const inside = 'in ' + this.names.function(one.function_id);
            return h(
                'p',
                {
                    style: {'--depth': Math.min(one.depth - 1, 6)},
                    tip: () => [...app.metrics.explain(metric, cost, 'the loop'), ...aboutLoop(one), inside],
                },
                app.link('source', this.statements.fileId, {l: one.line}, lines(one)),
                h('span.dim', ` ${around(one)}`),
                h('b', app.metrics.percent(metric, cost)),
            );
        };
        const heading = h('h3', {tip: () => ['Loops around it, the outermost first']}, 'In loops');
        const curves = await curvesOf(app, app.tables.loops, found.at(-1).row, ['_incl']);
        return h(
            'section.loops',
            heading,
            found.slice(0, MOST).map(loop),
            curves && [h('p.dim', 'The innermost one:'), curves],
        );
    }

    async structures(statement) {
        const {app} = this;
        if (!hasStructures(app.profile)) return null;
        const list = ['L1m', 'LLm', 'spatialD1', 'temporalD1'].map((key) => app.metrics.plain(key)).filter(Boolean);
        const all = await Structures.load(app);
        const {ids, costs} = await this.statements.structures(statement, list);
        const weight = (id) => Math.abs((costs.has('L1m') && costs.get('L1m')(id)) || 0);
        return this.part('misses', 'Misses in', 'Data structures that it misses in', 'statement_data', {
            items: ids.filter((id) => all.rowOfId.has(id)).sort((a, b) => weight(b) - weight(a)),
            most: MOST,
            list,
            costs,
            cells: {data: (id) => all.ref(id)},
        });
    }

    /* ---------------------------------------------------------------------------------- whom it depends on */

    async dependence({first, last}) {
        const {app} = this;
        if (!hasPairs(app.profile)) return null;
        const {misses, loader, evictor} = arcCells('statements');
        const about = [
            'Who threw out lines that it loaded again, and who had loaded them',
            'Of the heaviest arcs of each cache, which this page has',
        ];
        const isHere = (arc) =>
            arc.file_id === this.statements.fileId && arc.first_line >= first && arc.line <= last;
        const sides = app.metrics.sides ? SIDES : [undefined];
        const all = await Promise.all(sides.map((side) => Pairs.load(app, side)));
        const part = (pairs, side) => {
            const title = side ? `Depends on, ${side}` : 'Depends on';
            return this.part('depends', title, about, 'statement_pairs', {
                items: pairs.arcs.statements.filter(isHere).sort((a, b) => b.misses - a.misses),
                most: FEW,
                cells: {misses, cache: ({cache}) => cacheWords(cache), loader, evictor},
                tip: (arc) => aboutArc(arc, 'statements', pairs.sums.get(arc.cache).misses),
                rowProperties: ({cache}) => ({'data-cache': cache}),
                side,
            });
        };
        return h('div', all.map((pairs, i) => part(pairs, sides[i])));
    }

    /* ---------------------------------------------------------------------------------- why it misses */

    async patterns({first, last}) {
        const {app} = this;
        const {lines: table} = app.tables;
        const file = this.statements.fileId;
        const of = await table.read('file_id', 'line');
        const here = rowsWhere(of.file_id, file).filter((row) => of.line[row] >= first && of.line[row] <= last);
        const costs = await summed(app, table, kindEvents(app), new Map([[0, here]]));
        return patternsOf(app, {file, first, last}, (key) => costs.has(key) && costs.get(key)(0));
    }
}
