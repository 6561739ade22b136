// SPDX-License-Identifier: GPL-2.0-or-later
//
// source.js: the source, line by line, with what each line costs; without an argument the list of files. In the margin,
// at the last line of each statement, is what it costs of the whole program; hot ones are bold. A panel beside it says
// more of the statement at the current line.
//
// Under a line stand the functions that were inlined there. A line opens (click, Enter, arrow right) into the functions
// that it is part of, where it is code of more than one; the calls made from it; the data structures that it misses in;
// and its instructions, which are read only then.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {fileCosts} from './overview.js';
import {Details} from '../details.js';
import {Panel} from '../panel.js';
import {hasStatements, Statements} from '../statements.js';
import {groupBy, rowsWhere, summed} from '../sums.js';

export const source = {
    id: 'source',
    title: 'Source',
    about: 'Source lines with their costs, inlined code and instructions',

    async render(app, place) {
        const names = await app.names();
        if (app.argument === '') return renderFiles(app, names, place);
        const id = Number(app.argument);
        const file = await SourceFile.load(app, names, id);
        const rows = new SourceRows(app, names, file);
        const panel = Panel.fits(app) ? new Panel(app, names, file.statements) : null;
        const current = Number(app.params.get('l')) || file.hottest();
        const table = sourceTable(app, names, file, rows, panel);
        table.current = rows.indexOfLine(current);
        append(
            place,
            h(
                'div',
                {class: 'bar-top'},
                h('h1', {class: 'name', tip: () => [names.file(id)]}, format.fileName(names.file(id))),
                h('span', {class: 'dim path'}, names.file(id)),
                h('span', {class: 'keys'}, step(table, rows, file, -1), step(table, rows, file, 1)),
            ),
            file.note(),
            h('div', {class: 'with-map'}, table.element, heatMap(app, file, table, rows), panel && panel.element),
        );
        if (panel) await panel.show(rows.rows[table.current] ? rows.rows[table.current].line : 0);
        place.addEventListener('keydown', (event) => {
            if (event.key !== 'n' && event.key !== 'p') return;
            toHot(table, rows, file, event.key === 'n' ? 1 : -1);
        });
        this.table = table;
        return undefined;
    },

    shown(app) {
        if (app.argument === '') return;
        this.table.reveal(this.table.current, true);
        this.table.draw();
    },
};

/* ------------------------------------------------------------------------------------------ the list of files */

async function renderFiles(app, names, place) {
    const costs = await fileCosts(app);
    const {list} = costs;
    const {sources, refused} = app.tables;
    const found = new Set(sources ? await sources.numbers('file_id') : []);
    const notShown = new Set(refused ? await refused.numbers('file_id') : []);
    const said = (id) => (found.has(id) ? 'in the page' : notShown.has(id) ? 'not shown' : 'not found');
    const ids = costs.ids.filter(Boolean);
    const values = new Map(list.map(({key}) => [key, ids.map((id) => costs.values.get(key).get(id))]));
    const path = (i) => names.file(ids[i]);
    const table = app.sortedTable({
        items: [...ids.keys()],
        columns: [
            ...app.metricColumns(list, values, path),
            {
                key: 'path',
                label: 'file',
                width: '30ch',
                grow: true,
                text: path,
                cell: (i) => app.link('source', ids[i], {}, path(i)),
            },
            {
                key: 'text',
                label: 'source',
                width: '12ch',
                align: 'left',
                class: 'dim',
                cell: (i) => said(ids[i]),
            },
        ],
        by: list[list.length - 1].key,
        label: 'Files',
        open: (i) => app.go('source', ids[i]),
    });
    append(
        place,
        topBar(
            'Files',
            h('span', {class: 'dim'}, `${format.count(ids.length)} files with costs, self`, unknownPart(app, costs)),
        ),
        table.element,
    );
}

/* What is on no line that is known, of the event that is shown. */
function unknownPart(app, {list, values}) {
    const metric = list[list.length - 1];
    const rest = values.get(metric.key).get(0);
    if (metric.ratio || !rest) return '';
    return `; ${app.metrics.percent(metric, rest)} of ${metric.name} is code without line information`;
}

