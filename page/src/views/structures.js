// SPDX-License-Identifier: GPL-2.0-or-later
//
// structures.js: all data structures, by any event that is charged to them.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {hasStructures, loads, mainOf, structureMetrics, Structures, useBar} from '../structures.js';

export const structures = {
    id: 'data',
    title: 'Data',
    about: 'Data structures: what was lost in heap blocks, variables, stacks',
    has: hasStructures,

    async render(app, place) {
        const all = await Structures.load(app);
        const {data} = app.tables;
        const list = await structureMetrics(app, innerWidth < 1360);
        const values = await app.valuesOf(data, list);
        const loaded = await loads(app, data, list);
        const shown = app.sortedTable({
            items: all.matching(app.params.get('q') || ''),
            columns: [
                ...app.metricColumns(list, values, (row) => all.nameAt(row)),
                ...(loaded ? loadColumns(all, loaded) : []),
                ...sizeColumns(all),
                ...nameColumns(app, all),
            ],
            by: mainOf(list).key,
            label: 'Data structures',
            open: (row) => app.go('structure', all.id[row]),
        });
        append(place, top(app, all, shown, list), shown.element);
    },
};

function top(app, all, shown, list) {
    const other = mainOf(list).name !== app.metric.name;
    return topBar(
        'Data structures',
        app.filterOf(shown, 'Filter by name, kind, caller', format.count(all.id.length), (words) =>
            all.matching(words),
        ),
        other && h('span', {class: 'dim'}, `by ${mainOf(list).name}: ${app.metric.name} is not charged to data`),
    );
}

function loadColumns(all, {level, loaded, lost, unused}) {
    const cache = level === 'L' ? 'LL' : level === 'D2' ? 'L2' : 'D1';
    const percent = (value) => (value === value ? value.toFixed(1) + '\u2009%' : '');
    const tip = (row) => [
        all.nameAt(row),
        loaded[row] === loaded[row]
            ? `${format.count(loaded[row])} bytes were loaded into ${cache} for it`
            : `nothing was loaded into ${cache} for it`,
        loaded[row] > 0 && `${format.count(lost[row])} of them, ${percent(unused[row])}, were never touched`,
    ];
    return [
        {
            key: 'loaded',
            label: 'loaded',
            sub: `into ${cache}`,
            width: '11ch',
            title: [`bytes of the lines that were loaded into ${cache} for it`],
            value: (row) => loaded[row],
            cell: (row) => (loaded[row] === loaded[row] ? format.bytes(loaded[row]) : '.'),
            tip,
        },
        {
            key: 'unused',
            label: 'unused',
            sub: 'of these',
            width: '16ch',
            title: ['the part of them that was never touched'],
            value: (row) => unused[row],
            cell: (row) =>
                unused[row] === unused[row] && [
                    useBar(unused[row]),
                    h('span', {class: 'v'}, percent(unused[row])),
                ],
            tip,
        },
    ];
}

function sizeColumns(all) {
    const known = (value, text) => (value === value ? text(value) : '');
    return [
        {
            key: 'bytes',
            label: 'size',
            width: '11ch',
            title: ['bytes of a variable; of all blocks allocated'],
            value: (row) => all.bytesAt(row),
            cell: (row) => known(all.bytesAt(row), format.bytes),
            tip: (row) => all.about(row),
        },
        {
            key: 'blocks',
            label: 'blocks',
            width: '9ch',
            title: ['how many were allocated'],
            value: (row) => all.blocks[row],
            cell: (row) => known(all.blocks[row], format.count),
            tip: (row) => all.about(row),
        },
    ];
}

function nameColumns(app, all) {
    return [
        {key: 'kind', label: 'kind', width: '9ch', class: 'dim', text: (row) => all.kindAt(row)},
        {
            key: 'name',
            label: 'data structure',
            width: '30ch',
            grow: true,
            text: (row) => all.nameAt(row),
            cell: (row) => [
                app.link('structure', all.id[row], {}, all.nameAt(row)),
                h('span', {class: 'dim'}, all.above(row)),
            ],
            tip: (row) => all.about(row),
        },
    ];
}
