// SPDX-License-Identifier: GPL-2.0-or-later
//
// table.js: a table of any length, of which only the rows in sight are elements.
//
//     columns   [{key, label, sub, width, align, grow, cell(row) -> node or text, tip(row), sortable, title}]
//     count     number of rows; row numbers are 0 to count - 1, in the order in which they are shown
//     open(row) Enter or a click; step(row, +1 or -1): arrow right and left
//
// All rows are of one height, so that a row's place follows from its number. A text in the last column may be wider
// than the table; in a column before others it is cut, so that these are below their headings. The table can be used
// from the keyboard and says to assistive technology how long it is. For printing it shows its first thousand rows as
// an ordinary table.

import {append, h, replaceContent, setTip} from './dom.js';
import * as format from './format.js';

const ROW = 22;
const MARGIN = 8; // rows above and below that are made as well
const PRINTED = 1000;
const TALLEST = 16000000; // pixels; browsers cut taller elements off

/* A table of few rows needs no more room than these. */
export function fit(table) {
    if (table.count < 13) table.element.style.setProperty('height', 44 + 22 * table.count + 'px');
    return table.element;
}

/* A table below its heading, which says how many rows there are, and in its tooltip what they are. */
export const tableSection = (name, title, about, count, table, ...rest) =>
    h(
        'section',
        {class: name},
        h('h2', {tip: () => [about]}, title, ' ', h('span', {class: 'dim'}, format.count(count))),
        count ? fit(table) : h('p', {class: 'dim'}, 'none'),
        rest,
    );

export class VirtualTable {
    constructor(options) {
        Object.assign(this, {columns: [], count: 0, current: 0, label: ''}, options);
        this.rows = new Map(); // number -> element
        this.head = h('div', {class: 'thead', role: 'row'});
        this.body = h('div', {class: 'tbody', role: 'rowgroup'});
        this.element = h(
            'div',
            {
                class: 'table ' + (this.class || ''),
                role: 'grid',
                tabindex: 0,
                'aria-label': this.label,
                onscroll: () => this.draw(),
                onkeydown: (event) => this.key(event),
            },
            this.head,
            this.body,
        );
        this.body.addEventListener('click', (event) => this.click(event));
        new ResizeObserver(() => this.draw()).observe(this.element);
        this.setColumns(this.columns);
    }

    setColumns(columns) {
        this.columns = columns;
        const widths = columns.map((c) => (c.grow ? `minmax(${c.width}, 1fr)` : c.width));
        this.element.style.setProperty('--columns', widths.join(' '));
        this.element.style.setProperty('--least', `calc(${columns.map((c) => c.width).join(' + ')})`);
        this.element.classList.toggle('aligned', columns.length > 0 && !columns[columns.length - 1].grow);
        replaceContent(this.head, columns.map((c) => this.heading(c)));
        this.refresh();
    }

    heading(c) {
        const sorted = this.sort && this.sort.key === c.key;
        const inside = h(
            'span',
            null,
            h('span', {class: 'label'}, c.label),
            c.sub && h('span', {class: 'sub'}, c.sub),
        );
        const cell = h(
            'div',
            {
                class: 'th ' + (c.align || 'right') + (sorted ? ' sorted' : ''),
                role: 'columnheader',
                'data-key': c.key,
                'aria-sort': sorted ? (this.sort.descending ? 'descending' : 'ascending') : null,
            },
            c.sortable && this.onsort
                ? h('button', {type: 'button', onclick: () => this.onsort(c.key)}, inside)
                : inside,
        );
        setTip(cell, c.title && (() => c.title));
        return cell;
    }

    setCount(count) {
        this.count = count;
        this.current = Math.max(0, Math.min(this.current, count - 1));
        this.refresh();
    }

    /* Make every row anew. */
    refresh() {
        for (const row of this.rows.values()) row.remove();
        this.rows.clear();
        this.element.setAttribute('aria-rowcount', this.count);
        this.body.style.setProperty('height', Math.min(this.count * ROW, TALLEST) + 'px');
        this.draw();
    }

