// SPDX-License-Identifier: GPL-2.0-or-later
//
// metrics.js: what can be shown of a row: events, self or inclusive, and ratios made of them.
//
// A metric has a key as `tenure report --show` takes it: D1mr, D1mr_incl, spatialD1. Derived events (CEst, L1m) are
// made of their formulas, NULL only where all their terms are; ratios are NULL where their divisor is 0. Every metric
// can say what it means, which is what tooltips show.
//
// What LL misses with another size is an event as well, LLm@2M, of a profile that knows it, and so is the cycle
// estimate with these misses, CEst@2M. Where a size is chosen (`size`), LLm and CEst mean those, unless the recording's
// own are asked for (`exact`).
//
// In the page of a difference that has both sides (tenure diff --html), D1mr is the difference, D1mr@before and
// D1mr@after are what the sides have. The difference of a ratio is that of the sides' ratios.

import * as format from './format.js';
import {marginOf} from './margins.js';

export const SIDES = ['before', 'after'];

/* What stands beside numbers or in their place, and what it means. */
export const NUMBERS = {
    incl: 'inclusive: with everything that was called, each event once',
    self: 'self: without what was called',
    none: '. : cannot occur here',
    off: '\u00b1 : an estimate; 95 of 100 such recordings are no further off',
    own: 'as recorded: it does not follow the size of the last level that is chosen',
    inexact: '\u2248 : the last digits are beyond what a browser keeps',
};

/* Events that follow the size of the last level. */
export const SIZED = ['LLm', 'CEst'];

/* Whether a profile is a difference with both its sides. */
export const hasSides = (profile) => [...profile.tables.totals.columns.keys()].some((name) => name.includes('@'));

/* A formula as profile/read/formula.h defines it: the stored events that it is made of (`names`), and its value for a
 * get('UseD1'); NaN where it has none. `known`: what names stand for, by name. Null if it means nothing. */
function parseFormula(text, known) {
    const tokens = (text || '').match(/[A-Za-z_]\w*|[\d.]+|\S/g) || [];
    const names = new Set();
    let at = 0;

    function factor() {
        const token = tokens[at++];
        if (token === '(') {
            const inner = sum();
            return tokens[at++] === ')' ? inner : null;
        }
        if (token === '-') {
            const of = factor();
            return of && {...of, value: (get) => -of.value(get)};
        }
        const number = Number(token);
        if (number === number) return {fixed: true, value: () => number};
        const event = known.get(token);
        for (const name of event ? event.names : []) names.add(name);
        return event && {value: event.value};
    }

    function product() {
        let all = factor();
        while (all && (tokens[at] === '*' || tokens[at] === '/')) {
            const divides = tokens[at++] === '/';
            const [left, right] = [all, factor()];
            all = right && {
                fixed: left.fixed && right.fixed,
                divides: divides || left.divides || right.divides,
                value: (get) => {
                    const value = divides ? left.value(get) / right.value(get) : left.value(get) * right.value(get);
                    return isFinite(value) ? value : NaN;
                },
            };
        }
        return all;
    }

    /* A term without a value counts 0 if another one has events and a value, but not if it divides. */
    function sum() {
        const terms = [];
        do terms.push({negative: terms.length > 0 && tokens[at - 1] === '-', ...product()});
        while (terms.at(-1).value && /^[-+]$/.test(tokens[at]) && ++at);
        if (!terms.at(-1).value) return null;
        const value = (get) => {
            let total = 0;
            let found = terms.every((term) => term.fixed);
            for (const term of terms) {
                const part = term.value(get);
                if (part === part) total += term.negative ? -part : part;
                else if (term.divides) return NaN;
                found ||= part === part && !term.fixed;
            }
            return found ? total : NaN;
        };
        return terms.length === 1 ? terms[0] : {value, divides: terms.some((term) => term.divides)};
    }

    const whole = tokens.length <= 1000 && sum();
    return whole && at === tokens.length ? {names: [...names], value: whole.value} : null;
}

export class Metrics {
    constructor(profile) {
        this.profile = profile;
        this.events = new Map();
        this.ratios = new Map();
        this.totals = new Map();
        this.size = null;
        this.sample = Number(profile.meta.get('sample')) || 1; // one set of the caches in so many was simulated
        this.margins = new Map(); // table and metric -> promise of what marginOf makes
    }

