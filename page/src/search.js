// SPDX-License-Identifier: GPL-2.0-or-later
//
// search.js: functions, files and data structures by any part of their names, those that cost most first.

import {h, replaceContent} from './dom.js';
import * as format from './format.js';
import {hasStructures, Structures} from './structures.js';

const MOST = 14;
const FEW = 6; // of files, of data structures

export class Search {
    constructor(app) {
        this.app = app;
        this.input = h('input', {
            type: 'search',
            placeholder: 'Search  /',
            'aria-label': 'Search functions, files, data',
            spellcheck: 'false',
            oninput: () => this.find(),
            onfocus: () => this.find(),
            onkeydown: (event) => this.key(event),
        });
        this.list = h('div', {class: 'found', hidden: true});
        this.element = h('div', {class: 'search'}, this.input, this.list);
        document.addEventListener('pointerdown', (event) => !this.element.contains(event.target) && this.close());
    }

    focus() {
        this.input.focus();
        this.input.select();
    }

    close() {
        this.list.hidden = true;
    }

    async find() {
        const words = this.input.value.trim().toLowerCase();
        if (!words) return this.close();
        const names = await this.app.names();
        const {functions, files} = this.app.tables;
        const costs = await this.app.metrics.values(functions, this.app.metric);
        const hits = [];
        for (let row = 0; row < functions.rows; row++)
            if (names.functionAt(row).toLowerCase().includes(words)) hits.push(row);
        hits.sort((a, b) => (costs[b] || 0) - (costs[a] || 0) || a - b);
        const ids = await functions.numbers('id');
        const fileIds = await files.numbers('id');
        const paths = [];
        for (let row = 0; row < files.rows && paths.length < MOST; row++)
            if (names.file(fileIds[row]).toLowerCase().includes(words)) paths.push(fileIds[row]);
        const data = await this.structures(words);
        if (words !== this.input.value.trim().toLowerCase()) return undefined;
        this.draw(names, hits, ids, costs, paths, data);
        return undefined;
    }

    /* [id, name] of a few. */
    async structures(words) {
        if (!hasStructures(this.app.profile)) return [];
        const all = await Structures.load(this.app);
        const found = [...all.id.keys()].filter((row) => all.nameAt(row).toLowerCase().includes(words));
        return found.slice(0, FEW).map((row) => [all.id[row], all.nameAt(row)]);
    }

    draw(names, hits, ids, costs, paths, data) {
        const {app} = this;
        const share = (row) => app.metrics.percent(app.metric, costs[row]);
        const rows = hits
            .slice(0, MOST)
            .map((row) =>
                h(
                    'a',
                    {href: app.address('function', ids[row])},
                    h('span', {class: 'what'}, names.functionAt(row)),
                    h('i', null, share(row)),
                ),
            );
        if (hits.length > MOST)
            rows.push(
                h(
                    'a',
                    {class: 'more', href: app.address('functions', '', {q: this.input.value.trim()})},
                    `all ${format.count(hits.length)} functions`,
                ),
            );
        for (const id of paths.slice(0, FEW))
            rows.push(
                h(
                    'a',
                    {href: app.address('source', id)},
                    h('span', {class: 'what'}, names.file(id)),
                    h('i', null, 'file'),
                ),
            );
        for (const [id, name] of data)
            rows.push(
                h(
                    'a',
                    {href: app.address('structure', id)},
                    h('span', {class: 'what'}, name),
                    h('i', null, 'data'),
                ),
            );
        replaceContent(this.list, rows.length ? rows : h('p', {class: 'dim'}, 'nothing of this name'));
        for (const row of rows) row.addEventListener('click', () => this.close());
        this.list.hidden = false;
    }

    key(event) {
        const links = [...this.list.querySelectorAll('a')];
        const at = links.findIndex((link) => link.classList.contains('current'));
        if (event.key === 'Escape') {
            this.close();
            this.input.blur();
        } else if (event.key === 'Enter' && !this.list.hidden && links.length) {
            (links[at] || links[0]).click();
            this.input.blur();
        } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && links.length) {
            if (at >= 0) links[at].classList.remove('current');
            links[(at + (event.key === 'ArrowDown' ? 1 : links.length - 1)) % links.length].classList.add(
                'current',
            );
        } else return;
        event.preventDefault();
    }
}
