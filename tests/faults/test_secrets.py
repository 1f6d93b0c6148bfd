"""No secret comes out: not into objects that all may read, into messages, or onto disks."""

import base64
import signal
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

from tests.faults import harness, registries
from tests.faults.charts import chart, config_map
from tests.faults.harness import CANARY, Content, Fault, javascript, python, yaml_program

_SALT = bytes(8)
_KEY = PBKDF2HMAC(SHA256(), 32, _SALT, 1_000_000).derive(b"passphrase-1")
_PASSPHRASE = {"PULUMI_CONFIG_PASSPHRASE": "passphrase-1"}
_REFUSED = r"has a secret value in .*, where anyone can read it\. To fix it: put it into "


def _sealed(text: str) -> str:
    """As the Pulumi CLI encrypts: nonce and ciphertext."""
    nonce = bytes(12)
    sealed = AESGCM(_KEY).encrypt(nonce, text.encode(), None)
    return f"v1:{base64.b64encode(nonce).decode()}:{base64.b64encode(sealed).decode()}"


def stack(**config: str) -> dict[str, Content]:
    """The file of the stack with these values encrypted; names with `__` are of a namespace."""
    lines = [f"  {k.replace('__', ':')}: {{secure: {_sealed(v)}}}" for k, v in config.items()]
    salt = f"encryptionsalt: v1:{base64.b64encode(_SALT).decode()}:{_sealed('pulumi')}"
    return {"Pulumi.dev.yaml": "\n".join([salt, "config:", *lines, ""])}


def with_secret(name: str, program: Mapping[str, Content], **more: Any) -> Fault:
    """A fault of a stack with the canary as the secret `password`."""
    return Fault(name, {**program, **stack(password=CANARY)}, env=_PASSPHRASE, **more)


_HEAD = "import base64, json, urllib.parse\np = pulumi.Config().require('password')\n"


def in_map(value: str) -> dict[str, Content]:
    return python(f"{_HEAD}k8s.core.v1.ConfigMap('a', data={{'x': {value}}})\n")


IN_OBJECTS = [
    with_secret(f"in a ConfigMap as {value}", in_map(value), refused=r"ConfigMap 'a'.*data\.x")
    for value in (
        "p",
        "f'postgres://u:{p}@db'",
        "base64.b64encode(p.encode()).decode()",
        "base64.b64encode(f'user:{p}'.encode()).decode()",
        "json.dumps({'auths': {'h': {'auth': base64.b64encode(f'u:{p}'.encode()).decode()}}})",
        "json.dumps(json.dumps({'a': p}))",
        "urllib.parse.quote(p)",
        "p.encode().hex()",
    )
]
IN_OTHER_PLACES = [
    with_secret(f"in {place}", python(f"{_HEAD}{code}\n"), refused=refused)
    for place, code, refused in (
        (
            "a label of a Secret",
            "k8s.core.v1.Secret('a', metadata={'labels': {'x': p}}, string_data={'x': p})",
            r"Secret 'a'.*metadata\.labels\.x.*put it into its data",
        ),
        ("a name", "k8s.core.v1.ConfigMap('a', metadata={'name': p})", r"in metadata\.name"),
        ("a logical name", "k8s.core.v1.ConfigMap(p)", r"\[secret\].*in metadata\.name"),
        ("a key", "k8s.core.v1.ConfigMap('a', data={p: 'x'})", r"in data\.\[secret\]"),
        (
            "a Secret of another group",
            "k8s.apiextensions.CustomResource('a', api_version='x.io/v1', kind='Secret',"
            " spec={'x': p})",
            r"Secret 'a'.*in spec\.x.*put it into a Secret",
        ),
        (
            "an object made of it",
            "pulumi.Config().require_secret('password').apply("
            "lambda v: k8s.core.v1.ConfigMap('a', data={'x': v}))",
            r"ConfigMap 'a'.*in data\.x",
        ),
        (
            "an environment variable",
            "k8s.core.v1.Pod('a', spec={'containers': [{'name': 'a',"
            " 'env': [{'name': 'P', 'value': p}]}]})",
            r"spec\.containers\[0\]\.env\[0\]\.value",
        ),
    )
]
_MADE_BY_PROVIDERS = {
    "a chart": "k8s.helm.v4.Chart('web', chart='./web'",
    "a release": "k8s.helm.v3.Release('web', chart='./web'",
    "YAML": "k8s.yaml.v2.ConfigGroup('all', yaml=open('web/templates/a.yaml').read()",
}
NAMESPACES = [
    Fault(
        f"a short secret as the namespace of {place}, for {what}",
        {**python(f"{head}{made}{options})\n", **chart(config_map())), **values},
        env=_PASSPHRASE,
        refused=r"metadata\.namespace",
    )
    for place, head, options, values in (
        (
            "a provider",
            "q = k8s.Provider('q', namespace=pulumi.Config().get_secret('n'))\n",
            ", opts=pulumi.ResourceOptions(provider=q)",
            stack(n="shop"),
        ),
        ("the stack", "", "", stack(kubernetes__namespace="shop")),
    )
    for what, made in _MADE_BY_PROVIDERS.items()
]
MARKS = [
    Fault(
        f"a short secret as {what}",
        {
            **python(f"s = pulumi.Config({space!r}).get_secret({key!r})\n{code}\n", **files),
            **values,
        },
        env=_PASSPHRASE,
        refused=refused,
    )
    for what, space, key, code, files, values, refused in (
        (
            "a provider's namespace",
            None,
            "n",
            "q = k8s.Provider('q', namespace=s)\n"
            "k8s.core.v1.ConfigMap('a', opts=pulumi.ResourceOptions(provider=q))",
            {},
            stack(n="shop"),
            rf"{_REFUSED}a Secret",
        ),
        (
            "kubernetes:namespace",
            "kubernetes",
            "namespace",
            "k8s.core.v1.ConfigMap('a')",
            {},
            stack(kubernetes__namespace="shop"),
            r"metadata\.namespace",
        ),
        (
            "a name that is made by a pattern",
            None,
            "n",
            "k8s.core.v1.ConfigMap('a')",
            {},
            {
                "Pulumi.dev.yaml": str(stack(n="shop")["Pulumi.dev.yaml"])
                + "  pulumi:autonaming:\n    pattern: ${config.n}-${name}\n"
            },
            r"metadata\.name",
        ),
        (
            "the name of a Secret whose id is used",
            None,
            "n",
            "o = k8s.core.v1.Secret('o', metadata={'name': s})\n"
            "k8s.core.v1.ConfigMap('a', data={'x': o.id})",
            {},
            stack(n="shop"),
            r"metadata\.name",
        ),
    )
]


