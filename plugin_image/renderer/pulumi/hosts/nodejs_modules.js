// Lets Node.js find a program's packages as if they were in folders `node_modules` of the repository.
//
// Nothing is written into an Application's repository, so the `node_modules` beside package.json is
// there for Node.js alone: for `require`, for `import`, and for what reads files by `fs`
// (`nodejs_reading.js`). Each Node.js of a program loads this first, its workers and children too. Whoever
// wants to know which modules are asked for is told here (`watch`).

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");
const { fileURLToPath, pathToFileURL } = require("url");
const { isInternalThread } = require("worker_threads");

const { places, moved } = require("./nodejs_reading");

// What makes an ES module of a file that nothing else says to be one.
const ES_MODULE = /(?:^|[;}]|\*\/)\s*(?:import|export)\b\s*["'{*\w$/\\\u0080-\uffff]/m;
// A module that is named by a path.
const PATH = /^\.{0,2}\//;
const MODULES = `${path.sep}node_modules${path.sep}`;

const installed = new Set();
let importing = false;
let look = () => {};

module.exports = { find, imports, watch };

findByRequire();
findByImportOfSyntax();
if (process.env.RENDERER_MODULES) {
    find(JSON.parse(process.env.RENDERER_MODULES));
}

/** Find what is in these folders, by `import` only where the program has any. */
function find({ places: told, imports }) {
    for (const [there, place] of Object.entries(told)) {
        places.set(there, place);
        installed.add(place);
    }
    if (imports) {
        findByImport();
    }
}

/**
 * Have `told` called with the address of each module that is asked for from now on, and that of the module
 * that asks, as far as modules are `imports()`. What is not found is told by its name.
 */
function watch(told) {
    look = told;
}

/** Whether there may be modules that are imported, of which `require` knows nothing: "none", "told" or "untold". */
function imports() {
    if (!importing) {
        return "none";
    }
    return Module.registerHooks ? "told" : "untold";
}

/** Source: Node.js, lib/internal/modules/cjs/loader.js. */
function findByRequire() {
    const { _nodeModulePaths: nodeModulePaths, _findPath: findPath } = Module;
    Module._nodeModulePaths = (from) =>
        nodeModulePaths.call(Module, from).map((folder) => places.get(folder) ?? folder);
    Module._findPath = (request, folders, ...rest) => {
        const file = PATH.test(request) ? path.resolve(folders?.[0] ?? "", request) : "";
        const isElsewhere = moved(file) !== file;
        return findPath.call(Module, isElsewhere ? moved(file) : request, folders, ...rest);
    };
}

/** Source: https://nodejs.org/api/esm.html#resolution-algorithm-specification, PACKAGE_RESOLVE. */
function findByImport() {
    // It costs a tenth of the time of a program, and the thread of other hooks cannot have any.
    if (importing || isInternalThread) {
        return;
    }
    importing = true;
    // Since Node.js 22.15.
    Module.registerHooks?.({
        resolve: (specifier, context, next) => {
            let address = specifier;
            try {
                const found = resolved(specifier, context, next);
                address = found.url;
                return found;
            } finally {
                look(address, context.parentURL);
            }
        },
    });
}

function resolved(specifier, context, next) {
    const folder = whereInstalled(specifier, context);
    return folder
        ? next(specifier, { ...context, parentURL: beside(folder) })
        : next(movedUrl(specifier, context), context);
}

/**
 * What is loaded by `require`, or compiled to be, is an ES module, too, where it is written as one.
 * Source: https://nodejs.org/api/packages.html#syntax-detection.
 */
function findByImportOfSyntax() {
    const { _compile: compile } = Module.prototype;
    Module.prototype._compile = function (code, filename, ...rest) {
        if (!importing && !filename.includes(MODULES) && ES_MODULE.test(code)) {
            findByImport();
        }
        return compile.call(this, code, filename, ...rest);
    };
}

function beside(modules) {
    return pathToFileURL(path.join(path.dirname(modules), "package.json")).href;
}

/** The address of a file that is imported by its path, where it is; anything else as it was. */
function movedUrl(specifier, { conditions, parentURL }) {
    const isPath = PATH.test(specifier) || specifier.startsWith("file:");
    if (!isPath || conditions.includes("require") || !parentURL?.startsWith("file:")) {
        return specifier;
    }
    const url = new URL(specifier, parentURL);
    const file = fileURLToPath(url);
    return moved(file) === file ? specifier : pathToFileURL(moved(file)).href + url.search + url.hash;
}

/** The folder of packages that has what is imported, if Node.js itself would not find it. */
function whereInstalled(specifier, { conditions, parentURL }) {
    const name = /^(?:@[^/]+\/)?[^./#:@][^/:]*(?=\/|$)/.exec(specifier)?.[0];
    if (!name || conditions.includes("require") || !parentURL?.startsWith("file:") || Module.isBuiltin(specifier)) {
        return undefined;
    }
    const folders = Module._nodeModulePaths(path.dirname(fileURLToPath(parentURL)));
    const found = folders.find((folder) => fs.existsSync(path.join(folder, name)));
    return installed.has(found) ? found : undefined;
}
