// What the TypeScript compiler makes of the declarations of a set of packages, for the checks of programs.
//
// A program of ten lines imports 14 MB of declarations of the SDK and the Kubernetes package. To parse
// and bind them takes most of the time of its check, and is the same for every program, folder and
// setting: what settings say of a file that only declares is noted on it (`handedOut`). So a process
// that stays does that once. What they import from each other is found once for all programs with the same
// settings of that.
//
// The compiler is the program's own. Declarations are kept of the versions whose registry of documents
// takes them (5.3 and later of 5); it compares their text with what is in the file, which is not read
// again where the file is the same.
// Source: microsoft/TypeScript, src/services/documentRegistry.ts, src/compiler/program.ts.

"use strict";

const fs = require("fs");
const Module = require("module");
const path = require("path");

const MODULES = "/node_modules/";
// What asks the compiler to check a program. To all others, the program's own code, it is as it was.
const CHECKS = /[\\/]ts-node[@\\/]/;
const PROGRAM = 'import * as k8s from "@pulumi/kubernetes";\nimport * as pulumi from "@pulumi/pulumi";\n';

// By the path in the folder of packages, which has another place for each program: a file as the compiler
// has it, and its state.
const declarations = new Map();
// By settings, by such a path: by their names, the modules that the file there imports.
const imports = new Map();

module.exports = { load, use };

/** Load what most programs import of a folder of packages, for a compiler. */
function load(ts, modules) {
    if (!isKnown(ts)) {
        return;
    }
    const options = {
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
    };
    for (const file of parsed(ts, path.join(path.dirname(modules), "program.ts"), options)) {
        ts.bindSourceFile(file, options);
        declarations.set(below(file.fileName), { file, state: state(file.fileName) });
    }
}

/** Have a compiler check programs with that, and without what is for editors alone; `tell` gets its service. */
function use(ts, tell = () => {}) {
    const createLanguageService = (host, given, ...rest) => {
        const service = isKnown(ts)
            ? ts.createLanguageService(prepared(ts, host), registry(ts, host), ...rest)
            : ts.createLanguageService(host, given, ...rest);
        tell(service);
        return service;
    };
    const get = (_, name) => (name === "createLanguageService" ? createLanguageService : ts[name]);
    const checking = new Proxy(ts, { get });
    const { _load: load } = Module;
    Module._load = function (request, parent, ...rest) {
        const loaded = load.call(this, request, parent, ...rest);
        return loaded === ts && CHECKS.test(parent?.filename ?? "") ? checking : loaded;
    };
}

function isKnown(ts) {
    return ts.version.startsWith("5.") && ts.JSDocParsingMode !== undefined;
}

/** The declarations that a program would have which imports what most of them do. */
function parsed(ts, program, options) {
    const host = ts.createCompilerHost(options);
    const { fileExists, getSourceFile } = host;
    Object.assign(host, {
        jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
        fileExists: (name) => name === program || fileExists(name),
        getCurrentDirectory: () => path.dirname(program),
        getSourceFile: (name, ...rest) =>
            name === program ? ts.createSourceFile(name, PROGRAM, ...rest) : getSourceFile.call(host, name, ...rest),
        // Links are followed in a program only where its own host does.
        realpath: undefined,
    });
    const { getSourceFiles } = ts.createProgram([program], options, host);
    // One that stands for the file of another copy of its package shares what that has.
    return getSourceFiles().filter((file) => file.isDeclarationFile && !file.redirectInfo);
}

/** A host of which the text of a declaration comes from memory, and what it imports. */
function prepared(ts, host) {
    const getScriptSnapshot = host.getScriptSnapshot.bind(host);
    const states = new Map();
    const known = (fileName) => {
        const declaration = declarations.get(below(fileName));
        if (declaration && !states.has(fileName)) {
            states.set(fileName, state(fileName));
        }
        return declaration?.state === states.get(fileName) ? declaration : undefined;
    };
    return Object.assign(host, {
        jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
        getScriptSnapshot: (fileName) => {
            const declaration = known(fileName);
            return declaration ? ts.ScriptSnapshot.fromString(declaration.file.text) : getScriptSnapshot(fileName);
        },
        // Called with what a program is made by, before it is.
        setCompilerHost: (made) => findImports(ts, made, host.getCompilationSettings(), known),
    });
}

