// SPDX-License-Identifier: GPL-2.0-or-later
//
// overview.js: where to begin: what was recorded, the traffic between the caches, kinds of misses, the lines,
// functions, data structures and files that cost most of the chosen event, and all totals.

import {append, h} from '../dom.js';
import * as format from '../format.js';
import {Advice, hasAdvice} from '../advice.js';
import {SIDES} from '../metrics.js';
import {traffic} from '../traffic.js';
import {hasPatterns, kindBars, kindEvents} from '../patterns.js';
import {hasStructures, mainOf, structureMetrics, Structures} from '../structures.js';
import {groupBy, summed} from '../sums.js';
import {whereIs} from './functions.js';

const TOP = 12;

export const overview = {
    id: 'overview',
    title: 'Overview',
    about: 'What was recorded, traffic between caches, what costs most',

    async render(app, place) {
        const names = await app.names();
        const [lines, functions, files] = await Promise.all([
            topLines(app, names),
            topFunctions(app, names),
            fileIndex(app, names),
        ]);
        append(
            place,
            recorded(app),
            app.metrics.sides ? SIDES.map((side) => traffic(app, side)) : traffic(app),
            await kinds(app),
            await worthChanging(app),
            h('div', {class: 'pair'}, lines, functions, later(app), files, await totals(app)),
        );
        const parts = await Promise.all([
            listOf(app, 'threads', 'Threads', 'thread', 'id'),
            listOf(app, 'parts', 'Parts', 'part', 'part', 'why'),
        ]);
        append(place, parts);
    },

    /* Data structures come when the rest is there: it should not wait for their names. */
    shown(app, place) {
        const waiting = place.querySelector('.later');
        if (!waiting) return;
        topStructures(app)
            .catch((error) => h('p', {class: 'failed'}, 'Data structures could not be shown: ' + error.message))
            .then((section) => waiting.replaceWith(section));
    },
};

/* Where advice was looked for, and there is none. */
function nothingToSay(app) {
    const {meta} = app.profile;
    if (app.metrics.difference || meta.has('import.format') || !app.metrics.find('SpLossD1')) return '';
    return h(
        'section',
        {class: 'short worth'},
        h('h2', null, 'Advice'),
        h(
            'p',
            {class: 'dim'},
            'None: nothing that Tenure knows of would save 2\u2009% of the estimated cycles.',
            !hasPatterns(app) && ' It knows more of a recording with --patterns=yes.',
        ),
    );
}

/* The best advice, where there is any. */
async function worthChanging(app) {
    if (!hasAdvice(app.profile)) return nothingToSay(app);
    const all = await Advice.load(app);
    const shown = section(
        'Advice',
        'What to change; the numbers are what that would save of the estimated cycles',
        [h('th', {class: 'num'}, 'saves'), h('th', null, 'what')],
        all.items.slice(0, TOP).map((item) => all.short(item)),
        app.link('advice', '', {}, `all ${format.count(all.items.length)}`),
    );
    shown.classList.add('worth');
    return shown;
}

/* Of the whole program: what kinds its misses are. */
async function kinds(app) {
    if (!hasPatterns(app) || app.metrics.sides) return '';
    const values = await app.valuesOf(app.tables.totals, kindEvents(app));
    const bars = kindBars(app, (key) => values.get(key)[0]);
    return bars && h('section', {class: 'short why'}, h('h2', null, 'Misses by kind'), bars);
}

const later = (app) =>
    hasStructures(app.profile) && h('section', {class: 'short later'}, h('h2', null, 'Data structures'));

/* ------------------------------------------------------------------------------------------ what was recorded */

function recorded(app) {
    const {meta, title} = app.profile;
    const cache = (key) => {
        const match = /^(\d+),(\d+),(\d+)$/.exec(meta.get('cache.' + key) || '');
        return match && `${key} ${size(Number(match[1]))}, ${match[2]}-way, ${match[3]}-byte lines`;
    };
    const facts = [
        ['Caches', ['I1', 'D1', 'L2', 'LL'].map(cache).filter(Boolean).join('  \u00b7  ')],
        [
            'Recorded',
            [
                meta.get('creator'),
                meta.get('engine') && meta.get('engine') + ' engine',
                meta.get('threads') && meta.get('threads') + ' threads',
            ]
                .filter(Boolean)
                .join('  \u00b7  '),
        ],
        ['In', meta.get('directory')],
        ['Difference', app.metrics.difference && `${meta.get('diff.new')} minus ${meta.get('diff.baseline')}`],
        ['Damaged', meta.get('import.damage')],
    ];
    return h(
        'div',
        {class: 'recorded'},
        h('h1', {class: 'name'}, format.name(title)),
        h(
            'dl',
            null,
            facts
                .filter(([, value]) => value)
                .map(([key, value]) => [h('dt', null, key), h('dd', null, format.name(value))]),
        ),
    );
}

function size(bytes) {
    for (const [unit, factor] of [
        ['GiB', 2 ** 30],
        ['MiB', 2 ** 20],
        ['KiB', 2 ** 10],
    ])
        if (bytes >= factor) return +(bytes / factor).toFixed(2) + ' ' + unit;
    return bytes + ' bytes';
}

