// SPDX-License-Identifier: GPL-2.0-or-later
//
// chooser.js: the event that all views show, inclusive or self, and the other columns of tables.

import {h, replaceContent} from './dom.js';
import {NUMBERS} from './metrics.js';

export class EventChooser {
    constructor(app) {
        this.app = app;
        this.words = h('span.chosen');
        this.name = h('span.dim');
        this.button = h(
            'button.event',
            {
                'aria-haspopup': 'listbox',
                'aria-expanded': 'false',
                onclick: () => this.open(),
                tip: () => this.app.metric && [...this.app.metrics.about(this.app.metric), 'what the views show: e'],
            },
            this.words,
            this.name,
            h('span.caret', '\u25be'),
        );
        this.kinds = ['incl', 'self'].map((kind) => {
            const onclick = () => this.app.metric.incl !== (kind === 'incl') && this.toggle();
            return h('button', {'data-kind': kind, tip: () => [NUMBERS[kind], 'key i'], onclick}, kind);
        });
        this.filter = h('input', {
            type: 'search',
            placeholder: 'event',
            'aria-label': 'Find an event',
            oninput: () => this.draw(),
            onkeydown: (event) => this.key(event),
        });
        this.list = h('div.events', {role: 'listbox'});
        this.popup = h('div.popup', {hidden: true}, this.filter, this.list);
        this.element = h('div.chooser', this.button, h('div.kinds', {role: 'group'}, this.kinds), this.popup);
        document.addEventListener('pointerdown', (event) => !this.element.contains(event.target) && this.close());
        this.element.addEventListener(
            'keydown',
            (event) => event.key === 'Escape' && (this.close(), this.button.focus()),
        );
    }

    update() {
        const {metric} = this.app;
        this.words.textContent = metric.title;
        this.name.textContent = metric.name;
        for (const kind of this.kinds)
            kind.setAttribute('aria-pressed', String(metric.incl === (kind.dataset.kind === 'incl')));
        this.close();
    }

    toggle() {
        const {metric} = this.app;
        this.app.change({e: metric.incl ? metric.name : metric.name + '_incl', s: null});
    }

    open() {
        if (!this.popup.hidden) return this.close();
        this.popup.hidden = false;
        this.button.setAttribute('aria-expanded', 'true');
        this.filter.value = '';
        this.draw();
        this.filter.focus();
        return undefined;
    }

    close() {
        this.popup.hidden = true;
        this.button.setAttribute('aria-expanded', 'false');
    }

    choose(name) {
        this.close();
        this.app.change({e: name + (this.app.metric.incl ? '_incl' : ''), s: null});
    }

    draw() {
        const words = this.filter.value.toLowerCase();
        const {metrics, metric} = this.app;
        const shown = new Set(this.app.shownMetrics().map((m) => m.key));
        const matches = (event) => [event.name, event.title, event.long].join(' ').toLowerCase().includes(words);
        const group = ([name, all]) => {
            const rows = all.filter(matches).map((one) => this.row(one.name, metric, shown));
            return rows.length > 0 && [h('div.group', name), rows];
        };
        replaceContent(this.list, metrics.groups().map(group));
    }

    /* A row chooses the event; its box shows it as a column too, which is all that a ratio can be. */
    row(name, metric, shown) {
        const {metrics} = this.app;
        const isRatio = metrics.ratios.has(name);
        const key = isRatio ? name : name + (metric.incl ? '_incl' : '');
        const event = metrics.find(key);
        const box = h('input', {
            type: 'checkbox',
            'aria-label': name + ' as a column',
            tip: () => ['as a column of tables'],
            onchange: (e) => this.column(key, e.target.checked),
        });
        box.checked = shown.has(event.key);
        box.disabled = event.name === metric.name;
        const choose = () => (isRatio ? box.click() : this.choose(name));
        return h(
            'div.option',
            {role: 'option', 'aria-selected': String(event.name === metric.name), 'data-event': name},
            box,
            h(
                'button',
                {onclick: choose},
                h('span', event.title),
                h('b', event.name),
                h('i', !isRatio && metrics.show({real: event.real}, event.total)),
            ),
        );
    }

    column(key, wanted) {
        const asked = this.app.params.get('c');
        const list = asked === null ? this.app.usual() : asked.split(',').filter(Boolean);
        const find = (one) => this.app.metrics.find(one);
        this.app.change({c: (wanted ? [...list, key] : list.filter((k) => find(k)?.key !== find(key).key)).join(',')});
    }

    key(event) {
        const options = [...this.list.querySelectorAll('.option button')];
        if (event.key === 'Enter' && options.length) options[0].click();
        else if (event.key === 'ArrowDown' && options.length) options[0].focus();
        else return;
        event.preventDefault();
    }
}
