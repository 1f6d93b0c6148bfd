// A Node.js that compiles the sources of programs in TypeScript, one program after the other: the SDK,
// the compiler, and what that makes of the packages' declarations (`nodejs_declarations.js`) stay loaded.
//
// Started with the SDK's runner, the folder for machine code, and the number of a socket of messages. It
// says `ready` there, or why nothing can be made of these packages. Then each message is JSON that says
// what to compile, and the answer is `compiled` or `declined`. Nothing of a program runs here.
//
// The SDK and ts-node do it as they do for a program: what they would compile with is asked of the SDK,
// whose runner gets as far as to register ts-node, and the rest is that version of ts-node's own. It is
// asked for all that the entry leads to. Whatever is wrong with the sources, or is not like most programs,
// is declined: the run itself then compiles, and says what is wrong. An error that is not about the sources
// ends the process, as it may have left the compiler in the middle of something: its parser is one for all.
// Source: `@pulumi/pulumi/cmd/run/run.ts`; TypeStrong/ts-node v7.0.1, src/index.ts.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");
const v8 = require("v8");
const vm = require("vm");

// First: packages keep functions of `fs` that they find.
const { places } = require("./nodejs_reading");
const declarations = require("./nodejs_declarations");
const loading = require("./nodejs_loading");

// The SDK's own copy, unless a program brings another one.
const TS_NODE = "7.0.1";
// How the variables begin that the SDK's runner heeds.
const SETTINGS = "PULUMI_NODEJS_";
const COMPILED = /\.tsx?$/;
const MODULES = "/node_modules/";
const MESSAGE_BYTES = 1 << 16;
// How much programs may leave in memory before it is looked through, and after.
const MOST_BYTES = 150 * 2 ** 20;

/** Says that sources are not like those of most programs. */
class Unlike extends Error {}

const [runner, machineCode, number] = process.argv.slice(2);
const socket = Number(number);
v8.setFlagsFromString("--expose-gc");
const collectGarbage = vm.runInNewContext("gc");

serve();

async function serve() {
    let compile;
    try {
        compile = loaded();
    } catch (error) {
        say(`a compiler of these packages cannot be kept: ${error.message}`);
        return;
    }
    const most = usedBytes() + MOST_BYTES;
    do {
        say("ready");
        const message = heard();
        if (!message) {
            return;
        }
        say((await compile(JSON.parse(message))) ? "compiled" : "declined");
        // Otherwise another process takes its place.
    } while (hasRoom(most));
}

/** Load what compiles, and give the function that does. Throws where the packages have something else. */
function loaded() {
    loading.prepare();
    loading.keepMachineCode(machineCode);
    const requireOfSdk = loading.requireOf(runner);
    const tsutils = requireOfSdk("../../tsutils");
    const { typescriptRequire, tsnodeRequire } = tsutils.typeScriptRequireStrings();
    const tsNode = requireOfSdk.resolve(tsnodeRequire);
    if (requireOfSdk(tsNode).VERSION !== TS_NODE) {
        throw new Error(`ts-node is ${requireOfSdk(tsNode).VERSION}`);
    }
    // It loads the script that would run a program.
    const script = requireOfSdk.resolve(runner);
    require.cache[script] = new Module(script);
    const parts = { tsNode, run: requireOfSdk("./run").run, ts: requireOfSdk(typescriptRequire) };
    failOnUnreadableConfig(tsutils, parts.ts);
    declarations.load(parts.ts, path.resolve(runner, ...Array(5).fill("..")));
    return (wanted) => compiled(parts, wanted);
}

/** The SDK takes a tsconfig.json that cannot be read for one that says nothing. */
function failOnUnreadableConfig(tsutils, ts) {
    const { loadTypeScriptCompilerOptions: load } = tsutils;
    tsutils.loadTypeScriptCompilerOptions = (file) => {
        if (fs.existsSync(file)) {
            ts.parseConfigFileTextToJson(file, fs.readFileSync(file, "utf8"));
        }
        return load(file);
    };
}

