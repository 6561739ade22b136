// SPDX-License-Identifier: GPL-2.0-or-later
//
// data.js: the tables of the profile, decoded when they are asked for.
//
// The page holds its tables as blocks, one per column and chunk of rows (profile/html/html_sheet.h says how they are
// made: deflated differences from predictions). Nothing is decoded before a view needs it. A number column is a
// Float64Array with NaN for NULL; beyond 2^53 its last digits are lost, which format.js shows. A text column is read
// string by string.

const KEPT = 40; // columns of a table that stay decoded
const KEPT_PARTS = 200; // and parts of them that others are predicted from

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
        this.odd = false; // the last one, which is not to be seen beyond 2^53
    }

    next() {
        let value = this.bytes[this.at++];
        this.odd = value % 2 === 1;
        if (value < 128) return value;
        value &= 127;
        for (let factor = 128, byte = 128; byte > 127; factor *= 128) {
            byte = this.bytes[this.at++];
            value += (byte & 127) * factor;
        }
        return value;
    }
}

const WRAP = 2 ** 64;

/* The difference that a code stands for, added to what was predicted, modulo 2^64. */
function applied(predicted, code, odd) {
    const z = code - 2;
    const d = odd ? -(z + 1) / 2 : z / 2;
    const value = (predicted !== predicted ? 0 : predicted) + d;
    return value >= WRAP / 2 ? value - WRAP : value < -WRAP / 2 ? value + WRAP : value;
}

