// SPDX-License-Identifier: GPL-2.0-or-later
//
// instructions.js: the instructions of a function. They lie in blocks of a few thousand, and their text in others; only
// those blocks are decoded in which the function has its own. Of a large program the page has those of functions that
// cost most (table `coded`).

import * as format from './format.js';

/* [{address, length, file, line, text, values}], in the order of addresses; `values` by metric key, self cost alone.
 * `text` is null where the page has none. `wanted(file, line)` says which. */
export async function instructionsOf(app, functionRow, list, wanted) {
    const {functions, instructions} = app.tables;
    const first = await functions.numbers('first_instruction');
    const last = await functions.numbers('last_instruction');
    const ids = await instructions.numbers('id');
    if (functionRow === undefined || first[functionRow] !== first[functionRow]) return [];
    const end = lowerBound(ids, last[functionRow] + 1); // ids ascend, but may have gaps
    const result = [];
    for (let row = lowerBound(ids, first[functionRow]); row < end;) {
        const chunk = Math.floor(row / instructions.chunk);
        const next = Math.min(end, (chunk + 1) * instructions.chunk);
        result.push(...(await inChunk(app, chunk, row, next, ids, list, wanted)));
        row = next;
    }
    return result;
}

async function inChunk(app, chunk, from, to, ids, list, wanted) {
    const {instructions} = app.tables;
    const start = chunk * instructions.chunk;
    const [files, lines, addresses, lengths] = await Promise.all(
        ['file_id', 'line', 'address', 'length'].map((name) => instructions.part(name, chunk)),
    );
    const self = list.filter((metric) => !metric.incl);
    const has = (name) => instructions.has(name);
    const numbers = (name) => instructions.part(name, chunk);
    const costs = await app.costsOf({rows: instructions.rowsOf(chunk), has, numbers}, self); // a table of its own
    const texts = await Code.load(app);
    const result = [];
    for (let row = from; row < to; row++) {
        const i = row - start;
        if (!wanted(files[i], lines[i] === lines[i] ? lines[i] : 0)) continue;
        result.push({
            address: addresses[i],
            length: lengths[i],
            file: files[i],
            line: lines[i],
            text: await texts.of(ids[row]),
            values: new Map([...costs].map(([key, cost]) => [key, cost(i)])),
        });
    }
    return result;
}

/* Whether the page has the instructions of a function; there may be none all the same. */
export async function isCoded(app, functionId) {
    const {coded} = app.tables;
    return (await app.once('coded', async () => new Set(await coded.numbers('function_id')))).has(functionId);
}

export const NOT_CODED =
    'Instructions of functions that cost little are not in this page; tenure annotate --disassemble shows them.';

/* The text of instructions, as far as the page has it: table `code`. */
class Code {
    static load(app) {
        const {code} = app.tables;
        const load = async () => ({code, ids: await code.numbers('instruction_id'), chunks: new Map()});
        return app.once('code', async () => Object.assign(new Code(), await load()));
    }

    async of(id) {
        const row = lowerBound(this.ids, id);
        if (this.ids[row] !== id) return null;
        const chunk = Math.floor(row / this.code.chunk);
        if (!this.chunks.has(chunk)) this.chunks.set(chunk, await this.code.textPart('text', chunk));
        const text = this.chunks.get(chunk).at(row % this.code.chunk);
        return text === null ? null : format.name(text);
    }
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
