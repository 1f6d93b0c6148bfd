// Tells the renderer which variables a program looks up that are not set.
//
// What libraries look up is their own business, and so is what Node.js itself does.

"use strict";

const Module = require("module");
const path = require("path");

const FILE = /^(?:\/|file:|node:)/;
// A frame of a stack: `at function (file:line:column)`.
const FRAME = /\(?((?:\/|file:|node:)[^()]*?):(\d+):\d+\)?$/;
const MODULES = `${path.sep}node_modules${path.sep}`;
// How often a variable is looked at that libraries look up: it takes a moment.
const MOST_LOOKS = 50;

module.exports = { tellOfUnset };

/** `tell` gets the name and the place of each variable that a file below `root` looks up in vain. */
function tellOfUnset(root, tell) {
    const looks = new Map();
    const get = (target, name) => {
        const value = target[name];
        const looked = looks.get(name) ?? 0;
        if (value === undefined && typeof name === "string" && looked < MOST_LOOKS) {
            const place = placeOf(get, root);
            looks.set(name, place ? MOST_LOOKS : looked + 1);
            if (place) {
                tell(name, place);
            }
        }
        return value;
    };
    // Node.js takes no less than a plain assignment.
    const set = (target, name, value) => {
        target[name] = value;
        return true;
    };
    process.env = new Proxy(process.env, { get, set });
    Module.syncBuiltinESMExports();
}

/** The line that called a function, or nothing where that is not the program's own. */
function placeOf(called, root) {
    if (!isOwn(calledFrom(called), root)) {
        return "";
    }
    const site = {};
    Error.captureStackTrace(site, called);
    const frame = site.stack.split("\n").map((line) => FRAME.exec(line)).find(Boolean);
    const file = pathOf(frame?.[1]);
    return isOwn(file, root) ? `${path.relative(root, file)}:${frame[2]}` : "";
}

/** The file, as Node.js has it: to find the line in its source takes the maps of all files above it. */
function calledFrom(called) {
    const { prepareStackTrace } = Error;
    const site = {};
    Error.prepareStackTrace = (_, frames) => frames.map((frame) => frame.getFileName());
    try {
        Error.captureStackTrace(site, called);
        return pathOf(site.stack.find((file) => FILE.test(file)));
    } finally {
        Error.prepareStackTrace = prepareStackTrace;
    }
}

function pathOf(file) {
    return file?.replace(/^file:\/\//, "");
}

function isOwn(file, root) {
    return (file?.startsWith(root + path.sep) && !file.includes(MODULES)) ?? false;
}
