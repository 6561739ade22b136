// SPDX-License-Identifier: GPL-2.0-or-later
//
// patterns.js: why lines were not there: misses by kind (cold, capacity, conflict), the strides between them, and the
// sets in which they conflict. A profile knows strides unless it was recorded with --strides=no, the rest if it was
// with --patterns=yes.
//
// Strides and sets are counts of their own, not events. A share of a change is no share: of a difference that has both
// sides there are those of each, of one that has none nothing.

import {h} from './dom.js';
import * as format from './format.js';
import {SIDES} from './metrics.js';
import {titleOf} from './section.js';
import {groupBy, rowsWhere} from './sums.js';

const MOST = 6; // strides
const LEAST = 0.005; // of all, to be named
const SETS = 64; // told apart, by the low bits of their numbers

const LEVELS = [
    ['D1', 'D1'],
    ['D2', 'L2, data'],
    ['L', 'LL'],
];
export const MISS_KINDS = [
    ['Cold', 'cold', 'the cache never had the line before'],
    ['Cap', 'capacity', 'it had the line, but more was used since than it holds'],
    ['Conf', 'conflict', 'other sets would still have had the line'],
];

export const hasPatterns = (app) =>
    (app.metrics.sides || !app.metrics.difference) && Boolean(app.metrics.find('ColdD1'));

/* Events by which misses are told apart, for tables that have them. */
export const kindEvents = (app) =>
    ['I1', 'I2', ...LEVELS.map(([level]) => level)]
        .flatMap((level) => MISS_KINDS.flatMap(([kind]) => sidesOf(app).map((at) => kind + level + at)))
        .map((key) => app.metrics.find(key))
        .filter(Boolean);

/* What is behind the names of columns: of a difference, one for each side. */
const sidesOf = (app) => (app.metrics.sides ? SIDES.map((side) => '@' + side) : ['']);

/* -------------------------------------------------------------------------------------------- kinds */

/* A bar for each cache: which part of the misses is cold, capacity, conflict; `valueOf` an event's key. */
export function kindBars(app, valueOf) {
    const bars = LEVELS.filter(([level]) => app.metrics.find('Cold' + level))
        .map(([level, words]) => ({words, parts: MISS_KINDS.map(([kind]) => valueOf(kind + level) || 0)}))
        .filter(({parts}) => parts.some(Boolean));
    return bars.length ? h('div.kinds-of-misses', bars.map(kindBar)) : null;
}

function kindBar({words, parts}) {
    const all = added(parts);
    const share = (i) => format.percent((100 * parts[i]) / all);
    const part = ([, word], i) => h('span', {class: word, style: {width: ((100 * parts[i]) / all).toFixed(2) + '%'}});
    const about = [
        `${format.count(all)} misses in ${words}`,
        ...MISS_KINDS.map(([, word, meaning], i) => `${word} ${format.count(parts[i])}, ${share(i)}: ${meaning}`),
    ];
    const said = MISS_KINDS.map(([, word], i) => parts[i] >= LEAST * all && `${share(i)} ${word}`);
    return h(
        'div.kind-row',
        {tip: () => about},
        h('span.label', words),
        h('span.kind-bar', {'aria-hidden': 'true'}, MISS_KINDS.map(part)),
        h('span.dim', said.filter(Boolean).join(', ')),
    );
}

/* -------------------------------------------------------------------------------------------- rows of a place */

/* Rows of a table of strides or conflicts in a data structure, or on lines of a file. */
async function rowsOf(table, {data, file, first, last}) {
    const of = await table.read('data_id', 'file_id', 'line');
    if (data !== undefined) return rowsWhere(of.data_id, data);
    return rowsWhere(of.file_id, file).filter((row) => of.line[row] >= first && of.line[row] <= last);
}

const added = (counts) => counts.reduce((sum, count) => sum + count, 0);
const sumOf = (rows, counts) => rows.reduce((sum, row) => sum + (counts[row] || 0), 0); // NULL: not there

/* -------------------------------------------------------------------------------------------- strides */

/* The most frequent strides, as a list of bars; null if there are none. */
async function strideList(app, where, at) {
    const {strides: table} = app.tables;
    const rows = await rowsOf(table, where);
    const {stride: strides, ['count' + at]: counts} = await table.read('stride', 'count' + at);
    const all = sumOf(rows, counts);
    if (!(all > 0)) return null;
    const kept = [...groupBy(rows.filter((row) => strides[row] === strides[row]), strides)]
        .map(([stride, group]) => [stride, sumOf(group, counts)])
        .filter(([, count]) => count >= LEAST * all)
        .sort((a, b) => b[1] - a[1] || Math.abs(a[0]) - Math.abs(b[0]));
    const shown = kept.slice(0, MOST);
    const rest = all - shown.reduce((sum, [, count]) => sum + count, 0);
    const about = 'How far apart successive misses of an instruction in a data structure are';
    return h(
        'section.strides',
        h('h3', {tip: () => [about]}, titleOf(app, 'strides')),
        shown.map(([stride, count]) =>
            strideRow((stride > 0 ? '+' : '') + format.count(stride), count, all, aboutStride(app, stride)),
        ),
        rest > 0 && strideRow('others', rest, all, 'many strides, or none to speak of: at random'),
    );
}

