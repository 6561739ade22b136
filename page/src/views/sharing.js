// SPDX-License-Identifier: GPL-2.0-or-later
//
// sharing.js: what threads take from one another (--coherence=mesi): which threads, in which data structures, who wrote
// and who missed it then. False sharing comes first: lines of which nothing was touched that the others had written.
// The numbers are those of `tenure report --sharing`. They are counts of their own: of a difference they are not shown.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {Structures} from '../structures.js';
import {TEXT} from '../app.js';
import {tableSection} from '../table.js';

/* Columns of both tables: [key, heading, what it says]. */
const COUNTS = [
    ['false_sharing', 'false sharing', 'nothing that other threads had written was touched'],
    ['true_sharing', 'true sharing', 'something that other threads had written was touched'],
    ['misses', 'coherence misses', 'misses of lines that another thread\u2019s write had made invalid'],
];
/* Of threads. */
const EVENTS = ['D1fr', 'D1fw', 'D1cr', 'D1cw', 'InvD1', 'Inv', 'Upg', 'Xfr'];

const hasSharing = ({tables, meta}) =>
    Boolean(tables.sharing && tables.sharing.rows) && !meta.has('diff.baseline');

export const sharing = {
    id: 'sharing',
    title: 'Sharing',
    about: 'Lines that threads take from one another',
    has: hasSharing,

    async render(app, place) {
        const sums = await countsOf(app.tables.sharing_sums);
        const all = {app, names: await app.names(), structures: await Structures.load(app), sums};
        const pairs = await pairTable(all);
        append(place, top(all), await threadTable(all), await dataTable(all), pairs);
    },
};

async function countsOf(table) {
    return new Map(
        await Promise.all(COUNTS.map(async ([key]) => [key, await table.numbers(key)])),
    );
}

function top({app, sums}) {
    const of = (key) => format.count(sums.get(key)[0]);
    const {meta} = app.profile;
    return topBar(
        'Sharing',
        h(
            'span',
            {class: 'dim said-sharing'},
            `${of('misses')} coherence misses: ${of('false_sharing')} false sharing, ${of('true_sharing')} true`,
            meta.get('engine') === 'valgrind' &&
                '; Valgrind\u2019s engine gives threads long turns, in which they seldom take lines from one another',
        ),
    );
}

/* Columns of counts; their shares are those of all. */
const countColumns = (sums, values, what) =>
    COUNTS.map(([key, label, about]) => {
        const total = sums.get(key)[0];
        const count = (row) => values.get(key)[row];
        return {
            key,
            label,
            width: '18ch',
            title: [about],
            value: count,
            share: (row) => (total ? count(row) / total : 0),
            tip: (row) => [what(row), `${label}: ${format.count(count(row))} of ${format.count(total)}`, about],
            cell: (row) => [
                h('span', {class: 'v'}, format.count(count(row))),
                h('span', {class: 'pct'}, total ? format.percent((100 * count(row)) / total) : ''),
            ],
        };
    });

/* ------------------------------------------------------------------------------------------ threads */

async function threadTable({app}) {
    const {threads} = app.tables;
    const list = EVENTS.map((name) => app.metrics.plain(name)).filter(Boolean);
    const [ids, values] = await Promise.all([threads.numbers('id'), app.valuesOf(threads, list)]);
    if (ids.length < 2 || !list.length) return '';
    const name = (row) => `thread ${ids[row]}`;
    const table = app.sortedTable({
        items: [...ids.keys()],
        columns: [
            {key: 'thread', label: 'thread', width: '14ch', ...TEXT, value: (row) => ids[row], cell: name},
            ...app.metricColumns(list, values, name),
        ],
        by: list[0].key,
        label: 'Threads',
        small: true,
    });
    const about = 'What each thread missed, and what its writes did';
    return tableSection('shared-threads', 'Threads', about, ids.length, table);
}

/* ------------------------------------------------------------------------------------------ data structures */

async function dataTable({app, structures, sums}) {
    const {shared_data: table} = app.tables;
    const [ids, values] = await Promise.all([table.numbers('data_id'), countsOf(table)]);
    const rowAt = (row) => structures.rowOfId.get(ids[row]);
    const name = (row) => (rowAt(row) === undefined ? 'not known' : structures.nameAt(rowAt(row)));
    const shown = app.sortedTable({
        items: [...ids.keys()],
        columns: [
            ...countColumns(sums, values, name),
            {
                key: 'name',
                label: 'data structure',
                width: '30ch',
                grow: true,
                text: name,
                cell: (row) => (rowAt(row) === undefined ? name(row) : structures.link(ids[row])),
                tip: (row) => (rowAt(row) === undefined ? [] : structures.about(rowAt(row))),
            },
        ],
        by: 'false_sharing',
        label: 'What threads share',
        small: true,
        open: (row) => rowAt(row) !== undefined && app.go('structure', ids[row]),
    });
    const about = 'Data structures whose lines threads take from one another';
    return tableSection('shared-data', 'Data structures', about, ids.length, shown);
}

