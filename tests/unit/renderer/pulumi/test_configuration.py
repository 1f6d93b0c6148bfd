"""Configuration reaches a program as the Pulumi CLI would give it, or not at all."""

import base64
import hashlib
from pathlib import Path

import pytest

from plugin_image.renderer.errors import ProjectError, RenderError, UnreadableError
from plugin_image.renderer.pulumi.configuration import Configuration, load_configuration
from plugin_image.renderer.pulumi.monitor.values import unreadable
from plugin_image.renderer.pulumi.project import Stack, load_project
from plugin_image.renderer.request import Request

ENCRYPTED = """\
encryptionsalt: v1:6vlCDSZZ4wY=:v1:G4C0HDZMaBLZkE1m:fxPqUP40RmjQB0J5++YD2t7RrKte3g==
"""


def configuration(
    folder: Path,
    stack: str = "",
    config: dict[str, str] | None = None,
    project: str = "",
    passphrase: str | None = None,
) -> Configuration:
    """Of a project `shop` with the file of its stack `dev`, and the option `config`."""
    (folder / "Pulumi.yaml").write_text(f"name: shop\nruntime: python\n{project}")
    (folder / "Pulumi.dev.yaml").write_text(stack)
    found = load_project(folder)
    env = {} if passphrase is None else {"PULUMI_CONFIG_PASSPHRASE": passphrase}
    asked = Request.of({"HOME": str(folder), **env}, folder)
    return load_configuration(asked, found, Stack("dev", "dev"), config or {})


def test_values_reach_programs_as_texts(tmp_path: Path) -> None:
    stack = """
config:
  a: on
  b: 3
  c: true
  d: {y: 1, x: [2]}
  other:e: 1.5
"""
    found = configuration(tmp_path, stack, {"a": "off"})
    assert found.values == {
        "shop:a": "off",
        "shop:b": "3",
        "shop:c": "true",
        "shop:d": '{"x":[2],"y":1}',
        "other:e": "1.5",
    }
    assert not found.secret_keys


