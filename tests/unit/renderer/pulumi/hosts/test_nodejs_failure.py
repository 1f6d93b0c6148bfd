"""The first line tells what a JavaScript or TypeScript program failed of, where, and a remedy."""

from pathlib import Path

import pytest

from plugin_image.renderer.pulumi.hosts import nodejs_failure
from plugin_image.renderer.pulumi.hosts.host import CONFIGURATION_FIX

_HEAD = "Running program '/p/index.js' failed with an unhandled exception:\n"
_ALIAS = (
    "import the file by a relative path, as Node.js does not read `paths` and `baseUrl` of "
    "tsconfig.json; or add the package to package.json, and commit a package-lock.json"
)
_PACKAGE = "add the package to package.json, and commit a package-lock.json"
_COMPILER = (
    "add ts-node (10.9 or newer) and typescript to package.json, by which the SDK compiles ES "
    "modules, or a loader in `nodeargs`"
)
_FILE = "correct the path, or commit the file"

_LOGGED = {
    "an exception": (
        "Error: boom\n    at Object.<anonymous> (/p/src/app.js:3:7)",
        ("Error: boom", "src/app.js:3", ""),
    ),
    "a source that is no JavaScript": (
        "/p/index.js:3\nconst = 1;\n      ^\n\nSyntaxError: Unexpected token '='",
        ("SyntaxError: Unexpected token '='", "index.js:3", ""),
    ),
    "a module that is no JavaScript": (
        "file:///p/src/lib.mjs:12\nimport {;\n        ^\n\nSyntaxError: Unexpected token ';'",
        ("SyntaxError: Unexpected token ';'", "src/lib.mjs:12", ""),
    ),
    "a text that is no JSON": (
        "SyntaxError: Unexpected end of JSON input\n    at JSON.parse (<anonymous>)\n"
        "    at /p/index.js:9:3",
        ("SyntaxError: Unexpected end of JSON input", "index.js:9", ""),
    ),
    "a thrown text": ("no such thing", ("no such thing", "", "")),
    "an error that refers to itself": (
        "<ref *1> Error: round\n    at /p/index.js:1:1 {\n  self: [Circular *1]\n}",
        ("Error: round", "index.js:1", ""),
    ),
    "an error that others caused": (
        "TypeError: fetch failed\n    at node:undici:1:2 {\n  [cause]: Error: no answer\n"
        "      at f (node:dns:1:2) {\n    [cause]: <ref *1> AggregateError [ECONNREFUSED]: \n"
        "        at g (node:net:3:4)\n  }\n}",
        ("TypeError: fetch failed, because of AggregateError [ECONNREFUSED]", "", ""),
    ),
    "an error that repeats what caused it": (
        "Error: settings: Error: boom\n    at /p/index.js:1:1 {\n  [cause]: Error: boom {\n  }\n}",
        ("Error: settings: Error: boom", "index.js:1", ""),
    ),
    "an error that no other caused": (
        "Error: boom\n    at /p/index.js:1:1 {\n  [cause]: { code: 1 }\n}",
        ("Error: boom", "index.js:1", ""),
    ),
    "half of what tells how modules are resolved": (
        "TSError: ⨯ Unable to compile TypeScript:\nerror TS5110: Option 'module' must be set to "
        "'NodeNext' when option 'moduleResolution' is set to 'NodeNext'.",
        (
            "error TS5110: Option 'module' must be set to 'NodeNext' when option "
            "'moduleResolution' is set to 'NodeNext'.",
            "",
            "give both `module` and `moduleResolution` in tsconfig.json, or neither: `commonjs` "
            "goes with `node`",
        ),
    ),
    "a module that is told by its syntax and awaits": (
        "Error: require() cannot be used on an ESM graph with top-level await.\n"
        "  From /m/@pulumi/pulumi/cmd/run/run.js\n  Requiring /p/index.js",
        (
            "Error: require() cannot be used on an ESM graph with top-level await.",
            "",
            'add `"type": "module"` to package.json, or await it in a function that is exported',
        ),
    ),
    "a file that is missing": (
        "Error: Cannot find module './lib'\nRequire stack:\n- /p/index.js\n"
        "    at x (/p/index.js:2:1)",
        ("Error: Cannot find module './lib'", "index.js:2", _FILE),
    ),
    "a file above that is missing": (
        "Error: Cannot find module '../lib'",
        ("Error: Cannot find module '../lib'", "", _FILE),
    ),
    "a file that a module imports and that is missing": (
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/p/lib.js' imported from /p/index.js",
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/p/lib.js' imported from "
            "/p/index.js",
            "",
            _FILE,
        ),
    ),
    "TypeScript in an ES module": (
        "SyntaxError: TypeScript enum is not supported in strip-only mode",
        ("SyntaxError: TypeScript enum is not supported in strip-only mode", "", _COMPILER),
    ),
    "TypeScript in an ES module of an older Node.js": (
        'TypeError: Unknown file extension ".ts" for /p/index.ts',
        ('TypeError: Unknown file extension ".ts" for /p/index.ts', "", _COMPILER),
    ),
    "a package that is missing": (
        "Error: Cannot find module 'lodash'",
        ("Error: Cannot find module 'lodash'", "", _PACKAGE),
    ),
    "a scoped package that is missing": (
        "Error: Cannot find module '@acme/lib/deep'",
        ("Error: Cannot find module '@acme/lib/deep'", "", _PACKAGE),
    ),
    "a path that only the compiler knows": (
        "Error: Cannot find module '@lib/a'\nRequire stack:\n- /p/index.ts\n"
        "    at x (/p/src/index.ts:2:1)",
        ("Error: Cannot find module '@lib/a'", "src/index.ts:2", _ALIAS),
    ),
    "a package that the compiler misses, too": (
        "TSError: ⨯ Unable to compile TypeScript:\nindex.ts(1,22): error TS2307: Cannot find "
        "module 'lodash' or its corresponding type declarations.",
        (
            "error TS2307: Cannot find module 'lodash' or its corresponding type declarations.",
            "index.ts:1",
            _PACKAGE,
        ),
    ),
    "a package that a module imports and that is missing": (
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash' imported from /p/index.js",
        (
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash' imported from /p/index.js",
            "",
            _PACKAGE,
        ),
    ),
    "what TypeScript finds": (
        "TSError: ⨯ Unable to compile TypeScript:\nindex.ts(3,7): error TS2322: Type 'string' …",
        ("error TS2322: Type 'string' …", "index.ts:3", ""),
    ),
    "a file that TypeScript does not find": (
        "TSError: ⨯ Unable to compile TypeScript:\nindex.ts(1,22): error TS2307: Cannot find "
        "module './lib' or its corresponding type declarations.",
        (
            "error TS2307: Cannot find module './lib' or its corresponding type declarations.",
            "index.ts:1",
            _FILE,
        ),
    ),
    "a setting that an old TypeScript does not know": (
        "TSError: ⨯ Unable to compile TypeScript:\nerror TS5023: Unknown compiler option 'x'.",
        (
            "error TS5023: Unknown compiler option 'x'.",
            "",
            "correct tsconfig.json, or add a typescript that knows it to package.json: the SDK "
            "brings 3.8",
        ),
    ),
    "an output in a text of JSON": (
        "Error: Calling [toJSON] on an [Output<T>] is not supported.\n\nTo get …",
        (
            "Error: Calling [toJSON] on an [Output<T>] is not supported.",
            "",
            "make the string from the output's value: pulumi.jsonStringify, or output.apply",
        ),
    ),
    "a configuration value that is missing": (
        "Missing required configuration variable 'p:x'\n\tplease set a value using the command …",
        ("Missing required configuration variable 'p:x'", "", CONFIGURATION_FIX),
    ),
    "nothing but what comes first": ("", (_HEAD.strip(), "", "")),
}


@pytest.mark.parametrize(("logged", "told"), _LOGGED.values(), ids=_LOGGED)
def test_what_was_logged_is_told(logged: str, told: tuple[str, str, str]) -> None:
    failure = nodejs_failure.of([_HEAD + logged, "another"], Path("/p"))
    assert failure is not None
    assert (failure.text, failure.place, failure.fix) == told


def test_a_program_that_logged_no_error_is_judged_by_how_it_ended() -> None:
    assert nodejs_failure.of([], Path("/p")) is None
