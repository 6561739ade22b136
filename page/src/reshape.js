// SPDX-License-Identifier: GPL-2.0-or-later
//
// reshape.js: the call tree in another shape, made of the same call paths.
//
//     hidden      a set of ids of functions that are left out: what such a function costs itself, and what it calls, is
//                 its caller's. Where nobody called it, its callees are roots, and its own cost is that of a root
//                 HIDDEN
//     collapsed   a function that is below itself, directly or through others, costs where it was first called
//     inverted    from the bottom up: roots are functions with their self cost, below a node are the callers through
//                 which that part of it came
//
// They are done in this order. A new node stands for several of the old ones; `to` says in which a path's self cost is,
// once: so sums of self costs are those of before, and a node's inclusive cost is that of all nodes below it. So it is
// of the inverted tree, too, where a path's self cost is in the node of its outermost caller.
//
// Nodes are made callers first, and numbered backwards in the end: a parent's number is larger than its children's,
// as it is in the table.

export const HIDDEN = -1;

const STEPS = 4e6; // of call paths turned over; in trees of many more than usual, less of each
const LEAST = 8;
const FLAGS = ['approximate', 'handler', 'recursive', 'cut'];

class Nodes {
    constructor() {
        for (const name of ['parent', 'functionId', 'depth', 'thread', 'calls', ...FLAGS]) this[name] = [];
        this.known = new Map(); // of a node above and what is below it: the node
        this.codes = new Map();
    }

    /* The node of a function below another one, -1: a root; of them each thread has its own, unless it is NaN. */
    below(above, functionId, thread) {
        const what = above < 0 ? `${functionId} ${thread}` : functionId;
        if (!this.codes.has(what)) this.codes.set(what, this.codes.size);
        const key = (above + 1) * 2 ** 26 + this.codes.get(what);
        if (!this.known.has(key)) {
            this.known.set(key, this.parent.length);
            this.parent.push(above);
            this.functionId.push(functionId);
            this.depth.push(above < 0 ? 0 : this.depth[above] + 1);
            this.thread.push(thread);
            this.calls.push(0);
            for (const flag of FLAGS) this[flag].push(0);
        }
        return this.known.get(key);
    }
}

function topDown(tree, collapsed, hidden) {
    const nodes = new Nodes();
    const to = new Int32Array(tree.rows);
    const called = []; // by node: whether more than recursive calls lead to it
    for (let row = tree.rows - 1; row >= 0; row--) {
        const id = tree.functionId[row];
        const above = tree.parent[row] < 0 ? -1 : to[tree.parent[row]];
        to[row] = above;
        if (hidden.has(id)) continue;
        let at = collapsed ? above : -1;
        while (at >= 0 && nodes.functionId[at] !== id) at = nodes.parent[at];
        to[row] = at < 0 ? nodes.below(above, id, tree.thread[row]) : at;
        nodes.calls[to[row]] += tree.calls[row] || 0;
        nodes.handler[to[row]] ||= tree.handler[row];
        called[to[row]] ||= !tree.recursive[row];
    }
    for (let row = 0; row < tree.rows; row++) {
        if (to[row] < 0) to[row] = nodes.below(-1, HIDDEN, NaN);
        nodes.approximate[to[row]] ||= tree.approximate[row];
    }
    nodes.recursive = nodes.parent.map((_, node) => (called[node] === false ? 1 : 0));
    return {nodes, to};
}

function bottomUp({parent, functionId, rows, ...tree}) {
    const nodes = new Nodes();
    const most = Math.max(LEAST, Math.floor(STEPS / rows));
    const to = new Int32Array(rows);
    for (let row = 0; row < rows; row++) {
        let [node, steps] = [-1, 0];
        for (let at = row; at >= 0 && steps < most; at = parent[at], steps++) {
            node = nodes.below(node, functionId[at], NaN);
            nodes.handler[node] ||= tree.handler[at];
            if (at === row) nodes.approximate[node] ||= tree.approximate[row];
            if (steps + 1 === most && parent[at] >= 0) nodes.cut[node] = 1;
        }
        to[row] = node;
        nodes.calls[node] += tree.calls[row] || 0;
    }
    for (let node = nodes.parent.length - 1; node >= 0; node--)
        if (nodes.parent[node] >= 0) nodes.calls[nodes.parent[node]] += nodes.calls[node];
    return {nodes, to};
}

/* Columns of a call tree (calltree.js) and `to`, made of those of another one. */
export function reshape(tree, {inverted, collapsed, hidden}) {
    let {nodes, to} = topDown(tree, collapsed, hidden);
    if (inverted) {
        const up = bottomUp({...nodes, rows: nodes.parent.length});
        [nodes, to] = [up.nodes, to.map((node) => up.to[node])];
    }
    const last = nodes.parent.length - 1;
    const {known, codes, parent, ...columns} = nodes;
    for (const name of Object.keys(columns)) columns[name] = Float64Array.from(columns[name]).reverse();
    const above = Int32Array.from(parent, (node) => (node < 0 ? -1 : last - node)).reverse();
    return {...columns, parent: above, to: to.map((node) => last - node), inverted};
}
