// SPDX-License-Identifier: GPL-2.0-or-later
//
// details.js: what a source line consists of: the functions that have code there, calls, data structures that it misses
// in, and instructions, as rows for the table of the source: {kind, line, what: its name in tooltips, values: its costs
// by metric keys, cell(): what stands in the line}.

import {h} from './dom.js';
import * as format from './format.js';
import {instructionsOf, isCoded, NOT_CODED} from './instructions.js';
import {hasStructures, sharesBy, Structures} from './structures.js';

const MOST = 400; // rows of one kind

const mark = (words) => h('span.mark', words);

/* What an item costs. */
const valuesOf = (costs, item) => new Map([...costs].map(([key, cost]) => [key, cost(item)]));

/* The items that cost most. */
const heaviest = (items, cost) => items.sort((a, b) => (cost(b) || 0) - (cost(a) || 0)).slice(0, MOST);

export class Details {
    constructor(app, names, file) {
        Object.assign(this, {app, names, file});
    }

    async of(line) {
        const rows = this.file.byLine.get(line) || [];
        const functionIds = [...new Set(rows.map((row) => this.file.functionIds[row]))];
        const parts = [
            ...(functionIds.length > 1 ? await this.functions(rows) : []),
            ...(await this.calls(line)),
            ...(await this.structures(line)),
            ...(await this.instructions(functionIds, line)),
        ];
        return parts.map((part) => ({...part, line}));
    }

    /* The line's rows, one for each function. */
    async functions(rows) {
        const costs = await this.app.costsOf(this.app.tables.lines, this.file.list);
        return rows.slice(0, MOST).map((row) => {
            const ref = this.names.ref(this.file.functionIds[row]);
            const cell = () => [mark('in'), this.app.linkTo(ref)];
            return {kind: 'part', what: ref.name, values: valuesOf(costs, row), cell};
        });
    }

    async calls(line) {
        const {app, file} = this;
        const found = file.calls.get(line) || [];
        if (!found.length) return [];
        const {callee_id: callees, calls} = await app.tables.arcs.read('callee_id', 'calls');
        const costs = await app.costsOf(app.tables.arcs, file.list.filter((metric) => metric.incl));
        return heaviest(found, costs.get(app.metric.key) || ((arc) => calls[arc])).map((arc) => {
            const ref = this.names.ref(callees[arc]);
            const cell = () => [mark('calls'), app.linkTo(ref), h('span.dim', ' ' + format.times(calls[arc]))];
            return {kind: 'call', what: 'the call of ' + ref.name, values: valuesOf(costs, arc), cell};
        });
    }

    async structures(line) {
        const {app, file} = this;
        if (!hasStructures(app.profile)) return [];
        const all = await Structures.load(app);
        const self = file.list.filter((metric) => !metric.incl);
        const {ids, costs} = await sharesBy(app, self, {file_id: file.id, line}, 'data_id');
        return heaviest(ids, costs.get(app.metric.name) || (() => 0)).map((id) => {
            const ref = all.ref(id);
            const cell = () => [mark('misses in'), app.linkTo(ref)];
            return {kind: 'structure', what: 'misses in ' + ref.name, values: valuesOf(costs, id), cell};
        });
    }

    async instructions(functionIds, line) {
        const {app, names, file} = this;
        const here = (of, at) => of === file.id && at === line;
        const found = [];
        for (const id of functionIds)
            found.push(...(await instructionsOf(app, names.functionRow(id), file.list, here)));
        const rows = found.slice(0, MOST).map(({address, text, length, values}) => {
            const cell = () => [mark(format.hex(address)), text === null ? h('span.dim', `${length} bytes`) : text];
            return {kind: 'instruction', what: 'the instruction at ' + format.hex(address), values, cell};
        });
        const coded = await Promise.all(functionIds.map((id) => isCoded(app, id)));
        const leftOut = () => h('i.dim', NOT_CODED);
        return coded.every(Boolean)
            ? rows
            : [...rows, {kind: 'instruction', what: 'instructions', values: new Map(), cell: leftOut}];
    }
}
