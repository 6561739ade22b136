// SPDX-License-Identifier: GPL-2.0-or-later
//
// sizes.js: what caches of other sizes would miss: of the whole program, and which functions, loops and data structures
// ask the last level, and how much of it they need.

import {curveCells, curvesOf, hasCurves, hasLastCurve} from '../curves.js';
import {append, topBar} from '../dom.js';
import {sectionPart} from '../section.js';
import {startupOf} from '../startup.js';
import {LOOP} from '../statements.js';
import {hasStructures, Structures} from '../structures.js';
import {loopCells, loops} from './loops.js';

export const sizes = {
    id: 'sizes',
    title: 'Sizes',
    about: 'What the last level and L2 would miss with other sizes, and who needs how much',
    has: hasCurves,

    async render(app, place) {
        append(place, topBar('Other sizes of caches'), await curvesOf(app, app.tables.totals, 0));
        if (!hasLastCurve(app.profile) || app.metrics.difference) return;
        const [names, startup] = await Promise.all([app.names(), startupOf(app)]);
        const part = async (key, table, about, cellsOf, functionOf) => {
            const {rows, cells} = await curveCells(app, table);
            const items = rows.filter((row) => !functionOf || !startup.ids.has(functionOf(row)));
            const all = {...cells, ...cellsOf};
            append(place, sectionPart(app, key, {name: key, about, items, cells: all, by: 'curve', ascending: false}));
        };
        append(place, startup.said);
        const {functions, loops: table, data} = app.tables;
        const own = 'What their own accesses miss, without what they call';
        await part('function_curves', functions, own, {function: (row) => names.refAt(row)}, names.idOf);
        if (loops.has(app.profile)) {
            const of = await table.records(undefined, LOOP);
            await part('loop_curves', table, own, loopCells(names, of), (row) => of[row].function_id);
        }
        if (hasStructures(app.profile)) {
            const all = await Structures.load(app);
            await part('data_curves', data, 'What accesses to them miss', {name: (row) => all.longRef(row)});
        }
    },
};
