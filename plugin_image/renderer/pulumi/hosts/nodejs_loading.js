// How the SDK is loaded: what is seldom used when it is used, and what V8 made of the rest from files.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");
const util = require("util");
const v8 = require("v8");

// What packs functions for the cloud, and the automation API: programs here seldom use them, and they
// are more than half of the SDK's time to load.
const WHEN_USED = /(^@npmcli\/arborist|typescript-shim|^\.\/automation)$/;
// Likewise, by what loads it and takes functions out of it at once: what finds the files of a function,
// and what sends traces, when it is asked to.
const WHEN_CALLED = [
    [path.join("runtime", "index.js"), /^\.\/closure\/codePaths$/],
    [path.join("cmd", "run", "tracing.js"), /^@opentelemetry\/(?!api$)/],
];
// What it asks V8 about functions with.
const HOOKS = "/v8Hooks";
const OF_SDK = `${path.sep}@pulumi${path.sep}pulumi${path.sep}`;

// By V8's number of it, the file of a script.
const files = new Map();
let inspecting;
let prepared = false;

/**
 * In place of the SDK's own, which connects to V8's debugger before each program and so takes a fifth
 * of the time until then. Source: `@pulumi/pulumi/runtime/closure/v8Hooks.ts`.
 */
const hooks = {
    isInitializedAsync: async () => {},
    getSessionAsync: () => (inspecting ??= inspect()),
    getScriptUrl: (number) => files.get(number),
};

module.exports = { prepare, keepMachineCode, requireOf };

/**
 * A `require` that resolves as the SDK's own modules do. Node.js looks for packages from the real path of a
 * module, and layouts of links, such as pnpm's, have the SDK's dependencies only there.
 */
function requireOf(runner) {
    return Module.createRequire(fs.realpathSync(runner));
}

/** Once, before anything of the SDK is loaded. */
function prepare() {
    if (prepared) {
        return;
    }
    prepared = true;
    inspectWithoutColours();
    loadWhenUsed();
}

/** Keep what V8 makes of the SDK's thousand modules in a folder, where Node.js knows how (22.1 on). */
function keepMachineCode(folder) {
    Module.enableCompileCache?.(folder);
}

/**
 * The SDK prints errors in colour. With a stack that names `node_modules/@scope/file`, as its
 * source maps do, Node.js then fills the memory until it gives up (seen with 20.20 and 22.23).
 */
function inspectWithoutColours() {
    util.inspect = new Proxy(util.inspect, {
        apply: (inspect, _, [value, options, ...rest]) =>
            inspect(value, options?.colors ? { ...options, colors: false } : options, ...rest),
    });
}

function loadWhenUsed() {
    const load = Module._load;
    Module._load = function (request, parent, ...rest) {
        const module = () => load.call(this, request, parent, ...rest);
        const user = parent?.filename ?? "";
        if (!user.includes(OF_SDK)) {
            return module();
        }
        if (request.endsWith(HOOKS)) {
            return hooks;
        }
        if (WHEN_USED.test(request)) {
            return whenUsed(module);
        }
        const isTakenApart = ([by, what]) => user.endsWith(by) && what.test(request);
        return WHEN_CALLED.some(isTakenApart) ? whenCalled(module) : module();
    };
}

/** A session with V8's debugger, which begins with telling of all scripts that there are. */
async function inspect() {
    v8.setFlagsFromString("--allow-natives-syntax");
    const session = new (require("inspector").Session)();
    session.connect();
    session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
    await util.promisify(session.post.bind(session))("Debugger.enable");
    return session;
}

/** Stands for a module until something of it is asked for. */
function whenUsed(load) {
    let module;
    // An ES module, as far as `import * as` goes: it would copy any other.
    const get = (_, name) => (name === "__esModule" ? true : (module ??= load())[name]);
    return new Proxy({}, { get });
}

/** Stands for a module that is taken apart where it is loaded, until a part of it is used. */
function whenCalled(load) {
    const part = (name) =>
        new Proxy(function () {}, {
            apply: (_, self, args) => Reflect.apply(load()[name], self, args),
            construct: (_, args) => Reflect.construct(load()[name], args),
            get: (_, inner) => load()[name][inner],
        });
    return new Proxy({}, { get: (_, name) => (name === "__esModule" ? true : part(name)) });
}
