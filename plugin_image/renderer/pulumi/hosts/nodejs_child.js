// Runs first in each worker thread and Node.js process that a program starts, and in the program.
//
// The SDK finds the monitor by the environment, so what is registered there reaches it as if the
// program had done so, or is lost with the worker. They get the address that registers nothing, and
// note what the renderer has to know (see elsewhere.py).

"use strict";

const fs = require("fs");
const Module = require("module");
const { isMainThread, threadId, Worker } = require("worker_threads");

const SDK = /^@pulumi\//;

noteTerminations();
if (process.env.RENDERER_ELSEWHERE) {
    const { monitor, notes } = JSON.parse(process.env.RENDERER_ELSEWHERE);
    process.env.PULUMI_NODEJS_MONITOR = monitor;
    // A cluster's worker starts what started the program, without its arguments.
    if (/[\\/]cmd[\\/]run[\\/]index\.js$/.test(process.argv[1])) {
        note(notes, [
            "another process, such as a worker of a cluster, started the program again",
            "start a module of its own there (`exec` of cluster.setupPrimary), which makes no resources",
        ]);
        process.exit(1);
    }
    noteWhenTheSdkIsLoaded(notes);
}

function noteWhenTheSdkIsLoaded(notes) {
    const load = Module._load;
    let noted = false;
    Module._load = function (request, ...rest) {
        if (!noted && SDK.test(request)) {
            noted = true;
            note(notes, isMainThread ? process.pid : { thread: name(threadId) });
            if (!isMainThread) {
                process.once("exit", () => note(notes, { ended: name(threadId) }));
            }
        }
        return load.call(this, request, ...rest);
    };
}

/** The program does not wait for what it terminates itself. */
function noteTerminations() {
    const { terminate } = Worker.prototype;
    Worker.prototype.terminate = function (...rest) {
        const { notes } = JSON.parse(process.env.RENDERER_ELSEWHERE ?? "{}");
        if (notes && this.threadId > 0) {
            note(notes, { ended: name(this.threadId) });
        }
        return terminate.apply(this, rest);
    };
}

function name(thread) {
    return `${process.pid}/${thread}`;
}

function note(notes, told) {
    fs.appendFileSync(notes, JSON.stringify(told) + "\n");
}
