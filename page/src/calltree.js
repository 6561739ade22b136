// SPDX-License-Identifier: GPL-2.0-or-later
//
// calltree.js: the call tree of the profile, as it is or in another shape (reshape.js): who is below whom, and what it
// costs. The address says which shape: order=bottom-up, collapsed=1, hidden=ids of functions, startup=1.
//
// Table `paths` is in post-order with depths: read backwards, a row's parent is the row of one depth less that was read
// last. Children are sorted by an event only when somebody looks at them.

import * as format from './format.js';
import {reshape} from './reshape.js';
import {startupOf} from './startup.js';

export const ORDERS = ['top-down', 'bottom-up'];

/* What a node is besides its function: columns of the table, with a mark, and what it means. */
export const MARKS = {
    handler: 'signal handler: the program did not call it, a signal did',
    recursive: 'recursive: costs are where it was first called',
    approximate:
        'pruned: the recording had no room for some call paths below it (--paths); what they cost is in its self cost',
    cut: 'cut: it has more callers, for which there is no room',
};

export class CallTree {
    /* In the shape that the address names. */
    static async load(app) {
        const columns = ['depth', 'function_id', 'calls', 'thread', 'approximate', 'handler', 'recursive'];
        const whole = await app.once('call tree', async () => {
            const {function_id: functionId, ...of} = await app.tables.paths.read(...columns);
            return new CallTree({...of, functionId, parent: parentsOf(of.depth)});
        });
        const [names, startup] = await Promise.all([app.names(), startupOf(app)]);
        const shape = shapeOf(app, names, startup.ids);
        if (!shape.key) return whole;
        if (app.memory.get('reshaped')?.key !== shape.key)
            app.memory.set('reshaped', new CallTree({...reshape(whole, shape), key: shape.key}));
        return app.memory.get('reshaped');
    }

    constructor(columns) {
        Object.assign(this, columns, {rows: columns.parent.length});
        this.threads = new Set(this.thread.filter((thread) => thread === thread)).size;
        /* The children of row r are list[start[r]] to list[start[r + 1] - 1]; roots are those of row `rows`. */
        const {rows, parent} = this;
        this.start = new Uint32Array(rows + 2);
        const of = (row) => (parent[row] < 0 ? rows : parent[row]);
        for (let row = 0; row < rows; row++) this.start[of(row) + 1]++;
        for (let row = 0; row <= rows; row++) this.start[row + 1] += this.start[row];
        const next = this.start.slice();
        this.list = new Uint32Array(rows);
        for (let row = 0; row < rows; row++) this.list[next[of(row)]++] = row;
    }

    /* What nodes cost of a metric; null where paths have no such costs. */
    async costs({metrics, tables}, metric) {
        if (!this.to) return metrics.values(tables.paths, metric);
        const columns = await metrics.columns(tables.paths, {...metric, incl: false});
        if (!columns) return null;
        const sums = new Map([...columns].map(([name, own]) => [name, this.sums(own, metric.incl || this.inverted)]));
        const value = (_, row) => metrics.of(metric, (name) => sums.get(name)[row]);
        return Float64Array.from({length: this.rows}, value);
    }

    /* Of self costs of the table's paths; NULL only where all of them are. */
    sums(own, below) {
        const sums = new Float64Array(this.rows).fill(NaN);
        const add = (node, value) => {
            if (node >= 0 && value === value) sums[node] = (sums[node] || 0) + value;
        };
        const to = below ? this.within : this.to;
        own.forEach((value, row) => add(to[row], value));
        for (let row = 0; below && row < this.rows; row++) add(this.parent[row], sums[row]);
        return sums;
    }

    /* The outermost node above. */
    root(row) {
        while (this.parent[row] >= 0) row = this.parent[row];
        return row;
    }

    children(row) {
        return this.list.subarray(this.start[row], this.start[row + 1]);
    }

    hasChildren(row) {
        return this.start[row + 1] > this.start[row];
    }

    roots() {
        return this.children(this.rows);
    }

    /* Largest first; what is less than nothing by its size. */
    sorted(rows, costs) {
        const weight = (row) => Math.abs(costs[row] || 0);
        return [...rows].sort((a, b) => weight(b) - weight(a) || a - b);
    }

