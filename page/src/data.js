// SPDX-License-Identifier: GPL-2.0-or-later
//
// data.js: the tables of the profile, decoded when they are asked for.
//
// The page holds its tables as blocks, one per column and chunk of rows (profile/html/html_sheet.h says how they are
// made: deflated differences from another column). Nothing is decoded before a view needs it. A number column is a
// Float64Array with NaN for NULL; beyond 2^53 its last digits are lost, which format.js shows. A text column is read
// string by string.

import * as format from './format.js';

const KEPT = 40; // columns of a table that stay decoded
const KEPT_PARTS = 200; // and parts of them that others refer to

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+;=?@^_|}~,./:[]';
const VALUE = new Uint8Array(128);
for (let i = 0; i < DIGITS.length; i++) VALUE[DIGITS.charCodeAt(i)] = i;

/* Five digits of base 85 are four bytes; of an end of n digits n - 1 bytes count, as if the highest digit followed
 * (profile/html/html_pack.h). */
function bytesOf(text) {
    const groups = Math.ceil(text.length / 5);
    const view = new DataView(new ArrayBuffer(4 * groups));
    const digits = text.padEnd(5 * groups, DIGITS[84]);
    for (let g = 0, i = 0; g < groups; g++, i += 5) {
        let value = VALUE[digits.charCodeAt(i)];
        value = 85 * value + VALUE[digits.charCodeAt(i + 1)];
        value = 85 * value + VALUE[digits.charCodeAt(i + 2)];
        value = 85 * value + VALUE[digits.charCodeAt(i + 3)];
        view.setUint32(4 * g, 85 * value + VALUE[digits.charCodeAt(i + 4)]);
    }
    return new Uint8Array(view.buffer, 0, Math.floor((text.length * 4) / 5));
}

async function inflate(text) {
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Strings that are made from their bytes one at a time. */
class Texts {
    constructor(chunks) {
        this.chunks = chunks; // {start: Uint32Array of offsets, bytes, empty: which are NULL}
        this.size = chunks.length ? chunks[0].rows : 0;
        this.known = new Map();
        this.decoder = new TextDecoder();
    }

    /* null for NULL. */
    at(row) {
        let text = this.known.get(row);
        if (text === undefined) {
            const c = this.chunks[Math.floor(row / this.size)];
            const i = row % this.size;
            text = c.null[i] ? null : this.decoder.decode(c.bytes.subarray(c.start[i], c.start[i + 1]));
            this.known.set(row, text);
        }
        return text;
    }
}

function decodeTexts(bytes, rows) {
    const start = new Uint32Array(rows + 1);
    const none = new Uint8Array(rows);
    const reader = new Varints(bytes);
    let sum = 0;
    for (let i = 0; i < rows; i++) {
        const size = reader.next();
        none[i] = size === 0 ? 1 : 0;
        start[i] = sum;
        sum += Math.max(size - 1, 0);
    }
    start[rows] = sum;
    return {rows, start, null: none, bytes: bytes.subarray(reader.at)};
}

class Varints {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 1; // behind the block's kind
    }

    next() {
        let value = this.bytes[this.at++];
        if (value < 128) return value;
        value &= 127;
        for (let factor = 128, byte = 128; byte > 127; factor *= 128) {
            byte = this.bytes[this.at++];
            value += (byte & 127) * factor;
        }
        return value;
    }
}

export class Table {
    constructor(text, name, index) {
        this.text = text;
        this.name = name;
        this.rows = index.rows;
        this.chunk = index.chunk;
        this.names = index.columns.map((column) => column.name);
        this.columns = new Map(index.columns.map((column) => [column.name, column]));
        this.kept = new Map(); // name -> promise of a whole column
        this.units_ = new Map(); // name:chunk -> promise of numbers; of reals in units
    }

    has(name) {
        return this.columns.has(name);
    }

    chunks() {
        return Math.ceil(this.rows / this.chunk);
    }

    rowsOf(chunk) {
        return Math.min(this.chunk, this.rows - chunk * this.chunk);
    }

    block(column, chunk) {
        const at = column.blocks[2 * chunk];
        return inflate(this.text.slice(at, at + column.blocks[2 * chunk + 1]));
    }

    /* Whole columns, numbers or texts, by their names. */
    async read(...names) {
        const isText = (name) => this.columns.get(name).kind === 'text';
        const all = await Promise.all(names.map((name) => (isText(name) ? this.texts(name) : this.numbers(name))));
        return Object.fromEntries(names.map((name, i) => [name, all[i]]));
    }

    /* Rows, all unless told otherwise, as objects of their columns, with their number as `row`; texts as they can be
     * shown, '' for NULL. */
    async records(rows = [...Array(this.rows).keys()], names = this.names) {
        const columns = Object.entries(await this.read(...names));
        const text = (of, row) => (of.at(row) ? format.name(of.at(row)) : '');
        const value = (of, row) => (of instanceof Texts ? text(of, row) : of[row]);
        return rows.map((row) => ({row, ...Object.fromEntries(columns.map(([name, of]) => [name, value(of, row)]))}));
    }

