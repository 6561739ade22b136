// SPDX-License-Identifier: GPL-2.0-or-later
//
// structures.js: data structures: what they are called, where they were allocated, who missed in them.
//
// Their costs are what data accesses paid for lines that they loaded for them; nothing is inclusive. Table data_lines
// has them by source line too, so that lines and functions lead to the structures that they miss in, and back.

import {h} from './dom.js';
import * as format from './format.js';
import {rowsById} from './data.js';
import {nobody, UNKNOWN} from './names.js';
import {groupBy, rowsWhere, summed} from './sums.js';

export const hasStructures = (profile) => Boolean(profile.tables.data && profile.tables.data.rows);

export const KINDS = {
    heap: 'blocks that this path of calls allocates, or paths that go on from it do',
    mapping: 'memory that this path of calls maps, or paths that go on from it do',
    static: 'a global or static variable',
    stack: 'the stack of a thread',
    file: 'a mapped file',
    rest: 'memory of the heap that is in no block',
    region: 'what the program gave this name to',
    other: 'memory that is none of the others',
    folded: 'what was paid in many data structures, little in each',
};

/* -------------------------------------------------------------------------------------------- metrics */

/* The chosen event, or if none of it is charged to data, one that is; beside it those that were asked for, or the most
 * telling; `few`: without the ratio that a bar shows as well. `plain`: neither self nor inclusive. */
export async function structureMetrics(app, few) {
    const {metrics} = app;
    const {data} = app.tables;
    let main = null;
    for (const name of [app.metric.name, 'SpLossD1', 'D1mr', ...metrics.events.keys()]) {
        const values = !main && metrics.find(name) && (await metrics.values(data, metrics.find(name)));
        if (values && values.some(Boolean)) main = name;
    }
    const asked = app.params.get('c');
    const level = levelOf(main || '');
    const others = asked === null ? ['L1m', 'LLm', ...(few ? [] : ['spatial' + level])] : asked.split(',');
    const names = [main || app.metric.name, ...others.map((key) => metrics.find(key.replace(/_incl$/, ''))?.name)];
    const [first, ...rest] = [...new Set(names)].filter(Boolean).map((name) => metrics.plain(name));
    return [...app.withSides(first), ...rest];
}

export const mainOf = (list) => list.find((metric) => !metric.side);

/* The cache that an event is about: that of its bytes is shown beside it. */
const levelOf = (name) => (/L$|^DL|^LL/.test(name) ? 'L' : /D2$|^D2|^L2/.test(name) ? 'D2' : 'D1');

/* Bytes loaded for each row, and the part of them that was never touched: {level, loaded, unused}, or null. */
export async function loads(app, table, list) {
    const level = levelOf(mainOf(list).name);
    const [use, lost] = [app.metrics.find('Use' + level), app.metrics.find('SpLoss' + level)];
    if (!use || !lost || app.metrics.difference) return null;
    const [used, unused] = await Promise.all([app.metrics.values(table, use), app.metrics.values(table, lost)]);
    const loaded = used.map((value, i) => value + unused[i]);
    return {level, loaded, lost: unused, unused: loaded.map((value, i) => (value ? (100 * unused[i]) / value : NaN))};
}

/* A bar of what was touched and what was not. */
export const useBar = (unused) => h('span.used', h('span', {style: {width: (100 - unused).toFixed(1) + '%'}}));

/* -------------------------------------------------------------------------------------------- names and paths */

export class Structures {
    static load(app) {
        return app.once('structures', () => new Structures().read(app));
    }

    async read(app) {
        const {data, data_paths: paths} = app.tables;
        Object.assign(this, {app, names: await app.names(), step: await paths.read(...paths.names)});
        /* Costs have columns like "Ir" and "Ir_incl@before". */
        const isCost = (name) => app.metrics.events.has(name.replace(/(_incl)?(@.*)?$/, ''));
        Object.assign(this, await data.read(...data.names.filter((name) => !isCost(name))));
        [this.rowOfId, this.steps] = await Promise.all([rowsById(data), rowsById(paths)]);
        return this;
    }

    nameAt(row) {
        return format.name(this.name.at(row));
    }

    kindAt(row) {
        return format.name(this.kind.at(row));
    }

    /* The path that allocates it, from the allocation function to the root: [{name, id, file, line, inlined}], where id
     * is that of the function, or NaN; file and line are the place from which the function before was called, and
     * inlined is the innermost frame there, or NaN. */
    pathOf(row, most) {
        const path = [];
        let place = {file: NaN, line: NaN, inlined: NaN};
        for (let at = this.steps.get(this.origin_id[row]); at !== undefined && path.length < most; ) {
            path.push({name: this.stepName(at), id: this.step.function_id[at], ...place});
            place = {file: this.step.file_id[at], line: this.step.line[at], inlined: this.step.inlined_id[at]};
            at = this.stepAbove(at);
        }
        return path;
    }