    /* From the root down to the row. */
    chain(row) {
        const chain = [];
        for (let at = row; at >= 0; at = this.parent[at]) chain.unshift(at);
        return chain;
    }

    /* Nodes of functions, a set of ids: {found: row -> whether it is one, count, cost: what they cost together}. What
     * is below one of them is part of its cost already. */
    matching(functionIds, costs) {
        const [found, within] = [new Uint8Array(this.rows), new Uint8Array(this.rows)];
        let [count, cost] = [0, 0];
        for (let row = this.rows - 1; row >= 0; row--) {
            const above = this.parent[row]; // which comes before its children, read backwards
            within[row] = above >= 0 && (found[above] || within[above]);
            found[row] = functionIds.has(this.functionId[row]);
            if (!found[row]) continue;
            count++;
            if (!within[row]) cost += costs[row] || 0;
        }
        return {found, count, cost};
    }

    /* The node of a function that costs most; -1 if it has none. */
    best(functionId, costs) {
        let best = -1;
        for (let row = 0; row < this.rows; row++)
            if (this.functionId[row] === functionId && (best < 0 || (costs[row] || 0) > (costs[best] || 0)))
                best = row;
        return best;
    }

    /* What a node is besides its function. */
    remark(row) {
        const of = this.parent[row] < 0 && this.threads > 1 && this.thread[row] >= 0;
        const thread = of && `thread ${this.thread[row]}`;
        const marks = Object.keys(MARKS).map((column) => this[column]?.[row] === 1 && MARKS[column]);
        return [thread, ...marks].filter(Boolean);
    }
}

function parentsOf(depth) {
    const parent = new Int32Array(depth.length).fill(-1);
    const last = [];
    for (let row = depth.length - 1; row >= 0; row--) {
        if (depth[row] > 0 && last[depth[row] - 1] !== undefined) parent[row] = last[depth[row] - 1];
        last[depth[row]] = row;
    }
    return parent;
}

/* ------------------------------------------------------------------------------------------ its shape */

/* What the address says of it; `key` is '' for the tree as it is. `startup`: ids of functions that are left out. */
export function shapeOf({params}, names, startup = new Set()) {
    const ids = (params.get('hidden') || '').split(',').filter(Boolean).map(Number);
    const hidden = new Set(ids.filter((id) => names.functionRow(id) !== undefined));
    const [inverted, collapsed] = [params.get('order') === ORDERS[1], params.get('collapsed') === '1'];
    const same = !inverted && !collapsed && !hidden.size && !startup.size;
    const key = same ? '' : [inverted, collapsed, startup.size, ...hidden].join();
    return {inverted, collapsed, hidden, startup, key};
}

/* The metric of which the tree shows inclusive costs: from the bottom up, those of self costs. */
export const shownOf = ({metrics}, nodes, metric) => metrics.at({...metric, incl: !nodes.inverted}, metric.side);

/* ------------------------------------------------------------------------------------------ marks */

/* A field for words: {filter: its elements, has: whether a node's function has them in its name}. Beside it is what
 * these nodes cost together of an inclusive metric; `changed()` is called for other words. */
export async function markingOf(app, nodes, metric, changed) {
    const {metrics} = app;
    const [names, costs] = await Promise.all([app.names(), nodes.costs(app, metric)]);
    const ids = [...(await app.tables.functions.numbers('id'))];
    const marking = {has: (row) => row >= 0 && Boolean(all && all.found[row])};
    let all = null;
    const find = (words) => {
        const wanted = words.trim().toLowerCase();
        const some = ids.filter((id) => names.function(id).toLowerCase().includes(wanted));
        all = wanted ? nodes.matching(new Set(some), costs) : null;
    };
    const said = () => {
        if (!all) return '';
        const cost = [metrics.show(metric, all.cost), metrics.percent(metric, all.cost)].filter(Boolean).join(', ');
        return `${format.count(all.count)} call paths: ${cost} of ${format.inSentence(metric.title)}`;
    };
    find(app.params.get('q') || '');
    const again = (words) => {
        find(words);
        changed();
    };
    marking.filter = app.filter('Mark by name', again, said);
    return marking;
}
