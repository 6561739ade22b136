// SPDX-License-Identifier: GPL-2.0-or-later
//
// interdependence.js: who throws out what others need again: a drawing of the arcs (ribbons.js) and a table of them, of
// data structures or statements, in one cache. The address says which: `k` is the cache, `by` the kind, `q` the filter,
// `n` an end of which there are only its own arcs, `m` how many arcs at most, and of a difference `w` the side.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {aboutArc, arcCells, cacheWords, hasPairs, KINDS, Pairs} from '../pairs.js';
import {SIDES} from '../metrics.js';
import {Ribbons} from '../ribbons.js';
import {sectionTable} from '../section.js';

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
        const by = app.params.get('by');
        const kind = Object.hasOwn(KINDS, by) ? by : pairs.knowsData() ? 'data' : 'statements';
        const cache = pairs.caches().find((one) => one === app.params.get('k')) || pairs.caches()[0];
        if (!cache) {
            append(
                place,
                topBar('Interdependence', side && sideChoice(app, side)),
                h('p.warning', noRoom(pairs) || 'Here no line was loaded again.'),
            );
            return;
        }
        const view = new View(app, pairs, kind, cache);
        append(place, view.top(), h('div.with-ribbons', view.ribbons.element, view.table.element));
    },
};

const sideChoice = (app, side) => app.choice('w', SIDES, side, (one) => one, (one) => `what was ${one}`);

const noRoom = (pairs) =>
    pairs.sums.has(null) &&
    `The recording had no room for who loaded ${format.count(pairs.sums.get(null).misses)} more lines again.`;

class View {
    constructor(app, pairs, kind, cache) {
        Object.assign(this, {app, pairs, kind, cache, roles: KINDS[kind].roles});
        this.arcs = pairs.arcs[kind].filter((arc) => arc.cache === cache);
        this.total = pairs.sums.get(cache).misses;
        this.ribbons = new Ribbons({
            app,
            roles: this.roles,
            about: (ribbon) => this.aboutRibbon(ribbon),
            aboutNode: (node, role) => this.aboutNode(node, role),
            label: 'Who throws out lines that others load again',
        });
        this.choose(app.params.get('q') || '');
        this.table = this.makeTable();
        this.ribbons.show(this.items);
    }

    /* The arcs that are shown: the heaviest of those with these words in the name of an end, or of its file or
     * function; those of one end, if one was chosen. */
    choose(words) {
        const wanted = words.toLowerCase();
        const only = this.app.params.get('n');
        const has = (text) => Boolean(text) && text.toLowerCase().includes(wanted);
        this.found = this.arcs.filter(
            ({ends}) =>
                (!only || ends.some((end) => end.key === only)) &&
                (!wanted || ends.some((end) => has(end.name) || end.about().some(has))),
        );
        this.items = this.found.slice(0, this.most());
    }

    most() {
        const asked = this.app.params.get('m');
        return asked === ALL ? Infinity : Number(asked) > 0 ? Number(asked) : STEPS[0];
    }

    share(misses) {
        return `${format.percent((100 * misses) / this.total)} of ${format.count(this.total)}`;
    }

    /* ---------------------------------------------------------------------------------- above */

    top() {
        const {app, pairs} = this;
        const find = (words) => {
            this.choose(words);
            this.table.rearrange(this.items);
            this.ribbons.show(this.items);
        };
        const [filter, said] = app.filter('Filter by name', find, () => this.said());
        said.classList.add('said-arcs');
        const kinds = pairs.knowsData() ? Object.keys(KINDS) : ['statements'];
        const steps = STEPS.filter((step) => step < this.arcs.length).map(String);
        const most = this.most() === Infinity ? ALL : String(this.most());
        const aboutMost = (step) => `${step} of the heaviest arcs`;
        return topBar(
            'Interdependence',
            app.choice('k', pairs.caches(), this.cache, cacheWords, (cache) => `misses in ${cacheWords(cache)}`),
            app.choice('by', kinds, this.kind, (kind) => KINDS[kind].label, (kind) => `by ${KINDS[kind].label}`),
            pairs.side && sideChoice(app, pairs.side),
            steps.length > 0 && app.choice('m', [...steps, ALL], most, (step) => step, aboutMost),
            filter,
            this.onlyChip(),
            said,
        );
    }

    /* The end that was chosen; pressed, all are back. */
    onlyChip() {
        const {app} = this;
        const only = app.params.get('n');
        if (!only) return '';
        const end = this.arcs.flatMap((arc) => arc.ends).find(({key}) => key === only);
        return h(
            'button.only-chip',
            {tip: () => ['all arcs again'], onclick: () => app.change({n: null})},
            `only ${end ? end.name : '???'} \u00d7`,
        );
    }

    /* Nothing is left out without a word. */
    said() {
        const all = this.pairs.sums.get(this.cache)[KINDS[this.kind].section];
        const left = all - this.arcs.length;
        const sum = (arcs) => arcs.reduce((misses, arc) => misses + arc.misses, 0);
        const shown = this.items;
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
            ...end.about(),
            `${this.roles[role][2]}: ${format.count(misses)} misses in ${cacheWords(this.cache)}, ` +
                `${this.share(misses)} there`,
        ];
    }

    /* ---------------------------------------------------------------------------------- table */

    makeTable() {
        const {app, cache, kind, total} = this;
        const other = this.pairs.side && SIDES.find((side) => side !== this.pairs.side);
        const tip = (arc) => aboutArc(arc, kind, total);
        const ends = Object.entries(arcCells(kind)).map(([key, cell]) => [key, (arc) => this.withOnly(cell(arc))]);
        const otherSide = {
            key: 'other',
            label: other,
            sub: 'misses',
            width: '12ch',
            title: [`the same ${other}`],
            value: (arc) => arc.other,
            tip,
            cell: (arc) => (arc.other === arc.other ? format.count(arc.other) : ''),
        };
        return sectionTable(app, KINDS[kind].section, {
            items: this.items,
            cells: Object.fromEntries(ends),
            totals: {misses: total},
            tip,
            extra: other ? [otherSide] : [],
            label: `Arcs in ${cache}`,
        });
    }

    /* An end, and in front of it a button for its arcs alone. */
    withOnly(end) {
        if (typeof end !== 'object') return end;
        const only = {
            'aria-label': `Only arcs of ${end.name}`,
            tip: () => [`only arcs of ${end.name}`],
            onclick: () => this.app.change({n: end.key}),
        };
        return {...end, before: () => h('button.only', only)};
    }
}
