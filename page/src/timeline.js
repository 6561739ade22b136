// SPDX-License-Identifier: GPL-2.0-or-later
//
// timeline.js: the band above all views: what the run cost when (docs/model.md, section 18), and a window of it.
//
// The band has a bar for each interval, as wide as it is long, in instructions or in time (`axis` in the address), and
// as high as what it cost of the chosen event for its length. A window is chosen by dragging, or with the keyboard, and
// is `when=FIRST-LAST` in the address, by the intervals' ids. Views that know what functions cost in an interval follow
// it (Window); the others show the whole run, which the band says.

import {h, replaceContent, svg} from './dom.js';
import * as format from './format.js';

const WIDE = 1000; // of the drawing, which is stretched
const HIGH = 100;
const WORST = 4; // functions in a tooltip
const MOST_LABELS = 1000; // as a part has them
const FOLLOW = new Set(['functions', 'treemap']);

const milliseconds = (ns) => format.real(ns / 1e6) + ' ms';

/* What intervals and functions of a range of intervals cost. */
export class Window {
    constructor(app, first, last) {
        Object.assign(this, {app, first, last});
    }

    /* That of the address, or null. */
    static of(app) {
        const [, first, last] = (app.params.get('when') || '').match(/^(\d+)-(\d+)$/) || [];
        const {intervals} = app.tables;
        return intervals && intervals.rows && +first >= 1 && +first <= +last && +last <= intervals.rows
            ? new Window(app, +first, +last)
            : null;
    }

    /* {ids: of functions that are known to have cost something, costs: metric key -> (id -> value)}, of those of `list`
     * that are self costs. */
    async functions(list) {
        const table = this.app.tables.interval_functions;
        const {metrics} = this.app;
        const {interval_id: intervals, function_id: ids} = await table.read('interval_id', 'function_id');
        const rows = [...ids.keys()].filter((row) => intervals[row] >= this.first && intervals[row] <= this.last);
        const costs = new Map();
        for (const metric of list.filter((one) => !one.incl)) {
            const columns = await metrics.columns(table, metric);
            if (!columns) continue;
            const sums = new Map([...columns.keys()].map((name) => [name, new Map()]));
            for (const [name, numbers] of columns)
                for (const row of rows)
                    if (numbers[row] === numbers[row])
                        sums.get(name).set(ids[row], (sums.get(name).get(ids[row]) || 0) + numbers[row]);
            costs.set(metric.key, (id) => metrics.of(metric, (name) => sums.get(name).get(id) ?? NaN));
        }
        return {ids: [...new Set(rows.map((row) => ids[row]))], costs};
    }
}

/* The band, or nothing where the profile does not say when. */
export class Timeline {
    constructor(app) {
        this.app = app;
        this.element = h('section.timeline', {hidden: true, 'aria-label': 'When the run cost what'});
    }

    async update() {
        const {app} = this;
        const {intervals, labels} = app.tables;
        if (!intervals || !intervals.rows) return;
        this.spans = await app.once('intervals', () => intervals.records(undefined, SPANS));
        const first = () => labels.records([...Array(Math.min(labels.rows, MOST_LABELS)).keys()]);
        this.labels = await app.once('labels', () => (labels ? first() : []));
        this.metric = app.metrics.at({name: app.metric.name});
        this.values = await app.metrics.values(intervals, this.metric);
        this.byTime = app.params.get('axis') === 'time';
        this.window = Window.of(app);
        this.hovered = null;
        this.begin = this.startOf(this.spans[0]);
        const last = this.spans.at(-1);
        this.length = Math.max(this.startOf(last) + this.lengthOf(last) - this.begin, 1);
        const focused = this.element.contains(document.activeElement);
        const band = this.band();
        this.element.hidden = false;
        replaceContent(this.element, this.head(), band);
        if (focused) band.focus();
    }

    startOf(span) {
        return this.byTime ? span.start_ns : span.start;
    }

    lengthOf(span) {
        return this.byTime ? span.duration_ns : span.instructions;
    }

    x(at) {
        return ((at - this.begin) / this.length) * WIDE;
    }

    /* ---------------------------------------------------------------------------------- words */

    /* "12.3 M instructions, 45 ms of the recording" */
    lengthWords(spans) {
        const sum = (key) => spans.reduce((all, span) => all + span[key], 0);
        const instructions = sum('instructions');
        return instructions
            ? `${format.short(instructions)} instructions, ${milliseconds(sum('duration_ns'))} of the recording`
            : 'behind the last instruction, when the caches were emptied';
    }

    head() {
        const {app, metric, window: chosen} = this;
        const axes = app.choice(
            'axis',
            ['instructions', 'time'],
            this.byTime ? 'time' : 'instructions',
            (axis) => axis,
            (axis) => (axis === 'time' ? 'as wide as it took, recorded' : 'as wide as it has instructions'),
        );
        const what = h('span.label', metric.title, ' ', h('span.sub', app.metrics.short(metric)));
        if (!chosen)
            return h('div.bar', what, axes, h('span.dim', `${this.lengthWords(this.spans)}; drag to choose a part`));
        const spans = this.spans.slice(chosen.first - 1, chosen.last);
        const follows = FOLLOW.has(app.view.id) ? '' : 'This view shows the whole run; Functions and Treemap follow.';
        return h(
            'div.bar',
            what,
            axes,
            h('span.chosen', `${this.lengthWords(spans)}${this.costWords(spans)}.`),
            h('button', {onclick: () => app.change({when: null})}, 'whole run'),
            h('span.dim', follows),
        );
    }

