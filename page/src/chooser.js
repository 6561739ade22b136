// SPDX-License-Identifier: GPL-2.0-or-later
//
// chooser.js: the event that all views show, inclusive or self, and the other columns of tables.

import {h, replaceContent} from './dom.js';

/* Events by group, that of the event which views show at first in front. */
function grouped(metrics) {
    const groups = new Map([[metrics.events.get(metrics.find(metrics.first()).name).group, []]]);
    for (const event of metrics.events.values()) {
        if (!groups.has(event.group)) groups.set(event.group, []);
        groups.get(event.group).push(event);
    }
    return groups;
}

export class EventChooser {
    constructor(app) {
        this.app = app;
        this.name = h('span', {class: 'chosen'});
        this.button = h(
            'button',
            {
                type: 'button',
                class: 'event',
                'aria-haspopup': 'listbox',
                'aria-expanded': 'false',
                onclick: () => this.open(),
                tip: () => this.app.metric && [this.app.metric.long, 'the event that the views show: e'],
            },
            this.name,
            h('span', {class: 'caret'}, '\u25be'),
        );
        this.kinds = ['incl', 'self'].map((kind) =>
            h(
                'button',
                {
                    type: 'button',
                    'data-kind': kind,
                    tip: () => [
                        kind === 'incl'
                            ? 'inclusive: with everything that was called'
                            : 'self: without what was called',
                        'key i',
                    ],
                    onclick: () => this.app.metric.incl !== (kind === 'incl') && this.toggle(),
                },
                kind,
            ),
        );
        this.filter = h('input', {
            type: 'search',
            placeholder: 'event',
            'aria-label': 'Find an event',
            oninput: () => this.draw(),
            onkeydown: (event) => this.key(event),
        });
        this.list = h('div', {class: 'events', role: 'listbox'});
        this.columns = h('div', {class: 'columns'});
        this.popup = h('div', {class: 'popup', hidden: true}, this.filter, this.list);
        this.element = h(
            'div',
            {class: 'chooser'},
            this.button,
            h('div', {class: 'kinds', role: 'group'}, this.kinds),
            this.popup,
        );
        document.addEventListener('pointerdown', (event) => !this.element.contains(event.target) && this.close());
        this.element.addEventListener(
            'keydown',
            (event) => event.key === 'Escape' && (this.close(), this.button.focus()),
        );
    }

    update() {
        const {metric} = this.app;
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
        const rows = [...grouped(metrics)].map(([group, all]) => {
            const events = all.filter(matches);
            return (
                events.length > 0 && [
                    h('div', {class: 'group'}, group),
                    events.map((event) => this.row(event, metric, shown)),
                ]
            );
        });
        const ratios = [...metrics.ratios.values()].filter(matches);
        replaceContent(
            this.list,
            ...[
                rows,
                ratios.length > 0 && [
                    h('div', {class: 'group'}, 'Ratios (as columns)'),
                    ratios.map((ratio) => this.row(ratio, metric, shown, true)),
                ],
            ]
                .flat(Infinity)
                .filter(Boolean),
        );
    }

    /* A row chooses the event; its box shows it as a column too. */
    row(event, metric, shown, isRatio) {
        const key = isRatio ? event.name : event.name + (metric.incl ? '_incl' : '');
        const box = h('input', {
            type: 'checkbox',
            'aria-label': event.name + ' as a column',
            tip: () => ['as a column of tables'],
            onchange: (e) => this.column(key, e.target.checked),
        });
        box.checked = shown.has(key);
        box.disabled = event.name === metric.name;
        const choose = () => (isRatio ? box.click() : this.choose(event.name));
        const total = this.app.metrics.totals.get(event.name);
        return h(
            'div',
            {
                class: 'option',
                role: 'option',
                'aria-selected': String(event.name === metric.name),
                'data-event': event.name,
            },
            box,
            h(
                'button',
                {type: 'button', onclick: choose},
                h('b', null, event.name),
                h('span', null, event.title),
                h('i', null, total !== undefined && this.app.metrics.show({real: event.real}, total)),
            ),
        );
    }

    column(key, wanted) {
        const asked = this.app.params.get('c');
        const list = asked === null ? this.app.usual() : asked.split(',').filter(Boolean);
        this.app.change({c: (wanted ? [...list, key] : list.filter((k) => k !== key)).join(',')});
    }

    key(event) {
        const options = [...this.list.querySelectorAll('.option button')];
        if (event.key === 'Enter' && options.length) options[0].click();
        else if (event.key === 'ArrowDown' && options.length) options[0].focus();
        else return;
        event.preventDefault();
    }
}
