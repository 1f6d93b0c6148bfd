// A Node.js that has loaded the packages of one set, and is forked for each run of a program with them.
//
// Started by a keeper (`forked.py`) with the SDK's runner, the folder for machine code, and the number of the
// keeper's socket. As in Python (`python_zygote.py`, which has the protocol), the fork of a fork becomes what
// `nodejs_runner.js` would be in a new process, and the one between is its guard.
//
// What Node.js does at its end waits for threads that a fork does not have, so a fork ends before that. Where it
// cannot, as after an error that nobody handles, or crashes, the run is lost: its guard says nothing, and the
// render has the program run by a new process.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");
const v8 = require("v8");
const vm = require("vm");

// First: packages keep functions of `fs` that they find.
require("./nodejs_reading");
const loading = require("./nodejs_loading");
const { loaded, drawAnew } = require("./nodejs_preloaded");
const system = require("./nodejs_system");

const RUNNER = path.join(__dirname, "nodejs_runner.js");
// The words of `forked.py`, `lent.py` and `ancestry.py`.
const [LOADED, HERE, START, STARTED, REFUSED] = ["loaded", "here", "start", "started", "refused"];
const MARK = "renderer-guard";
const KOFFI = /\/node_modules\/(@koromix|koffi)\//;
const LOST = 134;
// SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
const CRASHES = [-4, -5, -6, -7, -8, -11];
const REHEARSAL_MS = 60_000;
const AGAIN_MS = 1000;
const FORKS_WITH_GARBAGE = 500;

const [runner, machineCode, number] = process.argv.slice(2);
serve(Number(number));

/** Be forked as often as the keeper asks; what comes after that is in a fork. */
function serve(keeper) {
    loading.keepMachineCode(machineCode);
    const before = held();
    const { variables, unfit } = loaded(runner);
    const reason = unfit || left(before);
    if (reason) {
        system.send(keeper, reason);
        return;
    }
    Module.flushCompileCache?.();
    const collectGarbage = collecting();
    collectGarbage();
    const rehearsing = forkOnceThereIsRoom();
    if (rehearsing === 0) {
        collectGarbage();
        return;
    }
    if (!endsWell(rehearsing)) {
        system.send(keeper, `forks of Node.js ${process.version} do not end`);
        return;
    }
    system.setDumpable(false);
    system.send(keeper, LOADED);
    run(guarded(forked(keeper, collectGarbage)), variables);
}

/** Be the program's process, unless it is told something else than what packages looked up. */
function run(connection, variables) {
    const { start, files } = received(connection);
    if (![...variables].every(([name, value]) => start.env[name] === value)) {
        system.send(connection, REFUSED);
        system.exit(0);
    }
    become(start, files);
    drawAnew();
    forgetKoffi();
    system.setDumpable(true);
    system.send(connection, STARTED);
    system.close(connection);
    Module.createRequire(RUNNER)(RUNNER);
}

/** What collects garbage, which no program finds. */
function collecting() {
    v8.setFlagsFromString("--expose-gc");
    const collect = vm.runInNewContext("gc");
    v8.setFlagsFromString("--no-expose-gc");
    return collect;
}

/** A program loads its own. */
function forgetKoffi() {
    for (const file of Object.keys(require.cache).filter((name) => KOFFI.test(name))) {
        delete require.cache[file];
    }
}

/** As `fork`, in which Node.js does not end in its own way. */
function fork() {
    const pid = system.fork();
    if (pid === 0) {
        endBeforeNodeDoes();
    }
    return pid;
}

function forkOnceThereIsRoom() {
    for (;;) {
        const pid = fork();
        if (pid >= 0) {
            return pid;
        }
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
    }
}

/** Whether a fork ends as it should, after all that V8 may leave to threads of others. */
function endsWell(fork) {
    const ended = system.opened(fork);
    const inTime = system.ready([ended], [], REHEARSAL_MS).has(ended);
    system.close(ended);
    system.kill(fork);
    return system.statusOf(fork) === 0 && inTime;
}

/** How many threads and files this process has. */
function held() {
    return ["task", "fd"].map((of) => fs.readdirSync(`/proc/self/${of}`).length);
}

