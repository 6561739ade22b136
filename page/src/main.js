// SPDX-License-Identifier: GPL-2.0-or-later
//
// main.js: opens the profile, draws what is around the views, and shows the view that the address names.

import {append, h, hideTip, replaceContent, startTips} from './dom.js';
import {openProfile} from './data.js';
import {Metrics} from './metrics.js';
import {App} from './app.js';
import {views} from './views/index.js';
import {EventChooser} from './chooser.js';
import {SizeChooser} from './curves.js';
import {helpDialog} from './help.js';
import {Search} from './search.js';
import {startTheme, themeButton} from './theme.js';
import {Timeline} from './timeline.js';

let app;
let frame;

function drawFrame() {
    const shown = app.views.filter((view) => view.title);
    const tabs = shown.map((view, i) => {
        return {view, link: h('a.tab', {tip: () => [view.about, `key ${i + 1}`]}, view.title)};
    });
    const chooser = new EventChooser(app);
    const size = new SizeChooser(app);
    const search = new Search(app);
    const help = helpDialog(app);
    const main = h('main', {id: 'view'});
    const words = 'Keys, words, colours';
    const about = {'aria-label': words, tip: () => [words, 'key ?'], onclick: () => help.open()};
    const header = h(
        'header',
        h('a.brand', {href: '#overview'}, 'Tenure'),
        h('nav', {'aria-label': 'Views'}, tabs.map((tab) => tab.link)),
        h('div.tools', search.element, size.element, chooser.element, themeButton(), h('button.icon', about, '?')),
    );
    const timeline = new Timeline(app);
    append(document.body, header, timeline.element, main, help.element);
    new ResizeObserver(() => arrange(header)).observe(header);
    return {header, tabs, chooser, size, search, help, main, timeline};
}

/* Views and tools stand in one row if there is room for all of them, which depends on how many views there are, and on
 * the event's name. */
function arrange(header) {
    header.classList.remove('two-rows');
    const nav = header.querySelector('nav');
    header.classList.toggle('two-rows', nav.scrollWidth > nav.clientWidth);
}

let wanted = 0;
let drawn = Promise.resolve();

/* One view after the other; of addresses that follow one another quickly only the last is drawn. */
function show() {
    const number = ++wanted;
    drawn = drawn.then(() => number === wanted && draw(number));
    return drawn;
}

/* When what was changed is in sight; at once where nothing is, as in the background. */
const painted = () =>
    new Promise((done) => {
        requestAnimationFrame(() => setTimeout(done));
        setTimeout(done, 50);
    });

async function draw(number) {
    hideTip();
    app.read();
    const {view} = app;
    for (const tab of frame.tabs) {
        tab.link.setAttribute('href', app.address(tab.view.id, tab.view === view ? app.argument : ''));
        if (tab.view.id === (view.under || view.id)) tab.link.setAttribute('aria-current', 'page');
        else tab.link.removeAttribute('aria-current');
    }
    frame.chooser.update();
    frame.size.update();
    arrange(frame.header);
    app.shown = [];
    const place = h('div.view', {class: view.id});
    frame.main.setAttribute('aria-busy', 'true');
    await painted();
    try {
        await frame.timeline.update();
        await view.render(app, place);
    } catch (error) {
        replaceContent(place, h('p.failed', 'This view could not be shown: ' + error.message));
        console.error(error);
    }
    if (number !== wanted) return; // another address meanwhile
    replaceContent(frame.main, place);
    frame.main.removeAttribute('aria-busy');
    document.title = (view.title || view.name) + ' \u2013 ' + app.profile.title;
    for (const table of app.shown) table.refresh();
    const [table] = app.shown;
    if (view.shown) view.shown(app, place);
    else if (table && app.scrolls.has(location.hash)) table.element.scrollTop = app.scrolls.get(location.hash);
    if (table && (document.activeElement === document.body || !document.activeElement))
        table.element.focus({preventScroll: true});
    document.body.dataset.ready = view.id;
    document.body.dataset.address = location.hash; // what is in sight: the address changes before the view does
    if (!performance.getEntriesByName('first view').length) performance.mark('first view');
}

function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, dialog[open]'))
        return;
    const field = event.key === '/' && frame.main.querySelector('input.find');
    if (field) {
        field.focus();
        field.select();
    } else if (event.key === '/' || event.key === 's') frame.search.focus();
    else if (event.key === 'e') frame.chooser.open();
    else if (event.key === 'i') frame.chooser.toggle();
    else if (event.key === '?') frame.help.open();
    else if (event.key >= '1' && event.key <= '9' && frame.tabs[event.key - 1])
        frame.tabs[event.key - 1].link.click();
    else return;
    event.preventDefault();
}

async function start() {
    startTheme();
    startTips();
    const profile = await openProfile();
    const metrics = new Metrics(profile);
    await metrics.load();
    const filled = views.filter((view) => !view.has || view.has(profile));
    app = new App(profile, metrics, filled);
    frame = drawFrame();
    addEventListener('hashchange', () => {
        delete document.body.dataset.ready;
        show();
    });
    const rememberScroll = ([table]) => table && app.scrolls.set(location.hash, table.element.scrollTop);
    document.addEventListener('scroll', () => rememberScroll(app.shown), true);
    document.addEventListener('keydown', keys);
    addEventListener('beforeprint', () => app.shown.forEach((table) => table.print()));
    addEventListener('afterprint', () => app.shown.forEach((table) => table.unprint()));
    await show();
}

start().catch((error) => {
    append(document.body, h('p.failed', 'This page cannot be shown: ' + error.message));
    console.error(error);
});