def is_fine(objects: list[dict[str, Any]]) -> bool:
    return bool(objects)


FINE = [
    with_secret(
        "in the data of a Secret",
        python(f"{_HEAD}k8s.core.v1.Secret('a', string_data={{'x': p, p: 'x'}})\n"),
        renders=is_fine,
    ),
    with_secret("allowed", in_map("p"), arguments=["--allow-plaintext-secrets"], renders=is_fine),
    *(
        Fault(
            f"the word {word!r} is secret and everywhere",
            {
                **python(f"k8s.core.v1.ConfigMap({word!r}, data={{'x': {word!r}}})\n"),
                **stack(p=word),
            },
            env=_PASSPHRASE,
            renders=is_fine,
        )
        for word in ("true", "admin", "prod")
    ),
]

_MARKED = "s = pulumi.Output.secret(''.join(['canary-4f1c9d', '7e-canary']))\n"


def raising(marked: str, failure: str) -> dict[str, Content]:
    return python(f"{marked}def fail(v):\n    {failure}\ns.apply(fail)\n")


IN_MESSAGES = [
    with_secret("in an exception", python(f"{_HEAD}raise ValueError(p)\n"), refused=r"ValueError"),
    with_secret(
        "over two lines",
        python(f"{_HEAD}raise ValueError(p[:9] + '\\t\\n' + p[9:])\n"),
        refused="V",
    ),
    with_secret(
        "in what is printed before much else",
        python(f"{_HEAD}print(p + 'x' * 65_530 + p[:14])\n1 / 0\n"),
        refused="ZeroDivisionError",
    ),
    with_secret(
        "in an error of many megabytes",
        python(f"{_HEAD}raise ValueError((p + ' ') * 999_999)\n"),
        refused=r"\[secret\]",
    ),
    Fault("never registered", raising(_MARKED, "raise ValueError(v)"), refused=r"\[secret\]"),
    Fault(
        "never registered, and a part of a structure",
        python(
            "s = pulumi.Output.secret({'a': [''.join(['canary-4f1c9d', '7e-canary'])]})\n"
            "def fail(v):\n    raise ValueError(v['a'][0])\ns.apply(fail)\n"
        ),
        refused=r"\[secret\]",
    ),
    Fault(
        "made of a secret, and never registered",
        python(
            "s = pulumi.Output.secret('7e-canary').apply(lambda v: 'canary-4f1c9d' + v)\n"
            "def fail(v):\n    raise ValueError(v[0])\npulumi.Output.all(s).apply(fail)\n"
        ),
        refused=r"\[secret\]",
    ),
    Fault(
        "printed by a process that the program starts",
        python(f"import os\n{_MARKED}s.apply(lambda v: os.system('echo ' + v))\nimport nowhere\n"),
        refused="nowhere",
    ),
    Fault(
        "never registered, in JavaScript",
        javascript(
            'pulumi.secret(["canary-4f1c9d", "7e-canary"].join(""))'
            ".apply((v) => { throw new Error(v); });"
        ),
        refused=r"\[secret\]",
    ),
    Fault(
        "made of a secret, in JavaScript",
        javascript(
            'const s = pulumi.secret("7e-canary").apply((v) => "canary-4f1c9d" + v);\n'
            "pulumi.all([s]).apply(([v]) => { throw new Error(v); });"
        ),
        refused=r"\[secret\]",
    ),
    with_secret(
        "in a name of a YAML program that there is twice",
        yaml_program(
            "a:\n  type: kubernetes:core/v1:ConfigMap\n  properties:\n    data: {x: '${password}'}"
        ),
        refused=r"data\.x",
    ),
    Fault(
        "a credential of the container in an object",
        python("import os\nk8s.core.v1.ConfigMap('a', data={'x': os.environ['X_TOKEN']})\n"),
        env={"X_TOKEN": CANARY, "RENDERER_PASS_ENV": "X_TOKEN,FAULT_READY"},
        refused=r"data\.x",
    ),
    Fault(
        "a credential of the container in an exception",
        python("import os\nraise ValueError(os.environ['X_TOKEN'])\n"),
        env={"X_TOKEN": CANARY, "RENDERER_PASS_ENV": "X_TOKEN,FAULT_READY"},
        refused=r"ValueError: \[secret\]",
    ),
]

