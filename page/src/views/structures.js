// SPDX-License-Identifier: GPL-2.0-or-later
//
// structures.js: all data structures, by any event that is charged to them.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {sectionTable, titleOf} from '../section.js';
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
        const loaded = await loads(app, data, list);
        const shown = sectionTable(app, 'data_structures', {
            items: all.matching(app.params.get('q') || ''),
            list,
            costs: await app.costsOf(data, list),
            extra: loaded ? loadColumns(all, loaded) : [],
            cells: {
                blocks: (row) => all.blocks[row],
                bytes: (row) => (all.size[row] === all.size[row] ? all.size[row] : all.bytes[row]),
                kind: (row) => all.kindAt(row),
                data: (row) => all.longRef(row),
            },
            tip: (row) => all.about(row),
        });
        const {name} = mainOf(list);
        const of = format.count(all.id.length);
        const other = name !== app.metric.name && `by ${name}: ${app.metric.name} is not charged to data`;
        append(
            place,
            topBar(
                titleOf(app, 'data_structures'),
                app.filterOf(shown, 'Filter by name, kind, caller', of, (words) => all.matching(words)),
                other && h('span.dim', other),
            ),
            shown.element,
        );
    },
};

/* What was loaded for them, and the part of it that was never touched. */
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
            cell: (row) => unused[row] === unused[row] && [useBar(unused[row]), h('span.v', percent(unused[row]))],
            tip,
        },
    ];
}
