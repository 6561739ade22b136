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
            placeholder: 'Search  s',
            'aria-label': 'Search functions, files, data',
            spellcheck: 'false',
            oninput: () => this.find(),
            onfocus: () => this.find(),
            onkeydown: (event) => this.key(event),
        });
        this.list = h('div.found', {hidden: true});
        this.element = h('div.search', this.input, this.list);
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
        const {app} = this;
        const words = this.input.value.trim().toLowerCase();
        if (!words) return this.close();
        const has = (name) => name.toLowerCase().includes(words);
        const names = await app.names();
        const {functions, files} = app.tables;
        const costs = await app.metrics.values(functions, app.metric);
        const cost = (row) => costs[row] || 0;
        const found = [...Array(functions.rows).keys()].filter((row) => has(names.functionAt(row)));
        found.sort((a, b) => cost(b) - cost(a) || a - b);
        const paths = [...(await files.numbers('id'))].filter((id) => has(names.file(id)));
        const all = hasStructures(app.profile) && (await Structures.load(app));
        const data = all ? [...all.id.keys()].filter((row) => has(all.nameAt(row))) : [];
        if (words !== this.input.value.trim().toLowerCase()) return undefined;
        const entry = (href, name, beside) => h('a', {href}, h('span.what', name), h('i', beside));
        const share = (row) => app.metrics.percent(app.metric, costs[row]);
        const more = {href: app.address('functions', '', {q: this.input.value.trim()})};
        const rows = [
            ...found
                .slice(0, MOST)
                .map((row) => entry(app.address('function', names.idOf(row)), names.functionAt(row), share(row))),
            found.length > MOST && h('a.more', more, `all ${format.count(found.length)} functions`),
            ...paths.slice(0, FEW).map((id) => entry(app.address('source', id), names.file(id), 'file')),
            ...data.slice(0, FEW).map((row) => entry(app.address('structure', all.id[row]), all.nameAt(row), 'data')),
        ].filter(Boolean);
        replaceContent(this.list, rows.length ? rows : h('p.dim', 'nothing of this name'));
        for (const row of rows) row.addEventListener('click', () => this.close());
        this.list.hidden = false;
        return undefined;
    }

    key(event) {
        const links = [...this.list.querySelectorAll('a')];
        const at = links.findIndex((link) => link.classList.contains('current'));
        if (event.key === 'Escape') {
            this.close();
            this.input.value = '';
            this.input.blur();
        } else if (event.key === 'Enter' && !this.list.hidden && links.length) {
            (links[at] || links[0]).click();
            this.input.blur();
        } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && links.length) {
            const next = at + (event.key === 'ArrowDown' ? 1 : links.length - 1);
            if (at >= 0) links[at].classList.remove('current');
            links[next % links.length].classList.add('current');
        } else return;
        event.preventDefault();
    }
}
