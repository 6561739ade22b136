// SPDX-License-Identifier: GPL-2.0-or-later
//
// statements.js: the statements of a source file: groups of lines that are one, with what their loads and stores cost
// by type, the loops that they are in, and the data structures that they miss in.
//
// A statement costs what its lines cost. Its cost is shown at its last line, as a share of the estimated cycles of the
// whole program.

import {groupBy, rowsWhere, summed} from './sums.js';

export const hasStatements = (profile) => Boolean(profile.tables.statements && profile.tables.statements.rows);

const HOT = 1; // percent of the program's cost from which a statement is hot

export class Statements {
    static async load(app, fileId) {
        const all = Object.assign(new Statements(), {app, fileId, of: new Map(), list: []});
        if (!hasStatements(app.profile)) return all;
        const {statements} = app.tables;
        const [files, first, last] = await Promise.all(
            ['file_id', 'first_line', 'line'].map((name) => statements.numbers(name)),
        );
        for (const row of rowsWhere(files, fileId)) all.add({first: first[row], last: last[row]});
        await all.readCosts();
        return all;
    }

    /* Objects of several builds may tell different statements: the longer one has the lines. */
    add(statement) {
        this.list.push(statement);
        for (let line = statement.first; line <= statement.last; line++) {
            const known = this.of.get(line);
            if (!known || known.last - known.first < statement.last - statement.first) this.of.set(line, statement);
        }
    }

    async readCosts() {
        const {lines} = this.app.tables;
        const [files, numbers] = await Promise.all([lines.numbers('file_id'), lines.numbers('line')]);
        this.metric = this.app.metrics.find('CEst') || this.app.metrics.find('Ir');
        const groups = groupBy(rowsWhere(files, this.fileId), numbers);
        const costs = (await summed(this.app, lines, [this.metric], groups)).get(this.metric.key);
        for (const [line, cost] of costs) {
            const statement = this.of.get(line);
            if (statement && cost === cost) statement.cost = (statement.cost || 0) + cost;
        }
    }

    /* In percent of the program's estimated cycles; NaN if nothing is known of it. */
    share(statement) {
        return statement && statement.cost !== undefined ? this.app.metrics.share(this.metric, statement.cost) : NaN;
    }

    /* Of the statement that ends here. */
    shareAt(line) {
        const statement = this.of.get(line);
        return statement && statement.last === line ? this.share(statement) : NaN;
    }

    isHot(line) {
        return Math.abs(this.share(this.of.get(line))) >= HOT;
    }

    /* ---------------------------------------------------------------------------------- what a statement does */

    /* {list, rows: [{store, floating, values}]}: loads and stores by type, those that there are. */
    async accesses(statement, list) {
        const {accesses: table} = this.app.tables;
        const [files, first, last, store, floating] = await Promise.all(
            ['file_id', 'first_line', 'line', 'store', 'floating'].map((name) => table.numbers(name)),
        );
        const rows = rowsWhere(files, this.fileId).filter(
            (row) => this.of.get(last[row]) === statement && first[row] >= statement.first,
        );
        const kinds = groupBy(
            rows,
            store.map((value, row) => 1 + 3 * value + (floating[row] === floating[row] ? floating[row] : 2)),
        );
        const values = await summed(this.app, table, list, kinds);
        return [...kinds.keys()]
            .sort((a, b) => a - b)
            .map((kind) => ({
                store: kind > 3,
                floating: [0, 1, NaN][(kind - 1) % 3],
                values: new Map([...values].map(([key, groups]) => [key, groups.get(kind)])),
            }));
    }

    /* Loops around it in this file, the outermost first. */
    async loops(statement) {
        const {loops: table} = this.app.tables;
        const names = ['file_id', 'line', 'last_line', 'depth', 'iterations', 'entries', 'function_id', 'estimate'];
        const columns = await Promise.all(names.map((name) => table.numbers(name)));
        const found = rowsWhere(columns[0], this.fileId)
            .filter((row) => columns[1][row] <= statement.first && statement.last <= columns[2][row])
            .map((row) => ({row, ...Object.fromEntries(names.map((name, i) => [name, columns[i][row]]))}));
        return found.sort((a, b) => a.depth - b.depth || a.line - b.line || a.row - b.row);
    }

    /* Data structures that it misses in: {groups, values} by id. */
    async structures(statement, list) {
        const {data_lines: table} = this.app.tables;
        const [files, lines, ids] = await Promise.all(
            ['file_id', 'line', 'data_id'].map((name) => table.numbers(name)),
        );
        const rows = rowsWhere(files, this.fileId).filter(
            (row) => lines[row] >= statement.first && lines[row] <= statement.last,
        );
        const groups = groupBy(rows, ids);
        return {groups, values: await summed(this.app, table, list, groups)};
    }
}
