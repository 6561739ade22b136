// SPDX-License-Identifier: GPL-2.0-or-later
//
// interdependence.js: who throws out what others need again: a drawing of the arcs (ribbons.js) and a table of them, of
// data structures or statements, in one cache. The address says which: `k` is the cache, `by` the kind, `q` the filter,
// `n` an end of which there are only its own arcs, `m` how many arcs at most, and of a difference `w` the side.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {aboutArc, cacheWords, hasPairs, KINDS, Pairs} from '../pairs.js';
import {SIDES} from '../metrics.js';
import {Ribbons} from '../ribbons.js';

const STEPS = [200, 1000]; // arcs that are shown at most
const ALL = 'all';

export const interdependence = {
    id: 'interdependence',
    title: 'Interdependence',
    about: 'Who throws out lines that others load again',
    has: hasPairs,

    async render(app, place) {
        const asked = app.params.get('w');
        const side = app.metrics.sides && (SIDES.includes(asked) ? asked : SIDES[1]);
        const pairs = await Pairs.load(app, side);
        const [kind, cache] = [kindOf(app, pairs), cacheOf(app, pairs)];
        if (!cache) {
            append(
                place,
                topBar('Interdependence', side && sideChoice(app, side)),
                h('p', {class: 'warning'}, noRoom(pairs) || 'Here no line was loaded again.'),
            );
            return;
        }
        const view = new View(app, pairs, kind, cache);
        append(place, view.top(), h('div', {class: 'with-ribbons'}, view.ribbons.element, view.table.element));
    },
};

const kindOf = (app, pairs) => {
    const asked = app.params.get('by');
    return Object.hasOwn(KINDS, asked) ? asked : pairs.knowsData() ? 'data' : 'statements';
};

const cacheOf = (app, pairs) => pairs.caches().find((cache) => cache === app.params.get('k')) || pairs.caches()[0];

/* Buttons, one of which is pressed: {key: of the address, values, chosen, words(value), tip(value)}. */
function choice(app, {key, values, chosen, words, tip}) {
    const button = (value) =>
        h(
            'button',
            {
                type: 'button',
                'data-choice': value,
                'aria-pressed': String(value === chosen),
                tip: () => [tip(value)],
                onclick: () => app.change({[key]: value}),
            },
            words(value),
        );
    return h('span', {class: 'kinds'}, values.map(button));
}