@pytest.mark.parametrize(
    ("stack", "message"),
    [
        ("environment: [team]\n", "ESC environments"),
        (
            "secretsprovider: awskms://key\nconfig: {a: {secure: x}}\n",
            "secrets provider 'awskms://key'",
        ),
        ("config: 3\n", "`config` of Pulumi.dev.yaml"),
        ("encryptionsalt: v2:x\nconfig: {a: {secure: v1:x:y}}\n", "no usable `encryptionsalt`"),
        ("encryptionsalt: 3\nconfig: {a: {secure: v1:x:y}}\n", "no usable `encryptionsalt`"),
        ("encryptionsalt: [a]\nconfig: {a: {secure: v1:x:y}}\n", "no usable `encryptionsalt`"),
        ("encryptionsalt: v1:ö:y\nconfig: {a: {secure: v1:x:y}}\n", "no usable `encryptionsalt`"),
        ("config: {1: a}\n", "Pulumi.dev.yaml has 1, which is not a configuration key"),
        ("config: {true: a}\n", "has True, which is not a configuration key"),
        ("config: {[a]: b}\n", "Pulumi.dev.yaml"),
        ("config: {a:b:c: d}\n", "'a:b:c', which is not a configuration key"),
        ("config: {a:config:b:c: d}\n", "'a:config:b:c', which is not a configuration key"),
        ("config: {a: 1, shop:a: 1}\n", "'shop:a' twice, as 'a' and 'shop:a'"),
        ("config: {a:b: 1, a:config:b: 1}\n", "'a:b' twice, as 'a:b' and 'a:config:b'"),
        ("config: {a: .inf}\n", "in shop:a a float"),
        ("config: {a: {b: [.nan]}}\n", "in shop:a.b.0. a float"),
        ("config: {a: {1: b, '1': c}}\n", "in shop:a the same key twice"),
        ("config: {a: {1: b, true: c}}\n", "duplicate key true"),
        ("config: {a: {null: b}}\n", "in shop:a the key null"),
        ("config: {a: 2020-01-01}\n", "in shop:a the date 2020-01-01"),
        ("config: {a: [2020-01-01T10:00:00Z]}\n", "in shop:a.0. the date"),
        ("config: {a: !!binary aGk=}\n", "in shop:a a bytes"),
        ("config: {a: !!set {b}}\n", "in shop:a a set"),
        ("config: {a: !!timestamp 2020-01-01}\n", "in shop:a a date"),
        ("config: {a: !odd b}\n", "Pulumi.dev.yaml is not YAML"),
        ("config:\n\ta: b\n", "Pulumi.dev.yaml is not YAML"),
        ("config: {a: &a [*a]}\n", "Pulumi.dev.yaml"),
        ("config: &a {a: *a}\n", "Pulumi.dev.yaml"),
        ("config: {a: " + "[" * 20000 + "]" * 20000 + "}\n", "Pulumi.dev.yaml"),
        ("config: {a: b}\n---\nconfig: {a: c}\n", "Pulumi.dev.yaml is not YAML"),
        ("- config\n", "Pulumi.dev.yaml is not a YAML mapping"),
    ],
)
def test_a_stack_that_cannot_be_read_here_is_refused(
    tmp_path: Path, stack: str, message: str
) -> None:
    with pytest.raises(ProjectError, match=message):
        configuration(tmp_path, stack, passphrase="phrase")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("1.0", "1"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("1e23456", "1e23456"),
        ("0777", "511"),
        ("0o17", "15"),
        ("0b101", "5"),
        ("0x1F", "31"),
        ("1_000", "1000"),
        ("08", "8"),
        ("+5", "5"),
        ("'3'", "3"),
        ("yes", "yes"),
        ("True", "true"),
        ("~", ""),
        ("", ""),
        ("12:30", "12:30"),
        ("1.2.3", "1.2.3"),
        ("2020-13-01", "2020-13-01"),
        ("'2020-01-01'", "2020-01-01"),
        ("12345678901234567890", "12345678901234567890"),
        ("{secure: 3}", '{"secure":3}'),
        ("{2: a, true: b}", '{"2":"a","true":"b"}'),
        ("0.00001", "0.00001"),
        ("1e-7", "1e-7"),
        ("1e21", "1e+21"),
        ("123456789012345678901234", "1.2345678901234569e+23"),
        ('{a: "<b>&"}', '{"a":"\\u003cb\\u003e\\u0026"}'),
        ("[1.0, null, {}]", "[1,null,{}]"),
    ],
)
def test_scalars_are_those_of_pulumis_parser(tmp_path: Path, written: str, text: str) -> None:
    assert configuration(tmp_path, f"config:\n  a: {written}\n").values == {"shop:a": text}


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("3", 3),
        ("'3'", 3),
        ("'007'", "007"),
        ("1.5", "1.5"),
        ("'true'", True),
        ("yes", "yes"),
        ("[1.5, '3', true]", [1.5, "3", True]),
        ("18446744073709551615", 2**64 - 1),
        ("'18446744073709551616'", "18446744073709551616"),
    ],
)
def test_yaml_programs_get_the_types_that_texts_spell(
    tmp_path: Path, written: str, typed: object
) -> None:
    assert configuration(tmp_path, f"config:\n  a: {written}\n").typed == {"shop:a": typed}


def test_an_older_spelling_of_keys_is_the_same_key(tmp_path: Path) -> None:
    stack = "config:\n  kubernetes:config:namespace: web\n  shop:config:a: b\n"
    found = configuration(tmp_path, stack, {"kubernetes:namespace": "other"})
    assert found.values == {"kubernetes:namespace": "other", "shop:a": "b"}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"a": "\udcff"}, "parameter `config` has in shop:a half of a character"),
        ({"a:b:c": "d"}, "parameter `config` has 'a:b:c', which is not a configuration key"),
        ({"a": "b", "shop:a": "c"}, "parameter `config` has the configuration key 'shop:a' twice"),
    ],
)
def test_keys_of_the_application_are_held_to_the_same(
    tmp_path: Path, config: dict[str, str], message: str
) -> None:
    with pytest.raises(RenderError, match=message):
        configuration(tmp_path, config=config)