_INDEX = {"UV_DEFAULT_INDEX": f"http://me:{CANARY}@127.0.0.1:9/simple"}
_REGISTRY = {
    "npm_config_registry": "http://127.0.0.1:9/",
    "npm_config_fetch_retries": "0",
    "NPM_CONFIG_//127.0.0.1:9/:_authToken": CANARY,
}
_PRINTS_ITS_ENVIRONMENT = "import os\nprint(dict(os.environ))\nraise SystemExit(1)\n"
INSTALLERS = [
    Fault(
        "in the address of an index",
        python("", **{"requirements.txt": "nowhere==1\n"}),
        env=_INDEX,
        refused="cannot be installed",
    ),
    Fault(
        "in an address that requirements name",
        python("", **{"requirements.txt": f"--index-url http://me:{CANARY}@127.0.0.1:9/\nx==1\n"}),
        refused="cannot be installed",
    ),
    Fault(
        "in the environment that a setup.py prints",
        python(
            "",
            **{
                "requirements.txt": "./lib\n",
                "lib/setup.py": _PRINTS_ITS_ENVIRONMENT,
                "lib/pyproject.toml": "[build-system]\nrequires = []\nbackend-path = ['.']\n"
                "build-backend = 'setup'\n",
            },
        ),
        env={**_INDEX, "UV_INDEX_ACME_PASSWORD": CANARY},
        refused="cannot be installed",
    ),
    Fault(
        "in npm's settings",
        {
            **javascript("", **{"package.json": '{"dependencies": {"nowhere": "1.0.0"}}'}),
            "node_modules": lambda path: None,
        },
        env=_REGISTRY,
        refused="cannot be installed",
    ),
]

_READY = "import os, pathlib\npathlib.Path(os.environ['FAULT_READY'], 'ready').touch()\n"
_WAITS = (
    f"{_HEAD}k8s.core.v1.Secret('a', string_data={{'x': p}})\n{_READY}"
    "import sys, time\nprint(p, file=sys.stderr, flush=True)\ntime.sleep(600)\n"
)
_ENDINGS = [
    with_secret("stopped by SIGTERM", python(_WAITS), stops=signal.SIGTERM),
    with_secret("stopped by SIGKILL", python(_WAITS), stops=signal.SIGKILL),
    with_secret("stopped by SIGHUP", python(_WAITS), stops=signal.SIGHUP),
    replace(
        with_secret("stopped by its deadline", python(_WAITS), refused="took longer than"),
        env={**_PASSPHRASE, "RENDERER_DEADLINE_SECONDS": "30"},
    ),
]


