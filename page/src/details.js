// SPDX-License-Identifier: GPL-2.0-or-later
//
// details.js: what a source line consists of: the functions that have code there, calls, data structures that it misses
// in, and instructions, as rows for the table of the source.

import {h} from './dom.js';
import * as format from './format.js';
import {instructionsOf, isCoded, NOT_CODED} from './instructions.js';
import {hasStructures, sharesBy, Structures} from './structures.js';

const MOST = 400; // rows of one kind

export class Details {
    constructor(app, names, file) {
        Object.assign(this, {app, names, file});
    }

    async of(line) {
        const rows = this.file.byLine.get(line) || [];
        const functionIds = [...new Set(rows.map((row) => this.file.functionIds[row]))];
        return [
            ...(functionIds.length > 1 ? await this.functions(rows) : []),
            ...(await this.calls(line)),
            ...(await this.structures(line)),
            ...(await this.instructions(functionIds, line)),
        ];
    }

    /* The line's rows, one for each function. */
    async functions(rows) {
        const values = await this.app.valuesOf(this.app.tables.lines, this.file.list);
        return rows.slice(0, MOST).map((row) => ({
            kind: 'part',
            line: this.lineOf(row),
            what: this.names.function(this.file.functionIds[row]),
            values: this.pick(values, row),
            cell: (app) => [
                h('span', {class: 'mark'}, 'in'),
                app.link(
                    'function',
                    this.file.functionIds[row],
                    {},
                    this.names.function(this.file.functionIds[row]),
                ),
            ],
        }));
    }

    lineOf(row) {
        for (const [line, rows] of this.file.byLine) if (rows.includes(row)) return line;
        return 0;
    }

    pick(values, row) {
        return new Map([...values].map(([key, numbers]) => [key, numbers ? numbers[row] : undefined]));
    }

    async calls(line) {
        const {arcs} = this.app.tables;
        const found = this.file.calls.get(line) || [];
        if (!found.length) return [];
        const [callees, counts] = await Promise.all([arcs.numbers('callee_id'), arcs.numbers('calls')]);
        const inclusive = this.file.list.filter((metric) => metric.incl);
        const values = await this.app.valuesOf(arcs, inclusive);
        const order = values.get(this.app.metric.key) || counts;
        return found
            .sort((a, b) => (order[b] || 0) - (order[a] || 0))
            .slice(0, MOST)
            .map((arc) => ({
                kind: 'call',
                line,
                what: 'the call of ' + this.names.function(callees[arc]),
                values: this.pick(values, arc),
                cell: (app) => [
                    h('span', {class: 'mark'}, 'calls'),
                    app.link('function', callees[arc], {}, this.names.function(callees[arc])),
                    h('span', {class: 'dim'}, ' ' + format.times(counts[arc])),
                ],
            }));
    }

    async structures(line) {
        const {app, file} = this;
        if (!hasStructures(app.profile)) return [];
        const all = await Structures.load(app);
        const self = file.list.filter((metric) => !metric.incl);
        const {groups, values} = await sharesBy(app, self, {file_id: file.id, line}, 'data_id');
        const order = values.get(app.metric.name) || new Map();
        return [...groups.keys()]
            .sort((a, b) => (order.get(b) || 0) - (order.get(a) || 0))
            .slice(0, MOST)
            .map((id) => ({
                kind: 'structure',
                line,
                what: 'misses in ' + all.nameAt(all.rowOfId.get(id)),
                values: new Map([...values].map(([key, numbers]) => [key, numbers.get(id)])),
                cell: () => [h('span', {class: 'mark'}, 'misses in'), all.link(id)],
            }));
    }

    async instructions(functionIds, line) {
        const found = [];
        for (const id of functionIds)
            found.push(
                ...(await instructionsOf(
                    this.app,
                    this.names.functionRow(id),
                    this.file.list,
                    (file, at) => file === this.file.id && at === line,
                )),
            );
        const rows = found.slice(0, MOST).map((instruction) => ({
            kind: 'instruction',
            line,
            what: 'the instruction at ' + format.hex(instruction.address),
            values: instruction.values,
            cell: () => [
                h('span', {class: 'mark'}, format.hex(instruction.address)),
                instruction.text === null
                    ? h('span', {class: 'dim'}, `${instruction.length} bytes`)
                    : instruction.text,
            ],
        }));
        const coded = await Promise.all(functionIds.map((id) => isCoded(this.app, id)));
        return coded.every(Boolean) ? rows : [...rows, leftOut(line)];
    }
}

const leftOut = (line) => ({
    kind: 'instruction',
    line,
    what: 'instructions',
    values: new Map(),
    cell: () => h('i', {class: 'dim'}, NOT_CODED),
});
