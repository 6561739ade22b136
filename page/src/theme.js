// SPDX-License-Identifier: GPL-2.0-or-later
//
// theme.js: light or dark as the system says, until somebody switches. The choice is kept where the browser lets a page
// from disk keep anything.

import {h} from './dom.js';

const KEY = 'tenure-theme';
const root = document.documentElement;

const system = matchMedia('(prefers-color-scheme: dark)');
const follow = () => (root.dataset.theme = system.matches ? 'dark' : 'light');

export function startTheme() {
    let choice = null;
    try {
        choice = localStorage.getItem(KEY);
    } catch {
        // no storage: the system's choice holds
    }
    if (choice === 'light' || choice === 'dark') {
        root.dataset.theme = choice;
        return;
    }
    follow();
    system.addEventListener('change', follow);
}

function change() {
    system.removeEventListener('change', follow);
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
        localStorage.setItem(KEY, root.dataset.theme);
    } catch {
        // lasts as long as the page
    }
}

export function themeButton() {
    const words = 'Light or dark';
    return h('button.icon.theme', {'aria-label': words, tip: () => [words], onclick: change}, '\u25d0');
}
