// SPDX-License-Identifier: GPL-2.0-or-later
//
// sums.js: rows of a table, grouped and added up.
//
// NULL is not 0: a sum is NULL only where all its terms are. A ratio is one of sums, never a sum of ratios.

export function rowsWhere(column, id) {
    const rows = [];
    for (let i = 0; i < column.length; i++) if (column[i] === id) rows.push(i);
    return rows;
}

/* key -> rows, of some rows; keys that are NULL as 0. */
export function groupBy(rows, keys) {
    const groups = new Map();
    for (const row of rows) {
        const key = keys[row] === keys[row] ? keys[row] : 0;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(row);
    }
    return groups;
}

/* Costs of groups of rows of a table (a map: group -> rows), as app.costsOf has those of single rows: sums, and ratios
 * of sums. */
export async function summed(app, table, list, groups) {
    const {metrics} = app;
    const result = new Map();
    for (const metric of list) {
        const columns = await metrics.columns(table, metric);
        if (!columns) continue;
        const values = new Map();
        for (const [group, rows] of groups)
            values.set(group, metrics.of(metric, (name) => sum(columns.get(name), rows)));
        const margin = await metrics.margin(table, metric);
        const of = (group) => values.get(group);
        const off = (group) => (groups.has(group) ? margin(groups.get(group)) : NaN);
        result.set(metric.key, margin ? Object.assign(of, {margin: off}) : of);
    }
    return result;
}

function sum(column, rows) {
    let all = NaN;
    for (const row of rows) if (column[row] === column[row]) all = (all === all ? all : 0) + column[row];
    return all;
}
