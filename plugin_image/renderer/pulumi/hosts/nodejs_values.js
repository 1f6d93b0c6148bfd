// Serializes what resources are given, and tells the monitor of values that have no JSON form.
//
// The SDK takes a Date, a Map and the like for `{}`, and leaves functions out, without a word. Here
// something stands for them that the monitor knows, as it knows the object, its line and the path. And the
// SDK makes promises for each part of a value, which a large program waits for: here it is asked only for
// parts that are its own, such as outputs.
// Source: pulumi/pulumi `sdk/nodejs/runtime/rpc.ts` (`serializeProperty`) and `sdk/nodejs/output.ts`
// (`outputRec`, which copies what is given to `output`, `all` and `secret`).

"use strict";

// What stands for a value that has no JSON form: `SIGNATURE` and `uncarried` in the monitor's wire.py.
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const UNCARRIED = "uncarried:";

// Labels of what becomes objects, and of charts, files and kustomizations that the provider reads.
const OBJECT = /\[kubernetes:(?!helm\.sh\/v[23]:Chart\b|yaml:|kustomize:)/;

// The key under which the copy of such a value has a function that says what it was.
const LOST = "lostInOutput";

const { keys } = Object;

module.exports = { tellOfThoseWithoutJson };

function tellOfThoseWithoutJson({ rpc, Resource }) {
    tellWhenSerialized(rpc);
    noteWhenCopied(Resource);
}

function tellWhenSerialized(rpc) {
    const { serializeResourceProperties } = rpc;
    rpc.serializeResourceProperties = (label, props, opts) => {
        const bySdk = (some) => serializeResourceProperties(label, some, opts);
        return OBJECT.test(label) ? serialized(props, bySdk, opts?.pendingRegistration) : bySdk(props);
    };
}

/** What the SDK's function gives: properties as JSON, and the resources that each depends on. */
async function serialized(props, bySdk, pending = {}) {
    const result = {};
    const dependencies = new Map();
    for (const key of Object.keys(props).filter((name) => name !== "id" && name !== "urn")) {
        const resources = new Set();
        const ask = async (value) => {
            // In an object, as it says nothing of a property that comes to undefined.
            const asked = bySdk({ [key]: { part: prepared(value) } });
            if (isOutput(value)) {
                // By which the SDK says what a program without an end waits for.
                pending.awaitingOutput = value;
            }
            const [json, found] = await asked;
            found.get(key).forEach((resource) => resources.add(resource));
            return json[key].part;
        };
        const json = await answered(jsonOf(props[key], ask));
        if (json !== undefined) {
            result[key] = json;
            dependencies.set(key, resources);
        }
    }
    return [result, dependencies];
}

/** What a generator returns that is given what the promises come to that it yields. */
async function answered(asking) {
    let step = asking.next();
    while (!step.done) {
        step = asking.next(await step.value);
    }
    return step.value;
}

/**
 * The JSON of a value, each part of which is read once and in order, as the SDK does: a part may be
 * another after one before it was asked for. Yields what it asks for.
 */
function* jsonOf(value, ask, holders = []) {
    const what = withoutJson(value, holders);
    if (what) {
        return standIn(what);
    }
    if (isScalar(value)) {
        return value;
    }
    if (isOfSdk(value)) {
        return yield ask(value);
    }
    const isList = Array.isArray(value);
    const parts = isList ? [] : {};
    holders.push(value);
    for (const key of isList ? value.keys() : Object.keys(value)) {
        const json = yield* jsonOf(value[key], ask, holders);
        if (json !== undefined || isList) {
            parts[key] = json ?? null;
        }
    }
    holders.pop();
    return parts;
}

/** The same for the SDK to serialize, with what stands for values in it, as soon as it is known. */
function prepared(value) {
    if (value instanceof Promise) {
        return value.then(withStandIns);
    }
    if (isOutput(value)) {
        const promise = (...args) => value.promise(...args).then(withStandIns);
        return Object.create(value, { promise: { value: promise } });
    }
    return value;
}

/** A value that is JSON but for what is the SDK's to serialize. */
function withStandIns(value) {
    const asking = jsonOf(value, prepared);
    let step = asking.next();
    while (!step.done) {
        step = asking.next(step.value);
    }
    return step.value;
}

function standIn(what) {
    return { [SIGNATURE]: UNCARRIED + what };
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

function lost(what) {
    return Object.assign(() => what, { [LOST]: what });
}

/** What a value is, if it has no JSON form or would lose a part of itself; else nothing. */
function withoutJson(value, holders) {
    if (isScalar(value)) {
        return "";
    }
    if (typeof value === "function") {
        return "a function";
    }
    if (typeof value !== "object") {
        return `a value of type ${typeof value}`;
    }
    if (isOfSdk(value)) {
        return "";
    }
    if (holders.includes(value)) {
        // The SDK would go on with it until no memory is left.
        return "a value that holds itself";
    }
    const what = value[LOST]?.[LOST] ?? withoutJsonByType(value);
    if (what) {
        return what;
    }
    const name = Object.keys(value).find((key) => typeof given(value, key) === "function");
    return name === undefined ? "" : `the function ${name}`;
}

/** A part of a value, unless a getter gives it: that may differ each time. */
function given(value, name) {
    return Object.getOwnPropertyDescriptor(value, name)?.value;
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

/** Whether a value is the same in JSON; undefined is left out of it. */
function isScalar(value) {
    return value === null || ["undefined", "boolean", "number", "string"].includes(typeof value);
}

/** Outputs, resources, assets and archives, what becomes one of them, and what is not known yet. */
function isOfSdk(value) {
    const marks = ["__pulumiOutput", "__pulumiResource", "__pulumiAsset", "__pulumiArchive", "__pulumiUnknown"];
    return value instanceof Promise || marks.some((mark) => value[mark] === true);
}

function isOutput(value) {
    return value.__pulumiOutput === true;
}
