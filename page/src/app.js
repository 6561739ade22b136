// SPDX-License-Identifier: GPL-2.0-or-later
//
// app.js: the state of the page, which is its address, and what all views share.
//
//     #view/argument?e=SpLossD1_incl&c=CEst,Ir&s=-Ir
//
// `e` is the chosen event, `c` the other columns, `s` the column that a table is sorted by (- before: descending);
// views have parameters of their own. To go somewhere is to change the address; the browser's history does the rest.
// What a link does not name, it keeps (`e` and `c`), or forgets (everything else).

import {h, replaceContent} from './dom.js';
import * as format from './format.js';
import {rowsById} from './data.js';
import {SIDES} from './metrics.js';
import {VirtualTable} from './table.js';

const CARRIED = ['e', 'c'];
const NARROW = 900; // pixels; below there is room for one column of costs

export class App {
    constructor(profile, metrics, views) {
        this.profile = profile;
        this.tables = profile.tables;
        this.metrics = metrics;
        this.views = views;
        this.scrolls = new Map(); // address -> where its table was
        this.memory = new Map(); // what views remember between two visits
        this.shown = []; // tables on the page now
        this.read();
    }

    /* ---------------------------------------------------------------------------------- state */

    read() {
        const [path, query] = location.hash.slice(1).split('?');
        const [view, ...rest] = path.split('/');
        this.view = this.views.find((v) => v.id === view) || this.views[0];
        this.argument = decoded(rest.join('/'));
        this.params = new URLSearchParams(query || '');
        const wanted = this.params.get('e');
        this.metric = (wanted && this.metrics.find(wanted.split('@')[0])) || this.metrics.find(this.metrics.first());
    }

    address(view, argument, changes) {
        const params = new URLSearchParams();
        for (const key of CARRIED) if (this.params.has(key)) params.set(key, this.params.get(key));
        for (const key of Object.keys(changes || {}))
            if (changes[key] === null || changes[key] === undefined) params.delete(key);
            else params.set(key, changes[key]);
        const query = params.toString();
        return (
            '#' +
            view +
            (argument !== '' && argument !== undefined ? '/' + encodeURIComponent(argument) : '') +
            (query ? '?' + query : '')
        );
    }

    go(view, argument, changes) {
        location.hash = this.address(view, argument, changes);
    }

    /* The same view with other parameters: a new entry of the history, or in place of this one. */
    change(changes, quietly) {
        const all = {};
        for (const [key, value] of this.params) all[key] = value;
        const address = this.address(this.view.id, this.argument, {...all, ...changes});
        if (!quietly) location.hash = address;
        else {
            history.replaceState(null, '', address);
            this.read();
        }
    }

    link(view, argument, changes, ...children) {
        return h('a', {href: this.address(view, argument, changes)}, children);
    }

    /* ---------------------------------------------------------------------------------- names */

    async names() {
        if (!this.named) {
            const {functions, files, objects} = this.tables;
            const [functionRows, fileRows, objectRows, functionNames, paths, objectPaths, file, line, object] =
                await Promise.all([
                    rowsById(functions),
                    rowsById(files),
                    rowsById(objects),
                    functions.texts('function'),
                    files.texts('path'),
                    objects.texts('path'),
                    functions.numbers('file_id'),
                    functions.numbers('line'),
                    functions.numbers('object_id'),
                ]);
            this.named = {
                functionRow: (id) => functionRows.get(id),
                function: (id) =>
                    functionRows.has(id) ? format.name(functionNames.at(functionRows.get(id))) : '???',
                functionAt: (row) => format.name(functionNames.at(row)),
                file: (id) => (fileRows.has(id) ? format.name(paths.at(fileRows.get(id))) : '???'),
                object: (id) => (objectRows.has(id) ? format.name(objectPaths.at(objectRows.get(id))) : '???'),
                fileOf: (row) => file[row],
                lineOf: (row) => line[row],
                objectOf: (row) => object[row],
            };
        }
        return this.named;
    }

    /* Of a difference: whether a function (by row) is new or gone; '' otherwise. */
    async newness() {
        const ir = this.metrics.find('Ir');
        if (!this.metrics.sides || !ir) return () => '';
        const [before, after] = await Promise.all(
            SIDES.map((side) => this.metrics.values(this.tables.functions, this.metrics.at(ir, side))),
        );
        return (row) => (before[row] !== before[row] ? 'new' : after[row] !== after[row] ? 'gone' : '');
    }

