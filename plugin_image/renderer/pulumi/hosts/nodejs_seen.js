// Tells the renderer what the result of a program depends on.
//
// Files are read by `fs`, and connections made by `net`, which are wrapped, what packages keep functions of
// before anything else is loaded (`nodejs_reading.js`); Pulumi's packages download,
// too. What a program makes up (the time, what is drawn at random) cannot be seen as it happens. So the
// program's own code is read, whichever way it was loaded (`nodejs_imported.js`): it may load Pulumi's packages,
// its own files and a few modules of Node.js, and name nothing that makes anything up. Whatever is not known to
// be harmless hinders.

"use strict";

const fs = require("fs");
const Module = require("module");
const net = require("net");
const path = require("path");
const { fileURLToPath } = require("url");
const { inspect } = require("util");

const imported = require("./nodejs_imported");
const reading = require("./nodejs_reading");

const { MODULES, isIn } = imported;
// By a path into a package, what that brings could be had.
const HARMLESS = /^(?!.*\bnode_modules\b)(?:(?:node:)?(?:assert|buffer|fs|fs\/promises|path|querystring|url|util)|@pulumi\/(?:pulumi|kubernetes)(?:\/.*)?|\.{1,2}(?:\/.*)?)$/;
// The process by its name, of which no more is used than MAKING_UP lets pass.
const PROCESS = /^import process from (["'])(?:node:)?process\1;?$/m;
const LOADING = /\b(?:require|import|from)\b\s*\(?\s*(["'])([^"'\n]*)\1/g;
const MAKING_UP = new RegExp(
    [
        // The clock, and what is drawn at random.
        String.raw`\b(?:Date|Temporal|Intl|performance|hrtime|timeEnd|timeLog|setInterval|random\w*|crypto|mkdtemp\w*)\b`,
        // When files were made, and what is not read by their paths.
        String.raw`\b(?:(?:[acm]|birth)time\w*|statfs\w*|watch\w*|\w+Asset|\w+Archive)\b`,
        String.raw`\b[fl]?stat(?:Sync)?\b(?!\s*\((?:[^()]|\([^()]*\))*\)\s*\??\.\s*is[A-Z])`,
        // What holds the time of its making, or memory that nobody has written to.
        String.raw`\b(?:\w*Event|File|lastModified|timeStamp|Performance\w*|allocUnsafe\w*|SlowBuffer)\b`,
        // Names drawn at random, and what tells of the machine.
        String.raw`\b(?:createObjectURL|FormData|navigator)\b`,
        // Other programs and machines.
        String.raw`\b(?:fetch|WebSocket|EventSource|XMLHttpRequest|Worker|WebAssembly|automation)\b`,
        // The process, but for its variables and its end.
        String.raw`\bprocess\b(?!\s*\.\s*(?:env|exit|exitCode|stdout|stderr)\b)`,
        // Text that runs as code, modules that are named otherwise than by a text, and letters that are.
        String.raw`\b(?:eval|globalThis|global|createRequire|SharedArrayBuffer|WeakRef|FinalizationRegistry)\b`,
        String.raw`\bFunction\s*\(|\barguments\s*\[|\.\s*constructor\s*\(|\bconstructor\b(?!\s*(?:\(|\.\s*name\b))|\bmodule\s*(?:\[|\.\s*(?!exports\b))`,
        String.raw`\brequire\b(?!\s*\(\s*["'])|\\[ux]`,
    ].join("|"),
);
// Where nobody would hear of it, what only ES modules have; elsewhere what is imported by another name than a
// text's, and what tells where modules are found.
const IMPORTING = /\bimport\s*[(./]/;
const IMPORTING_UNKNOWN =
    /\bimport\s*(?:\/|\((?!\s*(["'])[^"'\n]*\1\s*[,)])|\.(?!\s*meta\s*\.\s*(?:url|dirname|filename)\b))/;
const CODE = /\.[cm]?[jt]sx?$/;
const COMPILED = /\.(?:node|wasm)$/;
// By how much the time of a change may be behind the clock.
const TICK_MS = 20;
// Functions of `fs` that take an open file, or no file at all.
const NO_PATHS = /^(?:_|[A-Z]|close|f(?:chmod|chown|datasync|stat|sync|truncate|utimes)|(?:read|write)(?:Sync|v|vSync)?$)/;

const LISTS_VARIABLES = "it lists all variables";

module.exports = { begin };

/**
 * From now on, see what the program below `root` looks at, besides its packages in `modules` and the
 * `monitor`, a `host:port`; gives what tells of it at the end.
 */
function begin(root, modules, monitor) {
    const known = [modules, fs.existsSync(modules) ? fs.realpathSync(modules) : modules, __dirname];
    const isKnown = (file) => known.some((folder) => isIn(file, folder));
    const paths = new Set();
    const listed = new Set();
    const variables = new Set();
    const hindrances = new Set();
    const before = new Set(Object.keys(Module._cache));
    const begun = Date.now() - TICK_MS;
    const ownImported = imported.watch();
    const look = (name, file) => note(file, /dir|glob/i.test(name) ? listed : paths, hindrances);
    reading.watch(look);
    for (const api of [fs, fs.promises]) {
        for (const name of Object.keys(api).filter((name) => typeof api[name] === "function" && isToWrap(name))) {
            api[name] = looking(api[name], (file) => look(name, file));
        }
    }
    seeVariables(variables, hindrances);
    seeConnections(monitor, hindrances);
    Module.syncBuiltinESMExports();
    return () => {
        const looked = [...paths].filter((file) => !isKnown(file));
        const required = Object.keys(Module._cache).filter((file) => !before.has(file) && !isOfPulumi(file) && !isIn(file, __dirname));
        const { how, files, hindrances: ofImports } = ownImported();
        const code = looked.filter((file) => isIn(file, root) && CODE.test(file));
        const loaded = [...new Set([...required, ...files])];
        const read = [...new Set([...loaded, ...code.filter(isFile)])];
        return {
            paths: [...looked, ...loaded],
            listed: [...listed].filter((file) => !isKnown(file)),
            variables: [...variables],
            hindrances: [...hindrances, ...ofImports, ...read.flatMap((file) => hindrance(file, begun, how === "told"))],
        };
    };
}

function isFile(file) {
    return fs.statSync(file, { throwIfNoEntry: false })?.isFile();
}

function isToWrap(name) {
    return !NO_PATHS.test(name) && !reading.NAMES.includes(name);
}

/** A function that takes a file's path first, and tells of it. */
function looking(read, look) {
    const wrapper = function (file, ...rest) {
        look(file);
        return read.call(this, file, ...rest);
    };
    // What `util.promisify` goes by.
    for (const key of Reflect.ownKeys(read).filter((own) => !(own in wrapper))) {
        Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(read, key));
    }
    if (read.native) {
        wrapper.native = looking(read.native, look);
    }
    return wrapper;
}

function note(file, paths, hindrances) {
    try {
        const told = file instanceof URL ? fileURLToPath(file) : file;
        if (typeof told === "string") {
            paths.add(path.resolve(told));
        } else if (typeof told !== "number") {
            hindrances.add("it looks at what cannot be told");
        }
    } catch {
        hindrances.add("it looks at what cannot be told");
    }
}

function seeVariables(variables, hindrances) {
    const { env } = process;
    const note = (name) => typeof name === "string" && variables.add(name);
    const noteAll = () => hindrances.add(LISTS_VARIABLES);
    // Node.js inspects the target of a proxy, not the proxy. A target without variables has none to show.
    const shown = () => {
        noteAll();
        return { ...env };
    };
    const target = { [inspect.custom]: shown };
    process.env = new Proxy(target, {
        get: (_, name) => {
            note(name);
            return name === inspect.custom ? shown : env[name];
        },
        getOwnPropertyDescriptor: (_, name) => {
            note(name);
            return Reflect.getOwnPropertyDescriptor(env, name);
        },
        has: (_, name) => {
            note(name);
            return name in env;
        },
        ownKeys: () => {
            noteAll();
            return Reflect.ownKeys(env);
        },
        getPrototypeOf: () => Reflect.getPrototypeOf(env),
        defineProperty: (_, name, descriptor) => Reflect.defineProperty(env, name, descriptor),
        deleteProperty: (_, name) => delete env[name],
        // Node.js takes no less than a plain assignment.
        set: (_, name, value) => {
            env[name] = value;
            return true;
        },
    });
}

function seeConnections(monitor, hindrances) {
    const { connect } = net.Socket.prototype;
    net.Socket.prototype.connect = function (...args) {
        // `net.connect` has sorted them already, and gives an array.
        const [{ host, port, path: name }] = Array.isArray(args[0]) ? args[0] : net._normalizeArgs(args);
        if (`${host}:${port}` !== monitor) {
            hindrances.add(`it asks ${name ?? `${host}:${port}`}`);
        }
        return connect.apply(this, args);
    };
}

/** Whether a module is of Pulumi's own packages, or was loaded by them; programs are, but no package. */
function isOfPulumi(file) {
    if (!file?.includes(MODULES)) {
        return false;
    }
    return imported.isOfPulumi(file) || isOfPulumi(Module._cache[file]?.parent?.filename);
}

/**
 * Why what a file of the program makes cannot be told to be the same each time, unless it has changed since the
 * program has `begun`. What it imports is told or not (`isTold`).
 */
function hindrance(file, begun, isTold) {
    if (!isFile(file) || fs.statSync(file).ctimeMs > begun) {
        return [`nobody knows what ${file} was`];
    }
    if (file.endsWith(".json")) {
        return [];
    }
    if (file.includes(MODULES) || COMPILED.test(file)) {
        return [`nobody knows what ${file} does`];
    }
    const source = fs.readFileSync(file, "utf8").replace(PROCESS, "");
    const loaded = [...source.matchAll(LOADING)].map((found) => found[2]);
    const importing = isTold ? IMPORTING_UNKNOWN : IMPORTING;
    const named = loaded.find((name) => !HARMLESS.test(name)) ?? (MAKING_UP.exec(source) ?? importing.exec(source))?.[0];
    return named === undefined ? [] : [`${file} names ${named}`];
}
