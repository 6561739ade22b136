// SPDX-License-Identifier: GPL-2.0-or-later
//
// traffic.js: a picture of what travels between the program, the caches and memory, and how much of it is for nothing.
//
// A miss brings a whole line. Bytes loaded into a cache are those of the tenures that ended in it: touched (Use) and
// never touched (SpLoss). Bytes written back are whole lines (Wb), of which a part had changed (Wrt). Arrows are the
// thicker the more bytes go their way. Of a difference there is a picture for each side. Where sets were sampled, ±
// stands behind misses, and behind what was never touched.

import {append, h} from './dom.js';
import * as format from './format.js';
import {SIDES} from './metrics.js';

export async function traffic(app, side) {
    const {metrics} = app;
    if ((metrics.difference && !side) || (!metrics.events.has('I1mr') && !metrics.events.has('D1mr'))) return '';
    const picture = new Traffic(app, side);
    if (!side) await picture.findMargins();
    return picture.draw();
}

const stage = (...boxes) => h('div.stage', boxes);
const cache = (title, ...children) => h('div.cache', h('b', title), children);
const MISSES = {
    I1: ['I1mr'],
    D1: ['D1mr', 'D1mw'],
    L2: ['I2mr', 'D2mr', 'D2mw'],
    LL: ['ILmr', 'DLmr', 'DLmw'],
};
/* Misses of D1 that there would not be if other threads did not write, where that was recorded. */
export const COHERENCE = ['D1cr', 'D1cw'];
const rate = (part, whole) => (whole > 0 ? format.percent((100 * part) / whole) : '');

/* Of the whole program, or of a side. */
class Traffic {
    constructor(app, side) {
        Object.assign(this, {app, side, metrics: app.metrics, off: new Map()});
    }

    /* Of misses, by the names of their events, and of use, by the ratio's: how far they may be off, in words. */
    async findMargins() {
        const find = async (key, metric, value) => {
            const margin = metric && (await this.metrics.margin(this.app.tables.totals, metric));
            if (margin) this.off.set(key, this.metrics.off(metric, value, margin([0])));
        };
        for (const [cache, names] of Object.entries(MISSES)) {
            const known = names.filter((name) => this.at(name));
            for (const name of known) await find(name, this.at(name), this.total(name));
            const value = (get) => known.reduce((sum, name) => sum + get(name), 0);
            await find(cache, {key: known.join(), terms: {names: known, value}}, this.total(...known));
        }
        for (const ratio of ['I1', 'D1', 'L', 'I2', 'D2'].map((level) => this.at('spatial' + level)).filter(Boolean))
            await find(ratio.name, ratio, this.valueOf(ratio));
    }

    at(name) {
        return this.metrics.at({name}, this.side);
    }

    total(...names) {
        return names.reduce((sum, name) => sum + ((this.at(name) && this.valueOf(this.at(name))) || 0), 0);
    }

    valueOf(metric) {
        return this.metrics.of(metric, (name) => this.metrics.totals.get(name));
    }

    lineOf(name) {
        const text = this.app.profile.meta.get('cache.' + (name === 'L1' ? 'D1' : name)) || '';
        return Number(text.split(',')[2]) || 0;
    }

    bytesOf(name, misses) {
        return this.lineOf(name) * this.total(...misses);
    }

    mostBytes() {
        return Math.max(this.bytesOf('L1', [...MISSES.I1, ...MISSES.D1]), this.bytesOf('LL', MISSES.LL));
    }

    draw() {
        const {app, metrics} = this;
        const sides = this.side ? SIDES : [undefined]; // arrows of both are as thick as one another
        this.most = Math.max(...sides.map((side) => new Traffic(app, side).mostBytes()), 1);
        const l2 = metrics.events.has('D2mr');
        const ends = ['Program', 'Memory'].map((title) => h(`div.cache.${title.toLowerCase()}`, h('b', title)));
        append(ends[0], this.side && h('span', this.side));
        return h(
            'section.traffic',
            {tabindex: 0, 'aria-label': 'Traffic between the caches' + (this.side ? ', ' + this.side : '')},
            stage(ends[0]),
            h('div.flows', this.accesses('fetches', ['Ir']), this.accesses('reads and writes', ['Dr', 'Dw'])),
            stage(cache('I1', this.use('I1')), cache('D1', this.use('D1'))),
            h(
                'div.flows',
                this.misses('I1', ['Ir'], ''),
                this.misses('D1', ['Dr', 'Dw'], 'D1'),
            ),
            l2 && [
                stage(cache('L2', this.use('I2', 'code'), this.use('D2', 'data'))),
                h('div.flows.one', this.misses('L2', [], 'D2')),
            ],
            stage(cache('LL', this.use('L'))),
            h('div.flows.one', this.misses('LL', ['Ir', 'Dr', 'Dw'], 'L')),
            stage(ends[1]),
        );
    }

