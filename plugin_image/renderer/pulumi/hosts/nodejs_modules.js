// Lets Node.js find a program's packages as if they were in folders `node_modules` of the repository.
//
// Nothing is written into an Application's repository, so the `node_modules` beside package.json is
// there for Node.js alone: for `require`, for `import`, and for what reads files by `fs`, as
// TypeScript does. Each Node.js of a program loads this first, its workers and children too.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");
const { fileURLToPath, pathToFileURL } = require("url");
const { isInternalThread } = require("worker_threads");

// What makes an ES module of a file that nothing else says to be one.
const ES_MODULE = /(?:^|[;}]|\*\/)\s*(?:import|export)\b\s*["'{*\w$/]/m;
const MODULES = `${path.sep}node_modules${path.sep}`;
const OUT_OF_ORDER = /\/[./]/;
const READING = ["access", "createReadStream", "exists", "lstat", "open", "opendir", "readFile", "readdir", "realpath", "stat"];

// By the path that a program finds, where the folder really is.
const places = new Map();
const installed = new Set();
let importing = false;

module.exports = { find };

findByRequire();
findByReading();
findByImportOfSyntax();
find(JSON.parse(process.env.RENDERER_MODULES));

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

/** Source: Node.js, lib/internal/modules/cjs/loader.js. */
function findByRequire() {
    const nodeModulePaths = Module._nodeModulePaths;
    Module._nodeModulePaths = (from) =>
        nodeModulePaths.call(Module, from).map((folder) => places.get(folder) ?? folder);
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
            const folder = whereInstalled(specifier, context);
            return next(specifier, folder ? { ...context, parentURL: beside(folder) } : context);
        },
    });
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

function findByReading() {
    for (const api of [fs, fs.promises]) {
        for (const name of READING.flatMap((verb) => [verb, `${verb}Sync`])) {
            if (api[name]) {
                api[name] = redirected(api[name]);
            }
        }
    }
    Module.syncBuiltinESMExports();
}

/** A function that takes a file's path, and takes a file below `link` from `installed`. */
function redirected(read) {
    const wrapper = function (file, ...rest) {
        return read.call(this, moved(file), ...rest);
    };
    // What `util.promisify` goes by.
    for (const key of Reflect.ownKeys(read).filter((own) => !(own in wrapper))) {
        Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(read, key));
    }
    if (read.native) {
        wrapper.native = redirected(read.native);
    }
    return wrapper;
}

function moved(file) {
    if (typeof file !== "string" || !file.includes("node_modules")) {
        return file;
    }
    // Most are absolute and in order, and there are thousands.
    const whole = file[0] === path.sep && !OUT_OF_ORDER.test(file) ? file : path.resolve(file);
    const end = whole.indexOf("node_modules") + "node_modules".length;
    const place = (end === whole.length || whole[end] === path.sep) && places.get(whole.slice(0, end));
    return place ? place + whole.slice(end) : file;
}
