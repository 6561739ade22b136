// SPDX-License-Identifier: GPL-2.0-or-later
//
// interdependence.js: who throws out what others need again: a drawing of the arcs (ribbons.js) and a table of them, of
// data structures or statements, in one cache. The address says which: `k` is the cache, `by` the kind, `q` the filter.

import {h} from '../dom.js';
import * as format from '../format.js';
import {aboutArc, cacheWords, hasPairs, KINDS, Pairs} from '../pairs.js';
import {Ribbons} from '../ribbons.js';

export const interdependence = {
    id: 'interdependence',
    title: 'Interdependence',
    about: 'Who throws out lines that others load again',
    has: hasPairs,

    async render(app, place) {
        const pairs = await Pairs.load(app);
        const [kind, cache] = [kindOf(app, pairs), cacheOf(app, pairs)];
        if (!cache) {
            place.append(h('p', {class: 'warning'}, noRoom(pairs)));
            return;
        }
        const view = new View(app, pairs, kind, cache);
        place.append(view.top(), h('div', {class: 'with-ribbons'}, view.ribbons.element, view.table.element));
    },
};

const kindOf = (app, pairs) => {
    const asked = app.params.get('by');
    return Object.hasOwn(KINDS, asked) ? asked : pairs.knowsData() ? 'data' : 'statements';
};

const cacheOf = (app, pairs) => pairs.caches().find((cache) => cache === app.params.get('k')) || pairs.caches()[0];

const noRoom = (pairs) =>
    pairs.sums.has(null) &&
    `The recording had no room for who loaded ${format.count(pairs.sums.get(null).misses)} more lines again.`;

class View {
    constructor(app, pairs, kind, cache) {
        Object.assign(this, {app, pairs, kind, cache, roles: KINDS[kind].roles});
        this.arcs = pairs.of(kind, cache);
        this.total = pairs.sums.get(cache).misses;
        this.ribbons = new Ribbons({
            app,
            roles: this.roles,
            about: (ribbon) => this.aboutRibbon(ribbon),
            aboutNode: (node, role) => this.aboutNode(node, role),
            label: 'Who throws out lines that others load again',
        });
        const items = this.matching(app.params.get('q') || '');
        this.table = this.makeTable(items);
        this.ribbons.show(items.map((i) => this.arcs[i]));
    }

    share(misses) {
        return `${format.percent((100 * misses) / this.total)} of ${format.count(this.total)}`;
    }

    /* Arcs with these words in the name of an end, or of its file or function. */
    matching(words) {
        const wanted = words.toLowerCase();
        const has = (text) => Boolean(text) && text.toLowerCase().includes(wanted);
        return [...this.arcs.keys()].filter(
            (i) => !wanted || this.arcs[i].ends.some((end) => has(end.name) || end.about.some(has)),
        );
    }

    /* ---------------------------------------------------------------------------------- above */

    top() {
        const {app} = this;
        const filter = h('input', {
            type: 'search',
            placeholder: 'Filter by name',
            size: 20,
            'aria-label': 'Filter by name',
            spellcheck: 'false',
            value: app.params.get('q') || '',
            oninput: () => {
                app.change({q: filter.value || null}, true);
                const items = this.matching(filter.value);
                this.table.rearrange(items);
                this.ribbons.show(items.map((i) => this.arcs[i]));
                said.textContent = this.said();
            },
        });
        const said = h('span', {class: 'dim said-arcs'}, this.said());
        const kinds = this.pairs.knowsData() ? Object.keys(KINDS) : ['statements'];
        return h(
            'div',
            {class: 'bar-top'},
            h('h1', null, 'Interdependence'),
            this.choice('k', this.pairs.caches(), this.cache, cacheWords, (cache) => `misses in ${cacheWords(cache)}`),
            this.choice('by', kinds, this.kind, (kind) => KINDS[kind].label, (kind) => `by ${KINDS[kind].label}`),
            filter,
            said,
        );
    }

