"""PluginImage: built and pushed, or ready; in every case pinned by digest."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi
import pytest

from components.container import image, image_reference
from components.container.image import Build, PluginImage, content_tag
from components.shared.errors import InvalidInputError

from .conftest import DIGEST, FakeEngine, Run, is_secret, revealed

IMAGE = "docker-build:index:Image"


@pytest.fixture
def context(tmp_path: Path) -> Path:
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    return tmp_path


def needs_context(args: Any) -> bool:
    return "repository" in args and not {"context", "reference"} & set(args)


def image_ref(run: Run, args: Any) -> tuple[FakeEngine, str]:
    seen: list[str] = []
    engine = run(lambda: PluginImage("plugin", args).image_ref.apply(seen.append))
    return engine, seen[0]


def test_a_reference_with_a_digest_is_used_as_it_is_and_no_registry_asked(run: Run) -> None:
    reference = f"ghcr.io/team/plugin:1.0@{DIGEST}"
    engine, ref = image_ref(run, {"reference": reference})
    assert ref == reference
    assert not engine.calls


def test_a_tag_is_pinned_to_the_digest_that_the_registry_has(run: Run) -> None:
    engine, ref = image_ref(run, {"reference": "ghcr.io/team/plugin:1.0"})
    assert ref == f"ghcr.io/team/plugin:1.0@{DIGEST}"
    assert engine.calls[0].args["name"] == "ghcr.io/team/plugin:1.0"


def test_a_build_is_pushed_under_a_tag_of_its_content_and_named_by_digest(
    run: Run, context: Path
) -> None:
    args = {"repository": "ghcr.io/team/plugin", "context": str(context), "target": "pulumi"}
    engine, ref = image_ref(run, args)
    inputs = engine.one(IMAGE).inputs
    assert inputs["push"] is True
    assert inputs["target"] == "pulumi"
    assert inputs["context"] == {"location": str(context)}
    assert inputs["platforms"] == ["linux/amd64"]
    (tag,) = inputs["tags"]
    assert tag.startswith("ghcr.io/team/plugin:content-")
    assert ref == f"{tag}@{DIGEST}"


def test_credentials_of_a_build_are_secret_and_in_no_component(run: Run, context: Path) -> None:
    args = {
        "repository": "ghcr.io/team/plugin",
        "context": str(context),
        "registry_username": "robot",
        "registry_password": "canary",
        "build_secrets": {"npmrc": "canary"},
        "cache_from": ["type=registry,ref=ghcr.io/team/cache"],
    }
    engine, _ = image_ref(run, args)
    registries = engine.one(IMAGE).inputs["registries"]
    assert is_secret(registries)
    assert revealed(registries) == [
        {"address": "ghcr.io", "username": "robot", "password": "canary"}
    ]
    assert is_secret(engine.one(IMAGE).inputs["secrets"])
    assert engine.one(IMAGE).inputs["cacheFrom"] == [
        {"raw": "type=registry,ref=ghcr.io/team/cache"}
    ]
    component = engine.one("argocd-cmp:index:PluginImage")
    assert "canary" not in repr(component.inputs)


def test_an_ecr_repository_scans_takes_a_tag_again_and_cleans_up(run: Run, context: Path) -> None:
    engine, ref = image_ref(run, {"ecr_repository": "argocd/plugin", "context": str(context)})
    repository = engine.one("aws:ecr/repository:Repository").inputs
    assert repository["imageTagMutability"] == "MUTABLE"
    assert repository["imageScanningConfiguration"] == {"scanOnPush": True}
    policy = json.loads(engine.one("aws:ecr/lifecyclePolicy:LifecyclePolicy").inputs["policy"])
    assert [rule["rulePriority"] for rule in policy["rules"]] == [1, 2]
    assert ref.startswith("123456789012.dkr.ecr.eu-west-1.amazonaws.com/argocd/plugin:content-")
    (login,) = revealed(engine.one(IMAGE).inputs["registries"])
    assert login["address"] == "123456789012.dkr.ecr.eu-west-1.amazonaws.com"
    assert login["username"] == "AWS"


def test_the_components_load_without_the_providers_that_only_some_arguments_need() -> None:
    code = (
        "import sys; import components; "
        "print([m for m in sys.modules if m in "
        "('pulumi_aws', 'pulumi_docker', 'pulumi_docker_build', 'pulumi_tls')])"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert output.strip() == "[]"


def test_the_tag_follows_everything_that_decides_the_content_and_nothing_else(
    context: Path,
) -> None:
    build = Build(context, "pulumi", ["linux/amd64"], {"A": "1"}, [], [])
    tags = [content_tag(build)]
    assert content_tag(replace(build, cache_from=["type=local"])) == tags[0]
    tags.append(content_tag(replace(build, target="other")))
    tags.append(content_tag(replace(build, platforms=["linux/arm64"])))
    tags.append(content_tag(replace(build, build_args={"A": "2"})))
    (context / "run.sh").write_text("true\n")
    tags.append(content_tag(build))
    (context / "run.sh").chmod(0o755)
    tags.append(content_tag(build))
    (context / "__pycache__").mkdir()
    (context / "__pycache__" / "x.pyc").write_bytes(b"")
    assert content_tag(build) == tags[-1]
    assert len(tags) == len(set(tags))


@pytest.mark.parametrize(
    ("given", "field", "reason"),
    [
        ({}, "reference", "exactly one; found none"),
        ({"reference": "a:1", "repository": "b"}, "reference", "found reference and repository"),
        ({"reference": "ghcr.io/team/plugin"}, "reference", "without tag or digest"),
        ({"reference": "Ghcr.io/Team/plugin:1"}, "reference", "not a valid image name"),
        ({"reference": "plugin:1@sha256:12"}, "reference", "not a valid image name"),
        ({"reference": "a:1", "target": "x"}, "target", "names a ready image"),
        ({"repository": "ghcr.io/team/plugin:1"}, "repository", "with a tag"),
        ({"repository": "ghcr.io/a", "registry_username": "u"}, "registry_password", "missing"),
        ({"repository": "ghcr.io/a", "context": "/nowhere"}, "context", "without a Dockerfile"),
        ({"repository": "ghcr.io/a", "platforms": ["windows/amd64"]}, "platforms", "repo-server"),
        (
            {"repository": "ghcr.io/a", "build_args": {"A": pulumi.Output.secret("x")}},
            "build_args",
            "Pulumi secret",
        ),
        ({"ecr_repository": "host.com/Plugin"}, "ecr_repository", "not a valid name"),
        ({"ecr_repository": "a/b", "registry_username": "u"}, "registry_username", "ECR"),
        ({"image": "a:1"}, "image", "not an argument"),
    ],
)
def test_a_bad_image_is_refused(
    run: Run, context: Path, given: Any, field: str, reason: str
) -> None:
    args = given | ({"context": str(context)} if needs_context(given) else {})
    with pytest.raises(InvalidInputError) as raised:
        run(lambda: PluginImage("plugin", args))
    assert raised.value.field == field
    assert reason in raised.value.problem


@pytest.mark.parametrize(
    ("repository", "host"),
    [
        ("plugin", "docker.io"),
        ("team/plugin", "docker.io"),
        ("localhost/plugin", "localhost"),
        ("localhost:5000/plugin", "localhost:5000"),
        ("ghcr.io/team/plugin", "ghcr.io"),
    ],
)
def test_the_registry_to_log_in_to_is_found_by_dockers_rule(repository: str, host: str) -> None:
    assert image_reference.registry_host(repository) == host


def test_what_is_built_by_default_is_the_image_of_this_repository() -> None:
    assert (image._BUILD_CONTEXT / "Dockerfile").is_file()
