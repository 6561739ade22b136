// SPDX-License-Identifier: GPL-2.0-or-later
//
// names.js: what functions, files and object files are called, and references to them.
//
// A reference is what a cell of a table or a sentence names: {name, go: its address as arguments of app.go, or null,
// about(): lines of a tooltip}. Those to data structures are in structures.js.

import {rowsById} from './data.js';
import * as format from './format.js';
import {HIDDEN} from './reshape.js';

export const UNKNOWN = '???';

/* What is no place to go to. */
export const nobody = (name, about) => ({name, go: null, about: () => [name, about].filter(Boolean)});

export class Names {
    static async load(app) {
        const {functions, files, objects} = app.tables;
        const names = Object.assign(new Names(), {app});
        const [functionRows, fileRows, objectRows, own, path, object] = await Promise.all([
            ...[functions, files, objects].map(rowsById),
            functions.read('id', 'function', 'file_id', 'line', 'object_id', 'calls'),
            files.texts('path'),
            objects.texts('path'),
        ]);
        const of = (rows, texts) => (id) =>
            rows.has(id) ? format.name(texts.at(rows.get(id))) : id === HIDDEN ? 'hidden' : UNKNOWN;
        return Object.assign(names, {
            functionRow: (id) => functionRows.get(id),
            function: of(functionRows, own.function),
            functionAt: (row) => format.name(own.function.at(row)),
            file: of(fileRows, path),
            object: of(objectRows, object),
            idOf: (row) => own.id[row],
            fileOf: (row) => own.file_id[row],
            lineOf: (row) => own.line[row],
            objectOf: (row) => own.object_id[row],
            callsOf: (row) => own.calls[row],
        });
    }

    /* A reference to a function, with parameters of its view. */
    ref(id, changes = {}) {
        const row = this.functionRow(id);
        const name = this.function(id);
        if (id === HIDDEN) return nobody(name, 'what hidden functions cost themselves that nobody called');
        const about = () => [name, ...(row === undefined ? [] : this.whereIs(row))];
        return {name, go: ['function', id, changes], about};
    }

    refAt(row) {
        return this.ref(this.idOf(row));
    }

    /* Where a function is: its file and line, and its object, as lines of a tooltip. */
    whereIs(row) {
        const [file, object] = [this.fileOf(row), this.objectOf(row)];
        return [
            file === file && this.file(file) + format.lines(this.lineOf(row)),
            object === object && this.object(object),
        ].filter(Boolean);
    }

    /* A reference to where a function is: "file.c:12", else its object. */
    placeAt(row) {
        const [file, object] = [this.fileOf(row), this.objectOf(row)];
        if (file === file) return this.place({file_id: file, line: this.lineOf(row)});
        return nobody(object === object ? format.fileName(this.object(object)) : '', '');
    }

    /* A reference to lines of a file: "file.c:10-12", from `first_line` or `line` to `last_line` or `line`; it leads to
     * `line`. Where the file is not known it is the function, if there is one, with its instructions. */
    place({file_id: file, line, first_line: first = line, last_line: last = line, function_id: id}) {
        const inside = id === id && id !== undefined;
        if (file !== file) return inside ? this.ref(id, {i: 1}) : nobody('');
        const [path, at] = [this.file(file), format.lines(first, last)];
        return {
            name: format.fileName(path) + at,
            go: ['source', file, {l: line > 0 ? line : null}],
            about: () => [path + at, inside && 'in ' + this.function(id)].filter(Boolean),
        };
    }
}
