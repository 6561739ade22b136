// SPDX-License-Identifier: GPL-2.0-or-later
//
// metrics.js: what can be shown of a row: events, self or inclusive, and ratios made of them.
//
// A metric has a key as `tenure report --show` takes it: D1mr, D1mr_incl, spatialD1. Derived events (CEst, L1m) are
// made of their formulas, NULL only where all their terms are; ratios are NULL where their divisor is 0. Every metric
// can say what it means, which is what tooltips show.
//
// In the page of a difference that has both sides (tenure diff --html), D1mr is the difference, D1mr@before and
// D1mr@after are what the sides have. The difference of a ratio is that of the sides' ratios.

import * as format from './format.js';

export const SIDES = ['before', 'after'];

/* Whether a profile is a difference with both its sides. */
export const hasSides = (profile) => [...profile.tables.totals.columns.keys()].some((name) => name.includes('@'));

const BYTES = /^(SpLoss|Byt|Use|Wrt)/;

const LEVEL = {I1: 'I1', D1: 'D1', D2: 'L2 as data', L: 'LL'};

/* name, events it needs, value of (get), what it says, unit. */
function ratioList() {
    const list = [];
    for (const level of ['I1', 'D1', 'D2', 'L']) {
        const [use, lost, touched] = ['Use' + level, 'SpLoss' + level, 'Byt' + level];
        list.push({
            name: 'spatial' + level,
            needs: [use, lost],
            unit: '%',
            long: `touched part of the bytes loaded into ${LEVEL[level]}`,
            formula: `100 ${use} / (${use} + ${lost})`,
            of: (get) => (100 * get(use)) / (get(use) + get(lost)),
        });
        list.push({
            name: 'temporal' + level,
            needs: [use, touched],
            unit: 'times',
            long: `how often a touched byte was touched again in ${LEVEL[level]}`,
            formula: `${touched} / ${use} \u2212 1`,
            of: (get) => get(touched) / get(use) - 1,
        });
    }
    for (const level of ['D1', 'D2', 'L']) {
        const [back, changed, ended] = ['Wb' + level, 'Wrt' + level, 'Ev' + level];
        const [use, lost] = ['Use' + level, 'SpLoss' + level];
        list.push({
            name: 'dirty' + level,
            needs: [back, changed, ended, use, lost],
            unit: '%',
            long: `changed part of the bytes written back from ${LEVEL[level]}`,
            formula: `100 ${changed} / (${back} \u00d7 line)`,
            of: (get) => (100 * get(changed) * get(ended)) / (get(back) * (get(use) + get(lost))),
        });
    }
    list.push({
        name: 'missD1',
        needs: ['D1mr', 'D1mw', 'TchD1'],
        unit: '%',
        long: 'D1 misses of the touches of the lines that they loaded',
        formula: '100 (D1mr + D1mw) / TchD1',
        of: (get) => (100 * (get('D1mr') + get('D1mw'))) / get('TchD1'),
    });
    list.push({
        name: 'I1rate',
        needs: ['I1mr', 'Ir'],
        unit: '%',
        long: 'I1 misses of instruction fetches',
        formula: '100 I1mr / Ir',
        of: (get) => (100 * get('I1mr')) / get('Ir'),
    });
    list.push({
        name: 'D1rate',
        needs: ['D1mr', 'D1mw', 'Dr', 'Dw'],
        unit: '%',
        long: 'D1 misses of data accesses',
        formula: '100 (D1mr + D1mw) / (Dr + Dw)',
        of: (get) => (100 * (get('D1mr') + get('D1mw'))) / (get('Dr') + get('Dw')),
    });
    list.push({
        name: 'DLrate',
        needs: ['DLmr', 'DLmw', 'Dr', 'Dw'],
        unit: '%',
        long: 'LL misses of data accesses',
        formula: '100 (DLmr + DLmw) / (Dr + Dw)',
        of: (get) => (100 * (get('DLmr') + get('DLmw'))) / (get('Dr') + get('Dw')),
    });
    list.push({
        name: 'LLrate',
        needs: ['LLm', 'Ir', 'Dr', 'Dw'],
        unit: '%',
        long: 'LL misses of all accesses',
        formula: '100 LLm / (Ir + Dr + Dw)',
        of: (get) => (100 * get('LLm')) / (get('Ir') + get('Dr') + get('Dw')),
    });
    return list;
}

/* "Ir + 10 * L1m" as [[factor, name], ...]; null if it is nothing of the kind. */
function parseFormula(text) {
    const terms = [];
    for (const part of (text || '').replace(/-/g, '+-').split('+')) {
        const match = /^\s*(-?)\s*(?:([\d.]+)\s*\*\s*)?([A-Za-z]\w*)\s*$/.exec(part);
        if (!match) return null;
        terms.push([(match[1] ? -1 : 1) * Number(match[2] || 1), match[3]]);
    }
    return terms;
}

