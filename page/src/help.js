// SPDX-License-Identifier: GPL-2.0-or-later
//
// help.js: keys, and what words, marks and colours mean: events and ratios of this profile, and what stands elsewhere
// on the page, from where it is said there.

import {ADVISED, hasAdvice} from './views/advice.js';
import {NEWNESS} from './app.js';
import {h, markOf, replaceContent} from './dom.js';
import {MARKS} from './calltree.js';
import {MISS_KINDS, hasPatterns} from './patterns.js';
import {NUMBERS} from './metrics.js';
import {hasStructures, KINDS} from './structures.js';
import {hasStatements, HOT} from './statements.js';

const KEYS = [
    ['1 \u2026 9', 'views, from left to right'],
    ['s', 'search functions, files and data structures'],
    ['/', 'find: by name in lists, the call tree and the flame graph, text in a source file; elsewhere as s'],
    ['?', 'keys, words, marks and colours'],
    ['e', 'choose the event'],
    ['i', 'inclusive or self cost'],
    ['\u2191 \u2193 PgUp PgDn', 'move in a table'],
    ['Enter', 'open what the row names'],
    ['\u2190 \u2192', 'close and open a branch, a line\u2019s details'],
    ['n p', 'source: next and previous hot line'],
    ['Enter, Shift Enter', 'in the field that finds in a source file: next and previous'],
    ['h', 'call tree, flame graph: leave the chosen function out; its costs, and what it calls, are its caller\u2019s'],
    ['Esc', 'flame graph, treemap: one level up'],
    ['\u2190 \u2192, with Shift', 'the band at the top: move the part of the run, or its end; Esc: the whole run'],
    ['Alt \u2190', 'back'],
];

const LICENCE = 'Treemaps are laid out by d3-hierarchy, copyright 2010\u20132016 Mike Bostock, BSD 3-clause licence.';

/* Colours as they are drawn elsewhere, and what they mean; null for those that this profile does not need. */
function colours(app) {
    const {difference, sides, events} = app.metrics;
    const bar = (part, heat, less) =>
        h('span.td.num.bar', {class: less && 'less', style: {'--part': part + '%', '--heat': heat}}, '1,234');
    const box = (heat, less) =>
        h('span.path', {class: less && 'less', style: {'--heat': heat, '--hue': 210}}, 'name');
    const flames = (...boxes) => h('span.flames', {class: sides && 'change'}, boxes);
    const used = h('span.used', h('span', {style: {width: '60%'}}));
    return [
        [bar(30, 0), 'below a number: which part it is of all; gray-blue is inclusive'],
        [bar(80, 1), 'of self cost the warmer the larger'],
        difference && [bar(40, 1, true), 'less than before'],
        events.has('SpLossD1') && [used, 'of what was loaded, the part that was touched; the rest was not'],
        !difference && [
            flames(box(0), box(1)),
            'flame graph: the warmer the more is self cost, or, bottom-up, the more it is; a hue for each object file',
        ],
        sides && [flames(box(1), box(1, true)), 'flame graph, treemap: it grew, it fell'],
        hasStatements(app.profile) && [
            h('b.hot', 'x = a[i];'),
            `source: its statement costs ${HOT}\u2009% of the program or more`,
        ],
        app.tables.intervals?.rows > 0 && [
            h('span.timeline', h('i.mark-at')),
            'the band: a part was written, or something was switched, by a request or an option',
        ],
        hasAdvice(app.profile) && [h('b.advised', ADVISED), 'source: advice names this line'],
    ].filter(Boolean);
}

const list = (name, entries) => h('dl', {class: name}, entries.map(([word, what]) => [h('dt', word), h('dd', what)]));

/* "pruned: why" is a mark and what it means. */
const explained = (text) => [markOf(text), text.replace(/[^:]*: /, '')];

function contents(app) {
    const {metrics, profile} = app;
    const event = ({name, title, long, unit, formula}) => [
        [title, ' ', h('span.dim', name)],
        [long, unit && !long.includes(unit) && `, ${unit}`, formula && h('span.dim', ` = ${formula}`)],
    ];
    const kinds = ([, word, what]) => [h('span.kind-bar', h('span', {class: word})), `${word} miss: ${what}`];
    return [
        h('h2', 'Keys'),
        list('keys', KEYS.map(([key, what]) => [h('kbd', key), what])),
        h('h2', 'Numbers and marks'),
        h('p.dim', 'Every number says what it is when the pointer rests on it.'),
        list('numbers', Object.values(NUMBERS).map(explained)),
        list('marks', Object.values({...MARKS, ...(metrics.sides && NEWNESS)}).map(explained)),
        h('h2', 'Colours'),
        list('colours', [...colours(app), ...(hasPatterns(app) ? MISS_KINDS.map(kinds) : [])]),
        hasStructures(profile) && [
            h('h2', 'Data structures'),
            list('data', Object.entries(KINDS).map(([kind, what]) => [h('span.mark', kind), what])),
        ],
        metrics.groups().map(([group, all]) => [h('h2', group), list('events', all.map(event))]),
        h('p.dim', LICENCE),
        h('form', {method: 'dialog'}, h('button', {type: 'submit'}, 'Close')),
    ];
}

export function helpDialog(app) {
    const element = h('dialog.help', {
        'aria-label': 'Keys, words, colours',
        onclick: (event) => event.target === element && element.close(),
    });
    const open = () => {
        replaceContent(element, contents(app));
        element.showModal();
        element.scrollTop = 0;
    };
    return {element, open};
}