/* ------------------------------------------------------------------------------------------ one file */

/* Beside the panel there is room for few columns: the chosen event, and where it is wide its other half, unless more
 * are asked for. */
function columnsOf(app) {
    const all = app.shownMetrics();
    if (!hasStatements(app.profile) || app.params.has('c')) return all;
    if (app.metrics.sides) return all.slice(0, 3);
    return innerWidth < 1500 ? [app.metric] : all.slice(0, 2);
}

class SourceFile {
    static async load(app, names, id) {
        const {lines, inlined, arcs} = app.tables;
        const list = columnsOf(app);
        const file = Object.assign(new SourceFile(), {app, names, id, list});
        const [files, numbers, functionIds, estimate] = await Promise.all(
            ['file_id', 'line', 'function_id', 'estimate'].map((name) => lines.numbers(name)),
        );
        file.rows = rowsWhere(files, id);
        file.functionIds = functionIds;
        file.estimate = estimate;
        const own = app.metrics.find(app.metric.name); // hot lines are those of self cost, shown or not
        file.values = await summed(app, lines, [...list, own], groupBy(file.rows, numbers));
        file.byLine = groupBy(file.rows, numbers);
        file.inlined = await inlinedHere(inlined, id);
        file.inlinedNames = await inlined.texts('name');
        file.inlinedValues = await app.valuesOf(inlined, list);
        file.calls = await callsHere(arcs, id);
        file.statements = await Statements.load(app, id);
        await file.readText();
        return file;
    }

    async readText() {
        const {sources, source_text: texts} = this.app.tables;
        this.text = this.refused = null;
        if (!sources) return;
        const [ids, newer] = await Promise.all([sources.numbers('file_id'), sources.numbers('newer')]);
        const at = ids.indexOf(this.id);
        if (at < 0) {
            this.refused = await this.whyRefused();
            return;
        }
        this.text = (await texts.textPart('text', at)).at(0).split('\n');
        if (this.text.length > 1 && this.text[this.text.length - 1] === '') this.text.pop();
        this.newer = newer[at] === 1;
    }

    async whyRefused() {
        const {refused} = this.app.tables;
        const at = refused ? (await refused.numbers('file_id')).indexOf(this.id) : -1;
        return at < 0 ? null : (await refused.texts('why')).at(at);
    }

    note() {
        const last = Math.max(0, ...this.byLine.keys());
        const words = [];
        if (this.refused)
            words.push(
                `The text of this file is not shown: ${this.refused}. ` +
                    'tenure html --source-anywhere puts it into the page.',
            );
        else if (!this.text) words.push('The text of this file is not in the page: only lines with costs are shown.');
        if (this.newer)
            words.push('This file has changed since the profile was made: costs may stand at the wrong lines.');
        if (this.text && last > this.text.length)
            words.push(
                `Costs are on lines up to ${last}, but the file has ${this.text.length}: ` +
                    'it is not the one that was compiled.',
            );
        return words.map((text) => h('p', {class: 'warning'}, text));
    }

    /* Numbers of the lines in the order of the file. */
    lineNumbers() {
        const known = [...this.byLine.keys(), ...this.inlined.keys()].filter((line) => line > 0);
        const length = this.text ? Math.max(this.text.length, ...known) : 0;
        if (this.text && length < this.text.length + 100000) return Array.from({length}, (_, i) => i + 1);
        const all = new Set([...known, ...(this.text ? this.text.keys() : [])].filter((line) => line > 0));
        return [...all].sort((a, b) => a - b);
    }

    cost(line) {
        const value = this.values.get(this.app.metric.name)
            ? this.values.get(this.app.metric.name).get(line)
            : undefined;
        return value === undefined || value !== value ? 0 : value;
    }

    /* Lines with at least a thousandth of the file's cost, self. */
    hotLines() {
        if (!this.hot) {
            const lines = [...this.byLine.keys()].filter((line) => line > 0);
            const sum = lines.reduce((all, line) => all + Math.abs(this.cost(line)), 0);
            this.hot = lines.filter((line) => Math.abs(this.cost(line)) > sum / 200).sort((a, b) => a - b);
        }
        return this.hot;
    }