    stepName(at) {
        const [id, text] = [this.step.function_id[at], this.step.function.at(at)];
        return text === null && id === id ? this.names.function(id) : format.name(text);
    }

    stepAbove(at) {
        const above = this.steps.get(this.step.parent[at]);
        return above < at ? above : undefined;
    }

    /* Rows with these words in their name, their kind, or that of a function on the path that allocates them. */
    matching(words) {
        const wanted = words.toLowerCase();
        const has = (text) => text.toLowerCase().includes(wanted);
        const rows = [...this.id.keys()];
        if (!wanted) return rows;
        const steps = [];
        for (let at = 0; at < this.step.id.length; at++)
            steps.push(steps[this.stepAbove(at)] || has(this.stepName(at))); // what is above comes first
        return rows.filter(
            (row) => has(this.nameAt(row)) || has(this.kindAt(row)) || steps[this.steps.get(this.origin_id[row])],
        );
    }

    /* The same with a step for each function that is inlined there: {name, id: NaN, file, line, isInlined}. */
    async callsOf(row, most) {
        const {inlined} = this.app.tables;
        const rows = await rowsById(inlined);
        const {parent, name, call_file_id: files, call_line: lines} = await inlined.read(
            'parent', 'name', 'call_file_id', 'call_line');
        const calls = [];
        for (const step of this.pathOf(row, most)) {
            let {file, line} = step;
            for (let at = rows.get(step.inlined), left = most; at !== undefined && left-- > 0; ) {
                calls.push({name: format.name(name.at(at)), id: NaN, file, line, isInlined: true});
                [file, line, at] = [files[at], lines[at], rows.get(parent[at])];
            }
            calls.push({...step, file, line});
        }
        return calls;
    }

    /* What is above its name, where many have the same: "called from a, b". */
    above(row) {
        if (this.file_id[row] === this.file_id[row]) return '';
        const name = this.nameAt(row);
        const path = this.pathOf(row, 12).map((step) => step.name);
        const last = path.reduce((found, step, i) => (name.includes(step) ? i : found), -1);
        return path
            .slice(last + 1, last + 4)
            .map((step) => ' \u2190 ' + step)
            .join('');
    }

    /* Lines of a tooltip. */
    about(row) {
        return [
            this.nameAt(row),
            Object.hasOwn(KINDS, this.kind.at(row)) && KINDS[this.kind.at(row)],
            ...this.facts(row),
        ].filter(Boolean);
    }

    facts(row) {
        const {size, blocks, freed, bytes, largest, address, element, file_id: file, line} = this;
        const [path, type] = [this.path.at(row), this.type.at(row)];
        return [
            blocks[row] === blocks[row] &&
                (blocks[row] === 1
                    ? `1 block of ${format.bytes(bytes[row])}`
                    : `${format.count(blocks[row])} blocks, ${format.bytes(bytes[row])} in all, ` +
                      `the largest ${format.bytes(largest[row])}`) + `; ${format.count(freed[row])} freed`,
            size[row] === size[row] && `${format.count(size[row])} bytes at ${format.hex(address[row])} in its file`,
            type !== null && `made of ${format.name(type)}, ${format.count(element[row])} bytes`,
            path !== null && format.name(path),
            file[row] === file[row] && this.names.file(file[row]) + format.lines(line[row]),
        ].filter(Boolean);
    }

    /* A reference to a data structure (names.js); `unknown` says what it is where there is none. */
    ref(id, unknown = UNKNOWN, about) {
        const row = this.rowOfId.get(id);
        if (row === undefined) return nobody(unknown, about);
        return {name: this.nameAt(row), go: ['structure', id, {}], about: () => this.about(row)};
    }

    /* The same with the calls above its name, where many have the same. */
    longRef(row) {
        return {...this.ref(this.id[row]), behind: () => h('span.dim', this.above(row))};
    }
}

/* -------------------------------------------------------------------------------------------- who missed in what */

/* What rows of data_lines cost whose columns have the values of `where`, by another column, as by functions: {ids,
 * costs}. */
export async function sharesBy(app, list, where, by) {
    const {data_lines: table} = app.tables;
    const keys = Object.keys(where);
    const of = await table.read(...keys, by);
    const isWanted = (row) => keys.every((key) => of[key][row] === where[key]);
    const rows = rowsWhere(of[keys[0]], where[keys[0]]).filter(isWanted);
    const groups = groupBy(rows, of[by]);
    return {ids: [...groups.keys()], costs: await summed(app, table, list, groups)};
}
