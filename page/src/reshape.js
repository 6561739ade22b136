// SPDX-License-Identifier: GPL-2.0-or-later
//
// reshape.js: the call tree in another shape, made of the same call paths.
//
//     hidden      a set of ids of functions that are left out: what such a function costs itself, and what it calls, is
//                 its caller's. Where nobody called it, its callees are roots, and its own cost is that of a root
//                 HIDDEN
//     startup     likewise; but what such a function costs itself is nobody's self cost. It is part of what its callers
//                 cost inclusively
//     collapsed   a function that is below itself, directly or through others, costs where it was first called
//     inverted    from the bottom up: roots are functions with their self cost, below a node are the callers through
//                 which that part of it came
//
// They are done in this order. A new node stands for several of the old ones, but for one where nothing but start-up is
// left out: calls from different lines stay apart. `to` says in which node a path's self cost is (-1: in none), and
// `within` in which inclusive cost it is, and in those of all above. So sums of self costs are those of before, but for
// start-up's. In the inverted tree a path's self cost is in the node of its outermost caller.
//
// Nodes are made callers first, and numbered backwards in the end: a parent's number is larger than its children's,
// as it is in the table.

export const HIDDEN = -1;

const STEPS = 4e6; // of call paths turned over; in trees of many more than usual, less of each
const LEAST = 8;
const FLAGS = ['approximate', 'handler', 'recursive', 'cut'];

class Nodes {
    constructor(merged) {
        this.merged = merged;
        for (const name of ['parent', 'functionId', 'depth', 'thread', 'calls', ...FLAGS]) this[name] = [];
        this.known = new Map(); // of a node above and what is below it: the node
        this.codes = new Map();
    }

    /* The node of a function below another one, -1: a root; of them each thread has its own, unless it is NaN. */
    below(above, functionId, thread) {
        const what = above < 0 ? `${functionId} ${thread}` : functionId;
        if (!this.codes.has(what)) this.codes.set(what, this.codes.size);
        const key = (above + 1) * 2 ** 26 + this.codes.get(what);
        if (!this.merged || !this.known.has(key)) {
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

function topDown(tree, {collapsed, hidden, startup}) {
    const nodes = new Nodes(collapsed || hidden.size > 0);
    const within = new Int32Array(tree.rows);
    const called = []; // by node: whether more than recursive calls lead to it
    for (let row = tree.rows - 1; row >= 0; row--) {
        const id = tree.functionId[row];
        const above = tree.parent[row] < 0 ? -1 : within[tree.parent[row]];
        within[row] = above;
        if (hidden.has(id) || startup.has(id)) continue;
        let at = collapsed ? above : -1;
        while (at >= 0 && nodes.functionId[at] !== id) at = nodes.parent[at];
        const node = at < 0 ? nodes.below(above, id, tree.thread[row]) : at;
        within[row] = node;
        nodes.calls[node] += tree.calls[row] || 0;
        nodes.handler[node] ||= tree.handler[row];
        called[node] ||= !tree.recursive[row];
    }
    const isStartup = (row) => startup.has(tree.functionId[row]);
    for (let row = 0; row < tree.rows; row++) {
        if (within[row] < 0 && !isStartup(row)) within[row] = nodes.below(-1, HIDDEN, NaN);
        if (within[row] >= 0) nodes.approximate[within[row]] ||= tree.approximate[row];
    }
    nodes.recursive = nodes.parent.map((_, node) => (called[node] === false ? 1 : 0));
    return {nodes, within, to: within.map((node, row) => (isStartup(row) ? -1 : node))};
}

function bottomUp({parent, functionId, rows, ...tree}) {
    const nodes = new Nodes(true);
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

/* Columns of a call tree (calltree.js), `to` and `within`, made of those of another one. */
export function reshape(tree, {inverted, ...shape}) {
    let {nodes, to, within} = topDown(tree, shape);
    if (inverted) {
        const up = bottomUp({...nodes, rows: nodes.parent.length});
        [nodes, to] = [up.nodes, to.map((node) => (node < 0 ? -1 : up.to[node]))];
        within = to;
    }
    const last = nodes.parent.length - 1;
    const {merged, known, codes, parent, ...columns} = nodes;
    for (const name of Object.keys(columns)) columns[name] = Float64Array.from(columns[name]).reverse();
    const above = Int32Array.from(parent, (node) => (node < 0 ? -1 : last - node)).reverse();
    const turned = (list) => list.map((node) => (node < 0 ? -1 : last - node));
    return {...columns, parent: above, to: turned(to), within: turned(within), inverted};
}
