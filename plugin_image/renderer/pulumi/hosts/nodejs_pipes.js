// Asks the monitor and the engine by two named pipes, in place of gRPC (monitor/transport/pipes.py).
//
// For Node.js to load HTTP/2 and to connect takes a quarter of a small program's time. A request is written
// and its answer is read at once, so only those are answered here that are at hand; others go by gRPC. To
// the SDK both look alike: its clients are gRPC's own, with other functions for the rpcs.

"use strict";

// Before a program puts others in their place.
const { openSync, readSync, writeSync } = require("fs");

const ANSWER_BYTES = 5;
const OK = 0;
const UNAVAILABLE = 14;
// In place of a status: the request is to come by gRPC.
const BY_GRPC = 255;

module.exports = { use };

/**
 * Have clients of these classes of gRPC ask what is at `address`, a `host:port`, by the pipes. SDKs that
 * say with which `options` they make clients have them connect when something goes by gRPC.
 */
function use({ requests, answers }, address, clients, grpc, options = {}) {
    options.channelFactoryOverride = (...args) => connectedWhenUsed(args, grpc);
    const ask = asking(openSync(requests, "w"), openSync(answers, "r"));
    for (const { prototype, service } of clients) {
        for (const [name, rpc] of Object.entries(service)) {
            if (!rpc.requestStream && !rpc.responseStream) {
                const direct = directly(rpc, prototype[name], { ask, address, grpc });
                prototype[name] = Object.assign(direct, prototype[name]);
            }
        }
    }
}

/** A client's function for an rpc, where `byGrpc` is its own. */
function directly({ path, requestSerialize, responseDeserialize }, byGrpc, { ask, address, grpc }) {
    return function (request, ...rest) {
        const callback = rest.at(-1);
        if (typeof callback !== "function" || !this.getChannel().getTarget().endsWith(address)) {
            return byGrpc.call(this, request, ...rest);
        }
        const [status, data] = ask(path, requestSerialize(request));
        if (status === BY_GRPC) {
            return byGrpc.call(this, request, ...rest);
        }
        if (status === OK) {
            process.nextTick(callback, null, responseDeserialize(data));
        } else {
            process.nextTick(callback, failure(grpc, status, data.toString()));
        }
    };
}

/** Stands for a channel until more is asked of it than where it leads. */
function connectedWhenUsed([target, ...rest], { Channel }) {
    let channel;
    const lasting = { getTarget: () => target, close: () => channel?.close() };
    const get = (_, name) => {
        if (name in lasting) {
            return lasting[name];
        }
        channel ??= new Channel(target, ...rest);
        const found = channel[name];
        return typeof found === "function" ? found.bind(channel) : found;
    };
    return new Proxy(lasting, { get });
}

/** What gives the status of a request's answer, and what follows it. */
function asking(into, from) {
    let isLost = false;
    return (path, message) => {
        if (!isLost) {
            try {
                return asked(into, from, Buffer.from(path), message);
            } catch {
                isLost = true;
            }
        }
        return [UNAVAILABLE, Buffer.from("the connection to the monitor was lost")];
    };
}

function asked(into, from, path, message) {
    const head = Buffer.alloc(6);
    head.writeUInt16BE(path.length);
    head.writeUInt32BE(message.length, 2);
    written(into, Buffer.concat([head, path, message]));
    const told = read(from, ANSWER_BYTES);
    return [told[0], read(from, told.readUInt32BE(1))];
}

function written(file, data) {
    for (let at = 0; at < data.length; ) {
        at += writeSync(file, data, at);
    }
}

function read(file, length) {
    const data = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
        const size = readSync(file, data, at, length - at, null);
        if (size === 0) {
            throw new Error("the other end is closed");
        }
        at += size;
    }
    return data;
}

/** As gRPC tells of an error. Source: grpc/grpc-node, `packages/grpc-js/src/call.ts`. */
function failure(grpc, code, details) {
    const error = new Error(`${code} ${grpc.status[code]}: ${details}`);
    return Object.assign(error, { code, details, metadata: new grpc.Metadata() });
}