/* ------------------------------------------------------------------------------------------ who took from whom */

/* One end of the pairs: who wrote, or who missed. */
class Ends {
    static async load({app, names}, table, prefix) {
        const columns = ['function_id', 'file_id', 'line', 'address'].map((name) => table.numbers(prefix + name));
        const [functions, files, lines, addresses] = await Promise.all(columns);
        return Object.assign(new Ends(), {app, names, functions, files, lines, addresses});
    }

    inside(row) {
        const id = this.functions[row];
        return id === id ? this.names.function(id) : 'unknown';
    }

    /* "file.c:12", or the function. */
    label(row) {
        const [file, line] = [this.files[row], this.lines[row]];
        if (file !== file) return this.inside(row);
        return format.fileName(this.names.file(file)) + (line > 0 ? ':' + line : '');
    }

    go(row) {
        const [file, line, id] = [this.files[row], this.lines[row], this.functions[row]];
        if (file === file) return ['source', file, {l: line > 0 ? line : null}];
        return id === id ? ['function', id, {i: 1}] : null;
    }

    link(row) {
        const go = this.go(row);
        return go ? this.app.link(...go, this.label(row)) : this.label(row);
    }

    about(row, verb) {
        const [file, line, address] = [this.files[row], this.lines[row], this.addresses[row]];
        return [
            'in ' + this.inside(row),
            file === file && this.names.file(file) + (line > 0 ? ':' + line : ''),
            address === address && `the instruction at ${format.hex(address)} ${verb} most`,
        ].filter(Boolean);
    }
}

async function pairTable(all) {
    const {app, structures, sums} = all;
    const {sharing: table, sharing_sums: totals} = app.tables;
    const [writers, victims, values, data, written, touched, [pairs]] = await Promise.all([
        Ends.load(all, table, 'writer_'),
        Ends.load(all, table, ''),
        countsOf(table),
        table.numbers('data_id'),
        table.texts('written'),
        table.texts('touched'),
        totals.numbers('pairs'),
    ]);
    const rowAt = (row) => structures.rowOfId.get(data[row]);
    const name = (row) => (rowAt(row) === undefined ? '' : structures.nameAt(rowAt(row)));
    const link = (row) => rowAt(row) !== undefined && structures.link(data[row]);
    const about = (row) => (rowAt(row) === undefined ? [] : structures.about(rowAt(row)));
    const bytes = (texts) => (row) => (texts.at(row) === null ? '' : format.name(texts.at(row)));
    const what = (row) => `${writers.label(row)} \u2192 ${victims.label(row)}`;
    const shown = app.sortedTable({
        items: [...data.keys()],
        columns: [
            ...countColumns(sums, values, what),
            {
                key: 'writer',
                label: 'written by',
                width: '22ch',
                text: (row) => writers.label(row),
                cell: (row) => writers.link(row),
                tip: (row) => writers.about(row, 'wrote'),
            },
            {
                key: 'written',
                label: 'bytes written',
                width: '15ch',
                title: ['bytes of the line that other threads had written'],
                text: bytes(written),
            },
            {
                key: 'touched',
                label: 'bytes touched',
                width: '15ch',
                title: ['bytes of the line that were touched then'],
                text: bytes(touched),
            },
            {
                key: 'victim',
                label: 'missed by',
                width: '22ch',
                text: (row) => victims.label(row),
                cell: (row) => victims.link(row),
                tip: (row) => victims.about(row, 'missed'),
            },
            {key: 'name', label: 'data structure', width: '20ch', grow: true, text: name, cell: link, tip: about},
        ],
        by: 'false_sharing',
        label: 'Who took lines from whom',
        open: (row) => victims.go(row) && app.go(...victims.go(row)),
    });
    return tableSection(
        'shared-lines',
        'Who took lines from whom',
        'Whose write made a line invalid, and what missed it then',
        pairs,
        shown,
        pairs > table.rows && h('p', {class: 'dim rest'}, restWords(sums, values, table.rows, pairs)),
    );
}

function restWords(sums, values, rows, pairs) {
    const shown = values.get('misses').reduce((sum, value) => sum + value, 0);
    return (
        `${format.count(rows)} of ${format.count(pairs)} are in this page, with ${format.count(shown)} of ` +
        `${format.count(sums.get('misses')[0])} coherence misses.`
    );
}
