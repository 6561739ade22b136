// SPDX-License-Identifier: GPL-2.0-or-later
//
// index.js: the views, in the order of their tabs. A view is an object:
//
//     id       the address: #id/argument
//     title    of its tab; without one it has none, and `name` and `under` (the tab that it belongs to) instead
//     about    what it shows, for the tab's tooltip
//     has      (profile), optional: whether there is anything to show; without it the view is not there
//     render   async (app, place): fill `place`, an element that is not yet on the page
//     shown    (app, place), optional: it is on the page now

import {loops} from './loops.js';
import {overview} from './overview.js';
import {functions} from './functions.js';
import {oneFunction} from './function.js';
import {source} from './source.js';
import {structures} from './structures.js';
import {oneStructure} from './structure.js';
import {tree} from './tree.js';
import {advice} from './advice.js';
import {flame} from './flame.js';
import {interdependence} from './interdependence.js';
import {sharing} from './sharing.js';
import {sizes} from './sizes.js';
import {areas} from './treemap.js';
import {threads} from './threads.js';

export const views = [
    overview,
    advice,
    functions,
    oneFunction,
    source,
    loops,
    structures,
    oneStructure,
    interdependence,
    sharing,
    sizes,
    tree,
    flame,
    areas,
    threads,
];
