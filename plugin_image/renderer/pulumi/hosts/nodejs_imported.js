// Tells what the modules of a program load, where it has modules that `require` knows nothing of.
//
// ES modules bring each other without a trace in `Module._cache`, by names that may be put together as they run
// or mapped by a package.json. So what Node.js made of each name is heard from the hook that finds packages for
// them (`nodejs_modules.js`): whatever is loaded was asked for there, by `import` or `require`.

"use strict";

const path = require("path");
const { fileURLToPath } = require("url");

const MODULES = `${path.sep}node_modules${path.sep}`;
const PULUMI = ["@pulumi/pulumi", "@pulumi/kubernetes"].map((name) => MODULES + path.join(name, path.sep));
const OF_NODE = /^node:(?:assert|buffer|fs|fs\/promises|path|process|querystring|url|util)$/;

module.exports = { MODULES, isOfPulumi, isIn, watch };

/**
 * From now on, note what modules ask for; gives what tells at the end whether each was heard of (`how`, as
 * `imports()` has it), the program's own `files`, and what among the others hinders.
 */
function watch() {
    const asked = new Map();
    // Loads nothing where a program has packages: it was loaded first of all.
    const modules = require("./nodejs_modules");
    modules.watch((address, by) => asked.set(`${address} ${by}`, [address, by]));
    return () => {
        const how = modules.imports();
        const own = [...asked.values()].filter(([, by]) => !isOfOthers(by)).map(([address]) => address);
        const files = own.map(fileAt);
        const found = own.filter((address, at) => !(files[at] ? isHarmless(files[at]) : OF_NODE.test(address)));
        return {
            how,
            files: files.filter((file) => file && !file.includes(MODULES)),
            hindrances: [
                ...(how === "untold" ? ["nobody knows what its modules import"] : []),
                ...found.map((address) => `it imports ${address.slice(0, 100)}`),
            ],
        };
    };
}

/** Whether a module is of a package, or of the renderer. What asks from nowhere is the SDK's, for the program. */
function isOfOthers(address) {
    const file = address && fileAt(address);
    return Boolean(file) && (file.includes(MODULES) || isIn(file, __dirname));
}

/** The file at an address; nothing where there is none. */
function fileAt(address) {
    try {
        return address.startsWith("file:") ? fileURLToPath(address) : undefined;
    } catch {
        return undefined;
    }
}

/** Whether a file is of Pulumi's packages, or of no package: then its source is read. */
function isHarmless(file) {
    return !file.includes(MODULES) || isOfPulumi(file);
}

/** Whether a file is of Pulumi's own packages, and not of one that these bring. */
function isOfPulumi(file) {
    const ofPackage = file.slice(file.lastIndexOf(MODULES));
    return PULUMI.some((folder) => ofPackage.startsWith(folder));
}

function isIn(file, folder) {
    return file === folder || file.startsWith(folder + path.sep);
}
