// What a Node.js loads before there is a program: the SDK, the Kubernetes package, and of the runner what does
// nothing before it is called.
//
// No program may be able to tell. So what modules look up of a process while they load is noted: variables
// must then be as they were, and the folder must not have been asked for. Nor may two programs draw the same
// numbers, so that nothing may be left of what was drawn: `drawAnew` counts on that.

"use strict";

const crypto = require("crypto");
const fs = require("fs");
const Module = require("module");
const os = require("os");
const path = require("path");
const v8 = require("v8");

const loading = require("./nodejs_loading");

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
const UNFIT = [
    [process, "cwd"], [os, "homedir"], [os, "tmpdir"],
    // What they give would be the same in all forks, and some draw for many calls at once.
    ...["randomBytes", "randomFillSync", "randomInt", "randomUUID"].map((name) => [crypto, name]),
    ...["getRandomValues", "randomUUID"].map((name) => [Object.getPrototypeOf(crypto.webcrypto), name]),
];
const STREAMS = ["stdin", "stdout", "stderr"];
const { random } = Math;
const { randomBytes } = crypto;
const SEED_BYTES = 4;

module.exports = { loaded, drawAnew };

/** Load the packages of an SDK's runner; give what is noted of that. */
function loaded(runner) {
    return noted(() => load(runner));
}

function load(runner) {
    loading.prepare();
    const requireOfSdk = loading.requireOf(runner);
    // A link to the SDK is beside the other packages that the program asks for.
    const asking = [requireOfSdk, Module.createRequire(runner)];
    // Not every set has each.
    const files = LOADED.map((name) => asking.map((from) => resolves(from, name)).find(Boolean));
    leaveTheStoreToTheProgram(() => files.filter(Boolean).forEach((file) => requireOfSdk(file)));
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
        getOwnPropertyDescriptor: (target, name) => {
            note(name);
            return Reflect.getOwnPropertyDescriptor(target, name);
        },
        deleteProperty: (target, name) => {
            refuse("changes the environment");
            return Reflect.deleteProperty(target, name);
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
    const originals = UNFIT.map(([owner, name]) => owner[name]);
    for (const [owner, name] of UNFIT) {
        const original = owner[name];
        owner[name] = function (...rest) {
            refuse(`asks for ${name}()`);
            return original.apply(this, rest);
        };
    }
    const restored = STREAMS.map((name) => standIn(name, refuse));
    Math.random = () => randomBytes(SEED_BYTES).readUInt32LE() / 2 ** 32;
    try {
        load();
    } catch (error) {
        refuse(`fails (${error.message})`);
    }
    Math.random = random;
    restored.forEach((restore) => restore());
    UNFIT.forEach(([owner, name], at) => (owner[name] = originals[at]));
    process.env = surroundings;
    return { variables, unfit };
}

/**
 * Keep one of the process's streams from being made, which a fork would have as it was: what Node.js itself
 * looks up is whether it is a terminal. What keeps the stand-in has the stream later on.
 */
function standIn(name, refuse) {
    const { get, ...rest } = Object.getOwnPropertyDescriptor(process, name);
    let isLoading = true;
    const part = (_, key) => {
        if (isLoading && key === "isTTY") {
            return undefined;
        }
        if (isLoading) {
            refuse(`uses process.${name}`);
        }
        const stream = get.call(process);
        const found = stream[key];
        return typeof found === "function" ? found.bind(stream) : found;
    };
    const stand = new Proxy({}, { get: part });
    Object.defineProperty(process, name, { ...rest, get: () => stand });
    return () => {
        isLoading = false;
        Object.defineProperty(process, name, { ...rest, get });
    };
}

/** In a fork, have V8 draw other numbers than in all others. A context that has drawn none is seeded then. */
function drawAnew() {
    const seed = Buffer.alloc(SEED_BYTES);
    const source = fs.openSync("/dev/urandom");
    fs.readSync(source, seed);
    fs.closeSync(source);
    v8.setFlagsFromString(`--random-seed=${seed.readInt32LE() || 1}`);
    random();
    // For other contexts, and for threads.
    v8.setFlagsFromString("--random-seed=0");
}