    /* Where a function is: "file.c:12", else its object; with a link to the source. */
    place(names, row) {
        const [file, line, object] = [names.fileOf(row), names.lineOf(row), names.objectOf(row)];
        if (file === file)
            return this.link(
                'source',
                file,
                {l: line === line && line > 0 ? line : null},
                format.fileName(names.file(file)),
                line > 0 ? ':' + line : '',
            );
        return object === object ? h('span', {class: 'dim'}, format.fileName(names.object(object))) : null;
    }

    /* ---------------------------------------------------------------------------------- columns of metrics */

    /* Where there is room for few columns, the most telling. */
    usual() {
        const all = this.metrics.usual();
        const few = innerWidth < 1360 ? /^(CEst|spatial)/ : innerWidth < 1700 ? /^(CEst|L1m|spatial)/ : /./;
        return innerWidth < NARROW ? [] : all.filter((key) => few.test(key));
    }

    /* The chosen event, inclusive and self, or of a difference before, after and the difference; then the others. */
    shownMetrics() {
        const {metrics, metric} = this;
        const first = metrics.sides
            ? this.withSides(metric)
            : [metric, metrics.other(metric)].sort((a, b) => b.incl - a.incl);
        const asked = this.params.get('c');
        const others = asked === null ? this.usual() : asked.split(',').filter(Boolean);
        const one = asked === null && !metrics.sides && innerWidth < NARROW;
        const list = one ? [metric] : metric.ratio && !metrics.sides ? [metric, metrics.other(metric)] : first;
        for (const key of others) {
            const found = metrics.find(key);
            if (found && !list.some((m) => m.key === found.key)) list.push(found);
        }
        return list;
    }

    /* Before, after, and the difference; alone where there are no sides. */
    withSides(metric) {
        const {metrics} = this;
        return metrics.sides ? [...SIDES.map((side) => metrics.at(metric, side)), metric] : [metric];
    }

    /* Columns of tables: `values.get(key)[row]` are the numbers, `what(row)` names a row in tooltips. */
    metricColumns(list, values, what) {
        const {metrics} = this;
        return list
            .filter((metric) => values.get(metric.key))
            .map((metric) => {
                const numbers = values.get(metric.key);
                const primary = metric.name === this.metric.name && !metric.ratio && !metric.side;
                const before = values.get(metric.key + '@before');
                return {
                    key: metric.key,
                    label: metric.name,
                    sub: kindOf(metric),
                    width: this.widthOf(metric, primary),
                    value: (row) => numbers[row],
                    class: 'num',
                    cold: metric.incl,
                    change: metric.change,
                    title: [metrics.title(metric) + ': ' + metric.long, metric.formula && '= ' + metric.formula],
                    share: metric.ratio ? null : (row) => metrics.share(metric, numbers[row]) / 100,
                    tip: (row) => numbers[row] !== undefined && metrics.explain(metric, numbers[row], what(row)),
                    cell: (row) => this.numberCell(metric, numbers[row], primary, before && before[row]),
                };
            });
    }

    /* Room for the largest number, and for the heading. */
    widthOf(metric, primary) {
        const most = -Math.max(Math.abs(metric.total), Math.abs(metric.scale)) || 0;
        const digits = metric.ratio ? 7 : this.metrics.show(metric, most).length + (primary ? 7 : 0);
        return Math.max(digits, metric.name.length + 2, kindOf(metric).length) + 3 + 'ch';
    }

    numberCell(metric, value, primary, before) {
        if (value === undefined) return null;
        const text = this.metrics.show(metric, value);
        if (!primary) return text;
        return [h('span', {class: 'v'}, text), h('span', {class: 'pct'}, this.metrics.percent(metric, value, before))];
    }

    /* How often something was called; in a difference, how much more often. */
    calls(value) {
        return (this.metrics.difference && value > 0 ? '+' : '') + format.count(value);
    }

    /* Values of all metrics that a table has: key -> numbers. */
    async valuesOf(table, list) {
        const values = new Map();
        await Promise.all(
            list.map(async (metric) => values.set(metric.key, await this.metrics.values(table, metric))),
        );
        return values;
    }

    /* What one row costs, a box for each metric. */
    facts(list, values, row, what) {
        const {metrics} = this;
        const kind = (metric) => (metric.ratio || metric.plain ? '' : metric.incl ? 'incl' : 'self');
        return list
            .filter((metric) => values.get(metric.key))
            .map((metric) => {
                const value = values.get(metric.key)[row];
                return h(
                    'div',
                    {class: 'fact', 'data-key': metric.key, tip: () => metrics.explain(metric, value, what)},
                    h('span', {class: 'label'}, metric.name, ' ', metric.side || kind(metric)),
                    h('b', null, metrics.show(metric, value) || '\u2013', metric.unit === '%' ? ' %' : ''),
                    h('span', {class: 'pct'}, metric.ratio ? '' : metrics.percent(metric, value)),
                );
            });
    }

