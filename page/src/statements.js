// SPDX-License-Identifier: GPL-2.0-or-later
//
// statements.js: the statements of a source file: groups of lines that are one, with what their loads and stores cost
// by type, the loops that they are in, and the data structures that they miss in.
//
// A statement costs what its lines cost. Its cost is shown at its last line, as a share of the estimated cycles of the
// whole program.

import {groupBy, rowsWhere, summed} from './sums.js';

export const hasStatements = (profile) => Boolean(profile.tables.statements && profile.tables.statements.rows);

/* Columns of loops, but those of costs. */
export const LOOP = ['file_id', 'line', 'last_line', 'depth', 'iterations', 'entries', 'function_id', 'estimate'];

export const HOT = 1; // percent of the program's cost from which a statement is hot

export class Statements {
    static async load(app, fileId) {
        const all = Object.assign(new Statements(), {app, fileId, of: new Map()});
        if (!hasStatements(app.profile)) return all;
        const {statements} = app.tables;
        const of = await statements.read('file_id', 'first_line', 'line');
        for (const row of rowsWhere(of.file_id, fileId)) all.add({first: of.first_line[row], last: of.line[row]});
        const {lines} = app.tables;
        const {file_id: files, line: numbers} = await lines.read('file_id', 'line');
        all.metric = app.metrics.find('CEst') || app.metrics.find('Ir');
        const groups = groupBy(rowsWhere(files, fileId), numbers);
        const costs = await summed(app, lines, [all.metric], groups);
        for (const line of groups.keys()) {
            const [statement, cost] = [all.of.get(line), costs.get(all.metric.key)(line)];
            if (statement && cost === cost) statement.cost = (statement.cost || 0) + cost;
        }
        return all;
    }

    /* Objects of several builds may tell different statements: the longer one has the lines. */
    add(statement) {
        for (let line = statement.first; line <= statement.last; line++) {
            const known = this.of.get(line);
            if (!known || known.last - known.first < statement.last - statement.first) this.of.set(line, statement);
        }
    }

    /* In percent of the program's estimated cycles; NaN if nothing is known of it. */
    share(statement) {
        return statement && statement.cost !== undefined ? this.app.metrics.share(this.metric, statement.cost) : NaN;
    }

    isHot(line) {
        return Math.abs(this.share(this.of.get(line))) >= HOT;
    }

    /* ---------------------------------------------------------------------------------- what a statement does */

    /* Loads and stores by type, those that there are: [{kind, store, floating}], and what they cost of metrics. */
    async accesses(statement, list) {
        const {accesses: table} = this.app.tables;
        const of = await table.read('file_id', 'first_line', 'line', 'store', 'floating');
        const rows = rowsWhere(of.file_id, this.fileId).filter(
            (row) => this.of.get(of.line[row]) === statement && of.first_line[row] >= statement.first,
        );
        const typeOf = (row) => (of.floating[row] === of.floating[row] ? of.floating[row] : 2);
        const groups = groupBy(rows, of.store.map((store, row) => 1 + 3 * store + typeOf(row)));
        const costs = await summed(this.app, table, list, groups);
        const kinds = [...groups.keys()].sort((a, b) => a - b);
        const items = kinds.map((kind) => ({kind, store: kind > 3, floating: [0, 1, NaN][(kind - 1) % 3]}));
        return {items, costs: new Map([...costs].map(([key, cost]) => [key, ({kind}) => cost(kind)]))};
    }

    /* Loops around it in this file, the outermost first. */
    async loops(statement) {
        const {loops: table} = this.app.tables;
        const loops = await table.records(rowsWhere(await table.numbers('file_id'), this.fileId), LOOP);
        return loops
            .filter((loop) => loop.line <= statement.first && statement.last <= loop.last_line)
            .sort((a, b) => a.depth - b.depth || a.line - b.line || a.row - b.row);
    }

    /* Data structures that it misses in: {ids, costs}. */
    async structures(statement, list) {
        const {data_lines: table} = this.app.tables;
        const {file_id: files, line, data_id: data} = await table.read('file_id', 'line', 'data_id');
        const here = (row) => line[row] >= statement.first && line[row] <= statement.last;
        const groups = groupBy(rowsWhere(files, this.fileId).filter(here), data);
        return {ids: [...groups.keys()], costs: await summed(this.app, table, list, groups)};
    }
}
