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
        const known = this.fields.filter((field) => field.offset === field.offset);
        const size = Math.min(MOST, Math.max(0, ...known.map((field) => field.offset + field.size)));
        if (!size || !this.bytes.size) return '';
        const field = [];
        for (const one of known) for (let i = 0; i < one.size && i < MOST; i++) field[one.offset + i] = one;
        const misses = (row) => this.value('D1mr', row, side) + this.value('D1mw', row, side);
        const most = Math.max(1, ...[...this.bytes.values()].map(misses));
        const cells = Array.from({length: size}, (_, at) => this.cell(at, field, misses, most, side));
        return h(
            'div',
            side && h('h3', side),
            h('div.bytes', {role: 'img', 'aria-label': 'Bytes of it', style: {'--row': Math.min(ROW, size)}}, cells),
            side !== SIDES[0] && legend(size),
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
                `byte ${format.count(at)}`,
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
