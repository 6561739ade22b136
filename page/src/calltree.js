// SPDX-License-Identifier: GPL-2.0-or-later
//
// calltree.js: the call tree of the profile, as it is or in another shape (reshape.js): who is below whom, and what it
// costs. The address says which shape: order=bottom-up, collapsed=1, hidden=ids of functions, startup=1.
//
// Table `paths` is in post-order with depths: read backwards, a row's parent is the row of one depth less that was read
// last. Children are sorted by an event only when somebody looks at them.
//
// From the bottom up roots are functions with their self cost, and below a node are the callers through which that part
// of it came: BottomUp, whose nodes are made when somebody looks at them.
//
// A path's address is the number of its row in the table, so that it is the same in each shape; from the bottom up it
// is followed by that of the caller at which it ends: "1234-1300".

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
        if (shape.key && app.memory.get('reshaped')?.key !== shape.key)
            app.memory.set('reshaped', new CallTree({...reshape(whole, shape), key: shape.key}));
        const tree = shape.key ? app.memory.get('reshaped') : whole;
        if (shape.inverted) tree.turned ||= new BottomUp(tree);
        return shape.inverted ? tree.turned : tree;
    }

    constructor(columns) {
        Object.assign(this, columns, {rows: columns.parent.length});
        this.threads = new Set(this.thread.filter((thread) => thread === thread)).size;
        /* The children of row r are list[start[r]] to list[start[r + 1] - 1]; roots are those behind. */
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
        const sums = await this.sums(metrics, tables.paths, metric);
        const value = (_, row) => metrics.of(metric, (name) => sums.get(name)[row]);
        return sums && Float64Array.from({length: this.rows}, value);
    }

    /* Of what a metric is made of, by its names: sums of self costs of the table's paths; NULL only where all are. */
    async sums(metrics, table, metric) {
        const columns = await metrics.columns(table, {...metric, incl: false});
        const to = metric.incl ? this.within : this.to;
        for (const [name, own] of to && columns ? columns : []) {
            const sums = new Float64Array(this.rows).fill(NaN);
            const add = (node, value) => {
                if (node >= 0 && value === value) sums[node] = (sums[node] || 0) + value;
            };
            own.forEach((value, row) => add(to[row], value));
            for (let row = 0; metric.incl && row < this.rows; row++) add(this.parent[row], sums[row]);
            columns.set(name, sums);
        }
        return columns;
    }

    /* Its address, and the node of one; -1 if there is none. */
    address(row) {
        return String(this.from ? this.from[row] : row);
    }

    find(address) {
        const [row, caller] = (address || 'none').split('-').map((text) => this.nodeOf(text));
        return !(caller >= 0) || caller === this.root(row) ? row : -1;
    }

    /* In which a row of the table is; -1: in none. */
    nodeOf(row) {
        const last = this.within ? this.within.length : this.rows;
        return !/^[0-9]+$/.test(row) || row >= last ? -1 : this.within ? this.within[row] : Number(row);
    }

    /* The outermost node above. */
    root(row) {
        while (this.parent[row] >= 0) row = this.parent[row];
        return row;
    }

    /* Of -1: roots. */
    children(row) {
        if (row < 0) row = this.rows;
        return this.list.subarray(this.start[row], this.start[row + 1]);
    }

    hasChildren(row) {
        return this.start[row + 1] > this.start[row];
    }

    roots() {
        return this.children(-1);
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

    /* Paths of functions, a set of ids: {count, cost: what they cost together}. What is below one of them is part of
     * its cost already. */
    matching(functionIds, costs) {
        const within = new Uint8Array(this.rows);
        let [count, cost] = [0, 0];
        for (let row = this.rows - 1; row >= 0; row--) {
            const above = this.parent[row]; // which comes before its children, read backwards
            within[row] = above >= 0 && within[above];
            if (!functionIds.has(this.functionId[row])) continue;
            count++;
            if (!within[row]) cost += costs[row] || 0;
            within[row] = 1;
        }
        return {count, cost};
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

/* The same tree from the bottom up. A node has those paths of the tree whose self cost is its own: a caller's are some
 * of those of the node above it. */
class BottomUp extends CallTree {
    constructor(tree) {
        super({parent: [], functionId: [], depth: [], thread: [], calls: [], approximate: [], handler: []});
        Object.assign(this, {tree, inverted: true, paths: [], ends: [], below: [], counted: new Map()});
        this.rows = tree.rows;
        this.top = this.make(-1, [...Array(tree.rows).keys()], (path) => path);
    }

    /* The nodes below one, from its paths and what calls each of them where it ends. */
    make(above, paths, callerOf) {
        const {tree} = this;
        const nodes = new Map(); // of a function
        paths.forEach((path, i) => {
            const end = callerOf(path, i);
            if (end < 0) return;
            const id = tree.functionId[end];
            if (!nodes.has(id)) {
                nodes.set(id, this.parent.length);
                this.parent.push(above);
                this.functionId.push(id);
                this.depth.push(above < 0 ? 0 : this.depth[above] + 1);
                this.paths.push([]);
                this.ends.push([]);
            }
            const node = nodes.get(id);
            this.paths[node].push(path);
            this.ends[node].push(end);
        });
        for (const node of nodes.values()) {
            const [all, ends] = [this.paths[node], this.ends[node]];
            this.calls[node] = all.reduce((sum, path) => sum + (tree.calls[path] || 0), 0);
            this.handler[node] = +ends.some((end) => tree.handler[end] === 1);
            this.approximate[node] = +(above < 0 && all.some((path) => tree.approximate[path] === 1));
            for (const {costs, of} of this.counted.values()) costs[node] = of(all);
        }
        return [...nodes.values()];
    }

    /* These costs grow with the tree, so all who ask for a metric get the same, also if they ask at the same time. */
    async costs({metrics, tables}, metric) {
        const own = {...metric, incl: false};
        const columns = await this.tree.sums(metrics, tables.paths, own);
        if (this.counted.has(own.key)) return this.counted.get(own.key).costs;
        if (!columns) return null;
        const sum = (column, paths) =>
            paths.reduce((all, path) => (column[path] === column[path] ? (all || 0) + column[path] : all), NaN);
        const of = (paths) => metrics.of(own, (name) => sum(columns.get(name), paths));
        const costs = this.paths.map(of);
        this.counted.set(own.key, {costs, of});
        return costs;
    }

    children(row) {
        if (row < 0) return this.top;
        const [paths, ends] = [this.paths[row], this.ends[row]];
        return (this.below[row] ||= this.make(row, paths, (_, i) => this.tree.parent[ends[i]]));
    }

    hasChildren(row) {
        return this.ends[row].some((end) => this.tree.parent[end] >= 0);
    }

    address(row) {
        return [this.paths, this.ends].map((of) => this.tree.address(of[row][0])).join('-');
    }

    find(address) {
        const {tree} = this;
        const [path, end] = (address || 'none').split('-').map((text) => tree.nodeOf(text));
        let node = -1;
        let last = -1;
        for (let at = path; at >= 0 && !(last >= 0 && last === end); last = at, at = tree.parent[at])
            node = this.children(node).find((one) => this.functionId[one] === tree.functionId[at]);
        return end >= 0 && last !== end ? -1 : node;
    }

    /* The root: it has all self cost of the function. */
    best(functionId) {
        return this.top.find((row) => this.functionId[row] === functionId) ?? -1;
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

/* What the address says of it; `key` is '' where it is the table's. `startup`: ids of functions that are left out. */
export function shapeOf({params}, names, startup = new Set()) {
    const ids = (params.get('hidden') || '').split(',').filter(Boolean).map(Number);
    const hidden = new Set(ids.filter((id) => names.functionRow(id) !== undefined));
    const [inverted, collapsed] = [params.get('order') === ORDERS[1], params.get('collapsed') === '1'];
    const key = collapsed || hidden.size || startup.size ? [collapsed, startup.size, ...hidden].join() : '';
    return {inverted, collapsed, hidden, startup, key};
}

/* The metric of which the tree shows inclusive costs: from the bottom up, those of self costs. */
export const shownOf = ({metrics}, nodes, metric) => metrics.at({...metric, incl: !nodes.inverted}, metric.side);

/* ------------------------------------------------------------------------------------------ marks */

/* A field for words: {filter: its elements, has: whether a node's function has them in its name}. Beside it is what
 * these call paths cost together, inclusive; `changed()` is called for other words. */
export async function markingOf(app, nodes, metric, changed) {
    const {metrics} = app;
    const tree = nodes.tree || nodes;
    const whole = metrics.at({...metric, incl: true}, metric.side);
    const [names, costs] = await Promise.all([app.names(), tree.costs(app, whole)]);
    const ids = [...(await app.tables.functions.numbers('id'))];
    const marking = {has: (row) => row >= 0 && Boolean(all && all.ids.has(nodes.functionId[row]))};
    let all = null;
    const find = (words) => {
        const wanted = words.trim().toLowerCase();
        const some = new Set(ids.filter((id) => names.function(id).toLowerCase().includes(wanted)));
        all = wanted ? {ids: some, ...tree.matching(some, costs)} : null;
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
