// Loaded before Pulumi's runner: says that a program has come to its end by itself.
//
// Node.js emits `beforeExit` when nothing is left to do, and not when a program calls
// `process.exit`. SDKs tell the monitor of the end only since 3.182. Processes that the
// program starts load this file, too, but have another main script.

"use strict";

const fs = require("fs");
const { RENDERER_END_FILE: end, RENDERER_MAIN: main } = process.env;

delete process.env.RENDERER_END_FILE;
delete process.env.RENDERER_MAIN;

if (process.argv[1] === main) {
    process.once("beforeExit", () => fs.writeFileSync(end, ""));
}