    /* In a difference (tenure diff) counts have a sign, and a share of the total would say little: it may be 0 where
     * large differences cancel out. There a share is one of the largest difference of any function. */
    get difference() {
        return this.profile.meta.has('diff.baseline');
    }

    /* Both sides of a difference are there. */
    get sides() {
        return hasSides(this.profile);
    }

    async load() {
        const {events, ratios, totals} = this.profile.tables;
        for (const event of await this.described(events)) {
            const stored = event.derived !== 1;
            const of = stored ? {names: [event.name], value: (get) => get(event.name)} : this.parse(event);
            if (stored ? totals.has(event.name) : of) this.events.set(event.name, {...event, ...of});
        }
        /* Ratios of differences mean nothing, but those of the sides do. */
        for (const ratio of !this.difference || this.sides ? await this.described(ratios) : []) {
            const of = this.parse(ratio);
            if (of) this.ratios.set(ratio.name, {...ratio, ...of, terms: this.parseTerms(ratio)});
        }
        await Promise.all(
            [...this.events.keys()].map(async (name) => this.totals.set(name, (await this.values(totals, {name}))[0])),
        );
        this.scales = new Map(this.totals);
        for (const side of this.sides ? SIDES : [])
            for (const name of this.events.keys())
                this.totals.set(
                    name + '@' + side,
                    (await this.values(totals, {name, incl: false, side}))[0],
                );
        for (const name of this.difference ? this.events.keys() : []) {
            let most = Math.abs(this.totals.get(name)) || 0;
            for (const incl of [false, true])
                for (const value of (await this.values(this.profile.tables.functions, {name, incl})) || [])
                    if (Math.abs(value) > most) most = Math.abs(value);
            this.scales.set(name, most);
        }
    }

    /* Rows of the table of events, or of ratios. */
    async described(table) {
        const texts = ['name', 'title', 'long_name', 'category', 'unit', 'formula', 'type'];
        const columns = await Promise.all(texts.map((column) => (table.has(column) ? table.texts(column) : null)));
        const derived = table.has('derived') ? await table.numbers('derived') : [];
        return Array.from({length: table.rows}, (_, i) => {
            const [name, title, long, group, unit, formula, type] = columns.map((column) => column && column.at(i));
            const words = {name, title: title || long || name, long: long || name, group, unit, formula};
            return {...words, real: type === 'REAL', derived: derived[i]};
        });
    }

    /* A formula can use what stands before it. */
    parse({formula}) {
        return parseFormula(formula, {get: (name) => this.events.get(name) || this.ratios.get(name)});
    }

    /* The same, of events whatever they are made of. */
    parseTerms({formula}) {
        const term = (name) => ({names: [name], value: (get) => get(name)});
        return parseFormula(formula, {
            get: (name) => (this.events.has(name) ? term(name) : this.ratios.get(name)?.terms),
        });
    }

    /* ---------------------------------------------------------------------------------- metrics */

    /* {key, name, incl, side, ratio, title, long, unit, real, total, scale}, or null. */
    find(wanted, exact) {
        const [, asked, below, at, side] = /^(.*?)(_incl)?(@(before|after))?$/.exec(wanted);
        const incl = Boolean(below);
        const name = (!exact && this.sized(asked)) || asked;
        const key = name + (below || '') + (at || '');
        if (at && !this.sides) return null;
        const event = this.events.get(name);
        const ratio = this.ratios.get(name);
        const {title, long, formula, real, unit} = event || ratio || {};
        const same = {key, name, incl, side, change: this.sides && !side, title, long, formula, real, unit};
        if (event)
            return {
                ...same,
                total: this.totals.get(side ? name + '@' + side : name),
                scale: side ? this.totals.get(name + '@' + side) : this.scales.get(name),
            };
        if (ratio) return {...same, ratio, real: true, total: NaN};
        return null;
    }

    /* What an event is with the size that is chosen, 'LLm@2M'; false: the same. */
    sized(name) {
        const sized = name + '@' + this.size;
        return SIZED.includes(name) && this.events.has(sized) && sized;
    }

