// SPDX-License-Identifier: GPL-2.0-or-later
//
// margins.js: how far a number may be off, where one set of the caches in N was simulated. What is computed here, and
// why, profile/read/margin.h says; docs/model.md, section 17, has the formulas. Table functions_groups has what each
// group of sets has of the rows of functions, by their number here; so have lines_groups, arcs_groups, data_groups and
// totals_groups. Of other tables nothing is known.

const GROUPS = 4;
const STUDENT = 3.182446; // 95 %, GROUPS - 1 degrees of freedom
const RAN = ['functions', 'lines', 'arcs']; // rows have the accesses that they made
const HAS_MEAN = ['functions', 'lines', 'data'];

const sum = (list) => list.reduce((all, value) => all + value, 0);
const known = (value) => (value === value ? value : 0);

function squares(values) {
    const mean = sum(values) / GROUPS;
    return sum(values.map((value) => (value - mean) ** 2));
}

/* Of values of all but one group each. */
const varianceWithout = (values) => (squares(values) * (GROUPS - 1)) / GROUPS;

/* row -> what each group has. */
async function byRow(metrics, groups, event) {
    const [rows, numbers, values] = await Promise.all([
        groups.numbers('row'), groups.numbers('sample_group'), metrics.values(groups, event)]);
    const of = new Map();
    for (let i = 0; values && i < groups.rows; i++) {
        if (!(numbers[i] >= 1 && numbers[i] <= GROUPS)) continue;
        if (!of.has(rows[i])) of.set(rows[i], Array(GROUPS).fill(0));
        of.get(rows[i])[numbers[i] - 1] += known(values[i]);
    }
    return values && of;
}

/* One event that a metric is made of: its values, its groups, the accesses of rows, and the least variance. */
async function termOf(metrics, table, groups, name, incl) {
    const event = {name, incl};
    const [values, of, all] = await Promise.all([
        metrics.values(table, event),
        byRow(metrics, groups, event),
        byRow(metrics, metrics.profile.tables.totals_groups, {name}),
    ]);
    if (!values || !of) return null;
    const ran = new Float64Array(table.rows);
    for (const access of RAN.includes(table.name) ? ['Ir', 'Dr', 'Dw'] : []) {
        const made = metrics.events.has(access) && (await metrics.values(table, {name: access, incl}));
        for (let row = 0; made && row < table.rows; row++) ran[row] += known(made[row]);
    }
    const exact = ![...all.values()].some((groups) => groups.some(Boolean));
    const seen = [...of.values()].filter((groups) => groups.some(Boolean));
    const whole = sum(seen.map((groups) => (squares(groups) * GROUPS) / (GROUPS - 1)));
    const mean = HAS_MEAN.includes(table.name) && !incl && seen.length ? whole / seen.length : 0;
    const least = exact ? 0 : Math.max(metrics.sample ** 2, mean);
    const accesses = sum([...ran]);
    return {name, values, of, ran, exact, least, perAccess: exact || !accesses ? 0 : whole / accesses};
}

/* A function of some rows of the table: the margin of the metric in them together, NaN where it has none. Null where
 * the metric is exact, or nothing is known. */
export async function marginOf(metrics, table, metric) {
    const groups = metrics.profile.tables[table.name + '_groups'];
    if (!groups || metric.side || (metric.ratio && metrics.sides)) return null;
    const {names, value} = metrics.terms(metric);
    const terms = await Promise.all(names.map((name) => termOf(metrics, table, groups, name, metric.incl)));
    if (!terms.every(Boolean) || terms.every(({exact}) => exact)) return null;
    const valueOf = (of) => value((name) => of[names.indexOf(name)]);
    return (rows) => {
        const all = terms.map(({values}) =>
            rows.some((row) => values[row] === values[row]) ? sum(rows.map((row) => known(values[row]))) : NaN);
        const without = terms.map(({of}, t) => {
            const parts = Array(GROUPS).fill(0);
            for (const row of rows) (of.get(row) || []).forEach((part, k) => (parts[k] += part));
            return parts.map((part) => all[t] + ((sum(parts) - part) * GROUPS) / (GROUPS - 1) - sum(parts));
        });
        let variance = varianceWithout(Array.from({length: GROUPS}, (_, k) => valueOf(without.map((of) => of[k]))));
        terms.forEach(({ran, least, perAccess}, t) => {
            const lower = Math.max(least, perAccess * sum(rows.map((row) => ran[row])));
            const more = Math.sqrt(Math.max(0, lower - varianceWithout(without[t]))) || 0;
            variance += (valueOf(all.map((one, i) => (i === t ? one + more : one))) - valueOf(all)) ** 2;
        });
        return STUDENT * Math.sqrt(variance * (1 - 1 / metrics.sample));
    };
}
