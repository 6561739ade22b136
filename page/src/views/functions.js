// SPDX-License-Identifier: GPL-2.0-or-later
//
// functions.js: all functions, by any event.

import {append, markOf, topBar} from '../dom.js';
import * as format from '../format.js';
import {sectionTable, titleOf} from '../section.js';
import {startupOf} from '../startup.js';
import {Window} from '../timeline.js';

export const functions = {
    id: 'functions',
    title: 'Functions',
    about: 'All functions, inclusive and self cost of any event',

    async render(app, place) {
        const table = app.tables.functions;
        const part = Window.of(app); // of the run, where self costs alone are known
        const list = app.shownMetrics().filter((metric) => !part || !metric.incl);
        const [names, costs, newness, startup, paid] = await Promise.all([
            app.names(),
            app.costsOf(table, list),
            app.newness(),
            startupOf(app),
            part && part.functions(list),
        ]);
        if (paid) for (const [key, of] of paid.costs) costs.set(key, (row) => of(names.idOf(row)));
        const there = paid && new Set(paid.ids);
        const isShown = (id) => !startup.ids.has(id) && (!there || there.has(id));
        const all = [...Array(table.rows).keys()].filter((row) => isShown(names.idOf(row)));
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
                ...(part ? {} : {calls: names.callsOf}),
                function: (row) => ({...names.refAt(row), before: () => mark(row)}),
                place: (row) => names.placeAt(row),
            },
        });
        const whose = part ? ' that cost most in this part, their self costs' : '';
        const of = `${format.count(all.length)} functions${whose}`;
        const filter = app.filterOf(shown, 'Filter by name', of, matching);
        append(place, topBar(titleOf(app, 'functions'), filter), startup.said, shown.element);
    },
};