    /* The same of a side; null where there are no sides. */
    at(metric, side) {
        const found = this.find(metric.name + (metric.incl ? '_incl' : '') + (side ? '@' + side : ''), true);
        return found && (metric.plain ? {...found, plain: true} : found);
    }

    /* The one to begin with: bytes loaded and never touched. */
    first() {
        for (const name of ['SpLossD1', 'SpLoss1', 'SpLossL', 'CEst', 'Ir'])
            if (this.events.has(name)) return name + '_incl';
        return [...this.events.keys()][0] + '_incl';
    }

    other(metric) {
        return this.find(metric.incl ? metric.name : metric.name + '_incl', true);
    }

    /* Of what has no inclusive cost, so that nothing needs to be said of it. */
    plain(name) {
        const found = this.find(name);
        return found && {...found, plain: true};
    }

    /* What something costs in all: the estimate of time, or what there is of its like. */
    cost() {
        return ['Time', 'CEst', 'Ir'].find((name) => this.events.has(name)) || this.first();
    }

    /* Columns beside the chosen event's that tables show unless told otherwise. */
    usual() {
        return [this.cost() + '_incl', 'L1m_incl', 'LLm_incl', 'spatialD1',
            'temporalD1'].filter((key) => this.find(key));
    }

    /* Events by group, that of the event which views show at first in front, and ratios: [title, all of it]. */
    groups() {
        const groups = new Map([[this.events.get(this.find(this.first()).name).group, []]]);
        for (const event of this.events.values()) {
            if (!groups.has(event.group)) groups.set(event.group, []);
            groups.get(event.group).push(event);
        }
        return [...groups, ['Ratios', [...this.ratios.values()]]].filter(([, all]) => all.length);
    }

    /* ---------------------------------------------------------------------------------- values */

    /* Numbers of a table by row; null where the table has no such costs. */
    async values(table, metric) {
        const suffix = (metric.incl ? '_incl' : '') + (metric.side ? '@' + metric.side : '');
        if (metric.ratio && this.sides && !metric.side) {
            const [before, after] = await Promise.all(SIDES.map((side) => this.values(table, this.at(metric, side))));
            return before && after && before.map((value, i) => after[i] - value);
        }
        const {names, value} = this.made(metric);
        if (!names.every((name) => table.has(name + suffix))) return null;
        const columns = await Promise.all(names.map((name) => table.numbers(name + suffix)));
        if (names[0] === metric.name) return columns[0];
        let row = 0;
        const get = (name) => columns[names.indexOf(name)][row];
        const result = new Float64Array(table.rows);
        for (; row < table.rows; row++) result[row] = value(get);
        return result;
    }

    /* Stored events that make up a metric (`names`), and how (`value`). */
    made(metric) {
        return this.events.get(metric.name) || this.ratios.get(metric.name);
    }

    /* Events that a metric is made of, stored or not (`names`), and how (`value`). */
    terms({name, ratio, terms}) {
        return terms || (ratio ? ratio.terms : {names: [name], value: (get) => get(name)});
    }

    /* How far a metric may be off in rows of a table together (margins.js), or null. */
    margin(table, metric) {
        const key = table.name + ' ' + metric.key;
        if (!this.margins.has(key)) this.margins.set(key, marginOf(this, table, metric));
        return this.margins.get(key);
    }

    /* Of sums that somebody else made: get('UseD1'), get('UseD1@before') is the value of an event. */
    of(metric, get) {
        if (metric.ratio && this.sides && !metric.side) {
            const [before, after] = SIDES.map((side) => this.of(this.at(metric, side), get));
            return after - before;
        }
        return this.made(metric).value((name) => get(metric.side ? name + '@' + metric.side : name));
    }

    /* What `of` asks for: 'UseD1', 'UseD1@before'. */
    needs(metric) {
        const sides = metric.ratio && this.sides && !metric.side ? SIDES : [metric.side];
        const {names} = this.made(metric);
        return new Set(sides.flatMap((side) => names.map((name) => (side ? name + '@' + side : name))));
    }

