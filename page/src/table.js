// SPDX-License-Identifier: GPL-2.0-or-later
//
// table.js: a table of any length, of which only the rows in sight are elements; and a table of few rows, all of them.
//
//     columns   [{key, label, short, sub, title, width, grow, align, class,  value(item) or text(item),
//               cell(item) -> node or text, tip(item), share(item), cold, change}]
//     items     what rows are about, in the order in which they are shown
//     open(item) Enter or a click; step(item, +1 or -1): arrow right and left
//
// `value`, or else `text`, is what a column is sorted by; without a `cell` the text is what it shows. All rows are of
// one height, so that a row's place follows from its number. A text in the last column may be wider than the table; in
// a column before others it is cut, so that these are below their headings. The table can be used from the keyboard and
// says to assistive technology how long it is. For printing it shows its first thousand rows as an ordinary table.

import {h, replaceContent} from './dom.js';
import * as format from './format.js';

const ROW = 22;
const MARGIN = 8; // rows above and below that are made as well
const PRINTED = 1000;
const TALLEST = 16000000; // pixels; browsers cut taller elements off

/* A table of few rows needs no more room than these. */
export function fit(table) {
    table.fits = table.items.length < 13;
    return table.element;
}

/* -------------------------------------------------------------------------------------------- columns */

/* A column with all that it need not say itself. */
function complete(column) {
    const {text} = column;
    if (!text) return {class: 'num', align: 'right', ...column};
    const isName = !column.class || column.class === 'name';
    return {class: 'name', align: 'left', cell: text, tip: isName && ((item) => [text(item)]), ...column};
}

function cellOf(tag, column, item) {
    const {align, cell, class: more, share, tip} = column;
    const properties = {class: `${align} ${more || ''}`, 'data-key': column.key, tip: tip && (() => tip(item))};
    if (tag === 'div') properties.role = 'gridcell';
    const element = h(tag + '.td', properties, cell(item));
    const part = share ? share(item) : NaN;
    if (part === part && part !== 0) heat(element, part, column);
    return element;
}

/* A thin bar below the number: its share of the total. Of self cost its colour grows warmer with it; what has become
 * more is warm, what is less than nothing (differences) has a colour of its own. */
function heat(cell, share, {cold, change}) {
    const part = Math.min(1, Math.abs(share));
    cell.classList.add('bar');
    if (share < 0) cell.classList.add('less');
    cell.style.setProperty('--part', (100 * part).toFixed(2) + '%');
    cell.style.setProperty('--heat', change ? 1 : cold ? 0 : Math.sqrt(part).toFixed(3));
}

const headingOf = ({label, sub}) => [h('span.label', label), sub && [' ', h('span.sub', sub)]];

/* All rows at once, for few of them. `rowProperties(item)`: of a row's element. */
export function smallTable(columns, items, rowProperties = () => ({})) {
    const all = columns.filter(Boolean).map(complete);
    const heading = (c) => h('th', {class: c.align, tip: c.title && (() => c.title)}, headingOf(c));
    const row = (item) => h('tr', rowProperties(item), all.map((column) => cellOf('td', column, item)));
    return h('table.small', h('thead', h('tr', all.map(heading))), h('tbody', items.map(row)));
}

/* -------------------------------------------------------------------------------------------- any length */

export class VirtualTable {
    constructor(options) {
        Object.assign(this, {columns: [], items: [], current: 0, label: ''}, options);
        this.rows = new Map(); // number -> element
        this.head = h('div.thead', {role: 'row'});
        this.body = h('div.tbody', {role: 'rowgroup', onclick: (event) => this.click(event)});
        this.element = h(
            'div.table',
            {
                class: this.class,
                role: 'grid',
                tabindex: 0,
                'aria-label': this.label,
                onscroll: () => this.draw(),
                onkeydown: (event) => this.key(event),
            },
            this.head,
            this.body,
        );
        new ResizeObserver(() => {
            const height = this.head.offsetHeight + ROW * this.items.length + 2;
            if (this.fits) this.element.style.setProperty('height', height + 'px');
            this.draw();
        }).observe(this.element);
        this.setColumns(this.columns);
    }

    setColumns(columns) {
        this.columns = columns.filter(Boolean).map(complete);
        const widths = this.columns.map((c) => (c.grow ? `minmax(${c.width}, 1fr)` : c.width));
        this.element.style.setProperty('--columns', widths.join(' '));
        this.element.style.setProperty('--least', `calc(${this.columns.map((c) => c.width).join(' + ')})`);
        this.element.classList.toggle('aligned', widths.length > 0 && !this.columns.at(-1).grow);
        replaceContent(this.head, this.columns.map((c) => this.heading(c)));
        this.refresh();
    }

