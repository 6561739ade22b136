// SPDX-License-Identifier: GPL-2.0-or-later
//
// fields.js: the inside of a data structure: a heat map of its bytes, touched, never touched and missed in, and its
// fields.
//
// All elements of a structure are one here: a byte stands for its offset in an element, or in the block where it is not
// known what the block is made of. A row of the map is a line of the cache, where an element is as long.

import {h} from './dom.js';
import * as format from './format.js';
import {SIDES} from './metrics.js';
import {sectionTable, titleOf} from './section.js';
import {rowsWhere} from './sums.js';
import {fit} from './table.js';

const ROW = 64; // bytes of a row of the map
const MOST = 4096; // bytes that the map shows
const NONE = -1; // the offset of a byte that a remedy puts between others

/* The section of a data structure, or '' where nothing is known of its inside. */
export async function fieldsOf(app, id) {
    const {data_fields: table} = app.tables;
    if (!table || !table.rows) return '';
    const inside = await Inside.load(app, id);
    if (!inside.fields.length) return '';
    const about = 'Where in it lines were missed, touched and never touched; all its elements are one here';
    const count = format.count(inside.fields.length);
    const sides = app.metrics.sides ? SIDES : app.metrics.difference ? [] : [undefined];
    return h(
        'section.fields',
        h('h2', {tip: () => [about]}, titleOf(app, 'data_fields'), ' ', h('span.dim', count)),
        sides.map((side) => inside.map(side)),
        await inside.table(),
    );
}

/* Bytes of a data structure as they lie, and as they would with a remap that takes its elements apart, orders or pads
 * them (docs/model.md, 22): '' for all others, or where nothing is known of its inside. */
export async function layoutOf(app, id, remap) {
    const {data_fields: table, data_offsets: offsets} = app.tables;
    if (!table || !table.rows || !offsets || !remap || app.metrics.sides || app.metrics.difference) return '';
    const inside = await Inside.load(app, id);
    const size = inside.size();
    const parts = size && size < MOST ? partsOf(remap, size) : [];
    if (!parts.length || !inside.bytes.size) return '';
    const label = (text) => h('span.dim', text);
    const after = parts.map((part, i) => [
        label(i ? 'and' : 'after'),
        inside.cells(part, `Bytes of part ${i + 1} of it, with the remedy`, undefined, () => 0),
    ]);
    const before = [label('before'), inside.cells(upTo(size), 'Bytes of it, as they lie')];
    return h('div.fields.layout', before, after, legend());
}

/* Offsets of the bytes of each part, in their order; NONE: of no field. [] for a remap of another kind. */
function partsOf(remap, size) {
    const [, kind, argument = ''] = /^(\w+) [^:]*(?:: (.*))?$/.exec(remap) || [];
    const all = upTo(size);
    if (kind === 'pad' && /^\d+$/.test(argument) && argument > size && argument < MOST)
        return [[...all, ...Array(argument - size).fill(NONE)]];
    if (kind !== 'split' && kind !== 'order') return [];
    const named = new Set();
    const parts = argument.split('|').map((part) =>
        part.split(',').flatMap((range) => {
            const [from, to] = range.trim().split('-').map(Number);
            const bytes = all.slice(from || 0, to || 0); // none for `rest`
            bytes.forEach((at) => named.add(at));
            return bytes;
        }),
    );
    const others = all.filter((at) => !named.has(at));
    const rest = argument.split('|').findIndex((part) => part.includes('rest'));
    if (kind === 'order') parts[0].push(...others);
    else if (rest >= 0) parts[rest].push(...others);
    return parts.filter((part) => part.length);
}

const upTo = (size) => Array.from({length: size}, (_, at) => at);

class Inside {
    static async load(app, id) {
        const {data_fields: table, data_offsets: bytes} = app.tables;
        const inside = Object.assign(new Inside(), {app, metrics: app.metrics});
        const columns = ['offset', 'size', 'kind', 'field', 'type'];
        inside.fields = await table.records(rowsWhere(await table.numbers('data_id'), id), columns);
        const {data_id: of, offset: at} = await bytes.read('data_id', 'offset');
        inside.bytes = new Map(rowsWhere(of, id).map((row) => [at[row], row]));
        const events = ['UseD1', 'SpLossD1', 'D1mr', 'D1mw'].map((name) => app.metrics.find(name)).filter(Boolean);
        inside.costs = await app.costsOf(bytes, events.flatMap((metric) => app.withSides(metric)));
        return inside;
    }

