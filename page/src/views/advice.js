// SPDX-License-Identifier: GPL-2.0-or-later
//
// advice.js: all advice: what the profile suggests to change, what that would save, most first, where, and why.

import {append, h, topBar} from '../dom.js';
import {sourceOf} from '../data.js';
import {layoutOf} from '../fields.js';
import * as format from '../format.js';
import {hasStructures, Structures} from '../structures.js';

export const hasAdvice = (profile) => Boolean(profile.tables.advice && profile.tables.advice.rows);

export const ADVISED = '\u25c6'; // marks a line that advice names
const LINES = 5; // of source, in the advice
const WORTH = 'Of the estimated time, in cycles, what a fix would save; savings of several pieces need not add up';

export class Advice {
    static load(app) {
        return app.once('advice', () => Advice.read(app));
    }

    static async read(app) {
        const {advice, advice_places: places, advice_evidence: evidence} = app.tables;
        const all = Object.assign(new Advice(), {app, names: await app.names()});
        if (hasStructures(app.profile)) all.data = await Structures.load(app);
        all.items = await advice.records();
        const [where, why] = [await places.records(), await evidence.records()];
        for (const item of all.items) {
            item.places = where.filter((row) => row.advice_id === item.id);
            item.evidence = why.filter((row) => row.advice_id === item.id);
        }
        all.items.sort((a, b) => b.share - a.share || a.id - b.id); // tried, it may be less than another one promises
        return all;
    }

    /* Lines that a piece of advice names, in a file: [{line, last}]. */
    linesIn(item, fileId) {
        return [item, ...item.places]
            .filter(({file_id: file, line}) => file === fileId && line > 0)
            .map(({line, last_line: last}) => ({line, last: last > line ? last : line}));
    }

    /* Those whose lines overlap these. */
    on(fileId, first, last) {
        const overlaps = (one) => one.line <= last && first <= one.last;
        return this.items.filter((item) => this.linesIn(item, fileId).some(overlaps));
    }

    /* line -> the advice that names it, or lines from it on. */
    marks(fileId) {
        const marks = new Map();
        for (const item of this.items)
            for (const line of new Set(this.linesIn(item, fileId).map((one) => one.line)))
                marks.set(line, [...(marks.get(line) || []), item]);
        return marks;
    }

    about(item) {
        return [item.title, item.fix, `saves ${this.saved(item)}`];
    }

    /* The first line that it names. */
    first(item) {
        return [item, ...item.places].find(({line}) => line > 0);
    }

    /* A few lines of source around the first that it names, where the page has the text as it was compiled. */
    async snippet(item) {
        const {file_id: file} = this.first(item) || {};
        const {text, newer} = await sourceOf(this.app.tables, file);
        if (!text || newer) return null;
        const [{line, last}] = this.linesIn(item, file);
        const first = Math.max(1, line - Math.max(0, Math.floor((LINES - 1 - last + line) / 2)));
        const numbers = Array.from({length: LINES}, (_, i) => first + i).filter((at) => at <= text.length);
        const row = (at) =>
            h('div', {class: at >= line && at <= last && 'named'}, h('i', at), format.code(text[at - 1].slice(0, 300)));
        return line <= text.length && h('div.snippet.code', {tabindex: 0}, numbers.map(row));
    }

    /* For a table with a line for each. */
    columns() {
        return [
            {
                key: 'saves',
                label: 'saves',
                cell: ({share}) => format.percent(share),
                tip: (item) => [this.saved(item), WORTH],
            },
            {
                key: 'what',
                label: 'what',
                text: ({title}) => title,
                cell: (item) => [this.app.link('advice', item.id, {}, item.title), this.at(item)],
                tip: (item) => this.about(item),
            },
        ];
    }

    saved(item) {
        const cycles = format.count(Math.round(item.cycles));
        return `${cycles} estimated cycles, ${format.percent(item.share)} of the program's`;
    }

