// SPDX-License-Identifier: GPL-2.0-or-later
//
// structures.js: all data structures, by any event that is charged to them.

import {append, h} from '../dom.js';
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
        values.set('blocks', all.blocks);
        values.set(
            'bytes',
            all.id.map((_, row) => all.bytesAt(row)),
        );
        if (loaded) values.set('loaded', loaded.loaded).set('unused', loaded.unused);
        const columns = {
            values,
            make: (rowOf) => [
                ...app.metricColumns(list, values, (i) => all.nameAt(rowOf(i)), rowOf),
                ...(loaded ? loadColumns(all, loaded, rowOf) : []),
                ...sizeColumns(all, rowOf),
                ...nameColumns(app, all, rowOf),
            ],
        };
        const shown = app.sortedTable({
            items: all.matching(app.params.get('q') || ''),
            columns,
            by: mainOf(list).key,
            texts: {name: (row) => all.nameAt(row), kind: (row) => all.kindAt(row)},
            label: 'Data structures',
            open: (row) => app.go('structure', all.id[row]),
        });
        append(place, top(app, all, shown, list), shown.element);
    },
};

function top(app, all, shown, list) {
    const said = h('span', {class: 'dim'});
    const say = () => {
        said.textContent = `${format.count(shown.count)} of ${format.count(all.id.length)}`;
    };
    const filter = h('input', {
        type: 'search',
        placeholder: 'Filter by name, kind, caller',
        size: 28,
        'aria-label': 'Filter by name, kind, caller',
        spellcheck: 'false',
        value: app.params.get('q') || '',
        oninput: () => {
            app.change({q: filter.value || null}, true);
            shown.rearrange(all.matching(filter.value));
            say();
        },
    });
    say();
    const other = mainOf(list).name !== app.metric.name;
    return h(
        'div',
        {class: 'bar-top'},
        h('h1', null, 'Data structures'),
        filter,
        said,
        other && h('span', {class: 'dim'}, `by ${mainOf(list).name}: ${app.metric.name} is not charged to data`),
    );
}

function loadColumns(all, {level, loaded, lost, unused}, rowOf) {
    const cache = level === 'L' ? 'LL' : level === 'D2' ? 'L2' : 'D1';
    const percent = (value) => (value === value ? value.toFixed(1) + '\u2009%' : '');
    const tip = (i) => [
        all.nameAt(rowOf(i)),
        loaded[rowOf(i)] === loaded[rowOf(i)]
            ? `${format.count(loaded[rowOf(i)])} bytes were loaded into ${cache} for it`
            : `nothing was loaded into ${cache} for it`,
        loaded[rowOf(i)] > 0 &&
            `${format.count(lost[rowOf(i)])} of them, ${percent(unused[rowOf(i)])}, were never touched`,
    ];
    return [
        {
            key: 'loaded',
            label: 'loaded',
            sub: `into ${cache}`,
            width: '11ch',
            class: 'num',
            sortable: true,
            title: [`bytes of the lines that were loaded into ${cache} for it`],
            cell: (i) => (loaded[rowOf(i)] === loaded[rowOf(i)] ? format.bytes(loaded[rowOf(i)]) : '.'),
            tip,
        },
        {
            key: 'unused',
            label: 'unused',
            sub: 'of these',
            width: '16ch',
            class: 'num',
            sortable: true,
            title: ['the part of them that was never touched'],
            cell: (i) =>
                unused[rowOf(i)] === unused[rowOf(i)] && [
                    useBar(unused[rowOf(i)]),
                    h('span', {class: 'v'}, percent(unused[rowOf(i)])),
                ],
            tip,
        },
    ];
}

function sizeColumns(all, rowOf) {
    const known = (value, text) => (value === value ? text(value) : '');
    return [
        {
            key: 'bytes',
            label: 'size',
            width: '11ch',
            class: 'num',
            sortable: true,
            title: ['bytes of a variable; of all blocks allocated'],
            cell: (i) => known(all.bytesAt(rowOf(i)), format.bytes),
            tip: (i) => all.about(rowOf(i)),
        },
        {
            key: 'blocks',
            label: 'blocks',
            width: '9ch',
            class: 'num',
            sortable: true,
            title: ['how many were allocated'],
            cell: (i) => known(all.blocks[rowOf(i)], format.count),
            tip: (i) => all.about(rowOf(i)),
        },
    ];
}

function nameColumns(app, all, rowOf) {
    return [
        {
            key: 'kind',
            label: 'kind',
            width: '9ch',
            align: 'left',
            class: 'dim',
            sortable: true,
            cell: (i) => all.kindAt(rowOf(i)),
        },
        {
            key: 'name',
            label: 'data structure',
            width: '30ch',
            grow: true,
            align: 'left',
            class: 'name',
            sortable: true,
            cell: (i) => [
                app.link('structure', all.id[rowOf(i)], {}, all.nameAt(rowOf(i))),
                h('span', {class: 'dim'}, all.above(rowOf(i))),
            ],
            tip: (i) => all.about(rowOf(i)),
        },
    ];
}
