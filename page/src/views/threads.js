// SPDX-License-Identifier: GPL-2.0-or-later
//
// threads.js: threads, or the ranks, processes and threads that a merge kept apart, side by side: what each of them
// cost, and how evenly each function's cost is spread over them. A unit in which a function did not run has 0 of it.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {fit} from '../table.js';

const WIDE = 8; // units that have columns of their own; more are a strip

export const threads = {
    id: 'threads',
    title: 'Threads',
    about: 'Threads, processes or ranks side by side, and the imbalance of each function',
    has: (profile) => Boolean(kindsOf(profile).length),

    async render(app, place) {
        const names = await app.names();
        const kinds = kindsOf(app.profile);
        const kind = kinds.find((one) => one.id === app.params.get('by')) || kinds[0];
        const units = await Units.load(app, kind);
        const shares = await Shares.load(app, kind, units);
        const others = kinds.filter((one) => one !== kind);
        append(
            place,
            topBar(
                units.title(),
                others.map((one) => app.link('threads', '', {by: one.id}, one.title)),
                h('span', {class: 'dim'}, balanceWords(app, units)),
            ),
            unitTable(app, units),
            functionTable(app, names, units, shares),
        );
    },
};

/* Where units come from: {id, title, units and functions: tables, column: of the latter, the unit}. */
function kindsOf({tables}) {
    return [
        {id: 'units', title: 'Kept apart', units: tables.units, functions: tables.unit_functions, column: 'unit_id'},
        {
            id: 'threads',
            title: 'Threads',
            units: tables.threads,
            functions: tables.thread_functions,
            column: 'thread',
        },
    ].filter(({units}) => units && units.rows > 1);
}

/* ------------------------------------------------------------------------------------------ units */

class Units {
    static async load(app, kind) {
        const list = app.shownMetrics().filter((metric) => !metric.incl);
        const units = Object.assign(new Units(), {app, kind, list});
        const metric = app.metrics.at({name: app.metric.name});
        if (!units.list.some((one) => one.key === metric.key)) units.list.unshift(...app.withSides(metric));
        for (const key of ['CEst', 'L1m', 'LLm', 'spatialD1', 'temporalD1'])
            if (app.params.get('c') === null && app.metrics.find(key) && !units.list.some((one) => one.key === key))
                units.list.push(app.metrics.find(key));
        units.metric = metric;
        units.ids = await kind.units.numbers('id');
        units.values = await app.valuesOf(kind.units, units.list);
        units.row = new Map([...units.ids].map((id, row) => [id, row]));
        await units.readNames();
        return units;
    }

    async readNames() {
        const {units, id} = this.kind;
        if (id === 'threads') {
            this.names = [...this.ids].map((number) => `thread ${number}`);
            return;
        }
        const [kinds, hosts] = await Promise.all([units.texts('kind'), units.texts('host')]);
        const [ranks, pids, numbers] = await Promise.all(['rank', 'pid', 'thread'].map((name) => units.numbers(name)));
        this.what = this.ids.length ? format.name(kinds.at(0)) : '';
        const several = new Set([...this.ids].map((_, row) => hosts.at(row))).size > 1;
        const part = (word, value) => (value === value ? `${word} ${value}` : '');
        this.names = [...this.ids].map(
            (_, row) =>
                [
                    part('rank', ranks[row]),
                    several && hosts.at(row) !== null && format.name(hosts.at(row)),
                    part('process', pids[row]),
                    part('thread', numbers[row]),
                ]
                    .filter(Boolean)
                    .join(', ') || `unit ${row + 1}`,
        );
    }

    title() {
        const words = {rank: 'Ranks', process: 'Processes', thread: 'Threads'};
        return (this.kind.id === 'units' && Object.hasOwn(words, this.what) && words[this.what]) || 'Threads';
    }

    /* {min, mean, max, imbalance}; without a mean there is none. */
    static balance(values) {
        const numbers = [...values].map((value) => (value === value ? value : 0));
        const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
        const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
        return {min, mean, max, imbalance: mean ? 100 * (max / mean - 1) : NaN};
    }
}

function balanceWords(app, units) {
    const values = units.values.get(units.metric.key);
    if (!values || units.metric.ratio || app.metrics.difference) return '';
    const {imbalance} = Units.balance(values);
    if (imbalance !== imbalance) return '';
    return `${units.metric.name}: the most is ${format.percent(imbalance)} above the mean`;
}

function unitTable(app, units) {
    const name = (row) => units.names[row];
    const table = app.sortedTable({
        items: [...units.ids.keys()],
        columns: [
            ...app.metricColumns(units.list, units.values, name),
            {key: 'unit', label: units.title().toLowerCase(), width: '30ch', grow: true, text: name},
        ],
        by: 'number',
        order: 'ascending',
        label: units.title(),
        small: true,
    });
    return h('div', {class: 'units'}, fit(table));
}

