// SPDX-License-Identifier: GPL-2.0-or-later
//
// threads.js: threads, or the ranks, processes and threads that a merge kept apart, side by side: what each of them
// cost, and how evenly each function's cost is spread over them. A unit in which a function did not run has 0 of it.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {sectionTable} from '../section.js';
import {startupOf} from '../startup.js';
import {fit} from '../table.js';

const WIDE = 8; // units that have columns of their own; more are a strip

export const threads = {
    id: 'threads',
    title: 'Threads',
    about: 'Threads, processes or ranks side by side, and the imbalance of each function',
    has: (profile) => Boolean(kindsOf(profile).length),

    async render(app, place) {
        const [names, startup] = await Promise.all([app.names(), startupOf(app)]);
        const kinds = kindsOf(app.profile);
        const kind = kinds.find((one) => one.id === app.params.get('by')) || kinds[0];
        const units = await Units.load(app, kind);
        const shares = await Shares.load(app, kind, units, startup);
        const others = kinds.filter((one) => one !== kind);
        const table = sectionTable(app, units.title(), {
            items: [...units.names.keys()],
            list: units.list,
            costs: units.costs,
            columns: [{key: 'unit', kind: 'text', title: units.title().toLowerCase()}],
            cells: {unit: (row) => units.names[row]},
            by: 'number',
            small: true,
            open: null,
        });
        append(
            place,
            topBar(
                units.title(),
                others.map((one) => app.link('threads', '', {by: one.id}, one.title)),
                h('span.dim', balanceWords(app, units)),
            ),
            h('div.units', fit(table)),
            startup.said,
            functionTable(app, names, units, shares),
        );
    },
};

/* Where units come from: {id, title, units and functions: tables, column: of the latter, the unit}. */
function kindsOf({tables}) {
    return [
        {id: 'units', title: 'Kept apart', units: tables.units, functions: tables.unit_functions, column: 'unit_id'},
        {id: 'threads', title: 'Threads', units: tables.threads, functions: tables.thread_functions, column: 'thread'},
    ].filter(({units}) => units && units.rows > 1);
}

/* ------------------------------------------------------------------------------------------ units */

class Units {
    static async load(app, kind) {
        const list = app.shownMetrics().filter((metric) => !metric.incl);
        const units = Object.assign(new Units(), {app, kind, list});
        const metric = app.metrics.at({name: app.metric.name});
        if (!units.list.some((one) => one.key === metric.key)) units.list.unshift(...app.withSides(metric));
        for (const name of [app.metrics.cost(), 'L1m', 'LLm', 'spatialD1', 'temporalD1']) {
            const more = app.params.get('c') === null && app.metrics.find(name);
            if (more && !units.list.some(({key}) => key === more.key)) units.list.push(more);
        }
        units.metric = metric;
        units.ids = await kind.units.numbers('id');
        units.costs = await app.costsOf(kind.units, units.list);
        units.row = new Map([...units.ids].map((id, row) => [id, row]));
        units.names = [...units.ids].map((number) => `thread ${number}`);
        if (kind.id === 'threads') return units;
        const records = await kind.units.records(undefined, ['kind', 'rank', 'host', 'pid', 'thread']);
        units.what = records.length ? records[0].kind : '';
        const several = new Set(records.map(({host}) => host)).size > 1;
        const part = (word, value) => value === value && `${word} ${value}`;
        units.names = records.map(({rank, host, pid, thread, row}) => {
            const parts = [part('rank', rank), several && host, part('process', pid), part('thread', thread)];
            return parts.filter(Boolean).join(', ') || `unit ${row + 1}`;
        });
        return units;
    }

    title() {
        const words = {rank: 'Ranks', process: 'Processes', thread: 'Threads'};
        return (this.kind.id === 'units' && Object.hasOwn(words, this.what) && words[this.what]) || 'Threads';
    }

    /* {min, mean, max, most: where the latter is, imbalance}; without a mean there is none. */
    static balance(values) {
        const numbers = [...values].map((value) => (value === value ? value : 0));
        const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
        const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
        return {min, mean, max, most: numbers.indexOf(max), imbalance: mean ? 100 * (max / mean - 1) : NaN};
    }
}

function balanceWords(app, units) {
    const cost = units.costs.get(units.metric.key);
    if (!cost || units.metric.ratio || app.metrics.difference) return '';
    const {imbalance} = Units.balance(units.names.map((_, row) => cost(row)));
    if (imbalance !== imbalance) return '';
    return `${units.metric.title}: the most is ${format.percent(imbalance)} above the mean`;
}

/* ------------------------------------------------------------------------------------------ functions by unit */

/* Of each function, what it costs in each unit; of those that cost something. */
class Shares {
    static async load(app, kind, units, startup) {
        const shares = Object.assign(new Shares(), {app, units, metric: app.metric});
        const values = await app.metrics.values(kind.functions, app.metric);
        const functionIds = await kind.functions.numbers('function_id');
        const unitIds = await kind.functions.numbers(kind.column);
        const byFunction = new Map();
        for (let row = 0; values && row < values.length; row++) {
            const at = units.row.get(unitIds[row]);
            if (at === undefined || !values[row] || startup.ids.has(functionIds[row])) continue;
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
    const {metric, balance} = shares;
    const ref = (row) => names.ref(shares.ids[row]);
    const label = (row) => ref(row).name;
    const of = (key) => (metric.ratio ? null : (row) => balance[row][key]);
    return sectionTable(app, 'balance', {
        items: [...shares.ids.keys()],
        metric,
        extra: units.names.length <= WIDE ? unitColumns(app, units, shares, label) : [strip(app, units, shares, label)],
        cells: {
            min: of('min'),
            mean: of('mean'),
            max: of('max'),
            imbalance_percent: of('imbalance'),
            max_unit: metric.ratio ? null : (row) => units.names[balance[row].most],
            function: ref,
        },
        by: metric.ratio ? 'u0' : 'max',
        ascending: false,
        label: 'Functions by ' + units.title().toLowerCase(),
    }).element;
}

function unitColumns(app, units, {metric, values}, label) {
    return units.names.map((name, at) => ({
        key: 'u' + at,
        label: name,
        sub: app.metrics.short(metric),
        width: Math.max(16, name.length + 2, app.metrics.short(metric).length + 2) + 'ch',
        cold: metric.incl,
        change: metric.change,
        title: [name, ...app.metrics.about(metric)],
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
        return h('span.box', {
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
