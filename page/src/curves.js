// SPDX-License-Identifier: GPL-2.0-or-later
//
// curves.js: what the last level and L2 would miss with other sizes (docs/model.md, section 21): a chart of what is
// chosen, and the size of the last level with which all views show its misses and the cycle estimate. A profile knows
// this if it was recorded with --curves=yes.
//
// Of a difference there are charts of its sides; one of changes would say little.

import {append, h} from './dom.js';
import * as format from './format.js';
import {hasSides, SIDES, SIZED} from './metrics.js';
import {titleOf} from './section.js';

const CACHES = [
    {cache: 'LL', event: 'LLm', section: 'curves', first: 'Dist1L'},
    {cache: 'L2', event: 'L2m', section: 'second_curves', first: 'Dist1D2'},
];
const LAST = CACHES[0];
const UNITS = {K: 2 ** 10, M: 2 ** 20};
const BARS = '\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588';

export const hasCurves = (profile) =>
    CACHES.some(({first}) => profile.tables.totals.has(first)) &&
    (!profile.meta.has('diff.baseline') || hasSides(profile));
export const hasLastCurve = (profile) => hasCurves(profile) && profile.tables.totals.has(LAST.first);

/* -------------------------------------------------------------------------------------------- sizes */

const bytesOf = (size) => parseInt(size, 10) * (UNITS[size.at(-1)] || 1);

function sizeOf(bytes) {
    const unit = ['M', 'K'].find((one) => bytes % UNITS[one] === 0);
    return unit ? bytes / UNITS[unit] + unit : String(bytes);
}

/* Sizes of a cache from small to large, {size, event: of its misses, known: one of those that every curve has, own: the
 * recording's}; empty if nothing is known of them. */
function sizesOf({profile, metrics}, {cache, event}) {
    const own = parseInt(profile.meta.get('cache.' + cache), 10);
    const known = [...metrics.events.keys()]
        .filter((name) => name.startsWith(event + '@'))
        .map((name) => ({size: name.slice(event.length + 1), event: name, known: true}));
    const isOwn = ({size}) => bytesOf(size) === own;
    const more = known.length && own && !known.some(isOwn) ? [{size: sizeOf(own), event}] : [];
    return [...known, ...more]
        .map((one) => ({...one, own: isOwn(one)}))
        .sort((a, b) => bytesOf(a.size) - bytesOf(b.size));
}

/* The first size that saves nine tenths of what the last one saves (curve_fits in profile/read/curves.c); none if that
 * saves less than half. `misses` of a size. */
function fitting(sizes, misses) {
    const all = sizes.filter(({known}) => known);
    const [most, least] = [misses(all[0]), misses(all.at(-1))];
    return least < most / 2 ? all.find((one) => misses(one) - least <= (most - least) / 10) : undefined;
}

/* -------------------------------------------------------------------------------------------- a chart */

/* Of a row of a table, a chart for each cache whose misses are known, and each of `kinds`: '', '_incl'; '' if it would
 * miss nothing. */
export async function curvesOf(app, table, row, kinds = ['']) {
    if (!hasCurves(app.profile)) return '';
    const sides = app.metrics.sides ? SIDES.map((side) => '@' + side) : [''];
    const charts = await Promise.all(
        CACHES.flatMap((cache) =>
            kinds.flatMap((kind) => sides.map((side) => chart(app, cache, table, row, kind + side))),
        ),
    );
    return charts.some(Boolean) ? h('div.curves', charts) : '';
}

