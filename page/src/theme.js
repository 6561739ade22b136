// SPDX-License-Identifier: GPL-2.0-or-later
//
// theme.js: light or dark as the system says, until somebody switches. The choice is kept where the browser lets a page
// from disk keep anything.

import {h} from './dom.js';

const KEY = 'tenure-theme';
const root = document.documentElement;

export function startTheme() {
    try {
        const kept = localStorage.getItem(KEY);
        if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
    } catch {
        // no storage: the system's choice holds
    }
}

function isDark() {
    return root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function change() {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
        localStorage.setItem(KEY, root.dataset.theme);
    } catch {
        // lasts as long as the page
    }
}

export const themeButton = () =>
    h(
        'button',
        {
            type: 'button',
            class: 'icon theme',
            'aria-label': 'Light or dark',
            tip: () => ['Light or dark'],
            onclick: change,
        },
        '\u25d0',
    );
