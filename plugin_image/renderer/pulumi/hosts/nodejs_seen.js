// Tells the renderer what the result of a program depends on.
//
// Files are read by `fs`, which is wrapped. What a program makes up, and whom it asks, cannot be seen
// as it happens: Pulumi's own packages read the clock and talk all the time. So the program's code is
// looked through for the names of what does so, and so is that of other packages. A name alone hinders.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");

const MODULES = `${path.sep}node_modules${path.sep}`;
// The clock, what is drawn at random, what differs from process to process, and text that runs as code.
const MADE_UP =
    /\b(?:uuid|nanoid|moment|dayjs|luxon)\b|\bDate\b|\bperformance\s*\.|\bhrtime\b|\brandom\w*|\bgetRandomValues\b|\bgenerate(?:Key|Prime)\w*|\b(?:uptime|ppid|pid|cpuUsage|memoryUsage|resourceUsage)\b|\beval\s*\(|\bFunction\s*\(|\bprocess\s*\.\s*(?:binding|dlopen|getBuiltinModule)\b|\bWebAssembly\b/;
// Functions and modules that talk to others, start something, or tell of the machine.
const ASKS =
    /\b(?:fetch|WebSocket|EventSource|XMLHttpRequest)\s*\(|(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'`](?:node:)?(?:child_process|cluster|dgram|dns|http|https|http2|inspector|net|os|sqlite|tls|vm|wasi|worker_threads)(?:\/[^"'`]*)?["'`]/;
const OF_PULUMI = [path.join("@pulumi", "pulumi"), path.join("@pulumi", "kubernetes")];
// What a package has that Node.js does not note among the modules that were loaded.
const ES_MODULE = /^\s*(?:import|export)\b/m;
const COMPILED = ".node";
// Functions of `fs` that take an open file, or no file at all.
const NO_PATHS = /^(?:_|[A-Z]|close|f(?:chmod|chown|datasync|stat|sync|truncate|utimes)|read(?:Sync|v|vSync)?$|write(?:Sync|v|vSync)?$|mkdtemp)/;

module.exports = { begin };

/** From now on, see what the program looks at; gives what tells of it at the end. */
function begin() {
    const paths = new Set();
    const listed = new Set();
    const variables = new Set();
    const known = new Set(Object.keys(Module._cache));
    for (const api of [fs, fs.promises]) {
        for (const name of Object.keys(api).filter((name) => typeof api[name] === "function" && !NO_PATHS.test(name))) {
            api[name] = looking(api[name], /dir|glob/i.test(name) ? listed : paths);
        }
    }
    Module.syncBuiltinESMExports();
    seeVariables(variables);
    return () => {
        const loaded = Object.keys(Module._cache).filter((file) => !known.has(file));
        return {
            paths: [...paths, ...loaded],
            listed: [...listed],
            variables: [...variables],
            hindrances: loaded.filter((file) => !isOfPulumi(file)).flatMap(hindrance),
        };
    };
}

/** A function that takes a file's path first, and notes it. */
function looking(read, into) {
    const wrapper = function (file, ...rest) {
        note(file, into);
        return read.call(this, file, ...rest);
    };
    // What `util.promisify` goes by.
    for (const key of Reflect.ownKeys(read).filter((own) => !(own in wrapper))) {
        Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(read, key));
    }
    if (read.native) {
        wrapper.native = looking(read.native, into);
    }
    return wrapper;
}

function note(file, into) {
    if (typeof file === "string" || Buffer.isBuffer(file)) {
        into.add(path.resolve(String(file)));
    } else if (file instanceof URL) {
        into.add(path.resolve(decodeURIComponent(file.pathname)));
    }
}

function seeVariables(variables) {
    const note = (name) => typeof name === "string" && variables.add(name);
    process.env = new Proxy(process.env, {
        get: (target, name) => {
            note(name);
            return target[name];
        },
        has: (target, name) => {
            note(name);
            return name in target;
        },
        // Node.js takes no less than a plain assignment.
        set: (target, name, value) => {
            target[name] = value;
            return true;
        },
    });
    Module.syncBuiltinESMExports();
}

/** Whether a module is of Pulumi's own packages, or was loaded by them; programs are, but no package. */
function isOfPulumi(file) {
    if (!file?.includes(MODULES)) {
        return false;
    }
    return OF_PULUMI.some((name) => file.includes(MODULES + name + path.sep)) || isOfPulumi(Module._cache[file]?.parent?.filename);
}

/** Why what a module makes cannot be told to be the same each time. */
function hindrance(file) {
    if (file.endsWith(COMPILED)) {
        return [`nobody sees what ${file} does, which is compiled`];
    }
    const source = fs.readFileSync(file, "utf8");
    if (file.includes(MODULES) && ES_MODULE.test(source)) {
        return [`nobody sees what ${file} imports`];
    }
    const named = MADE_UP.exec(source) ?? ASKS.exec(source);
    return named ? [`${file} names ${named[0]}`] : [];
}
