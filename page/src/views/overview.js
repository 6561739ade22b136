// SPDX-License-Identifier: GPL-2.0-or-later
//
// overview.js: where to begin: what the estimated time is spent on, the best advice, objects without line
// information, what was recorded, the traffic between the caches, kinds of misses, the lines, functions, data
// structures and files that cost most of the chosen event, and all totals.

import {append, h} from '../dom.js';
import * as format from '../format.js';
import {Advice, hasAdvice} from './advice.js';
import {SIDES} from '../metrics.js';
import {COHERENCE, traffic} from '../traffic.js';
import {hasPatterns, kindBars, kindEvents} from '../patterns.js';
import {allColumns, titleOf} from '../section.js';
import {startupOf} from '../startup.js';
import {hasStructures, mainOf, structureMetrics, Structures} from '../structures.js';
import {groupBy, summed} from '../sums.js';
import {smallTable} from '../table.js';

const TOP = 12;
const BEST = 3; // pieces of advice

export const overview = {
    id: 'overview',
    title: 'Overview',
    about: 'What was recorded, traffic between caches, what costs most',

    async render(app, place) {
        const [names, startup] = await Promise.all([app.names(), startupOf(app)]);
        const [lines, functions, files] = await Promise.all([
            topLines(app, names, startup),
            topFunctions(app, names, startup),
            fileIndex(app, names),
        ]);
        append(
            place,
            h('h1.name', format.name(app.profile.title)),
            verdict(app),
            await worthChanging(app),
            (await app.tables.lineless.records()).map(({text}) => h('p.warning', text)),
            recorded(app),
            await Promise.all((app.metrics.sides ? SIDES : [undefined]).map((side) => traffic(app, side))),
            await kinds(app),
            startup.said,
            h('div.pair', lines, functions, later(app), files, await totals(app)),
        );
        const parts = await Promise.all([
            listOf(app, 'threads', 'Threads', 'thread', 'id', app.link('threads', '', {}, 'side by side')),
            listOf(app, 'parts', 'Parts', 'part', 'part'),
        ]);
        append(place, parts);
    },

    /* Data structures come when the rest is there: it should not wait for their names. */
    shown(app, place) {
        const waiting = place.querySelector('.later');
        if (!waiting) return;
        topStructures(app)
            .catch((error) => h('p.failed', 'Data structures could not be shown: ' + error.message))
            .then((section) => waiting.replaceWith(section));
    },
};

/* ------------------------------------------------------------------------------------------ the verdict */

/* What the estimated time is made of, by its formula, if that is a sum of counts that weigh something: [{event, weight,
 * count, cost}], or null. */
function timeTerms({events, totals}, side) {
    const {formula} = events.get('CEst') || {};
    const terms = (formula || '').split('+').map((text) => {
        const [, weight, name] = /^ *(?:([0-9.]+) *\* *)?([A-Za-z_]\w*) *$/.exec(text) || [];
        const count = totals.get(side ? name + '@' + side : name) || 0;
        return events.has(name) && {event: events.get(name), weight: Number(weight ?? 1), count};
    });
    return terms.length > 1 && terms.every((term) => term && term.weight * term.count >= 0) ? terms : null;
}

