"""PluginImage: the image that a plugin's sidecar runs."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict

import pulumi

from ..shared import extras, inputs, validation
from ..shared.errors import InvalidInputError
from . import image_reference
from .image_reference import ImageReference

if TYPE_CHECKING:
    import pulumi_docker_build as docker_build

_SOURCES: Final = ("reference", "repository", "ecr_repository")
_BUILDS: Final = {"repository": "docker-build", "ecr_repository": "aws"}
"""Those that are built for, and the extra that this takes."""
_BUILD_CONTEXT: Final = next(
    folder
    for folder in (parent / "plugin_image" for parent in Path(__file__).resolve().parents)
    if folder.is_dir()
)
"""Beside this package in the repository, and inside it once installed."""
PLATFORMS: Final = ("linux/amd64", "linux/arm64", "linux/ppc64le", "linux/s390x")
"""Those that Argo CD's own image is published for."""
_LOGIN: Final = ("registry_username", "registry_password")
_KEPT_IMAGES: Final = 30
_UNTAGGED_DAYS: Final = 14


class PluginImageArgs(TypedDict):
    """Arguments of `PluginImage`: exactly one of the first three, the rest for a build."""

    reference: NotRequired[pulumi.Input[str]]
    """A prebuilt image. Its tag is pinned to the digest that the registry has for it now."""
    repository: NotRequired[pulumi.Input[str]]
    """Build, and push to this repository, for example `ghcr.io/team/plugin`."""
    ecr_repository: NotRequired[pulumi.Input[str]]
    """Build, and push to an ECR repository of this name, which is created."""
    context: NotRequired[pulumi.Input[str]]
    """Folder with the Dockerfile (default: this project's own)."""
    target: NotRequired[pulumi.Input[str]]
    """Stage of the Dockerfile to build (default: the last)."""
    platforms: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Platforms to build for (default `linux/amd64`)."""
    build_args: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """Build arguments. They stay readable in the image: secrets belong in build_secrets."""
    build_secrets: NotRequired[pulumi.Input[Mapping[str, pulumi.Input[str]]]]
    """BuildKit secrets: in no layer, and not part of the tag."""
    cache_from: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Build caches to read, in BuildKit's syntax: `type=registry,ref=ghcr.io/team/cache`."""
    cache_to: NotRequired[pulumi.Input[Sequence[pulumi.Input[str]]]]
    """Build caches to write, in the same syntax."""
    registry_username: NotRequired[pulumi.Input[str]]
    """User to push as (default: Docker's own login on this machine; ECR has its token)."""
    registry_password: NotRequired[pulumi.Input[str]]
    """Password or token of that user. Kept secret."""


