// SPDX-License-Identifier: GPL-2.0-or-later
//
// functions.js: all functions, by any event.

import {append, markOf, topBar} from '../dom.js';
import * as format from '../format.js';
import {sectionTable, titleOf} from '../section.js';
import {startupOf} from '../startup.js';

export const functions = {
    id: 'functions',
    title: 'Functions',
    about: 'All functions, inclusive and self cost of any event',

    async render(app, place) {
        const table = app.tables.functions;
        const list = app.shownMetrics();
        const [names, costs, newness, startup] = await Promise.all([
            app.names(),
            app.costsOf(table, list),
            app.newness(),
            startupOf(app),
        ]);
        const all = [...Array(table.rows).keys()].filter((row) => !startup.ids.has(names.idOf(row)));
        const matching = (words) => {
            const wanted = words.toLowerCase();
            return wanted ? all.filter((row) => names.functionAt(row).toLowerCase().includes(wanted)) : all;
        };
        const mark = (row) => newness(row) && markOf(newness(row));
        const shown = sectionTable(app, 'functions', {
            items: matching(app.params.get('q') || ''),
            list,
            costs,
            cells: {
                calls: names.callsOf,
                function: (row) => ({...names.refAt(row), before: () => mark(row)}),
                place: (row) => names.placeAt(row),
            },
        });
        const of = `${format.count(all.length)} functions`;
        const filter = app.filterOf(shown, 'Filter by name', of, matching);
        append(place, topBar(titleOf(app, 'functions'), filter), startup.said, shown.element);
    },
};