/** Have a program find what declarations import where an earlier one did, and all else as it does. */
function findImports(ts, host, options, known) {
    const found = importsOf(ts, options);
    if (declarations.size === 0 || !found) {
        return;
    }
    const cache = ts.createModuleResolutionCache(host.getCurrentDirectory(), host.getCanonicalFileName, options);
    host.getModuleResolutionCache = () => cache;
    host.resolveModuleNameLiterals = (literals, containing, redirected, given, file) => {
        const modules = known(containing) && !redirected ? entryOf(found, below(containing)) : undefined;
        const place = containing.slice(0, containing.indexOf(MODULES));
        return literals.map((literal) => {
            const mode = ts.getModeForUsageLocation(file, literal, given);
            const resolve = () =>
                ts.resolveModuleName(literal.text, containing, given, host, cache, redirected, mode);
            return modules ? remembered(modules, place, `${mode} ${literal.text}`, resolve) : resolve();
        });
    };
}

/** What is known of imports with these settings; nothing where they may lead to the program's own files. */
function importsOf(ts, options) {
    if (options.paths || options.baseUrl || options.rootDirs) {
        return undefined;
    }
    const settings = ts.moduleResolutionOptionDeclarations.map((option) => ts.getCompilerOptionValue(options, option));
    return entryOf(imports, JSON.stringify(settings));
}

function entryOf(map, key) {
    if (!map.has(key)) {
        map.set(key, new Map());
    }
    return map.get(key);
}

/** What an import resolves to; below the place of the packages it is the same for each program. */
function remembered(modules, place, name, resolve) {
    const known = modules.get(name);
    if (known) {
        return { resolvedModule: { ...known, resolvedFileName: place + known.resolvedFileName } };
    }
    const resolution = resolve();
    const { resolvedModule: module, resolutionDiagnostics: wrong = [] } = resolution;
    if (module?.resolvedFileName.startsWith(place + MODULES) && !module.originalPath && wrong.length === 0) {
        modules.set(name, { ...module, resolvedFileName: below(module.resolvedFileName) });
    }
    return resolution;
}

/** What tells a file from what it was, or from another one; of one that is not there, from none. */
function state(fileName) {
    try {
        const { dev, ino, size, mtimeMs, ctimeMs } = fs.statSync(fileName);
        return [dev, ino, size, mtimeMs, ctimeMs].join();
    } catch {
        return "";
    }
}

/** A registry that takes a declaration for one that it would parse from the same text. */
function registry(ts, host) {
    // Each but once, as a program owns its files.
    const left = new Map(declarations);
    let asked;
    const made = ts.createDocumentRegistryInternal(false, host.getCurrentDirectory(), host.jsDocParsingMode, {
        getDocument: () => handedOut(ts, left, ...asked),
        setDocument: () => {},
    });
    const acquireDocumentWithKey = (...args) => {
        const [fileName, , , , , version, , options] = args;
        asked = [fileName, version, options];
        return made.acquireDocumentWithKey(...args);
    };
    return { ...made, acquireDocumentWithKey };
}

/** A declaration as if it had been parsed for this program. */
function handedOut(ts, left, fileName, version, { languageVersion, impliedNodeFormat }) {
    const key = below(fileName);
    const file = left.get(key)?.file;
    left.delete(key);
    if (file?.symbol) {
        // As the binder names a module.
        file.symbol.escapedName = `"${ts.removeFileExtension(fileName)}"`;
    }
    return file && Object.assign(file, { fileName, version, languageVersion, impliedNodeFormat });
}

function below(fileName) {
    return fileName.slice(fileName.indexOf(MODULES));
}