/** Write what a program's sources compile to, unless that takes more than is done here; whether it was. */
async function compiled(parts, { folder, entry, root, settings, places: told, into }) {
    const undo = remembered();
    try {
        Object.entries(told).forEach(([there, place]) => places.set(there, place));
        Object.assign(process.env, settings);
        const options = await optionsOfSdk(parts, folder, entry);
        const files = emitted(parts, options, begin(folder, entry), root);
        // Below the line of a checksum, where it is kept.
        fs.writeFileSync(into, `\n${JSON.stringify(files)}`);
        return true;
    } catch (error) {
        if (!(error instanceof Unlike) && error.name !== "TSError") {
            decline();
        }
        return false;
    } finally {
        undo();
    }
}

/** End without having compiled. */
function decline() {
    say("declined");
    process.exit();
}

/** What the SDK would register ts-node with. Throws where it does not. */
function optionsOfSdk({ tsNode, run }, folder, entry) {
    return new Promise((resolve, reject) => {
        fresh(tsNode).register = (options) => {
            resolve(options);
            throw new Error("asked");
        };
        // Called before the program is run.
        run({ _: [entry], pwd: folder }, decline, () => {}, () => false).catch(reject);
    });
}

/** By its path in the root, what each source compiles to that is the program's own. */
function emitted({ tsNode, ts }, options, begin, root) {
    let service;
    declarations.use(ts, (made) => (service = made));
    fresh(tsNode).register({ ...options, cache: false });
    const files = {};
    const emit = (filename) => {
        if (!COMPILED.test(filename)) {
            throw new Unlike("ts-node leaves it to Node.js, which may run it");
        }
        const module = new Module(filename);
        module._compile = (code) => (files[path.relative(root, filename)] = code);
        Module._extensions[path.extname(filename)](module, filename);
    };
    emit(begin);
    // Without a check of types there is none.
    const program = service?.getProgram();
    if (!program || program.getCompilerOptions().allowJs) {
        throw new Unlike("what it loads cannot be told");
    }
    const own = ({ fileName, isDeclarationFile }) => !isDeclarationFile && !fileName.includes(MODULES);
    const sources = program.getSourceFiles().filter(own).map((file) => file.fileName);
    sources.filter((file) => file !== begin && !file.endsWith(".json")).forEach(emit);
    return files;
}

/** The file that a program begins with, as Node.js finds it. */
function begin(folder, entry) {
    try {
        const wanted = path.resolve(folder, entry);
        return Module._resolveFilename(wanted === folder ? wanted + path.sep : wanted, null, false);
    } catch (error) {
        throw new Unlike(error.message);
    }
}

/** A module loaded anew: it keeps what it was once registered with. */
function fresh(file) {
    delete require.cache[file];
    return Module._load(file, null, false);
}

/** Puts back what it finds, of all that a compilation changes. */
function remembered() {
    const { prepareStackTrace } = Error;
    const { emit } = process;
    const { _load } = Module;
    const extensions = { ...Module._extensions };
    const paths = new Set(Object.keys(Module._pathCache));
    return () => {
        process.chdir("/");
        places.clear();
        Object.keys(process.env)
            .filter((name) => name.startsWith(SETTINGS))
            .forEach((name) => delete process.env[name]);
        Object.assign(Error, { prepareStackTrace });
        Object.assign(process, { emit });
        Object.assign(Module, { _load });
        Object.keys(Module._pathCache)
            .filter((key) => !paths.has(key))
            .forEach((key) => delete Module._pathCache[key]);
        Object.keys(Module._extensions).forEach((ending) => delete Module._extensions[ending]);
        Object.assign(Module._extensions, extensions);
    };
}

function hasRoom(most) {
    if (usedBytes() > most) {
        collectGarbage();
    }
    return usedBytes() < most;
}

function usedBytes() {
    return v8.getHeapStatistics().used_heap_size;
}

function say(word) {
    fs.writeSync(socket, word);
}

/** A message; nothing when there will be no more. */
function heard() {
    const message = Buffer.alloc(MESSAGE_BYTES);
    return message.toString("utf8", 0, fs.readSync(socket, message));
}