class TestADeclaredKey:
    """A declaration in Pulumi.yaml, which binds every stack."""

    DECLARED = """\
config:
  text: {type: string, default: a}
  count: {type: integer, default: 1}
  flag: {type: boolean, default: false}
  tree: {type: object, default: {a: 1}}
  list: {type: array, items: {type: array, items: {type: integer}}, default: [[1]]}
  aws:region: eu
  aws:zone: {value: a}
"""

    def test_has_its_default(self, tmp_path: Path) -> None:
        assert configuration(tmp_path, project=self.DECLARED).values == {
            "shop:text": "a",
            "shop:count": "1",
            "shop:flag": "false",
            "shop:tree": '{"a":1}',
            "shop:list": "[[1]]",
            "aws:region": "eu",
            "aws:zone": "a",
        }

    @pytest.mark.parametrize(
        "stack",
        ["text: 3", "count: '3'", "count: 3.0", "count: +3", "flag: 'true'", "list: [['3', 4.0]]"],
    )
    def test_takes_what_spells_its_type(self, tmp_path: Path, stack: str) -> None:
        configuration(tmp_path, f"config: {{{stack}}}\n", project=self.DECLARED)

    @pytest.mark.parametrize(
        ("stack", "type_"),
        [
            ("text: [a]", "string"),
            ("text: {}", "string"),
            ("count: many", "integer"),
            ("count: 1.5", "integer"),
            ("count: ''", "integer"),
            ("count: null", "integer"),
            ("count: true", "integer"),
            ("count: 9223372036854775808", "integer"),
            ("count: '1_000'", "integer"),
            ("count: ' 3'", "integer"),
            ("count: '٣'", "integer"),
            ("flag: yes", "boolean"),
            ("flag: 1", "boolean"),
            ("tree: a", "object"),
            ("tree: [a]", "object"),
            ("tree: '{}'", "object"),
            ("list: {a: b}", "array of array of integer"),
            ("list: [1]", "array of array of integer"),
            ("list: [[a]]", "array of array of integer"),
        ],
    )
    def test_takes_nothing_of_another_type(self, tmp_path: Path, stack: str, type_: str) -> None:
        key = stack.partition(":")[0]
        message = rf"'shop:{key}' of Pulumi\.dev\.yaml is not of the type {type_}, which Pulumi"
        with pytest.raises(ProjectError, match=message):
            configuration(tmp_path, f"config: {{{stack}}}\n", project=self.DECLARED)

    @pytest.mark.parametrize("config", [{"tree": '{"b": 1}'}, {"list": "[[]]"}, {"count": "3"}])
    def test_takes_a_structure_that_the_application_spells(
        self, tmp_path: Path, config: dict[str, str]
    ) -> None:
        configuration(tmp_path, config=config, project=self.DECLARED)

    @pytest.mark.parametrize("config", [{"tree": "[]"}, {"tree": "a"}, {"list": "[1]"}])
    def test_takes_nothing_else_from_the_application(
        self, tmp_path: Path, config: dict[str, str]
    ) -> None:
        with pytest.raises(ProjectError, match=r"of the Application's parameter `config` is not"):
            configuration(tmp_path, config=config, project=self.DECLARED)

    @pytest.mark.parametrize("declared", ["{type: string}", "{}", "{description: a}"])
    def test_needs_a_value(self, tmp_path: Path, declared: str) -> None:
        with pytest.raises(ProjectError, match="no value for the configuration key 'shop:a'"):
            configuration(tmp_path, project=f"config: {{a: {declared}}}\n")

    @pytest.mark.parametrize("declared", ["{type: string, secret: true}", "{secret: true}"])
    @pytest.mark.parametrize(
        ("stack", "config"), [("config: {a: plain}", {}), ("", {"a": "plain"})]
    )
    def test_that_is_secret_is_never_in_plain(
        self, tmp_path: Path, declared: str, stack: str, config: dict[str, str]
    ) -> None:
        with pytest.raises(ProjectError, match=r"'shop:a' of .* is in plain text, and") as info:
            configuration(tmp_path, stack, config, project=f"config: {{a: {declared}}}\n")
        assert "'plain'" not in str(info.value)

    def test_that_is_secret_has_no_default(self, tmp_path: Path) -> None:
        with pytest.raises(ProjectError, match=r"'shop:a' of Pulumi\.yaml is in plain"):
            configuration(
                tmp_path, project="config: {a: {type: string, secret: true, default: b}}\n"
            )


