// Starts Pulumi's own runner, as `hosts.nodejs` and `hosts.typescript` want it started.
//
// What to do comes in RENDERER_RUN, the monitor's address on stdin: the monitor takes as long
// to come up as Node.js and the SDK take to load, so they do it at the same time.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");
const { pathToFileURL } = require("url");
// First: packages keep functions of `fs` that they find.
require("./nodejs_reading");
const { nearestAt } = require("./nodejs_places");
const values = require("./nodejs_values");

const { runner, root, beside, loaded, ended, notes, machineCode, told, pipes, unreadable, watched, compiled, recorded } =
    JSON.parse(process.env.RENDERER_RUN);
// Processes that the program starts are none of ours.
delete process.env.RENDERER_RUN;

// The exit status for a module that was not compiled before.
const NOT_COMPILED = 75;

const loading = require("./nodejs_loading");
const requireOfSdk = loading.requireOf(runner);
loading.prepare();
loading.keepMachineCode(machineCode);
if (compiled) {
    useCompiled(readCompiled());
} else if (recorded) {
    recordCompiled();
    const compiler = preload("typescript");
    if (compiler) {
        require("./nodejs_declarations").use(compiler);
    }
}
preload("@pulumi/pulumi");
const settings = requireOfSdk("../../runtime/settings");
failWhenTheMonitorIsLost(settings);
leaveOutStacks(requireOfSdk("../../runtime/debuggable"));
sayWhenTheProgramHasEnded(settings);
const { Resource } = requireOfSdk("../../resource");
values.tellOfThoseWithoutJson({ rpc: requireOfSdk("../../runtime/rpc"), Resource });
traceOwnCode(Resource);
tellSecrets(requireOfSdk("../../output"));
if (!requireOfSdk("../../proto/resource_pb").RegisterResourceResponse.prototype.getUnknown) {
    tell({ unknown_lost: true });
}
if (unreadable) {
    const parts = {
        Config: requireOfSdk("../../config").Config,
        config: requireOfSdk("../../runtime/config"),
        output: requireOfSdk("../../output"),
    };
    require("./nodejs_unreadable").follow(parts, { messages: unreadable, root, refuse });
}

const [address, elsewhere] = readAll(0).split(" ");
const { ResourceMonitorClient } = requireOfSdk("../../proto/resource_grpc_pb");
const { EngineClient } = requireOfSdk("../../proto/engine_grpc_pb");
const clients = [ResourceMonitorClient, EngineClient];
const grpc = requireOfSdk("@grpc/grpc-js");
require("./nodejs_pipes").use(pipes, address, clients, grpc, settings.grpcClientOptions);
// For `nodejs_child.js`, in what the program starts.
process.env.RENDERER_ELSEWHERE = JSON.stringify({ monitor: elsewhere, notes });
const packages = path.join(path.dirname(beside), "node_modules");
// Before what tells who has looked a variable up: that has to be the program.
const seen = watched && require("./nodejs_seen").begin(root, packages, address);
require("./nodejs_environment").tellOfUnset(root, (name, place) => tell({ unset: [name, place] }));
process.argv.splice(1, 1, runner, `--monitor=${address}`, `--engine=${address}`);
if (loaded.length === 0) {
    Module.runMain();
} else {
    load(loaded).then(() => Module.runMain());
}

/** Load the modules that the program's `nodeargs` name, as Node.js would with them beside the program. */
async function load(loaded) {
    const folder = pathToFileURL(process.cwd() + path.sep).href;
    for (const [how, name] of loaded) {
        const from = /^\.{0,2}\//.test(name) ? folder : pathToFileURL(beside).href;
        if (how === "require") {
            Module.createRequire(from)(name);
        } else if (how === "loader") {
            Module.register(name, from);
        } else {
            await importFrom(from, name);
        }
        // By which the SDK knows that the program brings a compiler of its own.
        process.execArgv.push(`--${how}`, name);
    }
}

async function importFrom(from, name) {
    // Since Node.js 22.15.
    const hooks = Module.registerHooks?.({
        resolve: (specifier, context, next) =>
            next(specifier, specifier === name ? { ...context, parentURL: from } : context),
    });
    await import(name);
    hooks?.deregister();
}