/* Where the time goes, in a sentence and as a bar: the warmer the more each of the events costs. */
function verdict(app) {
    const {metrics} = app;
    const of = (side) => {
        const terms = (!metrics.difference || side) && timeTerms(metrics, side);
        const {time} = app.profile;
        const cost = ({event, weight, count}) => (side ? undefined : time[event.name].cycles) ?? weight * count;
        const all = terms ? terms.reduce((sum, term) => sum + cost(term), 0) : 0;
        if (!(all > 0)) return '';
        const most = Math.max(...terms.map(({weight}) => weight));
        const some = terms.map((term) => {
            const {event, weight, count} = term;
            const share = (100 * cost(term)) / all;
            const within = (key, what) => {
                const part = side ? 0 : (100 * (time[event.name][key] || 0)) / all;
                return part >= 0.5 && `${format.percent(part)} ${what}`;
            };
            const inside = [within('pointers', 'waiting for pointers'), within('pages', 'new pages')].filter(Boolean);
            const of = inside.length ? ` (${inside.join(', ')})` : '';
            const words = `${format.percent(share)} ${time[event.name].words}${of}`;
            const each = `${format.count(count)}, of ${format.real(count && cost(term) / count)} estimated cycles each`;
            return {event, share, words, heat: Math.sqrt(weight / most), tip: () => [words, `${event.name}: ${each}`]};
        });
        const timed = !side && terms.some(({event}) => time[event.name].cycles !== undefined);
        const title = timed ? 'Estimated time' : 'Estimated cycles';
        const part = ({share, heat, tip}) =>
            h('span', {tip, style: {width: share.toFixed(2) + '%', '--heat': heat.toFixed(3)}});
        const said = ({event, words, tip}, i) =>
            h('span', {tip}, i > 0 && ', ', app.link('overview', '', {e: event.name + '_incl'}, words));
        return h(
            'section.verdict',
            h('h2', {tip: () => metrics.about(metrics.find('CEst', true))}, title, side && `, ${side}`),
            h('p', some.map(said)),
            h('div.kind-bar', {'aria-hidden': 'true'}, some.map(part)),
        );
    };
    return metrics.sides ? SIDES.map(of) : of();
}

/* The best advice; where it was looked for, that there is none. */
async function worthChanging(app) {
    const {meta} = app.profile;
    const none = 'None: nothing that Tenure knows of would save 2\u2009% of the estimated cycles.';
    const more = !hasPatterns(app) && ' It knows more of a recording with --patterns=yes.';
    if (!hasAdvice(app.profile))
        return app.metrics.difference || meta.has('import.format') || !app.metrics.find('SpLossD1')
            ? ''
            : h('section.short.worth', h('h2', 'Advice'), h('p.dim', none, more));
    const all = await Advice.load(app);
    return short({
        name: 'worth',
        title: 'Advice',
        about: 'What to change; the numbers are what that would save of the estimated cycles',
        more: app.link('advice', '', {}, `all ${format.count(all.items.length)}`),
        items: all.items.slice(0, BEST),
        columns: all.columns(),
    });
}

/* Of the whole program: what kinds its misses are. */
async function kinds(app) {
    if (!hasPatterns(app) || app.metrics.sides) return '';
    const costs = await app.costsOf(app.tables.totals, kindEvents(app));
    const bars = kindBars(app, (key) => costs.get(key)(0));
    return bars && h('section.short.why', h('h2', titleOf(app, 'miss_kinds')), bars);
}

const later = (app) =>
    hasStructures(app.profile) && h('section.short.later', h('h2', titleOf(app, 'data_structures')));

/* ------------------------------------------------------------------------------------------ what was recorded */

const SAMPLED = (sets) =>
    `one set of the caches in ${sets}: misses and the use of lines are estimates; ` +
    '\u00b1 says how far off they may be, which is not known of threads, call paths, statements and instructions';

function recorded(app) {
    const {meta} = app.profile;
    const cache = (key) => {
        const match = /^(\d+),(\d+),(\d+)(?:,(\w+))?$/.exec(meta.get('cache.' + key) || '');
        const [, bytes, ways, line, policy] = match || [];
        return match && `${key} ${size(Number(bytes))}, ${ways}-way, ${line}-byte lines${policy ? ', ' + policy : ''}`;
    };
    const list = (...words) => words.filter(Boolean).join('  \u00b7  ');
    const [engine, threads] = [meta.get('engine'), meta.get('threads')];
    const facts = [
        ['Caches', list(...['I1', 'D1', 'L2', 'LL'].map(cache))],
        ['Simulated', Number(meta.get('sample')) > 1 && SAMPLED(meta.get('sample'))],
        ['Recorded', list(meta.get('creator'), engine && `${engine} engine`, threads && `${threads} threads`)],
        ['In', meta.get('directory')],
        ['Difference', app.metrics.difference && `${meta.get('diff.new')} minus ${meta.get('diff.baseline')}`],
        ['Damaged', meta.get('import.damage')],
    ];
    const known = facts.filter(([, value]) => value);
    return h('dl.recorded', known.map(([key, value]) => [h('dt', key), h('dd', format.name(value))]));
}