CASES = Path(__file__).parents[3] / "render" / "cases"


class TestNamingKey:
    def test_is_of_the_stack_s_own_key_and_does_not_tell_it(self, tmp_path: Path) -> None:
        stack = (CASES / "encrypted-config-is-decrypted" / "Pulumi.dev.yaml").read_text()
        stack = stack.replace("case:", "shop:")
        first, again = (configuration(tmp_path, stack, passphrase="correct-horse") for _ in "ab")
        assert first.naming_key == again.naming_key
        assert len(first.naming_key) == 32
        salt = base64.b64decode("dOzso4/FebQ=")
        own = hashlib.pbkdf2_hmac("sha256", b"correct-horse", salt, 1_000_000)
        assert own not in (first.naming_key, first.naming_key[::-1])

    @pytest.mark.parametrize("stack", ["", "config: {a: b}\n", f"{ENCRYPTED}config: {{a: b}}\n"])
    def test_is_empty_where_nothing_is_encrypted(self, tmp_path: Path, stack: str) -> None:
        assert configuration(tmp_path, stack, passphrase="phrase").naming_key == b""


class TestWithoutTheKey:
    NESTED = "config: {a: {secure: v1:x:y}, b: {c: [1, {secure: v1:x:y}]}, d: plain}\n"

    def load(
        self, folder: Path, stack: str, config: dict[str, str] | None = None, **env: str
    ) -> Configuration:
        (folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
        (folder / "Pulumi.dev.yaml").write_text(stack)
        asked = Request.of({"HOME": str(folder), "PATH": str(folder), **env}, folder)
        project = load_project(folder)
        return load_configuration(asked, project, Stack("dev", "dev"), config or {}, withhold=True)

    @pytest.mark.parametrize(
        ("head", "why", "names"),
        [
            (ENCRYPTED, "Pulumi.dev.yaml has encrypted values, and the plugin has no", True),
            ("secretsprovider: awskms://key\n", "Pulumi.dev.yaml uses the secrets provider", False),
            ("", "Pulumi.dev.yaml uses Pulumi Cloud's secrets provider, and the", False),
        ],
    )
    def test_each_secret_is_a_placeholder(
        self, tmp_path: Path, head: str, why: str, names: bool
    ) -> None:
        found = self.load(tmp_path, head + self.NESTED)
        first, second = (unreadable.placeholder(number) for number in (0, 1))
        assert found.values == {
            "shop:a": first,
            "shop:b": f'{{"c":[1,"{second}"]}}',
            "shop:d": "plain",
        }
        assert found.secret_keys == {"shop:a", "shop:b"}
        assert found.unreadable
        assert found.unreadable.keys == ["shop:a", "shop:b.c[1]"]
        assert found.unreadable.why.startswith(why)
        assert found.unreadable.names is names
        # What is no secret may stand in messages.
        assert not found.secrets()

    def test_another_passphrase_is_as_none(self, tmp_path: Path) -> None:
        found = self.load(tmp_path, ENCRYPTED + self.NESTED, PULUMI_CONFIG_PASSPHRASE="another")
        assert found.unreadable
        assert "is not the one" in found.unreadable.why
        assert not found.naming_key

    def test_what_an_application_gives_needs_no_key(self, tmp_path: Path) -> None:
        found = self.load(tmp_path, ENCRYPTED + self.NESTED, {"a": "given"})
        assert found.values["shop:a"] == "given"

    def test_a_stack_without_secrets_needs_none(self, tmp_path: Path) -> None:
        found = self.load(tmp_path, "secretsprovider: awskms://key\nconfig: {a: b}\n")
        assert found.values == {"shop:a": "b"}
        assert found.unreadable is None

    @pytest.mark.parametrize(
        ("stack", "message"),
        [
            ("environment: [team]\n", "ESC environments"),
            (
                ENCRYPTED + "config: {kubernetes:enableSecretMutable: {secure: v1:x:y}}\n",
                "the secret 'kubernetes:enableSecretMutable' of the configuration cannot be read",
            ),
        ],
    )
    def test_what_is_not_noticed_is_refused(self, tmp_path: Path, stack: str, message: str) -> None:
        with pytest.raises(UnreadableError, match=message):
            self.load(tmp_path, stack)