    value(name, row, side) {
        const cost = this.costs.get(side ? `${name}@${side}` : name);
        return (cost && cost(row)) || 0;
    }

    /* ---------------------------------------------------------------------------------- the map */

    /* Of the profile, or of a side of a difference. */
    map(side) {
        const size = this.size();
        if (!size || !this.bytes.size) return '';
        return h(
            'div',
            side && h('h3', side),
            this.cells(upTo(size), 'Bytes of it', side),
            side !== SIDES[0] && legend(size),
        );
    }

    /* Bytes that are known, and shown. */
    size() {
        const known = this.fields.filter((field) => field.offset === field.offset);
        return Math.min(MOST, Math.max(0, ...known.map((field) => field.offset + field.size)));
    }

    /* Bytes at these offsets, one behind the other. */
    cells(offsets, label, side, misses = (row) => this.value('D1mr', row, side) + this.value('D1mw', row, side)) {
        const field = [];
        for (const one of this.fields)
            for (let i = 0; one.offset === one.offset && i < one.size && i < MOST; i++) field[one.offset + i] = one;
        const most = Math.max(1, ...[...this.bytes.values()].map(misses));
        return h(
            'div.bytes',
            {role: 'img', 'aria-label': label, style: {'--row': Math.min(ROW, offsets.length)}},
            offsets.map((at) => this.cell(at, field, misses, most, side)),
        );
    }

    cell(at, field, misses, most, side) {
        const row = this.bytes.get(at);
        const [used, lost] = ['UseD1', 'SpLossD1'].map((name) => (row === undefined ? 0 : this.value(name, row, side)));
        const missed = row === undefined ? 0 : misses(row);
        const share = format.percent((100 * used) / (used + lost));
        const begins = field[at] && field[at].offset === at;
        return h('span', {
            class: 'byte' + (used + lost ? '' : ' none') + (begins ? ' begins' : ''),
            'data-at': at,
            style: {
                '--touched': used + lost ? ((100 * used) / (used + lost)).toFixed(1) + '%' : '0%',
                '--missed': missed ? Math.max(0.2, Math.sqrt(missed / most)).toFixed(2) : 0,
            },
            tip: () => [
                field[at] ? `${field[at].field}${field[at].type && ', ' + field[at].type}` : 'no field',
                at !== NONE && `byte ${format.count(at)}`,
                used + lost
                    ? `loaded ${format.times(used + lost)}, touched in ${share} of them`
                    : 'never loaded',
                missed && `${format.count(missed)} D1 misses began here`,
            ],
        });
    }

    /* ---------------------------------------------------------------------------------- the list */

    async table() {
        const {app, metrics, fields} = this;
        const names = [...new Set([app.metric.name, 'SpLossD1', 'UseD1', 'D1mr', 'D1mw', 'spatialD1'])];
        const plain = names.map((name) => metrics.plain(name)).filter(Boolean);
        const list = metrics.sides ? plain.slice(0, 2).flatMap((metric) => app.withSides(metric)) : plain;
        const costs = await app.costsOf(app.tables.data_fields, list);
        const known = list.filter(({key}) => costs.has(key) && fields.some(({row}) => costs.get(key)(row)));
        const field = (one) => ({name: one.field, about: () => [one.field, one.type]});
        const table = sectionTable(app, 'data_fields', {
            items: fields,
            list: known,
            costs: new Map(known.map(({key}) => [key, ({row}) => costs.get(key)(row)])),
            cells: {offset: (one) => one.offset, size: (one) => one.size, type: (one) => one.type, field},
            by: 'offset',
            ascending: true,
            small: true,
            open: null,
        });
        return fit(table);
    }
}

function legend(size) {
    const byte = (style, none) => h('span.byte', {class: none && 'none', style});
    return h(
        'p.legend.dim',
        byte({'--touched': '100%'}),
        ' touched ',
        byte({'--touched': '0%'}),
        ' loaded, never touched ',
        byte({}, true),
        ' never loaded ',
        byte({'--missed': 1}, true),
        ' where misses began',
        size >= MOST && `; the first ${format.count(MOST)} bytes`,
    );
}
