// A Node.js that waits for a program: it has loaded the SDK and the Kubernetes package of a set, and
// becomes what `nodejs_runner.js` would be in a new process, once.
//
// Started with the SDK's runner, the folder for machine code, and the numbers of two files: one for what
// the runner tells the renderer, and a socket. It says `ready` there, or why nothing can be made of these
// packages; then comes how the program is started, as JSON, and the answer is `started`. A process that is
// started from a snapshot (`nodejs_snapshot.js`) has loaded them already.
//
// No program can tell that it waited, or the set does not wait: what modules look up of a process while
// they load is noted. Variables must then be as they were; the folder must not have been asked for.

"use strict";

const fs = require("fs");
const Module = require("module");
const os = require("os");
const path = require("path");

const loading = require("./nodejs_loading");

const RUNNER = path.join(__dirname, "nodejs_runner.js");

// Of the runner, what does nothing before it is called.
const PARTS = ["environment", "pipes", "places", "seen", "values"].map((name) => path.join(__dirname, `nodejs_${name}`));
// Classes of the Kubernetes package that many programs have: it loads each when it is asked for.
const CLASSES = [
    ...["configMap", "namespace", "persistentVolumeClaim", "secret", "service", "serviceAccount"].map((name) => `core/v1/${name}`),
    ...["daemonSet", "deployment", "statefulSet"].map((name) => `apps/v1/${name}`),
    ...["clusterRole", "clusterRoleBinding", "role", "roleBinding"].map((name) => `rbac/v1/${name}`),
    ...["autoscaling/v2/horizontalPodAutoscaler", "batch/v1/cronJob", "batch/v1/job", "networking/v1/ingress"],
    ...["networking/v1/networkPolicy", "policy/v1/podDisruptionBudget", "apiextensions/customResource"],
    // Whose version each resource asks for.
    "package.json",
];
// What the runner needs besides, and most programs, by the names by which they ask for it.
const LOADED = [
    ...["@pulumi/pulumi", "@pulumi/kubernetes", "@grpc/grpc-js", "ini", "minimist", "semver", "source-map-support"],
    ...["config", "errors", "log", "output", "resource", "tsutils"].map((name) => `../../${name}`),
    ...["engine_grpc_pb", "resource_grpc_pb", "resource_pb"].map((name) => `../../proto/${name}`),
    ...["config", "debuggable", "manifest", "rpc", "settings", "stack"].map((name) => `../../runtime/${name}`),
    ...["instrumentation", "tracing"].map((name) => `./${name}`),
    ...CLASSES.map((name) => `@pulumi/kubernetes/${name}`),
];
const FOLDERS = [
    [process, "cwd"],
    [os, "homedir"],
    [os, "tmpdir"],
];

module.exports = { loaded, wait };

if (require.main === module) {
    const [runner, machineCode] = process.argv.slice(2);
    loading.keepMachineCode(machineCode);
    wait(loaded(runner));
}

/** Load the packages of an SDK's runner; give what is noted of that. */
function loaded(runner) {
    return noted(() => load(runner));
}

/** Wait for the program, and become its process if it is told nothing else than what was noted. */
function wait({ variables, unfit }) {
    const [told, socket] = process.argv.slice(-2).map(Number);
    say(socket, unfit || "ready");
    const start = JSON.parse(heard(socket));
    if ([...variables].every(([name, value]) => start.env[name] === value)) {
        say(socket, "started");
        fs.closeSync(socket);
        become(start, told);
        Module.createRequire(RUNNER)(RUNNER);
    }
}

function load(runner) {
    loading.prepare();
    const requireOfSdk = Module.createRequire(runner);
    // Not every set has each.
    const found = LOADED.filter((name) => resolves(requireOfSdk, name));
    leaveTheStoreToTheProgram(() => found.forEach((name) => requireOfSdk(name)));
    useMessages(requireOfSdk);
    PARTS.forEach((part) => require(part));
}