const sideChoice = (app, side) =>
    choice(app, {key: 'w', values: SIDES, chosen: side, words: (one) => one, tip: (one) => `what was ${one}`});

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
        this.choose(app.params.get('q') || '');
        this.table = this.makeTable(this.items);
        this.ribbons.show(this.items.map((i) => this.arcs[i]));
    }

    /* The arcs that are shown: the heaviest of those that match. */
    choose(words) {
        this.found = this.matching(words);
        this.items = this.found.slice(0, this.most());
    }

    most() {
        const asked = this.app.params.get('m');
        return asked === ALL ? Infinity : Number(asked) > 0 ? Number(asked) : STEPS[0];
    }

    share(misses) {
        return `${format.percent((100 * misses) / this.total)} of ${format.count(this.total)}`;
    }

    /* Arcs with these words in the name of an end, or of its file or function; those of one end, if one was chosen. */
    matching(words) {
        const wanted = words.toLowerCase();
        const only = this.app.params.get('n');
        const has = (text) => Boolean(text) && text.toLowerCase().includes(wanted);
        return [...this.arcs.keys()].filter(
            (i) =>
                (!only || this.arcs[i].ends.some((end) => end.key === only)) &&
                (!wanted || this.arcs[i].ends.some((end) => has(end.name) || end.about.some(has))),
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
                this.choose(filter.value);
                this.table.rearrange([...this.items]);
                this.ribbons.show(this.items.map((i) => this.arcs[i]));
                said.textContent = this.said();
            },
        });
        const said = h('span', {class: 'dim said-arcs'}, this.said());
        const kinds = this.pairs.knowsData() ? Object.keys(KINDS) : ['statements'];
        return topBar(
            'Interdependence',
            this.choice('k', this.pairs.caches(), this.cache, cacheWords, (cache) => `misses in ${cacheWords(cache)}`),
            this.choice('by', kinds, this.kind, (kind) => KINDS[kind].label, (kind) => `by ${KINDS[kind].label}`),
            this.pairs.side && sideChoice(app, this.pairs.side),
            this.mostChoice(),
            filter,
            this.onlyChip(),
            said,
        );
    }

    choice(key, values, chosen, words, tip) {
        return choice(this.app, {key, values, chosen, words, tip});
    }

    mostChoice() {
        const steps = STEPS.filter((step) => step < this.arcs.length).map(String);
        if (!steps.length) return '';
        const chosen = this.most() === Infinity ? ALL : String(this.most());
        return this.choice('m', [...steps, ALL], chosen, (step) => step, (step) => `${step} of the heaviest arcs`);
    }

    /* The end that was chosen; pressed, all are back. */
    onlyChip() {
        const {app} = this;
        const only = app.params.get('n');
        if (!only) return '';
        const end = this.arcs.flatMap((arc) => arc.ends).find(({key}) => key === only);
        return h(
            'button',
            {type: 'button', class: 'only-chip', tip: () => ['all arcs again'], onclick: () => app.change({n: null})},
            `only ${end ? end.name : '???'} \u00d7`,
        );
    }

    /* Nothing is left out without a word. */
    said() {
        const all = this.pairs.sums.get(this.cache)[this.kind];
        const left = all - this.arcs.length;
        const sum = (arcs) => arcs.reduce((misses, arc) => misses + arc.misses, 0);
        const shown = this.items.map((i) => this.arcs[i]);
        return [
            `${format.count(shown.length)} of ${format.count(all)} arcs shown, ${this.share(sum(shown))} misses in ` +
                cacheWords(this.cache),
            this.found.length > shown.length && `${format.count(this.found.length - shown.length)} more match`,
            left > 0 &&
                `${format.count(left)} lighter ones, ${this.share(this.total - sum(this.arcs))} misses, ` +
                    'are not in this page' + (this.pairs.side ? ', or not of this side' : ''),
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
        const {app, arcs, roles, cache, kind, total} = this;
        const other = this.pairs.side && SIDES.find((side) => side !== this.pairs.side);
        const go = (end) => end.go && app.go(...end.go);
        const tip = (i) => aboutArc(arcs[i], kind, total);
        const columns = [
            {
                key: 'misses',
                label: 'loaded again',
                sub: 'misses',
                width: '18ch',
                title: [`misses in ${cacheWords(cache)} of lines that had been there, and were thrown out`],
                value: (i) => arcs[i].misses,
                share: (i) => arcs[i].misses / total,
                tip,
                cell: (i) => [
                    h('span', {class: 'v'}, format.count(arcs[i].misses)),
                    h('span', {class: 'pct'}, format.percent((100 * arcs[i].misses) / total)),
                ],
            },
            {
                key: 'mean',
                label: 'after',
                sub: 'accesses',
                width: '11ch',
                title: ['mean reuse distance: accesses between the last use of the line and the miss'],
                value: (i) => arcs[i].mean,
                tip,
                cell: (i) => (arcs[i].mean === arcs[i].mean ? format.count(Math.round(arcs[i].mean)) : ''),
            },
            other && {
                key: 'other',
                label: other,
                sub: 'misses',
                width: '12ch',
                title: [`the same ${other}`],
                value: (i) => arcs[i].other,
                tip,
                cell: (i) => (arcs[i].other === arcs[i].other ? format.count(arcs[i].other) : ''),
            },
            ...roles.map((_, role) => this.endColumn(role)),
        ];
        return app.sortedTable({
            items,
            columns: columns.filter(Boolean),
            by: 'misses',
            label: 'Arcs',
            open: (i) => go(arcs[i].ends[roles.length - 1]),
        });
    }

    endColumn(role) {
        const [key, label, about] = this.roles[role];
        const end = (i) => this.arcs[i].ends[role];
        return {
            key,
            label,
            width: this.roles.length > 2 ? '19ch' : '26ch',
            grow: role === this.roles.length - 1,
            title: [`who ${about}`],
            text: (i) => end(i).name,
            tip: (i) => end(i).about,
            cell: (i) => {
                const {go, name, key: of} = end(i);
                return [this.onlyButton(of, name), go ? this.app.link(...go, name) : h('span', {class: 'dim'}, name)];
            },
        };
    }

    onlyButton(key, name) {
        return h(
            'button',
            {
                type: 'button',
                class: 'only',
                'aria-label': `Only arcs of ${name}`,
                tip: () => [`only arcs of ${name}`],
                onclick: () => this.app.change({n: key}),
            },
        );
    }
}
