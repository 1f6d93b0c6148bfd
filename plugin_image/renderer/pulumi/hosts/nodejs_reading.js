// Lets what reads files by `fs` find a program's packages in folders `node_modules` of the repository.
//
// The folders are elsewhere, and seem to be where the program finds them: whoever asks for the real path of
// what is in one, as TypeScript does, gets it below that. It comes before anything that keeps a function
// of `fs` when it is loaded; so whoever wants to know what is looked at is told here (`watch`).

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");

const OUT_OF_ORDER = /\/[./]/;
const READING = [
    ...["access", "createReadStream", "exists", "lstat", "open", "opendir", "readFile", "readdir", "readlink"],
    "stat",
];
const GIVES_PATH = "realpath";
const { realpathSync } = fs;

// By the path that a program finds, where the folder really is.
const places = new Map();
const NAMES = [...READING, GIVES_PATH].flatMap((verb) => [verb, `${verb}Sync`]);
let look = () => {};

module.exports = { NAMES, places, moved, watch };

for (const api of [fs, fs.promises]) {
    for (const name of NAMES.filter((known) => api[known])) {
        api[name] = redirected(api[name], name);
    }
}
Module.syncBuiltinESMExports();

/** Have `told` called with the name of each function of these that is called, and the file. */
function watch(told) {
    look = told;
}

/** A function that takes a file's path, and takes a file below one of the `places` from where it is. */
function redirected(read, name) {
    const givesPath = name.startsWith(GIVES_PATH);
    const wrapper = function (file, ...rest) {
        look(name, file);
        const found = there(file);
        return found && givesPath
            ? pathBelow(found, (...args) => read.apply(this, args), rest)
            : read.call(this, found?.file ?? file, ...rest);
    };
    // What `util.promisify` goes by.
    for (const key of Reflect.ownKeys(read).filter((own) => !(own in wrapper))) {
        Object.defineProperty(wrapper, key, Object.getOwnPropertyDescriptor(read, key));
    }
    if (read.native) {
        wrapper.native = redirected(read.native, name);
    }
    return wrapper;
}

/** What a function gives, or calls back with, that gives the path of a file: the one that the program finds. */
function pathBelow({ file, link, place }, read, rest) {
    const real = realpathSync(place);
    const back = (given) =>
        typeof given === "string" && `${given}${path.sep}`.startsWith(`${real}${path.sep}`)
            ? link + given.slice(real.length)
            : given;
    const called = (callback) => (error, given) => callback(error, back(given));
    const given = read(file, ...rest.map((value) => (typeof value === "function" ? called(value) : value)));
    return given instanceof Promise ? given.then(back) : back(given);
}

/** Where a file is; as it was given where it is not below one of the `places`. */
function moved(file) {
    return there(file)?.file ?? file;
}

function there(file) {
    if (typeof file !== "string" || !file.includes("node_modules")) {
        return undefined;
    }
    // Most are absolute and in order, and there are thousands.
    const whole = file[0] === path.sep && !OUT_OF_ORDER.test(file) ? file : path.resolve(file);
    const end = whole.indexOf("node_modules") + "node_modules".length;
    const link = whole.slice(0, end);
    const place = (end === whole.length || whole[end] === path.sep) && places.get(link);
    return place ? { file: place + whole.slice(end), link, place } : undefined;
}