@pytest.mark.parametrize("fault", _ENDINGS, ids=str)
def test_no_secret_is_left_however_a_render_ends(fault: Fault, tmp_path: Path) -> None:
    found = harness.outcome(fault, tmp_path)
    assert CANARY not in found.stderr
    assert CANARY.encode() not in found.stdout
    assert not found.canaries


@pytest.mark.parametrize("language", ["python", "nodejs"])
def test_no_login_is_left_where_an_installation_succeeds(language: str, tmp_path: Path) -> None:
    with registries.serving(CANARY) as address:
        found = harness.check(_installing(language, address), tmp_path)
    # What the installer said or asked for otherwise would prove nothing.
    assert [*tmp_path.glob(f"cache/pulumi-renderer/{_KEPT[language]}")]
    assert not found.canaries


_KEPT = {
    "python": "python/*/venv/lib/python*/site-packages/acme.py",
    "nodejs": "node/*/node_modules/acme/index.js",
}


def _installing(language: str, address: str) -> Fault:
    """A program that gets one package by a login, and has no SDK."""
    if language == "python":
        index = {"UV_DEFAULT_INDEX": f"http://me:{CANARY}@{address}/simple"}
        files = python("", **{"requirements.txt": "acme==1.0\n"})
        return Fault("a login to an index", files, env=index, refused="SDK is not installed")
    registry = {
        "npm_config_registry": f"http://{address}/",
        f"NPM_CONFIG_//{address}/:_authToken": CANARY,
    }
    package = {"package.json": '{"dependencies": {"acme": "1.0.0"}}'}
    files = {**javascript("", **package), "node_modules": lambda path: None}
    return Fault("a login to a registry", files, env=registry, refused="@pulumi/pulumi is not")


_UNREAD = stack(password=CANARY)
_NEEDS = r"the secret 'odd:password' of the configuration, which cannot be read: .*no passphrase"
_IN_PYTHON = "p = pulumi.Config().require_secret('password')\n"
_IN_JAVASCRIPT = 'const p = new pulumi.Config().requireSecret("password");\n'
_MAP = "k8s.core.v1.ConfigMap('a', data={'x': 'y'})\n"
_JS_MAP = 'new k8s.core.v1.ConfigMap("a", { data: { x: "y" } });\n'
_PLACEHOLDER = ("--unreadable-secrets", "placeholder")


def without_key(name: str, program: Mapping[str, Content], **more: Any) -> Fault:
    """A fault of a stack with the secret `password`, and without its passphrase."""
    return Fault(f"no key: {name}", {**program, **_UNREAD}, **more)


def in_secret(value: str) -> dict[str, Content]:
    return python(
        f"{_IN_PYTHON}import base64, json\nk8s.core.v1.Secret('a', data={{'x': {value}}})\n"
    )


