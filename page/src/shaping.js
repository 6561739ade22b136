// SPDX-License-Identifier: GPL-2.0-or-later
//
// shaping.js: what chooses the shape of the call tree (reshape.js) in the views that show it: a switch for its order,
// one for recursion, a button that hides a function, and what is hidden, with a way back. It is all in the address.

import {h} from './dom.js';
import {ORDERS, shapeOf} from './calltree.js';

/* For the top bar. `current()`: the node whose function the button hides, or key h where `place` gets it. */
export function shaping(app, names, nodes, place, current) {
    const {inverted, collapsed, hidden} = shapeOf(app, names);
    const leaveOut = (ids) => app.change({hidden: ids.join() || null});
    const hide = () => {
        const id = nodes.functionId[current()];
        if (names.functionRow(id) !== undefined) leaveOut([...hidden, id]);
    };
    place.addEventListener('keydown', (event) => {
        const other = event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input');
        if (event.key === 'h' && !other) hide();
    });
    const about = (order) =>
        order === ORDERS[1]
            ? 'functions by their self cost, and below them who called them'
            : 'from the program\u2019s start down';
    const recursion = {
        'aria-pressed': String(collapsed),
        tip: () => ['a function called below itself, directly or through others, costs where it was first called'],
        onclick: () => app.change({collapsed: collapsed ? null : 1}),
    };
    const leaving = {
        tip: () => ['leave the chosen function out: its own costs, and what it calls, are its caller\u2019s; key h'],
        onclick: hide,
    };
    const back = (id) => {
        const shown = [...hidden].filter((one) => one !== id);
        const properties = {'data-id': id, tip: () => ['show it again'], onclick: () => leaveOut(shown)};
        return h('button', properties, '\u00d7 ', names.function(id));
    };
    return [
        app.choice('order', ORDERS, ORDERS[Number(inverted)], (order) => order, about),
        h('span.kinds', h('button', recursion, 'collapse recursion')),
        h('button.hide', leaving, 'hide'),
        hidden.size > 0 && h('span.hidden', h('span.dim', 'hidden:'), [...hidden].map(back)),
    ];
}
