// What Linux offers and Node.js does not: forks of this process, and files sent from one to another.
//
// By koffi, which calls functions of C by their declarations, in place of an addon of our own that would have
// to be compiled for each platform. A fork has no thread but the one that made it. So V8 must do without others
// (`--single-threaded`), and whoever starts the process must see to it that forks have V8's memory
// (`processes.started_apart`).

"use strict";

const fs = require("fs");
const koffi = require("koffi");

const AF_UNIX = 1;
const SOCK_SEQPACKET = 5;
const SOCK_CLOEXEC = 0o2000000;
const MSG_CMSG_CLOEXEC = 0x40000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const POLLIN = 0x1;
const POLLRDHUP = 0x2000;
const EINTR = 4;
const WNOHANG = 1;
const REAPING_MS = 1;
const SIGKILL = 9;
const SIGCHLD = 17;
const BY_DEFAULT = 0;
const IGNORED = 1;
const RLIMIT_DATA = 2;
const PRCTL = { deathSignal: 1, dumpable: 4, name: 15, seccomp: 22, subreaper: 36, noNewPrivileges: 38 };
const SECCOMP_MODE_FILTER = 2;
// BPF_RET | BPF_K with SECCOMP_RET_ALLOW.
const ALLOW_ALL = Buffer.from([0x06, 0, 0, 0, 0, 0, 0xff, 0x7f]);
const SYSTEM_CALL = { openProcess: 434, createRuleset: 444, restrictItself: 446 };
const SCOPE_SIGNAL = 2n;

// Of a message: its text, and what comes before its files. Source: cmsg(3), where words have 64 bits.
const TEXT_BYTES = 512;
const HEAD_BYTES = 16;
const FILE_BYTES = 4;
const MOST_FILES = 16;

koffi.struct("iovec", { base: "void *", length: "size_t" });
koffi.struct("msghdr", {
    ...{ name: "void *", nameLength: "uint32_t", parts: "void *", partCount: "size_t" },
    ...{ control: "void *", controlLength: "size_t", flags: "int" },
});
koffi.struct("pollfd", { file: "int", events: "short", found: "short" });
koffi.struct("filter", { length: "uint16_t", instructions: "void *" });
koffi.struct("rlimit", { soft: "uint64_t", hard: "uint64_t" });

const library = koffi.load(null);
const c = declared([
    ...["int close(int)", "int dup2(int, int)", "void _exit(int)", "int fork()", "int getpid()", "int setsid()"],
    ...["int poll(_Inout_ pollfd *, ulong, int)", "int waitpid(int, _Out_ int *, int)", "int kill(int, int)"],
    ...["int socketpair(int, int, int, _Out_ int *)", "void *signal(int, intptr_t)"],
    ...["long recvmsg(int, _Inout_ msghdr *, int)", "long sendmsg(int, msghdr *, int)"],
    ...["int prctl(int, ulong, ulong, ulong, ulong)", "int setrlimit(int, rlimit *)"],
    ...["void *uv_default_loop()", "int uv_loop_fork(void *)"],
    "int napi_add_env_cleanup_hook(void *, void *, intptr_t)",
    "int napi_remove_env_cleanup_hook(void *, void *, intptr_t)",
]);
const openProcess = library.func("syscall", "long", ["long", "int", "uint"]);
const createRuleset = library.func("syscall", "long", ["long", "void *", "size_t", "uint"]);
const restrictItself = library.func("syscall", "long", ["long", "int", "uint"]);
const filterCalls = library.func("prctl", "int", ["int", "ulong", "filter *"]);

// The same for each message: the system writes where it is told to.
const text = memory(TEXT_BYTES);
const control = memory(HEAD_BYTES + MOST_FILES * FILE_BYTES);
const part = memory(koffi.sizeof("iovec"));

const exitsProcess = library.symbol("_exit");
const codes = new Set();

module.exports = {
    ...{ fork, statusOf, kill, opened, ready, pair, send, receive, close, have, leaveSession },
    ...{ adoptOrphans, endDescendants, ignoreChildren, mark, setDumpable, contain, limitData, exit, exitAfterAll },
};

/** The number of a fork, 0 in the fork; negative where there can be none. */
function fork() {
    const pid = c.fork();
    if (pid === 0) {
        c.uv_loop_fork(c.uv_default_loop());
        Object.defineProperty(process, "pid", { value: c.getpid() });
    }
    return pid;
}

/** How a child ended, negative for a signal; waits for it. Throws where it is not there. */
function statusOf(pid) {
    const told = [0];
    done(again(() => c.waitpid(pid, told, 0)));
    const signal = told[0] & 0x7f;
    return signal ? -signal : told[0] >> 8;
}

function kill(pid) {
    // Others stand for many processes.
    if (pid > 0) {
        c.kill(pid, SIGKILL);
    }
}

/** A file that can be read once a process has ended. Throws where there can be none. */
function opened(pid) {
    return done(openProcess(SYSTEM_CALL.openProcess, pid, 0));
}

/** Those of the files that can be read, and of the sockets whose other end is closed; waits for one, for a time. */
function ready(files, sockets, milliseconds = -1) {
    const asked = (events) => (file) => ({ file, events, found: 0 });
    const polled = [...files.map(asked(POLLIN)), ...sockets.map(asked(POLLRDHUP))];
    again(() => c.poll(polled, polled.length, milliseconds));
    return new Set(polled.filter(({ found }) => found).map(({ file }) => file));
}