    /* Rows in sight. Beyond TALLEST a pixel of the scroll bar is worth more than one. */
    draw() {
        const {scrollTop, clientHeight} = this.element;
        const full = this.count * ROW;
        const stretch = full > TALLEST ? (full - clientHeight) / (TALLEST - clientHeight) : 1;
        const top = scrollTop * stretch;
        const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
        const last = Math.min(this.count, Math.ceil((top + clientHeight) / ROW) + MARGIN);
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
        const extra = this.rowClass ? this.rowClass(number) : '';
        const row = h('div', {
            class: 'tr ' + extra + (number === this.current ? ' current' : ''),
            role: 'row',
            'aria-rowindex': number + 1,
            'data-row': number,
        });
        for (const c of this.columns) {
            const cell = h(
                'div',
                {
                    class: 'td ' + (c.align || 'right') + ' ' + (c.class || ''),
                    role: 'gridcell',
                    'data-key': c.key,
                    tip: c.tip && (() => c.tip(number)),
                },
                c.cell(number),
            );
            const share = c.share ? c.share(number) : NaN;
            if (share === share && share !== 0) this.heat(cell, share, c);
            append(row, cell);
        }
        return row;
    }

    /* A thin bar below the number: its share of the total. Of self cost its colour grows warmer with it; what has
     * become more is warm, what is less than nothing (differences) has a colour of its own. */
    heat(cell, share, {cold, change}) {
        const part = Math.min(1, Math.abs(share));
        cell.classList.add('bar');
        if (share < 0) cell.classList.add('less');
        cell.style.setProperty('--part', (100 * part).toFixed(2) + '%');
        cell.style.setProperty('--heat', change ? 1 : cold ? 0 : Math.sqrt(part).toFixed(3));
    }

    /* ---------------------------------------------------------------------------------- moving */

    pageRows() {
        return Math.max(1, Math.floor((this.element.clientHeight - this.head.offsetHeight) / ROW) - 1);
    }

    select(number, keepView) {
        number = Math.max(0, Math.min(number, this.count - 1));
        if (this.rows.has(this.current)) this.rows.get(this.current).classList.remove('current');
        this.current = number;
        if (!keepView) this.reveal(number);
        this.draw();
        if (this.rows.has(number)) this.rows.get(number).classList.add('current');
        if (this.onselect) this.onselect(number);
    }

    reveal(number, centre) {
        const room = this.element.clientHeight - this.head.offsetHeight;
        const {scrollTop} = this.element;
        const full = this.count * ROW;
        const stretch =
            full > TALLEST ? (full - this.element.clientHeight) / (TALLEST - this.element.clientHeight) : 1;
        const at = (number * ROW) / stretch;
        if (centre) this.element.scrollTop = at - room / 2;
        else if (at < scrollTop) this.element.scrollTop = at;
        else if (at + ROW > scrollTop + room) this.element.scrollTop = at + ROW - room;
    }

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const moves = {
            ArrowDown: 1,
            ArrowUp: -1,
            PageDown: this.pageRows(),
            PageUp: -this.pageRows(),
            Home: -this.count,
            End: this.count,
        };
        if (event.key in moves) this.select(this.current + moves[event.key]);
        else if (event.key === 'Enter' && this.open && event.target === this.element) this.open(this.current);
        else if (event.key === 'ArrowRight' && this.step) this.step(this.current, 1);
        else if (event.key === 'ArrowLeft' && this.step) this.step(this.current, -1);
        else return;
        event.preventDefault();
    }

    click(event) {
        const row = event.target.closest('.tr');
        if (!row || event.target.closest('a, button')) return;
        const number = Number(row.dataset.row);
        this.select(number, true);
        if (this.open && !String(getSelection())) this.open(number);
    }

    /* ---------------------------------------------------------------------------------- printing */

    print() {
        const cells = (row) =>
            h(
                'tr',
                null,
                this.columns.map((c) => h('td', {class: `${c.align || 'right'} ${c.class || ''}`}, c.cell(row))),
            );
        const rows = [];
        for (let i = 0; i < Math.min(this.count, PRINTED); i++) rows.push(cells(i));
        const more = this.count > PRINTED && h('p', null, `The first ${PRINTED} of ${this.count} rows.`);
        this.printed = h(
            'div',
            {class: 'printed'},
            h(
                'table',
                null,
                h(
                    'thead',
                    null,
                    h(
                        'tr',
                        null,
                        this.columns.map((c) => h('th', {class: c.align || 'right'}, c.label, ' ', c.sub)),
                    ),
                ),
                h('tbody', null, rows),
            ),
            more,
        );
        this.element.after(this.printed);
    }

    unprint() {
        if (this.printed) this.printed.remove();
        this.printed = null;
    }
}