export class Metrics {
    constructor(profile) {
        this.profile = profile;
        this.events = new Map();
        this.ratios = new Map();
        this.totals = new Map();
    }

    /* In a difference (tenure diff) counts have a sign, and a share of the total would say little: it may be 0 where
     * large differences cancel out. There a share is one of the largest difference of any function. */
    get difference() {
        return this.profile.meta.has('diff.baseline');
    }

    /* Both sides of a difference are there. */
    get sides() {
        return [...this.profile.tables.totals.columns.keys()].some((name) => name.endsWith('@before'));
    }

    async load() {
        const {events, totals} = this.profile.tables;
        const [names, longs, formulas, types] = await Promise.all(
            ['name', 'long_name', 'formula', 'type'].map((column) => events.texts(column)),
        );
        const derived = await events.numbers('derived');
        for (let i = 0; i < events.rows; i++) {
            const event = {
                name: names.at(i),
                long: longs.at(i) || names.at(i),
                real: types.at(i) === 'REAL',
                formula: formulas.at(i),
                terms: null,
            };
            if (derived[i] === 1) event.terms = parseFormula(event.formula);
            if (derived[i] !== 1 ? totals.has(event.name) : event.terms) this.events.set(event.name, event);
        }
        for (const event of [...this.events.values()])
            if (!this.leaves(event.name, 1, new Map(), 0)) this.events.delete(event.name);
        await Promise.all(
            [...this.events.keys()].map(async (name) => this.totals.set(name, (await this.self(totals, name))[0])),
        );
        this.scales = new Map(this.totals);
        for (const side of this.sides ? SIDES : [])
            for (const name of this.events.keys())
                this.totals.set(
                    name + '@' + side,
                    (await this.values(totals, {name, incl: false, side}))[0],
                );
        if (this.difference) await this.loadScales();
        if (!this.difference || this.sides) this.loadRatios();
    }

    async loadScales() {
        const {functions} = this.profile.tables;
        for (const name of this.events.keys()) {
            let most = Math.abs(this.totals.get(name)) || 0;
            for (const incl of [false, true])
                for (const value of (await this.values(functions, {name, incl})) || [])
                    if (Math.abs(value) > most) most = Math.abs(value);
            this.scales.set(name, most);
        }
    }

    /* Ratios of differences mean nothing, but those of the sides do. */
    loadRatios() {
        for (const ratio of ratioList())
            if (ratio.needs.every((need) => this.events.has(need))) this.ratios.set(ratio.name, ratio);
    }

    /* Stored events that make up an event, with factors; null if its formula leads nowhere. */
    leaves(name, factor, into, depth) {
        const event = this.events.get(name);
        if (!event || depth > 8) return null;
        if (!event.terms) {
            into.set(name, (into.get(name) || 0) + factor);
            return into;
        }
        return event.terms.every(([times, part]) => this.leaves(part, factor * times, into, depth + 1))
            ? into
            : null;
    }

    /* ---------------------------------------------------------------------------------- metrics */

    /* {key, name, incl, side, ratio, long, unit, real, total, scale}, or null. */
    find(key) {
        const [base, side] = key.split('@');
        const incl = base.endsWith('_incl');
        const name = incl ? base.slice(0, -5) : base;
        if (side !== undefined && !(this.sides && SIDES.includes(side))) return null;
        const event = this.events.get(name);
        const ratio = this.ratios.get(name);
        const same = {key, name, incl, side, change: this.sides && !side};
        if (event)
            return {
                ...same,
                long: event.long,
                formula: event.formula,
                real: event.real,
                unit: BYTES.test(name) ? 'bytes' : '',
                total: this.totals.get(side ? name + '@' + side : name),
                scale: side ? this.totals.get(name + '@' + side) : this.scales.get(name),
            };
        if (ratio)
            return {
                ...same,
                ratio,
                long: ratio.long,
                formula: ratio.formula,
                unit: ratio.unit,
                real: true,
                total: NaN,
            };
        return null;
    }

    /* The same of a side; null where there are no sides. */
    at(metric, side) {
        const found = this.find(metric.name + (metric.incl ? '_incl' : '') + (side ? '@' + side : ''));
        return found && (metric.plain ? {...found, plain: true} : found);
    }

    /* The one to begin with: bytes loaded in vain. */
    first() {
        for (const name of ['SpLossD1', 'SpLoss1', 'SpLossL', 'CEst', 'Ir'])
            if (this.events.has(name)) return name + '_incl';
        return [...this.events.keys()][0] + '_incl';
    }

    other(metric) {
        return this.find(metric.incl ? metric.name : metric.name + '_incl');
    }

    /* Of what has no inclusive cost, so that nothing needs to be said of it. */
    plain(name) {
        const found = this.find(name);
        return found && {...found, plain: true};
    }

