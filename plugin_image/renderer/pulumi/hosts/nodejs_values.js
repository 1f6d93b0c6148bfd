// Tells the monitor of values that have no JSON form, where the SDK would lose them without a word.
//
// The SDK takes a Date, a Map and the like for `{}`, and leaves functions out. The monitor knows the
// object, its line and the path. Source: pulumi/pulumi `sdk/nodejs/output.ts` (`outputRec`, which
// copies what is given to `output`, `all` and `secret`) and `runtime/rpc.ts` (`serializeProperty`).

"use strict";

const { AsyncLocalStorage } = require("async_hooks");

// What stands for a value that has no JSON form: `uncarried` in the monitor's wire.py.
const UNCARRIED = "uncarried:";

// Labels of what becomes objects, and of charts, files and kustomizations that the provider reads.
const OBJECT = /\[kubernetes:(?!helm\.sh\/v[23]:Chart\b|yaml:|kustomize:)/;

// The key under which the copy of such a value has a function that says what it was.
const LOST = "lostInOutput";

const { keys } = Object;

module.exports = { tellOfThoseWithoutJson };

function tellOfThoseWithoutJson({ rpc, debuggable, Asset, Resource }) {
    tellWhenSerialized(rpc, debuggable, Asset);
    noteWhenCopied(Resource);
}

/**
 * The monitor hears of them as another kind of asset, because the SDK asks of each value that is
 * not its own whether it is an asset. It does not ask of a function: what holds one in an object
 * names it, and in place of any other there is a value that stands for it.
 */
function tellWhenSerialized(rpc, debuggable, Asset) {
    const objects = new AsyncLocalStorage();
    const { serializeResourceProperties, specialAssetSig } = rpc;
    const isFunction = (value) => objects.getStore() && typeof value === "function";
    const told = (value) => (isFunction(value) ? standIn("a function") : value);
    rpc.serializeResourceProperties = (label, props, ...rest) =>
        objects.run(OBJECT.test(label), () => {
            const ended = objects.getStore() && holdsItself(props) ? endedWhereItHoldsItself(props) : props;
            const entries = Object.entries(ended).map(([key, value]) => [key, told(value)]);
            return serializeResourceProperties(label, Object.fromEntries(entries), ...rest);
        });
    const { debuggablePromise } = debuggable;
    debuggable.debuggablePromise = (promise, ...rest) =>
        debuggablePromise(objects.getStore() ? promise.then(told) : promise, ...rest);
    let found = "";
    const { isInstance } = Asset;
    Asset.isInstance = function (value) {
        found = objects.getStore() ? withoutJson(value) : "";
        return found !== "" || isInstance.call(this, value);
    };
    Object.defineProperty(rpc, "specialAssetSig", {
        enumerable: true,
        get: () => {
            const signature = found && UNCARRIED + found;
            found = "";
            return signature || specialAssetSig;
        },
    });
}

/**
 * An output holds a copy of what it is made of, with the keys of a value and without its type. It
 * asks of each value whether it is a resource and then copies it, which is when one without a JSON
 * form has one more key. It holds a function, which is left out of JSON and of all but objects.
 */
function noteWhenCopied(Resource) {
    const { isInstance } = Resource;
    Resource.isInstance = function (value) {
        if (typeof value === "object" && value !== null && !isOfSdk(value)) {
            const what = withoutJsonByType(value);
            if (what) {
                noteForOneCopy(value, what);
            }
        }
        return isInstance.call(this, value);
    };
}

function noteForOneCopy(value, what) {
    const isOpen = Object.isExtensible(value);
    const owner = isOpen ? value : Object.prototype;
    const remove = () => {
        delete owner[LOST];
        Reflect.set(Object, "keys", keys);
    };
    const get = () => {
        remove();
        return lost(what);
    };
    Reflect.defineProperty(owner, LOST, { configurable: true, enumerable: isOpen, get });
    if (!isOpen) {
        // One that is frozen takes no more keys, but can be said to have one.
        Reflect.set(Object, "keys", (asked) => (asked === value ? [LOST, ...keys(asked)] : keys(asked)));
    }
    // In case it is not copied after all.
    queueMicrotask(remove);
}

/** What stands for a value in an object. */
function standIn(what) {
    return { [LOST]: lost(what) };
}

/** Whether a value has itself somewhere in it: the SDK would go on with it until no memory is left. */
function holdsItself(value, above = new Set(), done = new Set()) {
    if (typeof value !== "object" || value === null || done.has(value) || !isTakenApart(value)) {
        return false;
    }
    if (above.has(value)) {
        return true;
    }
    above.add(value);
    const found = Object.keys(value).some((name) => holdsItself(given(value, name), above, done));
    above.delete(value);
    done.add(value);
    return found;
}

function endedWhereItHoldsItself(value, above = []) {
    if (typeof value !== "object" || value === null || !isTakenApart(value)) {
        return value;
    }
    if (above.includes(value)) {
        return standIn("a value that holds itself");
    }
    const copied = (part) => endedWhereItHoldsItself(part, [...above, value]);
    return Array.isArray(value)
        ? value.map(copied)
        : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copied(part)]));
}

/** A part of a value. What a getter gives is the SDK's to ask for: it may differ each time. */
function given(value, name) {
    return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** Whether the SDK goes on with the parts of a value. */
function isTakenApart(value) {
    return !isOfSdk(value) && !withoutJsonByType(value);
}

function lost(what) {
    return Object.assign(() => what, { [LOST]: what });
}

/** What a value is, if it has no JSON form or would lose a part of itself; else nothing. */
function withoutJson(value) {
    if (typeof value === "bigint" || typeof value === "symbol") {
        return `a value of type ${typeof value}`;
    }
    if (typeof value !== "object" || value === null || isOfSdk(value)) {
        return "";
    }
    const what = value[LOST]?.[LOST] ?? withoutJsonByType(value);
    if (what) {
        return what;
    }
    const name = Object.keys(value).find((key) => typeof given(value, key) === "function");
    return name === undefined ? "" : `the function ${name}`;
}

/** What an object is, if its type has no JSON form; else nothing. */
function withoutJsonByType(value) {
    const type = Object.prototype.toString.call(value).slice(8, -1);
    if (!["Object", "Array", "Module"].includes(type)) {
        return `a value of type ${Buffer.isBuffer(value) ? "Buffer" : type}`;
    }
    if (type === "Array" && !(value instanceof Array)) {
        // The SDK takes it for a mapping.
        return "an array of another context (node:vm)";
    }
    // Such a class has a JSON form of its own, which the SDK does not ask for.
    return typeof value.toJSON === "function" ? `a value of type ${value.constructor?.name}` : "";
}

/** Outputs, resources, assets and archives, and what becomes one of them. */
function isOfSdk(value) {
    const marks = ["__pulumiOutput", "__pulumiResource", "__pulumiAsset", "__pulumiArchive"];
    return value instanceof Promise || marks.some((mark) => value[mark] === true);
}
