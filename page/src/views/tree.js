// SPDX-License-Identifier: GPL-2.0-or-later
//
// tree.js: the call tree, from the program's start down or from the bottom up. A branch opens with a click, Enter or
// an arrow key; what costs most is open from the beginning.

import {append, h, markOf, topBar} from '../dom.js';
import * as format from '../format.js';
import {CallTree, markingOf, shownOf} from '../calltree.js';
import {shaping} from '../shaping.js';
import {startupOf} from '../startup.js';

const OPEN_FROM = 5; // percent of the total
const OPEN_MOST = 40; // branches
const SMALL = 0.1; // percent: what is less is one row, where it is several

export const tree = {
    id: 'tree',
    title: 'Call tree',
    about: 'Who called whom, from the program\u2019s start down',

    async render(app, place) {
        this.table = null;
        if (noTree(app, place)) return;
        const [nodes, names] = await Promise.all([CallTree.load(app), app.names()]);
        const {list, values} = await costsOf(app, nodes);
        const costs = new Map([...values].map(([key, numbers]) => [key, (row) => numbers[row]]));
        const chosen = app.metric.ratio ? app.metrics.find(app.metrics.first()) : app.metric;
        const main = nodes.inverted ? shownOf(app, nodes, chosen) : chosen; // by which branches are sorted
        const branches = new Branches(app, nodes, await nodes.costs(app, main), main);
        const wanted = target(app, nodes, branches.costs);
        if (wanted >= 0) branches.reveal(wanted);
        const calls = (row) => nodes.calls[row];
        const plus = (count) => (app.metrics.difference && count > 0 ? '+' : '');
        const toggle = (row) => {
            branches.toggle(row);
            table.setItems(branches.rows);
        };
        const marking = await markingOf(app, nodes, shownOf(app, nodes, {name: chosen.name}), () => table.refresh());
        const table = app.table({
            columns: [
                ...app.metricColumns(list, costs, (row) => names.function(nodes.functionId[row])),
                nodes.inverted && partColumn(names, nodes, main, branches.costs),
                {
                    key: 'calls',
                    label: 'calls',
                    width: '12ch',
                    title: ['how often the function was called on this path; from the bottom up, that of the branch'],
                    cell: (row) => row >= 0 && plus(calls(row)) + format.count(calls(row)),
                    tip: (row) => row >= 0 && [`called ${format.times(calls(row))} on this path`],
                },
                {
                    key: 'function',
                    label: 'function',
                    width: '40ch',
                    grow: true,
                    align: 'left',
                    class: 'name',
                    cell: (row) => nameCell(app, nodes, names, branches, row, toggle),
                    tip: (row) => row >= 0 && [
                        ...names.ref(nodes.functionId[row]).about(),
                        `${format.count(nodes.depth[row])} calls deep`,
                        ...nodes.remark(row),
                    ],
                },
            ],
            items: branches.rows,
            label: 'Call tree',
            class: 'tree',
            rowClass: (row) => (marking.has(row) ? 'marked' : ''),
            open: toggle,
            step: (row, way) => {
                const to = way > 0 ? branches.into(row) : branches.outOf(row);
                table.setItems(branches.rows);
                table.select(to);
            },
            onselect: (row) => app.change({n: row >= 0 ? nodes.address(row) : null}, true),
        });
        const again = (what) => () => {
            what();
            table.setItems(branches.rows);
            table.select(0);
        };
        if (wanted >= 0) table.current = branches.rows.indexOf(wanted);
        const shape = shaping(app, names, nodes, place, () => table.items[table.current]);
        const hot = {
            tip: () => ['open every branch with at least 5\u2009% of the total'],
            onclick: again(() => branches.reset()),
        };
        append(
            place,
            topBar(
                'Call tree',
                shape,
                h('button', hot, 'hot paths'),
                h('button', {onclick: again(() => branches.closeAll())}, 'close all'),
                marking.filter,
                h('span.dim', `${format.count(nodes.rows)} call paths`),
            ),
            (await startupOf(app)).said,
            table.element,
        );
        this.table = table;
    },

    shown() {
        if (this.table) this.table.centre();
    },
};

/* Says so where a profile has no call tree. */
export function noTree(app, place) {
    if (app.tables.paths.rows) return false;
    append(place, h('p.warning', 'This profile has no call tree: it was imported, or recorded without one.'));
    return true;
}

/* What the table shows: metrics, from the bottom up those of self costs; of those that call paths have, by their keys,
 * what nodes cost. */
async function costsOf(app, nodes) {
    const shown = app.shownMetrics().slice(0, app.params.has('c') ? 99 : 3);
    const own = shown.map((metric) => shownOf(app, nodes, metric));
    const list = nodes.inverted ? own.filter(({key}, i) => own.findIndex((one) => one.key === key) === i) : shown;
    const values = await Promise.all(list.map(async (metric) => [metric.key, await nodes.costs(app, metric)]));
    return {list, values: new Map(values.filter(([, numbers]) => numbers))};
}

/* From the bottom up: which part of the self cost of a branch's function came through these callers. */
function partColumn(names, nodes, metric, costs) {
    return {
        key: 'part',
        label: 'part',
        width: '10ch',
        title: [`part of the self cost of the branch\u2019s function that came through these callers (${metric.name})`],
        cell: (row) => row >= 0 && format.percent(shareOf(nodes, row, costs)),
        tip: (row) => row >= 0 && [partOf(names, nodes, row, costs)],
    };
}