/** Two sockets of messages that are connected. Throws where there can be none. */
function pair() {
    const made = [0, 0];
    done(c.socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, made));
    return made;
}

/** Send a message, and files. Whoever it is for may have ended. */
function send(socket, word, files = []) {
    const controlLength = files.length && HEAD_BYTES + files.length * FILE_BYTES;
    if (files.length) {
        control.content.writeBigUInt64LE(BigInt(controlLength));
        control.content.writeInt32LE(SOL_SOCKET, 8);
        control.content.writeInt32LE(SCM_RIGHTS, 12);
        files.forEach((file, at) => control.content.writeInt32LE(file, HEAD_BYTES + at * FILE_BYTES));
    }
    const sent = message(text.content.write(word), controlLength);
    again(() => c.sendmsg(socket, sent, 0));
}

/** The next message, and its files; an empty one where the other end is closed, or was. */
function receive(socket) {
    const received = message(TEXT_BYTES, control.content.length);
    const length = again(() => c.recvmsg(socket, received, MSG_CMSG_CLOEXEC));
    if (length < 0) {
        return { word: "", files: [] };
    }
    const hasFiles = received.controlLength > 0;
    const controlLength = hasFiles ? Number(control.content.readBigUInt64LE()) : HEAD_BYTES;
    const places = Array.from({ length: (controlLength - HEAD_BYTES) / FILE_BYTES }, (_, at) => at);
    return {
        word: text.content.toString("latin1", 0, length),
        files: places.map((at) => control.content.readInt32LE(HEAD_BYTES + at * FILE_BYTES)),
    };
}

function close(file) {
    c.close(file);
}

/** Have a file under another number. */
function have(file, number) {
    c.dup2(file, number);
}

function leaveSession() {
    c.setsid();
}

/** Become the parent of what is below this process and loses its own. */
function adoptOrphans() {
    c.prctl(PRCTL.subreaper, 1, 0, 0, 0);
}

/** Kill all that is below this process, to the last. */
function endDescendants() {
    const children = `/proc/self/task/${c.getpid()}/children`;
    for (let found; (found = fs.readFileSync(children, "utf8").split(" ").map(Number).filter(Boolean)).length; ) {
        found.forEach(kill);
        // Without waiting for one: the first process of a PID namespace ends after all others in it, and
        // what was below any of them comes to this process.
        found.forEach((pid) => c.waitpid(pid, [0], WNOHANG));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REAPING_MS);
    }
}

/** Have the system reap what ends below this process, or leave it to this process. */
function ignoreChildren(ignored) {
    c.signal(SIGCHLD, ignored ? IGNORED : BY_DEFAULT);
}

/** Name this process: see `ancestry.MARK`. */
function mark(name) {
    const told = memory(HEAD_BYTES);
    told.content.write(`${name}\0`);
    c.prctl(PRCTL.name, told.address, 0, 0, 0);
}

/** Whether processes of the same user can look into this one. */
function setDumpable(is) {
    c.prctl(PRCTL.dumpable, Number(is), 0, 0, 0);
}

/** See `processes.contain_to_the_end`. */
function contain() {
    c.prctl(PRCTL.noNewPrivileges, 1, 0, 0, 0);
    const nothingElse = Buffer.from(new BigUint64Array([0n, 0n, SCOPE_SIGNAL]).buffer);
    const rules = createRuleset(SYSTEM_CALL.createRuleset, nothingElse, nothingElse.length, 0);
    if (rules >= 0) {
        restrictItself(SYSTEM_CALL.restrictItself, rules, 0);
        close(rules);
    }
    const instructions = memory(ALLOW_ALL.length);
    ALLOW_ALL.copy(instructions.content);
    filterCalls(PRCTL.seccomp, SECCOMP_MODE_FILTER, { length: 1, instructions: instructions.address });
    c.prctl(PRCTL.deathSignal, SIGKILL, 0, 0, 0);
}

/** Limit this process's memory; negative for no limit. Throws where that may not be. */
function limitData(soft, hard) {
    const [told, most] = [soft, hard].map((limit) => BigInt.asUintN(64, BigInt(limit)));
    done(c.setrlimit(RLIMIT_DATA, { soft: told, hard: most }));
}

/** End this process, and nothing else. */
function exit(code) {
    c._exit(code);
}

/** The same when Node.js has done all that is to be done in JavaScript; what is said last counts. */
function exitAfterAll(code) {
    // The last one comes first, and none may be there twice.
    if (codes.has(code)) {
        c.napi_remove_env_cleanup_hook(koffi.node.env, exitsProcess, code);
    }
    codes.add(code);
    c.napi_add_env_cleanup_hook(koffi.node.env, exitsProcess, code);
}

function done(result) {
    if (result < 0) {
        throw new Error(`the system refuses: ${koffi.errno()}`);
    }
    return result;
}

function message(length, controlLength) {
    koffi.encode(part.address, "iovec", { base: text.address, length });
    const content = { parts: part.address, partCount: 1, control: control.address, controlLength };
    return { name: null, nameLength: 0, ...content, flags: 0 };
}

function memory(bytes) {
    const address = koffi.alloc("uint8_t", bytes);
    return { address, content: Buffer.from(koffi.view(address, bytes)) };
}

/** A system call, once more if a signal has interrupted it. */
function again(call) {
    let found;
    do {
        found = call();
    } while (found === -1 && koffi.errno() === EINTR);
    return found;
}

function declared(prototypes) {
    return Object.fromEntries(prototypes.map((one) => [/(\w+)\(/.exec(one)[1], library.func(one)]));
}
