// Follows what a JavaScript program does with secrets that cannot be read.
//
// It has placeholders for them (`unreadable.py` of the monitor's values), which are found in
// whatever holds them. So a program may pass them on; it may not decide by them, or make something of
// them in which they are lost. As a plain string it could do so anywhere; as an output only in a
// callback, and what that returns is looked at.

"use strict";

const path = require("path");

const MARK = "pulumiunreadable";
const TOKEN = new RegExp(`${MARK}(\\d{4})x`, "i");
const LENGTH = MARK.length + 5;
const HEX = new RegExp(`(?:[0-9a-f]{2}){${LENGTH},}`, "gi");
const BASE64 = new RegExp(`[\\w+/-]{${Math.floor((LENGTH * 4) / 3)},}`, "g");
const NESTED = 3;

// A frame of a stack: `at function (file:line:column)`.
const FRAME = /\(?((?:\/|file:)[^()]*?):(\d+):\d+\)?$/;
const OF_SDKS = `${path.sep}node_modules${path.sep}@pulumi${path.sep}`;

// How a program may read a placeholder, by the name of the method without `get` and `require`.
const READS = {
    Secret: () => true,
    SecretObject: (value) => /^\s*[[{]/.test(value),
};

module.exports = { follow };

/** `messages` says why something is refused, by the number of the placeholder. */
function follow({ Config, config, output }, { messages, root, refuse }) {
    refuseValuesThatAreNeeded(Config, config, (number) => refuse(...messages.needed[number]));
    lookAtCallbacks(output, (number, site) => {
        const [summary, fix] = messages.lost[number];
        const own = frames(site).find(({ file }) => file.startsWith(root + path.sep));
        const place = own ? ` (${path.relative(root, own.file)}:${own.line})` : "";
        refuse(summary.replace(" ({place})", place), fix);
    });
}

function refuseValuesThatAreNeeded(Config, config, refuse) {
    let mayHave = () => false;
    for (const [name, predicate] of Object.entries(READS)) {
        for (const method of [`get${name}`, `require${name}`]) {
            const read = Config.prototype[method];
            Config.prototype[method] = function (...args) {
                const before = mayHave;
                mayHave = predicate;
                try {
                    return read.apply(this, args);
                } finally {
                    mayHave = before;
                }
            };
        }
    }
    const { getConfig } = config;
    config.getConfig = (key) => {
        const value = getConfig(key);
        const number = find(value);
        if (number !== undefined && !mayHave(value)) {
            refuse(number);
        }
        return value;
    };
}

function lookAtCallbacks(sdk, refuse) {
    const { apply } = sdk.Output.prototype;
    sdk.Output.prototype.apply = function applying(func, ...rest) {
        // It costs little as long as nobody asks for the text.
        const site = {};
        Error.captureStackTrace(site, applying);
        const looking = (value) => {
            const result = func(value);
            const number = find(value);
            if (number === undefined || find(result) !== undefined) {
                return result;
            }
            if (isOfSdk(site) && !isPartOfText(value, result)) {
                return result;
            }
            return apply.call(sdk.output(result), (settled) => {
                if (find(settled) === undefined) {
                    refuse(number, site);
                }
                return settled;
            });
        };
        return apply.call(this, looking, ...rest);
    };
}

/** Whether the SDK has taken a string apart, and not a structure that holds one. */
function isPartOfText(value, result) {
    return typeof value === "string" && ["string", "number"].includes(typeof result);
}

function isOfSdk(site) {
    return frames(site)[0]?.file.includes(OF_SDKS) ?? false;
}

function frames(site) {
    const found = site.stack.split("\n").map((line) => FRAME.exec(line));
    return found.filter(Boolean).map(([, file, line]) => ({ file: file.replace(/^file:\/\//, ""), line }));
}

/** The number of a placeholder in a value, however it is encoded there; nothing without one. */
function find(value, seen = new Set()) {
    if (typeof value === "string") {
        return findInText(value, NESTED);
    }
    if (typeof value !== "object" || value === null || seen.has(value) || isOfTheEngine(value)) {
        return undefined;
    }
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
        return findInText(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1"), NESTED);
    }
    const entries = value instanceof Map || value instanceof Set ? [...value.entries()] : Object.entries(value);
    return first(entries.flat(), (part) => find(part, seen));
}

/** Outputs, which have their values later, and resources. */
function isOfTheEngine(value) {
    return value instanceof Promise || value.__pulumiOutput === true || value.__pulumiResource === true;
}

function findInText(text, levels) {
    const token = TOKEN.exec(text);
    if (token) {
        return Number(token[1]);
    }
    return levels && text.length >= LENGTH ? first(decoded(text), (inner) => findInText(inner, levels - 1)) : undefined;
}

/** What may stand in a text as hex, or as base64 that begins anywhere. */
function* decoded(text) {
    const dense = text.replace(/\s+/g, "");
    for (const [run] of dense.matchAll(HEX)) {
        yield Buffer.from(run, "hex").toString("latin1");
    }
    for (const [run] of dense.matchAll(BASE64)) {
        for (let offset = 0; offset < 4; offset++) {
            yield Buffer.from(run.slice(offset), "base64").toString("latin1");
        }
    }
}

function first(parts, find) {
    for (const part of parts) {
        const found = find(part);
        if (found !== undefined) {
            return found;
        }
    }
    return undefined;
}