    hottest() {
        return this.hotLines().reduce(
            (best, line) => (Math.abs(this.cost(line)) > Math.abs(this.cost(best)) ? line : best),
            this.hotLines()[0] || 1,
        );
    }
}

async function inlinedHere(table, id) {
    const [files, lines] = await Promise.all([table.numbers('call_file_id'), table.numbers('call_line')]);
    return groupBy(rowsWhere(files, id), lines);
}

async function callsHere(table, id) {
    const [files, lines] = await Promise.all([table.numbers('file_id'), table.numbers('line')]);
    return groupBy(rowsWhere(files, id), lines);
}

/* ------------------------------------------------------------------------------------------ rows */

/* What the table shows: lines, and below them what is part of them. */
class SourceRows {
    constructor(app, names, file) {
        Object.assign(this, {app, names, file});
        this.lines = file.lineNumbers();
        if (file.byLine.has(0)) this.lines.unshift(0);
        this.opened = new Map(); // line -> rows of its details
        this.arrange();
    }

    arrange() {
        this.rows = [];
        for (const line of this.lines) {
            this.rows.push({kind: 'line', line});
            for (const i of this.file.inlined.get(line) || []) this.rows.push({kind: 'inlined', line, at: i});
            this.rows.push(...(this.opened.get(line) || []));
        }
    }

    indexOfLine(line) {
        const at = this.rows.findIndex((row) => row.kind === 'line' && row.line >= line);
        return at < 0 ? 0 : at;
    }

    /* True if there was anything to open or close. */
    async toggle(index, way) {
        const {line} = this.rows[index];
        if (this.opened.has(line)) {
            if (way > 0) return false;
            this.opened.delete(line);
        } else {
            if (way < 0) return false;
            const details = await new Details(this.app, this.names, this.file).of(line);
            if (!details.length) return false;
            this.opened.set(line, details);
        }
        this.arrange();
        return true;
    }
}

function sourceTable(app, names, file, rows, panel) {
    const valueOf = (metric, row) => {
        if (row.kind === 'line') return file.values.get(metric.key) && file.values.get(metric.key).get(row.line);
        if (row.kind === 'inlined')
            return file.inlinedValues.get(metric.key) && file.inlinedValues.get(metric.key)[row.at];
        return row.values && row.values.get(metric.key);
    };
    const proxies = new Map(
        file.list.map((metric) => [
            metric.key,
            new Proxy([], {get: (_, i) => valueOf(metric, rows.rows[Number(i)])}),
        ]),
    );
    const what = (i) =>
        ({line: `line ${rows.rows[i].line}`, inlined: 'inlined code, part of the line'})[rows.rows[i].kind] ||
        rows.rows[i].what;
    const toggle = async (i, way) => {
        if (await rows.toggle(i, way || 0)) table.setCount(rows.rows.length);
    };
    const table = app.plainTable({
        columns: [
            ...app.metricColumns(file.list, proxies, what),
            ...(panel ? [marginColumn(file, rows)] : []),
            {
                key: 'line',
                label: 'line',
                width: '7ch',
                class: 'dim',
                cell: (i) => (rows.rows[i].kind === 'line' ? rows.rows[i].line || '?' : ''),
            },
            {
                key: 'text',
                label: 'source',
                width: '60ch',
                grow: true,
                align: 'left',
                class: 'code',
                cell: (i) => textCell(app, file, rows, i),
                tip: (i) => lineTip(names, file, rows.rows[i]),
            },
        ],
        count: rows.rows.length,
        label: 'Source',
        class: 'source',
        rowClass: (i) =>
            rows.rows[i].kind +
            (rows.opened.has(rows.rows[i].line) ? ' open' : '') +
            (rows.rows[i].kind === 'line' && file.statements.isHot(rows.rows[i].line) ? ' hot' : '') +
            (rows.rows[i].kind === 'line' && !file.byLine.has(rows.rows[i].line) ? ' idle' : ''),
        open: (i) => rows.rows[i].kind === 'line' && toggle(i),
        step: (i, way) => rows.rows[i].kind === 'line' && toggle(i, way),
        onselect: (i) => {
            app.change({l: rows.rows[i].line || null}, true);
            if (panel) panel.show(rows.rows[i].line);
        },
    });
    return table;
}