/** What loading has left behind that no fork would have. */
function left(before) {
    const [threads, files] = held().map((count, at) => count - before[at]);
    if (threads) {
        return "loading them leaves a thread behind";
    }
    if (fs.readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")) {
        return "loading them leaves a process behind";
    }
    return files ? "loading them leaves a file open behind" : "";
}

/** In a fork, the socket on which the keeper waits for it. */
function forked(keeper, collectGarbage) {
    // No fork is waited for: the system reaps them.
    system.ignoreChildren(true);
    for (let number = 1; ; number++) {
        const { word, files } = system.receive(keeper);
        if (!word) {
            system.exit(0);
        }
        if (fork() === 0) {
            system.close(keeper);
            return files[0];
        }
        system.close(files[0]);
        if (number % FORKS_WITH_GARBAGE === 0) {
            // What a fork leaves is little. But V8 would fill 16 MB with it before it looked for any of it.
            collectGarbage({ type: "minor" });
        }
    }
}

/** Go on below a guard as soon as there is a connection that this fork is for: that one. */
function guarded(channel) {
    system.leaveSession();
    system.ignoreChildren(false);
    const [passedOn, passOn] = system.pair();
    const program = system.fork();
    if (program < 0) {
        system.exit(1);
    }
    if (program) {
        system.close(passedOn);
        system.mark(MARK);
        system.adoptOrphans();
        system.send(channel, HERE);
        keep(program, passed(channel), passOn);
    }
    system.close(channel);
    system.close(passOn);
    system.contain();
    return passed(passedOn);
}

/** The connection that is passed on. Ends the process where none is. */
function passed(channel) {
    const { files } = system.receive(channel);
    system.close(channel);
    if (!files.length) {
        system.exit(0);
    }
    return files[0];
}

/** Tell how the program ends, and end what is left of it with the connection. */
function keep(program, connection, passOn) {
    const ended = system.opened(program);
    system.send(passOn, "connection", [connection]);
    system.close(passOn);
    let running = [ended];
    while (!system.ready(running, [connection]).has(connection)) {
        const status = system.statusOf(program);
        if (status === LOST || CRASHES.includes(status)) {
            break;
        }
        running = [];
        system.send(connection, `ended ${status}`);
    }
    system.endDescendants();
    system.exit(0);
}

/** What the program is started with, and its files. Ends the process where nobody asks for anything. */
function received(connection) {
    const { word, files } = system.receive(connection);
    if (word !== START || !files.length) {
        system.exit(0);
    }
    const [payload, ...others] = files;
    const content = Buffer.alloc(fs.fstatSync(payload).size);
    fs.readSync(payload, content, 0, content.length, 0);
    system.close(payload);
    return { start: JSON.parse(content), files: others };
}

/** Be as a process that was started with nothing but this. */
function become({ cwd, env, arguments: given, data_limit: limit }, [input, said, told]) {
    system.have(input, 0);
    [1, 2].forEach((output) => system.have(said, output));
    [input, said].forEach(system.close);
    system.limitData(...limit);
    process.chdir(cwd);
    for (const name of Object.keys(process.env)) {
        delete process.env[name];
    }
    const run = { ...JSON.parse(env.RENDERER_RUN), told };
    Object.assign(process.env, env, { RENDERER_RUN: JSON.stringify(run) });
    process.argv.splice(1, process.argv.length, RUNNER, ...given);
    process.execArgv = [];
    if (env.RENDERER_MODULES) {
        require("./nodejs_modules").find(JSON.parse(env.RENDERER_MODULES));
    }
}

function endBeforeNodeDoes() {
    // Where nothing else comes to be said of the end: what is said last counts.
    system.exitAfterAll(LOST);
    const { emit, _fatalException: handle } = process;
    process.reallyExit = function reallyExit(code) {
        Module.flushCompileCache?.();
        system.exit(code);
    };
    process.emit = function (name, ...rest) {
        if (name !== "exit") {
            return emit.call(this, name, ...rest);
        }
        const heard = orLost(() => emit.call(this, name, ...rest));
        Module.flushCompileCache?.();
        system.exitAfterAll(Number(process.exitCode ?? 0));
        return heard;
    };
    process._fatalException = (...error) => orLost(() => handle(...error)) || system.exit(LOST);
}

/** What a function gives; the run is lost where it throws, as Node.js would end in its own way. */
function orLost(act) {
    try {
        return act();
    } catch {
        return system.exit(LOST);
    }
}
