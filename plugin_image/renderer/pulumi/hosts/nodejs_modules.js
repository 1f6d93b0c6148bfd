// Lets Node.js find a program's packages as if they were in its folder's `node_modules`.
//
// Nothing is written into an Application's folder, so the `node_modules` beside package.json is
// there for Node.js alone: for `require`, for `import`, and for what reads files by `fs`, as
// TypeScript does. Each Node.js of a program loads this first, its workers and children too.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");
const { fileURLToPath, pathToFileURL } = require("url");
const { isInternalThread } = require("worker_threads");

const { link, installed, imports } = JSON.parse(process.env.RENDERER_MODULES);

const READING = ["access", "createReadStream", "exists", "lstat", "open", "opendir", "readFile", "readdir", "realpath", "stat"];

findByRequire();
// It costs a tenth of the time of a program, and the thread of other hooks cannot have any.
if (imports && !isInternalThread) {
    findByImport();
}
findByReading();

/** Source: Node.js, lib/internal/modules/cjs/loader.js. */
function findByRequire() {
    const nodeModulePaths = Module._nodeModulePaths;
    Module._nodeModulePaths = (from) =>
        nodeModulePaths.call(Module, from).map((folder) => (folder === link ? installed : folder));
}

/** Source: https://nodejs.org/api/esm.html#resolution-algorithm-specification, PACKAGE_RESOLVE. */
function findByImport() {
    const beside = pathToFileURL(path.join(path.dirname(installed), "package.json")).href;
    // Since Node.js 22.15.
    Module.registerHooks?.({
        resolve: (specifier, context, next) =>
            next(specifier, isInstalled(specifier, context) ? { ...context, parentURL: beside } : context),
    });
}

function isInstalled(specifier, { conditions, parentURL }) {
    const name = /^(?:@[^/]+\/)?[^./#:@][^/:]*(?=\/|$)/.exec(specifier)?.[0];
    if (!name || conditions.includes("require") || !parentURL?.startsWith("file:") || Module.isBuiltin(specifier)) {
        return false;
    }
    const folders = Module._nodeModulePaths(path.dirname(fileURLToPath(parentURL)));
    return folders.find((folder) => fs.existsSync(path.join(folder, name))) === installed;
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
    const whole = path.resolve(file);
    return whole === link || whole.startsWith(link + path.sep) ? installed + whole.slice(link.length) : file;
}
