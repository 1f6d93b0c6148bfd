"""What came of pairs on one side, and in what the two sides differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.e2e.harness.kubernetes_api import KubernetesApi
from tests.e2e.lifecycle import snapshot
from tests.e2e.lifecycle.deployers import SUCCEEDS, Deployer
from tests.e2e.lifecycle.pair import Pair, project

ENDED = "the deployment"
ABSENT = "-"

Sides = tuple[str, str]
"""What the official engine makes of something, and what Argo CD does."""


@dataclass(frozen=True)
class Result:
    """What came of one pair on one side."""

    ended: str
    fates: Mapping[str, str]
    contents: Mapping[str, str]

    def facts(self) -> dict[str, str]:
        """All of it, by what it is about."""
        return {ENDED: self.ended, **self.fates, **self.contents}


def deployed(pairs: Sequence[Pair], deployer: Deployer, api: KubernetesApi) -> dict[str, Result]:
    """Deploy pairs as one program, one version after the other, and say what came of each.

    Raises AssertionError when the first version is not deployed.
    """
    names = [pair.name for pair in pairs]
    for name in names:
        namespace = {"metadata": {"name": f"{deployer.side}-{name}"}}
        api.apply({"apiVersion": "v1", "kind": "Namespace", **namespace})
    ended, said = deployer.deploy(project(pairs, "before"))
    assert ended == SUCCEEDS, f"{deployer.side} {ended} before the change: {said}"
    before = snapshot.take(api, deployer.side, names)
    for pair in pairs:
        for change in pair.live:
            api.patch(
                change.api_version,
                change.kind,
                change.name,
                change.patch,
                namespace=f"{deployer.side}-{pair.name}",
            )
    if any(pair.between for pair in pairs):
        deployer.deploy(project(pairs, "between"))
    ended, said = deployer.deploy(project(pairs, "after"))
    assert ended == SUCCEEDS or len(pairs) == 1, f"{deployer.side} {ended}: {said}"
    after = snapshot.take(api, deployer.side, names)
    return {
        name: Result(
            ended, snapshot.fates(before[name], after[name]), snapshot.contents(after[name])
        )
        for name in names
    }


def differing(official: Result, ours: Result) -> dict[str, Sides]:
    """In what the two differ."""
    theirs, own = official.facts(), ours.facts()
    found = {
        about: (theirs.get(about, ABSENT), own.get(about, ABSENT))
        for about in sorted({*theirs, *own})
    }
    return {about: sides for about, sides in found.items() if sides[0] != sides[1]}
