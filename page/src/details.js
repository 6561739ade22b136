// SPDX-License-Identifier: GPL-2.0-or-later
//
// details.js: what a source line consists of: the functions that have code there, calls, and instructions.
//
// Instructions lie in blocks of a few thousand; only those blocks are decoded in which the line's functions have
// theirs.

import {h} from './dom.js';
import * as format from './format.js';

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

    async instructions(functionIds, line) {
        const {functions} = this.app.tables;
        const [first, last] = await Promise.all([
            functions.numbers('first_instruction'),
            functions.numbers('last_instruction'),
        ]);
        const result = [];
        for (const id of functionIds) {
            const row = this.names.functionRow(id);
            if (row !== undefined && first[row] === first[row])
                result.push(...(await this.inRange(first[row], last[row], line)));
        }
        return result.slice(0, MOST);
    }

    /* Ids of instructions ascend, but need not be without gaps. */
    async inRange(first, last, line) {
        const {instructions} = this.app.tables;
        const ids = await instructions.numbers('id');
        const result = [];
        let row = lowerBound(ids, first);
        while (row < ids.length && ids[row] <= last) {
            const chunk = Math.floor(row / instructions.chunk);
            const end = Math.min(lowerBound(ids, last + 1), (chunk + 1) * instructions.chunk);
            result.push(...(await this.inChunk(chunk, row, end, line)));
            row = end;
        }
        return result;
    }

    async inChunk(chunk, from, to, line) {
        const {instructions} = this.app.tables;
        const start = chunk * instructions.chunk;
        const [files, lines, addresses, lengths] = await Promise.all(
            ['file_id', 'line', 'address', 'length'].map((name) => instructions.part(name, chunk)),
        );
        const part = partOf(instructions, chunk);
        const self = this.file.list.filter((metric) => !metric.incl);
        const values = await this.app.valuesOf(part, self);
        const [ids, texts] = await Promise.all([instructions.numbers('id'), Code.load(this.app)]);
        const result = [];
        for (let row = from; row < to; row++) {
            const i = row - start;
            if (files[i] !== this.file.id || (lines[i] || 0) !== line) continue;
            const text = await texts.of(ids[row]);
            result.push({
                kind: 'instruction',
                line,
                what: 'the instruction at ' + format.hex(addresses[i]),
                values: this.pick(values, i),
                cell: () => [
                    h('span', {class: 'mark'}, format.hex(addresses[i])),
                    text === null ? h('span', {class: 'dim'}, `${lengths[i]} bytes`) : format.name(text),
                ],
            });
        }
        return result;
    }
}

/* The text of instructions, as far as the page has it: table `code`, a chunk at a time. */
class Code {
    static async load(app) {
        const {code} = app.tables;
        return Object.assign(new Code(), {code, ids: await code.numbers('instruction_id'), chunks: new Map()});
    }

    async of(id) {
        const row = lowerBound(this.ids, id);
        if (this.ids[row] !== id) return null;
        const chunk = Math.floor(row / this.code.chunk);
        if (!this.chunks.has(chunk)) this.chunks.set(chunk, await this.code.textPart('text', chunk));
        return this.chunks.get(chunk).at(row % this.code.chunk);
    }
}

/* A chunk of a table as a table of its own. */
function partOf(table, chunk) {
    return {rows: table.rowsOf(chunk), has: (name) => table.has(name), numbers: (name) => table.part(name, chunk)};
}

function lowerBound(sorted, value) {
    let [low, high] = [0, sorted.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] < value) low = middle + 1;
        else high = middle;
    }
    return low;
}