async function chart(app, cache, table, row, kind) {
    const {metrics} = app;
    const sizes = sizesOf(app, cache).map((one) => ({...one, metric: metrics.find(one.event + kind, true)}));
    const costs = await app.costsOf(table, sizes.map(({metric}) => metric));
    const misses = ({metric}) => (costs.has(metric.key) ? costs.get(metric.key)(row) : NaN);
    const most = sizes.length ? misses(sizes[0]) : 0;
    if (!(most > 0)) return null;
    const fits = fitting(sizes, misses);
    const said = fits
        ? `fits in ${fits.size}: nine tenths of what 64 ways save`
        : 'nothing fits: 64 ways save less than half';
    const words = (one) => {
        const [value, {margin}] = [misses(one), costs.get(one.metric.key)];
        const off = margin ? metrics.off(one.metric, value, margin(row)) : '';
        return [one.size + (one.own ? ' *' : ''), format.count(value), off, format.percent((100 * value) / most)];
    };
    const self = !kind.startsWith('_incl') && table.has(cache.first + '_incl') ? ', self' : '';
    const heading = titleOf(app, cache.section) + self + kind.replace('_incl', ', inclusive').replace('@', ', ');
    const all = sizes.map(words);
    const line = ([size, ...numbers]) => h('tr', h('th', size), numbers.map((text) => h('td', text)));
    const values = h('table', all.map(line));
    const bar = (one) =>
        h(
            'span',
            {class: one.own && 'own', 'data-size': one.size},
            h('i', {style: {'--part': (misses(one) / most).toFixed(4)}}),
            one.size + (one.own ? '*' : ''),
        );
    const label = `${heading}: ${all.map((texts) => texts.filter(Boolean).join(' ')).join('; ')}`;
    return h(
        'figure.curve',
        h('figcaption', h('b', heading), ' ', h('span.dim', said)),
        h('div.bars', {role: 'img', tabindex: 0, 'aria-label': label, tip: () => [heading, values]}, sizes.map(bar)),
    );
}

/* Of rows of a table, cells of a section: a curve as a text, and what fits; and which rows ask at all, most first. */
export async function curveCells(app, table) {
    const sizes = sizesOf(app, LAST).filter(({known}) => known);
    const costs = await app.costsOf(table, sizes.map(({event}) => app.metrics.find(event)));
    const misses = (row) => ({event}) => costs.get(event)(row);
    const most = (row) => misses(row)(sizes[0]);
    const own = (await app.costsOf(table, [app.metrics.find(LAST.event, true)])).get(LAST.event);
    const bar = (part) => (part > 0 ? BARS[Math.round(part * (BARS.length - 1))] : ' ');
    return {
        rows: [...Array(table.rows).keys()].filter((row) => most(row) > 0).sort((a, b) => most(b) - most(a)),
        cells: {
            misses: own,
            curve: (row) => {
                const bars = sizes.map((one) => bar(misses(row)(one) / most(row))).join('');
                return {name: bars, about: () => [bars], by: most(row)};
            },
            fits_in: (row) => {
                const size = fitting(sizes, misses(row))?.size;
                return size && {name: size, about: () => [size], by: bytesOf(size)};
            },
        },
    };
}

/* -------------------------------------------------------------------------------------------- a choice */

/* The size of the last level with which its misses and the cycle estimate are shown. */
export class SizeChooser {
    constructor(app) {
        this.app = app;
        const sizes = sizesOf(app, LAST);
        this.element = h('select.size', {
            hidden: !sizes.length,
            'aria-label': 'Size of the last level',
            onchange: () => this.choose(this.element.value || null),
            tip: () => [
                'The size of the last level whose misses (LLm) and cycle estimate (CEst) are shown',
                'The estimate of time, advice, traffic, loads and stores apart, ratios, and the use of lines stay as' +
                    ' recorded',
            ],
        });
        const option = ({size, own}) => h('option', {value: own ? '' : size}, `LL: ${size}`, own && ' (recorded)');
        append(this.element, sizes.map(option));
    }

    update() {
        this.element.value = this.app.params.get('ll') || '';
        if (this.element.selectedIndex < 0) this.element.value = '';
    }

    /* What the views show follows it then: it stays if it does, and else they show the misses. */
    choose(size) {
        const {name, incl} = this.app.metric;
        const [base] = name.split('@');
        this.app.change({ll: size, e: (SIZED.includes(base) ? base : LAST.event) + (incl ? '_incl' : ''), s: null});
    }
}
