// SPDX-License-Identifier: GPL-2.0-or-later
//
// flame.js: the call tree as a flame graph, from the program's start down or from the bottom up: as wide as its
// inclusive cost, the warmer the more of it is self cost. What would be less than a pixel is left out.
//
// A click zooms into a call path; what is above it stays on top and leads back. Where costs are less than nothing
// (differences), a box is as wide as its size, has a colour of its own, and boxes that would not fit below their caller
// are made narrower together. With both sides of a difference, boxes are as wide as one of the sides or as the change,
// and their colour is what grew and what fell.

import {append, h, replaceContent, topBar} from '../dom.js';
import * as format from '../format.js';
import {CallTree, markingOf, shownOf} from '../calltree.js';
import {SIDES} from '../metrics.js';
import {shaping} from '../shaping.js';
import {startupOf} from '../startup.js';
import {noTree, partOf} from './tree.js';

const ROW = 19; // pixels
const NARROWEST = 1.2;
const NAMED = 24; // pixels from which a box has room for a name
const MOST = 6000; // boxes

export const flame = {
    id: 'flame',
    title: 'Flame graph',
    about: 'All call paths at once, as wide as what they cost',

    async render(app, place) {
        if (noTree(app, place)) return;
        const graph = await FlameGraph.load(app);
        const box = h('div.flames', {
            class: graph.change && 'change',
            tabindex: 0,
            role: 'tree',
            'aria-label': 'Flame graph',
            onkeydown: (event) => graph.key(event),
            onclick: (event) => graph.click(event),
        });
        graph.box = box;
        const shape = shaping(app, graph.names, graph.nodes, place, () => graph.current);
        const legend = h('span.dim', graph.legend());
        const bar = topBar('Flame graph', shape, sideChooser(app), graph.marking.filter, graph.said, legend);
        append(place, bar, (await startupOf(app)).said, box);
        new ResizeObserver(() => graph.draw()).observe(box);
    },

    shown(app, place) {
        const box = place.querySelector('.flames');
        if (box) box.focus({preventScroll: true});
    },
};

class FlameGraph {
    static async load(app) {
        const {metrics} = app;
        const chosen = app.metric.ratio ? metrics.find(metrics.first()) : app.metric;
        const graph = Object.assign(new FlameGraph(), {app});
        graph.side = sideOf(app);
        [graph.nodes, graph.names] = await Promise.all([CallTree.load(app), app.names()]);
        const {nodes} = graph;
        graph.shown = shownOf(app, nodes, {name: chosen.name, side: graph.side});
        graph.self = metrics.at({name: chosen.name}, graph.side);
        [graph.costs, graph.own, graph.change] = await Promise.all([
            nodes.costs(app, graph.shown),
            nodes.costs(app, graph.self),
            graph.side && nodes.costs(app, shownOf(app, nodes, {name: chosen.name})),
        ]);
        graph.zoom = nodes.find(app.params.get('n'));
        graph.marked = app.params.has('f') ? Number(app.params.get('f')) : null;
        graph.current = graph.zoom;
        graph.marking = await markingOf(app, graph.nodes, graph.shown, () => graph.mark());
        graph.warm = graph.change || graph.own;
        graph.hottest = graph.warm.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
        graph.said = h('span.said', graph.marked === null ? '' : 'marked: ' + graph.names.function(graph.marked));
        return graph;
    }

    legend() {
        const wide = `as wide as ${format.inSentence(this.app.metrics.title(this.shown))}`;
        if (this.change) return wide + ', red where it grew, green where it fell';
        return wide + (this.nodes.inverted ? ', the warmer the more' : ', warm where it is self cost');
    }

    weight(row) {
        return Math.abs(this.costs[row] || 0);
    }

    /* ---------------------------------------------------------------------------------- boxes */

    draw() {
        const width = this.box.clientWidth;
        if (!width) return;
        this.drawn = new Map();
        const above = this.zoom < 0 ? [] : this.nodes.chain(this.zoom);
        above.forEach((row, depth) => this.put(row, 0, width, depth, row !== this.zoom));
        const roots = this.zoom < 0 ? [...this.nodes.roots()] : [...this.nodes.children(this.zoom)];
        const all = this.zoom < 0 ? roots.reduce((sum, row) => sum + this.weight(row), 0) : this.weight(this.zoom);
        let deepest = above.length;
        const queue = [{rows: roots, x: 0, width, cost: all, depth: above.length}];
        for (let next = 0; next < queue.length && this.drawn.size < MOST; next++) {
            const part = queue[next];
            deepest = Math.max(deepest, part.depth + 1);
            queue.push(...this.putBelow(part));
        }
        const floor = {style: {height: deepest * ROW + 'px'}};
        replaceContent(this.box, [...this.drawn.values()], h('div.floor', floor, all ? '' : 'nothing of this event'));
        this.mark();
    }