function size(bytes) {
    const power = ['bytes', 'KiB', 'MiB', 'GiB'].findLastIndex((_, i) => bytes >= 2 ** (10 * i));
    return +(bytes / 2 ** (10 * power)).toFixed(2) + ' ' + ['bytes', 'KiB', 'MiB', 'GiB'][power];
}

/* ------------------------------------------------------------------------------------------ short lists */

/* The rows with the largest numbers, by their size; but those that are `left` out. */
function largest(values, count, left) {
    const rows = [];
    for (let i = 0; i < values.length; i++) {
        const weight = Math.abs(values[i]);
        if (!(weight > 0) || left(i)) continue;
        if (rows.length === count && weight <= Math.abs(values[rows[count - 1]])) continue;
        let at = rows.length;
        while (at > 0 && Math.abs(values[rows[at - 1]]) < weight) at--;
        rows.splice(at, 0, i);
        if (rows.length > count) rows.pop();
    }
    return rows;
}

/* A short table below its title. */
function short({name, title, about, more, items, columns}) {
    return h(
        'section.short',
        {class: name},
        h('h2', {tip: () => [about].flat()}, title, more && h('span.more', more)),
        items.length ? smallTable(columns, items) : h('p.dim', 'nothing'),
    );
}

/* The same with what items cost, and the cells of a section, or of `columns` of its own; `beside`: more metrics. */
function topTable(app, {key, title = titleOf(app, key), list, beside = [], more, items, ...options}) {
    const metric = list[list.length - 1];
    const all = allColumns(app, key, {...options, items, list: [...list, ...beside]});
    const sides = new Map(list.filter(({side}) => side).map(({key, side}) => [key, {label: side, sub: ''}]));
    const columns = all.map((column) => ({...column, ...sides.get(column.key)}));
    return short({title, about: app.metrics.about(metric), more, items, columns});
}

/* Of a table, its heaviest rows and their costs, with the ratio of spatial use, for topTable. */
async function heaviest(app, table, metric, {left = () => false, others = []} = {}) {
    const {metrics} = app;
    const list = app.withSides(metric);
    const ratio = metrics.find('spatialD1') || metrics.find('D1rate');
    const beside = [...others.map((name) => metrics.find(name)), ratio].filter((one) => one && one.key !== metric.key);
    const values = await metrics.values(table, metric);
    return {list, beside, costs: await app.costsOf(table, [...list, ...beside]), items: largest(values, TOP, left)};
}

async function topFunctions(app, names, startup) {
    const {functions} = app.tables;
    return topTable(app, {
        ...(await heaviest(app, functions, app.metric, {left: (row) => startup.ids.has(names.idOf(row))})),
        key: 'functions',
        cells: {function: (row) => names.refAt(row)},
        more: app.link('functions', '', {}, `all ${format.count(functions.rows - startup.ids.size)}`),
    });
}

/* Self cost: where it happens, not what calls it. */
async function topLines(app, names, startup) {
    const {lines} = app.tables;
    const others = COHERENCE.filter((name) => app.metrics.totals.get(name));
    const of = await lines.read('file_id', 'line', 'function_id');
    const left = (row) => startup.ids.has(of.function_id[row]);
    const at = (row) => {
        const place = {file_id: of.file_id[row], line: of.line[row], function_id: of.function_id[row]};
        const inside = place.file_id === place.file_id && names.function(place.function_id);
        return {...names.place(place), behind: () => inside && h('span.dim', ' ', inside)};
    };
    return topTable(app, {
        ...(await heaviest(app, lines, app.metrics.find(app.metric.name), {left, others})),
        title: 'Lines',
        columns: [{key: 'line', kind: 'text'}],
        cells: {line: at},
    });
}

