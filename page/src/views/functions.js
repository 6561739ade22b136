// SPDX-License-Identifier: GPL-2.0-or-later
//
// functions.js: all functions, by any event.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';

export const functions = {
    id: 'functions',
    title: 'Functions',
    about: 'All functions, inclusive and self cost of any event',

    async render(app, place) {
        const table = app.tables.functions;
        const list = app.shownMetrics();
        const [names, values, calls, ids, newness] = await Promise.all([
            app.names(),
            app.valuesOf(table, list),
            table.numbers('calls'),
            table.numbers('id'),
            app.newness(),
        ]);
        const all = [...Array(table.rows).keys()];
        const shown = app.sortedTable({
            items: filtered(all, names, app.params.get('q')),
            columns: [
                ...app.metricColumns(list, values, names.functionAt),
                {
                    key: 'calls',
                    label: 'calls',
                    width: '12ch',
                    title: ['how often it was called'],
                    value: (row) => calls[row],
                    cell: (row) => app.calls(calls[row]),
                    tip: (row) => [`called ${format.times(calls[row])}`],
                },
                {
                    key: 'function',
                    label: 'function',
                    width: '28ch',
                    grow: true,
                    text: names.functionAt,
                    cell: (row) => [
                        newness(row) && h('span', {class: 'mark'}, newness(row)),
                        app.link('function', ids[row], {}, names.functionAt(row)),
                    ],
                    tip: (row) => [names.functionAt(row), ...whereIs(names, row)],
                },
                {
                    key: 'place',
                    label: 'where',
                    width: '20ch',
                    align: 'left',
                    class: 'dim',
                    cell: (row) => app.place(names, row),
                },
            ],
            by: app.metric.key,
            label: 'Functions',
            open: (row) => app.go('function', ids[row]),
        });
        const filter = app.filterOf(shown, 'Filter by name', `${format.count(table.rows)} functions`, (words) =>
            filtered(all, names, words),
        );
        append(place, topBar('Functions', filter), shown.element);
    },
};

function filtered(all, names, words) {
    const wanted = (words || '').toLowerCase();
    return wanted ? all.filter((row) => names.functionAt(row).toLowerCase().includes(wanted)) : [...all];
}

/* Lines of a tooltip. */
export function whereIs(names, row) {
    const [file, line, object] = [names.fileOf(row), names.lineOf(row), names.objectOf(row)];
    return [
        file === file && names.file(file) + (line > 0 ? ':' + line : ''),
        object === object && names.object(object),
    ].filter(Boolean);
}