/* ------------------------------------------------------------------------------------------ short lists */

/* The rows with the largest numbers, by their size. */
function largest(values, count) {
    const rows = [];
    for (let i = 0; i < values.length; i++) {
        const weight = Math.abs(values[i]);
        if (!(weight > 0) || (rows.length === count && weight <= Math.abs(values[rows[count - 1]]))) continue;
        let at = rows.length;
        while (at > 0 && Math.abs(values[rows[at - 1]]) < weight) at--;
        rows.splice(at, 0, i);
        if (rows.length > count) rows.pop();
    }
    return rows;
}

/* Cells of an event: the number, and a bar of its share; of a difference, before and after in front of it. */
function costs(app, list, valueOf, what) {
    const metric = list[list.length - 1];
    const number = (one) =>
        h(
            'td',
            {
                class: 'num' + (valueOf(one) < 0 ? ' less' : '') + (one === metric ? '' : ' dim'),
                'data-key': one.key,
                tip: () => app.metrics.explain(one, valueOf(one), what),
            },
            app.metrics.show(one, valueOf(one)),
        );
    return [list.map(number), shareCell(app, metric, valueOf(metric), list.length > 1 && valueOf(list[0]), what)];
}

function shareCell(app, metric, value, before, what) {
    const share = app.metrics.share(metric, value);
    const heat = metric.incl ? 0 : Math.min(1, Math.sqrt(Math.abs(share || 0) / 100)).toFixed(3);
    return h(
        'td',
        {class: 'share', tip: () => app.metrics.explain(metric, value, what)},
        h(
            'span',
            {
                class: 'bar' + (share < 0 ? ' less' : ''),
                style: {
                    '--part': Math.min(100, Math.abs(share) || 0) + '%',
                    '--heat': metric.change ? 1 : heat,
                },
            },
            app.metrics.percent(metric, value, before),
        ),
    );
}

function ratioCell(app, metric, value, what) {
    return h(
        'td',
        {class: 'num dim', 'data-key': metric.key, tip: () => app.metrics.explain(metric, value, what)},
        app.metrics.show(metric, value),
    );
}

function section(title, about, headings, rows, more) {
    return h(
        'section',
        {class: 'short'},
        h('h2', {tip: () => [about]}, title, more && h('span', {class: 'more'}, more)),
        rows.length
            ? h('table', null, h('thead', null, h('tr', null, headings)), h('tbody', null, rows))
            : h('p', {class: 'dim'}, 'nothing'),
    );
}

const heading = (app, list) => [
    list.map((metric) =>
        h(
            'th',
            {class: 'num', tip: () => [app.metrics.title(metric) + ': ' + metric.long]},
            metric.side || app.metrics.title(metric),
        ),
    ),
    h('th'),
];
const spatial = (app) => app.metrics.find('spatialD1') || app.metrics.find('D1rate');

/* Rows of costs, `valueOf(metric, row)`, which a cell names; `used`: with the ratio of spatial use. */
function topTable(app, {title, kind, list, rows, valueOf, used, what, tip, cell, more}) {
    const metric = list[list.length - 1];
    const ratio = used && spatial(app);
    const line = (row) =>
        h(
            'tr',
            null,
            costs(app, list, (one) => valueOf(one, row), what(row)),
            ratio && ratioCell(app, ratio, used[row], what(row)),
            h('td', {class: 'name', tip: tip && (() => tip(row))}, cell(row)),
        );
    return section(
        title,
        app.metrics.title(metric) + ': ' + metric.long,
        [heading(app, list), ratio && h('th', {class: 'num'}, ratio.name), h('th', null, kind)],
        rows.map(line),
        more,
    );
}

/* Of a table, what the costs of its heaviest rows are, for topTable. */
async function heaviest(app, table, metric) {
    const list = app.withSides(metric);
    const ratio = spatial(app);
    const [values, used] = await Promise.all([
        app.valuesOf(table, list),
        ratio && app.metrics.values(table, ratio),
    ]);
    return {list, used, rows: largest(values.get(metric.key), TOP), valueOf: (one, row) => values.get(one.key)[row]};
}

async function topFunctions(app, names) {
    const {functions} = app.tables;
    const [found, ids] = await Promise.all([heaviest(app, functions, app.metric), functions.numbers('id')]);
    return topTable(app, {
        ...found,
        title: 'Functions',
        kind: 'function',
        what: names.functionAt,
        tip: (row) => [names.functionAt(row), ...whereIs(names, row)],
        cell: (row) => app.link('function', ids[row], {}, names.functionAt(row)),
        more: app.link('functions', '', {}, `all ${format.count(functions.rows)}`),
    });
}