    heading(c) {
        const sorted = this.sort && this.sort.key === c.key;
        const inside = h('span', headingOf(c));
        return h(
            'div.th',
            {
                class: c.align + (sorted ? ' sorted' : ''),
                role: 'columnheader',
                'data-key': c.key,
                'aria-sort': sorted ? (this.sort.descending ? 'descending' : 'ascending') : null,
                tip: c.title && (() => c.title),
            },
            this.sort && (c.text || c.value) ? h('button', {onclick: () => this.onsort(c.key)}, inside) : inside,
        );
    }

    setItems(items) {
        this.items = items;
        this.current = Math.max(0, Math.min(this.current, items.length - 1));
        this.refresh();
    }

    /* Make every row anew. */
    refresh() {
        for (const row of this.rows.values()) row.remove();
        this.rows.clear();
        this.element.setAttribute('aria-rowcount', this.items.length);
        this.body.style.setProperty('height', Math.min(this.items.length * ROW, TALLEST) + 'px');
        this.draw();
    }

    /* What a pixel of the scroll bar is worth: more than one where rows are higher than TALLEST together. */
    stretch() {
        const {clientHeight} = this.element;
        const full = this.items.length * ROW;
        return full > TALLEST ? (full - clientHeight) / (TALLEST - clientHeight) : 1;
    }

    /* Rows in sight. */
    draw() {
        const {scrollTop, clientHeight} = this.element;
        const top = scrollTop * this.stretch();
        const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
        const last = Math.min(this.items.length, Math.ceil((top + clientHeight) / ROW) + MARGIN);
        for (const [number, row] of this.rows)
            if (number < first || number >= last) {
                row.remove();
                this.rows.delete(number);
            }
        for (let number = first; number < last; number++) {
            if (!this.rows.has(number)) this.rows.set(number, this.body.appendChild(this.make(number)));
            this.rows.get(number).style.setProperty('transform', `translateY(${number * ROW - top + scrollTop}px)`);
        }
    }

    make(number) {
        const item = this.items[number];
        return h(
            'div.tr',
            {
                class: (this.rowClass ? this.rowClass(item) : '') + (number === this.current ? ' current' : ''),
                role: 'row',
                'aria-rowindex': number + 1,
                'data-row': number,
            },
            this.columns.map((column) => cellOf('div', column, item)),
        );
    }

    /* ---------------------------------------------------------------------------------- moving */

    select(number, keepView) {
        number = Math.max(0, Math.min(number, this.items.length - 1));
        if (this.rows.has(this.current)) this.rows.get(this.current).classList.remove('current');
        this.current = number;
        const room = this.element.clientHeight - this.head.offsetHeight;
        const {scrollTop} = this.element;
        const at = (number * ROW) / this.stretch();
        if (!keepView && at < scrollTop) this.element.scrollTop = at;
        else if (!keepView && at + ROW > scrollTop + room) this.element.scrollTop = at + ROW - room;
        this.draw();
        if (this.rows.has(number)) this.rows.get(number).classList.add('current');
        if (this.onselect && this.items.length) this.onselect(this.items[number]);
    }

    /* The current row into the middle. */
    centre() {
        const room = this.element.clientHeight - this.head.offsetHeight;
        this.element.scrollTop = (this.current * ROW) / this.stretch() - room / 2;
        this.draw();
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || !this.items.length) return;
        const item = this.items[this.current];
        const room = this.element.clientHeight - this.head.offsetHeight;
        const page = Math.max(1, Math.floor(room / ROW) - 1);
        const moves = {
            ArrowDown: 1,
            ArrowUp: -1,
            PageDown: page,
            PageUp: -page,
            Home: -this.items.length,
            End: this.items.length,
        };
        if (event.key in moves) this.select(this.current + moves[event.key]);
        else if (event.key === 'Enter' && this.open && event.target === this.element) this.open(item);
        else if (event.key === 'ArrowRight' && this.step) this.step(item, 1);
        else if (event.key === 'ArrowLeft' && this.step) this.step(item, -1);
        else return;
        event.preventDefault();
    }

    click(event) {
        const row = event.target.closest('.tr');
        if (!row || event.target.closest('a, button')) return;
        const number = Number(row.dataset.row);
        this.select(number, true);
        if (this.open && !String(getSelection())) this.open(this.items[number]);
    }

    /* ---------------------------------------------------------------------------------- printing */

    print() {
        const {length} = this.items;
        const more = length > PRINTED && h('p', `The first ${PRINTED} of ${length} rows.`);
        this.printed = h('div.printed', smallTable(this.columns, this.items.slice(0, PRINTED)), more);
        this.element.after(this.printed);
    }

    unprint() {
        if (this.printed) this.printed.remove();
        this.printed = null;
    }
}

/* A table below its heading, which says how many rows there are, and in its tooltip what they are. */
export const tableSection = (name, title, about, count, table, ...rest) =>
    h(
        `section.${name}`,
        h('h2', {tip: () => [about]}, title, ' ', h('span.dim', format.count(count))),
        count ? fit(table) : h('p.dim', 'none'),
        rest,
    );
