// SPDX-License-Identifier: GPL-2.0-or-later
//
// treemap.js: object files, source files and functions as areas: as large as their self cost, the warmer the less of
// what they loaded they touched; of a difference with both sides, as large as one of them, and red or green where they
// grew or fell. A click on a heading zooms, a click on a function leads to it.

import {hierarchy, treemap, treemapSquarify} from 'd3-hierarchy';
import {append, h, replaceContent, topBar} from '../dom.js';
import * as format from '../format.js';
import {UNKNOWN} from '../names.js';
import {startupOf} from '../startup.js';
import {Window} from '../timeline.js';
import {sideChooser, sideOf} from './flame.js';

const SMALLEST = 16; // pixels squared; what is smaller is part of "others"
const HEADING = 17;

export const areas = {
    id: 'treemap',
    title: 'Treemap',
    about: 'Object files, source files and functions as areas of their self cost',

    async render(app, place) {
        const map = await Treemap.load(app);
        map.box = h('div.areas', {
            class: map.change && 'change',
            tabindex: 0,
            role: 'group',
            'aria-label': 'Treemap',
            onclick: (event) => map.click(event),
            onkeydown: (event) => event.key === 'Escape' && map.up(),
        });
        const bar = topBar('Treemap', sideChooser(app), h('span.dim', map.legend()), map.crumbs());
        append(place, bar, map.startup.said, map.box);
        new ResizeObserver(() => map.draw()).observe(map.box);
    },

    shown(app, place) {
        place.querySelector('.areas').focus({preventScroll: true});
    },
};

class Treemap {
    static async load(app) {
        const {metrics, tables} = app;
        const map = Object.assign(new Treemap(), {app});
        const name = app.metric.ratio ? metrics.first().replace('_incl', '') : app.metric.name;
        map.side = sideOf(app);
        map.metric = metrics.at({name}, map.side);
        map.ratio = !metrics.sides && (metrics.find('spatialD1') || metrics.find('spatialL'));
        const margin = (metric) => metric && metrics.margin(tables.functions, metric);
        [map.names, map.costs, map.used, map.ids, map.change, map.off, map.usedOff, map.startup] = await Promise.all([
            app.names(),
            metrics.values(tables.functions, map.metric),
            map.ratio && metrics.values(tables.functions, map.ratio),
            tables.functions.numbers('id'),
            map.side && metrics.values(tables.functions, metrics.at({name})),
            margin(map.metric),
            margin(map.ratio),
            startupOf(app),
        ]);
        const part = Window.of(app);
        if (part) await map.narrow(part);
        map.most = (map.change || []).reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
        map.root = map.grow();
        const key = app.params.get('z');
        map.zoomed = (key && find(map.root, key)) || map.root;
        return map;
    }

    /* To what functions cost in a part of the run, of which no margins are known. */
    async narrow(part) {
        const {costs} = await part.functions([this.metric, this.ratio].filter(Boolean));
        const of = (metric) => this.costs.map((_, row) => costs.get(metric.key)?.(this.names.idOf(row)) ?? NaN);
        [this.costs, this.used] = [of(this.metric), this.ratio && of(this.ratio)];
        this.off = this.usedOff = null;
    }

    legend() {
        const large = `as large as ${format.inSentence(this.app.metrics.title(this.metric))}`;
        if (this.change) return large + ', red where it grew, green where it fell';
        return large + (this.ratio ? `, warm where little of what was loaded was touched (${this.ratio.name})` : '');
    }

    /* Object -> file -> function, of functions with costs. */
    grow() {
        const {names, costs, startup} = this;
        const root = {key: '', name: 'all', children: []};
        const branches = new Map([['', root]]);
        const branch = (parent, key, name) => {
            if (!branches.has(key)) {
                branches.set(key, {key, name, children: [], parent});
                parent.children.push(branches.get(key));
            }
            return branches.get(key);
        };
        for (let row = 0; row < costs.length; row++) {
            if (!(Math.abs(costs[row]) > 0) || startup.ids.has(names.idOf(row))) continue;
            const [object, file] = [names.objectOf(row), names.fileOf(row)];
            const known = object === object;
            const o = branch(root, 'o' + (known ? object : ''), known ? names.object(object) : UNKNOWN);
            const f = file === file ? branch(o, o.key + 'f' + file, names.file(file)) : o;
            f.children.push({key: 'r' + row, row, name: names.functionAt(row), weight: Math.abs(costs[row])});
        }
        return root;
    }