    /* ": 1,234 (5.6 %)", of a metric whose parts can be added up. */
    costWords(spans) {
        const {metrics} = this.app;
        if (this.metric.ratio) return '';
        const cost = spans.reduce((all, span) => all + (this.values[span.row] || 0), 0);
        return `: ${metrics.show(this.metric, cost)} ${this.metric.name} (${metrics.percent(this.metric, cost)})`;
    }

    /* ---------------------------------------------------------------------------------- drawing */

    band() {
        const heights = this.spans.map((span) => {
            const value = this.values[span.row];
            return this.lengthOf(span) > 0 && value > 0 ? value / (this.metric.ratio ? 1 : this.lengthOf(span)) : 0;
        });
        const highest = heights.reduce((most, height) => Math.max(most, height), 0) || 1;
        const bars = this.spans.map((span, i) => {
            const [left, right] = [this.x(this.startOf(span)), this.x(this.startOf(span) + this.lengthOf(span))];
            const top = HIGH - (heights[i] / highest) * HIGH;
            return `M${left.toFixed(2)} ${HIGH}V${top.toFixed(2)}H${right.toFixed(2)}V${HIGH}Z`;
        });
        const drawing = svg(
            'svg',
            {viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'},
            svg('path', {class: 'bars', d: bars.join('')}),
        );
        this.cover = h('div.window', {hidden: true});
        if (this.window) this.mark(this.window.first, this.window.last);
        const marks = this.labels.map((label) => {
            const left = Math.min(100, Math.max(0, this.x(this.byTime ? label.ns : label.at) / 10));
            const where = `at ${format.count(label.at)} instructions, ${milliseconds(label.ns)}`;
            return h('i.mark-at', {style: {left: left + '%'}, tip: () => [label.label, where]});
        });
        const plot = h(
            'div.plot',
            {
                tabindex: 0,
                role: 'slider',
                'aria-label': 'A part of the run: arrow keys move it, with Shift its end, Escape: the whole run',
                'aria-valuemin': 1,
                'aria-valuemax': this.spans.length,
                'aria-valuenow': this.window ? this.window.first : 1,
                'aria-valuetext': this.window
                    ? `intervals ${this.window.first} to ${this.window.last} of ${this.spans.length}`
                    : 'the whole run',
                tip: () => this.tipLines,
                onpointerdown: (event) => this.drag(event, plot),
                onpointermove: (event) => this.hover(event, plot),
                onkeydown: (event) => this.keys(event),
            },
            drawing,
            this.cover,
            marks,
        );
        return plot;
    }

    /* The place of the window, from one interval to another. */
    mark(first, last) {
        const [from, to] = [this.spans[first - 1], this.spans[last - 1]];
        const left = this.x(this.startOf(from)) / 10;
        this.cover.hidden = false;
        this.cover.style.setProperty('left', left + '%');
        this.cover.style.setProperty('width', this.x(this.startOf(to) + this.lengthOf(to)) / 10 - left + '%');
    }

    /* The id of the interval that is there. */
    at(event, plot) {
        const {left, width} = plot.getBoundingClientRect();
        const part = Math.min(1, Math.max(0, (event.clientX - left) / Math.max(width, 1)));
        const place = this.begin + part * this.length;
        const row = this.spans.findIndex((span) => place < this.startOf(span) + this.lengthOf(span));
        return row < 0 ? this.spans.length : row + 1;
    }

    /* ---------------------------------------------------------------------------------- hands */

    async hover(event, plot) {
        const span = this.spans[this.at(event, plot) - 1];
        if (this.hovered === span) return;
        this.hovered = span;
        this.tipLines = [this.lengthWords([span]) + this.costWords([span])];
        const {app, metric} = this;
        const [names, {ids, costs}] = await Promise.all([
            app.names(),
            new Window(app, span.row + 1, span.row + 1).functions([metric]),
        ]);
        const cost = costs.get(metric.key);
        if (!cost || this.hovered !== span) return;
        const worst = ids.filter((id) => cost(id) > 0).sort((a, b) => cost(b) - cost(a));
        for (const id of worst.slice(0, WORST))
            this.tipLines.push(`${app.metrics.show(metric, cost(id))}  ${names.ref(id).name}`);
    }

    /* From where the button goes down to where it goes up; a click is one interval. */
    drag(event, plot) {
        if (event.button !== 0) return;
        const from = this.at(event, plot);
        const range = (other) => [Math.min(from, other), Math.max(from, other)];
        const move = (moved) => this.mark(...range(this.at(moved, plot)));
        const up = (done) => {
            plot.removeEventListener('pointermove', move);
            plot.removeEventListener('pointerup', up);
            plot.removeEventListener('pointercancel', up);
            this.app.change({when: range(this.at(done, plot)).join('-')});
        };
        plot.setPointerCapture(event.pointerId);
        plot.addEventListener('pointermove', move);
        plot.addEventListener('pointerup', up);
        plot.addEventListener('pointercancel', up);
        this.mark(from, from);
    }

    keys(event) {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (event.key === 'Escape') this.app.change({when: null});
        if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const all = this.spans.length;
        const {first, last} = this.window || {first: 1, last: 1};
        const inside = (id) => Math.min(all, Math.max(1, id));
        const moved = event.shiftKey ? [first, Math.max(first, inside(last + step))] : [first + step, last + step];
        if (!this.window) this.app.change({when: '1-1'});
        else if (moved[0] >= 1 && moved[1] <= all) this.app.change({when: moved.join('-')});
    }
}

const SPANS = ['id', 'start', 'instructions', 'start_ns', 'duration_ns'];
