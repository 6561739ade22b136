// SPDX-License-Identifier: GPL-2.0-or-later
//
// traffic.js: a picture of what travels between the program, the caches and memory, and how much of it is for nothing.
//
// Bytes loaded into a cache are those of the tenures that ended in it: touched (Use) and never touched (SpLoss). Bytes
// written back are whole lines (Wb), of which a part had changed (Wrt).

import {h} from './dom.js';
import * as format from './format.js';

export function traffic(app) {
    const {metrics} = app;
    const total = (name) => (metrics.totals.has(name) ? metrics.totals.get(name) || 0 : 0);
    if (metrics.difference || (!metrics.events.has('I1mr') && !metrics.events.has('D1mr'))) return '';
    const l2 = metrics.events.has('D2mr');
    const box = (title, ...children) => h('div', {class: 'cache'}, h('b', null, title), children);
    const stages = [
        h('div', {class: 'stage'}, h('div', {class: 'cache program'}, h('b', null, 'Program'))),
        h(
            'div',
            {class: 'flows'},
            flow('fetches', total('Ir'), tipOf(app, 'Ir')),
            flow('reads and writes', total('Dr') + total('Dw'), tipOf(app, 'Dr', 'Dw')),
        ),
        h('div', {class: 'stage'}, box('I1', use(app, 'I1')), box('D1', use(app, 'D1'))),
        h(
            'div',
            {class: 'flows'},
            flow('misses', total('I1mr'), tipOf(app, 'I1mr'), rate(total('I1mr'), total('Ir')), back(app, '')),
            flow(
                'misses',
                total('D1mr') + total('D1mw'),
                tipOf(app, 'D1mr', 'D1mw'),
                rate(total('D1mr') + total('D1mw'), total('Dr') + total('Dw')),
                back(app, 'D1'),
            ),
        ),
    ];
    if (l2)
        stages.push(
            h('div', {class: 'stage'}, box('L2', use(app, 'I2', 'code'), use(app, 'D2', 'data'))),
            h(
                'div',
                {class: 'flows one'},
                flow(
                    'misses',
                    total('I2mr') + total('D2mr') + total('D2mw'),
                    tipOf(app, 'I2mr', 'D2mr', 'D2mw'),
                    '',
                    back(app, 'D2'),
                ),
            ),
        );
    stages.push(
        h('div', {class: 'stage'}, box('LL', use(app, 'L'))),
        h(
            'div',
            {class: 'flows one'},
            flow(
                'misses',
                total('LLm'),
                tipOf(app, 'ILmr', 'DLmr', 'DLmw'),
                rate(total('LLm'), total('Ir') + total('Dr') + total('Dw')),
                back(app, 'L'),
            ),
        ),
        h('div', {class: 'stage'}, h('div', {class: 'cache memory'}, h('b', null, 'Memory'))),
    );
    return h('section', {class: 'traffic', 'aria-label': 'Traffic between the caches'}, stages);
}

const rate = (part, whole) => (whole > 0 ? format.percent((100 * part) / whole) : '');

function tipOf(app, ...names) {
    const {metrics} = app;
    return () =>
        names
            .filter((name) => metrics.events.has(name))
            .map((name) => `${name}: ${metrics.find(name).long}, ${format.count(metrics.totals.get(name))}`);
}

function flow(label, value, tip, share, back) {
    return h(
        'div',
        {class: 'flow', tip},
        h('span', {class: 'amount'}, format.short(value), h('span', {class: 'dim'}, ' ' + label)),
        h('span', {class: 'arrow'}),
        h('span', {class: 'dim'}, share || '\u00a0'),
        back,
    );
}

/* Written back below a level. */
function back(app, level) {
    const {metrics} = app;
    if (!metrics.events.has('Wb' + level)) return null;
    const lines = metrics.totals.get('Wb' + level);
    const dirty = metrics.find('dirty' + level);
    return h(
        'span',
        {
            class: 'back',
            tip: () => [
                `Wb${level}: ${metrics.find('Wb' + level).long}, ${format.count(lines)}`,
                dirty &&
                    `${dirty.name}: ${dirty.long}, ${metrics.show(
                        dirty,
                        metrics.of(dirty, (name) => metrics.totals.get(name)),
                    )}\u2009%`,
            ],
        },
        '\u2190 ',
        format.short(lines),
        ' written back',
    );
}

/* A bar of the bytes loaded: what was touched, and what was not. */
function use(app, level, word) {
    const {metrics} = app;
    const [used, lost] = ['Use', 'SpLoss'].map((name) => metrics.totals.get(name + level));
    if (used === undefined || lost === undefined) return null;
    const part = used + lost > 0 ? (100 * used) / (used + lost) : NaN;
    const again = metrics.find('temporal' + level);
    return h(
        'div',
        {
            class: 'use',
            tip: () => [
                `${format.bytes(used + lost)} loaded into ${level === 'L' ? 'LL' : level}`,
                `${format.bytes(used)} touched (Use${level} ${format.count(used)})`,
                `${format.bytes(lost)} never touched (SpLoss${level} ${format.count(lost)})`,
                again &&
                    `temporal use ${format.real(metrics.of(again, (name) => metrics.totals.get(name)))}: ${again.long}`,
            ],
        },
        h('span', {class: 'dim'}, (word ? word + ': ' : '') + format.bytes(used + lost) + ' loaded'),
        h('span', {class: 'used'}, h('span', {style: {width: (part === part ? part : 0) + '%'}})),
        h(
            'span',
            {class: 'lost'},
            part === part ? format.percent(100 - part) + ' never touched' : 'nothing loaded',
        ),
    );
}
