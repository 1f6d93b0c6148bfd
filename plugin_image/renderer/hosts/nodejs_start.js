// Loaded before Pulumi's runner: gives it the monitor's address, which comes on stdin.
//
// The monitor takes as long to come up as Node.js and the TypeScript compiler take to load,
// so they do it at the same time. Processes that the program starts have another main script.

"use strict";

const fs = require("fs");
const { createRequire } = require("module");
const { PULUMI_NODEJS_TYPESCRIPT: typescript, RENDERER_MAIN: main } = process.env;

if (process.argv[1] === main) {
    if (typescript === "true") {
        try {
            createRequire(main)("typescript");
        } catch {
            // The SDK has a compiler of its own for programs that bring none.
        }
    }
    const address = fs.readFileSync(0, "utf8");
    process.argv.splice(2, 0, `--monitor=${address}`, `--engine=${address}`);
}