class PluginImage(pulumi.ComponentResource):
    """Builds and pushes a plugin's image, or pins a prebuilt one.

    A build is tagged by its content, so that the same sources give the same tag and a tag
    never changes its meaning. Refuses references that could mean a different image tomorrow.
    """

    image_ref: pulumi.Output[str]
    """Reference pinned by digest."""

    def __init__(
        self, name: str, args: PluginImageArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        where = f"PluginImage {name}"
        given = inputs.given(where, args, PluginImageArgs)
        # The arguments, with build secrets and a password, are in the children that need them.
        super().__init__("argocd-cmp:index:PluginImage", name, None, opts)
        self._name = name
        self._where = where
        source = inputs.located(self._where, lambda: _source(given))
        if source == "reference":
            self.image_ref = self._pin(given)
        elif source == "repository":
            self.image_ref = self._push(given)
        else:
            self.image_ref = self._push_to_ecr(given)
        self.register_outputs({"image_ref": self.image_ref})

    def _pin(self, given: dict[str, Any]) -> pulumi.Output[str]:
        def digest_of(reference: ImageReference) -> pulumi.Output[str]:
            if reference.digest:
                return pulumi.Output.from_input(str(reference))
            import pulumi_docker as docker  # noqa: PLC0415 - a second, where nothing is pinned

            image = docker.get_registry_image_output(
                name=str(reference), opts=pulumi.InvokeOutputOptions(parent=self)
            )
            return pulumi.Output.concat(str(reference), "@", image.sha256_digest)

        reference = inputs.checked(self._where, given, _reference)
        return reference.apply(digest_of)

    def _push(self, given: dict[str, Any]) -> pulumi.Output[str]:
        user: dict[str, Any] = {f: given.pop(f) for f in _LOGIN if f in given}
        inputs.located(self._where, lambda: _check_login(user))
        repository = inputs.checked(
            self._where,
            {"repository": given.pop("repository")},
            lambda v: image_reference.repository("repository", v["repository"]),
        )
        login: list[docker_build.RegistryArgs] = []
        if user:
            login = [
                _login(
                    repository.apply(image_reference.registry_host),
                    inputs.checked(self._where, inputs.pick(user, _LOGIN[:1]), _username),
                    inputs.checked(
                        self._where, inputs.pick(user, _LOGIN[1:]), _password, secret=_LOGIN
                    ),
                )
            ]
        return self._build(given, repository, login, pulumi.ResourceOptions(parent=self))

    def _push_to_ecr(self, given: dict[str, Any]) -> pulumi.Output[str]:
        import pulumi_aws as aws  # noqa: PLC0415 - 270 MB, for those who use ECR

        ecr_name = inputs.checked(
            self._where,
            {"ecr_repository": given.pop("ecr_repository")},
            lambda v: image_reference.ecr_name("ecr_repository", v["ecr_repository"]),
        )
        repository = aws.ecr.Repository(
            self._name,
            name=ecr_name,
            # References have digests, and the same content may be built again: after a way back,
            # or elsewhere.
            image_tag_mutability="MUTABLE",
            image_scanning_configuration={"scan_on_push": True},
            # Images in it can be built again, and `pulumi destroy` must not stop half-way.
            force_delete=True,
            opts=pulumi.ResourceOptions(parent=self),
        )
        policy = aws.ecr.LifecyclePolicy(
            self._name,
            repository=repository.name,
            policy=json.dumps(_lifecycle_policy()),
            opts=pulumi.ResourceOptions(parent=self),
        )
        token = aws.ecr.get_authorization_token_output(
            registry_id=repository.registry_id, opts=pulumi.InvokeOutputOptions(parent=self)
        )
        login = _login(
            repository.repository_url.apply(image_reference.registry_host),
            token.user_name,
            token.password,
        )
        return self._build(
            given,
            repository.repository_url,
            [login],
            pulumi.ResourceOptions(parent=self, depends_on=[policy]),
        )

    def _build(
        self,
        given: Mapping[str, Any],
        repository: pulumi.Output[str],
        registries: "list[docker_build.RegistryArgs]",
        opts: pulumi.ResourceOptions,
    ) -> pulumi.Output[str]:
        import pulumi_docker_build as docker_build  # noqa: PLC0415 - only where one is built

        checked = inputs.checked(
            self._where,
            {"build_secrets": given.get("build_secrets", {})},
            lambda v: validation.string_map("build_secrets", v["build_secrets"]),
            secret=("build_secrets",),
        )
        secrets: pulumi.Output[dict[str, str]] = pulumi.Output.secret(checked)
        given = {field: value for field, value in given.items() if field != "build_secrets"}
        build = inputs.checked(self._where, given, _build)
        image = docker_build.Image(
            self._name,
            push=True,
            context=docker_build.BuildContextArgs(location=build.apply(lambda b: str(b.context))),
            target=build.apply(lambda b: b.target),
            platforms=build.apply(lambda b: [docker_build.Platform(p) for p in b.platforms]),
            build_args=build.apply(lambda b: b.build_args),
            secrets=secrets,
            cache_from=build.apply(lambda b: [{"raw": cache} for cache in b.cache_from]),
            cache_to=build.apply(lambda b: [{"raw": cache} for cache in b.cache_to]),
            tags=pulumi.Output.all(repository, build).apply(
                lambda known: [f"{known[0]}:{content_tag(known[1])}"]
            ),
            registries=registries,
            # Pods refer to it, of other stacks and clusters, too; else it goes from the registry.
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(retain_on_delete=True)),
        )
        return image.ref


@dataclass(frozen=True)
class Build:
    """What goes into an image, checked."""

    context: Path
    target: str | None
    platforms: list[str]
    build_args: dict[str, str]
    cache_from: list[str]
    cache_to: list[str]


