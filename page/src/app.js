// SPDX-License-Identifier: GPL-2.0-or-later
//
// app.js: the state of the page, which is its address, and what all views share.
//
//     #view/argument?e=SpLossD1_incl&c=CEst,Ir&s=-Ir
//
// `e` is the chosen event, `c` the other columns, `s` the column that a table is sorted by (- before: descending), `ll`
// the size of the last level with which its misses and CEst are shown; views have parameters of their own. To go
// somewhere is to change the address; the browser's history does the rest. What a link does not name, it keeps
// (CARRIED), or forgets (everything else).

import {h, replaceContent} from './dom.js';
import * as format from './format.js';
import {SIDES} from './metrics.js';
import {Names} from './names.js';
import {VirtualTable} from './table.js';

export const NEWNESS = {new: 'new: it was not there before', gone: 'gone: it is not there any more'};

const CARRIED = ['e', 'c', 'll', 'order', 'collapsed', 'hidden', 'startup', 'axis', 'when'];
const NARROW = 900; // pixels; below there is room for one column of costs
const HEADING = 13; // characters of a column whose heading is words, which are then on several lines

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
        try {
            this.argument = decodeURIComponent(rest.join('/'));
        } catch {
            this.argument = ''; // nobody has written such an address here
        }
        this.params = new URLSearchParams(query || '');
        this.metrics.size = this.params.get('ll');
        const wanted = (this.params.get('e') || '').replace(/@(before|after)$/, '');
        this.metric = this.metrics.find(wanted) || this.metrics.find(this.metrics.first());
    }

    address(view, argument, changes) {
        const params = new URLSearchParams();
        for (const key of CARRIED) if (this.params.has(key)) params.set(key, this.params.get(key));
        for (const key of Object.keys(changes || {}))
            if (changes[key] === null || changes[key] === undefined) params.delete(key);
            else params.set(key, changes[key]);
        const query = params.toString();
        const place = argument !== '' && argument !== undefined ? '/' + encodeURIComponent(argument) : '';
        return '#' + view + place + (query ? '?' + query : '');
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

    /* To what a reference leads (names.js), under its name. */
    linkTo({go, name}) {
        return go ? this.link(...go, name) : h('span.dim', name);
    }

    /* What was made by `make` when it was first asked for. */
    once(key, make) {
        if (!this.memory.has(key)) this.memory.set(key, make());
        return this.memory.get(key);
    }

    names() {
        return this.once('names', () => Names.load(this));
    }

    /* Of a difference: the mark of a function (by row) that is new or gone; '' otherwise. */
    async newness() {
        const ir = this.metrics.find('Ir');
        if (!this.metrics.sides || !ir) return () => '';
        const [before, after] = await Promise.all(
            SIDES.map((side) => this.metrics.values(this.tables.functions, this.metrics.at(ir, side))),
        );
        return (row) => (before[row] !== before[row] ? NEWNESS.new : after[row] !== after[row] ? NEWNESS.gone : '');
    }

    /* ---------------------------------------------------------------------------------- columns of metrics */

    /* Where there is room for few columns, the most telling. */
    usual() {
        const all = this.metrics.usual();
        const few = innerWidth < 1360 ? /^(Time|CEst|spatial)/ : innerWidth < 1700 ? /^(Time|CEst|L1m|spatial)/ : /./;
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

    /* Columns of tables, of metrics that have `costs` (metric key -> cost of an item); `what(item)` names it in
     * tooltips. */
    metricColumns(list, costs, what) {
        const {metrics} = this;
        return list
            .filter((metric) => costs.has(metric.key))
            .map((metric) => {
                const value = costs.get(metric.key);
                const primary = metric.name === this.metric.name && !metric.ratio && !metric.side;
                const before = costs.get(metric.key + '@before') || (() => undefined);
                const off = (item) => value.margin && value.margin(item);
                /* Room for the largest number, and for the heading. */
                const most = -Math.max(Math.abs(metric.total), Math.abs(metric.scale)) || 0;
                const digits = metric.ratio ? 7 : metrics.show(metric, most).length + (primary ? 7 : 0);
                const sub = metrics.short(metric);
                return {
                    key: metric.key,
                    label: metric.title,
                    short: metric.name,
                    sub,
                    width: Math.max(digits + (value.margin ? 10 : 0), HEADING, sub.length) + 3 + 'ch',
                    value,
                    cold: metric.incl,
                    change: metric.change,
                    title: metrics.about(metric),
                    share: metric.ratio ? null : (item) => metrics.share(metric, value(item)) / 100,
                    tip: (item) =>
                        value(item) !== undefined && metrics.explain(metric, value(item), what(item), off(item)),
                    cell: (item) => {
                        const text = value(item) === undefined ? null : metrics.show(metric, value(item));
                        if (text === null || !(primary || value.margin)) return text;
                        return [
                            h('span.v', text),
                            value.margin && h('span.off', metrics.off(metric, value(item), off(item))),
                            primary && h('span.pct', metrics.percent(metric, value(item), before(item))),
                        ];
                    },
                };
            });
    }

    /* The costs of a table's rows: metric key -> (row -> number), of the metrics that the table has. Where it is known
     * how far they may be off, such a function has a member `margin`, (row -> number). */
    async costsOf(table, list) {
        const all = new Map();
        for (const metric of list) {
            const numbers = await this.metrics.values(table, metric);
            const margin = numbers && (await this.metrics.margin(table, metric));
            const of = (row) => numbers[row];
            if (numbers) all.set(metric.key, margin ? Object.assign(of, {margin: (row) => margin([row])}) : of);
        }
        return all;
    }

    /* What one item costs, a box for each metric. */
    facts(list, costs, item, what) {
        const {metrics} = this;
        const fact = (metric) => {
            const of = costs.get(metric.key);
            const [value, margin] = [of(item), of.margin && of.margin(item)];
            return h(
                'div.fact',
                {'data-key': metric.key, tip: () => metrics.explain(metric, value, what, margin)},
                h('span.label', metric.title, ' ', h('span.sub', metrics.short(metric))),
                h('b', metrics.show(metric, value) || '\u2013', metric.unit === '%' ? ' %' : ''),
                h('span.off', metrics.off(metric, value, margin)),
                h('span.pct', metric.ratio ? '' : metrics.percent(metric, value)),
            );
        };
        return h('div.facts', list.filter((metric) => costs.has(metric.key)).map(fact));
    }

    /* ---------------------------------------------------------------------------------- tables */

    /* A table (table.js has its options). With `by` its rows are sorted by that column, the largest first, or the
     * smallest where it is `ascending`, until somebody clicks another heading. The address remembers that, unless the
     * table is `small`: one of several of a view. */
    table({items, by, ascending, small, columns, ...options}) {
        const asked = by && !small && this.params.get('s');
        /* Of a difference that comes first which changed most, whether it grew or fell; until somebody sorts. */
        const state = {key: by, descending: !ascending, bySize: this.metrics.difference && !asked};
        if (asked) Object.assign(state, {key: asked.replace(/^-/, ''), descending: asked.startsWith('-')});
        const column = (key) => columns.find((one) => one && one.key === key && (one.text || one.value));
        const arranged = () => {
            const {text, value} = column(state.key) || column(by) || {};
            const size = state.bySize && value && ((item) => Math.abs(value(item)));
            return text || value ? sorted(items, size || value || text, state.descending) : items;
        };
        const table = new VirtualTable({...options, columns, items: arranged(), sort: by && state});
        table.onsort = (key) => {
            const isNumber = Boolean(column(key).value);
            state.descending = state.key === key && !state.bySize ? !state.descending : isNumber;
            Object.assign(state, {key, bySize: false});
            table.items = arranged();
            table.setColumns(columns);
            table.select(0);
            if (!small) this.change({s: (state.descending ? '-' : '') + key}, true);
        };
        table.rearrange = (others) => {
            items = others;
            table.setItems(arranged());
        };
        this.shown.push(table);
        return table;
    }

    /* What is typed here leaves the rows of a table that match, which a function of the words says; beside it, how many
     * they are `of` all. */
    filterOf(table, placeholder, of, matching) {
        return this.filter(
            placeholder,
            (words) => table.rearrange(matching(words)),
            () => `${format.count(table.items.length)} of ${of}`,
        );
    }

    /* A field for words, which `find` gets when they change; beside it what `said()` says then. Where there is a
     * `step`, (+1 or -1) goes to the next or the previous of what was found, by Enter and by buttons. */
    filter(placeholder, find, said, step) {
        const words = h('span.dim', said());
        const go = (way) => {
            step(way);
            replaceContent(words, said());
        };
        const button = (label, way, about) =>
            h('button', {tip: () => [about], 'aria-label': about, onclick: () => go(way)}, label);
        const filter = h('input.find', {
            type: 'search',
            placeholder: placeholder + '  /',
            size: Math.max(20, placeholder.length + 3),
            'aria-label': placeholder,
            spellcheck: 'false',
            value: this.params.get('q') || '',
            oninput: () => {
                this.change({q: filter.value || null}, true);
                find(filter.value);
                replaceContent(words, said());
            },
            onkeydown: (event) => step && event.key === 'Enter' && go(event.shiftKey ? -1 : 1),
        });
        const ways = [['\u2193', 1, 'next found, Enter'], ['\u2191', -1, 'previous found, Shift Enter']];
        return [[filter, step && ways.map((way) => button(...way))], words];
    }

    /* Buttons of which one is pressed; another one changes the parameter `key` of the address. `words(value)`,
     * `tip(value)`. */
    choice(key, values, chosen, words, tip) {
        const properties = (value) => ({
            'data-choice': value,
            'aria-pressed': String(value === chosen),
            tip: () => [tip(value)],
            onclick: () => this.change({[key]: value}),
        });
        return h('span.kinds', values.map((value) => h('button', properties(value), words(value))));
    }
}

/* NULL last, equal items as they were. */
export function sorted(items, of, descending) {
    const sign = descending ? -1 : 1;
    const order = ([x], [y]) => {
        if (typeof x === 'string' || typeof y === 'string')
            return sign * ((x || '') < (y || '') ? -1 : (x || '') > (y || '') ? 1 : 0);
        if (x !== x) return y !== y ? 0 : 1;
        return y !== y ? -1 : sign * (x - y);
    };
    return items
        .map((item) => [of(item), item])
        .sort(order)
        .map(([, item]) => item);
}
