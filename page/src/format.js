// SPDX-License-Identifier: GPL-2.0-or-later
//
// format.js: numbers and names as people read them.
//
// Counts have thousands separators, reals one decimal below 1000, NULL (cannot occur) is a dot. A count beyond 2^53
// is not exact in a browser, and says so.

const EXACT = 2 ** 53;

const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const decimals = [0, 1, 2].map(
    (digits) => new Intl.NumberFormat('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits}),
);

/* With 0 to 2 decimals. */
export const fixed = (value, digits) => decimals[digits].format(value).replace('-', '\u2212');

export function count(value) {
    if (value !== value) return '.';
    const about = Math.abs(value) > EXACT ? '\u2248' : '';
    return about + whole.format(value).replace('-', '\u2212');
}

export function real(value) {
    if (value !== value) return '.';
    if (Math.abs(value) >= 1000) return count(value);
    return fixed(value, 1);
}

/* `signed`: with a plus. */
export function percent(value, signed) {
    if (value !== value || !isFinite(value)) return '';
    if (signed && value > 0) return '+' + percent(value);
    const digits = Math.abs(value) >= 99.95 || value === 0 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
    return fixed(value, digits) + '\u2009%';
}

export const times = (value) => (value === 1 ? 'once' : count(value) + ' times');

/* [1.23, ' G'] of a large number, powers of 1000. */
function scaled(value) {
    const units = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
    let i = 0;
    for (; Math.abs(value) >= 999.5 && i + 1 < units.length; i++) value /= 1000;
    return [value, units[i]];
}

/* "1.23 GB" */
export function bytes(value) {
    const [number, unit] = scaled(value);
    const digits = !unit || Math.abs(number) >= 99.95 ? number.toFixed(0) : number.toPrecision(3);
    return `${digits.replace('-', '\u2212')}\u00a0${unit ? unit + 'B' : 'bytes'}`;
}

/* A number that is as short as it can be: 12.6 M. */
export function short(value) {
    const [number, unit] = scaled(value);
    return (unit ? `${number.toPrecision(3)}\u00a0${unit}` : String(Math.round(number))).replace('-', '\u2212');
}

export const hex = (value) =>
    value < 0 ? '0x' + BigInt.asUintN(64, BigInt(value)).toString(16) : '0x' + value.toString(16);

/* Control characters, those that nobody sees and those that turn the direction of writing would hide what a name is
 * (tp_shown in profile/base/json.c has the same list). */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const LONGEST = 2000;

export function name(text) {
    if (text === null || text === undefined || text === '') return '???';
    const cut = text.length > LONGEST ? text.slice(0, LONGEST - 200) + '\u2026' + text.slice(-200) : text;
    return cut.replace(HIDDEN, (c) => '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0'));
}

/* A title within a sentence: "Estimated cycles" without its capital, but "D1 misses" as it is. */
export const inSentence = (title) => title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());

/* Source lines keep their tabs. */
export const code = (text) => text.replace(HIDDEN, (c) => (c === '\t' ? c : '\\x' + c.charCodeAt(0).toString(16)));

export const fileName = (path) => name(path).replace(/^.*\//, '');

/* ":10", ":10-12"; '' if it is not known which line. */
export const lines = (first, last) => (!(first > 0) ? '' : last > first ? `:${first}\u2013${last}` : `:${first}`);