function aboutStride(app, stride) {
    const line = Number((app.profile.meta.get('cache.D1') || '').split(',')[2]) || 64;
    const far = Math.abs(stride);
    if (far === 0) return 'the same address again';
    if (far < line) return `less than a line of ${line} bytes: one after the other`;
    if (far === line) return 'line after line';
    return far % line === 0
        ? `every ${format.count(far / line)} lines`
        : `${(far / line).toPrecision(3)} lines of ${line} bytes apart`;
}

function strideRow(words, count, all, about) {
    const share = (100 * count) / all;
    const tip = [
        words === 'others' ? 'other strides' : `${words} bytes from a miss to the next`,
        `${format.times(count)} of ${format.count(all)}, ${format.percent(share)}`,
        about,
    ];
    return h(
        'div.stride-row',
        {'data-stride': words, tip: () => tip},
        h('span.num', words),
        h('span.long-bar', h('span', {style: {width: share.toFixed(2) + '%'}})),
        h('span.num.dim', format.percent(share)),
    );
}

/* -------------------------------------------------------------------------------------------- sets */

/* A map of sets for each cache in which some part of the misses conflict; null if there is none. */
async function setMaps(app, where, valueOf, at) {
    const {conflicts: table} = app.tables;
    const rows = await rowsOf(table, where);
    const {cache: caches, set_bits: sets} = await table.read('cache', 'set_bits');
    const counts = await table.numbers('misses' + at);
    const byCache = new Map();
    for (const row of rows) {
        const cache = caches.at(row);
        if (!byCache.has(cache)) byCache.set(cache, new Array(SETS).fill(0));
        byCache.get(cache)[sets[row]] += counts[row] || 0;
    }
    const missed = (cache) => MISS_KINDS.reduce((sum, [kind]) => sum + (valueOf(kind + cache) || 0), 0);
    const some = [...byCache].filter(([cache, of]) => added(of) > 0 && added(of) >= LEAST * missed(cache));
    if (!some.length) return null;
    const about = 'Where conflict misses happen: by the low six bits of the number of the set';
    const map = ([cache, of]) => setMap(cache, of.slice(0, setsOf(app, cache)), setsOf(app, cache) > SETS);
    return h(
        'section.sets',
        h('h3', {tip: () => [about]}, 'Sets in conflict'),
        some.sort(([a], [b]) => (a < b ? -1 : 1)).map(map),
    );
}

/* How many sets a cache has; NaN if the profile does not say. */
function setsOf(app, cache) {
    const key = {L: 'LL', I2: 'L2', D2: 'L2'}[cache] || cache;
    const [size, ways, line] = (app.profile.meta.get('cache.' + key) || '').split(',').map(Number);
    return size / (ways * line) || SETS + 1;
}

/* `more`: the cache has more sets than are told apart. */
function setMap(cache, counts, more) {
    const all = added(counts);
    const most = Math.max(...counts);
    const used = counts.filter(Boolean).length;
    const box = (count, set) =>
        h('span.set', {
            class: count ? '' : 'none',
            style: {'--heat': (count / most).toFixed(3)},
            tip: () => [
                more ? `sets whose number ends in ${set} (low six bits)` : `set ${set}`,
                `${format.count(count)} conflicts, ${format.percent((100 * count) / all)} of ${format.count(all)}`,
            ],
        });
    const label = `conflicts in ${cache}: ${used} of ${counts.length} sets`;
    return h(
        'div.set-row',
        {'data-cache': cache},
        h('span.label', cache === 'L' ? 'LL' : cache),
        h('span.set-map', {role: 'img', 'aria-label': label}, counts.map(box)),
        h('span.dim', `${format.count(all)} in ${used} of ${counts.length} sets`),
    );
}

/* -------------------------------------------------------------------------------------------- all of it */

/* Sections for a data structure or lines; empty if there is nothing to say. `valueOf` an event's key. */
export async function patternsOf(app, where, valueOf) {
    if (app.metrics.difference && !app.metrics.sides) return [];
    const parts = [];
    for (const at of sidesOf(app)) {
        const onSide = (key) => valueOf(key + at);
        const bars = kindBars(app, onSide);
        const about = 'Its misses by kind: what would have kept them away';
        const kinds = bars && h('section.why', h('h3', {tip: () => [about]}, 'Why it misses'), bars);
        const [strides, sets] = [await strideList(app, where, at), await setMaps(app, where, onSide, at)];
        const of = [kinds, strides, sets].filter(Boolean);
        const side = at.slice(1);
        parts.push(at && of.length ? h('div.side', {'data-side': side}, h('h3.side-head', side), of) : of);
    }
    return parts.flat();
}
