// SPDX-License-Identifier: GPL-2.0-or-later
//
// sharing.js: what threads take from one another (--coherence=mesi): which threads, in which data structures, who wrote
// and who missed it then. False sharing comes first: lines of which nothing was touched that the others had written.
// The numbers are those of `tenure report --sharing`. They are counts of their own: of a difference they are not shown.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {nobody} from '../names.js';
import {sectionPart} from '../section.js';
import {Structures} from '../structures.js';

/* Of threads. */
const EVENTS = ['D1fr', 'D1fw', 'D1cr', 'D1cw', 'InvD1', 'Inv', 'Upg', 'Xfr'];

export const sharing = {
    id: 'sharing',
    title: 'Sharing',
    about: 'Lines that threads take from one another',
    has: ({tables, meta}) => Boolean(tables.sharing && tables.sharing.rows) && !meta.has('diff.baseline'),

    async render(app, place) {
        const [totals] = await app.tables.sharing_sums.records();
        const structures = await Structures.load(app);
        const parts = [threadTable(app), dataTable(app, structures, totals), pairTable(app, structures, totals)];
        const of = (key) => format.count(totals[key]);
        const said = h(
            'span.dim.said-sharing',
            `${of('misses')} coherence misses: ${of('false_sharing')} false sharing, ${of('true_sharing')} true`,
            app.profile.meta.get('engine') === 'valgrind' &&
                '; Valgrind\u2019s engine gives threads long turns, in which they seldom take lines from one another',
        );
        append(place, topBar('Sharing', said), await Promise.all(parts));
    },
};

/* Cells of counts, and of the data structure. */
const shared = (structures, unknown) => ({
    false_sharing: (one) => one.false_sharing,
    true_sharing: (one) => one.true_sharing,
    misses: (one) => one.misses,
    data: (one) => structures.ref(one.data_id, unknown),
});

async function threadTable(app) {
    const {threads} = app.tables;
    const list = EVENTS.map((name) => app.metrics.plain(name)).filter(Boolean);
    const [ids, costs] = await Promise.all([threads.numbers('id'), app.costsOf(threads, list)]);
    if (ids.length < 2 || !list.length) return '';
    return sectionPart(app, 'threads', {
        name: 'shared-threads',
        about: 'What each thread missed, and what its writes did',
        items: [...ids.keys()],
        list,
        costs,
        cells: {thread: (row) => `thread ${ids[row]}`},
        open: null,
    });
}

async function dataTable(app, structures, totals) {
    return sectionPart(app, 'shared_data', {
        name: 'shared-data',
        about: 'Data structures whose lines threads take from one another',
        items: await app.tables.shared_data.records(),
        totals,
        cells: shared(structures, 'not known'),
    });
}

/* Who took lines from whom. */
async function pairTable(app, structures, totals) {
    const names = await app.names();
    const {sharing: table} = app.tables;
    const pairs = await table.records();
    const end = (prefix, verb) => (one) => {
        const [id, file, line, address] = ['function_id', 'file_id', 'line', 'address'].map((key) => one[prefix + key]);
        const place = names.place({file_id: file, line, function_id: id});
        const ref = place.go ? place : nobody('unknown');
        const most = address === address && `the instruction at ${format.hex(address)} ${verb} most`;
        return {...ref, about: () => [...ref.about(), most]};
    };
    const misses = pairs.reduce((sum, one) => sum + one.misses, 0);
    const said =
        `${format.count(table.rows)} of ${format.count(totals.pairs)} are in this page, with ${format.count(misses)} ` +
        `of ${format.count(totals.misses)} coherence misses.`;
    return sectionPart(app, 'sharing', {
        name: 'shared-lines',
        about: 'Whose write made a line invalid, and what missed it then',
        count: totals.pairs,
        items: pairs,
        totals,
        cells: {
            ...shared(structures, ''),
            writer: end('writer_', 'wrote'),
            written: ({written}) => written,
            touched: ({touched}) => touched,
            victim: end('', 'missed'),
        },
        small: false,
        rest: totals.pairs > table.rows && h('p.dim.rest', said),
    });
}