def content_tag(build: Build) -> str:
    """Return a tag made from everything that determines an image's content.

    That is every file of the context with its executable bit, the target, the platforms and
    the build arguments; not the caches, which only affect how long a build takes.
    """
    digest = hashlib.sha256()
    choices = [build.target, sorted(build.platforms), sorted(build.build_args.items())]
    digest.update(json.dumps(choices).encode())
    for path in sorted(build.context.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            executable = bool(path.stat().st_mode & 0o100)
            entry = [path.relative_to(build.context).as_posix(), executable, path.stat().st_size]
            digest.update(json.dumps(entry).encode())
            digest.update(path.read_bytes())
    return f"content-{digest.hexdigest()[:16]}"


def _source(given: Mapping[str, Any]) -> str:
    used = [source for source in _SOURCES if source in given]
    if len(used) != 1:
        found = " and ".join(used) if used else "none"
        raise InvalidInputError(
            _SOURCES[0],
            f"or another source of the image must be given, exactly one; found {found}",
            "set reference for a ready image, repository to build and push, "
            "or ecr_repository to build and push to ECR",
        )
    if used == ["reference"]:
        unused = sorted(set(given) - {"reference"})
        if unused:
            problem = "is for a build, but reference names a ready image"
            raise InvalidInputError(unused[0], problem, "leave it out, or set repository instead")
    if used == ["ecr_repository"] and set(_LOGIN) & set(given):
        problem = "is set, but ECR logs in by a token of the AWS provider"
        raise InvalidInputError("registry_username", problem, "leave user and password out")
    if used[0] in _BUILDS:
        otherwise = "set reference to a ready image"
        extras.require(_BUILDS[used[0]], used[0], "asks for a build", otherwise)
    return used[0]


def _reference(values: Mapping[str, Any]) -> ImageReference:
    reference = image_reference.image("reference", values["reference"])
    if not reference.digest:
        asks_for = f"is {str(reference)!r}, a tag to look up"
        extras.require("docker", "reference", asks_for, "add its digest (@sha256:…)")
    return reference


def _check_login(user: Mapping[str, Any]) -> None:
    for field in _LOGIN:
        if user and field not in user:
            raise InvalidInputError(field, "is missing, the other half is set", "set both or none")


def _username(values: Mapping[str, Any]) -> str:
    return validation.line("registry_username", values["registry_username"])


def _password(values: Mapping[str, Any]) -> str:
    """Refuse what is no password. The message leaves the value out."""
    password = values["registry_password"]
    if not isinstance(password, str) or not password:
        problem = "must be a string that is not empty"
        raise InvalidInputError("registry_password", problem, "quote it, or leave both out")
    return password


def _login(
    host: pulumi.Output[str], username: pulumi.Input[str], password: pulumi.Input[str]
) -> "docker_build.RegistryArgs":
    import pulumi_docker_build as docker_build  # noqa: PLC0415 - only where one is built

    return docker_build.RegistryArgs(
        address=host, username=username, password=pulumi.Output.secret(password)
    )


def _build(values: Mapping[str, Any]) -> Build:
    context = Path(validation.text("context", values.get("context", str(_BUILD_CONTEXT))))
    if not (context / "Dockerfile").is_file():
        problem = f"is {str(context)!r}, a folder without a Dockerfile"
        raise InvalidInputError("context", problem, "name the folder that holds the Dockerfile")
    platforms = validation.strings("platforms", values.get("platforms", ["linux/amd64"]))
    if not platforms:
        problem = "names no platform, so there is nothing to build"
        raise InvalidInputError("platforms", problem, "name one, or leave it out")
    for platform in platforms:
        if platform not in PLATFORMS:
            problem = f"names {platform!r}, for which there is no repo-server to run next to"
            raise InvalidInputError("platforms", problem, f"use {', '.join(PLATFORMS)}")
    target = values.get("target")
    return Build(
        context=context,
        target=None if target is None else validation.text("target", target),
        platforms=platforms,
        build_args=validation.string_map("build_args", values.get("build_args", {})),
        cache_from=_caches("cache_from", values),
        cache_to=_caches("cache_to", values),
    )


def _caches(field: str, values: Mapping[str, Any]) -> list[str]:
    return [validation.line(field, one) for one in validation.strings(field, values.get(field, []))]


def _lifecycle_policy() -> dict[str, Any]:
    """Return what keeps the repository from growing for ever. ECR reads rules by priority."""
    return {
        "rules": [
            {
                "rulePriority": 1,
                "description": "Remove what no tag names any more",
                "selection": {
                    "tagStatus": "untagged",
                    "countType": "sinceImagePushed",
                    "countUnit": "days",
                    "countNumber": _UNTAGGED_DAYS,
                },
                "action": {"type": "expire"},
            },
            {
                "rulePriority": 2,
                "description": "Keep the newest images",
                "selection": {
                    "tagStatus": "any",
                    "countType": "imageCountMoreThan",
                    "countNumber": _KEPT_IMAGES,
                },
                "action": {"type": "expire"},
            },
        ]
    }