/* What the statement that ends at a line costs, of the whole program. */
function marginColumn({statements, app}, rows) {
    const costAt = (i) => statements.of.get(rows.rows[i].line).cost;
    const shareAt = (i) => (rows.rows[i].kind === 'line' ? statements.shareAt(rows.rows[i].line) : NaN);
    return {
        key: 'relative',
        label: 'cost',
        sub: 'of all',
        width: '10ch',
        class: 'num relative',
        title: ['estimated cycles of the statement that ends here, as a share of the whole program'],
        share: (i) => shareAt(i) / 100,
        cell: (i) => (Math.abs(shareAt(i)) >= 0.005 ? app.metrics.percent(statements.metric, costAt(i)) : ''),
        tip: (i) =>
            shareAt(i) && app.metrics.explain(statements.metric, costAt(i), 'the statement that ends here'),
    };
}

function textCell(app, file, rows, i) {
    const row = rows.rows[i];
    if (row.kind === 'line') {
        const text =
            row.line === 0 ? 'code whose line is not known' : file.text ? file.text[row.line - 1] : undefined;
        return text === undefined
            ? h('i', {class: 'dim'}, file.text ? 'past the end of the file' : '')
            : row.line === 0
              ? h('i', null, text)
              : format.code(text.slice(0, 2000));
    }
    if (row.kind === 'inlined')
        return [h('span', {class: 'mark'}, 'inlined'), format.name(file.inlinedNames.at(row.at))];
    return row.cell(app);
}

function lineTip(names, file, row) {
    if (row.kind !== 'line' || !file.byLine.has(row.line)) return null;
    const rows = file.byLine.get(row.line);
    const functions = [...new Set(rows.map((r) => names.function(file.functionIds[r])))];
    const estimated = rows.some((r) => file.estimate[r] === 1);
    return [
        `line ${row.line}, code of ${functions.slice(0, 4).join(', ')}${functions.length > 4 ? ', \u2026' : ''}`,
        estimated && 'inclusive costs of this line are estimated: its function calls itself',
        'click: calls and instructions',
    ];
}

/* ------------------------------------------------------------------------------------------ moving to hot lines */

function toHot(table, rows, file, way) {
    const hot = file.hotLines();
    const at = rows.rows[table.current].line;
    const next = way > 0 ? hot.find((line) => line > at) : [...hot].reverse().find((line) => line < at);
    if (next === undefined) return;
    table.select(rows.indexOfLine(next), true);
    table.reveal(table.current, true);
    table.draw();
}

function step(table, rows, file, way) {
    return h(
        'button',
        {
            type: 'button',
            tip: () => [(way > 0 ? 'next' : 'previous') + ' hot line, key ' + (way > 0 ? 'n' : 'p')],
            onclick: () => toHot(table, rows, file, way),
        },
        way > 0 ? '\u2193 hot' : '\u2191 hot',
    );
}

/* A strip beside the table: where in the file the hot lines are. */
function heatMap(app, file, table, rows) {
    const most = Math.max(1, ...file.hotLines().map((line) => Math.abs(file.cost(line))));
    const last = rows.lines[rows.lines.length - 1] || 1;
    return h(
        'div',
        {class: 'map', 'aria-hidden': 'true'},
        file.hotLines().map((line) =>
            h('button', {
                type: 'button',
                tabindex: -1,
                style: {
                    top: (100 * (line - 1)) / last + '%',
                    '--heat': Math.sqrt(Math.abs(file.cost(line)) / most).toFixed(3),
                },
                tip: () => [`line ${line}: ${app.metrics.show(app.metric, file.cost(line))}`],
                onclick: () => {
                    table.select(rows.indexOfLine(line), true);
                    table.reveal(table.current, true);
                },
            }),
        ),
    );
}