/* Self cost: where it happens, not what calls it. */
async function topLines(app, names) {
    const {lines} = app.tables;
    const [found, files, numbers, functionIds] = await Promise.all([
        heaviest(app, lines, app.metrics.find(app.metric.name)),
        ...['file_id', 'line', 'function_id'].map((name) => lines.numbers(name)),
    ]);
    const known = (row) => files[row] === files[row];
    const where = (row) =>
        known(row) ? format.fileName(names.file(files[row])) + (numbers[row] > 0 ? ':' + numbers[row] : '') : '???';
    const inside = (row) => names.function(functionIds[row]);
    return topTable(app, {
        ...found,
        title: 'Lines',
        kind: 'line',
        what: where,
        tip: (row) => [known(row) && names.file(files[row]), 'in ' + inside(row)],
        cell: (row) =>
            known(row)
                ? [
                      app.link('source', files[row], {l: numbers[row] > 0 ? numbers[row] : null}, where(row)),
                      ' ',
                      h('span', {class: 'dim'}, inside(row)),
                  ]
                : app.link('function', functionIds[row], {i: 1}, inside(row)),
    });
}

/* What is lost in data. */
async function topStructures(app) {
    const {data} = app.tables;
    const [all, shown] = await Promise.all([Structures.load(app), structureMetrics(app)]);
    return topTable(app, {
        ...(await heaviest(app, data, mainOf(shown))),
        title: 'Data structures',
        kind: 'data structure',
        what: (row) => all.nameAt(row),
        tip: (row) => all.about(row),
        cell: (row) => [
            app.link('structure', all.id[row], {}, all.nameAt(row)),
            h('span', {class: 'dim'}, all.above(row)),
        ],
        more: app.link('data', '', {}, `all ${format.count(data.rows)}`),
    });
}

/* Self cost by file: {list, values: metric key -> (file id, or 0 without line information -> cost)}. */
export async function fileCosts(app) {
    const {lines} = app.tables;
    const list = app.withSides(app.metrics.find(app.metric.name));
    const files = await lines.numbers('file_id');
    const groups = groupBy([...files.keys()], files);
    const values = await summed(app, lines, list, groups);
    return {list, values, ids: [...groups.keys()]};
}

async function fileIndex(app, names) {
    const {list, values, ids} = await fileCosts(app);
    const metric = list[list.length - 1];
    const own = values.get(metric.key);
    const shown = ids.filter((id) => own.get(id)).sort((a, b) => Math.abs(own.get(b)) - Math.abs(own.get(a)));
    const path = (id) => (id === 0 ? 'without line information' : names.file(id));
    return topTable(app, {
        list,
        rows: shown.slice(0, TOP),
        valueOf: (one, id) => values.get(one.key).get(id),
        title: 'Files',
        kind: 'file',
        what: path,
        tip: (id) => [path(id)],
        cell: (id) => (id === 0 ? h('i', null, path(id)) : app.link('source', id, {}, format.fileName(path(id)))),
        more: app.link('source', '', {}, `all ${format.count(ids.length)}`),
    });
}

/* ------------------------------------------------------------------------------------------ totals */

async function totals(app) {
    const {metrics} = app;
    const rows = [...metrics.events.keys()].map((name) =>
        totalRow(app, metrics.find(name), (one) => one.total, app.link('overview', '', {e: name + '_incl'}, name)),
    );
    const value = (one) => metrics.of(one, (name) => metrics.totals.get(name));
    for (const name of metrics.ratios.keys()) rows.push(totalRow(app, metrics.find(name), value, name));
    return h(
        'section',
        {class: 'short totals'},
        h('h2', {tip: () => ['Every event of the whole program']}, 'Totals'),
        h('div', {class: 'scroll', tabindex: 0}, h('table', null, h('tbody', null, rows))),
    );
}

function totalRow(app, metric, valueOf, label) {
    const {metrics} = app;
    const list = app.withSides(metric);
    const about = metric.long + (metric.unit === '%' ? ', %' : '');
    return h(
        'tr',
        {'data-event': metric.name},
        list.map((one) =>
            h(
                'td',
                {
                    class: 'num' + (one.side ? ' dim' : ''),
                    'data-key': one.key,
                    tip: () => metrics.explain(one, valueOf(one), 'the whole program'),
                },
                metrics.show(one, valueOf(one)),
            ),
        ),
        metrics.sides && h('td', {class: 'num dim'}, metric.ratio ? '' : growth(app, list, valueOf)),
        h('td', {class: 'name'}, h('b', null, label), ' ', h('span', {class: 'dim'}, about)),
    );
}

const growth = (app, [before, , change], valueOf) => app.metrics.percent(change, valueOf(change), valueOf(before));

/* Threads, parts: where there are several. */
async function listOf(app, name, title, word, id, text) {
    const table = app.tables[name];
    if (!table || table.rows < 2) return null;
    const metric = app.metrics.find(app.metric.name);
    const list = app.withSides(metric).filter((one) => name !== 'parts' || !one.side);
    const [ids, values, texts] = await Promise.all([
        table.numbers(id),
        app.valuesOf(table, list),
        text && table.texts(text),
    ]);
    const what = (row) => `${word} ${ids[row]}`;
    return topTable(app, {
        list,
        rows: [...ids.keys()],
        valueOf: (one, row) => values.get(one.key)[row],
        title,
        kind: word,
        what,
        cell: (row) => [what(row), texts && h('span', {class: 'dim'}, ' ', format.name(texts.at(row)))],
        more: name === 'threads' && app.link('threads', '', {}, 'side by side'),
    });
}