export class Table {
    /* `tables`: all of them, by name. */
    constructor(text, name, index, tables) {
        this.text = text;
        this.name = name;
        this.rows = index.rows;
        this.chunk = index.chunk;
        this.totals = index.totals && tables[index.totals];
        this.key = index.key; // column of the ids that the totals are of
        this.columns = new Map(index.columns.map((column) => [column.name, column]));
        this.kept = new Map(); // name -> promise of a whole column
        this.units_ = new Map(); // name:chunk -> promise of {units, exact}
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
        const column = this.columns.get(name);
        const {units, exact} = await this.units(name, chunk);
        if (exact) return exact;
        return column.kind === 'real' ? units.map((unit) => unit / 65536) : units;
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

    /* -------------------------------------------------------------------------------------- units and predictions */

    units(name, chunk) {
        const key = name + ':' + chunk;
        if (!this.units_.has(key)) {
            this.units_.set(key, this.decode(this.columns.get(name), chunk));
            if (this.units_.size > KEPT_PARTS) this.units_.delete(this.units_.keys().next().value);
        }
        return this.units_.get(key);
    }

    /* The units of all chunks. */
    async allUnits(name) {
        const all = new Float64Array(this.rows);
        for (let chunk = 0; chunk < this.chunks(); chunk++)
            all.set((await this.units(name, chunk)).units, chunk * this.chunk);
        return all;
    }

    /* For each row of a chunk the row of the totals with its id, or -1. */
    async totalRows(chunk) {
        const [rows, {units}] = await Promise.all([rowsById(this.totals), this.units(this.key, chunk)]);
        return Int32Array.from(units, (id) => (id && rows.has(id) ? rows.get(id) : -1));
    }

    async decode(column, chunk) {
        const rows = this.rowsOf(chunk);
        const bytes = await this.block(column, chunk);
        const terms = [];
        for (const [name] of column.terms || []) terms.push((await this.units(name, chunk)).units);
        const where = bytes[0] === 3 ? (await this.units(column.where, chunk)).units : null;
        const of = {column, rows, terms, where, bytes, units: new Float64Array(rows), exact: null};
        if (column.from === 'below' && chunk) of.open = (await this.units(column.name, chunk - 1)).open;
        if (column.from === 'like' || column.from === 'share') of.totalRows = await this.totalRows(chunk);
        if (column.from === 'like') of.last = new Uint32Array(this.totals.rows);
        if (column.from === 'share') await openShares(this, of, chunk);
        if (bytes[0] === 1) {
            of.exact = new Float64Array(rows);
            const view = new DataView(bytes.buffer, bytes.byteOffset);
            for (let i = 0; i < rows; i++) of.exact[i] = view.getFloat64(1 + 8 * i, true);
        }
        (column.from === 'below' ? decodeTree : decodeRows)(of);
        return of;
    }
}

/* What nobody has taken yet of this column's totals and of those of what it is a part of; without that, of rows. */
async function openShares(table, of, chunk) {
    const {column, totalRows} = of;
    const {totals} = table;
    const before = chunk ? await table.units(column.name, chunk - 1) : null;
    const total = await totals.allUnits(column.name);
    of.possible = total.map((value) => (value === value ? 1 : 0));
    of.left = before ? before.left.slice() : total.map(number);
    if (column.terms.length)
        of.leftOf = before ? before.leftOf.slice() : (await totals.allUnits(column.terms[0][0])).map(number);
    else {
        of.leftOf = new Float64Array(totals.rows);
        for (const row of totalRows) if (row >= 0) of.leftOf[row]++;
    }
}

function decodeRows(of) {
    const {column, rows, terms, where, units, exact} = of;
    const codes = new Varints(of.bytes);
    const predict = predictions[of.bytes[0] === 4 ? 'zero' : column.from || 'zero'](terms, column.terms, units, of);
    const taken = column.from === 'share' ? takeShare(of) : column.from === 'like' ? takeLike(of) : null;
    for (let i = 0; i < rows; i++) {
        if (exact) units[i] = unitsOf(exact[i]);
        else {
            const code = where && !where[i] ? 0 : codes.next(); // !NaN is true: NULL
            units[i] = code === 1 ? NaN : code === 0 ? predict(i) : applied(predict(i), code, codes.odd);
        }
        if (taken) taken(i);
    }
}

/* What a row leaves to those behind it. */
function takeShare({terms: [base], totalRows, left, leftOf, units}) {
    return (i) => {
        const row = totalRows[i];
        if (row < 0) return;
        left[row] -= number(units[i]);
        leftOf[row] -= base ? number(base[i]) : 1;
    };
}

function takeLike({terms: [base], totalRows, last, units}) {
    return (i) => {
        if (totalRows[i] >= 0 && units[i] === units[i] && base[i]) last[totalRows[i]] = i + 1; // NaN is false
    };
}

function unitsOf(value) {
    const scaled = value * 65536;
    return value !== value ? NaN : Math.abs(scaled) < 4e18 ? Math.trunc(scaled) : 0;
}

const number = (value) => (value === value ? value : 0);

/* floor(a b / c), 0 where the page's writer would not have it exactly. */
function quotient(a, b, c) {
    const value = Math.floor((a * b) / c);
    return Math.abs(value) < 9e15 ? value : 0;
}

const predictions = {
    zero: () => () => 0,
    previous: (terms, _, own) => (i) => (i ? number(own[i - 1]) : 0),
    following:
        ([of], _, own) =>
        (i) =>
            i ? number(own[i - 1]) + number(of[i - 1]) : 0,
    sum: (terms, said) => (i) => {
        let sum = NaN;
        for (let t = 0; t < terms.length; t++)
            if (terms[t][i] === terms[t][i]) sum = number(sum) + terms[t][i] * said[t][1];
        return sum;
    },
    harmonic:
        ([a, b]) =>
        (i) => {
            if (a[i] !== a[i]) return NaN;
            return b[i] > 0 ? quotient(65536000 * a[i], a[i], b[i]) : 0;
        },
    share:
        ([base], _, __, {totalRows, possible, left, leftOf}) =>
        (i) => {
            const row = totalRows[i];
            const of = base ? base[i] : 1;
            if (row < 0 || of !== of || !possible[row]) return NaN;
            if (of === leftOf[row]) return left[row];
            return leftOf[row] > 0 ? quotient(left[row], of, leftOf[row]) : 0;
        },
    like:
        ([base], _, own, {totalRows, last}) =>
        (i) => {
            if (base[i] !== base[i]) return NaN;
            const before = totalRows[i] < 0 ? 0 : last[totalRows[i]];
            return before ? quotient(base[i], own[before - 1], base[before - 1]) : 0;
        },
};

/* Inclusive costs of a tree in post-order: what is open at each depth waits for its parent. */
function decodeTree(of) {
    const {
        rows,
        terms: [own, depth],
        units,
        exact,
    } = of;
    const codes = new Varints(of.bytes);
    const open = new Map(of.open || []);
    for (let i = 0; i < rows; i++) {
        const below = open.get(depth[i] + 1);
        open.delete(depth[i] + 1);
        let predicted = below === undefined ? NaN : below;
        if (own[i] === own[i]) predicted = number(predicted) + own[i];
        const code = exact ? 0 : codes.next();
        const value = exact
            ? unitsOf(exact[i])
            : code === 1
              ? NaN
              : code === 0
                ? predicted
                : applied(predicted, code, codes.odd);
        units[i] = value;
        if (value === value) open.set(depth[i], number(open.has(depth[i]) ? open.get(depth[i]) : NaN) + value);
    }
    of.open = open;
}

/* ------------------------------------------------------------------------------------------ the profile */

export async function openProfile() {
    const text = document.getElementById('data').textContent;
    const index = JSON.parse(new TextDecoder().decode(await inflate(document.getElementById('index').textContent)));
    const tables = {};
    for (const name of Object.keys(index.tables)) tables[name] = new Table(text, name, index.tables[name], tables);
    const meta = new Map();
    const [keys, values] = await Promise.all([tables.meta.texts('key'), tables.meta.texts('value')]);
    for (let i = 0; i < tables.meta.rows; i++) meta.set(keys.at(i), values.at(i));
    return {title: index.title, tables, meta};
}

/* id -> row of a table with ids. */
export async function rowsById(table) {
    if (!table.byId)
        table.byId = table.numbers('id').then((ids) => {
            const rows = new Map();
            for (let i = 0; i < ids.length; i++) rows.set(ids[i], i);
            return rows;
        });
    return table.byId;
}
