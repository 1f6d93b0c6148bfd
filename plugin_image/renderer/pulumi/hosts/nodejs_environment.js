// Tells the renderer which variables a program looks up that are not set.
//
// What libraries look up is their own business, and so is what Node.js itself does.

"use strict";

const Module = require("module");
const path = require("path");

const { calledAt } = require("./nodejs_places");

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
            const place = calledAt(get, root);
            looks.set(name, place ? MOST_LOOKS : looked + 1);
            if (place) {
                tell(name, `${path.relative(root, place.file)}:${place.line}`);
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