/**
 * The program has ended when nothing is left to do, which is the only way to `exit` that does not
 * lead through `process.exit`. SDKs tell the monitor of the end only since 3.182, and before other
 * handlers of `beforeExit` run.
 */
function sayWhenTheProgramHasEnded(settings) {
    const { exit } = process;
    let early = false;
    process.exit = (...code) => {
        early = true;
        return exit.apply(process, code);
    };
    // The first of all handlers: if the program's own end the process, they come too late.
    process.once("exit", () => {
        if (!early) {
            if (seen) {
                tell({ seen: seen() });
            }
            fs.writeFileSync(ended, "");
        }
        const { rpcKeepAlive } = settings;
        settings.rpcKeepAlive = () => {
            fail("a resource is made after the end of the program");
            return rpcKeepAlive();
        };
    });
}

/** The SDK ends quietly when a request fails with its connection, with more to register or not. */
function failWhenTheMonitorIsLost(settings) {
    const { terminateRpcs } = settings;
    let lost = false;
    settings.terminateRpcs = () => {
        lost = true;
        terminateRpcs();
    };
    process.once("exit", () => {
        if (lost) {
            fail("the connection to the monitor was lost");
        }
    });
}

/**
 * The SDK notes a stack with each promise: a tenth of a large program. It prints them where
 * the environment asks which promises never settle.
 */
function leaveOutStacks(debuggable) {
    const { debugPromiseLeaks, debuggablePromise } = debuggable;
    if (debugPromiseLeaks) {
        return;
    }
    debuggable.debuggablePromise = (...args) => {
        const { stackTraceLimit } = Error;
        Error.stackTraceLimit = 0;
        try {
            return debuggablePromise(...args);
        } finally {
            Error.stackTraceLimit = stackTraceLimit;
        }
    };
}

/**
 * The SDK finds the source of each frame above a resource, most of which are its own, and of which the
 * monitor takes the nearest in the program.
 */
function traceOwnCode(Resource) {
    // Older ones look for a single frame.
    if (Resource.stackTrace) {
        Resource.stackTrace = function stackTrace(skip) {
            // It counts two more, of this and of what takes the stack, and begins above the constructor.
            const place = nearestAt(stackTrace, root, skip - 1);
            return place ? [{ uri: pathToFileURL(place.file).href, line: place.line, column: place.column }] : [];
        };
    }
}

/** What the renderer refuses, whatever becomes of the error in the program. */
function refuse(summary, fix) {
    tell({ refusal: [summary, fix] });
    throw new Error(summary);
}

/** Tell the renderer of an event. What is told goes to memory, not to a disk. */
function tell(event) {
    fs.writeSync(told, JSON.stringify(event) + "\n");
}

function fail(why) {
    console.error(why);
    process.exitCode ||= 1;
}

/**
 * Tell the renderer what the program calls secret, for its messages: a value that no resource gets
 * is never registered.
 */
function tellSecrets(output) {
    const texts = (value) => {
        if (typeof value === "string") {
            return [value];
        }
        const plain = value && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));
        // What a getter gives is the SDK's to ask for.
        const parts = plain ? Object.values(Object.getOwnPropertyDescriptors(value)) : [];
        return parts.flatMap((part) => texts(part.value));
    };
    // The renderer knows which parts of the configuration are secret.
    const { PULUMI_CONFIG: config, PULUMI_CONFIG_SECRET_KEYS: keys } = process.env;
    const known = new Set(JSON.parse(keys).flatMap((key) => texts(structure(JSON.parse(config)[key]))));
    const tellTexts = (value) => {
        for (const text of texts(value).filter((text) => !known.has(text))) {
            known.add(text);
            tell({ secrets: [text] });
        }
    };
    const { secret } = output;
    output.secret = (value) => {
        tellTexts(value);
        return secret(value);
    };
    const { apply } = output.Output.prototype;
    output.Output.prototype.apply = function (func, ...rest) {
        let isSecret = false;
        Promise.resolve(this.isSecret).then((known) => (isSecret = known), () => {});
        const telling = (value) => {
            if (isSecret && typeof value === "string") {
                tellTexts(value);
            }
            return func(value);
        };
        return apply.call(this, telling, ...rest);
    };
}