    /* A whole column of numbers. */
    numbers(name) {
        return this.keep(name, async () => {
            const all = new Float64Array(this.rows);
            for (let chunk = 0; chunk < this.chunks(); chunk++)
                all.set(await this.part(name, chunk), chunk * this.chunk);
            return all;
        });
    }

    /* The numbers of one chunk. */
    async part(name, chunk) {
        const {units, unit} = await this.units(name, chunk);
        return unit === 1 ? units : units.map((value) => value * unit);
    }

    texts(name) {
        return this.keep(name, async () => {
            const column = this.columns.get(name);
            const chunks = [];
            for (let chunk = 0; chunk < this.chunks(); chunk++)
                chunks.push(decodeTexts(await this.block(column, chunk), this.rowsOf(chunk)));
            return new Texts(chunks);
        });
    }

    /* The texts of one chunk. */
    async textPart(name, chunk) {
        return new Texts([decodeTexts(await this.block(this.columns.get(name), chunk), this.rowsOf(chunk))]);
    }

    keep(name, make) {
        const known = this.kept.get(name);
        if (known) {
            this.kept.delete(name); // and to the end: used last
            this.kept.set(name, known);
            return known;
        }
        const made = make();
        this.kept.set(name, made);
        if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value);
        return made;
    }

    units(name, chunk) {
        const key = name + ':' + chunk;
        if (!this.units_.has(key)) {
            this.units_.set(key, this.decode(this.columns.get(name), chunk));
            if (this.units_.size > KEPT_PARTS) this.units_.delete(this.units_.keys().next().value);
        }
        return this.units_.get(key);
    }

    async decode(column, chunk) {
        const bytes = await this.block(column, chunk);
        const units = new Float64Array(this.rowsOf(chunk));
        if (bytes[0] === 1) {
            const view = new DataView(bytes.buffer, bytes.byteOffset);
            for (let i = 0; i < units.length; i++) units[i] = view.getFloat64(1 + 8 * i, true);
            return {units, unit: 1};
        }
        const codes = new Varints(bytes);
        const unitsOf = async (number) => (await this.units(this.names[number], chunk)).units;
        const depth = bytes[0] === 3 ? await unitsOf(codes.next()) : null;
        const minus = codes.next();
        const where = codes.next();
        const base = minus > 1 ? await unitsOf(minus - 2) : null;
        const there = where ? await unitsOf(where - 1) : null;
        const open = []; // by depth: the sum of rows that wait for the one above them
        let before = 0;
        for (let i = 0; i < units.length; i++) {
            if (there && !there[i]) {
                units[i] = there[i]; // 0, or NaN, which is not true either
            } else {
                const code = codes.next() - 1;
                const difference = code % 2 ? -(code + 1) / 2 : code / 2;
                const below = (depth && open[depth[i] + 1]) || 0;
                units[i] = code < 0 ? NaN : difference + (base ? base[i] || 0 : before) + below;
                if (minus === 1) before = units[i] || 0;
            }
            if (depth) {
                open[depth[i] + 1] = 0;
                open[depth[i]] = (open[depth[i]] || 0) + (units[i] || 0);
            }
        }
        return {units, unit: column.kind === 'real' ? 1 / 65536 : 1};
    }
}

/* ------------------------------------------------------------------------------------------ the profile */

export async function openProfile() {
    const text = document.getElementById('data').textContent;
    const index = JSON.parse(new TextDecoder().decode(await inflate(document.getElementById('index').textContent)));
    const tables = {};
    for (const name of Object.keys(index.tables)) tables[name] = new Table(text, name, index.tables[name]);
    const {key, value} = await tables.meta.read('key', 'value');
    const meta = new Map(Array.from({length: tables.meta.rows}, (_, i) => [key.at(i), value.at(i)]));
    const sections = new Map(index.sections.map((section) => [section.key, section]));
    return {title: index.title, time: index.time, sections, tables, meta};
}

/* The text of a source file: {text: its lines, newer: it has changed since}, {refused: why it is not there}, or {}. */
export async function sourceOf({sources, source_text: texts, refused}, fileId) {
    if (!sources) return {};
    const {file_id: ids, newer} = await sources.read('file_id', 'newer');
    const at = ids.indexOf(fileId);
    if (at < 0) {
        const row = refused ? (await refused.numbers('file_id')).indexOf(fileId) : -1;
        return row < 0 ? {} : {refused: (await refused.texts('why')).at(row)};
    }
    const text = (await texts.textPart('text', at)).at(0).split('\n');
    if (text.length > 1 && text[text.length - 1] === '') text.pop();
    return {text, newer: newer[at] === 1};
}

/* id -> row of a table with ids. */
export async function rowsById(table) {
    if (!table.byId)
        table.byId = table.numbers('id').then((ids) => new Map(Array.from(ids, (id, row) => [id, row])));
    return table.byId;
}