/* ------------------------------------------------------------------------------------------ functions by unit */

/* Of each function, what it costs in each unit; of those that cost something. */
class Shares {
    static async load(app, kind, units) {
        const shares = Object.assign(new Shares(), {app, units, metric: app.metric});
        const [values, functionIds, unitIds] = await Promise.all([
            app.metrics.values(kind.functions, app.metric),
            kind.functions.numbers('function_id'),
            kind.functions.numbers(kind.column),
        ]);
        const byFunction = new Map();
        for (let row = 0; values && row < values.length; row++) {
            const at = units.row.get(unitIds[row]);
            if (at === undefined || !values[row]) continue;
            if (!byFunction.has(functionIds[row])) byFunction.set(functionIds[row], units.names.map(() => 0));
            byFunction.get(functionIds[row])[at] = values[row];
        }
        shares.ids = [...byFunction.keys()];
        shares.values = [...byFunction.values()];
        shares.balance = shares.values.map(Units.balance);
        return shares;
    }
}

function functionTable(app, names, units, shares) {
    const {metric} = shares;
    const label = (row) => names.function(shares.ids[row]);
    const wide = units.names.length <= WIDE;
    const table = app.sortedTable({
        items: [...shares.ids.keys()],
        columns: [
            ...(wide ? unitColumns(app, units, shares, label) : [strip(app, units, shares, label)]),
            ...(metric.ratio ? [] : balanceColumns(app, shares, label)),
            {
                key: 'function',
                label: 'function',
                width: '28ch',
                grow: true,
                text: label,
                cell: (row) => app.link('function', shares.ids[row], {}, label(row)),
            },
        ],
        by: metric.ratio ? 'u0' : 'max',
        label: 'Functions by ' + units.title().toLowerCase(),
        open: (row) => app.go('function', shares.ids[row]),
    });
    return table.element;
}

function unitColumns(app, units, {metric, values}, label) {
    return units.names.map((name, at) => ({
        key: 'u' + at,
        label: name,
        sub: app.metrics.title(metric),
        width: Math.max(16, name.length + 2, app.metrics.title(metric).length + 2) + 'ch',
        cold: metric.incl,
        change: metric.change,
        title: [name, app.metrics.title(metric) + ': ' + metric.long],
        share: (row) => app.metrics.share(metric, values[row][at]) / 100,
        value: (row) => values[row][at],
        cell: (row) => app.metrics.show(metric, values[row][at]),
        tip: (row) => app.metrics.explain(metric, values[row][at], `${label(row)}, ${name}`),
    }));
}

/* Many units: a box for each, the warmer the nearer to the largest. */
function strip(app, units, shares, label) {
    const {metric} = shares;
    const box = (row, at) => {
        const part = Math.abs(shares.values[row][at]) / (Math.abs(shares.balance[row].max) || 1);
        return h('span', {
            class: 'box',
            style: {'--heat': Math.min(1, part).toFixed(3)},
            tip: () => app.metrics.explain(metric, shares.values[row][at], `${label(row)}, ${units.names[at]}`),
        });
    };
    return {
        key: 'strip',
        label: units.title().toLowerCase(),
        sub: 'each a box',
        width: Math.min(60, units.names.length + 4) + 'ch',
        align: 'left',
        class: 'strip',
        title: ['a box for each, the warmer the nearer to the largest of the function'],
        cell: (row) => units.names.map((_, at) => box(row, at)),
    };
}

const BALANCE = {
    min: 'the least of all of them',
    mean: 'the mean over all of them, 0 where the function did not run',
    max: 'the most of all of them',
    imbalance: 'how much the most is above the mean: 100 (max / mean \u2212 1)',
};

function balanceColumns(app, {metric, balance}, label) {
    const text = (key, value) =>
        key === 'imbalance'
            ? value === value
                ? value.toFixed(1)
                : ''
            : app.metrics.show(key === 'mean' ? {...metric, real: true} : metric, value);
    return Object.keys(BALANCE).map((key) => ({
        key,
        label: key,
        sub: key === 'imbalance' ? '%' : '',
        width: key === 'imbalance' ? '12ch' : '15ch',
        title: [BALANCE[key]],
        value: (row) => balance[row][key],
        cell: (row) => text(key, balance[row][key]),
        tip: (row) => [
            `${label(row)}: ${key} of ${app.metrics.title(metric)}`,
            `${text(key, balance[row][key]) || 'nothing to divide by'}`,
            BALANCE[key],
        ],
    }));
}