UNREADABLE = [
    without_key("not used", python(_MAP), renders=is_fine),
    without_key("exported", python(f"{_IN_PYTHON}{_MAP}pulumi.export('x', p)\n"), renders=is_fine),
    without_key(
        "passed on by a callback, in Python",
        python(f"{_IN_PYTHON}{_MAP}pulumi.export('x', p.apply(lambda v: f'a:{{v}}'.upper()))\n"),
        renders=is_fine,
    ),
    without_key(
        "passed on by a callback, in JavaScript",
        javascript(f"{_IN_JAVASCRIPT}{_JS_MAP}exports.x = p.apply(async (v) => ({{ [v]: 1 }}));\n"),
        renders=is_fine,
    ),
    without_key(
        "in JavaScript's own ways to pass it on",
        javascript(
            f"{_IN_JAVASCRIPT}{_JS_MAP}exports.x = [pulumi.interpolate`a${{p}}`,"
            " pulumi.all([p]), pulumi.jsonStringify({ p })];\n"
        ),
        renders=is_fine,
    ),
    without_key(
        "refused as before",
        python(_MAP),
        arguments=["--unreadable-secrets", "refuse"],
        refused=r"^Pulumi\.dev\.yaml has encrypted values, and the plugin has no passphrase",
    ),
    *(
        without_key(f"in a Secret as {value}", in_secret(value), refused=rf"in data\.x {_NEEDS}")
        for value in (
            "p",
            "p.apply(lambda v: base64.b64encode(f'user:{v}'.encode()).decode())",
            "p.apply(lambda v: base64.b64encode(json.dumps({'auths': {'h': {'auth':"
            " base64.b64encode(f'user:{v}'.encode()).decode()}}}).encode()).decode())",
            "p.apply(lambda v: v.encode().hex())",
        )
    ),
    without_key(
        "in a name",
        python(f"{_IN_PYTHON}k8s.core.v1.Secret('a', metadata={{'name': p}})\n"),
        arguments=["--allow-plaintext-secrets"],
        refused=rf"in metadata\.name {_NEEDS}",
    ),
    *(
        without_key(
            f"{what}, in Python", python(f"{_IN_PYTHON}{_MAP}{code}\n"), refused=refused + _NEEDS
        )
        for what, code, refused in (
            ("compared", "p.apply(lambda v: v == 'on')", r"callback \(__main__\.py:5\) .* of "),
            ("hashed", "p.apply(hash)", r"callback \(__main__\.py:5\) .* of "),
            ("cut", "p.apply(lambda v: v[:9])", r"callback \(__main__\.py:5\) .* of "),
            ("read", "pulumi.Config().get('password')", "needs the value of "),
            ("a number", "pulumi.Config().get_secret_int('password')", "needs the value of "),
            ("JSON", "pulumi.Config().get_secret_object('password')", "needs the value of "),
            (
                "in a chart",
                "k8s.helm.v4.Chart('c', chart='c', values={'a': p})",
                r"Chart 'c' \(__main__\.py:5\) is given ",
            ),
        )
    ),
    *(
        without_key(
            f"{what}, in JavaScript",
            javascript(f"{_IN_JAVASCRIPT}{_JS_MAP}{code}\n"),
            refused=refused + _NEEDS,
        )
        for what, code, refused in (
            ("compared", "p.apply((v) => v === 1);", r"callback \(index\.js:5\) .* of "),
            ("cut later", "p.apply(async (v) => v.slice(9));", r"callback \(index\.js:5\) .* of "),
            ("measured", "exports.x = p.length;", "callback .* of "),
            ("read", 'new pulumi.Config().get("password");', "needs the value of "),
            ("a flag", 'new pulumi.Config().getSecretBoolean("password");', "needs the value of "),
        )
    ),
    without_key(
        "parsed by a library",
        python(f"{_IN_PYTHON}import json\np.apply(json.loads)\n"),
        refused=r"JSONDecodeError: .*it ran without odd:password, which cannot be read",
    ),
    without_key(
        "read, and allowed",
        python(f"{_MAP}assert pulumi.Config().require('password') != 'on'\n"),
        arguments=_PLACEHOLDER,
        renders=is_fine,
    ),
    without_key(
        "read, allowed, and in an object",
        python("k8s.core.v1.Secret('a', string_data={'x': pulumi.Config().require('password')})"),
        arguments=_PLACEHOLDER,
        refused=rf"in stringData\.x {_NEEDS}",
    ),
    without_key(
        "the name of a Secret has its hash",
        python("k8s.core.v1.Secret('a', string_data={'x': 'y'})\n"),
        refused=r"Secret 'a'.*for the hash in its name the stack's passphrase, which cannot",
    ),
    without_key(
        "a YAML program does not need it",
        yaml_program("a:\n  type: kubernetes:core/v1:ConfigMap\n  properties: {data: {x: y}}"),
        renders=is_fine,
    ),
    without_key(
        "a YAML program decodes it",
        yaml_program(
            "a:\n  type: kubernetes:core/v1:Secret\n  properties:\n"
            "    stringData: {x: {'fn::fromBase64': '${password}'}}"
        ),
        refused="it ran without odd:password, which cannot be read",
    ),
    without_key(
        "a Go program",
        {"Pulumi.yaml": "name: odd\nruntime: go\n", "go.mod": "module odd\n"},
        refused=r"no passphrase.*`unreadableSecrets` to placeholder.*in go.*cannot be followed",
    ),
]


@pytest.mark.parametrize("fault", UNREADABLE, ids=str)
def test_no_object_depends_on_a_secret_that_cannot_be_read(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


@pytest.mark.parametrize(
    "fault", [*IN_OBJECTS, *IN_OTHER_PLACES, *NAMESPACES, *MARKS, *FINE], ids=str
)
def test_no_object_holds_a_secret_for_all_to_read(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)


@pytest.mark.parametrize("fault", [*IN_MESSAGES, *INSTALLERS], ids=str)
def test_no_message_and_no_file_shows_a_secret(fault: Fault, tmp_path: Path) -> None:
    harness.check(fault, tmp_path)
