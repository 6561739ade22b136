// SPDX-License-Identifier: GPL-2.0-or-later
//
// advice.js: what the profile suggests to change, what that would save, where, and why.

import {h} from './dom.js';
import * as format from './format.js';
import {hasStructures, Structures} from './structures.js';

export const hasAdvice = (profile) => Boolean(profile.tables.advice && profile.tables.advice.rows);

const WORTH = 'CEst: the estimate of cycles that a fix would save; savings of several pieces need not add up';

export class Advice {
    static async load(app) {
        const {advice, advice_places: places, advice_evidence: evidence} = app.tables;
        const all = Object.assign(new Advice(), {app, names: await app.names()});
        if (hasStructures(app.profile)) all.data = await Structures.load(app);
        all.items = await rowsOf(advice, ['kind', 'title', 'fix', 'certain']);
        const of = (rows, item) => rows.filter((row) => row.advice_id === item.id);
        const [where, why] = await Promise.all([
            rowsOf(places, ['role', 'function']),
            rowsOf(evidence, ['key', 'unit', 'words', 'text']),
        ]);
        for (const item of all.items) Object.assign(item, {places: of(where, item), evidence: of(why, item)});
        return all;
    }

    /* A line for the overview. */
    short(item) {
        const {app} = this;
        return h(
            'tr',
            {'data-id': item.id, tip: () => [item.title, item.fix]},
            h('td', {class: 'num', tip: () => [this.saved(item), WORTH]}, format.percent(item.share)),
            h(
                'td',
                {class: 'name'},
                app.link('advice', item.id, {}, item.title),
                h('span', {class: 'dim'}, this.at(item)),
            ),
        );
    }

    saved(item) {
        const cycles = format.count(Math.round(item.cest));
        return `${cycles} estimated cycles, ${format.percent(item.share)} of the program's`;
    }

    at({file_id: file, line, data_id: data}) {
        const where = file === file ? format.fileName(this.names.file(file)) + (line > 0 ? ':' + line : '') : '';
        const what = data === data && this.data ? this.data.nameAt(this.data.rowOfId.get(data)) : '';
        return [where, what].filter(Boolean).map((text) => '  \u00b7  ' + text);
    }

    whole(item, current) {
        return h(
            'article',
            {class: 'advice-item' + (current ? ' current' : ''), 'data-id': item.id},
            h(
                'h2',
                null,
                h('b', {class: 'saving', tip: () => [this.saved(item), WORTH]}, format.percent(item.share)),
                ' ',
                item.title,
                h('span', {class: 'mark', tip: () => this.sure(item)}, `${item.certain} confidence`),
            ),
            h('p', {class: 'fix'}, item.fix),
            h(
                'dl',
                null,
                this.row('saves', h('span', {tip: () => [this.saved(item), WORTH]}, this.savings(item))),
                item.data_id === item.data_id && this.data && this.row('data', this.data.link(item.data_id)),
                item.places.map((place) => this.row(place.role, this.place(place))),
                item.evidence.map((one, i) => this.row(i ? '' : 'because', this.reason(one))),
            ),
        );
    }

    sure({confidence}) {
        return [
            `confidence ${confidence.toFixed(2)}, from 0 to 1`,
            'how much is known of what the rule needs to know',
        ];
    }

    row(label, content) {
        return [h('dt', null, label), h('dd', null, content)];
    }

    savings(item) {
        return [
            `${format.count(Math.round(item.cest))} estimated cycles`,
            item.bytes > 0 && `${format.bytes(item.bytes)} into D1`,
            item.memory_bytes > 0 && `${format.bytes(item.memory_bytes)} from memory`,
        ]
            .filter(Boolean)
            .join(', ');
    }

    place({function_id: id, function: name, file_id: file, line, last_line: last, share}) {
        const {app, names} = this;
        const lines = last > line ? `:${line}\u2013${last}` : line > 0 ? ':' + line : '';
        return [
            file === file &&
                app.link('source', file, {l: line > 0 ? line : null}, format.fileName(names.file(file)) + lines),
            ' ',
            id === id ? app.link('function', id, {}, name || names.function(id)) : name,
            share === share && h('span', {class: 'dim'}, ` ${share.toFixed(1)}\u2009%`),
        ];
    }

    reason({key, value, unit, words, text}) {
        const number = Number.isInteger(value) ? format.count(value) : format.real(value);
        return h(
            'span',
            {tip: () => [key, words]},
            value === value && h('b', null, unit ? `${number}\u00a0${unit}` : number),
            ' ',
            words,
            text && ': ' + text,
        );
    }
}

/* Rows of a small table as objects; `texts` are its columns of text. */
async function rowsOf(table, texts) {
    const names = [...table.columns.keys()];
    const columns = await Promise.all(
        names.map((name) => (texts.includes(name) ? table.texts(name) : table.numbers(name))),
    );
    const value = (i, row) => {
        if (!texts.includes(names[i])) return columns[i][row];
        const text = columns[i].at(row);
        return text ? format.name(text) : '';
    };
    return Array.from({length: table.rows}, (_, row) =>
        Object.fromEntries(names.map((name, i) => [name, value(i, row)])),
    );
}