const shareOf = (nodes, row, costs) => (100 * costs[row]) / costs[nodes.root(row)];

export const partOf = (names, nodes, row, costs) => {
    const name = names.function(nodes.functionId[nodes.root(row)]);
    return `${format.percent(shareOf(nodes, row, costs))} of the self cost of ${name}`;
};

/* The row that the address names: a node, or the heaviest of a function; -1: none. */
export function target(app, nodes, costs) {
    const [node, functionId] = [nodes.find(app.params.get('n')), app.params.get('f')];
    return node >= 0 || functionId === null ? node : nodes.best(Number(functionId), costs);
}

/* Which branches are open, and the rows that are seen then. What was opened is remembered between visits, for each
 * order; in another shape of the tree, branches of the same paths are open. */
class Branches {
    constructor(app, nodes, costs, metric) {
        Object.assign(this, {nodes, costs, share: (cost) => app.metrics.share(metric, cost)});
        const key = 'branches ' + Boolean(nodes.inverted);
        const known = app.memory.get(key);
        this.open = known?.nodes === nodes ? known.open : new Set();
        if (known && known.nodes !== nodes) for (const row of known.open) this.openSame(row, known);
        app.memory.set(key, {nodes, open: this.open});
        if (known) this.list();
        else this.reset();
    }

    /* Open what was open in another tree; if it was in sight, so that it is now. */
    openSame(row, {nodes, open}) {
        const at = row < 0 ? -2 - row : row;
        const now = at < 0 ? at : this.nodes.find(nodes.address(at));
        if (at >= 0 && now < 0) return;
        this.open.add(row < 0 ? -2 - now : now);
        if (nodes.chain(at).every((one) => open.has(one)))
            for (const above of this.nodes.chain(now)) this.open.add(above);
    }

    /* Open what costs most, the heaviest first. */
    reset() {
        this.open.clear();
        const queue = [...this.nodes.roots()];
        while (queue.length && this.open.size < OPEN_MOST) {
            const [row] = queue.splice(queue.indexOf(this.nodes.sorted(queue, this.costs)[0]), 1);
            if (Math.abs(this.share(this.costs[row])) < OPEN_FROM) break;
            if (!this.nodes.hasChildren(row)) continue;
            this.open.add(row);
            queue.push(...this.nodes.children(row));
        }
        this.list();
    }

    /* Rows in sight. A negative one, -2 - r, stands for the small children of r, -1 for small roots. */
    list() {
        this.rows = [];
        const walk = this.below(-1).reverse();
        while (walk.length) {
            const row = walk.pop();
            this.rows.push(row);
            if (this.open.has(row)) walk.push(...this.below(row).reverse());
        }
    }

    below(row) {
        const children = this.nodes.sorted(this.nodes.children(row), this.costs);
        const large = children.findIndex((child) => !(Math.abs(this.share(this.costs[child])) >= SMALL));
        if (large < 0 || children.length - large < 3 || this.open.has(-2 - row)) return children;
        return [...children.slice(0, large), -2 - row];
    }

    /* How many a negative row stands for. */
    hidden(row) {
        const children = this.nodes.children(-2 - row);
        return children.length - this.below(-2 - row).length + 1;
    }

    toggle(row) {
        if (row >= 0 && !this.nodes.hasChildren(row)) return;
        if (!this.open.delete(row)) this.open.add(row);
        this.list();
    }

    closeAll() {
        this.open.clear();
        this.list();
    }

    reveal(row) {
        const chain = this.nodes.chain(row);
        for (const above of chain.slice(0, -1)) this.open.add(above);
        chain.forEach(
            (at, i) =>
                !this.below(i ? chain[i - 1] : -1).includes(at) && this.open.add(-2 - (i ? chain[i - 1] : -1)),
        );
        this.list();
    }

    /* Arrow right: open, or to the first below; the number of the row that is current then. */
    into(row) {
        const i = this.rows.indexOf(row);
        if (row >= 0 && !this.nodes.hasChildren(row)) return i;
        if (this.open.has(row)) return i + 1;
        this.toggle(row);
        return i;
    }

    /* Arrow left: close, or to the one above. */
    outOf(row) {
        const i = this.rows.indexOf(row);
        if (this.open.has(row)) {
            this.toggle(row);
            return i;
        }
        if (row < 0) return Math.max(0, this.rows.indexOf(-2 - row));
        return this.nodes.parent[row] < 0 ? i : this.rows.indexOf(this.nodes.parent[row]);
    }
}

const DEEPEST = 60; // levels that are still moved to the right

const indent = (depth) => h('span.indent', {style: {width: 1.1 * Math.min(depth, DEEPEST) + 'em'}});

function nameCell(app, nodes, names, branches, row, toggle) {
    if (row < 0) { // one for several: click, and they are there
        const depth = row === -1 ? 0 : nodes.depth[-2 - row] + 1;
        const words = `${format.count(branches.hidden(row))} more below ${SMALL}\u2009% each`;
        return [indent(depth), h('span.twist'), h('i.dim', words)];
    }
    const open = branches.open.has(row);
    const twist = {
        tabindex: -1,
        'aria-expanded': String(open),
        'aria-label': open ? 'close' : 'open',
        onclick: () => toggle(row),
    };
    return [
        indent(nodes.depth[row]),
        nodes.hasChildren(row) ? h('button.twist', twist, open ? '\u25be' : '\u25b8') : h('span.twist'),
        app.linkTo(names.ref(nodes.functionId[row])),
        nodes.remark(row).map(markOf),
    ];
}
