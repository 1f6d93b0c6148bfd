// Writes a startup snapshot of V8: the memory of a Node.js that has loaded the packages of one set,
// which a process that is started from it (`node --snapshot-blob`) has in a fifth of the time.
//
// Started by `node --build-snapshot` with the SDK's runner. A process that is started from the snapshot
// goes on as `nodejs_waiting.js`. Whatever cannot be in a snapshot ends this with an error, and processes
// then load the packages as they start; so they do with every Node.js but the image's, whose snapshots are
// the ones that were tried.
// Source: https://nodejs.org/docs/latest-v22.x/api/cli.html#--build-snapshot

"use strict";

const Module = require("module");
const path = require("path");
const { startupSnapshot } = require("v8");
const vm = require("vm");

// Node.js's own that have something of the system as soon as they are loaded, such as a native parser.
const NOT_YET = new Set([
    ...["child_process", "cluster", "crypto", "dgram", "dns", "http", "http2", "https", "inspector", "net"],
    ...["perf_hooks", "readline", "tls", "worker_threads", "zlib"],
]);
// What the SDK takes of them while it loads; told by another process, as this one must not load them.
const TAKEN = { http2: { constants: evaluated("require('http2').constants") } };
const [runner] = process.argv.slice(2);

if (!process.version.startsWith("v22.")) {
    throw new Error("nobody has tried snapshots of this Node.js");
}

const standsFor = new Map();
const { _compile: compile } = Module.prototype;
let building = true;

Module.prototype._compile = compileInSnapshot;
// First, as for a program: packages keep functions of `fs` that they find.
Module._load(path.join(__dirname, "nodejs_reading.js"), null, false);
const waiting = Module._load(path.join(__dirname, "nodejs_waiting.js"), null, false);
const noted = waiting.loaded(runner);
Module.prototype._compile = compile;
building = false;
if (noted.unfit) {
    throw new Error(noted.unfit);
}
if (process.moduleLoadList.includes("NativeModule worker_threads")) {
    // As each part of `util` is looked at, for one. Node.js 22 then aborts where a program starts a thread.
    throw new Error("a package loads worker_threads by another module");
}
startupSnapshot.setDeserializeMainFunction(() => waiting.wait(noted));

/** As Node.js compiles a module, which then counts as started, and no snapshot is made of that. */
function compileInSnapshot(code, filename) {
    const required = (request) => {
        const name = request.replace(/^node:/, "");
        return building && NOT_YET.has(name) ? whenUsed(name) : this.require(request);
    };
    const require = Object.assign(required, {
        resolve: (request, options) => Module._resolveFilename(request, this, false, options),
        main: undefined,
        extensions: Module._extensions,
        cache: Module._cache,
    });
    const given = ["exports", "require", "module", "__filename", "__dirname"];
    const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const run = vm.compileFunction(code, given, { filename, importModuleDynamically });
    return Reflect.apply(run, this.exports, [this.exports, require, this, filename, path.dirname(filename)]);
}

/** Stands for a module of Node.js's own until something of it is asked for. */
function whenUsed(name) {
    let module;
    const used = () => (module ??= Module._load(name, null, false));
    const get = (itself, key) => {
        if (key === "__esModule") {
            return true;
        }
        return key === "default" ? standsFor.get(name) : (TAKEN[name]?.[key] ?? used()[key]);
    };
    if (!standsFor.has(name)) {
        standsFor.set(name, new Proxy({}, { get }));
    }
    return standsFor.get(name);
}

function evaluated(expression) {
    const { execFileSync } = require("child_process");
    return JSON.parse(execFileSync(process.execPath, ["-p", `JSON.stringify(${expression})`]));
}