    /* Children side by side, the heaviest first; what is to be drawn below them. */
    putBelow({rows, x, width, cost, depth}) {
        const sum = rows.reduce((all, row) => all + this.weight(row), 0);
        const scale = width / Math.max(cost, sum, Number.MIN_VALUE);
        const below = [];
        let at = x;
        for (const row of this.nodes.sorted(rows, this.costs)) {
            const wide = this.weight(row) * scale;
            if (wide < NARROWEST) break;
            this.put(row, at, wide, depth, false);
            const children = [...this.nodes.children(row)];
            if (children.length)
                below.push({rows: children, x: at, width: wide, cost: this.weight(row), depth: depth + 1});
            at += wide;
        }
        return below;
    }

    put(row, x, width, depth, above) {
        const name = this.names.function(this.nodes.functionId[row]);
        /* A hue for each object file, all of them cool: warm is for heat. */
        const object = this.names.objectOf(this.names.functionRow(this.nodes.functionId[row]));
        const heat = this.hottest ? Math.min(1, Math.sqrt(Math.abs(this.warm[row] || 0) / this.hottest)) : 0;
        const kinds = [above && 'above', (this.change || this.costs)[row] < 0 && 'less', width > NAMED && 'named']
            .filter(Boolean)
            .join(' ');
        const value = this.app.metrics.show(this.shown, this.costs[row]);
        this.drawn.set(
            row,
            h(
                'div.path',
                {
                    class: kinds,
                    role: 'treeitem',
                    'data-row': row,
                    'aria-label': `${name}, ${value}`,
                    'aria-level': depth + 1,
                    tip: () => this.tip(row),
                    style: {
                        left: x.toFixed(2) + 'px',
                        width: Math.max(width - 0.6, 0.6).toFixed(2) + 'px',
                        top: depth * ROW + 'px',
                        '--heat': heat.toFixed(3),
                        '--hue': object === object && object !== undefined ? 175 + ((object * 61) % 110) : 210,
                    },
                },
                width > NAMED ? name : '',
            ),
        );
    }

    tip(row) {
        const {metrics} = this.app;
        const [name, ...where] = this.names.ref(this.nodes.functionId[row]).about();
        return [
            ...metrics.explain(this.shown, this.costs[row], name),
            this.nodes.inverted
                ? partOf(this.names, this.nodes, row, this.costs)
                : `self: ${metrics.worth(this.self, this.own[row])}`,
            this.change && `change: ${metrics.worth(metrics.at(this.shown), this.change[row])}`,
            `called ${format.times(this.nodes.calls[row])} on this path`,
            ...where,
            ...this.nodes.remark(row),
        ];
    }

    /* The current box, and those of the marked functions. */
    mark() {
        for (const [row, box] of this.drawn) {
            box.classList.toggle('current', row === this.current);
            const isMarked = this.nodes.functionId[row] === this.marked || this.marking.has(row);
            box.classList.toggle('marked', isMarked);
        }
    }

    /* ---------------------------------------------------------------------------------- moving */

    click(event) {
        const box = event.target.closest('.path');
        if (box) this.zoomTo(Number(box.dataset.row));
    }

    zoomTo(row) {
        const to = row === this.zoom ? this.nodes.parent[row] : row;
        this.app.change({n: to < 0 ? null : this.nodes.address(to)});
    }

    select(row) {
        if (row === undefined || !this.drawn.has(row)) return;
        this.current = row;
        this.mark();
        this.drawn.get(row).scrollIntoView({block: 'nearest'});
    }

    key(event) {
        const {nodes, current} = this;
        const below = (row) => nodes.sorted(row < 0 ? nodes.roots() : nodes.children(row), this.costs);
        const beside = (way) => {
            const order = below(nodes.parent[current]);
            this.select(order[order.indexOf(current) + way]);
        };
        const moves = {
            ArrowUp: () => this.select(nodes.parent[current]),
            ArrowDown: () => this.select(below(current)[0]),
            ArrowLeft: () => beside(-1),
            ArrowRight: () => beside(1),
            Enter: () => this.current >= 0 && this.zoomTo(this.current),
            Escape: () => this.zoom >= 0 && this.zoomTo(this.zoom),
        };
        if (!moves[event.key]) return;
        moves[event.key]();
        event.preventDefault();
    }
}

/* Of a difference with both sides: which of them boxes are as large as; undefined: the change. */
export function sideOf(app) {
    if (!app.metrics.sides) return undefined;
    const asked = app.params.get('w') || 'after';
    return SIDES.includes(asked) ? asked : undefined;
}

export function sideChooser(app) {
    const about = (side) => (side === 'change' ? 'as large as the change' : `as large as it was ${side}`);
    return app.metrics.sides && app.choice('w', [...SIDES, 'change'], sideOf(app) || 'change', (side) => side, about);
}
