// SPDX-License-Identifier: GPL-2.0-or-later
//
// source.js: the source, line by line, with what each line costs; without an argument the list of files. In the margin,
// at the last line of each statement, is what it costs of the whole program; hot ones are bold; and a mark where advice
// names the line. A panel beside it says more of the statement at the current line. A field finds text in the file.
//
// Under a line stand the functions that were inlined there. A line opens (click, Enter, arrow right) into the functions
// that it is part of, where it is code of more than one; the calls made from it; the data structures that it misses in;
// and its instructions, which are read only then.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {sourceOf} from '../data.js';
import {Advice, ADVISED, hasAdvice} from './advice.js';
import {fileCosts} from './overview.js';
import {Details} from '../details.js';
import {Panel} from '../panel.js';
import {sectionTable} from '../section.js';
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
        const panel = hasStatements(app.profile) ? new Panel(app, names, file.statements) : null;
        const current = Number(app.params.get('l')) || file.hottest();
        const table = sourceTable(app, names, file, rows, panel);
        const finder = new Finder(app, file, rows, table);
        table.current = rows.indexOfLine(current);
        append(
            place,
            h(
                'div.bar-top',
                h('h1.name', {tip: () => [names.file(id)]}, format.fileName(names.file(id))),
                h('span.dim.path', names.file(id)),
                file.text && finder.field,
                h('span.keys', step(table, rows, file, -1), step(table, rows, file, 1)),
            ),
            file.note(),
            h('div.with-map', table.element, heatMap(app, file, table, rows), panel && panel.element),
        );
        if (panel) await panel.show(rows.rows[table.current] ? rows.rows[table.current].line : 0);
        place.addEventListener('keydown', (event) => {
            if ((event.key !== 'n' && event.key !== 'p') || event.target.closest('input')) return;
            toHot(table, rows, file, event.key === 'n' ? 1 : -1);
        });
        this.table = table;
        return undefined;
    },

    shown(app) {
        if (app.argument === '') return;
        this.table.centre();
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
    const table = sectionTable(app, 'Files', {
        items: ids,
        list,
        costs: costs.costs,
        columns: [
            {key: 'path', kind: 'text', title: 'file'},
            {key: 'text', kind: 'text', title: 'source', class: 'dim'},
        ],
        cells: {
            path: (id) => ({name: names.file(id), go: ['source', id, {}], about: () => [names.file(id)]}),
            text: said,
        },
        rowRef: (id) => ({go: ['source', id]}),
    });
    const metric = list[list.length - 1];
    const rest = !metric.ratio && costs.costs.get(metric.key)(0); // on no line that is known
    const unknown = () => `; ${app.metrics.percent(metric, rest)} of ${metric.name} is code without line information`;
    const words = `${format.count(ids.length)} files with costs, self`;
    append(place, topBar('Files', h('span.dim', words, rest ? unknown() : '')), table.element);
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
        const {line, ...of} = await lines.read('file_id', 'line', 'function_id', 'estimate');
        Object.assign(file, {functionIds: of.function_id, estimate: of.estimate});
        file.byLine = groupBy(rowsWhere(of.file_id, id), line);
        const own = app.metrics.find(app.metric.name); // hot lines are those of self cost, shown or not
        file.costs = await summed(app, lines, [...list, own], file.byLine);
        file.inlined = await rowsByLine(inlined, id, 'call_file_id', 'call_line');
        file.inlinedNames = await inlined.texts('name');
        file.inlinedCosts = await app.costsOf(inlined, list);
        file.calls = await rowsByLine(arcs, id, 'file_id', 'line');
        file.statements = await Statements.load(app, id);
        file.found = new Set(); // lines with the words that were looked for
        file.advice = hasAdvice(app.profile) ? await Advice.load(app) : null;
        return Object.assign(file, await sourceOf(app.tables, id));
    }

    note() {
        const last = Math.max(0, ...this.byLine.keys());
        const {text, refused, newer} = this;
        const words = [
            refused &&
                `The text of this file is not shown: ${refused}. tenure html --source-anywhere puts it into the page.`,
            !refused && !text && 'The text of this file is not in the page: only lines with costs are shown.',
            newer && 'This file has changed since the profile was made: costs may stand at the wrong lines.',
            text &&
                last > text.length &&
                `Costs are on lines up to ${last}, but the file has ${text.length}: ` +
                    'it is not the one that was compiled.',
        ];
        return words.filter(Boolean).map((one) => h('p.warning', one));
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
        const cost = this.costs.get(this.app.metric.name);
        return (cost && cost(line)) || 0;
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

/* Rows of a table that are in a file, by their lines. */
async function rowsByLine(table, id, file, line) {
    const of = await table.read(file, line);
    return groupBy(rowsWhere(of[file], id), of[line]);
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
    async toggle({line}, way) {
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
    const costOf = ({key}) => {
        const [lines, inlined] = [file.costs.get(key), file.inlinedCosts.get(key)];
        const of = (row) => {
            if (row.kind === 'line') return lines && lines(row.line);
            return row.kind === 'inlined' ? inlined && inlined(row.at) : row.values.get(key);
        };
        const margin = (row) => (row.kind === 'line' ? lines.margin(row.line) : NaN);
        return lines && lines.margin ? Object.assign(of, {margin}) : of;
    };
    const what = ({kind, line, what: words}) =>
        ({line: `line ${line}`, inlined: 'inlined code, part of the line'})[kind] || words;
    const toggle = async (row, way) => {
        if (row.kind === 'line' && (await rows.toggle(row, way || 0))) table.setItems(rows.rows);
    };
    const isIdle = (row) => row.kind === 'line' && !file.byLine.has(row.line);
    const isFound = (row) => row.kind === 'line' && file.found.has(row.line);
    const isHot = (row) => row.kind === 'line' && file.statements.isHot(row.line);
    const table = app.table({
        columns: [
            ...app.metricColumns(file.list, new Map(file.list.map((metric) => [metric.key, costOf(metric)])), what),
            panel && marginColumn(file),
            adviceColumn(app, file),
            {
                key: 'line',
                label: 'line',
                width: '7ch',
                class: 'dim',
                cell: (row) => (row.kind === 'line' ? row.line || '?' : ''),
            },
            {
                key: 'text',
                label: 'source',
                width: '60ch',
                grow: true,
                align: 'left',
                class: 'code',
                cell: (row) => textCell(file, row),
                tip: (row) => lineTip(names, file, row),
            },
        ],
        items: rows.rows,
        label: 'Source',
        class: 'source',
        rowClass: (row) =>
            Object.entries({
                [row.kind]: true,
                open: rows.opened.has(row.line),
                hot: isHot(row),
                idle: isIdle(row),
                hit: isFound(row),
            }).flatMap(([name, is]) => (is ? name : [])).join(' '),
        open: toggle,
        step: toggle,
        onselect: ({line}) => {
            app.change({l: line || null}, true);
            if (panel) panel.show(line);
        },
    });
    return table;
}

/* What the statement that ends at a line costs, of the whole program. */
function marginColumn({statements, app}) {
    const at = ({line}) => statements.of.get(line);
    const ends = (row) => row.kind === 'line' && at(row) && at(row).last === row.line;
    const costAt = (row) => at(row).cost;
    const shareAt = (row) => (ends(row) ? statements.share(at(row)) : NaN);
    return {
        key: 'relative',
        label: 'cost',
        sub: 'of all',
        width: '10ch',
        class: 'num relative',
        title: ['estimated cycles of the statement that ends here, as a share of the whole program'],
        share: (row) => shareAt(row) / 100,
        cell: (row) => (Math.abs(shareAt(row)) >= 0.005 ? app.metrics.percent(statements.metric, costAt(row)) : ''),
        tip: (row) =>
            shareAt(row) && app.metrics.explain(statements.metric, costAt(row), 'the statement that ends here'),
    };
}

/* A mark at each line that a piece of advice names; null where none names any. */
function adviceColumn(app, {id, advice}) {
    const marks = advice ? advice.marks(id) : new Map();
    const mark = (item) => h('span', {tip: () => advice.about(item)}, app.link('advice', item.id, {}, ADVISED));
    return (
        marks.size > 0 && {
            key: 'advice',
            label: '',
            width: 2 * Math.max(...[...marks.values()].map((items) => items.length)) + 2 + 'ch',
            class: 'advised',
            title: ['where advice says what to change'],
            cell: ({kind, line}) => kind === 'line' && (marks.get(line) || []).map(mark),
        }
    );
}

function textCell(file, row) {
    if (row.kind === 'inlined') return [h('span.mark', 'inlined'), format.name(file.inlinedNames.at(row.at))];
    if (row.kind !== 'line') return row.cell();
    if (row.line === 0) return h('i', 'code whose line is not known');
    if (!file.text) return '';
    const text = file.text[row.line - 1];
    return text === undefined ? h('i.dim', 'past the end of the file') : format.code(text.slice(0, 2000));
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

/* ------------------------------------------------------------------------------------------ finding text */

/* A field that finds lines by their text, capital letters or not. */
class Finder {
    constructor(app, file, rows, table) {
        Object.assign(this, {file, rows, table});
        this.find(app.params.get('q') || '');
        const find = (words) => {
            this.find(words);
            this.step(0);
            table.refresh();
        };
        this.field = app.filter('Find in this file', find, () => this.said(), (way) => this.step(way));
    }

    find(words) {
        const wanted = words.toLowerCase();
        const has = (line) => this.file.text[line - 1].toLowerCase().includes(wanted);
        const all = Array.from(this.file.text || [], (_, i) => i + 1);
        this.words = words;
        this.lines = words ? all.filter(has) : [];
        this.file.found = new Set(this.lines);
    }

    current() {
        const row = this.rows.rows[this.table.current];
        return row ? row.line : 0;
    }

    said() {
        if (!this.words) return '';
        const [at, count] = [this.lines.indexOf(this.current()) + 1, format.count(this.lines.length)];
        return at > 0 ? `${format.count(at)} of ${count} lines` : `${count} lines`;
    }

    /* To the next line or the previous one, round the end; 0: to the next one unless this is one. */
    step(way) {
        const [at, {lines}] = [this.current(), this];
        const next = lines.find((line) => (way > 0 ? line > at : line >= at)) ?? lines[0];
        const to = way < 0 ? lines.findLast((line) => line < at) ?? lines.at(-1) : next;
        if (to !== undefined) goTo(this.table, this.rows, to);
    }
}

/* ------------------------------------------------------------------------------------------ moving to lines */

function goTo(table, rows, line) {
    table.select(rows.indexOfLine(line), true);
    table.centre();
}

function toHot(table, rows, file, way) {
    const hot = file.hotLines();
    const at = rows.rows[table.current].line;
    const next = way > 0 ? hot.find((line) => line > at) : [...hot].reverse().find((line) => line < at);
    if (next !== undefined) goTo(table, rows, next);
}

function step(table, rows, file, way) {
    const [words, label, key] = way > 0 ? ['next', '\u2193 hot', 'n'] : ['previous', '\u2191 hot', 'p'];
    const properties = {tip: () => [`${words} hot line, key ${key}`], onclick: () => toHot(table, rows, file, way)};
    return h('button', properties, label);
}

/* A strip beside the table: where in the file the hot lines are. */
function heatMap(app, file, table, rows) {
    const most = Math.max(1, ...file.hotLines().map((line) => Math.abs(file.cost(line))));
    const last = rows.lines[rows.lines.length - 1] || 1;
    const button = (line) =>
        h('button', {
            tabindex: -1,
            style: {
                top: (100 * (line - 1)) / last + '%',
                '--heat': Math.sqrt(Math.abs(file.cost(line)) / most).toFixed(3),
            },
            tip: () => [`line ${line}: ${app.metrics.show(app.metric, file.cost(line))}`],
            onclick: () => goTo(table, rows, line),
        });
    return h('div.map', {'aria-hidden': 'true'}, file.hotLines().map(button));
}
