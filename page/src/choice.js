// SPDX-License-Identifier: GPL-2.0-or-later
//
// choice.js: buttons of which one is pressed; another one changes a parameter of the address.

import {h} from './dom.js';

/* `key`: of the address; `words(value)`, `tip(value)`. */
export function choice(app, key, values, chosen, words, tip) {
    const button = (value) =>
        h(
            'button',
            {
                'data-choice': value,
                'aria-pressed': String(value === chosen),
                tip: () => [tip(value)],
                onclick: () => app.change({[key]: value}),
            },
            words(value),
        );
    return h('span.kinds', values.map(button));
}