    accesses(label, names) {
        return this.flow(label, this.total(...names), 0, () => this.explain(names));
    }

    /* Lines that a cache asked the next level for, and those that it wrote back to it. */
    misses(name, accesses, written) {
        const misses = MISSES[name];
        const [count, bytes] = [this.total(...misses), this.bytesOf(name, misses)];
        const share = rate(count, this.total(...accesses));
        const shared = name === 'D1' ? COHERENCE.filter((one) => this.at(one)) : [];
        const tip = () => [
            `${format.bytes(bytes)}: a line of ${this.lineOf(name)} bytes for each miss in ${name}`,
            ...this.explain([...misses, ...shared]),
            share && `${share} of ${accesses.join(' + ')}`,
        ];
        const flow = this.flow('misses', count, bytes, tip, share, this.off.get(name));
        const lost = this.total(...shared);
        if (shared.length) append(flow, h('span.lost', `${format.short(lost)} (${rate(lost, count)}) by coherence`));
        return [flow, this.back(name, written)];
    }

    explain(names) {
        return names
            .filter((name) => this.at(name))
            .map((name) => {
                const value = [format.count(this.total(name)), this.off.get(name)].filter(Boolean).join(' ');
                return `${this.at(name).title}: ${value} (${name})`;
            });
    }

    flow(label, value, bytes, tip, share, off) {
        const below = [bytes && format.bytes(bytes), share, off].filter(Boolean).join(' \u00b7 ') || '\u00a0';
        const thick = (1 + 5 * Math.sqrt(bytes / this.most)).toFixed(1) + 'px';
        return h(
            'div.flow',
            {tip},
            h('span.amount', format.short(value), h('span.dim', ' ' + label)),
            h('span.arrow', {style: {'--thick': thick}}),
            h('span.dim', below),
        );
    }

    /* Written back below a level. */
    back(name, level) {
        const written = level && this.at('Wb' + level);
        if (!written) return null;
        const lines = this.total('Wb' + level);
        const dirty = this.at('dirty' + level);
        const bytes = lines * this.lineOf(name);
        const tip = () => [
            `${written.title}: ${format.count(lines)} (${written.name}), ${format.bytes(bytes)}`,
            dirty && `${dirty.title}: ${this.metrics.show(dirty, this.valueOf(dirty))}\u2009% (${dirty.name})`,
        ];
        return this.flow('written back', lines, bytes, tip);
    }

    /* A bar of the bytes loaded: what was touched, and what was not. */
    use(level, word) {
        if (!this.at('Use' + level) || !this.at('SpLoss' + level)) return null;
        const [used, lost] = [this.total('Use' + level), this.total('SpLoss' + level)];
        const part = used + lost > 0 ? (100 * used) / (used + lost) : NaN;
        const again = this.at('temporal' + level);
        const off = this.off.has('spatial' + level) ? this.off.get('spatial' + level) + ' ' : '';
        const tip = () => [
            `${format.bytes(used + lost)} loaded into ${level === 'L' ? 'LL' : level}`,
            `${format.bytes(used)} touched (Use${level} ${format.count(used)})`,
            `${format.bytes(lost)} never touched (SpLoss${level} ${format.count(lost)})`,
            again && `${again.title}: ${format.real(this.valueOf(again))} (${again.name})`,
        ];
        return h(
            'div.use',
            {tip},
            h('span.dim', (word ? word + ': ' : '') + format.bytes(used + lost) + ' loaded'),
            h('span.used', h('span', {style: {width: (part || 0) + '%'}})),
            h('span.lost', part === part ? `${format.percent(100 - part)} ${off}never touched` : 'nothing loaded'),
        );
    }
}
