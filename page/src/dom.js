// SPDX-License-Identifier: GPL-2.0-or-later
//
// dom.js: elements, and nothing else that puts text on the page.
//
//     h('a.dim.more', {href: '#tree', onclick: f, tip: () => [...]}, 'text', child, ...)
//
// The tag has its classes behind it. Text becomes text nodes only; no string is ever parsed as HTML (the page's policy
// forbids it too). `on...` are listeners, `style` an object of properties, `tip` makes the lines of a tooltip when
// somebody asks for it; `class` names more classes. There need not be properties. A button submits nothing.
//
// Children may be arrays, and what is null or false is left out. So it is in `append` and `replaceContent`: the page
// uses them and not the browser's own, which make the text "[object HTMLElement]" of an array.

const SVG = 'http://www.w3.org/2000/svg';
const tips = new WeakMap();

function set(element, key, value) {
    if (value === null || value === undefined || value === false) return;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style')
        for (const property of Object.keys(value)) element.style.setProperty(property, value[property]);
    else if (key === 'tip') tips.set(element, value);
    else if (key === 'value') element.value = value;
    else element.setAttribute(key, value === true ? '' : value);
}

export function append(element, ...children) {
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined && child !== false)
            element.append(child instanceof Node ? child : document.createTextNode(String(child)));
}

export function replaceContent(element, ...children) {
    element.replaceChildren();
    append(element, children);
}

const isProperties = (one) => one && typeof one === 'object' && !(one instanceof Node) && !Array.isArray(one);

function fill(element, classes, parts) {
    const {class: more, ...properties} = isProperties(parts[0]) ? parts.shift() : {};
    if (more) classes.push(more);
    if (classes.length) element.setAttribute('class', classes.join(' '));
    if (element.type === 'submit') element.type = 'button';
    for (const key of Object.keys(properties)) set(element, key, properties[key]);
    append(element, parts);
    return element;
}

export function h(tag, ...parts) {
    const [name, ...classes] = tag.split('.');
    return fill(document.createElement(name), classes, parts);
}

export const svg = (tag, ...parts) => fill(document.createElementNS(SVG, tag), [], parts);

/* The first line of a view: its title, and what is beside it. */
export const topBar = (title, ...rest) => h('div.bar-top', h('h1', title), rest);

/* Of "pruned: why" the first word, as a mark; all of it is its tooltip. */
export const markOf = (text) => h('span.mark', {tip: () => [text]}, text.replace(/ ?:.*/, ''));

/* ------------------------------------------------------------------------------------------ tooltips */

const box = h('div', {class: 'tip', role: 'tooltip', hidden: true});
let shownFor = null;
let timer = 0;

function place(x, y) {
    const {width, height} = box.getBoundingClientRect();
    const left = Math.max(8, Math.min(x + 14, innerWidth - width - 12));
    const top = y + 18 + height > innerHeight - 8 ? Math.max(8, y - height - 12) : y + 18;
    box.style.setProperty('left', left + 'px');
    box.style.setProperty('top', top + 'px');
}

function show(element, x, y) {
    const lines = tips.get(element)();
    if (!lines || !lines.length) return;
    replaceContent(
        box,
        lines.filter(Boolean).map((line) => (line instanceof Node ? line : h('div', null, line))),
    );
    box.hidden = false;
    shownFor = element;
    place(x, y);
}

export function hideTip() {
    clearTimeout(timer);
    box.hidden = true;
    shownFor = null;
}

function tipped(node) {
    while (node && node !== document && !tips.has(node)) node = node.parentNode;
    return node && node !== document ? node : null;
}

export function startTips() {
    document.body.append(box);
    document.addEventListener('pointerover', (event) => {
        const element = tipped(event.target);
        if (element === shownFor) return;
        hideTip();
        if (element) timer = setTimeout(() => show(element, event.clientX, event.clientY), 250);
    });
    document.addEventListener('pointermove', (event) => shownFor && place(event.clientX, event.clientY));
    document.addEventListener('pointerdown', hideTip);
    document.addEventListener('scroll', hideTip, true);
    document.addEventListener('focusin', (event) => {
        const element = tipped(event.target);
        if (!element || !event.target.matches(':focus-visible')) return;
        const {left, bottom} = event.target.getBoundingClientRect();
        show(element, left, bottom - 12);
    });
    document.addEventListener('focusout', hideTip);
}
