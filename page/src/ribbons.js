// SPDX-License-Identifier: GPL-2.0-or-later
//
// ribbons.js: a drawing of arcs in columns: who had loaded, who threw out, who loaded again. Those who did most stand
// on top; the last of a column are all others. A ribbon is as thick as the number of its misses, and warm where one
// throws out what is another's. Places follow from the numbers alone, so that equal pages look equal.

import {h, replaceContent, svg} from './dom.js';
import * as format from './format.js';
import {isOwn} from './pairs.js';

const MOST = 16; // ends in a column, beside the others
const SLOT = 18; // pixels: room for a name
const BAR = 9; // pixels wide
const THICK = 200; // pixels at least for all ribbons together
const NAMES = 0.27; // of the width, for names at either side

const sum = (arcs) => arcs.reduce((all, arc) => all + arc.misses, 0);

/* The ends of arcs in one column: [{end, arcs, misses}], the heaviest first. */
function columnOf(arcs, role) {
    const found = new Map();
    for (const arc of arcs) {
        const end = arc.ends[role];
        if (!found.has(end.key)) found.set(end.key, {end, arcs: []});
        found.get(end.key).arcs.push(arc);
    }
    const all = [...found.values()].map((one) => ({...one, misses: sum(one.arcs)}));
    all.sort((a, b) => b.misses - a.misses); // equal ones stay in the order of the arcs
    if (all.length <= MOST + 1) return all;
    const rest = all.slice(MOST);
    const name = `${format.count(rest.length)} others`;
    const end = {key: 'others', name, about: () => [name], go: null};
    const others = rest.flatMap((one) => one.arcs);
    return [...all.slice(0, MOST), {end, arcs: others, misses: sum(others)}];
}

/* Arcs between the same nodes as one: [{nodes, arcs, misses}], in the order of the nodes. */
function ribbonsOf(arcs, columns) {
    const nodeOf = columns.map((nodes) => new Map(nodes.flatMap((node) => node.arcs.map((arc) => [arc, node]))));
    const place = columns.map((nodes) => new Map(nodes.map((node, i) => [node, i])));
    const found = new Map();
    for (const arc of arcs) {
        const nodes = nodeOf.map((of) => of.get(arc));
        const key = nodes.map((node, i) => place[i].get(node)).join();
        if (!found.has(key)) found.set(key, {nodes, arcs: []});
        found.get(key).arcs.push(arc);
    }
    const rank = (ribbon) => ribbon.nodes.map((node, i) => place[i].get(node));
    return [...found.values()]
        .map((ribbon) => ({...ribbon, misses: sum(ribbon.arcs), rank: rank(ribbon)}))
        .sort((a, b) => a.rank.reduce((order, value, i) => order || value - b.rank[i], 0));
}

export class Ribbons {
    /* `about(ribbon)`, `aboutNode(node, role)`: lines of tooltips. */
    constructor({app, roles, about, aboutNode, label}) {
        Object.assign(this, {app, roles, about, aboutNode, arcs: []});
        this.element = h('div.ribbons', {role: 'group', 'aria-label': label});
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    show(arcs) {
        this.arcs = arcs.filter((arc) => arc.misses > 0);
        this.draw();
    }

    draw() {
        const {clientWidth: width, clientHeight: height} = this.element;
        if (!width) return;
        const columns = this.roles.map((_, role) => columnOf(this.arcs, role));
        const ribbons = ribbonsOf(this.arcs, columns);
        const most = Math.max(...columns.map((nodes) => nodes.length)) * SLOT;
        const high = Math.max(height - 2 * SLOT, most + THICK);
        this.layOut(columns, ribbons, width, (high - most) / Math.max(sum(this.arcs), 1));
        this.paths = ribbons.map((ribbon) => [ribbon, this.path(ribbon)]);
        replaceContent(
            this.element,
            h(
                'div.canvas',
                {style: {height: high + SLOT + 'px'}},
                svg('svg', {width, height: high + SLOT, 'aria-hidden': 'true'}, this.paths.map(([, path]) => path)),
                this.roles.map(([, label], role) =>
                    h('span.role', {class: this.side(role), style: this.across(role)}, label),
                ),
                columns.flatMap((nodes, role) => nodes.map((node) => this.node(node, role))),
                !this.arcs.length && h('p.dim', 'nothing of this name'),
            ),
        );
    }

    /* Places of columns, nodes, and of ribbons in each column, in pixels; `scale`: of a miss. */
    layOut(columns, ribbons, width, scale) {
        const side = Math.round(width * NAMES);
        const step = (width - 2 * side - BAR) / (columns.length - 1);
        this.width = width;
        this.x = columns.map((_, role) => Math.round(side + role * step));
        columns.forEach((nodes, role) => {
            let y = SLOT;
            for (const node of nodes) {
                Object.assign(node, {y, used: 0, thick: node.misses * scale});
                y += SLOT + node.thick;
            }
            for (const ribbon of ribbons) {
                const node = ribbon.nodes[role];
                ribbon.y = [...(ribbon.y || []), node.y + node.used];
                node.used += ribbon.misses * scale;
            }
        });
        for (const ribbon of ribbons) ribbon.thick = ribbon.misses * scale;
    }

    path(ribbon) {
        const {y, thick, nodes} = ribbon;
        const band = (from, to) => {
            const [a, b] = [this.x[from] + BAR, this.x[to]];
            const half = (a + b) / 2;
            const n = (value) => value.toFixed(1);
            return (
                `M${a} ${n(y[from])}C${half} ${n(y[from])} ${half} ${n(y[to])} ${b} ${n(y[to])}` +
                `v${n(Math.max(thick, 0.5))}` +
                `C${half} ${n(y[to] + thick)} ${half} ${n(y[from] + thick)} ${a} ${n(y[from] + thick)}Z`
            );
        };
        return svg('path', {
            class: ribbon.arcs.every(isOwn) ? 'ribbon own' : 'ribbon',
            d: nodes.slice(1).map((_, i) => band(i, i + 1)).join(''),
            'data-misses': ribbon.misses,
            tip: () => this.about(ribbon),
        });
    }

    side(role) {
        return role === 0 ? 'first' : role === this.roles.length - 1 ? 'last' : 'middle';
    }

    /* The names of the first column are left of their bars, those of the others right. */
    across(role) {
        return role === 0
            ? {right: this.width - this.x[0] - BAR + 'px', 'max-width': this.x[0] + BAR - 6 + 'px'}
            : {left: this.x[role] + 'px', 'max-width': (this.x[role + 1] || this.width) - this.x[role] - 4 + 'px'};
    }

    node(node, role) {
        const {end, y, thick, misses} = node;
        const light = (on) => () =>
            this.paths.forEach(([ribbon, path]) => path.classList.toggle('lit', on && ribbon.nodes[role] === node));
        return h(
            end.go ? 'a.end' : 'span.end',
            {
                class: this.side(role),
                href: end.go && this.app.address(...end.go),
                'data-role': this.roles[role][0],
                'data-misses': misses,
                'aria-label': `${end.name}, ${this.roles[role][1]}: ${format.count(misses)}`,
                tip: () => this.aboutNode(node, role),
                onpointerenter: light(true),
                onpointerleave: light(false),
                onfocus: light(true),
                onblur: light(false),
                style: {...this.across(role), top: y + 'px', height: Math.max(SLOT, thick) + 'px'},
            },
            h('span.stick', {style: {height: Math.max(thick, 1) + 'px'}}),
            h('span.what', end.name),
        );
    }
}