/* What is lost in data. */
async function topStructures(app) {
    const {data} = app.tables;
    const [all, shown] = await Promise.all([Structures.load(app), structureMetrics(app)]);
    return topTable(app, {
        ...(await heaviest(app, data, mainOf(shown))),
        key: 'data_structures',
        cells: {data: (row) => all.longRef(row)},
        more: app.link('data', '', {}, `all ${format.count(data.rows)}`),
    });
}

/* Self cost by file: {list, costs of a file's id, or of 0: without line information, ids}. */
export async function fileCosts(app) {
    const {lines} = app.tables;
    const list = app.withSides(app.metrics.find(app.metric.name));
    const files = await lines.numbers('file_id');
    const groups = groupBy([...files.keys()], files);
    return {list, costs: await summed(app, lines, list, groups), ids: [...groups.keys()]};
}

async function fileIndex(app, names) {
    const {list, costs, ids} = await fileCosts(app);
    const own = costs.get(list[list.length - 1].key);
    const ref = (id) => ({...names.place({file_id: id}), go: ['source', id, {}], about: () => [names.file(id)]});
    const unknown = {name: 'without line information', about: () => []};
    return topTable(app, {
        list,
        costs,
        items: ids.filter((id) => own(id)).sort((a, b) => Math.abs(own(b)) - Math.abs(own(a))).slice(0, TOP),
        title: 'Files',
        columns: [{key: 'file', kind: 'text'}],
        cells: {file: (id) => (id === 0 ? unknown : ref(id))},
        more: app.link('source', '', {}, `all ${format.count(ids.length)}`),
    });
}

/* ------------------------------------------------------------------------------------------ totals */

async function totals(app) {
    const {metrics} = app;
    const margins = new Map();
    for (const name of [...metrics.events.keys(), ...metrics.ratios.keys()])
        margins.set(name, await metrics.margin(app.tables.totals, metrics.find(name, true)));
    const off = ({name, side}) => (margins.get(name) && !side ? margins.get(name)([0]) : undefined);
    const value = (one) => (one.ratio ? metrics.of(one, (name) => metrics.totals.get(name)) : one.total);
    const row = (metric) => {
        const list = app.withSides(metric);
        const number = (one) =>
            h(
                'td.num',
                {
                    class: one.side && 'dim',
                    'data-key': one.key,
                    tip: () => metrics.explain(one, value(one), 'the whole program', off(one)),
                },
                metrics.show(one, value(one)),
            );
        const growth = metrics.sides && !metric.ratio && metrics.percent(metric, value(metric), value(list[0]));
        const {name, title, ratio} = metric;
        return h(
            'tr',
            {'data-event': name},
            list.map(number),
            metrics.sample > 1 && h('td.num.dim', metrics.off(metric, value(metric), off(metric))),
            metrics.sides && h('td.num.dim', growth),
            h(
                'td.name',
                ratio ? title : app.link('overview', '', {e: name + '_incl'}, title),
                metric.unit === '%' && ', %',
                ' ',
                h('span.dim', name),
            ),
        );
    };
    const all = [...metrics.events.keys(), ...metrics.ratios.keys()].map((name) => row(metrics.find(name, true)));
    return h(
        'section.short.totals',
        h('h2', {tip: () => ['Every event of the whole program']}, 'Totals'),
        h('div.scroll', {tabindex: 0}, h('table.small', h('tbody', all))),
    );
}

/* Threads, parts: where there are several. */
async function listOf(app, name, title, word, id, more) {
    const table = app.tables[name];
    if (!table || table.rows < 2) return null;
    const list = app.withSides(app.metrics.find(app.metric.name)).filter((one) => name !== 'parts' || !one.side);
    const rows = await table.records(undefined, name === 'parts' ? [id, 'why'] : [id]);
    const costs = await app.costsOf(table, list);
    const ref = ({[id]: number, why}) => ({
        name: `${word} ${number}`,
        about: () => [],
        behind: () => h('span.dim', ' ', why),
    });
    return topTable(app, {
        list,
        costs: new Map([...costs].map(([key, cost]) => [key, ({row}) => cost(row)])),
        items: rows,
        title,
        columns: [{key: word, kind: 'text'}],
        cells: {[word]: ref},
        more,
    });
}
