// Finds places in a program's own code, as lines of its source.
//
// To find a line in its source takes the source map of the file, so only one of a stack is looked up.

"use strict";

const path = require("path");
const { fileURLToPath } = require("url");

const FILE = /^(?:\/|file:|node:)/;
// A frame of a stack: `at function (file:line:column)`.
const FRAME = /\(?((?:\/|file:|node:)[^()]*?):(\d+):(\d+)\)?$/;
const MODULES = `${path.sep}node_modules${path.sep}`;

module.exports = { calledAt, nearestAt };

/** The place from which a function was called: nothing where that is not in the program's code below `root`. */
function calledAt(called, root) {
    const frame = framesAbove(called).find((above) => FILE.test(above.getFileName()));
    return frame && isOwn(fileOf(frame), root) ? inSource(frame, root) : undefined;
}

/** The nearest place in the program's code below `root` that led to a call of a function, but for some frames. */
function nearestAt(called, root, skipped) {
    const frame = framesAbove(called, Infinity).slice(skipped).find((above) => isOwn(fileOf(above), root));
    return frame && inSource(frame, root);
}

/** The frames of the stack above a function, as V8 has them. */
function framesAbove(called, limit = Error.stackTraceLimit) {
    const { prepareStackTrace, stackTraceLimit } = Error;
    const site = {};
    Error.stackTraceLimit = limit;
    Error.prepareStackTrace = (_, frames) => frames;
    try {
        Error.captureStackTrace(site, called);
        return site.stack;
    } finally {
        Object.assign(Error, { prepareStackTrace, stackTraceLimit });
    }
}

/** A frame's place in the source, or where V8 has it if its map leads elsewhere. */
function inSource(frame, root) {
    // Set by what reads the maps, in programs of the SDK `source-map-support` or ts-node.
    const mapped = Error.prepareStackTrace?.(new Error(), [frame]);
    return [mapped, frame].map(placeIn).find((place) => place && isOwn(place.file, root));
}

function placeIn(stack) {
    const [, file, line, column] = FRAME.exec(stack) ?? [];
    return file && { file: pathOf(file), line: Number(line), column: Number(column) };
}

function fileOf(frame) {
    return pathOf(frame.getFileName() ?? "");
}

function pathOf(file) {
    return file.startsWith("file:") ? fileURLToPath(file) : file;
}

function isOwn(file, root) {
    return file.startsWith(root + path.sep) && !file.includes(MODULES);
}
