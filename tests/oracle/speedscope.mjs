/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope.mjs: what speedscope's importers make of a file, as JSON: see speedscope.py.
 *
 *     node speedscope.mjs FOLDER FILE...     FOLDER: node_modules/speedscope
 *
 * The package is one script for browsers. It is run here, up to where it wants a document, with a way in to its
 * function that imports a text.
 */
import fs from "node:fs";
import path from "node:path";

const [folder, ...files] = process.argv.slice(2);
const release = path.join(folder, "dist/release");
const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const text = fs.readFileSync(path.join(release, script), "utf8");
const name = /async function ([\w$]+)\((\w),(\w)\)\{return\(await [\w$]+\)\.importProfileGroupFromText\(/.exec(text)[1];

/* What the script touches before it would draw anything: a thing that is whatever is asked of it. */
const anything = new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => "" : anything),
    apply: () => anything,
    construct: () => anything,
    set: () => true,
});
for (const missing of ["document", "localStorage", "matchMedia", "HTMLElement", "addEventListener",
                       "requestAnimationFrame", "cancelAnimationFrame"])
    globalThis[missing] = anything;
globalThis.window = globalThis;
globalThis.location = {hash: "", protocol: "file:", href: "file:///"};
console.log = () => {};
const say = (line) => process.stdout.write(line + "\n");

try {
    new Function(text.replace("(()=>{", `(()=>{globalThis.take=(name,text)=>${name}(name,text);`))();
} catch (error) {
    console.error(`the page itself: ${String(error).slice(0, 200)}`); // the importers stand by then
}

for (const file of files) {
    const group = await globalThis.take(path.basename(file), fs.readFileSync(file, "utf8"));
    const profiles = (group ? group.profiles : []).map((profile) => {
        const frames = [];
        profile.forEachFrame((frame) =>
            frames.push([frame.name, frame.getSelfWeight(), frame.getTotalWeight()]));
        return {name: profile.getName(), total: profile.getTotalWeight(), frames};
    });
    say(JSON.stringify(profiles));
}