    choice(key, values, chosen, words, tip) {
        return h(
            'span',
            {class: 'kinds'},
            values.map((value) =>
                h(
                    'button',
                    {
                        type: 'button',
                        'data-choice': value,
                        'aria-pressed': String(value === chosen),
                        tip: () => [tip(value)],
                        onclick: () => this.app.change({[key]: value}),
                    },
                    words(value),
                ),
            ),
        );
    }

    said() {
        const left = this.pairs.sums.get(this.cache)[this.kind] - this.arcs.length;
        const rest = this.total - this.arcs.reduce((all, arc) => all + arc.misses, 0);
        return [
            `${format.count(this.table.count)} of ${format.count(this.arcs.length)} arcs in ${cacheWords(this.cache)}`,
            left > 0 && `${format.count(left)} lighter ones, ${this.share(rest)} misses, are not in this page`,
            'warm: thrown out by another',
            noRoom(this.pairs),
        ]
            .filter(Boolean)
            .join('; ');
    }

    /* ---------------------------------------------------------------------------------- what things are */

    aboutRibbon(ribbon) {
        if (ribbon.arcs.length === 1) return aboutArc(ribbon.arcs[0], this.kind, this.total);
        return [
            `${format.count(ribbon.misses)} lines were loaded again in ${cacheWords(this.cache)}`,
            `${this.share(ribbon.misses)} there, in ${format.count(ribbon.arcs.length)} arcs`,
            ...this.roles.map(([, label], i) => `${label}: ${ribbon.nodes[i].end.name}`),
        ];
    }

    aboutNode({end, misses}, role) {
        return [
            ...end.about,
            `${this.roles[role][2]}: ${format.count(misses)} misses in ${cacheWords(this.cache)}, ` +
                `${this.share(misses)} there`,
        ];
    }

    /* ---------------------------------------------------------------------------------- table */

    makeTable(items) {
        const {app, arcs, roles} = this;
        const nameOf = (role) => (i) => arcs[i].ends[role].name;
        const go = (end) => end.go && app.go(...end.go);
        const values = new Map([
            ['misses', arcs.map((arc) => arc.misses)],
            ['mean', arcs.map((arc) => arc.mean)],
        ]);
        return app.sortedTable({
            items,
            columns: {
                values,
                make: (rowOf) => [
                    ...this.numberColumns((i) => arcs[rowOf(i)]),
                    ...roles.map((_, role) => this.endColumn(role, (i) => arcs[rowOf(i)])),
                ],
            },
            by: 'misses',
            texts: Object.fromEntries(roles.map(([key], role) => [key, nameOf(role)])),
            label: 'Arcs',
            open: (i) => go(arcs[i].ends[roles.length - 1]),
        });
    }

    numberColumns(arcAt) {
        const tip = (i) => aboutArc(arcAt(i), this.kind, this.total);
        return [
            {
                key: 'misses',
                label: 'loaded again',
                sub: 'misses',
                width: '18ch',
                class: 'num',
                sortable: true,
                title: [`misses in ${cacheWords(this.cache)} of lines that had been there, and were thrown out`],
                share: (i) => arcAt(i).misses / this.total,
                tip,
                cell: (i) => [
                    h('span', {class: 'v'}, format.count(arcAt(i).misses)),
                    h('span', {class: 'pct'}, format.percent((100 * arcAt(i).misses) / this.total)),
                ],
            },
            {
                key: 'mean',
                label: 'after',
                sub: 'accesses',
                width: '11ch',
                class: 'num',
                sortable: true,
                title: ['mean reuse distance: accesses between the last use of the line and the miss'],
                tip,
                cell: (i) => (arcAt(i).mean === arcAt(i).mean ? format.count(Math.round(arcAt(i).mean)) : ''),
            },
        ];
    }

    endColumn(role, arcAt) {
        const [key, label, about] = this.roles[role];
        return {
            key,
            label,
            width: this.roles.length > 2 ? '19ch' : '26ch',
            grow: role === this.roles.length - 1,
            align: 'left',
            class: 'name',
            sortable: true,
            title: [`who ${about}`],
            tip: (i) => arcAt(i).ends[role].about,
            cell: (i) => {
                const {go, name} = arcAt(i).ends[role];
                return go ? this.app.link(...go, name) : h('span', {class: 'dim'}, name);
            },
        };
    }
}