    /* ---------------------------------------------------------------------------------- tables */

    /* A table that is sorted by clicking. `items` are row numbers of the data, which all functions of columns are
     * called with. Columns are those of VirtualTable. One that has `text`, a string to sort by, shows it unless there
     * is a `cell`; one of numbers has `value`; by others nothing is sorted. */
    sortedTable({items, columns, by, order, open, label, small}) {
        const asked = !small && this.params.get('s');
        /* Of a difference that comes first which changed most, whether it grew or fell; until somebody sorts. */
        const state = {key: by, descending: order !== 'ascending', bySize: this.metrics.difference && !asked};
        if (asked) Object.assign(state, {key: asked.replace(/^-/, ''), descending: asked.startsWith('-')});
        const column = (key) => columns.find((one) => one.key === key && (one.text || one.value));
        const arrange = () => {
            const {text, value} = column(state.key) || column(by) || {};
            const size = state.bySize && value;
            if (text || value) sortBy(items, size ? (row) => Math.abs(value(row)) : text || value, state.descending);
        };
        const list = columns.map((one) => {
            const usual = one.text ? TEXT : {class: 'num'};
            return byRow({...usual, sortable: Boolean(one.text || one.value), ...one}, (i) => items[i]);
        });
        const table = new VirtualTable({
            columns: list,
            count: items.length,
            label,
            sort: state,
            open: open && ((row) => open(items[row])),
            onsort: (key) => {
                const isText = Boolean(column(key).text);
                state.descending = state.key === key && !state.bySize ? !state.descending : !isText;
                state.bySize = false;
                state.key = key;
                arrange();
                table.setColumns(list);
                table.select(0);
                if (!small) this.change({s: (state.descending ? '-' : '') + key}, true);
            },
        });
        table.rearrange = (rows) => {
            items = rows;
            arrange();
            table.setCount(items.length);
        };
        arrange();
        table.refresh();
        this.shown.push(table);
        return table;
    }

    /* What is typed here leaves the rows of a table that match, which a function of the words says; beside it, how many
     * they are `of` all. */
    filterOf(table, placeholder, of, matching) {
        const said = h('span', {class: 'dim'});
        const say = () => replaceContent(said, `${format.count(table.count)} of ${of}`);
        const filter = h('input', {
            type: 'search',
            placeholder,
            size: Math.max(20, placeholder.length),
            'aria-label': placeholder,
            spellcheck: 'false',
            value: this.params.get('q') || '',
            oninput: () => {
                this.change({q: filter.value || null}, true);
                table.rearrange(matching(filter.value));
                say();
            },
        });
        say();
        return [filter, said];
    }

    /* A table whose rows the view arranges itself. */
    plainTable(options) {
        const table = new VirtualTable(options);
        this.shown.push(table);
        return table;
    }
}

export const TEXT = {align: 'left', class: 'name'};

/* A column whose functions are called with rows of the data, as one that is called with places in a table. */
export function byRow(column, rowOf) {
    const {text, cell = text, tip = column.class === 'name' && text && ((row) => [text(row)]), share} = column;
    const at = (make) => make && ((i) => make(rowOf(i)));
    return {...column, cell: at(cell), tip: at(tip), share: at(share)};
}

function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return '';
    }
}

/* Below the name in a heading: "incl bytes", "self", "%". */
function kindOf(metric) {
    const kind = metric.incl ? 'incl' : metric.ratio || metric.plain ? '' : 'self';
    const side = metric.side || (metric.change && 'change');
    return [kind, side, !metric.side && metric.unit].filter(Boolean).join(' ');
}

/* In place; NULL last, equal rows in the order of the profile. */
export function sortBy(items, of, descending) {
    const keys = new Map(items.map((row) => [row, of(row)]));
    const sign = descending ? -1 : 1;
    items.sort((a, b) => {
        const [x, y] = [keys.get(a), keys.get(b)];
        if (typeof x === 'string' || typeof y === 'string')
            return sign * ((x || '') < (y || '') ? -1 : (x || '') > (y || '') ? 1 : 0) || a - b;
        if (x !== x) return y !== y ? a - b : 1;
        return y !== y ? -1 : sign * (x - y) || a - b;
    });
}