    /* Columns of a table that a metric is made of, by what `of` calls them; null if one of them is not there. */
    async columns(table, metric) {
        const names = [...this.needs(metric)];
        const column = (name) => (metric.incl ? name.replace(/(@|$)/, '_incl$1') : name);
        if (!names.every((name) => table.has(column(name)))) return null;
        return new Map(
            await Promise.all(names.map(async (name) => [name, await table.numbers(column(name))])),
        );
    }

    /* ---------------------------------------------------------------------------------- words */

    show(metric, value) {
        const sign = this.difference && !metric.side && value > 0 ? '+' : '';
        if (metric.ratio && value !== value) return '';
        if (metric.ratio && metric.unit === '%') return sign + format.fixed(value, 2);
        return sign + (metric.real ? format.real(value) : format.count(value));
    }

    /* "\u00b1 2.1 %": a margin in percent of an event's value, and in the unit of a ratio; '' where it is not known. */
    off(metric, value, margin) {
        if (!(margin >= 0) || value !== value || (!metric.ratio && !value)) return '';
        if (metric.ratio) return '\u00b1\u2009' + (metric.unit === '%' ? format.fixed(margin, 2) : format.real(margin));
        const percent = (100 * margin) / Math.abs(value);
        return `\u00b1\u2009${percent < 1000 ? percent.toFixed(1) : format.count(percent)}\u2009%`;
    }

    /* In percent of the total, for bars. */
    share(metric, value) {
        return metric.scale ? (100 * value) / metric.scale : NaN;
    }

    /* The same to read; of a difference, how much more it is than `before`, where that is known. */
    percent(metric, value, before) {
        if (value !== value) return '';
        if (!this.difference || metric.side) return format.percent(this.share(metric, value));
        return before && value ? format.percent((100 * value) / Math.abs(before), true) : '';
    }

    /* In words, "Bytes never touched (D1), inclusive"; and short, "SpLossD1 incl bytes". */
    title(metric) {
        const kind = metric.plain || (metric.ratio && !metric.incl) ? '' : metric.incl ? 'inclusive' : 'self';
        return [metric.title, kind, metric.side].filter(Boolean).join(', ');
    }

    short(metric) {
        const kind = metric.incl ? 'incl' : metric.ratio || metric.plain ? '' : 'self';
        const side = metric.side || (metric.change && 'change');
        return [metric.name, kind, side, !metric.side && metric.unit].filter(Boolean).join(' ');
    }

    /* Lines of a tooltip for what a metric is. */
    about(metric) {
        const own = metric.name === 'Time' && this.sized('LLm') && NUMBERS.own;
        return [this.title(metric), `${metric.name}: ${metric.long}`, metric.formula && '= ' + metric.formula, own];
    }

    /* Lines of a tooltip for a number. `what` names the row. */
    explain(metric, value, what, margin) {
        const [title, long, formula, own] = this.about(metric);
        const lines = [what, title, long].filter(Boolean);
        if (value !== value && metric.side && !metric.ratio)
            lines.push(`. : was not there ${metric.side === 'before' ? 'before' : 'any more'}, or cannot occur here`);
        else if (value !== value && !metric.ratio) lines.push(NUMBERS.none);
        else if (value !== value) lines.push('nothing to divide by here');
        else lines.push(this.worth(metric, value));
        if (margin >= 0)
            lines.push(NUMBERS.off.replace(' ', '\u2009' + format.real(margin)));
        lines.push(...[formula, own].filter(Boolean));
        if (Math.abs(value) > 2 ** 53) lines.push(NUMBERS.inexact);
        if (metric.incl) lines.push(NUMBERS.incl);
        else if (!metric.ratio && !metric.plain) lines.push(NUMBERS.self);
        return lines;
    }

    worth(metric, value) {
        const text = this.show(metric, value) + (metric.unit ? '\u00a0' + metric.unit : '');
        const size = metric.unit === 'bytes' && Math.abs(value) >= 1000 ? ` (${format.bytes(value)})` : '';
        if (this.difference && !metric.side)
            return text + size + (value > 0 ? ' more than before' : value < 0 ? ' less than before' : '');
        if (!metric.total) return text + size;
        const share = format.percent(this.share(metric, value));
        return `${text}${size}, ${share} of ${this.show(metric, metric.total)} in all`;
    }
}
