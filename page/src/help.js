// SPDX-License-Identifier: GPL-2.0-or-later
//
// help.js: the keys.

import {h} from './dom.js';

const KEYS = [
    ['1 \u2026 9', 'views, from left to right'],
    ['/', 'search functions, files and data structures'],
    ['e', 'choose the event'],
    ['i', 'inclusive or self cost'],
    ['\u2191 \u2193 PgUp PgDn', 'move in a table'],
    ['Enter', 'open what the row names'],
    ['\u2190 \u2192', 'close and open a branch, a line\u2019s details'],
    ['n p', 'source: next and previous hot line'],
    ['Esc', 'flame graph, treemap: one level up'],
    ['Alt \u2190', 'back'],
];

const LICENCE = 'Treemaps are laid out by d3-hierarchy, copyright 2010\u20132016 Mike Bostock, BSD 3-clause licence.';

export function helpDialog() {
    const keys = KEYS.map(([key, what]) => [h('dt', h('kbd', key)), h('dd', what)]);
    const dialog = h(
        'dialog.help',
        {'aria-label': 'Keys'},
        h('h2', 'Keys'),
        h('dl', keys),
        h('p.dim', 'Every number says what it is when the pointer rests on it. A dot means: cannot occur here.'),
        h('p.dim', LICENCE),
        h('form', {method: 'dialog'}, h('button', {type: 'submit'}, 'Close')),
    );
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
    return dialog;
}