/** The structure that a string spells in JSON; nothing where it spells none. */
function structure(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === "object" ? value : undefined;
    } catch {
        return undefined;
    }
}

/** All that comes on a pipe, which the SDK may have made non-blocking. */
function readAll(fd) {
    const chunks = [];
    const chunk = Buffer.alloc(4096);
    for (;;) {
        try {
            const size = fs.readSync(fd, chunk);
            if (size === 0) {
                return Buffer.concat(chunks).toString();
            }
            chunks.push(Buffer.from(chunk.subarray(0, size)));
        } catch (error) {
            if (error.code !== "EAGAIN") {
                throw error;
            }
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
        }
    }
}

/** Load what the runner will ask for. What is missing is reported later, in better words. */
function preload(name) {
    try {
        return requireOfSdk(name);
    } catch {
        // The SDK has a compiler of its own for programs that bring none.
        return undefined;
    }
}

/** Note what each of the program's files was compiled to before Node.js got it; null for none. */
function recordCompiled() {
    const files = {};
    const compile = Module.prototype._compile;
    Module.prototype._compile = function (code, filename, ...rest) {
        const isCompiled = isOwn(filename) && code !== fs.readFileSync(filename, "utf8");
        if (isCompiled || isOfProject(filename)) {
            files[path.relative(root, filename)] = isCompiled ? code : null;
        }
        return compile.call(this, code, filename, ...rest);
    };
    process.once("beforeExit", () => {
        const hasCompiled = Object.values(files).some((code) => code !== null);
        fs.writeFileSync(recorded, JSON.stringify(hasCompiled && !actsInTheRun() ? files : {}));
    });
}

/** Whether ts-node does more than to compile. Source: TypeStrong/ts-node v10.9.2, src/index.ts. */
function actsInTheRun() {
    const { options = {} } = process[Symbol.for("ts-node.register.instance")] ?? {};
    const { require: loads = [], esm, experimentalResolver, preferTsExts } = options;
    return loads.length > 0 || Boolean(esm || experimentalResolver || preferTsExts);
}

function isOwn(filename) {
    return !filename.includes(`${path.sep}node_modules${path.sep}`);
}

function isOfProject(filename) {
    return isOwn(filename) && filename.startsWith(root + path.sep);
}

/** By its path in the project, what each file was compiled to. */
function readCompiled() {
    let kept;
    try {
        kept = fs.readFileSync(compiled, "utf8");
    } catch {
        // The cache has made room for something else since.
        process.exit(NOT_COMPILED);
    }
    // Below the line of its checksum.
    return new Map(Object.entries(JSON.parse(kept.slice(kept.indexOf("\n")))));
}

/** Load files as they were compiled before, and report places in them by their source. */
function useCompiled(files) {
    for (const extension of [".ts", ".tsx", ".js", ".jsx"]) {
        const load = Module._extensions[extension];
        Module._extensions[extension] = (module, filename) => {
            const code = files.get(path.relative(root, filename));
            if (typeof code === "string") {
                return module._compile(code, filename);
            }
            // Settings may have JavaScript compiled, too.
            const isKnown = code === null || !isOfProject(filename);
            if (!isKnown || extension !== ".js" || load === undefined) {
                // Not an exception, which the program could catch and do without the module.
                process.exit(NOT_COMPILED);
            }
            return load(module, filename);
        };
    }
    requireOfSdk("source-map-support").install({
        environment: "node",
        retrieveFile: (filename) => {
            const code = files.get(path.relative(root, filename));
            return typeof code === "string" ? withSource(code, filename) : null;
        },
    });
}

/** `code` with a source map that names the source where it is now. */
function withSource(code, filename) {
    return code.replace(/(sourceMappingURL=data:[^,]*;base64,)([\w+/=]+)\s*$/, (_, head, map) => {
        const moved = { ...JSON.parse(Buffer.from(map, "base64")), file: filename, sources: [filename] };
        return head + Buffer.from(JSON.stringify(moved)).toString("base64");
    });
}
