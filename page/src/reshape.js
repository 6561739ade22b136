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
//
// They are done in this order. A new node stands for several of the old ones, but for one where nothing but start-up is
// left out: calls from different lines stay apart. `to` says in which node a path's self cost is (-1: in none), and
// `within` in which inclusive cost it is, and in those of all above. So sums of self costs are those of before, but for
// start-up's. `from` is one of the paths that a node stands for.
//
// Nodes are made callers first, and numbered backwards in the end: a parent's number is larger than its children's,
// as it is in the table.

export const HIDDEN = -1;

/* Columns of a call tree (calltree.js), `to`, `within` and `from`, made of those of another one. */
export function reshape(tree, {collapsed, hidden, startup}) {
    const merged = collapsed || hidden.size > 0;
    const names = ['functionId', 'depth', 'thread', 'calls', 'approximate', 'handler', 'recursive', 'from'];
    const nodes = Object.fromEntries(names.map((name) => [name, new Float64Array(tree.rows + 1)]));
    const parent = new Int32Array(tree.rows + 1);
    let count = 0;
    const known = new Map(); // of a node above and what is below it: the node
    const codes = new Map();
    const below = (above, id, thread, row) => {
        if (merged) {
            const what = above < 0 ? `${id} ${thread}` : id;
            if (!codes.has(what)) codes.set(what, codes.size);
            const key = (above + 1) * 2 ** 26 + codes.get(what);
            if (known.has(key)) return known.get(key);
            known.set(key, count);
        }
        parent[count] = above;
        nodes.functionId[count] = id;
        nodes.depth[count] = above < 0 ? 0 : nodes.depth[above] + 1;
        nodes.thread[count] = thread;
        nodes.recursive[count] = id === HIDDEN ? 0 : 1;
        nodes.from[count] = row;
        return count++;
    };

    const within = new Int32Array(tree.rows);
    for (let row = tree.rows - 1; row >= 0; row--) {
        const id = tree.functionId[row];
        const above = tree.parent[row] < 0 ? -1 : within[tree.parent[row]];
        within[row] = above;
        if (hidden.has(id) || startup.has(id)) continue;
        let at = collapsed ? above : -1;
        while (at >= 0 && nodes.functionId[at] !== id) at = parent[at];
        const node = at < 0 ? below(above, id, tree.thread[row], row) : at;
        within[row] = node;
        nodes.calls[node] += tree.calls[row] || 0;
        nodes.handler[node] ||= tree.handler[row];
        nodes.recursive[node] &&= tree.recursive[row]; // where nothing but recursive calls leads to it
    }
    const isStartup = (row) => startup.has(tree.functionId[row]);
    for (let row = 0; row < tree.rows; row++) {
        if (within[row] < 0 && !isStartup(row)) within[row] = below(-1, HIDDEN, NaN, row);
        if (within[row] >= 0) nodes.approximate[within[row]] ||= tree.approximate[row];
    }

    const turned = (list) => list.map((node) => (node < 0 ? -1 : count - 1 - node));
    for (const name of names) nodes[name] = nodes[name].subarray(0, count).reverse();
    const to = within.map((node, row) => (isStartup(row) ? -1 : node));
    return {...nodes, parent: turned(parent.subarray(0, count)).reverse(), to: turned(to), within: turned(within)};
}