/**
 * V8 compiles a function when it is first called: by now it has those of the messages that make a
 * resource. Generated code and `google-protobuf` keep nothing of a message.
 */
function useMessages(requireOfSdk) {
    const protocol = resolves(requireOfSdk, "../../proto/resource_pb");
    if (!protocol) {
        return;
    }
    const messages = requireOfSdk(protocol);
    const { Struct } = Module.createRequire(protocol)("google-protobuf/google/protobuf/struct_pb");
    const object = Struct.fromJavaScript({ text: "", list: [1, true, null], inner: {} });
    for (const Message of [messages.RegisterResourceRequest, messages.RegisterResourceResponse]) {
        const message = new Message();
        message.setObject(object);
        const read = Message.deserializeBinary(message.serializeBinary());
        read.getObject().toJavaScript();
    }
}

function resolves(from, name) {
    try {
        return from.resolve(name);
    } catch {
        return undefined;
    }
}

/**
 * Modules of resources register with the SDK's store, which the first of them makes, with what the
 * environment says of the program. Source: `@pulumi/pulumi/runtime/state.ts`.
 */
function leaveTheStoreToTheProgram(load) {
    const registered = { resourcePackages: new Map(), resourceModules: new Map() };
    global.globalStore = registered;
    load();
    delete global.globalStore;
    Object.defineProperty(global, "globalStore", {
        configurable: true,
        get: () => undefined,
        set: (store) => {
            delete global.globalStore;
            global.globalStore = Object.assign(store, registered);
        },
    });
}

/** What was looked up while `load` ran: variables, with their values, and what makes the set unfit. */
function noted(load) {
    const variables = new Map();
    let unfit = "";
    const surroundings = process.env;
    const note = (name) => typeof name === "string" && variables.set(name, surroundings[name]);
    const refuse = (what) => {
        unfit ||= `a package ${what} while it is loaded`;
    };
    process.env = new Proxy(surroundings, {
        get: (target, name) => {
            note(name);
            return target[name];
        },
        has: (target, name) => {
            note(name);
            return name in target;
        },
        ownKeys: (target) => {
            refuse("looks through the environment");
            return Reflect.ownKeys(target);
        },
        set: (target, name, value) => {
            refuse("changes the environment");
            target[name] = value;
            return true;
        },
    });
    const originals = FOLDERS.map(([owner, name]) => owner[name]);
    for (const [owner, name] of FOLDERS) {
        const original = owner[name];
        owner[name] = (...rest) => {
            refuse(`asks for ${name}()`);
            return original.apply(owner, rest);
        };
    }
    try {
        load();
    } catch (error) {
        refuse(`fails (${error.message})`);
    }
    FOLDERS.forEach(([owner, name], at) => (owner[name] = originals[at]));
    process.env = surroundings;
    return { variables, unfit };
}

/** Be as a process that was started with nothing but this. */
function become({ cwd, env, arguments: given }, told) {
    process.chdir(cwd);
    for (const name of Object.keys(process.env)) {
        delete process.env[name];
    }
    const run = { ...JSON.parse(env.RENDERER_RUN), told };
    Object.assign(process.env, env, { RENDERER_RUN: JSON.stringify(run) });
    process.argv.splice(1, process.argv.length, RUNNER, ...given);
    // Which say where the snapshot is.
    process.execArgv = [];
    if (env.RENDERER_MODULES) {
        require("./nodejs_modules").find(JSON.parse(env.RENDERER_MODULES));
    }
}

function say(socket, word) {
    fs.writeSync(socket, word);
}

/** All that comes on the socket. */
function heard(socket) {
    const chunks = [];
    const chunk = Buffer.alloc(1 << 16);
    for (let size; (size = fs.readSync(socket, chunk)) > 0; ) {
        chunks.push(Buffer.from(chunk.subarray(0, size)));
    }
    return Buffer.concat(chunks).toString();
}
