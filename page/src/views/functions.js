// SPDX-License-Identifier: GPL-2.0-or-later
//
// functions.js: all functions, by any event.

import {append, h} from '../dom.js';
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
        values.set('calls', calls);
        const columns = {
            values,
            make: (rowOf) => [
                ...app.metricColumns(list, values, (i) => names.functionAt(rowOf(i)), rowOf),
                {
                    key: 'calls',
                    label: 'calls',
                    width: '12ch',
                    class: 'num',
                    sortable: true,
                    title: ['how often it was called'],
                    cell: (i) => app.calls(calls[rowOf(i)]),
                    tip: (i) => [`called ${format.times(calls[rowOf(i)])}`],
                },
                {
                    key: 'function',
                    label: 'function',
                    width: '28ch',
                    grow: true,
                    align: 'left',
                    class: 'name',
                    sortable: true,
                    cell: (i) => [
                        newness(rowOf(i)) && h('span', {class: 'mark'}, newness(rowOf(i))),
                        app.link('function', ids[rowOf(i)], {}, names.functionAt(rowOf(i))),
                    ],
                    tip: (i) => [names.functionAt(rowOf(i)), ...whereIs(names, rowOf(i))],
                },
                {
                    key: 'place',
                    label: 'where',
                    width: '20ch',
                    align: 'left',
                    class: 'dim',
                    cell: (i) => app.place(names, rowOf(i)),
                },
            ],
        };
        const shown = app.sortedTable({
            items: filtered(all, names, app.params.get('q')),
            columns,
            by: app.metric.key,
            texts: {function: (row) => names.functionAt(row)},
            label: 'Functions',
            open: (row) => app.go('function', ids[row]),
        });
        const said = h('span', {class: 'dim'});
        const say = () => {
            said.textContent = `${format.count(shown.count)} of ${format.count(table.rows)} functions`;
        };
        const filter = h('input', {
            type: 'search',
            placeholder: 'Filter by name',
            'aria-label': 'Filter by name',
            spellcheck: 'false',
            value: app.params.get('q') || '',
            oninput: () => {
                app.change({q: filter.value || null}, true);
                shown.rearrange(filtered(all, names, filter.value));
                say();
            },
        });
        say();
        append(place, h('div', {class: 'bar-top'}, h('h1', null, 'Functions'), filter, said), shown.element);
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
