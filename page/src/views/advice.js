// SPDX-License-Identifier: GPL-2.0-or-later
//
// advice.js: all advice, what saves most first, with places, reasons and remedies.

import {append, h, topBar} from '../dom.js';
import * as format from '../format.js';
import {Advice, hasAdvice} from '../advice.js';

export const advice = {
    id: 'advice',
    title: 'Advice',
    about: 'What to change, what that would save, where, and why',
    has: hasAdvice,

    async render(app, place) {
        const all = await Advice.load(app);
        const current = Number(app.argument);
        const items = all.items.map((item) => all.whole(item, item.id === current));
        const said = h('span.dim', many(all.items.length));
        append(place, topBar('Advice', said), h('div.advice-list', {tabindex: 0}, items));
    },

    shown(app, place) {
        const item = place.querySelector('.advice-item.current');
        if (item) item.scrollIntoView({block: 'nearest'});
        place.querySelector('.advice-list').focus({preventScroll: true});
    },
};

const many = (count) => (count === 1 ? 'one piece' : `${format.count(count)} pieces, what saves most first`);