    /* Columns beside the chosen event's that tables show unless told otherwise. */
    usual() {
        return ['CEst_incl', 'L1m_incl', 'LLm_incl', 'spatialD1', 'temporalD1'].filter((key) => this.find(key));
    }

    /* ---------------------------------------------------------------------------------- values */

    /* Numbers of a table by row; null where the table has no such costs. */
    async values(table, metric) {
        const suffix = (metric.incl ? '_incl' : '') + (metric.side ? '@' + metric.side : '');
        if (metric.ratio && this.sides && !metric.side) return this.ratioChange(table, metric);
        if (metric.ratio) return this.ratioValues(table, metric, (name) => this.find(name + suffix));
        const stored = this.leaves(metric.name, 1, new Map(), 0);
        for (const name of stored.keys()) if (!table.has(name + suffix)) return null;
        return this.combine(stored, (name) => table.numbers(name + suffix), table.rows);
    }

    self(table, name) {
        return this.values(table, {name, incl: false});
    }

    async combine(stored, column, rows) {
        if (stored.size === 1 && [...stored.values()][0] === 1) return column([...stored.keys()][0]);
        const sum = new Float64Array(rows).fill(NaN);
        for (const [name, factor] of stored) {
            const part = await column(name);
            for (let i = 0; i < rows; i++)
                if (part[i] === part[i]) sum[i] = (sum[i] === sum[i] ? sum[i] : 0) + factor * part[i];
        }
        return sum;
    }

    async ratioValues(table, metric, of) {
        const columns = new Map();
        for (const need of metric.ratio.needs) columns.set(need, await this.values(table, of(need)));
        if ([...columns.values()].some((column) => !column)) return null;
        const result = new Float64Array(table.rows);
        for (let i = 0; i < table.rows; i++) result[i] = ratio(metric, (name) => columns.get(name)[i]);
        return result;
    }

    async ratioChange(table, metric) {
        const [before, after] = await Promise.all(SIDES.map((side) => this.values(table, this.at(metric, side))));
        return before && after && before.map((value, i) => after[i] - value);
    }

    /* Of sums that somebody else made: get('UseD1'), get('UseD1@before') is the value of an event. */
    of(metric, get) {
        if (metric.ratio && this.sides && !metric.side) {
            const [before, after] = SIDES.map((side) => this.of(this.at(metric, side), get));
            return after - before;
        }
        if (metric.ratio) return ratio(metric, (name) => this.of(this.at({name}, metric.side), get));
        let sum = NaN;
        for (const [name, factor] of this.leaves(metric.name, 1, new Map(), 0)) {
            const value = get(metric.side ? name + '@' + metric.side : name);
            if (value === value) sum = (sum === sum ? sum : 0) + factor * value;
        }
        return sum;
    }

    /* What `of` asks for: 'UseD1', 'UseD1@before'. */
    needs(metric) {
        const parts =
            metric.ratio && this.sides && !metric.side
                ? SIDES.map((side) => this.at(metric, side))
                : metric.ratio && metric.ratio.needs.map((name) => this.at({name}, metric.side));
        if (parts) return new Set(parts.flatMap((part) => [...this.needs(part)]));
        const names = [...this.leaves(metric.name, 1, new Map(), 0).keys()];
        return new Set(names.map((name) => (metric.side ? name + '@' + metric.side : name)));
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
        if (metric.ratio && metric.unit === '%') return sign + value.toFixed(2).replace('-', '\u2212');
        return sign + (metric.real ? format.real(value) : format.count(value));
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

    title(metric) {
        const kind = metric.plain || (metric.ratio && !metric.incl) ? '' : metric.incl ? ' inclusive' : ' self';
        return metric.name + kind + (metric.side ? ', ' + metric.side : '');
    }

    /* Lines of a tooltip for a number. `what` names the row. */
    explain(metric, value, what) {
        const lines = [this.title(metric) + ': ' + metric.long];
        if (what) lines.unshift(what);
        if (value !== value && metric.side && !metric.ratio)
            lines.push(`. : was not there ${metric.side === 'before' ? 'before' : 'any more'}, or cannot occur here`);
        else if (value !== value && !metric.ratio) lines.push('. : cannot occur here');
        else if (value !== value) lines.push('nothing to divide by here');
        else lines.push(this.worth(metric, value));
        if (metric.formula) lines.push('= ' + metric.formula);
        if (Math.abs(value) > 2 ** 53) lines.push('\u2248: the last digits are beyond what a browser keeps');
        if (metric.incl) lines.push('inclusive: with everything that was called, each event once');
        else if (!metric.ratio && !metric.plain) lines.push('self: without what was called');
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

function ratio(metric, get) {
    const value = metric.ratio.of((name) => {
        const number = get(name);
        return number === number ? number : 0;
    });
    return isFinite(value) ? value : NaN;
}