    at(item) {
        const at = this.names.place({...(this.first(item) || item), function_id: NaN});
        const what = this.data && this.data.ref(item.data_id);
        return [at, what].filter((ref) => ref && ref.go).map((ref) => ['  \u00b7  ', this.app.linkTo(ref)]);
    }

    async whole(item, current) {
        const saved = () => [this.saved(item), WORTH];
        const sure = () => [
            `confidence ${item.confidence.toFixed(2)}, from 0 to 1`,
            'how much is known of what the rule needs to know',
        ];
        const tried = () => [
            `recorded again, and simulated with this remedy: ${format.percent(item.share)} of ` +
                (item.tried === 'Time' ? 'the estimated time' : item.tried),
            `the profile alone promised ${format.percent(item.promised)}`,
        ];
        const most = item.certain === 'high' || item.tried ? '' : 'up to ';
        const savings = [
            `${most}${format.count(Math.abs(Math.round(item.cycles)))} estimated cycles`,
            item.bytes > 0 && `${format.bytes(item.bytes)} into D1`,
            item.memory_bytes > 0 && `${format.bytes(item.memory_bytes)} from memory`,
        ];
        const row = (label, content) => [h('dt', label), h('dd', content)];
        const data = this.data && this.data.ref(item.data_id);
        const layout = await layoutOf(this.app, item.data_id, item.remap);
        return h(
            'article.advice-item',
            {class: current && 'current', 'data-id': item.id},
            h(
                'h2',
                h('b.saving', {tip: saved}, format.percent(item.share)),
                ' ',
                item.title,
                item.tried
                    ? h('span.mark', {tip: tried}, `tried, ${format.percent(item.promised)} promised`)
                    : h('span.mark', {tip: sure}, `${item.certain} confidence`),
            ),
            h('p.fix', item.fix),
            await this.snippet(item),
            h(
                'dl',
                row(item.share < 0 ? 'costs' : 'saves', h('span', {tip: saved}, savings.filter(Boolean).join(', '))),
                data && data.go && row('data', this.app.linkTo(data)),
                layout && row('bytes', layout),
                item.places.map((place) => row(place.role, this.place(place))),
                item.evidence.map((one, i) => row(i ? '' : 'because', this.reason(one))),
            ),
        );
    }

    /* Advice may speak of a function that was inlined: it has a name, then, besides the function that it is in. */
    place({function: name, share, ...at}) {
        const {app, names} = this;
        const {function_id: id} = at;
        const lines = names.place({...at, function_id: NaN});
        return [
            lines.go && app.linkTo(lines),
            ' ',
            id === id ? app.link('function', id, {}, name || names.function(id)) : name,
            share === share && h('span.dim', ` ${share.toFixed(1)}\u2009%`),
        ];
    }

    reason({key, value, unit, words, text}) {
        const number = Number.isInteger(value) ? format.count(value) : format.real(value);
        const amount = value === value && h('b', unit ? `${number}\u00a0${unit}` : number);
        return h('span', {tip: () => [key, words]}, amount, ' ', words, text && ': ' + text);
    }
}

export const advice = {
    id: 'advice',
    title: 'Advice',
    about: 'What to change, what that would save, where, and why',
    has: hasAdvice,

    async render(app, place) {
        const all = await Advice.load(app);
        const current = Number(app.argument);
        const items = await Promise.all(all.items.map((item) => all.whole(item, item.id === current)));
        const count = items.length === 1 ? 'one piece' : `${format.count(items.length)} pieces, what saves most first`;
        append(place, topBar('Advice', h('span.dim', count)), h('div.advice-list', {tabindex: 0}, items));
    },

    shown(app, place) {
        const item = place.querySelector('.advice-item.current');
        if (item) item.scrollIntoView({block: 'nearest'});
        place.querySelector('.advice-list').focus({preventScroll: true});
    },
};
