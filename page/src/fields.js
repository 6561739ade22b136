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
import {fit} from './table.js';
import {rowsWhere} from './sums.js';

const ROW = 64; // bytes of a row of the map
const MOST = 4096; // bytes that the map shows

export const hasFields = (profile) => Boolean(profile.tables.data_fields && profile.tables.data_fields.rows);

/* The section of a data structure, or '' where nothing is known of its inside. */
export async function fieldsOf(app, id) {
    if (!hasFields(app.profile)) return '';
    const inside = await Inside.load(app, id);
    if (!inside.fields.length) return '';
    return h(
        'section',
        {class: 'fields'},
        h(
            'h2',
            {tip: () => ['Where in it lines were missed, touched and never touched; all its elements are one here']},
            'Fields ',
            h('span', {class: 'dim'}, format.count(inside.fields.length)),
        ),
        ...(app.metrics.sides ? SIDES : app.metrics.difference ? [] : [undefined]).map((side) => inside.map(side)),
        await inside.table(),
    );
}

class Inside {
    static async load(app, id) {
        const {data_fields: table, data_offsets: bytes} = app.tables;
        const inside = Object.assign(new Inside(), {app, metrics: app.metrics});
        const [owners, ids, offsets, sizes, kinds, names, types] = await Promise.all([
            ...['data_id', 'id', 'offset', 'size'].map((name) => table.numbers(name)),
            ...['kind', 'field', 'type'].map((name) => table.texts(name)),
        ]);
        inside.fields = rowsWhere(owners, id).map((row) => ({
            row,
            id: ids[row],
            offset: offsets[row],
            size: sizes[row],
            kind: kinds.at(row),
            name: format.name(names.at(row)),
            type: types.at(row) === null ? '' : format.name(types.at(row)),
        }));
        const [of, at] = await Promise.all([bytes.numbers('data_id'), bytes.numbers('offset')]);
        inside.bytes = new Map(rowsWhere(of, id).map((row) => [at[row], row]));
        const events = ['UseD1', 'SpLossD1', 'D1mr', 'D1mw'].map((name) => app.metrics.find(name)).filter(Boolean);
        inside.values = await app.valuesOf(bytes, events.flatMap((metric) => app.withSides(metric)));
        return inside;
    }

    value(name, row, side) {
        const column = this.values.get(side ? `${name}@${side}` : name);
        return (column && column[row]) || 0;
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
            null,
            side && h('h3', null, side),
            h(
                'div',
                {class: 'bytes', role: 'img', 'aria-label': 'Bytes of it', style: {'--row': Math.min(ROW, size)}},
                cells,
            ),
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
                field[at] ? `${field[at].name}${field[at].type && ', ' + field[at].type}` : 'no field',
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
        const all = await app.valuesOf(app.tables.data_fields, list);
        const has = ({key}) => all.get(key) && fields.some(({row}) => all.get(key)[row]);
        const known = list.filter(has);
        const values = new Map(known.map(({key}) => [key, fields.map(({row}) => all.get(key)[row])]));
        const name = (i) => fields[i].name;
        const number = (key, about) => ({
            key,
            label: key,
            sub: 'bytes',
            width: '9ch',
            title: [about],
            value: (i) => fields[i][key],
            tip: (i) => fields[i][key] === fields[i][key] && [name(i), about],
            cell: (i) => (fields[i][key] === fields[i][key] ? format.count(fields[i][key]) : ''),
        });
        const table = app.sortedTable({
            items: [...fields.keys()],
            columns: [
                ...app.metricColumns(known, values, name),
                number('offset', 'bytes from the beginning of an element to it'),
                number('size', 'bytes of it'),
                {
                    key: 'field',
                    label: 'field',
                    width: '20ch',
                    grow: true,
                    text: name,
                    cell: (i) => (fields[i].kind === 'field' ? name(i) : h('i', {class: 'dim'}, name(i))),
                    tip: (i) => [name(i), fields[i].type],
                },
                {key: 'type', label: 'type', width: '20ch', class: 'dim', text: (i) => fields[i].type},
            ],
            by: 'offset',
            order: 'ascending',
            label: 'Fields',
            small: true,
        });
        return fit(table);
    }
}

function legend(size) {
    return h(
        'p',
        {class: 'legend dim'},
        h('span', {class: 'byte', style: {'--touched': '100%'}}),
        ' touched ',
        h('span', {class: 'byte', style: {'--touched': '0%'}}),
        ' loaded, never touched ',
        h('span', {class: 'byte none'}),
        ' never loaded ',
        h('span', {class: 'byte none', style: {'--missed': 1}}),
        ' where misses began',
        size >= MOST && `; the first ${format.count(MOST)} bytes`,
    );
}