    crumbs() {
        const chain = [];
        for (let at = this.zoomed; at && at !== this.root; at = at.parent) chain.unshift(at);
        if (!chain.length) return null;
        return h(
            'span.crumbs',
            this.app.link('treemap', '', {}, 'all'),
            chain.map((at) => [' \u203a ', this.app.link('treemap', '', {z: at.key}, format.fileName(at.name))]),
        );
    }

    up() {
        if (this.zoomed !== this.root) this.app.change({z: this.zoomed.parent.key || null});
    }

    /* ---------------------------------------------------------------------------------- boxes */

    draw() {
        const [width, height] = [this.box.clientWidth, this.box.clientHeight];
        if (!width || !height) return;
        const sum = hierarchy(this.zoomed).sum((node) => node.weight || 0).value;
        const tree = hierarchy(this.fold(this.zoomed, (sum * SMALLEST) / (width * height)))
            .sum((node) => node.weight || 0)
            .sort((a, b) => b.value - a.value);
        treemap()
            .tile(treemapSquarify.ratio(1.4))
            .size([width, height])
            .paddingInner(1)
            .paddingTop(HEADING)
            .round(true)(tree);
        const areas = tree.descendants().map((node) => this.area(node));
        replaceContent(this.box, areas, !sum && h('p.dim', 'nothing of this event'));
    }

    /* Leaves that would be too small to see become one. */
    fold(node, least) {
        if (!node.children) return node;
        const small = node.children.filter((child) => child.weight < least);
        const rest = node.children
            .filter((child) => !(child.weight < least))
            .map((child) => this.fold(child, least));
        if (small.length)
            rest.push({
                key: node.key + 'x',
                name: `${format.count(small.length)} small ones`,
                others: true,
                weight: small.reduce((all, child) => all + child.weight, 0),
            });
        return {...node, children: rest};
    }

    area(node) {
        const [wide, high] = [node.x1 - node.x0, node.y1 - node.y0];
        if (wide < 1 || high < 1) return null;
        const {data} = node;
        const leaf = !node.children;
        const cost = leaf && data.row !== undefined ? this.costs[data.row] : node.value;
        const fell = this.change && data.row !== undefined ? this.change[data.row] < 0 : cost < 0;
        const classes = [leaf ? 'leaf' : 'group', data.others && 'others', fell && 'less'];
        const title = !leaf && node.depth ? format.fileName(data.name) : data.name;
        return h(
            'div.area',
            {
                class: classes.filter(Boolean).join(' '),
                'data-key': data.key,
                'data-row': data.row,
                tip: () => this.tip(node, cost),
                style: {
                    left: node.x0 + 'px',
                    top: node.y0 + 'px',
                    width: wide + 'px',
                    height: high + 'px',
                    '--heat': leaf ? this.heat(data.row) : 0,
                },
            },
            wide > 30 && high > 12 && h('span', title),
        );
    }

    /* Of a function: the part of the bytes it loaded that it never touched; or how much it changed. */
    heat(row) {
        if (this.change && row !== undefined)
            return this.most ? Math.sqrt(Math.abs(this.change[row] || 0) / this.most).toFixed(3) : 0;
        const used = row === undefined || !this.used ? NaN : this.used[row];
        return used === used ? (1 - used / 100).toFixed(3) : 0;
    }

    tip(node, cost) {
        const {metrics} = this.app;
        const {data} = node;
        const off = this.off && data.row !== undefined ? this.off([data.row]) : NaN;
        const lines = metrics.explain(this.metric, cost, data.name, off);
        if (data.row === undefined) return lines;
        const used = this.ratio && (metrics.show(this.ratio, this.used[data.row]) || '\u2013');
        const usedOff = this.usedOff ? metrics.off(this.ratio, this.used[data.row], this.usedOff([data.row])) : '';
        return [
            ...lines,
            this.change && `change: ${metrics.worth(metrics.at(this.metric), this.change[data.row])}`,
            this.ratio && `${this.ratio.title}: ${used}\u2009%${usedOff && ' ' + usedOff} (${this.ratio.name})`,
            ...this.names.whereIs(data.row),
        ];
    }

    click(event) {
        const box = event.target.closest('.area');
        if (!box) return;
        if (box.dataset.row !== undefined) this.app.go('function', this.ids[box.dataset.row]);
        else if (box.classList.contains('group') && box.dataset.key !== this.zoomed.key)
            this.app.change({z: box.dataset.key});
        else if (box.dataset.key === this.zoomed.key) this.up();
    }
}

function find(node, key) {
    if (node.key === key && node.children) return node;
    for (const child of node.children || []) {
        const found = find(child, key);
        if (found) return found;
    }
    return null;
}
