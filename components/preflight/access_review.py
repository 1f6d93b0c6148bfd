"""Asks a cluster about the rights of the account that the default provider will use.

So the kubeconfig is looked for where that provider looks for it: in the configuration of the
stack (`kubernetes:kubeconfig`, a path or the content, and `kubernetes:context`), in KUBECONFIG
and ~/.kube/config, and in the pod that Pulumi may run in. Where the provider could use another
account than the Python client would, it gives no answer. Errors never quote a kubeconfig.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from ..shared.rights import Right
from .rights import NoAnswerError

if TYPE_CHECKING:
    from kubernetes.client import Configuration

_DEFAULT_KUBECONFIG: Final = "~/.kube/config"
_SECONDS: Final = 5
_AT_ONCE: Final = 8


def allowed(rights: Collection[Right], *, settings: Mapping[str, str]) -> set[Right]:
    """Return those of the rights that the account has, by SelfSubjectAccessReview.

    `settings` is the configuration of the stack. Raises NoAnswerError.
    """
    import urllib3  # noqa: PLC0415 - comes with the client
    from kubernetes import client  # noqa: PLC0415 - for the program alone, not for importers

    connection = _connection(settings)
    api = client.AuthorizationV1Api(client.ApiClient(connection))

    def is_allowed(right: Right) -> bool:
        attributes = client.V1ResourceAttributes(
            namespace=right.namespace,
            group=right.group,
            resource=right.resource,
            name=right.name,
            verb=right.verb,
        )
        review = client.V1SelfSubjectAccessReview(
            spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
        )
        answer = api.create_self_subject_access_review(review, _request_timeout=_SECONDS)
        return answer.status is not None and answer.status.allowed

    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = list(pool.map(is_allowed, rights))
    except client.ApiException as error:
        problem = f"{connection.host} answers {error.status} {error.reason}"
        raise NoAnswerError(problem) from error
    except urllib3.exceptions.HTTPError as error:
        raise NoAnswerError(f"{connection.host} does not answer") from error
    return {right for right, answer in zip(rights, answers, strict=True) if answer}


def _connection(settings: Mapping[str, str]) -> "Configuration":
    if settings.get("kubernetes:cluster"):
        raise NoAnswerError("kubernetes:cluster is set, which the Python client cannot follow")
    try:
        return _read(settings.get("kubernetes:kubeconfig"), settings.get("kubernetes:context"))
    except NoAnswerError:
        raise
    except Exception as error:  # noqa: BLE001 - the provider says what is wrong with it
        # Without the text and the cause: the client's own errors quote users with their tokens.
        raise NoAnswerError(f"no kubeconfig is usable ({type(error).__name__})") from None


def _read(given: str | None, context: str | None) -> "Configuration":
    from kubernetes import client, config  # noqa: PLC0415

    connection = client.Configuration()
    connection.retries = 0
    files = _files()
    if not given and not files:
        config.load_incluster_config(connection)
        return connection
    documents = [_document(given)] if given else [_document(path) for path in files]
    # The first file that sets it, as for the provider; the client takes the last.
    context = context or next(d["current-context"] for d in documents if d.get("current-context"))
    if _impersonates(documents, context):
        raise NoAnswerError("the kubeconfig impersonates, which the Python client cannot follow")
    if given:
        config.load_kube_config_from_dict(documents[0], context, connection)
    else:
        config.load_kube_config(os.pathsep.join(files), context, connection)
    return connection


def _files() -> list[str]:
    paths = os.environ.get("KUBECONFIG") or _DEFAULT_KUBECONFIG
    return [path for path in paths.split(os.pathsep) if Path(path).expanduser().is_file()]


def _document(path_or_content: str) -> dict[str, Any]:
    try:
        content = Path(path_or_content).expanduser().read_text(encoding="utf-8")
    except OSError:
        content = path_or_content
    return dict(yaml.safe_load(content))


def _impersonates(documents: Sequence[Mapping[str, Any]], context: str) -> bool:
    name = _named(documents, "contexts", context)["context"].get("user")
    user = _named(documents, "users", name).get("user") or {}
    return any(key == "as" or key.startswith("as-") for key in user)


def _named(documents: Sequence[Mapping[str, Any]], kind: str, name: str) -> Mapping[str, Any]:
    items = (item for document in documents for item in document.get(kind) or [])
    return next((item for item in items if item["name"] == name), {})
